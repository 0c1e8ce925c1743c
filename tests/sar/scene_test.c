/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/scene.h"

#include "apps/fft/complex.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct htmt__sar_radar radar(const char *name)
{
    struct htmt__sar_radar r;
    cr_assert_eq(htmt__sar_radar_named(name, &r, NULL), 0);
    return r;
}

static struct htmt__sar_raw make(const struct htmt__sar_scene *s)
{
    struct htmt__sar_raw raw = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__sar_scene_make(s, &raw, &fault), 0, "%s", fault.text);
    return raw;
}

static double complex sample(const struct htmt__sar_raw *raw, uint32_t line, uint32_t j)
{
    double i, q;
    htmt__sar_pair(raw, line, j, &i, &q);
    return raw->gain[line] * CMPLX(i - raw->mean_i, q - raw->mean_q);
}

/* The signal model of radar.h, term by term; 0 where no echo is. */
static double complex model(const struct htmt__sar_radar *r, const struct htmt__sar_truth *t,
                            uint32_t line, uint32_t j)
{
    double away = r->velocity * (line - t->zero_doppler) / r->prf;
    double range = sqrt(t->range * t->range + away * away);
    double u = 2 * (r->near_range - range) / 299792458.0 + j / r->sampling, v = u - r->pulse / 2;
    if (line < t->first || line > t->last || u < 0 || u >= r->pulse)
        return 0;
    return cexp(-I * 4 * M_PI * r->carrier / 299792458.0 * range) *
           cexp(I * M_PI * r->chirp_rate * v * v);
}

static double worst_difference(const char *name, double line, double column)
{
    struct htmt__sar_target target = {.line = line, .sample = column, .amplitude = 1};
    struct htmt__sar_scene s = {.radar = radar(name), .target_count = 1, .targets = &target};
    s.radar.lines = 300;
    s.radar.samples = 1500;
    struct htmt__sar_truth truth;
    htmt__sar_target_truth(&s.radar, &target, &truth);
    struct htmt__sar_raw raw = make(&s);
    double worst = 0;
    for (uint32_t n = 0; n < s.radar.lines; n++)
        for (uint32_t j = 0; j < s.radar.samples; j++)
            worst = fmax(worst, cabs(sample(&raw, n, j) - model(&s.radar, &truth, n, j)));
    htmt__sar_raw_destroy(&raw);
    return worst;
}

/* Floats hold seven digits; the edges of pulse and exposure agree to the sample. */
Test(scene, every_sample_follows_the_formula)
{
    cr_expect_lt(worst_difference("ers", 120, 300.37), 2e-7);
    cr_expect_lt(worst_difference("radarsat", 150.5, 20), 2e-7);
    cr_expect_lt(worst_difference("small", 150.25, 700.5), 2e-7);
}

/* Phase step from line to line where the beam's centre passes: 2 pi centroid / prf. Taken over
 * columns on both sides of the pulse's middle, so that the chirp's own steps cancel. */
Test(scene, a_target_has_the_centroid_where_the_beam_passes_it)
{
    struct htmt__sar_target target = {.line = 150.5, .sample = 20, .amplitude = 1};
    struct htmt__sar_scene s = {.radar = radar("radarsat"), .target_count = 1, .targets = &target};
    s.radar.lines = 300;
    s.radar.samples = 1500;
    struct htmt__sar_raw raw = make(&s);
    double complex sum = 0;
    for (uint32_t j = 580; j < 980; j++)
        sum += conj(sample(&raw, 150, j)) * sample(&raw, 151, j);
    double turns = s.radar.centroid / s.radar.prf;
    cr_expect_float_eq(carg(sum), 2 * M_PI * (turns - round(turns)), 1e-3);
    htmt__sar_raw_destroy(&raw);
}

/* Doppler frequency is -2/lambda dR/dt: at both ends of the exposure half the band off. */
Test(scene, exposure_ends_half_the_band_from_the_centroid)
{
    struct htmt__sar_radar r = radar("radarsat");
    struct htmt__sar_target target = {.line = 1000, .sample = 1000, .amplitude = 1};
    struct htmt__sar_truth t;
    htmt__sar_target_truth(&r, &target, &t);
    double lambda = 299792458.0 / r.carrier, at[] = {t.first, target.line, t.last}, f[3];
    for (int k = 0; k < 3; k++) {
        double x = r.velocity * (at[k] - t.zero_doppler) / r.prf;
        f[k] = -2 / lambda * r.velocity * x / sqrt(t.range * t.range + x * x);
    }
    cr_expect_float_eq(f[0], -6500, 1e-6);
    cr_expect_float_eq(f[1], -7000, 1e-6);
    cr_expect_float_eq(f[2], -7500, 1e-6);
    cr_expect_lt(t.zero_doppler, t.first, "the point is behind a beam that looks back");
}

static double power(const struct htmt__sar_raw *raw)
{
    double sum = 0;
    for (uint32_t n = 0; n < raw->lines; n++)
        for (uint32_t j = 0; j < raw->samples; j++)
            sum += pow(cabs(sample(raw, n, j)), 2);
    return sum / ((double)raw->lines * raw->samples);
}

static double below(double x)
{
    return erfc(-x / M_SQRT2) / 2;
}

/* Power of unit complex noise after a quantiser of that many codes, by their probabilities. */
static double quantised_power(unsigned bits, double step)
{
    double middle = ((1 << bits) - 1) / 2.0, sum = 0;
    for (int c = 0; c < 1 << bits; c++) {
        double low = c ? (c - middle - 0.5) * step * M_SQRT2 : -40;
        double high = c + 1 < 1 << bits ? (c - middle + 0.5) * step * M_SQRT2 : 40;
        sum += 2 * pow((c - middle) * step, 2) * (below(high) - below(low));
    }
    return sum;
}

/* 400,000 samples: the mean power has a deviation of 0.16 %. */
Test(scene, noise_has_its_power_through_every_quantiser)
{
    for (unsigned bits = 0; bits <= 8; bits += 2) {
        struct htmt__sar_scene s = {.radar = radar("small"), .noise = 1, .bits = bits, .seed = 7};
        s.radar.lines = 400;
        s.radar.samples = 1000;
        struct htmt__sar_raw raw = make(&s);
        double expected = bits ? quantised_power(bits, raw.gain[0]) : 1;
        cr_expect_float_eq(power(&raw), expected, 0.006, "%u bits: %g, %g", bits, power(&raw),
                           expected);
        htmt__sar_raw_destroy(&raw);
    }
}

Test(scene, codes_stay_within_their_bits_and_have_the_stated_mean)
{
    struct htmt__sar_scene s = {.radar = radar("small"), .noise = 1, .seed = 1, .bits = 5};
    s.bias_i = 0.4;
    s.bias_q = -1.25;
    s.level = 5;
    struct htmt__sar_raw raw = make(&s);
    const uint8_t *code = raw.bytes;
    for (size_t k = 0; k < 2 * (size_t)raw.lines * raw.samples; k++)
        cr_assert_leq(code[k], 31);
    double i, q;
    htmt__sar_raw_measure_mean(&raw, &i, &q);
    cr_expect_float_eq(raw.mean_i, 15.9, 1e-12);
    cr_expect_float_eq(i, raw.mean_i, 0.03);
    cr_expect_float_eq(q, raw.mean_q, 0.03);
    htmt__sar_raw_destroy(&raw);
}

Test(scene, gains_undo_the_receiver)
{
    struct htmt__sar_scene s = {.radar = radar("small"), .noise = 1, .seed = 3, .agc = 3};
    struct htmt__sar_raw steady, stepped = make(&s);
    s.agc = 0;
    steady = make(&s);
    cr_expect_float_eq(stepped.gain[200], pow(10, 0.45), 1e-12);
    for (uint32_t n = 0; n < s.radar.lines; n += 37)
        for (uint32_t j = 0; j < s.radar.samples; j++)
            cr_assert_lt(cabs(sample(&steady, n, j) - sample(&stepped, n, j)), 1e-6);
    htmt__sar_raw_destroy(&steady);
    htmt__sar_raw_destroy(&stepped);
}

Test(scene, one_seed_is_one_scene)
{
    struct htmt__sar_scene s = {.radar = radar("small"), .noise = 1, .bits = 8, .seed = 3};
    struct htmt__sar_raw a = make(&s), b = make(&s), c;
    size_t bytes = 2 * (size_t)a.lines * a.samples;
    cr_expect_eq(memcmp(a.bytes, b.bytes, bytes), 0);
    s.seed = 4;
    c = make(&s);
    cr_expect_neq(memcmp(a.bytes, c.bytes, bytes), 0);
    htmt__sar_raw_destroy(&a);
    htmt__sar_raw_destroy(&b);
    htmt__sar_raw_destroy(&c);
}

/* For every radar at hand. */
Test(scene, five_targets_have_all_their_echoes_in_the_data)
{
    static const char *const names[] = {"ers", "radarsat", "small"};
    for (int r = 0; r < 3; r++) {
        struct htmt__sar_radar set = radar(names[r]);
        struct htmt__sar_target target[5];
        htmt__sar_five_targets(&set, target);
        for (int k = 0; k < 5; k++) {
            struct htmt__sar_truth t;
            htmt__sar_target_truth(&set, &target[k], &t);
            double far = fmax(fabs(t.first - t.zero_doppler), fabs(t.last - t.zero_doppler));
            double range = hypot(t.range, set.velocity * far / set.prf);
            double end =
                (range - set.near_range) / htmt__sar_spacing(&set) + set.pulse * set.sampling;
            cr_expect_geq(target[k].sample, 0);
            cr_expect_lt(end, set.samples, "%s %d: %g", names[r], k, end);
            cr_expect_geq(t.first, -1, "%s %d: %g", names[r], k, t.first);
            cr_expect_lt(t.last, set.lines + 1, "%s %d: %g", names[r], k, t.last);
        }
    }
}

Test(scene, an_unknown_radar_is_refused)
{
    struct htmt__sar_radar r;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__sar_radar_named("sentinel", &r, &fault), HTMT_ENOENT);
    cr_expect_str_eq(fault.text, "no radar 'sentinel', expected one of 'ers', 'radarsat', 'small'");
}

/* Noise, echoes, quantiser and gains; the last lines are fewer than a thread takes. */
Test(scene, threads_change_no_bit)
{
    struct htmt__sar_target target = {.line = 40, .sample = 100, .amplitude = 1};
    struct htmt__sar_scene s = {.radar = radar("small"),
                                .target_count = 1,
                                .targets = &target,
                                .noise = 1,
                                .bits = 8,
                                .agc = 3,
                                .seed = 5};
    s.radar.lines = 299;
    s.radar.samples = 500;
    struct htmt__sar_raw one = make(&s);
    for (s.threads = 1; s.threads <= 3; s.threads++) {
        struct htmt__sar_raw several = make(&s);
        cr_expect_eq(memcmp(one.bytes, several.bytes, (size_t)2 * 299 * 500), 0);
        cr_expect_eq(memcmp(one.gain, several.gain, 299 * sizeof *one.gain), 0);
        htmt__sar_raw_destroy(&several);
    }
    htmt__sar_raw_destroy(&one);
}
