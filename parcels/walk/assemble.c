/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parcels are made: the description is checked and weighed, and the parcel gets its parts.
 *
 * Weighing. A parcel holds words in each memory on its way and moves words over each hop. Both
 * follow from its regions: a region comes from a layer of the way (it joins the closure there),
 * goes to another one (it leaves there), or lies in an object where the parcel executes. For each
 * layer behind the home, going inward,
 *
 *     in(l)    = the words of all regions that have joined before l, code and header
 *     out(l)   = the words of all results that have not yet left when the parcel leaves l
 *     space(l) = the larger one of both, region by region, and code and header
 *
 * so results return into words that the parcel holds already. An example: a region of 100 words
 * comes from DRAM, is padded to 128 words in SRAM (in_words) and goes to DRAM as 40 words
 * (out_words of SRAM and CRAM). SRAM holds and receives 128 words, CRAM 100, and 40 words go
 * outward over each hop. The time that a move occupies its channels follows from the words, and
 * from the pieces at the end where the region lies strided; at other ends the words lie in one
 * piece.
 *
 * Costs are kept. Parcels of a type mostly weigh the same, so a parcel points to a shared struct
 * htmt__move_cost. Besides sizes and times, it keeps what the last description with this cost
 * looked like in all that a cost depends on: layers, bytes, pieces and words. A new description is
 * compared with the first few costs of its type (costs_as_before()); a match needs no weighing,
 * only the bounds of its addresses and room beside the objects of its slice. The second is one
 * comparison, too: a cost that fits beside the most that objects hold in any slice fits everywhere,
 * until e->crowded says that this most has grown.
 *
 * The kept costs of a type are bounded. Sizes that come from data may differ at every parcel, so
 * from time to time those that no living parcel has are freed. Finding them means to look at all
 * entities; it is done only when the costs have grown by as many as there are entities, so each
 * parcel pays for a constant number of looks.
 */
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/rank.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/context.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/replies.h"
#include "parcels/walk/type.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes ----------------------------------------------------------------------------------- */

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

/* Where region i joins the closure on the way inward, and where it leaves on the way outward:
 * places on the type's path; t->hops: it stays at the layer of execution. 0, or an error that is
 * latched.
 */
static int find_way(struct htmt_emulator *e, const struct htmt_type *t,
                    const struct htmt_parcel_desc *d, uint32_t i, uint32_t *join, uint32_t *leave)
{
    const struct htmt_region *r = &d->regions[i];
    const struct htmt_object *from = r->from.object, *to = r->to.object, *into = r->into.object;
    int joins = (int)t->hops, leaves = (int)t->hops, rc = 0;
    if (from && !htmt__inside(e, r->from, r->bytes, &r->from_pieces))
        rc = refuse_end(e, d, i, &r->from, "comes from");
    if (to && !rc && !htmt__inside(e, r->to, r->bytes, &r->to_pieces))
        rc = refuse_end(e, d, i, &r->to, "goes to");
    if (into && !rc && !htmt__inside_run(e, r->into, r->bytes))
        rc = refuse_end(e, d, i, &r->into, "lies in");
    if (rc)
        return rc;
    if (from)
        joins = htmt__type_place(t, from->layer);
    if (to)
        leaves = htmt__type_place(t, to->layer);
    if (joins < 0 || leaves < 0)
        return htmt__fail(e, HTMT_EROUTE, "type %s: a region lies in %s, off the parcel's way",
                          t->code.name, (joins < 0 ? from : to)->name);
    if ((from && from->slice != d->slice) || (to && to->slice != d->slice))
        return htmt__fail(e, HTMT_EROUTE,
                          "type %s: a region lies in another slice; move it by htmt_put()",
                          t->code.name);
    if (into && (into->slice != d->slice || into->layer != t->code.exec))
        return htmt__fail(e, HTMT_EROUTE, "type %s: %s does not lie where the parcel executes",
                          t->code.name, into->name);
    *join = (uint32_t)joins;
    *leave = (uint32_t)leaves;
    return 0;
}

/* What passes 64 bits is larger than any memory and stays so. */
static void increase(uint64_t *sum, uint64_t words)
{
    if (__builtin_add_overflow(*sum, words, sum))
        *sum = UINT64_MAX;
}

static void add_region(const struct htmt_type *t, const struct htmt_region *r, uint32_t join,
                       uint32_t leave, struct htmt__size *s)
{
    const uint32_t n = t->hops;
    const uint64_t plain = htmt__words(r->bytes), *own = r->in_words;
    const uint64_t result = own[t->code.exec] ? own[t->code.exec] : plain;
    for (uint32_t i = n > 0; i <= n; i++) {
        uint32_t l = t->path[i];
        uint64_t here = own[l] ? own[l] : plain, in = i > join ? here : 0;
        uint64_t out = i <= leave ? 0 : r->out_words[l] ? r->out_words[l] : result;
        increase(&s[l].in, in);
        s[l].in_pieces += in ? (i == join + 1 ? htmt__pieces_count(&r->from_pieces) : 1) : 0;
        increase(&s[l].out, out);
        s[l].out_pieces += out ? (i == leave + 1 ? htmt__pieces_count(&r->to_pieces) : 1) : 0;
        if (i < n)
            increase(&s[l].space, in > out ? in : out);
        else if (!r->into.object)
            increase(&s[l].space, here > out ? here : out);
    }
}

/* htmt_options.what_if: a region that lies in the innermost memory comes along, and goes again when
 * it was changed. */
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

static int check_room(struct htmt_emulator *e, const struct htmt_type *t,
                      const struct htmt__size *s, uint32_t slice)
{
    for (uint32_t i = 0; i <= t->hops; i++) {
        uint32_t l = t->path[i];
        const struct htmt__store *store = htmt__store_at(e, slice, l);
        uint64_t capacity = e->store_class[l].capacity;
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

/* ---- costs that are kept --------------------------------------------------------------------- */

#define COSTS_LEAST 64u /* that a type may keep */

/* Marks the costs that parcels of the type have. Returns how many entities were looked at. */
static uint64_t mark_used(const struct htmt_emulator *e, const struct htmt_type *t)
{
    const struct htmt__partition *own = e->partition;
    uint64_t entities = 0;
    for (uint32_t k = 0; k < (own ? own->slices : e->played); k++) {
        const uint32_t slice = own ? own->slice[k] : k, fresh = htmt__slice_at(e, slice)->fresh;
        for (uint32_t i = 0; i < fresh; i++) {
            const struct htmt__entity *p = htmt__entity_at(e, htmt__entity_key(slice, i));
            if (p->kind == HTMT__PARCEL && p->state != HTMT__FREE && p->type == t && p->cost)
                ((struct htmt__move_cost *)p->cost)->used = true;
        }
        entities += fresh;
    }
    return entities;
}

/* Frees costs that are not marked. A step that compares its next move with one of them compares it
 * with none. */
static void free_unused(struct htmt_type *t)
{
    for (struct htmt__move_cost *c, **at = &t->cost; (c = *at);) {
        if (c->used) {
            c->used = false;
            at = &c->next;
            continue;
        }
        *at = c->next;
        for (uint32_t i = 0; i < t->steps; i++)
            if (t->step[i].alike && t->step[i].alike->cost == c)
                t->step[i].alike->cost = NULL;
        free(c);
        t->costs--;
    }
}

/* The cost of these sizes, moved to the front of the type's: the next parcel mostly has the same.
 * The entities of a guarded run cannot be looked at, so there none is freed. */
static struct htmt__move_cost *keep(struct htmt_emulator *e, struct htmt_type *t,
                                    const struct htmt__size *size)
{
    for (struct htmt__move_cost **at = &t->cost; *at; at = &(*at)->next)
        if (!memcmp((*at)->size, size, e->layers * sizeof *size)) {
            struct htmt__move_cost *found = *at;
            *at = found->next;
            found->next = t->cost;
            return t->cost = found;
        }
    if (t->costs >= t->costs_most && !e->guard) {
        uint64_t entities = t->costs ? mark_used(e, t) : 0;
        if (t->costs)
            free_unused(t);
        t->costs_most = t->costs + (entities > COSTS_LEAST ? entities : COSTS_LEAST);
    }
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

/* ---- descriptions like one before ------------------------------------------------------------ */

#define COSTS_COMPARED 4u /* of a type */
#define BOTH_WORDS     (2 * HTMT_LAYERS_MAX)
_Static_assert(offsetof(struct htmt_region, out_words) - offsetof(struct htmt_region, in_words) ==
                   BOTH_WORDS / 2 * sizeof(uint64_t),
               "words in and out lie side by side");

static const uint64_t *words_of(const struct htmt_region *r)
{
    return (const uint64_t *)(const void *)((const char *)r +
                                            offsetof(struct htmt_region, in_words));
}

/* In one go, without a branch, two at a time. */
static inline bool words_like(const struct htmt_region *r, const uint64_t *was)
{
    typedef uint64_t two __attribute__((vector_size(16), may_alias));
    typedef uint64_t loose __attribute__((vector_size(16), may_alias, aligned(8)));
    const loose *is = (const loose *)words_of(r);
    two differ = {0, 0};
    for (size_t i = 0; i < BOTH_WORDS / 2; i++)
        differ |= is[i] ^ ((const two *)was)[i];
    return !(differ[0] | differ[1]);
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
        memcpy(k->words, words_of(r), sizeof k->words);
    }
}

/* The end of a region lies in that layer, where the parcel may have it. Of no bytes a cost is kept
 * only where the region lies nowhere. */
static inline bool lies_in(const struct htmt_emulator *e, struct htmt_addr at, uint8_t layer,
                           uint32_t slice, uint64_t bytes)
{
    const struct htmt_object *o = at.object;
    if (!o)
        return layer == HTMT_LAYERS_MAX;
    return o->layer == layer && o->slice == slice && o->emulator == e->whole && bytes <= o->bytes &&
           at.offset <= o->bytes - bytes;
}

static __attribute__((noinline)) bool pieces_lie_in(const struct htmt_emulator *e,
                                                    const struct htmt_addr *at, uint8_t layer,
                                                    uint32_t slice, uint64_t bytes,
                                                    const struct htmt_pieces *pieces)
{
    return at->object && at->object->layer == layer && at->object->slice == slice &&
           htmt__inside(e, *at, bytes, pieces);
}

/* One end of a region, which has `was` for its pieces. */
static inline bool end_like(const struct htmt_emulator *e, const struct htmt_addr *at,
                            uint8_t layer, uint32_t slice, uint64_t bytes,
                            const struct htmt_pieces *is, const struct htmt_pieces *was)
{
    if (__builtin_expect(is->count || was->count, 0))
        return htmt__same_pieces(is, was) && pieces_lie_in(e, at, layer, slice, bytes, is);
    return lies_in(e, *at, layer, slice, bytes);
}

static inline bool region_like(const struct htmt_emulator *e, const struct htmt_region *r,
                               const struct htmt__region_cost *k, uint32_t slice)
{
    return r->bytes == k->bytes && r->read_only == k->read_only &&
           end_like(e, &r->from, k->from, slice, r->bytes, &r->from_pieces, &k->from_pieces) &&
           end_like(e, &r->to, k->to, slice, r->bytes, &r->to_pieces, &k->to_pieces) &&
           lies_in(e, r->into, k->into, slice, r->bytes) && words_like(r, k->words);
}

/* A parcel of that cost fits beside the objects of its slice. */
static __attribute__((noinline)) bool has_room(const struct htmt_emulator *e,
                                               const struct htmt_type *t,
                                               struct htmt__move_cost *cost, uint32_t slice)
{
    const struct htmt__store *store = htmt__store_at(e, slice, 0);
    bool here = true, everywhere = true;
    for (uint32_t i = 0; i <= t->hops; i++) {
        uint32_t l = t->path[i];
        const struct htmt__store_class *k = &e->store_class[l];
        here &= cost->size[l].space <= k->capacity - store[l].resident;
        everywhere &= cost->size[l].space <= k->capacity - k->resident_peak;
    }
    if (everywhere)
        cost->fits_beside = e->crowded;
    return here;
}

/* Nothing is wrong with the parcel, and it costs what one before it did. */
static inline bool costs_as_before(const struct htmt_emulator *e, const struct htmt_type *t,
                                   struct htmt__move_cost *cost, const struct htmt_parcel_desc *d)
{
    if (d->region_count != cost->regions || d->region_count > HTMT__REGIONS_KNOWN)
        return false;
    for (uint32_t i = 0; i < d->region_count; i++)
        if (!region_like(e, &d->regions[i], &cost->region[i], d->slice))
            return false;
    return cost->fits_beside == e->crowded || has_room(e, t, cost, htmt__played(e, d->slice));
}

static __attribute__((noinline)) const struct htmt__move_cost *
weigh(struct htmt_emulator *e, struct htmt_type *t, const struct htmt_parcel_desc *d)
{
    struct htmt__size size[HTMT_LAYERS_MAX];
    memset(size, 0, e->layers * sizeof *size);
    for (uint32_t i = 0; i < d->region_count; i++) {
        uint32_t join = 0, leave = 0;
        if (find_way(e, t, d, i, &join, &leave))
            return NULL;
        add_region(t, &d->regions[i], join, leave, size);
        if (e->options.what_if & HTMT_DEPARTS_RESIDENT)
            add_carried(e, t, &d->regions[i], size);
    }
    add_code(t, size);
    if (check_room(e, t, size, htmt__played(e, d->slice)))
        return NULL;
    struct htmt__move_cost *cost = keep(e, t, size);
    if (cost)
        remember(cost, d);
    return cost;
}

static inline __attribute__((always_inline)) const struct htmt__move_cost *
cost_of(struct htmt_emulator *e, struct htmt_type *t, const struct htmt_parcel_desc *d)
{
    struct htmt__move_cost *cost = t->cost;
    for (uint32_t i = 0; cost && i < COSTS_COMPARED; cost = cost->next, i++)
        if (costs_as_before(e, t, cost, d))
            return cost;
    return weigh(e, t, d);
}

const struct htmt__move_cost *htmt__cost_plain(struct htmt_emulator *e, const struct htmt_type *t,
                                               uint32_t slice)
{
    const struct htmt_parcel_desc d = {.type = t, .slice = slice};
    return cost_of(e, htmt__type_here(e, t), &d);
}

/* ---- descriptions that are not plain --------------------------------------------------------- */

static const struct htmt__sized sized = {.name = "htmt_region",
                                         .known = sizeof(struct htmt_region),
                                         .first = sizeof(struct htmt_region),
                                         .least = offsetof(struct htmt_region, from_pieces)};

/* All that htmt__assemble() needs is there, in structs as they are here. */
static inline bool is_plain(const struct htmt_emulator *e, const struct htmt_parcel_desc *d)
{
    return d && d->type && d->type->emulator == e->whole &&
           htmt__is_place(e, d->slice, d->type->home) && (!d->args || d->type->code.args_bytes) &&
           (!d->region_count || (d->regions && htmt__sized_whole(&sized, d->regions->size)));
}

/* 0: nothing is wrong but the size of the regions. */
static int refuse_desc(struct htmt_emulator *e, const struct htmt_parcel_desc *d)
{
    int rc = htmt__given(e, d, "htmt_assemble()", "description");
    if (!rc)
        rc = htmt__given(e, d->type, "htmt_assemble()", "type");
    if (rc)
        return rc;
    const char *name = d->type->code.name;
    if (d->type->emulator != e->whole)
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_assemble() of type %s, which belongs to another emulator", name);
    if (d->args && !d->type->code.args_bytes)
        return htmt__refuse(
            e, HTMT_EINVAL,
            "htmt_assemble() of type %s with arguments, which it does not have: set "
            "args_bytes",
            name);
    if (!htmt__is_place(e, d->slice, d->type->home))
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_assemble() of type %s in slice %u, expected one of 0 to %u", name,
                            d->slice, e->slices - 1);
    if (!d->regions)
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_assemble() of type %s with %u regions: found no array (NULL)",
                            name, d->region_count);
    return 0;
}

/* The caller's regions have another size than ours: they lie one behind another, each as long as
 * the first one says. */
__attribute__((cold, noinline)) static int
assemble_resized(struct htmt_context *c, const struct htmt_parcel_desc *desc, struct htmt_ref *ref)
{
    static const char call[] = "htmt_assemble()";
    struct htmt_emulator *e = c->e;
    int rc = refuse_desc(e, desc);
    if (rc)
        return rc;
    struct htmt_parcel_desc d = *desc;
    struct htmt_region *regions = calloc(d.region_count, sizeof *regions);
    if (!regions)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the regions of a parcel");
    size_t step = desc->regions->size, size;
    for (uint32_t i = 0; i < d.region_count && !rc; i++) {
        const char *at = (const char *)desc->regions + i * step;
        memcpy(&size, at, sizeof size);
        if (size != step)
            rc = htmt__refuse(e, HTMT_EINVAL,
                              "%s: region %u has a size of %zu bytes, expected %zu as region 0",
                              call, i, size, step);
        else
            rc = htmt__sized_take(e, &sized, at, &regions[i], call);
    }
    d.regions = regions;
    rc = rc ? rc : htmt__assemble(c, &d, ref);
    free(regions);
    return rc;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* A block of a type serves one parcel after another, in a guarded run only one. */
static inline __attribute__((always_inline)) struct htmt__body *
body_create(struct htmt_emulator *e, struct htmt_type *t, uint32_t slice)
{
    const size_t size = t->body_bytes;
    struct htmt__body *body = t->spare;
    if (e->guard) {
        body = htmt__guard_alloc(e->guard, htmt__played(e, slice), size);
    } else if (body) {
        t->spare = body->spare;
        __builtin_prefetch(t->spare, 1); /* the next to be made */
    } else {
        body = malloc(size);
    }
    if (!body)
        return NULL;
    body->early = NULL;
    body->live = 0;
    body->begun = false;
    body->thread = UINT8_MAX;
    for (uint32_t i = 0; i < t->fiber_count; i++)
        body->slot[i] = (struct htmt__fiber_slot){t->code.fiber[i].count, t->code.fiber[i].reset,
                                                  t->code.fiber[i].count};
    return body;
}

struct htmt__body *htmt__body_create(struct htmt_emulator *e, struct htmt_type *t, uint32_t slice)
{
    return body_create(e, t, slice);
}

__attribute__((noinline)) static void make_aside(struct htmt_context *c, struct htmt__entity *p,
                                                 const struct htmt_parcel_desc *d)
{
    if (htmt__residency_matters(c->e))
        htmt__residency_regions(c->e, d);
    if (htmt__goes_aside(c->e, HTMT__BY_REPLIES))
        htmt__lineage_begin(c, p, d);
}

/* NULL: out of memory (latched). */
static inline __attribute__((always_inline)) struct htmt__entity *
make(struct htmt_context *c, const struct htmt_parcel_desc *d, const struct htmt__move_cost *cost)
{
    struct htmt_emulator *e = c->e;
    struct htmt_type *t = htmt__type_here(e, d->type);
    struct htmt__entity *p = htmt__entity_create(e, d->slice, HTMT__PARCEL);
    if (!p)
        return NULL;
    p->type = t;
    p->step = t->step;
    p->cost = cost;
    e->parcels++;
    if (__builtin_expect(d->slice == e->controller, 0))
        e->controller_parcels++;
    p->body = body_create(e, t, p->slice);
    if (!p->body)
        goto no_memory;
    if (__builtin_expect(htmt__goes_aside(e, HTMT__BY_RESIDENCY | HTMT__BY_REPLIES), 0))
        make_aside(c, p, d);
    p->body->on_ready = d->on_ready;
    p->body->on_done = d->on_done;
    if (d->args)
        memcpy(htmt__args(p), d->args, t->code.args_bytes);
    else
        memset(htmt__args(p), 0, t->code.args_bytes);
    /* In a run: bytes are where the slice is played, in this process or in another one. */
    if (e->data && (e->partition || htmt__rank_plays(e, htmt__played(e, p->slice)))) {
        p->closure = htmt__data_closure(e->data, &t->code, p->slice, p->serial, htmt__args(p), d);
        if (!p->closure)
            goto no_memory;
        p->ways = htmt__data_ways(p->closure);
    }
    return p;
no_memory:
    htmt__fail(e, HTMT_ENOMEM, "no host memory for a parcel %s", t->code.name);
    return NULL;
}

/* A root parcel of a slice that slice 0 stands for: its twin, which was made before. */
static int find_twin(struct htmt_emulator *e, const struct htmt_parcel_desc *d,
                     const struct htmt__move_cost *cost, struct htmt_ref *ref)
{
    uint32_t number = e->roots[d->slice]++;
    struct htmt__entity *twin =
        number < e->roots[0] ? htmt__entity_at(e, htmt__entity_key(0, number)) : NULL;
    if (!twin || twin->type != d->type || twin->cost != cost)
        return htmt__fail(e, HTMT_ESYMMETRY, "root parcel %u of slice %u, a %s, is %s", number + 1,
                          d->slice, d->type->code.name,
                          twin ? "another than that of slice 0" : "none that slice 0 has");
    if (ref)
        *ref = (struct htmt_ref){(uint64_t)d->slice << HTMT__SERIAL_BITS | twin->serial,
                                 twin->index, twin->type->code.exec};
    return 0;
}

/* The run needs them, so they may not be destroyed before it. */
static void await_objects(const struct htmt_parcel_desc *d)
{
    for (uint32_t i = 0; i < d->region_count; i++) {
        const struct htmt_region *r = &d->regions[i];
        struct htmt_object *const o[] = {r->from.object, r->to.object, r->into.object};
        for (int k = 0; k < 3; k++)
            if (o[k])
                o[k]->awaited = true;
    }
}

/* What a parcel of a type that sends nowhere signals lies in its slice, and such a parcel makes
 * none that may send. */
__attribute__((noinline)) static int check_sends(const struct htmt_context *c,
                                                 const struct htmt_parcel_desc *d)
{
    const struct htmt_slot slot[] = {d->on_ready, d->on_done};
    const char *name = d->type->code.name;
    for (int i = 0; i < 2 && d->type->sends_nowhere; i++)
        if (!htmt_ref_none(slot[i].owner) && htmt_ref_slice(slot[i].owner) != d->slice)
            return htmt__refuse(c->e, HTMT_EINVAL,
                                "type %s says that it sends nowhere, and its parcel of slice %u "
                                "signals slice %u: leave `sends` out",
                                name, d->slice, htmt_ref_slice(slot[i].owner));
    return d->type->sends_nowhere
               ? 0
               : htmt__refuse(c->e, HTMT_EINVAL,
                              "type %s says that it sends nowhere, and makes a parcel of type %s, "
                              "which may: leave `sends` out",
                              c->self->type->code.name, name);
}

/* Of the parcel that a control makes in its own slice, which is mostly like the last one of the
 * type: then its cost, else NULL. Nothing is refused here. */
static inline const struct htmt__move_cost *cost_again(const struct htmt_context *c,
                                                       const struct htmt_parcel_desc *d)
{
    const struct htmt_emulator *e = c->e;
    if (!c->p || !d || !d->type || d->slice != c->p->slice || e->banked)
        return NULL;
    const bool speaks = d->type->sends_nowhere ? d->on_ready.owner.serial | d->on_done.owner.serial
                                               : c->self->type->sends_nowhere;
    struct htmt__move_cost *cost = htmt__type_here(e, d->type)->cost;
    const bool plain =
        cost && !speaks && d->type->emulator == e->whole &&
        (!d->args || d->type->code.args_bytes) &&
        (!d->region_count || (d->regions && htmt__sized_whole(&sized, d->regions->size)));
    return plain && costs_as_before(e, d->type, cost, d) ? cost : NULL;
}

static inline int begin(struct htmt_context *c, struct htmt__entity *p, struct htmt_ref *ref)
{
    if (!p)
        return c->e->fault.code;
    htmt__log_start(c, p);
    if (ref)
        *ref = htmt__ref(p);
    return 0;
}

static __attribute__((noinline)) int
assemble_other(struct htmt_context *c, const struct htmt_parcel_desc *desc, struct htmt_ref *ref)
{
    if (__builtin_expect(!is_plain(c->e, desc), 0))
        return assemble_resized(c, desc, ref);
    if (__builtin_expect(desc->type->sends_nowhere || (c->p && c->self->type->sends_nowhere), 0) &&
        check_sends(c, desc))
        return HTMT_EINVAL;
    if (c->p && desc->slice != c->p->slice)
        return htmt__fail(c->e, HTMT_EROUTE,
                          "htmt_assemble() of a %s in another slice: signal a fiber there",
                          desc->type->code.name);
    const struct htmt__move_cost *cost = cost_of(c->e, htmt__type_here(c->e, desc->type), desc);
    if (cost && !c->p)
        await_objects(desc);
    if (cost && !htmt__is_played(c->e, desc->slice, desc->type->home))
        return find_twin(c->e, desc, cost, ref);
    if (!c->p && c->e->roots && desc->slice != c->e->controller)
        c->e->roots[0]++;
    return begin(c, cost ? make(c, desc, cost) : NULL, ref);
}

int htmt__assemble(struct htmt_context *c, const struct htmt_parcel_desc *desc,
                   struct htmt_ref *ref)
{
    const struct htmt__move_cost *cost = cost_again(c, desc);
    return __builtin_expect(cost != NULL, 1) ? begin(c, make(c, desc, cost), ref)
                                             : assemble_other(c, desc, ref);
}

int htmt_assemble(struct htmt_context *c, const struct htmt_parcel_desc *desc, struct htmt_ref *ref)
{
    if (!htmt__permit_start(c, "htmt_assemble()"))
        return HTMT_EINVAL;
    return htmt__assemble(c, desc, ref);
}
