/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which channel a packet takes next. One row of a table for each routing; all are functions of the
 * topology, the place and the packet alone.
 */
#ifndef HTMT_LAYERS_NETWORK_ROUTING_H
#define HTMT_LAYERS_NETWORK_ROUTING_H

#include "layers/network/topology.h"

#include <stdbool.h>

/* What of a packet its path depends on. */
struct htmt__bound {
    uint32_t source, target; /* ends */
    const uint16_t
        *route;       /* its ports at the switches on its path, in order; NULL: the machine's */
    uint32_t hops;    /* channels that it has entered */
    uint32_t channel; /* the last of them; UINT32_MAX: it is at its sender */
    uint32_t lane;    /* there */
    uint64_t draw;    /* htmt__route_draw(); 0: that of no packet */
};

struct htmt__next {
    uint32_t channel; /* UINT32_MAX: it is at its target */
    uint32_t lane;
};

/* One of several channels that a packet may take. */
struct htmt__allowed {
    struct htmt__next next;
    uint32_t hops; /* to its target, where ways of different length compete; else 1 */
    uint64_t bias; /* bytes that count as if they were to be sent there, too */
    bool waits;    /* it may wait for the lane; else only if it can enter at once */
};
#define HTMT__WAYS_MOST 64

/* Of a packet at `element`. A path that a route or a graph does not have was refused when the route
 * was made, or the machine was read. */
struct htmt__next htmt__route_next(const struct htmt__topology *t, uint32_t element,
                                   const struct htmt__bound *bound);

/* The channels that a packet may take, where what waits at the element decides; elsewhere that of
 * htmt__route_next(). Returns how many; 0: it is at its target. */
uint32_t htmt__route_ways(const struct htmt__topology *t, uint32_t element,
                          const struct htmt__bound *bound, struct htmt__allowed *way);
/* Whether what waits at an element decides anywhere: of the channel, or of its lane. */
bool htmt__route_chooses(const struct htmt__topology *t);
/* Whether packets of a pair of ends may take several ways, or lanes. */
bool htmt__route_has_many(const struct htmt__inside *inside);
/* Lanes that the routing needs at least; 0: the topology does not know it. */
uint32_t htmt__route_classes(const struct htmt__inside *inside);

/* What a packet's draws begin with: the machine's seed, its source, its message's number there, and
 * its own number in the message. */
static inline uint64_t htmt__route_draw(uint32_t seed, uint32_t source, uint64_t message,
                                        uint32_t number)
{
    uint64_t x = message * UINT64_C(0x9e3779b97f4a7c15) ^
                 (uint64_t)source * UINT64_C(0xd1342543de82ef95) ^ (uint64_t)number << 20 ^
                 (uint64_t)seed * UINT64_C(0xc2b2ae3d27d4eb4f);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* What follows a channel while its end does not have the target's coordinate: generated grids are
 * passed dimension by dimension. */
struct htmt__straight {
    uint32_t channel;   /* the next one in its direction */
    uint32_t dimension; /* of both */
    int32_t at;         /* coordinate of its end there */
    uint32_t lanes;     /* bits that are added to the lane: a ring closes here */
};
/* false: the routing, or the channel, is another one; then htmt__route_next() says. */
bool htmt__route_straight(const struct htmt__topology *t, uint32_t channel,
                          struct htmt__straight *straight);
/* The coordinate of an end, where htmt__route_straight() holds for some channel. */
int32_t htmt__route_coordinate(const struct htmt__topology *t, uint32_t end, uint32_t dimension);

/* Switches on the path, and the channels in order (`channel` holds `room` of them; NULL: count
 * alone). */
uint32_t htmt__route_path(const struct htmt__topology *t, uint32_t source, uint32_t target,
                          const uint16_t *route, uint32_t *channel, uint32_t room);

/* Whether the ports lead from source to target. Errors: HTMT_EROUTE with a line that says where
 * not: a missing link, a wrong end, a circle. */
int htmt__route_check(const struct htmt__topology *t, uint32_t source, uint32_t target,
                      const uint16_t *ports, uint32_t count, struct htmt_fault *fault);

/* lane_circle.c: a circle of lanes that packets may wait for one after the other. *count channels
 * form it, 0: there is none; the first `room` of them are put into `circle`. Ways that messages
 * bring are not known. Errors: HTMT_ENOMEM. */
int htmt__lane_circle(const struct htmt__topology *t, uint32_t *circle, uint32_t room,
                      uint32_t *count);

/* Time from port to port of a message of that many bytes that meets nobody, packets and all; -1:
 * overflow. The closed form of docs/networks.md. */
htmt_time htmt__route_alone(const struct htmt__topology *t, uint32_t source, uint32_t target,
                            uint64_t bytes);

#endif
