/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/object.h"
#include "parcels/clock/partition_planes.h"
#include "parcels/clock/rank.h"
#include "parcels/walk/banked.h"
#include "parcels/walk/charge.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/residency.h"

#include <stdio.h>
#include <stdlib.h>

static int check_place(struct htmt_emulator *e, uint32_t slice, uint32_t layer, const char *name)
{
    if (layer >= e->layers || !htmt__is_place(e, slice, layer))
        return htmt__fail(e, HTMT_EINVAL, "object %s: no slice %u or layer %u", name, slice, layer);
    return 0;
}

/* Before or during a run an object takes what is free now; it never waits. */
static int take_words(struct htmt_emulator *e, const struct htmt_object *o, uint32_t layer)
{
    if (!htmt__is_played(e, o->slice, layer))
        return 0;
    struct htmt__store *s = htmt__store_at(e, o->slice, layer);
    struct htmt__stock *k = &e->stock[layer];
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

static void link_in(struct htmt_emulator *e, struct htmt_object *o)
{
    o->next = e->objects;
    if (e->objects)
        e->objects->prev = o;
    e->objects = o;
    o->number = ++e->objects_made;
}

/* Objects lie in the order of their creation, at lines of 64 bytes. */
static uint64_t place_in(const struct htmt_emulator *e, const struct htmt_object *o)
{
    if (!e->placed)
        return 0;
    uint64_t *next = &e->placed[(size_t)o->slice * e->layers + o->layer], at = *next;
    *next += (o->words * HTMT_WORD + 63) & ~UINT64_C(63);
    return at;
}

static int create(struct htmt_emulator *e, uint32_t slice, uint32_t layer, void *memory,
                  uint64_t bytes, uint64_t words, const char *name, struct htmt_object **object)
{
    int rc = check_place(e, slice, layer, name);
    if (rc)
        return rc;
    struct htmt_object *o = calloc(1, sizeof *o);
    if (!o)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for object %s", name);
    o->emulator = e;
    o->slice = slice;
    o->layer = layer;
    o->bytes = bytes;
    o->words = words;
    o->wrapped = memory != NULL;
    snprintf(o->name, sizeof o->name, "%s", name);
    o->model = place_in(e, o);
    bool bytes_here = e->data && (!e->windows || htmt__rank_plays(e, slice));
    rc = bytes_here ? htmt__data_object(e->data, o, memory) : 0;
    if (!rc && (rc = take_words(e, o, layer)) && bytes_here)
        htmt__data_object_end(e->data, o);
    if (rc) {
        free(o);
        return rc;
    }
    link_in(e, o);
    *object = o;
    return 0;
}

/* 0: the host may create what has this name. */
static int check_call(struct htmt_emulator *e, const char *name, const void *out, const char *call)
{
    int rc = htmt__permit_host(e, call);
    if (!rc)
        rc = htmt__given(e, name, call, "name");
    return rc ? rc : htmt__given(e, out, call, "place for the result");
}

int htmt__object_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t bytes,
                        const char *name, struct htmt_object **object)
{
    return create(e, slice, layer, NULL, bytes, htmt__words(bytes), name, object);
}

int htmt_object_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t bytes,
                       const char *name, struct htmt_object **object)
{
    int rc = check_call(e, name, object, "htmt_object_create()");
    return rc ? rc : htmt__object_create(e, slice, layer, bytes, name, object);
}

int htmt_object_wrap(struct htmt_emulator *e, uint32_t slice, uint32_t layer, void *memory,
                     uint64_t bytes, uint64_t words, const char *name, struct htmt_object **object)
{
    int rc = check_call(e, name, object, "htmt_object_wrap()");
    if (rc)
        return rc;
    if (!memory && e->data && bytes && (!e->windows || htmt__rank_plays(e, slice)))
        return htmt__fail(e, HTMT_EINVAL, "object %s: no memory to wrap", name);
    return create(e, slice, layer, memory, bytes, words, name, object);
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

static void give_words(struct htmt_emulator *e, const struct htmt_object *o, uint32_t layer)
{
    htmt__store_at(e, o->slice, layer)->resident -= o->words;
    htmt__memory_give(e, htmt__store_at(e, o->slice, layer), layer, o->words);
}

/* Its handle stays, of no bytes: who still has it is told. */
static void bury(struct htmt_emulator *e, struct htmt_object *o)
{
    if (e->data)
        htmt__data_object_end(htmt__data_of(e, o->slice), o);
    for (uint32_t l = 0; l < e->layers; l++)
        if (htmt__is_played(e, o->slice, o->layer) && (l == o->layer || o->copies >> l & 1))
            give_words(e, o, l);
    if (o->prev)
        o->prev->next = o->next;
    else
        e->objects = o->next;
    if (o->next)
        o->next->prev = o->prev;
    o->destroyed = true;
    o->bytes = 0;
    o->prev = NULL;
    o->next = e->tombs;
    e->tombs = o;
}

/* ---- what is none ---------------------------------------------------------------------------- */

/* Addresses of nothing: they are refused where they are used, and not taken for nowhere. */
static const struct htmt_object no_object = {.name = "htmt_in(NULL)"};
static const struct htmt_object no_frame = {.name = "htmt_at(NULL)"};

static int refuse_outside(struct htmt_emulator *e, const struct htmt_object *o,
                          const uint64_t *slice, const char *what)
{
    char text[32] = "a slice";
    if (slice)
        snprintf(text, sizeof text, "slice %llu", (unsigned long long)*slice);
    return htmt__refuse(e, HTMT_EBOUNDS, "%s %s of frame %s, expected one of 0 to %u", what, text,
                        o->name, e->slices - 1);
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
    if (o->outside)
        return refuse_outside(e, o, offset, what);
    if (o->destroyed)
        return htmt__refuse(e, HTMT_EINVAL,
                            "%s %s, which was destroyed: destroy it after its last use", what,
                            o->name);
    return 0;
}

/* 0: an object that is alive, from a thread that may ask. */
static int check_object(const struct htmt_object *o, const char *call)
{
    char what[48];
    struct htmt_emulator *e = o ? o->emulator : NULL;
    snprintf(what, sizeof what, "%s of", call);
    if (!e)
        return htmt__refuse(NULL, HTMT_EINVAL, "%s an object that is none (NULL)", what);
    int rc = htmt__permit_host(e, call);
    return rc ? rc : refuse_object(e, o, NULL, what);
}

/* 0: nobody needs it any more. */
static int check_unused(struct htmt_emulator *e, const struct htmt_object *o)
{
    if (atomic_load(&e->state) == HTMT__ENDED)
        return 0;
    if (o->awaited)
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_object_destroy() of %s before the run, in which a parcel needs "
                            "it: destroy it after the run",
                            o->name);
    if (o->frame)
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_object_destroy() of %s in slice %u, which belongs to a frame: it "
                            "goes with the emulator",
                            o->name, o->slice);
    return 0;
}

void htmt_object_destroy(struct htmt_object **object)
{
    struct htmt_object *o = object ? *object : NULL;
    if (!o || check_object(o, "htmt_object_destroy()") || check_unused(o->emulator, o))
        return;
    bury(o->emulator, o);
    *object = NULL;
}

void *htmt_object_bytes(struct htmt_object *object)
{
    struct htmt_emulator *e = object ? object->emulator : NULL;
    if (check_object(object, "htmt_object_bytes()"))
        return htmt__dummy(e ? e->diagnostics : NULL, e ? object->bytes : 0);
    return e->data ? htmt__data_object_bytes(htmt__data_of(e, object->slice), object) : NULL;
}

uint64_t htmt_object_size(const struct htmt_object *object)
{
    if (object && object->bytes)
        return object->bytes;
    if (!object)
        htmt__refuse(NULL, HTMT_EINVAL, "htmt_object_size() of an object that is none (NULL)");
    else
        refuse_object(object->emulator, object, NULL, "htmt_object_size() of");
    return 0;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static struct htmt_frame *make_frame(struct htmt_emulator *e, const char *name)
{
    struct htmt_frame *f = calloc(1, sizeof *f + e->slices * sizeof f->object[0]);
    if (!f) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for frame %s", name);
        return NULL;
    }
    f->slices = e->slices;
    f->outside.emulator = e;
    f->outside.outside = true;
    snprintf(f->outside.name, sizeof f->outside.name, "%s", name);
    return f;
}

int htmt_frame_create(struct htmt_emulator *e, uint32_t layer, uint64_t bytes, const char *name,
                      struct htmt_frame **frame)
{
    int rc = check_call(e, name, frame, "htmt_frame_create()");
    struct htmt_frame *f = rc ? NULL : make_frame(e, name);
    if (!f)
        return rc ? rc : HTMT_ENOMEM;
    for (uint32_t i = 0; i < e->slices; i++) {
        rc = htmt__object_create(e, i, layer, bytes, name, &f->object[i]);
        if (rc) {
            while (i-- > 0)
                bury(e, f->object[i]);
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

struct htmt_addr htmt_at(const struct htmt_frame *frame, uint32_t slice, uint64_t offset)
{
    if (__builtin_expect(frame && slice < frame->slices, 1))
        return (struct htmt_addr){frame->object[slice], offset};
    if (frame)
        return (struct htmt_addr){(struct htmt_object *)&frame->outside, slice};
    return (struct htmt_addr){(struct htmt_object *)&no_frame, offset};
}

struct htmt_addr htmt_in(struct htmt_object *object, uint64_t offset)
{
    return (struct htmt_addr){object ? object : (struct htmt_object *)&no_object, offset};
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
        free(e->objects);
        e->objects = next;
    }
    while (e->tombs) {
        struct htmt_object *next = e->tombs->next;
        free(e->tombs);
        e->tombs = next;
    }
}

/* First and one past last byte of the pieces, relative to the address; 0 or HTMT_EBOUNDS. */
static int extent(struct htmt_pieces p, uint64_t bytes, htmt_wide *low, htmt_wide *high)
{
    if (!p.count) {
        *low = 0;
        *high = bytes;
        return 0;
    }
    if ((htmt_uwide)p.bytes * p.count < bytes || !p.bytes)
        return HTMT_EBOUNDS;
    htmt_wide last = (htmt_wide)p.stride * (htmt_wide)((bytes - 1) / p.bytes);
    *low = last < 0 ? last : 0;
    *high = (last > 0 ? last : 0) + (htmt_wide)p.bytes;
    return 0;
}

int htmt__bounds_of(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                    struct htmt_pieces pieces, const char *what)
{
    htmt_wide low, high;
    if (!at.object || !bytes)
        return htmt__fail(e, HTMT_EBOUNDS, "%s %s", what, bytes ? "nowhere" : "0 bytes");
    int rc = refuse_object(e, at.object, &at.offset, what);
    if (rc)
        return rc;
    if (extent(pieces, bytes, &low, &high))
        return htmt__fail(e, HTMT_EBOUNDS, "%s %s in %llu pieces of %llu bytes, %llu are wanted",
                          what, at.object->name, (unsigned long long)pieces.count,
                          (unsigned long long)pieces.bytes, (unsigned long long)bytes);
    if (low + (htmt_wide)at.offset < 0 || high + (htmt_wide)at.offset > (htmt_wide)at.object->bytes)
        return htmt__fail(e, HTMT_EBOUNDS, "%s %s + %llu, %llu bytes; it has %llu", what,
                          at.object->name, (unsigned long long)at.offset, (unsigned long long)bytes,
                          (unsigned long long)at.object->bytes);
    return 0;
}
