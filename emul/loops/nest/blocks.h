/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The iteration box of a nest cut into blocks: traffic of all of them, each with its own ghosts.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_BLOCKS_H
#define HTMT_EMUL_LOOPS_NEST_BLOCKS_H

#include "emul/loops/nest/reuse.h"

/* The blocks of one axis: so many of a length, and one that is left. */
struct htmt__nest_cut {
    int64_t length, left; /* left 0: none */
    htmt_wide count;
};

/* A loop cut into blocks; 0 or more than the loop: one. */
struct htmt__nest_cut htmt__nest_cut_make(int64_t extent, int64_t block);

/* Units of all blocks through a memory. */
struct htmt__nest_moved {
    htmt_wide read, written;
};

/* Traffic of each capacity, in units of the plan; *full is the capacity from which on nothing is
 * read twice. Errors: HTMT_ENOMEM, HTMT_ERANGE (too many offsets), HTMT_EOVERFLOW. */
int htmt__nest_blocks_move(struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                           const int64_t block[HTMT__NEST_DEPTH], const htmt_wide *capacity,
                           unsigned capacities, struct htmt__nest_moved *moved, htmt_wide *full);

/* The capacities, ascending, below which more is moved; the caller frees *capacity. Errors: as
 * above. */
int htmt__nest_blocks_levels(struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                             const int64_t block[HTMT__NEST_DEPTH], htmt_wide **capacity,
                             unsigned *capacities);

#endif
