/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A triangular matrix times a matrix, in place.
 */
#ifndef M
#define M 44
#define N 48
#endif

static double a[M][M], b[M][N];

int main(void)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            for (int k = i + 1; k < M; k++)
                b[i][j] += a[k][i] * b[k][j];
            b[i][j] *= 1.5;
        }
    return 0;
}
