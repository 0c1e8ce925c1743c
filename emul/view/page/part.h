/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of a block, each a block by itself: of a window only the parts that meet it are in full.
 */
#ifndef HTMT_EMUL_VIEW_PAGE_PART_H
#define HTMT_EMUL_VIEW_PAGE_PART_H

#include "emul/trace/htmt_trace.h"

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
