/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Topologies for tests, and circles among the channels that ways take one after another.
 */
#ifndef HTMT_TESTS_LAYERS_NETWORK_H
#define HTMT_TESTS_LAYERS_NETWORK_H

#include "layers/network/routing.h"
#include "layers/network/switch_graph.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T_US INT64_C(1000000000)

static inline struct htmt__inside t_inside(enum htmt__topology_kind topology,
                                           enum htmt__routing routing, const char *shape,
                                           uint32_t slices)
{
    char why[200];
    struct htmt__inside in = {.topology = topology,
                              .routing = routing,
                              .byte = {0, 1},
                              .copy = {0, 1},
                              .local_byte = {0, 1},
                              .lanes = routing == HTMT__ROUTE_TORUS ? 2 : 1,
                              .planes = 1,
                              .router = -1};
    if (shape)
        cr_assert(htmt__topology_shape(shape, slices, &in, why, sizeof why), "%s", why);
    return in;
}

static inline struct htmt__topology *t_make(const struct htmt__inside *in,
                                            struct htmt__switch_graph *graph, uint32_t slices)
{
    struct htmt__topology *t = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__topology_create(in, graph, slices, NULL, &t, &fault), 0, "%s", fault.text);
    return t;
}

static inline struct htmt__topology *t_shape(enum htmt__topology_kind topology,
                                             enum htmt__routing routing, const char *shape)
{
    struct htmt__inside in = t_inside(topology, routing, shape, 1);
    return t_make(&in, NULL, htmt__topology_ends(&in));
}

/* A connected graph of that many switches with an end each, and links more than it needs. */
static inline struct htmt__switch_graph *t_random_graph(uint64_t *state, uint32_t switches,
                                                        uint32_t more)
{
    char *text = NULL;
    size_t size;
    bool linked[64][64] = {0};
    uint32_t ports[64] = {0}, links = 0, tries = 0;
    struct htmt__switch_graph *g = NULL;
    struct htmt_fault fault = {0};
    FILE *f = open_memstream(&text, &size);
    fputs("htmt-graph: 1\nends: [e0", f);
    for (uint32_t i = 1; i < switches; i++)
        fprintf(f, ", e%u", i);
    fputs("]\nswitches:\n", f);
    for (uint32_t i = 0; i < switches; i++)
        fprintf(f, "  s%u: {ports: 64, at: [%u, %u]}\n", i, draw_below(state, 9),
                draw_below(state, 9));
    fputs("links:\n", f);
    for (uint32_t i = 0; i < switches; i++)
        fprintf(f, "  - e%u - s%u.63\n", i, i);
    while (links < switches - 1 + more && tries++ < 1000) {
        uint32_t a = links < switches - 1 ? links + 1 : draw_below(state, switches);
        uint32_t b = draw_below(state, links < switches - 1 ? links + 1 : switches);
        if (a == b || linked[a][b])
            continue;
        linked[a][b] = linked[b][a] = true;
        fprintf(f, "  - s%u.%u - s%u.%u\n", a, ports[a], b, ports[b]);
        ports[a]++;
        ports[b]++;
        links++;
    }
    fclose(f);
    cr_assert_eq(htmt__topology_graph_parse("random", text, &g, &fault), 0, "%s", fault.text);
    free(text);
    return g;
}

/* ---- circles --------------------------------------------------------------------------------- */

/* Whether a packet that holds a channel and lane may, over others, wait for itself: edges of all
 * ways of all pairs, then what has no edge into it is taken away until nothing is left. */
static inline bool t_has_circle(const struct htmt__topology *t)
{
    uint32_t lanes = t->inside.lanes, count = t->channels * lanes, left = count, taken = 0;
    uint8_t *edge = calloc((size_t)count * count, 1);
    uint32_t *into = calloc(count, sizeof *into), *ready = calloc(count, sizeof *ready), put = 0;
    for (uint32_t a = 0; a < t->ends; a++)
        for (uint32_t b = 0; b < t->ends; b++) {
            struct htmt__bound bound = {.source = a, .target = b, .channel = UINT32_MAX};
            uint32_t last = UINT32_MAX, at = a;
            for (;;) {
                struct htmt__next next = htmt__route_next(t, at, &bound);
                if (next.channel == UINT32_MAX)
                    break;
                uint32_t now = next.channel * lanes + next.lane;
                cr_assert_lt(next.lane, lanes);
                if (last != UINT32_MAX && !edge[(size_t)last * count + now]) {
                    edge[(size_t)last * count + now] = 1;
                    into[now]++;
                }
                last = now;
                bound.channel = next.channel;
                bound.lane = next.lane;
                cr_assert_lt(++bound.hops, t->channels + 1);
                at = htmt__wire(t, next.channel)->to;
            }
            cr_assert_eq(at, b);
        }
    for (uint32_t i = 0; i < count; i++)
        if (!into[i])
            ready[put++] = i;
    for (; taken < put; left--) {
        uint32_t from = ready[taken++];
        for (uint32_t to = 0; to < count; to++)
            if (edge[(size_t)from * count + to] && --into[to] == 0)
                ready[put++] = to;
    }
    free(ready);
    free(into);
    free(edge);
    return left > 0;
}

#endif
