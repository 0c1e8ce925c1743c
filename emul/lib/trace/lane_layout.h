/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the intervals of one slice are drawn: the lane of each, and its state. Lanes are given out
 * row by row, in the order of (begin, end, number) of htmt__lane_begin(). The page, the exports and
 * the pictures take them from here.
 *
 * Memory: 3 bytes an interval of the slice, the spans in which its rows have a line, and the
 * intervals that wait for one that began earlier and ended later.
 */
#ifndef HTMT_EMUL_LIB_TRACE_LANE_LAYOUT_H
#define HTMT_EMUL_LIB_TRACE_LANE_LAYOUT_H

#include "emul/lib/trace/rows.h"
#include "emul/lib/trace/slices.h"

enum htmt__lane_state {
    /* While it was served or moved, another one waited in the line of its resource. */
    HTMT__LANE_BLOCKS = 1,
    /* Its wait is a blocked one: the entity had come this far before, or from another slice, and
     * holds the place where it was. What has just been made holds none. */
    HTMT__LANE_HOLDS = 2,
};

struct htmt__lane_layout {
    uint64_t count;
    uint16_t *lane;  /* of each interval; at most UINT16_MAX */
    uint8_t *state;  /* of each interval: enum htmt__lane_state, or'ed */
    uint32_t *depth; /* of each row: lanes that it needs */
};

/* Reads the slice twice. On success the caller gives *l to htmt__lane_layout_clear(). Errors: those
 * of htmt_trace_block_read(), HTMT_ENOMEM. */
int htmt__lane_layout_make(struct htmt_trace *t, const struct htmt__rows *rows,
                           const struct htmt__trace_slice *slice, struct htmt__lane_layout *l,
                           struct htmt_fault *fault);
void htmt__lane_layout_clear(struct htmt__lane_layout *l);

#endif
