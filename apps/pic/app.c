/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plasma as an application: input, set-up, emulation, check, output.
 */
#include "apps/app.h"

#include "apps/fft.h"
#include "apps/lap.h"
#include "apps/pic/check.h"
#include "apps/pic/findings.h"
#include "apps/pic/kernels.h"
#include "apps/pic/output.h"
#include "apps/pic/program.h"
#include "apps/pic/reference.h"
#include "apps/pic/settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct work {
    const struct htmt_request *request;
    struct htmt__pic_settings set;
    struct htmt_machine machine;
    struct htmt__pic_prediction closed;
    struct htmt__pic_particles particles, start; /* start: as copied for the serial program */
    struct htmt__pic_record *record;
    struct htmt__pic_fields fields;
    struct htmt__pic_program *program;
    struct htmt_outcome *out;
    struct htmt_fault *fault;
};

static bool is_model(const struct work *w)
{
    return w->request->emulator.mode == HTMT_MODEL;
}

/* ---- input ---------------------------------------------------------------------------------- */

/* Particles at the start, in bundles and, for the serial program, three times more; a slice's
 * points. */
static int check_host(const struct work *w)
{
    const struct htmt__pic_plan *p = &w->closed.plan;
    double copies = w->set.check ? 5 : 2, gib = 1024.0 * 1024 * 1024;
    double particles =
        (double)htmt__pic_deck_particles(&w->set.deck) * sizeof(struct htmt__pic_particle) * copies;
    double reserved = (double)p->slices * p->teams * HTMT__PIC_PARTICLE_WORDS *
                      ((double)p->bundles * (double)p->room + (double)p->mail * p->problem.species);
    double others = ((double)p->slices * (double)p->outer_words - reserved) * HTMT_WORD;
    double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (particles + others <= has)
        return 0;
    return htmt_fault_set(w->fault, HTMT_EHOSTFIT,
                          "%.0f copies of the particles %.2f GiB + fields and tiles of %" PRIu32
                          " slices %.2f GiB = %.2f GiB, the host has %.2f GiB; `htmt model` needs "
                          "no data",
                          copies, particles / gib, p->slices, others / gib,
                          (particles + others) / gib, has / gib);
}

static int make_room(struct work *w)
{
    int rc = htmt__pic_fields_create(&w->fields, w->set.deck.n, w->fault);
    if (!rc && !(w->record = calloc(w->set.deck.steps, sizeof *w->record)))
        rc = htmt_fault_set(w->fault, HTMT_ENOMEM, "no host memory for the records of the steps");
    return rc;
}

static int input(struct work *w)
{
    int rc = htmt__pic_settings_read(w->request, &w->set, w->fault);
    if (!rc && !is_model(w) && w->set.phases != HTMT__PIC_ALL)
        return htmt_fault_set(
            w->fault, HTMT_EUSAGE,
            "--phases: found push parcels alone, expected all: a run goes through "
            "whole steps; `htmt model` and `htmt predict` know parts");
    if (!rc)
        rc = htmt__pic_settings_plan(w->request, &w->set, &w->machine, &w->closed, w->fault);
    if (rc == HTMT_ECAPACITY) /* known beforehand: of whoever chose deck and machine */
        rc = w->fault->code = HTMT_ERANGE;
    if (rc || is_model(w))
        return rc;
    rc = check_host(w);
    if (!rc)
        rc = htmt__pic_start(&w->set.deck, w->request->seed, &w->particles, w->fault);
    if (!rc && w->set.check)
        rc = htmt__pic_particles_copy(&w->particles, &w->start, w->fault);
    return rc ? rc : make_room(w);
}

static void describe(struct work *w)
{
    struct htmt_outcome *out = w->out;
    char fft[32];
    out->precision = "double";
    out->flops = w->closed.flops;
    out->closed_form_s = 1e-15 * (double)w->closed.total;
    snprintf(out->closed_form_name, sizeof out->closed_form_name, "%s",
             w->set.phases == HTMT__PIC_ALL ? "sum of phases" : "pipeline");
    htmt__pic_describe(&w->set, &w->closed.plan, out->problem, sizeof out->problem);
    htmt__fft_name(fft, sizeof fft);
    if (is_model(w))
        snprintf(out->kernel_set, sizeof out->kernel_set, "none");
    else
        snprintf(out->kernel_set, sizeof out->kernel_set, "%s, %s", htmt__pic_kernel_set(), fft);
}

/* ---- emulation ------------------------------------------------------------------------------ */

static int set_up(struct work *w)
{
    struct htmt_options options = w->request->emulator;
    bool all = w->set.phases == HTMT__PIC_ALL;
    if (!all && options.symmetry == HTMT_NO_SYMMETRY)
        options.symmetry = HTMT_INDEPENDENT;
    int rc = htmt_emulator_create(&w->out->emulator, &options);
    if (rc)
        return htmt_fault_set(w->fault, rc, "cannot create the emulator: %s", htmt_strerror(rc));
    return htmt__pic_program_create(w->out->emulator, &w->closed.plan, all ? &w->set.deck : NULL,
                                    is_model(w) ? NULL : &w->particles, &w->program, w->fault);
}

static void note_traffic(struct work *w)
{
    struct htmt__pic_traffic t = htmt__pic_program_traffic(w->program);
    if (w->set.phases != HTMT__PIC_ALL)
        return;
    if (is_model(w))
        snprintf(
            w->out->notes[0], sizeof w->out->notes[0],
            "a model run has no positions: every block has the mean number of particles, and as "
            "many leave it as the deck's velocities let expect");
    else
        snprintf(w->out->notes[0], sizeof w->out->notes[0],
                 "%" PRIu64 " times a particle went to another block; %" PRIu64
                 " times a block spilled into a second parcel",
                 t.migrated, t.spilled);
}

static int emulate(struct work *w, double *since)
{
    int rc = set_up(w);
    w->out->wall.setup_s = htmt__lap(since);
    if (rc)
        return rc;
    rc = htmt_emulator_run(w->out->emulator);
    w->out->wall.emulate_s = htmt__lap(since);
    if (rc)
        return htmt_fault_set(w->fault, rc, "%s", htmt_emulator_fault(w->out->emulator)->text);
    note_traffic(w);
    if (is_model(w))
        return 0;
    htmt__pic_program_records(w->program, w->record);
    htmt__pic_findings(&w->set.deck, w->record, w->out);
    htmt__pic_program_fields(w->program, &w->fields);
    return htmt__pic_program_particles(w->program, &w->particles, w->fault);
}

/* ---- check ---------------------------------------------------------------------------------- */

static int compare(struct work *w, const struct htmt__pic_record *record,
                   const struct htmt__pic_fields *fields)
{
    struct htmt__pic_result serial = {&w->start, record, fields};
    struct htmt__pic_result parcels = {&w->particles, w->record, &w->fields};
    struct htmt__pic_check check;
    int rc = htmt__pic_check(&w->set.deck, &serial, &parcels, &check, w->fault);
    if (rc)
        return rc;
    snprintf(w->out->check.name, sizeof w->out->check.name, "%s", check.name);
    w->out->check.value = check.value;
    w->out->check.tolerance = check.tolerance;
    w->out->correct = check.pass;
    return 0;
}

static void note_serial(struct work *w, const struct htmt__pic_clock *c)
{
    double pushed = (double)htmt__pic_deck_particles(&w->set.deck) * (double)w->set.deck.steps;
    double steps = c->deposit_s + c->solve_s + c->push_s + c->sort_s;
    snprintf(w->out->notes[1], sizeof w->out->notes[1],
             "the serial program took %.4g s (host clock) for its steps: %.3g million particles a "
             "second, of the push alone %.3g",
             steps, 1e-6 * pushed / steps, 1e-6 * pushed / c->push_s);
}

static int check_run(struct work *w)
{
    struct htmt__pic_clock clock;
    struct htmt__pic_fields fields = {0};
    struct htmt__pic_record *record;
    if (is_model(w) || !w->set.check)
        return 0;
    if (!(record = calloc(w->set.deck.steps, sizeof *record)))
        return htmt_fault_set(w->fault, HTMT_ENOMEM, "no host memory for the records of the steps");
    int rc = htmt__pic_fields_create(&fields, w->set.deck.n, w->fault);
    if (!rc)
        rc = htmt__pic_reference(&w->set.deck, &w->start, record, &fields, &clock, w->fault);
    if (!rc)
        note_serial(w, &clock);
    if (!rc)
        rc = compare(w, record, &fields);
    htmt__pic_fields_destroy(&fields);
    free(record);
    return rc;
}

/* ---- output --------------------------------------------------------------------------------- */

static int write_files(struct work *w)
{
    const struct htmt__pic_settings *s = &w->set;
    int rc = 0;
    if (is_model(w))
        return 0;
    if (s->out_records)
        rc = htmt__pic_write_records(s->out_records, &s->deck, w->record, w->fault);
    if (!rc && s->out_fields)
        rc = htmt__pic_write_fields(s->out_fields, &w->fields, w->fault);
    if (!rc && s->out_particles)
        rc = htmt__pic_write_particles(s->out_particles, &w->particles, w->fault);
    if (!rc && s->plot_energies)
        rc = htmt__pic_plot_energies(s->plot_energies, &s->deck, w->record, w->fault);
    if (!rc && s->plot_phase_space)
        rc = htmt__pic_plot_phase_space(s->plot_phase_space, &s->deck, &w->particles, w->fault);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int go(struct work *w)
{
    double start = htmt__seconds(), since = start;
    int rc = input(w);
    w->out->wall.input_s = htmt__lap(&since);
    if (rc)
        return rc;
    describe(w);
    if ((rc = emulate(w, &since)))
        return rc;
    rc = check_run(w);
    w->out->wall.check_s = htmt__lap(&since);
    if (rc)
        return rc;
    rc = write_files(w);
    w->out->wall.output_s = htmt__lap(&since);
    w->out->wall.total_s = since - start;
    return rc;
}

static int run(const struct htmt_request *request, struct htmt_outcome *outcome,
               struct htmt_fault *fault)
{
    struct work w = {.request = request, .out = outcome, .fault = fault};
    *outcome = (struct htmt_outcome){.correct = -1};
    int rc = go(&w);
    htmt__pic_program_destroy(&w.program);
    htmt__pic_particles_destroy(&w.particles);
    htmt__pic_particles_destroy(&w.start);
    htmt__pic_fields_destroy(&w.fields);
    free(w.record);
    return rc;
}

static const struct htmt_app_size sizes[] = {
    {"cells", "%,%,%", "cells a side of the box", 8, 1 << 13, 4},
    {"parcels", "%", "push parcels a slice", 1, UINT64_C(1) << 40, 1},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app_pic = {
    .name = "pic",
    .summary = "Particles of a plasma in their own field, and the field of the particles",
    .options = htmt__pic_options,
    .run = run,
    .predict = htmt__pic_app_predict,
    .reads_costs = true,
    .folds = true,
    .claims = htmt__pic_claims,
    .sizes = sizes,
    .slices = htmt__pic_slices,
};
