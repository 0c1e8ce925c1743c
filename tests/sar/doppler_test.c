/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/scene.h"
#include "apps/sar/survey.h"

#include <criterion/criterion.h>
#include <math.h>

enum { LINES = 900, SAMPLES = 1800, POINTS = 60 };

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
    struct htmt__sar_doppler d;
    double prf = scene->radar.prf;
    cr_assert_eq(htmt__sar_scene_make(scene, &raw, &fault), 0, "%s", fault.text);
    if (forget_mean)
        raw.mean_i = raw.mean_q = 0;
    else
        htmt__sar_raw_measure_mean(&raw, &raw.mean_i, &raw.mean_q);
    cr_assert_eq(htmt__sar_doppler_measure(&raw, prf, &d, &fault), 0, "%s", fault.text);
    htmt__sar_raw_destroy(&raw);
    return htmt__sar_doppler_fold(d.fraction - scene->radar.centroid, prf);
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
    double middle = SAMPLES / 2;
    struct htmt__sar_doppler d;
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
    cr_assert_eq(htmt__sar_doppler_measure(&half[0], 1679.902, &d, NULL), 0);
    cr_expect(d.rise_known);
    cr_expect_float_eq(d.rise, 200, 20, "%g", d.rise);
    cr_expect_float_eq(d.fraction, 200, 20, "%g", d.fraction);
    htmt__sar_raw_destroy(&half[0]);
    htmt__sar_raw_destroy(&half[1]);
}

/* Independent lines and samples, uniform from -1 to 1. */
static struct htmt__sar_raw noise_of(uint32_t lines, uint32_t samples, uint64_t state)
{
    struct htmt__sar_raw raw = {0};
    cr_assert_eq(htmt__sar_raw_create(&raw, lines, samples, HTMT__SAR_C64, NULL), 0);
    for (size_t k = 0; k < 2 * (size_t)lines * samples; k++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        ((float *)raw.bytes)[k] = (float)((double)(state >> 33) / 0x1p30 - 1);
    }
    return raw;
}

/* Rayleigh's distribution: the mean of the square is 1. */
Test(doppler, noise_has_the_significance_of_nothing)
{
    double squares = 0, most = 0;
    struct htmt__sar_doppler d;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct htmt__sar_raw raw = noise_of(20, 300, 77 * seed);
        cr_assert_eq(htmt__sar_doppler_measure(&raw, 1000, &d, NULL), 0);
        squares += d.significance * d.significance;
        most = fmax(most, d.significance);
        cr_expect(!d.rise_known);
        htmt__sar_raw_destroy(&raw);
    }
    cr_expect_float_eq(squares / 200, 1, 0.25, "%g", squares / 200);
    cr_expect_lt(most, 4, "%g", most);
}

/* Lines that differ by noise of half their power, and turn by a quarter of a circle. */
Test(doppler, coherence_and_standard_error_are_those_of_the_lines)
{
    double squares = 0;
    struct htmt__sar_doppler d;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct htmt__sar_raw raw = noise_of(20, 300, seed), line = noise_of(1, 300, seed + 1000);
        float *z = raw.bytes, *s = line.bytes;
        for (uint32_t n = 0; n < 20; n++)
            for (uint32_t j = 0; j < 300; j++) {
                double turn = n * M_PI / 2, re = (double)s[2 * j], im = (double)s[2 * j + 1];
                size_t at = 2 * ((size_t)n * 300 + j);
                z[at] += (float)(re * cos(turn) - im * sin(turn));
                z[at + 1] += (float)(re * sin(turn) + im * cos(turn));
            }
        cr_assert_eq(htmt__sar_doppler_measure(&raw, 1000, &d, NULL), 0);
        cr_expect_float_eq(d.coherence, 0.5, 0.05, "%g", d.coherence);
        cr_expect_gt(d.significance, HTMT__SAR_SIGNIFICANT);
        squares += pow((d.fraction - 250) / d.error, 2);
        htmt__sar_raw_destroy(&raw);
        htmt__sar_raw_destroy(&line);
    }
    cr_expect_lt(squares / 100, 1.5, "the error is not understated: %g", squares / 100);
}

Test(doppler, lines_without_a_signal_have_no_significance)
{
    struct htmt__sar_raw raw = {0};
    struct htmt__sar_doppler d = {.fraction = 7};
    cr_assert_eq(htmt__sar_raw_create(&raw, 4, 8, HTMT__SAR_I8, NULL), 0);
    cr_assert_eq(htmt__sar_doppler_measure(&raw, 1000, &d, NULL), 0);
    cr_expect(d.fraction == 0 && d.significance == 0 && d.coherence == 0 && d.error == 1000);
    htmt__sar_raw_destroy(&raw);
}
