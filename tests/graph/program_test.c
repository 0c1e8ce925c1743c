/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Vertex programs without the emulator: on cells that are played one cycle after another.
 */
#include "apps/graph/reference.h"
#include "tests/graph/cell_player.h"
#include "tests/graph/graphs.h"
#include "tests/runtime/share.h"

#include <math.h>
#include <string.h>

static const struct htmt__vertex_costs costs = {.of = {{1, 1, 1}, {1, 1, 1}, {0, 3, 0}, {1, 1, 1}},
                                                .ghost = {{1, 1, 1}},
                                                .begin = 31,
                                                .score = 32,
                                                .reset = 35,
                                                .search = 1};

/* A small chip with small buffers, so that messages pass, wait and are filtered. */
static const struct cell_player_chip chip = {.side = 3,
                                             .torus = true,
                                             .throttle = true,
                                             .buffer = 1,
                                             .action = 60,
                                             .diffuse = 100,
                                             .own = 9,
                                             .cool = 3};

struct played {
    struct htmt__vertices all;
    struct htmt__placed place;
    uint32_t *in, *out;
    struct htmt__vertex *state;
    struct cell_player *player;
};

static struct played play_begin(const struct htmt__graph *g, enum htmt__graph_program program,
                                uint32_t root)
{
    struct htmt_fault fault = {0};
    struct played p = {.all = {.program = program, .costs = costs}};
    const struct htmt__place_rules rules = {.kind = HTMT__PLACE_CCA,
                                            .root = root,
                                            .side = chip.side,
                                            .slices = chip.side * chip.side,
                                            .least = 2,
                                            .most = 3,
                                            .ghosts = 2,
                                            .vicinity = 2};
    cr_assert_eq(htmt__graph_place(g, &rules, &p.place, &fault), 0);
    p.in = calloc(g->vertices, sizeof *p.in);
    p.out = calloc(g->vertices, sizeof *p.out);
    p.state = calloc(g->vertices, sizeof *p.state);
    for (uint32_t v = 0; v < g->vertices; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++) {
            p.out[v]++;
            p.in[g->edge[i].to]++;
        }
    p.all.in = p.in;
    p.all.out = p.out;
    return p;
}

static void play_end(struct played *p)
{
    cell_player_destroy(p->player);
    htmt__placed_clear(&p->place);
    free(p->in);
    free(p->out);
    free(p->state);
}

static void try_paths(const struct htmt__graph *g, uint32_t root, bool weights, uint64_t seed)
{
    double wanted[50], value[50];
    uint32_t parent[50], vertex;
    struct played p = play_begin(g, weights ? HTMT__GRAPH_SSSP : HTMT__GRAPH_BFS, root);
    p.all.place = &p.place;
    p.player = cell_player_create(&chip, &p.all, p.state);
    cell_player_post(p.player, (struct htmt__operon){root, HTMT__NOBODY, 0});
    cell_player_run(p.player);
    for (uint32_t v = 0; v < g->vertices; v++) {
        value[v] = p.state[v].value;
        parent[v] = p.state[v].parent;
    }
    cr_assert_eq((weights ? htmt__reference_distances : htmt__reference_levels)(g, root, wanted),
                 0);
    cr_expect_eq(memcmp(wanted, value, g->vertices * sizeof *value), 0, "graph %zu", (size_t)seed);
    cr_expect_eq(htmt__reference_rule(g, root, weights, value, parent, &vertex), 0, "graph %zu",
                 (size_t)seed);
    /* Each message is taken once. */
    const struct cell_player_counts *n = cell_player_count(p.player);
    cr_expect_eq(n->created, n->work + n->refused);
    cr_expect_eq(n->diffusions, n->done + n->outdated + n->filtered);
    play_end(&p);
}

Test(graph_program, paths_of_random_graphs_are_right_whatever_comes_first)
{
    const uint64_t graphs = getenv("HTMT_LONG") ? 10000 : share_of(200);
    for (uint64_t seed = 0; seed < graphs; seed++) {
        struct htmt__graph g = graph_at_random(seed, 50);
        const uint32_t root = (uint32_t)(seed % g.vertices);
        try_paths(&g, root, false, seed);
        try_paths(&g, root, true, seed);
        htmt__graph_destroy(&g);
    }
}

/* A circle, along which all ranks are reached, and chords. */
static struct htmt__graph circle(uint64_t seed, uint32_t vertices)
{
    struct htmt__graph_line line[200];
    uint64_t state = htmt__random_of(seed);
    for (uint32_t v = 0; v < vertices; v++)
        line[v] = (struct htmt__graph_line){v, (v + 1) % vertices, 1};
    for (uint32_t i = vertices; i < 4 * vertices; i++)
        line[i] = (struct htmt__graph_line){
            (uint32_t)htmt__random_below(htmt__random_next(&state), vertices),
            (uint32_t)htmt__random_below(htmt__random_next(&state), vertices), 1};
    return graph_of(vertices, line, 4 * vertices);
}

Test(graph_program, ranks_are_those_of_sweeps_in_any_order_of_sums)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct htmt__graph g = circle(seed, 20 + (uint32_t)seed);
        double wanted[50];
        struct played p = play_begin(&g, HTMT__GRAPH_PAGERANK, 3);
        p.all.place = &p.place;
        p.player = cell_player_create(&chip, &p.all, p.state);
        for (unsigned sweep = 1; sweep <= 5; sweep++) {
            cell_player_post(p.player, (struct htmt__operon){3, HTMT__NOBODY, 0});
            cell_player_run(p.player);
            cr_assert_eq(htmt__reference_ranks(&g, sweep, wanted), 0);
            for (uint32_t v = 0; v < g.vertices; v++)
                cr_expect_lt(fabs(p.state[v].value - wanted[v]), 1e-15, "graph %zu, sweep %u",
                             (size_t)seed, sweep);
        }
        play_end(&p);
        htmt__graph_destroy(&g);
    }
}

Test(graph_program, each_wedge_finds_its_third_edge_or_does_not)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct htmt_fault fault = {0};
        struct htmt__graph g = graph_at_random(seed, 50), oriented;
        uint64_t wanted = 0, found = 0, charge = 0;
        cr_assert_eq(htmt__graph_orient(&g, &oriented, &fault), 0);
        struct played p = play_begin(&oriented, HTMT__GRAPH_TRIANGLES, 0);
        const struct htmt__place_rules whole = {.kind = HTMT__PLACE_CYCLIC, .slices = 1};
        htmt__placed_clear(&p.place);
        cr_assert_eq(htmt__graph_place(&oriented, &whole, &p.place, &fault), 0);
        p.all.place = &p.place;
        p.player = cell_player_create(&chip, &p.all, p.state);
        for (uint32_t v = 0; v < g.vertices; v++)
            for (uint64_t i = 0; i < htmt__diffusion_count(&p.all, v); i++) {
                struct htmt__operon m = htmt__diffusion_next(
                                        &p.all, &(struct htmt__operon){.object = v}, i),
                                    none;
                cr_assert_neq(m.object, m.from);
                htmt__action_work(&p.all, &p.state[m.object], &m, &none, &charge);
            }
        for (uint32_t v = 0; v < g.vertices; v++)
            found += (uint64_t)p.state[v].value;
        cr_assert_eq(htmt__reference_triangles(&g, &wanted), 0);
        cr_expect_eq(found, wanted, "graph %zu: %zu, expected %zu", (size_t)seed, (size_t)found,
                     (size_t)wanted);
        play_end(&p);
        htmt__graph_destroy(&g);
        htmt__graph_destroy(&oriented);
    }
}

Test(graph_program, a_message_over_h_hops_is_executed_in_cycle_h_and_one_to_the_own_cell_in_1)
{
    /* Vertex 0 in the middle of a mesh of 5 x 5, vertex 1 right of it, and so on along the row,
     * then from the left. Vertex v has one edge to vertex v + 1, so a path of 2 edges: action of
     * vertex 0 in cycle 0; with no costs its diffusion in 1, staged in 2, one hop, executed in 3.
     */
    static const struct htmt__graph_line line[] = {{0, 1, 1}, {1, 1, 1}};
    const struct cell_player_chip mesh = {
        .side = 5, .buffer = 4, .action = 9, .diffuse = 9, .own = 22, .cool = 22};
    struct htmt__graph g = graph_of(2, line, 2);
    struct htmt_fault fault = {0};
    struct played p = play_begin(&g, HTMT__GRAPH_BFS, 0);
    const struct htmt__place_rules rules = {.kind = HTMT__PLACE_CCA,
                                            .side = 5,
                                            .slices = 25,
                                            .least = 10,
                                            .most = 15,
                                            .ghosts = 3,
                                            .vicinity = 2};
    htmt__placed_clear(&p.place);
    cr_assert_eq(htmt__graph_place(&g, &rules, &p.place, &fault), 0);
    p.all.place = &p.place;
    p.all.costs = (struct htmt__vertex_costs){.search = 0};
    p.player = cell_player_create(&mesh, &p.all, p.state);
    cell_player_post(p.player, (struct htmt__operon){0, HTMT__NOBODY, 0});
    cell_player_run(p.player);
    /* 0 act, 1 diffuse, 2 stage, 3 act at vertex 1, 4 diffuse, 5 stage to itself, 6 refused. */
    cr_expect_eq(cell_player_count(p.player)->cycles, 7u);
    cr_expect_eq(cell_player_count(p.player)->hops, 1u);
    cr_expect_eq(cell_player_count(p.player)->refused, 1u);
    play_end(&p);
    htmt__graph_destroy(&g);
}
