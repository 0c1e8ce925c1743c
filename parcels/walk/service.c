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
#include "parcels/walk/service.h"
#include "layers/model.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/message/packet_router.h"
#include "parcels/walk/charge.h"
#include "parcels/walk/control_call.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/log_replay.h"
#include "parcels/walk/node_services.h"
#include "parcels/walk/profile_services.h"
#include "parcels/walk/service_end.h"
#include "parcels/walk/what_if.h"

#include <stdlib.h>

/* ---- time ------------------------------------------------------------------------------------ */

static htmt_time work_of(struct htmt_emulator *e, const struct htmt__entity *p,
                         const struct htmt_ops *ops)
{
    const struct htmt__step *step = p->step;
    htmt_time t = step->profiled ? htmt__profiled_length(htmt__profiled_choose(step, ops),
                                                         p->key >> HTMT__BIRTH_SHIFT, ops)
                                 : htmt_machine_work(e->machine, step->layer, ops);
    if (!htmt__too_long(t))
        return t;
    htmt__fail(e, HTMT_EOVERFLOW, "the time of a service on %s overflows",
               e->machine->layer[step->layer].processor.name);
    return 0;
}

static inline bool is_alike(const struct htmt__alike *last, const struct htmt_ops *ops)
{
    uint64_t differ = 0;
    if (ops == &last->ops)
        return last->time >= 0;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        differ |= last->ops.n[i] ^ ops->n[i];
    return !differ && last->time >= 0;
}

/* A service unlike the step's last one. A model that is not of counts alone has no two alike, nor
 * has a profile. */
static htmt_time count_other(struct htmt_emulator *e, const struct htmt__entity *p,
                             const struct htmt_ops *ops)
{
    const struct htmt__step *step = p->step;
    const struct htmt__processor_model *model = e->machine->layer[step->layer].model;
    struct htmt__alike *last = step->alike;
    htmt_time work = work_of(e, p, ops);
    htmt__stage_stats_add(step->stats, last);
    last->ops = *ops;
    last->time = work;
    last->count = 1;
    if (e->fault.code || step->profiled || (model && !model->of_counts))
        htmt__stage_stats_add(step->stats, last);
    if (work > step->stats->longest)
        step->stats->longest = work;
    return work;
}

static htmt_time count(struct htmt_emulator *e, const struct htmt__entity *p,
                       const struct htmt_ops *ops)
{
    struct htmt__alike *last = p->step->alike;
    if (!is_alike(last, ops))
        return count_other(e, p, ops);
    last->count++;
    return last->time;
}

static __attribute__((noinline)) void
set_other_length(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt_ops *ops)
{
    if (p->step->issues) {
        htmt__issue_begin(e, p, ops);
        return;
    }
    if (htmt__goes_aside(e, HTMT__BY_NODES) && p->step->profiled && htmt__nodes_have(e, p)) {
        htmt__nodes_play(e, p, ops, NULL);
        return;
    }
    htmt__length_set(e, p, e->now, count(e, p, ops));
}

static inline void count_alike(struct htmt_emulator *e, struct htmt__entity *p,
                               struct htmt__alike *last)
{
    last->count++;
    p->service = last->time;
    htmt__schedule_line(e, p, p->step->line, htmt__later(e->now, last->time));
}

/* The service takes `ops` of the kernel and what the control charged: from now on its end is known.
 */
static inline void set_length(struct htmt_emulator *e, struct htmt__entity *p,
                              const struct htmt_ops *ops)
{
    struct htmt__alike *last = p->step->alike;
    if ((p->before | p->after) || p->worked || !is_alike(last, ops)) {
        set_other_length(e, p, ops);
        return;
    }
    count_alike(e, p, last);
}

/* ---- start ----------------------------------------------------------------------------------- */

static bool room_for_kernel(struct htmt_emulator *e)
{
    if (e->kernel_count < e->kernel_room)
        return true;
    uint32_t room = e->kernel_room ? 2 * e->kernel_room : 64;
    struct htmt__awaiting *more = realloc(e->kernels, room * sizeof *more);
    if (!more) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for services that wait for their kernels");
        return false;
    }
    e->kernels = more;
    e->kernel_room = room;
    return true;
}

static void await_kernel(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__job *job)
{
    p->job = job;
    p->state = HTMT__FOR_KERNEL;
    if (htmt__explained(e))
        e->explain->keep(e, p);
    if (room_for_kernel(e))
        e->kernels[e->kernel_count++] = (struct htmt__awaiting){p, e->turn};
}

/* Its control ran when it asked for its state. */
static void serve_fetched(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *state = p->brought;
    e->control->ops = state->ops;
    p->brought = NULL;
    htmt__message_free(e, state);
    set_length(e, p, &e->control->ops);
}

/* The service's kernel, as the data plane knows it. */
static struct htmt__call call_of(const struct htmt_emulator *e, const struct htmt__entity *p,
                                 const struct htmt_context *c)
{
    const struct htmt__step *step = p->step;
    htmt_uwide order = htmt__order(e);
    return (struct htmt__call){
        .code = step->code,
        .stage = (enum htmt_stage_id)step->stage,
        .layer = step->layer,
        .fiber = htmt__fiber_number(p),
        .serial = p->serial,
        .uses = c->use,
        .use_count = c->uses,
        .keep = !step->code->cost || e->op_recorder,
        .turn = {.at = e->now, .phase = (uint64_t)(order >> 64), .key = (uint64_t)order}};
}

static __attribute__((noinline)) void serve_kernel(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt_stage *code = p->step->code;
    struct htmt__job *job = NULL;
    e->control->uses = 0;
    htmt__control_begin(p);
    const struct htmt_ops *ops = htmt__expect(e, p, &e->control->ops);
    if (code->control && !code->steered) {
        htmt__control_run(e, p, NULL);
        p->ran = true;
    }
    if (e->fault.code)
        return; /* a use was refused: there is nothing to point the kernel at */
    struct htmt__call call = call_of(e, p, e->control);
    if (code->kernel)
        job = htmt__data_use(e->data, htmt__self(p)->closure, &call);
    if (e->fault.code)
        return;
    if (code->steered || (code->kernel && call.keep))
        await_kernel(e, p, job);
    else
        set_length(e, p, ops);
}

/* Without bytes, or without a kernel: all is known at once. */
static inline void serve_control(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt_ops *ops = htmt__expect(e, p, &e->control->ops);
    const struct htmt__step *step = p->step;
    if (!step->code->control && is_alike(step->alike, ops)) {
        count_alike(e, p, step->alike);
        return;
    }
    htmt__control_begin(p);
    if (step->code->control)
        htmt__control_run(e, p, NULL);
    set_length(e, p, ops);
}

/* In a run, or what-if. */
static inline void serve_other(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (e->options.what_if && p->brought)
        serve_fetched(e, p);
    else if (e->data && (p->step->code->kernel || p->step->code->steered))
        serve_kernel(e, p);
    else
        serve_control(e, p);
}

static __attribute__((noinline)) void serve_asked(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (htmt__goes_aside(e, HTMT__BY_BYTES | HTMT__BY_RESIDENCY))
        serve_other(e, p);
    else
        serve_control(e, p);
}

static inline void serve(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__alike *last = p->step->alike;
    if (p->step->constant && last->time >= 0)
        count_alike(e, p, last);
    else
        serve_asked(e, p);
}

void htmt__serve(struct htmt_emulator *e, struct htmt__entity *p)
{
    serve(e, p);
}

static __attribute__((noinline)) void stand_in_line(struct htmt_emulator *e, struct htmt__entity *p,
                                                    struct htmt__bank *bank)
{
    p->state = HTMT__IN_LINE;
    htmt__line_join(&bank->line, &e->tally[p->step->layer], &p->waiter, e->now);
}

static __attribute__((noinline)) void begin_aside(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (htmt__goes_aside(e, HTMT__BY_ROUTER))
        htmt__router_begin(e, p);
    if (p->step->issues)
        htmt__issue_take(e, p);
    if (htmt__goes_aside(e, HTMT__BY_NODES))
        htmt__nodes_begin(e, p);
    serve(e, p);
}

static inline void enter_bank(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__bank *bank = htmt__resource_at(e, p->slice, p->step->at);
    if (htmt__bank_enter(bank))
        serve(e, p);
    else
        stand_in_line(e, p, bank);
}

static __attribute__((noinline)) void request_aside(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (e->options.what_if && !p->brought && htmt__what_if_fetch(e, p))
        return;
    struct htmt__bank *bank = htmt__resource_at(e, p->slice, p->step->at);
    if (p->step->issues && p->kind == HTMT__FIBER) /* its activation holds a thread */
        serve(e, p);
    else if (htmt__bank_enter(bank))
        begin_aside(e, p);
    else
        stand_in_line(e, p, bank);
}

void htmt__request(struct htmt_emulator *e, struct htmt__entity *p)
{
    const unsigned reasons = HTMT__BY_RESIDENCY | HTMT__BY_ROUTER | HTMT__BY_ISSUE | HTMT__BY_NODES;
    if (__builtin_expect(htmt__goes_aside(e, reasons), 0))
        request_aside(e, p);
    else
        enter_bank(e, p);
}

/* ---- kernels that were waited for -------------------------------------------------------------*/

/* The largest count stands for all that are larger. */
static void check_counts(struct htmt_emulator *e, const struct htmt__entity *p,
                         const struct htmt_ops *ops)
{
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        if (ops->n[i] == UINT64_MAX)
            htmt__fail(
                e, HTMT_EOVERFLOW, "type %s, %s, slice %u: the sum of htmt_count() passes 2^64 - 1",
                p->type->code.name, htmt_stage_name((enum htmt_stage_id)p->step->stage), p->slice);
}

/* Waits for this service's kernel, if it has one, and a steered one for all of its parcel's. */
void htmt__kernel_resolve(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt_stage *code = p->step->code;
    struct htmt_ops *ops = &e->control->ops;
    htmt__expect_here(e, p, ops);
    struct htmt__timed timed = {.length = -1};
    if (p->job)
        htmt__data_need(e->data, p->job, code->cost ? NULL : ops, &timed);
    if (!code->cost)
        check_counts(e, p, ops);
    const void *result =
        code->control && !p->ran ? htmt__data_result(e->data, htmt__self(p)->closure) : NULL;
    if (e->fault.code)
        return; /* what the kernel left means nothing */
    if (code->control && !p->ran)
        htmt__control_run(e, p, result);
    if (timed.taped) {
        htmt__nodes_play(e, p, ops, timed.taped);
        return;
    }
    if (e->op_recorder && code->kernel && !htmt__stage_stats_played(p->step->stats, &timed))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the account of a stage");
    if (timed.length < 0) {
        set_length(e, p, ops);
        return;
    }
    htmt__length_played(e, p, ops, e->now, timed.length);
}

/* ---- end ------------------------------------------------------------------------------------- */

void htmt__serve_next(struct htmt_emulator *e, struct htmt__waiter *w, uint32_t resource)
{
    struct htmt__entity *p = (struct htmt__entity *)w;
    p->step->stats->waited += e->now - w->since;
    if (htmt__explained(e))
        e->explain->served(e, p, resource);
    begin_aside(e, p);
}
