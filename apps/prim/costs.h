/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an element costs: typed operations by the machine's table of instructions, or two constants
 * of a cost file, which replace them: instructions an element, and the start of a launch.
 */
#ifndef HTMT_APPS_PRIM_COSTS_H
#define HTMT_APPS_PRIM_COSTS_H

#include "apps/prim/plan.h"

/* Sets instructions, counts and start of the plan. Errors: those of cost files; HTMT_EUSAGE: an
 * operation has no row in the machine's table. */
int htmt__prim_costs(struct htmt_task *task, struct htmt__prim_plan *plan);

/* Whether a constant replaces the operations. */
bool htmt__prim_constant(const struct htmt__prim_plan *plan);
/* Of a block of so many elements, where operations are not counted by class. */
uint64_t htmt__prim_instructions(const struct htmt__prim_plan *plan, unsigned pass, uint64_t count);
/* Of tasklet 0's merge, which a constant contains: it loads, adds and stores each number of each
 * tasklet's. */
uint64_t htmt__prim_finish_instructions(const struct htmt__prim_plan *plan, unsigned pass);

#endif
