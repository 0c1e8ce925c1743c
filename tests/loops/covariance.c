/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Means of columns, then products of all pairs of columns.
 */
#ifndef M
#define M 36
#define N 40
#endif

static double data[N][M], cov[M][M], mean[M];

int main(void)
{
    for (int j = 0; j < M; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= N;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < M; i++)
        for (int j = i; j < M; j++) {
            cov[i][j] = 0.0;
            for (int k = 0; k < N; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= N - 1.0;
            cov[j][i] = cov[i][j];
        }
    return 0;
}
