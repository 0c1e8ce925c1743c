/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What types do that percolation would not: counted during a run with htmt_options.lint.
 *
 * Percolation has one rule: whatever a service needs was moved to the innermost memory before it
 * begins, and is moved out when it is over. A program may depart from it in three ways, which save
 * moves. The run is timed as the program is; beside that each departure is priced by the moves that
 * the rule would have charged, one after another and without waits.
 *
 * - resident: a service uses words that stay in the innermost memory. They would come up before it
 * and go down after it. Words that a closure names come from the memory before the innermost and,
 * when they are changed, go back. Words that a service uses otherwise come up before it, and went
 * down when a service before it had changed them; unless something was brought into the object
 * since: then they came to be used.
 *
 * - open: an activation stays while several fibers run in it. Before a later fiber its frame, the
 * arguments, would go down and come up again, with code and header.
 *
 * - exchange: a service sends words to another slice's innermost memory. They would go round by the
 * memories before both.
 *
 * Example. A fiber uses 100 resident words and changes them. Down costs the network's start-up, 100
 * words at its rate and its latency; up the same: with 10 ns, 1 ns a word and 5 ns that is 115 ns
 * each, so this departure has 200 words and 230 ns.
 */
#include "parcels/observe/departure.h"
#include "parcels/clock/probe.h"
#include "parcels/message/route.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/type.h"
#include "parcels/walk/what_if.h"

#include <stdio.h>

static htmt_time leg(const struct htmt_emulator *e, uint32_t from, uint32_t to, bool across,
                     uint64_t words)
{
    int n = htmt_machine_route(e->machine, from, to, across);
    if (n < 0 || !words)
        return 0;
    return htmt_machine_out_time(e->machine, (uint32_t)n, from, to, words, 1, 1) +
           htmt_machine_crossing(e->machine, (uint32_t)n, words);
}

/* To another slice by way of the outer memories; 0: no networks lead there. */
static htmt_time around(const struct htmt_emulator *e, uint32_t slice, uint32_t target,
                        uint64_t words)
{
    uint32_t layer = htmt__innermost(e);
    htmt_time t = 0;
    do {
        uint32_t from = layer, source = slice;
        if (!htmt__detour_next(e, target, &slice, &layer))
            return 0;
        t += leg(e, from, layer, slice != source, words);
    } while (layer != htmt__innermost(e) || slice != target);
    return t;
}

static htmt_time down_and_up(const struct htmt_emulator *e, uint64_t down, uint64_t up)
{
    uint32_t in = htmt__innermost(e);
    return leg(e, in, in - 1, false, down) + leg(e, in - 1, in, false, up);
}

static void count(struct htmt_type *t, enum htmt_departure kind, uint64_t words, htmt_time time)
{
    struct htmt__departed *d = &t->departed[__builtin_ctz((unsigned)kind)];
    d->count++;
    d->words += words;
    d->time += time;
}

static void region(struct htmt_emulator *e, struct htmt_type *t, uint64_t bytes, bool in, bool out)
{
    uint64_t words = htmt__words(bytes), down = out ? words : 0, up = in ? words : 0;
    count(t, HTMT_DEPARTS_RESIDENT, down + up, down_and_up(e, down, up));
}

static void fiber(struct htmt_emulator *e, const struct htmt__entity *f)
{
    uint64_t down = htmt__frame_down(f), up = htmt__frame_up(f);
    if (htmt__innermost(e) && f->step->layer == htmt__innermost(e))
        count(f->type, HTMT_DEPARTS_OPEN, down + up, down_and_up(e, down, up));
}

static void message(struct htmt_emulator *e, struct htmt_type *type, const struct htmt__leg *way)
{
    if (htmt__innermost(e) && htmt__exchanges(e, way))
        count(type, HTMT_DEPARTS_EXCHANGE, way->words,
              around(e, way->source, way->target, way->words));
}

void htmt__lint_watch(struct htmt_emulator *e)
{
    static const struct htmt__lint_probe probe = {
        .region = region, .fiber = fiber, .message = message};
    e->lint = &probe;
}

/* ---- the report ------------------------------------------------------------------------------ */

uint32_t htmt_departure_count(const struct htmt_emulator *e)
{
    uint32_t n = 0;
    for (const struct htmt_type *t = e ? e->types : NULL; t; t = t->next)
        n += HTMT_DEPARTURES;
    return n;
}

int htmt_departure_at(const struct htmt_emulator *e, uint32_t index,
                      struct htmt_departure_report *r)
{
    uint32_t back = htmt_departure_count(e) / HTMT_DEPARTURES; /* types are listed last first */
    if (!r || index >= back * HTMT_DEPARTURES)
        return HTMT_EINVAL;
    const struct htmt_type *t = e->types;
    for (uint32_t i = back - 1; i > index / HTMT_DEPARTURES; i--)
        t = t->next;
    const struct htmt__departed *d = &t->departed[index % HTMT_DEPARTURES];
    uint32_t n = htmt__stands_for(e);
    *r =
        (struct htmt_departure_report){.kind = (enum htmt_departure)(1u << index % HTMT_DEPARTURES),
                                       .count = d->count * n,
                                       .words = d->words * n,
                                       .time = d->time * n};
    r->declared = t->departures & r->kind;
    snprintf(r->type, sizeof r->type, "%s", t->code.name);
    return 0;
}
