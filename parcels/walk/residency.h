/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: what a service finds in the innermost memory though it did not come with its
 * parcel. Lint counts it; what-if moves it. (An object is one thing here, whichever part of it is
 * meant.)
 */
#ifndef HTMT_PARCELS_WALK_RESIDENCY_H
#define HTMT_PARCELS_WALK_RESIDENCY_H

#include "parcels/clock/engine.h"

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
