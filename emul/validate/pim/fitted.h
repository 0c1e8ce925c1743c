/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows that figures were fitted to.
 */
#ifndef HTMT_EMUL_VALIDATE_PIM_FITTED_H
#define HTMT_EMUL_VALIDATE_PIM_FITTED_H

#include "emul/validate/pim/judge.h"

/* Rows that sources name are known, shipped or judged. Every constant names two kernels of its
 * program, and every fitted figure of the copies' machine its rows: else they would be counted.
 * Errors: HTMT_EFORMAT, HTMT_ENOMEM. */
int htmt__fitted_check(const struct htmt__pim_judgement *judgement, struct htmt_fault *fault);

/* Mark them. Errors: HTMT_ENOMEM. */
int htmt__fitted_mark(struct htmt__pim_judgement *judgement, struct htmt_fault *fault);

#endif
