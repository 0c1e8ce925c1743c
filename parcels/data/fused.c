/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Deferred parcels: gather, kernel and scatter in one job.
 *
 * Where a kernel touches fresh regions, and resident objects that it only reads, its cost is known
 * beforehand and nobody waits for what it found, nothing on the host needs to happen before its
 * results are put down. Then one job does all three in a room that its worker lends it: no closure
 * is allocated and the bytes stay in one cache.
 *
 * Parcels that work on neighbouring columns share a job: batch.c.
 *
 * What was to be read must still be what it was at its virtual moment. So a storage that deferred
 * parcels have yet to read keeps them in a list (its tag), and whoever is about to write it, or
 * to let it go, makes them read first; they go on as ordinary parcels then.
 *
 * Of other parcels, too, a fresh region that is only read stays where it lies, in that list, until
 * somebody is about to write there or the parcel ends.
 */
#include "parcels/data/fused.h"
#include "parcels/data/batch.h"
#include "parcels/data/job_arguments.h"
#include "parcels/data/object.h"
#include "parcels/timing/entity.h"
#include "runtime/host/host.h"

#include <string.h>

/* A resident object that stays as it is. */
static bool only_looked_at(const struct htmt_region *r)
{
    return r->read_only && !r->from.object && !r->to.object;
}

bool htmt__defer_may(const struct htmt_emulator *e, const struct htmt_parcel_desc *desc)
{
    bool may = desc->type->deferrable && !e->options.checked;
    for (uint32_t i = 0; i < desc->region_count; i++)
        may &= !desc->regions[i].into.object || only_looked_at(&desc->regions[i]);
    return may;
}

/* ---- lists of readers ------------------------------------------------------------------------ */

static void join(struct htmt__region *region, struct htmt__storage *storage,
                 struct htmt__extent extent)
{
    struct htmt__reader **head = (struct htmt__reader **)htmt__storage_tag(storage);
    struct htmt__reader *r = &region->reader;
    region->source = storage;
    r->extent = extent;
    r->next = *head;
    r->at = head;
    if (r->next)
        r->next->at = &r->next;
    *head = r;
}

static void leave(struct htmt__reader *r)
{
    if (!r->at)
        return;
    *r->at = r->next;
    if (r->next)
        r->next->at = r->at;
    r->at = NULL;
}

void htmt__defer_forget(struct htmt__closure *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        leave(&c->region[i].reader);
    c->deferred = false;
}

void htmt__defer_read(struct htmt__closure *c, uint32_t layer)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt__region *r = &c->region[i];
        if (!r->at.from.object || r->at.from.object->layer != layer || r->source)
            continue;
        join(r, r->at.from.object->storage, htmt__region_extent(r, true));
    }
}

/* Without padding, and nothing goes anywhere else from it. */
static bool stays(const struct htmt__region *r)
{
    const struct htmt__ends *at = &r->at;
    return at->read_only && !at->into.object && !at->to.object && !at->from_pieces.count &&
           r->room == at->bytes;
}

void htmt__defer_stay(struct htmt_emulator *e, struct htmt__closure *c, uint32_t layer)
{
    for (uint32_t i = 0; !e->options.checked && i < c->count; i++) {
        struct htmt__region *r = &c->region[i];
        if (r->at.from.object && r->at.from.object->layer == layer && stays(r))
            join(r, r->at.from.object->storage, htmt__region_extent(r, true));
    }
}

/* The kernel sees its arguments and resident objects as of now. */
void htmt__defer_kernel(struct htmt_parcel *p)
{
    struct htmt__closure *c = p->closure;
    c->due = true;
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt__region *r = &c->region[i];
        if (r->at.into.object)
            join(r, r->at.into.object->storage, htmt__resident_extent(r));
    }
    if (p->type->args_bytes)
        memcpy(&c->region[c->count], htmt__args(p), p->type->args_bytes);
}

static const struct htmt_pieces one_piece;

/* ---- giving up ------------------------------------------------------------------------------- */

static void read_now(struct htmt_emulator *e, struct htmt__closure *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct htmt__region *r = &c->region[i];
        if (!r->source || r->at.into.object)
            continue;
        struct htmt__end dst = {c->storage, r->offset, one_piece};
        struct htmt__end src = {r->source, r->at.from.offset, r->at.from_pieces};
        htmt__copy_padded(e, r->at.from.object->layer, &dst, &src, r->at.bytes,
                          r->room - r->at.bytes);
    }
}

/* An ordinary parcel from now on. */
static void give_up(struct htmt_emulator *e, struct htmt__closure *c)
{
    struct htmt_parcel *p = c->parcel;
    htmt__defer_forget(c);
    if (!htmt__closure_storage(e, p))
        return;
    read_now(e, c);
    if (c->due)
        htmt__kernel_issue(e, p, htmt__execute_step(p), NULL, 0, false);
}

static struct htmt__reader *who_reads(struct htmt__storage *storage,
                                      const struct htmt__extent *extent)
{
    struct htmt__reader *r = *(struct htmt__reader **)htmt__storage_tag(storage);
    while (r && !htmt__extents_meet(&r->extent, extent))
        r = r->next;
    return r;
}

static void force(struct htmt_emulator *e, struct htmt__storage *storage,
                  struct htmt__extent extent)
{
    struct htmt__reader *reader;
    while (!e->fault.code && (reader = who_reads(storage, &extent)))
        give_up(e, reader->closure);
}

void htmt__defer_force(struct htmt_emulator *e, struct htmt__storage *storage,
                       struct htmt__extent extent)
{
    htmt__batches_issue(e);
    force(e, storage, extent);
}

/* ---- the one job ----------------------------------------------------------------------------- */

static bool writes(const struct htmt__region *r, const struct htmt__storage *s)
{
    return r->at.to.object && r->at.to.object->storage == s;
}

/* Whether another region of the closure puts bytes down in the storage: then places may overlap,
 * and only copies keep the order. */
static bool written_by_another(const struct htmt__closure *c, const struct htmt__region *r,
                               const struct htmt__storage *s)
{
    bool found = false;
    for (uint32_t i = 0; i < c->count; i++)
        found |= &c->region[i] != r && writes(&c->region[i], s);
    return found;
}

/* Comes from where it goes, in one piece, and nothing else of the closure touches that storage:
 * then reading late and writing early is the same. */
static bool stays_in_place(const struct htmt__closure *c, const struct htmt__region *r,
                           uint32_t layer)
{
    const struct htmt__ends *at = &r->at;
    bool alone = at->to.object == at->from.object && at->to.offset == at->from.offset &&
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
        return at->read_only && !at->from_pieces.count && !written_by_another(c, r, r->source)
                   ? htmt__place(r->source, at->from.offset)
                   : NULL;
    return to && to->layer == layer && !at->to_pieces.count &&
                   !written_by_another(c, r, to->storage)
               ? htmt__place(to->storage, at->to.offset)
               : NULL;
}

static struct htmt__span in_room(const struct htmt__region *r)
{
    return htmt__span_at((void *)(uintptr_t)r->offset, one_piece, r->at.bytes);
}

static void add_in(struct htmt__whole *w, struct htmt__job *job, const struct htmt__closure *c,
                   const struct htmt__region *r, uint32_t layer)
{
    if (!r->source)
        return;
    htmt__job_use_part(job, r->source, HTMT__READ, r->reader.extent);
    if (in_place(c, r, layer))
        return;
    w->copy[w->in++] =
        (struct htmt__copy_op){.dst = in_room(r),
                               .src = htmt__span_at(htmt__place(r->source, r->at.from.offset),
                                                    r->at.from_pieces, r->at.bytes),
                               .bytes = r->at.bytes,
                               .rest = (char *)(uintptr_t)(r->offset + r->at.bytes),
                               .clear = r->room - r->at.bytes};
}

static void add_out(struct htmt__whole *w, struct htmt__job *job, const struct htmt__closure *c,
                    const struct htmt__region *r, uint32_t layer)
{
    struct htmt_object *to = r->at.to.object;
    if (!to || to->layer != layer)
        return;
    htmt__job_use_part(job, to->storage, HTMT__WRITE, htmt__region_extent(r, false));
    if (in_place(c, r, layer))
        return;
    w->copy[w->in + w->out++] =
        (struct htmt__copy_op){.dst = htmt__span_at(htmt__place(to->storage, r->at.to.offset),
                                                    r->at.to_pieces, r->at.bytes),
                               .src = in_room(r),
                               .bytes = r->at.bytes};
}

static void add_kernel(struct htmt_emulator *e, struct htmt__whole *w, struct htmt_parcel *p,
                       uint32_t layer)
{
    const struct htmt__closure *c = p->closure;
    struct htmt_kernel *k = &w->kernel;
    k->view = (struct htmt__view *)(void *)(w->copy + 2 * (size_t)c->count);
    k->regions = c->count;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        void *at = in_place(c, r, layer);
        k->view[i] = (struct htmt__view){.bytes = at ? at : (void *)(uintptr_t)r->offset,
                                         .size = r->at.into.object ? r->at.bytes : r->room,
                                         .clear = htmt__region_unfilled(r),
                                         .in_room = !at};
    }
    if (p->type->args_bytes)
        k->args = memcpy(k->view + c->count, &c->region[c->count], p->type->args_bytes);
    htmt__kernel_name(e, k, p, k->args, htmt__execute_step(p));
}

/* Those who have yet to read what this one writes do so before. */
static void force_all(struct htmt_emulator *e, const struct htmt__closure *c, uint32_t layer)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        if (r->at.to.object && r->at.to.object->layer == layer)
            force(e, r->at.to.object->storage, htmt__region_extent(r, false));
    }
}

static void issue_whole(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer)
{
    struct htmt__closure *c = p->closure;
    struct htmt__job *job;
    htmt__defer_forget(c);
    c->cleared = true;
    force_all(e, c, layer);
    struct htmt__whole *w = htmt__batch_join(e, p, layer, &job);
    if (!w)
        return;
    for (uint32_t i = 0; i < c->count; i++)
        add_in(w, job, c, &c->region[i], layer);
    for (uint32_t i = 0; i < c->count; i++)
        add_out(w, job, c, &c->region[i], layer);
    add_kernel(e, w, p, layer);
    htmt__batch_joined(e, p->slice);
}

/* ---- at the end -------------------------------------------------------------------------------
 */

bool htmt__defer_write(struct htmt_emulator *e, struct htmt_parcel *p, uint32_t layer)
{
    struct htmt__closure *c = p->closure;
    bool here = false, elsewhere = false;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt_object *to = c->region[i].at.to.object;
        here |= to && to->layer == layer;
        elsewhere |= to && to->layer != layer;
    }
    if (here && elsewhere) {
        give_up(e, c);
        return false;
    }
    if (here)
        issue_whole(e, p, layer);
    return true;
}

void htmt__defer_end(struct htmt_emulator *e, struct htmt_parcel *p)
{
    if (p->closure->due)
        issue_whole(e, p, UINT32_MAX);
}
