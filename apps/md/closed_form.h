/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The predicted time without simulation: a uniform density, trains of blocks.
 */
#ifndef HTMT_APPS_MD_CLOSED_FORM_H
#define HTMT_APPS_MD_CLOSED_FORM_H

#include "apps/md/plan.h"

struct htmt__md_prediction {
    htmt_wide total, work, fill, drain; /* fs; the last three in all steps */
    double flop;                        /* of the force kernels of all slices and steps */
};

/* Into `out` the lines of `predict`, NULL: nowhere. Errors: HTMT_EOVERFLOW (a time passes 64-bit
 * femtoseconds), HTMT_ENOMEM. */
int htmt__md_predict(const struct htmt_machine *m, const struct htmt__md_plan *p,
                     struct htmt__md_prediction *prediction, struct htmt_prediction *out,
                     struct htmt_fault *fault);

#endif
