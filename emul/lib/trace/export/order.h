/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What happens in a trace, in the order of virtual time over all slices: intervals and waits begin
 * and end on their lanes, memories fill.
 *
 * A trace is written in the order of ends, slice by slice. It is read as often as needed to sort it
 * in bounded memory: 2^22 spans at once, 200 MB; 10^7 intervals with waits need up to ten passes.
 * Beside that there are the spans that have begun and not ended, and the lanes.
 */
#ifndef HTMT_EMUL_LIB_TRACE_EXPORT_ORDER_H
#define HTMT_EMUL_LIB_TRACE_EXPORT_ORDER_H

#include "emul/lib/trace/rows.h"

enum htmt__span_kind {
    HTMT__SPAN_SERVICE, /* takes no time: only begins */
    HTMT__SPAN_WAIT,    /* in a line, for space, for room, at a gate */
    HTMT__SPAN_SECTION, /* ends when the next one begins; serial: its number */
    HTMT__SPAN_FILL     /* words used from `begin` on; step: the layer; serial: words */
};

struct htmt__order_span {
    htmt_time begin, end;
    htmt_trace_ref ref; /* FILL: of the slice */
    uint64_t cause;     /* htmt_trace_ref; FILL: a number of its own */
    uint64_t serial;
    uint32_t step;
    uint8_t kind;
    bool first; /* of its interval: a service without a wait, or a wait */
};

enum htmt__order_what { HTMT__ORDER_BEGIN, HTMT__ORDER_END, HTMT__ORDER_FILL };

struct htmt__order_event {
    enum htmt__order_what what;
    htmt_time at;
    uint32_t slice, row; /* row: of htmt__order_rows() */
    uint32_t lane;       /* of the services of that row, or of its waits */
    uint32_t busy;       /* services under way in that row from now on */
    enum htmt__span_kind kind;
    struct htmt__order_span span; /* END: all zero */
};

struct htmt__order;

#define HTMT__ORDER_KEPT (UINT64_C(1) << 21)

/* One pass gives at most `kept` spans and has room for twice as many; at least 1, as a rule
 * HTMT__ORDER_KEPT. The trace stays open as long as the order. Errors: HTMT_ENOMEM. */
int htmt__order_create(struct htmt__order **o, struct htmt_trace *t, uint64_t kept,
                       struct htmt_fault *fault);
void htmt__order_destroy(struct htmt__order **o);
const struct htmt__rows *htmt__order_rows(const struct htmt__order *o);
/* One more than the greatest slice of an event. */
uint32_t htmt__order_slices(const struct htmt__order *o);

/* The next event; *more is false behind the last one. What ends at an instant comes before what
 * begins at it. Errors: HTMT_ENOMEM, those of htmt_trace_block_read(). */
int htmt__order_next(struct htmt__order *o, struct htmt__order_event *event, bool *more,
                     struct htmt_fault *fault);

#endif
