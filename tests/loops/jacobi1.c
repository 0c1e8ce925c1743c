/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Three points in a row, from one array to the other and back.
 */
#ifndef N
#define N 1000
#define T 20
#endif

static double a[N], b[N];

int main(void)
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            b[i] = 0.33 * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < N - 1; i++)
            a[i] = 0.33 * (b[i - 1] + b[i] + b[i + 1]);
    }
    return 0;
}
