/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plays a vertex program on a chip of message-driven cells, all cells of all cycles one after
 * another: the written rules of AM-CCA and nothing else, so that what the emulator plays by events
 * has something to be compared with, and vertex programs are tested without it.
 */
#ifndef HTMT_TESTS_GRAPH_CELL_PLAYER_H
#define HTMT_TESTS_GRAPH_CELL_PLAYER_H

#include "apps/graph/vertex.h"

struct cell_player_chip {
    uint32_t side;
    bool torus, throttle;
    uint32_t buffer, action, diffuse, own, cool; /* own: beyond `action`, for the cell itself */
};

struct cell_player_counts {
    uint64_t cycles, created, work, refused, diffusions, done, outdated, filtered, overlapped, hops;
    uint64_t active, standing, throttled; /* cycles of all cells */
    uint32_t stuck; /* cells that are active when nothing moves any more; cycles: up to then */
};

struct cell_player;
struct cell_player *cell_player_create(const struct cell_player_chip *chip,
                                       const struct htmt__vertices *all,
                                       struct htmt__vertex *state);
void cell_player_destroy(struct cell_player *p);
/* An action that lies in its queue before the next cycle. */
void cell_player_post(struct cell_player *p, struct htmt__operon m);
/* Until no cell is active, or nothing moves any more. */
void cell_player_run(struct cell_player *p);
const struct cell_player_counts *cell_player_count(const struct cell_player *p);

#endif
