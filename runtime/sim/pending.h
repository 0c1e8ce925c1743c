/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pending event set: smallest (time, key) first. Keys of pending events are unique, so the
 * order of pops never depends on the order of pushes.
 *
 * Few events are one sorted run. From some two dozen on there is a calendar (Brown 1988, with
 * the lazy far list of ladder queues): a window of equal days, each an unsorted list; everything
 * later is far, an unsorted array. The first day with events is today: sorted, popped as a run.
 * What is pushed up to the end of today is inserted where that is near the front of the run, and
 * else goes to a 4-ary heap beside it, so ties and zero delays cost a small heap at worst. When the
 * window is used up the next one is laid over the far events, its days as wide as their density
 * asks. Every such pass over n events comes after a part of n pops.
 *
 * Invariant: today is empty only when no day has events, so the next time is always at hand.
 */
#ifndef HTMT_RUNTIME_SIM_PENDING_H
#define HTMT_RUNTIME_SIM_PENDING_H

#include "runtime/base/error.h"
#include "runtime/base/ratio.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTMT__CHUNK_EVENTS 7
#define HTMT__ROOM_KEPT    8192 /* events; more room may be given back (htmt__pending_rest()) */

struct htmt__event {
    htmt_time time;
    uint64_t key; /* the tie-break, and how the handler finds its entity */
};

/* A piece of a day's list, two cache lines. */
struct htmt__pending_chunk {
    _Alignas(64) uint32_t next; /* 0: none */
    struct htmt__event at[HTMT__CHUNK_EVENTS];
};

struct htmt__pending {
    size_t count, room;
    htmt_time today_last; /* run and heap hold what is due until here, it included */

    struct htmt__event *run, *run_end; /* sorted */
    struct htmt__event *heap;
    size_t heap_count;

    htmt_time base; /* start of day 0 */
    unsigned shift; /* a day is 2^shift fs */
    size_t days, next_day;
    uint32_t *day;  /* first chunk << 3 | events in it; 0: empty; further chunks are full */
    uint64_t *busy; /* a bit a day */
    struct htmt__pending_chunk *chunk;
    uint32_t free_chunk, fresh_chunk;

    struct htmt__event *far;
    size_t far_count;
    htmt_time far_min; /* HTMT_TIME_MAX when there is none */

    size_t since; /* events handled since the window was laid */
    size_t most;  /* that were pending since it was last empty, about */
    void *block;  /* of all the arrays */
    struct htmt__event *run_room;
};

void htmt__pending_init(struct htmt__pending *p);
void htmt__pending_fini(struct htmt__pending *p);

static inline bool htmt__event_before(struct htmt__event a, struct htmt__event b)
{
    htmt_wide x = (htmt_wide)((htmt_uwide)(htmt_wide)a.time << 64 | a.key);
    htmt_wide y = (htmt_wide)((htmt_uwide)(htmt_wide)b.time << 64 | b.key);
    return x < y;
}

/* The slower parts, in pending.c. */
int htmt__pending_grow(struct htmt__pending *p);
void htmt__pending_push_today(struct htmt__pending *p, struct htmt__event e);
struct htmt__event htmt__pending_pop_heap(struct htmt__pending *p);
void htmt__pending_next_day(struct htmt__pending *p);
void htmt__pending_lay_window(struct htmt__pending *p);
void htmt__pending_rest(struct htmt__pending *p);

static inline bool htmt__pending_today_empty(const struct htmt__pending *p)
{
    return p->run == p->run_end && !p->heap_count;
}

static inline void htmt__pending_push_far(struct htmt__pending *p, struct htmt__event e)
{
    p->far[p->far_count++] = e;
    p->far_min = e.time < p->far_min ? e.time : p->far_min;
}

static inline uint32_t htmt__pending_new_chunk(struct htmt__pending *p, uint32_t next)
{
    uint32_t c = p->free_chunk;
    if (c)
        p->free_chunk = p->chunk[c].next;
    else
        c = p->fresh_chunk++;
    p->chunk[c].next = next;
    return c;
}

/* Not on a day before next_day. */
static inline void htmt__pending_push_later(struct htmt__pending *p, struct htmt__event e)
{
    uint64_t i = ((uint64_t)e.time - (uint64_t)p->base) >> p->shift;
    if (i >= p->days) {
        htmt__pending_push_far(p, e);
        return;
    }
    uint32_t head = p->day[i];
    if (((head + 1) & 7) < 2) { /* none on this day, or a full chunk */
        p->busy[i / 64] |= UINT64_C(1) << i % 64;
        head = htmt__pending_new_chunk(p, head >> 3) << 3;
    }
    p->chunk[head >> 3].at[head & 7] = e;
    p->day[i] = head + 1;
}

/* An event that will be popped soon, `after` others at the earliest; false: not known yet. For
 * prefetching only. */
static inline bool htmt__pending_ahead(const struct htmt__pending *p, size_t after, uint64_t *key)
{
    if (after >= (size_t)(p->run_end - p->run))
        return false;
    *key = p->run[after].key;
    return true;
}

/* Some events of the next day that has any, in no order; for prefetching only. Returns how many. */
size_t htmt__pending_tomorrow(const struct htmt__pending *p, const struct htmt__event **events);

/* Errors: HTMT_ENOMEM. Pushing into the past of the last pop is the caller's fault to prevent. */
static inline int htmt__pending_push(struct htmt__pending *p, struct htmt__event e)
{
    if (p->count == p->room && htmt__pending_grow(p))
        return HTMT_ENOMEM;
    p->count++;
    if (e.time <= p->today_last) {
        htmt__pending_push_today(p, e);
        return 0;
    }
    htmt__pending_push_later(p, e);
    if (p->run == p->run_end && htmt__pending_today_empty(p) && p->far_count != p->count)
        htmt__pending_next_day(p);
    return 0;
}

/* false: empty. */
static inline bool htmt__pending_pop(struct htmt__pending *p, struct htmt__event *e)
{
    if (!p->count)
        return false;
    if (!p->heap_count && p->run_end - p->run > 1) { /* nearly always */
        *e = *p->run++;
        p->count--;
        return true;
    }
    if (htmt__pending_today_empty(p))
        htmt__pending_lay_window(p);
    if (p->run != p->run_end && (!p->heap_count || htmt__event_before(*p->run, *p->heap)))
        *e = *p->run++;
    else
        *e = htmt__pending_pop_heap(p);
    p->count--;
    if (htmt__pending_today_empty(p) && p->far_count != p->count)
        htmt__pending_next_day(p);
    if (!p->count && p->room > HTMT__ROOM_KEPT)
        htmt__pending_rest(p);
    return true;
}

/* Time of the next event, HTMT_TIME_MAX when empty. */
static inline htmt_time htmt__pending_next(const struct htmt__pending *p)
{
    htmt_time time = HTMT_TIME_MAX;
    if (htmt__pending_today_empty(p))
        return p->far_min;
    if (p->run != p->run_end)
        time = p->run->time;
    if (p->heap_count && p->heap->time < time)
        time = p->heap->time;
    return time;
}

/* All events, in no order. */
void htmt__pending_each(const struct htmt__pending *p,
                        void (*tell)(void *whom, struct htmt__event event), void *whom);

/* Its key; there is one. */
uint64_t htmt__pending_next_key(struct htmt__pending *p);

#endif
