/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which words each loop reads and writes: what a parcel of one loop brings and takes (--order
 * loops).
 */
#ifndef HTMT_APPS_STENCIL_ACCESSES_H
#define HTMT_APPS_STENCIL_ACCESSES_H

#include "apps/stencil/plan.h"

/* D has an array for each component, D + c, since loops write one of them. */
enum htmt__stencil_array {
    HTMT__STENCIL_U,
    HTMT__STENCIL_NEXT,
    HTMT__STENCIL_Q,
    HTMT__STENCIL_GX,
    HTMT__STENCIL_GY,
    HTMT__STENCIL_GZ,
    HTMT__STENCIL_F,
    HTMT__STENCIL_D,
    HTMT__STENCIL_ARRAYS = HTMT__STENCIL_D + HTMT__STENCIL_FIELDS
};

#define HTMT__STENCIL_READ  1u
#define HTMT__STENCIL_WRITE 2u

struct htmt__stencil_access {
    uint8_t array, words; /* of a cell that are used */
    uint8_t ghosts;       /* bit a: cells on both sides along axis a, too, but no corners */
    uint8_t use;          /* 0: the end */
};

#define HTMT__STENCIL_ACCESSES 10 /* of a loop, with the end */
extern const struct htmt__stencil_access htmt__stencil_accesses[HTMT__STENCIL_LOOPS]
                                                               [HTMT__STENCIL_ACCESSES];

/* Words of a cell of that array in memory. */
unsigned htmt__stencil_cell_words(unsigned array);
/* Words that an access brings, and rows of the box that they lie in. Stage 0 does not read NEXT. */
uint64_t htmt__stencil_words_read(const struct htmt__stencil_access *a, uint64_t b, unsigned stage);
uint64_t htmt__stencil_words_written(const struct htmt__stencil_access *a, uint64_t b);
uint64_t htmt__stencil_rows(const struct htmt__stencil_access *a, uint64_t b);

/* Bit a: the loop also runs over margins along axis a. */
unsigned htmt__stencil_loop_margins(enum htmt__stencil_loop loop);

/* Cell (x, y, z) of a tile, which is 0, 0, 0 behind the margins; and a box of cells of so many
 * bytes. */
uint64_t htmt__stencil_cell_at(const struct htmt__stencil_plan *p, const int64_t cell[3]);
struct htmt_pieces htmt__stencil_box(const struct htmt__stencil_plan *p, const uint64_t extent[3],
                                     uint64_t bytes);

#endif
