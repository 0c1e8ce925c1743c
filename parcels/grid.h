/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slices as the places of a grid: where a slice lies, who its neighbours are, puts to them, and
 * arrays that are spread over the grid.
 */
#ifndef HTMT_PARCELS_GRID_H
#define HTMT_PARCELS_GRID_H

#include "parcels/message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One to three dimensions; an extent of 0 counts as 1. Slice x + extent[0] * (y + extent[1] * z)
 * has the place (x, y, z). Along an axis that wraps, the last place and the first one are
 * neighbours; along another one, places at the edge have fewer neighbours. */
struct htmt_grid {
    uint32_t extent[3];
    bool wrap[3];
};

/* These four look at nothing but the grid: callable anywhere. A grid of more than 2^32 - 1 places,
 * and none (NULL), have no slices: 0 and false. */
uint32_t htmt_grid_slices(const struct htmt_grid *grid);
/* Place of a slice. false: the grid does not have it. */
bool htmt_grid_place(const struct htmt_grid *grid, uint32_t slice, uint32_t place[3]);
/* The slice that lies so many steps away. false: there is none. On an axis of one place that wraps
 * a slice is its own neighbour. */
bool htmt_grid_neighbour(const struct htmt_grid *grid, uint32_t slice, const int step[3],
                         uint32_t *neighbour);
/* For how many of the six steps of one place along one axis there is a neighbour. */
uint32_t htmt_grid_neighbours(const struct htmt_grid *grid, uint32_t slice);

/* A put to the neighbour so many steps away. `put` speaks of this slice alone: `dst` lies in its
 * part of a frame, and the bytes go to the same place of the neighbour's part; on_arrived is a slot
 * of this slice, and its twin in the neighbour is signalled (htmt_slot_in()). All slices make the
 * same call, each for its neighbour; then every slice gets one arrival for each call, at the edges
 * of the grid, too:
 * - no neighbour to send to: nothing moves, and on_sent is signalled as by htmt_signal();
 * - no neighbour in the opposite direction, from where bytes would come: on_arrived, and
 *   on_arrived_too, of this slice are signalled as by htmt_signal().
 * From: a control. Never suspends. Errors: those of htmt_put(); HTMT_EINVAL (the grid has not as
 * many places as there are slices, `dst` is in no frame or not in this slice's part, a slot of
 * another slice); HTMT_ESYMMETRY (folded, and slices at an edge do something else than others). */
int htmt_put_neighbour(struct htmt_context *c, const struct htmt_grid *grid, const int step[3],
                       const struct htmt_put *put);

/* How an array of up to three dimensions lies on a grid, the first one contiguous. Each slice has
 * extent[] elements of it (0 counts as 1) in its part of a frame, with room for margin[] elements
 * on both sides along each axis, where neighbours' elements can lie. */
struct htmt_tile {
    uint64_t bytes; /* of an element */
    uint64_t extent[3], margin[3];
};

/* The slices' tiles of an array, without their margins, from `array` into the frame, and back.
 * From: the host, before or after the run. In a model run nothing is copied, and `array` may be
 * NULL. Errors: HTMT_EINVAL (what is needed is NULL, the grid has not as many places as there are
 * slices, an element has no bytes), HTMT_EBOUNDS (a tile with its margins is larger than a slice's
 * part of the frame). */
int htmt_frame_load_tiles(struct htmt_frame *frame, const struct htmt_grid *grid,
                          const struct htmt_tile *tile, const void *array);
int htmt_frame_gather_tiles(const struct htmt_frame *frame, const struct htmt_grid *grid,
                            const struct htmt_tile *tile, void *array);

#ifdef __cplusplus
}
#endif

#endif
