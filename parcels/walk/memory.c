/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The memories of a slice.
 *
 * Words. Each layer of a slice has a store: a capacity and a count of used words
 * (runtime/sim/store.h). A parcel takes its words before a move brings them and gives them back
 * when they have left. If they are not free, it waits in the store's line. The line is first come,
 * first served, and nobody overtakes: a small parcel behind a large one waits with it. That costs
 * some room, but it keeps large parcels from starving, and the order depends on virtual time alone.
 * An example: of 1000 words 900 are used. A parcel of 300 words comes and waits, then one of 50
 * words, which waits, too. When 200 words come back, the first one is granted 300 of the 300 free
 * words, and the second one goes on waiting.
 *
 * Whoever gives words back wakes the line (htmt__memory_wake()). Those whose words fit are advanced
 * behind their step and put on the ready list. They do not run at once: what wakes them ends its
 * own step first, so the order within an instant is that of the list.
 *
 * Objects. An object takes its words of a layer when it is created and gives them back when it is
 * destroyed. It never waits: creating one that does not fit is refused. The words of objects are
 * counted apart (`resident`), since a parcel that does not fit beside them could wait for ever; it
 * is refused when it is made (assemble.c). A frame is an object of every slice under one name.
 *
 * Addresses are an object and an offset. Addresses of nothing, as htmt_in(NULL, 0), point to
 * objects of no emulator, and those outside a frame to one that is marked so: they are refused
 * where they are used, with the call that led there. The handle of a destroyed object stays, with
 * no bytes, so a later use is refused, too.
 *
 * Residency. Percolation brings all that a service needs with its parcel. A service departs from
 * that when it finds something in the innermost memory that no parcel or message has brought there
 * since the last use. `delivered` says that something was brought, `changed` that the last use
 * wrote and the state would have to be brought back.
 */
#include "parcels/walk/memory.h"
#include "parcels/clock/event.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/rank.h"
#include "parcels/walk/context.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/type.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- words ----------------------------------------------------------------------------------- */

void htmt__memory_await(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *step = p->step;
    struct htmt__store *s = htmt__resource_at(e, p->slice, step->at);
    p->waiter.amount = p->cost->space[step->layer];
    p->state = HTMT__FOR_SPACE;
    htmt__line_join(&s->line, &e->store_class[step->layer].tally, &p->waiter, e->now);
}

uint64_t htmt__memory_held(const struct htmt__entity *p, uint32_t layer)
{
    bool holds = false;
    for (const struct htmt__step *s = p->type->step; s != p->step; s++)
        if (s->layer == layer && (s->op == HTMT__TAKE || s->op == HTMT__GIVE))
            holds = s->op == HTMT__TAKE;
    return holds ? p->cost->space[layer] : 0;
}

/* The time of waiting belongs to the step that needed the space: the next one that has a place in
 * time. */
void htmt__memory_wake(struct htmt_emulator *e, struct htmt__store *s, uint32_t layer)
{
    struct htmt__waiter *w;
    if (htmt__explained(e))
        e->explain->wakes(e);
    while ((w = htmt__store_next(s, &e->store_class[layer], e->now))) {
        struct htmt__entity *p = (struct htmt__entity *)w;
        const struct htmt__step *next = p->step + 1;
        while (next->op == HTMT__FETCH || next->op == HTMT__LAND || next->op == HTMT__CLOSED)
            next++;
        if (next->stats)
            next->stats->stalled += e->now - w->since;
        p->step++;
        htmt__ready(e, p);
        if (htmt__explained(e))
            e->explain->woken(e, p, HTMT__SPACE, layer);
    }
}

/* Before or during a run an object takes what is free now; it never waits. */
static int take_words(struct htmt_emulator *e, const struct htmt_object *o, uint32_t layer)
{
    if (!htmt__is_played(e, o->slice, layer))
        return 0;
    struct htmt__store *s = htmt__store_at(e, o->slice, layer);
    struct htmt__store_class *k = &e->store_class[layer];
    if (s->line.head || !htmt__store_fits(s, k, o->words))
        return htmt__fail(
            e, HTMT_ECAPACITY,
            "%s takes %llu words of %s in slice %u, which has %llu - %llu = %llu free", o->name,
            (unsigned long long)o->words, e->machine->layer[layer].memory.name, o->slice,
            (unsigned long long)k->capacity, (unsigned long long)s->used,
            (unsigned long long)(k->capacity - s->used));
    htmt__store_grant(s, k, o->words);
    s->resident += o->words;
    if (s->resident > k->resident_peak) {
        k->resident_peak = s->resident;
        e->crowded++;
    }
    return 0;
}

/* ---- addresses ------------------------------------------------------------------------------- */

static const struct htmt_object no_object = {.name = "htmt_in(NULL)"};
static const struct htmt_object no_frame = {.name = "htmt_at(NULL)"};

struct htmt_addr htmt_at(const struct htmt_frame *frame, uint32_t slice, uint64_t offset)
{
    if (__builtin_expect(frame && slice < frame->slices, 1))
        return (struct htmt_addr){frame->object[slice], offset};
    if (frame) /* the offset says which slice was asked for */
        return (struct htmt_addr){(struct htmt_object *)&frame->outside, slice};
    return (struct htmt_addr){(struct htmt_object *)&no_frame, offset};
}

struct htmt_addr htmt_in(struct htmt_object *object, uint64_t offset)
{
    return (struct htmt_addr){object ? object : (struct htmt_object *)&no_object, offset};
}

/* 0: an object of the emulator. `offset`: of the address that led here; NULL: none did. */
static int refuse_object(struct htmt_emulator *e, const struct htmt_object *o,
                         const uint64_t *offset, const char *what)
{
    if (!o->emulator)
        return htmt__refuse(e, HTMT_EINVAL, "%s %s: found no %s (NULL)", what, o->name,
                            o == &no_frame ? "frame" : "object");
    if (o->emulator != e->whole)
        return htmt__refuse(e, HTMT_EINVAL, "%s %s, which belongs to another emulator", what,
                            o->name);
    if (o->outside) {
        char text[32] = "a slice";
        if (offset)
            snprintf(text, sizeof text, "slice %llu", (unsigned long long)*offset);
        return htmt__refuse(e, HTMT_EBOUNDS, "%s %s of frame %s, expected one of 0 to %u", what,
                            text, o->name, e->slices - 1);
    }
    if (o->kept_bytes)
        return htmt__refuse(e, HTMT_EINVAL,
                            "%s %s, which is kept: only controls of its slice touch it", what,
                            o->name);
    if (o->destroyed)
        return htmt__refuse(e, HTMT_EINVAL,
                            "%s %s, which was destroyed: destroy it after its last use", what,
                            o->name);
    return 0;
}

bool htmt__inside_pieces(const struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                         const struct htmt_pieces *p)
{
    uint64_t all, last, end, planes_all, planes_last;
    if (!at.object || !bytes || at.object->emulator != e->whole || p->stride < 0 ||
        __builtin_mul_overflow(p->bytes, p->count, &all) ||
        __builtin_mul_overflow((uint64_t)p->stride, p->count - 1, &last) ||
        __builtin_add_overflow(last, p->bytes, &end))
        return false;
    if (__builtin_expect(p->planes > 1, 0)) {
        if (p->plane_stride < 0 || __builtin_mul_overflow(all, p->planes, &planes_all) ||
            __builtin_mul_overflow((uint64_t)p->plane_stride, p->planes - 1, &planes_last) ||
            __builtin_add_overflow(end, planes_last, &end))
            return false;
        all = planes_all;
    }
    return bytes <= all && end <= at.object->bytes && at.offset <= at.object->bytes - end;
}

int htmt__bounds_of(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                    struct htmt_pieces pieces, const char *what)
{
    /* First and one past last byte, relative to the address. */
    htmt_wide low = 0, high = bytes;
    if (!at.object || !bytes)
        return htmt__fail(e, HTMT_EBOUNDS, "%s %s", what, bytes ? "nowhere" : "0 bytes");
    int rc = refuse_object(e, at.object, &at.offset, what);
    if (rc)
        return rc;
    if (pieces.count) {
        const uint64_t planes = pieces.planes ? pieces.planes : 1;
        const htmt_uwide all = (htmt_uwide)pieces.count * planes;
        if (!pieces.bytes || all < (bytes - 1) / pieces.bytes + 1)
            return htmt__fail(
                e, HTMT_EBOUNDS, "%s %s in %llu pieces of %llu bytes, %llu are wanted", what,
                at.object->name, (unsigned long long)(all > UINT64_MAX ? UINT64_MAX : all),
                (unsigned long long)pieces.bytes, (unsigned long long)bytes);
        const uint64_t last = (bytes - 1) / pieces.bytes; /* the number of the last piece */
        const htmt_wide row = (htmt_wide)pieces.stride *
                              (htmt_wide)(last < pieces.count ? last : pieces.count - 1),
                        plane = (htmt_wide)pieces.plane_stride * (htmt_wide)(last / pieces.count);
        low = (row < 0 ? row : 0) + (plane < 0 ? plane : 0);
        high = (row > 0 ? row : 0) + (plane > 0 ? plane : 0) + (htmt_wide)pieces.bytes;
    }
    if (low + (htmt_wide)at.offset < 0 || high + (htmt_wide)at.offset > (htmt_wide)at.object->bytes)
        return htmt__fail(e, HTMT_EBOUNDS, "%s %s + %llu, %llu bytes; it has %llu", what,
                          at.object->name, (unsigned long long)at.offset, (unsigned long long)bytes,
                          (unsigned long long)at.object->bytes);
    return 0;
}

/* ---- objects --------------------------------------------------------------------------------- */

int htmt__no_place(struct htmt_emulator *e, const char *what, const char *name, uint32_t slice,
                   uint32_t layer)
{
    if (layer == (uint32_t)-1 && *e->no_layer)
        return htmt__fail(e, HTMT_EINVAL, "%s %s: machine %s has no layer %s", what, name,
                          e->machine->name, e->no_layer);
    if (layer >= e->layers)
        return htmt__fail(e, HTMT_EINVAL, "%s %s: found layer %u, machine %s has 0 to %u", what,
                          name, layer, e->machine->name, e->layers - 1);
    if (slice < e->slices)
        return htmt__fail(e, HTMT_EINVAL,
                          "%s %s: found slice %u, layer %s is that of the controller", what, name,
                          slice, e->machine->layer[layer].name);
    return htmt__fail(e, HTMT_EINVAL, "%s %s: found slice %u, expected 0 to %u", what, name, slice,
                      e->slices - 1);
}

/* They are the slice's own, which other slices may not touch in a guarded run. */
static int keep_bytes(struct htmt_emulator *e, struct htmt_object *o)
{
    o->kept =
        e->guard ? htmt__guard_alloc(e->guard, o->slice, o->kept_bytes) : calloc(o->kept_bytes, 1);
    return o->kept
               ? 0
               : htmt__fail(e, HTMT_ENOMEM, "no host memory for the %llu bytes of %s in slice %u",
                            (unsigned long long)o->kept_bytes, o->name, o->slice);
}

/* `memory`: of the caller, which the object wraps; NULL: its own. With htmt_options.operations,
 * objects of a layer lie one behind another in the order of their creation, at lines of 64 bytes.
 */
static int create(struct htmt_emulator *e, uint32_t slice, uint32_t layer, void *memory,
                  uint64_t bytes, uint64_t words, bool kept, const char *name,
                  struct htmt_object **object)
{
    if (layer >= e->layers || !htmt__is_place(e, slice, layer))
        return htmt__no_place(e, "object", name, slice, layer);
    struct htmt_object *o = calloc(1, sizeof *o);
    if (!o)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for object %s", name);
    o->emulator = e;
    o->slice = slice;
    o->layer = layer;
    o->bytes = kept ? 0 : bytes;
    o->kept_bytes = kept ? bytes : 0;
    o->words = words;
    o->wrapped = memory != NULL;
    snprintf(o->name, sizeof o->name, "%s", name);
    if (e->placed) {
        uint64_t *next = &e->placed[(size_t)slice * e->layers + layer];
        o->model = *next;
        *next += (words * HTMT_WORD + 63) & ~UINT64_C(63);
    }
    const bool here = !e->windows || htmt__rank_plays(e, slice), bytes_here = e->data && here;
    int rc = kept && here ? keep_bytes(e, o) : 0;
    if (!kept && bytes_here)
        rc = htmt__data_object(e->data, o, memory);
    if (!rc && (rc = take_words(e, o, layer)) && bytes_here)
        htmt__data_object_end(e->data, o);
    if (rc) {
        if (!e->guard)
            free(o->kept);
        free(o);
        return rc;
    }
    o->next = e->objects;
    if (e->objects)
        e->objects->prev = o;
    e->objects = o;
    o->number = ++e->objects_made;
    *object = o;
    return 0;
}

/* 0: the host may create what has this name. */
static int check_call(struct htmt_emulator *e, const char *name, const void *out, const char *call)
{
    int rc = htmt__permit_host(e, call);
    rc = rc ? rc : htmt__given(e, name, call, "name");
    return rc ? rc : htmt__given(e, out, call, "place for the result");
}

int htmt__object_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t bytes,
                        const char *name, struct htmt_object **object)
{
    return create(e, slice, layer, NULL, bytes, htmt__words(bytes), false, name, object);
}

int htmt_object_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t bytes,
                       const char *name, struct htmt_object **object)
{
    int rc = check_call(e, name, object, "htmt_object_create()");
    return rc ? rc : htmt__object_create(e, slice, layer, bytes, name, object);
}

int htmt_object_create_kept(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t bytes,
                            const char *name, struct htmt_object **object)
{
    int rc = check_call(e, name, object, "htmt_object_create_kept()");
    if (!rc && e->options.symmetry == HTMT_FOLDED)
        rc = htmt__refuse(e, HTMT_ESYMMETRY,
                          "object %s is kept where slices are folded: each has bytes of its own",
                          name);
    if (!rc && !bytes)
        rc = htmt__refuse(e, HTMT_EINVAL, "object %s is kept and has 0 bytes, expected some", name);
    return rc ? rc : create(e, slice, layer, NULL, bytes, htmt__words(bytes), true, name, object);
}

int htmt_object_wrap(struct htmt_emulator *e, uint32_t slice, uint32_t layer, void *memory,
                     uint64_t bytes, uint64_t words, const char *name, struct htmt_object **object)
{
    int rc = check_call(e, name, object, "htmt_object_wrap()");
    if (rc)
        return rc;
    if (!memory && e->data && bytes && (!e->windows || htmt__rank_plays(e, slice)))
        return htmt__fail(e, HTMT_EINVAL, "object %s: no memory to wrap", name);
    return create(e, slice, layer, memory, bytes, words, false, name, object);
}

int htmt__object_copy(struct htmt_emulator *e, struct htmt_object *object, uint32_t layer)
{
    struct htmt_object *o = htmt__object_played(e, object);
    if (!o)
        return htmt__fail(e, HTMT_ESYMMETRY, "%s of slice %u has no twin in slice 0: no frame",
                          object->name, object->slice);
    if (o->copies >> layer & 1)
        return 0;
    int rc = take_words(e, o, layer);
    if (!rc)
        o->copies |= (uint8_t)(1u << layer);
    return rc;
}

void htmt__objects_deal(struct htmt_emulator *e)
{
    for (struct htmt_object *o = e->objects; o; o = o->next)
        htmt__data_object_move(e->data, htmt__data_of(e, o->slice), o);
}

/* Gives its words back. The handle stays among the destroyed ones. */
static void end_object(struct htmt_emulator *e, struct htmt_object *o)
{
    if (e->data)
        htmt__data_object_end(htmt__data_of(e, o->slice), o);
    for (uint32_t l = 0; l < e->layers; l++)
        if (htmt__is_played(e, o->slice, o->layer) && (l == o->layer || o->copies >> l & 1)) {
            htmt__store_at(e, o->slice, l)->resident -= o->words;
            htmt__memory_give(e, htmt__store_at(e, o->slice, l), l, o->words);
        }
    if (o->prev)
        o->prev->next = o->next;
    else
        e->objects = o->next;
    if (o->next)
        o->next->prev = o->prev;
    o->destroyed = true;
    o->bytes = o->kept_bytes = 0;
    if (!e->guard)
        free(o->kept);
    o->kept = NULL;
    o->prev = NULL;
    o->next = e->tombs;
    e->tombs = o;
}

/* 0: an object that is alive, kept or not, from a thread that may ask. */
static int check_object(const struct htmt_object *o, const char *call)
{
    char what[48];
    struct htmt_emulator *e = o ? o->emulator : NULL;
    snprintf(what, sizeof what, "%s of", call);
    if (!e)
        return htmt__refuse(NULL, HTMT_EINVAL, "%s an object that is none (NULL)", what);
    int rc = htmt__permit_host(e, call);
    return rc || o->kept_bytes ? rc : refuse_object(e, o, NULL, what);
}

void htmt_object_destroy(struct htmt_object **object)
{
    struct htmt_object *o = object ? *object : NULL;
    if (!o || check_object(o, "htmt_object_destroy()"))
        return;
    struct htmt_emulator *e = o->emulator;
    bool ended = atomic_load(&e->state) == HTMT__ENDED;
    if (!ended && o->awaited) {
        htmt__refuse(e, HTMT_EINVAL,
                     "htmt_object_destroy() of %s before the run, in which a parcel needs "
                     "it: destroy it after the run",
                     o->name);
    } else if (!ended && o->frame) {
        htmt__refuse(e, HTMT_EINVAL,
                     "htmt_object_destroy() of %s in slice %u, which belongs to a frame: it "
                     "goes with the emulator",
                     o->name, o->slice);
    } else {
        end_object(e, o);
        *object = NULL;
    }
}

void *htmt_object_bytes(struct htmt_object *object)
{
    struct htmt_emulator *e = object ? object->emulator : NULL;
    if (check_object(object, "htmt_object_bytes()"))
        return htmt__dummy(e ? e->diagnostics : NULL, e ? htmt__object_size(object) : 0);
    if (object->kept_bytes)
        return object->kept;
    return e->data ? htmt__data_object_bytes(htmt__data_of(e, object->slice), object) : NULL;
}

uint64_t htmt_object_size(const struct htmt_object *object)
{
    if (object && htmt__object_size(object))
        return htmt__object_size(object);
    if (!object)
        htmt__refuse(NULL, HTMT_EINVAL, "htmt_object_size() of an object that is none (NULL)");
    else
        refuse_object(object->emulator, object, NULL, "htmt_object_size() of");
    return 0;
}

static __attribute__((cold, noinline)) void *refuse_kept(struct htmt_context *c,
                                                         const struct htmt_object *o)
{
    static const char call[] = "htmt_kept()";
    struct htmt_emulator *e = c ? c->e : NULL;
    if (htmt__permit(c, call) && !htmt__given(e, o, call, "object")) {
        if (o->emulator != e->whole)
            refuse_object(e, o, NULL, "htmt_kept() of");
        else if (!o->kept_bytes)
            htmt__refuse(e, HTMT_EINVAL,
                         "htmt_kept() of %s, which is not kept: make it by "
                         "htmt_object_create_kept()",
                         o->name);
        else
            htmt__refuse(e, HTMT_EROUTE, "htmt_kept() of %s of slice %u, in slice %u", o->name,
                         o->slice, c->p->slice);
    }
    return htmt__dummy(e ? e->diagnostics : NULL, o ? htmt__object_size(o) : 0);
}

void *htmt_kept(struct htmt_context *c, const struct htmt_object *object)
{
    if (__builtin_expect(c != htmt__caller.control || !object || !object->kept ||
                             object->emulator != c->e->whole || object->slice != c->p->slice,
                         0))
        return refuse_kept(c, object);
    return object->kept;
}

int htmt_frame_create(struct htmt_emulator *e, uint32_t layer, uint64_t bytes, const char *name,
                      struct htmt_frame **frame)
{
    int rc = check_call(e, name, frame, "htmt_frame_create()");
    if (rc)
        return rc;
    struct htmt_frame *f = calloc(1, sizeof *f + e->slices * sizeof f->object[0]);
    if (!f)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for frame %s", name);
    f->slices = e->slices;
    f->outside.emulator = e;
    f->outside.outside = true;
    snprintf(f->outside.name, sizeof f->outside.name, "%s", name);
    for (uint32_t i = 0; i < e->slices; i++) {
        rc = htmt__object_create(e, i, layer, bytes, name, &f->object[i]);
        if (rc) {
            while (i-- > 0)
                end_object(e, f->object[i]);
            free(f);
            return rc;
        }
        f->object[i]->frame = f;
    }
    f->next = e->frames;
    e->frames = f;
    *frame = f;
    return 0;
}

void htmt__objects_destroy(struct htmt_emulator *e)
{
    while (e->frames) {
        struct htmt_frame *next = e->frames->next;
        free(e->frames);
        e->frames = next;
    }
    while (e->objects) {
        struct htmt_object *next = e->objects->next;
        if (e->data)
            htmt__data_object_end(htmt__data_of(e, e->objects->slice), e->objects);
        if (!e->guard)
            free(e->objects->kept);
        free(e->objects);
        e->objects = next;
    }
    while (e->tombs) {
        struct htmt_object *next = e->tombs->next;
        free(e->tombs);
        e->tombs = next;
    }
}

/* ---- residency ------------------------------------------------------------------------------- */

void htmt__residency_regions(struct htmt_emulator *e, const struct htmt_parcel_desc *d)
{
    for (uint32_t i = 0; i < d->region_count && htmt__innermost(e); i++) {
        const struct htmt_region *r = &d->regions[i];
        bool used = !r->from.object && !r->to.object;
        if (!r->into.object || r->into.object->layer != htmt__innermost(e))
            continue;
        if (htmt__linted(e))
            e->lint->region(e, (struct htmt_type *)d->type, r->bytes, used, used && !r->read_only);
        if (r->from.object)
            htmt__delivered(e, r->into.object);
    }
}

void htmt__delivered(struct htmt_emulator *e, struct htmt_object *object)
{
    struct htmt_object *o = htmt__object_played(e, object);
    if (o)
        o->delivered = true;
}

void htmt__residency_use(struct htmt_context *c, struct htmt_object *o, uint64_t bytes,
                         enum htmt_use use)
{
    struct htmt_emulator *e = c->e;
    if (!htmt__innermost(e) || c->layer != htmt__innermost(e))
        return;
    bool found = (use & HTMT_READ) && !o->delivered, down = found && o->changed;
    o->delivered = false;
    o->changed = use & HTMT_WRITE;
    if (!found)
        return;
    c->up += htmt__words(bytes);
    c->down += down ? htmt__words(bytes) : 0;
    if (htmt__linted(e))
        e->lint->region(e, c->self->type, bytes, true, down);
    if (e->options.what_if & HTMT_DEPARTS_RESIDENT)
        htmt__object_copy(e, o, c->layer - 1);
}
