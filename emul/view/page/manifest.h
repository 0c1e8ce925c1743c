/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The manifest: a JSON object that tells the page what its binaries are.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_MANIFEST_H
#define HTMT_EMUL_VIEW_PAGE_MANIFEST_H

#include "emul/lib/trace/filter.h"
#include "emul/lib/trace/rows.h"
#include "emul/lib/trace/slices.h"
#include "emul/view/page/loads.h"
#include "emul/view/page/page.h"

/* A block in full detail; of b, what the index of the trace says. */
struct htmt__page_tile {
    struct htmt_trace_block b;
    size_t packed; /* bytes */
    unsigned element;
};

struct htmt__page_sums {
    uint32_t slice, bins;
    htmt_time bin;
    unsigned element;
};

/* Strips: one for each row, with elements `element`, `element` + 1, ... Groups are of slices in the
 * order of their load; the first `single` groups are of one slice each. */
struct htmt__page_strips {
    uint32_t groups, single, bins;
    htmt_time bin;
    unsigned element;
};

/* The critical path; of a trace without one, the count is 0. */
struct htmt__page_path {
    uint64_t count;
    unsigned element;
    const struct htmt__trace_path *path; /* its ports have names */
};

struct htmt__page_contents {
    const struct htmt_trace_info *info;
    const struct htmt__page_options *options;
    const struct htmt__rows *rows;
    const struct htmt__trace_slices *slices;
    const struct htmt__trace_part *part;
    const struct htmt__page_loads *loads;
    const uint32_t *depth; /* of each row: the greatest of all slices */
    struct htmt__page_tile *tile;
    uint64_t tiles;
    size_t tile_room;
    struct htmt__page_sums *sums; /* one for each slice */
    uint32_t sums_count;
    struct htmt__page_strips strips;
    struct htmt__page_path path;
    unsigned matrix; /* the element of who sends to whom */
    bool full;
};

/* Writes the element; nothing in it ends or opens one. Errors: HTMT_ENOMEM; those of `out` stay in
 * its ferror(). */
int htmt__manifest_write(const struct htmt__page_contents *p, FILE *out);

#endif
