/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/graph/reference.h"

#include <math.h>
#include <stdlib.h>

int htmt__reference_levels(const struct htmt__graph *g, uint32_t root, double *level)
{
    uint32_t *queue = malloc(g->vertices * sizeof *queue), tail = 0;
    if (!queue)
        return HTMT_ENOMEM;
    for (uint32_t v = 0; v < g->vertices; v++)
        level[v] = INFINITY;
    level[root] = 0;
    queue[tail++] = root;
    for (uint32_t head = 0; head < tail; head++)
        for (uint64_t i = g->first[queue[head]]; i < g->first[queue[head] + (size_t)1]; i++)
            if (isinf(level[g->edge[i].to])) {
                level[g->edge[i].to] = level[queue[head]] + 1;
                queue[tail++] = g->edge[i].to;
            }
    free(queue);
    return 0;
}

/* ---- Dijkstra -------------------------------------------------------------------------------- */

/* A binary heap of vertices by distance, with each vertex's place in it (0: it is not there). */
struct heap {
    uint32_t *at, *place, count; /* from 1 */
    const double *key;
};

static void put(struct heap *h, uint32_t i, uint32_t v)
{
    h->at[i] = v;
    h->place[v] = i;
}

static void rise(struct heap *h, uint32_t i)
{
    const uint32_t v = h->at[i];
    for (; i > 1 && h->key[v] < h->key[h->at[i / 2]]; i /= 2)
        put(h, i, h->at[i / 2]);
    put(h, i, v);
}

static uint32_t take_least(struct heap *h)
{
    const uint32_t least = h->at[1], last = h->at[h->count--];
    uint64_t i = 1, k;
    h->place[least] = 0;
    if (!h->count)
        return least;
    for (; (k = 2 * i) <= h->count; i = k) {
        k += k < h->count && h->key[h->at[k + 1]] < h->key[h->at[k]];
        if (!(h->key[h->at[k]] < h->key[last]))
            break;
        put(h, (uint32_t)i, h->at[k]);
    }
    put(h, (uint32_t)i, last);
    return least;
}

int htmt__reference_distances(const struct htmt__graph *g, uint32_t root, double *distance)
{
    struct heap h = {.key = distance};
    h.at = malloc((g->vertices + (size_t)1) * sizeof *h.at);
    h.place = calloc(g->vertices, sizeof *h.place);
    int rc = h.at && h.place ? 0 : HTMT_ENOMEM;
    for (uint32_t v = 0; v < g->vertices; v++)
        distance[v] = INFINITY;
    distance[root] = 0;
    if (!rc)
        put(&h, ++h.count, root);
    while (!rc && h.count) {
        const uint32_t v = take_least(&h);
        for (uint64_t i = g->first[v]; i < g->first[v + (size_t)1]; i++) {
            const uint32_t to = g->edge[i].to;
            const double way = distance[v] + (double)g->edge[i].weight;
            if (!(way < distance[to]))
                continue;
            distance[to] = way;
            if (!h.place[to])
                put(&h, ++h.count, to);
            rise(&h, h.place[to]);
        }
    }
    free(h.at);
    free(h.place);
    return rc;
}

/* ---- ranks and triangles --------------------------------------------------------------------- */

int htmt__reference_ranks(const struct htmt__graph *g, unsigned sweeps, double *rank)
{
    long double *sum = calloc(g->vertices, sizeof *sum);
    if (!sum)
        return HTMT_ENOMEM;
    for (uint32_t v = 0; v < g->vertices; v++)
        rank[v] = 1.0 / g->vertices;
    for (unsigned k = 0; k < sweeps; k++) {
        for (uint32_t v = 0; v < g->vertices; v++) {
            const uint64_t edges = g->first[v + (size_t)1] - g->first[v];
            for (uint64_t i = g->first[v]; i < g->first[v + (size_t)1]; i++)
                sum[g->edge[i].to] += (long double)rank[v] / (long double)edges;
        }
        for (uint32_t v = 0; v < g->vertices; v++) {
            rank[v] = (double)(0.15L / g->vertices + 0.85L * sum[v]);
            sum[v] = 0;
        }
    }
    free(sum);
    return 0;
}

/* Both directions of each edge, whatever the graph has. */
static int both_ways(const struct htmt__graph *g, struct htmt__graph *all)
{
    struct htmt__graph_list list = {.vertices = g->vertices, .both = true};
    for (uint32_t v = 0; v < g->vertices; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + (size_t)1]; i++)
            if (!htmt__graph_list_add(&list, v, g->edge[i].to, 0)) {
                htmt__graph_list_clear(&list);
                return HTMT_ENOMEM;
            }
    return htmt__graph_build(&list, all, NULL);
}

/* Each triangle a < b < c is found once, at its edge from a to b: the neighbours of a are marked
 * with it, and those c of b that are marked, too, are counted, each once for this edge. */
int htmt__reference_triangles(const struct htmt__graph *g, uint64_t *triangles)
{
    struct htmt__graph all = {.vertices = 0};
    uint64_t found = 0, stamp = 0;
    uint64_t *mark = calloc(g->vertices, sizeof *mark), *met = calloc(g->vertices, sizeof *met);
    uint32_t *seen = calloc(g->vertices, sizeof *seen); /* a + 1, of the last edge from a */
    int rc = mark && met && seen ? both_ways(g, &all) : HTMT_ENOMEM;
    for (uint32_t a = 0; !rc && a < g->vertices; a++) {
        const uint64_t end = all.first[a + (size_t)1], own = a + UINT64_C(1);
        for (uint64_t i = all.first[a]; i < end; i++)
            mark[all.edge[i].to] = own;
        for (uint64_t i = all.first[a]; i < end; i++) {
            const uint32_t b = all.edge[i].to;
            if (b <= a || seen[b] == own)
                continue;
            seen[b] = (uint32_t)own;
            stamp++;
            for (uint64_t k = all.first[b]; k < all.first[b + (size_t)1]; k++) {
                const uint32_t c = all.edge[k].to;
                if (c > b && mark[c] == own && met[c] != stamp) {
                    met[c] = stamp;
                    found++;
                }
            }
        }
    }
    htmt__graph_destroy(&all);
    free(mark);
    free(met);
    free(seen);
    if (!rc)
        *triangles = found;
    return rc;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* A walk along parents stamps what it meets with its own number. It ends at the root, at what an
 * earlier walk met, or, in a circle, at what it met itself. */
static bool is_tree(const struct htmt__graph *g, uint32_t root, const double *value,
                    const uint32_t *parent, uint32_t *stamp, uint32_t *vertex)
{
    for (uint32_t v = 0; v < g->vertices; v++) {
        uint32_t at = v;
        *vertex = v;
        if (isinf(value[v]) || v == root) {
            if (parent[v] != UINT32_MAX)
                return false;
            continue;
        }
        while (at != root && !stamp[at]) {
            stamp[at] = v + 1;
            at = parent[at];
            if (at >= g->vertices || isinf(value[at]) || (at != root && stamp[at] == v + 1))
                return false;
        }
    }
    return true;
}

int htmt__reference_rule(const struct htmt__graph *g, uint32_t root, bool weights,
                         const double *value, const uint32_t *parent, uint32_t *vertex)
{
    uint32_t *stamp = calloc(g->vertices, sizeof *stamp);
    unsigned char *joined = calloc(g->vertices, 1); /* 1: by an edge, 2: of the right length */
    int rule = stamp && joined ? 0 : -1;
    if (!rule && !is_tree(g, root, value, parent, stamp, vertex))
        rule = 1;
    for (uint32_t v = 0; !rule && v < g->vertices; v++)
        for (uint64_t i = g->first[v]; !rule && i < g->first[v + (size_t)1]; i++) {
            const uint32_t to = g->edge[i].to;
            const double there = value[v] + (weights ? (double)g->edge[i].weight : 1);
            if (isinf(value[v]))
                continue;
            if (parent[to] == v)
                joined[to] |= there == value[to] ? 3 : 1;
            *vertex = to;
            if (isinf(value[to]))
                rule = 4;
            else if (value[to] > there)
                rule = 3;
        }
    for (uint32_t v = 0; !rule && v < g->vertices; v++) {
        *vertex = v;
        if (v == root ? value[v] != 0 : !isinf(value[v]) && joined[v] != 3)
            rule = v == root || joined[v] ? 2 : 5;
    }
    free(stamp);
    free(joined);
    return rule;
}
