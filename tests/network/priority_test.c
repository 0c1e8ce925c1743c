/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two classes of traffic in routers that send flits (`priority`), on one switch with 8 ends, where
 * a packet of n flits alone takes 4 + n cycles (flit_rows_test.c), and in a mesh. A byte is a flit,
 * a cycle 1000 fs.
 */
#include "tests/fabric/player.h"
#include "tests/network/offered_load.h"

enum { CYCLE = 1000, LONG = 100 };

static const struct network star = {.name = "star",
                                    .topology = HTMT__FAT_TREE,
                                    .routing = HTMT__ROUTE_UP_RANDOM,
                                    .shape = "8 ^ 1",
                                    .lanes = 8,
                                    .dynamic = true,
                                    .speedup = 1};

/* Returns the digest of the run. */
static uint64_t play(const struct network *like, uint64_t urgent, struct sent *sent, uint32_t count,
                     bool in_windows)
{
    struct network n = *like;
    n.urgent = urgent;
    const struct htmt__inside in = offered_inside(&n);
    struct htmt__topology *t = t_make(&in, NULL, htmt__topology_ends(&in));
    struct graph g = {.t = *t};
    struct player p;
    player_create(&p, &g, sent, count);
    if (in_windows)
        player_run_in_windows(&p);
    else
        player_run(&p);
    cr_expect_eq(player_missing(&p), 0);
    const uint64_t digest = p.digest;
    player_destroy(&p);
    htmt__topology_release(&t);
    return digest;
}

static htmt_time cycles(const struct sent *s)
{
    return (s->tail - s->at) / CYCLE;
}

/* Six ends send long packets to end 7 at full rate, in lanes of their own; end 6 has short ones at
 * odd times, and a lane is free. */
Test(priority, an_urgent_packet_meets_nobody_at_a_wire)
{
    enum { SHORT = 10 };
    struct sent sent[6 + SHORT];
    for (unsigned urgent = 0; urgent < 2; urgent++) {
        htmt_time all = 0, last = 0;
        for (uint32_t i = 0; i < 6; i++)
            sent[i] = (struct sent){.source = i, .target = 7, .bytes = LONG};
        for (uint32_t i = 6; i < 6 + SHORT; i++)
            sent[i] =
                (struct sent){.source = 6, .target = 7, .bytes = 1, .at = (100 + 13 * i) * CYCLE};
        play(&star, urgent, sent, 6 + SHORT, false);
        for (uint32_t i = 6; i < 6 + SHORT; i++)
            all += cycles(&sent[i]);
        for (uint32_t i = 0; i < 6; i++)
            last = sent[i].tail > last ? sent[i].tail : last;
        if (urgent)
            cr_expect_eq(all, SHORT * (4 + 1));
        else
            cr_expect_gt(all, SHORT * (4 + 1));
        cr_expect_geq(last / CYCLE, 6 * LONG + 4); /* the wire carries one flit a cycle */
    }
}

/* The first of ten long packets has begun; two short ones pass the others, in their order. */
Test(priority, an_urgent_packet_passes_those_that_wait_at_its_end)
{
    struct sent sent[12];
    for (uint32_t i = 0; i < 10; i++)
        sent[i] = (struct sent){.source = 0, .target = 1 + i % 7, .bytes = LONG};
    sent[10] = (struct sent){.source = 0, .target = 1, .bytes = 2, .at = 5 * CYCLE};
    sent[11] = (struct sent){.source = 0, .target = 2, .bytes = 2, .at = 6 * CYCLE};
    play(&star, 2, sent, 12, false);
    cr_expect_eq(sent[10].tail / CYCLE, LONG + 4 + 2);
    cr_expect_eq(sent[11].tail / CYCLE, LONG + 2 + 4 + 2);
    for (uint32_t i = 0; i < 10; i++)
        cr_expect_eq(sent[i].tail / CYCLE, (i + 1) * LONG + 4 + (i ? 2 * 2 : 0), "%u", i);
    play(&star, 0, sent, 12, false);
    cr_expect_eq(sent[11].tail / CYCLE, 10 * LONG + 2 + 4 + 2);
}

/* End 1 has an urgent flit each cycle: the long packet of end 0 gets nothing until they end. */
Test(priority, urgent_traffic_that_fills_a_wire_holds_up_all_other)
{
    struct sent sent[401];
    for (unsigned urgent = 0; urgent < 2; urgent++) {
        for (uint32_t i = 0; i < 400; i++)
            sent[i] = (struct sent){.source = 1, .target = 7, .bytes = 1, .at = i * CYCLE};
        sent[400] = (struct sent){.source = 0, .target = 7, .bytes = 10, .at = 50 * CYCLE};
        play(&star, urgent, sent, 401, false);
        cr_expect_eq(sent[400].tail > sent[399].tail, urgent);
    }
}

/* Where all are of one class, nobody goes before another. */
Test(priority, all_urgent_is_as_none)
{
    static const struct network nets[] = {
        {"mesh", HTMT__MESH, HTMT__ROUTE_XY, "8 x 8", 4, .dynamic = true, .speedup = 1},
        {"tree", HTMT__FAT_TREE, HTMT__ROUTE_UP_ADAPTIVE, "4 ^ 3", 4, .dynamic = true,
         .speedup = 4}};
    for (unsigned i = 0; i < 2; i++) {
        struct network n = nets[i];
        const struct load l = {&n, UNIFORM, 0.6, 60, 60, true, false};
        const struct found none = offered_load(&l);
        n.urgent = 4;
        const struct found all = offered_load(&l);
        cr_expect_eq(all.missing + none.missing, 0);
        cr_expect_eq(all.digest, none.digest, "%s", n.name);
    }
}

/* A mesh under more load than it carries, a tenth of the packets short: those are faster with
 * priority, all arrive, and slices in any order find the same. */
Test(priority, short_packets_are_faster_and_bits_do_not_depend_on_the_order_of_slices)
{
    enum { COUNT = 3000 };
    static const struct network mesh = {"mesh", HTMT__MESH,      HTMT__ROUTE_XY, "8 x 8",
                                        4,      .dynamic = true, .speedup = 4};
    struct sent *sent = calloc(COUNT, sizeof *sent);
    double mean[2] = {0};
    cr_assert_not_null(sent);
    for (unsigned urgent = 0; urgent < 2; urgent++) {
        uint64_t digest = 0;
        for (unsigned in_windows = 0; in_windows < 2; in_windows++) {
            uint64_t state = 5;
            for (uint32_t i = 0; i < COUNT; i++) {
                const uint32_t from = draw_below(&state, 64), by = 1 + draw_below(&state, 63);
                sent[i] = (struct sent){.source = from,
                                        .target = (from + by) % 64,
                                        .bytes = draw_below(&state, 10) ? 8 : 1,
                                        .at = i / 6 * CYCLE};
            }
            const uint64_t found = play(&mesh, urgent, sent, COUNT, in_windows);
            cr_expect(!in_windows || found == digest);
            digest = found;
        }
        for (uint32_t i = 0; i < COUNT; i++)
            mean[urgent] += sent[i].bytes == 1 ? (double)cycles(&sent[i]) : 0;
    }
    cr_expect_lt(mean[1], 0.8 * mean[0], "%g of %g", mean[1], mean[0]);
    free(sent);
}
