/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what is kept during a run so that its critical path can be found; path.c
 * reads it.
 */
#ifndef HTMT_PARCELS_OBSERVE_LIVE_PATH_H
#define HTMT_PARCELS_OBSERVE_LIVE_PATH_H

#include "parcels/clock/probe.h"
#include "parcels/path.h"

#define HTMT__NO_NODE UINT32_MAX

/* The instant at which an interval ended. It began at that of node `from`. */
struct htmt__path_node {
    htmt_time time;
    uint32_t from;  /* HTMT__NO_NODE: time 0 */
    uint32_t users; /* nodes, entities and channels that refer to it */
    uint32_t stats; /* the stage that the interval belongs to */
    uint32_t of;    /* of `why` */
    uint8_t place, why;
};

struct htmt__reason {
    enum htmt__why why;
    uint32_t of;
};

/* The longest wait of a head for a port. */
struct htmt__port_wait {
    htmt_time wait;          /* 0: there was none */
    uint32_t source, target; /* of the packet that had the port */
};

struct htmt__live_path {
    struct htmt__path_node *node;
    size_t room;
    uint32_t count, free; /* free: the first of a list, linked by `from` */
    struct htmt__origins {
        struct htmt__origin {
            uint32_t node; /* from which the entity's next interval begins */
            uint32_t sent; /* where its last message left its channel */
            struct htmt__reason reason;
            uint32_t *holds; /* place of the channel that its message has, among `channel`, */
            htmt_time start; /* since then; NULL: none */
            bool planned;    /* the end of the message */
            bool queues;     /* its head waits for a port, */
            htmt_time since; /* since then, */
            uint32_t source, target; /* which a packet between these slices had: */
            uint32_t port;           /* that of this channel */
        } * of;                      /* by the index of the entity */
        size_t room;
    } * origins;                /* of each slice; then of its messages, in a guarded run */
    struct htmt__origin nobody; /* after memory ran out */
    uint32_t *channel;          /* where each was last used, by htmt__channel_of() */
    uint32_t *used;             /* of the channel that is about to be occupied */
    uint32_t now;               /* the node of the event that is being played */
    struct htmt__reason reason;
    bool has_via;
    uint32_t via;                   /* the next event begins at this node instead, */
    struct htmt__reason via_reason; /* for that reason */
    const struct htmt__stage_stats *stats;
    struct htmt__port_wait *port; /* by htmt__path_port() */
    uint32_t last;                /* the last event of all */
    htmt_time latest;
};

/* The number among the channels of all networks: of network << HTMT__BLOCKED_NETWORK | channel. */
uint32_t htmt__path_port(const struct htmt_emulator *e, uint32_t of);
/* The emulator has an explain probe from now on. Errors: HTMT_ENOMEM. */
int htmt__live_path_create(struct htmt_emulator *e);
void htmt__live_path_destroy(struct htmt_emulator *e);

#endif
