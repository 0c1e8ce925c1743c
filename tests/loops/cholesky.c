/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A symmetric matrix as a product of triangles, row by row.
 */
#include <math.h>

#ifndef N
#define N 64
#endif

static double a[N][N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
        for (int k = 0; k < i; k++)
            a[i][i] -= a[i][k] * a[i][k];
        a[i][i] = sqrt(a[i][i]);
    }
    return 0;
}
