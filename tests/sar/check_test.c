/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/scene.h"
#include "tests/sar/focus.h"

static struct htmt__sar_check check_on(unsigned threads, const struct focused *f,
                                       const struct htmt__sar_input *in)
{
    struct htmt__sar_check c;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_check(NULL, &f->decomposition.plan, &in->raw, f->decomposition.single,
                                 threads, f->place, &c, &fault),
                 0, "%s", fault.text);
    return c;
}

static struct htmt__sar_check check(const struct focused *f, const struct htmt__sar_input *in)
{
    return check_on(1, f, in);
}

/* The image of the serial program itself has the difference 0 if each thread finds its bits. */
Test(check, threads_find_the_bits_of_one)
{
    struct htmt__sar_input in = focus_input(400, 512);
    for (int single = 0; single < 2; single++) {
        struct focus f = {.lengths = HTMT__FAST_LENGTH, .single = single};
        struct focused out = focus(&f, &in);
        const double value = check(&out, &in).value;
        cr_expect_gt(value, 0);
        for (unsigned threads = 2; threads <= 3; threads++)
            cr_expect_eq(check_on(threads, &out, &in).value, value);
        struct htmt_fault fault = {0};
        cr_assert_eq(
            htmt__sar_reference(&out.decomposition.plan, &in.raw, single, out.image, &fault), 0,
            "%s", fault.text);
        for (unsigned threads = 1; threads <= 3; threads++)
            cr_expect_eq(check_on(threads, &out, &in).value, 0, "%u threads", threads);
        focus_free(&out);
    }
    htmt__sar_input_destroy(&in);
}

Test(check, one_wrong_pixel_of_noise_is_found)
{
    struct htmt__sar_input in = focus_input(400, 512);
    for (int single = 0; single < 2; single++) {
        struct focus f = {.lengths = HTMT__FAST_LENGTH, .single = single};
        struct focused out = focus(&f, &in);
        size_t n = focus_numbers(&out);
        cr_expect(check(&out, &in).pass);
        for (size_t i = 1; i < n; i += n / 3) {
            double *d = out.image;
            float *s = out.image, kept_s = s[i];
            double kept = single ? 0 : d[i];
            if (single)
                s[i] *= 1.5f;
            else
                d[i] *= 1.5;
            cr_expect_not(check(&out, &in).pass, "number %zu, single %d", i, single);
            if (single)
                s[i] = kept_s;
            else
                d[i] = kept;
        }
        focus_free(&out);
    }
    htmt__sar_input_destroy(&in);
}

Test(check, what_is_no_number_is_wrong)
{
    struct htmt__sar_input in = focus_input(320, 300);
    struct focused out = focus(&(struct focus){0}, &in);
    ((double *)out.image)[7] = NAN;
    cr_expect_not(check(&out, &in).pass);
    focus_free(&out);
    htmt__sar_input_destroy(&in);
}

/* All energy is focused beside the image, which has far sidelobes only. */
Test(check, a_point_beside_the_image_is_no_reason_to_fail)
{
    struct htmt__sar_input in = {0};
    struct htmt_fault fault = {0};
    struct htmt__sar_target target = {.line = 20, .sample = 30, .amplitude = 1000};
    cr_assert_eq(htmt__sar_radar_named("small", &in.radar, &fault), 0);
    in.radar.lines = 400;
    in.radar.samples = 500;
    struct htmt__sar_scene scene = {.radar = in.radar, .targets = &target, .target_count = 1};
    cr_assert_eq(htmt__sar_scene_make(&scene, &in.raw, &fault), 0, "%s", fault.text);
    struct focused out = focus(&(struct focus){.lengths = HTMT__FAST_LENGTH}, &in);
    cr_expect(check(&out, &in).pass);
    cr_expect_gt(focus_difference(&out, &in, true), focus_difference(&out, &in, false));
    focus_free(&out);
    htmt__sar_input_destroy(&in);
}

/* A line that two patches take counts twice. */
Test(check, the_scale_counts_each_patch)
{
    struct htmt__sar_input in = focus_input(640, 300);
    memset(in.raw.bytes, 0, 640 * 300 * 2); /* less the mean, all points are the same */
    struct focus one = {.keep_edges = true}, many = {.keep_edges = true, .patch_lines = 300};
    struct htmt_machine *m = focus_machine(&one);
    struct htmt__sar_decomposition whole = focus_decomposition(&one, m, &in),
                                   decomposition = focus_decomposition(&many, m, &in);
    double ratio =
        htmt__sar_scale(&decomposition.plan, &in.raw) / htmt__sar_scale(&whole.plan, &in.raw);
    double lines = (double)decomposition.plan.patches * decomposition.plan.patch_lines / 640;
    cr_expect_float_eq(ratio * ratio, lines, 1e-9 * lines);
    htmt_machine_destroy(&m);
    htmt__sar_input_destroy(&in);
}
