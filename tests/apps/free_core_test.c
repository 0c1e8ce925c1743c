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
    htmt_host_core_expect(&core, 1.0 / 16);
    for (int i = 0; i < 200; i++)
        cr_assert_not(htmt_host_core_still(&core, 0));
}

/* Nothing is forgotten of looks when the rate is unknown, or slower than any that was seen. */
Test(free_core, an_unknown_or_slow_rate_changes_nothing)
{
    struct htmt_host_core plain = {.cycle = 0}, unknown = plain;
    htmt_host_core_expect(&unknown, 0);
    cr_assert(memcmp(&plain, &unknown, sizeof plain) == 0);
    htmt_host_core_expect(&unknown, 100);
    for (int i = 0; i < 50; i++)
        htmt_host_core_still(&unknown, 0);
    cr_assert_lt(unknown.own, HTMT_HOST_RATES - 2, "a slow rate became the core's own");
}
