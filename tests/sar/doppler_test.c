/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/doppler.h"
#include "apps/sar/io/scene.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 900, SAMPLES = 1800, POINTS = 60 };

static double fold(double f, double prf)
{
    return f - prf * round(f / prf);
}

/* Points all over the range, exposed all over the data, so that every Doppler frequency of the band
 * is as often in it as every other. */
static void spread(const struct htmt__sar_radar *r, struct htmt__sar_target targets[POINTS])
{
    uint64_t state = 12345;
    for (int k = 0; k < POINTS; k++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double u = (double)(state >> 33) / 0x1p31;
        targets[k] = (struct htmt__sar_target){.line = k * (double)r->lines / POINTS,
                                               .sample = u * (r->samples - 400) - 100,
                                               .amplitude = 1,
                                               .phase = 7 * u};
    }
}

static struct htmt__sar_radar squinted(double centroid)
{
    struct htmt__sar_radar r;
    cr_assert_eq(htmt__sar_radar_named("small", &r, NULL), 0);
    r.lines = LINES;
    r.samples = SAMPLES;
    r.chirp_rate = -r.chirp_rate;
    r.centroid = centroid;
    return r;
}

static double error_of(const struct htmt__sar_scene *scene, bool forget_mean)
{
    struct htmt__sar_raw raw = {0};
    struct htmt_fault fault = {0};
    double fraction = NAN, rise, prf = scene->radar.prf;
    cr_assert_eq(htmt__sar_scene_make(scene, &raw, &fault), 0, "%s", fault.text);
    if (forget_mean)
        raw.mean_i = raw.mean_q = 0;
    else
        htmt__sar_raw_measure_mean(&raw, &raw.mean_i, &raw.mean_q);
    cr_assert_eq(htmt__sar_doppler_fraction(&raw, prf, &fraction, &rise, &fault), 0, "%s",
                 fault.text);
    htmt__sar_raw_destroy(&raw);
    return fold(fraction - scene->radar.centroid, prf);
}

Test(doppler, fraction_of_noiseless_points_is_the_centroids)
{
    struct htmt__sar_target targets[POINTS];
    for (double centroid = -7000; centroid < 1000; centroid += 1390) {
        struct htmt__sar_scene s = {
            .radar = squinted(centroid), .targets = targets, .target_count = POINTS};
        spread(&s.radar, targets);
        cr_expect_lt(fabs(error_of(&s, false)), 0.01 * s.radar.prf, "%g: %g Hz", centroid,
                     error_of(&s, false));
    }
}

/* As from a real squinted radar: four bits, noise, a mean and a receiver that turns its gain. */
Test(doppler, four_bits_noise_mean_and_gain_steps_keep_it)
{
    struct htmt__sar_target targets[POINTS];
    struct htmt__sar_scene s = {.radar = squinted(-7000),
                                .targets = targets,
                                .target_count = POINTS,
                                .noise = 2,
                                .bits = 4,
                                .bias_i = 0.3,
                                .bias_q = -0.2,
                                .agc = 3,
                                .seed = 5};
    spread(&s.radar, targets);
    cr_expect_lt(fabs(error_of(&s, false)), 0.02 * s.radar.prf, "%g Hz", error_of(&s, false));
}

Test(doppler, a_mean_left_in_draws_the_estimate_to_zero)
{
    struct htmt__sar_target targets[POINTS];
    struct htmt__sar_scene s = {
        .radar = squinted(500), .targets = targets, .target_count = POINTS, .bits = 8};
    spread(&s.radar, targets);
    cr_expect_float_eq(error_of(&s, true), -500, 50);
}

/* Echoes of the near half from one squint, those of the far half from another. */
Test(doppler, a_centroid_that_rises_with_range_is_found)
{
    struct htmt__sar_target targets[POINTS];
    struct htmt__sar_raw half[2] = {0};
    double fraction, rise, middle = SAMPLES / 2;
    for (int h = 0; h < 2; h++) {
        struct htmt__sar_scene s = {
            .radar = squinted(h ? 300 : 100), .targets = targets, .target_count = POINTS};
        spread(&s.radar, targets);
        for (int k = 0; k < POINTS; k++)
            targets[k].sample = h * middle + (middle - 160) * (k * 37 % POINTS) / POINTS;
        cr_assert_eq(htmt__sar_scene_make(&s, &half[h], NULL), 0);
    }
    for (size_t k = 0; k < 2 * (size_t)LINES * SAMPLES; k++)
        ((float *)half[0].bytes)[k] += ((float *)half[1].bytes)[k];
    cr_assert_eq(htmt__sar_doppler_fraction(&half[0], 1679.902, &fraction, &rise, NULL), 0);
    cr_expect_float_eq(rise, 200, 20, "%g", rise);
    cr_expect_float_eq(fraction, 200, 20, "%g", fraction);
    htmt__sar_raw_destroy(&half[0]);
    htmt__sar_raw_destroy(&half[1]);
}

/* Many points everywhere, a narrow beam: neighbouring lines are much alike. */
static int search(uint32_t points, double noise, double *ambiguity, struct htmt_fault *fault)
{
    struct htmt__sar_target *targets = calloc(points, sizeof *targets);
    struct htmt__sar_raw raw = {0};
    struct htmt__sar_scene s = {.radar = squinted(-7000),
                                .targets = targets,
                                .target_count = points,
                                .noise = noise,
                                .bits = 8,
                                .seed = 2};
    double fraction, rise;
    s.radar.bandwidth = 500;
    s.radar.lines = 2 * LINES;
    htmt__sar_scatter(&s.radar, 1, points, targets);
    cr_assert_eq(htmt__sar_scene_make(&s, &raw, fault), 0, "%s", fault->text);
    cr_assert_eq(htmt__sar_doppler_fraction(&raw, s.radar.prf, &fraction, &rise, fault), 0);
    int rc = htmt__sar_doppler_ambiguity(&raw, &s.radar, fraction, ambiguity, fault);
    htmt__sar_raw_destroy(&raw);
    free(targets);
    return rc;
}

Test(doppler, ambiguity_of_an_even_scene_is_found)
{
    struct htmt_fault fault = {0};
    double ambiguity = 0;
    cr_expect_eq(search(4000, 0.3, &ambiguity, &fault), 0, "%s", fault.text);
    cr_expect_eq(ambiguity, -4);
}

Test(doppler, ambiguity_that_cannot_be_found_is_refused)
{
    struct htmt_fault fault = {0};
    double ambiguity = 77;
    cr_expect_eq(search(10, 4, &ambiguity, &fault), HTMT_EFORMAT);
    cr_expect_not_null(strstr(fault.text, "give its number"), "%s", fault.text);
    cr_expect_eq(ambiguity, 77);
}

Test(doppler, lines_without_a_signal_are_refused)
{
    struct htmt__sar_raw raw = {0};
    struct htmt_fault fault = {0};
    double fraction = 7, rise = 8;
    cr_assert_eq(htmt__sar_raw_create(&raw, 4, 8, HTMT__SAR_I8, &fault), 0);
    cr_expect_eq(htmt__sar_doppler_fraction(&raw, 1000, &fraction, &rise, &fault), HTMT_EFORMAT);
    cr_expect_str_eq(fault.text,
                     "the lines do not correlate: no Doppler centroid can be estimated");
    cr_expect(fraction == 7 && rise == 8);
    htmt__sar_raw_destroy(&raw);
}
