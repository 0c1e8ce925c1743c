/* SPDX-License-Identifier: BSD-3-Clause */
/* Class: unit threads. */
#include "apps/sar/closed_form.h"
#include "tests/runtime/share.h"
#include "tests/sar/focus.h"

static void expect_near(struct focus f, const struct htmt__sar_input *in)
{
    struct focused out = focus(&f, in);
    double apart = focus_difference(&out, in, false);
    double tolerance = htmt__sar_tolerance(&out.decomposition.plan, f.single);
    cr_expect_leq(apart, tolerance, "%g of %g; rcmc %d, single %d, edges %d, %u patches", apart,
                  tolerance, out.decomposition.plan.rcmc, f.single, f.keep_edges,
                  out.decomposition.patches);
    cr_expect_gt(apart, 0, "two programs, yet the same roundings?");
    focus_free(&out);
}

static void expect_near_in_both(struct focus f, const struct htmt__sar_input *in)
{
    f.single = false;
    expect_near(f, in);
    f.single = true;
    expect_near(f, in);
}

Test(program, focuses_as_the_serial_program_does)
{
    struct htmt__sar_input in = focus_input(400, 512);
    for (int rcmc = HTMT__RCMC_ON; rcmc <= HTMT__RCMC_OFF; rcmc++)
        for (int lengths = HTMT__POWER_OF_TWO; lengths <= HTMT__FAST_LENGTH; lengths++)
            for (int edges = 0; edges < (only_memory() ? 1 : 2); edges++)
                expect_near_in_both((struct focus){.rcmc = (enum htmt__sar_rcmc)rcmc,
                                                   .lengths = (enum htmt__sar_lengths)lengths,
                                                   .keep_edges = edges},
                                    &in);
    htmt__sar_input_destroy(&in);
}

/* The scale of the check is what such an image has: it hides nothing. */
Test(program, the_scale_of_the_check_is_the_size_of_an_image_of_noise)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    struct htmt__sar_input in = focus_input(512, 1024);
    for (int edges = 0; edges < 2; edges++) {
        struct focus f = {.lengths = HTMT__FAST_LENGTH, .keep_edges = edges};
        struct focused out = focus(&f, &in);
        double ratio = focus_difference(&out, &in, false) / focus_difference(&out, &in, true);
        cr_expect(ratio > 0.3 && ratio < 1.1, "%g", ratio);
        focus_free(&out);
    }
    htmt__sar_input_destroy(&in);
}

Test(program, focuses_odd_sizes)
{
    struct htmt__sar_input in = focus_input(331, 487);
    expect_near_in_both((struct focus){.lengths = HTMT__FAST_LENGTH}, &in);
    expect_near_in_both((struct focus){.lengths = HTMT__POWER_OF_TWO, .rcmc = HTMT__RCMC_OFF}, &in);
    htmt__sar_input_destroy(&in);
}

Test(program, focuses_floats_with_gains_and_a_mean)
{
    struct htmt__sar_input in = focus_input(300, 400), floats = in;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_raw_create(&floats.raw, 300, 400, HTMT__SAR_C64, &fault), 0);
    floats.raw.gain = calloc(300, sizeof(double));
    floats.raw.mean_i = 0.25;
    floats.raw.mean_q = -1;
    for (uint32_t i = 0; i < 300; i++) {
        floats.raw.gain[i] = 1 + i % 7;
        for (uint32_t j = 0; j < 400; j++) {
            double re, im;
            htmt__sar_pair(&in.raw, i, j, &re, &im);
            float *to = (float *)floats.raw.bytes + 2 * ((size_t)i * 400 + j);
            to[0] = (float)re;
            to[1] = (float)im;
        }
    }
    expect_near_in_both((struct focus){.lengths = HTMT__FAST_LENGTH}, &floats);
    floats.warnings = NULL; /* belong to `in` */
    htmt__sar_input_destroy(&floats);
    htmt__sar_input_destroy(&in);
}

/* Every line has its own gain, so a patch that took another's would show. */
Test(program, joins_patches_of_several_slices)
{
    struct htmt__sar_input in = focus_input(640, 400);
    for (uint32_t i = 0; i < 640; i++)
        in.raw.gain[i] = 1 + i % 7;
    for (uint32_t slices = only_memory() ? 5 : 1; slices <= 5; slices += 2)
        for (int edges = 0; edges < 2; edges++)
            expect_near_in_both((struct focus){.lengths = HTMT__FAST_LENGTH,
                                               .patch_lines = 300,
                                               .keep_edges = edges,
                                               .slices = slices},
                                &in);
    htmt__sar_input_destroy(&in);
}

/* ---- determinism ---------------------------------------------------------------------------- */

static void expect_same(struct focus f, const struct focused *as, const struct htmt__sar_input *in)
{
    struct focused out = focus(&f, in);
    cr_expect_eq(out.predicted, as->predicted);
    cr_expect_eq(out.hash, as->hash);
    if (out.image)
        cr_expect_arr_eq(out.image, as->image, focus_numbers(as) * as->decomposition.point / 2,
                         "%u threads, seed %d, checked %d", f.threads, (int)f.delay_seed,
                         f.checked);
    focus_free(&out);
}

static void expect_same_whoever_runs(struct focus f, const struct htmt__sar_input *in)
{
    struct focused one = focus(&f, in);
    for (f.threads = 2; f.threads <= 4; f.threads++)
        expect_same(f, &one, in);
    f.threads = 2;
    f.checked = true;
    expect_same(f, &one, in);
    f.checked = false;
    f.delay_seed = 3;
    expect_same(f, &one, in);
    f.mode = HTMT_MODEL;
    expect_same(f, &one, in);
    focus_free(&one);
}

Test(program, the_same_bits_and_times_for_any_threads_and_in_a_model)
{
    struct htmt__sar_input in = focus_input(320, 256);
    struct focus f = {.lengths = HTMT__FAST_LENGTH, .patch_lines = 256, .slices = 2};
    expect_same_whoever_runs(f, &in);
    f.rcmc = HTMT__RCMC_OFF;
    f.single = true;
    f.slices = 1;
    expect_same_whoever_runs(f, &in);
    htmt__sar_input_destroy(&in);
}

/* Lines leave one after another when there is no room for two: later, but the same. */
Test(program, small_memories_change_the_time_and_not_the_image)
{
    struct htmt__sar_input in = focus_input(320, 400);
    struct focus f = {.lengths = HTMT__FAST_LENGTH, .rcmc = HTMT__RCMC_OFF};
    struct focused wide = focus(&f, &in);
    f.set[0] = "layers.cram.memory.capacity=2600 words";
    f.set[1] = "layers.sram.memory.capacity=2000 words";
    struct focused narrow = focus(&f, &in);
    cr_expect_gt(narrow.predicted, wide.predicted);
    cr_expect_arr_eq(narrow.image, wide.image, focus_numbers(&wide) * sizeof(double));
    focus_free(&narrow);
    focus_free(&wide);
    htmt__sar_input_destroy(&in);
}

/* ---- what is charged ------------------------------------------------------------------------ */

static struct htmt_phase_report phase_of(const struct htmt_emulator *e, const char *type,
                                         enum htmt_stage_id stage)
{
    struct htmt_phase_report r = {0}, none = {0};
    for (uint32_t i = 0; i < htmt_phase_count(e); i++) {
        cr_assert_eq(htmt_phase_at(e, i, &r), 0);
        if (!strcmp(r.type, type) && r.stage == stage)
            return r;
    }
    return none;
}

static uint64_t words_of(const struct focused *f, enum htmt__sar_stage s, enum htmt_stage_id stage)
{
    return (uint64_t)phase_of(f->emulator, htmt__sar_stage_name(s), stage).words;
}

static void expect_loads(const struct focused *f, enum htmt__sar_stage s)
{
    struct htmt__sar_load sum = {0};
    bool strip = s == HTMT__SAR_READ || s == HTMT__SAR_WRITE;
    for (uint32_t i = 0; i < htmt__sar_parcels(&f->decomposition, s, 0); i++) {
        struct htmt__sar_load l = htmt__sar_load(&f->decomposition, s, 0, i);
        sum.into_dram += l.into_dram;
        sum.into_sram += l.into_sram;
        sum.into_cram += l.into_cram;
        sum.out_of_cram += l.out_of_cram;
        sum.out_of_sram += l.out_of_sram;
        sum.out_of_dram += l.out_of_dram;
    }
    cr_expect_eq(words_of(f, s, HTMT_GATHER), sum.into_sram, "%s", htmt__sar_stage_name(s));
    cr_expect_eq(words_of(f, s, HTMT_INJECT), strip ? sum.into_dram : sum.into_cram, "%s",
                 htmt__sar_stage_name(s));
    cr_expect_eq(words_of(f, s, HTMT_EJECT), strip ? sum.out_of_dram : sum.out_of_cram, "%s",
                 htmt__sar_stage_name(s));
    cr_expect_eq(words_of(f, s, HTMT_SCATTER), sum.out_of_sram, "%s", htmt__sar_stage_name(s));
}

Test(program, parcels_move_the_words_that_the_closed_form_counts)
{
    struct htmt__sar_input in = focus_input(320, 400);
    for (int rcmc = HTMT__RCMC_ON; rcmc <= HTMT__RCMC_OFF; rcmc++)
        for (int file = 0; file < 2; file++) {
            struct focus f = {.mode = HTMT_MODEL,
                              .lengths = HTMT__POWER_OF_TWO,
                              .rcmc = (enum htmt__sar_rcmc)rcmc,
                              .charges = {.from_file = file, .channel_words = 1}};
            struct focused out = focus(&f, &in);
            for (unsigned s = 0; s < HTMT__SAR_STAGES; s++)
                expect_loads(&out, (enum htmt__sar_stage)s);
            focus_free(&out);
        }
    htmt__sar_input_destroy(&in);
}

static double flop_of(const struct focused *f, const char *type)
{
    return (double)phase_of(f->emulator, type, HTMT_EXECUTE).ops[HTMT_FLOP];
}

static double transform(double n)
{
    return 5 * n * log2(n);
}

/* The kernels count what they do; the formulas of their comments, for all parcels of a type. */
Test(program, kernels_count_the_operations_of_their_contracts)
{
    struct htmt__sar_input in = focus_input(320, 400);
    struct focus f = {.lengths = HTMT__POWER_OF_TWO};
    struct focused out = focus(&f, &in);
    const struct htmt__sar_plan *p = &out.decomposition.plan;
    double n = 512, m = 512, phasor = 37, lines = 320, columns = p->samples, band = p->band;
    cr_expect_float_eq(flop_of(&out, "Range Line"), lines * (2 * transform(n) + 6 * n), 1);
    cr_expect_float_eq(flop_of(&out, "Range Reference"),
                       p->pulse * (4 + phasor) + transform(n) + n * (12 + phasor), 1);
    cr_expect_float_eq(flop_of(&out, "Azimuth FFT"), p->compressed * transform(m), 1);
    cr_expect_float_eq(flop_of(&out, "Migration"), band * columns * 16 * 4, 0);
    cr_expect_float_eq(flop_of(&out, "Azimuth Focus"),
                       columns * (transform(m) + band * (9 + phasor)), 1);
    cr_expect_float_eq(flop_of(&out, "Azimuth Reference"), 16 * band, 0);
    cr_expect_float_eq(flop_of(&out, "Read Patch"), 6.0 * 320 * 400, 0);
    focus_free(&out);
    htmt__sar_input_destroy(&in);
}

/* ---- steady states -------------------------------------------------------------------------- */

struct span { /* of the stage that is watched */
    enum htmt_stage_id first_stage, last_stage;
    uint32_t skip, gathers, scatters, parcels;
    double first_end, last_end;
};

/* Ends of gathers and scatters: a signal is a put, so these are the lines' alone. */
static void watch(void *user, const struct htmt_event *event)
{
    struct span *s = user;
    if (event->stage == HTMT_GATHER && s->gathers++ == s->skip)
        s->first_end = (double)event->time;
    if (event->stage == HTMT_SCATTER && s->scatters++ < s->skip + s->parcels)
        s->last_end = (double)event->time;
}

static void expect_steady(const char *machine, enum htmt__sar_stage stage, uint32_t skip)
{
    struct htmt__sar_input in = focus_input(512, 1024);
    struct span span = {.skip = skip};
    struct htmt__sar_prediction *p = malloc(sizeof *p);
    struct focus f = {.machine = machine,
                      .mode = HTMT_MODEL,
                      .lengths = HTMT__POWER_OF_TWO,
                      .rcmc = HTMT__RCMC_OFF,
                      .keep_edges = true,
                      .observe = watch,
                      .user = &span};
    struct htmt_machine *m = focus_machine(&f);
    struct htmt__sar_decomposition decomposition = focus_decomposition(&f, m, &in);
    span.parcels = htmt__sar_parcels(&decomposition, stage, 0);
    cr_assert_eq(htmt__sar_predict(m, &decomposition, p, NULL), 0);
    struct focused out = focus(&f, &in);
    const struct htmt__sar_phase *h = &p->phase[stage];
    double takes = span.last_end - span.first_end + (double)h->gather +
                   (double)m->network[decomposition.vortex].latency;
    cr_expect_float_eq(takes, (double)h->takes, 1e-3 * (double)h->takes,
                       "%s on %s: %.6g ms, steady state %.6g ms", htmt__sar_stage_name(stage),
                       machine, takes * 1e-12, (double)h->takes * 1e-12);
    cr_expect_eq(h->takes, h->fill_and_drain + (h->parcels - 1) * h->bottleneck);
    focus_free(&out);
    htmt_machine_destroy(&m);
    free(p);
    htmt__sar_input_destroy(&in);
}

Test(program, range_and_azimuth_lines_are_steady_states)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    static const char *const machines[] = {"hereld-tables", "htmt-oct98"};
    for (int i = 0; i < 2; i++) {
        expect_steady(machines[i], HTMT__SAR_RANGE, 0);
        expect_steady(machines[i], HTMT__SAR_AZIMUTH, 512);
    }
}

/* ---- overlap -------------------------------------------------------------------------------- */

static htmt_time makespan(uint32_t patches)
{
    struct htmt__sar_input in = focus_input(512, 1024);
    struct focus f = {.mode = HTMT_MODEL, .lengths = HTMT__POWER_OF_TWO, .patches = patches};
    f.keep_edges = true;
    struct focused out = focus(&f, &in);
    htmt_time t = out.predicted;
    focus_free(&out);
    htmt__sar_input_destroy(&in);
    return t;
}

Test(program, a_patch_is_read_and_written_while_others_are_at_the_spell)
{
    htmt_time one = makespan(1), two = makespan(2), three = makespan(3);
    cr_expect_lt(two, 2 * one);
    cr_expect_lt(three - two, one);
}
