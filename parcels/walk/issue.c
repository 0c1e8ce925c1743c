/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/issue.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/walk/context.h"
#include "parcels/walk/issue_thread.h"
#include "parcels/walk/log_replay.h"

/* ---- threads --------------------------------------------------------------------------------- */

void htmt__issue_take(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__issuing *s = htmt__issuing_at(e, p->slice);
    uint32_t thread = (uint32_t)__builtin_ctz(~s->taken);
    s->taken |= UINT32_C(1) << thread;
    p->body->thread = (uint8_t)thread;
}

struct htmt__waiter *htmt__issue_release(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__issuing *s = htmt__issuing_at(e, p->slice);
    const uint32_t layer = e->banked->machine->scratch;
    struct htmt__bank *bank = htmt__bank_at(e, p->slice, layer);
    s->taken &= ~(UINT32_C(1) << p->body->thread);
    p->body->thread = HTMT__NO_THREAD;
    bank->busy--;
    if (!bank->line.head)
        return NULL;
    bank->busy++;
    return htmt__line_leave(&bank->line, &e->tally[layer], e->now);
}

/* ---- the port's event ------------------------------------------------------------------------ */

/* An event that comes before the next completion stays: it finds out when it comes. */
static void look_ahead(struct htmt_emulator *e, struct htmt__issuing *s, uint32_t slice)
{
    uint32_t thread;
    if (!s->port.inside)
        return;
    htmt_time at = htmt__issue_earliest(&e->banked->machine->issue, &s->port, &thread);
    if (s->event && at >= 0 && s->event_at <= at)
        return;
    s->event = htmt__entity_create(e, slice, HTMT__ISSUE);
    s->event_at = at;
    if (s->event)
        htmt__schedule_unheard(e, s->event, at);
}

/* It issues up to its next line, or to its end. */
static void issue_on(struct htmt_emulator *e, struct htmt__issuing *s, struct htmt__entity *p)
{
    uint32_t thread = htmt__self(p)->body->thread;
    htmt_time to = p->log && p->log->at < p->after ? p->log->at : p->after;
    s->on[thread] = p;
    if (htmt__issue_enter(&e->banked->machine->issue, &s->port, e->now, thread,
                          (uint64_t)(to - p->before)))
        htmt__fail(e, HTMT_EOVERFLOW, "type %s: the instructions of a service overflow",
                   p->type->code.name);
    p->before = to;
    look_ahead(e, s, p->slice);
}

/* ---- a service ------------------------------------------------------------------------------- */

/* Each class; -1: overflow. */
static htmt_time sum_of(const struct htmt_ops *ops)
{
    uint64_t sum = 0;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        if (__builtin_add_overflow(sum, ops->n[i], &sum) || sum > HTMT_TIME_MAX / 4)
            return -1;
    return (htmt_time)sum;
}

/* From now on lines count from the beginning of the service. */
static void place_lines(struct htmt__entity *p, htmt_time work)
{
    for (struct htmt__entry *entry = p->log; entry; entry = entry->next)
        if (entry->after)
            entry->at += p->before + work;
}

void htmt__issue_begin(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt_ops *ops)
{
    htmt_time work = sum_of(ops);
    if (work < 0 || p->before + work + p->after > HTMT_TIME_MAX / 4) {
        htmt__fail(e, HTMT_EOVERFLOW, "type %s: the instructions of a service overflow",
                   p->type->code.name);
        return;
    }
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        p->step->stats->ops[i] += ops->n[i];
    place_lines(p, work);
    p->after = p->before + work + p->after; /* all */
    p->before = 0;                          /* up to where it issues */
    p->service = e->now;                    /* when it began */
    htmt__thread_serves(htmt__issuing_at(e, p->slice), htmt__self(p)->body->thread, e->now);
    p->state = HTMT__FOR_KERNEL;
    p->job = NULL;
    if (htmt__explained(e))
        e->explain->keep(e, p);
    htmt__log_pass(e, p);
    issue_on(e, htmt__issuing_at(e, p->slice), p);
}

/* The interval of p ends now, as if its end had been known. */
static void explain(struct htmt_emulator *e, struct htmt__entity *p)
{
    e->explain->turn(e, p);
    e->explain->event(e, p, e->now);
    p->state = HTMT__PENDING;
    e->explain->turn(e, p);
}

static void account(struct htmt_emulator *e, struct htmt__issuing *s, struct htmt__entity *p)
{
    struct htmt__stage_stats *stats = p->step->stats;
    htmt_time busy = htmt_charge_time(e->banked->machine->issue.cycle, (uint64_t)p->after);
    s->issued += (uint64_t)p->after;
    stats->count++;
    stats->busy += busy;
    stats->tally->served++;
    stats->tally->busy += busy;
    p->service = e->now - p->service;
    s->inside += p->service;
    s->between[htmt__self(p)->body->thread].free = e->now;
    if (p->service > stats->longest)
        stats->longest = p->service;
}

/* Its instructions up to here are issued. Returns p if these are all. */
static struct htmt__entity *go_on(struct htmt_emulator *e, struct htmt__issuing *s,
                                  struct htmt__entity *p)
{
    if (p->before < p->after) {
        htmt__log_pass(e, p);
        issue_on(e, s, p);
        return NULL;
    }
    account(e, s, p);
    if (htmt__explained(e))
        explain(e, p);
    p->state = HTMT__PENDING;
    htmt__record(e, p->slice, p->step->stats, p->serial, p->step->stage, 0);
    return p;
}

struct htmt__entity *htmt__issue_turn(struct htmt_emulator *e, struct htmt__entity *event)
{
    const struct htmt__issue_figures *f = &e->banked->machine->issue;
    const uint32_t slice = event->slice;
    struct htmt__issuing *s = htmt__issuing_at(e, slice);
    uint32_t thread;
    bool current = s->event == event;
    htmt__entity_free(e, event, HTMT__ISSUE);
    if (!current)
        return NULL;
    s->event = NULL;
    htmt_time at = htmt__issue_earliest(f, &s->port, &thread);
    if (at != e->now) {
        look_ahead(e, s, slice);
        return NULL;
    }
    htmt__issue_leave(f, &s->port, e->now, thread);
    struct htmt__entity *p = s->on[thread];
    s->on[thread] = NULL;
    look_ahead(e, s, slice);
    return go_on(e, s, p);
}
