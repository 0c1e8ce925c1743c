/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formulas of named quantities, evaluated exactly: numbers, names, + - * /, parentheses, max(a, b,
 * ...), min(a, b, ...) and ceil(a). Products and quotients come before sums and differences; equals
 * go from left to right.
 *
 * A name begins with a letter and may have letters, digits, '_', '.', '[', ']' and, between two of
 * them, a single blank or '-': "block multiply", "transform.accesses-c", "D_t[A]". So a minus has
 * blanks beside it. A name of other characters stands in quotes: 'T, paper'.
 */
#ifndef HTMT_APPS_LIB_FORMULA_H
#define HTMT_APPS_LIB_FORMULA_H

#include "apps/lib/exact.h"
#include "runtime/base/error.h"

#define HTMT__FORMULA_NAME 64 /* bytes of a name and its end */

/* The value of a name. Errors: those of the reader, with a line in *fault. */
typedef int htmt__formula_reader(void *user, const char *name, struct htmt_exact *value,
                                 struct htmt_fault *fault);

/* The line of an error quotes the formula. Errors: of `read`; HTMT_EFORMAT, HTMT_EOVERFLOW,
 * HTMT_ERANGE (division by zero). */
int htmt__formula(const char *text, htmt__formula_reader *read, void *user,
                  struct htmt_exact *value, struct htmt_fault *fault);

#endif
