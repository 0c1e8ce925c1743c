/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints a validation for people, as JSON and as CSV.
 */
#ifndef HTMT_EMUL_VALIDATE_REPORT_H
#define HTMT_EMUL_VALIDATE_REPORT_H

#include "emul/validate/validation.h"

#include <jansson.h>
#include <stdio.h>

/* Sections, misses, totals. */
void htmt__validate_print(const struct htmt__validation *v, FILE *out);
/* One line per section, then misses and totals. */
void htmt__validate_print_brief(const struct htmt__validation *v, FILE *out);

/* NULL: out of memory. The caller gives the object to json_decref(). */
json_t *htmt__validate_json(const struct htmt__validation *v);

/* One line per row; the file is written atomically. Errors: those of runtime/base/whole_file.h. */
int htmt__validate_csv(const struct htmt__validation *v, const char *path,
                       struct htmt_fault *fault);

#endif
