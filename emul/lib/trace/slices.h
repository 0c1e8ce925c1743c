/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The slices that a trace has intervals of, out of its index alone.
 */
#ifndef HTMT_EMUL_LIB_TRACE_SLICES_H
#define HTMT_EMUL_LIB_TRACE_SLICES_H

#include "emul/trace/htmt_trace.h"

struct htmt__trace_slice {
    uint32_t slice;
    uint64_t place, blocks; /* of htmt_trace_block_sorted() */
    uint64_t intervals;
    htmt_time end; /* of its last interval */
};

struct htmt__trace_slices {
    struct htmt__trace_slice *slice; /* by number */
    uint32_t count;
    htmt_time end; /* of the last interval of all slices */
    /* By the end of the last interval, then by number: indices into `slice`. The median of an even
     * count is the faster of both. */
    uint32_t slowest, median, fastest;
};

/* On success the caller gives *s to htmt__trace_slices_clear(). Errors: HTMT_ENOMEM, HTMT_EINVAL.
 */
int htmt__trace_slices_make(const struct htmt_trace *t, struct htmt__trace_slices *s);
/* Whether there are several, and the last interval of each ends at the same instant. */
bool htmt__trace_slices_together(const struct htmt__trace_slices *s);
/* One more than the greatest slice that has a block. */
uint32_t htmt__trace_slices_end(const struct htmt_trace *t);
void htmt__trace_slices_clear(struct htmt__trace_slices *s);

/* The block at a place of htmt_trace_block_sorted(). Errors: those of htmt_trace_block_read(). */
int htmt__trace_read_sorted(struct htmt_trace *t, uint64_t place, struct htmt_trace_block *b,
                            struct htmt_fault *fault);

#endif
