/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels of one processor as an application.
 */
#include "apps/formats/plot.h"
#include "apps/kernels/comparison.h"
#include "apps/kernels/paper_figures.h"
#include "apps/kernels/program.h"
#include "apps/lib/gather.h"
#include "apps/lib/steps.h"

#include <inttypes.h>
#include <stdio.h>

struct work {
    struct htmt__kernels_plan plan;
    htmt_wide closed;
    struct htmt__kernels_program *program;
};

/* ---- plan ------------------------------------------------------------------------------------ */

static int plan(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc = htmt__kernels_plan(htmt_task_request(task), &w->plan, fault);
    if (!rc && w->plan.plot)
        rc = htmt__plot_check(w->plan.plot, fault);
    return rc ? rc
              : htmt__kernels_closed_form(htmt_task_machine(task), &w->plan, &w->closed, NULL,
                                          fault);
}

static void name_problem(struct htmt_task *task, const struct htmt__kernels_plan *p)
{
    double flops = 0;
    for (unsigned i = 0; i < p->sizes; i++) {
        struct htmt_ops ops =
            htmt__kernels_ops(p, p->n[i], p->clock ? 3 * p->turns[i] : p->turns[i]);
        flops += (double)ops.n[HTMT_FLOP];
    }
    htmt_task_problem(task, "%s, %s, N %" PRIu64 " to %" PRIu64 ", %u sizes", p->loop->name,
                      p->loop->about, p->n[0], p->n[p->sizes - 1], p->sizes);
    htmt_task_flops(task, flops);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    htmt_prediction_total_fs(out, w->closed);
    name_problem(task, &w->plan);
    return htmt__kernels_closed_form(htmt_task_machine(task), &w->plan, &w->closed, out,
                                     htmt_task_fault(task));
}

static void describe(struct htmt_task *task, void *work)
{
    static const char *const variants[] = {"plain", "annotated", "vector"};
    struct work *w = work;
    htmt_task_precision(task, "double");
    htmt_task_kernel_set(task, variants[w->plan.variant]);
    htmt_task_closed_form(task, w->closed, "counted operations, one service after another");
    name_problem(task, &w->plan);
}

/* ---- emulation ------------------------------------------------------------------------------- */

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    double bytes = 0;
    for (unsigned i = 0; i < w->plan.sizes; i++) {
        struct htmt__kernels_loop_data d;
        htmt__kernels_loop_place(w->plan.loop, w->plan.n[i], &d);
        bytes += (double)d.bytes;
    }
    int rc = htmt_task_is_model(task)
                 ? 0
                 : htmt_task_fits(task, bytes, "arrays %.2f GiB", bytes / HTMT_GIB);
    return rc ? rc : htmt__kernels_program_create(e, &w->plan, &w->program, htmt_task_fault(task));
}

struct verdict {
    double error, bound;
    bool correct;
};

/* The size whose error is the largest part of its bound. */
static int compare_all(const struct work *w, struct verdict *v)
{
    for (unsigned i = 0; i < w->plan.sizes; i++) {
        double e, b;
        char *block;
        const struct htmt__kernels_loop_data *d = htmt__kernels_block(w->program, i, &block);
        int rc = htmt__kernels_loop_check(w->plan.loop, d, block,
                                          htmt__kernels_turns(w->program, i), &e, &b);
        if (rc)
            return rc;
        v->correct = v->correct && e <= b;
        if (!i || e * v->bound > v->error * b) {
            v->error = e;
            v->bound = b;
        }
    }
    return 0;
}

static int check(struct htmt_task *task, void *work)
{
    struct verdict v = {.correct = true};
    struct htmt_emulator *e = htmt_task_emulator(task);
    int rc = htmt_slice_here(e, 0) ? compare_all(work, &v) : 0;
    rc = rc ? rc : htmt_tell_all(e, &v, sizeof v);
    if (!rc)
        htmt_task_checked(task, "error", v.error, v.bound, v.correct);
    return rc;
}

/* Times of a turn, of few sizes one by one. */
#define TOLD 12

static int conclude(struct htmt_task *task, void *work)
{
    struct work *w = work;
    char name[40];
    for (unsigned i = 0; i < w->plan.sizes && w->plan.sizes <= TOLD; i++) {
        snprintf(name, sizeof name, "turn_%" PRIu64, w->plan.n[i]);
        htmt_task_found(task, name, 1e-15 * htmt__kernels_turn_fs(w->program, i), "s");
        snprintf(name, sizeof name, "first_%" PRIu64, w->plan.n[i]);
        if (w->plan.clock)
            htmt_task_found(task, name, 1e-15 * htmt__kernels_first_fs(w->program, i), "s");
    }
    if (!w->plan.clock || htmt_task_is_model(task))
        return 0;
    struct htmt__kernels_comparison c;
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc = htmt__kernels_compare(&w->plan, w->program, htmt_task_machine(task), &c);
    if (rc)
        return rc;
    htmt__kernels_tell(task, &c);
    if (w->plan.csv)
        rc = htmt__kernels_write_csv(w->plan.csv, &w->plan, &c, fault);
    if (!rc && w->plan.plot)
        rc = htmt__kernels_write_plot(w->plan.plot, &w->plan, htmt_task_machine(task)->name, &c,
                                      fault);
    return rc;
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    htmt__kernels_program_destroy(&w->program);
}

static uint32_t one_slice(const struct htmt_request *r)
{
    (void)r;
    return 1;
}

/* A size has its own caches: what it finds there was left by its own turns. */
static int prepare(struct htmt_task *task, void *work, struct htmt_options *options)
{
    (void)task;
    (void)work;
    options->cold_caches = true;
    return 0;
}

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "kernels",
    .summary = "kernels of one processor: ddot, ddot4, daxpy, dipole, triad, dgemm, fft",
    .options = htmt__kernels_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .check = check,
    .conclude = conclude,
    .destroy = destroy,
    .paper_figures = htmt__kernels_paper_figures,
    .slices = one_slice,
    .slices_why = "one processor computes",
    .outputs = (const char *const[]){"plot", "csv", NULL},
    .ranks = true,
};
