/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/residency.h"
#include "parcels/clock/probe.h"
#include "parcels/walk/charge.h"
#include "parcels/walk/context.h"
#include "parcels/walk/object.h"

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
