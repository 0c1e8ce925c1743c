/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cost files of the plasma: the counts of a paper for the push, and the problem they belong to.
 */
#ifndef HTMT_APPS_PIC_COSTS_H
#define HTMT_APPS_PIC_COSTS_H

#include "apps/lib/request.h"
#include "apps/pic/plan.h"

struct htmt__pic_costs {
    uint64_t per_cell, steps;
    uint32_t edge;
    struct htmt__pic_charges charges;
};

/* The file also gives the words of a point and of a particle. These are fixed in the program, so
 * other numbers are refused, with file and line. Errors: those of htmt_costs_load(), HTMT_ERANGE.
 */
int htmt__pic_costs_read(const struct htmt_request *r, struct htmt__pic_costs *costs,
                         struct htmt_fault *fault);

#endif
