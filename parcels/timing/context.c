/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a control may say: the operation log is written here.
 */
#include "parcels/timing/context.h"
#include "parcels/timing/channel.h"
#include "parcels/timing/charge.h"
#include "parcels/timing/log.h"
#include "parcels/timing/object.h"
#include "parcels/timing/probe.h"
#include "parcels/timing/residency.h"
#include "parcels/timing/statistics.h"

#include <stdarg.h>

/* ---- who and where --------------------------------------------------------------------------- */

void *htmt_args(struct htmt_context *c)
{
    return c->self ? htmt__args(c->self) : NULL;
}

uint32_t htmt_slice(const struct htmt_context *c)
{
    return c->self ? c->self->slice : 0;
}

uint32_t htmt_fiber(const struct htmt_context *c)
{
    return c->p ? htmt__fiber_number(c->p) : 0;
}

struct htmt_ref htmt_self(const struct htmt_context *c)
{
    return c->self ? htmt__ref(c->self) : (struct htmt_ref){0};
}

bool htmt_is_model(const struct htmt_context *c)
{
    return c->e->data == NULL;
}

const void *htmt_result(const struct htmt_context *c)
{
    return c->result;
}

int htmt_fail(struct htmt_context *c, int code, const char *format, ...)
{
    char text[sizeof c->e->fault.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return c->e->fault.code ? c->e->fault.code : htmt__fail(c->e, code, "%s", text);
}

/* ---- time ------------------------------------------------------------------------------------ */

void htmt_charge(struct htmt_context *c, enum htmt_op op, uint64_t n)
{
    struct htmt__entity *p = c->p;
    if (!p) {
        htmt__fail(c->e, HTMT_EINVAL, "htmt_charge() outside a service");
        return;
    }
    struct htmt_ops ops = {{0}};
    ops.n[op] = n;
    p->step->stats->ops[op] += n;
    htmt_time t = htmt_machine_work(c->e->machine, c->layer, &ops);
    htmt_time *sum = p->worked ? &p->after : &p->before;
    if (htmt__too_long(t) || htmt__too_long(*sum + t))
        htmt__fail(c->e, HTMT_EOVERFLOW, "type %s: the time of a control overflows",
                   p->type->code.name);
    else
        *sum += t;
}

void htmt_work(struct htmt_context *c)
{
    if (!c->p || c->p->worked)
        htmt__fail(c->e, HTMT_EINVAL, "htmt_work() %s", c->p ? "twice" : "outside a service");
    else
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
    if (!c->p || c->p->worked || c->uses == HTMT__USES_MAX || c->p->step->code->steered) {
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

void htmt_use(struct htmt_context *c, struct htmt_addr at, uint64_t bytes, enum htmt_use use)
{
    static const struct htmt_pieces whole = {0};
    struct htmt__touch *u = next_use(c, "htmt_use()");
    if (!u || htmt__bounds(c->e, at, bytes, whole, "a kernel uses"))
        return;
    if (at.object->slice != htmt_slice(c) || at.object->layer != c->layer) {
        htmt__fail(c->e, HTMT_EROUTE, "a kernel of type %s uses %s, which lies elsewhere",
                   c->p->type->code.name, at.object->name);
        return;
    }
    *u = (struct htmt__touch){at.object->storage, at.offset, bytes, use};
    if (htmt__residency_matters(c->e))
        htmt__residency_use(c, at.object, bytes, use);
}

void htmt__use_storage(struct htmt_context *c, struct htmt__storage *storage, uint64_t bytes)
{
    struct htmt__touch *u = next_use(c, "htmt_take()");
    if (u)
        *u = (struct htmt__touch){storage, 0, bytes, HTMT_READ};
}

/* ---- sync slots ------------------------------------------------------------------------------ */

struct htmt_slot htmt_slot(const struct htmt_context *c, uint32_t fiber)
{
    return (struct htmt_slot){htmt_self(c), fiber};
}

struct htmt_slot htmt_slot_of(struct htmt_ref parcel, uint32_t fiber)
{
    return (struct htmt_slot){parcel, fiber};
}

void htmt_slot_set(struct htmt_context *c, uint32_t fiber, uint32_t count, uint32_t reset)
{
    if (!c->self || !fiber || fiber > c->self->type->fiber_count) {
        htmt__fail(c->e, HTMT_EINVAL, "htmt_slot_set() of a fiber %u that is not there", fiber);
        return;
    }
    c->self->body->slot[fiber - 1] = (struct htmt__fiber_slot){count, reset, count};
}

void htmt_signal(struct htmt_context *c, struct htmt_slot slot)
{
    if (htmt_ref_none(slot.owner))
        return;
    struct htmt__entry *entry = htmt__entry_create(c->e, HTMT__SIGNAL);
    if (!entry)
        return;
    if (!c->p) {
        htmt__entry_free(c->e, entry);
        htmt__fail(c->e, HTMT_EINVAL, "htmt_signal() outside a service");
        return;
    }
    entry->slot = slot;
    entry->stage = c->layer;
    struct htmt__leg way = {.from = c->layer,
                            .to = slot.owner.layer,
                            .source = c->p->slice,
                            .target = htmt_ref_slice(slot.owner),
                            .words = 1};
    if (htmt__linted(c->e))
        c->e->lint->message(c->e, c->self->type, &way);
    htmt__log_write(c, entry);
}

/* ---- the five calls -------------------------------------------------------------------------- */

static int open_later(struct htmt_context *c, struct htmt_ref parcel, enum htmt_stage_id stage)
{
    if (c->p && !htmt_ref_none(parcel) && htmt_ref_slice(parcel) != c->p->slice)
        return htmt__fail(c->e, HTMT_EROUTE,
                          "htmt_%s() of a parcel in another slice: signal a fiber there",
                          htmt_stage_name(stage));
    const struct htmt__entity *p = htmt__find(c->e, parcel);
    if (!p || p->kind != HTMT__PARCEL)
        return htmt__fail(c->e, HTMT_EINVAL, "htmt_%s() of a parcel that is gone",
                          htmt_stage_name(stage));
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
