/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services.
 *
 * A parcel or fiber asks for a server of its bank (htmt__request()). If all are busy it joins the
 * bank's line, first come, first served, and begins when a service ends (htmt__serve_next()). Then
 * its control runs and writes a log, its kernel runs on the host, and the clock learns how long the
 * service takes. From then on it has one event, its end: the clock plays a service in one event,
 * whatever it does.
 *
 * The length of a service comes from one of four sources:
 *
 * - Counts. The cost function, or without one the kernel itself, counts operations; the model of
 *   the processor turns them into time.
 * - A profile of the kernel. Operations are made of it (profile_services.c).
 * - A tape. The kernel's own operations were recorded while it ran.
 * - An issue port. The operations are instructions; the time follows from the other threads that
 *   issue meanwhile (issue.c).
 *
 * Lengths that only a kernel can tell. Without a cost function, or if the control is steered by the
 * kernel's results, the length is not known when the service begins. The clock must not wait for
 * each such kernel in turn: then one thread of the host would be busy at a time. So the service
 * goes to e->kernels, and everything else that happens at this instant goes first. Only when the
 * clock would move on does it wait for these kernels, in the order in which they began
 * (htmt__kernel_resolve()). So all kernels of services that begin at one instant are under way
 * together, and the order of events does not depend on which of them the host finishes first. A
 * steered post waits so in a model run, too, where it has no kernel: its control may work on kept
 * bytes, which are there in both, and must find them as it does in the run.
 *
 * What most services cost. The step remembers its last service (struct htmt__alike). A service of
 * the same counts is counted and takes the same time: the model is not asked, nothing is added up.
 * If the step is `constant`, not even counts are compared. All other ways are functions
 * apart, so this one keeps nothing on the stack.
 */
#include "parcels/walk/service.h"
#include "layers/model.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/message/packet_router.h"
#include "parcels/message/post.h"
#include "parcels/walk/context.h"
#include "parcels/walk/issue.h"
#include "parcels/walk/node_services.h"
#include "parcels/walk/profile_services.h"
#include "parcels/walk/replies.h"
#include "parcels/walk/type.h"
#include "parcels/walk/what_if.h"
#include "runtime/base/array.h"

#include <stdlib.h>

#define APART static __attribute__((noinline))

/* ---- length ---------------------------------------------------------------------------------- */

static inline bool is_alike(const struct htmt__alike *last, const struct htmt_ops *ops)
{
    uint64_t differ = 0;
    if (ops == &last->ops)
        return last->time >= 0;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        differ |= last->ops.n[i] ^ ops->n[i];
    return !differ && last->time >= 0;
}

/* A service unlike the step's last one. It is added up at once where the next one of equal counts
 * may take another time: by a profile, or a model that is not of counts alone. */
static htmt_time count_other(struct htmt_emulator *e, const struct htmt__entity *p,
                             const struct htmt_ops *ops)
{
    const struct htmt__step *step = p->step;
    const struct htmt__processor_model *model = e->machine->layer[step->layer].model;
    struct htmt__alike *last = step->alike;
    htmt_time work = step->profiled ? htmt__profiled_length(htmt__profiled_choose(step, ops),
                                                            p->key >> HTMT__BIRTH_SHIFT, ops)
                                    : htmt_machine_work(e->machine, step->layer, ops);
    if (htmt__too_long(work)) {
        htmt__fail(e, HTMT_EOVERFLOW, "the time of a service on %s overflows",
                   e->machine->layer[step->layer].processor.name);
        work = 0;
    }
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

/* What was posted and takes no time ends at once, so that it needs no event. With a kernel it goes
 * the way of all, and where its processor routes packets, too: those may put it off. */
APART void end_at_once(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (htmt__goes_aside(e, HTMT__BY_ROUTER | HTMT__BY_NODES)) {
        htmt__length_set(e, p, e->now, 0);
        return;
    }
    p->service = 0;
    p->step += 2;
    htmt__ready(e, p);
}

static inline void count_alike(struct htmt_emulator *e, struct htmt__entity *p,
                               struct htmt__alike *last)
{
    last->count++;
    p->service = last->time;
    /* Later than there is time: negative, and refused there. */
    htmt__schedule_step(e, p, 0, (htmt_time)((uint64_t)e->now + (uint64_t)last->time));
}

/* Of what was posted: its control may have asked for a generator. */
APART void set_posted_length(struct htmt_emulator *e, struct htmt__entity *p,
                             const struct htmt_ops *ops)
{
    struct htmt__alike *last = p->step->alike;
    const bool alike = is_alike(last, ops);
    const htmt_time work = alike ? last->time : count_other(e, p, ops);
    last->count += alike;
    if (e->control->each)
        htmt__generator_begin(e, p, work);
    else if (!(work | p->before | p->after) && p->type->post->plain)
        end_at_once(e, p);
    else
        htmt__length_set(e, p, e->now, work);
}

APART void set_other_length(struct htmt_emulator *e, struct htmt__entity *p,
                            const struct htmt_ops *ops)
{
    struct htmt__alike *last = p->step->alike;
    if (p->step->issues) {
        htmt__issue_begin(e, p, ops);
    } else if (htmt__goes_aside(e, HTMT__BY_NODES) && p->step->profiled && htmt__nodes_have(e, p)) {
        htmt__nodes_play(e, p, ops, NULL);
    } else if (__builtin_expect(p->posted, 0)) {
        set_posted_length(e, p, ops);
    } else if (is_alike(last, ops)) {
        last->count++;
        htmt__length_set(e, p, e->now, last->time);
    } else {
        htmt__length_set(e, p, e->now, count_other(e, p, ops));
    }
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
    if (__builtin_expect(p->posted, 0) && !last->time && p->type->post->plain) {
        last->count++;
        end_at_once(e, p);
        return;
    }
    count_alike(e, p, last);
}

void htmt__service_begun(struct htmt_emulator *e, struct htmt__entity *p)
{
    e->control->ops = (struct htmt_ops){{0}};
    set_length(e, p, &e->control->ops);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* In a run: the kernel is issued to the host. A control that is not steered runs before it, since
 * it names what the kernel uses. A model run that plays a captured one does the same without
 * the kernel, so that it waits where the run does. */
APART void serve_kernel(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt_stage *code = p->step->code;
    struct htmt_context *c = e->control;
    struct htmt__job *job = NULL;
    c->uses = 0;
    htmt__control_begin(p);
    if (htmt__explained(e))
        e->explain->serves(e, p);
    const struct htmt_ops *ops = htmt__expect(e, p, &c->ops);
    if (code->control && !code->steered) {
        htmt__control_run(e, p, NULL);
        p->ran = true;
    }
    if (htmt__explained(e))
        e->explain->computes(e, p);
    if (e->fault.code)
        return; /* a use was refused: there is nothing to point the kernel at */
    const htmt_uwide order = htmt__order(e);
    const struct htmt__call call = {
        .code = code,
        .stage = (enum htmt_stage_id)p->step->stage,
        .layer = p->step->layer,
        .fiber = htmt__fiber_number(p),
        .serial = p->serial,
        .uses = c->use,
        .use_count = c->uses,
        .keep = !code->cost || e->op_recorder,
        .turn = {.at = e->now, .phase = (uint64_t)(order >> 64), .key = (uint64_t)order}};
    if (code->kernel && e->data)
        job = htmt__data_use(e->data, htmt__self(p)->closure, &call);
    if (e->fault.code)
        return;
    if (!code->steered && !(code->kernel && call.keep)) {
        set_length(e, p, ops);
        return;
    }
    p->job = job;
    p->state = HTMT__FOR_KERNEL;
    if (htmt__explained(e))
        e->explain->keep(e, p);
    if (htmt__array_fits(&e->kernels, &e->kernel_room, e->kernel_count + 1u, sizeof *e->kernels))
        e->kernels[e->kernel_count++] = (struct htmt__awaiting){
            p, e->turn, htmt__goes_aside(e, HTMT__BY_REPLIES) ? htmt__reply_name(p) : 0};
    else
        htmt__fail(e, HTMT_ENOMEM, "no host memory for services that wait for their kernels");
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

/* With what-if moves, a service whose state was brought has run its control when it asked for it.
 */
APART void serve_asked(struct htmt_emulator *e, struct htmt__entity *p)
{
    const unsigned reasons =
        HTMT__BY_BYTES | HTMT__BY_RESIDENCY | HTMT__BY_REPLIES | HTMT__BY_STEERED;
    const bool aside = htmt__goes_aside(e, reasons);
    const struct htmt_stage *code = p->step->code;
    if (aside && e->options.what_if && p->brought) {
        struct htmt__message *state = p->brought;
        e->control->ops = state->ops;
        p->brought = NULL;
        htmt__message_free(e, state);
        set_length(e, p, &e->control->ops);
    } else if (aside && (((e->data || e->replies) && (code->kernel || code->steered)) ||
                         (p->posted && code->steered))) {
        serve_kernel(e, p);
    } else {
        serve_control(e, p);
    }
}

/* p has a server from now on. */
static inline void serve(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__alike *last = p->step->alike;
    if (p->step->constant && last->time >= 0)
        count_alike(e, p, last);
    else
        serve_asked(e, p);
}

/* The same where the server is a processor that routes packets, a thread of an issue port, or one
 * whose services depend on others. */
APART void serve_aside(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (htmt__goes_aside(e, HTMT__BY_ROUTER))
        htmt__router_begin(e, p);
    if (p->step->issues)
        htmt__issue_take(e, p);
    if (htmt__goes_aside(e, HTMT__BY_NODES))
        htmt__nodes_begin(e, p);
    serve(e, p);
}

/* ---- the request ----------------------------------------------------------------------------- */

APART void stand_in_line(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__bank *bank)
{
    p->state = HTMT__IN_LINE;
    htmt__line_join(&bank->line, &e->tally[p->step->stats->resource], &p->waiter, e->now);
}

/* A fiber at an issue port is served on the thread that its activation holds. */
APART void request_aside(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (e->options.what_if && !p->brought && htmt__what_if_fetch(e, p))
        return;
    struct htmt__bank *bank = htmt__resource_at(e, p->slice, p->step->at);
    if (p->step->issues && p->kind == HTMT__FIBER)
        serve(e, p);
    else if (htmt__bank_enter(bank))
        serve_aside(e, p);
    else
        stand_in_line(e, p, bank);
}

void htmt__request(struct htmt_emulator *e, struct htmt__entity *p)
{
    const unsigned reasons = HTMT__BY_RESIDENCY | HTMT__BY_ROUTER | HTMT__BY_ISSUE | HTMT__BY_NODES;
    if (__builtin_expect(htmt__goes_aside(e, reasons), 0)) {
        request_aside(e, p);
        return;
    }
    struct htmt__bank *bank = htmt__resource_at(e, p->slice, p->step->at);
    if (htmt__bank_enter(bank))
        serve(e, p);
    else
        stand_in_line(e, p, bank);
}

void htmt__serve_next(struct htmt_emulator *e, struct htmt__waiter *w, uint32_t resource)
{
    struct htmt__entity *p = (struct htmt__entity *)w;
    p->step->stats->waited += e->now - w->since;
    if (htmt__explained(e))
        e->explain->served(e, p, resource);
    if (__builtin_expect(p->leaving, 0))
        htmt__generator_again(e, p);
    else
        serve_aside(e, p);
}

/* ---- kernels that were waited for ------------------------------------------------------------ */

/* Waits for this service's kernel, if it has one; a steered control waits for all kernels of its
 * parcel. In counts of a kernel, the largest value stands for all that are larger. */
void htmt__kernel_resolve(struct htmt_emulator *e, struct htmt__entity *p, uint64_t reply)
{
    const struct htmt_stage *code = p->step->code;
    struct htmt_ops *ops = &e->control->ops;
    htmt__expect_here(e, p, ops);
    struct htmt__timed timed = {.length = -1};
    if (p->job)
        htmt__data_need(e->data, p->job, code->cost ? NULL : ops, &timed);
    char stage[HTMT__STAGE_TEXT];
    for (int i = 0; !code->cost && i < HTMT_OP_CLASSES; i++)
        if (ops->n[i] == UINT64_MAX)
            htmt__fail(e, HTMT_EOVERFLOW,
                       "type %s, %s, slice %u: the sum of htmt_count() passes 2^64 - 1",
                       p->type->code.name, htmt__entity_stage(p, false, stage), p->slice);
    const bool steers = code->control && !p->ran;
    struct htmt_ops *counted = code->kernel && !code->cost ? ops : NULL;
    const void *result = NULL;
    if (htmt__replies_played(e))
        result = htmt__reply_take(e, p, reply, counted, steers);
    else if (steers && e->data)
        result = htmt__data_result(e->data, htmt__self(p)->closure);
    if (e->fault.code)
        return; /* what the kernel left means nothing */
    if (htmt__replies_captured(e))
        htmt__reply_keep(e, p, reply, counted, result);
    if (code->control && !p->ran)
        htmt__control_run(e, p, result);
    if (timed.deferred) {
        htmt__nodes_play(e, p, ops, timed.deferred);
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
