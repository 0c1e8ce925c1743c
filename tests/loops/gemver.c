/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A matrix changed by two outer products, then used by columns and by rows.
 */
#ifndef N
#define N 110
#endif

static double a[N][N], u[N], v[N], p[N], q[N], w[N], x[N], y[N], z[N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] += u[i] * v[j] + p[i] * q[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i] += 1.2 * a[j][i] * y[j];
    for (int i = 0; i < N; i++)
        x[i] += z[i];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            w[i] += 1.5 * a[i][j] * x[j];
    return 0;
}
