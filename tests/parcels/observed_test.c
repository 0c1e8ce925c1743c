/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who observes a run by windows hears what the sequential clock tells, in its order, on the thread
 * of the run.
 */
#include "tests/parcels/program.h"
#include "tests/parcels/ring.h"
#include "tests/parcels/risk.h"
#include "tests/runtime/share.h"

#include <pthread.h>

/* What was heard. */
struct ear {
    struct htmt_event *event;
    size_t count, room;
    pthread_t thread;
    size_t elsewhere;    /* events that were told on another thread */
    size_t cancel_after; /* events; 0: never */
};

static void hear(void *user, const struct htmt_event *event)
{
    struct ear *ear = user;
    if (ear->count == ear->room) {
        ear->room = ear->room ? 2 * ear->room : 1024;
        ear->event = realloc(ear->event, ear->room * sizeof *ear->event);
        cr_assert_not_null(ear->event);
    }
    ear->event[ear->count++] = *event;
    ear->elsewhere += !pthread_equal(ear->thread, pthread_self());
}

static bool enough(void *user)
{
    const struct ear *ear = user;
    return ear->cancel_after && ear->count >= ear->cancel_after;
}

static struct htmt_options observed(struct ear *ear, struct htmt_options o)
{
    ear->thread = pthread_self();
    o.mode = HTMT_MODEL;
    o.observe = hear;
    o.cancelled = enough;
    o.user = ear;
    return o;
}

static bool same_event(const struct htmt_event *a, const struct htmt_event *b)
{
    return a->time == b->time && a->resource == b->resource && a->slice == b->slice &&
           a->serial == b->serial && a->stage == b->stage && a->words == b->words;
}

/* The first ones of `a`, all of `b`. */
static void begins_with(const struct ear *a, const struct ear *b, uint64_t seed)
{
    cr_assert_leq(b->count, a->count, "seed %u", (unsigned)seed);
    for (size_t i = 0; i < b->count; i++)
        cr_assert(same_event(&a->event[i], &b->event[i]), "seed %u, event %zu of %zu",
                  (unsigned)seed, i, a->count);
    cr_assert_eq(b->elsewhere, 0);
}

static void heard_alike(const struct ear *a, const struct ear *b, uint64_t seed)
{
    cr_assert_eq(a->count, b->count, "seed %u: %zu and %zu events", (unsigned)seed, a->count,
                 b->count);
    begins_with(a, b, seed);
}

static struct htmt_options sequential(void)
{
    return (struct htmt_options){.clock = HTMT_CLOCK_SEQUENTIAL};
}

#define SLICES_MOST 8u

/* Slices dealt to partitions at random, windows of any width, one to three threads. */
static struct htmt_options any_windows(uint64_t *draw, uint32_t of[SLICES_MOST])
{
    static const unsigned bits[] = {0, 8, 20, 24, 40};
    for (uint32_t i = 0; i < SLICES_MOST; i++)
        of[i] = (uint32_t)(world_random(draw) % 100);
    return (struct htmt_options){.clock = HTMT_CLOCK_SHARED,
                                 .clock_threads = (uint32_t)(1 + world_random(draw) % 3),
                                 .clock_partitions = (uint32_t)(1 + world_random(draw) % 5),
                                 .partition_of = of,
                                 .window_most = INT64_C(1) << bits[world_random(draw) % 5]};
}

static bool by_windows(const struct htmt_emulator *e)
{
    struct htmt_clock_report r;
    htmt_clock_report(e, &r);
    return !r.in_order;
}

/* ---- random programs ------------------------------------------------------------------------- */

/* Returns whether the clock went by windows. */
static bool run_program(uint64_t seed, struct ear *ear, struct htmt_options o)
{
    static struct program p;
    uint64_t draw = seed, more = seed;
    struct world_spec s = program_spec(&draw);
    if (seed % 3 == 0)
        s.hub_mwords[VORTEX] = (unsigned)world_between(&more, 300, 2000);
    if (seed % 5 == 0)
        s.hub_mwords[CNET] = (unsigned)world_between(&more, 300, 2000);
    program_open_on(&p, &s, draw, true, 60, observed(ear, o));
    cr_assert_eq(htmt_emulator_run(p.w.e), 0, "%s", htmt_emulator_fault(p.w.e)->text);
    bool windows = by_windows(p.w.e);
    program_close(&p);
    return windows;
}

Test(observed, random_programs_are_told_in_one_order, .timeout = 120)
{
    unsigned by = 0;
    for (uint64_t seed = 1; seed <= share_of(300); seed++) {
        uint64_t draw = seed;
        uint32_t of[SLICES_MOST];
        struct ear a = {0}, b = {0};
        run_program(seed, &a, sequential());
        by += run_program(seed, &b, any_windows(&draw, of));
        heard_alike(&a, &b, seed);
        free(a.event);
        free(b.event);
    }
    cr_assert_gt(by, share_of(100), "%u by windows", by);
}

/* ---- runs that end before -------------------------------------------------------------------- */

/* Other partitions have gone on behind the failure; nobody hears of that. */
Test(observed, nothing_is_told_behind_the_first_failure, .timeout = 120)
{
    unsigned failed = 0;
    for (uint64_t seed = 1; seed <= share_of(1500); seed++) {
        uint64_t draw = seed;
        uint32_t of[SLICES_MOST];
        struct ear a = {0}, b = {0};
        struct world x = risk_run(seed, HTMT_NO_SYMMETRY, observed(&a, sequential()));
        struct world y = risk_run(seed, HTMT_NO_SYMMETRY, observed(&b, any_windows(&draw, of)));
        heard_alike(&a, &b, seed);
        failed += htmt_emulator_fault(x.e)->code != 0;
        world_close(&x);
        world_close(&y);
        free(a.event);
        free(b.event);
    }
    cr_assert_gt(failed, share_of(700), "%u failed", failed);
}

static struct world run_ring(struct ear *ear, unsigned latency_ns, uint32_t turns,
                             struct htmt_options o)
{
    static struct ring r;
    struct world_spec s = ring_spec();
    for (int n = 0; n < NETWORKS; n++)
        s.network[n].latency_ns = latency_ns;
    r = (struct ring){.turns = turns};
    struct world w = world_open(&s, observed(ear, o));
    ring_start(&w, &r);
    htmt_emulator_run(w.e);
    return w;
}

#define MANY_TURNS 60000u

/* A window is played to its end, so nothing is missing between what was heard. */
Test(observed, a_run_that_the_host_ends_was_told_up_to_its_end, .timeout = 60)
{
    struct ear a = {0};
    struct world x = run_ring(&a, 25, MANY_TURNS, sequential());
    cr_assert_eq(htmt_emulator_fault(x.e)->code, 0);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct ear b = {.cancel_after = 1};
        struct htmt_options o = {.clock = HTMT_CLOCK_SHARED, .clock_threads = threads};
        struct world y = run_ring(&b, 25, MANY_TURNS, o);
        cr_assert_eq(htmt_emulator_fault(y.e)->code, HTMT_ECANCELLED);
        begins_with(&a, &b, threads);
        cr_assert_lt(b.count, a.count);
        cr_assert_eq(htmt_predicted(y.e), b.event[b.count - 1].time);
        world_close(&y);
        free(b.event);
    }
    world_close(&x);
    free(a.event);
}

/* ---- what one window may hold ---------------------------------------------------------------- */

/* Else it would hold the whole run. */
Test(observed, wide_lookahead_gives_narrow_windows)
{
    struct ear a = {0}, b = {0};
    struct htmt_clock_report r;
    struct world x = run_ring(&a, 20000, 9, sequential());
    struct world y = run_ring(&b, 20000, 9, (struct htmt_options){.clock = HTMT_CLOCK_WINDOWS});
    htmt_clock_report(y.e, &r);
    cr_assert_gt(r.lookahead, INT64_C(10000000000));
    heard_alike(&a, &b, 0);
    world_close(&x);
    world_close(&y);
    free(a.event);
    free(b.event);
}

Test(observed, where_a_window_has_the_whole_run_the_clock_is_sequential)
{
    struct ear a = {0};
    struct htmt_clock_report r;
    struct world w = risk_run(
        3, HTMT_INDEPENDENT,
        observed(&a, (struct htmt_options){.clock = HTMT_CLOCK_SHARED, .clock_threads = 2}));
    htmt_clock_report(w.e, &r);
    cr_assert_str_eq(r.in_order, "an observer hears every event");
    world_close(&w);
    free(a.event);
}
