/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cost files of the plasma: what a paper counts for the push, and the problem it counts for.
 */
#ifndef HTMT_APPS_PIC_COSTS_H
#define HTMT_APPS_PIC_COSTS_H

#include "apps/lib/app.h"
#include "apps/pic/plan.h"

struct htmt__pic_costs {
    uint64_t per_cell, steps;
    uint32_t edge;
    struct htmt__pic_charges charges;
};

/* The file also says how many words a point and a particle have. The program has so many, so other
 * numbers are refused, with file and line. Errors: those of htmt_costs_load(), HTMT_ERANGE. */
int htmt__pic_costs_read(const struct htmt_request *r, struct htmt__pic_costs *costs,
                         struct htmt_fault *fault);

#endif
