/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: layers whose processors route and copy packets (inside.router of a network).
 *
 * Routing comes first. The time that it takes from a processor puts off the end of the service that
 * the processor has, and whatever the service's log does later; a service that begins meanwhile is
 * put off at once. Packets do not wait for services. A put-off service keeps its pending event:
 * when that comes too early, it is scheduled again.
 *
 * A router keeps its processor as long as it has packets. Else it takes the first processor of the
 * slice that has nothing to do, of those with services alone the first, of others the one that is
 * done with routing first. A service takes the first processor without routing, or the one that is
 * done first.
 */
#ifndef HTMT_PARCELS_MESSAGE_PACKET_ROUTER_H
#define HTMT_PARCELS_MESSAGE_PACKET_ROUTER_H

#include "parcels/message/packet_network.h"

struct htmt__processor {
    const struct htmt__entity *p; /* whose service it has; NULL: none */
    uint32_t turn;                /* counts services */
    htmt_time start;
    htmt_time off, before, changed; /* the service is put off; by how much before the last change */
    htmt_time routed;               /* when all that it routes is done */
    htmt_time ended;                /* the last service */
};

/* Of a layer of a slice. */
struct htmt__router_count {
    uint64_t packets;
    htmt_wide route, copy; /* fs */
    htmt_wide off;         /* services that have ended were put off */
    htmt_wide idle;        /* processors without service and routing */
    htmt_wide left;        /* routing that is not done at the end */
};

struct htmt__routers {
    struct htmt__router_layer {
        uint32_t processors;              /* of a slice */
        struct htmt__processor *at;       /* of each played slice; NULL: the layer does not route */
        struct htmt__router_count *count; /* of each played slice */
    } layer[HTMT_LAYERS_MAX];
    uint32_t *processor[HTMT_NETWORKS_MAX]; /* of each router, by element and plane: its last */
};

/* At the creation of the emulator, when its networks are there: e->routers, if some layer routes.
 * Errors: HTMT_ENOMEM. */
int htmt__routers_create(struct htmt_emulator *e);
void htmt__routers_destroy(struct htmt_emulator *e);
/* A packet is at a router of the network. Returns whose service it puts off, by route and copy;
 * NULL: nobody's. Errors (latched): HTMT_EOVERFLOW. */
const struct htmt__entity *htmt__router_route(struct htmt_emulator *e, uint32_t network,
                                              const struct htmt__router_service *routing);
/* The run is over. */
void htmt__routers_settle(struct htmt_emulator *e);
/* Of all slices; NULL: the layer does not route. */
const struct htmt__router_count *htmt__router_sum(const struct htmt_emulator *e, uint32_t layer,
                                                  struct htmt__router_count *sum);
void htmt__router_count_add(struct htmt__router_count *c, const struct htmt__router_count *others);

/* Only where some layer routes (HTMT__BY_ROUTER): */
/* p has a processor from now on. */
void htmt__router_begin(struct htmt_emulator *e, const struct htmt__entity *p);
/* What p's service, which begins, must wait for routing. */
htmt_time htmt__router_late(const struct htmt_emulator *e, const struct htmt__entity *p);
/* By how much p's service had been put off when this instant began. */
htmt_time htmt__router_before(const struct htmt_emulator *e, const struct htmt__entity *p);
/* p's service was to end now. false: it was put off, and has another event; else it is as long as
 * it took. */
bool htmt__router_ends(struct htmt_emulator *e, struct htmt__entity *p);
/* The moment of p's service, which begins, is to come at `at` unless it is put off. */
void htmt__router_mark(const struct htmt_emulator *e, struct htmt__entity *moment,
                       const struct htmt__entity *p, htmt_time at);
/* A moment was to come now. false: it was put off, and has another event. */
bool htmt__router_comes(struct htmt_emulator *e, struct htmt__entity *moment);

#endif
