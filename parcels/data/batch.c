/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Batches: fused parcels that work on neighbouring columns of a matrix, in one job.
 *
 * A column of a matrix that lies by rows touches a cache line, and a page, for every element. So
 * when parcel after parcel takes the next column, they wait for each other: one job gathers their
 * columns row by row, runs their kernels, and scatters likewise. With columns of 16-byte elements a
 * batch takes 16 of them, four cache lines of a row, and reads each line once instead of four
 * times.
 *
 * A batch gathers all, then computes, then scatters all, region by region. That is another order
 * than parcel after parcel, so a parcel may join only if nobody sees the difference: its regions
 * continue those of the last one that joined by one column, it does not read what the batch will
 * have written, and no region of it is written over by a region behind it of those before it. Else
 * the batch is issued and another one begins.
 *
 * Each slice has at most one batch open. Jobs are issued in one order, so whoever issues another
 * job issues the batches first.
 */
#include "parcels/data/batch.h"
#include "parcels/data/reader.h"

#include <string.h>

#define ROW_BYTES  256               /* of a row that a batch takes: four cache lines */
#define ROOM_BYTES ((size_t)2 << 20) /* of all its closures: a second-level cache */
#define AHEAD      16                /* rows that are fetched ahead: they lie in different pages */
#define UNEVEN     192 /* between closures, so that their columns do not meet in the cache */

struct htmt__batch {
    char *room; /* lent; first, see htmt__job_borrow() */
    struct htmt__batch *next, **at;
    struct htmt__job *job;
    uint32_t slice, layer, count, limit;
    size_t whole_bytes, room_bytes; /* of one */
    const struct htmt__code *code;
    struct htmt__region *first, *last; /* of those that joined first and last; limit 1: none */
    uint32_t regions;
    char *wholes;
};

/* ---- the job --------------------------------------------------------------------------------- */

static struct htmt__fused *whole_at(const struct htmt__batch *b, uint32_t i)
{
    return (struct htmt__fused *)(void *)(b->wholes + i * b->whole_bytes);
}

/* Columns of pieces of a size that the compiler knows, side by side at one end. */
__attribute__((always_inline)) static inline void turn(const struct htmt__batch *b, uint32_t copy,
                                                       size_t piece, bool gather)
{
    char *one[ROW_BYTES];
    const struct htmt__copy_op *first = &whole_at(b, 0)->copy[copy];
    char *row = gather ? first->src.at : first->dst.at;
    int64_t stride = gather ? first->src.stride : first->dst.stride;
    for (uint32_t i = 0; i < b->count; i++)
        one[i] = gather ? whole_at(b, i)->copy[copy].dst.at : whole_at(b, i)->copy[copy].src.at;
    for (uint64_t at = 0; at < first->bytes; at += piece, row += stride) {
        for (size_t line = 0; line < b->count * piece; line += 64)
            if (gather)
                __builtin_prefetch(row + AHEAD * stride + (int64_t)line, 0);
            else
                __builtin_prefetch(row + AHEAD * stride + (int64_t)line, 1);
        for (uint32_t i = 0; i < b->count; i++)
            memcpy(gather ? one[i] + at : row + i * piece, gather ? row + i * piece : one[i] + at,
                   piece);
    }
}

/* Copy number `copy` of all: columns side by side, or one after another. */
static void copy_all(const struct htmt__batch *b, uint32_t copy, bool gather)
{
    struct htmt__copy_op *first = &whole_at(b, 0)->copy[copy];
    const struct htmt__span *far = gather ? &first->src : &first->dst;
    const uint64_t piece = far->piece;
    bool together =
        b->count > 1 && piece < first->bytes && (piece == 16 || piece == 8 || piece == 4);
    if (together && piece == 16)
        turn(b, copy, 16, gather);
    else if (together && piece == 8)
        turn(b, copy, 8, gather);
    else if (together)
        turn(b, copy, 4, gather);
    for (uint32_t i = 0; i < b->count; i++) {
        struct htmt__copy_op *c = &whole_at(b, i)->copy[copy];
        if (together)
            c->bytes = 0; /* what is left to do is to clear */
        htmt__copy_do(c);
    }
}

/* Places in the room that the worker lends are known now. */
static void run_batch(void *payload)
{
    const struct htmt__batch *b = payload;
    const struct htmt__fused *first = whole_at(b, 0);
    for (uint32_t n = 0; n < b->count; n++) {
        struct htmt__fused *w = whole_at(b, n);
        char *room = b->room + n * b->room_bytes;
        for (uint32_t i = 0; i < w->in; i++) {
            w->copy[i].dst.at = room + (uintptr_t)w->copy[i].dst.at;
            w->copy[i].rest = room + (uintptr_t)w->copy[i].rest;
        }
        for (uint32_t i = w->in; i < w->in + w->out; i++)
            w->copy[i].src.at = room + (uintptr_t)w->copy[i].src.at;
        for (uint32_t i = 0; i < w->kernel.regions; i++)
            if (w->kernel.view[i].in_room)
                w->kernel.view[i].bytes = room + (uintptr_t)w->kernel.view[i].bytes;
    }
    for (uint32_t k = 0; k < first->in; k++)
        copy_all(b, k, true);
    for (uint32_t n = 0; n < b->count; n++)
        htmt__kernel_do(&whole_at(b, n)->kernel);
    for (uint32_t k = first->in; k < first->in + first->out; k++)
        copy_all(b, k, false);
}

/* ---- who may join ---------------------------------------------------------------------------- */

static bool by_columns(const struct htmt_pieces *p)
{
    return p->count > 1 && p->planes <= 1 && p->stride >= ROW_BYTES &&
           (p->bytes == 16 || p->bytes == 8 || p->bytes == 4);
}

/* Regions of a batch are columns, resident, or stay in the room. */
static uint64_t column_piece(const struct htmt__closure *c)
{
    uint64_t piece = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__ends *at = &c->region[i].at;
        if (at->into.object)
            continue;
        if ((at->from.object && !by_columns(&at->from_pieces)) ||
            (at->to.object && !by_columns(&at->to_pieces)))
            return 0;
        if (at->from.object || at->to.object)
            piece = at->from.object ? at->from_pieces.bytes : at->to_pieces.bytes;
    }
    return piece;
}

static bool next_column(const struct htmt_addr *a, const struct htmt_addr *b, uint64_t piece)
{
    return a->object == b->object && (!a->object || b->offset == a->offset + piece);
}

static bool follows(const struct htmt__region *a, const struct htmt__region *b)
{
    const struct htmt__ends *x = &a->at, *y = &b->at;
    if (x->into.object || y->into.object)
        return x->into.object == y->into.object && x->into.offset == y->into.offset &&
               a->source == b->source;
    return a->source == b->source && a->room == b->room && x->bytes == y->bytes &&
           htmt__same_pieces(&x->from_pieces, &y->from_pieces) &&
           htmt__same_pieces(&x->to_pieces, &y->to_pieces) &&
           next_column(&x->from, &y->from, x->from_pieces.bytes) &&
           next_column(&x->to, &y->to, x->to_pieces.bytes);
}

/* Whether the batch will have written there as region w: its columns from the first to the last. */
static bool puts_down(const struct htmt__batch *b, uint32_t w, const struct htmt__storage *storage,
                      const struct htmt__extent *part)
{
    const struct htmt_object *to = b->first[w].at.to.object;
    if (!to || to->storage != storage)
        return false;
    struct htmt__extent first = htmt__region_extent(&b->first[w], false);
    struct htmt__extent last = htmt__region_extent(&b->last[w], false);
    struct htmt__extent all = first;
    all.piece = last.at + last.piece - first.at;
    return htmt__extents_meet(part, &all);
}

static bool continues(const struct htmt__batch *b, const struct htmt__closure *c, uint32_t layer)
{
    bool all = b->code == c->code && b->layer == layer && b->regions == c->count;
    for (uint32_t i = 0; i < c->count && all; i++)
        all = follows(&b->last[i], &c->region[i]);
    for (uint32_t i = 0; i < c->count && all; i++) {
        const struct htmt__region *r = &c->region[i];
        /* It came to its bytes after they were written, but a batch gathers before it scatters. */
        for (uint32_t w = 0; w < b->regions && r->source; w++)
            all &= !puts_down(b, w, r->source, &r->reader.extent);
        if (!r->at.to.object)
            continue;
        /* Its region number i comes after all of the others, but a batch scatters region by region.
         */
        const struct htmt__extent part = htmt__region_extent(r, false);
        for (uint32_t w = i + 1; w < b->regions; w++)
            all &= !puts_down(b, w, r->at.to.object->storage, &part);
    }
    return all;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void issue(struct htmt__data *d, struct htmt__batch *b)
{
    *b->at = b->next;
    if (b->next)
        b->next->at = b->at;
    d->open[b->slice] = NULL;
    htmt__job_borrow(b->job, b->count * b->room_bytes);
    htmt__host_issue(d->host, b->job, false);
}

void htmt__batches_issue_all(struct htmt__data *d)
{
    while (d->batches)
        issue(d, d->batches);
}

void htmt__issue(struct htmt__data *d, struct htmt__job *job, bool keep)
{
    htmt__batches_issue(d);
    htmt__host_issue(d->host, job, keep);
}

static uint32_t limit_of(const struct htmt__closure *c, size_t room)
{
    uint64_t piece = c->pieced ? column_piece(c) : 0;
    uint64_t limit = piece ? ROW_BYTES / piece : 1;
    if (limit > 16)
        limit = 16;
    while (limit > 1 && limit * room > ROOM_BYTES)
        limit /= 2; /* whole lines of the cache, as long as that may be */
    return limit ? (uint32_t)limit : 1;
}

bool htmt__batch_alone(const struct htmt__closure *c)
{
    return limit_of(c, c->bytes + UNEVEN) == 1;
}

static struct htmt__batch *open_batch(struct htmt__data *d, const struct htmt__closure *c,
                                      uint32_t layer)
{
    size_t whole = sizeof(struct htmt__fused) + c->code->args_bytes +
                   c->count * (2 * sizeof(struct htmt__copy_op) + sizeof(struct htmt__view));
    size_t room = c->bytes + UNEVEN;
    uint32_t limit = limit_of(c, room), kept = limit > 1 ? c->count : 0;
    size_t head = sizeof(struct htmt__batch) + 2 * kept * sizeof(struct htmt__region);
    whole = (whole + 15) & ~(size_t)15; /* a kernel's turn has a number of 16 bytes */
    head = (head + 15) & ~(size_t)15;
    struct htmt__job *job =
        htmt__job_create(d->host, c->code->exec, run_batch, head + limit * whole, 2 * c->count + 1);
    if (!job) {
        htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for a parcel %s", c->code->name);
        return NULL;
    }
    struct htmt__batch *b = htmt__job_payload(job);
    *b = (struct htmt__batch){.next = d->batches,
                              .at = &d->batches,
                              .job = job,
                              .slice = c->slice,
                              .layer = layer,
                              .limit = limit,
                              .whole_bytes = whole,
                              .room_bytes = room,
                              .code = c->code,
                              .regions = c->count,
                              .first = (struct htmt__region *)(void *)(b + 1)};
    b->last = b->first + kept;
    b->wholes = (char *)b + head;
    if (b->next)
        b->next->at = &b->next;
    return d->batches = d->open[c->slice] = b;
}

struct htmt__fused *htmt__batch_join(struct htmt__data *d, const struct htmt__closure *c,
                                     uint32_t layer, struct htmt__job **job)
{
    struct htmt__batch *b = d->open[c->slice];
    if (b && !continues(b, c, layer)) {
        htmt__batches_issue(d);
        b = NULL;
    }
    if (!b && !(b = open_batch(d, c, layer)))
        return NULL;
    if (b->limit > 1) {
        memcpy(b->last, c->region, b->regions * sizeof *b->last);
        if (!b->count)
            memcpy(b->first, b->last, b->regions * sizeof *b->first);
    }
    struct htmt__fused *w = whole_at(b, b->count++);
    memset(w, 0, sizeof *w);
    *job = b->job;
    return w;
}

void htmt__batch_joined(struct htmt__data *d, uint32_t slice)
{
    struct htmt__batch *b = d->open[slice];
    if (b->count == b->limit)
        issue(d, b);
}
