/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The work of the serial program on one cell. All particles of a cell see the same 27 points.
 *
 * A bunch holds up to HTMT__BUNCH particles of a cell, coordinate by coordinate. Positions count
 * from the cell's point. The bunch is padded to whole vectors with particles that are not live: no
 * force acts on them and they deposit nothing.
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
    htmt__pic_lanes square, momentum[3]; /* sums of v^2 and v; a push adds to them */
};

/* Push the bunch: the sums take v + before a; then v becomes v + (before + after) a, and x becomes
 * x + dt v. */
void htmt__pic_cell_push(struct htmt__pic_cell_push *p, struct htmt__pic_bunch *b);

/* Add the weights of each live particle to those of the 27 points. */
void htmt__pic_cell_deposit(const struct htmt__pic_bunch *b, htmt__pic_lanes weight[27]);

#endif
