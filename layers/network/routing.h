/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which channel a packet takes next. One row of a table for each routing; all are functions of the
 * topology, the place and the packet alone.
 */
#ifndef HTMT_LAYERS_NETWORK_ROUTING_H
#define HTMT_LAYERS_NETWORK_ROUTING_H

#include "layers/network/topology.h"

/* What of a packet its path depends on. */
struct htmt__bound {
    uint32_t source, target; /* ends */
    const uint16_t
        *route;       /* its ports at the switches on its path, in order; NULL: the machine's */
    uint32_t hops;    /* channels that it has entered */
    uint32_t channel; /* the last of them; UINT32_MAX: it is at its sender */
    uint32_t lane;    /* there */
};

struct htmt__next {
    uint32_t channel; /* UINT32_MAX: it is at its target */
    uint32_t lane;
};

/* Of a packet at `element`. A path that a route or a graph does not have was refused when the route
 * was made, or the machine was read. */
struct htmt__next htmt__route_next(const struct htmt__topology *t, uint32_t element,
                                   const struct htmt__bound *bound);

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

/* Time from port to port of a message of that many bytes that meets nobody, packets and all; -1:
 * overflow. The closed form of docs/networks.md. */
htmt_time htmt__route_alone(const struct htmt__topology *t, uint32_t source, uint32_t target,
                            uint64_t bytes);

#endif
