/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The issue port against instants worked out by hand, and against a port that holds every thread's
 * rest as a floating-point number.
 */
#include "layers/bank/issue_port.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define CYCLE INT64_C(10000000) /* 10 ns */

static struct htmt__issue_figures port_of(uint32_t threads, uint32_t slots, struct htmt_ratio cycle)
{
    struct htmt__issue_figures f = {.threads = threads, .slots = slots, .cycle = cycle};
    cr_assert_eq(htmt__issue_prepare(&f), 0);
    return f;
}

static struct htmt__issue_figures dpu(void)
{
    return port_of(24, 11, (struct htmt_ratio){(uint64_t)CYCLE, 1});
}

/* Leaves until nobody is inside; the last instant, and in done[] each thread's. */
static htmt_time drain(const struct htmt__issue_figures *f, struct htmt__issue_port *p,
                       htmt_time *done)
{
    htmt_time last = 0;
    while (p->ready) {
        uint32_t thread;
        last = htmt__issue_earliest(f, p, &thread);
        cr_assert_geq(last, 0);
        htmt__issue_leave(f, p, last, thread);
        if (done)
            done[thread] = last;
    }
    return last;
}

Test(issue_port, the_common_denominator_of_11_to_24_is_known)
{
    cr_expect_eq(dpu().parts, 5354228880);
}

Test(issue_port, threads_of_1000_instructions_share_a_port_by_hand)
{
    static const struct {
        uint32_t threads;
        htmt_time cycles;
    } by_hand[] = {{1, 11000}, {2, 11000}, {8, 11000}, {11, 11000}, {12, 12000}, {24, 24000}};
    const struct htmt__issue_figures f = dpu();
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
        struct htmt__issue_port p = {0};
        for (uint32_t t = 0; t < by_hand[i].threads; t++)
            cr_assert_eq(htmt__issue_enter(&f, &p, 0, t, 1000), 0);
        cr_expect_eq(drain(&f, &p, NULL), by_hand[i].cycles * CYCLE, "%u threads",
                     by_hand[i].threads);
        cr_expect_eq(p.issued, 1000 * (uint64_t)by_hand[i].threads);
    }
}

/* 24 threads advance by 1/24 until the short ones are done at 24 * 50; then 12 by 1/12. */
Test(issue_port, a_port_speeds_up_when_threads_leave)
{
    const struct htmt__issue_figures f = dpu();
    struct htmt__issue_port p = {0};
    htmt_time done[24];
    for (uint32_t t = 0; t < 24; t++)
        cr_assert_eq(htmt__issue_enter(&f, &p, 0, t, t % 2 ? 50 : 100), 0);
    cr_expect_eq(drain(&f, &p, done), 1800 * CYCLE);
    cr_expect_eq(done[1], 1200 * CYCLE);
    cr_expect_eq(done[0], 1800 * CYCLE);
}

/* The second thread of 12 comes at 600 cycles: 11 have done 600/11 of 100 instructions, and go on
 * by 1/12: (100 - 600/11) * 12 = 545.45.. cycles more. */
Test(issue_port, a_late_thread_slows_the_others)
{
    const struct htmt__issue_figures f = dpu();
    struct htmt__issue_port p = {0};
    htmt_time done[24];
    for (uint32_t t = 0; t < 11; t++)
        cr_assert_eq(htmt__issue_enter(&f, &p, 0, t, 100), 0);
    cr_assert_eq(htmt__issue_enter(&f, &p, 600 * CYCLE, 11, 1000), 0);
    drain(&f, &p, done);
    cr_expect_eq(done[3], 600 * CYCLE + (6000 * CYCLE * 2 + 11) / 22);
}

Test(issue_port, nothing_to_issue_is_done_at_once)
{
    const struct htmt__issue_figures f = dpu();
    struct htmt__issue_port p = {0};
    uint32_t thread = 99;
    cr_assert_eq(htmt__issue_earliest(&f, &p, &thread), -1);
    cr_assert_eq(htmt__issue_enter(&f, &p, 7, 5, 0), 0);
    cr_expect_eq(htmt__issue_earliest(&f, &p, &thread), 7);
    cr_expect_eq(thread, 5);
}

Test(issue_port, impossible_ports_and_endless_work_are_refused)
{
    struct htmt__issue_figures f = {.threads = 0, .slots = 11, .cycle = {1, 1}};
    struct htmt__issue_port p = {0};
    cr_expect_eq(htmt__issue_prepare(&f), HTMT_ERANGE);
    f = (struct htmt__issue_figures){.threads = 33, .slots = 1, .cycle = {1, 1}};
    cr_expect_eq(htmt__issue_prepare(&f), HTMT_ERANGE);
    f = (struct htmt__issue_figures){.threads = 24, .slots = 11, .cycle = {1, UINT64_C(1) << 60}};
    cr_expect_eq(htmt__issue_prepare(&f), HTMT_ERANGE);
    f = dpu();
    uint32_t thread;
    cr_assert_eq(htmt__issue_enter(&f, &p, 0, 0, UINT64_MAX / 2), 0);
    cr_expect_eq(htmt__issue_earliest(&f, &p, &thread), -1);
}

/* ---- against floating point ------------------------------------------------------------------ */

struct rough {
    long double left[24], at;
    bool inside[24];
};

static unsigned ready(const struct rough *r)
{
    unsigned n = 0;
    for (int t = 0; t < 24; t++)
        n += r->inside[t];
    return n;
}

static void pass(struct rough *r, long double until, long double cycle)
{
    unsigned n = ready(r);
    long double rate = 1 / (cycle * (n > 11 ? n : 11));
    for (int t = 0; t < 24; t++)
        if (r->inside[t])
            r->left[t] -= (until - r->at) * rate;
    r->at = until;
}

/* 350 MHz: a cycle is no whole number of femtoseconds. */
Test(issue_port, agrees_with_a_port_in_floating_point)
{
    const struct htmt__issue_figures f = port_of(24, 11, (struct htmt_ratio){20000000, 7});
    struct htmt__issue_port p = {0};
    struct rough r = {.at = 0};
    uint32_t thread;
    htmt_time now = 0;
    srand(5);
    for (int i = 0; i < 20000; i++) {
        uint32_t t = (uint32_t)rand() % 24;
        uint64_t instructions = (uint64_t)rand() % 3000;
        htmt_time next = htmt__issue_earliest(&f, &p, &thread);
        bool enters = !r.inside[t] && (next < 0 || rand() % 3);
        if (!enters && next < 0)
            continue;
        now = enters ? now + (next < 0 ? 100 : (next - now) / 2) : next;
        pass(&r, (long double)now, 20000000.0L / 7);
        if (enters) {
            cr_assert_eq(htmt__issue_enter(&f, &p, now, t, instructions), 0);
            r.left[t] = (long double)instructions;
            r.inside[t] = true;
            continue;
        }
        cr_assert(fabsl(r.left[thread]) < 1e-6L, "thread %u: %Lg left", thread, r.left[thread]);
        r.inside[thread] = false;
        htmt__issue_leave(&f, &p, now, thread);
    }
}
