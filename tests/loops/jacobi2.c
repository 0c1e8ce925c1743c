/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Five points in a square, with a line printed now and then.
 */
#include <stdio.h>

#ifndef N
#define N 56
#define T 20
#endif

static double a[N][N], b[N][N];

int main(void)
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
#ifdef TALK
        if (t % 5 == 0)
            fprintf(stderr, "step %d\n", t);
#endif
    }
    return 0;
}
