/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The predicted time without simulation: of the parcel program, and of other models of execution
 * (apps/lib/execution.h), one processor and nodes that pass messages.
 */
#ifndef HTMT_APPS_NBODY_CLOSED_FORM_H
#define HTMT_APPS_NBODY_CLOSED_FORM_H

#include "apps/nbody/plan.h"

struct htmt__nbody_prediction {
    htmt_wide total, work, fill, drain; /* fs; work: of a SPELL */
    double flop;                        /* of all forces */
};

/* Into `out` the lines of `predict`, NULL: nowhere. Errors: HTMT_EOVERFLOW (a time passes 64-bit
 * femtoseconds), HTMT_ENOMEM. */
int htmt__nbody_predict(const struct htmt_machine *m, const struct htmt__nbody_plan *p,
                        struct htmt__nbody_prediction *prediction, struct htmt_prediction *out,
                        struct htmt_fault *fault);

/* Tell their closed forms. Errors: those of the forms; HTMT_EOVERFLOW. */
int htmt__nbody_serial(struct htmt_task *task, const struct htmt__nbody_plan *p,
                       struct htmt_prediction *out);
int htmt__nbody_mpp(struct htmt_task *task, const struct htmt__nbody_plan *p,
                    struct htmt_prediction *out);

#endif
