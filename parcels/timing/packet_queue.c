/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/packet_queue.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define WAYS       4u
#define ROOM_LEAST 64u

static bool before(const struct htmt__packet_node *a, const struct htmt__packet_node *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->key != b->key)
        return a->key < b->key;
    return a->minor != b->minor ? a->minor < b->minor : a->channel < b->channel;
}

static bool grow_to(void **rows, size_t bytes)
{
    void *more = htmt__fault_injected() ? NULL : realloc(*rows, bytes);
    if (more)
        *rows = more;
    return more;
}

static bool grow(struct htmt__packet_queue *q)
{
    uint32_t room = q->room ? 2 * q->room : ROOM_LEAST;
    if (!grow_to((void **)&q->node, room * sizeof *q->node) ||
        !grow_to((void **)&q->event, room * sizeof *q->event) ||
        !grow_to((void **)&q->spare, room * sizeof *q->spare))
        return false;
    q->room = room;
    return true;
}

int htmt__packet_queue_push(struct htmt__packet_queue *q, const struct htmt__packet_event *event)
{
    if (q->count == q->room && !grow(q))
        return HTMT_ENOMEM;
    const struct htmt__fabric_event *f = &event->event;
    uint32_t place = q->spares ? q->spare[--q->spares] : q->fresh++, i = q->count++;
    const struct htmt__packet_node new = {.at = f->at,
                                          .key = f->packet.key,
                                          .minor = (uint64_t)f->packet.number << 8 | f->kind,
                                          .channel = f->channel,
                                          .event = place};
    q->event[place] = *event;
    for (; i && before(&new, &q->node[(i - 1) / WAYS]); i = (i - 1) / WAYS)
        q->node[i] = q->node[(i - 1) / WAYS];
    q->node[i] = new;
    return 0;
}

/* Of its children the first. */
static uint32_t least_child(const struct htmt__packet_queue *q, uint32_t first)
{
    uint32_t end = first + WAYS < q->count ? first + WAYS : q->count, least = first;
    for (uint32_t i = first + 1; i < end; i++)
        if (before(&q->node[i], &q->node[least]))
            least = i;
    return least;
}

void htmt__packet_queue_pop(struct htmt__packet_queue *q, struct htmt__packet_event *event)
{
    *event = q->event[q->node->event];
    q->spare[q->spares++] = q->node->event;
    const struct htmt__packet_node last = q->node[--q->count];
    uint32_t i = 0;
    for (uint32_t child; (child = WAYS * i + 1) < q->count; i = child) {
        child = least_child(q, child);
        if (!before(&q->node[child], &last))
            break;
        q->node[i] = q->node[child];
    }
    q->node[i] = last;
}

void htmt__packet_queue_clear(struct htmt__packet_queue *q)
{
    q->count = q->fresh = q->spares = 0;
}

void htmt__packet_queue_fini(struct htmt__packet_queue *q)
{
    free(q->node);
    free(q->event);
    free(q->spare);
    *q = (struct htmt__packet_queue){0};
}
