/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/window_clock.h"
#include "parcels/timing/booking.h"
#include "parcels/timing/event.h"
#include "parcels/timing/guard.h"
#include "parcels/timing/turn.h"
#include "parcels/timing/window.h"

#include <stdlib.h>

#define LINE 64u /* bytes of a cache line */

/* What is on while the clock runs. */
struct play {
    struct htmt_emulator *e;
    struct htmt__windows *w;
    htmt_time latest;  /* event of all */
    int64_t look_left; /* events to the next look at the host's wishes */
    bool ended;        /* the host wishes so, or a slice failed and none before it */
    struct failure {
        struct htmt_fault fault; /* code 0: none */
        htmt_time at;
        uint64_t order;
    } first;
};

/* ---- failures -------------------------------------------------------------------------------- */

/* A slice has failed. The others play on to that instant: one of them may fail before. */
static void set_aside(struct play *c)
{
    struct htmt_emulator *e = c->e;
    uint64_t order = htmt__order(e);
    bool earlier = e->now != c->first.at ? e->now < c->first.at : order < c->first.order;
    if (!c->first.fault.code || earlier)
        c->first = (struct failure){e->fault, e->now, order};
    e->fault.code = 0;
    e->ready = (struct htmt__list){0};
    e->kernel_count = 0;
    c->w->last = c->first.at < c->w->last ? c->first.at : c->w->last;
}

/* ---- one slice ------------------------------------------------------------------------------- */

static void fetch(const void *at, size_t lines)
{
    for (size_t i = 0; i < lines; i++)
        __builtin_prefetch((const char *)at + i * LINE, 1);
}

/* The slice after this one is in the cache already; the one behind it comes. */
static void fetch_ahead(const struct play *c)
{
    const struct htmt__lane *next = c->w->list[c->w->current];
    if (!next)
        return;
    if (next->next)
        fetch(next->next, 2);
    if (next->count)
        fetch(next->front[0].p, 2);
    uint32_t slice = htmt__lane_slice(c->w, next);
    fetch(htmt__bank_at(c->e, slice, 0), (c->e->stride + LINE - 1) / LINE);
    fetch(htmt__slice_at(c->e, slice), 1);
}

static void look(struct play *c)
{
    c->look_left = htmt__look_interval(c->e);
    c->ended |= htmt__look_around(c->e) != 0;
}

/* The slice's events up to the end of the window, or to the first after which there is something
 * else to do. */
static void play_events(struct play *c, struct htmt__lane *l)
{
    struct htmt_emulator *e = c->e;
    htmt_time at;
    while ((at = htmt__lane_next(l)) <= c->w->last) {
        struct htmt__entity *p = htmt__lane_pop(l);
        e->now = at;
        e->turn = p->key;
        htmt__turn_event(e, p);
        if (__builtin_expect(--c->look_left < 0, 0))
            look(c);
        if (__builtin_expect((uint32_t)e->fault.code | e->kernel_count, 0))
            return;
    }
}

/* true: kernels were awaited, and the slice may go on. */
static bool await_kernels(struct htmt_emulator *e, const struct htmt__lane *l)
{
    if (!e->kernel_count || e->fault.code)
        return false;
    if (htmt__lane_next(l) > e->now)
        htmt__turn_kernels(e);
    return true;
}

/* The slice plays to the end of the window. */
static void play(struct play *c, struct htmt__lane *l)
{
    struct htmt_emulator *e = c->e;
    e->lane = l;
    e->resolved = -1;
    e->followed_at = -1;
    if (__builtin_expect(e->guard != NULL, 0))
        htmt__turn_slice(e, htmt__lane_slice(c->w, l));
    if (__builtin_expect(l->unbooked, 0))
        htmt__booking_settle(e, htmt__lane_slice(c->w, l), c->w->from);
    do
        play_events(c, l);
    while (await_kernels(e, l));
    if (e->now > c->latest)
        c->latest = e->now;
    if (__builtin_expect(e->fault.code, 0) && !c->ended)
        set_aside(c);
}

/* ---- all slices ------------------------------------------------------------------------------ */

static void play_window(struct play *c, struct htmt__lane *l)
{
    for (; l && !c->ended; l = htmt__windows_slice(c->w)) {
        fetch_ahead(c);
        play(c, l);
        htmt__windows_put(c->w, l);
    }
    c->ended |= c->first.fault.code != 0;
}

static void play_windows(struct play *c)
{
    struct htmt__windows *w = c->w;
    htmt__roots_run(c->e);
    for (uint32_t i = 0; i < c->e->played; i++)
        htmt__windows_put(w, &w->lane[i]);
    c->ended = c->e->fault.code != 0;
    for (struct htmt__lane *l; !c->ended && (l = htmt__windows_next(w));)
        play_window(c, l);
}

/* Each slice begins at time 0 with nothing pending; the first one that fails ends the run. */
static void play_one_by_one(struct play *c)
{
    struct htmt_emulator *e = c->e;
    struct htmt__list *roots = htmt__roots_sort(e);
    c->w->last = HTMT_TIME_MAX - 1;
    c->w->played = 1;
    for (uint32_t i = 0; roots && i < e->played && !c->ended; i++) {
        e->now = 0;
        e->lane = &c->w->lane[i];
        htmt__turn_slice(e, i);
        e->ready = roots[i];
        htmt__turn_ready(e);
        if (e->fault.code)
            set_aside(c);
        else
            play(c, &c->w->lane[i]);
        if (!e->guard)
            htmt__slice_rest(htmt__slice_at(e, i));
        c->ended |= c->first.fault.code != 0;
    }
    free(roots);
}

/* All histories are complete; a failure is that of the first slice. */
static void finish(struct play *c)
{
    struct htmt_emulator *e = c->e;
    if (e->guard)
        htmt__guard_open(e->guard);
    for (uint32_t i = 0; i < e->played; i++)
        if (c->w->lane[i].unbooked)
            htmt__booking_settle(e, i, HTMT_TIME_MAX);
    if (e->options.symmetry != HTMT_INDEPENDENT)
        htmt__message_stats_sort(e);
    e->now = c->latest;
    if (!c->first.fault.code || e->fault.code)
        return;
    if (e->options.symmetry != HTMT_INDEPENDENT)
        e->now = c->first.at;
    e->fault = c->first.fault;
}

void htmt__window_clock(struct htmt_emulator *e)
{
    struct play c = {.e = e, .w = e->windows, .look_left = htmt__look_interval(e)};
    if (e->options.symmetry == HTMT_INDEPENDENT)
        play_one_by_one(&c);
    else
        play_windows(&c);
    finish(&c);
}
