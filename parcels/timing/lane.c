/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/lane.h"
#include "runtime/base/pages.h"

#include <stdlib.h>

#define ROOM_LEAST 16u

static bool grow(struct htmt__lane *l)
{
    uint32_t room = l->heap_room ? 2 * l->heap_room : ROOM_LEAST;
    struct htmt__head *heap = htmt__fault_injected() ? NULL : realloc(l->heap, room * sizeof *heap);
    if (!heap)
        return false;
    l->heap = heap;
    l->heap_room = room;
    return true;
}

int htmt__lane_push_heap(struct htmt__lane *l, struct htmt__head h)
{
    if (l->heap_count == l->heap_room && !grow(l))
        return HTMT_ENOMEM;
    uint32_t i = l->heap_count++;
    for (uint32_t parent; i && htmt__head_before(h, l->heap[parent = (i - 1) / 4]); i = parent)
        l->heap[i] = l->heap[parent];
    l->heap[i] = h;
    return 0;
}

static uint32_t least_child(const struct htmt__lane *l, uint32_t first)
{
    uint32_t least = first, end = first + 4 < l->heap_count ? first + 4 : l->heap_count;
    for (uint32_t i = first + 1; i < end; i++)
        least = htmt__head_before(l->heap[i], l->heap[least]) ? i : least;
    return least;
}

/* Takes the place of the heap's first, which is gone. */
static void sift_down(struct htmt__lane *l, struct htmt__head h)
{
    uint32_t i = 0;
    for (uint32_t child; (child = 4 * i + 1) < l->heap_count; i = child) {
        child = least_child(l, child);
        if (!htmt__head_before(l->heap[child], h))
            break;
        l->heap[i] = l->heap[child];
    }
    l->heap[i] = h;
}

/* The next one of its line takes its place. */
struct htmt__entity *htmt__lane_pop_heap(struct htmt__lane *l)
{
    struct htmt__entity *p = l->heap[0].p;
    struct htmt__delay *line = p->line == HTMT__NO_LINE ? NULL : &l->line[p->line];
    if (line) {
        line->first++;
        line->count--;
    }
    if (line && line->count)
        sift_down(l, *htmt__delay_at(line, 0));
    else if (--l->heap_count)
        sift_down(l, l->heap[l->heap_count]);
    return p;
}

/* ---- lines ----------------------------------------------------------------------------------- */

#define UP_MOST 16u /* places that an event moves up in its line */

int htmt__delay_grow(struct htmt__delay *line)
{
    struct htmt__head *ring =
        htmt__fault_injected() ? NULL : malloc(2 * (size_t)line->room * sizeof *ring);
    if (!ring)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < line->count; i++)
        ring[i] = *htmt__delay_at(line, i);
    if (line->ring != line->least)
        free(line->ring);
    line->ring = ring;
    line->room *= 2;
    line->first = 0;
    return 0;
}

/* Not before the head, whose place in the front would change. */
int htmt__lane_push_up(struct htmt__lane *l, struct htmt__delay *line, struct htmt__head h)
{
    uint32_t i = line->count;
    while (i > 1 && line->count - i < UP_MOST && htmt__head_before(h, *htmt__delay_at(line, i - 1)))
        i--;
    if (htmt__head_before(h, *htmt__delay_at(line, i - 1))) {
        h.p->line = HTMT__NO_LINE;
        return htmt__lane_push_heap(l, h);
    }
    for (uint32_t j = line->count++; j > i; j--)
        *htmt__delay_at(line, j) = *htmt__delay_at(line, j - 1);
    *htmt__delay_at(line, i) = h;
    return 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

void htmt__lane_init(struct htmt__lane *l, struct htmt__delay *lines, size_t count)
{
    l->line = lines;
    l->front[0] = (struct htmt__head){HTMT_TIME_MAX, NULL};
    for (size_t i = 0; i < count; i++) {
        lines[i].ring = lines[i].least;
        lines[i].room = HTMT__RING_LEAST;
    }
}

void htmt__lane_fini(struct htmt__lane *l, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (l->line[i].ring != l->line[i].least)
            free(l->line[i].ring);
    free(l->heap);
}

int htmt__lane_create(struct htmt_emulator *e)
{
    size_t count = htmt__line_count(e);
    if (count > HTMT__LINES_MAX)
        return 0;
    e->shared = htmt__record_alloc(sizeof *e->shared + count * sizeof(struct htmt__delay));
    if (!e->shared)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the lines of %zu steps", count);
    htmt__lane_init(e->shared, (struct htmt__delay *)(e->shared + 1), count);
    e->lane = e->shared;
    return 0;
}

void htmt__lane_destroy(struct htmt_emulator *e)
{
    if (e->shared)
        htmt__lane_fini(e->shared, htmt__line_count(e));
    free(e->shared);
    e->shared = e->lane = NULL;
}
