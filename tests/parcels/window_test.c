/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The calendar of slices: each slice is played in the windows in which it has events, and in no
 * other.
 */
#include "parcels/timing/window.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { SLICES = 60, PENDING = 6, SHARED = 2 };

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* ---- a calendar, and beside it the oracle: all events of each slice ---------------------------
 */

struct world {
    struct htmt__windows *w;
    struct htmt_emulator e;
    struct event {
        struct htmt__entity entity;
        htmt_time at;
        bool pending;
    } event[SLICES][PENDING];
    htmt_time end; /* no event is later */
    uint64_t random, births, windows;
};

/* As htmt__windows_create() is called at the begin of a run. */
static void open_world(struct world *x, htmt_time width, htmt_time end, uint64_t seed)
{
    memset(x, 0, sizeof *x);
    x->e.lookahead = width;
    x->e.played = x->e.slices = SLICES;
    x->random = seed;
    x->end = end;
    cr_assert_eq(htmt__windows_create(&x->e), 0);
    x->w = x->e.windows;
}

static struct event *spare(struct world *x, uint32_t slice)
{
    for (int i = 0; i < PENDING; i++)
        if (!x->event[slice][i].pending)
            return &x->event[slice][i];
    return NULL;
}

static bool schedule(struct world *x, uint32_t slice, htmt_time at)
{
    struct event *v = spare(x, slice);
    if (!v || at > x->end || at < 0)
        return false;
    v->pending = true;
    v->at = at;
    v->entity.key = x->births++;
    cr_assert_eq(htmt__lane_push(&x->w->lane[slice], &v->entity, (uint32_t)(at % SHARED), at), 0);
    return true;
}

static htmt_time first_of(const struct world *x, uint32_t slice)
{
    htmt_time first = HTMT_TIME_MAX;
    for (int i = 0; i < PENDING; i++)
        if (x->event[slice][i].pending && x->event[slice][i].at < first)
            first = x->event[slice][i].at;
    return first;
}

/* Of the slices from there on. */
static htmt_time first_of_all(const struct world *x)
{
    htmt_time first = HTMT_TIME_MAX;
    for (uint32_t i = 0; i < SLICES; i++)
        first = first_of(x, i) < first ? first_of(x, i) : first;
    return first;
}

/* ---- delays ---------------------------------------------------------------------------------- */

/* Within windows, to the next ones, beyond the 1024 that the calendar has, over long gaps. */
static htmt_time delay(struct world *x)
{
    htmt_time width = x->w->width < INT64_MAX >> 14 ? x->w->width : INT64_MAX >> 14;
    uint64_t kind = draw(&x->random) % 16, r = draw(&x->random);
    if (kind < 6)
        return (htmt_time)(r % (uint64_t)(2 * width));
    if (kind < 12)
        return (htmt_time)(r % (uint64_t)(40 * width));
    if (kind < 15)
        return (htmt_time)(r % (uint64_t)(5000 * width));
    return (htmt_time)(r >> (2 + r % 40));
}

static htmt_time later(struct world *x, htmt_time now, htmt_time least)
{
    htmt_time at;
    if (__builtin_add_overflow(now, least, &at) || __builtin_add_overflow(at, delay(x), &at))
        return -1;
    return at;
}

/* Sends to slices that play before and after this one in the window, or not at all. */
static void play(struct world *x, uint32_t slice)
{
    struct htmt__windows *w = x->w;
    struct htmt__lane *l = &w->lane[slice];
    htmt_time at;
    while ((at = htmt__lane_next(l)) <= w->last) {
        struct event *v = (struct event *)(void *)htmt__lane_pop(l);
        cr_assert_eq(v->at, at);
        v->pending = false;
        if (draw(&x->random) % 8)
            schedule(x, slice, later(x, at, 0));
        uint32_t other = (uint32_t)(draw(&x->random) % SLICES);
        if (other != slice && draw(&x->random) % 3 == 0 &&
            schedule(x, other, later(x, at, w->width)))
            htmt__windows_earlier(w, other);
    }
}

static void play_window(struct world *x, htmt_time first)
{
    bool due[SLICES];
    uint32_t wanted = 0;
    struct htmt__windows *w = x->w;
    cr_assert(w->from <= first && first <= w->last, "%lld is not in %lld to %lld", (long long)first,
              (long long)w->from, (long long)w->last);
    cr_assert_lt(w->last - w->from, w->width);
    for (uint32_t i = 0; i < SLICES; i++)
        wanted += due[i] = first_of(x, i) <= w->last;
    cr_assert_eq(w->count, wanted);
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t slice = w->slice[i];
        cr_assert(due[slice], "slice %u has nothing up to %lld", slice, (long long)w->last);
        due[slice] = false;
        play(x, slice);
        htmt__windows_put(w, slice);
    }
    cr_assert_eq(w->count, wanted);
    cr_assert_eq(w->played, ++x->windows);
}

static void follow(htmt_time width, htmt_time begin, htmt_time end, uint64_t seed, unsigned windows)
{
    static struct world x;
    htmt_time last = -1;
    open_world(&x, width, end, seed);
    for (uint32_t i = 0; i < SLICES; i++) {
        if (i % 4)
            schedule(&x, i, later(&x, begin, 0));
        htmt__windows_put(x.w, i);
    }
    for (unsigned n = 0; n < windows; n++) {
        htmt_time first = first_of_all(&x);
        bool any = htmt__windows_next(x.w);
        cr_assert_eq(any, first < HTMT_TIME_MAX);
        if (!any)
            break;
        cr_assert_gt(x.w->from, last);
        play_window(&x, first);
        last = x.w->last;
    }
    htmt__windows_destroy(&x.e);
}

/* ---- claims ---------------------------------------------------------------------------------- */

static const htmt_time widths[] = {1,
                                   2,
                                   3,
                                   7,
                                   1000,
                                   85000000,
                                   1 << 20,
                                   (1 << 20) + 1,
                                   HTMT_SECOND,
                                   HTMT_TIME_MAX / 3,
                                   HTMT_TIME_MAX - 1,
                                   HTMT_TIME_MAX};

#define FOR_ALL_WIDTHS                                                                             \
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)                                    \
        for (uint64_t seed = 1; seed <= 4; seed++)

Test(window, each_slice_is_played_where_it_has_events, .timeout = 120)
{
    FOR_ALL_WIDTHS
    follow(widths[i], 0, HTMT_TIME_MAX - 1, 100 * i + seed, 3000);
}

Test(window, the_last_windows_end_before_the_end_of_time, .timeout = 120)
{
    FOR_ALL_WIDTHS
    for (htmt_time back = 1; back < 1 << 30; back *= 31)
        follow(widths[i], HTMT_TIME_MAX - back, HTMT_TIME_MAX - 1, 7 * seed + i, 500);
}

/* To the last event: the calendar is empty in the end. */
Test(window, all_events_are_played, .timeout = 120)
{
    static const htmt_time wide[] = {1, 3, 64, 100000};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        for (uint64_t seed = 1; seed <= 4; seed++)
            follow(wide[i], 0, 3000 * wide[i], seed, UINT32_MAX);
}
