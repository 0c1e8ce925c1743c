/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a report says of a PrIM program.
 */
#ifndef HTMT_APPS_PRIM_REPORT_H
#define HTMT_APPS_PRIM_REPORT_H

#include "apps/prim/program.h"

void htmt__prim_describe(struct htmt_task *task, const struct htmt__prim_plan *plan);
/* After the run. Errors: HTMT_ENOMEM, HTMT_ESYSTEM: other processes are gone. */
int htmt__prim_conclude(struct htmt_task *task, struct htmt__prim_run *run);

#endif
