/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/event.h"
#include "parcels/clock/event_observers.h"
#include "parcels/clock/livelock.h"
#include "parcels/message/message.h"

/* `at` is not after now: the past is refused, and an instant without end. */
static __attribute__((noinline)) int check(struct htmt_emulator *e, const struct htmt__entity *p,
                                           htmt_time at)
{
    if (at == e->now) {
        e->followed = htmt__order(e);
        e->followed_at = at;
        return htmt__livelock_check(e, p);
    }
    bool late = at < 0 || at == HTMT_TIME_MAX;
    return htmt__fail(e, late ? HTMT_EOVERFLOW : HTMT_EPAST,
                      late ? "virtual time passes 2.56 hours" : "dispatch into the past");
}

uint32_t htmt__line_of(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    if (p->kind <= HTMT__FIBER)
        return (uint32_t)(p->step->line + p->head);
    return p->kind == HTMT__MESSAGE ? htmt__message_line(e, p->message->leg.network, p->head)
                                    : htmt__moment_line(e);
}

/* A message, or what passes the inside of a network, comes to a slice of another partition. */
static bool leaves(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    return (p->head || p->kind == HTMT__MESSAGE) && htmt__elsewhere(e, htmt__outbox_slice(p));
}

static int join(struct htmt_emulator *e, struct htmt__entity *p, uint32_t line, htmt_time at)
{
    if (e->lane && htmt__lane_join(e->lane, p, line, at))
        return 0;
    if (htmt__pending_push(&e->pending, (struct htmt__event){at, p->key}))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
    return 0;
}

int htmt__schedule_here(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    return join(e, p, htmt__line_of(e, p), at);
}

/* `at` was checked. */
static __attribute__((noinline)) int put_down(struct htmt_emulator *e, struct htmt__entity *p,
                                              uint32_t line, htmt_time at)
{
    p->state = HTMT__PENDING;
    if (htmt__explained(e))
        e->explain->event(e, p, at);
    return e->partition && leaves(e, p) ? htmt__outbox_send(e, p, at) : join(e, p, line, at);
}

int htmt__schedule(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    if (!htmt__lies_ahead(e, at) && check(e, p, at))
        return e->fault.code;
    return put_down(e, p, htmt__line_of(e, p), at);
}

void htmt__schedule_unheard(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    if (!htmt__lies_ahead(e, at) && check(e, p, at))
        return;
    p->state = HTMT__PENDING;
    htmt__schedule_here(e, p, at);
}

/* At this very instant, or somebody watches. */
static __attribute__((noinline)) void
schedule_aside(struct htmt_emulator *e, struct htmt__entity *p, uint32_t line, htmt_time at)
{
    if (!htmt__lies_ahead(e, at) && check(e, p, at))
        return;
    if (!htmt__goes_aside(e, HTMT__BY_CALENDAR | HTMT__BY_PROBE) &&
        htmt__lane_enter(e->lane, p, line, at))
        p->state = HTMT__PENDING;
    else
        put_down(e, p, line, at);
}

void htmt__schedule_first(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__delay *line,
                          htmt_time at)
{
    if (htmt__lane_begin(e->lane, p, line, at))
        p->state = HTMT__PENDING;
    else
        put_down(e, p, (uint32_t)(line - e->lane->line), at);
}

void htmt__schedule_apart(struct htmt_emulator *e, struct htmt__entity *p, uint32_t line,
                          htmt_time at)
{
    if (!htmt__schedule_plain(e, at))
        schedule_aside(e, p, line, at);
    else if (htmt__lane_enter(e->lane, p, line, at))
        p->state = HTMT__PENDING;
    else
        put_down(e, p, line, at);
}

void htmt__ready(struct htmt_emulator *e, struct htmt__entity *p)
{
    p->state = HTMT__READY;
    p->queue = NULL;
    if (htmt__explained(e))
        e->explain->called(e, p);
    if (e->ready.tail)
        e->ready.tail->queue = p;
    else
        e->ready.head = p;
    e->ready.tail = p;
}

void htmt__observe(struct htmt_emulator *e, uint32_t slice, uint32_t target,
                   const struct htmt__stage_stats *stats, uint64_t serial, uint32_t stage,
                   uint64_t words)
{
    struct htmt_event seen = {.time = e->now,
                              .resource = stats->resource,
                              .slice = slice,
                              .serial = serial,
                              .stage = stage,
                              .target = target,
                              .words = words};
    if (e->partition)
        htmt__observed_keep(e, &seen);
    else
        e->options.observe(e->options.user, &seen);
}

void htmt__record_aside(struct htmt_emulator *e, uint32_t slice, uint32_t target,
                        struct htmt__stage_stats *stats, uint64_t serial, uint32_t stage,
                        uint64_t words)
{
    struct htmt__history_event event = {e->now, stats->resource, slice, serial, stage, words};
    htmt__stage_stats_ended(stats, e->now);
    if (!e->unbooked || !htmt__booking_own(e, slice, &event))
        htmt__history_absorb(&htmt__slice_at(e, slice)->history, event);
    if (e->options.observe)
        htmt__observe(e, slice, target, stats, serial, stage, words);
}
