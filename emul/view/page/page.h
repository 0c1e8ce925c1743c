/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/view/page: the timeline of a trace as one self-contained page. Its JavaScript, style
 * and frame are the files beside this one; the Makefile puts them into the command.
 * docs/timeline.md describes both the page and the data that these files put into it.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_PAGE_H
#define HTMT_EMUL_VIEW_PAGE_PAGE_H

#include "emul/lib/options/ranges.h"
#include "emul/trace/htmt_trace.h"

#include <stdbool.h>
#include <stdio.h>

struct htmt__page_options {
    const struct htmt_slice_range *slices; /* full detail of these alone */
    uint32_t slice_ranges;                 /* 0: of all */
    bool windowed;                         /* full detail of blocks that meet [from, to) alone */
    htmt_time from, to;
    uint64_t detail_cap; /* bytes that the full detail may take in the page */
    bool gantt;          /* begin with Pauer's colours */
};

/* What became of it. */
struct htmt__page_summary {
    uint64_t intervals, detailed; /* in the trace; in full detail */
    uint32_t slices, detailed_slices;
    bool capped; /* detail that was asked for is missing */
};

/* Writes the page. Slice by slice: memory holds the marks of one slice, its packed detail, and the
 * sums of all. Errors: those of htmt_trace_block_read(), HTMT_ENOMEM; those of `out` stay in its
 * ferror(). */
int htmt__page_write(struct htmt_trace *t, const struct htmt__page_options *o, FILE *out,
                     struct htmt__page_summary *summary, struct htmt_fault *fault);

#endif
