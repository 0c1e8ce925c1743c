/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the words of objects, and whether an address lies within its own.
 */
#ifndef HTMT_PARCELS_TIMING_OBJECT_H
#define HTMT_PARCELS_TIMING_OBJECT_H

#include "parcels/timing/engine.h"

/* Room for a copy in another memory of its slice, from now on. */
int htmt__object_copy(struct htmt_emulator *e, struct htmt_object *o, uint32_t layer);
void htmt__objects_destroy(struct htmt_emulator *e);
/* 0 or HTMT_EBOUNDS: pieces at an address lie within its object. */
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
static inline int htmt__bounds(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                               struct htmt_pieces pieces, const char *what)
{
    const struct htmt_object *o = at.object;
    if (o && bytes && !pieces.count && bytes <= o->bytes && at.offset <= o->bytes - bytes)
        return 0;
    if (o && bytes && pieces.count && htmt__bounds_pieces(at, bytes, pieces))
        return 0;
    return htmt__bounds_of(e, at, bytes, pieces, what);
}

#endif
