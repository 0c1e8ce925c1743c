/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many iterations a nest has.
 *
 * Bounds of loops may name the variables of loops outside: for i = 0..n-1, for j = i..n-1. From the
 * innermost loop out, the count is a polynomial: 1 summed over j gives n - i, summed over i gives
 * n^2 - n (n - 1) / 2. That is exact as long as no loop is ever less than empty, so that high - low
 * + 1 >= 0 for all iterations outside; never_negative() shows it by replacing each variable, from
 * the inside out, by the end of its loop where the length is least. Where a loop has several pieces
 * (max, min), a step, or may be less than empty, it and those outside of it are walked one by one;
 * a loop that nobody inside names is multiplied, not walked. Counting costs a polynomial's sum for
 * each closed loop and one value for each iteration of the others, at most 20 million.
 */
#include "emul/loops/nest/iterations.h"

#include "emul/loops/nest/polynomial.h"

#include <stdlib.h>

#define ENUMERATED_MAX 20000000 /* iterations of outer loops that are walked one by one */
#define EXTENT_MAX     ((htmt_wide)1 << 40)
#define COUNT_MAX      ((htmt_wide)1 << 100)

int htmt__nest_count_value(const struct htmt__nest_count *count,
                           const struct htmt__nest_values *values,
                           const struct htmt__nest_place *place, struct htmt__nest_number *value)
{
    int rc = 0;
    *value = htmt__nest_whole(0);
    for (unsigned i = 0; i < count->count && !rc; i++) {
        struct htmt__nest_place at = *place;
        bool holds = true;
        at.line = count->piece[i].line;
        if (count->piece[i].where)
            rc = htmt__nest_condition_holds(count->piece[i].where, values, &at, &holds);
        if (rc || !holds)
            continue;
        rc = htmt__nest_evaluate(&count->piece[i].is, values, &at, value);
        if (!rc && value->num < 0)
            rc = htmt__nest_refuse(&at, HTMT_ERANGE, "the count is negative");
        return rc;
    }
    return rc;
}

/* ---- bounds ------------------------------------------------------------------------------------
 */

/* Least and largest value over the box of outer loops. */
static void extremes(const struct htmt__nest_iterations *t, const struct htmt__nest_affine *a,
                     htmt_wide *least, htmt_wide *most)
{
    *least = *most = a->constant;
    for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++) {
        if (!a->factor[l])
            continue;
        htmt_wide last = t->low[l] + (t->extent[l] - 1) * t->bounds[l].step;
        htmt_wide at_low = a->factor[l] * t->low[l], at_last = a->factor[l] * last;
        *least += at_low < at_last ? at_low : at_last;
        *most += at_low < at_last ? at_last : at_low;
    }
}

/* Whether both ends move by the loop's length or more where an outer loop takes a step. */
static bool moves_by_tiles(const struct htmt__nest_iterations *t, unsigned l, unsigned outer)
{
    const struct htmt__nest_bounds *b = &t->bounds[l];
    for (unsigned i = 0; i < b->lows; i++)
        for (unsigned k = 0; k < b->highs; k++) {
            const struct htmt__nest_affine *low = &b->low[i], *high = &b->high[k];
            const htmt_wide step = low->factor[outer] * t->bounds[outer].step;
            const htmt_wide length = high->constant - low->constant + 1;
            bool together = step && length > 1 && length <= (step < 0 ? -step : step);
            for (unsigned m = 0; m < l && together; m++)
                together = low->factor[m] == high->factor[m];
            if (together)
                return true;
        }
    return false;
}

/* The bounds of loop l and its part of the box around all iterations. */
static int read_loop(const struct htmt__nest *nest, unsigned l,
                     const struct htmt__nest_values *values, const struct htmt__nest_place *place,
                     struct htmt__nest_iterations *t)
{
    const struct htmt__nest_range *range = &nest->loop[l].range;
    struct htmt__nest_bounds *b = &t->bounds[l];
    struct htmt__nest_place at = *place;
    htmt_wide low = 0, high = 0, least, most;
    at.line = nest->loop[l].line;
    b->step = (htmt_wide)nest->loop[l].step;
    int rc = htmt__nest_evaluate_pieces(&range->low, true, values, &at, b->low, &b->lows);
    if (!rc)
        rc = htmt__nest_evaluate_pieces(&range->high, false, values, &at, b->high, &b->highs);
    if (rc)
        return rc;
    for (unsigned i = 0; i < b->lows; i++) {
        extremes(t, &b->low[i], &least, &most);
        low = i && low > least ? low : least;
    }
    for (unsigned i = 0; i < b->highs; i++) {
        extremes(t, &b->high[i], &least, &most);
        high = i && high < most ? high : most;
    }
    t->low[l] = low;
    t->extent[l] = high < low ? 0 : (high - low) / b->step + 1;
    if (t->extent[l] > EXTENT_MAX || low <= -EXTENT_MAX || low >= EXTENT_MAX)
        return htmt__nest_refuse(place, HTMT_ERANGE, "a loop of more than 2^40 iterations");
    /* Reuse along tiles would be that of their box. */
    for (unsigned m = 0; m < l; m++)
        if (moves_by_tiles(t, l, m))
            return htmt__nest_refuse(&at, HTMT_EFORMAT,
                                     "loop %s moves by whole tiles with loop %s: expected loops "
                                     "over the whole box, which --block cuts",
                                     nest->loop[l].name, nest->loop[m].name);
    return 0;
}

static bool depends(const struct htmt__nest_bounds *b, unsigned l)
{
    for (unsigned i = 0; i < b->lows; i++)
        if (b->low[i].factor[l])
            return true;
    for (unsigned i = 0; i < b->highs; i++)
        if (b->high[i].factor[l])
            return true;
    return false;
}

/* Whether a loop further in has bounds that name loop l. */
static bool is_named(const struct htmt__nest_iterations *t, unsigned l)
{
    for (unsigned m = l + 1; m < t->depth; m++)
        if (depends(&t->bounds[m], l))
            return true;
    return false;
}

/* ---- counts ------------------------------------------------------------------------------------
 */

struct counting {
    const struct htmt__nest_iterations *t;
    struct htmt__nest_polynomial *sum; /* from loop `closed` on; NULL: of none */
    unsigned closed;
    htmt_wide at[HTMT__NEST_DEPTH];
    uint64_t walked;
};

static htmt_wide value_at(const struct counting *c, const struct htmt__nest_affine *a)
{
    htmt_wide value = a->constant;
    for (unsigned l = 0; l < c->t->depth; l++)
        value += a->factor[l] * c->at[l];
    return value;
}

/* Iterations of loop l and those inside, where the loops outside stand at c->at. */
static int count_from(struct counting *c, unsigned l, htmt_wide *count)
{
    const struct htmt__nest_bounds *b = &c->t->bounds[l];
    htmt_wide inner = 1;
    int rc = 0;
    if (c->sum && l == c->closed) {
        struct htmt__nest_number value;
        rc = htmt__nest_polynomial_value(c->sum, c->at, &value);
        *count = value.num;
        return rc;
    }
    htmt_wide low = value_at(c, &b->low[0]), high = value_at(c, &b->high[0]);
    for (unsigned i = 1; i < b->lows; i++) {
        htmt_wide other = value_at(c, &b->low[i]);
        low = other > low ? other : low;
    }
    for (unsigned i = 1; i < b->highs; i++) {
        htmt_wide other = value_at(c, &b->high[i]);
        high = other < high ? other : high;
    }
    const htmt_wide length = high < low ? 0 : (high - low) / b->step + 1;
    if (!is_named(c->t, l)) {
        if (length && l + 1 < c->t->depth)
            rc = count_from(c, l + 1, &inner);
        return !rc && __builtin_mul_overflow(length, inner, count) ? HTMT_EOVERFLOW : rc;
    }
    *count = 0;
    for (htmt_wide i = 0; i < length && !rc; i++) {
        c->at[l] = low + i * b->step;
        if (++c->walked > ENUMERATED_MAX)
            return HTMT_ERANGE;
        rc = count_from(c, l + 1, &inner);
        if (!rc && __builtin_add_overflow(*count, inner, count))
            rc = HTMT_EOVERFLOW;
    }
    return rc;
}

/* Whether a is never negative: from the inside out, each variable at the end of its loop where a is
 * least. Loops of several pieces are taken by their boxes. */
static bool never_negative(const struct htmt__nest_iterations *t, struct htmt__nest_affine a)
{
    htmt_wide least, most;
    for (unsigned l = t->depth; l-- > 0;) {
        const struct htmt__nest_bounds *b = &t->bounds[l];
        const struct htmt__nest_affine *end = a.factor[l] > 0 ? &b->low[0] : &b->high[0];
        const htmt_wide factor = a.factor[l];
        htmt_wide product;
        bool over = false;
        if (!factor || b->lows != 1 || b->highs != 1)
            continue;
        a.factor[l] = 0;
        for (unsigned i = 0; i < HTMT__NEST_DEPTH; i++)
            over = over || __builtin_mul_overflow(factor, end->factor[i], &product) ||
                   __builtin_add_overflow(a.factor[i], product, &a.factor[i]);
        if (over || __builtin_mul_overflow(factor, end->constant, &product) ||
            __builtin_add_overflow(a.constant, product, &a.constant))
            return false;
    }
    extremes(t, &a, &least, &most);
    return least >= 0;
}

/* A loop whose sum is a polynomial: bounds of one piece, step 1, never less than empty. */
static bool is_closed(const struct htmt__nest_iterations *t, unsigned l)
{
    const struct htmt__nest_bounds *b = &t->bounds[l];
    struct htmt__nest_affine length;
    if (b->lows != 1 || b->highs != 1 || b->step != 1)
        return false;
    length.constant = b->high[0].constant - b->low[0].constant + 1;
    for (unsigned i = 0; i < HTMT__NEST_DEPTH; i++)
        length.factor[i] = b->high[0].factor[i] - b->low[0].factor[i];
    return never_negative(t, length);
}

static int count_all(struct htmt__nest_iterations *t)
{
    struct counting c = {.t = t, .closed = t->depth, .sum = malloc(sizeof *c.sum)};
    int rc = c.sum ? 0 : HTMT_ENOMEM;
    if (!rc)
        htmt__nest_polynomial_constant(1, c.sum);
    while (!rc && c.closed && is_closed(t, c.closed - 1)) {
        const struct htmt__nest_bounds *b = &t->bounds[c.closed - 1];
        rc = htmt__nest_polynomial_sum(c.sum, c.closed - 1, &b->low[0], &b->high[0]);
        c.closed -= !rc;
    }
    if (!rc)
        rc = count_from(&c, 0, &t->count);
    free(c.sum);
    return rc;
}

static int refuse_count(const struct htmt__nest_place *place, int rc)
{
    if (rc == HTMT_ERANGE)
        return htmt__nest_refuse(place, rc, "too many iterations to walk: expected a 'count'");
    return rc ? htmt__nest_refuse(place, HTMT_ERANGE, "the number of iterations passes 2^100") : 0;
}

int htmt__nest_iterations(const struct htmt__nest *nest, const struct htmt__nest_values *values,
                          const struct htmt__nest_place *place, struct htmt__nest_iterations *all)
{
    struct htmt__nest_number given;
    int rc = 0;
    all->box = true;
    all->depth = nest->depth;
    for (unsigned l = 0; l < nest->depth && !rc; l++) {
        rc = read_loop(nest, l, values, place, all);
        for (unsigned m = 0; m < l && !rc; m++)
            all->box = all->box && !depends(&all->bounds[l], m);
    }
    all->count = 1;
    for (unsigned l = 0; l < nest->depth && !rc; l++)
        if (__builtin_mul_overflow(all->count, all->extent[l], &all->count) ||
            all->count > COUNT_MAX)
            rc = refuse_count(place, HTMT_EOVERFLOW);
    if (rc)
        return rc;
    if (!nest->count.count)
        return all->box ? 0 : refuse_count(place, count_all(all));
    htmt_wide box = all->count;
    rc = htmt__nest_count_value(&nest->count, values, place, &given);
    if (!rc && given.den != 1)
        rc = htmt__nest_refuse(place, HTMT_ERANGE, "the count of iterations is no whole number");
    if (!rc)
        all->count = given.num;
    all->box = all->count == box;
    return rc;
}
