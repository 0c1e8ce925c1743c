/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A window of a timeline on a sheet: the rows, lanes and states of the page
 * (emul/view/page/page.h), without its controls. Slices stand below each other.
 */
#ifndef HTMT_EMUL_VIEW_PICTURE_TIMELINE_H
#define HTMT_EMUL_VIEW_PICTURE_TIMELINE_H

#include "emul/lib/options/ranges.h"
#include "emul/lib/picture/sheet.h"
#include "emul/trace/htmt_trace.h"

#include <stdbool.h>

#define HTMT__TIMELINE_SLICES_MAX 16

struct htmt__timeline_request {
    const struct htmt_slice_range *slices; /* those that the trace has of these */
    uint32_t slice_ranges;                 /* 0: the slowest, the median and the fastest */
    htmt_time from, to;                    /* to 0: to the end of the trace */
    bool gantt;                            /* Pauer's colours */
};

/* The sheet is empty. Errors: HTMT_EUSAGE (none of the slices is in the trace), HTMT_ERANGE (too
 * many slices), HTMT_ENOMEM, those of htmt_trace_block_read(). */
int htmt__timeline_draw(struct htmt_trace *t, const struct htmt__timeline_request *request,
                        struct htmt__sheet *sheet, struct htmt_fault *fault);

#endif
