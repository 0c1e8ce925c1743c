/* SPDX-License-Identifier: BSD-3-Clause
 *
 * SAR focusing as an application: input, set-up, emulation, check, output.
 */
#include "apps/lib/steps.h"

#include "apps/formats/npy.h"
#include "apps/lib/execution.h"
#include "apps/lib/gather.h"
#include "apps/sar/check.h"
#include "apps/sar/closed_form.h"
#include "apps/sar/program.h"
#include "apps/sar/settings.h"
#include "apps/sar/survey.h"
#include "runtime/base/wide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct htmt_task *task;
    enum htmt_execution execution;
    struct htmt__sar_settings set;
    struct htmt__sar_input in;
    struct htmt__sar_costs costs;
    struct htmt__sar_decomposition decomposition;
    struct htmt__sar_prediction closed;
    void **image; /* of each patch, its lines; NULL: its slice is not here; NULL in a model */
    struct htmt__sar_program *program;
};

/* Bytes of the lines of the image that a patch gives. */
static double lines_bytes(const struct htmt__sar_decomposition *c, uint32_t n)
{
    return (double)htmt__sar_plan_patch(&c->plan, n).lines * c->plan.samples * c->point;
}

static bool patch_here(const struct htmt_emulator *e, uint32_t n)
{
    return htmt_slice_here(e, n % htmt_emulator_slices(e));
}

/* ---- plan ----------------------------------------------------------------------------------- */

#define OFFERS                                                                                     \
    (HTMT_EXECUTION_FORM(HTMT_EXECUTION_SERIAL) | HTMT_EXECUTION_FORM(HTMT_EXECUTION_MPP))

static int plan(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt_request *r = htmt_task_request(task);
    struct htmt_fault *fault = htmt_task_fault(task);
    int rc;
    w->task = task;
    rc = htmt__sar_settings_read(r, &w->set, fault);
    rc = rc ? rc : htmt_execution_read(task, OFFERS, &w->execution);
    const bool parcels = w->execution == HTMT_EXECUTION_HTMT;
    if (!rc)
        rc = htmt__sar_settings_input(r, &w->set, !htmt_task_is_model(task), &w->in, fault);
    if (!rc && w->in.raw.bytes)
        htmt_task_held(task, (double)w->in.raw.lines * (double)w->in.raw.samples *
                                 (double)htmt__sar_pair_bytes(w->in.raw.format));
    if (!rc)
        rc = htmt__sar_settings_decompose(r, parcels ? htmt_task_machine(task) : NULL, &w->set,
                                          &w->in, &w->decomposition, &w->costs, fault);
    if (rc || !parcels)
        return rc;
    /* a model of the papers' processing, without a radar of the user, has no image to be blurred */
    htmt_warnings_add(htmt_task_warnings(task), w->in.warnings);
    if (!htmt_task_is_model(task) || w->set.params)
        htmt__sar_doubt_migration(&w->decomposition.plan, htmt_task_warnings(task));
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

/* The SPELL's work for the patches of the fullest slice; the rest is waiting for words. */
static void tell_parts(const struct work *w, struct htmt_prediction *out)
{
    static const char *const moves[] = {"Read Patch, phase", "Write Patch, phase", "phases", NULL};
    const uint64_t rounds =
        htmt_ceil_div(w->decomposition.patches, htmt_task_machine(w->task)->slices);
    const char *const names[HTMT_PARTS] = {
        "SPELL", rounds > 1 ? "period" : htmt__largest_term(out, moves), "none"};
    htmt_prediction_parts(out, 1e-15 * (double)w->closed.work * (double)rounds, 0, names);
}

static int tell(struct htmt_task *task, void *work, struct htmt_prediction *out)
{
    struct work *w = work;
    if (w->execution != HTMT_EXECUTION_HTMT) {
        name_problem(w);
        return w->execution == HTMT_EXECUTION_SERIAL
                   ? htmt__sar_serial(task, &w->decomposition, out)
                   : htmt__sar_mpp(task, &w->decomposition, out);
    }
    htmt_prediction_total_fs(out, w->closed.total);
    htmt_prediction_flops(out, w->closed.flops);
    name_problem(w);
    int rc =
        htmt__sar_tell(htmt_task_machine(task), &w->costs, &w->closed, out, htmt_task_fault(task));
    tell_parts(w, out);
    return rc;
}

struct figure {
    const char *name;
    double value;
    const char *unit;
};

static void tell_figures(struct htmt_task *task, const struct figure *f, size_t count)
{
    for (size_t i = 0; i < count; i++)
        htmt_task_found(task, f[i].name, f[i].value, f[i].unit);
}

/* The window, the place of the image, which locates a point in it, and what the data say of
 * themselves. */
static void find(const struct work *w, struct htmt_task *task)
{
    const struct htmt__sar_input *in = &w->in;
    const struct htmt__sar_plan *p = &w->decomposition.plan;
    const struct figure place[] = {
        {"window_line", in->first_line, "1"},
        {"window_lines", p->radar.lines, "1"},
        {"window_sample", in->first_sample, "1"},
        {"window_samples", p->radar.samples, "1"},
        {"image_lines", p->lines, "1"},
        {"image_columns", p->samples, "1"},
        {"first_line", (double)p->first_line, "1"},
        {"first_line_in_file", (double)p->first_line + in->first_line, "1"},
        {"first_range", htmt__sar_plan_range(p, 0), "m"},
        {"line_spacing", p->radar.velocity / p->radar.prf, "m"},
        {"column_spacing", htmt__sar_spacing(&p->radar), "m"},
        {"centroid", p->radar.centroid, "Hz"},
    };
    const struct figure measured[] = {
        {"mean_i", in->raw.mean_i, "1"},
        {"mean_q", in->raw.mean_q, "1"},
        {"measured_mean_i", in->mean_i, "1"},
        {"measured_mean_q", in->mean_q, "1"},
        {"measured_fraction", in->doppler.fraction, "Hz"},
        {"measured_fraction_error", in->doppler.error, "Hz"},
        {"line_coherence", in->doppler.coherence, "1"},
        {"line_significance", in->doppler.significance, "1"},
    };
    tell_figures(task, place, sizeof place / sizeof *place);
    if (in->measured)
        tell_figures(task, measured, sizeof measured / sizeof *measured);
    if (in->raw.of_file)
        htmt_task_found(task, "missing_lines", in->raw.missing, "1");
    if (in->raw.shift_least || in->raw.shift_most) {
        htmt_task_found(task, "window_start_least", (double)in->raw.shift_least, "1");
        htmt_task_found(task, "window_start_most", (double)in->raw.shift_most, "1");
    }
    if (in->measured && in->ambiguity.searched)
        htmt_task_found(task, "ambiguity_margin", in->ambiguity.margin, "nat");
}

static void describe(struct htmt_task *task, void *work)
{
    struct work *w = work;
    const struct htmt__sar_plan *p = &w->decomposition.plan;
    htmt_wide causes[HTMT_PATH_CAUSES] = {0};
    char kernels[64];
    htmt_task_precision(task, w->decomposition.single ? "single" : "double");
    htmt_task_flops(task, w->closed.flops);
    htmt_task_closed_form(task, w->closed.total, "steady states");
    htmt__sar_causes(htmt_task_machine(task), &w->closed, causes);
    htmt_task_closed_form_causes(task, causes);
    name_problem(w);
    htmt_task_note_at(task, 0, "%s", w->in.note);
    htmt_task_note_at(task, 1,
                      "image line 0 is zero-Doppler line %" PRId64
                      " of the data, column 0 slant range "
                      "%.6f km",
                      p->first_line, 1e-3 * htmt__sar_plan_range(p, 0));
    if (*w->in.moved)
        htmt_task_note_at(task, 2, "%s", w->in.moved);
    find(w, task);
    htmt__sar_kernel_set(kernels, sizeof kernels);
    if (!htmt_task_is_model(task))
        htmt_task_kernel_set(task, kernels);
}

/* Patches are independent. One process that plays a run on one thread keeps all slices busy at
 * once; otherwise slices need not wait for each other. Slices are alike if all have the same number
 * of equal patches. */
static int prepare(struct htmt_task *task, void *work, struct htmt_options *options)
{
    const struct htmt__sar_decomposition *c = &((const struct work *)work)->decomposition;
    const uint32_t slices = htmt_task_machine(task)->slices;
    bool many = options->clock_threads > 1 || htmt_request_ranks(htmt_task_request(task)) > 1;
    if ((htmt_task_is_model(task) || many) && options->symmetry == HTMT_NO_SYMMETRY)
        options->symmetry = HTMT_INDEPENDENT;
    if (options->symmetry != HTMT_FOLDED || (c->plan.patches == 1 && c->patches % slices == 0))
        return 0;
    return htmt_fault_set(htmt_task_fault(task), HTMT_EUSAGE,
                          "--fold: found %u patches on %u slices%s, expected the same number of "
                          "equal patches on each",
                          c->patches, slices,
                          c->plan.patches > 1 ? ", cut out of longer data" : "");
}

/* ---- set-up --------------------------------------------------------------------------------- */

/* Refuse what this host cannot hold: raw data, the image's lines that are here, its picture, and
 * either the frames of the slices that are here or the check. A slice without patches never touches
 * its frames. The check runs after the frames are freed; it needs the image again, a patch as
 * workspace, and its threads the blocks of hardly more than another one. */
static int check_host(const struct work *w, const struct htmt_emulator *e)
{
    const struct htmt__sar_decomposition *c = &w->decomposition;
    const double patch = (double)c->rows * c->cells;
    const double straight = (double)c->plan.band * c->straight_cells;
    const double frame = c->point * (c->frames * patch + (c->plan.rcmc ? straight : 0));
    double slices = htmt_slices_here(e, (uint32_t)htmt_least(c->patches, htmt_emulator_slices(e)));
    double raw = (double)htmt__sar_raw_bytes(c, c->plan.radar.lines), image = 0, picture = 0;
    for (uint32_t n = 0; n < c->plan.patches; n++)
        image += patch_here(e, n) ? lines_bytes(c, n) : 0;
    if (w->set.png && htmt_gathers(e))
        picture = htmt__sar_picture_bytes(&w->set.looks, c->plan.lines, c->plan.samples);
    double frames = slices * frame;
    double check = w->set.check ? image + 2.0 * c->rows * c->cells * c->point : 0;
    double all = raw + image + picture + (frames > check ? frames : check);
    return htmt_task_fits(w->task, all,
                          "raw data %.2f GiB + image %.2f GiB + %.0f slices x %.2f GiB, or a "
                          "check of %.2f GiB,",
                          raw / HTMT_GIB, (image + picture) / HTMT_GIB, slices, frame / HTMT_GIB,
                          check / HTMT_GIB);
}

/* Memory of the image. The measurements of the step plan need all raw data; after them the lines
 * that no patch here takes are given back. */
static int make_data(struct work *w, const struct htmt_emulator *e)
{
    const struct htmt__sar_decomposition *c = &w->decomposition;
    int rc = check_host(w, e);
    if (rc)
        return rc;
    bool whole = (w->image = calloc(c->plan.patches, sizeof *w->image));
    for (uint32_t n = 0; n < c->plan.patches && whole; n++) {
        size_t bytes = (size_t)lines_bytes(c, n);
        if (patch_here(e, n))
            whole = (w->image[n] = malloc(bytes));
    }
    if (!whole)
        return htmt_fault_set(htmt_task_fault(w->task), HTMT_ENOMEM,
                              "no host memory for the image");
    if (htmt_has_all(e))
        return 0;
    uint32_t kept = 0;
    for (uint32_t n = 0; n < c->plan.patches; n++) {
        uint32_t first = htmt__sar_plan_patch(&c->plan, n).first;
        if (!patch_here(e, n))
            continue;
        if (first > kept)
            htmt__sar_raw_forget(&w->in.raw, kept, first);
        kept = first + c->plan.patch_lines;
    }
    if (c->plan.radar.lines > kept)
        htmt__sar_raw_forget(&w->in.raw, kept, c->plan.radar.lines);
    return 0;
}

static unsigned threads_of(const struct work *w)
{
    return htmt_request_threads(htmt_task_request(w->task));
}

static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    bool model = htmt_task_is_model(task);
    int rc = model ? 0 : make_data(w, e);
    struct htmt__sar_data data = {model ? NULL : &w->in.raw, w->image,
                                  htmt_request_sections(htmt_task_request(task)), threads_of(w)};
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
    int rc = htmt__sar_check(htmt_task_emulator(task), &c->plan, &w->in.raw, c->single,
                             threads_of(w), w->image, &check, htmt_task_fault(task));
    if (!rc)
        htmt_task_checked(task, "difference from the serial program", check.value, check.tolerance,
                          check.pass);
    return rc;
}

/* The lines go where they are gathered, a patch at a time. */
static int write_image(struct htmt_task *task, void *work)
{
    const struct work *w = work;
    const struct htmt__sar_plan *p = &w->decomposition.plan;
    struct htmt_fault *fault = htmt_task_fault(task);
    struct htmt__sar_image image = {p->lines, p->samples, w->decomposition.single, NULL};
    struct htmt__npy *npy = NULL;
    struct htmt__sar_picture *picture = NULL;
    if (!w->set.out && !w->set.png)
        return 0;
    const bool here = htmt_gathers(htmt_task_emulator(task));
    int rc = 0;
    if (here && w->set.out)
        rc = htmt__sar_image_create(w->set.out, &image, &npy, fault);
    if (!rc && here && w->set.png)
        rc = htmt__sar_picture_create(&w->set.looks, p->lines, p->samples, &picture, fault);
    for (uint32_t n = 0; n < p->patches && !rc; n++) {
        const void *lines = NULL;
        rc = htmt__sar_program_lines(w->program, n, &lines);
        if (rc || !lines)
            continue;
        struct htmt__sar_image part = {htmt__sar_plan_patch(p, n).lines, p->samples,
                                       w->decomposition.single, lines};
        if (picture)
            htmt__sar_picture_add(picture, &part);
        if (npy)
            rc = htmt__npy_append(npy, lines, part.lines * part.samples, fault);
    }
    if (!rc && npy)
        rc = htmt__npy_finish(&npy, fault);
    if (!rc && picture)
        rc = htmt__sar_picture_write(picture, w->set.png, fault);
    htmt__npy_abandon(&npy);
    htmt__sar_picture_destroy(&picture);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

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
    .ranks = true,
    .reads_costs = true,
    .verbs = htmt__sar_verbs,
    .paper_figures = htmt__sar_paper_figures,
    .sizes = sizes,
    .outputs = (const char *const[]){"out", "png", NULL},
    .slices = htmt__sar_slices,
    .slices_why = HTMT__SAR_SLICES_WHY,
};
