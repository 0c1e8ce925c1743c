/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what is kept during a run so that its critical path can be found; path.c
 * reads it.
 *
 * A node is an instant at which an interval ended; it points to the node at which that interval
 * began. Only nodes from which something that is still alive came are kept.
 */
#ifndef HTMT_PARCELS_OBSERVE_LIVE_PATH_H
#define HTMT_PARCELS_OBSERVE_LIVE_PATH_H

#include "parcels/clock/probe.h"
#include "parcels/path.h"

#define HTMT__NO_NODE UINT32_MAX

struct htmt__trace_node {
    htmt_time time;
    uint32_t from; /* HTMT__NO_NODE: time 0 */
    uint32_t users;
    uint32_t stats;
    uint32_t of;
    uint8_t place, why;
};

struct htmt__reason {
    enum htmt__why why;
    uint32_t of;
};

struct htmt__trace {
    struct htmt__trace_node *node;
    uint32_t count, room, free;
    struct htmt__row {
        struct htmt__seat {
            uint32_t node; /* where the entity's event, or turn, will stand */
            uint32_t sent; /* where its last message left its channel */
            struct htmt__reason reason;
            struct htmt__reason begun; /* why it has its channel, where that is held */
            bool queues;               /* its head, for a port, */
            htmt_time since;           /* since then, */
            uint32_t source, target;   /* which a packet from there to there had: */
            uint32_t port;             /* that of this channel */
        } * seat;
        uint32_t seats;
    } * row; /* of each slice; then of its messages, in a guarded run */
    struct htmt__seat nobody;
    uint32_t *channel; /* where each was last used, by htmt__channel_of() */
    uint32_t *used;    /* of the channel that is about to be occupied */
    uint32_t now;      /* what is being done came from there */
    struct htmt__reason reason;
    bool has_via;
    uint32_t via;                   /* what is scheduled next comes from there instead, */
    struct htmt__reason via_reason; /* for that reason */
    const struct htmt__stage_stats *stats;
    struct htmt__block
        *block;    /* the ports that heads waited for, by number: channels of networks */
    uint32_t last; /* the last event of all */
    htmt_time latest;
};

/* The longest wait for a port. */
struct htmt__block {
    htmt_time wait;          /* 0: there was none */
    uint32_t source, target; /* of the packet that had the port */
};

/* Its place in `block`. */
uint32_t htmt__trace_block(const struct htmt_emulator *e, uint32_t of);
/* The emulator has an explain probe from now on. Errors: HTMT_ENOMEM. */
int htmt__trace_create(struct htmt_emulator *e);
void htmt__trace_destroy(struct htmt_emulator *e);

#endif
