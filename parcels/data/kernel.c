/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels on host threads: what they see, how they run, and what is checked of what they counted.
 *
 * Calls of the API with a kernel are checked by one comparison: htmt__caller names the kernel that
 * runs on this thread, so a kernel that is over, of another thread, or invented is refused without
 * being read. A call that must return a pointer returns one to zeros then, and the line says what
 * was wrong.
 */
#include "parcels/data/kernel.h"
#include "parcels/data/op_recorder.h"
#include "runtime/host/callback_scope.h"
#include "runtime/host/monotonic.h"

#include <stdarg.h>
#include <string.h>

_Thread_local struct htmt__caller htmt__caller = {.control = HTMT__NO_CONTROL};

/* The line says whose kernel it is. */
static void find(const struct htmt_kernel *k, int code, bool failed, const char *text)
{
    const uint64_t number = k->serial & ((UINT64_C(1) << 40) - 1);
    struct htmt__kernel_fault found = {
        .serial = k->serial, .part = k->part, .failed = failed, .code = code};
    char stage[HTMT__STAGE_TEXT];
    snprintf(found.text, sizeof found.text, "type %s, slice %u, %s: %s (parcel %llu)",
             k->code->name, k->slice, htmt__stage_text(k->code, k->stage, k->fiber, stage), text,
             (unsigned long long)number);
    htmt__kernel_fault_add(k->diagnostics, &found, k->turn);
}

int htmt__diagnose(struct htmt__diagnostics *f, int code, const char *text)
{
    struct htmt__kernel_fault found = {.serial = UINT64_MAX, .code = code};
    if (htmt__caller.kernel) {
        find(htmt__caller.kernel, code, false, text);
    } else {
        snprintf(found.text, sizeof found.text, "%s", text);
        htmt__kernel_fault_add(f, &found, NULL);
    }
    return code;
}

/* ---- counts ----------------------------------------------------------------------------------
 *
 * A program may say twice how many operations a service takes: its cost function computes them from
 * the arguments, and its kernel counts them while it works (htmt_count()). The clock goes by the
 * cost function, which a model run has as well. The counts are a check of it: a kernel that counted
 * anything must have counted just that, class by class, or the run ends with HTMT_ECOST. By hand: a
 * product of blocks of 8 x 8 has 2 * 8^3 = 1024 flop; a kernel with a loop too short counts 896,
 * and the line has both numbers.
 *
 * A kernel that counts nothing says nothing, and is not compared. So the question to the cost
 * function is put off where it can be: a kernel that runs at once, on the clock's thread, asks
 * (`late`) when it has counted something, which most do not. A kernel that becomes a job is asked
 * for when it is issued, because cost functions belong to the clock's thread.
 *
 * Without a cost function the counts are the length of the service, and the clock waits for them.
 * Only such a kernel has its parts in several records (`shares`), which run side by side and are
 * added up, so a part is never compared with what is expected of the whole. Sums that pass 64 bits
 * stay at the largest number, and the kernel's line says so. */

/* What a kernel counted, if it did, is what its cost function says. */
static void compare_counts(struct htmt_kernel *k)
{
    const uint64_t *a = k->ops.n, *b = k->expected.n;
    uint64_t any = 0;
    char text[240];
    if (!k->compare && !k->late)
        return;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        any |= a[i];
    if (!any)
        return;
    if (k->late)
        htmt__kernel_expect(k, k->late, k->args);
    if (__builtin_expect(memcmp(&k->ops, &k->expected, sizeof k->ops) == 0, 1))
        return;
    snprintf(text, sizeof text,
             "the kernel counted %llu cycles %llu flop %llu iop %llu loads %llu stores, its cost "
             "function says %llu %llu %llu %llu %llu",
             (unsigned long long)a[HTMT_CYCLE], (unsigned long long)a[HTMT_FLOP],
             (unsigned long long)a[HTMT_IOP], (unsigned long long)a[HTMT_LOAD],
             (unsigned long long)a[HTMT_STORE], (unsigned long long)b[HTMT_CYCLE],
             (unsigned long long)b[HTMT_FLOP], (unsigned long long)b[HTMT_IOP],
             (unsigned long long)b[HTMT_LOAD], (unsigned long long)b[HTMT_STORE]);
    find(k, HTMT_ECOST, false, text);
}

static bool tell(const struct htmt_kernel *k, const char *what, struct htmt__callback_scope *scope)
{
    *scope = (struct htmt__callback_scope){.what = what,
                                           .type = k->code->name,
                                           .stage = htmt_stage_name(k->stage),
                                           .slice = k->slice,
                                           .fiber = k->fiber,
                                           .fiber_name = htmt__fiber_name(k->code, k->fiber),
                                           .now = -1};
    return true;
}

static bool tell_kernel(const void *who, struct htmt__callback_scope *scope)
{
    return tell(who, "kernel", scope);
}

static bool tell_cost(const void *who, struct htmt__callback_scope *scope)
{
    return tell(who, "cost function", scope);
}

/* All parts, by their own operations first if these are recorded. */
static void run_parts(struct htmt_kernel *k)
{
    if (k->timed) {
        struct htmt_fault fault = {0};
        struct htmt__callback_scope_before before = htmt__callback_scope_begin(k, tell_kernel);
        htmt__op_recorder_run(k->recorder, k, k->timed, &fault);
        htmt__callback_scope_end(before);
        if (fault.code && !k->failed) {
            find(k, fault.code, true, fault.text);
            k->failed = true;
        }
    }
    for (; k->part < k->end; k->part++) {
        struct htmt__callback_scope_before before = htmt__callback_scope_begin(k, tell_kernel);
        k->run(k);
        htmt__callback_scope_end(before);
    }
}

void htmt__kernel_do(struct htmt_kernel *k)
{
    char text[240];
    for (uint32_t i = 0; i < k->regions; i++)
        if (k->view[i].clear)
            memset(k->view[i].bytes, 0, k->view[i].size);
    if (k->fences && k->shares == 1)
        htmt__fences_fill(k->fence, k->fences);
    if (k->fences)
        htmt__fences_close(k->fence, k->fences);
    const struct htmt__caller outside = htmt__caller;
    htmt__caller = (struct htmt__caller){.control = HTMT__NO_CONTROL, .kernel = k};
    const int64_t begin = k->took ? htmt__monotonic_ns() : 0;
    run_parts(k);
    if (k->took) {
        atomic_fetch_add(&k->took->ns, htmt__monotonic_ns() - begin);
        atomic_fetch_add(&k->took->kernels, 1);
    }
    htmt__caller = outside;
    if (k->fences && !htmt__fences_kept(k->fence, k->fences, text, sizeof text))
        find(k, HTMT_EINVAL, false, text);
    if (!k->failed)
        compare_counts(k);
}

void htmt__kernel_name(struct htmt__data *d, struct htmt_kernel *k, const struct htmt__code *code,
                       uint32_t slice, const struct htmt__call *call)
{
    k->run = call->code->kernel;
    k->user = code->user;
    k->slice = slice;
    k->fiber = call->fiber;
    k->diagnostics = d->diagnostics;
    k->code = code;
    k->stage = call->stage;
    k->serial = call->serial;
    k->took = code->took[call->stage];
    k->turn = &k->own_turn;
    htmt__kernel_turn(k, &call->turn);
    k->end = call->code->parts ? call->code->parts : 1;
    k->layer = call->layer;
    k->args_bytes = code->args_bytes;
    k->result_bytes = code->result_bytes;
}

void htmt__kernel_expect(struct htmt_kernel *k, htmt_cost_fn *cost, const void *args)
{
    struct htmt__callback_scope_before before = htmt__callback_scope_begin(k, tell_cost);
    k->compare = true;
    cost(args, k->user, &k->expected);
    htmt__callback_scope_end(before);
}

/* A count that passes 64 bits stays at the largest. false: it does. */
static bool add_count(uint64_t *sum, uint64_t n)
{
    if (!__builtin_add_overflow(*sum, n, sum))
        return true;
    *sum = UINT64_MAX;
    return false;
}

void htmt__kernel_counts(struct htmt__job *job, struct htmt_ops *ops)
{
    const struct htmt_kernel *k = htmt__job_payload(job);
    *ops = k->ops;
    for (uint32_t i = 1; i < k->shares; i++)
        for (int op = 0; op < HTMT_OP_CLASSES; op++)
            add_count(&ops->n[op], k[i].ops.n[op]);
}

void htmt__kernel_timed(struct htmt__job *job, struct htmt__timed *timed)
{
    const struct htmt_kernel *k = htmt__job_payload(job);
    *timed = (struct htmt__timed){.length = -1};
    if (k->timed)
        *timed = *k->timed;
}

/* ---- calls that are refused ------------------------------------------------------------------ */

/* Into the diagnostics of the kernel, or without one the fault of the run whose clock this is. */
__attribute__((cold, format(printf, 3, 4))) static void refuse(const struct htmt_kernel *k,
                                                               int code, const char *format, ...)
{
    char text[240];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (k)
        find(k, code, false, text);
    else if (htmt__caller.fault)
        htmt_fault_set(htmt__caller.fault, code, "%s", text);
}

/* A thread that plays nothing is taken for one that the kernel started. */
__attribute__((cold, noinline)) static bool not_here(const struct htmt_kernel *k, const char *call)
{
    if (k && !htmt__caller.kernel && !htmt__caller.fault)
        return true;
    refuse(htmt__caller.kernel, HTMT_EINVAL,
           "%s with another kernel than the one that runs on this thread: use the argument of the "
           "kernel's function, and only there",
           call);
    return false;
}

/* Else k may be gone, and nothing of it is read. */
static inline bool runs_here(const struct htmt_kernel *k, const char *call)
{
    if (__builtin_expect(!k || k != htmt__caller.kernel, 0))
        return not_here(k, call);
    return true;
}

/* As large as the largest that the kernel sees; NULL: the one that runs here, if there is one. */
static void *dummy(const struct htmt_kernel *k)
{
    uint64_t most = HTMT__ARGS_MAX;
    k = k ? k : htmt__caller.kernel;
    for (uint32_t i = 0; k && i < k->regions + k->uses; i++)
        if (k->view[i].size > most)
            most = k->view[i].size;
    return htmt__dummy(k ? k->diagnostics : NULL, most);
}

/* ---- what a kernel sees ---------------------------------------------------------------------- */

void *htmt_bytes(const struct htmt_kernel *k, uint32_t region)
{
    if (!runs_here(k, "htmt_bytes()"))
        return dummy(NULL);
    if (region < k->regions)
        return k->view[region].bytes;
    refuse(k, HTMT_EINVAL, "htmt_bytes() of region %u of a parcel that has %u: count them from 0",
           region, k->regions);
    return dummy(k);
}

uint64_t htmt_size(const struct htmt_kernel *k, uint32_t region)
{
    return runs_here(k, "htmt_size()") && region < k->regions ? k->view[region].size : 0;
}

void *htmt_used(const struct htmt_kernel *k, uint32_t use)
{
    if (!runs_here(k, "htmt_used()"))
        return dummy(NULL);
    if (use < k->uses)
        return k->view[k->regions + use].bytes;
    refuse(k, HTMT_EINVAL,
           "htmt_used() of use %u, but the control declared %u: call htmt_use() before htmt_work()",
           use, k->uses);
    return dummy(k);
}

uint64_t htmt_used_size(const struct htmt_kernel *k, uint32_t use)
{
    return runs_here(k, "htmt_used_size()") && use < k->uses ? k->view[k->regions + use].size : 0;
}

const void *htmt_kernel_args(const struct htmt_kernel *k)
{
    if (!runs_here(k, "htmt_kernel_args()"))
        return dummy(NULL);
    if (k->args)
        return k->args;
    refuse(k, HTMT_EINVAL, "htmt_kernel_args() of a type without arguments: set args_bytes");
    return dummy(k);
}

const void *htmt_kernel_user(const struct htmt_kernel *k)
{
    return runs_here(k, "htmt_kernel_user()") ? k->user : dummy(NULL);
}

uint32_t htmt_kernel_slice(const struct htmt_kernel *k)
{
    return runs_here(k, "htmt_kernel_slice()") ? k->slice : 0;
}

uint32_t htmt_kernel_fiber(const struct htmt_kernel *k)
{
    return runs_here(k, "htmt_kernel_fiber()") ? k->fiber : 0;
}

uint32_t htmt_kernel_part(const struct htmt_kernel *k)
{
    return runs_here(k, "htmt_kernel_part()") ? k->part : 0;
}

void *htmt_kernel_result(struct htmt_kernel *k)
{
    if (!runs_here(k, "htmt_kernel_result()"))
        return dummy(NULL);
    if (k->result)
        return k->result;
    refuse(k, HTMT_EINVAL, "htmt_kernel_result() of a type without a result: set result_bytes");
    return dummy(k);
}

void htmt_constants(struct htmt_kernel *k, const void *at, uint64_t bytes)
{
    if (runs_here(k, "htmt_constants()") && k->recording)
        htmt__op_recorder_constants(k->recording, at, bytes);
}

void htmt_count(struct htmt_kernel *k, enum htmt_op op, uint64_t n)
{
    if (!runs_here(k, "htmt_count()"))
        return;
    if ((unsigned)op >= HTMT_OP_CLASSES) {
        refuse(k, HTMT_EINVAL,
               "htmt_count() of operation class %u, expected one of the %u of "
               "enum htmt_op",
               (unsigned)op, (unsigned)HTMT_OP_CLASSES);
    } else if (!add_count(&k->ops.n[op], n)) {
        refuse(k, HTMT_EOVERFLOW, "htmt_count() of %llu more: the count of a class passes 2^64 - 1",
               (unsigned long long)n);
    }
}

int htmt_kernel_fail(struct htmt_kernel *k, int code, const char *format, ...)
{
    char text[400];
    va_list args;
    if (!runs_here(k, "htmt_kernel_fail()"))
        return HTMT_EINVAL;
    va_start(args, format);
    if (format)
        vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *line = format ? text : htmt_strerror(code);
    k->failed = true;
    if (code && strcmp(htmt_err_name(code), "EUNKNOWN") != 0) {
        find(k, code, true, line);
        return code;
    }
    /* A line without a code would say nothing: the run would go on. */
    refuse(k, HTMT_EINVAL,
           "htmt_kernel_fail() with code %d, expected one of runtime/base/error.h: %s", code, line);
    return HTMT_EINVAL;
}
