/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests of the parcel program: a scene, its plan, and the images of both programs.
 */
#ifndef HTMT_TESTS_SAR_FOCUS_H
#define HTMT_TESTS_SAR_FOCUS_H

#include "apps/sar/check.h"
#include "apps/sar/decomposition.h"
#include "apps/sar/input.h"
#include "apps/sar/program.h"
#include "apps/sar/reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct focus {
    const char *machine;
    const char *set[8]; /* overrides */
    uint32_t slices, threads, lines, samples, patch_lines;
    enum htmt__sar_rcmc rcmc;
    enum htmt__sar_lengths lengths;
    bool single, keep_edges, checked;
    enum htmt_mode mode;
    uint64_t delay_seed;
    struct htmt__sar_charges charges;
    uint32_t patches;
    void (*observe)(void *user, const struct htmt_event *event);
    void *user;
};

struct focused {
    struct htmt__sar_decomposition decomposition;
    void *image;  /* NULL: a model */
    void **place; /* of each patch */
    htmt_time predicted;
    uint64_t hash;
    struct htmt_emulator *emulator;
    struct htmt__sar_program *program;
    struct htmt_machine *machine;
};

static inline struct htmt__sar_decomposition focus_decomposition(const struct focus *f,
                                                                 const struct htmt_machine *m,
                                                                 const struct htmt__sar_input *in)
{
    struct htmt__sar_problem problem = {in->radar, f->patch_lines, f->rcmc, f->lengths,
                                        f->keep_edges};
    struct htmt_fault fault = {0};
    struct htmt__sar_plan plan;
    struct htmt__sar_decomposition decomposition;
    cr_assert_eq(htmt__sar_plan(&problem, &plan, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__sar_decomposition(m, &plan, f->single, in->raw.format, &f->charges,
                                         f->patches, &decomposition, &fault),
                 0, "%s", fault.text);
    return decomposition;
}

static inline struct htmt_machine *focus_machine(const struct focus *f)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    unsigned count = 0;
    while (count < 8 && f->set[count])
        count++;
    cr_assert_eq(
        htmt_machine_load(f->machine ? f->machine : "htmt-oct98", f->set, count, &m, &fault), 0,
        "%s", fault.text);
    m->slices = f->slices ? f->slices : 1;
    return m;
}

/* The scene of a run without files. */
static inline struct htmt__sar_input focus_input(uint32_t lines, uint32_t samples)
{
    struct htmt__sar_input in;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_input_default(lines, samples, 1, 1, &in, &fault), 0, "%s", fault.text);
    return in;
}

/* The caller frees everything with focus_free(). */
static inline struct focused focus(const struct focus *f, const struct htmt__sar_input *in)
{
    struct focused out = {.machine = focus_machine(f)};
    struct htmt_fault fault = {0};
    struct htmt__sar_data data = {0};
    struct htmt_options options = {.machine = out.machine,
                                   .slices = f->slices,
                                   .threads = f->threads,
                                   .mode = f->mode,
                                   .checked = f->checked,
                                   .delay_seed = f->delay_seed,
                                   .observe = f->observe,
                                   .user = f->user};
    out.decomposition = focus_decomposition(f, out.machine, in);
    if (f->mode == HTMT_RUN) {
        data.raw = &in->raw;
        out.image = calloc((size_t)out.decomposition.plan.lines * out.decomposition.plan.samples,
                           out.decomposition.point);
        data.image = out.place =
            htmt__sar_reference_places(&out.decomposition.plan, f->single, out.image);
    }
    cr_assert_eq(htmt_emulator_create(&out.emulator, &options, NULL), 0);
    cr_assert_eq(
        htmt__sar_program_create(out.emulator, &out.decomposition, &data, &out.program, &fault), 0,
        "%s", fault.text);
    int rc = htmt_emulator_run(out.emulator);
    cr_assert_eq(rc, 0, "%s", htmt_emulator_fault(out.emulator)->text);
    cr_expect_eq(htmt_audit(out.emulator, &fault), 0, "%s", fault.text);
    out.predicted = htmt_predicted(out.emulator);
    out.hash = htmt_history_hash(out.emulator);
    return out;
}

static inline void focus_free(struct focused *f)
{
    htmt_emulator_destroy(&f->emulator);
    htmt__sar_program_destroy(&f->program);
    htmt_machine_destroy(&f->machine);
    free(f->image);
    free(f->place);
}

static inline size_t focus_numbers(const struct focused *f)
{
    return 2 * (size_t)f->decomposition.plan.lines * f->decomposition.plan.samples;
}

/* Root of the sum of squares of the differences from the serial program's image, over the scale of
 * the check, or over the image's own size. */
static inline double focus_difference(const struct focused *f, const struct htmt__sar_input *in,
                                      bool own)
{
    struct htmt_fault fault = {0};
    size_t n = focus_numbers(f);
    void *image = calloc(n, f->decomposition.point / 2);
    double all = 0, apart = 0;
    cr_assert_eq(htmt__sar_reference(&f->decomposition.plan, &in->raw, f->decomposition.single,
                                     image, &fault),
                 0, "%s", fault.text);
    for (size_t i = 0; i < n; i++) {
        double a =
            f->decomposition.single ? (double)((float *)f->image)[i] : ((double *)f->image)[i];
        double b = f->decomposition.single ? (double)((float *)image)[i] : ((double *)image)[i];
        all += b * b;
        apart += (a - b) * (a - b);
    }
    free(image);
    return sqrt(apart) / (own ? sqrt(all) : htmt__sar_scale(&f->decomposition.plan, &in->raw));
}

#endif
