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
 *
 * Lanes: how to find the next event without sorting.
 *
 * The idea. Slices do the same in turn. So the events of one step of a type, over all slices,
 * mostly come in the order in which they were scheduled: each is a service or move later than the
 * present instant, which grows, and the length is nearly the same. So each step has a *line*, in
 * which events stand in the order (time, key), and to schedule an event is to append it. The
 * messages of each network have two lines (heads, ends), moments have one.
 *
 * Only the first events of lines, their *heads*, can be the next event. They stand sorted in the
 * *front*, a short array, whose first is the next of all. When it is taken, the event behind it in
 * its line becomes the head and moves back in the front to where it belongs, which is mostly one or
 * two places. Those behind the head of a line are a ring.
 *
 * What does not fit goes to the calendar: an event that comes before the last one of its line, or a
 * head when the front is full (24 heads). The clock plays the first of the front or of the
 * calendar, whichever is less. So the lane may refuse any event, and nothing but speed depends on
 * it.
 *
 * Why it is right. In each line events are sorted, for append refuses others. The front is sorted,
 * and has the least of every line. So its first is the least of the lane.
 *
 * Cost. Appending: a comparison and a store. Taking: a few comparisons. A calendar or heap takes
 * several times that, and touches more of the cache. The front is an array with room behind: when
 * its first head is gone for good, it begins one place further, and moves back to the begin of its
 * room now and then.
 *
 * Memory. All of a machine may be in one step, and then in the next: a ring that has become large
 * is left when its line is empty, and the next line that grows takes it. So the rings of a lane
 * have room for about twice as many as are pending, not for the most that each line ever had. One
 * such ring is kept, the larger one; a small ring stays with its line, since a cache holds it.
 *
 * By hand. Two steps, services of 10 and 25; parcels a, b, c come at 0, 1, 2.
 *
 *     line 1 (10)   a@10 | b@11 c@12        front: a@10
 *   a's event at 10: taken; b is the head; a is scheduled on line 2 (25) at 35
 *     line 1        b@11 | c@12             front: b@11 a@35
 *     line 2        a@35
 *   b's at 11: c is the head; b is appended to line 2 at 36; and so on.
 */
#include "parcels/clock/event.h"
#include "parcels/clock/outbox.h"
#include "parcels/message/message.h"
#include "runtime/base/pages.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS_MOST 1000000u
#define EVENTS_EACH 64u
#define WATCHED     4096u

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Those behind the head stand at its begin. */
static void set_ring(struct htmt__delay *line, struct htmt__head *ring, uint32_t room,
                     uint32_t behind)
{
    line->ring = line->next = ring;
    line->ring_end = ring + room;
    line->free = ring + behind;
    line->room = room;
}

/* The ring is full. Errors: HTMT_ENOMEM. */
static int grow(struct htmt__lane *l, struct htmt__delay *line)
{
    uint32_t behind = line->room, room = 2 * behind;
    struct htmt__head *ring = NULL;
    if (room >= HTMT__RING_LARGE && l->spare_room >= room) {
        ring = l->spare;
        room = l->spare_room;
        l->spare = NULL;
        l->spare_room = 0;
    } else if (!htmt__fault_injected()) {
        ring = malloc(room * sizeof *ring);
    }
    if (!ring)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < behind; i++)
        ring[i] = *htmt__delay_at(line, i);
    if (line->ring != line->least)
        free(line->ring);
    set_ring(line, ring, room, behind);
    return 0;
}

void htmt__lane_spare(struct htmt__lane *l, struct htmt__delay *line)
{
    if (line->room > l->spare_room) {
        free(l->spare);
        l->spare = line->ring;
        l->spare_room = line->room;
    } else {
        free(line->ring);
    }
    set_ring(line, line->least, HTMT__RING_LEAST, 0);
}

bool htmt__lane_join(struct htmt__lane *l, struct htmt__entity *p, uint32_t number, htmt_time at)
{
    struct htmt__delay *line = &l->line[number];
    if (!line->count && htmt__front_at_end(l)) {
        size_t heads = (size_t)(l->end - l->front);
        memmove(l->room, l->front, (heads + 1) * sizeof *l->front); /* and who is behind them */
        l->front = l->room;
        l->end = l->room + heads;
    }
    if (line->count > line->room && htmt__delay_follows(line, p, at) && grow(l, line))
        return false;
    return htmt__lane_enter(l, p, number, at);
}

void htmt__lane_each(const struct htmt__lane *l, void (*tell)(void *whom, struct htmt__head event),
                     void *whom)
{
    for (const struct htmt__first *head = l->front; head != l->end; head++) {
        tell(whom, (struct htmt__head){head->at, head->p});
        for (uint32_t i = 0; i + 1 < head->line->count; i++)
            tell(whom, *htmt__delay_at(head->line, i));
    }
}

static void clear_front(struct htmt__lane *l)
{
    l->front = l->end = l->room;
    *l->end = (struct htmt__first){.at = HTMT_TIME_MAX};
}

/* It has no room, so nobody writes to it. Twice: a move has two lines. */
struct htmt__delay *htmt__closed_line(void)
{
    static const struct htmt__delay closed[2];
    return (struct htmt__delay *)closed;
}

/* The type as it is played here. */
static struct htmt_type *type_of(const struct htmt_emulator *e, struct htmt_type *t)
{
    return e->own_type ? e->own_type[t->number] : t;
}

static void give_lines(struct htmt_emulator *e, struct htmt_type *t)
{
    for (uint32_t i = 0; i < t->steps; i++)
        if (t->step[i].op == HTMT__SERVE || t->step[i].op == HTMT__MOVE)
            t->step[i].delay = &e->lane->line[t->step[i].line];
    for (uint32_t i = 0; i < t->fiber_count; i++)
        t->fiber_step[i].delay = &e->lane->line[t->fiber_step[i].line];
}

void htmt__short_ways_close(struct htmt_emulator *e)
{
    for (struct htmt_type *t = e->types; t; t = t->next) {
        struct htmt_type *own = type_of(e, t);
        for (uint32_t i = 0; i < own->steps; i++) {
            own->step[i].delay = htmt__closed_line();
            if (own->step[i].op == HTMT__MOVE)
                own->step[i].alike->cost = NULL;
        }
        for (uint32_t i = 0; i < own->fiber_count; i++)
            own->fiber_step[i].delay = htmt__closed_line();
    }
}

int htmt__lane_create(struct htmt_emulator *e)
{
    size_t count = htmt__line_count(e);
    if (count > HTMT__LINES_MAX)
        return 0;
    e->lane = htmt__record_alloc(sizeof *e->lane + count * sizeof(struct htmt__delay));
    if (!e->lane)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the lines of %zu steps", count);
    e->lane->line = (struct htmt__delay *)(e->lane + 1);
    clear_front(e->lane);
    for (size_t i = 0; i < count; i++)
        set_ring(&e->lane->line[i], e->lane->line[i].least, HTMT__RING_LEAST, 0);
    for (struct htmt_type *t = htmt__explained(e->whole) ? NULL : e->types; t; t = t->next)
        give_lines(e, type_of(e, t));
    return 0;
}

void htmt__lane_clear(struct htmt_emulator *e)
{
    clear_front(e->lane);
    for (size_t i = 0; i < htmt__line_count(e); i++) {
        struct htmt__delay *line = &e->lane->line[i];
        set_ring(line, line->ring, line->room, 0);
        line->count = 0;
    }
}

void htmt__lane_destroy(struct htmt_emulator *e)
{
    for (size_t i = 0; e->lane && i < htmt__line_count(e); i++)
        if (e->lane->line[i].ring != e->lane->line[i].least)
            free(e->lane->line[i].ring);
    if (e->lane)
        free(e->lane->spare);
    free(e->lane);
    e->lane = NULL;
}

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

static inline int push(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at)
{
    if (htmt__pending_push(&e->pending, (struct htmt__event){at, p->key}))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
    return 0;
}

/* In a slice that plays here: the lane, or the calendar. */
static int join(struct htmt_emulator *e, struct htmt__entity *p, uint32_t line, htmt_time at)
{
    return e->lane && htmt__lane_join(e->lane, p, line, at) ? 0 : push(e, p, at);
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

void htmt__schedule_later(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    p->state = HTMT__PENDING;
    push(e, p, at);
}

void htmt__schedule_apart(struct htmt_emulator *e, struct htmt__entity *p, uint32_t line,
                          htmt_time at)
{
    if (!htmt__schedule_plain(e, at)) {
        schedule_aside(e, p, line, at);
        return;
    }
    const struct htmt__delay *delay = &e->lane->line[line];
    if (delay->count && !htmt__delay_follows(delay, p, at)) {
        htmt__schedule_later(e, p, at); /* as most that come here */
        return;
    }
    p->state = HTMT__PENDING;
    if (!htmt__lane_enter(e->lane, p, line, at))
        join(e, p, line, at);
}

/* ---- the history ----------------------------------------------------------------------------- */

void htmt__record_aside(struct htmt_emulator *e, uint32_t slice, uint32_t source,
                        struct htmt__stage_stats *stats, uint64_t serial, uint64_t words)
{
    struct htmt_event seen = {.time = e->now,
                              .resource = stats->resource,
                              .slice = source,
                              .serial = serial,
                              .stage = stats->stage,
                              .target = slice,
                              .words = words};
    htmt__record_at_once(e, slice, stats, serial, words);
    if (e->partition)
        htmt__observed_keep(e, &seen);
    else
        e->options.observe(e->options.user, &seen);
}
