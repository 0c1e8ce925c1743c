/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocked: source, beside the paper's examples.
 */
#include "tests/fabric/player.h"

#include <criterion/criterion.h>

#define US INT64_C(1000000000)

static const struct htmt__inside myrinet = {.switching = HTMT__WORMHOLE,
                                            .byte = {US, 1},
                                            .wire = US,
                                            .control = US,
                                            .lanes = 1,
                                            .planes = 1,
                                            .from_source = true};

/* At the instant of an end the next packet, whose key is smaller, comes first. */
Test(from_source, each_packet_that_leaves_its_sender_is_told_even_where_the_next_follows_at_once)
{
    struct graph *g = graph_line(1, &myrinet);
    struct sent sent[4];
    struct player p;
    for (uint32_t i = 0; i < 4; i++)
        sent[i] = (struct sent){.source = 0, .target = 1, .bytes = 100, .at = i, .key = 9 - i};
    player_create(&p, g, sent, 4);
    player_run(&p);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(sent[i].left, (i + 1) * 100 * US, "%u: %ld", i, sent[i].left);
    cr_expect_eq(player_missing(&p), 0);
    player_destroy(&p);
    graph_destroy(g);
}

/* Through n switches: n + 1 channels of 2 us each, there and back. */
static int failed(uint32_t switches, uint64_t bytes, struct htmt__inside inside)
{
    struct graph *g = graph_line(switches, &inside);
    struct sent sent = {.source = 0, .target = 1, .bytes = bytes};
    struct player p;
    player_create(&p, g, &sent, 1);
    player_run(&p);
    const int code = p.failed;
    player_destroy(&p);
    graph_destroy(g);
    return code;
}

Test(from_source, a_packet_that_is_sent_before_stop_may_come_back_is_refused)
{
    for (uint32_t n = 1; n < 5; n++) {
        cr_expect_eq(failed(n, 2 * (n + 1), myrinet), 0);
        cr_expect_eq(failed(n, 2 * (n + 1) - 1, myrinet), HTMT_ERANGE);
    }
}

Test(from_source, a_way_of_more_than_64_channels_counts_whole)
{
    cr_expect_eq(failed(100, 202, myrinet), 0);
    cr_expect_eq(failed(100, 201, myrinet), HTMT_ERANGE);
}

/* The head of each further channel is later by it. */
Test(from_source, the_set_up_of_links_counts)
{
    struct htmt__inside inside = myrinet;
    inside.setup = 3 * US;
    cr_expect_eq(failed(2, 6 + 2 * 3, inside), 0);
    cr_expect_eq(failed(2, 6 + 2 * 3 - 1, inside), HTMT_ERANGE);
}

Test(from_source, the_header_that_is_left_at_the_last_port_counts)
{
    struct htmt__inside inside = myrinet;
    inside.header_hop = 4;
    cr_expect_eq(failed(4, 18, inside), 0);
    cr_expect_eq(failed(4, 17, inside), HTMT_ERANGE);
    inside.header_hop = 1;
    cr_expect_eq(failed(4, 10, inside), 0);
}
