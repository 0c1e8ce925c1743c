/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fused parcels: gather, kernel and scatter in one job.
 *
 * The idea. An ordinary parcel gives the host three jobs, which meet in a closure: bytes are
 * gathered into it, the kernel works there, results are scattered out of it. The closures of all
 * parcels that are under way would be far more than a cache holds, so each byte would go to memory
 * and back twice. But where a kernel touches only fresh regions, and resident objects that it only
 * reads, its cost is known beforehand and nobody waits for what it found, nothing on the host needs
 * to happen before its results are put down. Then one job does all three in a room that its worker
 * lends it: no closure is allocated, and the bytes stay in one cache. Where a region needs no copy,
 * since it lies in one piece and nothing else of the parcel touches its storage, the kernel works
 * in place.
 *
 * Why it is right. The clock says "gather" at one virtual moment and "scatter" at a later one, and
 * the job runs after the later one; what it reads must still be what it was at the earlier one. So
 * a storage keeps a list of those who have yet to read it (its tag, reader.h), with the extents;
 * whoever is about to write some of them, or to let the storage go, makes those read first
 * (htmt__fuse_force()): their bytes are copied into a closure, in virtual-time order, and they go
 * on as ordinary parcels. The arguments are kept as they were when the closure was complete. A
 * write that comes later in virtual time is issued later, and the host orders jobs by the storages
 * that they declare; so the job itself cannot read too late once it is issued.
 *
 * What it costs. A look into the list of a storage before each write: mostly an empty one. Parcels
 * that write to several layers cannot wait for one moment, and give up, too.
 *
 * Example. Parcel P gathers A[0..99] at 10, is due, and scatters to B at 30. At 20 a put writes
 * A[50..59]. At 10 P joins A's list with the extent 0..99. The put meets it: P's bytes are copied
 * now, its kernel becomes a job, and the put writes behind that copy. Had the put written
 * A[200..209], P would have stayed fused, and one job at 30 would read A, compute and write B.
 *
 * Parcels that work on neighbouring columns share a job: batch.c. Of other parcels, too, a fresh
 * region that is only read stays where it lies, in that list, until somebody is about to write
 * there or the parcel ends.
 */
#include "parcels/data/fused.h"
#include "parcels/data/batch.h"
#include "parcels/data/launch.h"
#include "parcels/data/reader.h"
#include "parcels/data/transfer.h"

#include <string.h>

static const struct htmt_pieces one_piece;

/* ---- what is read in place ------------------------------------------------------------------ */

void htmt__fuse_read(struct htmt__closure *c, uint32_t layer)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt__region *r = &c->region[i];
        if (!r->at.from.object || r->at.from.object->layer != layer || r->source)
            continue;
        htmt__reader_join(r, r->at.from.object->storage, htmt__region_extent(r, true));
    }
}

/* Regions without padding, from which nothing goes anywhere else. */
void htmt__fuse_stay(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    for (uint32_t i = 0; !d->checked && i < c->count; i++) {
        struct htmt__region *r = &c->region[i];
        const struct htmt__ends *at = &r->at;
        if (at->from.object && at->from.object->layer == layer && at->read_only &&
            !at->into.object && !at->to.object && !at->from_pieces.count && r->room == at->bytes)
            htmt__reader_join(r, at->from.object->storage, htmt__region_extent(r, true));
    }
}

/* The kernel sees its arguments and resident objects as of now. */
void htmt__fuse_kernel(struct htmt__closure *c)
{
    c->due = true;
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt__region *r = &c->region[i];
        if (r->at.into.object)
            htmt__reader_join(r, r->at.into.object->storage, htmt__resident_extent(r));
    }
    if (c->code->args_bytes)
        memcpy(c->kept, c->args, c->code->args_bytes);
}

/* The bytes of a region, from where they lie. */
static struct htmt__copy_op gather(const struct htmt__region *r, char *at)
{
    return (struct htmt__copy_op){.dst = htmt__span_at(at, one_piece, r->at.bytes),
                                  .src = htmt__span_at(htmt__place(r->source, r->at.from.offset),
                                                       r->at.from_pieces, r->at.bytes),
                                  .bytes = r->at.bytes,
                                  .rest = at + r->at.bytes,
                                  .clear = r->room - r->at.bytes};
}

/* ---- giving up ------------------------------------------------------------------------------- */

/* An ordinary parcel from now on: its bytes are read now. Nobody reads a closure's own bytes yet,
 * so nobody has to be forced. Once: a region that joins later may make its closure give up again.
 * One that is ordinary already, of which a region stayed where it lies, has its kernel from its
 * turn: not once more from here. */
static void give_up(struct htmt__data *d, struct htmt__closure *c)
{
    struct htmt__call call = htmt__execute_call(d, c);
    bool awaited = c->fused && c->due && (c->turn.number || !c->small);
    htmt__reader_forget(c);
    if (!htmt__closure_storage(d, c))
        return;
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt__transfer t = {.d = d, .most = 1};
        struct htmt__region *r = &c->region[i];
        if (!r->source || r->at.into.object)
            continue;
        struct htmt__copy_op copy = gather(r, htmt__place(c->storage, r->offset));
        t.pool = r->at.from.object->layer;
        htmt__transfer_add(&t, &copy,
                           (struct htmt__end){c->storage, htmt__extent_run(r->offset, r->room)},
                           (struct htmt__end){r->source, htmt__region_extent(r, true)});
        htmt__transfer_end(&t);
        r->source = NULL;
    }
    if (awaited)
        c->job = htmt__launch(d, c, &call);
}

void htmt__fuse_finish(struct htmt__data *d, struct htmt__closure *c)
{
    if (c->due && c->turn.number)
        give_up(d, c);
}

static void force(struct htmt__data *d, struct htmt__storage *storage, struct htmt__extent extent)
{
    struct htmt__reader *reader;
    while ((reader = htmt__reader_of(storage, &extent)))
        give_up(d, reader->closure);
}

void htmt__fuse_force(struct htmt__data *d, struct htmt__storage *storage,
                      struct htmt__extent extent)
{
    htmt__batches_issue(d);
    force(d, storage, extent);
}

/* ---- the one job ----------------------------------------------------------------------------- */

static bool writes(const struct htmt__region *r, const struct htmt__storage *s)
{
    return r->at.to.object && r->at.to.object->storage == s;
}

/* Whether the kernel has another region of the closure in that storage, or one is put down there:
 * then places may overlap, and only copies keep the order. */
static bool shared_with_another(const struct htmt__closure *c, const struct htmt__region *r,
                                const struct htmt__storage *s)
{
    bool found = false;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *other = &c->region[i];
        found |= other != r && (writes(other, s) || (other->at.into.object && other->source == s));
    }
    return found;
}

/* Comes from where it goes, whose pages are still the same, in one piece, and nothing else of the
 * closure touches that storage: then reading late and writing early is the same. */
static bool stays_in_place(const struct htmt__closure *c, const struct htmt__region *r,
                           uint32_t layer)
{
    const struct htmt__ends *at = &r->at;
    bool alone = writes(r, r->source) && at->to.offset == at->from.offset &&
                 at->to.object->layer == layer && !at->from_pieces.count && !at->to_pieces.count;
    for (uint32_t i = 0; i < c->count; i++)
        alone &= &c->region[i] == r ||
                 (c->region[i].source != r->source && !writes(&c->region[i], r->source));
    return alone;
}

/* The region where it lies, or NULL: it needs a copy. */
static void *in_place(const struct htmt__closure *c, const struct htmt__region *r, uint32_t layer)
{
    const struct htmt__ends *at = &r->at;
    struct htmt_object *to = at->to.object;
    if (at->into.object)
        return htmt__place(r->source, at->into.offset);
    if (r->room != at->bytes)
        return NULL;
    if (r->source && to)
        return stays_in_place(c, r, layer) ? htmt__place(r->source, at->from.offset) : NULL;
    if (r->source)
        return at->read_only && !at->from_pieces.count && !shared_with_another(c, r, r->source)
                   ? htmt__place(r->source, at->from.offset)
                   : NULL;
    return to && to->layer == layer && !at->to_pieces.count &&
                   !shared_with_another(c, r, to->storage)
               ? htmt__place(to->storage, at->to.offset)
               : NULL;
}

/* The bytes of a region to where they go. */
static struct htmt__copy_op scatter(const struct htmt__region *r, char *at)
{
    const struct htmt__ends *e = &r->at;
    return (struct htmt__copy_op){
        .dst =
            htmt__span_at(htmt__place(e->to.object->storage, e->to.offset), e->to_pieces, e->bytes),
        .src = htmt__span_at(at, one_piece, e->bytes),
        .bytes = e->bytes};
}

static bool goes_to(const struct htmt__region *r, uint32_t layer)
{
    return r->at.to.object && r->at.to.object->layer == layer;
}

/* Its regions where they lie, or else in the room; `room` NULL: as offsets in it. */
static void view_whole(const struct htmt__closure *c, uint32_t layer, char *room,
                       struct htmt__view *view)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        void *at = in_place(c, r, layer);
        view[i] = (struct htmt__view){.bytes = at ? at : (void *)((uintptr_t)room + r->offset),
                                      .size = r->at.into.object ? r->at.bytes : r->room,
                                      .clear = htmt__region_unfilled(r),
                                      .in_room = !at};
    }
}

/* Without a job: nobody else could take it. */
static void do_whole(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    char *room = htmt__host_room(d->host, c->bytes);
    htmt__batches_issue(d);
    if (!room)
        return;
    view_whole(c, layer, room, c->view);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->region[i].source && c->view[i].in_room) {
            struct htmt__copy_op copy = gather(&c->region[i], c->view[i].bytes);
            htmt__copy_do(&copy);
        }
    htmt__run_now(d, c, c->view, &c->turn);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->view[i].in_room && goes_to(&c->region[i], layer)) {
            struct htmt__copy_op copy = scatter(&c->region[i], c->view[i].bytes);
            htmt__copy_do(&copy);
        }
}

/* A place in a job: the copies in, the copies out, the kernel. */
static void join_batch(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    struct htmt__job *job;
    struct htmt__fused *w = htmt__batch_join(d, c, layer, &job);
    if (!w)
        return;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        if (!r->source)
            continue;
        htmt__job_use_part(job, r->source, HTMT__READ, r->reader.extent);
        if (!in_place(c, r, layer))
            w->copy[w->in++] = gather(r, (char *)(uintptr_t)r->offset);
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        if (!goes_to(r, layer))
            continue;
        htmt__job_use_part(job, r->at.to.object->storage, HTMT__WRITE,
                           htmt__region_extent(r, false));
        if (!in_place(c, r, layer))
            w->copy[w->in + w->out++] = scatter(r, (char *)(uintptr_t)r->offset);
    }
    const struct htmt__call call = htmt__execute_call(d, c);
    struct htmt_kernel *k = &w->kernel;
    k->view = (struct htmt__view *)(void *)(w->copy + 2 * (size_t)c->count);
    k->regions = c->count;
    view_whole(c, layer, NULL, k->view);
    if (c->code->args_bytes)
        k->args = memcpy(k->view + c->count, c->kept, c->code->args_bytes);
    htmt__kernel_name(d, k, c->code, c->slice, &call);
    htmt__kernel_expect(k, call.code->cost, k->args);
    htmt__batch_joined(d, c->slice);
}

/* Those who have yet to read what this one writes do so before. */
static void issue_whole(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    htmt__reader_forget(c);
    c->cleared = true;
    for (uint32_t i = 0; i < c->count; i++)
        if (goes_to(&c->region[i], layer))
            force(d, c->region[i].at.to.object->storage, htmt__region_extent(&c->region[i], false));
    if (d->direct && htmt__batch_alone(c))
        do_whole(d, c, layer);
    else
        join_batch(d, c, layer);
}

/* ---- at the end ------------------------------------------------------------------------------ */

bool htmt__fuse_write(struct htmt__data *d, struct htmt__closure *c, uint32_t layer)
{
    if (c->goes != 1u << layer) {
        give_up(d, c);
        return false;
    }
    issue_whole(d, c, layer);
    return true;
}

void htmt__fuse_end(struct htmt__data *d, struct htmt__closure *c)
{
    if (c->due)
        issue_whole(d, c, UINT32_MAX);
}
