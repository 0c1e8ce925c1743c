/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Interval graphs are coloured with the fewest colours if intervals come in the order of their
 * begins and each takes the lowest lane that is free: as many lanes as intervals overlap at most.
 * Two heaps find it: lanes that are busy, by the time at which they become free, and lanes that are
 * idle, by number. A begin first moves the lanes that have become free from one heap to the other.
 * So n intervals on k lanes cost n * log(k).
 */
#include "emul/lib/trace/lanes.h"

#include "runtime/base/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool before(const struct htmt__lane_end *a, const struct htmt__lane_end *b)
{
    return a->until != b->until ? a->until < b->until : a->lane < b->lane;
}

static void push(struct htmt__lane_end *heap, uint32_t count, struct htmt__lane_end item)
{
    uint32_t at = count;
    for (; at && before(&item, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

/* Removes the first of `count` items, which is at least 1. */
static struct htmt__lane_end pop(struct htmt__lane_end *heap, uint32_t count)
{
    struct htmt__lane_end first = heap[0], last = heap[count - 1];
    uint32_t at = 0;
    for (uint32_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && before(&heap[child + 1], &heap[child]);
        if (!before(&heap[child], &last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

uint32_t htmt__lanes_count(const struct htmt__lanes *l)
{
    return l->busy_count + l->idle_count;
}

int htmt__lanes_take(struct htmt__lanes *l, htmt_time start, htmt_time end)
{
    /* Lanes whose interval is over wait for the next one, the lowest first. */
    while (l->busy_count && l->busy[0].until <= start) {
        uint32_t lane = pop(l->busy, l->busy_count--).lane;
        push(l->idle, l->idle_count++, (struct htmt__lane_end){0, lane});
    }
    uint32_t lane = htmt__lanes_count(l);
    if (l->idle_count)
        lane = pop(l->idle, l->idle_count--).lane;
    else if (!htmt__array_fits(&l->busy, &l->busy_room, (size_t)lane + 1, sizeof *l->busy) ||
             !htmt__array_fits(&l->idle, &l->idle_room, (size_t)lane + 1, sizeof *l->idle))
        return HTMT_ENOMEM;
    push(l->busy, l->busy_count++, (struct htmt__lane_end){end, lane});
    return (int)lane;
}

void htmt__lanes_clear(struct htmt__lanes *l)
{
    free(l->busy);
    free(l->idle);
    memset(l, 0, sizeof *l);
}
