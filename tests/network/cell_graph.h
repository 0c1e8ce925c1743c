/* SPDX-License-Identifier: BSD-3-Clause
 *
 * BFS, SSSP and PageRank on cells, as CCA-Simulator plays them: graphs in objects on cells, their
 * programs, and a player of one or several partitions. For tests of layers/network/cells.h.
 */
#ifndef HTMT_TESTS_NETWORK_CELL_GRAPH_H
#define HTMT_TESTS_NETWORK_CELL_GRAPH_H

#include "layers/network/cells.h"

struct edge {
    uint32_t from, to, weight;
};

struct edges {
    uint32_t vertices, count;
    struct edge *at;
};

enum cell_app { CELL_BFS, CELL_SSSP, CELL_PAGERANK };

struct cell_case {
    enum cell_app app;
    struct htmt__cells_grid grid; /* width = height */
    uint32_t root, iterations;
    uint32_t vicinity, least, most, ghosts;
    uint32_t partitions; /* 0: one */
    uint64_t dealt;      /* seed of which partition plays which cell */
    bool plain;          /* by tests/network/plain_cells.h */
    bool watched;
};

/* Cycles, and counts of all cells. */
struct cell_result {
    uint64_t cycles, objects;
    struct htmt__cells_account counts;
    double *value; /* of each vertex: level, distance or rank */
    int failed;
    uint32_t stuck;                   /* cells that wait for ever */
    struct htmt__cells_series series; /* of one that is watched */
};

/* The figures of the rows without a `v`: BFS from vertex 0 on a torus of that side. */
struct cell_case cell_case_of(uint32_t side);

/* "n n m", then m lines "from to weight". false: not to be read. */
bool edges_read(struct edges *g, const char *path);
void edges_destroy(struct edges *g);

/* Plays it to the end. The result's `value` is the caller's. */
struct cell_result cell_play(const struct edges *g, const struct cell_case *c);

/* glibc's rand() behind srand(1989). */
struct cell_random {
    uint32_t r[344 + 34];
    uint32_t n;
};
void cell_random_begin(struct cell_random *s, uint32_t seed);
uint32_t cell_random_next(struct cell_random *s);

#endif
