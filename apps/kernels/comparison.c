/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/kernels/comparison.h"

#include "apps/formats/clock_rows.h"
#include "apps/formats/plot.h"
#include "runtime/base/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Others disturb a host for longer than a sample lasts, so all sizes are measured several times. */
#define ROUNDS 6

/* The fastest of a still core; of any, where there is none. */
static void keep(struct htmt__kernels_clock *best, const struct htmt__kernels_clock *clock)
{
    bool first = best->fs <= 0 || (clock->still && !best->still);
    if (first || (clock->fs < best->fs && (clock->still || !best->still)))
        *best = *clock;
}

struct clocks {
    struct htmt__kernels_clock plain[HTMT__KERNELS_SIZES], vector[HTMT__KERNELS_SIZES];
};

static int measure(const struct htmt__kernels_plan *plan, unsigned i, struct htmt_host_core *core,
                   struct clocks *all)
{
    struct htmt__kernels_clock plain, vector;
    int rc = htmt__kernels_clock(plan->loop, false, plan->n[i], core, &plain);
    if (!rc)
        rc = htmt__kernels_clock(plan->loop, true, plan->n[i], core, &vector);
    if (rc)
        return rc;
    keep(&all->plain[i], &plain);
    keep(&all->vector[i], &vector);
    return 0;
}

static void judge(const struct htmt__kernels_plan *plan,
                  const struct htmt__kernels_program *program, const struct clocks *all,
                  struct htmt__kernels_comparison *c)
{
    for (unsigned i = 0; i < plan->sizes; i++) {
        c->n[i] = (double)plan->n[i];
        c->plain[i] = 1e-6 * all->plain[i].fs;
        c->spread[i] = 100 * all->plain[i].spread;
        c->vector[i] = 1e-6 * all->vector[i].fs;
        c->model[i] = 1e-6 * htmt__kernels_turn_fs(program, i);
        c->error[i] = 100 * (c->model[i] / c->plain[i] - 1);
        c->mean += fabs(c->error[i]) / plan->sizes;
        c->worst = fmax(c->worst, fabs(c->error[i]));
    }
}

int htmt__kernels_compare(const struct htmt__kernels_plan *plan,
                          const struct htmt__kernels_program *program,
                          struct htmt__kernels_comparison *c)
{
    struct htmt_host_core core = {.chain = 0};
    struct clocks all = {.plain = {{0}}};
    *c = (struct htmt__kernels_comparison){.sizes = plan->sizes};
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < plan->sizes; i++) {
            int rc = measure(plan, i, &core, &all);
            if (rc)
                return rc;
        }
    judge(plan, program, &all, c);
    return 0;
}

/* Errors of several sizes in a line. */
#define IN_A_LINE 6

void htmt__kernels_tell(struct htmt_task *task, const struct htmt__kernels_comparison *c)
{
    char line[200];
    htmt_task_found(task, "error_mean", c->mean, "%");
    htmt_task_found(task, "error_worst", c->worst, "%");
    htmt_task_note(task, "against this host's clock: mean error %.1f %%, worst %.1f %%", c->mean,
                   c->worst);
    for (unsigned i = 0; i < c->sizes; i += IN_A_LINE) {
        size_t used = 0;
        for (unsigned k = i; k < c->sizes && k < i + IN_A_LINE; k++)
            used += (size_t)snprintf(line + used, sizeof line - used, "%sN %.0f %+.0f %%",
                                     k > i ? ", " : "errors: ", c->n[k], c->error[k]);
        htmt_task_note(task, "%s", line);
    }
}

int htmt__kernels_write_csv(const char *path, const struct htmt__kernels_plan *plan,
                            const struct htmt__kernels_comparison *c, struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    htmt__clock_rows_head(out);
    for (unsigned i = 0; i < c->sizes; i++)
        htmt__clock_rows_put(out, &(struct htmt__clock_row){plan->loop->name, c->n[i], c->model[i],
                                                            c->plain[i], c->spread[i], c->vector[i],
                                                            c->error[i]});
    return htmt_whole_file_commit(&file, fault);
}

/* Times of one element, so that small and large arrays are seen on one axis. */
static void each(const struct htmt__kernels_comparison *c, const double *turn, double *element)
{
    for (unsigned i = 0; i < c->sizes; i++)
        element[i] = turn[i] / c->n[i];
}

int htmt__kernels_write_plot(const char *path, const struct htmt__kernels_plan *plan,
                             const char *machine, const struct htmt__kernels_comparison *c,
                             struct htmt_fault *fault)
{
    double model[HTMT__KERNELS_SIZES], plain[HTMT__KERNELS_SIZES], vector[HTMT__KERNELS_SIZES];
    char title[160];
    each(c, c->model, model);
    each(c, c->plain, plain);
    each(c, c->vector, vector);
    const struct htmt__plot_curve errors[] = {
        {"model against clock", HTMT__PLOT_LINE, c->sizes, c->n, c->error}};
    const struct htmt__plot below = {.x_label = "N",
                                     .y_label = "error, %",
                                     .log_x = true,
                                     .width = 800,
                                     .height = 300,
                                     .curves = errors,
                                     .count = 1};
    const struct htmt__plot_curve times[] = {
        {"model", HTMT__PLOT_LINE, c->sizes, c->n, model},
        {"clock, no vectors", HTMT__PLOT_POINTS, c->sizes, c->n, plain},
        {"clock, vectors", HTMT__PLOT_DASHED, c->sizes, c->n, vector}};
    snprintf(title, sizeof title, "%s on %s: time for an element", plan->loop->name, machine);
    const struct htmt__plot plot = {.title = title,
                                    .y_label = "ns",
                                    .log_x = true,
                                    .width = 800,
                                    .height = 400,
                                    .curves = times,
                                    .count = 3,
                                    .below = &below};
    return htmt__plot_write(path, &plot, fault);
}
