/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The same with sums in scalars, and the two triangles solved.
 */
#ifndef N
#define N 56
#endif

static double a[N][N], b[N], x[N], y[N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            double w = a[i][j];
            for (int k = 0; k < j; k++)
                w -= a[i][k] * a[k][j];
            a[i][j] = w / a[j][j];
        }
        for (int j = i; j < N; j++) {
            double w = a[i][j];
            for (int k = 0; k < i; k++)
                w -= a[i][k] * a[k][j];
            a[i][j] = w;
        }
    }
    for (int i = 0; i < N; i++) {
        double w = b[i];
        for (int j = 0; j < i; j++)
            w -= a[i][j] * y[j];
        y[i] = w;
    }
    for (int i = N - 1; i >= 0; i--) {
        double w = y[i];
        for (int j = i + 1; j < N; j++)
            w -= a[i][j] * x[j];
        x[i] = w / a[i][i];
    }
    return 0;
}
