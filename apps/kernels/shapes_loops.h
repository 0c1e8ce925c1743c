/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ten loops as people write them: arrays come as plain pointers, so that a compiler must expect one
 * to be another's, and nothing is tuned for a processor. Their shapes are those of well-known sets
 * of kernels; their text is our own. `htmt host compare --flags` compiles this file as it stands
 * (emul/command/host/shapes.c), so it includes nothing of the project's.
 */
#include <math.h>
#include <stdint.h>

#ifndef APART
#define APART __attribute__((noinline)) static
#endif

/* c = c / 4 + a b */
APART void gemm(uint64_t n, double *c, const double *a, const double *b)
{
    for (uint64_t i = 0; i < n; i++) {
        for (uint64_t j = 0; j < n; j++)
            c[i * n + j] *= 0.25;
        for (uint64_t m = 0; m < n; m++)
            for (uint64_t j = 0; j < n; j++)
                c[i * n + j] += 0.5 * a[i * n + m] * b[m * n + j];
    }
}

/* s = r a and q = a p in one sweep, sums in memory. */
APART void bicg(uint64_t n, double *s, double *q, const double *a, const double *p, const double *r)
{
    for (uint64_t i = 0; i < n; i++)
        s[i] = 0;
    for (uint64_t i = 0; i < n; i++) {
        q[i] = 0;
        for (uint64_t j = 0; j < n; j++) {
            s[j] = s[j] + r[i] * a[i * n + j];
            q[i] = q[i] + a[i * n + j] * p[j];
        }
    }
}

/* a x = b, a triangular with a heavy diagonal: forward substitution. */
APART void solve(uint64_t n, double *x, const double *a, const double *b)
{
    for (uint64_t i = 0; i < n; i++) {
        x[i] = b[i];
        for (uint64_t j = 0; j < i; j++)
            x[i] -= a[i * n + j] * x[j];
        x[i] = x[i] / (a[i * n + i] + (double)n);
    }
}

/* l u = a, of a copy of a with a heavy diagonal. */
APART void factor(uint64_t n, double *l, const double *a)
{
    for (uint64_t i = 0; i < n * n; i++)
        l[i] = a[i];
    for (uint64_t i = 0; i < n; i++) {
        l[i * n + i] += (double)n;
        for (uint64_t j = 0; j < i; j++) {
            for (uint64_t m = 0; m < j; m++)
                l[i * n + j] -= l[i * n + m] * l[m * n + j];
            l[i * n + j] /= l[j * n + j];
        }
        for (uint64_t j = i; j < n; j++)
            for (uint64_t m = 0; m < i; m++)
                l[i * n + j] -= l[i * n + m] * l[m * n + j];
    }
}

/* b from a, and a from b again. */
APART void stencil1(uint64_t n, double *a, double *b)
{
    for (uint64_t i = 1; i + 1 < n; i++)
        b[i] = 0.25 * (a[i - 1] + 2 * a[i] + a[i + 1]);
    for (uint64_t i = 1; i + 1 < n; i++)
        a[i] = 0.25 * (b[i - 1] + 2 * b[i] + b[i + 1]);
}

/* In place, so that each point waits for the one before it. */
APART void stencil2(uint64_t n, double *a)
{
    for (uint64_t i = 1; i + 1 < n; i++)
        for (uint64_t j = 1; j + 1 < n; j++)
            a[i * n + j] = (a[(i - 1) * n + j - 1] + a[(i - 1) * n + j] + a[(i - 1) * n + j + 1] +
                            a[i * n + j - 1] + a[i * n + j] + a[i * n + j + 1] +
                            a[(i + 1) * n + j - 1] + a[(i + 1) * n + j] + a[(i + 1) * n + j + 1]) /
                           9;
}

/* b from a. */
APART void stencil3(uint64_t n, double *b, const double *a)
{
    for (uint64_t i = 1; i + 1 < n; i++)
        for (uint64_t j = 1; j + 1 < n; j++)
            for (uint64_t m = 1; m + 1 < n; m++) {
                const uint64_t at = (i * n + j) * n + m;
                b[at] = 0.125 * (a[at + n * n] - 2 * a[at] + a[at - n * n]) +
                        0.125 * (a[at + n] - 2 * a[at] + a[at - n]) +
                        0.125 * (a[at + 1] - 2 * a[at] + a[at - 1]) + a[at];
            }
}

/* Correlations of the columns of a. */
APART void correlate(uint64_t n, double *c, double *mean, double *spread, double *x,
                     const double *a)
{
    for (uint64_t j = 0; j < n; j++) {
        mean[j] = 0;
        for (uint64_t i = 0; i < n; i++)
            mean[j] += a[i * n + j];
        mean[j] /= (double)n;
        spread[j] = 0;
        for (uint64_t i = 0; i < n; i++)
            spread[j] += (a[i * n + j] - mean[j]) * (a[i * n + j] - mean[j]);
        spread[j] = sqrt(spread[j]);
        spread[j] = spread[j] <= 1e-3 ? 1 : spread[j];
    }
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++)
            x[i * n + j] = (a[i * n + j] - mean[j]) / spread[j];
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = i; j < n; j++) {
            double sum = 0;
            for (uint64_t m = 0; m < n; m++)
                sum += x[m * n + i] * x[m * n + j];
            c[i * n + j] = c[j * n + i] = sum;
        }
}

/* A recursive filter of second order, forward and backward. */
APART void filter(uint64_t n, double *y, double *z, const double *x)
{
    double y1 = 0, y2 = 0, x1 = 0;
    for (uint64_t i = 0; i < n; i++) {
        y[i] = 0.25 * x[i] + 0.125 * x1 + 0.5 * y1 - 0.25 * y2;
        x1 = x[i];
        y2 = y1;
        y1 = y[i];
    }
    y1 = y2 = x1 = 0;
    for (uint64_t i = n; i-- > 0;) {
        z[i] = 0.25 * y[i] + 0.125 * x1 + 0.5 * y1 - 0.25 * y2;
        x1 = y[i];
        y2 = y1;
        y1 = z[i];
    }
}

/* A sum through one address. */
APART void total(uint64_t n, double *q, double *s, const double *a)
{
    q[0] = 0;
    for (uint64_t i = 0; i < n; i++) {
        q[0] += a[i];
        s[i] = a[i];
    }
}
