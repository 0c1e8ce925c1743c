/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The predicted time without simulation: three stages a step, each an exchange of margins and a
 * train of parcels.
 */
#ifndef HTMT_APPS_STENCIL_CLOSED_FORM_H
#define HTMT_APPS_STENCIL_CLOSED_FORM_H

#include "apps/stencil/plan.h"

/* fs. `fill`: margins and fill of the first stage; `drain`: of the last one. */
struct htmt__stencil_prediction {
    htmt_wide total, work, fill, drain;
    bool least; /* words may meet inside a network: `total` is a lower bound */
};

/* `flop`: of a slice in a step. Into `out` the lines of `predict`, NULL: nowhere. Errors:
 * HTMT_EOVERFLOW (a time passes 64-bit femtoseconds), HTMT_ENOMEM. */
int htmt__stencil_predict(const struct htmt_machine *m, const struct htmt__stencil_plan *p,
                          double flop, struct htmt__stencil_prediction *prediction,
                          struct htmt_prediction *out, struct htmt_fault *fault);

#endif
