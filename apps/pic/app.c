/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plasma as an application: input, set-up, emulation, check, output.
 */
#include "apps/fft/fft.h"
#include "apps/lib/request.h"
#include "apps/lib/steps.h"
#include "apps/pic/check.h"
#include "apps/pic/diagnostics.h"
#include "apps/pic/io/output.h"
#include "apps/pic/kernels.h"
#include "apps/pic/program.h"
#include "apps/pic/reference.h"
#include "apps/pic/settings.h"
#include "apps/pic/snapshots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct htmt_task *task;
    struct htmt__pic_settings set;
    struct htmt__pic_prediction closed;
    struct htmt__pic_particles particles, start; /* start: as copied for the serial program */
    struct htmt__pic_record *record;
    struct htmt__pic_series series; /* of the run */
    struct htmt__pic_fields fields;
    struct htmt__pic_program *program;
    struct htmt__pic_snapshots *snapshots;
};

/* ---- input ---------------------------------------------------------------------------------- */

/* Particles at the start, in bundles and, for the serial program, three times more; a slice's
 * points. */
static int check_host(const struct work *w)
{
    const struct htmt__pic_plan *p = &w->closed.plan;
    double copies = (w->set.check ? 5 : 2) + (w->set.every ? 2 : 0);
    double particles =
        (double)htmt__pic_deck_particles(&w->set.deck) * sizeof(struct htmt__pic_particle) * copies;
    double reserved =
        (double)p->slices * p->teams * HTMT__PIC_PARTICLE_WORDS *
        ((double)(p->bundles + p->spares) * (double)p->room + (double)p->mail * p->problem.species);
    double others = ((double)p->slices * (double)p->outer_words - reserved) * HTMT_WORD;
    return htmt_task_fits(w->task, particles + others,
                          "%.0f copies of the particles %.2f GiB + fields and tiles of %" PRIu32
                          " slices %.2f GiB",
                          copies, particles / HTMT_GIB, p->slices, others / HTMT_GIB);
}

static int make_room(struct work *w)
{
    int rc = htmt__pic_fields_create(&w->fields, w->set.deck.n, htmt_task_fault(w->task));
    if (!rc && !(w->record = calloc(w->set.deck.steps, sizeof *w->record)))
        rc = htmt_fault_set(htmt_task_fault(w->task), HTMT_ENOMEM,
                            "no host memory for the records of the steps");
    return rc;
}

static int plan(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc;
    w->task = task;
    rc = htmt__pic_settings_read(htmt_task_request(task), &w->set, fault);
    if (!rc && !htmt_task_is_model(task) && w->set.phases != HTMT__PIC_ALL)
        return htmt_fault_set(
            fault, HTMT_EUSAGE,
            "--phases: found push parcels alone, expected all: a run goes through "
            "whole steps; `htmt model` and `htmt predict` know parts");
    if (!rc)
        rc = htmt__pic_settings_plan(htmt_task_machine(task), &w->set, &w->closed, fault);
    if (rc == HTMT_ECAPACITY &&
        !htmt_task_is_prediction(task)) /* known before the run: the user's deck and machine */
        rc = fault->code = HTMT_ERANGE;
    return rc;
}

static void name_problem(const struct work *w)
{
    char text[400];
    htmt__pic_describe(&w->set, &w->closed.plan, text, sizeof text);
    htmt_task_problem(w->task, "%s", text);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    htmt_prediction_total(out, 1e-15 * (double)w->closed.total);
    htmt_prediction_flops(out, w->closed.flops);
    name_problem(w);
    return htmt__pic_tell(htmt_task_machine(task), &w->closed, out, htmt_task_fault(task));
}

static int input(struct htmt_task *task, void *work)
{
    struct work *w = work;
    int rc = check_host(w);
    if (!rc)
        rc = htmt__pic_start(&w->set.deck, htmt_request_seed(htmt_task_request(task)),
                             &w->particles, htmt_task_fault(task));
    if (!rc && w->set.check)
        rc = htmt__pic_particles_copy(&w->particles, &w->start, htmt_task_fault(task));
    return rc ? rc : make_room(w);
}

static void name_kernels(struct htmt_task *task)
{
    char fft[32], name[64];
    htmt__fft_name(fft, sizeof fft);
    snprintf(name, sizeof name, "%s, %s", htmt__pic_kernel_set(), fft);
    htmt_task_kernel_set(task, name);
}

static void describe(struct htmt_task *task, void *work)
{
    struct work *w = work;
    htmt_wide causes[HTMT_PATH_CAUSES] = {0};
    htmt_task_precision(task, "double");
    htmt_task_flops(task, w->closed.flops);
    htmt_task_closed_form(task, w->closed.total,
                          w->set.phases == HTMT__PIC_ALL ? "sum of phases" : "pipeline");
    htmt__pic_causes(&w->closed, causes);
    htmt_task_closed_form_causes(task, causes);
    name_problem(w);
    if (!htmt_task_is_model(task))
        name_kernels(task);
}

/* ---- emulation ------------------------------------------------------------------------------ */

/* Slices that only push parcels are independent and alike, so they need not all be played. */
static int prepare(struct htmt_task *task, void *work, struct htmt_options *options)
{
    const struct work *w = work;
    bool all = w->set.phases == HTMT__PIC_ALL;
    if (!all && options->symmetry == HTMT_NO_SYMMETRY)
        options->symmetry = HTMT_INDEPENDENT;
    return all && options->symmetry == HTMT_FOLDED
               ? htmt__pic_plan_alike(&w->closed.plan, htmt_task_fault(task))
               : 0;
}

static int write_snapshot(void *work, uint64_t steps, const struct htmt__pic_fields *fields,
                          const struct htmt__pic_particles *particles, struct htmt_fault *fault);

static int create_snapshots(struct work *w)
{
    const struct htmt__pic_settings *s = &w->set;
    const struct htmt__pic_snapshots_desc d = {.deck = &s->deck,
                                               .plan = &w->closed.plan,
                                               .every = s->every,
                                               .fields = s->out_fields != NULL,
                                               .particles = s->out_particles || s->plot_phase_space,
                                               .write = write_snapshot,
                                               .user = w};
    int rc = htmt__pic_snapshots_create(&d, &w->snapshots, htmt_task_fault(w->task));
    if (!rc)
        htmt__pic_program_watch(w->program, w->snapshots);
    return rc;
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    int rc = htmt__pic_program_create(
        e, &w->closed.plan, w->set.phases == HTMT__PIC_ALL ? &w->set.deck : NULL,
        htmt_task_is_model(task) ? NULL : &w->particles, &w->program, htmt_task_fault(task));
    return rc || !w->set.every ? rc : create_snapshots(w);
}

static void note_traffic(struct work *w)
{
    struct htmt__pic_traffic t = htmt__pic_program_traffic(w->program);
    if (w->set.phases != HTMT__PIC_ALL)
        return;
    if (htmt_task_is_model(w->task))
        htmt_task_note_at(
            w->task, 0,
            "a model run has no positions: every block has the mean number of particles, and as "
            "many leave it as the deck's velocities let expect");
    else
        htmt_task_note_at(w->task, 0,
                          "%" PRIu64 " times a particle went to another block; %" PRIu64
                          " times a block spilled into a second parcel",
                          t.migrated, t.spilled);
}

static int explain(struct htmt_task *task, void *work, int rc)
{
    struct work *w = work;
    return htmt__pic_program_explain(w->program, rc, htmt_task_fault(task));
}

static void collect_series(struct work *w)
{
    uint64_t steps = htmt__pic_program_records(w->program, w->record);
    w->series = (struct htmt__pic_series){&w->set.deck, w->record, steps};
}

static int collect(struct htmt_task *task, void *work)
{
    struct work *w = work;
    note_traffic(w);
    if (htmt_task_is_model(task))
        return 0;
    int rc = htmt__pic_snapshots_destroy(&w->snapshots, htmt_task_fault(task));
    if (rc)
        return rc;
    collect_series(w);
    htmt__pic_diagnostics(&w->series, task);
    htmt__pic_program_fields(w->program, &w->fields);
    return htmt__pic_program_particles(w->program, &w->particles, htmt_task_fault(task));
}

/* ---- check ---------------------------------------------------------------------------------- */

static int compare(struct work *w, const struct htmt__pic_record *record,
                   const struct htmt__pic_fields *fields)
{
    struct htmt__pic_result serial = {&w->start, record, fields};
    struct htmt__pic_result parcels = {&w->particles, w->record, &w->fields};
    struct htmt__pic_check check;
    int rc = htmt__pic_check(&w->set.deck, &serial, &parcels, &check, htmt_task_fault(w->task));
    if (!rc)
        htmt_task_checked(w->task, check.name, check.value, check.tolerance, check.pass);
    return rc;
}

static void note_serial(struct work *w, const struct htmt__pic_clock *c)
{
    double pushed = (double)htmt__pic_deck_particles(&w->set.deck) * (double)w->set.deck.steps;
    double steps = c->deposit_s + c->solve_s + c->push_s + c->sort_s;
    htmt_task_note_at(
        w->task, 1,
        "the serial program took %.4g s (host clock) for its steps: %.3g million particles a "
        "second, of the push alone %.3g",
        steps, 1e-6 * pushed / steps, 1e-6 * pushed / c->push_s);
}

static int check_run(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt__pic_clock clock;
    struct htmt__pic_fields fields = {0};
    struct htmt__pic_record *record;
    if (!w->set.check)
        return 0;
    if (!(record = calloc(w->set.deck.steps, sizeof *record)))
        return htmt_fault_set(htmt_task_fault(task), HTMT_ENOMEM,
                              "no host memory for the records of the steps");
    int rc = htmt__pic_fields_create(&fields, w->set.deck.n, htmt_task_fault(task));
    if (!rc)
        rc = htmt__pic_reference(&w->set.deck, &w->start, record, &fields, &clock,
                                 htmt_task_fault(task));
    if (!rc)
        note_serial(w, &clock);
    if (!rc)
        rc = compare(w, record, &fields);
    htmt__pic_fields_destroy(&fields);
    free(record);
    return rc;
}

/* ---- output --------------------------------------------------------------------------------- */

static int write_series(const struct work *w)
{
    const struct htmt__pic_settings *s = &w->set;
    int rc = 0;
    if (s->out_records)
        rc = htmt__pic_write_records(s->out_records, &w->series, htmt_task_fault(w->task));
    if (!rc && s->plot_energies)
        rc = htmt__pic_plot_energies(s->plot_energies, &w->series, htmt_task_fault(w->task));
    return rc;
}

/* The plasma after so many steps; 0: at the end. */
static int write_plasma(const struct htmt__pic_settings *s, uint64_t steps,
                        const struct htmt__pic_fields *fields,
                        const struct htmt__pic_particles *particles, struct htmt_fault *fault)
{
    char path[HTMT__PIC_PATH_MAX];
    int rc = 0;
    if (s->out_fields && !(rc = htmt__pic_snapshot_path(s->out_fields, &s->deck, steps, path)))
        rc = htmt__pic_write_fields(path, fields, fault);
    if (!rc && s->out_particles &&
        !(rc = htmt__pic_snapshot_path(s->out_particles, &s->deck, steps, path)))
        rc = htmt__pic_write_particles(path, particles, fault);
    if (!rc && s->plot_phase_space &&
        !(rc = htmt__pic_snapshot_path(s->plot_phase_space, &s->deck, steps, path)))
        rc = htmt__pic_plot_phase_space(path, &s->deck, steps ? steps : s->deck.steps, particles,
                                        fault);
    return rc && fault && !fault->code
               ? htmt_fault_set(fault, rc, "the name of a file is too long for a snapshot")
               : rc;
}

static int write_snapshot(void *work, uint64_t steps, const struct htmt__pic_fields *fields,
                          const struct htmt__pic_particles *particles, struct htmt_fault *fault)
{
    const struct work *w = work;
    return write_plasma(&w->set, steps, fields, particles, fault);
}

static int write_files(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    int rc = write_series(w);
    return rc ? rc : write_plasma(&w->set, 0, &w->fields, &w->particles, htmt_task_fault(task));
}

/* Where a run ended early: the records up to there, in files that say so. Fields and particles are
 * of no one time. */
static int salvage(struct htmt_task *task, void *work)
{
    struct work *w = work;
    note_traffic(w);
    collect_series(w);
    if (!w->series.steps)
        return 0;
    htmt__pic_diagnostics(&w->series, task);
    int rc = write_series(w);
    if (rc)
        htmt_task_note_at(task, 3, "the records are lost: %.150s", htmt_task_fault(task)->text);
    else
        htmt_task_note_at(
            task, 3, "%" PRIu64 " of %" PRIu64 " steps ended%s", w->series.steps, w->set.deck.steps,
            w->set.out_records || w->set.plot_energies ? "; their records are kept" : "");
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    (void)htmt__pic_snapshots_destroy(&w->snapshots, NULL);
    htmt__pic_program_destroy(&w->program);
    htmt__pic_particles_destroy(&w->particles);
    htmt__pic_particles_destroy(&w->start);
    htmt__pic_fields_destroy(&w->fields);
    free(w->record);
}

static const struct htmt_app_size sizes[] = {
    {"cells", "%,%,%", "cells a side of the box", 8, 1 << 13, 4},
    {"parcels", "%", "push parcels a slice", 1, UINT64_C(1) << 40, 1},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "pic",
    .summary = "simulation of a plasma by particles in cells",
    .options = htmt__pic_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .input = input,
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .explain = explain,
    .salvage = salvage,
    .collect = collect,
    .check = check_run,
    .write = write_files,
    .destroy = destroy,
    .folds = true,
    .reads_costs = true,
    .paper_figures = htmt__pic_paper_figures,
    .sizes = sizes,
    .outputs = (const char *const[]){"out-records", "out-fields", "out-particles", "plot-energies",
                                     "plot-phase-space", NULL},
    .slices = htmt__pic_slices,
    .slices_why = HTMT__PIC_SLICES_WHY,
};
