/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gravity of N bodies as an application (docs/nbody.md).
 */
#include "apps/formats/npy.h"
#include "apps/formats/plot.h"
#include "apps/lib/execution.h"
#include "apps/lib/gather.h"
#include "apps/nbody/closed_form.h"
#include "apps/nbody/list_file.h"
#include "apps/nbody/program.h"
#include "apps/nbody/reference.h"
#include "apps/nbody/results.h"
#include "runtime/base/by_size.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct htmt__nbody_plan plan;
    struct htmt__nbody_prediction closed;
    struct htmt__nbody_program *program;
    struct htmt__nbody_body *start, *body; /* of a run: at the beginning; at the end */
    double *pull, *history;
    struct htmt__nbody_lengths *lists; /* that a model run reads */
    bool unchecked;
    enum htmt_execution execution;
};

/* Of a tree; a model run reads them. */
static int read_lists(struct htmt_task *task, struct work *w)
{
    const char *path = htmt_task_value(task, "lists");
    if (!w->plan.tree && htmt_task_value(task, "out-lists"))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--out-lists: found --method direct, expected tree");
    if (!path)
        return 0;
    if (!w->plan.tree || !htmt_task_is_model(task))
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--lists: found %s, expected a model run of --method tree",
                                w->plan.tree ? "a run" : "--method direct");
    int rc = htmt__nbody_lists_read(path, &w->plan, &w->lists, &w->plan.list_count,
                                    htmt_task_fault(task));
    w->plan.lists = w->lists;
    return rc;
}

#define OFFERS                                                                                     \
    (HTMT_EXECUTION_FORM(HTMT_EXECUTION_SERIAL) | HTMT_EXECUTION_FORM(HTMT_EXECUTION_MPP))

static int plan(struct htmt_task *task, void *work)
{
    static const char *const checks[] = {"full", "none", NULL};
    struct work *w = work;
    unsigned kind = 0;
    int rc =
        htmt_request_choice(htmt_task_request(task), "check", checks, &kind, htmt_task_fault(task));
    w->unchecked = kind == 1;
    rc = rc ? rc : htmt_execution_read(task, OFFERS, &w->execution);
    if (!rc && w->execution != HTMT_EXECUTION_HTMT)
        return htmt__nbody_plan_problem(task, &w->plan);
    rc = rc ? rc : htmt__nbody_plan(task, &w->plan);
    if (!rc && !htmt_task_is_model(task))
        rc = htmt__nbody_results_check(task);
    rc = rc ? rc : read_lists(task, w);
    return rc ? rc
              : htmt__nbody_predict(htmt_task_machine(task), &w->plan, &w->closed, NULL,
                                    htmt_task_fault(task));
}

static void name_problem(struct htmt_task *task, const struct htmt__nbody_plan *p)
{
    char method[96];
    if (p->tree)
        snprintf(method, sizeof method, "tree of %spoles, theta %g, groups of %u",
                 p->quad ? "quadru" : "mono", p->theta, p->group);
    else
        snprintf(method, sizeof method,
                 p->targets ? "direct sum, %u targets at once" : "direct sum", p->targets);
    htmt_task_problem(task, "%" PRIu64 " bodies of %s, %s; eps %g; %u step%s of %g; %u slices",
                      p->bodies, p->in ? p->in : "a Plummer sphere", method, p->eps, p->steps,
                      p->steps == 1 ? "" : "s", p->dt, p->slices);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    name_problem(task, &w->plan);
    if (w->execution == HTMT_EXECUTION_SERIAL)
        return htmt__nbody_serial(task, &w->plan, out);
    if (w->execution == HTMT_EXECUTION_MPP)
        return htmt__nbody_mpp(task, &w->plan, out);
    return htmt__nbody_predict(htmt_task_machine(task), &w->plan, &w->closed, out,
                               htmt_task_fault(task));
}

static int input(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const uint64_t n = w->plan.bodies;
    const double each = 2 * sizeof *w->start + 8.0 * HTMT__NBODY_PULL_WORDS +
                        8.0 * (HTMT__NBODY_BODY_WORDS + HTMT__NBODY_PULL_WORDS +
                               (1 + HTMT__NBODY_BUFFERS) * HTMT__NBODY_SOURCE_WORDS);
    int rc = htmt_task_fits(task, (double)n * each, "%" PRIu64 " bodies of %.0f bytes", n, each);
    if (rc)
        return rc;
    w->start = calloc(n, sizeof *w->start);
    if (!w->start)
        return htmt_task_refuse(task, HTMT_ENOMEM, "no host memory for the bodies");
    return htmt__nbody_input(&w->plan, htmt_request_seed(htmt_task_request(task)), w->start,
                             htmt_task_fault(task));
}

static void describe(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    const struct htmt__nbody_prediction *c = &w->closed;
    htmt_task_precision(task, "double");
    htmt_task_flops(task, c->flop);
    htmt_task_closed_form(task, c->total, "moves and passes");
    htmt_task_closed_form_train(task, c->total, c->work, c->fill, c->drain);
    name_problem(task, &w->plan);
}

static int prepare(struct htmt_task *task, void *work, struct htmt_options *options)
{
    const struct htmt__nbody_plan *p = &((const struct work *)work)->plan;
    if (options->symmetry == HTMT_FOLDED && p->tree)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--fold: found --method tree, expected direct: slices of a tree "
                                "do not do the same");
    if (options->symmetry != HTMT_FOLDED || p->bodies % p->slices == 0)
        return 0;
    return htmt_task_refuse(task, HTMT_EUSAGE,
                            "--fold: found %" PRIu64 " bodies on %u slices, expected the same "
                            "number on each",
                            p->bodies, p->slices);
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    return htmt__nbody_program_create(e, &w->plan, w->start,
                                      htmt_request_sections(htmt_task_request(task)), &w->program);
}

static int collect(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt__nbody_plan *p = &w->plan;
    if (htmt_task_is_model(task))
        return 0;
    w->body = calloc(p->bodies, sizeof *w->body);
    w->pull = calloc(p->bodies, HTMT__NBODY_PULL_WORDS * sizeof *w->pull);
    w->history = calloc(p->steps + 1, HTMT__NBODY_SUMS * sizeof *w->history);
    if (!w->body || !w->pull || !w->history)
        return HTMT_ENOMEM;
    int rc = htmt__nbody_program_gather(w->program, w->body, w->pull);
    return rc ? rc : htmt__nbody_program_history(w->program, w->history);
}

/* ---- check ---------------------------------------------------------------------------------- */

/* The largest distance between where bodies are and where they should be, over the root mean square
 * of places. */
static double distance(const struct htmt__nbody_body *found, const struct htmt__nbody_body *wanted,
                       uint64_t n)
{
    double size = 0, most = 0;
    for (uint64_t i = 0; i < n; i++) {
        double off = 0;
        for (unsigned c = 0; c < 3; c++) {
            const double d = found[i].x[c] - wanted[i].x[c];
            size += wanted[i].x[c] * wanted[i].x[c];
            off += d * d;
        }
        most = off <= most ? most : off; /* a NaN stays */
    }
    return most == 0 ? 0 : sqrt(most / (size / (double)n));
}

#define TOLERANCE 1e-9
#define SAMPLES   1000

/* The median of relative errors of pulls, over a sample of bodies. */
static int check_tree(struct htmt_task *task, const struct work *w)
{
    const struct htmt__nbody_plan *p = &w->plan;
    const uint64_t n = p->bodies, count = n < SAMPLES ? n : SAMPLES;
    double off[SAMPLES];
    for (uint64_t s = 0; s < count; s++) {
        const uint64_t i = n * s / count;
        const double *found = w->pull + HTMT__NBODY_PULL_WORDS * i;
        double wanted[HTMT__NBODY_PULL_WORDS], d2 = 0, a2 = 0;
        htmt__nbody_reference_pull_one(w->body, n, i, p->eps, wanted);
        for (unsigned c = 0; c < 3; c++) {
            d2 += (found[c] - wanted[c]) * (found[c] - wanted[c]);
            a2 += wanted[c] * wanted[c];
        }
        off[s] = d2 == 0 ? 0 : sqrt(d2 / a2);
        off[s] = isnan(off[s]) ? INFINITY : off[s];
    }
    qsort(off, count, sizeof *off, htmt__by_size);
    const double tolerance = htmt__nbody_tolerance(p->theta, p->quad);
    htmt_task_found(task, "worst_pull_error", off[count - 1], "1");
    htmt_task_checked(task, "median error of pulls against direct sums", off[count / 2], tolerance,
                      off[count / 2] <= tolerance);
    return 0;
}

static int check(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const uint64_t n = w->plan.bodies;
    if (w->unchecked || !htmt_gathers(htmt_task_emulator(task))) {
        htmt_task_unchecked(task, w->unchecked ? "--check none" : "rank 0 checks");
        return 0;
    }
    if (w->plan.tree)
        return check_tree(task, w);
    double *pull = calloc(n, HTMT__NBODY_PULL_WORDS * sizeof *pull);
    if (!pull)
        return HTMT_ENOMEM;
    htmt__nbody_reference_run(&w->plan, w->start, pull);
    free(pull);
    const double off = distance(w->body, w->start, n);
    htmt_task_checked(task, "distance from the serial program", off, TOLERANCE, off <= TOLERANCE);
    return 0;
}

/* ---- output --------------------------------------------------------------------------------- */

static int write_lists(struct htmt_task *task, const struct work *w)
{
    const char *path = htmt_task_value(task, "out-lists");
    struct htmt__nbody_lengths *lists = NULL;
    uint64_t count = 0;
    if (!path || !w->plan.tree)
        return 0;
    int rc = htmt__nbody_program_lists(w->program, &lists, &count);
    if (!rc && htmt_gathers(htmt_task_emulator(task)))
        rc = htmt__nbody_lists_write(path, lists, count, htmt_task_fault(task));
    free(lists);
    return rc;
}

static int write_results(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    int rc = write_lists(task, w);
    if (rc)
        return rc;
    if (!htmt_gathers(htmt_task_emulator(task)))
        return 0;
    return htmt__nbody_results_write(task, &w->plan, w->body, w->history);
}

static int conclude(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    if (w->history && htmt_gathers(htmt_task_emulator(task)))
        htmt__nbody_results_find(task, &w->plan, w->history);
    return 0;
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    htmt__nbody_program_destroy(&w->program);
    free(w->start);
    free(w->body);
    free(w->pull);
    free(w->history);
    free(w->lists);
}

static const char *const outputs[] = {"out", "out-lists", "plot-energies", "plot-profile", NULL};

static const struct htmt_app_size sizes[] = {
    {"bodies", "%", "bodies of a Plummer sphere", 1 << 20, UINT64_C(1) << 40, 1 << 20},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "nbody",
    .summary = "gravity of N bodies, by direct sum or by an octree",
    .options = htmt__nbody_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .input = input,
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .collect = collect,
    .check = check,
    .write = write_results,
    .conclude = conclude,
    .destroy = destroy,
    .outputs = outputs,
    .folds = true,
    .ranks = true,
    .reads_costs = true,
    .sizes = sizes,
    .slices = htmt__nbody_slices,
    .slices_why = "each has at least 16 bodies",
};
