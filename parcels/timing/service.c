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
#include "layers/model.h"
#include "parcels/timing/charge.h"
#include "parcels/timing/control.h"
#include "parcels/timing/event.h"
#include "parcels/timing/moment.h"
#include "parcels/timing/probe.h"
#include "parcels/timing/what_if.h"

#include <stdlib.h>

/* ---- time ------------------------------------------------------------------------------------ */

static htmt_time work_of(struct htmt_emulator *e, uint32_t layer, const struct htmt_ops *ops)
{
    htmt_time t = htmt_machine_work(e->machine, layer, ops);
    if (!htmt__too_long(t))
        return t;
    htmt__fail(e, HTMT_EOVERFLOW, "the time of a service on %s overflows",
               e->machine->layer[layer].processor.name);
    return 0;
}

static inline bool is_alike(const struct htmt__alike *last, const struct htmt_ops *ops)
{
    uint64_t differ = 0;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        differ |= last->ops.n[i] ^ ops->n[i];
    return !differ && last->time >= 0;
}

/* A service unlike the step's last one. A model that is not of counts alone has no two alike. */
static __attribute__((noinline)) htmt_time
count_other(struct htmt_emulator *e, const struct htmt__step *step, const struct htmt_ops *ops)
{
    const struct htmt__processor_model *model = e->machine->layer[step->layer].model;
    struct htmt__alike *last = step->alike;
    htmt_time work = work_of(e, step->layer, ops);
    htmt__stage_stats_add(step->stats, last);
    last->ops = *ops;
    last->time = work;
    last->count = 1;
    if (e->fault.code || (model && !model->of_counts))
        htmt__stage_stats_add(step->stats, last);
    if (work > step->stats->longest)
        step->stats->longest = work;
    return work;
}

/* What the control charged, beside the work. */
static void count_charged(struct htmt__stage_stats *stats, const struct htmt__entity *p)
{
    stats->busy += p->before + p->after;
    if (p->service > stats->longest)
        stats->longest = p->service;
}

void htmt__service_lasts(struct htmt_emulator *e, struct htmt__entity *p,
                         const struct htmt_ops *ops)
{
    const struct htmt__step *step = p->step;
    htmt_time work = step->alike->time;
    if (is_alike(step->alike, ops))
        step->alike->count++;
    else
        work = count_other(e, step, ops);
    p->service = p->before + work + p->after;
    if (p->before | p->after)
        count_charged(step->stats, p);
    if (p->log && (p->worked || p->after)) /* else all of it is for the end */
        htmt__log_unroll(e, p, work);
    htmt__schedule(e, p, htmt__later(e->now, p->service));
}

/* ---- start ----------------------------------------------------------------------------------- */

static bool room_for_kernel(struct htmt_emulator *e)
{
    if (e->kernel_count < e->kernel_room)
        return true;
    uint32_t room = e->kernel_room ? 2 * e->kernel_room : 64;
    struct htmt__entity **more = realloc(e->kernels, room * sizeof(struct htmt__entity *));
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
        e->kernels[e->kernel_count++] = p;
}

/* Its control ran when it asked for its state. */
static void serve_fetched(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__message *state = p->brought;
    e->control->ops = state->ops;
    p->brought = NULL;
    htmt__message_free(e, state);
    htmt__service_lasts(e, p, &e->control->ops);
}

/* The service's kernel, as the data plane knows it. */
static struct htmt__call call_of(const struct htmt__entity *p, const struct htmt_context *c)
{
    const struct htmt__step *step = p->step;
    return (struct htmt__call){.code = step->code,
                               .stage = (enum htmt_stage_id)step->stage,
                               .layer = step->layer,
                               .fiber = htmt__fiber_number(p),
                               .serial = p->serial,
                               .uses = c->use,
                               .use_count = c->uses,
                               .keep = !step->code->cost};
}

static void serve_kernel(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt_stage *code = p->step->code;
    struct htmt__job *job = NULL;
    e->control->uses = 0;
    htmt__control_begin(p);
    htmt__expect(e, p, &e->control->ops);
    if (code->control && !code->steered) {
        htmt__control_run(e, p, NULL);
        p->ran = true;
    }
    if (e->fault.code)
        return; /* a use was refused: there is nothing to point the kernel at */
    struct htmt__call call = call_of(p, e->control);
    if (code->kernel)
        job = htmt__data_use(e->data, htmt__self(p)->closure, &call);
    if (e->fault.code)
        return;
    if (code->steered || (code->kernel && call.keep))
        await_kernel(e, p, job);
    else
        htmt__service_lasts(e, p, &e->control->ops);
}

void htmt__serve_other(struct htmt_emulator *e, struct htmt__entity *p)
{
    if (e->options.what_if && p->brought)
        serve_fetched(e, p);
    else if (e->data && (p->step->code->kernel || p->step->code->steered))
        serve_kernel(e, p);
    else
        htmt__serve_control(e, p);
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
    htmt__expect(e, p, ops);
    if (p->job)
        htmt__data_need(e->data, p->job, code->cost ? NULL : ops);
    if (!code->cost)
        check_counts(e, p, ops);
    const void *result =
        code->control && !p->ran ? htmt__data_result(e->data, htmt__self(p)->closure) : NULL;
    if (e->fault.code)
        return; /* what the kernel left means nothing */
    if (code->control && !p->ran)
        htmt__control_run(e, p, result);
    htmt__service_lasts(e, p, ops);
}

/* ---- end ------------------------------------------------------------------------------------- */

void htmt__serve_next(struct htmt_emulator *e, struct htmt__waiter *w, uint32_t resource)
{
    struct htmt__entity *p = (struct htmt__entity *)w;
    p->step->stats->waited += e->now - w->since;
    if (htmt__explained(e))
        e->explain->served(e, p, resource);
    htmt__serve(e, p);
}
