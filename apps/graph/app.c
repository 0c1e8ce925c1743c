/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs by messages: BFS, shortest paths, PageRank and triangles. A vertex lives in a slice, and
 * all that is sent goes to where a vertex lives (docs/graphs.md).
 */
#include "apps/formats/plot.h"
#include "apps/graph/reference.h"
#include "apps/graph/report.h"
#include "apps/lib/gather.h"
#include "apps/lib/request.h"
#include "parcels/cells.h"
#include "runtime/base/output.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define SLICES_MOST 1024 /* where --slices does not say: a square of side 32 */

struct work {
    struct htmt__graph_plan plan;
    struct htmt__graph_run run;
    struct htmt__graph_results results; /* after the run */
    double begun, seconds;              /* of the host */
    bool unchecked;
};

/* Machines of cells have as many as their largest runs. */
static uint32_t slices(const struct htmt_request *request)
{
    const uint32_t all = htmt_request_slices(request);
    return all < SLICES_MOST ? all : SLICES_MOST;
}

static int plan(struct htmt_task *task, void *work)
{
    static const char *const checks[] = {"exact", "none", NULL};
    struct work *w = work;
    unsigned kind = 0;
    const char *out = htmt_task_value(task, "out"), *plot = htmt_task_value(task, "plot-cells");
    int rc =
        htmt_request_choice(htmt_task_request(task), "check", checks, &kind, htmt_task_fault(task));
    if (!rc && out && !htmt_task_is_prediction(task))
        rc = htmt_output_claim("--out", out, htmt_task_fault(task));
    if (!rc && plot && !htmt_task_is_prediction(task))
        rc = htmt__plot_check(plot, htmt_task_fault(task));
    w->unchecked = kind == 1;
    return rc ? rc : htmt__graph_plan(task, &w->plan);
}

static void describe(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    htmt__graph_describe(task, &w->plan);
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    if (htmt_task_value(task, "plot-cells") && htmt_cells_watch(e))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--plot-cells: found machine %s without cells, expected one as "
                                "am-cca",
                                htmt_task_machine(task)->name);
    return htmt__graph_create(task, &w->plan, e, &w->run);
}

static int collect(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    return htmt__graph_gather(&w->run, &w->results);
}

/* ---- check ----------------------------------------------------------------------------------- */

/* Levels and distances are those of the serial program, bit for bit, and the tree keeps the rules.
 */
static int check_tree(struct htmt_task *task, struct work *w)
{
    const struct htmt__graph_plan *p = &w->plan;
    const uint32_t n = p->graph.vertices;
    const bool weights = p->program == HTMT__GRAPH_SSSP;
    double *value = malloc(n * sizeof *value), *wanted = malloc(n * sizeof *wanted);
    uint32_t *parent = malloc(n * sizeof *parent), vertex = 0;
    int rule = 0, rc = value && wanted && parent ? 0 : HTMT_ENOMEM;
    uint64_t wrong = 0;
    for (uint32_t v = 0; !rc && v < n; v++) {
        value[v] = w->results.value[v].value;
        parent[v] = w->results.value[v].parent;
    }
    if (!rc)
        rc = (weights ? htmt__reference_distances : htmt__reference_levels)(&p->graph, p->root,
                                                                            wanted);
    if (!rc)
        rule = htmt__reference_rule(&p->graph, p->root, weights, value, parent, &vertex);
    if (rule < 0)
        rc = HTMT_ENOMEM;
    uint64_t reached = 0;
    for (uint32_t v = 0; !rc && v < n; v++) {
        wrong += value[v] != wanted[v];
        reached += !isinf(wanted[v]);
    }
    if (!rc) {
        htmt_task_checked(task, weights ? "wrong distances" : "wrong levels", (double)wrong, 0,
                          !wrong && !rule);
        htmt_task_found(task, "vertices_reached", (double)reached, "1");
        htmt_task_found(task, "broken_rule", rule, "1");
    }
    if (!rc && rule)
        htmt_task_note(task, "rule %d of Graph500 is broken at vertex %u", rule, vertex);
    free(value);
    free(wanted);
    free(parent);
    return rc;
}

/* Relative to each rank. */
static int check_ranks(struct htmt_task *task, struct work *w)
{
    const struct htmt__graph_plan *p = &w->plan;
    const uint32_t n = p->graph.vertices;
    double *wanted = malloc(n * sizeof *wanted), worst = 0;
    uint64_t wrong = 0;
    int rc = wanted ? htmt__reference_ranks(&p->graph, p->iterations, wanted) : HTMT_ENOMEM;
    for (uint32_t v = 0; !rc && v < n; v++) {
        const double off = fabs(w->results.value[v].value - wanted[v]) / wanted[v];
        worst = off > worst ? off : worst;
        wrong += !(off <= 1e-12);
    }
    if (!rc) {
        htmt_task_checked(task, "largest relative error of a rank", worst, 1e-12, !wrong);
        htmt_task_found(task, "ranks_wrong", (double)wrong, "1");
    }
    free(wanted);
    return rc;
}

static int check_triangles(struct htmt_task *task, struct work *w)
{
    uint64_t wanted = 0;
    double found = 0;
    int rc = htmt__reference_triangles(&w->plan.graph, &wanted);
    for (uint32_t v = 0; v < w->plan.graph.vertices; v++)
        found += w->results.value[v].value;
    if (!rc) {
        htmt_task_checked(task, "triangles too many or too few", fabs(found - (double)wanted), 0,
                          found == (double)wanted);
        htmt_task_found(task, "triangles", found, "1");
    }
    return rc;
}

static int check(struct htmt_task *task, void *work)
{
    struct work *w = work;
    if (w->plan.program == HTMT__GRAPH_PAGERANK && !w->plan.by_levels && !w->plan.begins_once) {
        htmt_task_unchecked(task, "--begin cca: a vertex begins twice, or is told nothing");
        return 0;
    }
    if (w->unchecked || !w->results.value) {
        htmt_task_unchecked(task, w->unchecked ? "--check none" : "rank 0 checks");
        return 0;
    }
    return w->plan.program <= HTMT__GRAPH_SSSP       ? check_tree(task, w)
           : w->plan.program == HTMT__GRAPH_PAGERANK ? check_ranks(task, w)
                                                     : check_triangles(task, w);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_values(FILE *out, const struct work *w)
{
    static const char *const value[] = {"level", "distance", "rank", "triangles"};
    const bool tree = w->plan.program <= HTMT__GRAPH_SSSP;
    fprintf(out, "vertex,%s%s\n", value[w->plan.program], tree ? ",parent" : "");
    for (uint32_t v = 0; v < w->plan.graph.vertices; v++) {
        fprintf(out, "%u,%.17g", v, w->results.value[v].value);
        if (tree && w->results.value[v].parent != HTMT__NOBODY)
            fprintf(out, ",%u", w->results.value[v].parent);
        else if (tree)
            putc(',', out);
        putc('\n', out);
    }
}

static int write_values(struct htmt_task *task, const struct work *w)
{
    struct htmt_fault *fault = htmt_task_fault(task);
    const char *file = htmt_task_value(task, "out");
    struct htmt_whole_file *f = NULL;
    if (!file)
        return 0;
    int rc = htmt_whole_file_open(file, &f, fault);
    if (rc)
        return rc;
    print_values(htmt_whole_file_stream(f), w);
    return htmt_whole_file_commit(&f, fault);
}

/* Of several processes the one that has the results. */
static int write_all(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const char *plot = htmt_task_value(task, "plot-cells");
    if (!w->results.value)
        return 0;
    int rc = write_values(task, w);
    return rc || !plot ? rc : htmt__graph_plot_cells(plot, &w->run, htmt_task_fault(task));
}

static int conclude(struct htmt_task *task, void *work)
{
    struct work *w = work;
    return htmt__graph_conclude(task, &w->run, &w->results);
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    htmt__graph_results_clear(&w->results);
    htmt__graph_run_clear(&w->run);
    htmt__graph_plan_clear(&w->plan);
}

static const char *const outputs[] = {"out", "plot-cells", NULL};

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "graph",
    .summary = "BFS, shortest paths, PageRank and triangles, by messages to where a vertex lives",
    .options = htmt__graph_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .describe = describe,
    .create = create,
    .collect = collect,
    .check = check,
    .write = write_all,
    .conclude = conclude,
    .destroy = destroy,
    .verbs = htmt__graph_verbs,
    .outputs = outputs,
    .reads_costs = true,
    .ranks = true,
    .runs_model = true,
    .slices = slices,
    .slices_why = "of more, --slices takes as many as it says",
    .operand = "program",
};
