/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stockham's transform. A pass of radix r takes x, which is s transforms of length n side by side,
 * point k of number q at x[q + s k], and makes s r transforms of length m = n / r of them:
 *
 *     y[q + s (r p + j)] = w_n^(p j) sum over k of w_r^(j k) x[q + s (p + m k)],  p < m, j < r
 *
 * where w_n = exp(-2 pi i / n), a power of the root of the whole length: w_n = w^s, as n s is that
 * length. Behind the last pass n is 1 and the points are in order, so none is moved to a place of
 * reversed digits. Passes alternate between two arrays.
 *
 * By hand, length 4 in two passes of radix 2, points a b c d: the first one has m = 2 and s = 1,
 * and makes y = a + c, a - c, b + d, (b - d) (-i); the second one m = 1 and s = 2: (a + c) + (b +
 * d), (a - c) - i (b - d), (a + c) - (b + d), (a - c) + i (b - d).
 *
 * Radix 4 comes first, then the primes: a prime p costs p sums of p products for p points.
 */
#include "apps/fft/own.h"

#include <math.h>

#define REAL      double
#define OWN(name) name##_double
#include "apps/fft/own_text.h"
#undef REAL
#undef OWN
#define REAL      float
#define OWN(name) name##_float
#include "apps/fft/own_text.h"

static size_t points_bytes(const struct htmt__fft_shape *s)
{
    return s->length * (s->single ? 2 * sizeof(float) : 2 * sizeof(double));
}

size_t htmt__fft_own_bytes(const struct htmt__fft_shape *s)
{
    return sizeof(struct htmt__fft_own) + points_bytes(s);
}

void htmt__fft_own_make(const struct htmt__fft_shape *s, struct htmt__fft_own *own)
{
    uint32_t rest = s->length;
    own->shape = *s;
    own->passes = 0;
    for (uint32_t radix = 4; rest > 1; radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2) {
        if (radix != 4 && (uint64_t)radix * radix > rest)
            radix = rest;
        for (; rest % radix == 0; rest /= radix)
            own->radix[own->passes++] = radix;
    }
    if (s->single)
        roots_float(s, (float *)(void *)own->root);
    else
        roots_double(s, (double *)(void *)own->root);
}

void htmt__fft_own_run(const struct htmt__fft_own *own, void *elements)
{
    void *const room = __builtin_alloca(2 * points_bytes(&own->shape));
    if (own->shape.single)
        transforms_float(own, elements, room);
    else
        transforms_double(own, elements, room);
}
