/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A transmit port: the order of its queue, and its accounts. A link: those of its queue.
 */
#include "runtime/sim/link.h"
#include "runtime/sim/port.h"

#include <criterion/criterion.h>

Test(port, serves_by_time_then_key_then_number)
{
    struct htmt__transmit_port p = {0};
    struct htmt__port_queue q = {0};
    struct htmt__request r[] = {
        {.key = 5}, {.key = 2}, {.key = 9}, {.key = 2, .number = 1}, {.key = 1}};
    const uint64_t order[] = {5, 2, 2, 9, 1};
    htmt__port_join(&p, &q, &r[0], 10);
    for (int i = 1; i < 4; i++)
        htmt__port_join(&p, &q, &r[i], 20);
    htmt__port_join(&p, &q, &r[4], 30);
    cr_expect_eq(q.longest, 5);
    for (int i = 0; i < 5; i++)
        cr_expect_eq(htmt__port_leave(&p, &q, 40)->key, order[i]);
    cr_expect_null(p.queue.first);
    cr_expect_eq(q.contentions, 5);
    cr_expect_eq((uint64_t)htmt__port_queued(&q, 50), 30 + 3 * 20 + 10);
}

Test(port, is_free_when_its_last_word_leaves)
{
    struct htmt__transmit_port p = {0};
    struct htmt__port_queue q = {0};
    htmt__port_take(&p, &q, 100, 150, 7);
    cr_expect_not(htmt__port_free(&p, 149));
    cr_expect(htmt__port_free(&p, 150));
    cr_expect_eq(htmt__port_busy(&p, 120), 20);
    cr_expect_eq(htmt__port_busy(&p, 200), 50);
}

Test(port, is_busy_or_blocked_while_its_end_moves)
{
    struct htmt__transmit_port p = {0};
    struct htmt__port_queue q = {0};
    htmt__port_take(&p, &q, 0, 100, 1);
    htmt__port_retime(&p, &q, 30, HTMT_TIME_MAX);
    cr_expect_eq(htmt__port_held(&p, &q, HTMT__PORT_HELD, 50), 20);
    htmt__port_retime(&p, &q, 70, 140);
    cr_expect_eq(htmt__port_busy(&p, 1000), 100);
    cr_expect_eq(htmt__port_held(&p, &q, HTMT__PORT_HELD, 1000), 40);
}

/* The integral of the queue's length is the sum of what each waits, also where the ring of starts
 * grows when its first one stands in the middle. */
Test(link, a_queue_is_as_long_in_sum_as_its_messages_wait)
{
    struct htmt__link l = {.channels = 1};
    struct htmt__tally t = {0};
    uint64_t waits = 0;
    for (int i = 0; i < 60; i++) {
        const htmt_time now = i < 20 ? 9 * i : 180 + i / 10;
        const htmt_time start = htmt__link_enter(&l, &t, now, 10, 1);
        cr_assert_eq(start, 10 * i);
        waits += (uint64_t)(start - now);
    }
    cr_expect_gt(t.longest, 32);
    htmt__link_settle(&l, &t, 1000);
    cr_expect_eq((uint64_t)t.integral, waits);
    cr_expect_eq(t.waited, waits);
    cr_expect_eq(l.in_use, 600);
    htmt__link_fini(&l);
}
