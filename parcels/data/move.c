/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes of closures move: taken from objects, put down in objects, in virtual-time order.
 */
#include "parcels/data/batch.h"
#include "parcels/data/fused.h"
#include "parcels/data/small_closures.h"
#include "parcels/data/transfer.h"

#include <string.h>

enum way { READ, WRITE };

static const struct htmt_pieces whole;

/* ---- fresh regions --------------------------------------------------------------------------- */

/* Of a region that is to be copied. */
static struct htmt_object *other_end(const struct htmt__region *r, enum way way)
{
    if (r->at.into.object || r->reader.at)
        return NULL;
    return way == READ ? r->at.from.object : r->at.to.object;
}

/* All that come from, or go to, objects of the layer. Those who have yet to read what is written do
 * so before. */
static void copy_regions(struct htmt__data *d, struct htmt__closure *c, uint32_t layer,
                         enum way way)
{
    struct htmt__transfer t = {.d = d, .pool = layer, .most = c->count};
    for (uint32_t i = 0; i < c->count && way == WRITE; i++) {
        struct htmt_object *o = other_end(&c->region[i], WRITE);
        if (o && o->layer == layer)
            htmt__fuse_force(d, o->storage, htmt__region_extent(&c->region[i], false));
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        const struct htmt__ends *at = &r->at;
        struct htmt_object *o = other_end(r, way);
        if (!o || o->layer != layer || !htmt__closure_storage(d, c))
            continue;
        struct htmt__span mine =
            htmt__span_at(htmt__place(c->storage, r->offset), whole, at->bytes);
        struct htmt__end my_part = {c->storage, htmt__extent_run(r->offset, r->room)};
        struct htmt__end part = {o->storage, htmt__region_extent(r, way == READ)};
        struct htmt__copy_op copy = {.bytes = at->bytes};
        if (way == READ) {
            copy.dst = mine;
            copy.src =
                htmt__span_at(htmt__place(o->storage, at->from.offset), at->from_pieces, at->bytes);
            copy.rest = mine.at + at->bytes;
            copy.clear = r->room - at->bytes;
            htmt__transfer_add(&t, &copy, my_part, part);
        } else {
            copy.dst =
                htmt__span_at(htmt__place(o->storage, at->to.offset), at->to_pieces, at->bytes);
            copy.src = mine;
            htmt__transfer_add(&t, &copy, part, my_part);
        }
    }
    htmt__transfer_end(&t);
}

void htmt__data_fetch(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    if (!(c->comes >> layer & 1))
        return;
    if (c->own) {
        htmt__small_fetch(d, c, layer);
    } else if (c->fused) {
        htmt__fuse_read(c, layer);
    } else {
        htmt__fuse_stay(d, c, layer);
        copy_regions(d, c, layer, READ);
    }
}

void htmt__data_store(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    if (!(c->goes >> layer & 1))
        return;
    if (c->own) {
        htmt__small_store(d, c, layer);
        return;
    }
    if (c->fused && htmt__fuse_write(d, c, layer))
        return;
    /* Outputs of a closure that no kernel saw are zeros. */
    if (!c->cleared && htmt__closure_storage(d, c)) {
        if (c->storage)
            htmt__storage_sync(d->host, c->storage, HTMT__WRITE);
        for (uint32_t i = 0; i < c->count; i++)
            if (htmt__region_blank(&c->region[i]) && c->storage)
                memset((char *)htmt__storage_bytes(c->storage) + c->region[i].offset, 0,
                       c->region[i].room);
        c->cleared = true;
    }
    copy_regions(d, c, layer, WRITE);
}

/* ---- regions into resident objects ----------------------------------------------------------- */

static bool is_whole(struct htmt_addr at, struct htmt_pieces pieces, uint64_t bytes)
{
    return !at.offset && !pieces.count && at.object->bytes == bytes && !at.object->wrapped;
}

/* All of them, in their order. Of one that is handed over the pages change hands, and nothing is
 * copied. */
static void copy_resident(struct htmt__data *d, struct htmt__closure *c, enum way way)
{
    struct htmt__transfer t = {.d = d, .pool = c->code->exec, .most = c->count};
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        const struct htmt__ends *at = &r->at;
        const struct htmt_addr far = way == READ ? at->from : at->to;
        const struct htmt_pieces pieces = way == READ ? at->from_pieces : at->to_pieces;
        if (!at->into.object || !far.object)
            continue;
        if (at->handover && is_whole(far, pieces, at->bytes) &&
            is_whole(at->into, whole, at->bytes)) {
            struct htmt__storage *storage = far.object->storage;
            htmt__batches_issue(d);
            far.object->storage = at->into.object->storage;
            at->into.object->storage = storage;
            continue;
        }
        struct htmt__span here =
            htmt__span_at(htmt__place(at->into.object->storage, at->into.offset), whole, at->bytes);
        struct htmt__span there =
            htmt__span_at(htmt__place(far.object->storage, far.offset), pieces, at->bytes);
        struct htmt__end my_part = {at->into.object->storage, htmt__resident_extent(r)};
        struct htmt__end part = {far.object->storage, htmt__region_extent(r, way == READ)};
        struct htmt__end dst = way == READ ? my_part : part;
        struct htmt__copy_op copy = {.dst = way == READ ? here : there,
                                     .src = way == READ ? there : here,
                                     .bytes = at->bytes};
        htmt__fuse_force(d, dst.storage, dst.part);
        htmt__transfer_add(&t, &copy, dst, way == READ ? part : my_part);
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
