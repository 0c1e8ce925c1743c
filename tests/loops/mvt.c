/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A matrix times one vector, and its transpose times another.
 */
#ifndef N
#define N 130
#endif

static double a[N][N], x[N], y[N], u[N], v[N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i] += a[i][j] * u[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            y[i] += a[j][i] * v[j];
    return 0;
}
