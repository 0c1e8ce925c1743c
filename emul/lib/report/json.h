/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Results as JSON for programs; docs/json.md documents every key.
 */
#ifndef HTMT_EMUL_LIB_REPORT_JSON_H
#define HTMT_EMUL_LIB_REPORT_JSON_H

#include "emul/lib/questions/account.h"
#include "emul/lib/questions/answers.h"
#include "emul/lib/questions/experiment.h"
#include "emul/lib/text/disturbed.h"

#include <jansson.h>

/* NULL: out of memory. The caller gives the object to json_decref(). */
json_t *htmt__json_experiment(const struct htmt__experiment *x);
json_t *htmt__json_account(const struct htmt__account *x);
json_t *htmt__json_prediction(const struct htmt__provenance *record,
                              const struct htmt__answers *answers);

/* The names of disturbed figures, an array. NULL: out of memory. */
json_t *htmt__json_disturbed(const struct htmt__disturbed *disturbed);

/* What a trace says of the run that it is of: nothing that depends on the host. NULL: out of
 * memory. The caller frees it. */
char *htmt__json_about(const struct htmt__provenance *record);

/* Prints ASCII and a newline. Takes the reference, also NULL. Errors: HTMT_ENOMEM; those of `out`
 * stay in its ferror(). */
int htmt__json_print(json_t *object, FILE *out);

/* Writes a file atomically, or to standard output for "-". Takes the reference, also NULL.
 * Errors: HTMT_EIO, HTMT_ENOMEM. */
int htmt__json_write(json_t *object, const char *path, struct htmt_fault *fault);

#endif
