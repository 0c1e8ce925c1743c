/* SPDX-License-Identifier: BSD-3-Clause
 *
 * s = A' r and q = A p in one pass over A.
 */
#ifndef M
#define M 120
#define N 140
#endif

static double a[N][M], s[M], q[N], p[M], r[N];

int main(void)
{
    for (int i = 0; i < M; i++)
        s[i] = 0.0;
    for (int i = 0; i < N; i++) {
        q[i] = 0.0;
        for (int j = 0; j < M; j++) {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        }
    }
    return 0;
}
