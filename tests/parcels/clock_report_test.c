/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an emulator reports of its clock, which no account depends on.
 */
#define _GNU_SOURCE /* CPU_SET */
#include "tests/parcels/accounts.h"
#include "tests/parcels/ring.h"

#include <sched.h>

/* A ring of nine turns that has been played. */
static struct world play(const struct world_spec *s, struct htmt_options o)
{
    struct ring r = {.turns = 9};
    struct world w = world_open(s, o);
    ring_start(&w, &r);
    world_run(&w);
    return w;
}

/* Of a run that is over and gone. */
static struct htmt_clock_report report_of(const struct world_spec *s, struct htmt_options o)
{
    static char why[100];
    struct htmt_clock_report report;
    struct world w = play(s, o);
    htmt_clock_report(w.e, &report);
    if (report.in_order) {
        snprintf(why, sizeof why, "%s", report.in_order);
        report.in_order = why;
    }
    world_close(&w);
    return report;
}

/* ---- width of windows ------------------------------------------------------------------------ */

Test(clock_report, narrower_windows_are_more_and_change_no_account)
{
    struct world_spec s = ring_spec();
    struct htmt_options o = {.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS};
    struct world wide = play(&s, o);
    uint64_t windows = 0;
    for (htmt_time most = 26 * NS; most > 0; most /= 3) {
        struct htmt_clock_report r;
        o.window_most = most;
        struct world narrow = play(&s, o);
        htmt_clock_report(narrow.e, &r);
        cr_assert_eq(r.lookahead, most);
        cr_assert_geq(r.windows, windows);
        windows = r.windows;
        same_accounts(wide.e, narrow.e);
        cr_assert_eq(htmt_history_hash(wide.e), htmt_history_hash(narrow.e));
        world_close(&narrow);
    }
    cr_assert_leq(windows, htmt_event_count(wide.e));
    world_close(&wide);
}

Test(clock_report, wider_windows_than_the_lookahead_are_not_made)
{
    struct world_spec s = ring_spec();
    struct htmt_options o = {
        .mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS, .window_most = 1000 * NS};
    cr_assert_eq(report_of(&s, o).lookahead, 26 * NS);
}

/* ---- partitions and threads ------------------------------------------------------------------ */

Test(clock_report, unless_asked_for_others_there_are_two_partitions_a_thread)
{
    const struct {
        uint32_t threads, wanted, partitions, on;
    } cases[] = {
        {0, 0, 2, 1}, {1, 0, 2, 1}, {2, 0, 4, 2}, {3, 0, 6, 3},
        {9, 0, 6, 6}, {1, 5, 5, 1}, {4, 3, 3, 3}, {2, 1000, 6, 2},
    };
    struct world_spec s = ring_spec();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct htmt_clock_report r =
            report_of(&s, (struct htmt_options){.mode = HTMT_MODEL,
                                                .clock = HTMT_CLOCK_WINDOWS,
                                                .clock_threads = cases[i].threads,
                                                .clock_partitions = cases[i].wanted});
        cr_expect_eq(r.partitions, cases[i].partitions, "%zu: %u", i, r.partitions);
        cr_expect_eq(r.threads, cases[i].on, "%zu: %u", i, r.threads);
        cr_expect(r.threads > 1 || (!r.shared && !r.awaited));
    }
}

Test(clock_report, several_threads_are_enough_to_go_by_windows)
{
    struct world_spec s = ring_spec();
    struct htmt_clock_report r =
        report_of(&s, (struct htmt_options){.mode = HTMT_MODEL, .clock_threads = 2});
    cr_assert_null(r.in_order);
    cr_assert_eq(r.threads, 2);
}

static struct htmt_clock_report on(const struct world_spec *s, enum htmt_clock clock)
{
    return report_of(s,
                     (struct htmt_options){.mode = HTMT_MODEL, .clock = clock, .clock_threads = 3});
}

/* A ring of nine turns has a few events a window, and is over in less than a millisecond. */
Test(clock_report, a_short_run_is_not_worth_threads_and_has_them_if_it_must)
{
    struct world_spec s = ring_spec();
    const struct htmt_clock_report may = on(&s, HTMT_CLOCK_WINDOWS),
                                   must = on(&s, HTMT_CLOCK_SHARED);
    cr_assert_eq(may.windows, must.windows);
    cr_assert_eq(may.threads, 3);
    cr_assert_eq(must.threads, 3);
    cr_assert_eq(must.shared, must.windows);
    cr_assert_lt(may.shared, may.windows);
}

/* On one processor there are none. */
Test(clock_report, threads_play_where_there_are_processors_for_them)
{
    struct world_spec s = ring_spec();
    cpu_set_t all, one;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_assert_eq(on(&s, HTMT_CLOCK_WINDOWS).shared, 0);
    const struct htmt_clock_report must = on(&s, HTMT_CLOCK_SHARED);
    cr_assert_eq(must.shared, must.windows);
    sched_setaffinity(0, sizeof all, &all);
}

Test(clock_report, one_partition_is_played_in_one_order)
{
    struct world_spec s = ring_spec();
    struct htmt_options o = {
        .mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS, .clock_partitions = 1};
    struct htmt_clock_report r = report_of(&s, o);
    cr_assert_str_eq(r.in_order, "one partition has all slices");
    cr_assert(r.partitions == 1 && r.threads == 1 && !r.windows);
}

Test(clock_report, more_clock_threads_than_the_library_starts_are_refused)
{
    struct world_spec s = ring_spec();
    struct htmt_machine *m = world_machine(&s);
    for (uint32_t threads = 1025; threads; threads = threads == 1025 ? UINT32_MAX : 0) {
        struct htmt_options o = {.machine = m, .mode = HTMT_MODEL, .clock_threads = threads};
        struct htmt_emulator *e = NULL;
        struct htmt_fault fault = {0};
        cr_expect_eq(htmt_emulator_create(&e, &o, &fault), HTMT_EINVAL);
        cr_expect_str_eq(fault.text, "htmt_emulator_create(): more than 1024 threads of the clock");
        htmt_emulator_destroy(&e);
    }
    htmt_machine_destroy(&m);
}

/* The list is copied, and its numbers are taken modulo those of partitions. */
Test(clock_report, slices_are_dealt_as_the_host_says_and_no_account_depends_on_it)
{
    static const uint32_t deals[][RING_SLICES] = {
        {2, 0, 7, 1, 1, 0}, {1, 1, 1, 1, 1, 1}, {0, 1, 0, 1, 0, 1}, {5, 4, 3, 2, UINT32_MAX, 0}};
    struct world_spec s = ring_spec();
    struct world plain = play(&s, (struct htmt_options){.mode = HTMT_MODEL});
    for (size_t i = 0; i < sizeof deals / sizeof *deals; i++) {
        uint32_t of[RING_SLICES];
        struct ring r = {.turns = 9};
        memcpy(of, deals[i], sizeof of);
        struct world w = OPEN(&s, .mode = HTMT_MODEL, .clock_threads = 2, .clock_partitions = 3,
                              .partition_of = of);
        memset(of, 0, sizeof of);
        ring_start(&w, &r);
        world_run(&w);
        same_accounts(plain.e, w.e);
        cr_assert_eq(htmt_history_hash(plain.e), htmt_history_hash(w.e));
        world_close(&w);
    }
    world_close(&plain);
}

/* ---- why it goes in one order ---------------------------------------------------------------- */

static void observe(void *user, const struct htmt_event *event)
{
    (void)event;
    ++*(uint64_t *)user;
}

Test(clock_report, what_needs_the_order_of_all_events_gets_it_and_the_reason_is_told)
{
    uint64_t heard = 0;
    const struct {
        struct htmt_options options;
        const char *why;
    } cases[] = {
        {{.mode = HTMT_MODEL, .clock = HTMT_CLOCK_SEQUENTIAL}, "it was asked for"},
        {{.mode = HTMT_MODEL}, "one thread plays all slices"},
        {{.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS, .explain = true},
         "the critical path is followed"},
        {{.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS, .lint = true}, "departures are counted"},
        {{.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS, .what_if = HTMT_RESIDENT},
         "what-if moves"},
        {{.mode = HTMT_MODEL, .observe = observe, .user = &heard}, "one thread plays all slices"},
        {{.clock = HTMT_CLOCK_WINDOWS, .checked = true}, "kernels are checked one at a time"},
        {{.threads = 2}, "kernels run"},
    };
    struct world_spec s = ring_spec();
    struct world by_windows =
        play(&s, (struct htmt_options){.mode = HTMT_MODEL, .clock = HTMT_CLOCK_WINDOWS});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct htmt_clock_report r;
        struct world w = play(&s, cases[i].options);
        htmt_clock_report(w.e, &r);
        cr_assert_not_null(r.in_order, "%s", cases[i].why);
        cr_assert_str_eq(r.in_order, cases[i].why);
        cr_assert_eq(r.windows, 0);
        if (!cases[i].options.what_if) /* these are other events */
            cr_assert_eq(htmt_history_hash(w.e), htmt_history_hash(by_windows.e), "%s",
                         cases[i].why);
        world_close(&w);
    }
    cr_assert_eq(heard, htmt_event_count(by_windows.e));
    world_close(&by_windows);
}

/* ---- one window ------------------------------------------------------------------------------ */

Test(clock_report, one_slice_that_stands_for_all_has_one_window)
{
    struct world_spec s = ring_spec();
    struct htmt_clock_report folded =
        report_of(&s, (struct htmt_options){.mode = HTMT_MODEL, .symmetry = HTMT_FOLDED});
    cr_assert_null(folded.in_order);
    cr_assert_eq(folded.lookahead, HTMT_TIME_MAX);
    cr_assert_eq(folded.windows, 1);
}

Test(clock_report, without_an_emulator_it_did_not_go)
{
    struct htmt_clock_report r;
    htmt_clock_report(NULL, &r);
    cr_assert_str_eq(r.in_order, "no emulator");
    cr_assert_eq(r.windows, 0);
}
