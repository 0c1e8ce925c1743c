/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What types do that percolation would not: counted during a run with htmt_options.lint.
 *
 * Each is priced by the charges of the moves that it saves: resident words from the memory before
 * the innermost and, when they are changed, back; words to another slice's innermost memory through
 * the memories before both.
 */
#include "parcels/engine.h"

#include <stdio.h>

static uint32_t innermost(const struct htmt_emulator *e)
{
    return e->layers - 1;
}

static htmt_time leg(const struct htmt_emulator *e, uint32_t from, uint32_t to, bool across,
                     uint64_t words)
{
    int n = htmt_machine_route(e->machine, from, to, across);
    if (n < 0 || !words)
        return 0;
    return htmt_machine_out_time(e->machine, (uint32_t)n, from, to, words, 1, 1) +
           e->machine->network[n].latency;
}

/* To another slice by way of the outer memories: the first that a network joins to its likes. */
static htmt_time around(const struct htmt_emulator *e, uint64_t words)
{
    uint32_t in = innermost(e), l = in;
    htmt_time t = 0;
    while (l > 0) {
        t += leg(e, l, l - 1, false, words) + leg(e, l - 1, l, false, words);
        l--;
        if (htmt_machine_route(e->machine, l, l, true) >= 0)
            return t + leg(e, l, l, true, words);
        if (l > 0 && htmt_machine_route(e->machine, l, l - 1, true) >= 0)
            return t + leg(e, l, l - 1, true, words) + leg(e, l - 1, l, false, words);
    }
    return t;
}

static void count(struct htmt_type *t, enum htmt_departure kind, uint64_t words, htmt_time time)
{
    struct htmt__departed *d = &t->departed[__builtin_ctz((unsigned)kind)];
    d->count++;
    d->words += words;
    d->time += time;
}

static uint64_t count_resident(const struct htmt_emulator *e, struct htmt_type *t, uint64_t bytes,
                               bool in, bool out)
{
    uint32_t l = innermost(e);
    uint64_t words = htmt__words(bytes);
    htmt_time time =
        (in ? leg(e, l - 1, l, false, words) : 0) + (out ? leg(e, l, l - 1, false, words) : 0);
    words *= (uint64_t)in + out;
    count(t, HTMT_DEPARTS_RESIDENT, words, time);
    return words;
}

void htmt__departs_regions(struct htmt_emulator *e, const struct htmt_parcel_desc *d)
{
    struct htmt_type *t = (struct htmt_type *)d->type;
    for (uint32_t i = 0; i < d->region_count && innermost(e); i++) {
        const struct htmt_region *r = &d->regions[i];
        bool used = !r->from.object && !r->to.object;
        if (r->into.object && r->into.object->layer == innermost(e))
            t->departed[0].named += count_resident(e, t, r->bytes, used, used && !r->read_only);
    }
}

void htmt__departs_use(struct htmt_context *c, uint64_t bytes, enum htmt_use use)
{
    if (innermost(c->e) && c->layer == innermost(c->e))
        count_resident(c->e, c->self->type, bytes, use & HTMT_READ, use & HTMT_WRITE);
}

void htmt__departs_fiber(struct htmt_emulator *e, const struct htmt_parcel *fiber)
{
    if (innermost(e) && fiber->step->layer == innermost(e))
        count(fiber->type, HTMT_DEPARTS_OPEN, 0, 0);
}

void htmt__departs_message(const struct htmt_emulator *e, struct htmt_type *type,
                           const struct htmt__leg *way)
{
    if (innermost(e) && way->from == innermost(e) && way->to == way->from &&
        way->source != way->target)
        count(type, HTMT_DEPARTS_EXCHANGE, way->words, around(e, way->words));
}

/* ---- the report ------------------------------------------------------------------------------ */

uint32_t htmt_departure_count(const struct htmt_emulator *e)
{
    uint32_t n = 0;
    for (const struct htmt_type *t = e->types; t; t = t->next)
        n += HTMT_DEPARTURES;
    return n;
}

int htmt_departure_at(const struct htmt_emulator *e, uint32_t index,
                      struct htmt_departure_report *r)
{
    uint32_t back = htmt_departure_count(e) / HTMT_DEPARTURES; /* types are listed last first */
    const struct htmt_type *t = e->types;
    if (index >= back * HTMT_DEPARTURES)
        return HTMT_EINVAL;
    for (uint32_t i = back - 1; i > index / HTMT_DEPARTURES; i--)
        t = t->next;
    const struct htmt__departed *d = &t->departed[index % HTMT_DEPARTURES];
    uint32_t n = e->slices / e->played;
    *r =
        (struct htmt_departure_report){.kind = (enum htmt_departure)(1u << index % HTMT_DEPARTURES),
                                       .count = d->count * n,
                                       .words = d->words * n,
                                       .named = d->named * n,
                                       .time = d->time * n};
    r->declared = t->departures & r->kind;
    snprintf(r->type, sizeof r->type, "%s", t->name);
    return 0;
}
