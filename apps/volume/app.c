/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Volume rendering as an application: input, set-up, emulation, check, output.
 */
#include "apps/lib/steps.h"

#include "apps/volume/closed_form.h"
#include "apps/volume/io/image.h"
#include "apps/volume/program.h"
#include "apps/volume/reference.h"
#include "apps/volume/remarks.h"
#include "apps/volume/settings.h"
#include "apps/volume/symmetry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest difference of the image from the serial one that counts as correct, of levels from 0 to
 * 1. */
#define TOLERANCE 1e-5

struct work {
    struct htmt_task task;
    struct htmt__volume_settings set;
    struct htmt__volume_input input;
    struct htmt__volume_plan plan;
    struct htmt__volume_work render;
    struct htmt__volume_program *program;
    struct htmt__volume_tally tally;
    struct htmt__volume_prediction closed;
};

static size_t frame_floats(const struct work *w)
{
    const struct htmt__volume_problem *o = &w->plan.problem;
    return (size_t)o->width * o->height * o->channels;
}

/* ---- set-up --------------------------------------------------------------------------------- */

static double volume_bytes(const struct work *w)
{
    const struct htmt__volume *v = &w->input.volume;
    return (double)htmt__volume_voxels(v) * (double)htmt__volume_voxel_bytes(v->type);
}

static int check_host(void *work)
{
    const struct work *w = work;
    const struct htmt__volume_plan *p = &w->plan;
    double volume = volume_bytes(w);
    double stored = (double)htmt__volume_store_bytes(p);
    double image = (double)frame_floats(w) * sizeof(float) * (p->problem.frames + w->set.check);
    double lanes = (double)htmt__volume_lane_bytes(&w->render);
    return htmt_task_fits(&w->task, volume + stored + image + lanes,
                          "volume %.2f GiB + subcubes %.2f GiB + images %.2f GiB + rays of %u "
                          "slices %.2f GiB",
                          volume / HTMT_GIB, stored / HTMT_GIB, image / HTMT_GIB, p->slices,
                          lanes / HTMT_GIB);
}

/* Write the pages now, not while the emulation is timed. */
static void *make_room(uint64_t bytes)
{
    uint64_t whole = (bytes + 63) / 64 * 64;
    void *room = aligned_alloc(64, whole);
    if (room)
        memset(room, 0, whole);
    return room;
}

static int prepare(void *work, struct htmt_options *options)
{
    struct work *w = work;
    struct htmt__volume_work *r = &w->render;
    r->folded = options->symmetry == HTMT_FOLDED;
    if (r->folded)
        return htmt__volume_alike(&w->plan, w->input.camera, &w->input.casting, w->task.fault);
    if (w->task.model)
        return 0;
    r->stored = make_room(htmt__volume_store_bytes(&w->plan));
    r->invisible = make_room(w->plan.subcubes.all);
    r->image = make_room(frame_floats(w) * w->plan.problem.frames * sizeof(float));
    if (!r->stored || !r->invisible || !r->image)
        return htmt_fault_set(w->task.fault, HTMT_ENOMEM, "no host memory for subcubes and images");
    htmt__volume_store(&w->plan, &w->input.volume, &w->input.table, r->stored, r->invisible);
    return 0;
}

/* ---- emulation ------------------------------------------------------------------------------ */

static int create(void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    return htmt__volume_program_create(e, &w->render, &w->program, w->task.fault);
}

static int collect(void *work)
{
    struct work *w = work;
    htmt__volume_program_tally(w->program, &w->tally);
    return 0;
}

/* ---- check ---------------------------------------------------------------------------------- */

/* A difference that is not a number counts as infinite. */
static double distance(const float *a, const float *b, size_t floats)
{
    double most = 0;
    for (size_t i = 0; i < floats; i++) {
        double d = fabs((double)a[i] - (double)b[i]);
        most = d <= most ? most : isnan(d) ? HUGE_VAL : d;
    }
    return most;
}

static int check_images(void *work)
{
    struct work *w = work;
    size_t floats = frame_floats(w);
    double most = 0;
    if (!w->set.check)
        return 0;
    float *serial = malloc(floats * sizeof *serial);
    if (!serial)
        return htmt_fault_set(w->task.fault, HTMT_ENOMEM, "no host memory for the serial image");
    int rc = 0;
    for (uint32_t i = 0; i < w->plan.problem.frames && !rc; i++) {
        rc = htmt__volume_reference_image(&w->input.volume, &w->input.table, &w->input.camera[i],
                                          &w->input.casting, true, serial, NULL, w->task.fault);
        if (!rc)
            most = fmax(most, distance(w->render.image + i * floats, serial, floats));
    }
    free(serial);
    if (!rc)
        htmt_task_checked(&w->task, "serial image", most, TOLERANCE, most <= TOLERANCE);
    return rc;
}

/* ---- output --------------------------------------------------------------------------------- */

/* NULL: the file is not wanted. */
static int write_frame(const struct work *w, const char *name, uint32_t frame)
{
    const struct htmt__volume_problem *o = &w->plan.problem;
    struct htmt__volume_image image = {o->width, o->height, o->channels,
                                       w->render.image + frame * frame_floats(w)};
    char path[HTMT__IMAGE_PATH_MOST];
    if (!name)
        return 0;
    int rc =
        htmt__volume_image_frame_path(name, frame, o->frames, path, sizeof path, w->task.fault);
    return rc ? rc : htmt__volume_image_write(path, &image, w->set.bits, w->task.fault);
}

static int write_images(void *work)
{
    const struct work *w = work;
    int rc = 0;
    for (uint32_t i = 0; i < w->plan.problem.frames && !rc; i++) {
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

/* Samples taken for each dispatched voxel; zero if no subcube was dispatched. */
static struct htmt_ratio measured_alpha(const struct work *w)
{
    return (struct htmt_ratio){w->tally.voxels ? w->tally.taken : 0,
                               w->tally.voxels ? w->tally.voxels : 1};
}

static void note_rays(struct work *w)
{
    const struct htmt__volume_tally *t = &w->tally;
    snprintf(w->task.out->notes[1], sizeof w->task.out->notes[1],
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
    if (!w->task.model)
        snprintf(alpha, sizeof alpha, "alpha %.4f measured", htmt_ratio_value(measured));
    else if (w->set.alpha.num)
        snprintf(alpha, sizeof alpha, "alpha %g assumed", htmt_ratio_value(w->set.alpha));
    else
        snprintf(alpha, sizeof alpha, "every ray assumed to take all its samples");
    snprintf(w->task.out->notes[2], sizeof w->task.out->notes[2],
             "of %" PRIu64 " subcubes on the visit lists of %" PRIu64 " bundles %" PRIu64
             " were dispatched, steering saved %" PRIu64 " (%.1f %%), %" PRIu64
             " of them discarded in SRAM; %s",
             t->visits, t->bundles, t->dispatched, t->visits - t->dispatched,
             share(t->visits - t->dispatched, t->visits), t->discarded, alpha);
}

static double frames_a_second(const struct work *w)
{
    double frame = 1e-15 * (double)htmt_predicted(w->task.out->emulator) / w->plan.problem.frames;
    return frame > 0 ? 1 / frame : 0;
}

/* First the parts that need no data. */
static void report_found(struct work *w)
{
    const struct htmt__volume_tally *t = &w->tally;
    struct htmt_outcome *o = w->task.out;
    htmt_outcome_found(o, "frames_per_s", frames_a_second(w), "1/s");
    htmt_outcome_found(o, "subcubes_on_the_way", (double)t->visits, "1");
    htmt_outcome_found(o, "subcubes_dispatched", (double)t->dispatched, "1");
    htmt_outcome_found(o, "subcubes_discarded", (double)t->discarded, "1");
    if (w->task.model)
        return;
    htmt_outcome_found(o, "alpha", htmt_ratio_value(measured_alpha(w)), "1");
    htmt_outcome_found(o, "rays", (double)t->inside, "1");
    htmt_outcome_found(o, "rays_ended", (double)t->ended, "1");
    htmt_outcome_found(o, "samples", (double)t->samples, "1");
    htmt_outcome_found(o, "samples_taken", (double)t->taken, "1");
    htmt_outcome_found(o, "samples_skipped", (double)(t->samples - t->taken - t->saved), "1");
    htmt_outcome_found(o, "samples_saved", (double)t->saved, "1");
}

/* Rows are too wide for the function if it is steep or knots lie far from the values in use. */
static void note_table(struct work *w)
{
    if (w->input.table.error > 0)
        snprintf(
            w->task.out->notes[4], sizeof w->task.out->notes[4],
            "the transfer function's table, %u rows in CRAM, is off by up to %.2g of a level "
            "between its rows: the function is steep, or its knots span far more than it shows",
            w->input.table.last + 1, w->input.table.error);
}

static void note(struct work *w)
{
    snprintf(w->task.out->notes[0], sizeof w->task.out->notes[0], "%.4g frames a second predicted",
             frames_a_second(w));
    if (!w->task.model)
        note_rays(w);
    note_subcubes(w);
    note_table(w);
    if (w->plan.fit < 2)
        snprintf(w->task.out->notes[3], sizeof w->task.out->notes[3],
                 "CRAM holds one parcel of %" PRIu64 " words at a time: inject and eject do not "
                 "hide behind the SPELL; --double-buffer takes smaller subcubes",
                 w->plan.parcel_words);
}

/* ---- all ------------------------------------------------------------------------------------ */

/* The closed form counts voxels and image, as the paper does, but not a bundle's set-up in DRAM. */
static int fit_lanes(struct work *w)
{
    bool runs = w->task.out != NULL;
    int rc =
        htmt__volume_fit_lanes(&w->task.machine, &w->render, &w->plan, runs ? w->task.fault : NULL);
    return runs ? rc : 0;
}

static int plan(void *work)
{
    struct work *w = work;
    struct htmt_fault *fault = w->task.fault;
    int rc = htmt__volume_settings_read(w->task.request, &w->set, fault);
    if (!rc)
        rc = htmt__volume_input_read(&w->task.machine, &w->set, !w->task.model, &w->input, fault);
    if (!rc && w->input.volume.at)
        w->task.held = volume_bytes(w);
    if (!rc) {
        w->set.casting = w->input.casting;
        htmt__volume_doubt_input(&w->set, &w->input, w->task.warnings);
    }
    if (!rc)
        rc = htmt__volume_settings_plan(&w->task.machine, &w->set, &w->input, &w->plan, fault);
    w->render = (struct htmt__volume_work){.plan = &w->plan,
                                           .table = &w->input.table,
                                           .casting = &w->input.casting,
                                           .camera = w->input.camera,
                                           .type = w->input.volume.type,
                                           .alpha = w->set.alpha};
    return rc ? rc : fit_lanes(w);
}

/* The closed form before anything is measured. */
static int predict(struct work *w, struct htmt_fault *fault)
{
    struct htmt__volume_load load;
    int rc = htmt__volume_load_estimate(&w->plan, w->input.camera, &w->input.casting, NULL,
                                        w->set.alpha, &load, fault);
    return rc ? rc : htmt__volume_predict(&w->task.machine, &w->plan, &load, &w->closed, fault);
}

static int tell(void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    int rc = predict(w, w->task.fault);
    if (rc)
        return rc;
    out->total_s = 1e-15 * (double)w->closed.total;
    htmt__volume_describe(&w->set, &w->plan, out->problem, sizeof out->problem);
    return htmt__volume_tell(&w->task.machine, &w->plan, &w->closed, out, w->task.fault);
}

static void describe(void *work)
{
    struct work *w = work;
    struct htmt_outcome *out = w->task.out;
    out->precision = "single";
    htmt__volume_describe(&w->set, &w->plan, out->problem, sizeof out->problem);
    if (w->task.request->emulator.progress && !predict(w, NULL))
        out->expected_s = 1e-15 * (double)w->closed.total;
    if (!w->task.model)
        snprintf(out->kernel_set, sizeof out->kernel_set, "%s", htmt__volume_cast_kernel_set());
}

static void remark_picture(struct work *w)
{
    const struct htmt__volume_picture picture = {
        .input = &w->input,
        .tally = &w->tally,
        .image = w->render.image,
        .pixels = frame_floats(w) / w->plan.problem.channels * w->plan.problem.frames,
        .channels = w->plan.problem.channels};
    htmt__volume_remark_picture(&picture, w->task.out);
}

/* The closed form with the measurements of the run. */
static int compare(void *work)
{
    struct work *w = work;
    struct htmt__volume_load load = {0};
    int rc = 0;
    note(w);
    report_found(w);
    htmt__volume_remark_input(&w->set, &w->input, w->task.out);
    if (!w->task.model)
        remark_picture(w);
    if (!w->task.model) /* a model run counts the set-up of bundles itself */
        rc = htmt__volume_load_estimate(&w->plan, w->input.camera, &w->input.casting,
                                        w->render.invisible, w->set.alpha, &load, w->task.fault);
    htmt__volume_load_measure(&w->tally, &load);
    if (!rc)
        rc = htmt__volume_predict(&w->task.machine, &w->plan, &load, &w->closed, w->task.fault);
    if (!rc)
        htmt_task_closed_form(&w->task, w->closed.total, "Table 8, %" PRIu64 " parcels",
                              load.parcels);
    return rc;
}

static void destroy(void *work)
{
    struct work *w = work;
    htmt__volume_program_destroy(&w->program);
    free(w->render.stored);
    free(w->render.invisible);
    free(w->render.image);
    htmt__volume_input_destroy(&w->input);
}

static const struct htmt_app_size sizes[] = {
    {"dims", "%,%,%", "voxels a side", 16, 32767, 1},
    {"subcube", "%", "voxels a side that a parcel carries", 2, 1 << 10, 1},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app_volume = {
    HTMT_APP_BEGIN,
    .name = "volume",
    .summary = "volume rendering by ray casting, bundle by bundle, subcube by subcube",
    .options = htmt__volume_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .input = check_host,
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .collect = collect,
    .check = check_images,
    .write = write_images,
    .conclude = compare,
    .destroy = destroy,
    .folds = true,
    .paper_figures = htmt__volume_paper_figures,
    .sizes = sizes,
    .outputs = (const char *const[]){"out", "npy", NULL},
    .slices = htmt__volume_slices,
    .slices_why = HTMT__VOLUME_SLICES_WHY,
};
