/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels on host threads: what they see, how they run, and what is checked of what they counted.
 */
#include "parcels/data/kernel.h"
#include "runtime/host/deed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What is wrong with a kernel: of the parcel that was born first, whichever thread found it. */
struct htmt__diagnostics {
    pthread_mutex_t lock;
    int code;
    uint64_t serial;
    char text[400];
};

static void find(const struct htmt_kernel *k, int code, const char *text)
{
    struct htmt__diagnostics *f = k->diagnostics;
    char fiber[16] = "";
    if (k->fiber)
        snprintf(fiber, sizeof fiber, " %u", k->fiber);
    pthread_mutex_lock(&f->lock);
    if (!f->code || k->serial < f->serial) {
        f->code = code;
        f->serial = k->serial;
        snprintf(f->text, sizeof f->text, "type %s, slice %u, %s%s: %s", k->type, k->slice,
                 htmt_stage_name(k->stage), fiber, text);
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

static bool tell(const struct htmt_kernel *k, const char *what, struct htmt__deed *deed)
{
    *deed = (struct htmt__deed){.what = what,
                                .type = k->type,
                                .stage = htmt_stage_name(k->stage),
                                .slice = k->slice,
                                .fiber = k->fiber,
                                .now = -1};
    return true;
}

static bool tell_kernel(const void *who, struct htmt__deed *deed)
{
    return tell(who, "kernel", deed);
}

static bool tell_cost(const void *who, struct htmt__deed *deed)
{
    return tell(who, "cost function", deed);
}

static void run(struct htmt_kernel *k)
{
    struct htmt__deed_before before = htmt__deed_begin(k, tell_kernel);
    k->run(k);
    htmt__deed_end(before);
}

void htmt__kernel_do(struct htmt_kernel *k)
{
    char text[240];
    for (uint32_t i = 0; i < k->regions; i++)
        if (k->view[i].clear)
            memset(k->view[i].bytes, 0, k->view[i].size);
    htmt__fences_close(k->fence, k->fences);
    for (; k->part < k->end; k->part++)
        run(k);
    if (!htmt__fences_kept(k->fence, k->fences, text, sizeof text))
        find(k, HTMT_EINVAL, text);
    compare_counts(k);
}

struct htmt__diagnostics *htmt__diagnostics_create(void)
{
    struct htmt__diagnostics *f = calloc(1, sizeof *f);
    if (f && pthread_mutex_init(&f->lock, NULL)) {
        free(f);
        return NULL;
    }
    return f;
}

void htmt__diagnostics_destroy(struct htmt__diagnostics *f)
{
    if (!f)
        return;
    pthread_mutex_destroy(&f->lock);
    free(f);
}

int htmt__diagnostics_check(struct htmt__data *d)
{
    struct htmt__diagnostics *f = d->diagnostics;
    return f->code ? htmt_fault_set(d->fault, f->code, "%s", f->text) : 0;
}

void htmt__kernel_name(struct htmt__data *d, struct htmt_kernel *k, const struct htmt__code *code,
                       uint32_t slice, const void *args, const struct htmt__call *call)
{
    k->run = call->code->kernel;
    k->slice = slice;
    k->fiber = call->fiber;
    k->diagnostics = d->diagnostics;
    k->type = code->name;
    k->stage = call->stage;
    k->serial = call->serial;
    k->end = call->code->parts ? call->code->parts : 1;
    k->compare = call->code->cost != NULL;
    if (!k->compare)
        return;
    struct htmt__deed_before before = htmt__deed_begin(k, tell_cost);
    call->code->cost(args, code->user, &k->expected);
    htmt__deed_end(before);
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
