/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Seven points in a box, from one array to the other and back.
 */
#ifndef N
#define N 16
#define T 8
#endif

static double a[N][N][N], b[N][N][N];

int main(void)
{
    for (int t = 1; t <= T; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    b[i][j][k] = 0.1 * (a[i + 1][j][k] - 2.0 * a[i][j][k] + a[i - 1][j][k]) +
                                 0.1 * (a[i][j + 1][k] - 2.0 * a[i][j][k] + a[i][j - 1][k]) +
                                 0.1 * (a[i][j][k + 1] - 2.0 * a[i][j][k] + a[i][j][k - 1]) +
                                 a[i][j][k];
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    a[i][j][k] = 0.1 * (b[i + 1][j][k] - 2.0 * b[i][j][k] + b[i - 1][j][k]) +
                                 0.1 * (b[i][j + 1][k] - 2.0 * b[i][j][k] + b[i][j - 1][k]) +
                                 0.1 * (b[i][j][k + 1] - 2.0 * b[i][j][k] + b[i][j][k - 1]) +
                                 b[i][j][k];
    }
    return 0;
}
