/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a control may say: the operation log is written here.
 */
#include "parcels/walk/context.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/channel.h"
#include "parcels/walk/charge.h"
#include "parcels/walk/dma.h"
#include "parcels/walk/fiber.h"
#include "parcels/walk/log.h"
#include "parcels/walk/object.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/residency.h"
#include "parcels/walk/signal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- who and where --------------------------------------------------------------------------- */

/* What a pointer is to that is not there. */
static void *zeros(const struct htmt_context *c, uint64_t bytes)
{
    return htmt__dummy(c ? c->e->diagnostics : NULL, bytes);
}

__attribute__((cold, noinline)) static void *no_args(struct htmt_context *c)
{
    if (c == htmt__caller.control)
        htmt__refuse(c->e, HTMT_EINVAL, "htmt_args() of a type without arguments: set args_bytes");
    return zeros(c, HTMT__ARGS_MAX);
}

void *htmt_args(struct htmt_context *c)
{
    if (__builtin_expect(!htmt__permit(c, "htmt_args()") || !c->self->type->code.args_bytes, 0))
        return no_args(c);
    return htmt__args(c->self);
}

const void *htmt_user(const struct htmt_context *c)
{
    return htmt__permit(c, "htmt_user()") ? c->self->type->code.user : zeros(c, HTMT__ARGS_MAX);
}

/* The host's questions before the run have an answer, too. */
uint32_t htmt_slice(const struct htmt_context *c)
{
    return htmt__permit_start(c, "htmt_slice()") && c->self ? c->self->slice : 0;
}

uint32_t htmt_fiber(const struct htmt_context *c)
{
    if (!htmt__permit_start(c, "htmt_fiber()") || !c->p || c->p->kind != HTMT__FIBER)
        return 0;
    return htmt__fiber_number(c->p);
}

struct htmt_ref htmt_self(const struct htmt_context *c)
{
    bool known = htmt__permit_start(c, "htmt_self()") && c->self;
    return known ? htmt__ref(c->self) : (struct htmt_ref){0};
}

bool htmt_is_model(const struct htmt_context *c)
{
    if (!c)
        htmt__deny(NULL, "htmt_is_model()");
    return c && !c->e->data;
}

const void *htmt_result(const struct htmt_context *c)
{
    if (!htmt__permit(c, "htmt_result()"))
        return zeros(c, HTMT__RESULT_MAX);
    if (c->result)
        return c->result;
    if (c->p->step->code->steered && c->self->type->code.result_bytes)
        return NULL; /* of a model run */
    htmt__refuse(c->e, HTMT_EINVAL,
                 "htmt_result() in a stage that is not steered, or of a type without a result: set "
                 "steered and result_bytes");
    return zeros(c, HTMT__RESULT_MAX);
}

/* A line without a code says nothing: the run would go on. */
static int check_code(struct htmt_context *c, int code, const char *text)
{
    if (code && strcmp(htmt_err_name(code), "EUNKNOWN") != 0)
        return 0;
    return htmt__refuse(c->e, HTMT_EINVAL,
                        "htmt_fail() with code %d, expected one of runtime/base/error.h: %s", code,
                        text);
}

int htmt_fail(struct htmt_context *c, int code, const char *format, ...)
{
    char text[sizeof c->e->fault.text];
    va_list args;
    if (!htmt__permit_start(c, "htmt_fail()"))
        return HTMT_EINVAL;
    va_start(args, format);
    if (format)
        vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *line = format ? text : htmt_strerror(code);
    int rc = c->e->fault.code ? 0 : check_code(c, code, line);
    return rc ? rc : htmt_fault_set(&c->e->fault, code, "%s", line);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void spend(struct htmt_context *c, htmt_time t)
{
    struct htmt__entity *p = c->p;
    htmt_time *sum = p->worked ? &p->after : &p->before;
    if (htmt__too_long(t) || htmt__too_long(*sum + t))
        htmt__fail(c->e, HTMT_EOVERFLOW, "type %s: the time of a control overflows",
                   p->type->code.name);
    else
        *sum += t;
}

void htmt_charge(struct htmt_context *c, enum htmt_op op, uint64_t n)
{
    if (!htmt__permit(c, "htmt_charge()"))
        return;
    if ((unsigned)op >= HTMT_OP_CLASSES) {
        htmt__refuse(c->e, HTMT_EINVAL,
                     "htmt_charge() of operation class %u, expected one of the %u of enum htmt_op",
                     (unsigned)op, (unsigned)HTMT_OP_CLASSES);
        return;
    }
    struct htmt_ops ops = {{0}};
    ops.n[op] = n;
    c->p->step->stats->ops[op] += n;
    bool issues = c->p->step->issues; /* a count of instructions */
    spend(c, !issues              ? htmt_machine_work(c->e->machine, c->layer, &ops)
             : n <= HTMT_TIME_MAX ? (htmt_time)n
                                  : -1);
}

void htmt_delay(struct htmt_context *c, htmt_time fs)
{
    if (!htmt__permit(c, "htmt_delay()"))
        return;
    if (fs < 0)
        htmt__refuse(c->e, HTMT_EINVAL, "htmt_delay() of %lld fs, expected 0 or more",
                     (long long)fs);
    else if (c->p->step->issues)
        htmt__refuse(c->e, HTMT_EINVAL,
                     "htmt_delay() of type %s, whose processor issues instructions: charge them",
                     c->self->type->code.name);
    else
        spend(c, fs);
}

htmt_time htmt_began(const struct htmt_context *c)
{
    return htmt__permit(c, "htmt_began()") ? c->e->now : 0;
}

/* One that had to wait for a processor is still marked so. */
htmt_time htmt_enabled(const struct htmt_context *c)
{
    if (!htmt__permit(c, "htmt_enabled()"))
        return 0;
    return c->p->state == HTMT__IN_LINE ? c->p->waiter.since : c->e->now;
}

void htmt_work(struct htmt_context *c)
{
    if (!htmt__permit(c, "htmt_work()"))
        return;
    if (c->p->worked)
        htmt__refuse(c->e, HTMT_EINVAL, "htmt_work() twice: the kernel runs once in a log");
    c->p->worked = true;
}

/* ---- footprint ------------------------------------------------------------------------------- */

/* A kernel that is issued as soon as its closure is complete knows nothing of a later control. */
static bool issued_before(const struct htmt__entity *p)
{
    return p->kind == HTMT__PARCEL && p->step->stage == HTMT_EXECUTE && p->step->code->kernel &&
           p->type->code.footprint == HTMT_CLOSURE;
}

static struct htmt__touch *next_use(struct htmt_context *c, const char *call)
{
    if (c->p->worked || c->uses == HTMT__USES_MAX || c->p->step->code->steered) {
        htmt__fail(c->e, HTMT_EINVAL, "%s: at most %u, before htmt_work(), not in a steered stage",
                   call, HTMT__USES_MAX);
        return NULL;
    }
    if (issued_before(c->p)) {
        htmt__fail(c->e, HTMT_EINVAL, "type %s: %s in its control wants the footprint RESIDENT",
                   c->p->type->code.name, call);
        return NULL;
    }
    return &c->use[c->uses++];
}

static void use(struct htmt_context *c, struct htmt_addr at, uint64_t bytes, enum htmt_use use)
{
    struct htmt__touch *u = next_use(c, "htmt_use()");
    if (!u || htmt__bounds_run(c->e, at, bytes, "a kernel uses"))
        return;
    if (at.object->slice != c->p->slice || at.object->layer != c->layer) {
        htmt__fail(c->e, HTMT_EROUTE, "a kernel of type %s uses %s, which lies elsewhere",
                   c->p->type->code.name, at.object->name);
        return;
    }
    if (c->e->banked && htmt__dma_use(c, at, bytes, use != HTMT_READ))
        return;
    *u = (struct htmt__touch){at.object->storage, at.offset, bytes, use,
                              at.object->model + at.offset};
    if (htmt__residency_matters(c->e))
        htmt__residency_use(c, at.object, bytes, use);
}

static inline bool is_use(unsigned how)
{
    return how - HTMT_READ <= HTMT_UPDATE - HTMT_READ;
}

/* Nothing is wrong, in a model run that asks for nothing but the time. */
static inline bool only_counts(const struct htmt_context *c, struct htmt_addr at, uint64_t bytes)
{
    const struct htmt_emulator *e = c->e;
    const struct htmt__entity *p = c->p;
    const unsigned reasons = HTMT__BY_BYTES | HTMT__BY_RESIDENCY | HTMT__BY_ISSUE;
    return !htmt__goes_aside(e, reasons) && !p->worked && c->uses < HTMT__USES_MAX &&
           !p->step->code->steered && !issued_before(p) && htmt__inside_run(e, at, bytes) &&
           at.object->slice == p->slice && at.object->layer == c->layer;
}

__attribute__((noinline)) static void use_other(struct htmt_context *c, struct htmt_addr at,
                                                uint64_t bytes, enum htmt_use how)
{
    if (!htmt__permit(c, "htmt_use()"))
        return;
    if (is_use(how))
        use(c, at, bytes, how);
    else
        htmt__refuse(c->e, HTMT_EINVAL, "htmt_use() as %u, expected one of enum htmt_use",
                     (unsigned)how);
}

void htmt_use(struct htmt_context *c, struct htmt_addr at, uint64_t bytes, enum htmt_use how)
{
    bool permitted = c == htmt__caller.control;
    if (__builtin_expect(permitted && is_use(how) && only_counts(c, at, bytes), 1))
        c->uses++;
    else
        use_other(c, at, bytes, how);
}

void htmt__use_storage(struct htmt_context *c, struct htmt__storage *storage, uint64_t bytes)
{
    struct htmt__touch *u = next_use(c, "htmt_take()");
    if (u)
        *u = (struct htmt__touch){storage, 0, bytes, HTMT_READ, HTMT__TAKEN_MODEL};
}

/* ---- sync slots ------------------------------------------------------------------------------ */

__attribute__((cold, noinline)) static struct htmt_slot no_slot(const struct htmt_context *c)
{
    htmt__deny(c, "htmt_slot()");
    return (struct htmt_slot){0};
}

struct htmt_slot htmt_slot(const struct htmt_context *c, uint32_t fiber)
{
    if (__builtin_expect(c != htmt__caller.control, 0))
        return no_slot(c);
    return (struct htmt_slot){htmt__ref(c->self), fiber};
}

struct htmt_slot htmt_slot_of(struct htmt_ref parcel, uint32_t fiber)
{
    return (struct htmt_slot){parcel, fiber};
}

__attribute__((cold, noinline)) static void refuse_slot(struct htmt_context *c, uint32_t fiber)
{
    htmt__refuse(c->e, HTMT_EINVAL,
                 "htmt_slot_set() of fiber %u, expected one of 1 to %u: fiber 0 is execute, which "
                 "has no slot",
                 fiber, c->self->type->fiber_count);
}

void htmt_slot_set(struct htmt_context *c, uint32_t fiber, uint32_t count, uint32_t reset)
{
    if (!htmt__permit(c, "htmt_slot_set()"))
        return;
    if (__builtin_expect(fiber - 1 >= c->self->type->fiber_count, 0))
        refuse_slot(c, fiber);
    else
        c->self->body->slot[fiber - 1] = (struct htmt__fiber_slot){count, reset, count};
}

__attribute__((cold, noinline)) static void tell_lint(struct htmt_context *c,
                                                      const struct htmt_slot *slot)
{
    struct htmt__leg way;
    const uint32_t target = htmt_ref_slice(slot->owner);
    if (target == c->p->slice || htmt__slot_check(c->e, *slot))
        return;
    htmt__leg_set(&way, c->layer, slot->owner.layer, c->p->slice, target, 1);
    c->e->lint->message(c->e, c->self->type, &way);
}

void htmt_signal(struct htmt_context *c, struct htmt_slot slot)
{
    if (htmt_ref_none(slot.owner) || !htmt__permit(c, "htmt_signal()"))
        return;
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__SIGNAL);
    if (!entry)
        return;
    entry->slot = slot;
    entry->stage = c->layer;
    if (htmt__linted(c->e))
        tell_lint(c, &entry->slot);
    htmt__log_write(c, entry);
}

/* ---- the five calls -------------------------------------------------------------------------- */

/* A parcel is discarded at any of its gates. */
static int check_gate(struct htmt_emulator *e, const struct htmt_type *t, enum htmt_stage_id stage,
                      const char *call)
{
    if (stage == HTMT__DISCARD && !t->gates)
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_discard() of a parcel of type %s, which has no gate to wait at: "
                            "give the type one",
                            t->code.name);
    if (stage == HTMT__DISCARD || (t->gates & HTMT_GATE(stage)))
        return 0;
    return htmt__refuse(e, HTMT_EINVAL,
                        "%s of a parcel of type %s, which has no gate before %s: give the type "
                        "that gate%s",
                        call, t->code.name, htmt_stage_name(stage),
                        stage == HTMT_RETIRE ? ", or fibers" : "");
}

static int check_call(struct htmt_context *c, struct htmt_ref parcel, enum htmt_stage_id stage)
{
    const char *call = htmt__gate_call(stage);
    if (!htmt__permit_start(c, call))
        return HTMT_EINVAL;
    if (c->p && !htmt_ref_none(parcel) && htmt_ref_slice(parcel) != c->p->slice)
        return htmt__fail(c->e, HTMT_EROUTE,
                          "%s of a parcel in another slice: signal a fiber there", call);
    const struct htmt__entity *p = htmt__find(c->e, parcel);
    if (!p || p->kind != HTMT__PARCEL)
        return htmt__fail(c->e, HTMT_EINVAL, "%s of a parcel that is gone", call);
    return check_gate(c->e, p->type, stage, call);
}

static int open_later(struct htmt_context *c, struct htmt_ref parcel, enum htmt_stage_id stage)
{
    int rc = check_call(c, parcel, stage);
    if (rc)
        return rc;
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__OPEN);
    if (!entry)
        return HTMT_ENOMEM;
    entry->parcel = parcel;
    entry->stage = stage;
    htmt__log_write(c, entry);
    return 0;
}

int htmt_dispatch(struct htmt_context *c, struct htmt_ref parcel)
{
    return open_later(c, parcel, HTMT_DISPATCH);
}

int htmt_execute(struct htmt_context *c, struct htmt_ref parcel)
{
    return open_later(c, parcel, HTMT_EXECUTE);
}

int htmt_retire(struct htmt_context *c, struct htmt_ref parcel)
{
    return open_later(c, parcel, HTMT_RETIRE);
}

int htmt_scatter(struct htmt_context *c, struct htmt_ref parcel)
{
    return open_later(c, parcel, HTMT_SCATTER);
}

int htmt_discard(struct htmt_context *c, struct htmt_ref parcel)
{
    return open_later(c, parcel, HTMT__DISCARD);
}
