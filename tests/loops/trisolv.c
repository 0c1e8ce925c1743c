/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lower triangle solved.
 */
#ifndef N
#define N 200
#endif

static double l[N][N], x[N], b[N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] = x[i] / l[i][i];
    }
    return 0;
}
