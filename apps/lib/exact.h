/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact rational numbers of 128-bit integers, of which the values of a closed form are.
 */
#ifndef HTMT_APPS_LIB_EXACT_H
#define HTMT_APPS_LIB_EXACT_H

#include "runtime/base/ratio.h"

/* In lowest terms, den > 0; both below 2^127 in magnitude. */
struct htmt__exact {
    htmt_wide num, den;
};

static inline struct htmt__exact htmt__exact_whole(htmt_wide n)
{
    return (struct htmt__exact){n, 1};
}

static inline struct htmt__exact htmt__exact_ratio(struct htmt_ratio r)
{
    return (struct htmt__exact){r.num, r.den};
}

/* a OP b for OP one of + - * /. Errors: HTMT_EOVERFLOW, HTMT_ERANGE (division by zero). */
int htmt__exact_apply(char op, struct htmt__exact a, struct htmt__exact b, struct htmt__exact *out);

/* -1, 0, 1 as a < b, a == b, a > b; never overflows. */
int htmt__exact_compare(struct htmt__exact a, struct htmt__exact b);

/* The nearest integer that is not smaller, not larger; the nearest, half up. */
htmt_wide htmt__exact_ceil(struct htmt__exact a);
htmt_wide htmt__exact_floor(struct htmt__exact a);
htmt_wide htmt__exact_round(struct htmt__exact a);

long double htmt__exact_value(struct htmt__exact a);

/* The very value of a double whose magnitude is 0 or from 2^-60 to 2^120; of others 0. */
struct htmt__exact htmt__exact_double(double x);

#endif
