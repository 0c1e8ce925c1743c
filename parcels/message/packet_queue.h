/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the pending events of packets inside networks, of one clock: smallest (time,
 * key, number of the packet, kind, channel, plane, lane) first.
 *
 * How they are kept stands in packet_queue.c.
 */
#ifndef HTMT_PARCELS_MESSAGE_PACKET_QUEUE_H
#define HTMT_PARCELS_MESSAGE_PACKET_QUEUE_H

#include "layers/network/fabric.h"
#include "runtime/sim/pending.h"

#define HTMT__PACKET_CHUNK_BITS 6u
#define HTMT__PACKET_PLACE_BITS 24u /* below the rank, in the key of a pending event */

struct htmt__packet_event {
    struct htmt__fabric_event event;
    uint32_t network;
    uint8_t lines[128 - sizeof(struct htmt__fabric_event) - sizeof(uint32_t)]; /* of the cache */
};

struct htmt__packet_node {
    uint64_t key;
    uint64_t minor; /* number, kind */
    uint64_t place; /* channel, plane, lane */
    uint32_t event; /* its place */
};

struct htmt__packet_queue {
    uint32_t count;
    struct htmt__pending pending;
    const struct htmt__event *fetched; /* up to where */
    /* Of equal rank, at an instant: a heap. They come before all that is pending. */
    htmt_time instant;
    uint64_t rank;
    struct htmt__packet_node *node;
    uint32_t nodes;
    size_t node_room, chunk_room, spare_room;
    struct htmt__packet_event **chunk; /* of events */
    uint32_t *spare;                   /* places of events that are over */
    uint32_t fresh, spares, room;      /* of places */
};

void htmt__packet_queue_init(struct htmt__packet_queue *q);
void htmt__packet_queue_fini(struct htmt__packet_queue *q);
/* Errors: HTMT_ENOMEM. */
int htmt__packet_queue_push(struct htmt__packet_queue *q, const struct htmt__fabric_event *event,
                            uint32_t network);
/* The event at that place is another one, and pending. Errors: HTMT_ENOMEM. */
int htmt__packet_queue_put(struct htmt__packet_queue *q, uint32_t place);
/* The first is pending no more, but keeps its place. There is one. Errors: HTMT_ENOMEM. */
int htmt__packet_queue_take(struct htmt__packet_queue *q, uint32_t *place);
/* The key of the first. There is one. Errors: HTMT_ENOMEM. */
int htmt__packet_queue_first(struct htmt__packet_queue *q, uint64_t *key);
void htmt__packet_queue_clear(struct htmt__packet_queue *q);

/* The event at that place is over. */
static inline void htmt__packet_queue_forget(struct htmt__packet_queue *q, uint32_t place)
{
    q->spare[q->spares++] = place;
}

static inline struct htmt__packet_event *htmt__packet_queue_at(const struct htmt__packet_queue *q,
                                                               uint32_t place)
{
    return &q->chunk[place >> HTMT__PACKET_CHUNK_BITS][place % (1u << HTMT__PACKET_CHUNK_BITS)];
}

/* Of the key of a pending event. */
static inline uint32_t htmt__packet_place(uint64_t key)
{
    return key & ((1u << HTMT__PACKET_PLACE_BITS) - 1);
}

static inline void htmt__packet_event_near(const struct htmt__packet_event *event)
{
    __builtin_prefetch(&event->event, 1);
    __builtin_prefetch(&event->event.time, 1);
}

#define HTMT__PACKETS_FAR  12u /* events: another one comes from memory meanwhile */
#define HTMT__PACKETS_NEXT 4u  /* it is there: what it touches can be fetched */

/* Brings events near that come soon, and tells of those that are. They become known a day at a time
 * (runtime/sim/pending.h). */
static inline __attribute__((always_inline)) void
htmt__packet_queue_ahead(struct htmt__packet_queue *q,
                         void (*tell)(const void *whom, const struct htmt__packet_event *event),
                         const void *whom)
{
    const struct htmt__event *next;
    const bool new_day = q->pending.run < q->fetched; /* it moves up within a day */
    uint64_t key;
    q->fetched = q->pending.run;
    for (size_t i = new_day ? htmt__pending_tomorrow(&q->pending, &next) : 0; i-- > 0;)
        htmt__packet_event_near(htmt__packet_queue_at(q, htmt__packet_place(next[i].key)));
    if (htmt__pending_ahead(&q->pending, HTMT__PACKETS_FAR, &key))
        htmt__packet_event_near(htmt__packet_queue_at(q, htmt__packet_place(key)));
    for (size_t i = new_day ? 0 : HTMT__PACKETS_NEXT; i <= HTMT__PACKETS_NEXT; i++)
        if (htmt__pending_ahead(&q->pending, i, &key))
            tell(whom, htmt__packet_queue_at(q, htmt__packet_place(key)));
}

static inline htmt_time htmt__packet_queue_next(const struct htmt__packet_queue *q)
{
    return q->nodes ? q->instant : htmt__pending_next(&q->pending);
}

#endif
