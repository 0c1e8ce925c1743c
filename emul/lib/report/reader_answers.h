/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The answers that a run gives only when it is asked: explanation, departures, determinism and
 * summary of the JSON object of a document.
 */
#ifndef HTMT_EMUL_LIB_REPORT_READER_ANSWERS_H
#define HTMT_EMUL_LIB_REPORT_READER_ANSWERS_H

#include "emul/lib/report/document.h"
#include "emul/lib/report/fields.h"

/* Errors: HTMT_EFORMAT, HTMT_ENOMEM. */
int htmt__answers_read(const struct htmt__reading *in, struct htmt__document *d);

#endif
