/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times of a few packets, which a person can compute.
 */
#include "tests/fabric/player.h"

#include <criterion/criterion.h>

#define US INT64_C(1000000000)

/* 1 byte takes 1 us, as long as nothing else is said. */
static const struct htmt__inside plain = {
    .switching = HTMT__STORE_AND_FORWARD, .byte = {US, 1}, .lanes = 1, .planes = 1};

/* When the last of n packets of that many bytes, sent at 0, has come. */
static htmt_time last(struct graph *g, uint32_t n, uint64_t bytes)
{
    struct sent sent[16];
    struct player p;
    cr_assert_leq(n, 16);
    for (uint32_t i = 0; i < n; i++)
        sent[i] = (struct sent){.source = 0, .target = 1, .bytes = bytes};
    player_create(&p, g, sent, n);
    player_run(&p);
    const htmt_time at = p.last;
    cr_expect_eq(player_missing(&p), 0);
    player_destroy(&p);
    graph_destroy(g);
    return at;
}

Test(exact, a_packet_alone_takes_what_its_switching_says)
{
    struct htmt__inside i = plain;
    i.turn = US;
    cr_expect_eq(last(graph_line(3, &i), 1, 10), 43 * US);
    cr_expect_eq(last(graph_line(3, &i), 4, 10), 73 * US);
    i.switching = HTMT__CUT_THROUGH;
    cr_expect_eq(last(graph_line(3, &i), 1, 10), 13 * US);
    cr_expect_eq(last(graph_line(3, &i), 4, 10), 43 * US);
    i.switching = HTMT__WORMHOLE;
    cr_expect_eq(last(graph_line(3, &i), 1, 10), 13 * US);
    cr_expect_eq(last(graph_line(3, &i), 4, 10), 43 * US);
    i.buffer = 4;
    cr_expect_eq(last(graph_line(3, &i), 1, 10), 13 * US);
    cr_expect_eq(last(graph_line(3, &i), 4, 10), 43 * US);
}

Test(exact, a_slow_link_behind_a_fast_one_is_helped_by_a_second_buffer)
{
    for (uint64_t buffers = 1; buffers <= 2; buffers++) {
        struct htmt__inside i = plain;
        i.buffer = 10 * buffers;
        struct graph *g = graph_line(1, &i);
        g->t.wire[g->t.into[1]].byte = (struct htmt_ratio){3 * US, 1};
        cr_expect_eq(last(g, 5, 10), buffers == 1 ? 200 * US : 160 * US);
    }
}

Test(exact, the_four_latencies_of_a_transputer_add_up)
{
    struct htmt__inside i = plain;
    i.route = 10 * US;
    i.setup = 5 * US;
    i.byte = (struct htmt_ratio){6 * US, 10};
    i.copy = (struct htmt_ratio){US, 10};
    cr_expect_eq(last(graph_line(2, &i), 1, 120), 285 * US);
    cr_expect_eq(last(graph_line(2, &i), 8, 120), 824 * US);
    i.planes = 4;
    cr_expect_eq(last(graph_line(2, &i), 8, 120), 362 * US);
    i.planes = 1;
    i.byte = (struct htmt_ratio){6 * US, 40};
    i.copy = (struct htmt_ratio){US, 40};
    cr_expect_eq(last(graph_line(2, &i), 8, 120), 266 * US);
}
