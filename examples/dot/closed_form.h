/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time of a dot product without a clock.
 */
#ifndef HTMT_EXAMPLES_DOT_CLOSED_FORM_H
#define HTMT_EXAMPLES_DOT_CLOSED_FORM_H

#include "apps/lib/steps.h"
#include "examples/dot/plan.h"

/* *total in fs; the lines of `predict` go to `tell`, which may be NULL. Errors: HTMT_ENOMEM,
 * HTMT_EOVERFLOW. */
int htmt__dot_closed_form(const struct htmt_machine *m, const struct htmt__dot_plan *p,
                          htmt_wide *total, struct htmt_prediction *tell, struct htmt_fault *fault);

#endif
