/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the checks of a product share.
 */
#ifndef HTMT_APPS_CANNON_CHECK_PARTS_H
#define HTMT_APPS_CANNON_CHECK_PARTS_H

#include "apps/cannon/check.h"

#include <math.h>

/* Keeps the worst element seen; one that is no number is worse than any, for good. */
static inline void htmt__cannon_worst(struct htmt__cannon_check *check, double value, uint64_t row,
                                      uint64_t col)
{
    if (value <= check->value || isnan(check->value))
        return;
    check->value = value;
    check->row = row;
    check->col = col;
}

static inline void htmt__cannon_judge(struct htmt__cannon_check *check)
{
    check->pass = check->value <= check->tolerance;
}

/* Nothing may differ where the bound is zero. */
static inline double htmt__cannon_relative(double difference, double bound)
{
    return difference == 0 ? 0 : difference / bound;
}

#endif
