/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Columns made orthogonal one after the other.
 */
#include <math.h>

#ifndef M
#define M 70
#define N 66
#endif

static double a[M][N], r[N][N], q[M][N];

int main(void)
{
    for (int k = 0; k < N; k++) {
        double norm = 0.0;
        for (int i = 0; i < M; i++)
            norm += a[i][k] * a[i][k];
        r[k][k] = sqrt(norm);
        for (int i = 0; i < M; i++)
            q[i][k] = a[i][k] / r[k][k];
        for (int j = k + 1; j < N; j++) {
            r[k][j] = 0.0;
            for (int i = 0; i < M; i++)
                r[k][j] += q[i][k] * a[i][j];
            for (int i = 0; i < M; i++)
                a[i][j] -= q[i][k] * r[k][j];
        }
    }
    return 0;
}
