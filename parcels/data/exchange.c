/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bytes of messages: taken from one object, put down in another.
 *
 * A message holds its bytes as of the moment at which the last word left. There are three ways:
 *
 * - It reads later. It need not copy them: it is a closure of one region and a reader of its source
 * until somebody is about to write there (fused.c), and then it copies. Mostly nobody is, and the
 * bytes are copied once, from object to object.
 *
 * - It takes pages. A put that hands over whole objects takes the source's pages; the source gets
 * others, left over by such puts before, and the destination's old ones become the next spare.
 * Nothing is copied.
 *
 * - It copies. So it does to another plane, whose readers do not meet those of this one, unless it
 * takes pages. The bytes are settled before that plane has them.
 */
#include "parcels/data/batch.h"
#include "parcels/data/fused.h"
#include "parcels/data/reader.h"
#include "parcels/data/transfer.h"

#include <stdlib.h>
#include <string.h>

struct htmt__held {
    struct htmt__storage *pages; /* that changed hands; NULL: those of the closure */
    bool copied;                 /* or, for another plane, a copy of the bytes */
    bool away;                   /* of no plane */
    struct htmt__closure *bytes; /* one region, which comes from the source */
};

/* One end of a copy. */
struct end {
    struct htmt__storage *storage;
    uint64_t offset;
    struct htmt_pieces pieces;
};

static struct htmt__end part_of(const struct end *e, uint64_t bytes)
{
    return (struct htmt__end){e->storage, htmt__extent_of(e->offset, e->pieces, bytes)};
}

/* Nobody has yet to read what it writes. */
static void copy(struct htmt__data *d, uint32_t pool, const struct end *dst, const struct end *src,
                 uint64_t bytes)
{
    struct htmt__transfer t = {.d = d, .pool = pool, .most = 1};
    const struct htmt__copy_op op = {
        .dst = htmt__span_at(htmt__place(dst->storage, dst->offset), dst->pieces, bytes),
        .src = htmt__span_at(htmt__place(src->storage, src->offset), src->pieces, bytes),
        .bytes = bytes};
    htmt__transfer_add(&t, &op, part_of(dst, bytes), part_of(src, bytes));
    htmt__transfer_end(&t);
}

/* ---- pages that change hands -----------------------------------------------------------------
 *
 * An open batch goes by objects, whose pages must be the same for all of its columns.
 */

static bool whole(struct htmt_addr at, uint64_t bytes, struct htmt_pieces pieces)
{
    return !at.offset && !pieces.count && at.object->bytes == bytes && !at.object->wrapped;
}

static bool swaps(const struct htmt_put *put)
{
    return put->handover && whole(put->src, put->bytes, put->src_pieces) &&
           whole(put->dst, put->bytes, put->dst_pieces);
}

/* ---- what a message holds -------------------------------------------------------------------- */

static const struct htmt__code no_code = {.name = "put"};

/* Pages that change hands are taken at once. */
static int hold_pages(struct htmt__data *d, const struct htmt_put *put, struct htmt__held *held)
{
    const uint64_t bytes = put->bytes + htmt__fence_bytes(d);
    struct htmt__storage *fresh;
    if (d->spares && htmt__storage_size(d->spare[d->spares - 1]) == bytes)
        fresh = d->spare[--d->spares];
    else
        fresh = htmt__storage_create(d->host, bytes, false, false);
    if (!fresh)
        return HTMT_ENOMEM;
    htmt__batches_issue(d);
    held->pages = put->src.object->storage;
    put->src.object->storage = fresh;
    return 0;
}

/* The source is read later: the message is a closure of one region, which has yet to be read. */
static int hold_bytes(struct htmt__data *d, const struct htmt_put *put, struct htmt__held *held)
{
    struct htmt__closure *c = held->bytes = htmt__closure_create(d, 1, 0);
    if (!c)
        return HTMT_ENOMEM;
    struct htmt__region *r = &c->region[0];
    c->code = &no_code;
    c->bytes = put->bytes;
    *r = (struct htmt__region){
        .at = {.from = put->src, .bytes = put->bytes, .from_pieces = put->src_pieces},
        .room = put->bytes,
        .reader = {.closure = c}};
    htmt__reader_join(r, put->src.object->storage, htmt__region_extent(r, true));
    if (d->checked) /* what a job did not declare is unreadable: no looking at it later */
        htmt__fuse_force(d, put->src.object->storage, r->reader.extent);
    return 0;
}

/* Where the bytes are now. */
static struct end end_of(const struct htmt_put *put, const struct htmt__held *held)
{
    const struct htmt__region *r = held && held->bytes ? &held->bytes->region[0] : NULL;
    if (held && held->copied)
        return (struct end){.storage = held->pages};
    if (!r)
        return (struct end){put->src.object->storage, put->src.offset, put->src_pieces};
    if (r->reader.at)
        return (struct end){r->source, put->src.offset, put->src_pieces};
    return (struct end){.storage = held->bytes->storage};
}

/* For another plane: its readers do not meet those of this one. */
static int hold_copy(struct htmt__data *d, const struct htmt_put *put, uint32_t layer,
                     struct htmt__held *held)
{
    held->pages = htmt__storage_create(d->host, put->bytes, false, true);
    held->copied = true;
    if (!held->pages)
        return HTMT_ENOMEM;
    const struct end to = {.storage = held->pages}, from = end_of(put, NULL);
    copy(d, layer, &to, &from, put->bytes);
    return 0;
}

static void come_in(struct htmt__data *d, struct htmt__held *held)
{
    if (held->away)
        htmt__storage_join(d->host, held->pages);
    held->away = false;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static struct htmt__held *capture(struct htmt__data *d, const struct htmt_put *put, uint32_t layer,
                                  bool away)
{
    struct htmt__held *held = calloc(1, sizeof *held);
    int rc = HTMT_ENOMEM;
    if (held && swaps(put)) {
        if (away)
            htmt__fuse_force(d, put->src.object->storage, (struct htmt__extent){0});
        rc = hold_pages(d, put, held);
    } else if (held) {
        rc = away ? hold_copy(d, put, layer, held) : hold_bytes(d, put, held);
    }
    if (!rc)
        return held;
    free(held);
    htmt_fault_set(d->fault, rc, "no host memory for a put");
    return NULL;
}

struct htmt__held *htmt__data_capture(struct htmt__data *d, const struct htmt_put *put,
                                      uint32_t layer)
{
    return capture(d, put, layer, false);
}

struct htmt__held *htmt__data_capture_away(struct htmt__data *d, const struct htmt_put *put,
                                           uint32_t layer)
{
    return capture(d, put, layer, true);
}

void htmt__data_settle(struct htmt__data *d, struct htmt__held *held)
{
    htmt__batches_issue(d);
    htmt__storage_leave(d->host, held->pages);
    held->away = true;
}

const void *htmt__data_held_bytes(const struct htmt__held *held)
{
    return htmt__storage_bytes(held->pages);
}

struct htmt__held *htmt__data_hold(struct htmt__data *d, const void *bytes, uint64_t size)
{
    struct htmt__held *held = calloc(1, sizeof *held);
    if (held)
        held->pages = htmt__storage_create(d->host, size, false, true);
    if (!held || !held->pages) {
        free(held);
        htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for a put");
        return NULL;
    }
    held->copied = true;
    memcpy(htmt__storage_bytes(held->pages), bytes, size);
    return held;
}

void htmt__data_deliver(struct htmt__data *d, const struct htmt_put *put, uint32_t layer,
                        struct htmt__held *held)
{
    struct end to = {put->dst.object->storage, put->dst.offset, put->dst_pieces};
    if (held)
        come_in(d, held);
    if (swaps(put) && !(held && held->copied)) {
        struct htmt_object *src = put->src.object, *dst = put->dst.object;
        struct htmt__storage *old = dst->storage;
        htmt__batches_issue(d);
        dst->storage = held ? held->pages : src->storage;
        if (!held) {
            src->storage = old;
            return;
        }
        free(held);
        htmt__fuse_force(d, old, (struct htmt__extent){0});
        if (d->spares < HTMT__SPARES_MAX)
            d->spare[d->spares++] = old;
        else
            htmt__storage_drop(d->host, old);
        return;
    }
    htmt__fuse_force(d, to.storage, htmt__extent_of(to.offset, to.pieces, put->bytes));
    struct end from = end_of(put, held);
    if (from.storage)
        copy(d, layer, &to, &from, put->bytes);
    if (held)
        htmt__data_drop(d, held);
}

void htmt__data_drop(struct htmt__data *d, struct htmt__held *held)
{
    come_in(d, held);
    if (held->pages)
        htmt__storage_drop(d->host, held->pages);
    htmt__data_discard(d, held->bytes);
    free(held);
}

void htmt__data_untake(struct htmt__data *d, struct htmt__storage *taken)
{
    htmt__storage_drop(d->host, taken);
}

int htmt__data_take(struct htmt__data *d, struct htmt_object *o, struct htmt__storage **taken)
{
    struct htmt__storage *fresh =
        htmt__storage_create(d->host, o->bytes + htmt__fence_bytes(d), false, false);
    if (!fresh)
        return htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for mailbox %s", o->name);
    if (*taken)
        htmt__storage_drop(d->host, *taken);
    *taken = o->storage;
    o->storage = fresh;
    return 0;
}
