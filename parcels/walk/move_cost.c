/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many words a closure moves over each hop and holds in each memory, and the time its moves
 * occupy their channels. Parcels of a type mostly have one cost, so costs are kept and shared.
 */
#include "parcels/walk/move_cost.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/charge.h"
#include "parcels/walk/entity.h"
#include "parcels/walk/object.h"
#include "parcels/walk/type.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t pieces_of(struct htmt_pieces p)
{
    return p.count ? p.count : 1;
}

/* The way of one region: inward from place `join`, outward to place `leave`. */
struct way {
    uint32_t join, leave; /* places on the type's path; hops: stays at the layer of execution */
};

static int way_of(struct htmt_emulator *e, const struct htmt_type *t, const struct htmt_region *r,
                  uint32_t slice, struct way *w)
{
    int join = (int)t->hops, leave = (int)t->hops;
    const struct htmt_object *from = r->from.object, *to = r->to.object;
    if (from)
        join = htmt__type_place(t, from->layer);
    if (to)
        leave = htmt__type_place(t, to->layer);
    if (join < 0 || leave < 0)
        return htmt__fail(e, HTMT_EROUTE, "type %s: a region lies in %s, off the parcel's way",
                          t->code.name, (join < 0 ? from : to)->name);
    if ((from && from->slice != slice) || (to && to->slice != slice))
        return htmt__fail(e, HTMT_EROUTE,
                          "type %s: a region lies in another slice; move it by htmt_put()",
                          t->code.name);
    w->join = (uint32_t)join;
    w->leave = (uint32_t)leave;
    return 0;
}

static int check_into(struct htmt_emulator *e, const struct htmt_type *t,
                      const struct htmt_region *r, uint32_t slice)
{
    const struct htmt_object *o = r->into.object;
    if (o && (o->slice != slice || o->layer != t->code.exec))
        return htmt__fail(e, HTMT_EROUTE, "type %s: %s does not lie where the parcel executes",
                          t->code.name, o->name);
    return 0;
}

/* What passes 64 bits is larger than any memory and stays so. */
static void increase(uint64_t *sum, uint64_t words)
{
    if (__builtin_add_overflow(*sum, words, sum))
        *sum = UINT64_MAX;
}

/* htmt_options.what_if: what lies in the innermost memory comes along, and goes when it was
 * changed.
 */
static void add_carried(const struct htmt_emulator *e, const struct htmt_type *t,
                        const struct htmt_region *r, struct htmt__size *s)
{
    bool used = r->into.object && !r->from.object && !r->to.object;
    if (!used || r->into.object->layer + 1 != e->layers)
        return;
    for (uint32_t i = 1; i <= t->hops; i++) {
        uint32_t l = t->path[i];
        increase(&s[l].in, htmt__words(r->bytes));
        increase(&s[l].space, htmt__words(r->bytes));
        s[l].in_pieces++;
        increase(&s[l].out, r->read_only ? 0 : htmt__words(r->bytes));
        s[l].out_pieces += !r->read_only;
    }
}

static void add_region(const struct htmt_type *t, const struct htmt_region *r, const struct way *w,
                       struct htmt__size *s)
{
    const uint32_t n = t->hops;
    const uint64_t plain = htmt__words(r->bytes), *own = r->in_words;
    const uint64_t result = own[t->code.exec] ? own[t->code.exec] : plain;
    for (uint32_t i = n > 0; i <= n; i++) {
        uint32_t l = t->path[i];
        uint64_t here = own[l] ? own[l] : plain, in = i > w->join ? here : 0;
        uint64_t out = i <= w->leave ? 0 : r->out_words[l] ? r->out_words[l] : result;
        increase(&s[l].in, in);
        s[l].in_pieces += in ? (i == w->join + 1 ? pieces_of(r->from_pieces) : 1) : 0;
        increase(&s[l].out, out);
        s[l].out_pieces += out ? (i == w->leave + 1 ? pieces_of(r->to_pieces) : 1) : 0;
        if (i < n)
            increase(&s[l].space, in > out ? in : out);
        else if (!r->into.object)
            increase(&s[l].space, here > out ? here : out);
    }
}

static void add_code(const struct htmt_type *t, struct htmt__size *s)
{
    uint64_t words = t->code_words;
    increase(&words, t->header_words);
    for (uint32_t i = 1; i <= t->hops; i++) {
        increase(&s[t->path[i]].in, words);
        increase(&s[t->path[i]].space, words);
    }
    if (t->image && t->hops)
        s[t->home].space = s[t->path[1]].in;
}

static __attribute__((noinline)) bool has_room_now(const struct htmt_emulator *e,
                                                   const struct htmt_type *t,
                                                   struct htmt__move_cost *cost, uint32_t slice)
{
    const struct htmt__store *store = htmt__store_at(e, slice, 0);
    bool here = true, everywhere = true;
    for (uint32_t i = 0; i <= t->hops; i++) {
        uint32_t l = t->path[i];
        const struct htmt__stock *k = &e->stock[l];
        here &= cost->size[l].space <= k->capacity - store[l].resident;
        everywhere &= cost->size[l].space <= k->capacity - k->resident_peak;
    }
    if (everywhere)
        cost->fits_beside = e->crowded;
    return here;
}

/* A parcel of that cost fits beside the objects of its slice. */
static inline bool has_room(const struct htmt_emulator *e, const struct htmt_type *t,
                            struct htmt__move_cost *cost, uint32_t slice)
{
    return cost->fits_beside == e->crowded || has_room_now(e, t, cost, slice);
}

static int fits(struct htmt_emulator *e, const struct htmt_type *t, const struct htmt__size *s,
                uint32_t slice)
{
    for (uint32_t i = 0; i <= t->hops; i++) {
        uint32_t l = t->path[i];
        const struct htmt__store *store = htmt__store_at(e, slice, l);
        uint64_t capacity = e->stock[l].capacity;
        if (s[l].space > capacity - store->resident)
            return htmt__fail(
                e, HTMT_ECAPACITY,
                "a parcel %s takes %llu words of %s, which has %llu - %llu resident = %llu",
                t->code.name, (unsigned long long)s[l].space, e->machine->layer[l].memory.name,
                (unsigned long long)capacity, (unsigned long long)store->resident,
                (unsigned long long)(capacity - store->resident));
    }
    return 0;
}

static int time_moves(struct htmt_emulator *e, const struct htmt_type *t, struct htmt__move_cost *s)
{
    const struct htmt_machine *m = e->machine;
    for (uint32_t i = 1; i <= t->hops; i++) {
        uint32_t outer = t->path[i - 1], inner = t->path[i];
        int in = htmt_machine_route(m, outer, inner, false);
        int out = htmt_machine_route(m, inner, outer, false);
        if (in < 0 || out < 0)
            return htmt__fail(e, HTMT_EROUTE, "no network joins %s and %s", m->layer[outer].name,
                              m->layer[inner].name);
        const struct htmt__size *z = &s->size[inner];
        struct htmt__passage *down = &s->passage[inner], *up = down + HTMT_LAYERS_MAX;
        *down = (struct htmt__passage){
            z->in, htmt_machine_out_time(m, (uint32_t)in, outer, inner, z->in, z->in_pieces, 1),
            htmt_machine_in_time(m, (uint32_t)in, inner, z->in, 1)};
        *up = (struct htmt__passage){
            z->out, htmt_machine_out_time(m, (uint32_t)out, inner, outer, z->out, 1, z->out_pieces),
            htmt_machine_in_time(m, (uint32_t)out, outer, z->out, z->out_pieces)};
        if (htmt__too_long(down->out_time) || htmt__too_long(down->in_time) ||
            htmt__too_long(up->out_time) || htmt__too_long(up->in_time))
            return htmt__fail(e, HTMT_EOVERFLOW, "type %s: the time of a move overflows",
                              t->code.name);
    }
    return 0;
}

/* ---- those that are kept --------------------------------------------------------------------- */

#define COSTS_LEAST 64u /* that a type may keep */

/* Returns how many entities the slice has had at a time. */
static uint64_t mark_used(const struct htmt_emulator *e, const struct htmt_type *t, uint32_t slice)
{
    const uint32_t fresh = htmt__slice_at(e, slice)->fresh;
    for (uint32_t i = 0; i < fresh; i++) {
        const struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(slice, i));
        if (p->kind == HTMT__PARCEL && p->state != HTMT__FREE && p->type == t && p->cost)
            ((struct htmt__move_cost *)p->cost)->used = true;
    }
    return fresh;
}

static uint64_t mark_all(const struct htmt_emulator *e, const struct htmt_type *t)
{
    uint64_t entities = 0;
    const struct htmt__partition *own = e->partition;
    for (uint32_t i = 0; i < (own ? own->slices : e->played); i++)
        entities += mark_used(e, t, own ? own->slice[i] : i);
    return entities;
}

/* What the next moves are compared with is none of those that go. */
static void forget(const struct htmt_type *t, const struct htmt__move_cost *cost)
{
    for (uint32_t i = 0; i < t->steps; i++)
        if (t->step[i].alike && t->step[i].alike->cost == cost)
            t->step[i].alike->cost = NULL;
}

static void drop_unused(struct htmt_type *t)
{
    for (struct htmt__move_cost *c, **at = &t->cost; (c = *at);) {
        if (c->used) {
            c->used = false;
            at = &c->next;
            continue;
        }
        *at = c->next;
        forget(t, c);
        free(c);
        t->costs--;
    }
}

/* Before another one. Parcels whose sizes come from data may each cost something else. The next
 * time is when there are so many more that it pays to look at all entities. Those of a guarded run
 * cannot be looked at. */
static void bound_costs(const struct htmt_emulator *e, struct htmt_type *t)
{
    uint64_t entities = 0;
    if (t->costs < t->costs_most || e->guard)
        return;
    if (t->costs) {
        entities = mark_all(e, t);
        drop_unused(t);
    }
    t->costs_most = t->costs + (entities > COSTS_LEAST ? entities : COSTS_LEAST);
}

static struct htmt__move_cost *keep(struct htmt_emulator *e, struct htmt_type *t,
                                    const struct htmt__size *size)
{
    for (struct htmt__move_cost **at = &t->cost; *at; at = &(*at)->next)
        if (!memcmp((*at)->size, size, e->layers * sizeof *size)) {
            struct htmt__move_cost *found =
                *at; /* to the front: the next parcel mostly has the same */
            *at = found->next;
            found->next = t->cost;
            return t->cost = found;
        }
    bound_costs(e, t);
    struct htmt__move_cost *s = calloc(1, sizeof *s);
    if (!s) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a closure");
        return NULL;
    }
    memcpy(s->size, size, e->layers * sizeof *size);
    for (uint32_t l = 0; l < e->layers; l++)
        s->space[l] = size[l].space;
    if (time_moves(e, t, s)) {
        free(s);
        return NULL;
    }
    s->next = t->cost;
    t->costs++;
    return t->cost = s;
}

/* An address of region i is none, or outside; latched. */
__attribute__((cold, noinline)) static int refuse_end(struct htmt_emulator *e,
                                                      const struct htmt_parcel_desc *d, uint32_t i,
                                                      const struct htmt_addr *at, const char *verb)
{
    const struct htmt_region *r = &d->regions[i];
    const struct htmt_pieces whole = {0};
    char what[120];
    snprintf(what, sizeof what, "region %u of type %s %s", i, d->type->code.name, verb);
    return htmt__bounds_of(e, *at, r->bytes,
                           at == &r->from ? r->from_pieces
                           : at == &r->to ? r->to_pieces
                                          : whole,
                           what);
}

static int check_region(struct htmt_emulator *e, const struct htmt_parcel_desc *d, uint32_t i)
{
    const struct htmt_region *r = &d->regions[i];
    int rc = 0;
    if (r->from.object && !htmt__inside(e, r->from, r->bytes, r->from_pieces))
        rc = refuse_end(e, d, i, &r->from, "comes from");
    if (r->to.object && !rc && !htmt__inside(e, r->to, r->bytes, r->to_pieces))
        rc = refuse_end(e, d, i, &r->to, "goes to");
    if (r->into.object && !rc && !htmt__inside_run(e, r->into, r->bytes))
        rc = refuse_end(e, d, i, &r->into, "lies in");
    return rc;
}

/* ---- parcels like one before ----------------------------------------------------------------- */

#define COSTS_COMPARED 4u /* of a type */
#define BOTH_WORDS     (2 * HTMT_LAYERS_MAX * sizeof(uint64_t))
_Static_assert(offsetof(struct htmt_region, out_words) - offsetof(struct htmt_region, in_words) ==
                   BOTH_WORDS / 2,
               "words in and out lie side by side");

static const char *words_of(const struct htmt_region *r)
{
    return (const char *)r + offsetof(struct htmt_region, in_words);
}

static uint8_t layer_of(struct htmt_addr at)
{
    return at.object ? (uint8_t)at.object->layer : HTMT_LAYERS_MAX;
}

static void remember(struct htmt__move_cost *cost, const struct htmt_parcel_desc *d)
{
    cost->regions = d->region_count;
    for (uint32_t i = 0; i < d->region_count && i < HTMT__REGIONS_KNOWN; i++) {
        const struct htmt_region *r = &d->regions[i];
        struct htmt__region_cost *k = &cost->region[i];
        *k = (struct htmt__region_cost){.from = layer_of(r->from),
                                        .to = layer_of(r->to),
                                        .into = layer_of(r->into),
                                        .read_only = r->read_only,
                                        .bytes = r->bytes,
                                        .from_pieces = r->from_pieces,
                                        .to_pieces = r->to_pieces};
        memcpy(k->words, words_of(r), BOTH_WORDS);
    }
}

static inline bool same_pieces(const struct htmt_pieces *a, const struct htmt_pieces *b)
{
    return a->count == b->count && a->bytes == b->bytes && a->stride == b->stride;
}

/* The end of a region lies in that layer, where the parcel may have it. */
static inline bool lies_in(const struct htmt_emulator *e, struct htmt_addr at, uint8_t layer,
                           uint32_t slice, uint64_t bytes)
{
    const struct htmt_object *o = at.object;
    if (!o)
        return layer == HTMT_LAYERS_MAX;
    return o->layer == layer && o->slice == slice && htmt__inside_run(e, at, bytes);
}

static __attribute__((noinline)) bool pieces_lie_in(const struct htmt_emulator *e,
                                                    const struct htmt_addr *at, uint8_t layer,
                                                    uint32_t slice, uint64_t bytes,
                                                    const struct htmt_pieces *pieces)
{
    return at->object && at->object->layer == layer && at->object->slice == slice &&
           htmt__inside(e, *at, bytes, *pieces);
}

/* One end of a region, which has `was` for its pieces. */
static inline bool end_like(const struct htmt_emulator *e, const struct htmt_addr *at,
                            uint8_t layer, uint32_t slice, uint64_t bytes,
                            const struct htmt_pieces *is, const struct htmt_pieces *was)
{
    if (__builtin_expect(is->count || was->count, 0))
        return same_pieces(is, was) && pieces_lie_in(e, at, layer, slice, bytes, is);
    return lies_in(e, *at, layer, slice, bytes);
}

static inline bool costs_like(const struct htmt_emulator *e, const struct htmt_region *r,
                              const struct htmt__region_cost *k, uint32_t slice)
{
    return r->bytes == k->bytes && r->read_only == k->read_only &&
           end_like(e, &r->from, k->from, slice, r->bytes, &r->from_pieces, &k->from_pieces) &&
           end_like(e, &r->to, k->to, slice, r->bytes, &r->to_pieces, &k->to_pieces) &&
           lies_in(e, r->into, k->into, slice, r->bytes) &&
           !memcmp(words_of(r), k->words, BOTH_WORDS);
}

/* Nothing is wrong with the parcel, and it costs what one before it did. */
static inline bool costs(const struct htmt_emulator *e, const struct htmt_type *t,
                         struct htmt__move_cost *cost, const struct htmt_parcel_desc *d)
{
    if (d->region_count != cost->regions || d->region_count > HTMT__REGIONS_KNOWN)
        return false;
    for (uint32_t i = 0; i < d->region_count; i++)
        if (!costs_like(e, &d->regions[i], &cost->region[i], d->slice))
            return false;
    return has_room(e, t, cost, htmt__played(e, d->slice));
}

/* ---- the call -------------------------------------------------------------------------------- */

static __attribute__((noinline)) const struct htmt__move_cost *
weigh(struct htmt_emulator *e, struct htmt_type *t, const struct htmt_parcel_desc *d)
{
    struct htmt__size size[HTMT_LAYERS_MAX];
    memset(size, 0, e->layers * sizeof *size);
    for (uint32_t i = 0; i < d->region_count; i++) {
        const struct htmt_region *r = &d->regions[i];
        struct way w = {0};
        if (check_region(e, d, i) || way_of(e, t, r, d->slice, &w) || check_into(e, t, r, d->slice))
            return NULL;
        add_region(t, r, &w, size);
        if (e->options.what_if & HTMT_DEPARTS_RESIDENT)
            add_carried(e, t, r, size);
    }
    add_code(t, size);
    if (fits(e, t, size, htmt__played(e, d->slice)))
        return NULL;
    struct htmt__move_cost *cost = keep(e, t, size);
    if (cost)
        remember(cost, d);
    return cost;
}

const struct htmt__move_cost *htmt__move_cost_of(struct htmt_emulator *e, struct htmt_type *t,
                                                 const struct htmt_parcel_desc *d)
{
    struct htmt__move_cost *cost = t->cost;
    for (uint32_t i = 0; cost && i < COSTS_COMPARED; cost = cost->next, i++)
        if (costs(e, t, cost, d))
            return cost;
    return weigh(e, t, d);
}
