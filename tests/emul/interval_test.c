/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the clock is expected, by hand.
 */
#include "emul/lib/questions/interval.h"

#include <criterion/criterion.h>
#include <math.h>

static bool is(double a, double b)
{
    return fabs(a - b) < 1e-9 * fabs(b);
}

#define BOUNDS HTMT__NODE_BOUNDS

static struct htmt__calibration all_from(double low, double high)
{
    struct htmt__calibration c;
    for (int b = 0; b < BOUNDS; b++) {
        c.low[b] = low;
        c.high[b] = high;
    }
    return c;
}

Test(interval, is_the_mean_of_the_ranges_of_what_bounds_it)
{
    struct htmt__calibration c = all_from(0.1, 10);
    const struct htmt__shares s = {
        .of = {[HTMT__NODE_BY_CHAINS] = 0.75, [HTMT__NODE_BY_ISSUE] = 0.25}};
    c.low[HTMT__NODE_BY_CHAINS] = 0.98;
    c.high[HTMT__NODE_BY_CHAINS] = 1.02;
    c.low[HTMT__NODE_BY_ISSUE] = 0.9;
    c.high[HTMT__NODE_BY_ISSUE] = 1.3;
    const struct htmt__interval i = htmt__interval(100, 0, 0, &s, c);
    cr_assert(is(i.low, 96) && is(i.high, 109), "%g %g", i.low, i.high);
}

Test(interval, is_wider_by_the_slow_figures_above_only)
{
    const struct htmt__shares none = {.instructions = 0};
    const struct htmt__calibration c = all_from(0.92, 1.22);
    /* Twice as long with slow figures, of another run than the prediction. */
    const struct htmt__interval twice = htmt__interval(100, 30, 60, &none, c),
                                one = htmt__interval(100, 0, 0, &none, c);
    cr_assert(is(one.low, 92) && is(one.high, 122), "%g %g", one.low, one.high);
    cr_assert(is(twice.low, 92) && is(twice.high, 244), "%g %g", twice.low, twice.high);
    /* Operations that start later may fit better: that narrows nothing. */
    cr_assert(is(htmt__interval(100, 30, 20, &none, c).high, 122));
}

/* Ten loops of issue, 1 to 10 % off to either side, ten of chains that are 1 % off, and one that
 * was never timed. All twenty count as four loops more of each: beyond 9 % of issue there are 1.2
 * of 14 loops, beyond 8 % 2.4. Of chains one half and 1 / 14 are of issue: 1.4 loops may be beyond.
 */
Test(interval, ranges_hold_nine_of_ten_loops_of_what_bounds_them)
{
    struct htmt__tried t[20] = {{.ratio = 0}};
    struct htmt__calibration c;
    bool known[BOUNDS];
    for (int i = 0; i < 10; i++) {
        t[i].ratio = exp(0.01 * (i + 1) * (i % 2 ? -1 : 1));
        t[i].shares.of[HTMT__NODE_BY_ISSUE] = 1;
        t[10 + i].ratio = i < 9 ? exp(0.01) : 0;
        t[10 + i].shares.of[HTMT__NODE_BY_CHAINS] = 1;
    }
    t[19].shares.of[HTMT__NODE_BY_MEMORY] = 1;
    htmt__calibrate(t, 20, &c, known);
    cr_expect(known[HTMT__NODE_BY_ISSUE] && known[HTMT__NODE_BY_CHAINS]);
    cr_expect_not(known[HTMT__NODE_BY_MEMORY]);
    cr_expect(is(c.high[HTMT__NODE_BY_ISSUE], exp(0.09)), "%g", c.high[HTMT__NODE_BY_ISSUE]);
    cr_expect(is(c.low[HTMT__NODE_BY_ISSUE], exp(-0.09)));
    cr_expect(is(c.high[HTMT__NODE_BY_CHAINS], exp(0.04)), "%g", c.high[HTMT__NODE_BY_CHAINS]);
}

/* A service of 1000 fs, most of it waiting, on a processor that begins an instruction in 100 fs: 8
 * of 10 places used are much, 3 are not. A service before it counts for neither. */
static struct htmt__shares shares(double waiting, double branches, double instructions)
{
    const struct htmt__node_figures inside = {.issue = {100, 1}};
    struct htmt__shares before = {.instructions = 50}, s = {.instructions = 50 + instructions};
    before.of[HTMT__NODE_BY_MEMORY] = 700;
    s.of[HTMT__NODE_BY_MEMORY] = 700;
    s.of[HTMT__NODE_BY_CHAINS] = waiting;
    s.of[HTMT__NODE_BY_BRANCHES] = branches;
    return htmt__shares_between(&inside, &before, &s);
}

Test(interval, waiting_is_hidden_by_issue_and_by_missed_branches)
{
    struct htmt__shares s = shares(950, 50, 3);
    cr_expect(is(s.of[HTMT__NODE_BY_CHAINS], 0.95) && is(s.of[HTMT__NODE_BY_BRANCHES], 0.05));
    cr_expect(is(s.instructions, 0.3));
    s = shares(950, 50, 8);
    cr_expect(is(s.of[HTMT__NODE_BY_ISSUE], 0.95) && s.of[HTMT__NODE_BY_CHAINS] == 0);
    s = shares(850, 150, 8);
    cr_expect(is(s.of[HTMT__NODE_BY_BRANCHES], 1));
}

Test(interval, slow_figures_are_times_in_cycles_that_have_a_spread)
{
    struct htmt_figure f[] = {
        {.key = "a", .value = "4 cycles", .source = "measured, +25 %: a chain"},
        {.key = "b", .value = "4 cycles", .source = "by the manual"},
        {.key = "c", .value = "8 cycles", .source = "disturbed, +50.0 %: a chain"},
        {.key = "d", .value = "8", .source = "measured, +50.0 %: a queue"},
        {.key = "e", .value = "0.5 cycles", .source = "measured, +0.0 %: a chain"},
    };
    const struct htmt_machine m = {.figure = f, .figure_count = sizeof f / sizeof *f};
    struct htmt__slow_figures slow;
    cr_assert_eq(htmt__slow_figures(&m, &slow), 0);
    cr_assert_eq(slow.n, 2);
    cr_assert_str_eq(slow.set[0], "a=5.000000 cycles");
    cr_assert_str_eq(slow.set[1], "c=12.000000 cycles");
    htmt__slow_figures_free(&slow);
}
