/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the places of a grid.
 */
#ifndef HTMT_PARCELS_MESSAGE_GRID_H
#define HTMT_PARCELS_MESSAGE_GRID_H

#include "parcels/clock/engine.h"

/* At least 1. */
static inline uint32_t htmt__grid_extent(const struct htmt_grid *grid, int axis)
{
    return grid->extent[axis] ? grid->extent[axis] : 1;
}
/* htmt_grid_neighbour(); `sign` -1: the opposite way. */
bool htmt__grid_towards(const struct htmt_grid *grid, uint32_t slice, const int step[3], int sign,
                        uint32_t *neighbour);
/* 0, or HTMT_EINVAL (latched): the grid has a place for each slice. */
int htmt__grid_check(struct htmt_emulator *e, const struct htmt_grid *grid, const char *call);

#endif
