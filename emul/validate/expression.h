/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Short formulas of named quantities, "busy Push execute / makespan", read from left to right: each
 * of " + ", " - ", " * " and " / " takes all that stands before it. What stands between is a
 * number, a name, whose value its reader knows, or another formula in [brackets].
 */
#ifndef HTMT_EMUL_VALIDATE_EXPRESSION_H
#define HTMT_EMUL_VALIDATE_EXPRESSION_H

#include "runtime/base/error.h"

/* The value of a name. Errors: those of the reader, with a line in *fault. */
typedef int htmt__expression_value(void *user, const char *name, double *value,
                                   struct htmt_fault *fault);

/* Errors: of `value`; HTMT_EFORMAT (a name is missing or longer than 255 bytes). */
int htmt__expression(const char *text, htmt__expression_value *value, void *user, double *result,
                     struct htmt_fault *fault);

#endif
