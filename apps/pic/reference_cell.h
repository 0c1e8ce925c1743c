/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program's work on one cell: its particles all see the same 27 points.
 *
 * A bunch is the particles of a cell, up to HTMT__BUNCH at a time, coordinate by coordinate;
 * positions count from the cell's point. It is filled up to whole vectors with particles that do
 * not live: they feel nothing and deposit nothing.
 */
#ifndef HTMT_APPS_PIC_REFERENCE_CELL_H
#define HTMT_APPS_PIC_REFERENCE_CELL_H

#include <stdint.h>

#define HTMT__LANES 8
#define HTMT__BUNCH 64

typedef double htmt__pic_lanes __attribute__((vector_size(8 * HTMT__LANES)));

struct htmt__pic_bunch {
    uint32_t vectors;                                /* in use */
    htmt__pic_lanes live[HTMT__BUNCH / HTMT__LANES]; /* 1 or 0 */
    htmt__pic_lanes at[3][HTMT__BUNCH / HTMT__LANES], v[3][HTMT__BUNCH / HTMT__LANES];
};

struct htmt__pic_cell_push {
    double field[3][27]; /* of the cell's points, x fastest, times charge / mass */
    double before, after, dt;
    htmt__pic_lanes square, momentum[3]; /* sums of v^2 and v, added to */
};

/* Push the bunch: v + before a counts in the sums, then v + (before + after) a, x + dt v. */
void htmt__pic_cell_push(struct htmt__pic_cell_push *p, struct htmt__pic_bunch *b);

/* Add each live particle's weights to those of the 27 points. */
void htmt__pic_cell_deposit(const struct htmt__pic_bunch *b, htmt__pic_lanes weight[27]);

#endif
