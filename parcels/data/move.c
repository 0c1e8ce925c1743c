/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes of closures move: taken from objects, put down in objects, in virtual-time order.
 */
#include "parcels/data/batch.h"
#include "parcels/data/fused.h"
#include "parcels/data/small_closures.h"
#include "parcels/data/transfer.h"

#include <string.h>

/* ---- regions --------------------------------------------------------------------------------- */

enum way { READ, WRITE };

/* Of a region that is to be copied. */
static struct htmt_object *other_end(const struct htmt__region *r, enum way way)
{
    if (r->at.into.object || r->reader.at)
        return NULL;
    return way == READ ? r->at.from.object : r->at.to.object;
}

static struct htmt__copy_op region_copy(const struct htmt__closure *c, const struct htmt__region *r,
                                        enum way way)
{
    static const struct htmt_pieces whole = {0};
    uint64_t n = r->at.bytes;
    struct htmt__span mine = htmt__span_at(htmt__place(c->storage, r->offset), whole, n);
    if (way == READ)
        return (struct htmt__copy_op){
            mine,
            htmt__span_at(htmt__place(r->at.from.object->storage, r->at.from.offset),
                          r->at.from_pieces, n),
            n, mine.at + n, r->room - n};
    return (struct htmt__copy_op){
        htmt__span_at(htmt__place(r->at.to.object->storage, r->at.to.offset), r->at.to_pieces, n),
        mine, n, NULL, 0};
}

/* Those who have yet to read what the regions write do so before. */
static void force_writes(struct htmt__data *d, const struct htmt__closure *c, uint32_t layer)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt_object *o = other_end(&c->region[i], WRITE);
        if (o && o->layer == layer)
            htmt__fuse_force(d, o->storage, htmt__region_extent(&c->region[i], false));
    }
}

/* All fresh regions that come from, or go to, objects of the layer. */
static void copy_regions(struct htmt__data *d, struct htmt__closure *c, uint32_t layer,
                         enum way way)
{
    struct htmt__transfer t = {.d = d, .pool = layer, .most = c->count};
    if (way == WRITE)
        force_writes(d, c, layer);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        struct htmt_object *o = other_end(r, way);
        if (!o || o->layer != layer || !htmt__closure_storage(d, c))
            continue;
        struct htmt__copy_op copy = region_copy(c, r, way);
        struct htmt__end there = {o->storage, htmt__region_extent(r, way == READ)};
        struct htmt__end mine = {c->storage, htmt__extent_run(r->offset, r->room)};
        htmt__transfer_add(&t, &copy, way == READ ? mine : there, way == READ ? there : mine);
    }
    htmt__transfer_end(&t);
}

void htmt__data_fetch(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    if (!(c->comes >> layer & 1))
        return;
    if (c->own) {
        htmt__brief_fetch(d, c, layer);
    } else if (c->fused) {
        htmt__fuse_read(c, layer);
    } else {
        htmt__fuse_stay(d, c, layer);
        copy_regions(d, c, layer, READ);
    }
}

/* A closure that no kernel saw: its outputs are zeros. */
static void clear_blanks(struct htmt__data *d, struct htmt__closure *c)
{
    if (c->storage)
        htmt__storage_sync(d->host, c->storage, HTMT__WRITE);
    for (uint32_t i = 0; i < c->count; i++)
        if (htmt__region_blank(&c->region[i]) && c->storage)
            memset((char *)htmt__storage_bytes(c->storage) + c->region[i].offset, 0,
                   c->region[i].room);
    c->cleared = true;
}

void htmt__data_store(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    if (!(c->goes >> layer & 1))
        return;
    if (c->own) {
        htmt__brief_store(d, c, layer);
        return;
    }
    if (c->fused && htmt__fuse_write(d, c, layer))
        return;
    if (!c->cleared && htmt__closure_storage(d, c))
        clear_blanks(d, c);
    copy_regions(d, c, layer, WRITE);
}

static struct htmt_object *far_end(const struct htmt__region *r, enum way way)
{
    if (!r->at.into.object)
        return NULL;
    return way == READ ? r->at.from.object : r->at.to.object;
}

static struct htmt__copy_op resident_copy(const struct htmt__ends *r, enum way way)
{
    static const struct htmt_pieces whole = {0};
    uint64_t n = r->bytes;
    struct htmt__span here =
        htmt__span_at(htmt__place(r->into.object->storage, r->into.offset), whole, n);
    if (way == READ)
        return (struct htmt__copy_op){
            .dst = here,
            .src = htmt__span_at(htmt__place(r->from.object->storage, r->from.offset),
                                 r->from_pieces, n),
            .bytes = n};
    return (struct htmt__copy_op){
        .dst = htmt__span_at(htmt__place(r->to.object->storage, r->to.offset), r->to_pieces, n),
        .src = here,
        .bytes = n};
}

static bool is_whole(struct htmt_addr at, struct htmt_pieces pieces, uint64_t bytes)
{
    return !at.offset && !pieces.count && at.object->bytes == bytes && !at.object->wrapped;
}

/* true: the pages have changed hands, nothing is to be copied. */
static bool hand_over(struct htmt__data *d, const struct htmt__ends *r, enum way way)
{
    static const struct htmt_pieces one = {0};
    struct htmt_addr far = way == READ ? r->from : r->to;
    struct htmt_pieces pieces = way == READ ? r->from_pieces : r->to_pieces;
    if (!r->handover || !is_whole(far, pieces, r->bytes) || !is_whole(r->into, one, r->bytes))
        return false;
    struct htmt__storage *storage = far.object->storage;
    htmt__batches_issue(d);
    far.object->storage = r->into.object->storage;
    r->into.object->storage = storage;
    return true;
}

/* All regions into resident objects, in their order. */
static void copy_resident(struct htmt__data *d, struct htmt__closure *c, enum way way)
{
    struct htmt__transfer t = {.d = d, .pool = c->code->exec, .most = c->count};
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        struct htmt_object *far = far_end(r, way);
        if (!far || hand_over(d, &r->at, way))
            continue;
        struct htmt__copy_op copy = resident_copy(&r->at, way);
        struct htmt__end there = {far->storage, htmt__region_extent(r, way == READ)};
        struct htmt__end mine = {r->at.into.object->storage, htmt__resident_extent(r)};
        struct htmt__end dst = way == READ ? mine : there, src = way == READ ? there : mine;
        htmt__fuse_force(d, dst.storage, dst.part);
        htmt__transfer_add(&t, &copy, dst, src);
    }
    htmt__transfer_end(&t);
}

void htmt__data_land(struct htmt__data *d, struct htmt__closure *c)
{
    if (c->lands)
        copy_resident(d, c, READ);
}

void htmt__data_depart(struct htmt__data *d, struct htmt__closure *c)
{
    if (c->lands)
        copy_resident(d, c, WRITE);
}
