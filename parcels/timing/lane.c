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
    if (p->next) {
        sift_down(l, (struct htmt__head){p->next_at, p->next});
        return p;
    }
    if (--l->heap_count)
        sift_down(l, l->heap[l->heap_count]);
    if (p->line != HTMT__NO_LINE)
        l->last[p->line] = NULL;
    return p;
}

void htmt__lane_fini(struct htmt__lane *l)
{
    free(l->heap);
}
