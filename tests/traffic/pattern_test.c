/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit.
 * Patterns: targets, counts, loads of a mesh against closed formulas, times against the figures of
 * small-htmt.
 */
#define _GNU_SOURCE /* mkstemps */
#include "apps/traffic/closed_form.h"
#include "tests/runtime/share.h"
#include "tests/traffic/asked.h"

#include <math.h>

static struct htmt__traffic_pattern pattern(enum htmt__traffic_pattern_kind kind, uint32_t nodes)
{
    return (struct htmt__traffic_pattern){.kind = kind,
                                          .nodes = nodes,
                                          .side = htmt__traffic_square(nodes),
                                          .partner = 1,
                                          .bytes = 1024,
                                          .slots = 1,
                                          .seed = 5,
                                          .hot = 0.5,
                                          .group = 4};
}

/* ---- targets --------------------------------------------------------------------------------- */

Test(traffic_pattern, partners_are_those_of_the_definitions)
{
    struct htmt__traffic_pattern p = pattern(HTMT__EQUAL_DISTANCE, 16);
    cr_assert_eq(htmt__traffic_pattern_target(&p, 3, 0, 0), 11);
    cr_assert_eq(htmt__traffic_pattern_target(&p, 11, 0, 0), 3);
    p.kind = HTMT__UNEQUAL_DISTANCE;
    cr_assert_eq(htmt__traffic_pattern_target(&p, 3, 0, 0), 12);
    p.kind = HTMT__TRANSPOSE; /* row 1, column 2 */
    cr_assert_eq(htmt__traffic_pattern_target(&p, 6, 0, 0), 9);
    cr_assert_eq(htmt__traffic_pattern_sends(&p, 5), 0);
    p.kind = HTMT__TORNADO; /* one further in a row of four */
    cr_assert_eq(htmt__traffic_pattern_target(&p, 7, 0, 0), 4);
    p.kind = HTMT__ALL_TO_ALL;
    cr_assert_eq(htmt__traffic_pattern_target(&p, 3, 0, 0), 4);
    p.in_order = true;
    cr_assert_eq(htmt__traffic_pattern_target(&p, 3, 0, 2), 2);
    cr_assert_eq(htmt__traffic_pattern_target(&p, 3, 0, 3), 4);
}

Test(traffic_pattern, no_node_sends_to_itself)
{
    for (unsigned kind = 0; kind < HTMT__PATTERNS; kind++) {
        struct htmt__traffic_pattern p = pattern((enum htmt__traffic_pattern_kind)kind, 64);
        p.slots = 40;
        for (uint32_t i = 0; i < p.nodes; i++)
            for (uint32_t k = 0; k < htmt__traffic_pattern_sends(&p, i); k++) {
                uint32_t to = htmt__traffic_pattern_target(&p, i, k, k);
                cr_assert(to != i && to < p.nodes, "%s", htmt__traffic_pattern_names[kind]);
            }
    }
}

Test(traffic_pattern, uniform_targets_are_equally_likely_and_a_hot_one_is_not)
{
    struct htmt__traffic_pattern p = pattern(HTMT__UNIFORM, 16);
    uint64_t heard[16];
    p.slots = 10000;
    htmt__traffic_pattern_heard(&p, heard);
    for (unsigned i = 0; i < 16; i++) /* 10,000 of binomial deviation 97 */
        cr_assert(heard[i] > 9500 && heard[i] < 10500, "%u: %lu", i, (unsigned long)heard[i]);
    p.kind = HTMT__HOTSPOT;
    htmt__traffic_pattern_heard(&p, heard); /* 15 nodes: half, and a 15th of the rest */
    cr_assert_float_eq((double)heard[0], 15 * 10000 * (0.5 + 0.5 / 15), 1500);
}

/* Every node is the target of one: by the definitions, and by what undoes them. */
Test(traffic_pattern, patterns_of_one_partner_are_permutations)
{
    const enum htmt__traffic_pattern_kind kinds[] = {
        HTMT__BIT_COMPLEMENT, HTMT__REVERSE, HTMT__SHUFFLE, HTMT__PERMUTATION, HTMT__NEIGHBOUR};
    for (unsigned k = 0; k < 5; k++)
        for (uint32_t nodes = 2; nodes <= 300; nodes++) {
            struct htmt__traffic_pattern p = pattern(kinds[k], nodes);
            bool heard[300] = {false};
            if (k < 3 && nodes & (nodes - 1))
                continue;
            for (p.seed = 1; p.seed < 4; p.seed++) {
                memset(heard, 0, sizeof heard);
                for (uint32_t i = 0; i < nodes; i++) {
                    uint32_t to = htmt__traffic_pattern_target(&p, i, 0, 0);
                    cr_assert(to < nodes && !heard[to]);
                    heard[to] = true;
                }
            }
        }
    struct htmt__traffic_pattern p = pattern(HTMT__REVERSE, 64);
    cr_assert_eq(htmt__traffic_pattern_target(&p, 13, 0, 0), 44); /* 001101, 101100 */
    p.kind = HTMT__SHUFFLE;
    cr_assert_eq(htmt__traffic_pattern_target(&p, 37, 0, 0), 11); /* 100101, 001011 */
    p.kind = HTMT__BIT_COMPLEMENT;
    cr_assert_eq(htmt__traffic_pattern_target(&p, 13, 0, 0), 50);
    p.kind = HTMT__NEIGHBOUR;
    cr_assert_eq(htmt__traffic_pattern_target(&p, 63, 0, 0), 0);
}

/* Of 24 images of a node, 4! orders of 4 nodes, all are there. */
Test(traffic_pattern, seeds_give_all_permutations)
{
    struct htmt__traffic_pattern p = pattern(HTMT__PERMUTATION, 4);
    unsigned counts[256] = {0}, some = 0;
    for (p.seed = 0; p.seed < 2400; p.seed++) {
        unsigned order = 0;
        for (uint32_t i = 0; i < 4; i++)
            order = order << 2 | htmt__traffic_pattern_target(&p, i, 0, 0);
        some += !counts[order]++;
    }
    cr_assert_eq(some, 24);
}

Test(traffic_pattern, adversarial_targets_are_all_nodes_of_the_next_group)
{
    struct htmt__traffic_pattern p = pattern(HTMT__ADVERSARIAL, 12);
    unsigned seen[12] = {0};
    for (uint64_t slot = 0; slot < 1000; slot++)
        seen[htmt__traffic_pattern_target(&p, 9, slot, 0)]++;
    for (unsigned i = 0; i < 12; i++) /* of the last group of four, the first one is next */
        cr_assert(i < 4 ? seen[i] > 200 : !seen[i], "%u: %u", i, seen[i]);
}

/* A gap of k cycles has the chance q (1 - q)^(k - 1). */
Test(traffic_pattern, times_of_a_cycle_are_geometric)
{
    struct htmt__traffic_pattern p = pattern(HTMT__UNIFORM, 16);
    double count[4] = {0}, n = 100000;
    p.rate = 2e8; /* a fifth of the cycles */
    p.cycle = NS;
    for (uint64_t i = 0; i < 100000; i++) {
        htmt_time gap = htmt__traffic_pattern_gap(&p, 3, i);
        cr_assert(gap > 0 && gap % NS == 0);
        if (gap <= 4 * NS)
            count[gap / NS - 1]++;
    }
    for (unsigned k = 0; k < 4; k++)
        cr_assert_float_eq(count[k] / n, 0.2 * pow(0.8, k), 0.005);
}

Test(traffic_pattern, times_between_messages_are_exponential)
{
    struct htmt__traffic_pattern p = pattern(HTMT__UNIFORM, 16);
    double sum = 0, squares = 0, n = 100000;
    p.rate = 1e6;
    for (uint64_t i = 0; i < 100000; i++) {
        double gap = (double)htmt__traffic_pattern_gap(&p, 3, i) * 1e-9;
        sum += gap;
        squares += gap * gap;
    }
    cr_assert_float_eq(sum / n, 1, 0.02); /* us */
    cr_assert_float_eq(squares / n - 1, 1, 0.06);
}

Test(traffic_pattern, slots_shrink_as_messages_grow)
{
    cr_assert_eq(htmt__traffic_paper_slots(64), 600);
    cr_assert_eq(htmt__traffic_paper_slots(128), 300);
    cr_assert_eq(htmt__traffic_paper_slots(1024), 37);
    cr_assert_eq(htmt__traffic_paper_slots(100000), 1);
}

/* ---- loads ----------------------------------------------------------------------------------- */

Test(traffic_pattern, loads_of_a_mesh_are_those_of_the_formulas)
{
    for (uint32_t n = 2; n <= 12; n += 2) {
        const struct {
            enum htmt__traffic_pattern_kind kind;
            double busiest, hops;
        } known[] = {
            {HTMT__ALL_TO_ALL, n * n * n / 4.0, 2.0 * (n * n - 1) / (3 * n) * n * n / (n * n - 1)},
            {HTMT__EQUAL_DISTANCE, n / 2.0 * (n * n - 1), n / 2.0},
            {HTMT__UNEQUAL_DISTANCE, n / 2.0 * (n * n - 1), n}};
        for (unsigned i = 0; i < 3; i++) {
            struct htmt__traffic_pattern p = pattern(known[i].kind, n * n);
            struct htmt__traffic_load l;
            cr_assert_eq(htmt__traffic_load_of(&p, &l), 0);
            cr_assert_eq((double)l.busiest, known[i].busiest);
            cr_assert_float_eq((double)l.hops / (double)l.messages, known[i].hops, 1e-12);
            cr_assert_eq(l.messages, (uint64_t)n * n * (n * n - 1));
        }
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

Test(traffic_pattern, ping_pong_takes_two_messages_a_slot)
{
    cr_assert_eq(time_of(2, GIVEN("pattern", "ping-pong", "bytes", "800", "slots", "7")),
                 7 * 2 * 200 * NS);
}

Test(traffic_pattern, a_synchronous_one_waits_for_a_word_more)
{
    /* the answer goes out at once; a word says that it came, which the last one waits for, too */
    htmt_time t =
        time_of(2, GIVEN("pattern", "ping-pong", "bytes", "800", "slots", "1", "synchronous", ""));
    cr_assert_geq(t, 2 * 200 * NS + 101 * NS);
}

Test(traffic_pattern, all_to_all_keeps_channels_busy)
{
    /* three messages of 100 words out of each slice and into it */
    cr_assert_eq(time_of(4, GIVEN("pattern", "all-to-all", "bytes", "800")), 400 * NS);
}

Test(traffic_pattern, a_slot_begins_when_the_one_before_has_come)
{
    cr_assert_eq(time_of(4, GIVEN("pattern", "all-to-all", "bytes", "800", "slots", "3")),
                 3 * 400 * NS);
}

Test(traffic_pattern, every_pattern_delivers_every_message)
{
    for (unsigned kind = 0; kind < HTMT__PATTERNS; kind++)
        for (unsigned how = 0; how < 4; how++) {
            const char *name = htmt__traffic_pattern_names[kind];
            bool rate = how & 1, synchronous = how & 2;
            if (rate && kind == HTMT__PING_PONG)
                continue;
            const char *given[12] = {"pattern", name, "slots", "9", "bytes", "40"};
            unsigned n = 6;
            if (rate) {
                given[n++] = "rate";
                given[n++] = "2e6";
            }
            if (synchronous) {
                given[n++] = "synchronous";
                given[n++] = "";
            }
            cr_assert_gt(time_of(4, given), 0, "%s", name);
        }
}

/* A pattern that is not kept takes the time of its table. */
Test(traffic_pattern, a_flood_takes_the_time_of_a_table)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    for (unsigned i = 0; i < 2; i++) {
        struct asked a;
        const char *slots = i ? "66000" : "65000"; /* 2 messages each: below and above the bound */
        ask(&a, "small-htmt", 2, HTMT_MODEL,
            GIVEN("pattern", "uniform", "bytes", "80", "slots", slots));
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        cr_assert_eq(htmt_predicted(a.outcome.emulator), (i ? 66000 : 65000) * 10 * NS + 100 * NS);
        done(&a);
    }
}

Test(traffic_pattern, a_flood_of_slots_waits_for_each)
{
    struct asked a;
    ask(&a, "htmt-oct98", 400, HTMT_MODEL,
        GIVEN("pattern", "all-to-all", "bytes", "80", "slots", "3"));
    cr_assert_eq(run(&a), 0, "%s", a.fault.text);
    /* 399 messages of 10 words at 10 Gword/s, 85 ns */
    cr_assert_eq(htmt_predicted(a.outcome.emulator), 3 * (399 + 85) * NS);
    done(&a);
}
