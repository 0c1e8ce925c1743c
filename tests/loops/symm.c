/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A product with a symmetric matrix of which the lower half is stored.
 */
#ifndef M
#define M 40
#define N 44
#endif

static double a[M][M], b[M][N], c[M][N];

int main(void)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0.0;
            for (int k = 0; k < i; k++) {
                c[k][j] += 1.5 * b[i][j] * a[i][k];
                sum += b[k][j] * a[i][k];
            }
            c[i][j] = 1.2 * c[i][j] + 1.5 * b[i][j] * a[i][i] + 1.5 * sum;
        }
    return 0;
}
