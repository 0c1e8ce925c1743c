/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pending events of packets inside networks.
 *
 * An event has a long key (time, key, number, kind, channel, plane, lane) and 120 bytes. A calendar
 * queue (runtime/sim/pending.h) is fast for short keys: a time and 64 bits. So of the long key only
 * the upper part, 40 bits that never fall in the order of an instant (rank_of), goes into the
 * calendar, with 24 bits that say where the event lies; the event itself is not moved. Events of
 * equal time and rank are few: when their turn comes they are taken out together, into a 4-ary heap
 * that compares all of their keys (gather). If an event that comes before them is put in meanwhile,
 * they go back (scatter).
 *
 * The key tells any two events apart whose order matters. Control of two lanes of a channel differs
 * in the lane alone; which of them a wire is dealt to first changes paces by their last bits. A
 * heap's order of equal keys depends on what else lies in it, thus on which slices a clock plays.
 */
#include "parcels/message/packet_queue.h"
#include "runtime/base/array.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define WAYS  4u
#define CHUNK (1u << HTMT__PACKET_CHUNK_BITS)

/* ---- places of events ------------------------------------------------------------------------ */

/* A chunk more: places do not move. */
static bool grow_places(struct htmt__packet_queue *q)
{
    const uint32_t chunks = q->room / CHUNK;
    if (q->room >> HTMT__PACKET_PLACE_BITS ||
        !htmt__array_fits(&q->chunk, &q->chunk_room, chunks + 1, sizeof *q->chunk) ||
        !htmt__array_fits(&q->spare, &q->spare_room, q->room + CHUNK, sizeof *q->spare))
        return false;
    q->chunk[chunks] = htmt__fault_injected() ? NULL : aligned_alloc(64, CHUNK * sizeof **q->chunk);
    if (!q->chunk[chunks])
        return false;
    q->room += CHUNK;
    return true;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

#define PACKETS UINT64_C(0x8000000000) /* behind control, whose key is 0 */

/* 40 bits that never fall in the order of events of an instant. */
static uint64_t rank_of(const struct htmt__fabric_event *e)
{
    return e->packet.key ? PACKETS | e->packet.key >> 25 : e->packet.number;
}

static struct htmt__event pending_of(htmt_time at, uint64_t rank, uint32_t place)
{
    return (struct htmt__event){at, rank << HTMT__PACKET_PLACE_BITS | place};
}

static uint64_t rank_in(uint64_t key)
{
    return key >> HTMT__PACKET_PLACE_BITS;
}

/* ---- an instant ------------------------------------------------------------------------------ */

static bool before(const struct htmt__packet_node *a, const struct htmt__packet_node *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->minor != b->minor ? a->minor < b->minor : a->place < b->place;
}

static int join(struct htmt__packet_queue *q, uint32_t place)
{
    const struct htmt__fabric_event *e = &htmt__packet_queue_at(q, place)->event;
    const struct htmt__packet_node new = {.key = e->packet.key,
                                          .minor = (uint64_t)e->packet.number << 8 | e->kind,
                                          .place = (uint64_t)e->channel << 16 |
                                                   (uint64_t)e->packet.plane << 8 | e->packet.lane,
                                          .event = place};
    if (!htmt__array_fits(&q->node, &q->node_room, (size_t)q->nodes + 1, sizeof *q->node))
        return HTMT_ENOMEM;
    uint32_t i = q->nodes++;
    for (; i && before(&new, &q->node[(i - 1) / WAYS]); i = (i - 1) / WAYS)
        q->node[i] = q->node[(i - 1) / WAYS];
    q->node[i] = new;
    return 0;
}

static uint32_t leave(struct htmt__packet_queue *q)
{
    const uint32_t place = q->node->event;
    const struct htmt__packet_node last = q->node[--q->nodes];
    uint32_t i = 0;
    for (uint32_t child; (child = WAYS * i + 1) < q->nodes; i = child) {
        const uint32_t end = child + WAYS < q->nodes ? child + WAYS : q->nodes;
        for (uint32_t k = child + 1; k < end; k++)
            if (before(&q->node[k], &q->node[child]))
                child = k;
        if (!before(&q->node[child], &last))
            break;
        q->node[i] = q->node[child];
    }
    q->node[i] = last;
    return place;
}

static bool is_like(struct htmt__packet_queue *q, struct htmt__event event)
{
    return htmt__pending_next(&q->pending) == event.time &&
           rank_in(htmt__pending_next_key(&q->pending)) == rank_in(event.key);
}

/* The event, and all of its instant and rank, come into the heap. */
static int gather(struct htmt__packet_queue *q, struct htmt__event event)
{
    struct htmt__event next;
    int rc = join(q, htmt__packet_place(event.key));
    q->instant = event.time;
    q->rank = rank_in(event.key);
    while (!rc && is_like(q, event) && htmt__pending_pop(&q->pending, &next))
        rc = join(q, htmt__packet_place(next.key));
    return rc;
}

/* ---- the queue ------------------------------------------------------------------------------- */

void htmt__packet_queue_init(struct htmt__packet_queue *q)
{
    *q = (struct htmt__packet_queue){0};
    htmt__pending_init(&q->pending);
}

/* Beside those that were gathered: it is one of them, comes before them, or behind. */
static int put_beside(struct htmt__packet_queue *q, struct htmt__event new)
{
    int rc = 0;
    if (new.time == q->instant && rank_in(new.key) == q->rank)
        return join(q, htmt__packet_place(new.key));
    if (htmt__event_before(new, pending_of(q->instant, q->rank, 0)))
        while (q->nodes && !rc) /* scatter */
            rc = htmt__pending_push(&q->pending,
                                    pending_of(q->instant, q->rank, q->node[--q->nodes].event));
    return rc ? rc : htmt__pending_push(&q->pending, new);
}

int htmt__packet_queue_put(struct htmt__packet_queue *q, uint32_t place)
{
    const struct htmt__fabric_event *e = &htmt__packet_queue_at(q, place)->event;
    const struct htmt__event new = pending_of(e->at, rank_of(e), place);
    int rc = q->nodes ? put_beside(q, new) : htmt__pending_push(&q->pending, new);
    q->count += !rc;
    return rc;
}

int htmt__packet_queue_push(struct htmt__packet_queue *q, const struct htmt__fabric_event *event,
                            uint32_t network)
{
    if (!q->spares && q->fresh == q->room && !grow_places(q))
        return HTMT_ENOMEM;
    const uint32_t place = q->spares ? q->spare[--q->spares] : q->fresh++;
    struct htmt__packet_event *p = htmt__packet_queue_at(q, place);
    p->event = *event;
    p->network = network;
    return htmt__packet_queue_put(q, place);
}

int htmt__packet_queue_take(struct htmt__packet_queue *q, uint32_t *place)
{
    struct htmt__event next;
    int rc = 0;
    q->count--;
    if (!q->nodes && htmt__pending_pop(&q->pending, &next)) {
        *place = htmt__packet_place(next.key);
        if (!is_like(q, next))
            return 0;
        rc = gather(q, next);
    }
    if (!rc)
        *place = leave(q);
    return rc;
}

int htmt__packet_queue_first(struct htmt__packet_queue *q, uint64_t *key)
{
    struct htmt__event next;
    int rc = q->nodes || !htmt__pending_pop(&q->pending, &next) ? 0 : gather(q, next);
    *key = rc ? 0 : q->node->key;
    return rc;
}

void htmt__packet_queue_clear(struct htmt__packet_queue *q)
{
    htmt__pending_fini(&q->pending);
    htmt__pending_init(&q->pending);
    q->count = q->nodes = q->fresh = q->spares = 0;
}

void htmt__packet_queue_fini(struct htmt__packet_queue *q)
{
    htmt__pending_fini(&q->pending);
    for (uint32_t i = 0; i < q->room / CHUNK; i++)
        free(q->chunk[i]);
    free(q->node);
    free(q->chunk);
    free(q->spare);
    htmt__packet_queue_init(q);
}
