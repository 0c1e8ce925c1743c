/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether packets may wait for each other in a circle, before any runs.
 *
 * A lane depends on another one if a packet in the first may wait for the second (routing.c). All
 * packets get on if these dependencies form no circle; whether they do follows from the routing
 * alone. So the ways of all pairs of ends are walked, each step is a dependency, and a search by
 * depth finds a circle of them.
 *
 * What need not be walked. Most routings are free by rule, whatever the size, and routing.c and
 * many_ways.c say why: a machine of 4096 ends of those costs nothing here. What is left:
 *
 * - Ways that a message brings (`source`) are not known yet. blocked.c finds their circles in a
 * run.
 *
 * - Shortest ways in a graph: they depend on the switch and on the target. A walk that comes to a
 * switch where another one to that target has been ends there, so that all targets cost the
 * switches squared.
 *
 * - Geometric ways in a graph depend on the source, too: all pairs are walked to their ends.
 *
 * - Rings of a torus without a dateline: a ring of four switches or more closes by itself, for
 * packets go two hops on from each switch. Rings of three do not.
 *
 * - Geometric ways in a mesh. They depend on where the target lies from the source alone, so
 * whatever a small box of the mesh has, the mesh has. Boxes of 2 x 4 and of 3 x 3 have a circle, so
 * every mesh has one whose two longest extents are as long. A line has none; nor has a torus whose
 * rings are 3 at most: ways are a hop at most in each dimension, all steps are as near to the line,
 * and of those the first dimension is taken.
 *
 * So grids of up to WHOLE_MOST ends are walked. Of larger ones, which are a line or have such a
 * box, a box of at most 4 in the two longest dimensions is, of a torus of at most 8 to have its
 * ring; in all other dimensions it is 1.
 *
 * Classes of lanes are apart, lanes of a class are one here: with several of them packets of some
 * pairs may never meet, which nobody should build on.
 */
#include "layers/network/routing.h"

#include "runtime/base/array.h"

#include <stdlib.h>

#define NONE       UINT32_MAX
#define WHOLE_MOST 512

struct edge {
    uint32_t to, next; /* 1 + index of the next one of that lane */
};

struct graph {
    const struct htmt__topology *t;
    uint32_t classes, nodes;
    uint32_t *first; /* 1 + index of an edge, by node */
    struct edge *edge;
    size_t edges, room;
    uint32_t *seen; /* by switch: 1 + target, where a walk to it has been */
    bool by_target; /* the way depends on switch and target alone */
};

static int add_edge(struct graph *g, uint32_t from, uint32_t to)
{
    for (uint32_t i = g->first[from]; i; i = g->edge[i - 1].next)
        if (g->edge[i - 1].to == to)
            return 0;
    if (!htmt__array_fits(&g->edge, &g->room, g->edges + 1, sizeof *g->edge))
        return HTMT_ENOMEM;
    g->edge[g->edges++] = (struct edge){to, g->first[from]};
    g->first[from] = (uint32_t)g->edges;
    return 0;
}

static int walk(struct graph *g, uint32_t source, uint32_t target)
{
    const struct htmt__topology *t = g->t;
    struct htmt__bound b = {.source = source, .target = target, .channel = NONE};
    uint32_t element = source, before = NONE;
    int rc = 0;
    for (; !rc; b.hops++) {
        const struct htmt__next next = htmt__route_next(t, element, &b);
        if (next.channel == NONE)
            return 0;
        const uint32_t node = next.channel * g->classes + next.lane % g->classes;
        if (before != NONE)
            rc = add_edge(g, before, node);
        if (g->by_target && element >= t->ends) {
            if (g->seen[element - t->ends] == target + 1)
                return rc;
            g->seen[element - t->ends] = target + 1;
        }
        before = node;
        b.channel = next.channel;
        b.lane = next.lane;
        element = htmt__wire(t, next.channel)->to;
    }
    return rc;
}

/* ---- who is walked --------------------------------------------------------------------------- */

/* Whether the routing may have a circle at all. */
static bool may_have(const struct htmt__inside *in)
{
    const bool geometric = in->routing == HTMT__ROUTE_GEOMETRIC;
    switch (in->topology) {
    case HTMT__GRAPH:
    case HTMT__TORUS:
        return geometric || in->routing == HTMT__ROUTE_SHORTEST;
    case HTMT__MESH:
        return geometric;
    default:
        return false;
    }
}

/* Of each switch that has any, an end; of a grid those of a box in its two longest dimensions. */
static uint32_t choose_ends(const struct htmt__topology *t, uint32_t *end)
{
    const struct htmt__inside *in = &t->inside;
    uint32_t count = 0, longest[2] = {0, 0};
    for (uint32_t d = 1; d < in->dimensions; d++)
        if (in->shape[d] > in->shape[longest[0]])
            longest[0] = d;
    longest[1] = longest[0] == 0 && in->dimensions > 1;
    for (uint32_t d = 0; d < in->dimensions; d++)
        if (d != longest[0] && in->shape[d] > in->shape[longest[1]])
            longest[1] = d;
    const uint32_t most = in->topology == HTMT__TORUS ? 8 : 4;
    for (uint32_t i = 0; i < t->ends; i++) {
        uint32_t rest = i;
        bool in_box = true;
        for (uint32_t d = 0; !t->graph && t->ends > WHOLE_MOST && d < in->dimensions; d++) {
            const uint32_t x = rest % in->shape[d];
            rest /= in->shape[d];
            in_box &= x < (d == longest[0] || d == longest[1] ? most : 1);
        }
        /* Ends of a switch have one way in and out of it each: any stands for all. */
        const uint32_t at = htmt__wire(t, t->first[i])->to;
        if (in_box && (!t->graph || !count || htmt__wire(t, t->first[end[count - 1]])->to != at))
            end[count++] = i;
    }
    return count;
}

/* ---- the search ------------------------------------------------------------------------------ */

enum colour { NEW, OPEN, DONE };

/* By depth, from each node; `path` is the stack. Returns where in it the circle begins; NONE: none;
 * *length is that of the stack. */
static uint32_t search(const struct graph *g, uint8_t *colour, uint32_t *at, uint32_t *path,
                       uint32_t *length)
{
    for (uint32_t root = 0; root < g->nodes; root++) {
        uint32_t depth = 0;
        if (colour[root] != NEW || !g->first[root])
            continue;
        path[depth++] = root;
        colour[root] = OPEN;
        at[root] = g->first[root];
        while (depth) {
            const uint32_t node = path[depth - 1];
            if (!at[node]) {
                colour[node] = DONE;
                depth--;
                continue;
            }
            const struct edge *e = &g->edge[at[node] - 1];
            at[node] = e->next;
            if (colour[e->to] == OPEN) {
                *length = depth;
                while (path[depth - 1] != e->to)
                    depth--;
                return depth - 1;
            }
            if (colour[e->to] != NEW)
                continue;
            colour[e->to] = OPEN;
            at[e->to] = g->first[e->to];
            path[depth++] = e->to;
        }
    }
    return NONE;
}

static int find_circle(const struct graph *g, uint32_t *circle, uint32_t room, uint32_t *count)
{
    uint8_t *colour = calloc((size_t)g->nodes + 1, 1);
    uint32_t *at = calloc((size_t)g->nodes + 1, sizeof *at), length = 0;
    uint32_t *path = calloc((size_t)g->nodes + 1, sizeof *path);
    const bool good = colour && at && path;
    const uint32_t begin = good ? search(g, colour, at, path, &length) : NONE;
    for (uint32_t i = begin; begin != NONE && i < length; i++, ++*count)
        if (*count < room)
            circle[*count] = path[i] / g->classes;
    free(colour);
    free(at);
    free(path);
    return good ? 0 : HTMT_ENOMEM;
}

int htmt__lane_circle(const struct htmt__topology *t, uint32_t *circle, uint32_t room,
                      uint32_t *count)
{
    struct graph g = {.t = t, .by_target = t->graph && t->inside.routing == HTMT__ROUTE_SHORTEST};
    int rc = 0;
    *count = 0;
    if (!may_have(&t->inside))
        return 0;
    g.classes = htmt__route_classes(&t->inside);
    g.nodes = t->channels * g.classes;
    g.first = calloc((size_t)g.nodes + 1, sizeof *g.first);
    g.seen = calloc((size_t)t->switches + 1, sizeof *g.seen);
    uint32_t *end = calloc((size_t)t->ends + 1, sizeof *end);
    const uint32_t ends = end ? choose_ends(t, end) : 0;
    if (!g.first || !g.seen || !end)
        rc = HTMT_ENOMEM;
    for (uint32_t to = 0; to < ends && !rc; to++)
        for (uint32_t from = 0; from < ends && !rc; from++)
            rc = walk(&g, end[from], end[to]);
    if (!rc)
        rc = find_circle(&g, circle, room, count);
    free(g.first);
    free(g.seen);
    free(g.edge);
    free(end);
    return rc;
}
