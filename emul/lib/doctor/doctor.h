/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/lib/doctor: what `htmt doctor` finds out about this host and this installation; of
 * emul it includes plugin, options, report and text.
 *
 * Findings are one JSON object, which docs/json.md documents; people get the same, printed. Each
 * function gives NULL when memory is short; else the caller gives the object to json_decref().
 */
#ifndef HTMT_EMUL_LIB_DOCTOR_DOCTOR_H
#define HTMT_EMUL_LIB_DOCTOR_DOCTOR_H

#include "emul/lib/plugin/applications.h"

#include <jansson.h>
#include <stdio.h>

/* Everything, of applications that htmt__application_all() listed. *code is that of the self-test.
 */
json_t *htmt__doctor_examine(const struct htmt__applications *apps, int *code);

json_t *htmt__doctor_program(void);
json_t *htmt__doctor_libraries(void);
json_t *htmt__doctor_applications(const struct htmt__applications *apps);
json_t *htmt__doctor_kernels(void);
json_t *htmt__doctor_folders(void);

/* *code: 0; HTMT_EWRONG: another result, time or history than the known one; else why it could not
 * run. */
json_t *htmt__doctor_self_test(int *code);

/* With proc/ and sys/ below another folder than the root, which is "": for tests. */
json_t *htmt__doctor_cpus(const char *root);
json_t *htmt__doctor_memory(const char *root);
json_t *htmt__doctor_limits(void);

/* What would hurt, of the findings so far. */
json_t *htmt__doctor_warnings(const json_t *findings);

/* Errors of `out` stay in its ferror(). */
void htmt__doctor_print(const json_t *findings, FILE *out);

#endif
