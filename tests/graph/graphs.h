/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs for tests: small ones at random, and shapes.
 */
#ifndef HTMT_TESTS_GRAPH_GRAPHS_H
#define HTMT_TESTS_GRAPH_GRAPHS_H

#include "apps/formats/graph.h"
#include "runtime/base/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static inline struct htmt__graph graph_of(uint32_t vertices, const struct htmt__graph_line *line,
                                          uint64_t count)
{
    struct htmt_fault fault = {0};
    struct htmt__graph_list list = {.vertices = vertices};
    struct htmt__graph g;
    for (uint64_t i = 0; i < count; i++)
        cr_assert(htmt__graph_list_add(&list, line[i].from, line[i].to, line[i].weight));
    cr_assert_eq(htmt__graph_build(&list, &g, &fault), 0, "%s", fault.text);
    return g;
}

/* 1 to `most` vertices and up to four times as many edges, with loops and doubles; of every other
 * one each edge in both directions; weights 0 to 9. */
static inline struct htmt__graph graph_at_random(uint64_t seed, uint32_t most)
{
    struct htmt_fault fault = {0};
    uint64_t state = htmt__random_of(seed);
    struct htmt__graph_list list = {
        .vertices = 1 + (uint32_t)htmt__random_below(htmt__random_next(&state), most),
        .both = seed % 2};
    struct htmt__graph g;
    uint64_t edges = htmt__random_below(htmt__random_next(&state), UINT64_C(4) * list.vertices + 1);
    for (uint64_t i = 0; i < edges; i++) {
        uint32_t from = (uint32_t)htmt__random_below(htmt__random_next(&state), list.vertices);
        uint32_t to = (uint32_t)htmt__random_below(htmt__random_next(&state), list.vertices);
        float weight = (float)htmt__random_below(htmt__random_next(&state), 10);
        cr_assert(htmt__graph_list_add(&list, from, to, weight));
    }
    cr_assert_eq(htmt__graph_build(&list, &g, &fault), 0, "%s", fault.text);
    return g;
}

#endif
