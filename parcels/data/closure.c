/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bytes of a parcel's closure: taken from objects, put down in objects, in virtual-time order.
 *
 * Fresh regions lie one after another in one storage of the parcel. Regions into resident objects
 * are never held by the parcel: they are copied in one when they arrive or depart.
 */
#include "parcels/data/closure.h"
#include "parcels/data/batch.h"
#include "parcels/data/fused.h"
#include "parcels/data/job_arguments.h"
#include "parcels/data/object.h"
#include "parcels/timing/entity.h"
#include "runtime/host/host.h"

#include <stdlib.h>
#include <string.h>

#define ALIGN 64u

/* ---- life ------------------------------------------------------------------------------------ */

static uint64_t room_of(const struct htmt_region *r, uint32_t exec)
{
    uint64_t padded = r->in_words[exec] * HTMT_WORD;
    return padded > r->bytes ? padded : r->bytes;
}

static struct htmt_pieces joined(struct htmt_pieces p)
{
    return p.stride == (int64_t)p.bytes ? (struct htmt_pieces){0} : p;
}

static struct htmt__ends ends_of(const struct htmt_region *r)
{
    return (struct htmt__ends){.from = r->from,
                               .to = r->to,
                               .into = r->into,
                               .bytes = r->bytes,
                               .from_pieces = joined(r->from_pieces),
                               .to_pieces = joined(r->to_pieces),
                               .read_only = r->read_only,
                               .filled = r->filled,
                               .handover = r->handover};
}

struct htmt__closure *htmt__closure_create(struct htmt_emulator *e, struct htmt_parcel *p,
                                           const struct htmt_parcel_desc *desc)
{
    uint32_t n = desc->region_count;
    struct htmt__closure *c = malloc(sizeof *c + n * sizeof c->region[0] + desc->type->args_bytes);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    c->count = n;
    for (uint32_t i = 0; i < n; i++) {
        struct htmt__region *r = &c->region[i];
        r->at = ends_of(&desc->regions[i]);
        r->room = room_of(&desc->regions[i], desc->type->exec);
        r->offset = c->bytes;
        r->source = NULL;
        r->reader = (struct htmt__reader){.closure = c};
        if (!r->at.into.object)
            c->bytes += (r->room + ALIGN - 1) / ALIGN * ALIGN;
    }
    c->parcel = p;
    c->deferred = htmt__defer_may(e, desc);
    size_t result = desc->type->result_bytes;
    if (result && !(c->result = htmt__storage_create(e->host, result, true, false))) {
        free(c);
        return NULL;
    }
    return c;
}

void htmt__closure_free(struct htmt_emulator *e, struct htmt__closure *c)
{
    if (!c)
        return;
    htmt__defer_forget(c);
    if (c->job)
        htmt__job_release(e->host, c->job);
    if (c->storage)
        htmt__storage_drop(e->host, c->storage);
    if (c->result)
        htmt__storage_drop(e->host, c->result);
    free(c);
}

bool htmt__closure_storage(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__closure *c = p->closure;
    if (c->storage || !c->bytes)
        return true;
    c->storage = htmt__storage_create(e->host, c->bytes, false, true);
    if (!c->storage)
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a closure of %llu bytes",
                   (unsigned long long)c->bytes);
    return c->storage != NULL;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void step(struct htmt__span *s, uint64_t n)
{
    s->done += n;
    if (s->done == s->piece) {
        s->at += s->stride;
        s->done = 0;
    }
}

void htmt__copy_do(struct htmt__copy_op *c)
{
    while (c->bytes) {
        uint64_t n = c->bytes;
        if (n > c->dst.piece - c->dst.done)
            n = c->dst.piece - c->dst.done;
        if (n > c->src.piece - c->src.done)
            n = c->src.piece - c->src.done;
        memmove(c->dst.at + c->dst.done, c->src.at + c->src.done, n); /* within one object */
        step(&c->dst, n);
        step(&c->src, n);
        c->bytes -= n;
    }
    if (c->clear)
        memset(c->rest, 0, c->clear);
}

struct copies {
    uint32_t count;
    struct htmt__copy_op copy[];
};

static void run_copies(void *payload)
{
    struct copies *c = payload;
    for (uint32_t i = 0; i < c->count; i++)
        htmt__copy_do(&c->copy[i]);
}

void htmt__copy_padded(struct htmt_emulator *e, uint32_t pool, const struct htmt__end *dst,
                       const struct htmt__end *src, uint64_t bytes, uint64_t padding)
{
    struct htmt__job *job = htmt__job_create(
        e->host, pool, run_copies, sizeof(struct copies) + sizeof(struct htmt__copy_op), 2);
    if (!job) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a move");
        return;
    }
    struct copies *c = htmt__job_payload(job);
    c->count = 1;
    c->copy[0] = (struct htmt__copy_op){
        .dst = htmt__span_at(htmt__place(dst->storage, dst->offset), dst->pieces, bytes),
        .src = htmt__span_at(htmt__place(src->storage, src->offset), src->pieces, bytes),
        .bytes = bytes,
        .rest = (char *)htmt__place(dst->storage, dst->offset) + bytes,
        .clear = padding};
    struct htmt__extent to = htmt__extent_of(dst->offset, dst->pieces, bytes + padding);
    htmt__defer_force(e, dst->storage, to);
    htmt__job_use_part(job, dst->storage, HTMT__WRITE, to);
    htmt__job_use_part(job, src->storage, HTMT__READ,
                       htmt__extent_of(src->offset, src->pieces, bytes));
    htmt__issue(e, job, false);
}

void htmt__copy(struct htmt_emulator *e, uint32_t pool, const struct htmt__end *dst,
                const struct htmt__end *src, uint64_t bytes)
{
    htmt__copy_padded(e, pool, dst, src, bytes, 0);
}

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
static void copy_regions(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer,
                         enum way way)
{
    struct htmt__closure *c = p->closure;
    uint32_t n = count_regions(c, layer, way);
    if (!n || !htmt__closure_storage(e, p))
        return;
    struct htmt__job *job =
        htmt__job_create(e->host, layer, run_copies,
                         sizeof(struct copies) + n * sizeof(struct htmt__copy_op), n + 1);
    if (!job) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a move");
        return;
    }
    struct copies *copies = htmt__job_payload(job);
    copies->count = 0;
    htmt__job_use(job, c->storage, way == READ ? HTMT__WRITE : HTMT__READ);
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt_object *o = other_end(&c->region[i], way);
        if (!o || o->layer != layer)
            continue;
        copies->copy[copies->count++] = region_copy(c, &c->region[i], way);
        struct htmt__extent part = htmt__region_extent(&c->region[i], way == READ);
        if (way == WRITE)
            htmt__defer_force(e, o->storage, part);
        htmt__job_use_part(job, o->storage, way == READ ? HTMT__READ : HTMT__WRITE, part);
    }
    htmt__issue(e, job, false);
}

void htmt__closure_read(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer)
{
    if (p->closure->deferred) {
        htmt__defer_read(p->closure, layer);
        return;
    }
    htmt__defer_stay(e, p->closure, layer);
    copy_regions(e, p, layer, READ);
}

/* A closure that no kernel saw: its outputs are zeros. */
static void clear_blanks(struct htmt_emulator *e, struct htmt__closure *c)
{
    if (c->storage)
        htmt__storage_sync(e->host, c->storage, HTMT__WRITE);
    for (uint32_t i = 0; i < c->count; i++)
        if (htmt__region_blank(&c->region[i]) && c->storage)
            memset((char *)htmt__storage_bytes(c->storage) + c->region[i].offset, 0,
                   c->region[i].room);
    c->cleared = true;
}

void htmt__closure_write(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer)
{
    if (p->closure->deferred && htmt__defer_write(e, p, layer))
        return;
    if (!p->closure->cleared && htmt__closure_storage(e, p))
        clear_blanks(e, p->closure);
    copy_regions(e, p, layer, WRITE);
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
static void copy_resident(struct htmt_emulator *e, struct htmt_parcel *p, enum way way)
{
    const struct htmt__closure *c = p->closure;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; i++)
        n += far_end(&c->region[i], way) != NULL;
    if (!n)
        return;
    struct htmt__job *job =
        htmt__job_create(e->host, p->type->exec, run_copies,
                         sizeof(struct copies) + n * sizeof(struct htmt__copy_op), 2 * n);
    if (!job) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a move");
        return;
    }
    struct copies *copies = htmt__job_payload(job);
    copies->count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt_object *far = far_end(&c->region[i], way);
        if (!far || hand_over(&c->region[i].at, way))
            continue;
        copies->copy[copies->count++] = resident_copy(&c->region[i].at, way);
        struct htmt__extent there = htmt__region_extent(&c->region[i], way == READ);
        struct htmt__extent mine = htmt__resident_extent(&c->region[i]);
        struct htmt__storage *here = c->region[i].at.into.object->storage;
        htmt__defer_force(e, way == READ ? here : far->storage, way == READ ? mine : there);
        htmt__job_use_part(job, far->storage, way == READ ? HTMT__READ : HTMT__WRITE, there);
        htmt__job_use_part(job, here, way == READ ? HTMT__WRITE : HTMT__READ, mine);
    }
    htmt__issue(e, job, false);
}

void htmt__closure_land(struct htmt_emulator *e, struct htmt_parcel *p)
{
    copy_resident(e, p, READ);
}

void htmt__closure_depart(struct htmt_emulator *e, struct htmt_parcel *p)
{
    copy_resident(e, p, WRITE);
}
