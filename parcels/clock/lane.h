/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a lane, which has most of a clock's pending events; its calendar has the rest
 * (runtime/sim/pending.h). How it works stands in lane.c. No event is at HTMT_TIME_MAX (event.h).
 */
#ifndef HTMT_PARCELS_CLOCK_LANE_H
#define HTMT_PARCELS_CLOCK_LANE_H

#include "parcels/walk/entity.h"

#define HTMT__FRONT      24u /* heads that are sorted */
#define HTMT__FRONT_ROOM 64u /* the front moves on by one when its first head is gone */
#define HTMT__LINES_MAX  UINT16_MAX

struct htmt__head {
    htmt_time at;
    struct htmt__entity *p;
};

#define HTMT__RING_LEAST 8u

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

/* At the begin of a run, when all types are known: e->lane, unless they have too many steps. Errors
 * (latched): HTMT_ENOMEM. */
int htmt__lane_create(struct htmt_emulator *e);
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

/* The entity's event at that time, on that line, where nothing has to be made room for; false: it
 * must join otherwise, and nothing was done. */
static inline bool htmt__delay_append(struct htmt__delay *line, struct htmt__entity *p,
                                      htmt_time at)
{
    if (line->count - 1 >= line->room || !htmt__delay_follows(line, p, at)) /* or nobody is there */
        return false;
    *line->free = (struct htmt__head){at, p};
    line->free = htmt__delay_on(line, line->free);
    htmt__delay_end(line, p, at);
    return true;
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

/* The entity of the first head. There is one. Who is behind it in its line takes its place in the
 * front, and moves back to where it belongs. */
static inline struct htmt__entity *htmt__lane_pop(struct htmt__lane *l)
{
    struct htmt__entity *p = l->front->p;
    struct htmt__delay *line = l->front->line;
    if (!--line->count) {
        l->front++;
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

#endif
