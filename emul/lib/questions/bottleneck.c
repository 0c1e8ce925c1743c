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

static bool is_saturated(const struct htmt__resource *r, int crowd)
{
    bool queue = r->mean_queue >= HALF, inside = (int)r->layer >= crowd;
    if (r->utilization >= (crowd < 0 || queue ? SATURATED : FULL))
        return true;
    return r->utilization >= HALF && queue && inside;
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

void htmt__results_rank(struct htmt__results *results)
{
    struct htmt_limit_report *limit = results->limit;
    bool saturated = false;
    unsigned count = 0;
    int crowd =
        (int)results->memory_count - 1; /* the innermost memory for which moves wait, or -1 */
    while (crowd >= 0 && results->memory[crowd].mean_queue < HALF)
        crowd--;
    for (unsigned i = 0; i < results->resource_count; i++) {
        const struct htmt__resource *from = &results->resource[i];
        struct htmt_limit_report *to = &limit[count];
        if (!from->served)
            continue;
        *to = (struct htmt_limit_report){.binding = is_saturated(from, crowd),
                                         .utilization = from->utilization,
                                         .mean_wait_s = from->mean_wait_s,
                                         .mean_queue = from->mean_queue};
        snprintf(to->name, sizeof to->name, "%s", from->name);
        saturated |= to->binding;
        count++;
    }
    for (unsigned i = results->memory_count; i-- > 0;) {
        const struct htmt__memory *from = &results->memory[i];
        struct htmt_limit_report *to = &limit[count];
        if (from->mean_queue <= 0)
            continue;
        *to = (struct htmt_limit_report){.space = true,
                                         .binding = !saturated && from->mean_queue >= HALF,
                                         .mean_queue = from->mean_queue};
        if (from->capacity_words)
            to->utilization = (double)from->peak_words / (double)from->capacity_words;
        snprintf(to->name, sizeof to->name, "%.*s space", HTMT_NAME_MAX - 1, from->name);
        count++;
    }
    /* Insertion sort: stable, for a few dozen entries. */
    for (unsigned i = 1; i < count; i++) {
        struct htmt_limit_report moving = limit[i];
        unsigned j = i;
        for (; j && before(&moving, &limit[j - 1]); j--)
            limit[j] = limit[j - 1];
        limit[j] = moving;
    }
    results->limit_count = count;
}
