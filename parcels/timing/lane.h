/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a lane, which has the pending events of one slice when slices are played one
 * by one. The sequential clock has one for all slices, with its calendar in place of the heap.
 *
 * Events of one step, or of the messages of one network, mostly come in the order in which they
 * were scheduled. So each step has a line of the slice's own, a ring. The heads of all lines are
 * sorted by (time, key) in the front, of which the first is the next event. To schedule an event is
 * then to add it to the end of its line. What is out of order moves a few places up in its line;
 * what is far out of order, and heads that the front has no room for, go to a heap.
 *
 * No event is at HTMT_TIME_MAX (event.h).
 */
#ifndef HTMT_PARCELS_TIMING_LANE_H
#define HTMT_PARCELS_TIMING_LANE_H

#include "parcels/timing/entity.h"

#define HTMT__FRONT     24u        /* heads that are sorted */
#define HTMT__NO_LINE   UINT16_MAX /* of an entity in the heap by itself */
#define HTMT__LINES_MAX (HTMT__NO_LINE - 1u)

struct htmt__books;

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
    struct htmt__head *heap;
    struct htmt__books *books;
    uint32_t unbooked; /* > 0: events of its slice enter the history behind (booking.h) */
    uint32_t count, heap_count, heap_room;
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

/* The slower parts, in lane.c. Errors: HTMT_ENOMEM. */
int htmt__lane_push_heap(struct htmt__lane *l, struct htmt__head h);
struct htmt__entity *htmt__lane_pop_heap(struct htmt__lane *l);
int htmt__delay_grow(struct htmt__delay *line);
/* It is not behind the last one of its line. */
int htmt__lane_push_up(struct htmt__lane *l, struct htmt__delay *line, struct htmt__head h);
/* Of cleared memory, which stays the caller's: nobody is in the lane. */
void htmt__lane_init(struct htmt__lane *l, struct htmt__delay *lines, size_t count);
void htmt__lane_fini(struct htmt__lane *l, size_t count);
/* One lane of all slices, for the sequential clock: e->lane. Where they do the same in turn, as
 * they mostly do, each step's events come in order over all slices, too. Errors (latched):
 * HTMT_ENOMEM. */
int htmt__lane_create(struct htmt_emulator *e);
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

/* The head of its line. Errors: HTMT_ENOMEM. */
static inline int htmt__lane_head(struct htmt__lane *l, struct htmt__head h)
{
    if (__builtin_expect(l->count == HTMT__FRONT, 0))
        return htmt__lane_push_heap(l, h);
    htmt__front_insert(l, h);
    return 0;
}

/* The entity's event at that time, on that line. Errors: HTMT_ENOMEM, and nothing has changed. */
static inline int htmt__lane_push(struct htmt__lane *l, struct htmt__entity *p, uint32_t number,
                                  htmt_time at)
{
    struct htmt__delay *line = &l->line[number];
    struct htmt__head h = {at, p};
    if (__builtin_expect(line->count == line->room, 0) && htmt__delay_grow(line))
        return HTMT_ENOMEM;
    p->line = (uint16_t)number;
    if (line->count && htmt__head_before(h, *htmt__delay_at(line, line->count - 1)))
        return htmt__lane_push_up(l, line, h);
    if (!line->count && htmt__lane_head(l, h))
        return HTMT_ENOMEM;
    *htmt__delay_at(line, line->count++) = h;
    return 0;
}

/* The same, when it is behind another one on that line and there is room; false: nothing was done.
 */
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

/* The same on a lane of all slices, whose heap is the calendar of the clock; false: it belongs
 * there, and nothing was done. */
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

/* Time of the next event, HTMT_TIME_MAX when there is none. */
static inline htmt_time htmt__lane_next(const struct htmt__lane *l)
{
    htmt_time front = l->front[0].at;
    if (__builtin_expect(l->heap_count != 0, 0) && l->heap[0].at < front)
        return l->heap[0].at;
    return front;
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

/* The next event's entity. There is one. */
static inline struct htmt__entity *htmt__lane_pop(struct htmt__lane *l)
{
    if (__builtin_expect(l->heap_count != 0, 0) && htmt__head_before(l->heap[0], l->front[0]))
        return htmt__lane_pop_heap(l);
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
