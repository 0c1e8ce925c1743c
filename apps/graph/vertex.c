/* SPDX-License-Identifier: BSD-3-Clause
 *
 * BFS is the search for shortest paths whose weights are all one: they share their rules, and only
 * their costs differ. A distance is a sum of weights in the order of its path. Rounding keeps order
 * (a <= b gives a + w <= b + w), so the least sum of each vertex does not depend on which message
 * came first, and it is what Dijkstra's algorithm finds.
 *
 * PageRank has no order at all: a vertex sends its score, rank / edges, once in an iteration, when
 * it begins by itself or when the first score comes, and its new rank is there when as many scores
 * have come as edges lead to it. From the moment when it has sent its score it does not need its
 * rank, so sum and rank share a place. By levels all send when all is quiet, and scores lie apart.
 *
 * Triangles: each edge leads from the end of fewer edges to the other one, so a triangle has one
 * corner of which both edges lead away. That corner asks, for each pair of its neighbours, the
 * lower one whether it knows the higher one. A star of n edges has no pair at all: its edges lead
 * to the middle. No vertex has more than sqrt(2 m) edges that lead away.
 */
#include "apps/graph/vertex.h"

#include <math.h>
#include <stdlib.h>

const char *const htmt__graph_program_words[] = {"bfs", "sssp", "pagerank", "triangles", NULL};

void htmt__vertex_begin(const struct htmt__vertices *all, struct htmt__vertex *v)
{
    *v = (struct htmt__vertex){.value = INFINITY};
    if (all->program <= HTMT__GRAPH_SSSP)
        v->parent = HTMT__NOBODY;
    else if (all->program == HTMT__GRAPH_PAGERANK && !all->by_levels)
        v->value = 1.0 / all->place->vertices;
    else
        v->value = 0;
}

/* ---- actions --------------------------------------------------------------------------------- */

static const struct htmt__vertex_cost *cost_of(const struct htmt__vertices *all, uint32_t object)
{
    return htmt__vertex_is_ghost(all, object) ? &all->costs.ghost[all->program]
                                              : &all->costs.of[all->program];
}

bool htmt__action_wanted(const struct htmt__vertices *all, const struct htmt__vertex *v,
                         const struct htmt__operon *m, uint64_t *charge)
{
    *charge += cost_of(all, m->object)->predicate;
    return all->program > HTMT__GRAPH_SSSP || htmt__vertex_is_ghost(all, m->object) ||
           m->value < v->value;
}

static double score_of(const struct htmt__vertices *all, const struct htmt__vertex *v,
                       uint32_t object)
{
    return all->out[object] ? v->value / all->out[object] : 0;
}

static void send_score(const struct htmt__vertices *all, struct htmt__vertex *v,
                       struct htmt__operon *out)
{
    out->from = out->object;
    out->value = score_of(all, v, out->object);
    v->value = 0;
    v->sent = 1;
}

/* The sum of 10^5 scores loses 12 bits, which is more than 1e-12. So the error of each addition,
 * exact by Knuth's formula, is added up apart; a float is enough for that. */
static void add_score(const struct htmt__vertices *all, struct htmt__vertex *v, double score)
{
    float *lost = all->by_levels ? &v->lost_apart : &v->lost;
    const double sum = v->value + score, taken = sum - v->value;
    *lost += (float)((v->value - (sum - taken)) + (score - taken));
    v->value = sum;
}

void htmt__vertex_settle(const struct htmt__vertices *all, struct htmt__vertex *v)
{
    const double sum = v->value + (double)(all->by_levels ? v->lost_apart : v->lost);
    v->value = (1 - HTMT__DAMPING) / all->place->vertices + HTMT__DAMPING * sum;
    if (all->by_levels) {
        v->lost_apart = 0;
        return;
    }
    v->lost = 0;
    v->count = 0;
    v->sent = 0;
}

static enum htmt__then rank_work(const struct htmt__vertices *all, struct htmt__vertex *v,
                                 const struct htmt__operon *m, struct htmt__operon *out,
                                 uint64_t *charge)
{
    enum htmt__then then = HTMT__THEN_NOTHING;
    if (m->from == HTMT__NOBODY && v->sent) /* by levels nobody begins so */
        return HTMT__THEN_NOTHING;
    if (m->from == HTMT__NOBODY) {
        *charge += all->costs.begin;
        send_score(all, v, out);
        then = HTMT__THEN_DIFFUSE;
    } else {
        *charge += all->costs.of[HTMT__GRAPH_PAGERANK].work;
        if (!v->sent && !all->by_levels) {
            *charge += all->costs.score;
            send_score(all, v, out);
            then = HTMT__THEN_DIFFUSE;
        }
        add_score(all, v, m->value);
        if (!all->by_levels)
            v->count++;
    }
    if (!all->by_levels && v->count == all->in[m->object]) {
        *charge += all->costs.reset;
        htmt__vertex_settle(all, v);
    }
    return then;
}

/* Searches among the edges that lead away for the one to w. */
static void look_for(const struct htmt__vertices *all, struct htmt__vertex *v,
                     const struct htmt__operon *m, uint64_t *charge)
{
    const struct htmt__placed *p = all->place;
    uint64_t low = p->first[m->object], high = p->first[m->object + 1];
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const struct htmt__graph_edge *e = &p->edge[middle];
        const bool before =
            (double)e->weight < m->value || ((double)e->weight == m->value && e->to < m->from);
        *charge += all->costs.search;
        if (e->to == m->from) {
            v->value++;
            return;
        }
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
}

enum htmt__then htmt__action_work(const struct htmt__vertices *all, struct htmt__vertex *v,
                                  const struct htmt__operon *m, struct htmt__operon *out,
                                  uint64_t *charge)
{
    *out = *m;
    if (htmt__vertex_is_ghost(all, m->object)) {
        *charge += all->costs.ghost[all->program].work;
        return HTMT__THEN_DIFFUSE;
    }
    if (all->program == HTMT__GRAPH_PAGERANK)
        return rank_work(all, v, m, out, charge);
    *charge += all->costs.of[all->program].work;
    if (all->program == HTMT__GRAPH_TRIANGLES) {
        look_for(all, v, m, charge);
        return HTMT__THEN_NOTHING;
    }
    v->value = m->value;
    v->parent = m->from;
    return all->by_levels ? HTMT__THEN_WAIT : HTMT__THEN_DIFFUSE;
}

/* ---- diffusions ------------------------------------------------------------------------------ */

bool htmt__diffusion_wanted(const struct htmt__vertices *all, const struct htmt__vertex *v,
                            const struct htmt__operon *m, uint64_t *charge)
{
    *charge += cost_of(all, m->object)->diffuse;
    return all->program > HTMT__GRAPH_SSSP || htmt__vertex_is_ghost(all, m->object) ||
           m->value == v->value;
}

uint64_t htmt__diffusion_count(const struct htmt__vertices *all, uint32_t object)
{
    const struct htmt__placed *p = all->place;
    const uint64_t edges = p->first[object + 1] - p->first[object];
    if (all->program == HTMT__GRAPH_TRIANGLES)
        return edges ? edges * (edges - 1) / 2 : 0;
    return p->first_child[object + 1] - p->first_child[object] + edges;
}

/* The pair low < high of number i: those below the pairs of `high` are high (high - 1) / 2. */
static void pair_of(uint64_t i, uint64_t *low, uint64_t *high)
{
    uint64_t h = (uint64_t)((1 + sqrt(1 + 8 * (double)i)) / 2);
    while (h * (h - 1) / 2 > i)
        h--;
    while ((h + 1) * h / 2 <= i)
        h++;
    *high = h;
    *low = i - h * (h - 1) / 2;
}

/* A ghost speaks for the vertex from which its message came. */
struct htmt__operon htmt__diffusion_next(const struct htmt__vertices *all,
                                         const struct htmt__operon *m, uint64_t i)
{
    const struct htmt__placed *p = all->place;
    const uint64_t children = p->first_child[m->object + 1] - p->first_child[m->object];
    struct htmt__operon out = *m;
    if (all->program == HTMT__GRAPH_TRIANGLES) {
        uint64_t low, high;
        pair_of(i, &low, &high);
        const struct htmt__graph_edge *edge = p->edge + p->first[m->object];
        return (struct htmt__operon){edge[low].to, edge[high].to, (double)edge[high].weight};
    }
    if (!htmt__vertex_is_ghost(all, m->object))
        out.from = m->object;
    if (i < children) {
        out.object = p->child[p->first_child[m->object] + i];
        return out;
    }
    const struct htmt__graph_edge *e = &p->edge[p->first[m->object] + i - children];
    out.object = e->to;
    if (all->program == HTMT__GRAPH_BFS)
        out.value += 1;
    else if (all->program == HTMT__GRAPH_SSSP)
        out.value += (double)e->weight;
    return out;
}

/* ---- the graph of triangles ------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const struct htmt__graph_edge *x = a, *y = b;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int by_degree(const void *a, const void *b)
{
    const struct htmt__graph_edge *x = a, *y = b;
    return x->weight < y->weight ? -1 : x->weight > y->weight ? 1 : by_number(a, b);
}

/* Each vertex's neighbours once, in place, by number. */
static void drop_doubles(struct htmt__graph *g)
{
    uint64_t kept = 0;
    for (uint32_t v = 0; v < g->vertices; v++) {
        const uint64_t from = g->first[v], end = g->first[v + 1], begin = kept;
        qsort(g->edge + from, end - from, sizeof *g->edge, by_number);
        for (uint64_t i = from; i < end; i++)
            if (g->edge[i].to != v && (kept == begin || g->edge[kept - 1].to != g->edge[i].to))
                g->edge[kept++] = g->edge[i];
        g->first[v] = begin;
    }
    g->first[g->vertices] = kept;
}

int htmt__graph_orient(const struct htmt__graph *g, struct htmt__graph *to,
                       struct htmt_fault *fault)
{
    struct htmt__graph_list list = {.vertices = g->vertices, .both = true};
    list.at = malloc((g->edges + 1) * sizeof *list.at);
    if (!list.at)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the edges of triangles");
    for (uint32_t v = 0; v < g->vertices; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + 1]; i++)
            list.at[list.count++] = (struct htmt__graph_line){v, g->edge[i].to, 0};
    int rc = htmt__graph_build(&list, to, fault);
    if (rc)
        return rc;
    drop_doubles(to);
    for (uint64_t i = 0; i < to->first[to->vertices]; i++) {
        const uint32_t end = to->edge[i].to;
        to->edge[i].weight = (float)(to->first[end + 1] - to->first[end]);
    }
    uint64_t kept = 0;
    for (uint32_t v = 0; v < to->vertices; v++) {
        const uint64_t from = to->first[v], end = to->first[v + 1];
        const struct htmt__graph_edge own = {v, (float)(end - from)};
        to->first[v] = kept;
        for (uint64_t i = from; i < end; i++)
            if (by_degree(&own, &to->edge[i]) < 0)
                to->edge[kept++] = to->edge[i];
        qsort(to->edge + to->first[v], kept - to->first[v], sizeof *to->edge, by_degree);
    }
    to->first[to->vertices] = to->edges = kept;
    return 0;
}
