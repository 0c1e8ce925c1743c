/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Volume rendering as an application: input, set-up, emulation, check, output.
 */
#include "apps/app.h"

#include "apps/lap.h"
#include "apps/volume/closed_form.h"
#include "apps/volume/image.h"
#include "apps/volume/predict.h"
#include "apps/volume/program.h"
#include "apps/volume/reference.h"
#include "apps/volume/settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Largest difference of the image from the serial one that counts as correct, of levels from 0 to
 * 1. */
#define TOLERANCE 1e-5

struct work {
    const struct htmt_request *request;
    struct htmt__volume_settings set;
    struct htmt__volume_input input;
    struct htmt_machine machine;
    struct htmt__volume_plan plan;
    struct htmt__volume_work render;
    struct htmt__volume_program *program;
    struct htmt__volume_tally tally;
    struct htmt_outcome *out;
    struct htmt_fault *fault;
};

static bool is_model(const struct work *w)
{
    return w->request->emulator.mode == HTMT_MODEL;
}

static size_t frame_floats(const struct work *w)
{
    const struct htmt__volume_problem *o = &w->plan.problem;
    return (size_t)o->width * o->height * o->channels;
}

/* ---- set-up --------------------------------------------------------------------------------- */

static int check_host(const struct work *w)
{
    const struct htmt__volume_plan *p = &w->plan;
    double gib = 1024.0 * 1024 * 1024;
    double volume = (double)htmt__volume_voxels(&w->input.volume) * p->problem.voxel;
    double stored = (double)htmt__volume_store_bytes(p);
    double image = (double)frame_floats(w) * sizeof(float) * (p->problem.frames + w->set.check);
    double lanes = (double)htmt__volume_lane_bytes(&w->render);
    double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double all = volume + stored + image + lanes;
    if (all <= has)
        return 0;
    return htmt_fault_set(w->fault, HTMT_EHOSTFIT,
                          "volume %.2f GiB + subcubes %.2f GiB + images %.2f GiB + rays of %u "
                          "slices %.2f GiB = %.2f GiB, the host has %.2f GiB; `htmt model` needs "
                          "no data",
                          volume / gib, stored / gib, image / gib, p->slices, lanes / gib,
                          all / gib, has / gib);
}

/* Pages are written now, not while the emulation is timed. */
static void *make_room(uint64_t bytes)
{
    uint64_t whole = (bytes + 63) / 64 * 64;
    void *room = aligned_alloc(64, whole);
    if (room)
        memset(room, 0, whole);
    return room;
}

static int prepare(struct work *w)
{
    struct htmt__volume_work *r = &w->render;
    if (is_model(w))
        return 0;
    r->stored = make_room(htmt__volume_store_bytes(&w->plan));
    r->invisible = make_room(w->plan.subcubes.all);
    r->image = make_room(frame_floats(w) * w->plan.problem.frames * sizeof(float));
    if (!r->stored || !r->invisible || !r->image)
        return htmt_fault_set(w->fault, HTMT_ENOMEM, "no host memory for subcubes and images");
    htmt__volume_store(&w->plan, &w->input.volume, &w->input.lookup, r->stored, r->invisible);
    return 0;
}

/* ---- emulation ------------------------------------------------------------------------------ */

static int emulate(struct work *w, double *since)
{
    int rc = prepare(w);
    if (rc)
        return rc;
    if ((rc = htmt_emulator_create(&w->out->emulator, &w->request->emulator)))
        return htmt_fault_set(w->fault, rc, "cannot create the emulator: %s", htmt_strerror(rc));
    rc = htmt__volume_program_create(w->out->emulator, &w->render, &w->program, w->fault);
    w->out->wall.setup_s = htmt__lap(since);
    if (rc)
        return rc;
    rc = htmt_emulator_run(w->out->emulator);
    w->out->wall.emulate_s = htmt__lap(since);
    if (rc)
        return htmt_fault_set(w->fault, rc, "%s", htmt_emulator_fault(w->out->emulator)->text);
    htmt__volume_program_tally(w->program, &w->tally);
    return 0;
}

/* ---- check ---------------------------------------------------------------------------------- */

/* Not a number counts as far. */
static double distance(const float *a, const float *b, size_t floats)
{
    double most = 0;
    for (size_t i = 0; i < floats; i++) {
        double d = fabs((double)a[i] - (double)b[i]);
        most = d <= most ? most : isnan(d) ? HUGE_VAL : d;
    }
    return most;
}

static int check_images(struct work *w)
{
    size_t floats = frame_floats(w);
    double most = 0;
    if (is_model(w) || !w->set.check)
        return 0;
    float *serial = malloc(floats * sizeof *serial);
    if (!serial)
        return htmt_fault_set(w->fault, HTMT_ENOMEM, "no host memory for the serial image");
    int rc = 0;
    for (uint32_t i = 0; i < w->plan.problem.frames && !rc; i++) {
        rc = htmt__reference_image(&w->input.volume, &w->input.lookup, &w->input.camera[i],
                                   &w->input.casting, true, serial, NULL, w->fault);
        if (!rc)
            most = fmax(most, distance(w->render.image + i * floats, serial, floats));
    }
    free(serial);
    if (rc)
        return rc;
    snprintf(w->out->check.name, sizeof w->out->check.name, "serial image");
    w->out->check.value = most;
    w->out->check.tolerance = TOLERANCE;
    w->out->correct = most <= TOLERANCE;
    return 0;
}

/* ---- output --------------------------------------------------------------------------------- */

/* NULL: it is not wanted. */
static int write_frame(const struct work *w, const char *name, uint32_t frame)
{
    const struct htmt__volume_problem *o = &w->plan.problem;
    struct htmt__image image = {o->width, o->height, o->channels,
                                w->render.image + frame * frame_floats(w)};
    char path[HTMT__IMAGE_PATH_MOST];
    if (!name)
        return 0;
    int rc = htmt__image_frame_path(name, frame, o->frames, path, sizeof path, w->fault);
    return rc ? rc : htmt__image_write(path, &image, w->set.bits, w->fault);
}

static int write_images(const struct work *w)
{
    int rc = 0;
    for (uint32_t i = 0; i < w->plan.problem.frames && !rc && !is_model(w); i++) {
        rc = write_frame(w, w->set.out, i);
        if (!rc)
            rc = write_frame(w, w->set.npy, i);
    }
    return rc;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Samples taken for each voxel that was dispatched; zero: nothing was. */
static struct htmt_ratio measured_alpha(const struct work *w)
{
    return (struct htmt_ratio){w->tally.voxels ? w->tally.taken : 0,
                               w->tally.voxels ? w->tally.voxels : 1};
}

static void note_rays(struct work *w)
{
    const struct htmt__volume_tally *t = &w->tally;
    snprintf(w->out->notes[1], sizeof w->out->notes[1],
             "of %" PRIu64 " rays through the volume %" PRIu64 " (%.1f %%) ended early; samples: "
             "%" PRIu64 " taken, %" PRIu64 " (%.1f %%) skipped as empty, %" PRIu64
             " (%.1f %%) beyond the end of their ray",
             t->inside, t->ended, share(t->ended, t->inside), t->taken,
             t->samples - t->taken - t->saved, share(t->samples - t->taken - t->saved, t->samples),
             t->saved, share(t->saved, t->samples));
}

static void note_subcubes(struct work *w)
{
    const struct htmt__volume_tally *t = &w->tally;
    char alpha[64];
    struct htmt_ratio measured = measured_alpha(w);
    if (!is_model(w))
        snprintf(alpha, sizeof alpha, "alpha %.4f measured", htmt_ratio_value(measured));
    else if (w->set.alpha.num)
        snprintf(alpha, sizeof alpha, "alpha %g assumed", htmt_ratio_value(w->set.alpha));
    else
        snprintf(alpha, sizeof alpha, "every ray assumed to take all its samples");
    snprintf(w->out->notes[2], sizeof w->out->notes[2],
             "of %" PRIu64 " subcubes on the ways of %" PRIu64 " bundles %" PRIu64
             " were dispatched, steering saved %" PRIu64 " (%.1f %%), %" PRIu64
             " of them discarded in SRAM; %s",
             t->visits, t->bundles, t->dispatched, t->visits - t->dispatched,
             share(t->visits - t->dispatched, t->visits), t->discarded, alpha);
}

static double frames_a_second(const struct work *w)
{
    double frame = 1e-15 * (double)htmt_predicted(w->out->emulator) / w->plan.problem.frames;
    return frame > 0 ? 1 / frame : 0;
}

/* What is known without data first. */
static void report_found(struct work *w)
{
    const struct htmt__volume_tally *t = &w->tally;
    struct htmt_outcome *o = w->out;
    htmt_outcome_found(o, "frames_per_s", frames_a_second(w), "1/s");
    htmt_outcome_found(o, "subcubes_on_the_way", (double)t->visits, "1");
    htmt_outcome_found(o, "subcubes_dispatched", (double)t->dispatched, "1");
    htmt_outcome_found(o, "subcubes_discarded", (double)t->discarded, "1");
    if (is_model(w))
        return;
    htmt_outcome_found(o, "alpha", htmt_ratio_value(measured_alpha(w)), "1");
    htmt_outcome_found(o, "rays", (double)t->inside, "1");
    htmt_outcome_found(o, "rays_ended", (double)t->ended, "1");
    htmt_outcome_found(o, "samples", (double)t->samples, "1");
    htmt_outcome_found(o, "samples_taken", (double)t->taken, "1");
    htmt_outcome_found(o, "samples_skipped", (double)(t->samples - t->taken - t->saved), "1");
    htmt_outcome_found(o, "samples_saved", (double)t->saved, "1");
}

static void note(struct work *w)
{
    snprintf(w->out->notes[0], sizeof w->out->notes[0], "%.4g frames a second predicted",
             frames_a_second(w));
    if (!is_model(w))
        note_rays(w);
    note_subcubes(w);
    if (w->plan.fit < 2)
        snprintf(w->out->notes[3], sizeof w->out->notes[3],
                 "CRAM holds one parcel of %" PRIu64 " words at a time: inject and eject do not "
                 "hide behind the SPELL; --double-buffer takes smaller subcubes",
                 w->plan.parcel_words);
}

/* ---- all ------------------------------------------------------------------------------------ */

static int input(struct work *w)
{
    int rc = htmt__volume_settings_read(w->request, &w->set, w->fault);
    if (!rc)
        rc = htmt__volume_input_read(&w->set, !is_model(w), &w->input, w->fault);
    if (!rc)
        rc = htmt__volume_settings_plan(w->request, &w->set, &w->input, &w->machine, &w->plan,
                                        w->fault);
    w->render = (struct htmt__volume_work){.plan = &w->plan,
                                           .lookup = &w->input.lookup,
                                           .casting = &w->input.casting,
                                           .camera = w->input.camera,
                                           .type = w->input.volume.type,
                                           .alpha = w->set.alpha};
    if (!rc && !is_model(w))
        rc = check_host(w);
    return rc;
}

static void describe(struct work *w)
{
    w->out->precision = "single";
    snprintf(w->out->kernel_set, sizeof w->out->kernel_set, "%s",
             is_model(w) ? "none" : htmt__cast_kernel_set());
    htmt__volume_describe(&w->set, &w->plan, w->out->problem, sizeof w->out->problem);
}

/* The closed form with what the run has measured. */
static int compare(struct work *w)
{
    struct htmt__volume_prediction *p = malloc(sizeof *p);
    if (!p)
        return htmt_fault_set(w->fault, HTMT_ENOMEM, "no host memory for the closed form");
    struct htmt__volume_load load = htmt__volume_load_of(&w->tally);
    int rc = htmt__volume_predict(&w->machine, &w->plan, &load, p, w->fault);
    if (!rc) {
        w->out->closed_form_s = 1e-15 * (double)p->total;
        snprintf(w->out->closed_form_name, sizeof w->out->closed_form_name,
                 "Table 8, %" PRIu64 " parcels", load.parcels);
    }
    free(p);
    return rc;
}

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
    rc = check_images(w);
    w->out->wall.check_s = htmt__lap(&since);
    if (!rc)
        rc = write_images(w);
    w->out->wall.output_s = htmt__lap(&since);
    w->out->wall.total_s = since - start;
    if (rc)
        return rc;
    note(w);
    report_found(w);
    return compare(w);
}

static int run(const struct htmt_request *request, struct htmt_outcome *outcome,
               struct htmt_fault *fault)
{
    struct work w = {.request = request, .out = outcome, .fault = fault};
    *outcome = (struct htmt_outcome){.correct = -1};
    int rc = go(&w);
    htmt__volume_program_destroy(&w.program);
    free(w.render.stored);
    free(w.render.invisible);
    free(w.render.image);
    htmt__volume_input_destroy(&w.input);
    return rc;
}

static const struct htmt_app_size sizes[] = {
    {"dims", "%,%,%", "voxels a side", 16, 1 << 14, 1},
    {"subcube", "%", "voxels a side that a parcel carries", 2, 1 << 10, 1},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app_volume = {
    .name = "volume",
    .summary = "volume rendering by ray casting, bundle by bundle, subcube by subcube",
    .options = htmt__volume_options,
    .run = run,
    .predict = htmt__volume_app_predict,
    .reads_costs = true,
    .claims = htmt__volume_claims,
    .sizes = sizes,
};
