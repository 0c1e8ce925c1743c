/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts, degrees and places of generated networks, against formulas.
 */
#include "layers/network/placement.h"
#include "tests/layers/network.h"

static uint32_t degree(const struct htmt__topology *t, uint32_t element)
{
    return t->first[element + 1] - t->first[element];
}

/* Channels stand by element and port; the other way leads back; an end has one channel each way. */
static void is_sound(const struct htmt__topology *t)
{
    uint32_t into = 0;
    cr_expect_eq(t->first[t->ends + t->switches], t->channels);
    for (uint32_t e = 0; e < t->ends + t->switches; e++)
        for (uint32_t c = t->first[e]; c < t->first[e + 1]; c++) {
            const struct htmt__wire *w = htmt__wire(t, c);
            cr_assert_eq(w->from, e);
            cr_assert(c == t->first[e] || w->port > htmt__wire(t, c - 1)->port);
            if (w->back == UINT32_MAX)
                continue;
            const struct htmt__wire *b = htmt__wire(t, w->back);
            cr_assert(b->back == c && b->from == w->to && b->to == w->from);
            cr_assert(b->port == w->to_port && b->to_port == w->port);
        }
    for (uint32_t e = 0; e < t->ends; e++) {
        cr_assert_eq(degree(t, e), 1);
        cr_assert_eq(htmt__wire(t, t->into[e])->to, e);
    }
    for (uint32_t c = 0; c < t->channels; c++)
        into += htmt__wire(t, c)->to < t->ends;
    cr_expect_eq(into, t->ends);
}

Test(topology, a_mesh_has_the_channels_of_its_edges)
{
    struct htmt__topology *t = t_shape(HTMT__MESH, HTMT__ROUTE_XY, "5 x 3 x 2");
    is_sound(t);
    cr_expect_eq(t->ends, 30);
    cr_expect_eq(t->switches, 30);
    /* 2 (4 * 3 * 2 + 5 * 2 * 2 + 5 * 3 * 1), and two an end */
    cr_expect_eq(t->channels, 2 * (24 + 20 + 15) + 2 * 30);
    cr_expect_eq(degree(t, 30), 4);              /* a corner and its end */
    cr_expect_eq(degree(t, 30 + 1 + 5 + 15), 6); /* 1, 1, 1: three of two, one of one, its end */
    htmt__topology_release(&t);
    cr_expect_null(t);
}

Test(topology, every_switch_of_a_torus_has_two_ports_a_dimension_and_one_of_its_end)
{
    struct htmt__topology *t = t_shape(HTMT__TORUS, HTMT__ROUTE_TORUS, "4 x 3 x 2");
    is_sound(t);
    cr_expect_eq(t->channels, 24 * (6 + 1) + 24);
    for (uint32_t s = 0; s < t->switches; s++)
        cr_expect_eq(degree(t, t->ends + s), 7);
    htmt__topology_release(&t);
    t = t_shape(HTMT__TORUS, HTMT__ROUTE_TORUS, "4 x 1");
    is_sound(t);
    cr_expect_eq(t->channels, 4 * 3 + 4, "a ring of one has no links");
    htmt__topology_release(&t);
}

Test(topology, a_tree_has_arity_children_a_switch_and_one_way_up)
{
    struct htmt__topology *t = t_shape(HTMT__TREE, HTMT__ROUTE_UP_DOWN, "3 x 4");
    is_sound(t);
    cr_expect_eq(t->ends, 81);
    cr_expect_eq(t->switches, 27 + 9 + 3 + 1);
    cr_expect_eq(t->channels, 2 * (81 + 39));
    cr_expect_eq(degree(t, t->ends), 4);
    cr_expect_eq(degree(t, t->ends + t->switches - 1), 3, "the root");
    cr_expect_eq(t->longest, 7);
    htmt__topology_release(&t);
}

Test(topology, a_butterfly_has_stages_of_switches_and_leads_one_way)
{
    struct htmt__topology *t = t_shape(HTMT__BUTTERFLY, HTMT__ROUTE_UP_DOWN, "2 x 4");
    is_sound(t);
    cr_expect_eq(t->ends, 16);
    cr_expect_eq(t->switches, 4 * 8);
    cr_expect_eq(t->channels, 16 + 4 * 16);
    for (uint32_t c = 0; c < t->channels; c++)
        cr_assert_eq(htmt__wire(t, c)->back, UINT32_MAX);
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t j = 0; j < 16; j++)
            cr_assert_eq(htmt__route_path(t, i, j, NULL, NULL, 0), 4);
    htmt__topology_release(&t);
}

Test(topology, a_crossbar_has_one_switch_and_a_port_for_each_end)
{
    struct htmt__inside in = t_inside(HTMT__CROSSBAR, HTMT__ROUTE_SHORTEST, NULL, 0);
    struct htmt__topology *t = t_make(&in, NULL, 7);
    is_sound(t);
    cr_expect_eq(t->switches, 1);
    cr_expect_eq(t->channels, 14);
    cr_expect_eq(htmt__route_path(t, 2, 2, NULL, NULL, 0), 1, "to itself through the switch");
    htmt__topology_release(&t);
}

Test(topology, shapes_are_read_and_follow_the_slices_where_they_say_so)
{
    struct htmt__inside in = t_inside(HTMT__MESH, HTMT__ROUTE_XY, "8x4", 1);
    cr_expect(in.dimensions == 2 && in.shape[0] == 8 && in.shape[1] == 4);
    in = t_inside(HTMT__TORUS, HTMT__ROUTE_XY, "square", 4096);
    cr_expect(in.dimensions == 2 && in.shape[0] == 64 && in.shape[1] == 64);
    in = t_inside(HTMT__TORUS, HTMT__ROUTE_XY, "square", 17);
    cr_expect(in.dimensions == 2 && in.shape[0] == 5 && in.shape[1] == 4);
    in = t_inside(HTMT__MESH, HTMT__ROUTE_XY, "cube", 28);
    cr_expect(in.dimensions == 3 && in.shape[0] == 4 && in.shape[2] == 2);
    in = t_inside(HTMT__BUTTERFLY, HTMT__ROUTE_UP_DOWN, "2", 4096);
    cr_expect(in.shape[0] == 2 && in.shape[1] == 12);
    in = t_inside(HTMT__TREE, HTMT__ROUTE_UP_DOWN, "4 x 3", 1);
    cr_expect(in.shape[0] == 4 && in.shape[1] == 3 && htmt__topology_ends(&in) == 64);
}

Test(topology, mistaken_shapes_are_refused)
{
    static const char *const bad[] = {"",      "8 x",     "x 8",
                                      "0 x 4", "8 y 4",   "-4",
                                      "8 8",   "4 x 4.5", "1 x 1 x 1 x 1 x 1 x 1 x 1 x 1 x 1"};
    char why[200];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct htmt__inside in = {.topology = HTMT__MESH};
        cr_expect_not(htmt__topology_shape(bad[i], 4, &in, why, sizeof why), "'%s'", bad[i]);
        in.topology = HTMT__TREE;
        cr_expect_not(htmt__topology_shape(bad[i], 4, &in, why, sizeof why), "'%s'", bad[i]);
    }
    struct htmt__inside tree = {.topology = HTMT__TREE};
    cr_expect_not(htmt__topology_shape("1 x 4", 4, &tree, why, sizeof why));
    cr_expect_not(htmt__topology_shape("2 x 2 x 2", 4, &tree, why, sizeof why));
    cr_expect_not(htmt__topology_shape("square", 4, &tree, why, sizeof why));
}

/* ---- slices ---------------------------------------------------------------------------------- */

Test(topology, a_grids_switch_belongs_to_the_slice_of_its_place_and_others_are_dealt)
{
    struct htmt__inside in = t_inside(HTMT__MESH, HTMT__ROUTE_XY, "4 x 4", 1);
    uint32_t place[16];
    struct htmt__topology *t = NULL;
    struct htmt_fault fault = {0};
    for (uint32_t i = 0; i < 16; i++)
        place[i] = 15 - i;
    cr_assert_eq(htmt__topology_create(&in, NULL, 16, place, &t, &fault), 0);
    for (uint32_t e = 0; e < 16; e++)
        cr_expect(t->slice_of[e] == 15 - e && t->end_of[15 - e] == e && t->owner[e] == 15 - e &&
                  t->owner[16 + e] == 15 - e);
    htmt__topology_release(&t);
    in = t_inside(HTMT__BUTTERFLY, HTMT__ROUTE_UP_DOWN, "2 x 3", 1);
    t = t_make(&in, NULL, 6);
    uint32_t of[6] = {0};
    for (uint32_t s = 0; s < 12; s++)
        of[t->owner[8 + s]]++;
    for (uint32_t i = 0; i < 6; i++)
        cr_expect_eq(of[i], 2);
    cr_expect_eq(t->slice_of[7], UINT32_MAX);
    htmt__topology_release(&t);
}

Test(topology, hilbert_leads_from_neighbour_to_neighbour_through_every_place)
{
    struct htmt__inside in = t_inside(HTMT__MESH, HTMT__ROUTE_XY, "16 x 16", 1);
    uint32_t end[256];
    bool seen[256] = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__place("hilbert", NULL, &in, NULL, 256, 256, end, &fault), 0);
    for (uint32_t i = 0; i < 256; i++) {
        cr_assert_not(seen[end[i]]);
        seen[end[i]] = true;
        if (i == 0)
            continue;
        int dx = abs((int)(end[i] % 16) - (int)(end[i - 1] % 16));
        int dy = abs((int)(end[i] / 16) - (int)(end[i - 1] / 16));
        cr_assert_eq(dx + dy, 1, "place %u", i);
    }
    for (uint32_t i = 0; i < 16; i++)
        cr_expect(end[i] % 16 < 4 && end[i] / 16 < 4, "the first sixteen are a square");
    in = t_inside(HTMT__MESH, HTMT__ROUTE_XY, "16 x 8", 1);
    cr_expect_eq(htmt__place("hilbert", NULL, &in, NULL, 128, 128, end, &fault), HTMT_EFORMAT);
}

Test(topology, the_longest_way_and_a_usual_pair_are_known)
{
    struct htmt__topology *t = t_shape(HTMT__TORUS, HTMT__ROUTE_TORUS, "64 x 64");
    cr_expect_eq(t->longest, 65);
    cr_expect_eq(htmt__route_path(t, t->usual[0], t->usual[1], NULL, NULL, 0), 33);
    htmt__topology_release(&t);
    t = t_shape(HTMT__MESH, HTMT__ROUTE_XY, "5 x 3");
    cr_expect_eq(t->longest, 7);
    htmt__topology_release(&t);
}

/* The first pair that is nearest to the mean of all, and the longest way, where each way is walked.
 */
static void expect_usual(enum htmt__topology_kind kind, enum htmt__routing routing,
                         const char *shape)
{
    struct htmt__topology *t = t_shape(kind, routing, shape);
    uint64_t sum = 0, pairs = (uint64_t)t->ends * (t->ends - 1), best = UINT64_MAX;
    uint32_t usual[2] = {0}, longest = 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < t->ends; i++)
            for (uint32_t j = 0; j < t->ends; j++) {
                const uint32_t n = htmt__route_path(t, i, j, NULL, NULL, 0);
                const uint64_t all = n * pairs, off = all > sum ? all - sum : sum - all;
                longest = n > longest ? n : longest;
                if (i == j)
                    continue;
                if (!pass)
                    sum += n;
                else if (off < best) {
                    best = off;
                    usual[0] = i;
                    usual[1] = j;
                }
            }
    cr_expect(t->usual[0] == usual[0] && t->usual[1] == usual[1], "%s, routing %d", shape, routing);
    cr_expect_eq(t->longest, longest, "%s, routing %d", shape, routing);
    htmt__topology_release(&t);
}

Test(topology, distances_in_grids_are_those_of_ways_that_are_walked)
{
    static const char *const shapes[] = {"5 x 3", "6 x 4", "3 x 1 x 4", "2 x 2 x 3"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        expect_usual(HTMT__MESH, HTMT__ROUTE_XY, shapes[i]);
        expect_usual(HTMT__MESH, HTMT__ROUTE_GEOMETRIC, shapes[i]);
        expect_usual(HTMT__TORUS, HTMT__ROUTE_XY, shapes[i]);
        expect_usual(HTMT__TORUS, HTMT__ROUTE_TORUS, shapes[i]);
        expect_usual(HTMT__TORUS, HTMT__ROUTE_SHORTEST, shapes[i]);
        expect_usual(HTMT__TORUS, HTMT__ROUTE_GEOMETRIC, shapes[i]);
    }
}

Test(topology, channels_are_laid_when_they_are_asked_for)
{
    struct htmt__topology *t = t_shape(HTMT__MESH, HTMT__ROUTE_XY, "64 x 64");
    uint32_t laid = 0, way[200];
    htmt__route_path(t, 0, 63, NULL, way, 200);
    for (uint32_t block = 0; block <= t->channels >> HTMT__BLOCK_BITS; block++)
        laid += t->laid[block];
    cr_expect_leq(laid, 64 * 4 / 64 + 4, "a row of switches, two ends, and the targets' own: %u",
                  laid);
    htmt__topology_release(&t);
}

Test(topology, elements_and_ports_have_names)
{
    struct htmt__topology *t = t_shape(HTMT__MESH, HTMT__ROUTE_XY, "4 x 4");
    char name[80];
    uint32_t way[8];
    cr_assert_eq(htmt__route_path(t, 5, 15, NULL, way, 8), 5);
    htmt__topology_name(t, 16 + 6, name, sizeof name);
    cr_expect_str_eq(name, "switch 2,1");
    static const char *const expected[] = {"end 5",         "switch 1,1 +x", "switch 2,1 +x",
                                           "switch 3,1 +y", "switch 3,2 +y", "switch 3,3 end"};
    for (unsigned i = 0; i < 6; i++) {
        htmt__topology_port_name(t, way[i], name, sizeof name);
        cr_expect_str_eq(name, expected[i]);
    }
    htmt__topology_release(&t);
    t = t_shape(HTMT__TREE, HTMT__ROUTE_UP_DOWN, "2 x 2");
    htmt__topology_port_name(t, t->first[4] + 2, name, sizeof name);
    cr_expect_str_eq(name, "switch 0 port 2");
    htmt__topology_release(&t);
}
