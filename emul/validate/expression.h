/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Short formulas of named quantities, such as "busy Push execute / makespan". They are evaluated
 * from left to right, without precedence: " + ", " - ", " * " and " / " take everything before them
 * as the left operand. An operand is a number, a name or a formula in [brackets].
 */
#ifndef HTMT_EMUL_VALIDATE_EXPRESSION_H
#define HTMT_EMUL_VALIDATE_EXPRESSION_H

#include "runtime/base/error.h"

/* Gives the value of a name. Errors: its own, with a message in *fault. */
typedef int htmt__expression_value(void *user, const char *name, double *value,
                                   struct htmt_fault *fault);

/* Errors: those of `value`; HTMT_EFORMAT (a name is missing or longer than 255 bytes). */
int htmt__expression(const char *text, htmt__expression_value *value, void *user, double *result,
                     struct htmt_fault *fault);

#endif
