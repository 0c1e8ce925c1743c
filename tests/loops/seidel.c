/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nine points in a square, in place.
 */
#ifndef N
#define N 60
#define T 10
#endif

static double a[N][N];

int main(void)
{
    for (int t = 0; t < T; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] +
                           a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
                          9.0;
    return 0;
}
