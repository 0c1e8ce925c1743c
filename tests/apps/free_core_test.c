/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a core is expected to issue decides which looks count, not how fast this host is.
 */
#include "apps/lib/host_clock.h"

#include <criterion/criterion.h>
#include <string.h>

/* No core issues sixteen instructions a cycle, so each look at one that is expected to shows
 * another thread, be it there or not. */
Test(free_core, looks_slower_than_the_expected_rate_never_count)
{
    struct htmt_host_core core = {.cycle = 0};
    htmt_host_core_expect(&core, (struct htmt_host_expected){.nothing = 1.0 / 16});
    for (int i = 0; i < 200; i++)
        cr_assert_not(htmt_host_core_still(&core, 0));
}

/* Nothing is forgotten of looks when the rate is unknown, or slower than any that was seen. */
Test(free_core, an_unknown_or_slow_rate_changes_nothing)
{
    struct htmt_host_core plain = {.cycle = 0}, unknown = plain;
    htmt_host_core_expect(&unknown, (struct htmt_host_expected){0, 0});
    cr_assert(memcmp(&plain, &unknown, sizeof plain) == 0);
    htmt_host_core_expect(&unknown, (struct htmt_host_expected){.nothing = 100});
    for (int i = 0; i < 50; i++)
        htmt_host_core_still(&unknown, 0);
    cr_assert_lt(unknown.own, HTMT_HOST_RATES - 2, "a slow rate became the core's own");
}

/* Of the loops with 200 and 400 instructions behind a chain, those count from the first look on
 * that the queue of before had room for. */
Test(free_core, a_known_queue_says_which_loops_tell)
{
    static const double reorder[] = {0, 224, 300, 512};
    static const bool tell[][HTMT_HOST_QUEUES] = {
        {false, false}, {false, false}, {true, false}, {true, true}};
    for (int i = 0; i < 4; i++) {
        struct htmt_host_core core = {.cycle = 0};
        htmt_host_core_expect(&core, (struct htmt_host_expected){.reorder = reorder[i]});
        for (int q = 0; q < HTMT_HOST_QUEUES; q++)
            cr_assert_eq(core.fitted[q] > 0, tell[i][q], "%g, loop %d", reorder[i], q);
    }
}
