/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon's multiply as an application: input, set-up, emulation, check, output.
 */
#include "apps/lib/request.h"
#include "apps/lib/steps.h"

#include "apps/cannon/blas.h"
#include "apps/cannon/check.h"
#include "apps/cannon/program.h"
#include "apps/cannon/reference.h"
#include "apps/cannon/settings.h"
#include "runtime/base/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of all slices up to which the other schedule is emulated for its price, too. */
#define STEPS_TO_PRICE 500000

struct work {
    struct htmt_task *task;
    struct htmt__cannon_settings set;
    struct htmt__cannon_plan plan;
    struct htmt__cannon_prediction closed;
    struct htmt__cannon_matrix a, b, c;
    struct htmt__cannon_matrix padded[3]; /* A, B, C as the program wants them, where they differ */
    struct htmt__cannon_data data;        /* of those that the program works on */
    struct htmt__cannon_program *program;
};

/* ---- kernel set ----------------------------------------------------------------------------- */

#define WORDS_MAX 4000

/* The process's own command line; *room is to be freed. */
static int own_words(char **room, char **argv, struct htmt_fault *fault)
{
    size_t n = 0, count = 0;
    int rc = htmt_input_read("/proc/self/cmdline", HTMT_INPUT_TEXT, room, &n, fault);
    if (rc)
        return rc;
    for (char *at = *room; at < *room + n && count < WORDS_MAX - 1; at += strlen(at) + 1)
        argv[count++] = at;
    argv[count] = NULL;
    return 0;
}

/* May start the process again. */
static int choose_kernels(const char *set, struct htmt_fault *fault)
{
    char *room = NULL, *argv[WORDS_MAX];
    if (!set)
        return 0;
    int rc = own_words(&room, argv, fault);
    if (!rc)
        rc = htmt__cannon_blas_choose(set, argv, fault);
    free(room);
    return rc;
}

static void name_kernels(struct htmt_task *task)
{
    struct htmt__cannon_kernel_set set;
    char name[64];
    htmt__cannon_blas_kernel_set(&set);
    snprintf(name, sizeof name, "OpenBLAS %s", set.name);
    htmt_task_kernel_set(task, name);
    if (set.older)
        htmt_task_note_at(
            task, 1,
            "OpenBLAS runs %s kernels (%s) on a CPU with %s; --kernel-set %s may be faster",
            set.name, set.vector, set.cpu, set.better ? set.better : "NAME");
}

/* ---- does it fit the host? ------------------------------------------------------------------ */

static bool fits_as_is(const struct htmt__cannon_plan *p, uint64_t rows, uint64_t cols)
{
    return rows == p->dimension && cols == p->dimension;
}

static int check_host(const struct work *w)
{
    const struct htmt__cannon_plan *p = &w->plan;
    const struct htmt__cannon_problem *o = &p->problem;
    bool reference = w->set.check == HTMT__CHECK_FULL || w->set.check == HTMT__CHECK_EXACT;
    int copies = !fits_as_is(p, o->rows, o->inner) + !fits_as_is(p, o->inner, o->cols) +
                 !fits_as_is(p, o->rows, o->cols);
    double matrices =
        8.0 * ((double)o->rows * (double)o->inner + (double)o->inner * (double)o->cols +
               (1.0 + reference) * (double)o->rows * (double)o->cols);
    double padded = 8.0 * copies * (double)p->dimension * (double)p->dimension;
    double slice = 8.0 * (2.0 * (double)p->middle_words + (double)p->inner_words);
    double slices = (double)p->s * (double)p->s;
    return htmt_task_fits(w->task, matrices + padded + slices * slice,
                          "matrices %.2f GiB + padding %.2f GiB + %.0f slices x %.4f GiB",
                          matrices / HTMT_GIB, padded / HTMT_GIB, slices, slice / HTMT_GIB);
}

/* ---- matrices ------------------------------------------------------------------------------- */

static void copy_rows(struct htmt__cannon_matrix *to, const struct htmt__cannon_matrix *from)
{
    uint64_t rows = to->rows < from->rows ? to->rows : from->rows;
    uint64_t cols = to->cols < from->cols ? to->cols : from->cols;
    for (uint64_t i = 0; i < rows; i++)
        memcpy(to->at + i * to->cols, from->at + i * from->cols, cols * sizeof *to->at);
}

/* The matrix itself when it has the program's size, else a padded copy. */
static int fit_matrix(struct work *w, struct htmt__cannon_matrix *m,
                      struct htmt__cannon_matrix *padded, double **at)
{
    uint64_t d = w->plan.dimension;
    *at = m->at;
    if (fits_as_is(&w->plan, m->rows, m->cols))
        return 0;
    int rc = htmt__cannon_matrix_create(padded, d, d, htmt_task_fault(w->task));
    if (rc)
        return rc;
    copy_rows(padded, m);
    *at = padded->at;
    return 0;
}

static int prepare(struct htmt_task *task, void *work, struct htmt_options *options)
{
    struct work *w = work;
    (void)options;
    if (htmt_task_is_model(task))
        return 0;
    int rc = htmt__cannon_matrix_create(&w->c, w->plan.problem.rows, w->plan.problem.cols,
                                        htmt_task_fault(task));
    if (!rc)
        rc = fit_matrix(w, &w->a, &w->padded[0], &w->data.a);
    if (!rc)
        rc = fit_matrix(w, &w->b, &w->padded[1], &w->data.b);
    if (!rc)
        rc = fit_matrix(w, &w->c, &w->padded[2], &w->data.c);
    if (!rc) /* the host's pages: now, not while the emulation is timed */
        memset(w->data.c, 0, w->plan.dimension * w->plan.dimension * sizeof *w->data.c);
    return rc;
}

/* ---- emulation ------------------------------------------------------------------------------ */

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    htmt__cannon_blas_one_thread();
    return htmt__cannon_program_create(e, &w->plan, w->set.schedule, &w->data, &w->program,
                                       htmt_task_fault(task));
}

static int collect(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    if (w->padded[2].at)
        copy_rows(&w->c, &w->padded[2]);
    return 0;
}

/* Predicted time of the other schedule, without data; -1: it failed. All slices do the same at the
 * same time, so one stands for them. */
static double emulate_other(const struct work *w, enum htmt__cannon_schedule schedule)
{
    const struct htmt_request *r = htmt_task_request(w->task);
    struct htmt_options options = {.machine = htmt_request_machine(r),
                                   .slices = htmt_request_slices(r),
                                   .mode = HTMT_MODEL,
                                   .symmetry = HTMT_FOLDED};
    struct htmt__cannon_program *program = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt__cannon_data none = {0};
    double predicted = -1;
    if (htmt_emulator_create(&e, &options, NULL))
        return -1;
    if (!htmt__cannon_program_create(e, &w->plan, schedule, &none, &program, NULL) &&
        !htmt_emulator_run(e))
        predicted = 1e-15 * (double)htmt_predicted(e);
    htmt_emulator_destroy(&e);
    htmt__cannon_program_destroy(&program);
    return predicted;
}

static bool cheap(const struct work *w)
{
    const struct htmt__cannon_plan *p = &w->plan;
    double side = (double)p->q * (double)p->t, s = (double)p->s;
    double slices = htmt_request_symmetry(htmt_task_request(w->task)) == HTMT_FOLDED ? 1 : s * s;
    return side * side * side * s * slices <= STEPS_TO_PRICE;
}

/* Two times in one unit, that of the second one, with four digits: "0.1204 us of 572 us". */
static void name_times(double part, double whole, char *text, size_t room)
{
    static const char *const units[] = {"s", "ms", "us", "ns", "ps", "fs"};
    double scale = 1;
    size_t i = 0;
    /* what rounding to four digits carries over to 1000 belongs to the larger unit */
    for (; i + 1 < sizeof units / sizeof *units && whole > 0 && scale * whole < 0.99995; i++)
        scale *= 1000;
    snprintf(text, room, "%.4g %s of %.4g %s", scale * part, units[i], scale * whole, units[i]);
}

static int price_overlap(struct htmt_task *task, void *work)
{
    struct work *w = work;
    bool paper = w->set.schedule == HTMT__CANNON_PAPER, emulated = cheap(w);
    enum htmt__cannon_schedule other = paper ? HTMT__CANNON_OVERLAPPED : HTMT__CANNON_PAPER;
    double mine = 1e-15 * (double)htmt_predicted(htmt_task_emulator(task));
    double theirs = emulated ? emulate_other(w, other) : 1e-15 * (double)w->closed.total[other];
    double longer = paper ? mine : theirs, shorter = paper ? theirs : mine;
    if (theirs < 0)
        return 0;
    char saved[80];
    name_times(longer - shorter, longer, saved, sizeof saved);
    htmt_task_note_at(task, 0, "overlap saves %s (%.2f %%); schedule %s %s", saved,
                      100 * (longer - shorter) / longer, paper ? "overlap" : "paper",
                      emulated ? "emulated too" : "by its closed form");
    return 0;
}

/* ---- check ---------------------------------------------------------------------------------- */

static void record(struct work *w, const struct htmt__cannon_check *c)
{
    htmt_task_checked(w->task, c->name, c->value, c->tolerance, c->pass);
}

/* Integers as generated, whose sums are exact, leave no tolerance. */
static bool exact_sums(const struct work *w)
{
    return !w->set.a && w->set.entries == HTMT__INTEGERS &&
           w->plan.problem.inner < (UINT64_C(1) << 53) / 64;
}

static int check_reference(struct work *w, bool bits)
{
    struct htmt__cannon_check check[2];
    struct htmt__cannon_matrix reference = {0};
    int rc = htmt__cannon_reference_product(&w->a, &w->b, &reference, htmt_task_fault(w->task));
    if (!rc && bits)
        rc = htmt__cannon_check_exact(&w->c, &reference, check, htmt_task_fault(w->task));
    else if (!rc)
        rc = htmt__cannon_check_full(&w->a, &w->b, &w->c, &reference, check,
                                     htmt_task_fault(w->task));
    htmt__cannon_matrix_destroy(&reference);
    if (rc)
        return rc;
    const struct htmt__cannon_check *worst =
        !bits && check[0].pass && !check[1].pass ? &check[1] : check;
    record(w, worst);
    return 0;
}

static int check_product(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt__cannon_check check;
    if (w->set.check == HTMT__CHECK_NONE)
        return 0;
    if (w->set.check != HTMT__CHECK_FREIVALDS)
        return check_reference(w, w->set.check == HTMT__CHECK_EXACT);
    int rc = htmt__cannon_check_freivalds(&w->a, &w->b, &w->c,
                                          htmt_request_seed(htmt_task_request(task)), exact_sums(w),
                                          &check, htmt_task_fault(task));
    if (!rc)
        record(w, &check);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int plan(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc;
    w->task = task;
    rc = htmt__cannon_settings_read(r, &w->set, fault);
    if (!rc && !htmt_task_is_model(task))
        rc = choose_kernels(w->set.kernel_set, fault);
    if (!rc && w->set.a)
        rc = htmt__cannon_measure(&w->set, &w->a, &w->b, fault);
    if (!rc)
        rc = htmt__cannon_settings_plan(htmt_task_machine(task), &w->set, &w->a, &w->b, &w->plan,
                                        fault);
    if (!rc && !htmt_request_plan_only(r))
        rc = htmt__cannon_check_padding(&w->plan, fault);
    return rc ? rc : htmt__cannon_predict(htmt_task_machine(task), &w->plan, &w->closed, fault);
}

static void name_problem(const struct work *w)
{
    char text[400];
    htmt__cannon_describe(&w->set, &w->plan, text, sizeof text);
    htmt_task_problem(w->task, "%s", text);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    htmt_prediction_total(out, 1e-15 * (double)w->closed.total[w->set.schedule]);
    htmt_prediction_flops(out, (double)w->closed.flops);
    name_problem(w);
    return htmt__cannon_tell(htmt_task_machine(task), &w->closed, out, htmt_task_fault(task));
}

/* Matrices are read or generated once it is known that all fits. */
static int input(struct htmt_task *task, void *work)
{
    struct work *w = work;
    int rc = check_host(w);
    return rc ? rc
              : htmt__cannon_input(htmt_task_request(task), &w->set, &w->a, &w->b,
                                   htmt_task_fault(task));
}

static void describe(struct htmt_task *task, void *work)
{
    struct work *w = work;
    htmt_wide causes[HTMT_PATH_CAUSES] = {0};
    htmt_task_precision(task, "double");
    htmt_task_flops(task, (double)w->closed.flops);
    htmt_task_closed_form(task, w->closed.total[w->set.schedule],
                          w->set.schedule == HTMT__CANNON_PAPER ? "equation 4"
                                                                : "equation 4, overlapped");
    htmt__cannon_causes(&w->closed, w->set.schedule, causes);
    htmt_task_closed_form_causes(task, causes);
    name_problem(w);
    if (!htmt_task_is_model(task))
        name_kernels(task);
}

static int write_product(struct htmt_task *task, void *work)
{
    struct work *w = work;
    return w->set.out ? htmt__cannon_matrix_write(w->set.out, &w->c, htmt_task_fault(task)) : 0;
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    htmt__cannon_program_destroy(&w->program);
    htmt__cannon_matrix_destroy(&w->a);
    htmt__cannon_matrix_destroy(&w->b);
    htmt__cannon_matrix_destroy(&w->c);
    for (int i = 0; i < 3; i++)
        htmt__cannon_matrix_destroy(&w->padded[i]);
}

static const struct htmt_app_size sizes[] = {
    {"size", "%", "rows of a square matrix", 64, UINT64_C(1) << 31, 1},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "cannon",
    .summary = "Cannon's multiply of two matrices on a grid of SPELLs",
    .options = htmt__cannon_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .input = input,
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .collect = collect,
    .check = check_product,
    .write = write_product,
    .conclude = price_overlap,
    .destroy = destroy,
    .folds = true,
    .reads_costs = true,
    .paper_figures = htmt__cannon_paper_figures,
    .sizes = sizes,
    .outputs = (const char *const[]){"out", NULL},
    .slices = htmt__cannon_slices,
    .slices_why = HTMT__CANNON_SLICES_WHY,
};
