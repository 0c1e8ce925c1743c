/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The data plane: made and destroyed; objects; kernels when the timing plane asks for them.
 *
 * A kernel may run when its closure is complete, which is mostly long before its turn: then it is
 * issued ahead (htmt__data_closed()), and workers have it done when the clock comes to it. Its turn
 * (htmt__data_use()) only gives it a number. What it does is the same at any time in between, since
 * all that it sees is its own or is ordered by the host; only what is found wrong with it must wait
 * for the turn, which diagnostics.c arranges.
 */
#include "parcels/data/batch.h"
#include "parcels/data/fused.h"
#include "parcels/data/kernel.h"
#include "parcels/data/launch.h"
#include "parcels/data/op_recorder.h"
#include "parcels/data/reader.h"
#include "parcels/data/small_closures.h"

#include <stdlib.h>
#include <string.h>

/* ---- the plane ------------------------------------------------------------------------------- */

static struct htmt__data *new_plane(uint32_t slices, bool checked, struct htmt_fault *fault,
                                    struct htmt__diagnostics *diagnostics)
{
    struct htmt__data *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->fault = fault;
    d->checked = checked;
    d->diagnostics = diagnostics;
    d->open = calloc(slices, sizeof(struct htmt__batch *));
    if (!d->open)
        htmt__data_destroy(&d);
    return d;
}

int htmt__data_create(struct htmt__data **data, const struct htmt_options *o, uint32_t clocks,
                      struct htmt__watchdog *watchdog, uint32_t layers, uint32_t slices,
                      struct htmt_fault *fault, struct htmt__diagnostics *diagnostics)
{
    struct htmt__host_options h = {
        .pools = layers,
        .workers = o->threads > clocks ? o->threads - clocks : 0,
        .clocks = clocks,
        .transient_bytes = o->run_ahead_bytes,
        .checked = o->checked,
        .diagnose = o->diagnose,
        .watchdog = watchdog,
        .delay_seed = o->delay_seed,
    };
    struct htmt__data *d = *data = new_plane(slices, o->checked, fault, diagnostics);
    if (!d)
        return HTMT_ENOMEM;
    uint64_t workers = 0;
    for (uint32_t l = 0; l < layers; l++)
        workers += h.pool_workers[l] = o->layer_threads[l];
    int rc = htmt__host_create(&d->host, &h);
    d->direct = !rc && htmt__host_direct(d->host);
    if (rc == HTMT_ESYSTEM)
        htmt_fault_set(fault, rc, "the host refuses %llu worker threads; ask for fewer",
                       (unsigned long long)(workers ? workers : h.workers));
    if (rc)
        htmt__data_destroy(data);
    return rc;
}

int htmt__data_create_beside(struct htmt__data **data, const struct htmt__data *first,
                             uint32_t slices, uint32_t planes, struct htmt_fault *fault,
                             struct htmt__diagnostics *diagnostics)
{
    struct htmt__data *d = *data = new_plane(slices, first->checked, fault, diagnostics);
    if (!d)
        return HTMT_ENOMEM;
    d->direct = first->direct;
    d->recorder = first->recorder;
    int rc = htmt__host_create_beside(&d->host, first->host, planes);
    if (rc)
        htmt__data_destroy(data);
    return rc;
}

void htmt__data_destroy(struct htmt__data **data)
{
    struct htmt__data *d = *data;
    if (!d)
        return;
    while (d->spares)
        htmt__storage_drop(d->host, d->spare[--d->spares]);
    htmt__host_destroy(&d->host);
    htmt__slab_fini(&d->slab);
    free(d->open);
    free(d);
    *data = NULL;
}

void htmt__data_drain(struct htmt__data *d)
{
    htmt__batches_issue(d);
    htmt__host_drain(d->host);
}

int htmt__data_check(const struct htmt__data *d, struct htmt_fault *fault)
{
    if (htmt__host_starved(d->host))
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the closure of a parcel");
    return 0;
}

void htmt__data_report(const struct htmt__data *d, uint32_t layers, struct htmt_host_report *r)
{
    struct htmt__host_counts c;
    htmt__host_counts(d->host, &c);
    r->jobs += c.jobs;
    r->helped += c.helped;
    for (uint32_t l = 0; l < layers; l++)
        r->layer_jobs[l] += c.per_pool[l];
    r->run_ahead_peak_bytes += c.transient_peak;
    r->workers = c.workers;
}

/* ---- objects --------------------------------------------------------------------------------- */

int htmt__data_object(struct htmt__data *d, struct htmt_object *o, void *memory)
{
    uint64_t room; /* with fences; more than any host has stays so */
    if (!o->bytes)
        return 0;
    if (__builtin_add_overflow(o->bytes, htmt__fence_bytes(d), &room))
        room = UINT64_MAX;
    o->storage = memory ? htmt__storage_wrap(d->host, memory, o->bytes)
                        : htmt__storage_create(d->host, room, true, false);
    if (!o->storage)
        return htmt_fault_set(d->fault, HTMT_ENOMEM, "no host memory for %s, %llu bytes", o->name,
                              (unsigned long long)o->bytes);
    return 0;
}

void htmt__data_object_end(struct htmt__data *d, struct htmt_object *o)
{
    if (!o->storage)
        return;
    htmt__fuse_force(d, o->storage, (struct htmt__extent){0});
    htmt__storage_drop(d->host, o->storage);
    o->storage = NULL;
}

static void move_storage(struct htmt__data *from, struct htmt__data *to, struct htmt__storage *s)
{
    if (!s)
        return;
    htmt__storage_leave(from->host, s);
    htmt__storage_join(to->host, s);
}

void htmt__data_object_move(struct htmt__data *from, struct htmt__data *to, struct htmt_object *o)
{
    move_storage(from, to, o->storage);
}

void htmt__data_closure_move(struct htmt__data *from, struct htmt__data *to,
                             struct htmt__closure *c)
{
    if (!c || c->own)
        return;
    move_storage(from, to, c->storage);
    move_storage(from, to, c->result);
}

void *htmt__data_object_bytes(struct htmt__data *d, struct htmt_object *o)
{
    if (!o->storage)
        return NULL;
    htmt__storage_sync(d->host, o->storage, HTMT__WRITE);
    return htmt__storage_bytes(o->storage);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Those who have yet to read what the kernel may write do so before. */
static struct htmt__job *launch(struct htmt__data *d, struct htmt__closure *c,
                                const struct htmt__call *call)
{
    for (uint32_t i = 0; i < c->count && call->layer == c->code->exec; i++) {
        const struct htmt__region *r = &c->region[i];
        if (r->at.into.object && !r->at.read_only)
            htmt__fuse_force(d, r->source ? r->source : r->at.into.object->storage,
                             htmt__resident_extent(r));
    }
    for (uint32_t i = 0; i < call->use_count; i++)
        if (call->uses[i].use & HTMT_WRITE)
            htmt__fuse_force(d, call->uses[i].storage,
                             htmt__extent_run(call->uses[i].offset, call->uses[i].bytes));
    return htmt__launch(d, c, call);
}

/* Before it is injected a closure is complete when nothing lands in a resident object, joins in the
 * innermost memory, or is a resident object's next state. */
static bool complete(const struct htmt__closure *c)
{
    bool all = !c->fused;
    for (uint32_t i = 0; i < c->count && all; i++) {
        const struct htmt__ends *r = &c->region[i].at;
        bool comes = r->from.object != NULL, resident = r->into.object != NULL;
        all &= resident ? !comes && r->read_only : !comes || r->from.object->layer != c->code->exec;
    }
    return all;
}

void htmt__data_closed(struct htmt__data *d, struct htmt__closure *c, bool last)
{
    if (!c->code->stage[HTMT_EXECUTE].kernel || c->ahead || (!last && !complete(c)))
        return;
    if (d->recorder && htmt__op_recorder_in_turn(d->recorder, c->code->exec))
        return;
    c->ahead = true;
    if (c->own) {
        htmt__small_close(c);
    } else if (c->fused || c->small) {
        htmt__fuse_kernel(c);
    } else {
        struct htmt__call call = htmt__execute_call(d, c);
        c->job = launch(d, c, &call);
    }
}

/* The turn of a kernel has come that was issued ahead. What was found in it before counts from now
 * on. */
static struct htmt__job *begin_ahead(struct htmt__data *d, struct htmt__closure *c, bool keep)
{
    if (c->own) {
        htmt__small_run(d, c, &d->now);
        return NULL;
    }
    struct htmt__job *job = c->job;
    c->job = NULL;
    c->turn = d->now;
    if (c->small && !c->fused) { /* it waited for its turn, and nobody wants its counts */
        struct htmt__call call = htmt__execute_call(d, c);
        launch(d, c, &call);
    }
    if (job)
        htmt__kernel_turn(htmt__job_payload(job), &d->now);
    htmt__kernel_faults_place(d->diagnostics, c->serial, &d->now);
    if (job && !keep)
        htmt__job_release(d->host, job);
    return keep ? job : NULL;
}

struct htmt__job *htmt__data_use(struct htmt__data *d, struct htmt__closure *c,
                                 const struct htmt__call *call)
{
    struct htmt__job *job;
    d->now =
        (struct htmt__turn){d->now.number + 1, call->turn.at, call->turn.phase, call->turn.key};
    if (call->stage == HTMT_EXECUTE && c->ahead) {
        job = begin_ahead(d, c, call->keep);
    } else {
        struct htmt__call now = *call;
        now.turn = d->now;
        job = launch(d, c, &now);
    }
    htmt__diagnostics_look(d->diagnostics, d->fault);
    return job;
}

void htmt__data_record(struct htmt__data *d, struct htmt__op_recorder *recorder)
{
    d->recorder = recorder;
}

void htmt__data_need(struct htmt__data *d, struct htmt__job *job, struct htmt_ops *counts,
                     struct htmt__timed *timed)
{
    htmt__job_wait(d->host, job);
    if (counts)
        htmt__kernel_counts(job, counts);
    if (timed)
        htmt__kernel_timed(job, timed);
    htmt__job_release(d->host, job);
    htmt__diagnostics_look(d->diagnostics, d->fault);
}

void htmt__data_release(struct htmt__data *d, struct htmt__job *job)
{
    htmt__job_release(d->host, job);
}

const void *htmt__data_result(struct htmt__data *d, struct htmt__closure *c)
{
    if (c->own || !c->result)
        return NULL;
    htmt__storage_sync(d->host, c->result, HTMT__READ);
    htmt__diagnostics_look(d->diagnostics, d->fault);
    return htmt__storage_bytes(c->result);
}

void htmt__data_finish(struct htmt__data *d, struct htmt__closure *c)
{
    if (c->fused && !c->own)
        htmt__fuse_finish(d, c);
}

void htmt__data_end(struct htmt__data *d, struct htmt__closure *c)
{
    if (c->fused && !c->own)
        htmt__fuse_end(d, c);
    htmt__data_discard(d, c);
}
