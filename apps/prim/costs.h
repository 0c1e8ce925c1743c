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

#endif
