/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Means and deviations of columns, then products of all pairs of columns.
 */
#include <math.h>

#ifndef M
#define M 36
#define N 40
#endif

static double data[N][M], corr[M][M], mean[M], dev[M];

int main(void)
{
    for (int j = 0; j < M; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= N;
    }
    for (int j = 0; j < M; j++) {
        dev[j] = 0.0;
        for (int i = 0; i < N; i++)
            dev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        dev[j] = sqrt(dev[j] / N);
        dev[j] = fmax(dev[j], 0.1);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= 6.3 * dev[j];
        }
    for (int i = 0; i < M - 1; i++) {
        corr[i][i] = 1.0;
        for (int j = i + 1; j < M; j++) {
            corr[i][j] = 0.0;
            for (int k = 0; k < N; k++)
                corr[i][j] += data[k][i] * data[k][j];
            corr[j][i] = corr[i][j];
        }
    }
    corr[M - 1][M - 1] = 1.0;
    return 0;
}
