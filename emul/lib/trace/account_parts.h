/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the folder: the parts of a report for which all intervals of a trace are read.
 */
#ifndef HTMT_EMUL_LIB_TRACE_ACCOUNT_PARTS_H
#define HTMT_EMUL_LIB_TRACE_ACCOUNT_PARTS_H

#include "emul/lib/questions/explanation.h"
#include "emul/lib/questions/results.h"
#include "emul/trace/htmt_trace.h"

/* The critical path, as htmt__explanation_make() gives it after a run with htmt_options.explain,
 * without a closed form. The caller calls htmt__explanation_clear(). Errors: those of
 * htmt__trace_path_find(). */
int htmt__account_path(struct htmt_trace *t, struct htmt__explanation *x, struct htmt_fault *fault);

/* The sections of the run into r->section, which has room for info->sections; r->slices and
 * r->predicted are there. Errors: HTMT_ENOMEM, those of htmt_trace_block_read(). */
int htmt__account_sections(struct htmt_trace *t, struct htmt__results *r, struct htmt_fault *fault);

#endif
