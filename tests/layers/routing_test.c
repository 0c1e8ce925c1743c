/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ways through networks: their lengths against formulas and another computation, circles among
 * channels, ports that messages bring, and the time of a message that meets nobody.
 */
#include "tests/layers/network.h"

/* ---- lengths --------------------------------------------------------------------------------- */

/* Links between switches on all ways from each end to each other one. */
static uint64_t all_hops(const struct htmt__topology *t)
{
    uint64_t hops = 0;
    for (uint32_t a = 0; a < t->ends; a++)
        for (uint32_t b = 0; b < t->ends; b++)
            hops += a == b ? 0 : htmt__route_path(t, a, b, NULL, NULL, 0) - 1;
    return hops;
}

/* Mean hops of an n x n mesh are 2 (n^2 - 1) / (3 n) N / (N - 1) (M.hops.all2all). */
Test(routing, a_mesh_has_the_mean_hops_of_the_formula)
{
    static const char *const shape[] = {"2 x 2", "4 x 4", "8 x 8"};
    for (uint32_t i = 0, n = 2; i < 3; i++, n *= 2) {
        struct htmt__topology *t = t_shape(HTMT__MESH, HTMT__ROUTE_XY, shape[i]);
        uint64_t nodes = n * n;
        /* sum over N (N - 1) pairs: 2 (n^2 - 1) N^2 / (3 n) */
        cr_expect_eq(all_hops(t) * 3 * n, 2 * (n * n - 1) * nodes * nodes);
        htmt__topology_release(&t);
    }
}

/* Mean hops of the partner N - 1 - p are n, of N / 2 + p they are n / 2 (M.hops, M.equal.hops). */
Test(routing, partners_of_a_mesh_are_as_far_as_the_formulas_say)
{
    for (uint32_t n = 4; n <= 8; n *= 2) {
        struct htmt__topology *t = t_shape(HTMT__MESH, HTMT__ROUTE_XY, n == 4 ? "4 x 4" : "8 x 8");
        uint32_t nodes = n * n, unequal = 0;
        for (uint32_t p = 0; p < nodes; p++) {
            unequal += htmt__route_path(t, p, nodes - 1 - p, NULL, NULL, 0) - 1;
            cr_expect_eq(htmt__route_path(t, p, (nodes / 2 + p) % nodes, NULL, NULL, 0) - 1, n / 2);
        }
        cr_expect_eq(unequal, n * nodes);
        htmt__topology_release(&t);
    }
}

/* A ring of even n has a mean of n / 4 to all n places, of odd n (n^2 - 1) / (4 n). */
Test(routing, a_torus_has_the_mean_hops_of_the_formula)
{
    struct htmt__topology *t = t_shape(HTMT__TORUS, HTMT__ROUTE_TORUS, "8 x 6");
    cr_expect_eq(all_hops(t), 48 * 48 * (8 + 6) / 4);
    htmt__topology_release(&t);
    t = t_shape(HTMT__TORUS, HTMT__ROUTE_TORUS, "5 x 7");
    cr_expect_eq(all_hops(t) * 35, 35 * 35 * (24 * 7 + 48 * 5) / 4);
    htmt__topology_release(&t);
}

/* All-to-all by XY: n^3 / 4 messages over the busiest link (M.load.all2all). */
Test(routing, all_to_all_loads_the_busiest_link_of_a_mesh_n_cubed_over_four_times)
{
    for (uint32_t n = 4; n <= 8; n *= 2) {
        struct htmt__topology *t = t_shape(HTMT__MESH, HTMT__ROUTE_XY, n == 4 ? "4 x 4" : "8 x 8");
        uint32_t *load = calloc(t->channels, sizeof *load), way[32], most = 0;
        for (uint32_t a = 0; a < t->ends; a++)
            for (uint32_t b = 0; b < t->ends; b++) {
                uint32_t s = a == b ? 0 : htmt__route_path(t, a, b, NULL, way, 32);
                for (uint32_t i = 1; i < s; i++)
                    most = ++load[way[i]] > most ? load[way[i]] : most;
            }
        cr_expect_eq(most, n * n * n / 4);
        free(load);
        htmt__topology_release(&t);
    }
}

/* Distances by relaxation until nothing changes: another computation than that of the tables. */
static void relax(const struct htmt__topology *t, uint32_t *far)
{
    uint32_t n = t->switches;
    for (uint32_t i = 0; i < n * n; i++)
        far[i] = i / n == i % n ? 0 : 1000;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t c = 0; c < t->channels; c++)
            for (uint32_t to = 0;
                 htmt__wire(t, c)->from >= t->ends && htmt__wire(t, c)->to >= t->ends && to < n;
                 to++) {
                uint32_t *own = &far[(htmt__wire(t, c)->from - t->ends) * n + to];
                uint32_t by = far[(htmt__wire(t, c)->to - t->ends) * n + to] + 1;
                changed = changed || by < *own;
                *own = by < *own ? by : *own;
            }
    }
}

static void is_shortest(const struct htmt__topology *t)
{
    uint32_t far[32 * 32];
    relax(t, far);
    for (uint32_t a = 0; a < t->ends; a++)
        for (uint32_t b = 0; b < t->ends; b++) {
            uint32_t way[64], s = htmt__route_path(t, a, b, NULL, way, 64);
            uint32_t from = htmt__wire(t, way[0])->to - t->ends,
                     to = htmt__wire(t, way[s])->from - t->ends;
            cr_assert_eq(s - 1, far[from * t->switches + to]);
            for (uint32_t i = 1; i < s; i++)
                for (uint32_t c = t->first[htmt__wire(t, way[i])->from]; c < way[i]; c++) {
                    if (htmt__wire(t, c)->to < t->ends || t->inside.routing != HTMT__ROUTE_SHORTEST)
                        continue;
                    uint32_t here = htmt__wire(t, c)->from - t->ends,
                             there = htmt__wire(t, c)->to - t->ends;
                    cr_assert_neq(far[there * t->switches + to] + 1, far[here * t->switches + to],
                                  "a lower port is as near");
                }
        }
}

/* What all pairs send over the channels of each direction: port 2 d leads forward in dimension d,
 * the next one back. By hand of a ring of 8: 10 hops forward a source, 6 back; of both balanced 8.
 */
Test(routing, balanced_ties_load_both_directions_of_an_even_torus_alike)
{
    static const struct {
        const char *shape;
        enum htmt__routing routing;
        bool balanced;
    } rows[] = {{"8", HTMT__ROUTE_TORUS, false},        {"8", HTMT__ROUTE_TORUS, true},
                {"8 x 8", HTMT__ROUTE_TORUS, true},     {"8 x 6", HTMT__ROUTE_SHORTEST, true},
                {"4 x 4 x 4", HTMT__ROUTE_TORUS, true}, {"6 x 4", HTMT__ROUTE_GEOMETRIC, true},
                {"7 x 5", HTMT__ROUTE_TORUS, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct htmt__inside in = t_inside(HTMT__TORUS, rows[i].routing, rows[i].shape, 1);
        in.ties = rows[i].balanced ? HTMT__TIES_BALANCED : HTMT__TIES_FORWARD;
        const uint32_t ends = htmt__topology_ends(&in);
        struct htmt__topology *t = t_make(&in, NULL, ends);
        uint32_t *load = calloc(t->channels, sizeof *load), way[64];
        for (uint32_t a = 0; a < ends; a++)
            for (uint32_t b = 0; b < ends; b++) {
                uint32_t s = a == b ? 0 : htmt__route_path(t, a, b, NULL, way, 64);
                for (uint32_t k = 1; k < s; k++)
                    load[way[k]]++;
            }
        for (uint32_t d = 0; d < in.dimensions; d++) {
            uint64_t sum[2] = {0};
            uint32_t least = UINT32_MAX, most = 0;
            for (uint32_t c = 0; c < t->channels; c++) {
                const struct htmt__wire *w = htmt__wire(t, c);
                if (w->from < ends || w->to < ends || w->port / 2 != d)
                    continue;
                sum[w->port % 2] += load[c];
                least = load[c] < least ? load[c] : least;
                most = load[c] > most ? load[c] : most;
            }
            if (rows[i].balanced)
                cr_expect_eq(sum[0], sum[1], "%s, dimension %u", rows[i].shape, d);
            else
                cr_expect(sum[0] == 80 && sum[1] == 48, "%lu, %lu", sum[0], sum[1]);
            if (rows[i].balanced && rows[i].routing != HTMT__ROUTE_GEOMETRIC)
                cr_expect_leq(20 * (uint64_t)most, 21 * (uint64_t)least, "%s: %u to %u",
                              rows[i].shape, least, most);
        }
        if (rows[i].routing != HTMT__ROUTE_GEOMETRIC && ends <= 32)
            is_shortest(t);
        if (rows[i].routing == HTMT__ROUTE_TORUS)
            cr_expect_not(t_has_circle(t), "%s", rows[i].shape);
        free(load);
        htmt__topology_release(&t);
    }
}

Test(routing, shortest_and_geometric_take_as_few_links_as_another_computation_finds)
{
    uint64_t state = 1;
    for (unsigned run = 0; run < 200; run++)
        for (unsigned r = 0; r < 2; r++) {
            struct htmt__inside in =
                t_inside(HTMT__GRAPH, r ? HTMT__ROUTE_GEOMETRIC : HTMT__ROUTE_SHORTEST, NULL, 0);
            uint32_t n = 2 + draw_below(&state, 12);
            struct htmt__topology *t =
                t_make(&in, t_random_graph(&state, n, draw_below(&state, 10)), n);
            is_shortest(t);
            htmt__topology_release(&t);
        }
}

Test(routing, grids_are_crossed_by_shortest_ways_under_each_routing_that_may)
{
    static const struct {
        enum htmt__topology_kind topology;
        enum htmt__routing routing;
    } both[] = {{HTMT__MESH, HTMT__ROUTE_XY},         {HTMT__MESH, HTMT__ROUTE_SHORTEST},
                {HTMT__MESH, HTMT__ROUTE_GEOMETRIC},  {HTMT__TORUS, HTMT__ROUTE_TORUS},
                {HTMT__TORUS, HTMT__ROUTE_GEOMETRIC}, {HTMT__TORUS, HTMT__ROUTE_SHORTEST}};
    static const char *const shape[] = {"5 x 4", "2 x 3 x 3", "9", "3 x 4 x 2"};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        for (size_t j = 0; j < sizeof shape / sizeof *shape; j++) {
            struct htmt__topology *t = t_shape(both[i].topology, both[i].routing, shape[j]);
            is_shortest(t);
            htmt__topology_release(&t);
        }
}

/* Steps of a way on which the routing does as htmt__route_straight() says. */
static uint32_t straight_steps(const struct htmt__topology *t, uint32_t source, uint32_t target)
{
    struct htmt__bound b = {source, target, NULL, 0, UINT32_MAX, 0, 0};
    struct htmt__next next = htmt__route_next(t, source, &b);
    struct htmt__straight s;
    uint32_t steps = 0;
    while (next.channel != UINT32_MAX) {
        b.channel = next.channel;
        b.lane = next.lane;
        b.hops++;
        next = htmt__route_next(t, htmt__wire(t, b.channel)->to, &b);
        if (!htmt__route_straight(t, b.channel, &s) ||
            htmt__route_coordinate(t, target, s.dimension) == s.at)
            continue;
        cr_assert_eq(next.channel, s.channel, "%u to %u, behind %u", source, target, b.channel);
        cr_assert_eq(next.lane, b.lane | s.lanes);
        steps++;
    }
    return steps;
}

Test(routing, packets_on_grids_go_straight_on_as_the_routing_says)
{
    static const struct {
        enum htmt__topology_kind topology;
        enum htmt__routing routing;
        uint32_t lanes;
    } ways[] = {{HTMT__MESH, HTMT__ROUTE_XY, 1},        {HTMT__MESH, HTMT__ROUTE_XY, 3},
                {HTMT__MESH, HTMT__ROUTE_SHORTEST, 2},  {HTMT__TORUS, HTMT__ROUTE_XY, 1},
                {HTMT__TORUS, HTMT__ROUTE_SHORTEST, 1}, {HTMT__TORUS, HTMT__ROUTE_TORUS, 2},
                {HTMT__TORUS, HTMT__ROUTE_TORUS, 6},    {HTMT__TORUS, HTMT__ROUTE_GEOMETRIC, 2}};
    static const char *const shapes[] = {"7", "5 x 4", "1 x 6", "2 x 2", "4 x 3 x 5"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        uint32_t steps = 0;
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            struct htmt__inside in =
                t_inside(ways[i].topology, ways[i].routing, shapes[k], ways[i].lanes);
            struct htmt__topology *t = t_make(&in, NULL, htmt__topology_ends(&in));
            for (uint32_t a = 0; a < t->ends; a++)
                for (uint32_t b = 0; b < t->ends; b++)
                    steps += a != b ? straight_steps(t, a, b) : 0;
            htmt__topology_release(&t);
        }
        cr_expect_eq(steps > 0, ways[i].routing != HTMT__ROUTE_GEOMETRIC);
    }
}

/* From 0,0 to 4,2 the line passes near 1,0 or 1,1: 2 y = x. */
Test(routing, geometric_keeps_to_the_straight_line)
{
    struct htmt__topology *t = t_shape(HTMT__MESH, HTMT__ROUTE_GEOMETRIC, "8 x 8");
    uint32_t way[16], s = htmt__route_path(t, 0, 2 * 8 + 4, NULL, way, 16);
    static const uint32_t place[] = {0, 1, 9, 10, 11, 19, 20};
    cr_assert_eq(s, 7);
    for (uint32_t i = 0; i < s; i++)
        cr_expect_eq(htmt__wire(t, way[i])->to - t->ends, place[i], "%u: %u", i,
                     htmt__wire(t, way[i])->to - t->ends);
    htmt__topology_release(&t);
}

/* ---- circles --------------------------------------------------------------------------------- */

Test(routing, xy_on_ten_thousand_random_meshes_has_no_circle)
{
    uint64_t state = 7;
    for (unsigned run = 0; run < 10000; run++) {
        struct htmt__inside in = t_inside(HTMT__MESH, HTMT__ROUTE_XY, "2 x 2", 1);
        in.dimensions = 1 + draw_below(&state, 3);
        in.lanes = 1 + draw_below(&state, 2);
        for (uint32_t d = 0; d < in.dimensions; d++)
            in.shape[d] = 1 + draw_below(&state, in.dimensions == 3 ? 3 : 4);
        struct htmt__topology *t = t_make(&in, NULL, htmt__topology_ends(&in));
        cr_assert_not(t_has_circle(t), "run %u", run);
        htmt__topology_release(&t);
    }
}

Test(routing, a_torus_has_a_circle_by_one_lane_and_none_by_two)
{
    static const char *const shape[] = {"4", "5", "4 x 4", "3 x 5", "2 x 7", "4 x 3 x 3"};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        struct htmt__topology *t = t_shape(HTMT__TORUS, HTMT__ROUTE_SHORTEST, shape[i]);
        cr_expect(t_has_circle(t), "%s", shape[i]);
        htmt__topology_release(&t);
        for (uint32_t lanes = 2; lanes <= 4; lanes += 2) {
            struct htmt__inside in = t_inside(HTMT__TORUS, HTMT__ROUTE_TORUS, shape[i], 1);
            in.lanes = lanes;
            t = t_make(&in, NULL, htmt__topology_ends(&in));
            cr_expect_not(t_has_circle(t), "%s, %u lanes", shape[i], lanes);
            htmt__topology_release(&t);
        }
    }
}

Test(routing, up_down_on_a_thousand_random_graphs_has_no_circle_and_shortest_has_some)
{
    uint64_t state = 3;
    unsigned circles = 0;
    for (unsigned run = 0; run < 1000; run++) {
        uint32_t n = 2 + draw_below(&state, 12), more = draw_below(&state, 12);
        uint64_t same = state;
        struct htmt__inside in = t_inside(HTMT__GRAPH, HTMT__ROUTE_UP_DOWN, NULL, 0);
        struct htmt__topology *t = t_make(&in, t_random_graph(&state, n, more), n);
        cr_assert_not(t_has_circle(t), "run %u", run);
        htmt__topology_release(&t);
        in.routing = HTMT__ROUTE_SHORTEST;
        t = t_make(&in, t_random_graph(&same, n, more), n);
        circles += t_has_circle(t);
        htmt__topology_release(&t);
    }
    cr_expect_gt(circles, 100, "the check finds circles where there are some");
}

Test(routing, trees_and_butterflies_have_no_circle)
{
    struct htmt__topology *t = t_shape(HTMT__TREE, HTMT__ROUTE_UP_DOWN, "3 x 3");
    cr_expect_not(t_has_circle(t));
    htmt__topology_release(&t);
    t = t_shape(HTMT__BUTTERFLY, HTMT__ROUTE_UP_DOWN, "3 x 3");
    cr_expect_not(t_has_circle(t));
    htmt__topology_release(&t);
}

/* ---- graphs that are grids ------------------------------------------------------------------- */

/* A ring of columns x rows as a graph, with an end each; `wrap` closes the columns. */
static struct htmt__switch_graph *grid(uint32_t columns, uint32_t rows, bool wrap)
{
    char *text = NULL;
    size_t size;
    struct htmt__switch_graph *g = NULL;
    struct htmt_fault fault = {0};
    FILE *f = open_memstream(&text, &size);
    fputs("htmt-graph: 1\nends: [e0-0", f);
    for (uint32_t i = 1; i < columns * rows; i++)
        fprintf(f, ", e%u-%u", i % columns, i / columns);
    fputs("]\nswitches:\n", f);
    for (uint32_t i = 0; i < columns * rows; i++)
        fprintf(f, "  s%u-%u: {ports: [n, e, s, w, end], at: [%u, %u]}\n", i % columns, i / columns,
                i % columns, i / columns);
    fputs("links:\n", f);
    for (uint32_t i = 0; i < columns * rows; i++) {
        uint32_t x = i % columns, y = i / columns;
        fprintf(f, "  - e%u-%u - s%u-%u.end\n", x, y, x, y);
        if (x + 1 < columns)
            fprintf(f, "  - s%u-%u.e - s%u-%u.w\n", x, y, x + 1, y);
        if (y + 1 < rows || wrap)
            fprintf(f, "  - s%u-%u.s - s%u-%u.n\n", x, y, x, (y + 1) % rows);
    }
    fclose(f);
    cr_assert_eq(htmt__topology_graph_parse("grid", text, &g, &fault), 0, "%s", fault.text);
    free(text);
    return g;
}

Test(routing, a_graph_with_the_places_of_a_grid_is_routed_like_one)
{
    struct htmt__inside in = t_inside(HTMT__GRAPH, HTMT__ROUTE_XY, NULL, 0);
    struct htmt__topology *t = t_make(&in, grid(4, 5, false), 20);
    struct htmt__topology *mesh = t_shape(HTMT__MESH, HTMT__ROUTE_XY, "4 x 5");
    uint32_t a[16], b[16];
    for (uint32_t i = 0; i < 20; i++)
        for (uint32_t j = 0; j < 20; j++) {
            uint32_t n = htmt__route_path(t, i, j, NULL, a, 16);
            cr_assert_eq(n, htmt__route_path(mesh, i, j, NULL, b, 16));
            for (uint32_t k = 0; k <= n; k++)
                cr_assert_eq(htmt__wire(t, a[k])->to, htmt__wire(mesh, b[k])->to);
        }
    cr_expect_not(t_has_circle(t));
    htmt__topology_release(&mesh);
    htmt__topology_release(&t);
}

Test(routing, a_wrap_of_a_graph_has_a_circle_by_shortest_ways_and_none_by_two_lanes)
{
    struct htmt__inside in = t_inside(HTMT__GRAPH, HTMT__ROUTE_SHORTEST, NULL, 0);
    struct htmt__topology *t = t_make(&in, grid(2, 8, true), 16);
    cr_expect(t_has_circle(t));
    htmt__topology_release(&t);
    in = t_inside(HTMT__GRAPH, HTMT__ROUTE_TORUS, NULL, 0);
    t = t_make(&in, grid(2, 8, true), 16);
    cr_expect_not(t_has_circle(t));
    cr_expect_eq(htmt__route_path(t, 0, 14, NULL, NULL, 0), 2, "over the wrap");
    is_shortest(t);
    htmt__topology_release(&t);
}

Test(routing, a_grid_that_lacks_a_link_of_a_way_is_refused)
{
    static const char text[] = "htmt-graph: 1\nends: [a, b, c]\nswitches:\n"
                               "  1: {ports: 3, at: [0, 0]}\n  2: {ports: 3, at: [0, 1]}\n"
                               "  3: {ports: 3, at: [1, 1]}\n"
                               "links: [a - 1.0, b - 2.0, c - 3.0, 1.1 - 2.1, 2.2 - 3.1]\n";
    struct htmt__inside in = t_inside(HTMT__GRAPH, HTMT__ROUTE_XY, NULL, 0);
    struct htmt__switch_graph *g = NULL;
    struct htmt__topology *t = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__topology_graph_parse("g", text, &g, &fault), 0, "%s", fault.text);
    cr_expect_eq(htmt__topology_create(&in, g, 3, NULL, &t, &fault), HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, "no link leads on from switch '1' on the way from 'a' to 'c'");
    cr_expect_null(t);
}

/* ---- ports that a message brings ------------------------------------------------------------- */

static const char *refusal(const struct htmt__topology *t, uint32_t from, uint32_t to,
                           const uint16_t *ports, uint32_t count, struct htmt_fault *fault)
{
    *fault = (struct htmt_fault){0};
    cr_expect_eq(htmt__route_check(t, from, to, ports, count, fault), HTMT_EFORMAT);
    return fault->text;
}

Test(routing, a_route_of_ports_is_followed_or_refused_with_its_mistake)
{
    struct htmt__inside in = t_inside(HTMT__GRAPH, HTMT__ROUTE_SOURCE, NULL, 0);
    struct htmt__switch_graph *g = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__topology_graph_load("machines/graphs/hpsc-simple.yaml", NULL, &g, &fault), 0,
                 "%s", fault.text);
    struct htmt__topology *t = t_make(&in, g, 6);
    static const uint16_t around[] = {3, 2, 0, 2}, straight[] = {2, 2}, back[] = {2, 1, 2, 2},
                          missing[] = {0}, early[] = {2};
    uint32_t way[8];
    cr_assert_eq(htmt__route_check(t, 0, 3, around, 4, &fault), 0, "%s", fault.text);
    cr_expect_eq(htmt__route_path(t, 0, 3, around, way, 8), 4);
    char name[80];
    htmt__topology_port_name(t, way[2], name, sizeof name);
    cr_expect_str_eq(name, "2.2");
    cr_expect_eq(htmt__route_path(t, 0, 3, NULL, NULL, 0), 2, "without a route the shortest");
    cr_expect_eq(htmt__route_check(t, 0, 3, straight, 2, &fault), 0);
    cr_expect_str_eq(refusal(t, 0, 4, straight, 2, &fault),
                     "the route leads to node-top, expected node-middle");
    cr_expect_str_eq(refusal(t, 0, 3, back, 4, &fault),
                     "port 1, number 2 of the route, at 3: the way goes round in a circle");
    cr_expect_str_eq(refusal(t, 0, 3, missing, 1, &fault),
                     "port 0, number 1 of the route, at 1: there is no link");
    cr_expect_str_eq(refusal(t, 0, 3, early, 1, &fault), "the route leads to 3, expected node-top");
    cr_expect_str_eq(refusal(t, 0, 3, around, 5, &fault),
                     "a route of 5 ports ends after 4 of them");
    htmt__topology_release(&t);
}

/* ---- alone ----------------------------------------------------------------------------------- */

/* A row of `switches` switches, from one end of it to the other. */
static htmt_time row_time(struct htmt__inside *in, uint32_t switches, uint64_t bytes)
{
    in->topology = HTMT__MESH;
    in->dimensions = 1;
    in->shape[0] = switches;
    struct htmt__topology *t = t_make(in, NULL, switches);
    htmt_time time = htmt__route_alone(t, 0, switches - 1, bytes);
    htmt__topology_release(&t);
    return time;
}

/* Three switches of 1 us, 10 us a packet: 43 us, or 13 us; four packets 73 and 43 us. */
Test(routing, a_message_alone_takes_the_time_of_the_formulas)
{
    struct htmt__inside in = t_inside(HTMT__MESH, HTMT__ROUTE_XY, "3", 1);
    in.packet = 100;
    in.byte = (struct htmt_ratio){T_US / 10, 1};
    in.turn = T_US;
    in.switching = HTMT__STORE_AND_FORWARD;
    cr_expect_eq(row_time(&in, 3, 100), 43 * T_US);
    cr_expect_eq(row_time(&in, 3, 400), 73 * T_US);
    for (in.switching = HTMT__CUT_THROUGH; in.switching <= HTMT__WORMHOLE; in.switching++) {
        cr_expect_eq(row_time(&in, 3, 100), 13 * T_US);
        cr_expect_eq(row_time(&in, 3, 400), 43 * T_US);
        cr_expect_eq(row_time(&in, 3, 350), 38 * T_US, "the last packet is half as long");
        cr_expect_eq(row_time(&in, 3, 0), 3 * T_US, "a signal");
    }
    in.wire = 2 * T_US;
    in.packet = 0;
    cr_expect_eq(row_time(&in, 3, 1000), (100 + 3 + 4 * 2) * T_US, "a whole message");
    in.header = 10;
    in.header_hop = 10;
    /* 14 us on the first channel; what a switch strips makes up for the time of its head there. */
    cr_expect_eq(row_time(&in, 3, 100), (14 + 4 * 2) * T_US);
    in.latency = 5 * T_US;
    cr_expect_eq(row_time(&in, 3, 100), (14 + 4 * 2 + 5) * T_US);
}

/* M.sf.one, many, four: h = 3 links, P = 120, r = 10, u = 5, b = 0.6, f = 0.1 us. */
Test(routing, the_papers_four_latencies_add_up_as_they_do_there)
{
    struct htmt__inside in = t_inside(HTMT__MESH, HTMT__ROUTE_XY, "2", 1);
    in.switching = HTMT__STORE_AND_FORWARD;
    in.packet = 120;
    in.byte = (struct htmt_ratio){6 * T_US / 10, 1};
    in.copy = (struct htmt_ratio){T_US / 10, 1};
    in.setup = 5 * T_US;
    in.route = 10 * T_US;
    cr_expect_eq(row_time(&in, 2, 120), 285 * T_US);
    cr_expect_eq(row_time(&in, 2, 960), 824 * T_US);
    in.planes = 4;
    cr_expect_eq(row_time(&in, 2, 960), 362 * T_US, "dealt");
    in.scaled = true;
    cr_expect_eq(row_time(&in, 2, 960), 266 * T_US, "scaled");
}

Test(routing, overflow_is_minus_one)
{
    struct htmt__inside in = t_inside(HTMT__MESH, HTMT__ROUTE_XY, "2", 1);
    in.byte = (struct htmt_ratio){T_US, 1};
    cr_expect_eq(row_time(&in, 2, UINT64_MAX / 2), -1);
    in.packet = 1;
    cr_expect_eq(row_time(&in, 2, UINT64_MAX / 2), -1);
}
