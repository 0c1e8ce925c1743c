/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An event is scheduled; an event enters the history.
 *
 * Nearly all events lie ahead, nobody watches, and their line of the lane takes them: that is done
 * in line (event.h), without a call. All else comes here: an instant that is past or the present
 * one, a watcher, a slice of another partition, a line without room.
 *
 * An instant without end. Events may follow each other at one instant, and if a slice does so for
 * ever the run never ends. How many are too many? All of a full machine's parcels may begin at one
 * instant, so the limit grows with the entities that are alive in the slice: EVENTS_MOST, and
 * EVENTS_EACH more for each. Beyond it WATCHED further events are played, only to name the types
 * whose parcels they belong to.
 */
#include "parcels/clock/event.h"
#include "parcels/message/message.h"

#define EVENTS_MOST 1000000u
#define EVENTS_EACH 64u
#define WATCHED     4096u

/* ---- an instant without end ------------------------------------------------------------------ */

static int fail_livelock(struct htmt_emulator *e, uint32_t slice, uint64_t events)
{
    const struct htmt__turning *t = &e->turning;
    char types[80 * HTMT__TURNING_MOST] = "";
    for (uint32_t i = 0; i < t->count; i++) {
        size_t length = strlen(types);
        snprintf(types + length, sizeof types - length, "%s%s", i ? ", " : "",
                 t->type[i]->code.name);
    }
    return htmt__fail(e, HTMT_ELIVELOCK,
                      "livelock: slice %u had %llu events at %.9g s and time does not go on; in "
                      "turn come parcels of type %s; charge what their controls do, or let them "
                      "wait for a signal that takes time",
                      slice, (unsigned long long)events, (double)e->now * 1e-15, types);
}

/* p gets an event at the present instant. A message, which lies between slices, is not counted: a
 * service of some slice comes before it leaves again. Nor does it count as alive, for it comes back
 * when the others have been played. One slice is watched at a time. */
static int check_livelock(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__turning *t = &e->turning;
    const struct htmt_type *type = p->type;
    if (p->kind == HTMT__MESSAGE)
        return 0;
    struct htmt__instant *i = &e->instants[p->slice];
    const struct htmt__slice *s = htmt__slice_at(e, p->slice);
    uint64_t live = s->live - s->messages;
    if (i->time != e->now)
        *i = (struct htmt__instant){.time = e->now};
    if (live > i->live)
        i->live = live;
    uint64_t most = EVENTS_MOST + EVENTS_EACH * i->live;
    if (++i->events <= most)
        return 0;
    if (i->events == most + 1)
        *t = (struct htmt__turning){.slice = p->slice};
    bool known = !type || t->slice != p->slice || t->count == HTMT__TURNING_MOST;
    for (uint32_t k = 0; k < t->count && !known; k++)
        known = t->type[k] == type;
    if (!known)
        t->type[t->count++] = type;
    return i->events < most + WATCHED ? 0 : fail_livelock(e, p->slice, i->events);
}

/* ---- scheduled ------------------------------------------------------------------------------- */

/* `at` is not after now: the past is refused, and an instant without end. */
static __attribute__((noinline)) int check(struct htmt_emulator *e, const struct htmt__entity *p,
                                           htmt_time at)
{
    if (at == e->now) {
        e->followed = htmt__order(e);
        e->followed_at = at;
        return check_livelock(e, p);
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

/* In a slice that plays here: the lane, or the calendar. */
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

/* `at` was checked. A message, or what passes the inside of a network, may come to a slice of
 * another partition. */
static __attribute__((noinline)) int put_down(struct htmt_emulator *e, struct htmt__entity *p,
                                              uint32_t line, htmt_time at)
{
    p->state = HTMT__PENDING;
    if (htmt__explained(e))
        e->explain->event(e, p, at);
    if (e->partition && (p->head || p->kind == HTMT__MESSAGE) &&
        htmt__elsewhere(e, htmt__outbox_slice(p)))
        return htmt__outbox_send(e, p, at);
    return join(e, p, line, at);
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

/* ---- the history ----------------------------------------------------------------------------- */

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
    if (!e->deferred || !htmt__remote_arrivals_record(e, slice, &event))
        htmt__history_absorb(&htmt__slice_at(e, slice)->history, event);
    if (e->options.observe)
        htmt__observe(e, slice, target, stats, serial, stage, words);
}
