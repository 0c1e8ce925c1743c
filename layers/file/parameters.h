/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parameter files of applications, read by a table of rows (layers/file/schema.h). Physical
 * quantities carry their unit ("5.3 GHz", "-7.2135e11 Hz/s", "41.75 us", "988.647 km", "7062 m/s",
 * "90 deg"); all arrive as doubles in Hz, Hz/s, s, m, m/s and radians. Unknown, repeated and
 * missing keys, wrong units, nan, inf and what is out of range are one line each with file and
 * line, what was found and what was expected.
 *
 * Getters take the key of a row of the right kind whose value is given or has a fallback; anything
 * else is a programming fault.
 */
#ifndef HTMT_LAYERS_FILE_PARAMETERS_H
#define HTMT_LAYERS_FILE_PARAMETERS_H

#include "layers/file/schema.h"
#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One mapping, read and found good. */
struct htmt_parameters;

/* A file; `what` names it in messages ("a SAR parameter file"). On success the caller owns
 * *parameters. Errors: HTMT_ENOENT, HTMT_EIO, HTMT_EFORMAT, HTMT_EUNIT, HTMT_ERANGE, HTMT_ENOMEM;
 * all but HTMT_EIO and HTMT_ENOMEM end the command with status 2. */
int htmt_parameters_read(const char *path, const char *what, const struct htmt_schema_row *rows,
                         struct htmt_parameters **parameters, struct htmt_fault *fault);
/* The same of a text that is at hand; `name` stands for the file and must outlive *parameters. */
int htmt_parameters_parse(const char *name, const char *text, size_t length, const char *what,
                          const struct htmt_schema_row *rows, struct htmt_parameters **parameters,
                          struct htmt_fault *fault);
/* NULL and cleared pointers are accepted. */
void htmt_parameters_destroy(struct htmt_parameters **parameters);

/* In the file, or by its fallback. */
bool htmt_parameter_known(const struct htmt_parameters *p, const char *key);
/* In the file itself. */
bool htmt_parameter_given(const struct htmt_parameters *p, const char *key);

double htmt_parameter_number(const struct htmt_parameters *p, const char *key); /* with units */
int64_t htmt_parameter_whole(const struct htmt_parameters *p, const char *key);
unsigned htmt_parameter_choice(const struct htmt_parameters *p, const char *key); /* index */
bool htmt_parameter_switch(const struct htmt_parameters *p, const char *key);
const char *htmt_parameter_text(const struct htmt_parameters *p, const char *key);
const double *htmt_parameter_list(const struct htmt_parameters *p, const char *key,
                                  unsigned *count);
/* Mappings of a HTMT_SCHEMA_GROUPS (or the one of a HTMT_SCHEMA_GROUP, index 0); they belong to p.
 */
unsigned htmt_parameter_count(const struct htmt_parameters *p, const char *key);
const struct htmt_parameters *htmt_parameter_group(const struct htmt_parameters *p, const char *key,
                                                   unsigned index);

/* Refuse a value for a reason that no row can tell: "file:line: key: ..."; returns code. */
int htmt_parameter_refuse(const struct htmt_parameters *p, const char *key, int code,
                          struct htmt_fault *fault, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#ifdef __cplusplus
}
#endif

#endif
