/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A validation for people, for programs and for spreadsheets.
 */
#ifndef HTMT_EMUL_VALIDATE_REPORT_H
#define HTMT_EMUL_VALIDATE_REPORT_H

#include "emul/validate/validation.h"

#include <jansson.h>
#include <stdio.h>

/* Sections, misses, totals. */
void htmt__validate_print(const struct htmt__validation *v, FILE *out);
/* One line a section, then misses and totals. */
void htmt__validate_print_brief(const struct htmt__validation *v, FILE *out);

/* NULL: out of memory. The caller gives the object to json_decref(). */
json_t *htmt__validate_json(const struct htmt__validation *v);

/* A row a line, whole or not at all. Errors: those of runtime/base/whole_file.h. */
int htmt__validate_csv(const struct htmt__validation *v, const char *path,
                       struct htmt_fault *fault);

#endif
