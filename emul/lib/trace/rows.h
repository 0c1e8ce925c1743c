/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of a timeline: those of every slice, from top to bottom. First the sections, or the gates
 * where a run has gates and no sections; then for each layer, the outermost one first, its bank,
 * its memory, its links out and its links in.
 */
#ifndef HTMT_EMUL_LIB_TRACE_ROWS_H
#define HTMT_EMUL_LIB_TRACE_ROWS_H

#include "emul/trace/htmt_trace.h"

enum htmt__row_kind {
    HTMT__ROW_SECTIONS,
    HTMT__ROW_BANK,
    HTMT__ROW_MEMORY, /* stalls and waits for room, above the curve of its fill */
    HTMT__ROW_OUT,
    HTMT__ROW_IN,
    HTMT__ROW_KINDS
};

struct htmt__trace_row {
    enum htmt__row_kind kind;
    uint32_t resource, layer; /* UINT32_MAX: none */
    char name[2 * HTMT_NAME_MAX + 8];
};

struct htmt__rows {
    struct htmt__trace_row *row;
    uint32_t *of_step; /* the row of each step of the trace */
    uint32_t count;
};

/* On success the caller gives *rows to htmt__rows_clear(). Errors: HTMT_ENOMEM. */
int htmt__rows_make(const struct htmt_trace_info *info, struct htmt__rows *rows);
void htmt__rows_clear(struct htmt__rows *rows);

/* "sections", "bank", "memory", "out", "in". */
const char *htmt__row_kind_name(enum htmt__row_kind kind);

/* From when to its end an interval occupies its lane: a service all the time it takes, a stall all
 * the time it lasts. */
static inline htmt_time htmt__lane_begin(const struct htmt_trace_interval *i,
                                         enum htmt_trace_place place)
{
    bool serves = place < HTMT_TRACE_STALLED || place == HTMT_TRACE_PAUSED;
    return i->end - (serves ? i->service : i->wait);
}

#endif
