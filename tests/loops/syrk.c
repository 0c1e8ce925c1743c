/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lower half of C + A A'.
 */
#ifndef M
#define M 40
#define N 48
#endif

static double a[N][M], c[N][N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++)
            c[i][j] *= 1.2;
        for (int k = 0; k < M; k++)
            for (int j = 0; j <= i; j++)
                c[i][j] += 1.5 * a[i][k] * a[j][k];
    }
    return 0;
}
