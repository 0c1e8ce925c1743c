/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Three products of matrices: (A B) (C D).
 */
#ifndef NI
#define NI 24
#define NJ 26
#define NK 28
#define NL 30
#define NM 32
#endif

static double a[NI][NK], b[NK][NJ], c[NJ][NM], d[NM][NL], ab[NI][NJ], cd[NJ][NL], all[NI][NL];

int main(void)
{
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            ab[i][j] = 0.0;
            for (int k = 0; k < NK; k++)
                ab[i][j] += a[i][k] * b[k][j];
        }
    for (int i = 0; i < NJ; i++)
        for (int j = 0; j < NL; j++) {
            cd[i][j] = 0.0;
            for (int k = 0; k < NM; k++)
                cd[i][j] += c[i][k] * d[k][j];
        }
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NL; j++) {
            all[i][j] = 0.0;
            for (int k = 0; k < NJ; k++)
                all[i][j] += ab[i][k] * cd[k][j];
        }
    return 0;
}
