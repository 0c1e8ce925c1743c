/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the intervals of a trace agree with each other and with its footer.
 */
#ifndef HTMT_EMUL_LIB_TRACE_CHECK_H
#define HTMT_EMUL_LIB_TRACE_CHECK_H

#include "emul/trace/htmt_trace.h"

/* Reads all blocks. Sums of service and wait over all intervals are the footer's, times the slices
 * that one stands for; what a memory holds at the begin of a block is what it held at the end of
 * the block before, and no more than its capacity; references lead to intervals that ended before;
 * a section is one of the footer's. Of a filtered trace, sums and memories are not compared.
 * Errors: HTMT_EWRONG (*fault has the first difference), those of htmt_trace_block_read(). */
int htmt__trace_check(struct htmt_trace *t, struct htmt_fault *fault);

#endif
