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
    htmt_time latest;   /* event of all */
    int64_t look_left;  /* events to the next look at the host's wishes */
    size_t block_lines; /* of cache: the resources of a slice */
    bool ended;         /* the host wishes so, or a slice failed and none before it */
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
    c->w->last = c->first.at < c->w->last ? c->first.at : c->w->last;
}

/* ---- one slice ------------------------------------------------------------------------------- */

static void fetch(const void *at, size_t lines)
{
    for (size_t i = 0; i < lines; i++)
        __builtin_prefetch((const char *)at + i * LINE, 1);
}

/* On a large machine what a slice touches is out of the cache. While a slice plays, the lanes of
 * others come from memory, then their resources and the entities of their events, then what these
 * have. */
#define LANE_AHEAD   10u
#define LINE_AHEAD   7u
#define EVENT_AHEAD  4u
#define ENTITY_AHEAD 2u
#define HEADS_MOST   6u /* of a slice: lines, */
#define EVENTS_MOST  4u /* and events of a line */

static const struct htmt__delay *line_of(const struct htmt__lane *l, uint32_t i)
{
    return &l->line[l->front[i].p->line];
}

static void fetch_lines(const struct play *c, uint32_t slice)
{
    const struct htmt__lane *l = &c->w->lane[slice];
    fetch(l->line, 3);
    for (uint32_t i = 0; i < HEADS_MOST && l->front[i].at <= c->w->last; i++)
        fetch(l->front[i].p, 2);
    fetch(htmt__bank_at(c->e, slice, 0), c->block_lines);
    fetch(htmt__slice_at(c->e, slice), 1);
}

static void fetch_events(const struct play *c, uint32_t slice)
{
    const struct htmt__lane *l = &c->w->lane[slice];
    for (uint32_t i = 0; i < HEADS_MOST && l->front[i].at <= c->w->last; i++) {
        const struct htmt__delay *line = line_of(l, i);
        for (uint32_t k = 1; k < EVENTS_MOST && k < line->count; k++)
            fetch(htmt__delay_at(line, k)->p, 2);
    }
}

static void fetch_entities(const struct play *c, uint32_t slice)
{
    const struct htmt__lane *l = &c->w->lane[slice];
    for (uint32_t i = 0; i < HEADS_MOST && l->front[i].at <= c->w->last; i++) {
        const struct htmt__delay *line = line_of(l, i);
        for (uint32_t k = 0; k < EVENTS_MOST && k < line->count; k++) {
            fetch(htmt__delay_at(line, k)->p->body, 1);
            fetch(htmt__delay_at(line, k)->p->log, 1);
        }
    }
}

static void fetch_ahead(const struct play *c, uint32_t i)
{
    const struct htmt__windows *w = c->w;
    if (i + LANE_AHEAD < w->count)
        fetch(&w->lane[w->slice[i + LANE_AHEAD]], 3);
    if (i + LINE_AHEAD < w->count)
        fetch_lines(c, w->slice[i + LINE_AHEAD]);
    if (i + EVENT_AHEAD < w->count)
        fetch_events(c, w->slice[i + EVENT_AHEAD]);
    if (i + ENTITY_AHEAD < w->count)
        fetch_entities(c, w->slice[i + ENTITY_AHEAD]);
}

static void look(struct play *c)
{
    c->look_left = htmt__look_interval(c->e);
    c->ended |= htmt__look_around(c->e) != 0;
}

/* The slice's events up to the end of the window, or to its failure. No service awaits a kernel:
 * only model runs go by windows. */
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
        if (__builtin_expect(e->fault.code, 0))
            return;
    }
}

/* The slice plays to the end of the window. */
static void play(struct play *c, uint32_t slice)
{
    struct htmt_emulator *e = c->e;
    htmt__windows_play(e, slice);
    struct htmt__lane *l = e->lane;
    e->followed_at = -1;
    if (__builtin_expect(e->guard != NULL, 0))
        htmt__turn_slice(e, slice);
    if (__builtin_expect(l->unbooked, 0))
        htmt__booking_settle(e, slice, c->w->from);
    play_events(c, l);
    if (e->now > c->latest)
        c->latest = e->now;
    if (__builtin_expect(e->fault.code, 0) && !c->ended)
        set_aside(c);
}

/* ---- all slices ------------------------------------------------------------------------------ */

static void play_window(struct play *c)
{
    for (uint32_t i = 0; i < c->w->count && !c->ended; i++) {
        if (!c->e->guard)
            fetch_ahead(c, i);
        play(c, c->w->slice[i]);
        htmt__windows_put(c->w, c->w->slice[i]);
    }
    c->ended |= c->first.fault.code != 0;
}

static void play_windows(struct play *c)
{
    struct htmt__windows *w = c->w;
    htmt__roots_run(c->e);
    for (uint32_t i = 0; i < c->e->played; i++)
        htmt__windows_put(w, i);
    c->ended = c->e->fault.code != 0;
    while (!c->ended && htmt__windows_next(w))
        play_window(c);
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
        htmt__windows_play(e, i);
        htmt__turn_slice(e, i);
        e->ready = roots[i];
        htmt__turn_ready(e);
        if (e->fault.code)
            set_aside(c);
        else
            play(c, i);
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
    for (uint32_t i = 0; i < c->w->lanes; i++)
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
    struct play c = {.e = e,
                     .w = e->windows,
                     .look_left = htmt__look_interval(e),
                     .block_lines = (e->stride + LINE - 1) / LINE};
    if (e->options.symmetry == HTMT_INDEPENDENT)
        play_one_by_one(&c);
    else
        play_windows(&c);
    finish(&c);
}
