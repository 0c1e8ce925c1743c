/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Edges a second (TEPS) are Graph500's: the edges of the list, doubles and loops included, whose
 * source the root leads to, each undirected one once, by the time. Of pagerank all edges count, in
 * each iteration; of triangles all.
 */
#include "apps/graph/report.h"
#include "apps/formats/plot.h"
#include "apps/lib/request.h"

#include "parcels/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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

static void tell_posts(struct htmt_task *task, const struct htmt_posts *action,
                       const struct htmt_posts *diffuse, double edges)
{
    htmt_task_found(task, "messages", (double)action->posted, "1");
    htmt_task_found(task, "actions_true", (double)action->served, "1");
    htmt_task_found(task, "actions_false", (double)action->unwanted, "1");
    htmt_task_found(task, "diffusions", (double)diffuse->posted, "1");
    htmt_task_found(task, "diffusions_done", (double)diffuse->served, "1");
    htmt_task_found(task, "diffusions_pruned", (double)diffuse->unwanted, "1");
    if (edges > 0)
        htmt_task_found(task, "messages_per_edge", (double)action->posted / edges, "1");
    htmt_task_note(task,
                   "%" PRIu64 " messages, %.3g an edge; actions: %" PRIu64 " true, %" PRIu64
                   " false; diffusions: %" PRIu64 " done, %" PRIu64 " pruned",
                   action->posted, edges > 0 ? (double)action->posted / edges : 0, action->served,
                   action->unwanted, diffuse->served, diffuse->unwanted);
}

/* What cells know, where the machine has them; else of networks that have ports inside. */
static void tell_inside(struct htmt_task *task, const struct htmt_emulator *e, uint32_t slices,
                        const struct htmt_posts *action, const struct htmt_posts *diffuse)
{
    struct htmt_cells c = htmt_cells_init();
    struct htmt_inside_report inside;
    uint64_t hops = 0, first = action->most, second = diffuse->most;
    if (htmt_cells_of(e, &c) == 0) {
        const double active = c.active ? (double)c.active : 1,
                     all = c.cycles ? (double)c.cycles * slices : 1;
        hops = c.hops;
        first = c.first_most;
        second = c.second_most;
        htmt_task_found(task, "cycles", (double)c.cycles, "1");
        htmt_task_found(task, "diffusions_outdated", (double)c.outdated, "1");
        htmt_task_found(task, "diffusions_filtered", (double)c.filtered, "1");
        htmt_task_found(task, "actions_overlapped", (double)c.overlapped, "1");
        htmt_task_found(task, "active_share", (double)c.active / all, "1");
        htmt_task_found(task, "throttled_share", (double)c.throttled / active, "1");
        htmt_task_found(task, "computing_share", (double)c.standing / active, "1");
        htmt_task_note(
            task,
            "%" PRIu64 " cycles, a cell is active in %.3g %% of them; an active one computes in "
            "%.3g %% and is throttled in %.3g %%; %" PRIu64 " actions while messages waited",
            c.cycles, 100 * (double)c.active / all, 100 * (double)c.standing / active,
            100 * (double)c.throttled / active, c.overlapped);
    }
    for (uint32_t i = 0; !hops && i < htmt_emulator_machine(e)->network_count; i++)
        if (htmt_inside_at(e, i, &inside) == 0)
            hops = inside.hops;
    htmt_task_found(task, "hops", (double)hops, "1");
    htmt_task_found(task, "action_queue_peak", (double)first, "1");
    htmt_task_found(task, "diffuse_queue_peak", (double)second, "1");
    htmt_task_note(task,
                   "%" PRIu64 " hops; at most %" PRIu64 " actions and %" PRIu64
                   " diffusions wait at once in a slice",
                   hops, first, second);
}

/* The busiest slice by actions against the mean: what a better placement could gain. */
static void tell_imbalance(struct htmt_task *task, const struct htmt__graph_run *r,
                           const uint64_t *actions)
{
    const uint32_t slices = r->plan->slices;
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < slices; i++) {
        sum += (double)actions[i];
        most = (double)actions[i] > most ? (double)actions[i] : most;
    }
    const double imbalance = sum > 0 ? most * slices / sum - 1 : 0;
    htmt_task_found(task, "imbalance", imbalance, "1");
    htmt_task_note(task, "the busiest slice has %.4g times the true actions of the mean",
                   imbalance + 1);
}

int htmt__graph_conclude(struct htmt_task *task, const struct htmt__graph_run *r,
                         const struct htmt__graph_results *results)
{
    const struct htmt__graph_plan *p = r->plan;
    struct htmt_posts action = htmt_posts_init(), diffuse = htmt_posts_init();
    const double time = 1e-15 * (double)htmt_predicted(r->e), edges = traversed(p, results->value);
    int rc = htmt_posts_of(r->action, &action);
    rc = rc ? rc : htmt_posts_of(r->diffuse, &diffuse);
    if (rc)
        return rc;
    tell_posts(task, &action, &diffuse, edges);
    tell_inside(task, r->e, p->slices, &action, &diffuse);
    const char *costs = htmt_request_costs(htmt_task_request(task));
    htmt_task_found_text(task, "costs_file", costs ? costs : HTMT__GRAPH_COSTS);
    htmt_task_found(task, "objects", p->place.objects, "1");
    htmt_task_found(task, "rounds", (double)results->rounds, "1");
    htmt_task_found(task, "time_to_quiet", time, "s");
    if (!results->value)
        return 0;
    tell_imbalance(task, r, results->actions);
    htmt_task_found(task, "edges_traversed", edges, "1");
    if (time > 0)
        htmt_task_found(task, "teps", edges / time, "1/s");
    if (time > 0)
        htmt_task_note(task, "%.4g edges and %.4g messages a virtual second", edges / time,
                       (double)action.posted / time);
    return 0;
}

/* ---- over time ------------------------------------------------------------------------------- */

enum { CYCLE, ACTIVE, COMPUTING, THROTTLED, CURVES };

/* Of each span its begin and the cells of its mean cycle; the last span ends with the run. Behind
 * it no cell is active. Returns the most that were. */
static void fill_curves(const struct htmt_emulator *e, uint32_t count, double *at[CURVES])
{
    struct htmt_cells all = htmt_cells_init();
    struct htmt_cells_span span;
    htmt_cells_of(e, &all);
    for (uint32_t i = 0; i < count && htmt_cells_span_at(e, i, &span) == 0; i++) {
        const uint64_t left = all.cycles - span.first;
        const double cycles = (double)(left < span.cycles ? left : span.cycles);
        at[CYCLE][i] = (double)span.first;
        at[ACTIVE][i] = (double)span.active / cycles;
        at[COMPUTING][i] = (double)span.standing / cycles;
        at[THROTTLED][i] = (double)span.throttled / cycles;
    }
    at[CYCLE][count] = (double)all.cycles;
}

int htmt__graph_plot_cells(const char *path, const struct htmt__graph_run *r,
                           struct htmt_fault *fault)
{
    static const char *const names[CURVES] = {"cycle", "active", "of them computing",
                                              "of them throttled"};
    const struct htmt__graph_plan *p = r->plan;
    const uint32_t count = htmt_cells_span_count(r->e);
    double *points = calloc(count + 1, CURVES * sizeof *points), *at[CURVES];
    struct htmt__plot_curve curve[CURVES];
    char title[300];
    if (!points)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to plot %s", path);
    for (size_t k = 0; k < CURVES; k++)
        at[k] = points + k * (count + 1);
    fill_curves(r->e, count, at);
    for (size_t k = ACTIVE; k < CURVES; k++)
        curve[k] =
            (struct htmt__plot_curve){names[k], HTMT__PLOT_LINE, count + 1, at[CYCLE], at[k]};
    snprintf(title, sizeof title, "%s of %s on %u cells of %s",
             htmt__graph_program_words[p->program], p->from, p->slices,
             htmt_emulator_machine(r->e)->name);
    const struct htmt__plot plot = {.title = title,
                                    .x_label = "cycle",
                                    .y_label = "cells",
                                    .x_most = at[CYCLE][count] > 0 ? at[CYCLE][count] : 1,
                                    .y_most = 1.05 * p->slices, /* a frame above all */
                                    .height = 400,
                                    .curves = curve + ACTIVE,
                                    .count = CURVES - ACTIVE};
    int rc = htmt__plot_write(path, &plot, fault);
    free(points);
    return rc;
}
