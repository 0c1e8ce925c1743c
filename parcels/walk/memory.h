/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the memories of a slice. Words that parcels and objects take and give back,
 * objects and whether an address lies within one, and what a service finds in the innermost memory
 * though it did not come with its parcel (residency).
 */
#ifndef HTMT_PARCELS_WALK_MEMORY_H
#define HTMT_PARCELS_WALK_MEMORY_H

#include "parcels/walk/entity.h"

/* ---- words ----------------------------------------------------------------------------------- */

/* Those who waited for words of the slice's store, and have them now, go on. */
void htmt__memory_wake(struct htmt_emulator *e, struct htmt__store *s, uint32_t layer);
/* p, at a step that takes words of a layer, waits for them. */
void htmt__memory_await(struct htmt_emulator *e, struct htmt__entity *p);

/* p, at that step, has its words (true), or waits for them. */
static inline bool htmt__memory_take(struct htmt_emulator *e, struct htmt__entity *p,
                                     const struct htmt__step *step, uint64_t words)
{
    struct htmt__store *s = htmt__resource_at(e, p->slice, step->at);
    if (!s->line.head && htmt__store_fits(s, step->class, words)) {
        htmt__store_grant(s, step->class, words);
        return true;
    }
    p->step = step;
    htmt__memory_await(e, p);
    return false;
}
/* Words of the layer that a parcel holds: it has passed a step that takes them, and none that gives
 * them back. */
uint64_t htmt__memory_held(const struct htmt__entity *p, uint32_t layer);
/* Whoever waited for these words goes on. */
static inline void htmt__memory_give(struct htmt_emulator *e, struct htmt__store *s, uint32_t layer,
                                     uint64_t words)
{
    htmt__store_give(s, &e->store_class[layer], words);
    if (s->line.head)
        htmt__memory_wake(e, s, layer);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Refuses a place that the machine does not have: `what` is "object", or what else lies there.
 * Where the layer is the -1 of htmt_emulator_layer(), its name is told. Returns HTMT_EINVAL. */
int htmt__no_place(struct htmt_emulator *e, const char *what, const char *name, uint32_t slice,
                   uint32_t layer);
/* htmt_object_create() of what was checked. */
int htmt__object_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t bytes,
                        const char *name, struct htmt_object **object);
/* Room for a copy in another memory of its slice, from now on. */
int htmt__object_copy(struct htmt_emulator *e, struct htmt_object *o, uint32_t layer);
/* Of an object, kept or not. */
static inline uint64_t htmt__object_size(const struct htmt_object *o)
{
    return o->kept_bytes ? o->kept_bytes : o->bytes;
}
/* Their bytes go to the planes of the partitions. */
void htmt__objects_deal(struct htmt_emulator *e);
void htmt__objects_destroy(struct htmt_emulator *e);

/* Why the pieces do not lie within an object of the emulator: HTMT_EBOUNDS, or HTMT_EINVAL of an
 * address that is none; latched. 0: they do, with a negative stride, too. */
int htmt__bounds_of(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                    struct htmt_pieces pieces, const char *what);
/* Whether so many bytes at an address lie within an object of the emulator. */
static inline bool htmt__inside_run(const struct htmt_emulator *e, struct htmt_addr at,
                                    uint64_t bytes)
{
    const struct htmt_object *o = at.object;
    return o && bytes && o->emulator == e->whole && bytes <= o->bytes &&
           at.offset <= o->bytes - bytes;
}
/* The same of pieces whose strides are not negative. It divides nothing, since most addresses are
 * asked for here. */
bool htmt__inside_pieces(const struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                         const struct htmt_pieces *p);
static inline bool htmt__inside(const struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                                const struct htmt_pieces *p)
{
    return p->count ? htmt__inside_pieces(e, at, bytes, p) : htmt__inside_run(e, at, bytes);
}
static inline int htmt__bounds(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                               struct htmt_pieces pieces, const char *what)
{
    return htmt__inside(e, at, bytes, &pieces) ? 0 : htmt__bounds_of(e, at, bytes, pieces, what);
}
static inline int htmt__bounds_run(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                                   const char *what)
{
    return htmt__inside_run(e, at, bytes)
               ? 0
               : htmt__bounds_of(e, at, bytes, (struct htmt_pieces){0}, what);
}

/* ---- residency ------------------------------------------------------------------------------- */

/* Lint counts what a service finds in the innermost memory, what-if moves it. An object is one
 * thing here, whichever part of it is meant. */
static inline bool htmt__residency_matters(const struct htmt_emulator *e)
{
    return __builtin_expect(htmt__goes_aside(e, HTMT__BY_RESIDENCY), 0);
}
static inline uint32_t htmt__innermost(const struct htmt_emulator *e)
{
    return e->layers - 1;
}
/* When folded, its twin in slice 0; NULL: it is in no frame. */
static inline struct htmt_object *htmt__object_played(const struct htmt_emulator *e,
                                                      struct htmt_object *o)
{
    if (o->slice < e->played)
        return o;
    return o->frame ? o->frame->object[0] : NULL;
}

/* Only when it matters: */
/* The closure of a new parcel brings something into objects, or uses what lies there. */
void htmt__residency_regions(struct htmt_emulator *e, const struct htmt_parcel_desc *d);
/* Something has come into the object. */
void htmt__delivered(struct htmt_emulator *e, struct htmt_object *o);
/* A kernel will use bytes of the object: words that percolation would bring down from there and up
 * again are added to the context. */
void htmt__residency_use(struct htmt_context *c, struct htmt_object *o, uint64_t bytes,
                         enum htmt_use use);

#endif
