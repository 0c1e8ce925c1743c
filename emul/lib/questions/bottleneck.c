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
 *  3. The others: resources by their use, memories by the number of moves that wait, one at most,
 *     latencies of networks by the messages in flight of the slice that sends most, but by no more
 *     than the time that the most used resource rests: without any latency the run would still take
 *     its busy time.
 * If the run was explained, everything goes by its share of the critical path instead, and
 * latencies of networks are entries, too: a bottleneck is what gains when it is mended, and a
 * resource that nobody waits for gains nothing, however much it is used. Where the figures of each
 * slice are known, those of the busiest slice decide, not the mean: if one of 4096 slices sends all
 * the time and the others listen, its channel has 100 % and the mean 0.02 %. Unused resources and
 * memories without waiting moves are left out. Equal entries keep the order of the machine.
 */
#include "emul/lib/questions/explanation.h"
#include "emul/lib/questions/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    char name[sizeof r->limit->report.name];
    snprintf(name, sizeof name, "%.*s space", HTMT_NAME_MAX - 1, m->name);
    const struct htmt__spread *s = htmt__results_spread_of(r, name);
    return queue_of(s, m->mean_queue);
}

/* "vortex latency" is the name of network vortex, and not of a network vor; NULL has none. */
static bool is_name_of(const char *name, const char *thing, const char *kind)
{
    const size_t length = thing ? strlen(thing) : 0;
    return length && strncmp(name, thing, length) == 0 && strcmp(name + length, kind) == 0;
}

/* What a message in flight is held back by. */
static const char *behind(const struct htmt__cause *c)
{
    return strcmp(c->cause, htmt_path_cause_name(HTMT_PATH_BLOCKED)) == 0 ? " ports" : " latency";
}

/* Time of the critical path that this entry accounts for: a resource by intervals that used it or
 * waited for it, a memory by stalls, a latency by messages in flight, ports inside a network by
 * heads that queue for them. One interval may be a stall
 * for a memory while a message is in flight, and counts for both: either of them, mended, would end
 * it. */
static double path_share(const struct htmt__limit *l, const struct htmt__explanation *x)
{
    const char *name = l->report.name;
    htmt_time sum = 0;
    if (!x || !x->made || !x->predicted)
        return (double)NAN;
    for (unsigned i = 0; i < x->count; i++) {
        const struct htmt__cause *c = &x->cause[i];
        bool of;
        if (l->latency)
            of = is_name_of(name, htmt__cause_network(c), behind(c));
        else if (l->report.space)
            of = strcmp(c->cause, htmt_path_cause_name(HTMT_PATH_STALL)) == 0 &&
                 is_name_of(name, c->of, " space");
        else
            of = strcmp(c->used, name) == 0 ||
                 (strcmp(c->cause, htmt_path_cause_name(HTMT_PATH_QUEUE)) == 0 &&
                  strcmp(c->of, name) == 0);
        sum += of ? c->time : 0;
    }
    return (double)sum / (double)x->predicted;
}

/* How much an entry that does not bind may hold the run back: its share of the path if that is
 * known; else the share of time in use, and of a memory the number of moves that wait, one at most.
 */
static double weight(const struct htmt__limit *l)
{
    if (!isnan(l->path_share))
        return l->path_share;
    if (l->report.space)
        return l->report.mean_queue < 1 ? l->report.mean_queue : 1;
    return l->report.utilization;
}

/* Memories were added from the innermost outwards; those that bind keep this order among
 * themselves. */
static bool before(const struct htmt__limit *a, const struct htmt__limit *b)
{
    const bool explained = !isnan(a->path_share);
    if (!explained && a->report.binding != b->report.binding)
        return a->report.binding;
    if (!explained && a->report.binding && a->report.space && b->report.space)
        return false;
    return weight(a) > weight(b);
}

/* A latency, and ports, for each network that messages of the path were in flight in. */
static unsigned add_latencies(struct htmt__limit *limit, unsigned room,
                              const struct htmt__explanation *x)
{
    unsigned count = 0;
    for (unsigned i = 0; i < x->count; i++) {
        const char *network = htmt__cause_network(&x->cause[i]);
        struct htmt__limit to = {.latency = true};
        bool known = !network || !*network;
        snprintf(to.report.name, sizeof to.report.name, "%.*s%s", HTMT_NAME_MAX - 1,
                 known ? "" : network, behind(&x->cause[i]));
        for (unsigned k = 0; k < count && !known; k++)
            known = strcmp(limit[k].report.name, to.report.name) == 0;
        if (!known && count < room) {
            to.report.utilization = path_share(&to, x);
            limit[count++] = to;
        }
    }
    return count;
}

/* Without a path: by messages in flight. `most`: use of the most used resource. */
static unsigned add_flights(struct htmt__limit *limit, const struct htmt__results *r, double most)
{
    for (unsigned i = 0; i < r->flight_count; i++) {
        const double mean = r->flight[i].mean, in_flight = r->flight[i].most,
                     rests = 1 - fmin(most, 1);
        limit[i] = (struct htmt__limit){
            .latency = true, .report = {.utilization = fmin(in_flight, rests), .mean_queue = mean}};
        snprintf(limit[i].report.name, sizeof limit[i].report.name, "%s", r->flight[i].name);
    }
    return r->flight_count;
}

void htmt__results_rank(struct htmt__results *results, const struct htmt__explanation *x)
{
    struct htmt__limit *limit = results->limit;
    bool saturated = false;
    double most = 0;
    unsigned count = 0;
    int crowd = (int)results->memory_count - 1;
    while (crowd >= 0 && crowd_of(results, &results->memory[crowd]) < HALF)
        crowd--;
    for (unsigned i = 0; i < results->resource_count; i++) {
        const struct htmt__resource *from = &results->resource[i];
        struct htmt_limit_report *to = &limit[count].report;
        if (!from->served)
            continue;
        const struct htmt__spread *s = htmt__results_spread_of(results, from->name);
        limit[count].latency = false;
        *to = (struct htmt_limit_report){.utilization =
                                             s && s->ranges ? s->busiest_share : from->utilization,
                                         .mean_wait_s = from->mean_wait_s,
                                         .mean_queue = queue_of(s, from->mean_queue)};
        to->binding = is_saturated(to, from->layer, crowd);
        snprintf(to->name, sizeof to->name, "%s", from->name);
        saturated |= to->binding;
        most = fmax(most, to->utilization);
        count++;
    }
    for (unsigned i = results->memory_count; i-- > 0;) {
        const struct htmt__memory *from = &results->memory[i];
        struct htmt_limit_report *to = &limit[count].report;
        if (from->mean_queue <= 0)
            continue;
        const double queue = crowd_of(results, from);
        limit[count++].latency = false;
        *to = (struct htmt_limit_report){
            .space = true, .binding = !saturated && queue >= HALF, .mean_queue = queue};
        if (from->capacity_words)
            to->utilization = (double)from->peak_words / (double)from->capacity_words;
        snprintf(to->name, sizeof to->name, "%.*s space", HTMT_NAME_MAX - 1, from->name);
    }
    count += x && x->made ? add_latencies(&limit[count], results->resource_count, x)
                          : add_flights(&limit[count], results, most);
    for (unsigned i = 0; i < count; i++)
        limit[i].path_share = path_share(&limit[i], x);
    /* Insertion sort: stable, for a few dozen entries. */
    for (unsigned i = 1; i < count; i++) {
        struct htmt__limit moving = limit[i];
        unsigned j = i;
        for (; j && before(&moving, &limit[j - 1]); j--)
            limit[j] = limit[j - 1];
        limit[j] = moving;
    }
    results->limit_count = count;
}

/* The entry of that name if it is worse than `worst` by use alone. */
static const struct htmt__limit *worse(const struct htmt__results *r, const char *name,
                                       const char *kind, const struct htmt__limit *worst)
{
    for (unsigned i = 0; i < r->limit_count; i++) {
        struct htmt__limit by_use = r->limit[i], other = worst ? *worst : r->limit[i];
        by_use.path_share = other.path_share = (double)NAN;
        if (!r->limit[i].latency && is_name_of(r->limit[i].report.name, name, kind))
            return !worst || before(&by_use, &other) ? &r->limit[i] : worst;
    }
    return worst;
}

/* In the order in which entries were added: of equal ones the first is the worst. */
const char *htmt__results_worst(const struct htmt__results *r, bool by_path)
{
    const struct htmt__limit *worst = NULL;
    if (!r->limit_count)
        return NULL;
    if (by_path || isnan(r->limit[0].path_share))
        return r->limit[0].report.name;
    for (unsigned i = 0; i < r->resource_count; i++)
        worst = worse(r, r->resource[i].name, "", worst);
    for (unsigned i = r->memory_count; i-- > 0;)
        worst = worse(r, r->memory[i].name, " space", worst);
    return worst ? worst->report.name : r->limit[0].report.name;
}
