/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A Toeplitz system: vectors that are read from both ends.
 */
#ifndef N
#define N 260
#endif

static double r[N], y[N], z[N];

int main(void)
{
    double alpha = -r[0], beta = 1.0;
    y[0] = -r[0];
    for (int k = 1; k < N; k++) {
        beta = (1.0 - alpha * alpha) * beta;
        double sum = 0.0;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
    return 0;
}
