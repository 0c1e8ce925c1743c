/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/data/brief.h"
#include "parcels/data/batch.h"
#include "parcels/data/copy.h"
#include "parcels/data/fused.h"
#include "parcels/data/launch.h"

#include <string.h>

static bool lies_at(const struct htmt_object *o, uint32_t layer)
{
    return o && o->layer == layer;
}

void htmt__brief_fetch(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    htmt__batches_issue(d);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        char *at = c->own + r->offset;
        if (!lies_at(r->at.from.object, layer))
            continue;
        memcpy(at, htmt__place(r->at.from.object->storage, r->at.from.offset), r->at.bytes);
        memset(at + r->at.bytes, 0, r->room - r->at.bytes);
    }
}

void htmt__brief_run(struct htmt__data *d, struct htmt__closure *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        c->view[i] = (struct htmt__view){
            .bytes = c->own + r->offset, .size = r->room, .clear = htmt__region_unfilled(r)};
    }
    htmt__run_now(d, c);
}

void htmt__brief_store(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        struct htmt_object *to = r->at.to.object;
        if (!lies_at(to, layer))
            continue;
        htmt__fuse_force(d, to->storage, htmt__extent_run(r->at.to.offset, r->at.bytes));
        memcpy(htmt__place(to->storage, r->at.to.offset), c->own + r->offset, r->at.bytes);
    }
}
