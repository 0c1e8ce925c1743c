/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Controls, and what they may say.
 *
 * A stage has up to three functions. The kernel computes on bytes, on some host thread. The cost
 * function says what the kernel counts. The control decides: it assembles parcels, sends, signals
 * and charges operations. Controls and cost functions run on the clock's thread, one at a time.
 *
 * A control never touches the clock. Each of its calls writes a line of an operation log, at the
 * time that the control has charged so far; htmt_work() stands for the kernel, whose length may not
 * be known yet. When it is known, the log takes effect line by line (log_replay.c). An example:
 *
 *     htmt_charge(c, HTMT_IOP, 10);   before = 10 operations
 *     htmt_signal(c, a);              line: signal a, at 10 operations after the start
 *     htmt_work(c);                   the kernel
 *     htmt_charge(c, HTMT_IOP, 5);    after = 5 operations
 *     htmt_signal(c, b);              line: signal b, 5 operations after the end of the kernel
 *
 * A control without htmt_work() acts behind its kernel: all its charges and lines count from there.
 *
 * All controls of an emulator are given one context in turn. htmt__caller.control, of the thread,
 * names it while a control runs and is something else before and after, so a call through a context
 * that was kept is told from one that is allowed by one comparison (permit.h).
 */
#include "parcels/walk/context.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/message/message.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/memory.h"
#include "parcels/walk/permit.h"
#include "parcels/walk/replies.h"
#include "parcels/walk/signal.h"
#include "parcels/walk/type.h"
#include "runtime/base/fnv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- calling a control ----------------------------------------------------------------------- */

/* A watchdog on another thread asks this. */
bool htmt__control_scope(const void *emulator, struct htmt__callback_scope *scope)
{
    const struct htmt_emulator *e = emulator;
    const struct htmt__entity *p = atomic_load_explicit(&e->controls, memory_order_acquire);
    const char *what = p ? "control" : "cost function";
    p = p ? p : atomic_load_explicit(&e->asked, memory_order_acquire);
    const struct htmt__step *step = p ? p->step : NULL;
    if (!step)
        return false;
    *scope = (struct htmt__callback_scope){
        .what = what,
        .type = p->type->code.name,
        .stage = htmt_stage_name((enum htmt_stage_id)step->stage),
        .slice = p->slice,
        .fiber = htmt__fiber_number(p),
        .fiber_name = htmt__fiber_name(&p->type->code, htmt__fiber_number(p)),
        .now = e->now};
    return true;
}

/* The uses are not cleared: those that are not counted are not read. */
void htmt__control_run(struct htmt_emulator *e, struct htmt__entity *p, const void *result)
{
    struct htmt_context *c = e->control;
    c->p = p;
    c->self = htmt__self(p);
    c->layer = p->step->layer;
    c->result = result;
    c->uses = 0;
    c->log_end = &p->log;
    c->down = c->up = 0;
    htmt__caller.control = c;
    const bool told = htmt__explained(e);
    if (told)
        e->explain->controls(e, c->self, false);
    htmt__control_says(&e->controls, p);
    p->step->code->control(c);
    htmt__control_says(&e->controls, NULL);
    if (told)
        e->explain->controls(e, c->self, true);
    htmt__caller.control = HTMT__NO_CONTROL;
    if (p->worked)
        return;
    for (struct htmt__log_line *line = p->log; line; line = line->next)
        line->after = true;
    p->after = p->before;
    p->before = 0;
}

static void refuse_cost(struct htmt_emulator *e, const struct htmt__entity *p, const char *what)
{
    char stage[HTMT__STAGE_TEXT];
    htmt__fail(e, HTMT_ECOST, "type %s, slice %u, %s, at %lld fs: the cost function %s",
               p->type->code.name, p->slice, htmt__entity_stage(p, true, stage), (long long)e->now,
               what);
}

static uint64_t hash_args(struct htmt__entity *p)
{
    uint64_t h = HTMT__HASH_BASIS;
    htmt__hash_bytes(&h, htmt__args(htmt__self(p)), p->type->code.args_bytes);
    return h;
}

/* A cost function says the same when it is asked again, and writes nothing. */
void htmt__expect_checked(struct htmt_emulator *e, struct htmt__entity *p, struct htmt_ops *ops)
{
    struct htmt_ops again = {{0}};
    uint64_t before = hash_args(p);
    htmt__ask_cost(p, ops);
    htmt__ask_cost(p, &again);
    if (memcmp(ops, &again, sizeof again) != 0)
        refuse_cost(e, p,
                    "says something else when it is asked again; let it depend on "
                    "arguments and user alone");
    const struct htmt__alike *last = p->step->alike;
    if (p->step->code->constant && last->time >= 0 && memcmp(ops, &last->ops, sizeof *ops) != 0)
        refuse_cost(e, p, "says something else than of the parcel before, though it is constant");
    if (before != hash_args(p))
        refuse_cost(e, p, "changed its arguments, which it may only read");
}

/* ---- lines of a log ---------------------------------------------------------------------------
 */

struct htmt__entry *htmt__entry_alloc(struct htmt_emulator *e)
{
    struct htmt__entry *entry = malloc(sizeof *entry);
    if (!entry)
        htmt__fail(e, HTMT_ENOMEM, "no host memory for an operation log");
    return entry;
}

void htmt__entries_free(struct htmt_emulator *e)
{
    while (e->entries) {
        struct htmt__entry *next = htmt__entry_of(e->entries->line.next);
        free(e->entries);
        e->entries = next;
    }
}

/* The host makes roots and opens gates before the run: that takes effect at once. */
void htmt__log_root(struct htmt_emulator *e, struct htmt__log_line *line)
{
    if (line->kind == HTMT__START) {
        htmt__ready(e, htmt__log_starts(line));
        return;
    }
    struct htmt__entry *entry = htmt__entry_of(line);
    htmt__gate_open(e, entry->parcel, line->stage);
    htmt__entry_free(e, entry);
}

/* ---- who and where --------------------------------------------------------------------------- */

/* A call that is refused and returns a pointer returns one to zeros. */
static void *zeros(const struct htmt_context *c, uint64_t bytes)
{
    return htmt__dummy(c ? c->e->diagnostics : NULL, bytes);
}

__attribute__((cold, noinline)) static void *no_args(struct htmt_context *c)
{
    if (htmt__permit(c, "htmt_args()"))
        htmt__refuse(c->e, HTMT_EINVAL, "htmt_args() of a type without arguments: set args_bytes");
    return zeros(c, HTMT__ARGS_MAX);
}

void *htmt_args(struct htmt_context *c)
{
    if (__builtin_expect(c != htmt__caller.control || !c->self->type->code.args_bytes, 0))
        return no_args(c);
    return htmt__args(c->self);
}

const void *htmt_user(const struct htmt_context *c)
{
    return htmt__permit(c, "htmt_user()") ? c->self->type->code.user : zeros(c, HTMT__ARGS_MAX);
}

/* The host may ask this and the next ones before the run, with the root's context. */
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
    return known && !c->self->posted ? htmt__ref(c->self) : (struct htmt_ref){0};
}

bool htmt_is_model(const struct htmt_context *c)
{
    if (!c)
        htmt__deny(NULL, "htmt_is_model()");
    if (!c || c->e->data || htmt__replies_played(c->e))
        return false;
    c->e->steered = true;
    return true;
}

const void *htmt_result(const struct htmt_context *c)
{
    if (!htmt__permit(c, "htmt_result()"))
        return zeros(c, HTMT__RESULT_MAX);
    if (c->result)
        return c->result;
    if (c->p->step->code->steered && c->self->type->code.result_bytes) {
        c->e->steered = true;
        return NULL; /* of a model run */
    }
    htmt__refuse(c->e, HTMT_EINVAL,
                 "htmt_result() in a stage that is not steered, or of a type without a result: set "
                 "steered and result_bytes");
    return zeros(c, HTMT__RESULT_MAX);
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
    bool known = code && strcmp(htmt_err_name(code), "EUNKNOWN") != 0;
    if (!known && !c->e->fault.code)
        return htmt__refuse(c->e, HTMT_EINVAL,
                            "htmt_fail() with code %d, expected one of runtime/base/error.h: %s",
                            code, line);
    return htmt_fault_set(&c->e->fault, code, "%s", line);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void spend(struct htmt_context *c, htmt_time t)
{
    struct htmt__entity *p = c->p;
    htmt_time *sum = p->worked ? &p->after : &p->before;
    if (t && p->pauses)
        htmt__refuse(c->e, HTMT_EINVAL,
                     "type %s: time behind htmt_pause(), expected none in the same service",
                     p->type->code.name);
    else if (htmt__too_long(t) || htmt__too_long(*sum + t))
        htmt__fail(c->e, HTMT_EOVERFLOW, "type %s: the time of a control overflows",
                   p->type->code.name);
    else
        *sum += t;
}

/* htmt_machine_work() of one class. Most processors have no model of their own, and the time of an
 * operation: then nothing is looked for. */
static inline htmt_time work_of(const struct htmt_machine *m, uint32_t layer, enum htmt_op op,
                                uint64_t n)
{
    const struct htmt__processor_model *model = m->layer[layer].model;
    const struct htmt_processor *processor = &m->layer[layer].processor;
    if (__builtin_expect(!model && *processor->name, 1))
        return htmt_charge_time(processor->time[op], n);
    struct htmt_ops ops = {{0}};
    ops.n[op] = n;
    return htmt_machine_work(m, layer, &ops);
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
    htmt__wide_add(&c->p->step->stats->ops[op], n);
    bool issues = c->p->step->issues; /* a count of instructions */
    htmt_time time = !issues              ? work_of(c->e->machine, c->layer, op, n)
                     : n <= HTMT_TIME_MAX ? (htmt_time)n
                                          : -1;
    if (htmt__explained(c->e))
        c->e->explain->charged(c->e, c->p, op, n, time);
    spend(c, time);
}

static void spend_fixed(struct htmt_context *c, htmt_time fs)
{
    if (htmt__explained(c->e))
        c->e->explain->charged(c->e, c->p, HTMT_OP_CLASSES, 0, fs);
    spend(c, fs);
}

static bool spends(struct htmt_context *c, htmt_time fs, const char *call)
{
    if (!htmt__permit(c, call))
        return false;
    if (fs < 0)
        htmt__refuse(c->e, HTMT_EINVAL, "%s of %lld fs, expected 0 or more", call, (long long)fs);
    else if (c->p->step->issues)
        htmt__refuse(c->e, HTMT_EINVAL,
                     "%s of type %s, whose processor issues instructions: charge them", call,
                     c->self->type->code.name);
    else
        spend_fixed(c, fs);
    return !c->e->fault.code;
}

void htmt_delay(struct htmt_context *c, htmt_time fs)
{
    spends(c, fs, "htmt_delay()");
}

/* Behind all other time, so its line stays in the log until the service ends. */
void htmt_pause(struct htmt_context *c, htmt_time fs)
{
    struct htmt__entry *entry;
    if (!spends(c, fs, "htmt_pause()") || !fs || !(entry = htmt__entry_create(c->e, HTMT__PAUSED)))
        return;
    entry->amount = (uint64_t)fs;
    c->p->pauses = true;
    htmt__log_write(c, entry);
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
    if (htmt__explained(c->e))
        c->e->explain->worked(c->e);
}

/* ---- footprint ------------------------------------------------------------------------------- */

/* The kernel is issued as soon as its closure is complete, before this control runs. */
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

static inline bool is_use(unsigned how)
{
    return how - HTMT_READ <= HTMT_UPDATE - HTMT_READ;
}

/* Nothing is wrong with the use (one that commutes goes the other way), in a model run that asks
 * for nothing but the time: there a use is only counted. Most uses of a model are such. */
static inline bool only_counts(const struct htmt_context *c, struct htmt_addr at, uint64_t bytes)
{
    const struct htmt_emulator *e = c->e;
    const struct htmt__entity *p = c->p;
    const unsigned reasons = HTMT__BY_BYTES | HTMT__BY_RESIDENCY | HTMT__BY_ISSUE;
    return !htmt__goes_aside(e, reasons) && !p->worked && c->uses < HTMT__USES_MAX &&
           !p->step->code->steered && !issued_before(p) && htmt__inside_run(e, at, bytes) &&
           at.object->slice == p->slice && at.object->layer == c->layer;
}

/* `pieces`: which of those bytes. */
__attribute__((noinline)) static void use_other(struct htmt_context *c, struct htmt_addr at,
                                                uint64_t bytes, struct htmt_pieces pieces,
                                                enum htmt_use how)
{
    if (!htmt__permit(c, "htmt_use()"))
        return;
    if (!is_use(how) && how != HTMT_COMMUTE) {
        htmt__refuse(c->e, HTMT_EINVAL, "htmt_use() as %u, expected one of enum htmt_use",
                     (unsigned)how);
        return;
    }
    struct htmt__touch *u = next_use(c, "htmt_use()");
    if (!u || htmt__bounds_run(c->e, at, bytes, "a kernel uses"))
        return;
    if (at.object->slice != c->p->slice || at.object->layer != c->layer) {
        htmt__fail(c->e, HTMT_EROUTE, "a kernel of type %s uses %s, which lies elsewhere",
                   c->p->type->code.name, at.object->name);
        return;
    }
    if (c->e->banked && htmt__dma_use(c, at, bytes, how != HTMT_READ))
        return;
    *u = (struct htmt__touch){at.object->storage, at.offset, bytes, how & HTMT_UPDATE,
                              at.object->model + at.offset};
    if (htmt__explained(c->e))
        c->e->explain->uses(c->e, at, bytes, pieces, how);
    if (htmt__residency_matters(c->e))
        htmt__residency_use(c, at.object, bytes, how & HTMT_UPDATE);
}

__attribute__((noinline)) static void use_whole(struct htmt_context *c, struct htmt_addr at,
                                                uint64_t bytes, enum htmt_use how)
{
    use_other(c, at, bytes, (struct htmt_pieces){0}, how);
}

void htmt_use(struct htmt_context *c, struct htmt_addr at, uint64_t bytes, enum htmt_use how)
{
    bool permitted = c == htmt__caller.control;
    if (__builtin_expect(permitted && is_use(how) && only_counts(c, at, bytes), 1))
        c->uses++;
    else
        use_whole(c, at, bytes, how);
}

void htmt_use_pieces(struct htmt_context *c, struct htmt_addr at, uint64_t bytes,
                     struct htmt_pieces pieces, enum htmt_use how)
{
    const uint64_t stride = pieces.stride < 0 ? 0 : (uint64_t)pieces.stride,
                   plane = pieces.plane_stride < 0 ? 0 : (uint64_t)pieces.plane_stride,
                   more = pieces.bytes && bytes ? (bytes - 1) / pieces.bytes : 0,
                   planes = pieces.planes > 1 ? pieces.planes - 1 : 0,
                   in_plane = planes ? pieces.count - 1 : more;
    uint64_t span;
    if (!pieces.count || !more) {
        htmt_use(c, at, bytes, how);
        return;
    }
    bool good = (!in_plane || stride >= pieces.bytes) &&
                !__builtin_mul_overflow(in_plane, stride, &span) &&
                !__builtin_add_overflow(span, bytes - more * pieces.bytes, &span);
    if (good && planes) {
        uint64_t all;
        good = plane >= span && htmt__pieces_count(&pieces) == more + 1 &&
               !__builtin_mul_overflow(more + 1, pieces.bytes, &all) && all == bytes &&
               !__builtin_mul_overflow(planes, plane, &all) &&
               !__builtin_add_overflow(span, all, &span);
    }
    if (!good) {
        htmt__refuse(c ? c->e : NULL, HTMT_EINVAL,
                     "htmt_use_pieces() of %llu bytes in pieces of %llu, %lld apart, %llu planes, "
                     "%lld apart: expected pieces and planes that lie behind each other, whole "
                     "planes, and fewer than 2^64 bytes in all",
                     (unsigned long long)bytes, (unsigned long long)pieces.bytes,
                     (long long)pieces.stride, (unsigned long long)pieces.planes,
                     (long long)pieces.plane_stride);
        return;
    }
    if (c == htmt__caller.control && is_use(how) && only_counts(c, at, span)) {
        c->uses++;
        return;
    }
    pieces.count = in_plane + 1;
    use_other(c, at, span, pieces, how);
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

void htmt_slot_set(struct htmt_context *c, uint32_t fiber, uint32_t count, uint32_t reset)
{
    if (!htmt__permit(c, "htmt_slot_set()"))
        return;
    if (__builtin_expect(fiber - 1 >= c->self->type->fiber_count, 0))
        htmt__refuse(c->e, HTMT_EINVAL,
                     "htmt_slot_set() of fiber %u, expected one of 1 to %u: fiber 0 is execute, "
                     "which has no slot",
                     fiber, c->self->type->fiber_count);
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
    struct htmt__entry *entry =
        htmt__may_signal(c, slot, "htmt_signal()") ? NULL : htmt__entry_create(c->e, HTMT__SIGNAL);
    if (!entry)
        return;
    entry->slot = slot;
    entry->line.stage = (uint8_t)c->layer;
    if (htmt__linted(c->e))
        tell_lint(c, &entry->slot);
    htmt__log_write(c, entry);
}

/* ---- the five calls -------------------------------------------------------------------------- */

/* A line that opens the gate before that stage; HTMT__DISCARD ends a parcel at any of its gates. */
static int open_later(struct htmt_context *c, struct htmt_ref parcel, enum htmt_stage_id stage)
{
    const char *call = htmt__gate_call(stage);
    if (!htmt__permit_start(c, call))
        return HTMT_EINVAL;
    struct htmt_emulator *e = c->e;
    if (c->p && !htmt_ref_none(parcel) && htmt_ref_slice(parcel) != c->p->slice)
        return htmt__fail(e, HTMT_EROUTE, "%s of a parcel in another slice: signal a fiber there",
                          call);
    const struct htmt__entity *p = htmt__find(e, parcel);
    if (!p || p->kind != HTMT__PARCEL)
        return htmt__fail(e, HTMT_EINVAL, "%s of a parcel that is gone", call);
    const struct htmt_type *t = p->type;
    if (stage == HTMT__DISCARD && !t->gates)
        return htmt__refuse(e, HTMT_EINVAL,
                            "htmt_discard() of a parcel of type %s, which has no gate to wait at: "
                            "give the type one",
                            t->code.name);
    if (stage != HTMT__DISCARD && !(t->gates & HTMT_GATE(stage)))
        return htmt__refuse(e, HTMT_EINVAL,
                            "%s of a parcel of type %s, which has no gate before %s: give the type "
                            "that gate%s",
                            call, t->code.name, htmt_stage_name(stage),
                            stage == HTMT_RETIRE ? ", or fibers" : "");
    struct htmt__entry *entry = htmt__entry_create(e, HTMT__OPEN);
    if (!entry)
        return HTMT_ENOMEM;
    entry->parcel = parcel;
    entry->line.stage = (uint8_t)stage;
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
