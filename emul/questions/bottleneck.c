/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which resource or memory held the run back. In this order:
 *  1. Saturated resources, the most used first: in use for SATURATED of the time, or for half of it
 *     with a queue of half an item or more (a short run spends the rest on filling and draining).
 *     Behind a memory for which things wait, those further out have their queues from there: only
 *     the first counts. There a server without a queue must be FULL: it waits for the space.
 *  2. Where none is saturated, space in memories for which half a move or more was waiting on
 *     average. The innermost first: a full CRAM fills the SRAM behind it, not the reverse.
 *  3. The other resources, the most used first, then other memories that stalled anything.
 * Resources and memories that nobody used or waited for are left out. Equal ones keep the order of
 * the machine.
 */
#include "emul/questions/results.h"

#include <stdio.h>

#define SATURATED 0.9
#define FULL      0.95
#define HALF      0.5

/* The innermost memory for which things wait; -1: none. */
static int crowded(const struct htmt__results *r)
{
    int i = (int)r->memory_count - 1;
    while (i >= 0 && r->memory[i].mean_queue < HALF)
        i--;
    return i;
}

static bool is_saturated(const struct htmt__resource *r, int crowd)
{
    bool queue = r->mean_queue >= HALF, inside = (int)r->layer >= crowd;
    if (r->utilization >= (crowd < 0 || queue ? SATURATED : FULL))
        return true;
    return r->utilization >= HALF && queue && inside;
}

static void add_resource(struct htmt__results *r, const struct htmt__resource *from, bool binding)
{
    struct htmt__limit *to = &r->limit[r->limit_count];
    if (!from->served)
        return;
    *to = (struct htmt__limit){.binding = binding,
                               .utilization = from->utilization,
                               .mean_wait_s = from->mean_wait_s,
                               .mean_queue = from->mean_queue};
    snprintf(to->name, sizeof to->name, "%s", from->name);
    r->limit_count++;
}

static void add_memory(struct htmt__results *r, const struct htmt__memory *from, bool binding)
{
    struct htmt__limit *to = &r->limit[r->limit_count];
    if (from->mean_queue <= 0)
        return;
    *to = (struct htmt__limit){.space = true,
                               .binding = binding && from->mean_queue >= HALF,
                               .mean_queue = from->mean_queue};
    if (from->capacity_words)
        to->utilization = (double)from->peak_words / (double)from->capacity_words;
    snprintf(to->name, sizeof to->name, "%.*s space", HTMT_NAME_MAX - 1, from->name);
    r->limit_count++;
}

/* Memories were added innermost first and stay so among themselves. */
static bool before(const struct htmt__limit *a, const struct htmt__limit *b)
{
    if (a->binding != b->binding)
        return a->binding;
    if (a->space != b->space)
        return b->space;
    return !a->space && a->utilization > b->utilization;
}

/* A stable insertion: there are a few dozen. */
static void sort(struct htmt__limit *limit, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        struct htmt__limit moving = limit[i];
        unsigned j = i;
        for (; j && before(&moving, &limit[j - 1]); j--)
            limit[j] = limit[j - 1];
        limit[j] = moving;
    }
}

void htmt__results_rank(struct htmt__results *results)
{
    bool saturated = false;
    int crowd = crowded(results);
    results->limit_count = 0;
    for (unsigned i = 0; i < results->resource_count; i++) {
        bool binding = is_saturated(&results->resource[i], crowd);
        add_resource(results, &results->resource[i], binding);
        saturated |= binding && results->resource[i].served;
    }
    for (unsigned i = results->memory_count; i-- > 0;)
        add_memory(results, &results->memory[i], !saturated);
    sort(results->limit, results->limit_count);
}
