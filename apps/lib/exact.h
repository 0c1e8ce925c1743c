/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact rational numbers of 128-bit integers, of which the values of a closed form are.
 */
#ifndef HTMT_APPS_LIB_EXACT_H
#define HTMT_APPS_LIB_EXACT_H

#include "runtime/base/ratio.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In lowest terms, den > 0; both below 2^127 in magnitude. */
struct htmt_exact {
    htmt_wide num, den;
};

/* A whole number. */
static inline struct htmt_exact htmt_exact_whole(htmt_wide n)
{
    struct htmt_exact e = {n, 1};
    return e;
}

/* The value of a ratio, as machine and cost files have them. */
static inline struct htmt_exact htmt_exact_ratio(struct htmt_ratio r)
{
    struct htmt_exact e = {r.num, r.den};
    return e;
}

/* a OP b for OP one of + - * /. Errors: HTMT_EOVERFLOW, HTMT_ERANGE (division by zero). */
int htmt_exact_apply(char op, struct htmt_exact a, struct htmt_exact b, struct htmt_exact *out);

/* -1, 0, 1 as a < b, a == b, a > b; never overflows. */
int htmt_exact_compare(struct htmt_exact a, struct htmt_exact b);

/* The nearest integer that is not smaller, not larger; the nearest, half up. */
htmt_wide htmt_exact_ceil(struct htmt_exact a);
htmt_wide htmt_exact_floor(struct htmt_exact a);
htmt_wide htmt_exact_round(struct htmt_exact a);

/* The nearest long double. */
long double htmt_exact_value(struct htmt_exact a);

/* The very value of a double whose magnitude is 0 or from 2^-60 to 2^120; of others 0. */
struct htmt_exact htmt_exact_double(double x);

#ifdef __cplusplus
}
#endif

#endif
