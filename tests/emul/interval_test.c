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

Test(interval, is_wider_by_the_slow_figures_above_only)
{
    /* Twice as long with slow figures, of another run than the prediction. */
    const struct htmt__interval twice = htmt__interval(100, 30, 60),
                                one = htmt__interval(100, 0, 0);
    cr_assert(is(one.low, 92) && is(one.high, 122), "%g %g", one.low, one.high);
    cr_assert(is(twice.low, 92) && is(twice.high, 244), "%g %g", twice.low, twice.high);
    /* Operations that start later may fit better: that narrows nothing. */
    cr_assert(is(htmt__interval(100, 30, 20).high, 122));
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
