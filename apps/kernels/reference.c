/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The results of the kernels, computed in another way: in long double, backwards, by definition. A
 * sum of n terms may be wrong by n roundings of all that was added up; what the reference itself
 * loses is 2^11 times less and left out.
 */
#include "apps/kernels/loops.h"

#include "runtime/base/error.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEEN 16 /* results of a matrix or transform that are compared one by one */
#define TURN 6.283185307179586476925286766559005768L

/* A block, as it is or was. */
struct held {
    const struct htmt__kernels_loop_data *d;
    uint64_t n;
    const char *block;
};

struct comparing {
    const struct held *now, *first; /* after the turns, and before */
    uint64_t turns;
    double error, bound;
};

static const double *of(const struct held *h, unsigned array)
{
    return (const double *)(const void *)(h->block + h->d->at[array]);
}

static const double *results(const struct held *h)
{
    return (const double *)(const void *)(h->block + h->d->results);
}

/* `size`: the sum of the magnitudes that were added up, in `steps` steps. Of all results the one is
 * kept whose error is the largest part of its bound, and one that is too wrong, or no number, for
 * good. */
static void compare(struct comparing *c, double found, long double wanted, long double size,
                    uint64_t steps)
{
    double error = fabs(found - (double)wanted);
    double bound = (double)((long double)(steps + 2) * DBL_EPSILON * (size + fabsl(wanted)));
    bool worse = !(error <= bound) || error * c->bound >= c->error * bound || !(c->bound > 0);
    if (!(c->error <= c->bound) || !worse)
        return;
    c->error = error;
    c->bound = bound;
}

static void check_dot(struct comparing *c)
{
    const double *x = of(c->first, 0), *y = of(c->first, 1);
    long double sum = 0, size = 0;
    for (uint64_t i = c->now->n; i-- > 0;) {
        sum += (long double)x[i] * y[i];
        size += fabsl((long double)x[i] * y[i]);
    }
    compare(c, results(c->now)[0], sum, size, c->now->n);
}

static void check_daxpy(struct comparing *c)
{
    for (uint64_t i = c->now->n; i-- > 0;) {
        long double more = (long double)c->turns * HTMT__KERNELS_LOOP_FACTOR * of(c->first, 0)[i];
        compare(c, of(c->now, 1)[i], of(c->first, 1)[i] + more,
                fabsl(more) + fabsl((long double)of(c->first, 1)[i]), c->turns);
    }
}

static void check_triad(struct comparing *c)
{
    for (uint64_t i = c->now->n; i-- > 0;) {
        long double b = of(c->first, 1)[i],
                    s = HTMT__KERNELS_LOOP_FACTOR * (long double)of(c->first, 2)[i];
        compare(c, of(c->now, 0)[i], b + s, fabsl(b) + fabsl(s), 1);
    }
}

/* By the two curls: k^2 (n x p) x n G and what is near, as in Jackson's "Classical
 * Electrodynamics", equation 9.18. */
static void check_dipole(struct comparing *c)
{
    const struct held *d = c->first;
    const long double w = HTMT__KERNELS_LOOP_WAVE;
    long double _Complex sum[3] = {0, 0, 0};
    long double size = 0;
    for (uint64_t i = d->n; i-- > 0;) {
        long double r = hypotl(hypotl(of(d, 0)[i], of(d, 1)[i]), of(d, 2)[i]);
        long double _Complex far = cexpl(I * w * r) / r, along = 0, p[3];
        long double u[3];
        for (unsigned k = 0; k < 3; k++) {
            u[k] = of(d, k)[i] / r;
            p[k] = of(d, 3 + k)[i] + I * of(d, 6 + k)[i];
            along += u[k] * p[k];
        }
        for (unsigned k = 0; k < 3; k++) {
            long double _Complex one =
                far * (w * w * (p[k] - u[k] * along) +
                       (1 / (r * r) - I * w / r) * (3 * u[k] * along - p[k]));
            sum[k] += one;
            size += cabsl(one);
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        compare(c, results(c->now)[2 * k], creall(sum[k]), 64 * size, d->n);
        compare(c, results(c->now)[2 * k + 1], cimagl(sum[k]), 64 * size, d->n);
    }
}

static void check_dgemm(struct comparing *c)
{
    uint64_t n = c->now->n;
    for (uint64_t s = 0; s < SEEN; s++) {
        uint64_t i = s * 7 % n, j = s * 11 % n;
        long double sum = 0, size = 0;
        for (uint64_t m = n; m-- > 0;) {
            long double one = (long double)of(c->first, 0)[i * n + m] * of(c->first, 1)[m * n + j];
            sum += one;
            size += fabsl(one);
        }
        compare(c, of(c->now, 2)[i * n + j], sum, size, n);
    }
}

/* By definition, some frequencies of all. */
static void check_fft(struct comparing *c)
{
    uint64_t n = c->now->n;
    for (uint64_t s = 0; s < SEEN; s++) {
        uint64_t f = s * 131 % n;
        long double _Complex sum = 0;
        long double size = 0;
        for (uint64_t i = n; i-- > 0;) {
            long double _Complex one = of(c->first, 0)[i] + I * of(c->first, 1)[i];
            sum += one * cexpl(-I * TURN * (long double)(f * i % n) / (long double)n);
            size += cabsl(one);
        }
        compare(c, of(c->now, 2)[f], creall(sum), size, 64);
        compare(c, of(c->now, 3)[f], cimagl(sum), size, 64);
    }
}

static const struct {
    const char *name;
    void (*check)(struct comparing *c);
} checks[] = {{"ddot", check_dot},      {"ddot4", check_dot},   {"daxpy", check_daxpy},
              {"dipole", check_dipole}, {"triad", check_triad}, {"dgemm", check_dgemm},
              {"fft", check_fft}};

static void tell(void *user, double found, long double wanted, long double size, uint64_t steps)
{
    compare(user, found, wanted, size, steps);
}

int htmt__kernels_loop_check(const struct htmt__kernels_loop *loop,
                             const struct htmt__kernels_loop_data *d, char *block, uint64_t turns,
                             double *error, double *bound)
{
    char *before = calloc(1, d->bytes);
    if (!before)
        return HTMT_ENOMEM;
    htmt__kernels_loop_fill(loop, d, before);
    const struct held now = {d, d->n, block}, first = {d, d->n, before};
    struct comparing c = {.now = &now, .first = &first, .turns = turns};
    htmt__kernels_shape_check(loop->name, d, block, before, turns, tell, &c);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (!strcmp(checks[i].name, loop->name))
            checks[i].check(&c);
    free(before);
    *error = c.error;
    *bound = c.bound;
    return 0;
}
