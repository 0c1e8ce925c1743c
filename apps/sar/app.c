/* SPDX-License-Identifier: BSD-3-Clause
 *
 * SAR focusing as an application: input, set-up, emulation, check, output.
 */
#include "apps/app.h"

#include "apps/lap.h"
#include "apps/sar/check.h"
#include "apps/sar/closed_form.h"
#include "apps/sar/program.h"
#include "apps/sar/scene_verb.h"
#include "apps/sar/settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct work {
    const struct htmt_request *request;
    struct htmt__sar_settings set;
    struct htmt__sar_input in;
    struct htmt_machine machine;
    struct htmt__sar_costs costs;
    struct htmt__sar_cut cut;
    struct htmt__sar_prediction closed;
    void *image; /* NULL in a model */
    struct htmt__sar_program *program;
    struct htmt_outcome *out;
    struct htmt_fault *fault;
};

static bool is_model(const struct work *w)
{
    return w->request->emulator.mode == HTMT_MODEL;
}

/* ---- does it fit the host? ------------------------------------------------------------------ */

static double image_bytes(const struct htmt__sar_cut *c)
{
    return (double)c->plan.lines * c->plan.samples * c->point;
}

/* Frames of a slice; none of a slice without patch is ever touched. */
static double frame_bytes(const struct htmt__sar_cut *c)
{
    double patch = (double)c->rows * c->cells, straight = (double)c->plan.band * c->straight_cells;
    return c->point * (c->frames * patch + (c->plan.rcmc ? straight : 0));
}

/* The check comes when the frames are gone: another image, and a patch to work in. */
static double check_bytes(const struct htmt__sar_cut *c)
{
    return image_bytes(c) + 2.0 * c->rows * c->cells * c->point;
}

static int check_host(const struct work *w)
{
    const struct htmt__sar_cut *c = &w->cut;
    double gib = 1024.0 * 1024 * 1024;
    double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double slices = c->patches < w->machine.slices ? c->patches : w->machine.slices;
    double raw = (double)htmt__sar_raw_bytes(c, c->plan.radar.lines), image = image_bytes(c);
    double frames = slices * frame_bytes(c), check = w->set.check ? check_bytes(c) : 0;
    double all = raw + image + (frames > check ? frames : check);
    if (all <= has)
        return 0;
    return htmt_fault_set(w->fault, HTMT_EHOSTFIT,
                          "raw data %.2f GiB + image %.2f GiB + %.0f slices x %.2f GiB, or a check "
                          "of %.2f GiB, = %.2f GiB, the host has %.2f GiB; `htmt model` needs no "
                          "data",
                          raw / gib, image / gib, slices, frame_bytes(c) / gib, check / gib,
                          all / gib, has / gib);
}

/* ---- emulation ------------------------------------------------------------------------------ */

static int prepare(struct work *w)
{
    if (is_model(w))
        return 0;
    size_t bytes = (size_t)image_bytes(&w->cut);
    w->image = malloc(bytes);
    if (!w->image)
        return htmt_fault_set(w->fault, HTMT_ENOMEM, "no host memory for the image");
    memset(w->image, 0, bytes); /* the host's pages: now, not while the emulation is timed */
    return 0;
}

/* Patches do not know of each other, so slices need not be played at once; they are alike when all
 * have as many of one kind. */
static int promise(const struct work *w, struct htmt_options *options)
{
    const struct htmt__sar_cut *c = &w->cut;
    if (is_model(w) && options->symmetry == HTMT_NO_SYMMETRY)
        options->symmetry = HTMT_INDEPENDENT;
    if (options->symmetry != HTMT_FOLDED ||
        (c->plan.patches == 1 && c->patches % w->machine.slices == 0))
        return 0;
    return htmt_fault_set(w->fault, HTMT_EUSAGE,
                          "--fold: found %u patches on %u slices%s, expected the same number of "
                          "equal patches on each",
                          c->patches, w->machine.slices,
                          c->plan.patches > 1 ? ", cut out of longer data" : "");
}

static int emulate(struct work *w, double *since)
{
    struct htmt_options options = w->request->emulator;
    int rc = promise(w, &options);
    if (!rc)
        rc = prepare(w);
    if (rc)
        return rc;
    struct htmt__sar_data data = {is_model(w) ? NULL : &w->in.raw, w->image};
    if ((rc = htmt_emulator_create(&w->out->emulator, &options)))
        return htmt_fault_set(w->fault, rc, "cannot create the emulator: %s", htmt_strerror(rc));
    rc = htmt__sar_program_create(w->out->emulator, &w->cut, &data, &w->program, w->fault);
    w->out->wall.setup_s = htmt__lap(since);
    if (rc)
        return rc;
    rc = htmt_emulator_run(w->out->emulator);
    w->out->wall.emulate_s = htmt__lap(since);
    if (rc)
        htmt_fault_set(w->fault, rc, "%s", htmt_emulator_fault(w->out->emulator)->text);
    return rc;
}

/* ---- check and output ----------------------------------------------------------------------- */

static int check_image(struct work *w)
{
    struct htmt__sar_check check;
    if (is_model(w) || !w->set.check)
        return 0;
    htmt__sar_program_release(w->program);
    int rc = htmt__sar_check(&w->cut.plan, &w->in.raw, w->cut.single, w->image, &check, w->fault);
    if (rc)
        return rc;
    snprintf(w->out->check.name, sizeof w->out->check.name, "difference from the serial program");
    w->out->check.value = check.value;
    w->out->check.tolerance = check.tolerance;
    w->out->correct = check.pass;
    return 0;
}

static int write_image(struct work *w)
{
    struct htmt__sar_image image = {.lines = w->cut.plan.lines,
                                    .samples = w->cut.plan.samples,
                                    .single = w->cut.single,
                                    .at = w->image};
    int rc = 0;
    if (is_model(w))
        return 0;
    if (w->set.out)
        rc = htmt__sar_image_write(w->set.out, &image, w->fault);
    if (!rc && w->set.png)
        rc = htmt__sar_picture_write(w->set.png, &image, &w->set.looks, w->fault);
    return rc;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int input(struct work *w)
{
    int rc = htmt__sar_settings_read(w->request, &w->set, w->fault);
    if (!rc)
        rc = htmt__sar_settings_input(w->request, &w->set, !is_model(w), &w->in, w->fault);
    if (!rc)
        rc = htmt__sar_settings_cut(w->request, &w->set, &w->in, &w->machine, &w->cut, &w->costs,
                                    w->fault);
    if (!rc && w->set.png)
        rc = htmt__sar_looks_check(&w->set.looks, w->cut.plan.lines, w->cut.plan.samples, w->fault);
    if (!rc)
        rc = htmt__sar_predict(&w->machine, &w->cut, &w->costs, &w->closed, w->fault);
    return rc || is_model(w) ? rc : check_host(w);
}

/* Where the image lies, for who wants to find a point in it. */
static void name_place(const struct htmt__sar_plan *p, struct htmt_outcome *out)
{
    snprintf(out->notes[2], sizeof out->notes[2],
             "image line 0 is zero-Doppler line %" PRId64 " of the data, column 0 slant range "
             "%.6f km",
             p->first_line, 1e-3 * htmt__sar_plan_range(p, 0));
}

static void describe(struct work *w)
{
    struct htmt_outcome *out = w->out;
    out->precision = w->cut.single ? "single" : "double";
    out->flops = w->closed.flops;
    out->closed_form_s = 1e-15 * (double)w->closed.total;
    snprintf(out->closed_form_name, sizeof out->closed_form_name, "steady states");
    htmt__sar_describe(&w->cut, &w->in, out->problem, sizeof out->problem);
    for (int i = 0; i < 2; i++)
        snprintf(out->notes[i], sizeof out->notes[i], "%s", w->in.notes[i]);
    name_place(&w->cut.plan, out);
    if (is_model(w))
        snprintf(out->kernel_set, sizeof out->kernel_set, "none");
    else
        htmt__sar_kernel_set(out->kernel_set, sizeof out->kernel_set);
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
    rc = check_image(w);
    w->out->wall.check_s = htmt__lap(&since);
    if (!rc)
        rc = write_image(w);
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
    htmt__sar_program_destroy(&w.program);
    htmt__sar_input_destroy(&w.in);
    free(w.image);
    return rc;
}

static const struct htmt_app_size sizes[] = {
    {"samples", "%", "samples of a range line", 1024, 1 << 24, 1},
    {"lines", "%", "lines of the data", 512, 1 << 24, 1},
    {NULL, NULL, NULL, 0, 0, 0},
};

const struct htmt_app htmt_app_sar = {
    .name = "sar",
    .summary = "focusing of synthetic aperture radar data",
    .options = htmt__sar_options,
    .run = run,
    .predict = htmt__sar_app_predict,
    .reads_costs = true,
    .folds = true,
    .verbs = htmt__sar_verbs,
    .claims = htmt__sar_claims,
    .sizes = sizes,
};
