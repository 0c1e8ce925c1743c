/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each row of a box times one matrix, by way of a short vector.
 */
#ifndef R
#define R 14
#define Q 16
#define P 20
#endif

static double a[R][Q][P], c[P][P], sum[P];

int main(void)
{
    for (int r = 0; r < R; r++)
        for (int q = 0; q < Q; q++) {
            for (int p = 0; p < P; p++) {
                sum[p] = 0.0;
                for (int s = 0; s < P; s++)
                    sum[p] += a[r][q][s] * c[s][p];
            }
            for (int p = 0; p < P; p++)
                a[r][q][p] = sum[p];
        }
    return 0;
}
