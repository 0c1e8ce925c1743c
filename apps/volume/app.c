/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Volume rendering as an application: input, set-up, emulation, check, output.
 *
 * One process reads the whole volume, stores its subcubes, and after the run compares every pixel
 * with the serial ray caster. Several processes do not keep the whole volume, which may be larger
 * than the memory of any of them. The values are looked through once for their range, a plane at a
 * time, since the transfer function may depend on it. Then each process stores the subcubes of the
 * slices that it plays out of a slab of planes, as high as a subcube, which moves through the
 * volume. Whether a subcube shows anything must be known of all, so each looks at all planes. In
 * the end process 0 has the image. It alone reads the volume again for the check, if its memory
 * holds it, and says so otherwise.
 *
 * A model run has neither voxels nor image. The closed form is evaluated twice: before the run,
 * with the load that the views give, for `predict` and for the progress; and after it, with the
 * load that was measured, so that a difference between the two clocks is one of the model of
 * contention and not of the work.
 */
#include "apps/lib/execution.h"
#include "apps/lib/request.h"
#include "apps/lib/steps.h"

#include "apps/volume/closed_form.h"
#include "apps/volume/io/image.h"
#include "apps/volume/program.h"
#include "apps/volume/reference.h"
#include "apps/volume/remarks.h"
#include "apps/volume/settings.h"
#include "runtime/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest difference of the image from the serial one that counts as correct, of levels from 0 to
 * 1. */
#define TOLERANCE 1e-5

struct work {
    struct htmt_task *task;
    enum htmt_execution execution;
    uint32_t here; /* slices that this process plays */
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

/* ---- ranks ---------------------------------------------------------------------------------- */

/* Several processes do not keep the whole volume, whichever slices they play. */
static bool is_one(const struct work *w)
{
    return htmt_request_ranks(htmt_task_request(w->task)) == 1;
}

static bool is_rank_0(const struct work *w)
{
    const struct htmt_ranks *r = htmt_emulator_options(htmt_task_emulator(w->task))->ranks;
    return !r || r->rank == 0;
}

/* ---- set-up --------------------------------------------------------------------------------- */

static double volume_bytes(const struct work *w)
{
    const struct htmt__volume *v = &w->input.volume;
    return (double)htmt__volume_voxels(v) * (double)htmt__volume_voxel_bytes(v->type);
}

/* Planes of z of a row of subcubes; at once in memory where the whole volume is not. */
static uint32_t slab_planes(const struct work *w)
{
    return w->plan.subcubes.edge < w->plan.subcubes.dims[2] ? w->plan.subcubes.edge
                                                            : w->plan.subcubes.dims[2];
}

static size_t plane_bytes(const struct work *w)
{
    const struct htmt__volume *v = &w->input.volume;
    return (size_t)v->dims[0] * v->dims[1] * htmt__volume_voxel_bytes(v->type);
}

/* Write the pages now, not while the emulation is timed. Of several processes each writes those of
 * its own pixels. */
static void *make_room(const struct work *w, uint64_t bytes)
{
    uint64_t whole = (bytes + 63) / 64 * 64;
    if (!is_one(w))
        return calloc(whole, 1);
    void *room = aligned_alloc(64, whole);
    if (room)
        memset(room, 0, whole);
    return room;
}

static int prepare(struct htmt_task *task, void *work, struct htmt_options *options)
{
    struct work *w = work;
    struct htmt__volume_work *r = &w->render;
    r->folded = options->symmetry == HTMT_FOLDED;
    return r->folded ? htmt__volume_alike(&w->plan, w->input.camera, &w->input.casting,
                                          htmt_task_fault(task))
                     : 0;
}

/* ---- subcubes ------------------------------------------------------------------------------- */

/* Several processes store row after row of subcubes out of a slab of planes. Neighbouring rows
 * share planes: those that the row before had, too, come to the front of the slab. */
static int store_slabs(struct work *w, struct htmt__volume_planes *planes)
{
    const size_t plane = plane_bytes(w);
    struct htmt__volume slab = w->input.volume;
    int rc = 0;
    slab.dims[2] = 0;
    slab.at = malloc(slab_planes(w) * plane_bytes(w));
    if (!slab.at)
        return htmt_fault_set(htmt_task_fault(w->task), HTMT_ENOMEM,
                              "no host memory for planes of the volume");
    for (uint32_t z = 0; z < w->plan.subcubes.count[2] && !rc; z++) {
        const struct htmt__volume_extent e = htmt__volume_subcube_extent(&w->plan.subcubes, 2, z);
        uint32_t end = slab.below + slab.dims[2], kept = end > e.low ? end - e.low : 0;
        memmove(slab.at, (char *)slab.at + (slab.dims[2] - kept) * plane, kept * plane);
        slab.below = e.low;
        slab.dims[2] = e.high - e.low + 1;
        rc = htmt__volume_planes_take(planes, slab.dims[2] - kept, (char *)slab.at + kept * plane,
                                      htmt_task_fault(w->task));
        if (!rc)
            htmt__volume_store_rows(&w->plan, &slab, &w->input.table, z, z + 1, w->render.stored,
                                    w->render.invisible);
    }
    free(slab.at);
    return rc;
}

/* The data of this process's slices, if its host has room for them. The whole volume of a single
 * process is there already; its size is counted all the same. */
static int make_data(struct work *w, const struct htmt_emulator *e)
{
    const struct htmt__volume_plan *p = &w->plan;
    struct htmt__volume_work *r = &w->render;
    struct htmt__volume_planes *planes = NULL;
    double share = (double)w->here / p->slices;
    double volume = is_one(w) ? volume_bytes(w) : (double)slab_planes(w) * (double)plane_bytes(w);
    double stored = (double)htmt__volume_store_bytes(p) * share;
    double image =
        (double)frame_floats(w) * sizeof(float) * (p->problem.frames + (w->set.check && is_one(w)));
    double lanes = (double)htmt__volume_lane_bytes(r) * share;
    int rc = htmt_task_fits(w->task, volume + stored + image + lanes,
                            "volume %.2f GiB + subcubes %.2f GiB + images %.2f GiB + rays of %u "
                            "slices %.2f GiB",
                            volume / HTMT_GIB, stored / HTMT_GIB, image / HTMT_GIB, w->here,
                            lanes / HTMT_GIB);
    if (rc)
        return rc;
    r->stored = htmt__volume_shares_create(&w->plan, e);
    r->invisible = make_room(w, w->plan.subcubes.all);
    r->image = make_room(w, frame_floats(w) * w->plan.problem.frames * sizeof(float));
    if (!r->stored || !r->invisible || !r->image)
        return htmt_fault_set(htmt_task_fault(w->task), HTMT_ENOMEM,
                              "no host memory for subcubes and images");
    if (is_one(w)) {
        htmt__volume_store(&w->plan, &w->input.volume, &w->input.table, r->stored, r->invisible);
        return 0;
    }
    rc = htmt__volume_input_planes(&w->set, &planes, htmt_task_fault(w->task));
    if (!rc) {
        htmt__volume_planes_fill(planes, w->input.least);
        rc = store_slabs(w, planes);
    }
    htmt__volume_planes_close(&planes);
    return rc;
}

/* ---- emulation ------------------------------------------------------------------------------ */

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    for (uint32_t i = 0; i < w->plan.slices; i++)
        w->here += htmt_slice_here(e, i);
    int rc = htmt_task_is_model(task) ? 0 : make_data(w, e);
    w->render.named = htmt_request_sections(htmt_task_request(task));
    return rc ? rc : htmt__volume_program_create(e, &w->render, &w->program, htmt_task_fault(task));
}

static int collect(struct htmt_task *task, void *work)
{
    struct work *w = work;
    int rc = htmt__volume_program_tally(w->program, &w->tally);
    if (!rc && !htmt_task_is_model(task))
        rc = htmt__volume_program_image(w->program);
    return rc ? htmt_fault_set(htmt_task_fault(task), rc, "what the slices counted: %s",
                               htmt_strerror(rc))
              : 0;
}

/* ---- check ---------------------------------------------------------------------------------- */

/* A difference that is not a number counts as infinite. */
static int compare_images(struct work *w, const struct htmt__volume *volume)
{
    size_t floats = frame_floats(w);
    double most = 0;
    float *serial = malloc(floats * sizeof *serial);
    if (!serial)
        return htmt_fault_set(htmt_task_fault(w->task), HTMT_ENOMEM,
                              "no host memory for the serial image");
    int rc = 0;
    for (uint32_t i = 0; i < w->plan.problem.frames && !rc; i++) {
        rc = htmt__volume_reference_image_on(w->set.threads, volume, &w->input.table,
                                             &w->input.camera[i], &w->input.casting, true, serial,
                                             NULL, htmt_task_fault(w->task));
        for (size_t n = 0; n < floats && !rc; n++) {
            double d = fabs((double)w->render.image[i * floats + n] - (double)serial[n]);
            most = d <= most ? most : isnan(d) ? HUGE_VAL : d;
        }
    }
    free(serial);
    if (!rc)
        htmt_task_checked(w->task, "serial image", most, TOLERANCE, most <= TOLERANCE);
    return rc;
}

/* Rank 0 reads the whole volume for the serial program, if its host has room for it. */
static int check_images(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt__volume v = {.at = NULL};
    char left[HTMT_MEMORY_TEXT];
    double bytes =
        (w->set.reoriented ? 2 : 1) * volume_bytes(w) + (double)frame_floats(w) * sizeof(float);
    if (!w->set.check || !is_rank_0(w))
        return 0;
    if (is_one(w))
        return compare_images(w, &w->input.volume);
    if (!htmt_memory_holds(bytes, left)) {
        htmt_task_unchecked(task, "the serial program takes %.2f GiB in one process, %s",
                            bytes / HTMT_GIB, left);
        return 0;
    }
    int rc = htmt__volume_input_volume(&w->set, &v, htmt_task_fault(task));
    if (!rc)
        rc = compare_images(w, &v);
    htmt__volume_destroy(&v);
    return rc;
}

/* ---- output --------------------------------------------------------------------------------- */

static int write_images(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    const struct htmt__volume_problem *o = &w->plan.problem;
    const char *const names[] = {w->set.out, w->set.npy};
    struct htmt_fault *fault = htmt_task_fault(task);
    char path[HTMT__IMAGE_PATH_MOST];
    int rc = 0;
    for (uint32_t n = 0; n < 2 * o->frames && is_rank_0(w) && !rc; n++) {
        const struct htmt__volume_image image = {o->width, o->height, o->channels,
                                                 w->render.image + n / 2 * frame_floats(w)};
        if (!names[n % 2])
            continue; /* it is not wanted */
        rc =
            htmt__volume_image_frame_path(names[n % 2], n / 2, o->frames, path, sizeof path, fault);
        if (!rc)
            rc = htmt__volume_image_write(path, &image, w->set.bits, fault);
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

/* First the parts that need no data. */
static void report_found(struct work *w, double frames_a_second)
{
    const struct htmt__volume_tally *t = &w->tally;
    struct htmt_task *o = w->task;
    htmt_task_found(o, "frames_per_s", frames_a_second, "1/s");
    htmt_task_found(o, "subcubes_on_the_way", (double)t->visits, "1");
    htmt_task_found(o, "subcubes_dispatched", (double)t->dispatched, "1");
    htmt_task_found(o, "subcubes_discarded", (double)t->discarded, "1");
    if (htmt_task_is_model(w->task))
        return;
    htmt_task_found(o, "alpha", htmt_ratio_value(measured_alpha(w)), "1");
    htmt_task_found(o, "rays", (double)t->inside, "1");
    htmt_task_found(o, "rays_ended", (double)t->ended, "1");
    htmt_task_found(o, "samples", (double)t->samples, "1");
    htmt_task_found(o, "samples_taken", (double)t->taken, "1");
    htmt_task_found(o, "samples_skipped", (double)(t->samples - t->taken - t->saved), "1");
    htmt_task_found(o, "samples_saved", (double)t->saved, "1");
}

static void note(struct work *w, double frames_a_second)
{
    const struct htmt__volume_tally *t = &w->tally;
    uint64_t skipped = t->samples - t->taken - t->saved;
    char alpha[64];
    htmt_task_note_at(w->task, 0, "%.4g frames a second predicted", frames_a_second);
    if (!htmt_task_is_model(w->task))
        htmt_task_note_at(w->task, 1,
                          "of %" PRIu64 " rays through the volume %" PRIu64
                          " (%.1f %%) ended early; samples: %" PRIu64 " taken, %" PRIu64
                          " (%.1f %%) skipped as empty, %" PRIu64
                          " (%.1f %%) beyond the end of their ray",
                          t->inside, t->ended, share(t->ended, t->inside), t->taken, skipped,
                          share(skipped, t->samples), t->saved, share(t->saved, t->samples));
    if (!htmt_task_is_model(w->task))
        snprintf(alpha, sizeof alpha, "alpha %.4f measured", htmt_ratio_value(measured_alpha(w)));
    else if (htmt_is_captured(htmt_task_emulator(w->task)))
        snprintf(alpha, sizeof alpha, "the samples are those of the captured run");
    else if (w->set.alpha.num)
        snprintf(alpha, sizeof alpha, "alpha %g assumed", htmt_ratio_value(w->set.alpha));
    else
        snprintf(alpha, sizeof alpha, "every ray assumed to take all its samples");
    htmt_task_note_at(w->task, 2,
                      "of %" PRIu64 " subcubes on the visit lists of %" PRIu64 " bundles %" PRIu64
                      " were dispatched, steering saved %" PRIu64 " (%.1f %%), %" PRIu64
                      " of them discarded in SRAM; %s",
                      t->visits, t->bundles, t->dispatched, t->visits - t->dispatched,
                      share(t->visits - t->dispatched, t->visits), t->discarded, alpha);
    if (w->input.table.error > 0)
        htmt_task_note_at(
            w->task, 4,
            "the transfer function's table, %u rows in CRAM, is off by up to %.2g of a level "
            "between its rows: the function is steep, or its knots span far more than it shows",
            w->input.table.last + 1, w->input.table.error);
    if (w->plan.fit < 2)
        htmt_task_note_at(w->task, 3,
                          "CRAM holds one parcel of %" PRIu64
                          " words at a time: inject and eject do not "
                          "hide behind the SPELL; --double-buffer takes smaller subcubes",
                          w->plan.parcel_words);
}

/* ---- all ------------------------------------------------------------------------------------ */

#define OFFERS                                                                                     \
    (HTMT_EXECUTION_FORM(HTMT_EXECUTION_SERIAL) | HTMT_EXECUTION_FORM(HTMT_EXECUTION_MPP))

static int plan(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc;
    w->task = task;
    rc = htmt__volume_settings_read(htmt_task_request(task), &w->set, fault);
    rc = rc ? rc : htmt_execution_read(task, OFFERS, &w->execution);
    enum htmt__volume_voxels wanted = htmt_task_is_model(task) && (is_one(w) || !w->set.volume)
                                          ? HTMT__SIZE_ALONE
                                      : is_one(w) ? HTMT__ALL_VOXELS
                                                  : HTMT__RANGE_ALONE;
    if (!rc)
        rc = htmt__volume_input_read(htmt_task_machine(task), &w->set, wanted, &w->input, fault);
    if (!rc && w->input.volume.at)
        htmt_task_held(task, volume_bytes(w));
    if (!rc) {
        w->set.casting = w->input.casting;
        htmt__volume_doubt_input(&w->set, &w->input, htmt_task_warnings(task));
    }
    if (rc || w->execution != HTMT_EXECUTION_HTMT)
        return rc;
    if (!rc)
        rc = htmt__volume_settings_plan(htmt_task_machine(task), &w->set, &w->input, &w->plan,
                                        fault);
    w->render = (struct htmt__volume_work){.plan = &w->plan,
                                           .table = &w->input.table,
                                           .casting = &w->input.casting,
                                           .camera = w->input.camera,
                                           .type = w->input.volume.type,
                                           .alpha = w->set.alpha};
    if (rc)
        return rc;
    /* The closed form counts voxels and image, as the paper does, but not a bundle's set-up. */
    bool runs = !htmt_task_is_prediction(task);
    rc = htmt__volume_fit_lanes(htmt_task_machine(task), &w->render, &w->plan, runs ? fault : NULL);
    return runs ? rc : 0;
}

/* The closed form before anything is measured. */
static int predict(struct work *w, struct htmt_fault *fault)
{
    struct htmt__volume_load load;
    int rc = htmt__volume_load_estimate(&w->plan, w->input.camera, &w->input.casting, NULL,
                                        w->set.alpha, &load, fault);
    return rc ? rc
              : htmt__volume_predict(htmt_task_machine(w->task), &w->plan, &load, &w->closed,
                                     fault);
}

static void name_problem(const struct work *w)
{
    char text[400];
    htmt__volume_describe(&w->set, &w->plan, text, sizeof text);
    htmt_task_problem(w->task, "%s", text);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    if (w->execution != HTMT_EXECUTION_HTMT) {
        const struct htmt__volume_problem problem = htmt__volume_problem_of(&w->set, &w->input);
        const struct htmt__volume_asked asked = {&problem, &w->set.charges, w->input.camera,
                                                 &w->input.casting, w->set.alpha};
        return (w->execution == HTMT_EXECUTION_SERIAL ? htmt__volume_serial
                                                      : htmt__volume_mpp)(task, &asked, out);
    }
    int rc = predict(w, htmt_task_fault(task));
    if (rc)
        return rc;
    htmt_prediction_total_fs(out, w->closed.total);
    name_problem(w);
    return htmt__volume_tell(htmt_task_machine(task), &w->plan, &w->closed, out,
                             htmt_task_fault(task));
}

static void describe(struct htmt_task *task, void *work)
{
    struct work *w = work;
    htmt_task_precision(task, "single");
    name_problem(w);
    if (htmt_request_progress(htmt_task_request(task)) && !predict(w, NULL))
        htmt_task_expected(task, 1e-15 * (double)w->closed.total);
    if (!htmt_task_is_model(task))
        htmt_task_kernel_set(task, htmt__volume_cast_kernel_set());
}

/* The closed form with the measurements of the run. */
static int compare(struct htmt_task *task, void *work)
{
    struct work *w = work;
    struct htmt__volume_load load = {0};
    const unsigned channels = w->plan.problem.channels;
    const struct htmt__volume_picture picture = {.input = &w->input,
                                                 .tally = &w->tally,
                                                 .image = w->render.image,
                                                 .pixels = frame_floats(w) / channels *
                                                           w->plan.problem.frames,
                                                 .channels = channels};
    double frame =
        1e-15 * (double)htmt_predicted(htmt_task_emulator(task)) / w->plan.problem.frames;
    int rc = 0;
    note(w, frame > 0 ? 1 / frame : 0);
    report_found(w, frame > 0 ? 1 / frame : 0);
    htmt__volume_remark_input(&w->set, &w->input, task);
    if (htmt_is_captured(htmt_task_emulator(task)))
        return 0; /* the load of the closed form is in the bytes of the run */
    if (!htmt_task_is_model(task) && is_rank_0(w))
        htmt__volume_remark_picture(&picture, task);
    if (!htmt_task_is_model(task)) /* a model run counts the set-up of bundles itself */
        rc = htmt__volume_load_estimate(&w->plan, w->input.camera, &w->input.casting,
                                        w->render.invisible, w->set.alpha, &load,
                                        htmt_task_fault(task));
    htmt__volume_load_measure(&w->tally, &load);
    if (!rc)
        rc = htmt__volume_predict(htmt_task_machine(task), &w->plan, &load, &w->closed,
                                  htmt_task_fault(task));
    if (!rc)
        htmt_task_closed_form(task, w->closed.total, "Table 8, %" PRIu64 " parcels", load.parcels);
    return rc;
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
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

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "volume",
    .summary = "volume rendering by ray casting, bundle by bundle, subcube by subcube",
    .options = htmt__volume_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .collect = collect,
    .check = check_images,
    .write = write_images,
    .conclude = compare,
    .destroy = destroy,
    .folds = true,
    .ranks = true,
    .reads_costs = true,
    .paper_figures = htmt__volume_paper_figures,
    .sizes = sizes,
    .outputs = (const char *const[]){"out", "npy", NULL},
    .slices = htmt__volume_slices,
    .slices_why = HTMT__VOLUME_SLICES_WHY,
};
