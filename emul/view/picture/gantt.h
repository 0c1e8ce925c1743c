/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The Gantt chart of a trace, after Pauer, section 6: a row for each source, sending and
 * receiving end, port of a switch, queue of a port, and node, with their packets.
 */
#ifndef HTMT_EMUL_VIEW_PICTURE_GANTT_H
#define HTMT_EMUL_VIEW_PICTURE_GANTT_H

#include "emul/lib/options/ranges.h"
#include "emul/lib/picture/sheet.h"
#include "emul/trace/htmt_trace.h"

#include <stdio.h>

enum htmt__gantt_rows {
    HTMT__GANTT_SOURCE = 1,
    HTMT__GANTT_OUT = 2,
    HTMT__GANTT_IN = 4,
    HTMT__GANTT_PORTS = 8,
    HTMT__GANTT_QUEUES = 16,
    HTMT__GANTT_NODES = 32,
    HTMT__GANTT_ALL = 63
};

struct htmt__gantt_request {
    unsigned rows;                         /* of enum htmt__gantt_rows; 0: all that there are */
    const struct htmt_slice_range *slices; /* and the packets from and to these */
    uint32_t slice_ranges;                 /* 0: all */
    htmt_time from, to;                    /* to 0: to the end of the trace */
};

/* "out,ports,queues". Errors: HTMT_EUSAGE. */
int htmt__gantt_rows_read(const char *text, unsigned *rows, struct htmt_fault *fault);

/* The sheet is empty. Errors: HTMT_EUSAGE (rows of ports, but the trace has none; nothing to draw),
 * HTMT_ERANGE (too many rows), HTMT_ENOMEM, those of htmt_trace_block_read(). */
int htmt__gantt_draw(struct htmt_trace *t, const struct htmt__gantt_request *request,
                     struct htmt__sheet *sheet, struct htmt_fault *fault);

/* What share of the time each row of the chart spends in each state, as JSON. Errors: as above. */
int htmt__gantt_shares(struct htmt_trace *t, const struct htmt__gantt_request *request, FILE *out,
                       struct htmt_fault *fault);

#endif
