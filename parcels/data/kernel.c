/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels as jobs of the host: what they see, and what is checked of what they counted.
 *
 * A job gets its own copy of the arguments and pointers that were looked up at its issue; it
 * declares the storages behind them, so the host orders it after whatever was issued before.
 */
#include "parcels/data/kernel.h"
#include "parcels/data/batch.h"
#include "parcels/data/fused.h"
#include "parcels/data/job_arguments.h"
#include "parcels/data/object.h"
#include "parcels/timing/entity.h"
#include "runtime/base/fnv.h"
#include "runtime/host/host.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What is wrong with a kernel: of the parcel that was born first, whichever thread found it. */
struct htmt__findings {
    pthread_mutex_t lock;
    int code;
    uint64_t serial;
    char text[300];
};

static void find(const struct htmt_kernel *k, int code, const char *text)
{
    struct htmt__findings *f = k->findings;
    pthread_mutex_lock(&f->lock);
    if (!f->code || k->serial < f->serial) {
        f->code = code;
        f->serial = k->serial;
        snprintf(f->text, sizeof f->text, "type %s, %s: %s", k->type, htmt_stage_name(k->stage),
                 text);
    }
    pthread_mutex_unlock(&f->lock);
}

static bool counted(const struct htmt_ops *ops)
{
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        if (ops->n[i])
            return true;
    return false;
}

static void compare_counts(const struct htmt_kernel *k)
{
    const uint64_t *a = k->ops.n, *b = k->expected.n;
    char text[240];
    if (!k->compare || !counted(&k->ops) || !memcmp(&k->ops, &k->expected, sizeof k->ops))
        return;
    snprintf(text, sizeof text,
             "the kernel counted %llu cycles %llu flop %llu iop %llu loads %llu stores, its cost "
             "function says %llu %llu %llu %llu %llu",
             (unsigned long long)a[HTMT_CYCLE], (unsigned long long)a[HTMT_FLOP],
             (unsigned long long)a[HTMT_IOP], (unsigned long long)a[HTMT_LOAD],
             (unsigned long long)a[HTMT_STORE], (unsigned long long)b[HTMT_CYCLE],
             (unsigned long long)b[HTMT_FLOP], (unsigned long long)b[HTMT_IOP],
             (unsigned long long)b[HTMT_LOAD], (unsigned long long)b[HTMT_STORE]);
    find(k, HTMT_ECOST, text);
}

/* FNV-1a over the regions that the kernel promised only to read. */
static uint64_t guarded_bytes(const struct htmt_kernel *k)
{
    uint64_t h = HTMT__HASH_BASIS;
    for (uint32_t r = 0; r < k->regions; r++)
        if (k->view[r].guard)
            htmt__hash_bytes(&h, k->view[r].bytes, k->view[r].size);
    return h;
}

void htmt__kernel_do(struct htmt_kernel *k)
{
    for (uint32_t i = 0; i < k->regions; i++)
        if (k->view[i].clear)
            memset(k->view[i].bytes, 0, k->view[i].size);
    uint64_t before = guarded_bytes(k);
    for (; k->part < k->end; k->part++)
        k->run(k);
    if (guarded_bytes(k) != before)
        find(k, HTMT_EINVAL, "the kernel wrote a region that is read_only");
    compare_counts(k);
}

static void run_kernel(void *payload)
{
    htmt__kernel_do(payload);
}

struct htmt__findings *htmt__findings_create(void)
{
    struct htmt__findings *f = calloc(1, sizeof *f);
    if (f && pthread_mutex_init(&f->lock, NULL)) {
        free(f);
        return NULL;
    }
    return f;
}

void htmt__findings_destroy(struct htmt__findings *f)
{
    if (!f)
        return;
    pthread_mutex_destroy(&f->lock);
    free(f);
}

int htmt__kernel_check(struct htmt_emulator *e)
{
    struct htmt__findings *f = e->findings;
    return f && f->code ? htmt__fail(e, f->code, "%s", f->text) : 0;
}

/* ---- issue ----------------------------------------------------------------------------------- */

/* Whether the bytes of a region are there for a kernel of that step: not before they joined, and
 * resident ones only where the parcel executes. */
static bool present(const struct htmt_type *t, const struct htmt__step *step,
                    const struct htmt__ends *r)
{
    if (r->into.object)
        return step->layer == t->exec;
    return !r->from.object || step->stage > HTMT_DISPATCH ||
           htmt__type_place(t, r->from.object->layer) <= htmt__type_place(t, step->layer);
}

static uint32_t parts_of(const struct htmt_stage *code)
{
    return code->parts ? code->parts : 1;
}

/* Parts run side by side where the clock waits for them, and need not be preceded by clearing. */
static uint32_t shares_of(const struct htmt__closure *c, const struct htmt_stage *code, bool keep)
{
    bool divides = keep;
    for (uint32_t i = 0; i < c->count; i++)
        divides &= c->cleared || !htmt__region_unfilled(&c->region[i]);
    return divides ? parts_of(code) : 1;
}

static void share(struct htmt_kernel *k, uint32_t shares)
{
    k->shares = shares;
    for (uint32_t i = 1; i < shares; i++) {
        k[i] = *k;
        k[i].part = i;
        k[i].end = i + 1;
    }
    if (shares > 1)
        k->end = 1;
}

static void view_region(struct htmt_emulator *e, struct htmt__job *job,
                        const struct htmt__closure *c, uint32_t i, struct htmt__view *v)
{
    const struct htmt__region *r = &c->region[i];
    if (r->at.into.object) {
        struct htmt__storage *s = r->source ? r->source : r->at.into.object->storage;
        struct htmt__extent part = htmt__resident_extent(r);
        if (!r->at.read_only)
            htmt__defer_force(e, s, part);
        htmt__job_use_part(job, s, r->at.read_only ? HTMT__READ : HTMT__READ | HTMT__WRITE, part);
        *v = (struct htmt__view){.bytes = htmt__place(s, r->at.into.offset), .size = r->at.bytes};
    } else if (r->reader.at) {
        htmt__job_use_part(job, r->source, HTMT__READ, r->reader.extent);
        *v = (struct htmt__view){.bytes = htmt__place(r->source, r->at.from.offset),
                                 .size = r->room};
    } else if (c->storage) { /* else all fresh regions are empty */
        *v = (struct htmt__view){.bytes = htmt__place(c->storage, r->offset),
                                 .size = r->room,
                                 .clear = !c->cleared && htmt__region_unfilled(r),
                                 .guard = e->options.checked && r->at.read_only};
    } else {
        *v = (struct htmt__view){0};
    }
}

static void view_use(struct htmt_emulator *e, struct htmt__job *job, const struct htmt__touch *u,
                     struct htmt__view *v)
{
    struct htmt__extent part = htmt__extent_run(u->offset, u->bytes);
    if (u->use & HTMT__WRITE)
        htmt__defer_force(e, u->storage, part);
    htmt__job_use_part(job, u->storage, u->use, part);
    *v = (struct htmt__view){.bytes = htmt__place(u->storage, u->offset), .size = u->bytes};
}

void htmt__kernel_name(struct htmt_emulator *e, struct htmt_kernel *k, struct htmt_parcel *p,
                       const void *args, const struct htmt__step *step)
{
    k->run = step->code->kernel;
    k->slice = p->slice;
    k->fiber = p->kind == HTMT__FIBER ? (uint32_t)(step - p->type->fiber_step) + 1 : 0;
    k->findings = e->findings;
    k->type = p->type->name;
    k->stage = step->stage;
    k->serial = p->serial;
    k->end = parts_of(step->code);
    k->compare = step->code->cost != NULL;
    if (k->compare)
        step->code->cost(args, p->type->user, &k->expected);
}

const struct htmt__step *htmt__execute_step(const struct htmt_parcel *p)
{
    const struct htmt__step *step = p->type->step;
    while (step->op != HTMT__SERVE || step->stage != HTMT_EXECUTE)
        step++;
    return step;
}

struct htmt__job *htmt__kernel_issue(struct htmt_emulator *e, struct htmt_parcel *p,
                                     const struct htmt__step *step, const struct htmt__touch *uses,
                                     uint32_t use_count, bool keep)
{
    struct htmt_parcel *self = p->kind == HTMT__FIBER ? p->owner : p;
    struct htmt__closure *c = self->closure;
    uint32_t views = c->count + use_count;
    size_t args_bytes = p->type->args_bytes;
    const void *args = c->due ? (void *)&c->region[c->count] : htmt__args(self);
    if (!htmt__closure_storage(e, self))
        return NULL;
    uint32_t shares = shares_of(c, step->code, keep);
    struct htmt__job *job = htmt__job_create_parts(
        e->host, step->layer, run_kernel,
        shares * sizeof(struct htmt_kernel) + views * sizeof(struct htmt__view) + args_bytes,
        views + 2, shares, sizeof(struct htmt_kernel));
    if (!job) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a kernel");
        return NULL;
    }
    struct htmt_kernel *k = htmt__job_payload(job);
    memset(k, 0, sizeof *k);
    htmt__kernel_name(e, k, p, args, step);
    k->regions = c->count;
    k->uses = use_count;
    k->view = (struct htmt__view *)(k + shares);
    if (args_bytes)
        k->args = memcpy(k->view + views, args, args_bytes);
    if (c->storage)
        htmt__job_use(job, c->storage, HTMT__READ | HTMT__WRITE);
    for (uint32_t i = 0; i < c->count; i++)
        if (present(p->type, step, &c->region[i].at))
            view_region(e, job, c, i, &k->view[i]);
        else
            k->view[i] = (struct htmt__view){0};
    c->cleared = true;
    for (uint32_t i = 0; i < use_count; i++)
        view_use(e, job, &uses[i], &k->view[c->count + i]);
    if (c->result) {
        htmt__job_use(job, c->result, HTMT__READ | HTMT__WRITE);
        k->result = htmt__storage_bytes(c->result);
    }
    share(k, shares);
    htmt__issue(e, job, keep);
    return keep ? job : NULL;
}

/* Before it is injected a closure is complete when nothing lands in a resident object, joins in the
 * innermost memory, or is a resident object's next state. */
static bool complete(const struct htmt_parcel *p)
{
    const struct htmt__closure *c = p->closure;
    bool all = !c->deferred;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct htmt__ends *r = &c->region[i].at;
        bool comes = r->from.object != NULL, resident = r->into.object != NULL;
        all &= resident ? !comes && r->read_only : !comes || r->from.object->layer != p->type->exec;
    }
    return all;
}

void htmt__kernel_ahead(struct htmt_emulator *e, struct htmt_parcel *p)
{
    const struct htmt_stage *code = &p->type->stage[HTMT_EXECUTE];
    if (!code->kernel || p->closure->ahead)
        return;
    if (p->step->stage != HTMT_EXECUTE && !complete(p))
        return;
    p->closure->ahead = true;
    if (p->closure->deferred)
        htmt__defer_kernel(p);
    else
        p->closure->job = htmt__kernel_issue(e, p, htmt__execute_step(p), NULL, 0, !code->cost);
}

void htmt__kernel_counts(struct htmt__job *job, struct htmt_ops *ops)
{
    const struct htmt_kernel *k = htmt__job_payload(job);
    *ops = k->ops;
    for (uint32_t i = 1; i < k->shares; i++)
        for (int op = 0; op < HTMT_OP_CLASSES; op++)
            ops->n[op] += k[i].ops.n[op];
}

/* ---- what a kernel sees ---------------------------------------------------------------------- */

void *htmt_bytes(const struct htmt_kernel *k, uint32_t region)
{
    return region < k->regions ? k->view[region].bytes : NULL;
}

uint64_t htmt_size(const struct htmt_kernel *k, uint32_t region)
{
    return region < k->regions ? k->view[region].size : 0;
}

void *htmt_used(const struct htmt_kernel *k, uint32_t use)
{
    return use < k->uses ? k->view[k->regions + use].bytes : NULL;
}

uint64_t htmt_used_size(const struct htmt_kernel *k, uint32_t use)
{
    return use < k->uses ? k->view[k->regions + use].size : 0;
}

const void *htmt_kernel_args(const struct htmt_kernel *k)
{
    return k->args;
}

uint32_t htmt_kernel_slice(const struct htmt_kernel *k)
{
    return k->slice;
}

uint32_t htmt_kernel_fiber(const struct htmt_kernel *k)
{
    return k->fiber;
}

uint32_t htmt_kernel_part(const struct htmt_kernel *k)
{
    return k->part;
}

void *htmt_kernel_result(struct htmt_kernel *k)
{
    return k->result;
}

void htmt_count(struct htmt_kernel *k, enum htmt_op op, uint64_t n)
{
    k->ops.n[op] += n;
}
