/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a lane, which has most of a clock's pending events; its calendar has the rest
 * (runtime/sim/pending.h).
 *
 * Events of one step, or of the messages of one network, mostly come in the order in which they
 * were scheduled, over all slices that the clock plays: they do the same in turn. So each step has
 * a line, a ring. The heads of all lines are sorted by (time, key) in the front, of which the first
 * is the next event. To schedule an event is then to add it to the end of its line. What is out of
 * order, and heads that the front has no room for, go to the calendar.
 *
 * No event is at HTMT_TIME_MAX (event.h).
 */
#ifndef HTMT_PARCELS_TIMING_LANE_H
#define HTMT_PARCELS_TIMING_LANE_H

#include "parcels/timing/entity.h"

#define HTMT__FRONT     24u /* heads that are sorted */
#define HTMT__LINES_MAX UINT16_MAX

struct htmt__head {
    htmt_time at;
    struct htmt__entity *p;
};

#define HTMT__RING_LEAST 8u

/* A line: a ring, from its head on. */
struct htmt__delay {
    struct htmt__head *ring;
    uint32_t first, count, room;               /* room: a power of two */
    struct htmt__head least[HTMT__RING_LEAST]; /* the first ring, beside the others of the lane */
};

struct htmt__lane {
    _Alignas(64) struct htmt__delay *line;
    uint32_t count;                           /* heads */
    struct htmt__head front[HTMT__FRONT + 1]; /* behind the last head: HTMT_TIME_MAX, nobody */
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

static inline bool htmt__head_before(struct htmt__head a, struct htmt__head b)
{
    return a.at != b.at ? a.at < b.at : a.p->key < b.p->key;
}

/* The slower part, in lane.c. Errors: HTMT_ENOMEM. */
int htmt__delay_grow(struct htmt__delay *line);
/* At the begin of a run, when all types are known: e->lane, unless they have too many steps. Errors
 * (latched): HTMT_ENOMEM. */
int htmt__lane_create(struct htmt_emulator *e);
/* Nobody is in it any more. */
void htmt__lane_clear(struct htmt_emulator *e);
void htmt__lane_destroy(struct htmt_emulator *e);

static inline struct htmt__head *htmt__delay_at(const struct htmt__delay *line, uint32_t i)
{
    return &line->ring[(line->first + i) & (line->room - 1)];
}

/* Those from the head's place on move back by one. */
static inline void htmt__front_insert(struct htmt__lane *l, struct htmt__head h)
{
    struct htmt__head *at = &l->front[l->count++];
    at[1] = at[0];
    for (; at != l->front && htmt__head_before(h, at[-1]); at--)
        at[0] = at[-1];
    *at = h;
}

/* The entity's event at that time, on that line, behind another one where there is room. false: it
 * must join otherwise, and nothing was done. */
static inline bool htmt__lane_append(struct htmt__lane *l, struct htmt__entity *p, uint32_t number,
                                     htmt_time at)
{
    struct htmt__delay *line = &l->line[number];
    if (!line->count || line->count == line->room)
        return false;
    const struct htmt__head *last = htmt__delay_at(line, line->count - 1);
    if (last->at > at || (last->at == at && last->p->key > p->key))
        return false;
    p->line = (uint16_t)number;
    *htmt__delay_at(line, line->count++) = (struct htmt__head){at, p};
    return true;
}

/* The same where the line may be empty, or grow; false: the event belongs to the calendar, and
 * nothing was done. */
static inline bool htmt__lane_join(struct htmt__lane *l, struct htmt__entity *p, uint32_t number,
                                   htmt_time at)
{
    struct htmt__delay *line = &l->line[number];
    struct htmt__head h = {at, p};
    if (line->count ? htmt__head_before(h, *htmt__delay_at(line, line->count - 1))
                    : l->count == HTMT__FRONT)
        return false;
    if (line->count == line->room && htmt__delay_grow(line))
        return false;
    p->line = (uint16_t)number;
    if (!line->count)
        htmt__front_insert(l, h);
    *htmt__delay_at(line, line->count++) = h;
    return true;
}

/* Takes the place of the first head, which is gone. */
static inline void htmt__front_replace(struct htmt__lane *l, struct htmt__head h)
{
    struct htmt__head *at = l->front;
    for (; htmt__head_before(at[1], h); at++)
        at[0] = at[1];
    *at = h;
}

static inline void htmt__front_drop(struct htmt__lane *l)
{
    struct htmt__head *at = l->front;
    l->count--;
    do
        at[0] = at[1];
    while ((at++)->p);
}

/* The entity of the first head. There is one. */
static inline struct htmt__entity *htmt__lane_pop(struct htmt__lane *l)
{
    struct htmt__entity *p = l->front[0].p;
    struct htmt__delay *line = &l->line[p->line];
    line->first++;
    if (--line->count)
        htmt__front_replace(l, *htmt__delay_at(line, 0));
    else
        htmt__front_drop(l);
    return p;
}

#endif
