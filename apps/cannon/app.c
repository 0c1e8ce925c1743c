/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cannon's multiply as an application: input, set-up, emulation, check, output.
 *
 * A matrix is read or generated share by share: each process has only the shares of the slices that
 * it plays, and a generated element needs no other element. Freivalds' check works on shares, too,
 * and is the default. The checks against a reference need all matrices in one process: C is
 * gathered row of subblocks by row of subblocks where rank 0 has room for them, and A and B are
 * made anew there, so that a share that was made wrong is found. All processes take part in
 * gathering, and all must know what rank 0 has decided, so it tells them.
 *
 * What overlap saves is found with a second emulation of the other schedule, folded and without
 * data, if that is cheap, and otherwise from the closed form.
 */
#include "apps/lib/request.h"
#include "apps/lib/steps.h"

#include "apps/cannon/blas.h"
#include "apps/cannon/check.h"
#include "apps/cannon/program.h"
#include "apps/cannon/settings.h"
#include "apps/formats/npy.h"
#include "apps/lib/execution.h"
#include "apps/lib/gather.h"
#include "runtime/base/input.h"
#include "runtime/base/memory.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of all slices up to which the other schedule is emulated for its price, too. */
#define STEPS_TO_PRICE 500000

struct work {
    struct htmt_task *task;
    enum htmt_execution execution;
    struct htmt__cannon_settings set;
    struct htmt__cannon_plan plan;
    struct htmt__cannon_prediction closed;
    struct htmt__cannon_mpp_times times; /* of messages, instead */
    struct htmt__cannon_matrix a, b;     /* measured: without elements */
    struct htmt__cannon_spread spread[HTMT__MATRICES];
    struct htmt__cannon_program *program;
};

/* ---- kernel set ----------------------------------------------------------------------------- */

#define WORDS_MAX 4000

/* May start the process again, with its own command line. */
static int choose_kernels(const char *set, struct htmt_fault *fault)
{
    char *room = NULL, *argv[WORDS_MAX];
    size_t n = 0, count = 0;
    if (!set)
        return 0;
    int rc = htmt_input_read("/proc/self/cmdline", HTMT_INPUT_TEXT, &room, &n, fault);
    if (!rc) {
        for (char *at = room; at < room + n && count < WORDS_MAX - 1; at += strlen(at) + 1)
            argv[count++] = at;
        argv[count] = NULL;
        rc = htmt__cannon_blas_choose(set, argv, fault);
    }
    free(room);
    return rc;
}

/* ---- does it fit the host? ------------------------------------------------------------------ */

static bool has_reference(const struct work *w)
{
    return w->set.check == HTMT__CHECK_FULL || w->set.check == HTMT__CHECK_EXACT;
}

/* A, B, C and the reference as whole matrices; |A|, |B| and their product. */
static double reference_bytes(const struct work *w, enum htmt__cannon_check_kind kind)
{
    const struct htmt__cannon_problem *o = &w->plan.problem;
    double factors = (double)o->rows * (double)o->inner + (double)o->inner * (double)o->cols;
    double product = (double)o->rows * (double)o->cols;
    return 8.0 * (kind == HTMT__CHECK_FULL ? 2 * factors + 3 * product : factors + 2 * product);
}

/* ---- emulation ------------------------------------------------------------------------------ */

/* Owners of panels take turns, so no slice stands for the others. */
static int prepare(struct htmt_task *task, void *work, struct htmt_options *options)
{
    const struct work *w = work;
    const struct htmt__cannon_plan *p = &w->plan;
    if (options->symmetry == HTMT_FOLDED && w->execution == HTMT_EXECUTION_MPP &&
        !w->set.mpp.skewed)
        return htmt_task_refuse(task, HTMT_EUSAGE,
                                "--fold with --execution mpp: expected --stored skewed: a skew "
                                "moves blocks by as many places as each node lies off the edges");
    if (options->symmetry != HTMT_FOLDED || htmt__cannon_grid_is_square(p))
        return 0;
    return htmt_fault_set(htmt_task_fault(task), HTMT_EUSAGE,
                          "--fold: found a grid of %" PRIu64 " x %" PRIu64
                          " slices, expected a square one",
                          p->of[HTMT__CANNON_M].s, p->of[HTMT__CANNON_N].s);
}

/* Matrices are read or generated once it is known that all fits which this process needs for the
 * slices that it plays. A check by several processes needs no more, or is left out. */
static int make_matrices(struct work *w, const struct htmt_emulator *e)
{
    struct htmt_fault *fault = htmt_task_fault(w->task);
    const struct htmt__cannon_plan *p = &w->plan;
    struct htmt__cannon_spread *c = &w->spread[HTMT__C];
    double slices = htmt_slices_here(e, htmt__cannon_spells(p));
    double share = 0;
    for (unsigned i = 0; i < HTMT__MATRICES; i++)
        share += 8.0 * (double)w->spread[i].side * (double)w->spread[i].pitch;
    double slice = 8.0 * (2.0 * (double)p->middle_words + (double)p->inner_words);
    double check = has_reference(w) && htmt_has_all(e) ? reference_bytes(w, w->set.check) : 0;
    int rc =
        htmt_task_fits(w->task, check + slices * (share + slice),
                       "check %.2f GiB + %.0f slices x (shares of matrices %.4f GiB + %.4f GiB)",
                       check / HTMT_GIB, slices, share / HTMT_GIB, slice / HTMT_GIB);
    for (unsigned i = 0; i < HTMT__MATRICES && !rc; i++)
        rc = htmt__cannon_spread_create(&w->spread[i], e, fault);
    if (!rc)
        rc = htmt__cannon_input(htmt_task_request(w->task), &w->set, &w->spread[HTMT__A],
                                &w->spread[HTMT__B], fault);
    for (uint32_t i = 0; i < htmt__cannon_spells(p) && !rc; i++)
        if (c->share[i]) /* the host's pages: now, not while the emulation is timed */
            memset(c->share[i], 0, c->side * c->pitch * sizeof **c->share);
    return rc;
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    struct htmt__cannon_data data = {htmt_task_is_model(task) ? NULL : w->spread,
                                     htmt_request_sections(htmt_task_request(task))};
    for (unsigned i = 0; i < HTMT__MATRICES; i++)
        w->spread[i] =
            w->execution == HTMT_EXECUTION_MPP
                ? htmt__cannon_mpp_spread(&w->plan, &w->set.mpp, (enum htmt__cannon_operand)i)
                : htmt__cannon_program_spread(&w->plan, (enum htmt__cannon_operand)i);
    htmt__cannon_blas_one_thread();
    int rc = 0;
    if (!htmt_task_is_model(task)) {
        rc = htmt__cannon_blas_room(htmt_request_threads(htmt_task_request(task)),
                                    htmt_task_fault(task));
        rc = rc ? rc : make_matrices(w, e);
    }
    if (!rc && w->execution == HTMT_EXECUTION_MPP)
        return htmt__cannon_mpp_create(e, &w->plan, &w->set.mpp, &data, &w->program,
                                       htmt_task_fault(task));
    return rc ? rc
              : htmt__cannon_program_create(e, &w->plan, w->set.schedule, &data, &w->program,
                                            htmt_task_fault(task));
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
    const struct htmt__cannon_plan *p = &w->plan;
    double blocks = 1, s = (double)p->s;
    if (w->execution == HTMT_EXECUTION_MPP ||
        !htmt__cannon_grid_is_square(p)) /* without the other schedule */
        return 0;
    for (unsigned d = 0; d < HTMT__CANNON_DIMENSIONS; d++)
        blocks *= (double)p->of[d].q * (double)p->of[d].t;
    double slices = htmt_request_symmetry(htmt_task_request(task)) == HTMT_FOLDED ? 1 : s * s;
    bool paper = w->set.schedule == HTMT__CANNON_PAPER,
         emulated = blocks * s * slices <= STEPS_TO_PRICE;
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

/* What rank 0 has found, for all. */
struct verdict {
    bool fits, pass;
    double value, tolerance;
    char name[sizeof "frobenius"], left[HTMT_MEMORY_TEXT];
};

/* Where rank 0 has room for all of C, it is gathered there and compared with the product of A and
 * B, which are made anew, so that a share that was made wrong is found. */
static int check_reference(struct work *w, enum htmt__cannon_check_kind kind)
{
    struct htmt_emulator *e = htmt_task_emulator(w->task);
    struct htmt_fault *fault = htmt_task_fault(w->task);
    const struct htmt__cannon_problem *o = &w->plan.problem;
    const bool alone = htmt_has_all(e), gathers = htmt_gathers(e);
    struct htmt__cannon_check check[2] = {{.name = ""}};
    struct htmt__cannon_matrix a = {0}, b = {0}, c = {0}, reference = {0};
    struct verdict v = {.fits = true};
    if (gathers && !(alone && has_reference(w))) /* then there was room from the beginning */
        v.fits = htmt_memory_holds(reference_bytes(w, kind), v.left);
    int rc = alone ? 0 : htmt_tell_all(e, &v, sizeof v);
    if (rc || !v.fits)
        goto told;
    rc = gathers ? htmt__cannon_matrix_create(&c, o->rows, o->cols, fault) : 0;
    for (uint64_t i = 0; i < o->rows && !rc; i += w->plan.of[HTMT__CANNON_M].b)
        rc = htmt__cannon_program_rows(w->program, i, gathers ? c.at + i * o->cols : NULL);
    if (!rc && gathers)
        rc = htmt__cannon_input_whole(htmt_task_request(w->task), &w->set, &a, &b, fault);
    if (!rc && gathers)
        rc = htmt__cannon_reference_product(&a, &b, &reference, fault);
    if (!rc && gathers && kind == HTMT__CHECK_EXACT)
        rc = htmt__cannon_check_exact(&c, &reference, check, fault);
    else if (!rc && gathers)
        rc = htmt__cannon_check_full(&a, &b, &c, &reference, check, fault);
    if (!rc && gathers && kind == HTMT__CHECK_FULL && check[0].pass && !check[1].pass)
        check[0] = check[1];
told:
    v.pass = check->pass;
    v.value = check->value;
    v.tolerance = check->tolerance;
    snprintf(v.name, sizeof v.name, "%s", check->name);
    if (!rc && !alone)
        rc = htmt_tell_all(e, &v, sizeof v);
    if (!rc && v.fits)
        htmt_task_checked(w->task, v.name, v.value, v.tolerance, v.pass);
    else if (!rc)
        htmt_task_unchecked(w->task, "%s takes all matrices in one process, %.2f GiB, and %s%s",
                            has_reference(w) ? "it" : "where a product overflows, it",
                            reference_bytes(w, kind) / HTMT_GIB, v.left,
                            has_reference(w) ? "; --check freivalds does not" : "");
    htmt__cannon_matrix_destroy(&a);
    htmt__cannon_matrix_destroy(&b);
    htmt__cannon_matrix_destroy(&c);
    htmt__cannon_matrix_destroy(&reference);
    return rc;
}

static int check_product(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt__cannon_check check;
    /* Integers as generated, whose sums are exact, leave no tolerance. */
    bool exact = !w->set.a && w->set.entries == HTMT__INTEGERS &&
                 w->plan.problem.inner < (UINT64_C(1) << 53) / 64;
    if (w->set.check == HTMT__CHECK_NONE)
        return 0;
    if (has_reference(w))
        return check_reference(w, w->set.check);
    int rc = htmt__cannon_check_freivalds(
        htmt_task_emulator(task), &w->spread[HTMT__A], &w->spread[HTMT__B], &w->spread[HTMT__C],
        htmt_request_seed(htmt_task_request(task)), exact, &check, htmt_task_fault(task));
    if (!rc && check.undecided)
        return check_reference(w, HTMT__CHECK_FULL);
    if (!rc)
        htmt_task_checked(task, check.name, check.value, check.tolerance, check.pass);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

#define OFFERS                                                                                     \
    (HTMT_EXECUTION_FORM(HTMT_EXECUTION_SERIAL) | HTMT_EXECUTION_FORM(HTMT_EXECUTION_MPP) |        \
     HTMT_EXECUTION_CLOCK(HTMT_EXECUTION_MPP))

/* Blocks that a node does not hold are a warning where nothing runs. */
static int plan_messages(struct work *w)
{
    const struct htmt_machine *m = htmt_task_machine(w->task);
    const uint32_t home = w->plan.home;
    struct htmt_fault *fault = htmt_task_fault(w->task);
    int rc = htmt_task_is_prediction(w->task)
                 ? htmt_execution_fits(w->task, m->layer[home].memory.name, "blocks",
                                       htmt__cannon_mpp_words(&w->plan), htmt_machine_room(m, home))
                 : htmt__cannon_mpp_fits(m, &w->plan, fault);
    if (rc == HTMT_ECAPACITY && !htmt_task_is_prediction(w->task))
        rc = fault->code = HTMT_ERANGE; /* known before the run: the user's sizes and machine */
    return rc ? rc : htmt__cannon_mpp_predict(m, &w->plan, &w->set.mpp, &w->times, fault);
}

static int plan(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc;
    w->task = task;
    rc = htmt__cannon_settings_read(r, &w->set, fault);
    rc = rc ? rc : htmt_execution_read(task, OFFERS, &w->execution);
    if (!rc && !htmt_task_is_model(task))
        rc = choose_kernels(w->set.kernel_set, fault);
    if (!rc && w->set.a)
        rc = htmt__cannon_measure(&w->set, &w->a, &w->b, fault);
    if (rc || w->execution == HTMT_EXECUTION_SERIAL)
        return rc;
    if (!rc)
        rc = htmt__cannon_settings_plan(htmt_task_machine(task), &w->set, &w->a, &w->b, &w->plan,
                                        fault);
    if (!rc && !htmt_request_plan_only(r))
        rc = htmt__cannon_check_padding(&w->plan, fault);
    if (!rc && w->execution == HTMT_EXECUTION_MPP)
        return plan_messages(w);
    if (rc || (htmt_task_is_prediction(task) && !htmt_request_plan_only(r)))
        return rc; /* the step tell predicts */
    return htmt__cannon_predict(htmt_task_machine(task), &w->plan, &w->closed, fault);
}

static void name_problem(const struct work *w)
{
    char text[400];
    htmt__cannon_describe(&w->set, &w->plan, text, sizeof text);
    htmt_task_problem(w->task, "%s", text);
}

/* The SPELL's products; exchanges that are longer than a product; transforms, bundles, injects. */
static void tell_parts(const struct work *w, struct htmt_prediction *out)
{
    static const char *const moves[] = {"transforms",       "busy bundle up", "busy inject",
                                        "busy bundle down", "busy eject",     NULL};
    const char *const names[HTMT_PARTS] = {"busy multiply", htmt__largest_term(out, moves), "D_S"};
    const struct htmt__cannon_times *t = &w->closed.times;
    double steps = (double)w->plan.s;
    for (unsigned d = 0; d < HTMT__CANNON_DIMENSIONS; d++)
        steps *= (double)w->plan.of[d].q * (double)w->plan.of[d].t;
    htmt_prediction_parts(out, 1e-15 * (double)w->closed.work,
                          t->d_s > t->m_s ? 1e-15 * steps * (double)(t->d_s - t->m_s) : 0, names);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    if (w->execution == HTMT_EXECUTION_SERIAL) {
        const struct htmt__cannon_problem o = htmt__cannon_settings_problem(&w->set, &w->a, &w->b);
        return htmt__cannon_serial(task, &o, &w->set.charges, out);
    }
    if (w->execution == HTMT_EXECUTION_MPP) {
        name_problem(w);
        return htmt__cannon_mpp_tell(htmt_task_machine(task), &w->plan, &w->set.mpp, &w->times, out,
                                     htmt_task_fault(task));
    }
    w->closed.plan = w->plan;
    int rc = htmt__cannon_tell(htmt_task_machine(task), &w->closed, out, htmt_task_fault(task));
    if (rc)
        return rc;
    htmt_prediction_total_fs(out, w->closed.total[w->set.schedule]);
    htmt_prediction_flops(out, (double)w->closed.flops);
    tell_parts(w, out);
    name_problem(w);
    return 0;
}

static void describe(struct htmt_task *task, void *work)
{
    struct work *w = work;
    htmt_wide causes[HTMT_PATH_CAUSES] = {0};
    htmt_task_precision(task, "double");
    if (w->execution == HTMT_EXECUTION_MPP) {
        htmt_task_flops(task, (double)w->times.flops);
        htmt_task_closed_form(task, w->times.total, "messages, %s",
                              w->set.mpp.in_turn ? "in turn" : "overlapped");
        causes[HTMT_PATH_WORK] = (htmt_wide)w->plan.s * w->times.c;
        causes[HTMT_PATH_FILL] = w->times.skew;
        causes[HTMT_PATH_OVERHEAD] =
            w->times.total - causes[HTMT_PATH_WORK] - causes[HTMT_PATH_FILL];
    } else {
        htmt_task_flops(task, (double)w->closed.flops);
        htmt_task_closed_form(task, w->closed.total[w->set.schedule],
                              !htmt__cannon_grid_is_square(&w->plan)  ? "panels, overlapped"
                              : w->set.schedule == HTMT__CANNON_PAPER ? "equation 4"
                                                                      : "equation 4, overlapped");
        htmt__cannon_causes(&w->closed, w->set.schedule, causes);
    }
    htmt_task_closed_form_causes(task, causes);
    name_problem(w);
    if (htmt_task_is_model(task))
        return;
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

/* Rows of subblocks, one after another: of each only these are in memory. */
static int write_product(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt__cannon_problem *o = &w->plan.problem;
    struct htmt__npy_shape shape = {HTMT__NPY_F8, 2, {o->rows, o->cols}};
    bool gathers = htmt_gathers(htmt_task_emulator(task));
    struct htmt__npy *out = NULL;
    if (!w->set.out)
        return 0;
    const uint64_t b = w->plan.of[HTMT__CANNON_M].b;
    double *rows = gathers ? calloc(b * o->cols, sizeof *rows) : NULL;
    int rc = gathers && !rows ? HTMT_ENOMEM : 0;
    if (!rc && gathers)
        rc = htmt__npy_create(w->set.out, &shape, &out, htmt_task_fault(task));
    for (uint64_t i = 0; i < o->rows && !rc; i += b) {
        uint64_t count = htmt_least(b, o->rows - i);
        rc = htmt__cannon_program_rows(w->program, i, rows);
        if (!rc && gathers)
            rc = htmt__npy_append(out, rows, count * o->cols, htmt_task_fault(task));
    }
    if (!rc && gathers)
        rc = htmt__npy_finish(&out, htmt_task_fault(task));
    htmt__npy_abandon(&out);
    free(rows);
    return rc;
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    htmt__cannon_program_destroy(&w->program);
    for (unsigned i = 0; i < HTMT__MATRICES; i++)
        htmt__cannon_spread_destroy(&w->spread[i]);
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
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .check = check_product,
    .write = write_product,
    .conclude = price_overlap,
    .destroy = destroy,
    .folds = true,
    .ranks = true,
    .reads_costs = true,
    .paper_figures = htmt__cannon_paper_figures,
    .sizes = sizes,
    .outputs = (const char *const[]){"out", NULL},
    .slices = htmt__cannon_slices,
    .slices_why = HTMT__CANNON_SLICES_WHY,
};
