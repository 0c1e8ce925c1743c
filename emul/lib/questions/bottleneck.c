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
 * Where the figures of each slice are known, those of the busiest slice decide, not the mean: if
 * one of 4096 slices sends all the time and the others listen, its channel has 100 % and the mean
 * 0.02 %. Unused resources and memories without waiting moves are left out. Equal entries keep the
 * order of the machine.
 */
#include "emul/lib/questions/results.h"

#include <stdio.h>

#define SATURATED 0.9
#define FULL      0.95
#define HALF      0.5

/* `crowd`: the innermost memory for which moves wait; -1: there is none. */
static bool is_saturated(const struct htmt_limit_report *l, uint32_t layer, int crowd)
{
    bool queue = l->mean_queue >= HALF, inside = (int)layer >= crowd;
    if (l->utilization >= (crowd < 0 || queue ? SATURATED : FULL))
        return true;
    return l->utilization >= HALF && queue && inside;
}

/* The longest mean queue of a slice. Of slices that are alike it is the mean but for rounding, and
 * the mean is what the tables say. */
static double queue_of(const struct htmt__spread *s, double mean)
{
    return s && s->most_queue > mean * (1 + 1e-9) ? s->most_queue : mean;
}

/* Moves that wait for space, in the slice where most do. */
static double crowd_of(const struct htmt__results *r, const struct htmt__memory *m)
{
    char name[sizeof r->limit->name];
    snprintf(name, sizeof name, "%.*s space", HTMT_NAME_MAX - 1, m->name);
    const struct htmt__spread *s = htmt__results_spread_of(r, name);
    return queue_of(s, m->mean_queue);
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
    int crowd = (int)results->memory_count - 1;
    while (crowd >= 0 && crowd_of(results, &results->memory[crowd]) < HALF)
        crowd--;
    for (unsigned i = 0; i < results->resource_count; i++) {
        const struct htmt__resource *from = &results->resource[i];
        struct htmt_limit_report *to = &limit[count];
        if (!from->served)
            continue;
        const struct htmt__spread *s = htmt__results_spread_of(results, from->name);
        *to = (struct htmt_limit_report){.utilization =
                                             s && s->ranges ? s->busiest_share : from->utilization,
                                         .mean_wait_s = from->mean_wait_s,
                                         .mean_queue = queue_of(s, from->mean_queue)};
        to->binding = is_saturated(to, from->layer, crowd);
        snprintf(to->name, sizeof to->name, "%s", from->name);
        saturated |= to->binding;
        count++;
    }
    for (unsigned i = results->memory_count; i-- > 0;) {
        const struct htmt__memory *from = &results->memory[i];
        struct htmt_limit_report *to = &limit[count];
        if (from->mean_queue <= 0)
            continue;
        const double queue = crowd_of(results, from);
        *to = (struct htmt_limit_report){
            .space = true, .binding = !saturated && queue >= HALF, .mean_queue = queue};
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
