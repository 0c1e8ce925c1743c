/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small topologies made by hand, and their ways. They stand in for those of machine files: these
 * tests hold the fabric alone. Each has slice i at end i; a switch belongs to the slice that `deal`
 * says, or to slice 0.
 */
#ifndef HTMT_TESTS_FABRIC_GRAPHS_H
#define HTMT_TESTS_FABRIC_GRAPHS_H

#include "layers/network/routing.h"

struct graph;

/* Which channel and lane a packet takes at an element. */
typedef struct htmt__next graph_way(const struct graph *g, uint32_t element,
                                    const struct htmt__bound *bound);

struct graph {
    bool deals; /* lanes to pairs of ends, where the way brings none */
    struct htmt__topology t;
    graph_way *next;
    uint32_t room;   /* of channels */
    uint32_t x, y;   /* meshes, tori */
    uint32_t *table; /* by element and target: channel */
};

/* 1 byte takes `byte` fs. Elements without channels. */
struct graph *graph_create(uint32_t ends, uint32_t switches, const struct htmt__inside *inside);
void graph_destroy(struct graph *g);
/* Both ways between two elements. Returns the channel from a to b; b to a is the next one. */
uint32_t graph_join(struct graph *g, uint32_t a, uint32_t b);
/* One way. */
uint32_t graph_lead(struct graph *g, uint32_t a, uint32_t b);
/* After all are joined: sort the channels by their first element, find shortest ways. */
void graph_done(struct graph *g);
/* The channel from a to b; UINT32_MAX: none. */
uint32_t graph_channel(const struct graph *g, uint32_t a, uint32_t b);

/* Source end 0, n switches in a row, target end 1. */
struct graph *graph_line(uint32_t n, const struct htmt__inside *inside);
/* n switches in a circle of channels one way, an end at each. */
struct graph *graph_ring(uint32_t n, const struct htmt__inside *inside);
/* x by y switches, an end at each; XY. */
struct graph *graph_mesh(uint32_t x, uint32_t y, const struct htmt__inside *inside);
/* By dimension, lane 1 behind the wrap. */
struct graph *graph_torus(uint32_t x, uint32_t y, const struct htmt__inside *inside);
/* All ends at one switch. */
struct graph *graph_star(uint32_t ends, const struct htmt__inside *inside);

/* Switches belong to slices in turn. */
void graph_deal(struct graph *g, uint32_t step);

#endif
