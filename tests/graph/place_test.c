/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/graph/place.h"
#include "tests/graph/graphs.h"

#define CCA(root_, side_)                                                                          \
    {                                                                                              \
        .kind = HTMT__PLACE_CCA, .root = (root_), .side = (side_), .slices = (side_) * (side_),    \
        .least = 10, .most = 15, .ghosts = 3, .vicinity = 2                                        \
    }

static struct htmt__placed placed(const struct htmt__graph *g, struct htmt__place_rules rules)
{
    struct htmt_fault fault = {0};
    struct htmt__placed p;
    cr_assert_eq(htmt__graph_place(g, &rules, &p, &fault), 0, "%s", fault.text);
    return p;
}

/* Each object holds its edges in the order of the graph, each edge is somewhere, and vertices of a
 * cell are numbered in order. */
static void expect_whole(const struct htmt__graph *g, const struct htmt__placed *p, uint32_t slices)
{
    uint64_t *held = calloc(g->vertices, sizeof *held), children = 0;
    uint32_t *vertex = calloc(p->objects, sizeof *vertex), *number = calloc(slices, sizeof *number);
    for (uint32_t o = 0; o < p->objects; o++) {
        if (o < p->vertices) {
            vertex[o] = o;
            cr_assert_eq(p->local[o], number[p->cell[o]]++);
        }
        cr_assert_lt(p->cell[o], slices);
        held[vertex[o]] += p->first[o + 1] - p->first[o];
        for (uint64_t k = p->first_child[o]; k < p->first_child[o + 1]; k++, children++)
            vertex[p->child[k]] = vertex[o]; /* made behind its parent, so met later */
    }
    for (uint32_t v = 0; v < g->vertices; v++)
        cr_assert_eq(held[v], g->first[v + 1] - g->first[v]);
    for (uint32_t s = 0; s < slices; s++)
        cr_assert_eq(number[s], p->first_member[s + 1] - p->first_member[s]);
    for (uint32_t v = 0; v < g->vertices; v++)
        cr_assert_eq(p->member[p->first_member[p->cell[v]] + p->local[v]], v);
    cr_assert_eq(children, p->objects - p->vertices);
    cr_assert_eq(p->first[p->objects], g->edges);
    free(held);
    free(vertex);
    free(number);
}

/* A vertex of `edges` edges to itself, alone. */
static void expect_ghosts(uint64_t edges, uint32_t ghosts, const uint64_t *held)
{
    struct htmt__graph_line *line = calloc(edges, sizeof *line);
    struct htmt__graph g = graph_of(1, line, edges);
    struct htmt__placed p = placed(&g, (struct htmt__place_rules)CCA(0, 8));
    cr_assert_eq(p.objects, 1 + ghosts, "%zu edges: %u objects", (size_t)edges, p.objects);
    for (uint32_t i = 0; i < ghosts; i++)
        cr_expect_eq(p.first[i + 2] - p.first[i + 1], held[i], "%zu edges, ghost %u", (size_t)edges,
                     i);
    expect_whole(&g, &p, 64);
    free(line);
    htmt__graph_destroy(&g);
    htmt__placed_clear(&p);
}

Test(graph_place, ghosts_hold_what_a_vertex_of_11_21_or_31_edges_does_not)
{
    /* Ten edges stay. Behind edges 15, 20 and 30 the next ghost takes its turn: 15 and 30 are
     * multiples of 15, and 20 is twice 10; 30 is also thrice 10, and still one turn. */
    expect_ghosts(10, 0, NULL);
    expect_ghosts(11, 1, (const uint64_t[]){1});
    expect_ghosts(21, 3, (const uint64_t[]){5, 5, 1});
    expect_ghosts(31, 3, (const uint64_t[]){6, 5, 10});
}

Test(graph_place, the_draws_are_those_of_glibc_from_1989_on)
{
    /* A lone vertex on 3 x 3 cells lies in the middle, cell 4. Its draws for the next ghost, x and
     * then y from 0 to 2: 1712774295 mod 3 = 0 and 1258263898 mod 3 = 1, which is cell 3; its next
     * one, 951877235 mod 3 = 2, 368450921 mod 3 = 2. So the first ghost is in cell 3. */
    struct htmt__graph_line line[11] = {{0}};
    struct htmt__graph g = graph_of(1, line, 11);
    struct htmt__placed p = placed(&g, (struct htmt__place_rules)CCA(0, 3));
    cr_assert_eq(p.objects, 2u);
    cr_expect_eq(p.cell[0], 4u);
    cr_expect_eq(p.cell[1], 3u);
    htmt__placed_clear(&p);
    /* The library's own generator goes on as it does. */
    srand(1989);
    cr_expect(rand() == 1712774295 && rand() == 1258263898);
    htmt__graph_destroy(&g);
}

Test(graph_place, vertices_follow_the_root_from_the_middle_on_and_ghosts_stay_near)
{
    struct htmt__graph g = graph_at_random(3, 50);
    const uint32_t root = g.vertices - 1;
    struct htmt__place_rules rules = CCA(root, 4);
    rules.least = 1;
    rules.most = 2;
    struct htmt__placed p = placed(&g, rules);
    for (uint32_t i = 0; i < g.vertices; i++)
        cr_expect_eq(p.cell[(root + i) % g.vertices], (10 + i) % 16);
    cr_expect_gt(p.objects, p.vertices);
    for (uint32_t o = 0; o < p.objects; o++)
        for (uint64_t k = p.first_child[o]; k < p.first_child[o + 1]; k++) {
            int a = (int)p.cell[o], b = (int)p.cell[p.child[k]];
            cr_expect(a != b && abs(a % 4 - b % 4) <= 2 && abs(a / 4 - b / 4) <= 2);
        }
    expect_whole(&g, &p, 16);
    htmt__placed_clear(&p);
    htmt__graph_destroy(&g);
}

Test(graph_place, every_kind_places_each_vertex_and_edge_once)
{
    static const struct htmt__graph_line loop[3] = {{0}};
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct htmt__graph g = seed ? graph_at_random(seed, 200) : graph_of(1, loop, 3);
        struct htmt__place_rules rules = CCA(0, 1 + (uint32_t)seed % 5);
        rules.seed = seed;
        for (int kind = 0; htmt__place_words[kind]; kind++) {
            rules.kind = (enum htmt__place_kind)kind;
            struct htmt__placed p = placed(&g, rules);
            expect_whole(&g, &p, rules.slices);
            cr_expect(kind == HTMT__PLACE_CCA || p.objects == p.vertices);
            for (uint32_t v = 0; kind == HTMT__PLACE_CYCLIC && v < g.vertices; v++)
                cr_expect_eq(p.cell[v], v % rules.slices);
            htmt__placed_clear(&p);
        }
        htmt__graph_destroy(&g);
    }
}

Test(graph_place, metis_cuts_fewer_edges_of_two_cliques_than_turns_do)
{
    struct htmt__graph_line line[2 * 90 + 1];
    uint64_t count = 0;
    for (uint32_t a = 0; a < 10; a++)
        for (uint32_t b = 0; b < 10; b++)
            if (a != b) { /* even numbers are one clique, odd ones the other */
                line[count++] = (struct htmt__graph_line){2 * a, 2 * b, 1};
                line[count++] = (struct htmt__graph_line){2 * a + 1, 2 * b + 1, 1};
            }
    line[count++] = (struct htmt__graph_line){0, 1, 1};
    struct htmt__graph g = graph_of(20, line, count);
    struct htmt__place_rules rules = CCA(0, 0);
    rules.slices = 2;
    rules.kind = HTMT__PLACE_METIS;
    struct htmt__placed p = placed(&g, rules);
    uint64_t cut = 0;
    for (uint32_t v = 0; v < 20; v++)
        for (uint64_t i = p.first[v]; i < p.first[v + 1]; i++)
            cut += p.cell[v] != p.cell[p.edge[i].to];
    cr_expect_eq(cut, 1u);
    cr_expect(p.first_member[1] == 10 && p.first_member[2] == 20);
    htmt__placed_clear(&p);
    htmt__graph_destroy(&g);
}
