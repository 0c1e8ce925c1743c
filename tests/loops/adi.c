/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implicit steps along columns, then along rows, each forth and back.
 */
#ifndef N
#define N 40
#define T 8
#endif

static double u[N][N], v[N][N], p[N][N], q[N][N];

int main(void)
{
    for (int t = 1; t <= T; t++) {
        for (int i = 1; i < N - 1; i++) {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = v[0][i];
            for (int j = 1; j < N - 1; j++) {
                p[i][j] = -0.3 / (0.1 * p[i][j - 1] + 0.2);
                q[i][j] =
                    (0.4 * u[j][i + 1] - 0.1 * u[j][i - 1] - 0.3 * u[j][i] - 0.1 * q[i][j - 1]) /
                    (0.1 * p[i][j - 1] + 0.2);
            }
            v[N - 1][i] = 1.0;
            for (int j = N - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }
        for (int i = 1; i < N - 1; i++) {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = u[i][0];
            for (int j = 1; j < N - 1; j++) {
                p[i][j] = -0.3 / (0.1 * p[i][j - 1] + 0.2);
                q[i][j] =
                    (0.4 * v[i + 1][j] - 0.1 * v[i - 1][j] - 0.3 * v[i][j] - 0.1 * q[i][j - 1]) /
                    (0.1 * p[i][j - 1] + 0.2);
            }
            u[i][N - 1] = 1.0;
            for (int j = N - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
    return 0;
}
