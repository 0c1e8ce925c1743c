/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shortest paths: one matrix at three places.
 */
#include <math.h>

#ifndef N
#define N 48
#endif

static double p[N][N];

int main(void)
{
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                p[i][j] = fmin(p[i][j], p[i][k] + p[k][j]);
    return 0;
}
