/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time of va, red and hst-s without the clock: the transfers by the bus's figures, the kernel
 * by a recurrence of a slice's tasklets.
 */
#ifndef HTMT_APPS_PRIM_CLOSED_FORM_H
#define HTMT_APPS_PRIM_CLOSED_FORM_H

#include "apps/prim/plan.h"

/* Errors: HTMT_EUSAGE: of other programs, and of machines without a host; HTMT_ERANGE: the figures
 * of the machine's bus do not cover a transfer; HTMT_EOVERFLOW. */
int htmt__prim_tell(struct htmt_task *task, const struct htmt__prim_plan *plan,
                    struct htmt_prediction *prediction);

/* Kernel of a slice of `elements`, from the first instruction to the end of the last tasklet,
 * in fs. */
double htmt__prim_slice_time(const struct htmt_machine *machine, const struct htmt__prim_plan *plan,
                             uint64_t elements);

#endif
