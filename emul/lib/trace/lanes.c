/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/lanes.h"

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

static int grow(struct htmt__lanes *l)
{
    uint32_t room = l->room ? 2 * l->room : 16;
    struct htmt__lane_end *busy = realloc(l->busy, room * sizeof *busy);
    l->busy = busy ? busy : l->busy;
    struct htmt__lane_end *idle = busy ? realloc(l->idle, room * sizeof *idle) : NULL;
    l->idle = idle ? idle : l->idle;
    l->room = idle ? room : l->room;
    return idle ? 0 : HTMT_ENOMEM;
}

uint32_t htmt__lanes_count(const struct htmt__lanes *l)
{
    return l->busy_count + l->idle_count;
}

/* Lanes that are busy no longer wait for the next one by their number alone. */
static void release(struct htmt__lanes *l, htmt_time now)
{
    while (l->busy_count && l->busy[0].until <= now) {
        uint32_t lane = pop(l->busy, l->busy_count--).lane;
        push(l->idle, l->idle_count++, (struct htmt__lane_end){0, lane});
    }
}

int htmt__lanes_take(struct htmt__lanes *l, htmt_time start, htmt_time end)
{
    release(l, start);
    uint32_t lane = htmt__lanes_count(l);
    if (!l->idle_count && lane == l->room && grow(l))
        return HTMT_ENOMEM;
    if (l->idle_count)
        lane = pop(l->idle, l->idle_count--).lane;
    push(l->busy, l->busy_count++, (struct htmt__lane_end){end, lane});
    return (int)lane;
}

void htmt__lanes_clear(struct htmt__lanes *l)
{
    free(l->busy);
    free(l->idle);
    memset(l, 0, sizeof *l);
}
