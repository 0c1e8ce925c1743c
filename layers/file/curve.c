/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of curves, between their points and outside. curve_read.c has the files' part.
 *
 * Points ascend by x, then by y; those of one x are a group. The value at (x, y) is found in the
 * two groups around x: along y in each, then between the two. With the points (1, 64) = 1, (1,
 * 1024) = 9 and (3, 64) = 5, (3, 1024) = 9 the value at (2, 544) is 5 along the first group, 7
 * along the second one, 6 between them.
 *
 * All is exact: a value is a ratio, and a point between two is lower (b - x) / (b - a) + upper (x -
 * a) / (b - a), with 128-bit products. What does not fit 64 bits then becomes the nearest ratio
 * below with a power of two as denominator (binary()), the same on every host.
 */
#include "layers/file/curve.h"

#include <stdlib.h>
#include <string.h>

#define HALF (UINT64_C(1) << 62)

struct wide_ratio {
    htmt_uwide num, den;
};

/* The nearest ratio below whose denominator is a power of two: bits of the quotient, one by one. */
static struct htmt_ratio binary(struct wide_ratio w)
{
    uint64_t whole = (uint64_t)(w.num / w.den), den = 1;
    htmt_uwide rest = w.num % w.den;
    while (whole < HALF && den < HALF) {
        rest *= 2;
        whole = 2 * whole + (rest >= w.den);
        rest -= rest >= w.den ? w.den : 0;
        den *= 2;
    }
    return (struct htmt_ratio){whole, den};
}

static struct htmt_ratio narrow(struct wide_ratio w)
{
    htmt_uwide common = w.num; /* Euclid's divisor */
    for (htmt_uwide rest, by = w.den; by; by = rest) {
        rest = common % by;
        common = by;
    }
    if (w.num == 0)
        return (struct htmt_ratio){0, 1};
    w.num /= common;
    w.den /= common;
    if (w.num > UINT64_MAX || w.den > UINT64_MAX)
        return binary(w);
    return (struct htmt_ratio){(uint64_t)w.num, (uint64_t)w.den};
}

/* r times n / d, n and d below 2^63. */
static struct htmt_ratio scale(struct htmt_ratio r, uint64_t n, uint64_t d)
{
    return narrow((struct wide_ratio){(htmt_uwide)r.num * n, (htmt_uwide)r.den * d});
}

/* So small that the products of a sum and the sum itself fit. */
static struct htmt_ratio cut(struct htmt_ratio r)
{
    return r.num < 2 * HALF && r.den < 2 * HALF ? r : binary((struct wide_ratio){r.num, r.den});
}

static struct htmt_ratio between(struct htmt_ratio lower, uint64_t a, struct htmt_ratio upper,
                                 uint64_t b, uint64_t x)
{
    const struct htmt_ratio l = cut(scale(lower, b - x, b - a)),
                            u = cut(scale(upper, x - a, b - a));
    return narrow((struct wide_ratio){(htmt_uwide)l.num * u.den + (htmt_uwide)u.num * l.den,
                                      (htmt_uwide)l.den * u.den});
}

/* An argument among ascending points: the two around it, and the argument itself, moved to the
 * nearest end when the curve holds. */
static int settle(const struct htmt_curve *c, uint64_t least, uint64_t most, uint64_t *at,
                  bool *held)
{
    if (*at >= least && *at <= most)
        return 0;
    if (!c->hold)
        return HTMT__CURVE_OUTSIDE;
    *at = *at < least ? least : most;
    if (held)
        *held = true;
    return 0;
}

/* Along y in points [from, to), which share x. */
static int along(const struct htmt_curve *c, uint32_t from, uint32_t to, uint64_t y,
                 struct htmt_ratio *value, bool *held)
{
    const struct htmt_curve_point *p = c->point;
    if (settle(c, p[from].y, p[to - 1].y, &y, held))
        return HTMT__CURVE_OUTSIDE;
    while (p[from].y < y && p[from + 1].y <= y)
        from++;
    *value = p[from].y == y
                 ? p[from].value
                 : between(p[from].value, p[from].y, p[from + 1].value, p[from + 1].y, y);
    return 0;
}

/* Behind the points that share the x of point `from`. */
static uint32_t group_end(const struct htmt_curve *c, uint32_t from)
{
    uint32_t to = from + 1;
    while (to < c->count && c->point[to].x == c->point[from].x)
        to++;
    return to;
}

int htmt__curve_at(const struct htmt_curve *c, uint64_t x, uint64_t y, struct htmt_ratio *value,
                   bool *held)
{
    const struct htmt_curve_point *p = c->point;
    struct htmt_ratio lower, upper;
    uint32_t from = 0, to;
    x = c->arguments > 0 ? x : 0;
    y = c->arguments > 1 ? y : 0;
    if (c->count == 0 || settle(c, p[0].x, p[c->count - 1].x, &x, held))
        return HTMT__CURVE_OUTSIDE;
    for (to = group_end(c, from); to < c->count && p[to].x <= x; to = group_end(c, from))
        from = to;
    if (along(c, from, to, y, &lower, held))
        return HTMT__CURVE_OUTSIDE;
    if (p[from].x == x) {
        *value = lower;
        return 0;
    }
    if (along(c, to, group_end(c, to), y, &upper, held))
        return HTMT__CURVE_OUTSIDE;
    *value = between(lower, p[from].x, upper, p[to].x, x);
    return 0;
}

int htmt__curve_refuses(const struct htmt_curve *c, uint64_t x, uint64_t y, uint64_t *least,
                        uint64_t *most)
{
    const struct htmt_curve_point *p = c->point;
    uint32_t from = 0;
    if (c->hold || !c->count || !c->arguments)
        return 0;
    *least = p[0].x;
    *most = p[c->count - 1].x;
    if (x < *least || x > *most)
        return 1;
    if (c->arguments < 2)
        return 0;
    while (group_end(c, from) < c->count && p[group_end(c, from)].x <= x)
        from = group_end(c, from);
    uint32_t to = p[from].x == x ? from : group_end(c, from), last = group_end(c, to) - 1;
    *least = p[from].y > p[to].y ? p[from].y : p[to].y;
    *most = p[group_end(c, from) - 1].y < p[last].y ? p[group_end(c, from) - 1].y : p[last].y;
    return y < *least || y > *most ? 2 : 0;
}

void htmt__curve_fini(struct htmt_curve *c)
{
    free(c->point);
    *c = (struct htmt_curve){0};
}

int htmt__curve_copy(struct htmt_curve *copy)
{
    size_t bytes = copy->count * sizeof *copy->point;
    struct htmt_curve_point *point = bytes ? malloc(bytes) : NULL;
    if (bytes && !point) {
        *copy = (struct htmt_curve){0};
        return HTMT_ENOMEM;
    }
    if (bytes)
        memcpy(point, copy->point, bytes);
    copy->point = point;
    copy->room = copy->count;
    return 0;
}
