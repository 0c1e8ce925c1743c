/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lower half of C + A B' + B A'.
 */
#ifndef M
#define M 36
#define N 44
#endif

static double a[N][M], b[N][M], c[N][N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++)
            c[i][j] *= 1.2;
        for (int k = 0; k < M; k++)
            for (int j = 0; j <= i; j++)
                c[i][j] += a[j][k] * 1.5 * b[i][k] + b[j][k] * 1.5 * a[i][k];
    }
    return 0;
}
