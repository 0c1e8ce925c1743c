/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The iteration box of a nest cut into blocks: traffic of all of them, each with its own ghosts.
 */
#ifndef HTMT_LAYERS_NEST_BLOCKS_H
#define HTMT_LAYERS_NEST_BLOCKS_H

#include "layers/nest/reuse.h"

/* The blocks of one axis: so many of a length, and one that is left. */
struct htmt__nest_cut {
    int64_t length, left; /* left 0: none */
    htmt_wide count;
};

/* A loop cut into blocks; 0 or more than the loop: one. */
struct htmt__nest_cut htmt__nest_cut_make(int64_t extent, int64_t block);

/* Levels of each kind of block: up to two a loop. */
struct htmt__nest_blocks {
    unsigned count;
    struct htmt__nest_block {
        htmt_wide times;
        struct htmt__nest_steps steps;
    } * at;
    struct htmt__nest_number share;      /* iterations that fill the box, of those of the box */
    htmt_wide given_read, given_written; /* more than offsets tell; of all blocks */
};

/* On success the caller clears *blocks. */
int htmt__nest_blocks_make(struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                           const int64_t block[HTMT__NEST_DEPTH], struct htmt__nest_blocks *blocks);
void htmt__nest_blocks_clear(struct htmt__nest_blocks *blocks);

/* Units that a memory of that many units reads and writes back. */
htmt_wide htmt__nest_blocks_read(const struct htmt__nest_blocks *blocks, htmt_wide capacity);
htmt_wide htmt__nest_blocks_written(const struct htmt__nest_blocks *blocks, htmt_wide capacity);
htmt_wide htmt__nest_blocks_full(const struct htmt__nest_blocks *blocks);

#endif
