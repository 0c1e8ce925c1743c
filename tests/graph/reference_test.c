/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/graph/reference.h"
#include "tests/graph/graphs.h"

#include <math.h>
#include <string.h>

/* As often as there are vertices, all edges: Bellman and Ford's, with parents. */
static void relax(const struct htmt__graph *g, uint32_t root, bool weights, double *value,
                  uint32_t *parent)
{
    for (uint32_t v = 0; v < g->vertices; v++) {
        value[v] = INFINITY;
        parent[v] = UINT32_MAX;
    }
    value[root] = 0;
    for (uint32_t k = 0; k < g->vertices; k++)
        for (uint32_t v = 0; v < g->vertices; v++)
            for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++) {
                double way = value[v] + (weights ? (double)g->edge[i].weight : 1);
                if (way < value[g->edge[i].to]) {
                    value[g->edge[i].to] = way;
                    parent[g->edge[i].to] = v;
                }
            }
}

Test(graph_reference, levels_and_distances_are_those_of_bellman_and_ford_and_keep_the_rules)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct htmt__graph g = graph_at_random(seed, 50);
        const uint32_t root = (uint32_t)(seed * 7 % g.vertices);
        double value[50], found[50];
        uint32_t parent[50], vertex;
        relax(&g, root, false, value, parent);
        cr_assert_eq(htmt__reference_levels(&g, root, found), 0);
        cr_expect_eq(memcmp(value, found, g.vertices * sizeof *value), 0, "levels of %zu",
                     (size_t)seed);
        cr_expect_eq(htmt__reference_rule(&g, root, false, value, parent, &vertex), 0);
        relax(&g, root, true, value, parent);
        cr_assert_eq(htmt__reference_distances(&g, root, found), 0);
        cr_expect_eq(memcmp(value, found, g.vertices * sizeof *value), 0, "distances of %zu",
                     (size_t)seed);
        cr_expect_eq(htmt__reference_rule(&g, root, true, value, parent, &vertex), 0);
        htmt__graph_destroy(&g);
    }
}

Test(graph_reference, triangles_are_counted_as_three_loops_do)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct htmt__graph g = graph_at_random(seed, 30);
        unsigned char joined[30][30] = {{0}};
        uint64_t wanted = 0, found = 0;
        for (uint32_t v = 0; v < g.vertices; v++)
            for (uint64_t i = g.first[v]; i < g.first[v + 1]; i++)
                joined[v][g.edge[i].to] = joined[g.edge[i].to][v] = 1;
        for (uint32_t a = 0; a < g.vertices; a++)
            for (uint32_t b = a + 1; b < g.vertices; b++)
                for (uint32_t c = b + 1; c < g.vertices; c++)
                    wanted += joined[a][b] && joined[b][c] && joined[a][c];
        cr_assert_eq(htmt__reference_triangles(&g, &found), 0);
        cr_expect_eq(found, wanted, "graph %zu: %zu, expected %zu", (size_t)seed, (size_t)found,
                     (size_t)wanted);
        htmt__graph_destroy(&g);
    }
}

Test(graph_reference, ranks_of_a_graph_by_hand)
{
    /* 0 -> 1, 0 -> 2, 1 -> 2, 2 -> 0; one sweep from 1/3: 1 gets half a third, 2 that and a third,
     * 0 a third. */
    static const struct htmt__graph_line line[] = {{0, 1, 1}, {0, 2, 1}, {1, 2, 1}, {2, 0, 1}};
    struct htmt__graph g = graph_of(3, line, 4);
    double rank[3];
    cr_assert_eq(htmt__reference_ranks(&g, 1, rank), 0);
    cr_expect_lt(fabs(rank[0] - (.05 + .85 / 3)), 1e-15);
    cr_expect_lt(fabs(rank[1] - (.05 + .85 / 6)), 1e-15);
    cr_expect_lt(fabs(rank[2] - (.05 + .85 / 2)), 1e-15);
    cr_assert_eq(htmt__reference_ranks(&g, 200, rank), 0);
    cr_expect_lt(fabs(rank[0] + rank[1] + rank[2] - 1), 1e-14);
    htmt__graph_destroy(&g);
}

/* 0 - 1 - 2 - 3 and 0 - 2, both ways, 4 alone and 5 -> 5. */
static const struct htmt__graph_line path[] = {{0, 1, 1}, {1, 0, 1}, {1, 2, 1},
                                               {2, 1, 1}, {2, 3, 1}, {3, 2, 1},
                                               {0, 2, 2}, {2, 0, 2}, {5, 5, 1}};

static void expect_rule(int rule, bool weights, const double value[6], const uint32_t parent[6])
{
    struct htmt__graph g = graph_of(6, path, 9);
    uint32_t vertex;
    int found = htmt__reference_rule(&g, 0, weights, value, parent, &vertex);
    cr_expect_eq(found, rule, "rule %d, expected %d", found, rule);
    htmt__graph_destroy(&g);
}

#define X  INFINITY
#define NO UINT32_MAX
#define V(...)                                                                                     \
    (const double[6])                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define P(...)                                                                                     \
    (const uint32_t[6])                                                                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

Test(graph_reference, each_rule_of_graph500_is_told_where_it_is_broken)
{
    expect_rule(0, false, V(0, 1, 1, 2, X, X), P(NO, 0, 0, 2, NO, NO));
    expect_rule(0, true, V(0, 1, 2, 3, X, X), P(NO, 0, 1, 2, NO, NO));
    expect_rule(0, true, V(0, 1, 2, 3, X, X), P(NO, 0, 0, 2, NO, NO));
    expect_rule(1, false, V(0, 1, 1, 2, X, X), P(NO, 2, 1, 2, NO, NO));  /* a circle */
    expect_rule(1, false, V(0, 1, 1, 2, X, X), P(NO, 0, 0, 3, NO, NO));  /* its own parent */
    expect_rule(1, false, V(0, 1, 1, 2, X, X), P(0, 0, 0, 2, NO, NO));   /* the root has none */
    expect_rule(1, false, V(0, 1, 1, 2, X, X), P(NO, 0, 0, NO, NO, NO)); /* reached by nobody */
    expect_rule(1, false, V(0, 1, 1, 2, X, X), P(NO, 0, 0, 4, NO, NO));  /* by who is not */
    expect_rule(2, false, V(0, 1, 1, 1, X, X), P(NO, 0, 0, 2, NO, NO));
    expect_rule(2, false, V(1, 1, 1, 2, X, X), P(NO, 0, 0, 2, NO, NO)); /* the root is at 0 */
    expect_rule(3, false, V(0, 1, 2, 3, X, X), P(NO, 0, 1, 2, NO, NO)); /* over 0 - 2 */
    expect_rule(3, true, V(0, 1, 3, 4, X, X), P(NO, 0, 0, 2, NO, NO));
    expect_rule(4, false, V(0, 1, 1, X, X, X), P(NO, 0, 0, NO, NO, NO));
    expect_rule(5, false, V(0, 1, 1, 2, 2, X), P(NO, 0, 0, 2, 1, NO));
}
