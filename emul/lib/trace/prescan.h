/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What must be known of all intervals of a slice before the first one can get its lane and state.
 * Intervals are written when they end, so one that began earlier may come later.
 */
#ifndef HTMT_EMUL_LIB_TRACE_PRESCAN_H
#define HTMT_EMUL_LIB_TRACE_PRESCAN_H

#include "emul/lib/trace/lane_layout.h"
#include "emul/lib/trace/segments.h"

struct htmt__survey {
    const struct htmt_trace_info *info;
    const struct htmt__rows *rows;
    struct htmt__segments *waits; /* of each row: when anybody is in its line */
    /* Of each block and row: the earliest begin in this block and later ones; INT64_MAX: none. One
     * block more than there are. */
    htmt_time *begin;
    uint64_t blocks;
    uint64_t serials; /* more than the counter of any entity of this slice */
};

/* The caller clears *s whatever comes of it. Errors: those of htmt_trace_block_read(), HTMT_ENOMEM.
 */
int htmt__survey_make(struct htmt_trace *t, const struct htmt__rows *rows,
                      const struct htmt__trace_slice *slice, struct htmt__survey *s,
                      struct htmt_fault *fault);
void htmt__survey_clear(struct htmt__survey *s);

#endif
