/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/packet_queue.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define WAYS       4u
#define ROOM_LEAST 16u
#define HEAP       0u /* the source that is none of the runs */
#define CHUNK      (1u << HTMT__PACKET_CHUNK_BITS)

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

/* ---- places of events ------------------------------------------------------------------------ */

static bool grow_places(struct htmt__packet_queue *q)
{
    const uint32_t chunks = q->room / CHUNK;
    if (!grow_to((void **)&q->chunk, (chunks + 1) * sizeof *q->chunk) ||
        !grow_to((void **)&q->spare, (q->room + CHUNK) * sizeof *q->spare))
        return false;
    q->chunk[chunks] =
        htmt__fault_injected() ? NULL : aligned_alloc(64, CHUNK * sizeof **q->chunk);
    if (!q->chunk[chunks])
        return false;
    q->room += CHUNK;
    return true;
}

/* ---- the heap -------------------------------------------------------------------------------- */

static int heap_push(struct htmt__packet_queue *q, const struct htmt__packet_node *new)
{
    if (q->heaped == q->heap_room) {
        uint32_t room = q->heap_room ? 2 * q->heap_room : ROOM_LEAST;
        if (!grow_to((void **)&q->heap, room * sizeof *q->heap))
            return HTMT_ENOMEM;
        q->heap_room = room;
    }
    uint32_t i = q->heaped++;
    for (; i && before(new, &q->heap[(i - 1) / WAYS]); i = (i - 1) / WAYS)
        q->heap[i] = q->heap[(i - 1) / WAYS];
    q->heap[i] = *new;
    q->at[HEAP] = q->heap->at;
    return 0;
}

/* Of its children the first. */
static uint32_t least_child(const struct htmt__packet_queue *q, uint32_t first)
{
    uint32_t end = first + WAYS < q->heaped ? first + WAYS : q->heaped, least = first;
    for (uint32_t i = first + 1; i < end; i++)
        if (before(&q->heap[i], &q->heap[least]))
            least = i;
    return least;
}

static void heap_pop(struct htmt__packet_queue *q)
{
    const struct htmt__packet_node last = q->heap[--q->heaped];
    uint32_t i = 0;
    for (uint32_t child; (child = WAYS * i + 1) < q->heaped; i = child) {
        child = least_child(q, child);
        if (!before(&q->heap[child], &last))
            break;
        q->heap[i] = q->heap[child];
    }
    q->heap[i] = last;
    q->at[HEAP] = q->heaped ? q->heap->at : HTMT_TIME_MAX;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static const struct htmt__packet_node *first_of(const struct htmt__packet_queue *q, uint32_t source)
{
    const struct htmt__packet_run *r = &q->run[source];
    return source == HEAP ? q->heap : &r->node[r->first & (r->room - 1)];
}

static bool grow_run(struct htmt__packet_run *r)
{
    const uint32_t room = r->room ? 2 * r->room : ROOM_LEAST, count = r->end - r->first;
    struct htmt__packet_node *more = NULL;
    if (!grow_to((void **)&more, room * sizeof *more))
        return false;
    for (uint32_t i = 0; i < count; i++)
        more[i] = r->node[(r->first + i) & (r->room - 1)];
    free(r->node);
    *r = (struct htmt__packet_run){more, 0, count, room};
    return true;
}

static int append(struct htmt__packet_queue *q, uint32_t run, const struct htmt__packet_node *new)
{
    struct htmt__packet_run *r = &q->run[run];
    const uint32_t count = r->end - r->first;
    if (count == r->room && !grow_run(r))
        return HTMT_ENOMEM;
    if (!count)
        q->at[run] = new->at;
    r->node[r->end++ & (r->room - 1)] = *new;
    return 0;
}

/* A run takes what does not come before its last. */
static bool takes(const struct htmt__packet_run *r, const struct htmt__packet_node *new)
{
    return r->first == r->end || !before(new, &r->node[(r->end - 1) & (r->room - 1)]);
}

static void leave(struct htmt__packet_queue *q, uint32_t source)
{
    struct htmt__packet_run *r = &q->run[source];
    if (source == HEAP)
        heap_pop(q);
    else
        q->at[source] = ++r->first == r->end ? HTMT_TIME_MAX : first_of(q, source)->at;
}

/* Of those whose first come at that instant. */
static uint32_t least_of_ties(const struct htmt__packet_queue *q, uint32_t source)
{
    for (uint32_t i = source + 1; i <= HTMT__PACKET_RUNS; i++)
        if (q->at[i] == q->at[source] && before(first_of(q, i), first_of(q, source)))
            source = i;
    return source;
}

static void find_least(struct htmt__packet_queue *q)
{
    uint32_t source = HEAP;
    htmt_time at = q->at[HEAP], rest = HTMT_TIME_MAX;
    for (uint32_t i = 1; i <= HTMT__PACKET_RUNS; i++) {
        const htmt_time other = q->at[i], later = other < at ? at : other;
        rest = later < rest ? later : rest;
        source = other < at ? i : source;
        at = other < at ? other : at;
    }
    q->rest = rest;
    q->least = at == rest && at < HTMT_TIME_MAX ? least_of_ties(q, source) : source;
}

/* ---- the queue ------------------------------------------------------------------------------- */

void htmt__packet_queue_init(struct htmt__packet_queue *q)
{
    *q = (struct htmt__packet_queue){0};
    htmt__packet_queue_clear(q);
}

int htmt__packet_queue_put(struct htmt__packet_queue *q, uint32_t place)
{
    const struct htmt__fabric_event *e = &htmt__packet_queue_at(q, place)->event;
    const struct htmt__packet_node new = {.at = e->at,
                                          .key = e->packet.key,
                                          .minor = (uint64_t)e->packet.number << 8 | e->kind,
                                          .channel = e->channel,
                                          .event = place};
    const uint32_t run = htmt__fabric_run(e);
    int rc = run != HEAP && takes(&q->run[run], &new) ? append(q, run, &new) : heap_push(q, &new);
    if (rc)
        return rc;
    q->count++;
    if (new.at <= q->rest)
        find_least(q);
    return 0;
}

int htmt__packet_queue_push(struct htmt__packet_queue *q, const struct htmt__packet_event *event)
{
    if (!q->spares && q->fresh == q->room && !grow_places(q))
        return HTMT_ENOMEM;
    const uint32_t place = q->spares ? q->spare[--q->spares] : q->fresh++;
    *htmt__packet_queue_at(q, place) = *event;
    return htmt__packet_queue_put(q, place);
}

const struct htmt__packet_node *htmt__packet_queue_first(const struct htmt__packet_queue *q)
{
    return first_of(q, q->least);
}

uint32_t htmt__packet_queue_take(struct htmt__packet_queue *q)
{
    const uint32_t place = first_of(q, q->least)->event;
    q->count--;
    leave(q, q->least);
    if (q->at[q->least] >= q->rest)
        find_least(q);
    return place;
}

void htmt__packet_queue_clear(struct htmt__packet_queue *q)
{
    q->count = q->least = q->heaped = q->fresh = q->spares = 0;
    for (uint32_t i = 1; i <= HTMT__PACKET_RUNS; i++)
        q->run[i].first = q->run[i].end = 0;
    for (uint32_t i = 0; i <= HTMT__PACKET_RUNS; i++)
        q->at[i] = HTMT_TIME_MAX;
    q->rest = HTMT_TIME_MAX;
}

void htmt__packet_queue_fini(struct htmt__packet_queue *q)
{
    for (uint32_t i = 0; i < q->room / CHUNK; i++)
        free(q->chunk[i]);
    for (uint32_t i = 1; i <= HTMT__PACKET_RUNS; i++)
        free(q->run[i].node);
    free(q->heap);
    free(q->chunk);
    free(q->spare);
    htmt__packet_queue_init(q);
}
