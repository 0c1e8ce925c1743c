/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows that figures were fitted to.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_FITTED_H
#define HTMT_EMUL_VALIDATE_PIM_FITTED_H

#include "emul/validate/pim/judge.h"

/* Every constant names the rows that it was fitted to, else they would be counted.
 * Errors: HTMT_EFORMAT. */
int htmt__fitted_check(const struct htmt_costs *costs, struct htmt_fault *fault);

/* Mark them. Errors: HTMT_ENOMEM. */
int htmt__fitted_mark(struct htmt__pim_judgement *judgement, struct htmt_fault *fault);

#endif
