/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C = beta C + alpha A B, a row of C at a time.
 */
#ifndef NI
#define NI 36
#define NJ 40
#define NK 44
#endif

static double a[NI][NK], b[NK][NJ], c[NI][NJ];

int main(void)
{
    for (int i = 0; i < NI; i++) {
        for (int j = 0; j < NJ; j++)
            c[i][j] *= 1.2;
        for (int k = 0; k < NK; k++)
            for (int j = 0; j < NJ; j++)
                c[i][j] += 1.5 * a[i][k] * b[k][j];
    }
    return 0;
}
