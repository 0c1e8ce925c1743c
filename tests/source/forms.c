/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forms of loops that users write, for the tests of htmt analyze: functions that are inlined, loops
 * of constant length, triangles, steps, branches. tests/source/counting.cc compiles the same text
 * with numbers that count.
 */
#ifndef REAL
#include <math.h>
#define REAL double
#define IN   const double *restrict
#define OUT  double *restrict
#endif

static inline REAL square(REAL x)
{
    return x * x;
}

static inline REAL norm(REAL x, REAL y)
{
    REAL sum = square(x) + square(y);
    return sqrt(sum);
}

/* Functions within functions; what is constant is folded. */
void inlined(int nx, int ny, IN u, IN v, OUT w)
{
    const int shift = 2 + 1;
    for (int j = 1; j < ny - 1; j++)
        for (int i = 1; i < nx - 1; i++)
            w[i + nx * j] = 2.0 * (1.0 / shift) * norm(u[i + nx * j], v[i - 1 + nx * (j + 1)]) +
                            exp(u[i + 1 + nx * j]) / 3.0 - fabs(v[i + nx * j]);
}

/* Components of a number that is a parameter: multiplied out. */
void mixture(int nx, int ny, int species, IN y, IN weight, OUT mean)
{
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            REAL sum = 0.0;
            for (int n = 0; n < species; n++)
                sum += y[(n * ny + j) * nx + i] / weight[n];
            mean[j * nx + i] = 1.0 / sum;
        }
}

/* Below the diagonal, and every second word of what is on it. */
void triangle(int n, IN a, IN b, OUT c)
{
    for (int i = 0; i < n; i++) {
        REAL sum = 0.0;
        for (int j = 0; j <= i; j++)
            sum += a[i * n + j] * b[j];
        c[i] = sum;
    }
    for (int i = n - 1; i >= 0; i -= 1)
        c[i] = c[i] * b[i];
    for (int i = 0; i < n; i += 2)
        c[i] += 1.0;
}

/* Both sides of each branch touch the same. */
void limiter(int nx, int ny, IN u, OUT w)
{
    for (int j = 0; j < ny; j++)
        for (int i = 1; i < nx; i++) {
            REAL slope = u[j * nx + i] - u[j * nx + i - 1];
            if (slope > 0.0)
                slope = slope * 0.5;
            else
                slope = slope * -0.5;
            w[j * nx + i] = slope > 1.0 ? 1.0 : slope;
        }
}

/* A matrix product in its plain form. */
void product(int n, IN a, IN b, OUT c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i * n + j] = 0.0;
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
}
