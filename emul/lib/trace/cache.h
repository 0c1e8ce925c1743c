/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single intervals of a trace, in any order: the blocks that were used last stay in memory.
 */
#ifndef HTMT_EMUL_LIB_TRACE_CACHE_H
#define HTMT_EMUL_LIB_TRACE_CACHE_H

#include "emul/trace/htmt_trace.h"

#define HTMT__TRACE_CACHED (UINT64_C(3) << 20) /* intervals in memory, beside the block in use */

struct htmt__trace_cache;

/* The trace stays open as long as the cache. Errors: HTMT_ENOMEM. */
int htmt__trace_cache_create(struct htmt__trace_cache **c, struct htmt_trace *t);
void htmt__trace_cache_destroy(struct htmt__trace_cache **c);

/* Copies the interval. Errors: HTMT_EFORMAT (the trace has no such interval), those of
 * htmt_trace_block_read(). */
int htmt__trace_cache_get(struct htmt__trace_cache *c, htmt_trace_ref ref,
                          struct htmt_trace_interval *interval, struct htmt_fault *fault);

#endif
