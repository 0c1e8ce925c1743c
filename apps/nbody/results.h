/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run leaves: bodies, plots, findings.
 */
#ifndef HTMT_APPS_NBODY_RESULTS_H
#define HTMT_APPS_NBODY_RESULTS_H

#include "apps/nbody/plan.h"

/* Can they be written? Errors: HTMT_EUSAGE, HTMT_EIO and those of the files. */
int htmt__nbody_results_check(struct htmt_task *task);
/* Those that were asked for. `history`: sums at the end of each step, the beginning first. */
int htmt__nbody_results_write(struct htmt_task *task, const struct htmt__nbody_plan *p,
                              const struct htmt__nbody_body *body, const double *history);
void htmt__nbody_results_find(struct htmt_task *task, const struct htmt__nbody_plan *p,
                              const double *history);

#endif
