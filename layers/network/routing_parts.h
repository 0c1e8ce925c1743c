/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of routings share: a packet that asks, a row for each routing, and their tables.
 */
#ifndef HTMT_LAYERS_NETWORK_ROUTING_PARTS_H
#define HTMT_LAYERS_NETWORK_ROUTING_PARTS_H

#include "layers/network/routing.h"

#include "layers/network/wiring.h"

#define NONE    UINT32_MAX
#define NO_PORT UINT16_MAX
#define FAR     UINT16_MAX
#define OPEN    (UINT32_C(1) << 30) /* the extent of a dimension that closes no ring */

/* A packet at a switch asks for its next channel. */
struct query {
    const struct htmt__topology *t;
    const struct htmt__bound *bound;
    uint32_t element, at; /* the switch, and its number among switches */
};

typedef struct htmt__next next_of(const struct query *q);
/* The channels that the packet may take, HTMT__WAYS_MOST at most; returns how many. */
typedef uint32_t ways_of(const struct query *q, struct htmt__allowed *way);

struct row {
    int (*prepare)(struct htmt__topology *t); /* its tables; NULL: it needs none */
    next_of *next;                            /* NULL: the topology does not know this routing */
    ways_of *ways;    /* where what waits at the switch decides; NULL: nowhere */
    uint32_t classes; /* of lanes, which keep it free of circles; 0: one */
};

struct routes {
    const struct row *row;
    enum htmt__ties ties;
    bool keeps_class;                  /* datelines: keep */
    uint32_t groups;                   /* of lanes: a pair of ends keeps to one */
    uint32_t classes;                  /* lanes of a group */
    uint32_t *home;                    /* of an end: its switch's number; NULL: its own */
    uint32_t dimensions;               /* of places; 0: none */
    uint32_t extent[HTMT__DIMENSIONS]; /* OPEN: no ring closes in this dimension */
    int32_t *place;                    /* of a switch: `dimensions` coordinates */
    uint32_t *step; /* of a switch: the channel forward and the one back in each dimension */
    struct htmt__fat_level *level; /* of a fat tree */
    /* Of graphs, by switch * switches + target's switch. */
    uint16_t *channel[2]; /* behind first[]: on the path, and once the path leads down */
    uint16_t *hops;
    uint16_t *depth; /* up-down: of a switch, from the root */
};

static inline const struct routes *routes_of(const struct htmt__topology *t)
{
    return t->routes;
}

static inline uint32_t home(const struct routes *r, uint32_t end)
{
    return r->home ? r->home[end] : end;
}

/* Over that channel. Lanes that the routing does not need for itself are dealt to pairs of ends. */
static inline struct htmt__next over(const struct query *q, uint32_t channel)
{
    const struct routes *r = routes_of(q->t);
    uint32_t group = r->groups == 1 ? 0 : (q->bound->source + q->bound->target) % r->groups;
    return (struct htmt__next){channel, group};
}

/* The same, in the lane of a class. */
static inline struct htmt__next over_in(const struct query *q, uint32_t channel, uint32_t class)
{
    struct htmt__next next = over(q, channel);
    next.lane = next.lane * routes_of(q->t)->classes + class;
    return next;
}

/* A number that looks random, of the packet's own and of what it decides. */
static inline uint64_t draw(const struct query *q, uint32_t what)
{
    uint64_t x = q->bound->draw + (what + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Below n, each as often as the others but for 2^-32. */
static inline uint32_t draw_below(const struct query *q, uint32_t what, uint32_t n)
{
    return (uint32_t)((draw(q, what) >> 32) * n >> 32);
}

/* many_ways.c: the row of a topology with several ways between two ends; NULL: routing.c has it. */
const struct row *htmt__row_of_many(const struct htmt__inside *inside);

#endif
