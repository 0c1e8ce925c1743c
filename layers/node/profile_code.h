/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside profiles: operations and chains as text, and the tables of compiled blocks while a file is
 * read.
 */
#ifndef HTMT_LAYERS_NODE_PROFILE_CODE_H
#define HTMT_LAYERS_NODE_PROFILE_CODE_H

#include "layers/file/parameters.h"
#include "layers/node/profile.h"

/* "mul-f64, add-f64 x 2" */
struct htmt__operation_count {
    enum htmt_operation operation;
    enum htmt_type_of_operand type;
    uint64_t n;
};

/* Reads one "NAME [x N]" at *text and moves it behind; false at the end, or when the name is none:
 * then *text stands at it. */
bool htmt__operation_read(const char **text, struct htmt__operation_count *count);
/* Refuses what stands at `text`: "file:line: operations: found ..., expected ...". */
int htmt__operation_refuse(const struct htmt_parameters *at, const char *key, const char *text,
                           struct htmt_fault *fault);

void htmt__operation_write(FILE *out, bool first, unsigned operation, unsigned type, uint64_t n);

extern const struct htmt_schema_row htmt__profile_code_rows[];

/* The tables that the entries `code` of a file give; the caller frees *program. Errors:
 * HTMT_EFORMAT, HTMT_ENOMEM. */
int htmt__profile_code_read(const struct htmt_parameters *file, struct htmt__profile *profile,
                            struct htmt_fault *fault);
void htmt__profile_code_write(const struct htmt__profile *profile, FILE *out);

#endif
