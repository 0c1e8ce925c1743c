/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the words of objects, and whether an address lies within its own.
 */
#ifndef HTMT_PARCELS_WALK_OBJECT_H
#define HTMT_PARCELS_WALK_OBJECT_H

#include "parcels/clock/engine.h"

/* htmt_object_create() of what was checked. */
int htmt__object_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t bytes,
                        const char *name, struct htmt_object **object);
/* Room for a copy in another memory of its slice, from now on. */
int htmt__object_copy(struct htmt_emulator *e, struct htmt_object *o, uint32_t layer);
/* Their bytes go to the planes of the partitions. */
void htmt__objects_deal(struct htmt_emulator *e);
void htmt__objects_destroy(struct htmt_emulator *e);
/* Why they do not lie within an object of the emulator: HTMT_EBOUNDS, or HTMT_EINVAL of an address
 * that is none; latched. 0: they do, going down. */
int htmt__bounds_of(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                    struct htmt_pieces pieces, const char *what);
/* Whether all pieces lie within the object, going up; no division, as most are asked here. */
static inline bool htmt__bounds_pieces(struct htmt_addr at, uint64_t bytes, struct htmt_pieces p)
{
    uint64_t all, last, end, room = at.object->bytes;
    return p.stride >= 0 && !__builtin_mul_overflow(p.bytes, p.count, &all) && bytes <= all &&
           !__builtin_mul_overflow((uint64_t)p.stride, p.count - 1, &last) &&
           !__builtin_add_overflow(last, p.bytes, &end) && end <= room && at.offset <= room - end;
}
/* Whether so many bytes at an address lie within an object of the emulator. */
static inline bool htmt__inside_run(const struct htmt_emulator *e, struct htmt_addr at,
                                    uint64_t bytes)
{
    const struct htmt_object *o = at.object;
    return o && bytes && o->emulator == e->whole && bytes <= o->bytes &&
           at.offset <= o->bytes - bytes;
}
/* The same of pieces, going up. */
static inline bool htmt__inside(const struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                                struct htmt_pieces pieces)
{
    if (!pieces.count)
        return htmt__inside_run(e, at, bytes);
    return at.object && bytes && at.object->emulator == e->whole &&
           htmt__bounds_pieces(at, bytes, pieces);
}
static inline int htmt__bounds(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                               struct htmt_pieces pieces, const char *what)
{
    return htmt__inside(e, at, bytes, pieces) ? 0 : htmt__bounds_of(e, at, bytes, pieces, what);
}
static inline int htmt__bounds_run(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                                   const char *what)
{
    return htmt__inside_run(e, at, bytes)
               ? 0
               : htmt__bounds_of(e, at, bytes, (struct htmt_pieces){0}, what);
}

#endif
