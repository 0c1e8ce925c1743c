/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A service: a parcel or fiber has a server, its control writes a log, its kernel runs on the host,
 * the clock learns how long it took and what it set off.
 *
 * When the length depends on what the kernel counts, or control on what it found, the service
 * waits in e->kernels and everything else that happens at this very instant goes first; only when
 * the clock would move on are those kernels waited for, in order. So all services that begin at one
 * instant have their kernels under way together, and the order of events does not depend on which
 * kernel the host finished first.
 */
#include "parcels/timing/service.h"
#include "parcels/data/closure.h"
#include "parcels/timing/charge.h"
#include "parcels/timing/clock.h"
#include "parcels/timing/collective.h"
#include "parcels/timing/context.h"
#include "parcels/timing/log.h"
#include "parcels/timing/mailbox.h"
#include "parcels/timing/message.h"
#include "parcels/timing/walk.h"
#include "parcels/timing/what_if.h"
#include "runtime/host/host.h"

#include <stdlib.h>
#include <string.h>

/* ---- logs ------------------------------------------------------------------------------------ */

struct htmt__entry *htmt__entry_create(struct htmt_emulator *e, enum htmt__entry_kind kind)
{
    struct htmt__entry *entry = e->entries;
    if (entry)
        e->entries = entry->next;
    else if (!(entry = malloc(sizeof *entry))) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for an operation log");
        return NULL;
    }
    *entry = (struct htmt__entry){.kind = kind};
    return entry;
}

void htmt__entry_free(struct htmt_emulator *e, struct htmt__entry *entry)
{
    entry->next = e->entries;
    e->entries = entry;
}

static void open_gate(struct htmt_emulator *e, struct htmt_ref parcel, uint32_t stage)
{
    if (!htmt__alive(parcel)) {
        htmt__fail(e, HTMT_EINVAL, "htmt_%s() of a parcel that is gone", htmt_stage_name(stage));
        return;
    }
    struct htmt_parcel *p = parcel.parcel;
    if (stage == HTMT__DISCARD) {
        p->discarded = true;
        if (p->state == HTMT__FOR_CALL)
            htmt__ready(e, p);
        return;
    }
    p->open |= (uint16_t)HTMT_GATE(stage);
    if (p->state == HTMT__FOR_CALL && p->step->stage == stage)
        htmt__ready(e, p);
}

/* Does what the line says, for the entity p at whose place it happens, and frees it. */
void htmt__entry_do(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt__entry *entry)
{
    switch (entry->kind) {
    case HTMT__SIGNAL:
        htmt__signal_from(e, p->slice, entry->stage, entry->slot);
        break;
    case HTMT__OPEN:
        open_gate(e, entry->parcel, entry->stage);
        break;
    case HTMT__START:
        htmt__ready(e, entry->start);
        break;
    case HTMT__SENT:
        htmt__carrier_sent(e, entry);
        break;
    case HTMT__TAKEN:
        htmt__mailbox_taken(e, entry->mailbox, entry->amount);
        break;
    case HTMT__JOIN:
        entry->collective->ways->join(entry->collective, p->slice);
        break;
    case HTMT__FOLDED:
        entry->collective->ways->folded(entry->collective, p->slice);
        break;
    }
    htmt__entry_free(e, entry);
}

/* A line between start and end of a service gets a moment of its own. */
static void postpone(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt__entry *entry,
                     htmt_time at)
{
    struct htmt_parcel *moment = htmt__entity_create(e, p->slice, HTMT__MOMENT);
    if (!moment) {
        htmt__entry_free(e, entry);
        return;
    }
    moment->log = entry;
    if (htmt__traced(e))
        htmt__trace_within(e, p->step->phase);
    htmt__schedule(e, moment, at);
}

/* The length is known: do what happens at the start, keep what happens at the end. */
static void unroll(struct htmt_emulator *e, struct htmt_parcel *p, htmt_time work)
{
    struct htmt__entry *entry = p->log, *next, **end = &p->log;
    p->log = NULL;
    for (; entry; entry = next) {
        next = entry->next;
        entry->next = NULL;
        htmt_time at = entry->after ? p->before + work + entry->at : entry->at;
        if ((at >= p->service && entry->after) || entry->kind == HTMT__TAKEN) {
            *end = entry;
            end = &entry->next;
        } else if (at == 0) {
            htmt__entry_do(e, p, entry);
        } else {
            postpone(e, p, entry, htmt__later(e->now, at));
        }
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

htmt_time htmt__work(struct htmt_emulator *e, struct htmt__step *step, uint32_t layer,
                     const struct htmt_ops *ops)
{
    if (step->memo_time >= 0 && !memcmp(&step->memo, ops, sizeof *ops))
        return step->memo_time;
    htmt_time t = htmt_machine_work(e->machine, layer, ops);
    if (htmt__too_long(t)) {
        htmt__fail(e, HTMT_EOVERFLOW, "the time of a service on %s overflows",
                   e->machine->layer[layer].processor.name);
        return 0;
    }
    step->memo = *ops;
    step->memo_time = t;
    return t;
}

static struct htmt_parcel *whose(struct htmt_parcel *p)
{
    return p->kind == HTMT__FIBER ? p->owner : p;
}

/* The service takes `ops` of the kernel and what the control charged: from now on its end is known.
 */
static void set_length(struct htmt_emulator *e, struct htmt_parcel *p, const struct htmt_ops *ops)
{
    struct htmt__step *step = (struct htmt__step *)p->step; /* its memory of times */
    struct htmt__phase *phase = step->phase;
    htmt_time work = htmt__work(e, step, step->layer, ops);
    p->service = p->before + work + p->after;
    phase->count++;
    phase->busy += p->service;
    if (p->service > phase->longest)
        phase->longest = p->service;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        phase->ops[i] += ops->n[i];
    if (p->log)
        unroll(e, p, work);
    htmt__schedule(e, p, htmt__later(e->now, p->service));
}

/* ---- control --------------------------------------------------------------------------------- */

static void run_control(struct htmt_emulator *e, struct htmt_parcel *p, const void *result,
                        struct htmt_context *c)
{
    *c = (struct htmt_context){
        .e = e, .p = p, .self = whose(p), .layer = p->step->layer, .result = result};
    p->step->code->control(c);
    if (!p->worked) /* it acts after its kernel: what it charged, and all it wrote */
        for (struct htmt__entry *entry = p->log; entry; entry = entry->next)
            entry->after = true;
    if (!p->worked) {
        p->after = p->before;
        p->before = 0;
    }
}

static void expect(const struct htmt_parcel *p, const void *args, struct htmt_ops *ops)
{
    memset(ops, 0, sizeof *ops);
    if (p->step->code->cost)
        p->step->code->cost(args, p->type->user, ops);
}

void htmt__control(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt_ops *ops,
                   struct htmt_context *c)
{
    p->before = p->after = 0;
    p->worked = p->ran = false;
    expect(p, htmt__args(whose(p)), ops);
    if (p->step->code->control)
        run_control(e, p, NULL, c);
}

/* ---- start ----------------------------------------------------------------------------------- */

static void await_kernel(struct htmt_emulator *e, struct htmt_parcel *p, struct htmt__job *job)
{
    p->job = job;
    p->state = HTMT__FOR_KERNEL;
    if (htmt__traced(e))
        htmt__trace_keep(e, p);
    p->queue = NULL;
    if (e->kernels.tail)
        e->kernels.tail->queue = p;
    else
        e->kernels.head = p;
    e->kernels.tail = p;
}

/* Without bytes, or without a kernel: all is known at once. */
static void serve_control(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt_context c;
    struct htmt_ops ops;
    htmt__control(e, p, &ops, &c);
    set_length(e, p, &ops);
}

/* Its control ran when it asked for its state. */
static void serve_fetched(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt__carry *state = p->brought;
    struct htmt_ops ops = state->ops;
    p->brought = NULL;
    htmt__carry_free(e, state);
    set_length(e, p, &ops);
}

static bool issued_ahead(const struct htmt_parcel *p)
{
    return p->kind == HTMT__PARCEL && p->step->stage == HTMT_EXECUTE && p->closure->ahead;
}

static void serve_kernel(struct htmt_emulator *e, struct htmt_parcel *p)
{
    const struct htmt_stage *code = p->step->code;
    struct htmt_parcel *self = whose(p);
    struct htmt_context c = {.uses = 0};
    struct htmt_ops ops;
    struct htmt__job *job;
    expect(p, htmt__args(self), &ops);
    if (code->control && !code->steered) {
        run_control(e, p, NULL, &c);
        p->ran = true;
    }
    if (e->fault.code)
        return; /* a use was refused: there is nothing to point the kernel at */
    bool keep = !code->cost;
    if (!code->kernel) {
        job = NULL;
    } else if (issued_ahead(p)) {
        job = self->closure->job;
        self->closure->job = NULL;
    } else {
        job = htmt__kernel_issue(e, p, p->step, c.use, c.uses, keep);
    }
    if (e->fault.code)
        return;
    if (code->steered || (code->kernel && keep))
        await_kernel(e, p, job);
    else
        set_length(e, p, &ops);
}

/* p has a server from now on. */
void htmt__serve(struct htmt_emulator *e, struct htmt_parcel *p)
{
    if (e->options.carry && p->brought) {
        serve_fetched(e, p);
        return;
    }
    p->before = p->after = 0;
    p->worked = p->ran = false;
    if (e->host && (p->step->code->kernel || p->step->code->steered))
        serve_kernel(e, p);
    else
        serve_control(e, p);
}

void htmt__request(struct htmt_emulator *e, struct htmt_parcel *p)
{
    uint32_t layer = p->step->layer;
    if (e->options.carry && !p->brought && htmt__state_fetch(e, p))
        return;
    if (htmt__bank_enter(htmt__bank_at(e, p->slice, layer), &e->tally[layer], &p->waiter, e->now))
        htmt__serve(e, p);
    else
        p->state = HTMT__IN_LINE;
}

/* ---- kernels that were waited for -------------------------------------------------------------*/

/* Waits for this service's kernel, if it has one, and a steered one for all of its parcel's. */
static void resolve(struct htmt_emulator *e, struct htmt_parcel *p)
{
    const struct htmt_stage *code = p->step->code;
    struct htmt_parcel *self = whose(p);
    struct htmt__storage *result = self->closure->result;
    struct htmt_context c;
    struct htmt_ops ops;
    expect(p, htmt__args(self), &ops);
    if (p->job) {
        htmt__job_wait(e->host, p->job);
        if (!code->cost)
            htmt__kernel_counts(p->job, &ops);
        htmt__job_release(e->host, p->job);
    }
    if (code->control && !p->ran) {
        if (result)
            htmt__storage_sync(e->host, result, HTMT__READ);
        run_control(e, p, result ? htmt__storage_bytes(result) : NULL, &c);
    }
    set_length(e, p, &ops);
}

void htmt__kernels_resolve(struct htmt_emulator *e)
{
    struct htmt_parcel *p = e->kernels.head, *next;
    e->kernels.head = e->kernels.tail = NULL;
    for (; p && !e->fault.code; p = next) {
        next = p->queue;
        if (htmt__traced(e))
            htmt__trace_turn(e, p);
        resolve(e, p);
    }
}

/* ---- end ------------------------------------------------------------------------------------- */

static void fiber_end(struct htmt_emulator *e, struct htmt_parcel *p)
{
    struct htmt_parcel *owner = p->owner;
    htmt__entity_free(e, p);
    if (--owner->body->live == 0 && owner->state == HTMT__FOR_CALL &&
        owner->step->stage == HTMT_RETIRE &&
        (owner->discarded || (owner->open & HTMT_GATE(HTMT_RETIRE))))
        htmt__ready(e, owner);
}

void htmt__service_end(struct htmt_emulator *e, struct htmt_parcel *p)
{
    const struct htmt__step *step = p->step;
    struct htmt__bank *bank = htmt__bank_at(e, p->slice, step->layer);
    htmt__record(e, p->slice, step->phase, p->serial, step->stage, 0);
    struct htmt__waiter *w = htmt__bank_leave(bank, &e->tally[step->layer], p->service, e->now);
    struct htmt__entry *entry = p->log, *next;
    p->log = NULL;
    for (; entry; entry = next) {
        next = entry->next;
        htmt__entry_do(e, p, entry);
    }
    if (p->kind == HTMT__FIBER) {
        fiber_end(e, p);
    } else {
        p->step++;
        htmt__advance(e, p);
    }
    if (w) {
        struct htmt_parcel *next_served = (struct htmt_parcel *)w;
        next_served->step->phase->waited += e->now - w->since;
        if (htmt__traced(e))
            htmt__trace_why(e, HTMT__LINE, step->phase->resource);
        htmt__serve(e, next_served);
    }
}
