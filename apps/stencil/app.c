/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compressible Navier-Stokes equations of order 8, as the CNS proxy of ExaSAT's authors has them,
 * on parcels (docs/stencil.md).
 */
#include "apps/lib/gather.h"
#include "apps/stencil/closed_form.h"
#include "apps/stencil/program.h"
#include "apps/stencil/reference.h"
#include "apps/stencil/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct work {
    struct htmt__stencil_plan plan;
    struct htmt__stencil_prediction closed;
    struct htmt__stencil_program *program;
    double most;    /* (c + |u|) / h, after a run */
    double *fields; /* after a run, in the rank that gathers */
    double *sums;   /* the same, where energies are plotted */
    bool unchecked;
};

static double cells_of(const struct htmt__stencil_plan *p)
{
    return (double)p->cells[0] * p->cells[1] * p->cells[2];
}

/* Of the three stages of a step, all blocks of a slice. */
static double flops_of_slice(const struct htmt__stencil_plan *p)
{
    double all = 0;
    for (unsigned stage = 0; stage < HTMT__STENCIL_STAGES; stage++)
        for (unsigned i = 0; i < (p->loops ? HTMT__STENCIL_LOOPS : 1); i++) {
            const struct htmt_ops ops =
                p->loops ? htmt__stencil_loop_ops(p, i) : htmt__stencil_ops(p, stage);
            if (i != HTMT__STENCIL_COURANT || stage == 0)
                all += (double)ops.n[HTMT_FLOP] * htmt__stencil_parcels(p, i);
        }
    return all;
}

static double flops(const struct htmt__stencil_plan *p)
{
    return flops_of_slice(p) * p->steps * htmt_grid_slices(&p->grid);
}

static int plan(struct htmt_task *task, void *work)
{
    static const char *const checks[] = {"full", "none", NULL};
    struct work *w = work;
    unsigned kind = 0;
    int rc =
        htmt_request_choice(htmt_task_request(task), "check", checks, &kind, htmt_task_fault(task));
    w->unchecked = kind == 1;
    rc = rc ? rc : htmt__stencil_plan(task, &w->plan);
    if (!rc && !htmt_task_is_model(task))
        rc = htmt__stencil_results_check(task);
    return rc ? rc
              : htmt__stencil_predict(htmt_task_machine(task), &w->plan, flops_of_slice(&w->plan),
                                      &w->closed, NULL, htmt_task_fault(task));
}

static void name_problem(struct htmt_task *task, const struct htmt__stencil_plan *p)
{
    htmt_task_problem(task,
                      "%u x %u x %u cells, %s, %sblocks of %u^3; %u step%s of %.6g; %u x %u x %u "
                      "slices of %u x %u x %u cells",
                      p->cells[0], p->cells[1], p->cells[2], htmt__stencil_case_words[p->which],
                      p->loops ? "loop after loop, " : "", p->b, p->steps, p->steps > 1 ? "s" : "",
                      p->dt, p->grid.extent[0], p->grid.extent[1], p->grid.extent[2], p->tile[0],
                      p->tile[1], p->tile[2]);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    name_problem(task, &w->plan);
    htmt_prediction_flops(out, flops(&w->plan));
    return htmt__stencil_predict(htmt_task_machine(task), &w->plan, flops_of_slice(&w->plan),
                                 &w->closed, out, htmt_task_fault(task));
}

static void describe(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    const struct htmt__stencil_prediction *c = &w->closed;
    htmt_task_precision(task, "double");
    htmt_task_flops(task, flops(&w->plan));
    htmt_task_closed_form(task, c->total, "stages of margins and parcels%s",
                          c->least ? "; at least, since words meet" : "");
    htmt_task_closed_form_train(task, c->total, c->work, c->fill, c->drain);
    name_problem(task, &w->plan);
}

/* Three tiles a slice; the gathered fields; the serial program has 15 + 17 fields. */
static int check_host(struct htmt_task *task, const struct work *w, const struct htmt_emulator *e)
{
    const double tiles = 8.0 * HTMT__STENCIL_STAGES *
                         (double)htmt__stencil_words_of_tile(&w->plan) *
                         htmt_slices_here(e, htmt_emulator_slices(e)),
                 cell = w->unchecked ? 40 : 8 * (5 + 32), checks = cells_of(&w->plan) * cell;
    return htmt_task_fits(task, tiles + checks, "tiles of %.2f GiB + results of %.2f GiB",
                          tiles / HTMT_GIB, checks / HTMT_GIB);
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    int rc = htmt_task_is_model(task) ? 0 : check_host(task, w, e);
    return rc ? rc
              : htmt__stencil_program_create(e, &w->plan, htmt_task_value(task, "plot") != NULL,
                                             htmt_request_sections(htmt_task_request(task)),
                                             &w->program);
}

static int collect(struct htmt_task *task, void *work)
{
    struct work *w = work;
    if (htmt_task_is_model(task))
        return 0;
    double *fields = calloc((size_t)cells_of(&w->plan), HTMT__STENCIL_FIELDS * sizeof *fields);
    int rc = fields ? htmt__stencil_program_gather(w->program, fields) : HTMT_ENOMEM;
    rc = rc ? rc : htmt__stencil_program_largest(w->program, &w->most);
    if (!rc && htmt_task_value(task, "plot")) {
        w->sums = calloc(w->plan.steps, HTMT__STENCIL_SUMS * sizeof *w->sums);
        rc = w->sums ? htmt__stencil_program_sums(w->program, w->sums) : HTMT_ENOMEM;
    }
    if (!rc && htmt_gathers(htmt_task_emulator(task)))
        w->fields = fields;
    else
        free(fields);
    return rc;
}

/* ---- check ---------------------------------------------------------------------------------- */

/* The largest difference of a field over its largest modulus, momenta as one. Of a gas that hardly
 * moves, momenta are differences of larger numbers: they are compared with density times the speed
 * of sound, 1, if that is more. */
static double worst(struct htmt__stencil_reference *r, const double *found, size_t cells)
{
    double most[HTMT__STENCIL_FIELDS] = {0}, off[HTMT__STENCIL_FIELDS] = {0}, all = 0;
    for (unsigned c = 0; c < HTMT__STENCIL_FIELDS; c++) {
        const double *wanted = htmt__stencil_reference_field(r, c);
        const unsigned as = c == 2 || c == 3 ? 1 : c;
        for (size_t i = 0; i < cells; i++) {
            const double is = found[HTMT__STENCIL_FIELDS * i + c], by = fabs(is - wanted[i]);
            most[as] = fmax(most[as], fabs(wanted[i]));
            off[as] = by <= off[as] ? off[as] : by; /* a NaN stays */
        }
    }
    most[1] = fmax(most[1], most[0]);
    for (unsigned c = 0; c < HTMT__STENCIL_FIELDS; c++) {
        const double share = off[c] == 0 ? 0 : off[c] / most[c];
        all = share <= all ? all : share;
    }
    return all;
}

static int check(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt__stencil_plan *p = &w->plan;
    struct htmt__stencil_reference *r = NULL;
    if (w->unchecked || !w->fields) {
        htmt_task_unchecked(task, w->unchecked ? "--check none" : "rank 0 checks");
        return 0;
    }
    int rc = htmt__stencil_reference_create(p->cells, &p->gas, &r, htmt_task_fault(task));
    if (rc)
        return rc;
    const size_t cells = (size_t)cells_of(p);
    for (size_t i = 0; i < cells; i++) {
        const uint32_t cell[3] = {(uint32_t)(i % p->cells[0]),
                                  (uint32_t)(i / p->cells[0] % p->cells[1]),
                                  (uint32_t)(i / p->cells[0] / p->cells[1])};
        double u[HTMT__STENCIL_FIELDS];
        htmt__stencil_case_at(p->which, &p->gas, p->cells, cell, 0, 1, u);
        for (unsigned c = 0; c < HTMT__STENCIL_FIELDS; c++)
            htmt__stencil_reference_field(r, c)[i] = u[c];
    }
    for (uint32_t n = 0; n < p->steps; n++)
        htmt__stencil_reference_step(r, p->dt);
    const double off = worst(r, w->fields, cells);
    htmt_task_checked(task, "difference from the serial program", off, 1e-13, off <= 1e-13);
    htmt__stencil_reference_destroy(&r);
    return 0;
}

static int write_results(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    return w->fields ? htmt__stencil_results_write(task, &w->plan, w->fields, w->sums) : 0;
}

static int conclude(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    if (w->fields)
        htmt_task_found(task, "largest_speed", w->most * w->plan.gas.h, "1");
    return 0;
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    htmt__stencil_program_destroy(&w->program);
    free(w->fields);
    free(w->sums);
}

static const char *const outputs[] = {"out", "plot", "plot-slice", NULL};

static const struct htmt_app_size sizes[] = {
    {"cells", "%,%,%", "cells along an edge of the box", 128, 1 << 20, 128},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "stencil",
    .summary = "compressible flow by differences of order 8, in blocks with margins",
    .options = htmt__stencil_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .describe = describe,
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
    .slices = htmt__stencil_slices,
    .slices_why = "each has at least a block",
};
