/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: an entity gets an event; an event enters the history; an entity goes on at
 * this very instant. Each happens about once a stage.
 *
 * Most of a clock's pending events are in its lane, whose fast parts are here; its calendar has the
 * rest (runtime/sim/pending.h). How a lane works stands in event.c. No event is at HTMT_TIME_MAX.
 */
#ifndef HTMT_PARCELS_CLOCK_EVENT_H
#define HTMT_PARCELS_CLOCK_EVENT_H

#include "parcels/clock/probe.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/entity.h"
#include "runtime/sim/history.h"

/* ---- lanes ----------------------------------------------------------------------------------- */

#define HTMT__FRONT      24u /* heads that are sorted */
#define HTMT__FRONT_ROOM 64u /* the front moves on by one when its first head is gone */
#define HTMT__LINES_MAX  UINT16_MAX

struct htmt__head {
    htmt_time at;
    struct htmt__entity *p;
};

#define HTMT__RING_LEAST 8u
#define HTMT__RING_LARGE 8192u /* of that room a ring serves another line when its own is empty */

/* A line: its last event, and the ring of those behind the head. */
struct htmt__delay {
    struct htmt__head *ring, *ring_end;
    struct htmt__head *next, *free; /* of the ring: who is behind the head; whose place is free */
    uint32_t count, room;           /* count: with the head */
    htmt_time last_at;
    uint64_t last_key;
    struct htmt__head least[HTMT__RING_LEAST]; /* the first ring, beside the others of the lane */
};

struct htmt__first {
    htmt_time at;
    struct htmt__entity *p;
    struct htmt__delay *line;
};

struct htmt__lane {
    _Alignas(64) struct htmt__delay *line;
    struct htmt__first *front, *end; /* behind the last head: HTMT_TIME_MAX, nobody */
    struct htmt__head *spare;        /* a large ring that an empty line has left, */
    uint32_t spare_room;             /* and its room */
    struct htmt__first room[HTMT__FRONT_ROOM];
};

/* Behind the lines of steps: of the heads of messages over each network and of their ends, of
 * messages within one memory, of moments. */
static inline uint32_t htmt__message_line(const struct htmt_emulator *e, uint32_t network,
                                          bool head)
{
    return e->lines + 2 * (network < e->networks ? network : e->networks) + head;
}
static inline uint32_t htmt__moment_line(const struct htmt_emulator *e)
{
    return e->lines + 2 * e->networks + 1;
}
static inline uint32_t htmt__line_count(const struct htmt_emulator *e)
{
    return e->lines + 2 * e->networks + 2;
}

/* At the begin of a run, when all types are known: e->lane, unless they have too many steps. Where
 * nobody watches, steps have their lines from now on. Errors (latched): HTMT_ENOMEM. */
int htmt__lane_create(struct htmt_emulator *e);
/* Somebody watches from now on: steps lose their lines, and no move takes the short way (walk.c).
 */
void htmt__short_ways_close(struct htmt_emulator *e);
/* Nobody is in it any more. */
void htmt__lane_clear(struct htmt_emulator *e);
void htmt__lane_destroy(struct htmt_emulator *e);
/* All events in it, in no order. */
void htmt__lane_each(const struct htmt__lane *l, void (*tell)(void *whom, struct htmt__head event),
                     void *whom);

static inline bool htmt__first_before(struct htmt__first a, struct htmt__first b)
{
    return a.at != b.at ? a.at < b.at : a.p->key < b.p->key;
}
/* Of those behind the head. */
static inline const struct htmt__head *htmt__delay_at(const struct htmt__delay *line, uint32_t i)
{
    uint32_t before_end = (uint32_t)(line->ring_end - line->next);
    return i < before_end ? line->next + i : line->ring + (i - before_end);
}
/* The place behind `at`. */
static inline struct htmt__head *htmt__delay_on(const struct htmt__delay *line,
                                                struct htmt__head *at)
{
    return at + 1 == line->ring_end ? line->ring : at + 1;
}
static inline bool htmt__front_full(const struct htmt__lane *l)
{
    return l->end == l->front + HTMT__FRONT;
}
/* The front cannot take another head where it is. */
static inline bool htmt__front_at_end(const struct htmt__lane *l)
{
    return l->end == l->room + HTMT__FRONT_ROOM - 1;
}

static inline void htmt__delay_end(struct htmt__delay *line, const struct htmt__entity *p,
                                   htmt_time at)
{
    line->count++;
    line->last_at = at;
    line->last_key = p->key;
}
/* Not before those that are in the line. */
static inline bool htmt__delay_follows(const struct htmt__delay *line, const struct htmt__entity *p,
                                       htmt_time at)
{
    return line->last_at != at ? line->last_at < at : line->last_key < p->key;
}

static inline void htmt__delay_put(struct htmt__delay *line, struct htmt__entity *p, htmt_time at)
{
    *line->free = (struct htmt__head){at, p};
    line->free = htmt__delay_on(line, line->free);
    htmt__delay_end(line, p, at);
}

/* The entity's event at that time, on that line, where nothing has to be made room for; false: it
 * must join otherwise, and nothing was done. */
static inline bool htmt__delay_append(struct htmt__delay *line, struct htmt__entity *p,
                                      htmt_time at)
{
    if (line->count - 1 >= line->room || !htmt__delay_follows(line, p, at)) /* or nobody is there */
        return false;
    htmt__delay_put(line, p, at);
    return true;
}

/* The same where `at` was compared with nothing yet, of a line that may be closed. A line's events
 * do not lie before the present instant, so what is behind its last one lies ahead. */
static inline bool htmt__delay_joins(struct htmt__delay *line, const struct htmt__entity *p,
                                     htmt_time at, htmt_time now)
{
    if (line->count - 1 >= line->room) /* or nobody is there, or it is closed */
        return false;
    return at != line->last_at ? at > line->last_at && at != HTMT_TIME_MAX
                               : line->last_key < p->key && at > now;
}
/* The same where the line is empty: it has a head. Those in the front from its place on move back
 * by one. */
static inline bool htmt__lane_begin(struct htmt__lane *l, struct htmt__entity *p,
                                    struct htmt__delay *line, htmt_time at)
{
    if (htmt__front_full(l) || htmt__front_at_end(l))
        return false;
    const struct htmt__first h = {at, p, line};
    struct htmt__first *place = l->end++;
    place[1] = place[0];
    for (; place != l->front && htmt__first_before(h, place[-1]); place--)
        place[0] = place[-1];
    *place = h;
    htmt__delay_end(line, p, at);
    return true;
}

/* The same where the line may be empty. */
static inline bool htmt__lane_enter(struct htmt__lane *l, struct htmt__entity *p, uint32_t number,
                                    htmt_time at)
{
    struct htmt__delay *line = &l->line[number];
    if (line->count)
        return htmt__delay_append(line, p, at);
    return htmt__lane_begin(l, p, line, at);
}

/* The same, room is made; false: the event belongs to the calendar, and nothing was done. */
bool htmt__lane_join(struct htmt__lane *l, struct htmt__entity *p, uint32_t number, htmt_time at);

/* The line is empty, and its ring is large. */
void htmt__lane_spare(struct htmt__lane *l, struct htmt__delay *line);

/* The entity of the first head. There is one. Who is behind it in its line takes its place in the
 * front, and moves back to where it belongs. */
static inline struct htmt__entity *htmt__lane_pop(struct htmt__lane *l)
{
    struct htmt__entity *p = l->front->p;
    struct htmt__delay *line = l->front->line;
    if (!--line->count) {
        l->front++;
        if (__builtin_expect(line->room >= HTMT__RING_LARGE, 0))
            htmt__lane_spare(l, line);
        return p;
    }
    const struct htmt__first next = {line->next->at, line->next->p, line};
    line->next = htmt__delay_on(line, line->next);
    struct htmt__first *at = l->front;
    for (; htmt__first_before(at[1], next); at++)
        at[0] = at[1];
    *at = next;
    return p;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* A slice's events that were scheduled at the very instant of its last one (event.c). */
struct htmt__instant {
    htmt_time time;
    uint64_t events, live; /* live: the most entities that the slice had meanwhile */
};

/* p goes on when all that became ready before it has gone on. */
static inline void htmt__ready(struct htmt_emulator *e, struct htmt__entity *p)
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
/* htmt__record() where somebody observes. `source`: the slice that the words left, else `slice`. */
void htmt__record_aside(struct htmt_emulator *e, uint32_t slice, uint32_t source,
                        struct htmt__stage_stats *stats, uint64_t serial, uint64_t words);

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
/* Where nobody watches, `at` lies ahead, and the event is before the last one of its line: it goes
 * to the calendar. */
void htmt__schedule_later(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at);
/* The same where the line is empty. */
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
/* The same where htmt__schedule_plain(). */
static inline void htmt__schedule_ahead(struct htmt_emulator *e, struct htmt__entity *p,
                                        uint32_t line, htmt_time at)
{
    struct htmt__delay *delay = &e->lane->line[line];
    if (!delay->count) {
        htmt__schedule_first(e, p, delay, at);
    } else if (!htmt__delay_follows(delay, p, at)) {
        htmt__schedule_later(e, p, at);
    } else if (delay->count > delay->room) {
        htmt__schedule_apart(e, p, line, at);
    } else {
        htmt__delay_put(delay, p, at);
        p->state = HTMT__PENDING;
    }
}
static inline void htmt__schedule_line(struct htmt_emulator *e, struct htmt__entity *p,
                                       uint32_t line, htmt_time at)
{
    if (htmt__schedule_plain(e, at))
        htmt__schedule_ahead(e, p, line, at);
    else
        htmt__schedule_apart(e, p, line, at);
}

/* The same of the event of p's step, p being a parcel or fiber; of a head, with 1. The step's line
 * is closed where somebody watches, so nothing else is asked. */
static inline void htmt__schedule_step(struct htmt_emulator *e, struct htmt__entity *p,
                                       uint32_t head, htmt_time at)
{
    struct htmt__delay *line = p->step->delay + head;
    if (htmt__delay_joins(line, p, at, e->now)) {
        htmt__delay_put(line, p, at);
        p->state = HTMT__PENDING;
    } else if (!line->count && line->room && htmt__lies_ahead(e, at)) {
        htmt__schedule_first(e, p, line, at);
    } else {
        htmt__schedule_apart(e, p, p->step->line + head, at);
    }
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
    const struct htmt__first *first = l->front;
    const struct htmt__pending *later = &e->pending;
    if (__builtin_expect(later->run == later->run_end || later->heap_count, 0)) {
        htmt_time at = htmt__pending_next(later);
        return first->at != at ? first->at < at
                               : first->p->key < htmt__pending_next_key(&e->pending);
    }
    return first->at != later->run->time ? first->at < later->run->time
                                         : first->p->key < later->run->key;
}
/* The key of the next event: there is one. */
static inline uint64_t htmt__event_next_key(struct htmt_emulator *e)
{
    return htmt__event_in_line(e) ? e->lane->front->p->key : htmt__pending_next_key(&e->pending);
}

/* Nobody observes. */
static inline bool htmt__records_at_once(const struct htmt_emulator *e)
{
    return __builtin_expect(!htmt__goes_aside(e, HTMT__BY_OBSERVER), 1);
}

/* The slice plays an event of this account. */
static inline void htmt__record_at_once(struct htmt_emulator *e, uint32_t slice,
                                        struct htmt__stage_stats *stats, uint64_t serial,
                                        uint64_t words)
{
    struct htmt__history_event event = {.fs = e->now,
                                        .place = htmt__history_place(stats->kind, slice),
                                        .parcel = serial,
                                        .turn = htmt__history_turn(&htmt__slice_at(e, slice)->turn),
                                        .words = words};
    htmt__history_add(&e->history, event);
    htmt__stage_stats_ended(stats, e->now);
}

static inline void htmt__record(struct htmt_emulator *e, uint32_t slice,
                                struct htmt__stage_stats *stats, uint64_t serial, uint64_t words)
{
    if (htmt__records_at_once(e))
        htmt__record_at_once(e, slice, stats, serial, words);
    else
        htmt__record_aside(e, slice, slice, stats, serial, words);
}

#endif
