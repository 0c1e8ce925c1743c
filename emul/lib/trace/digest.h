/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One number for all that a trace says, whatever the order and the lengths of its blocks.
 */
#ifndef HTMT_EMUL_LIB_TRACE_DIGEST_H
#define HTMT_EMUL_LIB_TRACE_DIGEST_H

#include "emul/trace/htmt_trace.h"

/* FNV-1a over intervals and samples by slice and number, and over the footer without `about`.
 * Errors: those of htmt_trace_block_read(). */
int htmt__trace_digest(struct htmt_trace *t, uint64_t *digest, struct htmt_fault *fault);

#endif
