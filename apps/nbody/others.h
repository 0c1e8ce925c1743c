/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Other models of execution (apps/lib/execution.h): one processor; nodes that pass messages.
 */
#ifndef HTMT_APPS_NBODY_OTHERS_H
#define HTMT_APPS_NBODY_OTHERS_H

#include "apps/nbody/plan.h"

/* Tell their closed forms. Errors: those of the forms; HTMT_EOVERFLOW. */
int htmt__nbody_serial(struct htmt_task *task, const struct htmt__nbody_plan *p,
                       struct htmt_prediction *out);
int htmt__nbody_mpp(struct htmt_task *task, const struct htmt__nbody_plan *p,
                    struct htmt_prediction *out);

#endif
