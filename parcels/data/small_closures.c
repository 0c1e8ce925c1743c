/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A small closure that has its bytes itself is one record of few lines: the first line of every
 * closure, its regions, the arguments, the bytes.
 */
#include "parcels/data/small_closures.h"
#include "parcels/data/batch.h"
#include "parcels/data/copy.h"
#include "parcels/data/fused.h"
#include "parcels/data/launch.h"

#include <stddef.h>
#include <string.h>

struct region {
    struct htmt_addr from, to;
    char *at;
    uint32_t bytes, room; /* room: with the padding */
    bool clear;           /* before the kernel */
};

#define REGIONS_AT offsetof(struct htmt__closure, storage)
#define ARGS_ALIGN 16u

static struct region *regions_of(struct htmt__closure *c)
{
    return (struct region *)(void *)((char *)c + REGIONS_AT);
}

struct htmt__closure *htmt__small_create(struct htmt__data *d, const struct htmt__code *code,
                                         uint64_t bytes, const struct htmt_parcel_desc *desc)
{
    size_t args = REGIONS_AT + desc->region_count * sizeof(struct region);
    args = (args + ARGS_ALIGN - 1) & ~(size_t)(ARGS_ALIGN - 1);
    size_t own = htmt__aligned(args + code->args_bytes);
    struct htmt__closure *c = htmt__slab_take(&d->slab, own + bytes);
    if (!c)
        return NULL;
    memset(c, 0, REGIONS_AT);
    c->code = code;
    c->size = own + bytes;
    c->count = desc->region_count;
    c->kept = (char *)c + args;
    c->fused = c->own = true;
    struct region *region = regions_of(c);
    char *at = (char *)c + own;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt_region *r = &desc->regions[i];
        uint64_t room = htmt__room_in(r, code->exec);
        region[i] = (struct region){.from = r->from,
                                    .to = r->to,
                                    .at = at,
                                    .bytes = (uint32_t)r->bytes,
                                    .room = (uint32_t)room,
                                    .clear = !r->from.object && !r->filled};
        at += htmt__aligned(room);
    }
    return c;
}

static bool lies_at(const struct htmt_object *o, uint32_t layer)
{
    return o && o->layer == layer;
}

void htmt__small_fetch(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    const struct region *r = regions_of(c);
    htmt__batches_issue(d);
    for (const struct region *end = r + c->count; r < end; r++) {
        if (!lies_at(r->from.object, layer))
            continue;
        memcpy(r->at, htmt__place(r->from.object->storage, r->from.offset), r->bytes);
        if (r->room > r->bytes)
            memset(r->at + r->bytes, 0, r->room - r->bytes);
    }
}

void htmt__small_close(struct htmt__closure *c)
{
    if (c->code->args_bytes)
        memcpy(c->kept, c->args, c->code->args_bytes);
}

void htmt__small_run(struct htmt__data *d, struct htmt__closure *c, const struct htmt__turn *turn)
{
    const struct region *r = regions_of(c);
    struct htmt__view view[HTMT__SMALL_REGIONS];
    for (uint32_t i = 0; i < c->count; i++)
        view[i] = (struct htmt__view){.bytes = r[i].at, .size = r[i].room, .clear = r[i].clear};
    htmt__run_now(d, c, view, turn);
}

void htmt__small_store(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    const struct region *r = regions_of(c);
    for (const struct region *end = r + c->count; r < end; r++) {
        if (!lies_at(r->to.object, layer))
            continue;
        htmt__fuse_force(d, r->to.object->storage, htmt__extent_run(r->to.offset, r->bytes));
        memcpy(htmt__place(r->to.object->storage, r->to.offset), r->at, r->bytes);
    }
}
