/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A matrix as a product of a lower and an upper triangle, in place.
 */
#ifndef N
#define N 56
#endif

static double a[N][N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j];
        }
        for (int j = i; j < N; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
    return 0;
}
