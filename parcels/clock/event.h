/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: an entity gets an event; an event enters the history; an entity goes on at
 * this very instant. Each happens about once a stage.
 */
#ifndef HTMT_PARCELS_CLOCK_EVENT_H
#define HTMT_PARCELS_CLOCK_EVENT_H

#include "parcels/clock/lane.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/remote_arrivals.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/entity.h"
#include "runtime/sim/history.h"

/* A slice's events that were scheduled at the very instant of its last one (event.c). */
struct htmt__instant {
    htmt_time time;
    uint64_t events, live; /* live: the most entities that the slice had meanwhile */
};

/* p goes on when all that became ready before it has gone on. */
void htmt__ready(struct htmt_emulator *e, struct htmt__entity *p);
/* Whoever observes hears of the event; target: where words arrived, else `slice`. */
void htmt__observe(struct htmt_emulator *e, uint32_t slice, uint32_t target,
                   const struct htmt__stage_stats *stats, uint64_t serial, uint32_t stage,
                   uint64_t words);
/* htmt__record() where somebody watches, or the event may not enter the history yet. */
void htmt__record_aside(struct htmt_emulator *e, uint32_t slice, uint32_t target,
                        struct htmt__stage_stats *stats, uint64_t serial, uint32_t stage,
                        uint64_t words);

/* The line of p's event, whatever p is. */
uint32_t htmt__line_of(const struct htmt_emulator *e, const struct htmt__entity *p);
/* `at` lies ahead, in a slice that plays here. Errors (latched): HTMT_ENOMEM. */
int htmt__schedule_here(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at);
/* at < 0: later than there is time. Errors (latched): HTMT_EOVERFLOW, HTMT_EPAST, HTMT_ELIVELOCK,
 * HTMT_ENOMEM. */
int htmt__schedule(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at);

/* The same of what nobody watches. */
void htmt__schedule_unheard(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at);

/* The same on a line that is known, in a slice that plays here. Most events join others in a lane:
 * nothing is called then, so that a function that ends with this keeps nothing on the stack. */
void htmt__schedule_apart(struct htmt_emulator *e, struct htmt__entity *p, uint32_t line,
                          htmt_time at);
/* Where nobody watches, `at` lies ahead, and the line is empty. */
void htmt__schedule_first(struct htmt_emulator *e, struct htmt__entity *p, struct htmt__delay *line,
                          htmt_time at);
/* `at` lies ahead, and is neither -1 nor HTMT_TIME_MAX. */
static inline bool htmt__lies_ahead(const struct htmt_emulator *e, htmt_time at)
{
    return (htmt_time)((uint64_t)at + 1) > e->now + 1;
}
/* Nobody watches. */
static inline bool htmt__schedule_plain(const struct htmt_emulator *e, htmt_time at)
{
    return !htmt__goes_aside(e, HTMT__BY_CALENDAR | HTMT__BY_PROBE) && htmt__lies_ahead(e, at);
}
static inline void htmt__schedule_line(struct htmt_emulator *e, struct htmt__entity *p,
                                       uint32_t line, htmt_time at)
{
    if (!htmt__schedule_plain(e, at)) {
        htmt__schedule_apart(e, p, line, at);
        return;
    }
    struct htmt__delay *delay = &e->lane->line[line];
    if (htmt__delay_append(delay, p, at))
        p->state = HTMT__PENDING;
    else if (!delay->count)
        htmt__schedule_first(e, p, delay, at);
    else
        htmt__schedule_apart(e, p, line, at);
}

/* Time of the next event, HTMT_TIME_MAX when there is none. */
static inline htmt_time htmt__event_next(const struct htmt_emulator *e)
{
    htmt_time in_line = e->lane ? e->lane->front->at : HTMT_TIME_MAX;
    htmt_time later = e->pending.count ? htmt__pending_next(&e->pending) : HTMT_TIME_MAX;
    return in_line < later ? in_line : later;
}
/* The first event in line comes before all of the calendar, or there is none at all. */
static inline bool htmt__event_in_line(struct htmt_emulator *e)
{
    const struct htmt__lane *l = e->lane;
    if (!l || __builtin_expect(!e->pending.count, 1))
        return l;
    htmt_time later = htmt__pending_next(&e->pending);
    return l->front->at != later ? l->front->at < later
                                 : l->front->p->key < htmt__pending_next_key(&e->pending);
}
/* The key of the next event: there is one. */
static inline uint64_t htmt__event_next_key(struct htmt_emulator *e)
{
    return htmt__event_in_line(e) ? e->lane->front->p->key : htmt__pending_next_key(&e->pending);
}

/* Nobody watches, and all that came before in the slice is in the history. */
static inline bool htmt__records_at_once(const struct htmt_emulator *e)
{
    return __builtin_expect(!htmt__goes_aside(e, HTMT__BY_OBSERVER | HTMT__BY_PARTITION), 1) ||
           !(e->options.observe || e->deferred);
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
        htmt__record_aside(e, slice, slice, stats, serial, stage, words);
}

#endif
