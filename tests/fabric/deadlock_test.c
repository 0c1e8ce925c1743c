/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packets that hold and want in a circle.
 */
#include "tests/fabric/player.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define US INT64_C(1000000000)

struct circle {
    const struct htmt__topology *t;
    unsigned count;
    uint64_t key[8];
    uint32_t held[8], wanted[8];
};

static void note(void *user, const struct htmt__packet *p, uint32_t held, uint32_t wanted)
{
    struct circle *c = user;
    cr_assert_lt(c->count, 8);
    c->key[c->count] = p->key;
    c->held[c->count] = held;
    c->wanted[c->count++] = wanted;
}

static struct htmt__inside ring(enum htmt__switching switching, uint32_t lanes)
{
    return (struct htmt__inside){.switching = switching,
                                 .byte = {US, 1},
                                 .lanes = lanes,
                                 .planes = 1,
                                 .wire = US,
                                 .buffer = 10,
                                 .packet = 10};
}

/* Four packets of two hops round a circle. */
static struct circle go_round(struct graph *g, uint32_t *missing)
{
    struct sent sent[4];
    struct player p;
    struct circle c = {.t = &g->t};
    for (uint32_t i = 0; i < 4; i++)
        sent[i] = (struct sent){.source = i, .target = (i + 2) % 4, .bytes = 10};
    player_create(&p, g, sent, 4);
    player_run(&p);
    *missing = player_missing(&p);
    struct htmt__blocked_edges edges = {0};
    cr_assert_eq(htmt__blocked_edges_find(p.f, p.place, &edges), 0);
    cr_expect_eq(htmt__fabric_stuck(p.f, &edges, note, &c), c.count);
    htmt__blocked_edges_clear(&edges);
    player_destroy(&p);
    return c;
}

static void names_four(enum htmt__switching switching)
{
    const struct htmt__inside i = ring(switching, 1);
    struct graph *g = graph_ring(4, &i);
    uint32_t missing;
    const struct circle c = go_round(g, &missing);
    cr_expect_eq(missing, 4, "switching %d: %u", switching, missing);
    cr_assert_eq(c.count, 4);
    for (unsigned n = 0; n < 4; n++) {
        cr_expect_eq(c.wanted[n], c.held[(n + 1) % 4]);
        cr_expect_neq(c.key[n], c.key[(n + 1) % 4]);
    }
    graph_destroy(g);
}

Test(deadlock, packets_round_a_ring_of_one_lane_are_four_names)
{
    names_four(HTMT__STORE_AND_FORWARD);
    names_four(HTMT__CUT_THROUGH);
    names_four(HTMT__WORMHOLE);
}

Test(deadlock, two_lanes_let_them_end)
{
    for (enum htmt__switching s = HTMT__STORE_AND_FORWARD; s <= HTMT__WORMHOLE; s++) {
        const struct htmt__inside i = ring(s, 2);
        struct graph *g = graph_torus(4, 1, &i);
        uint32_t missing;
        const struct circle c = go_round(g, &missing);
        cr_expect_eq(missing, 0, "switching %d: %u", s, missing);
        cr_expect_eq(c.count, 0);
        graph_destroy(g);
    }
}

static void try_mesh(uint64_t *seed)
{
    struct htmt__inside i = ring((enum htmt__switching)draw_below(seed, 3), 1);
    i.wire = draw_below(seed, 2) * US;
    i.control = draw_below(seed, 2) * US;
    i.turn = draw_below(seed, 3) * US;
    i.buffer = i.switching == HTMT__WORMHOLE ? 2 + draw_below(seed, 12) : 10 + draw_below(seed, 20);
    struct graph *g = graph_mesh(1 + draw_below(seed, 5), 1 + draw_below(seed, 5), &i);
    struct sent sent[40];
    struct player p;
    for (uint32_t n = 0; n < 40; n++)
        sent[n] = (struct sent){.source = draw_below(seed, g->t.ends),
                                .target = draw_below(seed, g->t.ends),
                                .bytes = 1 + draw_below(seed, 10),
                                .at = draw_below(seed, 60) * US};
    for (uint32_t n = 0; n < 40; n++)
        if (sent[n].source == sent[n].target)
            sent[n].at = -1;
    player_create(&p, g, sent, 40);
    player_run(&p);
    for (uint32_t n = 0; n < 40; n++)
        cr_expect(sent[n].at < 0 || sent[n].tail >= 0, "packet %u is stuck", n);
    player_destroy(&p);
    graph_destroy(g);
}

Test(deadlock, xy_on_meshes_never_is_one)
{
    uint64_t seed = 1;
    for (int i = 0; i < 10000; i++)
        try_mesh(&seed);
}
