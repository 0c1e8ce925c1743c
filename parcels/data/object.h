/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: objects and frames, and whether an address lies within its own.
 */
#ifndef HTMT_PARCELS_DATA_OBJECT_H
#define HTMT_PARCELS_DATA_OBJECT_H

#include "parcels/timing/engine.h"

struct htmt_object {
    struct htmt_object *next, *prev;
    struct htmt_emulator *emulator;
    char name[64];
    uint32_t slice, layer;
    uint64_t bytes, words;
    struct htmt__storage *storage; /* NULL in a model run */
    struct htmt_object *first;     /* of a frame: that of slice 0; else NULL */
    uint8_t copies;                /* layers where a copy on its way has room; htmt_options.carry */
    bool wrapped;
    bool delivered, changed; /* since its last use in place; with lint or carry */
};

struct htmt_frame {
    struct htmt_frame *next;
    uint32_t slices;
    struct htmt_object *object[];
};

/* Room for a copy in another memory of its slice, from now on. */
int htmt__object_copy(struct htmt_emulator *e, struct htmt_object *o, uint32_t layer);
/* When folded, its twin in slice 0; NULL: it is in no frame. */
static inline struct htmt_object *htmt__object_played(const struct htmt_emulator *e,
                                                      struct htmt_object *o)
{
    return o->slice < e->played ? o : o->first;
}
void htmt__objects_destroy(struct htmt_emulator *e);
/* 0 or HTMT_EBOUNDS: pieces at an address lie within its object. */
int htmt__bounds_of(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                    struct htmt_pieces pieces, const char *what);
static inline int htmt__bounds(struct htmt_emulator *e, struct htmt_addr at, uint64_t bytes,
                               struct htmt_pieces pieces, const char *what)
{
    const struct htmt_object *o = at.object;
    if (o && bytes && !pieces.count && bytes <= o->bytes && at.offset <= o->bytes - bytes)
        return 0;
    return htmt__bounds_of(e, at, bytes, pieces, what);
}

#endif
