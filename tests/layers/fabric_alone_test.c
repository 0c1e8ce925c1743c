/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A message that meets nobody takes what the closed form says, whatever is inside its network.
 */
#include "tests/fabric/player.h"
#include "tests/layers/network.h"

enum { MESSAGES = 64 };

static struct htmt__inside draw_inside(uint64_t *state)
{
    static const struct {
        enum htmt__topology_kind topology;
        enum htmt__routing routing;
        const char *shape;
    } form[] = {{HTMT__MESH, HTMT__ROUTE_XY, "5 x 4"},
                {HTMT__TORUS, HTMT__ROUTE_TORUS, "6 x 5"},
                {HTMT__TREE, HTMT__ROUTE_UP_DOWN, "3 x 3"},
                {HTMT__BUTTERFLY, HTMT__ROUTE_SHORTEST, "2 x 4"}};
    const uint32_t n = draw_below(state, 4);
    struct htmt__inside in = t_inside(form[n].topology, form[n].routing, form[n].shape, 1);
    in.switching = (enum htmt__switching)draw_below(state, 3);
    in.byte = (struct htmt_ratio){1 + draw_below(state, 1000), 1 + draw_below(state, 3)};
    in.packet = draw_below(state, 4) ? 10 + draw_below(state, 100) : 0;
    in.header = draw_below(state, 20);
    in.header_hop = draw_below(state, 3);
    in.wire = draw_below(state, 3000);
    in.turn = draw_below(state, 2000);
    in.planes = 1 + draw_below(state, 3);
    in.setup = draw_below(state, 3) ? 0 : draw_below(state, 5000);
    in.route = draw_below(state, 3) ? 0 : draw_below(state, 20000);
    if (draw_below(state, 3) == 0)
        in.copy = (struct htmt_ratio){draw_below(state, 300), 1};
    return in;
}

static void send_all(struct graph *g, uint32_t source, uint32_t target, uint64_t bytes)
{
    static struct sent sent[MESSAGES];
    struct player p;
    player_create(&p, g, sent, MESSAGES);
    const uint32_t n = htmt__fabric_packets(p.f, bytes);
    cr_assert_leq(n, MESSAGES);
    for (uint32_t i = 0; i < MESSAGES; i++)
        sent[i] = (struct sent){.source = source, .target = target, .at = i < n ? 0 : -1};
    for (uint32_t i = 0; i < n; i++) {
        struct htmt__packet packet = {.source = source, .target = target};
        htmt__fabric_cut(p.f, bytes, i, &packet);
        sent[i].bytes = packet.bytes;
    }
    player_run(&p);
    const htmt_time known = htmt__route_alone(&g->t, source, target, bytes);
    const struct htmt__inside *in = &g->t.inside;
    cr_expect_eq(p.last, known,
                 "%ld, not %ld: %u packets, topology %d, switching %d, byte %lu/%lu, header %lu + "
                 "%lu, wire %ld, turn %ld, planes %u, setup %ld, route %ld, copy %lu",
                 p.last, known, n, in->topology, in->switching, in->byte.num, in->byte.den,
                 in->header, in->header_hop, in->wire, in->turn, in->planes, in->setup, in->route,
                 in->copy.num);
    player_destroy(&p);
}

Test(fabric_alone, a_message_takes_what_the_closed_form_says)
{
    uint64_t state = 5;
    for (int i = 0; i < 2000; i++) {
        struct htmt__inside in = draw_inside(&state);
        const uint32_t ends = htmt__topology_ends(&in);
        struct htmt__topology *t = t_make(&in, NULL, ends);
        struct graph g = {.t = *t};
        const uint32_t source = draw_below(&state, ends);
        const uint32_t target = (source + 1 + draw_below(&state, ends - 1)) % ends;
        send_all(&g, source, target, 1 + draw_below(&state, 600));
        htmt__topology_release(&t);
    }
}
