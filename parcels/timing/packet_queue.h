/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the pending events of packets inside networks, of one clock: smallest (time,
 * key, number of the packet, kind, channel) first. A 4-ary heap of these; the events themselves,
 * which are longer, stay where they were put.
 */
#ifndef HTMT_PARCELS_TIMING_PACKET_QUEUE_H
#define HTMT_PARCELS_TIMING_PACKET_QUEUE_H

#include "layers/fabric/fabric.h"

/* Where it is. */
struct htmt__packet_event {
    struct htmt__fabric_event event;
    uint32_t network;
};

struct htmt__packet_node {
    htmt_time at;
    uint64_t key;
    uint64_t minor; /* number, kind */
    uint32_t channel;
    uint32_t event; /* its place */
};

struct htmt__packet_queue {
    struct htmt__packet_node *node;
    struct htmt__packet_event *event;
    uint32_t *spare; /* places of events that are over */
    uint32_t count, room, fresh, spares;
};

/* Errors: HTMT_ENOMEM. */
int htmt__packet_queue_push(struct htmt__packet_queue *q, const struct htmt__packet_event *event);
/* There is one. */
void htmt__packet_queue_pop(struct htmt__packet_queue *q, struct htmt__packet_event *event);
void htmt__packet_queue_clear(struct htmt__packet_queue *q);
void htmt__packet_queue_fini(struct htmt__packet_queue *q);

static inline htmt_time htmt__packet_queue_next(const struct htmt__packet_queue *q)
{
    return q->count ? q->node->at : HTMT_TIME_MAX;
}

#endif
