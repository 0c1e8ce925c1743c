/* SPDX-License-Identifier: BSD-3-Clause
 *
 * SAR focusing as an application: input, set-up, emulation, check, output.
 */
#include "apps/lib/steps.h"

#include "apps/formats/npy.h"
#include "apps/lib/gather.h"
#include "apps/sar/check.h"
#include "apps/sar/closed_form.h"
#include "apps/sar/doubts.h"
#include "apps/sar/program.h"
#include "apps/sar/scene_verb.h"
#include "apps/sar/settings.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct htmt_task *task;
    struct htmt__sar_settings set;
    struct htmt__sar_input in;
    struct htmt__sar_costs costs;
    struct htmt__sar_decomposition decomposition;
    struct htmt__sar_prediction closed;
    void **image; /* of each patch, its lines; NULL: its slice is not here; NULL in a model */
    struct htmt__sar_program *program;
};

/* ---- does it fit the host? ------------------------------------------------------------------ */

/* Bytes of the lines of the image that a patch gives. */
static double lines_bytes(const struct htmt__sar_decomposition *c, uint32_t n)
{
    return (double)htmt__sar_plan_patch(&c->plan, n).lines * c->plan.samples * c->point;
}

/* Frames of a slice. A slice without patches never touches its frames. */
static double frame_bytes(const struct htmt__sar_decomposition *c)
{
    double patch = (double)c->rows * c->cells, straight = (double)c->plan.band * c->straight_cells;
    return c->point * (c->frames * patch + (c->plan.rcmc ? straight : 0));
}

static bool patch_here(const struct htmt_emulator *e, uint32_t n)
{
    return htmt_slice_here(e, n % htmt_emulator_slices(e));
}

/* Those of the patches that are here. */
static double image_bytes(const struct htmt__sar_decomposition *c, const struct htmt_emulator *e)
{
    double bytes = 0;
    for (uint32_t n = 0; n < c->plan.patches; n++)
        bytes += patch_here(e, n) ? lines_bytes(c, n) : 0;
    return bytes;
}

/* The check runs after the frames are freed. It needs the image again and a patch as workspace. */
static double check_bytes(const struct htmt__sar_decomposition *c, double image)
{
    return image + 2.0 * c->rows * c->cells * c->point;
}

static double picture_bytes(const struct work *w, const struct htmt_emulator *e)
{
    const struct htmt__sar_plan *p = &w->decomposition.plan;
    return w->set.png && htmt_gathers(e)
               ? htmt__sar_picture_bytes(&w->set.looks, p->lines, p->samples)
               : 0;
}

static int check_host(const struct work *w, const struct htmt_emulator *e)
{
    const struct htmt__sar_decomposition *c = &w->decomposition;
    double slices = htmt_slices_here(e, (uint32_t)htmt_least(c->patches, htmt_emulator_slices(e)));
    double raw = (double)htmt__sar_raw_bytes(c, c->plan.radar.lines), image = image_bytes(c, e);
    double frames = slices * frame_bytes(c), check = w->set.check ? check_bytes(c, image) : 0;
    double all = raw + image + picture_bytes(w, e) + (frames > check ? frames : check);
    return htmt_task_fits(w->task, all,
                          "raw data %.2f GiB + image %.2f GiB + %.0f slices x %.2f GiB, or a "
                          "check of %.2f GiB,",
                          raw / HTMT_GIB, (image + picture_bytes(w, e)) / HTMT_GIB, slices,
                          frame_bytes(c) / HTMT_GIB, check / HTMT_GIB);
}

/* ---- emulation ------------------------------------------------------------------------------ */

/* Patches are independent. One process that plays a run on one thread keeps all slices busy at
 * once; otherwise slices need not wait for each other. Slices are alike if all have the same number
 * of equal patches. */
static int promise(const struct work *w, struct htmt_options *options)
{
    const struct htmt__sar_decomposition *c = &w->decomposition;
    bool many = options->clock_threads > 1 || htmt_request_ranks(htmt_task_request(w->task)) > 1;
    if ((htmt_task_is_model(w->task) || many) && options->symmetry == HTMT_NO_SYMMETRY)
        options->symmetry = HTMT_INDEPENDENT;
    if (options->symmetry != HTMT_FOLDED ||
        (c->plan.patches == 1 && c->patches % htmt_task_machine(w->task)->slices == 0))
        return 0;
    return htmt_fault_set(htmt_task_fault(w->task), HTMT_EUSAGE,
                          "--fold: found %u patches on %u slices%s, expected the same number of "
                          "equal patches on each",
                          c->patches, htmt_task_machine(w->task)->slices,
                          c->plan.patches > 1 ? ", cut out of longer data" : "");
}

static int prepare(struct htmt_task *task, void *work, struct htmt_options *options)
{
    (void)task;
    return promise(work, options);
}

/* The host's pages are written now, not while the emulation is timed. */
static int create_image(struct work *w, const struct htmt_emulator *e)
{
    const struct htmt__sar_decomposition *c = &w->decomposition;
    bool whole = (w->image = calloc(c->plan.patches, sizeof *w->image));
    for (uint32_t n = 0; n < c->plan.patches && whole; n++) {
        size_t bytes = (size_t)lines_bytes(c, n);
        if (patch_here(e, n) && (whole = (w->image[n] = malloc(bytes))))
            memset(w->image[n], 0, bytes);
    }
    return whole ? 0
                 : htmt_fault_set(htmt_task_fault(w->task), HTMT_ENOMEM,
                                  "no host memory for the image");
}

/* The measurements of the step plan need all raw data. After them the lines that no patch here
 * takes are given back. */
static void forget_lines(struct work *w, const struct htmt_emulator *e)
{
    const struct htmt__sar_plan *p = &w->decomposition.plan;
    uint32_t kept = 0;
    for (uint32_t n = 0; n < p->patches; n++) {
        uint32_t first = htmt__sar_plan_patch(p, n).first;
        if (!patch_here(e, n))
            continue;
        if (first > kept)
            htmt__sar_raw_forget(&w->in.raw, kept, first);
        kept = first + p->patch_lines;
    }
    if (p->radar.lines > kept)
        htmt__sar_raw_forget(&w->in.raw, kept, p->radar.lines);
}

static int make_data(struct work *w, const struct htmt_emulator *e)
{
    int rc = check_host(w, e);
    if (!rc)
        rc = create_image(w, e);
    if (!rc && !htmt_has_all(e))
        forget_lines(w, e);
    return rc;
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    bool model = htmt_task_is_model(task);
    int rc = model ? 0 : make_data(w, e);
    struct htmt__sar_data data = {model ? NULL : &w->in.raw, w->image};
    return rc ? rc
              : htmt__sar_program_create(e, &w->decomposition, &data, &w->program,
                                         htmt_task_fault(task));
}

/* ---- check and output ----------------------------------------------------------------------- */

static int check_image(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt__sar_decomposition *c = &w->decomposition;
    struct htmt__sar_check check;
    if (!w->set.check)
        return 0;
    htmt__sar_program_release(w->program);
    int rc = htmt__sar_check(htmt_task_emulator(task), &c->plan, &w->in.raw, c->single, w->image,
                             &check, htmt_task_fault(task));
    if (!rc)
        htmt_task_checked(task, "difference from the serial program", check.value, check.tolerance,
                          check.pass);
    return rc;
}

/* What takes the lines of the image, one patch after another; NULL: nothing does. */
struct output {
    struct htmt__npy *npy;
    struct htmt__sar_picture *picture;
};

static int open_output(const struct work *w, struct output *out)
{
    const struct htmt__sar_plan *p = &w->decomposition.plan;
    struct htmt_fault *fault = htmt_task_fault(w->task);
    struct htmt__sar_image image = {p->lines, p->samples, w->decomposition.single, NULL};
    int rc = 0;
    if (w->set.out)
        rc = htmt__sar_image_create(w->set.out, &image, &out->npy, fault);
    if (!rc && w->set.png)
        rc = htmt__sar_picture_create(&w->set.looks, p->lines, p->samples, &out->picture, fault);
    return rc;
}

static int add_patch(const struct work *w, uint32_t n, const void *lines, const struct output *out)
{
    const struct htmt__sar_plan *p = &w->decomposition.plan;
    struct htmt__sar_image part = {htmt__sar_plan_patch(p, n).lines, p->samples,
                                   w->decomposition.single, lines};
    if (out->picture)
        htmt__sar_picture_add(out->picture, &part);
    return out->npy ? htmt__npy_append(out->npy, lines, part.lines * part.samples,
                                       htmt_task_fault(w->task))
                    : 0;
}

static int close_output(const struct work *w, struct output *out)
{
    struct htmt_fault *fault = htmt_task_fault(w->task);
    int rc = out->npy ? htmt__npy_finish(&out->npy, fault) : 0;
    return rc || !out->picture ? rc : htmt__sar_picture_write(out->picture, w->set.png, fault);
}

/* The lines go where they are gathered, a patch at a time. */
static int write_image(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    struct output out = {NULL, NULL};
    bool gathers = htmt_gathers(htmt_task_emulator(task));
    if (!w->set.out && !w->set.png)
        return 0;
    int rc = gathers ? open_output(w, &out) : 0;
    for (uint32_t n = 0; n < w->decomposition.plan.patches && !rc; n++) {
        const void *lines = NULL;
        rc = htmt__sar_program_lines(w->program, n, &lines);
        if (!rc && lines)
            rc = add_patch(w, n, lines, &out);
    }
    if (!rc)
        rc = close_output(w, &out);
    htmt__npy_abandon(&out.npy);
    htmt__sar_picture_destroy(&out.picture);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* A model of the papers' processing, without a radar of the user, has no image that is blurred. */
static void warn(struct work *w)
{
    htmt_warnings_add(htmt_task_warnings(w->task), w->in.warnings);
    if (!htmt_task_is_model(w->task) || w->set.params)
        htmt__sar_doubt_migration(&w->decomposition.plan, htmt_task_warnings(w->task));
}

static int plan(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc;
    w->task = task;
    rc = htmt__sar_settings_read(r, &w->set, fault);
    if (!rc)
        rc = htmt__sar_settings_input(r, &w->set, !htmt_task_is_model(task), &w->in, fault);
    if (!rc && w->in.raw.bytes)
        htmt_task_held(task, (double)w->in.raw.lines * (double)w->in.raw.samples *
                                 (double)htmt__sar_pair_bytes(w->in.raw.format));
    if (!rc)
        rc = htmt__sar_settings_decompose(r, htmt_task_machine(task), &w->set, &w->in,
                                          &w->decomposition, &w->costs, fault);
    if (rc)
        return rc;
    warn(w);
    htmt__sar_settings_looks(&w->in.radar, &w->set);
    if (w->set.png && !htmt_task_is_prediction(task))
        rc = htmt__sar_looks_check(&w->set.looks, w->decomposition.plan.lines,
                                   w->decomposition.plan.samples, fault);
    return rc ? rc
              : htmt__sar_predict(htmt_task_machine(task), &w->decomposition, &w->closed, fault);
}

static void name_problem(const struct work *w)
{
    char text[400];
    htmt__sar_describe(&w->decomposition, &w->in, text, sizeof text);
    htmt_task_problem(w->task, "%s", text);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    htmt_prediction_total(out, 1e-15 * (double)w->closed.total);
    htmt_prediction_flops(out, w->closed.flops);
    name_problem(w);
    return htmt__sar_tell(htmt_task_machine(task), &w->costs, &w->closed, out,
                          htmt_task_fault(task));
}

/* The place of the image, which locates a point in it. */
static void name_place(const struct htmt__sar_plan *p, struct htmt_task *task)
{
    htmt_task_note_at(task, 1,
                      "image line 0 is zero-Doppler line %" PRId64
                      " of the data, column 0 slant range "
                      "%.6f km",
                      p->first_line, 1e-3 * htmt__sar_plan_range(p, 0));
}

/* The window, and the place of the image, for programs. */
static void find_place(const struct htmt__sar_input *in, const struct htmt__sar_plan *p,
                       struct htmt_task *task)
{
    htmt_task_found(task, "window_line", in->first_line, "1");
    htmt_task_found(task, "window_lines", p->radar.lines, "1");
    htmt_task_found(task, "window_sample", in->first_sample, "1");
    htmt_task_found(task, "window_samples", p->radar.samples, "1");
    htmt_task_found(task, "image_lines", p->lines, "1");
    htmt_task_found(task, "image_columns", p->samples, "1");
    htmt_task_found(task, "first_line", (double)p->first_line, "1");
    htmt_task_found(task, "first_line_in_file", (double)p->first_line + in->first_line, "1");
    htmt_task_found(task, "first_range", htmt__sar_plan_range(p, 0), "m");
    htmt_task_found(task, "line_spacing", p->radar.velocity / p->radar.prf, "m");
    htmt_task_found(task, "column_spacing", htmt__sar_spacing(&p->radar), "m");
    htmt_task_found(task, "centroid", p->radar.centroid, "Hz");
}

/* What the data say of themselves. */
static void find_measured(const struct htmt__sar_input *in, struct htmt_task *task)
{
    htmt_task_found(task, "mean_i", in->raw.mean_i, "1");
    htmt_task_found(task, "mean_q", in->raw.mean_q, "1");
    htmt_task_found(task, "measured_mean_i", in->mean_i, "1");
    htmt_task_found(task, "measured_mean_q", in->mean_q, "1");
    htmt_task_found(task, "measured_fraction", in->doppler.fraction, "Hz");
    htmt_task_found(task, "measured_fraction_error", in->doppler.error, "Hz");
    htmt_task_found(task, "line_coherence", in->doppler.coherence, "1");
    htmt_task_found(task, "line_significance", in->doppler.significance, "1");
    if (in->ambiguity.searched)
        htmt_task_found(task, "ambiguity_margin", in->ambiguity.margin, "nat");
}

static void find(const struct work *w, struct htmt_task *task)
{
    find_place(&w->in, &w->decomposition.plan, task);
    if (w->in.measured)
        find_measured(&w->in, task);
}

static void describe(struct htmt_task *task, void *work)
{
    struct work *w = work;
    htmt_wide causes[HTMT_PATH_CAUSES] = {0};
    char kernels[64];
    htmt_task_precision(task, w->decomposition.single ? "single" : "double");
    htmt_task_flops(task, w->closed.flops);
    htmt_task_closed_form(task, w->closed.total, "steady states");
    htmt__sar_causes(htmt_task_machine(task), &w->closed, causes);
    htmt_task_closed_form_causes(task, causes);
    name_problem(w);
    htmt_task_note_at(task, 0, "%s", w->in.note);
    name_place(&w->decomposition.plan, task);
    find(w, task);
    htmt__sar_kernel_set(kernels, sizeof kernels);
    if (!htmt_task_is_model(task))
        htmt_task_kernel_set(task, kernels);
}

static void destroy(struct htmt_task *task, void *work)
{
    struct work *w = work;
    (void)task;
    htmt__sar_program_destroy(&w->program);
    htmt__sar_input_destroy(&w->in);
    for (uint32_t n = 0; w->image && n < w->decomposition.plan.patches; n++)
        free(w->image[n]);
    free(w->image);
}

static const struct htmt_app_size sizes[] = {
    {"samples", "%", "samples of a range line", 1024, 1 << 24, 1},
    {"lines", "%", "lines of the data", 512, 1 << 24, 1},
    {"patches", "%", "patches of the data", 1, 1 << 24, 1},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app = {
    HTMT_APP_BEGIN,
    .name = "sar",
    .summary = "focusing of synthetic aperture radar data",
    .options = htmt__sar_options,
    .work_bytes = sizeof(struct work),
    .plan = plan,
    .tell = tell,
    .describe = describe,
    .prepare = prepare,
    .create = create,
    .check = check_image,
    .write = write_image,
    .destroy = destroy,
    .folds = true,
    .reads_costs = true,
    .verbs = htmt__sar_verbs,
    .paper_figures = htmt__sar_paper_figures,
    .sizes = sizes,
    .outputs = (const char *const[]){"out", "png", NULL},
    .slices = htmt__sar_slices,
    .slices_why = HTMT__SAR_SLICES_WHY,
};
