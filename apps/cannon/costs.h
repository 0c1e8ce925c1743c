/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cost files of Cannon's multiply: a paper's block sizes and coefficients.
 */
#ifndef HTMT_APPS_CANNON_COSTS_H
#define HTMT_APPS_CANNON_COSTS_H

#include "apps/cannon/plan.h"
#include "apps/lib/request.h"

struct htmt__cannon_costs {
    uint64_t t, b_c;
    struct htmt__cannon_charges charges;
};

/* The file also says how many subblocks and blocks lie in CRAM and SRAM and move at once. The
 * program has and moves so many, so other numbers are refused, with file and line.
 * Errors: those of htmt_costs_load(), HTMT_ERANGE (such a number; a block size of 0 or above
 * 2^31). */
int htmt__cannon_costs_read(const struct htmt_request *r, struct htmt__cannon_costs *costs,
                            struct htmt_fault *fault);

#endif
