/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A sum of two matrices times a vector.
 */
#ifndef N
#define N 120
#endif

static double a[N][N], b[N][N], x[N], y[N], t[N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        t[i] = 0.0;
        y[i] = 0.0;
        for (int j = 0; j < N; j++) {
            t[i] += a[i][j] * x[j];
            y[i] += b[i][j] * x[j];
        }
        y[i] = 1.5 * t[i] + 1.2 * y[i];
    }
    return 0;
}
