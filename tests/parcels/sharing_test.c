/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether windows are shared by threads, on hosts that are made up: what events and rounds take
 * there is given, so how long a run would take can be added up, and compared with one thread.
 */
#include "parcels/clock/sharing.h"

#include <criterion/criterion.h>

/* A host and a run on it. */
struct host {
    double price;    /* ns an event takes one thread */
    double dearer;   /* times that, in a shared window */
    double others;   /* part of the events that other threads play */
    double round;    /* ns of the clock's own thread for a shared window */
    double awaited;  /* ns, in each shared window */
    unsigned stall;  /* each so many shared windows another thread stops for STALL; 0: never */
    double kept;     /* ns for which the own thread has no processor, for each ns that it has one */
    uint64_t events; /* of a window */
};

#define STALL 18e6

struct tally {
    struct htmt__sharing s;
    double on, now, took, alone; /* ns; alone: had one thread played all */
    uint64_t windows, shared;
};

static void play(struct tally *t, const struct host *h)
{
    const struct htmt__playing way = htmt__sharing_way(&t->s, h->events);
    struct htmt__window_played p = {.events = h->events, .own = h->events, .joined = way.shared};
    double own = h->price * (double)h->events, awaited = 0;
    t->alone += own;
    if (way.shared) {
        p.own -= (uint64_t)(h->others * (double)h->events);
        own = h->price * h->dearer * (double)p.own + h->round;
        awaited = h->stall && ++t->shared % h->stall == 0 ? STALL : h->awaited;
        t->shared += !h->stall;
    }
    t->windows++;
    t->took += own + awaited;
    t->on += own;
    t->now += own * (1 + h->kept) + awaited;
    p.passed = (int64_t)(own * (1 + h->kept));
    p.awaited = (int64_t)awaited;
    p.took = way.measured ? (int64_t)own : 0;
    p.on = (int64_t)t->on;
    p.now = (int64_t)t->now;
    htmt__sharing_heard(&t->s, h->events, way, &p);
}

static void play_for(struct tally *t, const struct host *h, double seconds)
{
    const double end = t->took + 1e9 * seconds;
    while (t->took < end)
        play(t, h);
}

static const struct host idle = {
    .price = 100, .dearer = 1.1, .others = 0.5, .round = 500, .events = 200};

/* Half of the events, each a tenth dearer, and half a us for each 20 us: 0.575 of the time. */
Test(sharing, where_threads_gain_they_play)
{
    struct tally t = {.windows = 0};
    play_for(&t, &idle, 1);
    cr_assert_lt(t.took, 0.61 * t.alone, "%g of %g", t.took, t.alone);
    cr_assert_gt(t.shared, 0.9 * (double)t.windows);
}

/* So much as the essay says: 1/64 of the time, the first trial, and one that is under way; a trial
 * has so many windows until prices are known. */
static void loses_little(const struct host *h, double seconds)
{
    struct tally t = {.windows = 0};
    const double alone = h->price * (double)h->events,
                 shared = alone * (1 - h->others) * h->dearer + h->round + h->awaited,
                 lost = shared > alone ? 2 * 24 * (shared - alone) : 0;
    play_for(&t, h, seconds);
    cr_assert_lt(t.took, t.alone * (1 + 1.1 / 64) + 2e5 + lost + (h->stall ? STALL : 0),
                 "%g of %g, windows of %g ns", t.took, t.alone, alone);
}

/* Caches that are far from each other; rounds that cost the own thread much; waiting. */
Test(sharing, what_rounds_may_lose_is_a_sixtyfourth)
{
    struct host h = idle;
    for (h.events = 16; h.events < 20000; h.events = h.events * 3 / 2) {
        const double alone = h.price * (double)h.events;
        const bool small = h.events < 256; /* else the class is one of large windows */
        h.dearer = small ? 3 : 1.1;
        h.awaited = small ? 0 : 1.5 * alone;
        loses_little(&h, 0.3);
        h.dearer = 1.1;
        h.round = small ? 2 * alone : 500;
        loses_little(&h, 0.3);
        h.round = 500;
    }
}

/* Threads play much, but each so many windows one of them is stopped. */
Test(sharing, stops_of_other_threads_are_paid_back)
{
    struct host h = idle;
    for (h.stall = 20; h.stall < 1000; h.stall *= 3)
        loses_little(&h, 5);
}

Test(sharing, rare_stops_keep_no_threads_away)
{
    struct host h = idle;
    struct tally t = {.windows = 0};
    h.stall = 400000;
    play_for(&t, &h, 20);
    cr_assert_lt(t.took, 0.7 * t.alone, "%g of %g", t.took, t.alone);
}

/* The own thread waits half of the time for a processor: there is none for others, whatever they
 * seem to gain. */
Test(sharing, on_a_busy_host_one_thread_plays_until_it_is_idle_again)
{
    struct host busy = idle;
    struct tally t = {.windows = 0};
    busy.kept = 1;
    play_for(&t, &busy, 0.5);
    cr_assert_lt(t.shared, 0.02 * (double)t.windows);
    const uint64_t windows = t.windows, shared = t.shared;
    play_for(&t, &idle, 0.5);
    cr_assert_gt(t.shared - shared, 0.7 * (double)(t.windows - windows));
}

/* Events that become cheaper are found out while threads play. */
Test(sharing, a_run_that_changes_is_measured_anew)
{
    struct host now = idle;
    struct tally t = {.windows = 0};
    for (unsigned turn = 0; turn < 6; turn++) {
        now.price = turn % 2 ? 5 : 100; /* a round takes half of a window then */
        now.round = turn % 2 ? 800 : 500;
        const double took = t.took, alone = t.alone;
        const uint64_t windows = t.windows, shared = t.shared;
        play_for(&t, &now, 0.3);
        cr_assert_lt(t.took - took, 1.03 * (t.alone - alone), "turn %u", turn);
        cr_assert(turn % 2 || t.shared - shared > 0.7 * (double)(t.windows - windows), "turn %u",
                  turn);
    }
}

Test(sharing, windows_of_a_few_events_are_not_shared)
{
    struct host h = idle;
    for (h.events = 0; h.events < 16; h.events++) {
        struct tally t = {.windows = 0};
        for (unsigned i = 0; i < 10000; i++)
            play(&t, &h);
        cr_assert_eq(t.shared, 0);
    }
}

/* Windows of a thousand events come among others that are not worth it. */
Test(sharing, large_windows_are_shared_among_small_ones)
{
    struct host small = idle, large = idle;
    struct tally t = {.windows = 0};
    small.events = 30;
    small.round = 5000;
    large.events = 1000;
    for (unsigned i = 0; i < 200000; i++)
        play(&t, i % 20 ? &small : &large);
    cr_assert_gt(t.shared, 8500);
    cr_assert_lt(t.shared, 15000);
    cr_assert_lt(t.took, 0.8 * t.alone);
}

Test(sharing, what_must_be_shared_is)
{
    struct host bad = {.price = 1, .dearer = 9, .round = 1e6, .stall = 3, .kept = 9, .events = 3};
    struct tally t = {.s.always = true};
    for (unsigned i = 0; i < 1000; i++)
        play(&t, &bad);
    cr_assert_eq(t.shared, t.windows);
}
