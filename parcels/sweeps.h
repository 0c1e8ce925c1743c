/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sweeps over an array of rows that are spread over the slices: what stencils need.
 */
#ifndef HTMT_PARCELS_SWEEPS_H
#define HTMT_PARCELS_SWEEPS_H

#include "parcels/blocks.h"
#include "parcels/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array that is replaced by another one again and again, each row by a function of itself and of
 * `halo` rows on either side. Slice i has the i-th part of the rows, in the memory where `type` is
 * at home. In every sweep a slice puts its first and last `halo` rows to its neighbours
 * (htmt_put_neighbour()). When those of both neighbours are there, it assembles a parcel of `type`
 * for each `band` of its rows (htmt_blocks()); when the life of all of them is over, the sweep is.
 * No slice waits for others than its neighbours. All is charged and counted as these calls are; the
 * controls themselves take no time.
 * A parcel has two regions: 0 comes in, the rows of its band between `halo` rows on either side; 1
 * goes back, the new rows of the band, of which the kernel writes every byte. Beyond the first and
 * the last row of the array lie zeros, unless it wraps. */
struct htmt_sweeps {
    size_t size;                  /* htmt_sweeps_init(), or 0 */
    const struct htmt_type *type; /* of the parcels */
    uint64_t row, rows;           /* bytes of a row; rows of the array */
    uint64_t halo, band;          /* rows */
    uint64_t sweeps;
    bool wrap; /* the last row and the first one are neighbours */
    /* by htmt_sweeps_create(): the array after an even and an odd number of sweeps */
    struct htmt_frame *frame[2];
    struct htmt_grid grid;
    struct htmt_tile tile;
};
static inline struct htmt_sweeps htmt_sweeps_init(void)
{
    struct htmt_sweeps d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}

/* Arguments of a parcel, if its type has args_bytes of this size. */
struct htmt_sweeps_args {
    uint64_t sweep, row; /* sweeps that are over; the band's first row in the array */
};

/* Takes two frames, each of a slice's rows and 2 * halo more, completes *s, and assembles in every
 * slice what leads the sweeps, from time 0 on. Once for each array; *s is copied.
 * From: the host, before the run. Errors: HTMT_EINVAL (rows that are no multiple of slices times
 * band, a halo of more rows than a slice has, nothing to do, a type with other arguments), those of
 * htmt_frame_create(), htmt_type_create() and htmt_assemble(). Folded, the array must wrap
 * (HTMT_ESYMMETRY). */
int htmt_sweeps_create(struct htmt_emulator *e, struct htmt_sweeps *s);

/* The array before the first sweep, and after the last one. Errors: as htmt_frame_load_tiles(). */
int htmt_sweeps_load(const struct htmt_sweeps *s, const void *array);
int htmt_sweeps_gather(const struct htmt_sweeps *s, void *array);

#ifdef __cplusplus
}
#endif

#endif
