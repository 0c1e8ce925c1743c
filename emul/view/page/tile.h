/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles: blocks of a trace as the page has them. The ten columns are those of docs/trace-format.md,
 * with times from the begin of the block on; the eleventh has a byte for each interval.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_TILE_H
#define HTMT_EMUL_VIEW_PAGE_TILE_H

#include "emul/lib/trace/lane_layout.h"
#include "emul/view/page/bytes.h"

enum {
    HTMT__TILE_COLUMNS = 11,
    /* The byte: the lane, and these. */
    HTMT__TILE_DEEPER = 16, /* its lane is beyond 15; those four bits are 15 */
    HTMT__TILE_BLOCKS = 32, /* others waited for its resource meanwhile */
    HTMT__TILE_HOLDS = 64,  /* while it waited it held a place */
};

struct htmt__tile_encoder;

/* NULL: out of memory. */
struct htmt__tile_encoder *htmt__tile_encoder_create(const struct htmt_trace_info *info);
void htmt__tile_encoder_destroy(struct htmt__tile_encoder **e);

/* Appends the tile of the block to `out`, which fails when memory is short. The marks are those of
 * the block's slice. */
void htmt__tile_encode(struct htmt__tile_encoder *e, const struct htmt_trace_block *b,
                       const struct htmt__lane_layout *marks, struct htmt__bytes *out);

/* ---- parts of a block ------------------------------------------------------------------------
 *
 * Each is a block by itself: of a window only the parts of a block that meet it are in full.
 */

struct htmt__block_part {
    struct htmt_trace_block b; /* its arrays are those of the whole, but the levels */
    uint64_t level[HTMT_LAYERS_MAX];
    uint32_t layers;
};

/* The empty part at the begin of the block. */
void htmt__part_begin(const struct htmt_trace_block *whole, uint32_t layers,
                      struct htmt__block_part *p);

/* The next `most` intervals, and the samples up to the end of the last of them; the last part has
 * all samples that are left. False: there are no more. */
bool htmt__part_next(const struct htmt_trace_block *whole, uint32_t most,
                     struct htmt__block_part *p);

#endif
