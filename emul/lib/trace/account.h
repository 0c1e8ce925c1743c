/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report of a run from its trace: what the footer and the intervals tell, sections and the
 * critical path too. Operations, checks, closed form and the host's figures are in the JSON object
 * alone.
 */
#ifndef HTMT_EMUL_LIB_TRACE_ACCOUNT_H
#define HTMT_EMUL_LIB_TRACE_ACCOUNT_H

#include "emul/lib/report/document.h"
#include "emul/trace/htmt_trace.h"

/* Reads all blocks, those of a run with sections twice more. The trace must outlive the document.
 * The caller calls htmt__document_clear(), also after an error. Errors: those of the reader. */
int htmt__trace_account(struct htmt_trace *t, struct htmt__document *d, struct htmt_fault *fault);

#endif
