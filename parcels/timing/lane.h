/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a lane, which has the pending events of one slice when slices are played one
 * by one.
 *
 * Events of one step, or of the messages of one network, mostly come in the order in which they
 * were scheduled. So each step has a line of the slice's own: a list of entities, linked by
 * themselves. The heads of all lines are sorted by (time, key) in the front, of which the first is
 * the next event. To schedule an event is then to hang an entity at the end of its line. What comes
 * out of order stands in the front by itself. What the front has no room for goes to a heap.
 *
 * No event is at HTMT_TIME_MAX (event.h).
 */
#ifndef HTMT_PARCELS_TIMING_LANE_H
#define HTMT_PARCELS_TIMING_LANE_H

#include "parcels/timing/entity.h"

#define HTMT__FRONT     24u        /* heads that are sorted */
#define HTMT__NO_LINE   UINT16_MAX /* of an entity that stands by itself */
#define HTMT__LINES_MAX (HTMT__NO_LINE - 1u)

struct htmt__books;

struct htmt__head {
    htmt_time at;
    struct htmt__entity *p;
};

struct htmt__lane {
    uint32_t count, heap_count, heap_room;
    uint32_t window;   /* in which the calendar of slices has it (window.h) */
    uint32_t unbooked; /* > 0: events of its slice enter the history behind (booking.h) */
    struct htmt__books *books;
    struct htmt__entity **last; /* of each line; NULL: the line is empty */
    struct htmt__head *heap;
    struct htmt__lane *next, *prev;           /* in the same window */
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

/* The slower parts, in lane.c. push: HTMT_ENOMEM. */
int htmt__lane_push_heap(struct htmt__lane *l, struct htmt__head h);
struct htmt__entity *htmt__lane_pop_heap(struct htmt__lane *l);
void htmt__lane_fini(struct htmt__lane *l);

/* Nobody is in the lane. */
static inline void htmt__lane_init(struct htmt__lane *l)
{
    l->front[0] = (struct htmt__head){HTMT_TIME_MAX, NULL};
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

/* A head of its line, or one that stands by itself. Errors: HTMT_ENOMEM. */
static inline int htmt__lane_head(struct htmt__lane *l, struct htmt__head h)
{
    if (__builtin_expect(l->count == HTMT__FRONT, 0))
        return htmt__lane_push_heap(l, h);
    htmt__front_insert(l, h);
    return 0;
}

/* The entity's event at that time, on that line. Errors: HTMT_ENOMEM, and nothing has changed. */
static inline int htmt__lane_push(struct htmt__lane *l, struct htmt__entity *p, uint32_t line,
                                  htmt_time at)
{
    struct htmt__entity *last = l->last[line];
    struct htmt__head h = {at, p};
    p->at = at;
    p->next = NULL;
    p->line = (uint16_t)line;
    if (!last) {
        int rc = htmt__lane_head(l, h);
        l->last[line] = rc ? NULL : p;
        return rc;
    }
    if (__builtin_expect(htmt__head_before(h, (struct htmt__head){last->at, last}), 0)) {
        p->line = HTMT__NO_LINE;
        return htmt__lane_head(l, h);
    }
    last->next = p;
    last->next_at = at;
    l->last[line] = p;
    return 0;
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
    struct htmt__entity *p = l->front[0].p, *next = p->next;
    if (next) {
        htmt__front_replace(l, (struct htmt__head){p->next_at, next});
        __builtin_prefetch(next, 1);
        __builtin_prefetch((char *)next + 64, 1);
        return p;
    }
    htmt__front_drop(l);
    if (p->line != HTMT__NO_LINE)
        l->last[p->line] = NULL;
    return p;
}

#endif
