/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks the resources and memories that limited the run, in this order:
 *  1. Saturated resources, the most used first. A resource is saturated if it was in use for
 *     SATURATED of the time, or for half of the time with a mean queue of half an item or more. (A
 *     short run spends the rest on filling and draining.) If moves wait for space in a memory, the
 *     queues of the layers further out come from that wait, and do not count. A server without a
 *     queue must then be in use for FULL of the time, because it waits for the space.
 *  2. If no resource is saturated: memories for which half a move or more was waiting on average,
 *     the innermost first, because a full CRAM fills the SRAM behind it, not the reverse.
 *  3. The other resources, the most used first, then the other memories that stalled a move.
 * Unused resources and memories without waiting moves are left out. Equal entries keep the order of
 * the machine.
 */
#include "emul/lib/questions/results.h"

#include <stdio.h>

#define SATURATED 0.9
#define FULL      0.95
#define HALF      0.5

/* The innermost memory for which moves wait; -1: there is none. */
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
    struct htmt_limit_report *to = &r->limit[r->limit_count];
    if (!from->served)
        return;
    *to = (struct htmt_limit_report){.binding = binding,
                                     .utilization = from->utilization,
                                     .mean_wait_s = from->mean_wait_s,
                                     .mean_queue = from->mean_queue};
    snprintf(to->name, sizeof to->name, "%s", from->name);
    r->limit_count++;
}

static void add_memory(struct htmt__results *r, const struct htmt__memory *from, bool binding)
{
    struct htmt_limit_report *to = &r->limit[r->limit_count];
    if (from->mean_queue <= 0)
        return;
    *to = (struct htmt_limit_report){.space = true,
                                     .binding = binding && from->mean_queue >= HALF,
                                     .mean_queue = from->mean_queue};
    if (from->capacity_words)
        to->utilization = (double)from->peak_words / (double)from->capacity_words;
    snprintf(to->name, sizeof to->name, "%.*s space", HTMT_NAME_MAX - 1, from->name);
    r->limit_count++;
}

/* Memories were added from the innermost outwards; among themselves they keep this order. */
static bool before(const struct htmt_limit_report *a, const struct htmt_limit_report *b)
{
    if (a->binding != b->binding)
        return a->binding;
    if (a->space != b->space)
        return b->space;
    return !a->space && a->utilization > b->utilization;
}

/* Insertion sort: stable, for a few dozen entries. */
static void sort(struct htmt_limit_report *limit, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        struct htmt_limit_report moving = limit[i];
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
