/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bytes of messages: taken from one object, put down in another.
 */
#include "parcels/data/batch.h"
#include "parcels/data/copy.h"
#include "parcels/data/fused.h"

/* Copy between two storages as a job of the pool. */
struct end {
    struct htmt__storage *storage;
    uint64_t offset;
    struct htmt_pieces pieces;
};

static void copy(struct htmt__data *d, uint32_t pool, const struct end *dst, const struct end *src,
                 uint64_t bytes)
{
    struct htmt__job *job =
        htmt__job_create(d->host, pool, htmt__copies_do,
                         sizeof(struct htmt__copies) + sizeof(struct htmt__copy_op), 2);
    if (!job) {
        htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for a move");
        return;
    }
    struct htmt__copies *c = htmt__job_payload(job);
    c->count = 1;
    c->copy[0] = (struct htmt__copy_op){
        .dst = htmt__span_at(htmt__place(dst->storage, dst->offset), dst->pieces, bytes),
        .src = htmt__span_at(htmt__place(src->storage, src->offset), src->pieces, bytes),
        .bytes = bytes};
    struct htmt__extent to = htmt__extent_of(dst->offset, dst->pieces, bytes);
    htmt__fuse_force(d, dst->storage, to);
    htmt__job_use_part(job, dst->storage, HTMT__WRITE, to);
    htmt__job_use_part(job, src->storage, HTMT__READ,
                       htmt__extent_of(src->offset, src->pieces, bytes));
    htmt__issue(d, job, false);
}

/* ---- pages that change hands ----------------------------------------------------------------- */

static bool whole(struct htmt_addr at, uint64_t bytes, struct htmt_pieces pieces)
{
    return !at.offset && !pieces.count && at.object->bytes == bytes && !at.object->wrapped;
}

static bool swaps(const struct htmt_put *put)
{
    return put->handover && whole(put->src, put->bytes, put->src_pieces) &&
           whole(put->dst, put->bytes, put->dst_pieces);
}

static struct htmt__storage *take_spare(struct htmt__data *d, uint64_t bytes)
{
    if (d->spares && htmt__storage_size(d->spare[d->spares - 1]) == bytes)
        return d->spare[--d->spares];
    return htmt__storage_create(d->host, bytes, false, false);
}

static void keep_spare(struct htmt__data *d, struct htmt__storage *storage)
{
    if (d->spares < HTMT__SPARES_MAX)
        d->spare[d->spares++] = storage;
    else
        htmt__storage_drop(d->host, storage);
}

static void swap_pages(struct htmt__data *d, const struct htmt_put *put, struct htmt__storage *held)
{
    struct htmt_object *src = put->src.object, *dst = put->dst.object;
    struct htmt__storage *old = dst->storage;
    dst->storage = held ? held : src->storage;
    if (!held) {
        src->storage = old;
        return;
    }
    htmt__fuse_force(d, old, (struct htmt__extent){0});
    keep_spare(d, old);
}

/* ---- the calls ------------------------------------------------------------------------------- */

struct htmt__storage *htmt__data_capture(struct htmt__data *d, const struct htmt_put *put,
                                         uint32_t layer)
{
    struct htmt_object *src = put->src.object;
    struct htmt__storage *fresh = swaps(put)
                                      ? take_spare(d, put->bytes)
                                      : htmt__storage_create(d->host, put->bytes, false, true);
    if (!fresh) {
        htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for a put");
        return NULL;
    }
    if (swaps(put)) {
        struct htmt__storage *held = src->storage;
        src->storage = fresh;
        return held;
    }
    struct end to = {.storage = fresh};
    copy(d, layer, &to, &(struct end){src->storage, put->src.offset, put->src_pieces}, put->bytes);
    return fresh;
}

void htmt__data_deliver(struct htmt__data *d, const struct htmt_put *put, uint32_t layer,
                        struct htmt__storage *held)
{
    if (swaps(put)) {
        swap_pages(d, put, held);
        return;
    }
    struct end from = {.storage = held};
    if (!held)
        from = (struct end){put->src.object->storage, put->src.offset, put->src_pieces};
    copy(d, layer, &(struct end){put->dst.object->storage, put->dst.offset, put->dst_pieces}, &from,
         put->bytes);
    if (held)
        htmt__storage_drop(d->host, held);
}

void htmt__data_drop(struct htmt__data *d, struct htmt__storage *held)
{
    htmt__storage_drop(d->host, held);
}

int htmt__data_take(struct htmt__data *d, struct htmt_object *o, struct htmt__storage **taken)
{
    struct htmt__storage *fresh = htmt__storage_create(d->host, o->bytes, false, false);
    if (!fresh)
        return htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for mailbox %s", o->name);
    if (*taken)
        htmt__storage_drop(d->host, *taken);
    *taken = o->storage;
    o->storage = fresh;
    return 0;
}
