/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the pending events of packets inside networks, of one clock: smallest (time,
 * key, number of the packet, kind, channel) first.
 *
 * A packet enters the next element some constant time after the last one, so events of a kind come
 * nearly always in order, and line up in a run each: a ring. What comes out of order is in a 4-ary
 * heap beside them. The events themselves, which are longer, stay where they were put.
 */
#ifndef HTMT_PARCELS_TIMING_PACKET_QUEUE_H
#define HTMT_PARCELS_TIMING_PACKET_QUEUE_H

#include "layers/fabric/fabric.h"

#define HTMT__PACKET_RUNS       HTMT__FABRIC_REGULAR
#define HTMT__PACKET_CHUNK_BITS 6u

struct htmt__packet_event {
    _Alignas(64) struct htmt__fabric_event event;
    uint32_t network;
};

struct htmt__packet_node {
    htmt_time at;
    uint64_t key;
    uint64_t minor; /* number, kind */
    uint32_t channel;
    uint32_t event; /* its place */
};

struct htmt__packet_run {
    struct htmt__packet_node *node; /* by number, modulo the room */
    uint32_t first, end, room;      /* numbers; a power of two */
};

struct htmt__packet_queue {
    uint32_t count;
    uint32_t least; /* the run that has the first; 0: the heap has */
    htmt_time rest; /* no other one has anything before this */
    uint32_t heaped, heap_room;
    /* Of the first of the heap (0), and of each run; HTMT_TIME_MAX: none. */
    htmt_time at[HTMT__PACKET_RUNS + 1];
    struct htmt__packet_run run[HTMT__PACKET_RUNS + 1];
    struct htmt__packet_node *heap;
    struct htmt__packet_event **chunk; /* of events */
    uint32_t *spare;                   /* places of events that are over */
    uint32_t fresh, spares, room;      /* of places */
};

void htmt__packet_queue_init(struct htmt__packet_queue *q);
void htmt__packet_queue_fini(struct htmt__packet_queue *q);
/* Errors: HTMT_ENOMEM. */
int htmt__packet_queue_push(struct htmt__packet_queue *q, const struct htmt__packet_event *event);
/* There is one. */
const struct htmt__packet_node *htmt__packet_queue_first(const struct htmt__packet_queue *q);
/* It is pending no more, but keeps its place; returns that. There is one. */
uint32_t htmt__packet_queue_take(struct htmt__packet_queue *q);
/* The event at that place is over. */
static inline void htmt__packet_queue_forget(struct htmt__packet_queue *q, uint32_t place)
{
    q->spare[q->spares++] = place;
}
/* The event at that place is another one, and pending. Errors: HTMT_ENOMEM. */
int htmt__packet_queue_put(struct htmt__packet_queue *q, uint32_t place);
void htmt__packet_queue_clear(struct htmt__packet_queue *q);

static inline struct htmt__packet_event *
htmt__packet_queue_at(const struct htmt__packet_queue *q, uint32_t place)
{
    return &q->chunk[place >> HTMT__PACKET_CHUNK_BITS][place % (1u << HTMT__PACKET_CHUNK_BITS)];
}

/* One that will come soon, about `after` others later; NULL: none is known. For prefetching only. */
static inline struct htmt__packet_event *
htmt__packet_queue_ahead(const struct htmt__packet_queue *q, uint32_t after)
{
    const struct htmt__packet_run *r = &q->run[1];
    if (r->end - r->first <= after)
        return NULL;
    return htmt__packet_queue_at(q, r->node[(r->first + after) & (r->room - 1)].event);
}

static inline htmt_time htmt__packet_queue_next(const struct htmt__packet_queue *q)
{
    return q->at[q->least];
}

#endif
