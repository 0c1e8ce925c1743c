/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact numbers of nests: ratios of 128-bit integers, in lowest terms. What does not fit is an
 * error, never a wrong number.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_NUMBER_H
#define HTMT_EMUL_LOOPS_NEST_NUMBER_H

#include "runtime/base/error.h"
#include "runtime/base/ratio.h"

#include <stdbool.h>
#include <stddef.h>

struct htmt__nest_number {
    htmt_wide num, den; /* den > 0 */
};

static inline struct htmt__nest_number htmt__nest_whole(htmt_wide value)
{
    return (struct htmt__nest_number){value, 1};
}

/* Errors of all: HTMT_EOVERFLOW; HTMT_ERANGE (division by zero). */
int htmt__nest_add(struct htmt__nest_number a, struct htmt__nest_number b,
                   struct htmt__nest_number *out);
int htmt__nest_subtract(struct htmt__nest_number a, struct htmt__nest_number b,
                        struct htmt__nest_number *out);
int htmt__nest_multiply(struct htmt__nest_number a, struct htmt__nest_number b,
                        struct htmt__nest_number *out);
int htmt__nest_divide(struct htmt__nest_number a, struct htmt__nest_number b,
                      struct htmt__nest_number *out);

/* *sum += a * b. */
int htmt__nest_gather(struct htmt__nest_number a, struct htmt__nest_number b,
                      struct htmt__nest_number *sum);

int htmt__nest_compare(struct htmt__nest_number a, struct htmt__nest_number b, int *sign);

/* The largest whole number that is not above, the nearest one (half up). */
htmt_wide htmt__nest_floor(struct htmt__nest_number a);
htmt_wide htmt__nest_round(struct htmt__nest_number a);

/* For reports. */
double htmt__nest_value(struct htmt__nest_number a);

/* Decimal digits of a whole number. */
void htmt__nest_digits(htmt_wide value, char text[static 48]);

#endif
