/* SPDX-License-Identifier: BSD-3-Clause
 *
 * y = A' (A x).
 */
#ifndef M
#define M 120
#define N 140
#endif

static double a[M][N], x[N], y[N], t[M];

int main(void)
{
    for (int i = 0; i < N; i++)
        y[i] = 0.0;
    for (int i = 0; i < M; i++) {
        t[i] = 0.0;
        for (int j = 0; j < N; j++)
            t[i] += a[i][j] * x[j];
        for (int j = 0; j < N; j++)
            y[j] += a[i][j] * t[i];
    }
    return 0;
}
