/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A grid of cells of one partition, played in the plainest way: to judge layers/network/cells.h.
 */
#ifndef HTMT_TESTS_NETWORK_PLAIN_CELLS_H
#define HTMT_TESTS_NETWORK_PLAIN_CELLS_H

#include "layers/network/cells.h"

struct plain_cells;

struct plain_cells *plain_cells_create(const struct htmt__cells_grid *grid,
                                       const struct htmt__cells_calls *calls);
void plain_cells_destroy(struct plain_cells *p);
bool plain_cells_put(struct plain_cells *p, uint32_t cell, uint32_t message);
void plain_cells_diffuse(struct plain_cells *p, uint32_t cell, uint32_t message);
void plain_cells_generate(struct plain_cells *p, uint32_t cell, uint32_t generator, uint64_t count);
/* One cycle after another, from 0 on. Returns whether a cell is active behind it. */
bool plain_cells_play(struct plain_cells *p);
/* The last cycle in which something moved. */
int64_t plain_cells_moved(const struct plain_cells *p);
void plain_cells_count(const struct plain_cells *p, struct htmt__cells_account *account);

#endif
