/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the JSON object of a run, a model run or a program of its own (docs/json.md) back.
 */
#ifndef HTMT_EMUL_LIB_REPORT_READER_H
#define HTMT_EMUL_LIB_REPORT_READER_H

#include "emul/lib/report/document.h"

/* Whether the file begins as a trace does; its contents are not checked. Errors: those of
 * htmt_input_open(). */
int htmt__document_is_trace(const char *path, bool *trace, struct htmt_fault *fault);

/* The run record that a trace keeps, as far as it is there. The document keeps the object of the
 * text, a JSON object. Errors: HTMT_ENOMEM. */
int htmt__document_read_record(const char *text, struct htmt__document *d);

/* The line in *fault names the file, and the line in it or the key, what was found there, and what
 * was expected. The caller calls htmt__document_clear(), also after an error. Errors: those of
 * htmt_input_read(), HTMT_EFORMAT. */
int htmt__document_load(const char *path, struct htmt__document *d, struct htmt_fault *fault);

#endif
