/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes of closures move: taken from objects, put down in objects, in virtual-time order.
 */
#include "parcels/data/batch.h"
#include "parcels/data/brief.h"
#include "parcels/data/copy.h"
#include "parcels/data/fused.h"

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

static uint32_t count_regions(const struct htmt__closure *c, uint32_t layer, enum way way)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt_object *o = other_end(&c->region[i], way);
        n += o && o->layer == layer;
    }
    return n;
}

/* All fresh regions that come from, or go to, objects of the layer, in one job. */
static void copy_regions(struct htmt__data *d, struct htmt__closure *c, uint32_t layer,
                         enum way way)
{
    uint32_t n = count_regions(c, layer, way);
    if (!n || !htmt__closure_storage(d, c))
        return;
    struct htmt__job *job =
        htmt__job_create(d->host, layer, htmt__copies_do,
                         sizeof(struct htmt__copies) + n * sizeof(struct htmt__copy_op), n + 1);
    if (!job) {
        htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for a move");
        return;
    }
    struct htmt__copies *copies = htmt__job_payload(job);
    copies->count = 0;
    htmt__job_use(job, c->storage, way == READ ? HTMT__WRITE : HTMT__READ);
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt_object *o = other_end(&c->region[i], way);
        if (!o || o->layer != layer)
            continue;
        copies->copy[copies->count++] = region_copy(c, &c->region[i], way);
        struct htmt__extent part = htmt__region_extent(&c->region[i], way == READ);
        if (way == WRITE)
            htmt__fuse_force(d, o->storage, part);
        htmt__job_use_part(job, o->storage, way == READ ? HTMT__READ : HTMT__WRITE, part);
    }
    htmt__issue(d, job, false);
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
static bool hand_over(const struct htmt__ends *r, enum way way)
{
    static const struct htmt_pieces one = {0};
    struct htmt_addr far = way == READ ? r->from : r->to;
    struct htmt_pieces pieces = way == READ ? r->from_pieces : r->to_pieces;
    if (!r->handover || !is_whole(far, pieces, r->bytes) || !is_whole(r->into, one, r->bytes))
        return false;
    struct htmt__storage *storage = far.object->storage;
    far.object->storage = r->into.object->storage;
    r->into.object->storage = storage;
    return true;
}

/* All regions into resident objects, in their order, in one job: many are small. */
static void copy_resident(struct htmt__data *d, struct htmt__closure *c, enum way way)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; i++)
        n += far_end(&c->region[i], way) != NULL;
    if (!n)
        return;
    struct htmt__job *job =
        htmt__job_create(d->host, c->code->exec, htmt__copies_do,
                         sizeof(struct htmt__copies) + n * sizeof(struct htmt__copy_op), 2 * n);
    if (!job) {
        htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for a move");
        return;
    }
    struct htmt__copies *copies = htmt__job_payload(job);
    copies->count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt_object *far = far_end(&c->region[i], way);
        if (!far || hand_over(&c->region[i].at, way))
            continue;
        copies->copy[copies->count++] = resident_copy(&c->region[i].at, way);
        struct htmt__extent there = htmt__region_extent(&c->region[i], way == READ);
        struct htmt__extent mine = htmt__resident_extent(&c->region[i]);
        struct htmt__storage *here = c->region[i].at.into.object->storage;
        htmt__fuse_force(d, way == READ ? here : far->storage, way == READ ? mine : there);
        htmt__job_use_part(job, far->storage, way == READ ? HTMT__READ : HTMT__WRITE, there);
        htmt__job_use_part(job, here, way == READ ? HTMT__WRITE : HTMT__READ, mine);
    }
    htmt__issue(d, job, false);
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
