/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form: counted operations of all services, one after another.
 */
#ifndef HTMT_APPS_KERNELS_CLOSED_FORM_H
#define HTMT_APPS_KERNELS_CLOSED_FORM_H

#include "apps/kernels/plan.h"
#include "apps/lib/steps.h"

/* *total in fs; `tell` may be NULL. Errors: HTMT_EOVERFLOW. */
int htmt__kernels_closed_form(const struct htmt_machine *m, const struct htmt__kernels_plan *p,
                              htmt_wide *total, struct htmt_prediction *tell,
                              struct htmt_fault *fault);

#endif
