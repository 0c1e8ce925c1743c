/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: an entity gets an event; an event enters the history; an entity goes on at
 * this very instant. Each happens about once a stage.
 */
#ifndef HTMT_PARCELS_TIMING_EVENT_H
#define HTMT_PARCELS_TIMING_EVENT_H

#include "parcels/timing/booking.h"
#include "parcels/timing/entity.h"
#include "parcels/timing/lane.h"
#include "parcels/timing/outbox.h"
#include "parcels/timing/probe.h"
#include "parcels/timing/statistics.h"
#include "runtime/sim/history.h"

/* p goes on when all that became ready before it has gone on. */
void htmt__ready(struct htmt_emulator *e, struct htmt__entity *p);
/* `at` is not after now: the past is refused, and an instant without end. Returns the code. */
int htmt__schedule_check(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at);
/* Whoever observes hears of the event. */
void htmt__observe(struct htmt_emulator *e, uint32_t slice, const struct htmt__stage_stats *stats,
                   uint64_t serial, uint32_t stage, uint64_t words);
/* htmt__record() where somebody watches, or the event may not enter the history yet. */
void htmt__record_aside(struct htmt_emulator *e, uint32_t slice, struct htmt__stage_stats *stats,
                        uint64_t serial, uint32_t stage, uint64_t words);

int htmt__schedule_failed(struct htmt_emulator *e);

/* A message, or what passes the inside of a network, comes to a slice of another partition. */
bool htmt__schedule_leaves(const struct htmt_emulator *e, const struct htmt__entity *p);

/* The line of p's event. */
uint32_t htmt__line_between(const struct htmt_emulator *e, const struct htmt__entity *p);
static inline uint32_t htmt__line_of(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    return p->kind <= HTMT__FIBER ? (uint32_t)(p->step->line + p->head) : htmt__line_between(e, p);
}

/* `at` lies ahead. Errors (latched): HTMT_ENOMEM. */
static inline int htmt__schedule_here(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    if (e->lane && htmt__lane_join(e->lane, p, htmt__line_of(e, p), at))
        return 0;
    if (htmt__pending_push(&e->pending, (struct htmt__event){at, p->key}))
        return htmt__schedule_failed(e);
    return 0;
}

/* at < 0: later than there is time. Errors (latched): HTMT_EOVERFLOW, HTMT_EPAST, HTMT_ELIVELOCK,
 * HTMT_ENOMEM. */
static inline int htmt__schedule(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    /* HTMT_TIME_MAX, too */
    if (__builtin_expect((htmt_time)((uint64_t)at + 1) <= e->now + 1, 0) &&
        htmt__schedule_check(e, p, at))
        return e->fault.code;
    p->state = HTMT__PENDING;
    if (htmt__explained(e))
        e->explain->event(e, p, at);
    if (__builtin_expect(e->partition != NULL, 0) && htmt__schedule_leaves(e, p))
        return htmt__outbox_send(e, p, at);
    return htmt__schedule_here(e, p, at);
}

/* Time of the next event, HTMT_TIME_MAX when there is none. */
static inline htmt_time htmt__event_next(const struct htmt_emulator *e)
{
    htmt_time in_line = e->lane ? e->lane->front[0].at : HTMT_TIME_MAX;
    htmt_time later = e->pending.count ? htmt__pending_next(&e->pending) : HTMT_TIME_MAX;
    return in_line < later ? in_line : later;
}

/* The calendar has an event before the one in line. */
static inline bool htmt__event_unordered(struct htmt_emulator *e)
{
    if (!e->pending.count)
        return false;
    htmt_time in_line = e->lane->front[0].at, later = htmt__pending_next(&e->pending);
    return in_line != later ? later < in_line
                            : htmt__pending_next_key(&e->pending) < e->lane->front[0].p->key;
}

/* The key of the next event: there is one. */
static inline uint64_t htmt__event_next_key(struct htmt_emulator *e)
{
    bool in_line = e->lane && e->lane->count && !htmt__event_unordered(e);
    return in_line ? e->lane->front[0].p->key : htmt__pending_next_key(&e->pending);
}

/* htmt__schedule() where what is common to most events does not hold. */
void htmt__schedule_apart(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at);
/* The same for a parcel or fiber of the slice that plays. Most join a line of a lane: nothing is
 * called then, so that a function that ends with this keeps nothing on the stack. */
static inline void htmt__schedule_own(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    bool plain = e->lane && !e->explain && at > e->now && at != HTMT_TIME_MAX;
    if (plain && htmt__lane_append(e->lane, p, p->step->line + p->head, at))
        p->state = HTMT__PENDING;
    else
        htmt__schedule_apart(e, p, at);
}

/* Nobody watches, and all that came before in the slice is in the history. */
static inline bool htmt__records_at_once(const struct htmt_emulator *e)
{
    return !__builtin_expect(e->options.observe || e->unbooked, 0);
}

static inline void htmt__record_at_once(struct htmt_emulator *e, uint32_t slice,
                                        struct htmt__stage_stats *stats, uint64_t serial,
                                        uint32_t stage, uint64_t words)
{
    struct htmt__history_event event = {e->now, stats->resource, slice, serial, stage, words};
    htmt__history_absorb(&htmt__slice_at(e, slice)->history, event);
    htmt__stage_stats_ended(stats, e->now);
}

static inline void htmt__record(struct htmt_emulator *e, uint32_t slice,
                                struct htmt__stage_stats *stats, uint64_t serial, uint32_t stage,
                                uint64_t words)
{
    if (htmt__records_at_once(e))
        htmt__record_at_once(e, slice, stats, serial, stage, words);
    else
        htmt__record_aside(e, slice, stats, serial, stage, words);
}

#endif
