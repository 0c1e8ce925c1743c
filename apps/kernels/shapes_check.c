/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The results of the shapes, in long double and in another way: products by definition, a solution
 * and factors by what they must multiply to, what is done in place by all turns together.
 */
#include "apps/kernels/loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEEN 16 /* results of a matrix that are compared */

struct shape {
    const struct htmt__kernels_loop_data *d;
    uint64_t n, turns;
    const char *found, *first;
    htmt__kernels_tell_fn *tell;
    void *user;
};

static const double *now(const struct shape *s, unsigned array)
{
    return (const double *)(const void *)(s->found + s->d->at[array]);
}

static const double *before(const struct shape *s, unsigned array)
{
    return (const double *)(const void *)(s->first + s->d->at[array]);
}

/* c after t turns: c / 4^t and the product so often, each a quarter of the one before. */
static void gemm(const struct shape *s)
{
    const uint64_t n = s->n;
    for (uint64_t k = 0; k < SEEN; k++) {
        const uint64_t i = 7 * k % n, j = 11 * k % n;
        long double product = 0, size = 0, factor = 1, parts = 0;
        for (uint64_t m = n; m-- > 0;) {
            const long double one = 0.5L * before(s, 1)[i * n + m] * before(s, 2)[m * n + j];
            product += one;
            size += fabsl(one);
        }
        for (uint64_t t = 0; t < s->turns; t++) {
            parts += factor;
            factor /= 4;
        }
        const long double c = before(s, 0)[i * n + j];
        s->tell(s->user, now(s, 0)[i * n + j], factor * c + parts * product, 2 * size + fabsl(c),
                n * s->turns);
    }
}

static void bicg(const struct shape *s)
{
    const uint64_t n = s->n;
    const double *a = before(s, 2), *p = before(s, 3), *r = before(s, 4);
    for (uint64_t j = 0; j < n; j++) {
        long double column = 0, row = 0, size[2] = {0, 0};
        for (uint64_t i = n; i-- > 0;) {
            column += (long double)r[i] * a[i * n + j];
            row += (long double)p[i] * a[j * n + i];
            size[0] += fabsl((long double)r[i] * a[i * n + j]);
            size[1] += fabsl((long double)p[i] * a[j * n + i]);
        }
        s->tell(s->user, now(s, 0)[j], column, size[0], n);
        s->tell(s->user, now(s, 1)[j], row, size[1], n);
    }
}

/* The product of the triangle with what was found. */
static void solve(const struct shape *s)
{
    const uint64_t n = s->n;
    const double *a = before(s, 1), *x = now(s, 0);
    for (uint64_t i = 0; i < n; i++) {
        long double sum = 0, size = 0;
        for (uint64_t j = 0; j <= i; j++) {
            const long double one = (a[i * n + j] + (i == j ? (long double)n : 0)) * x[j];
            sum += one;
            size += fabsl(one);
        }
        s->tell(s->user, before(s, 2)[i], sum, size, i + 2);
    }
}

/* The product of both factors, the lower one with ones. */
static void factor(const struct shape *s)
{
    const uint64_t n = s->n;
    const double *l = now(s, 0), *a = before(s, 1);
    for (uint64_t k = 0; k < SEEN; k++) {
        const uint64_t i = 7 * k % n, j = 11 * k % n, least = i < j ? i : j;
        long double sum = 0, size = 0;
        for (uint64_t m = 0; m <= least; m++) {
            const long double one = (m == i ? 1 : (long double)l[i * n + m]) * l[m * n + j];
            sum += one;
            size += fabsl(one);
        }
        const double wanted = a[i * n + j] + (i == j ? (double)n : 0);
        s->tell(s->user, wanted, sum, size + fabs(wanted), n);
    }
}

static void stencil1(const struct shape *s)
{
    const uint64_t n = s->n;
    long double *v = malloc(2 * n * sizeof *v);
    for (uint64_t i = 0; i < n && v; i++) {
        v[i] = before(s, 0)[i];
        v[n + i] = before(s, 1)[i];
    }
    for (uint64_t half = 0; half < 2 * s->turns && v; half++) {
        const long double *from = half % 2 ? v + n : v;
        long double *to = half % 2 ? v : v + n;
        for (uint64_t i = n - 1; i-- > 1;)
            to[i] = (from[i - 1] + from[i + 1]) / 4 + from[i] / 2;
    }
    for (uint64_t i = 0; i < n; i++)
        s->tell(s->user, now(s, 0)[i], v ? v[i] : (long double)NAN, 4, 8 * s->turns);
    free(v);
}

static void stencil2(const struct shape *s)
{
    const uint64_t n = s->n;
    long double *v = malloc(n * n * sizeof *v);
    for (uint64_t i = 0; i < n * n && v; i++)
        v[i] = before(s, 0)[i];
    for (uint64_t t = 0; t < s->turns && v; t++)
        for (uint64_t at = n + 1; at + n + 1 < n * n; at++) {
            if (at % n == 0 || at % n == n - 1)
                continue;
            long double sum = 0;
            for (uint64_t row = at - n; row <= at + n; row += n)
                sum += v[row + 1] + v[row] + v[row - 1];
            v[at] = sum / 9;
        }
    for (uint64_t i = 0; i < n * n; i++)
        s->tell(s->user, now(s, 0)[i], v ? v[i] : (long double)NAN, 4, 64 * s->turns);
    free(v);
}

/* Half of a point, and an eighth of what its neighbours differ from it. */
static void stencil3(const struct shape *s)
{
    const uint64_t n = s->n;
    const double *a = before(s, 1);
    for (uint64_t at = n * n + n + 1; at + n * n + n + 1 < n * n * n; at++) {
        const uint64_t m = at % n, j = at / n % n;
        if (m == 0 || m == n - 1 || j == 0 || j == n - 1)
            continue;
        const long double near = (long double)a[at - 1] + a[at + 1] + a[at - n] + a[at + n] +
                                 a[at - n * n] + a[at + n * n];
        s->tell(s->user, now(s, 0)[at], near / 8 + (long double)a[at] / 4, 4, 16);
    }
}

/* The covariance over both deviations. */
static void correlate(const struct shape *s)
{
    const uint64_t n = s->n;
    const double *a = before(s, 4);
    for (uint64_t k = 0; k < SEEN; k++) {
        const uint64_t i = 7 * k % n, j = 11 * k % n;
        long double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
        for (uint64_t m = n; m-- > 0;) {
            x += a[m * n + i];
            y += a[m * n + j];
        }
        x /= (long double)n;
        y /= (long double)n;
        for (uint64_t m = n; m-- > 0;) {
            xx += (a[m * n + i] - x) * (a[m * n + i] - x);
            yy += (a[m * n + j] - y) * (a[m * n + j] - y);
            xy += (a[m * n + i] - x) * (a[m * n + j] - y);
        }
        s->tell(s->user, now(s, 0)[i * n + j], xy / sqrtl(xx * yy), 4, 4 * n);
    }
}

/* One way over `from`. */
static void filter_way(const struct shape *s, const double *from, const double *found, bool down)
{
    long double y1 = 0, y2 = 0, x1 = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        const uint64_t at = down ? s->n - 1 - i : i;
        const long double y = (y1 - y2 / 2 + (from[at] + x1 / 2) / 2) / 2;
        x1 = from[at];
        y2 = y1;
        y1 = y;
        s->tell(s->user, found[at], y, 4, 64);
    }
}

static void filter(const struct shape *s)
{
    filter_way(s, before(s, 2), now(s, 0), false);
    filter_way(s, now(s, 0), now(s, 1), true);
}

static void total(const struct shape *s)
{
    long double sum = 0, size = 0;
    for (uint64_t i = s->n; i-- > 0;) {
        sum += before(s, 2)[i];
        size += fabsl((long double)before(s, 2)[i]);
        s->tell(s->user, now(s, 1)[i], before(s, 2)[i], 0, 0);
    }
    s->tell(s->user, now(s, 0)[0], sum, size, s->n);
}

bool htmt__kernels_shape_check(const char *name, const struct htmt__kernels_loop_data *d,
                               const char *found, const char *first, uint64_t turns,
                               htmt__kernels_tell_fn *tell, void *user)
{
    static const struct {
        const char *name;
        void (*check)(const struct shape *s);
    } checks[] = {{"gemm", gemm},         {"bicg", bicg},           {"solve", solve},
                  {"factor", factor},     {"stencil1", stencil1},   {"stencil2", stencil2},
                  {"stencil3", stencil3}, {"correlate", correlate}, {"filter", filter},
                  {"total", total}};
    const struct shape s = {d, d->n, turns, found, first, tell, user};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (!strcmp(checks[i].name, name)) {
            checks[i].check(&s);
            return true;
        }
    return false;
}
