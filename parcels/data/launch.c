/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels as jobs of the host. A job gets its own copy of the arguments and pointers that were
 * looked up at its issue; it declares the storages behind them, so the host orders it after
 * whatever was issued before.
 *
 * The payload of a job, in one piece:
 *
 *     kernel records   one, or one for each part that may run side by side
 *     views            what it sees: regions, then uses
 *     fences           in a checked run
 *     arguments        a copy, with its fence
 *     what its operations took
 *
 * Where the clock's thread is the only one, nobody else could take a job. Then the same payload
 * lies in a record of the slab, and the kernel runs at once.
 */
#include "parcels/data/launch.h"
#include "parcels/data/batch.h"
#include "parcels/data/copy.h"
#include "parcels/data/kernel.h"
#include "parcels/data/op_recorder.h"

#include <string.h>

static void run_kernel(void *payload)
{
    htmt__kernel_do(payload);
}

/* Whether the bytes of a region are there for a kernel of that step: not before they joined, and
 * resident ones only where the parcel executes. */
static bool present(const struct htmt__code *code, const struct htmt__call *call,
                    const struct htmt__ends *r)
{
    if (r->into.object)
        return call->layer == code->exec;
    return !r->from.object || call->stage > HTMT_DISPATCH ||
           code->place[r->from.object->layer] <= code->place[call->layer];
}

void htmt__data_touches(const struct htmt__closure *c, enum htmt__motion motion,
                        enum htmt_stage_id stage, uint32_t layer, htmt__touches_fn *touch,
                        void *user)
{
    const struct htmt__call call = {.stage = stage, .layer = layer};
    const struct htmt_pieces whole = {0};
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__ends *r = &c->region[i].at;
        const bool resident = r->into.object != NULL;
        if (motion == HTMT__COMPUTES && resident && present(c->code, &call, r))
            touch(user, r->into, r->bytes, whole, !r->read_only);
        if (motion == HTMT__FETCHES && !resident && r->from.object &&
            r->from.object->layer == layer)
            touch(user, r->from, r->bytes, r->from_pieces, false);
        if (motion == HTMT__STORES && !resident && r->to.object && r->to.object->layer == layer)
            touch(user, r->to, r->bytes, r->to_pieces, true);
        if (motion == HTMT__LANDS && resident && r->from.object) {
            touch(user, r->from, r->bytes, r->from_pieces, false);
            touch(user, r->into, r->bytes, whole, true);
        }
        if (motion == HTMT__DEPARTS && resident && r->to.object) {
            touch(user, r->into, r->bytes, whole, false);
            touch(user, r->to, r->bytes, r->to_pieces, true);
        }
    }
}

/* job NULL: the kernel runs at once. */
static void declare(struct htmt__job *job, struct htmt__storage *storage, unsigned use,
                    struct htmt__extent part)
{
    if (job)
        htmt__job_use_part(job, storage, use, part);
}

static void view_region(struct htmt__job *job, const struct htmt__closure *c, uint32_t i,
                        struct htmt__view *v)
{
    const struct htmt__region *r = &c->region[i];
    if (r->at.into.object) {
        struct htmt__storage *s = r->source ? r->source : r->at.into.object->storage;
        struct htmt__extent part = htmt__resident_extent(r);
        declare(job, s, r->at.read_only ? HTMT__READ : HTMT__READ | HTMT__WRITE, part);
        *v = (struct htmt__view){.bytes = htmt__place(s, r->at.into.offset), .size = r->at.bytes};
    } else if (r->reader.at) {
        declare(job, r->source, HTMT__READ, r->reader.extent);
        *v = (struct htmt__view){.bytes = htmt__place(r->source, r->at.from.offset),
                                 .size = r->room};
    } else if (c->storage) { /* else all fresh regions are empty */
        *v = (struct htmt__view){.bytes = htmt__place(c->storage, r->offset),
                                 .size = r->room,
                                 .clear = !c->cleared && htmt__region_unfilled(r)};
    } else {
        *v = (struct htmt__view){0};
    }
}

/* ---- fences ---------------------------------------------------------------------------------- */

/* Around all that the kernel sees; the bytes for its arguments are followed by those of their
 * fence.
 */
static void fence_all(struct htmt_kernel *k, const struct htmt__closure *c,
                      const struct htmt__call *call)
{
    for (uint32_t i = 0; i < k->regions + k->uses; i++) {
        const bool region = i < k->regions;
        const struct htmt__region *r = region ? &c->region[i] : NULL;
        const struct htmt__touch *u = region ? NULL : &call->uses[i - k->regions];
        const bool resident = r && r->at.into.object;
        struct htmt__storage *s = u          ? u->storage
                                  : resident ? r->at.into.object->storage
                                             : c->storage;
        const struct htmt__view *v = &k->view[i];
        if (region && !v->bytes)
            continue;
        struct htmt__fence *f = &k->fence[k->fences++];
        *f = htmt__fence_around(htmt__storage_bytes(s), htmt__storage_size(s), v->bytes, v->size);
        f->kind = region ? HTMT__REGION : HTMT__USED;
        f->number = region ? i : i - k->regions;
        f->writable = region ? !r->at.read_only : u->use & HTMT_WRITE;
        f->own = region && !resident && !r->reader.at;
        f->shut = (resident || u) && !htmt__storage_wrapped(s);
    }
    if (k->args) {
        struct htmt__fence *f = &k->fence[k->fences++];
        size_t size = c->code->args_bytes;
        *f = htmt__fence_around(k->args, size + HTMT__FENCE, k->args, size);
        f->kind = HTMT__ARGUMENTS;
        f->writable = false;
    }
    if (k->result) {
        struct htmt__fence *f = &k->fence[k->fences++];
        *f = htmt__fence_around(k->result, htmt__storage_size(c->result), k->result,
                                c->code->result_bytes);
        f->kind = HTMT__RESULT;
        f->own = true;
    }
}

/* ---- the call -------------------------------------------------------------------------------- */

struct htmt__call htmt__execute_call(const struct htmt__data *d, const struct htmt__closure *c)
{
    const struct htmt_stage *code = &c->code->stage[HTMT_EXECUTE];
    return (struct htmt__call){.code = code,
                               .stage = HTMT_EXECUTE,
                               .layer = c->code->exec,
                               .serial = c->serial,
                               .keep = !code->cost || d->recorder,
                               .turn = c->turn};
}

/* Room of a job: kernels, what they see, their fences, their arguments. */
struct layout {
    uint32_t shares, views, fences;
    size_t args_at, timed_at, bytes;
};

/* Parts of a kernel run side by side where the clock waits for them, and need not be preceded by
 * clearing: each share has a record of its own. */
static struct layout lay_out(const struct htmt__data *d, const struct htmt__closure *c,
                             const struct htmt__call *call)
{
    struct layout l = {.shares = 1, .views = c->count + call->use_count};
    bool divides = call->keep && !d->recorder;
    for (uint32_t i = 0; i < c->count; i++)
        divides &= c->cleared || !htmt__region_unfilled(&c->region[i]);
    if (divides && call->code->parts)
        l.shares = call->code->parts;
    l.fences = d->checked ? l.views + 2 : 0;
    l.args_at = l.shares * sizeof(struct htmt_kernel) + l.views * sizeof(struct htmt__view) +
                l.fences * sizeof(struct htmt__fence);
    l.timed_at = l.args_at + c->code->args_bytes + htmt__fence_bytes(d);
    l.timed_at = (l.timed_at + 15) & ~(size_t)15;
    l.bytes = l.timed_at + (d->recorder ? sizeof(struct htmt__timed) : 0);
    return l;
}

static void see_all(struct htmt_kernel *k, struct htmt__job *job, struct htmt__closure *c,
                    const struct htmt__call *call)
{
    const struct htmt__extent all = {0};
    if (c->storage)
        declare(job, c->storage, HTMT__READ | HTMT__WRITE, all);
    for (uint32_t i = 0; i < c->count; i++)
        if (present(c->code, call, &c->region[i].at))
            view_region(job, c, i, &k->view[i]);
        else
            k->view[i] = (struct htmt__view){0};
    c->cleared = true;
    for (uint32_t i = 0; i < call->use_count; i++) {
        const struct htmt__touch *u = &call->uses[i];
        declare(job, u->storage, u->use, htmt__extent_run(u->offset, u->bytes));
        k->view[c->count + i] =
            (struct htmt__view){.bytes = htmt__place(u->storage, u->offset), .size = u->bytes};
    }
    if (c->result) {
        declare(job, c->result, HTMT__READ | HTMT__WRITE, all);
        k->result = htmt__storage_bytes(c->result);
    }
}

/* Its operations will be recorded: what it sees has model addresses. Fresh regions lie one after
 * another, whatever the host keeps between them. */
static void record(struct htmt_kernel *k, const struct htmt__data *d, const struct htmt__closure *c,
                   const struct htmt__call *call, struct htmt__timed *timed)
{
    uint64_t fresh = HTMT__RECORDER_CLOSURES;
    k->recorder = d->recorder;
    k->timed = timed;
    *timed = (struct htmt__timed){.length = -1};
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__region *r = &c->region[i];
        const struct htmt_addr *into = &r->at.into;
        k->view[i].model = into->object ? into->object->model + into->offset : fresh;
        fresh += into->object ? 0 : htmt__aligned(r->room);
    }
    for (uint32_t i = 0; i < k->uses; i++)
        k->view[c->count + i].model = call->uses[i].model;
}

static void fill(struct htmt__data *d, struct htmt_kernel *k, struct htmt__job *job,
                 struct htmt__closure *c, const struct htmt__call *call, const struct layout *l)
{
    size_t args_bytes = c->code->args_bytes;
    memset(k, 0, sizeof *k);
    htmt__kernel_name(d, k, c->code, c->slice, call);
    k->regions = c->count;
    k->uses = call->use_count;
    k->view = (struct htmt__view *)(k + l->shares);
    if (args_bytes)
        k->args = memcpy((char *)k + l->args_at, c->due ? c->kept : c->args, args_bytes);
    see_all(k, job, c, call);
    if (d->recorder)
        record(k, d, c, call, (struct htmt__timed *)(void *)((char *)k + l->timed_at));
    if (l->fences) {
        k->fence = (struct htmt__fence *)(k->view + l->views);
        memset((char *)k + l->args_at + args_bytes, HTMT__FENCE_BYTE, HTMT__FENCE);
        fence_all(k, c, call);
    }
}

struct htmt__job *htmt__launch(struct htmt__data *d, struct htmt__closure *c,
                               const struct htmt__call *call)
{
    if (!htmt__closure_storage(d, c))
        return NULL;
    const struct layout l = lay_out(d, c, call);
    const bool now = d->direct && !call->keep; /* nobody else could take it, or wants its counts */
    struct htmt__job *job =
        now ? NULL
            : htmt__job_create_parts(d->host, call->layer, run_kernel, l.bytes, l.views + 2,
                                     l.shares, sizeof(struct htmt_kernel));
    struct htmt_kernel *k = now   ? htmt__slab_take(&d->slab, l.bytes)
                            : job ? htmt__job_payload(job)
                                  : NULL;
    if (!k) {
        htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for a kernel");
        return NULL;
    }
    if (now) {
        htmt__batches_issue(d);
        fill(d, k, NULL, c, call, &l);
        k->late = call->code->cost;
        htmt__host_did(d->host, call->layer);
        htmt__kernel_do(k);
        htmt__slab_give(&d->slab, k, l.bytes);
        return NULL;
    }
    fill(d, k, job, c, call, &l);
    if (call->code->cost)
        htmt__kernel_expect(k, call->code->cost, k->args);
    k->shares = l.shares;
    for (uint32_t i = 1; i < l.shares; i++) {
        k[i] = *k;
        k[i].part = i;
        k[i].end = i + 1;
    }
    if (l.shares > 1)
        k->end = 1;
    const bool keep = call->keep || !call->turn.number;
    htmt__issue(d, job, keep);
    return keep ? job : NULL;
}

void htmt__run_now(struct htmt__data *d, struct htmt__closure *c, struct htmt__view *view,
                   const struct htmt__turn *turn)
{
    const struct htmt_stage *code = &c->code->stage[HTMT_EXECUTE];
    const struct htmt__call call = {
        .code = code, .stage = HTMT_EXECUTE, .serial = c->serial, .turn = *turn};
    struct htmt_kernel k = {.view = view, .regions = c->count, .late = code->cost};
    htmt__kernel_name(d, &k, c->code, c->slice, &call);
    k.args = c->code->args_bytes ? c->kept : NULL;
    c->cleared = true;
    htmt__host_did(d->host, c->code->exec);
    htmt__kernel_do(&k);
}
