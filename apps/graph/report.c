/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Edges a second (TEPS) are Graph500's: the edges of the list, doubles and loops included, whose
 * source the root leads to, each undirected one once, by the time. Of pagerank all edges count, in
 * each iteration; of triangles all.
 */
#include "apps/graph/report.h"

#include <inttypes.h>
#include <math.h>

void htmt__graph_describe(struct htmt_task *task, const struct htmt__graph_plan *p)
{
    const struct htmt__graph *g = &p->graph;
    char root[64] = "";
    if (p->program != HTMT__GRAPH_TRIANGLES)
        snprintf(root, sizeof root, " from vertex %u", p->root);
    if (p->program == HTMT__GRAPH_PAGERANK)
        snprintf(root, sizeof root, ", %u iterations", p->iterations);
    htmt_task_problem(task,
                      "%s%s of %.120s: %u vertices, %" PRIu64 " edges; %s, placed by %s in %u "
                      "slices, %u ghosts",
                      htmt__graph_program_words[p->program], root, p->from, g->vertices, g->edges,
                      p->by_levels ? "by levels" : "async", htmt__place_words[p->rules.kind],
                      p->slices, p->place.objects - p->place.vertices);
}

static double traversed(const struct htmt__graph_plan *p, const struct htmt__vertex *values)
{
    const struct htmt__graph *g = &p->graph;
    uint64_t edges = 0, loops = 0;
    if (!values)
        return 0;
    for (uint32_t v = 0; v < g->vertices; v++)
        if (p->program > HTMT__GRAPH_SSSP || !isinf(values[v].value))
            for (uint64_t i = g->first[v]; i < g->first[v + (size_t)1]; i++) {
                edges++;
                loops += g->edge[i].to == v;
            }
    double once = g->both ? (double)(edges - loops) / 2 + (double)loops : (double)edges;
    return p->program == HTMT__GRAPH_PAGERANK ? once * p->iterations : once;
}

/* The busiest processor of a slice against the mean; sums of a resource do not say that, so it is
 * told by the vertices' actions alone where nothing else is known. */
static void tell_posts(struct htmt_task *task, const struct htmt_posts *action,
                       const struct htmt_posts *diffuse, double edges)
{
    htmt_task_found(task, "messages", (double)action->posted, "1");
    htmt_task_found(task, "actions_true", (double)action->served, "1");
    htmt_task_found(task, "actions_false", (double)action->unwanted, "1");
    htmt_task_found(task, "diffusions", (double)diffuse->served, "1");
    htmt_task_found(task, "diffusions_pruned", (double)diffuse->unwanted, "1");
    htmt_task_found(task, "action_queue_peak", (double)action->most, "1");
    htmt_task_found(task, "diffuse_queue_peak", (double)diffuse->most, "1");
    if (edges > 0)
        htmt_task_found(task, "messages_per_edge", (double)action->posted / edges, "1");
    htmt_task_note(task,
                   "%" PRIu64 " messages, %.3g an edge; actions: %" PRIu64 " true, %" PRIu64
                   " false; diffusions: %" PRIu64 " done, %" PRIu64 " pruned",
                   action->posted, edges > 0 ? (double)action->posted / edges : 0, action->served,
                   action->unwanted, diffuse->served, diffuse->unwanted);
    htmt_task_note(task, "queues: at most %" PRIu64 " actions, %" PRIu64 " diffusions wait at once",
                   action->most, diffuse->most);
}

/* Hops: of networks that have ports inside. */
static double hops_of(const struct htmt_emulator *e)
{
    double hops = 0;
    struct htmt_inside_report inside;
    for (uint32_t i = 0; i < htmt_emulator_machine(e)->network_count; i++)
        if (htmt_inside_at(e, i, &inside) == 0)
            hops += (double)inside.hops;
    return hops;
}

int htmt__graph_conclude(struct htmt_task *task, const struct htmt__graph_run *r,
                         const struct htmt__vertex *values, uint64_t rounds, double seconds)
{
    const struct htmt__graph_plan *p = r->plan;
    struct htmt_posts action = htmt_posts_init(), diffuse = htmt_posts_init();
    const double time = 1e-15 * (double)htmt_predicted(r->e), edges = traversed(p, values);
    int rc = htmt_posts_of(r->action, &action);
    rc = rc ? rc : htmt_posts_of(r->diffuse, &diffuse);
    if (rc)
        return rc;
    const double hops = hops_of(r->e);
    tell_posts(task, &action, &diffuse, edges);
    htmt_task_found(task, "objects", p->place.objects, "1");
    if (hops > 0)
        htmt_task_found(task, "hops", hops, "1");
    htmt_task_found(task, "rounds", (double)rounds, "1");
    htmt_task_found(task, "time_to_quiet", time, "s");
    if (!values || time <= 0)
        return 0;
    htmt_task_found(task, "edges_traversed", edges, "1");
    htmt_task_found(task, "teps", edges / time, "1/s");
    if (seconds > 0)
        htmt_task_note(task,
                       "%.4g edges a virtual second; on this host %.4g edges and %.4g messages a "
                       "second",
                       edges / time, edges / seconds, (double)action.posted / seconds);
    return 0;
}
