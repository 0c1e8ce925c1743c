/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon's multiply as an application: input, set-up, emulation, check, output.
 */
#include "apps/app.h"

#include "apps/cannon/blas.h"
#include "apps/cannon/check.h"
#include "apps/cannon/program.h"
#include "apps/cannon/reference.h"
#include "apps/cannon/settings.h"
#include "apps/lap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Steps of all slices up to which the other schedule is emulated for its price, too: about a
 * third of a second. */
#define STEPS_TO_PRICE 500000

struct work {
    const struct htmt_request *request;
    struct htmt__cannon_settings set;
    struct htmt_machine machine;
    struct htmt__cannon_plan plan;
    struct htmt__cannon_prediction closed;
    struct htmt__matrix a, b, c;
    struct htmt__matrix padded[3]; /* A, B, C as the program wants them, where they differ */
    struct htmt__cannon_program *program;
    struct htmt_outcome *out;
    struct htmt_fault *fault;
};

static bool is_model(const struct work *w)
{
    return w->request->emulator.mode == HTMT_MODEL;
}

/* ---- kernel set ----------------------------------------------------------------------------- */

#define WORDS_MAX      4096
#define LINE_MAX_BYTES (1u << 20)

/* The process's own command line; *room is to be freed. */
static int own_words(char **room, char **argv, struct htmt_fault *fault)
{
    FILE *f = fopen("/proc/self/cmdline", "rb");
    char *line = calloc(1, LINE_MAX_BYTES + 1);
    size_t n = f && line ? fread(line, 1, LINE_MAX_BYTES, f) : 0, count = 0;
    if (f)
        fclose(f);
    *room = line;
    if (!n || n == LINE_MAX_BYTES)
        return htmt_fault_set(fault, HTMT_ESYSTEM, "cannot read /proc/self/cmdline");
    for (char *at = line; at < line + n && count < WORDS_MAX - 1; at += strlen(at) + 1)
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
        rc = htmt__blas_choose(set, argv, fault);
    free(room);
    return rc;
}

static void name_kernels(struct htmt_outcome *out)
{
    struct htmt__kernel_set set;
    htmt__blas_kernel_set(&set);
    snprintf(out->kernel_set, sizeof out->kernel_set, "OpenBLAS %s", set.name);
    if (set.older)
        snprintf(out->notes[1], sizeof out->notes[1],
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
    double slices = (double)p->s * (double)p->s, gib = 1024.0 * 1024 * 1024;
    double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double all = matrices + padded + slices * slice;
    if (all <= has)
        return 0;
    return htmt_fault_set(
        w->fault, HTMT_EHOSTFIT,
        "matrices %.2f GiB + padding %.2f GiB + %.0f slices x %.4f GiB = %.2f GiB, "
        "the host has %.2f GiB; `htmt model` needs no data",
        matrices / gib, padded / gib, slices, slice / gib, all / gib, has / gib);
}

/* ---- matrices ------------------------------------------------------------------------------- */

static void copy_rows(struct htmt__matrix *to, const struct htmt__matrix *from)
{
    uint64_t rows = to->rows < from->rows ? to->rows : from->rows;
    uint64_t cols = to->cols < from->cols ? to->cols : from->cols;
    for (uint64_t i = 0; i < rows; i++)
        memcpy(to->at + i * to->cols, from->at + i * from->cols, cols * sizeof *to->at);
}

/* The matrix itself when it has the program's size, else a padded copy. */
static int fit_matrix(struct work *w, struct htmt__matrix *m, struct htmt__matrix *padded,
                      double **at)
{
    uint64_t d = w->plan.dimension;
    *at = m->at;
    if (fits_as_is(&w->plan, m->rows, m->cols))
        return 0;
    int rc = htmt__matrix_create(padded, d, d, w->fault);
    if (rc)
        return rc;
    copy_rows(padded, m);
    *at = padded->at;
    return 0;
}

static int prepare(struct work *w, struct htmt__cannon_data *data)
{
    *data = (struct htmt__cannon_data){0};
    if (is_model(w))
        return 0;
    int rc = htmt__matrix_create(&w->c, w->plan.problem.rows, w->plan.problem.cols, w->fault);
    if (!rc)
        rc = fit_matrix(w, &w->a, &w->padded[0], &data->a);
    if (!rc)
        rc = fit_matrix(w, &w->b, &w->padded[1], &data->b);
    if (!rc)
        rc = fit_matrix(w, &w->c, &w->padded[2], &data->c);
    if (!rc) /* the host's pages: now, not while the emulation is timed */
        memset(data->c, 0, w->plan.dimension * w->plan.dimension * sizeof *data->c);
    return rc;
}

/* ---- emulation ------------------------------------------------------------------------------ */

static int emulate(struct work *w, double *since)
{
    struct htmt_options options = w->request->emulator;
    struct htmt__cannon_data data;
    int rc = prepare(w, &data);
    if (rc)
        return rc;
    if ((rc = htmt_emulator_create(&w->out->emulator, &options)))
        return htmt_fault_set(w->fault, rc, "cannot create the emulator: %s", htmt_strerror(rc));
    rc = htmt__cannon_program_create(w->out->emulator, &w->plan, w->set.schedule, &data,
                                     &w->program, w->fault);
    w->out->wall.setup_s = htmt__lap(since);
    if (rc)
        return rc;
    rc = htmt_emulator_run(w->out->emulator);
    w->out->wall.emulate_s = htmt__lap(since);
    if (rc)
        return htmt_fault_set(w->fault, rc, "%s", htmt_emulator_fault(w->out->emulator)->text);
    if (w->padded[2].at)
        copy_rows(&w->c, &w->padded[2]);
    return 0;
}

/* Predicted time of the other schedule, without data; -1: it failed. */
static double emulate_other(const struct work *w, enum htmt__cannon_schedule schedule)
{
    struct htmt_options options = {.machine = w->request->machine,
                                   .slices = w->request->emulator.slices,
                                   .mode = HTMT_MODEL,
                                   .symmetry = w->request->emulator.symmetry};
    struct htmt__cannon_program *program = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt__cannon_data none = {0};
    double predicted = -1;
    if (htmt_emulator_create(&e, &options))
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
    double slices = w->request->emulator.symmetry == HTMT_FOLDED ? 1 : s * s;
    return side * side * side * s * slices <= STEPS_TO_PRICE;
}

/* Four digits, as the times of the report: "572.0 us". */
static void name_time(double s, char *text, size_t room)
{
    static const char *const units[] = {"s", "ms", "us", "ns", "ps", "fs"};
    double scaled = fabs(s);
    size_t i = 0;
    /* what rounding to four digits carries over to 1000 belongs to the larger unit */
    for (; i + 1 < sizeof units / sizeof *units && scaled > 0 && scaled < 0.99995; i++)
        scaled *= 1000;
    int digits = scaled < 9.9995 ? 3 : scaled < 99.995 ? 2 : scaled < 999.95 ? 1 : 0;
    snprintf(text, room, "%s%.*f %s", s < 0 ? "-" : "", digits, scaled, units[i]);
}

static void price_overlap(struct work *w)
{
    bool paper = w->set.schedule == HTMT__CANNON_PAPER, emulated = cheap(w);
    enum htmt__cannon_schedule other = paper ? HTMT__CANNON_OVERLAPPED : HTMT__CANNON_PAPER;
    double mine = 1e-15 * (double)htmt_predicted(w->out->emulator);
    double theirs = emulated ? emulate_other(w, other) : 1e-15 * (double)w->closed.total[other];
    double longer = paper ? mine : theirs, shorter = paper ? theirs : mine;
    if (theirs < 0)
        return;
    char saved[24], whole[24];
    name_time(longer - shorter, saved, sizeof saved);
    name_time(longer, whole, sizeof whole);
    snprintf(w->out->notes[0], sizeof w->out->notes[0],
             "overlap saves %s of %s (%.2f %%); schedule %s %s", saved, whole,
             100 * (longer - shorter) / longer, paper ? "overlap" : "paper",
             emulated ? "emulated too" : "by its closed form");
}

/* ---- check ---------------------------------------------------------------------------------- */

static void record(struct htmt_outcome *out, const struct htmt__check *check, bool pass)
{
    snprintf(out->check.name, sizeof out->check.name, "%s", check->name);
    out->check.value = check->value;
    out->check.tolerance = check->tolerance;
    out->correct = pass;
}

/* Integers as generated, whose sums are exact, leave no tolerance. */
static bool exact_sums(const struct work *w)
{
    return !w->set.a && w->set.entries == HTMT__INTEGERS &&
           w->plan.problem.inner < (UINT64_C(1) << 53) / 64;
}

static int check_reference(struct work *w, bool bits)
{
    struct htmt__check check[2];
    struct htmt__matrix reference = {0};
    int rc = htmt__reference_product(&w->a, &w->b, &reference, w->fault);
    if (!rc && bits)
        rc = htmt__check_exact(&w->c, &reference, check, w->fault);
    else if (!rc)
        rc = htmt__check_full(&w->a, &w->b, &w->c, &reference, check, w->fault);
    htmt__matrix_destroy(&reference);
    if (rc)
        return rc;
    const struct htmt__check *worst = !bits && check[0].pass && !check[1].pass ? &check[1] : check;
    record(w->out, worst, worst->pass);
    return 0;
}

static int check_product(struct work *w)
{
    struct htmt__check check;
    if (is_model(w) || w->set.check == HTMT__CHECK_NONE)
        return 0;
    if (w->set.check != HTMT__CHECK_FREIVALDS)
        return check_reference(w, w->set.check == HTMT__CHECK_EXACT);
    int rc = htmt__check_freivalds(&w->a, &w->b, &w->c, w->request->seed, exact_sums(w), &check,
                                   w->fault);
    if (!rc)
        record(w->out, &check, check.pass);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int settle(struct work *w)
{
    int rc = htmt__cannon_settings_read(w->request, &w->set, w->fault);
    if (!rc && !is_model(w))
        rc = choose_kernels(w->set.kernel_set, w->fault);
    if (!rc && w->set.a)
        rc = htmt__cannon_input(w->request, &w->set, &w->a, &w->b, w->fault);
    return rc;
}

static int plan(struct work *w)
{
    int rc = htmt__cannon_settings_plan(w->request, &w->set, &w->a, &w->b, &w->machine, &w->plan,
                                        w->fault);
    return rc ? rc : htmt__cannon_predict(&w->machine, &w->plan, &w->closed, w->fault);
}

/* Matrices are generated once it is known that all fits. */
static int input(struct work *w)
{
    int rc = settle(w);
    if (!rc)
        rc = plan(w);
    if (!rc && !is_model(w))
        rc = check_host(w);
    if (!rc && !is_model(w) && !w->set.a)
        rc = htmt__cannon_input(w->request, &w->set, &w->a, &w->b, w->fault);
    return rc;
}

static void describe(struct work *w)
{
    struct htmt_outcome *out = w->out;
    out->precision = "double";
    out->flops = (double)w->closed.flops;
    out->closed_form_s = 1e-15 * (double)w->closed.total[w->set.schedule];
    snprintf(out->closed_form_name, sizeof out->closed_form_name, "%s",
             w->set.schedule == HTMT__CANNON_PAPER ? "equation 4" : "equation 4, overlapped");
    htmt__cannon_describe(&w->set, &w->plan, out->problem, sizeof out->problem);
    if (is_model(w))
        snprintf(out->kernel_set, sizeof out->kernel_set, "none");
    else
        name_kernels(out);
}

static int go(struct work *w)
{
    double start = htmt__seconds(), since = start;
    int rc = input(w);
    w->out->wall.input_s = htmt__lap(&since);
    if (rc)
        return rc;
    describe(w);
    htmt__blas_one_thread();
    if ((rc = emulate(w, &since)))
        return rc;
    rc = check_product(w);
    w->out->wall.check_s = htmt__lap(&since);
    if (rc)
        return rc;
    if (w->set.out && !is_model(w))
        rc = htmt__matrix_write(w->set.out, &w->c, w->fault);
    w->out->wall.output_s = htmt__lap(&since);
    w->out->wall.total_s = since - start;
    price_overlap(w);
    return rc;
}

static int run(const struct htmt_request *request, struct htmt_outcome *outcome,
               struct htmt_fault *fault)
{
    struct work w = {.request = request, .out = outcome, .fault = fault};
    *outcome = (struct htmt_outcome){.correct = -1};
    int rc = go(&w);
    htmt__cannon_program_destroy(&w.program);
    htmt__matrix_destroy(&w.a);
    htmt__matrix_destroy(&w.b);
    htmt__matrix_destroy(&w.c);
    for (int i = 0; i < 3; i++)
        htmt__matrix_destroy(&w.padded[i]);
    return rc;
}

static const struct htmt_app_size sizes[] = {
    {"size", "%", "rows of a square matrix", 64, UINT64_C(1) << 31, 1},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app_cannon = {
    .name = "cannon",
    .summary = "Cannon's multiply of two matrices on a grid of SPELLs",
    .options = htmt__cannon_options,
    .run = run,
    .predict = htmt__cannon_app_predict,
    .reads_costs = true,
    .folds = true,
    .claims = htmt__cannon_claims,
    .sizes = sizes,
};
