/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two products of matrices, one after the other: D = beta D + alpha (A B) C.
 */
#ifndef NI
#define NI 28
#define NJ 32
#define NK 36
#define NL 40
#endif

static double a[NI][NK], b[NK][NJ], c[NJ][NL], d[NI][NL], ab[NI][NJ];

int main(void)
{
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            ab[i][j] = 0.0;
            for (int k = 0; k < NK; k++)
                ab[i][j] += 1.5 * a[i][k] * b[k][j];
        }
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NL; j++) {
            d[i][j] *= 1.2;
            for (int k = 0; k < NJ; k++)
                d[i][j] += ab[i][k] * c[k][j];
        }
    return 0;
}
