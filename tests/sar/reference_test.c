/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program against its contract, computed by definition on a small scene, and against
 * itself where patches, formats and precisions must not matter.
 */
#include "apps/sar/reference.h"

#include "apps/sar/geometry.h"
#include "apps/sar/io/scene.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct htmt__sar_plan plan_for(const struct htmt__sar_problem *problem)
{
    struct htmt_fault fault = {0};
    struct htmt__sar_plan p;
    cr_assert_eq(htmt__sar_plan(problem, &p, &fault), 0, "%s", fault.text);
    return p;
}

/* The whole window full of echoes and noise. */
static struct htmt__sar_raw scene(const struct htmt__sar_radar *radar, unsigned bits)
{
    struct htmt__sar_target targets[5];
    struct htmt__sar_raw raw;
    struct htmt_fault fault = {0};
    htmt__sar_five_targets(radar, targets);
    struct htmt__sar_scene s = {.radar = *radar,
                                .target_count = 5,
                                .targets = targets,
                                .noise = 0.7,
                                .bits = bits,
                                .bias_i = 0.3,
                                .bias_q = -0.2,
                                .agc = bits ? 3 : 0,
                                .seed = 5};
    cr_assert_eq(htmt__sar_scene_make(&s, &raw, &fault), 0, "%s", fault.text);
    return raw;
}

static void *focused(const struct htmt__sar_plan *p, const struct htmt__sar_raw *raw, bool single)
{
    struct htmt_fault fault = {0};
    void *image = malloc((uint64_t)p->lines * p->samples * (single ? 8 : 16));
    cr_assert_not_null(image);
    cr_assert_eq(htmt__sar_reference(p, raw, single, image, &fault), 0, "%s", fault.text);
    return image;
}

/* ---- the contract, by definition ------------------------------------------------------------ */

static void dft(double complex *x, uint32_t n, int sign)
{
    double complex *y = calloc(n, sizeof *y), *turn = calloc(n, sizeof *turn);
    cr_assert(y && turn);
    for (uint32_t k = 0; k < n; k++)
        turn[k] = cexp(2 * M_PI * I * sign * k / n);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            y[k] += x[i] * turn[(uint64_t)i * k % n];
    memcpy(x, y, n * sizeof *x);
    free(y);
    free(turn);
}

/* I0 by its integral, mean of exp(x cos a); the trapezium rule is exact here. */
static double bessel(double x)
{
    double sum = 0;
    for (int i = 0; i < 64; i++)
        sum += exp(x * cos(2 * M_PI * i / 64)) / 64;
    return sum;
}

/* w[phase][tap]. */
static double *all_weights(void)
{
    double *w = malloc(sizeof *w * 1024 * 16);
    cr_assert_not_null(w);
    for (int p = 0; p < 1024; p++) {
        double sum = 0;
        for (int t = 0; t < 16; t++) {
            double u = t - 7 - p / 1024.0;
            w[16 * p + t] = (u == 0 ? 1 : sin(M_PI * u) / (M_PI * u)) *
                            bessel(HTMT__SAR_BETA * sqrt(1 - u * u / 64));
            sum += w[16 * p + t];
        }
        for (int t = 0; t < 16; t++)
            w[16 * p + t] /= sum;
    }
    return w;
}

static void range_line(const struct htmt__sar_plan *p, const struct htmt__sar_raw *raw,
                       uint32_t line, double complex *z)
{
    uint32_t n = p->range_length;
    double complex *h = calloc(n, sizeof *h);
    cr_assert_not_null(h);
    for (uint32_t i = 0; i < p->pulse; i++)
        h[i] = cexp(I * htmt__sar_pulse_phase(&p->radar, i));
    dft(h, n, -1);
    for (uint32_t j = 0; j < n; j++) {
        double i = 0, q = 0;
        if (j < raw->samples)
            htmt__sar_pair(raw, line, j, &i, &q);
        z[j] = j < raw->samples
                   ? (raw->gain ? raw->gain[line] : 1) * (i - raw->mean_i + I * (q - raw->mean_q))
                   : 0;
    }
    dft(z, n, -1);
    for (uint32_t k = 0; k < n; k++) {
        double g = ((double)k - (2 * k < n ? 0 : n)) * p->radar.sampling / n;
        z[k] *= conj(h[k]) * cexp(I * htmt__sar_src_phase(&p->radar, p->src_range, g)) /
                ((double)n * p->pulse);
    }
    dft(z, n, 1);
    free(h);
}

static double complex straightened(const struct htmt__sar_plan *p, const double complex *x,
                                   const double *weights, int64_t bin, uint32_t column)
{
    if (!p->rcmc)
        return x[column * p->azimuth_length + htmt__sar_plan_bin_row(p, bin)];
    struct htmt__sar_track track = htmt__sar_plan_track(p, bin);
    int64_t position = track.start + column * track.step;
    double complex sum = 0;
    for (int t = 0; t < 16; t++) {
        int64_t cell = (position >> 40) - 7 + t;
        if (cell >= 0 && cell < p->compressed)
            sum += weights[16 * ((uint64_t)position >> 30 & 1023) + (unsigned)t] *
                   x[(uint64_t)cell * p->azimuth_length + htmt__sar_plan_bin_row(p, bin)];
    }
    return sum;
}

/* Image of a plan with one patch. */
static double complex *by_definition(const struct htmt__sar_plan *p,
                                     const struct htmt__sar_raw *raw)
{
    uint32_t m = p->azimuth_length;
    struct htmt__sar_patch patch = htmt__sar_plan_patch(p, 0);
    double complex *x = calloc((uint64_t)p->compressed * m, sizeof *x);
    double complex *image = calloc((uint64_t)p->lines * p->samples, sizeof *image);
    double complex *z = calloc(p->range_length, sizeof *z), *y = calloc(m, sizeof *y);
    double *weights = all_weights();
    cr_assert(x && image && z && y);
    for (uint32_t i = 0; i < p->patch_lines; i++) {
        range_line(p, raw, i, z);
        for (uint32_t c = 0; c < p->compressed; c++)
            x[c * m + i] = z[c];
    }
    for (uint32_t c = 0; c < p->compressed; c++)
        dft(x + c * m, m, -1);
    for (uint32_t c = 0; c < p->samples; c++) {
        memset(y, 0, m * sizeof *y);
        for (int64_t bin = p->band_first; bin < p->band_first + p->band; bin++)
            y[htmt__sar_plan_bin_row(p, bin)] =
                straightened(p, x, weights, bin, c) / m *
                cexp(I * htmt__sar_azimuth_phase(&p->radar, htmt__sar_plan_range(p, c),
                                                 htmt__sar_plan_frequency(p, bin)));
        dft(y, m, 1);
        for (uint32_t i = 0; i < p->lines; i++)
            image[i * p->samples + c] = y[(patch.row + i) % m];
    }
    free(weights);
    free(x);
    free(z);
    free(y);
    return image;
}

static double complex pixel(const void *image, bool single, uint64_t i)
{
    return single ? ((const float complex *)image)[i] : ((const double complex *)image)[i];
}

/* Largest difference of two images over the largest magnitude. */
static double differs(const void *a, bool a_single, const void *b, bool b_single, uint64_t n)
{
    double most = 0, largest = 0;
    for (uint64_t i = 0; i < n; i++) {
        most = fmax(most, cabs(pixel(a, a_single, i) - pixel(b, b_single, i)));
        largest = fmax(largest, cabs(pixel(b, b_single, i)));
    }
    return most / largest;
}

static void keeps_its_contract(const struct htmt__sar_problem *q, unsigned bits)
{
    struct htmt__sar_plan p = plan_for(q);
    struct htmt__sar_raw raw = scene(&q->radar, bits);
    uint64_t n = (uint64_t)p.lines * p.samples;
    double complex *truth = by_definition(&p, &raw);
    for (int single = 0; single < 2; single++) {
        void *image = focused(&p, &raw, single);
        double worst = differs(image, single, truth, false, n);
        cr_expect_lt(worst, single ? 2e-6 : 2e-12, "%g, single %d", worst, single);
        free(image);
    }
    free(truth);
    htmt__sar_raw_destroy(&raw);
}

/* A window so small that its transforms can be done by definition. */
static struct htmt__sar_problem tiny(enum htmt__sar_rcmc rcmc)
{
    struct htmt__sar_problem q = {.rcmc = rcmc, .keep_edges = true};
    cr_assert_eq(htmt__sar_radar_named("small", &q.radar, NULL), 0);
    q.radar.lines = 41;
    q.radar.samples = 200;
    return q;
}

Test(reference, image_is_the_contract_by_definition_with_rcmc_and_without)
{
    struct htmt__sar_problem q = tiny(HTMT__RCMC_ON);
    keeps_its_contract(&q, 8);
    q = tiny(HTMT__RCMC_OFF);
    q.lengths = HTMT__FAST_LENGTH;
    q.radar.chirp_rate = -q.radar.chirp_rate;
    keeps_its_contract(&q, 0);
}

/* ---- what must not matter ------------------------------------------------------------------- */

/* The bytes as i8 and i16, and as floats. */
static struct htmt__sar_raw converted(const struct htmt__sar_raw *u8, enum htmt__sar_format format)
{
    struct htmt__sar_raw raw;
    const uint8_t *from = u8->bytes;
    cr_assert_eq(htmt__sar_raw_create(&raw, u8->lines, u8->samples, format, NULL), 0);
    for (uint64_t i = 0; i < 2 * (uint64_t)u8->lines * u8->samples; i++)
        if (format == HTMT__SAR_I8)
            ((int8_t *)raw.bytes)[i] = (int8_t)(from[i] - 128);
        else if (format == HTMT__SAR_I16)
            ((int16_t *)raw.bytes)[i] = (int16_t)(from[i] - 128);
        else
            ((float *)raw.bytes)[i] = (float)(from[i] - 128);
    raw.mean_i = u8->mean_i - 128;
    raw.mean_q = u8->mean_q - 128;
    return raw;
}

Test(reference, the_same_numbers_in_any_format_give_the_same_image)
{
    struct htmt__sar_problem q = tiny(HTMT__RCMC_AUTO);
    struct htmt__sar_plan p = plan_for(&q);
    struct htmt__sar_raw u8 = scene(&q.radar, 8);
    free(u8.gain);
    u8.gain = NULL;
    double complex *image = focused(&p, &u8, false);
    for (int format = HTMT__SAR_I8; format <= HTMT__SAR_C64; format++) {
        struct htmt__sar_raw raw = converted(&u8, (enum htmt__sar_format)format);
        double complex *other = focused(&p, &raw, false);
        cr_expect_lt(differs(other, false, image, false, (uint64_t)p.lines * p.samples), 1e-12);
        free(other);
        htmt__sar_raw_destroy(&raw);
    }
    free(image);
    htmt__sar_raw_destroy(&u8);
}

Test(reference, the_same_call_gives_the_same_bits)
{
    struct htmt__sar_problem q = tiny(HTMT__RCMC_AUTO);
    struct htmt__sar_plan p = plan_for(&q);
    struct htmt__sar_raw raw = scene(&q.radar, 8);
    for (int single = 0; single < 2; single++) {
        void *a = focused(&p, &raw, single), *b = focused(&p, &raw, single);
        cr_expect_arr_eq(a, b, (uint64_t)p.lines * p.samples * (single ? 8 : 16));
        free(a);
        free(b);
    }
    htmt__sar_raw_destroy(&raw);
}

/* Root of the sum of squares by which four patches and more differ from one, over that of the
 * image. The filter of azimuth has tails beyond the exposure, which end with a patch. */
static double seams(double amplitude, double noise)
{
    struct htmt__sar_problem q = {.rcmc = HTMT__RCMC_AUTO};
    struct htmt__sar_target five[5];
    struct htmt__sar_scene s = {.targets = five, .target_count = 5, .noise = noise, .seed = 5};
    struct htmt__sar_raw raw;
    cr_assert_eq(htmt__sar_radar_named("small", &q.radar, NULL), 0);
    q.radar.lines = 1500;
    q.radar.samples = 400;
    s.radar = q.radar;
    htmt__sar_five_targets(&q.radar, five);
    for (int k = 0; k < 5; k++)
        five[k].amplitude = amplitude;
    cr_assert_eq(htmt__sar_scene_make(&s, &raw, NULL), 0);
    struct htmt__sar_plan whole = plan_for(&q);
    q.patch_lines = 512;
    struct htmt__sar_plan strip = plan_for(&q);
    cr_assert(whole.patches == 1 && strip.patches > 3);
    cr_assert(whole.lines == strip.lines && whole.first_line == strip.first_line);
    cr_assert_eq(whole.samples, strip.samples);
    double complex *one = focused(&whole, &raw, false), *many = focused(&strip, &raw, false);
    double apart = 0, all = 0;
    for (uint64_t i = 0; i < (uint64_t)whole.lines * whole.samples; i++) {
        apart += pow(cabs(many[i] - one[i]), 2);
        all += pow(cabs(one[i]), 2);
    }
    free(one);
    free(many);
    htmt__sar_raw_destroy(&raw);
    return sqrt(apart / all);
}

/* The exposures of this radar are short; those of satellites leave 1 to 3 %. */
Test(reference, a_strip_of_patches_is_the_image_of_one_large_patch_but_for_the_filters_tails)
{
    double points = seams(1, 0), noise = seams(0, 1);
    cr_expect(points > 0.001 && points < 0.04, "%g", points);
    cr_expect(noise > 0.001 && noise < 0.06, "%g", noise);
}

Test(reference, kept_edges_lie_around_the_same_image)
{
    struct htmt__sar_problem q = {.rcmc = HTMT__RCMC_AUTO, .patch_lines = 512};
    cr_assert_eq(htmt__sar_radar_named("small", &q.radar, NULL), 0);
    q.radar.lines = 1300;
    q.radar.samples = 400;
    struct htmt__sar_raw raw = scene(&q.radar, 0);
    struct htmt__sar_plan inner = plan_for(&q);
    q.keep_edges = true;
    struct htmt__sar_plan all = plan_for(&q);
    int64_t up = inner.first_line - all.first_line, left = inner.first_cell - all.first_cell;
    cr_assert(inner.patches > 2 && all.patches > 2 && up > 0 && left == HTMT__SAR_BEFORE);
    double complex *part = focused(&inner, &raw, false), *whole = focused(&all, &raw, false);
    double complex *decomposition =
        calloc((uint64_t)inner.lines * inner.samples, sizeof *decomposition);
    cr_assert_not_null(decomposition);
    for (uint32_t i = 0; i < inner.lines; i++)
        memcpy(decomposition + i * inner.samples, whole + (i + up) * all.samples + left,
               inner.samples * sizeof *decomposition);
    double apart =
        differs(decomposition, false, part, false, (uint64_t)inner.lines * inner.samples);
    cr_expect_lt(apart, 0.02, "%g", apart);
    free(part);
    free(whole);
    free(decomposition);
    htmt__sar_raw_destroy(&raw);
}

/* A point whose exposure goes on behind the last line: what its own half of the image shows of it,
 * and what the other. */
static double leaks(enum htmt__sar_lengths lengths)
{
    struct htmt__sar_problem q = {.lengths = lengths, .keep_edges = true};
    struct htmt__sar_target target = {.line = 490, .sample = 299, .amplitude = 1};
    struct htmt__sar_scene s = {.target_count = 1, .targets = &target};
    struct htmt__sar_raw raw;
    double most[2] = {0};
    cr_assert_eq(htmt__sar_radar_named("small", &q.radar, NULL), 0);
    q.radar.lines = 500;
    q.radar.samples = 400;
    s.radar = q.radar;
    struct htmt__sar_plan p = plan_for(&q);
    cr_assert_eq(htmt__sar_scene_make(&s, &raw, NULL), 0);
    double complex *image = focused(&p, &raw, false);
    for (uint32_t i = 0; i < p.lines; i++)
        for (uint32_t c = 0; c < p.samples; c++)
            most[i > p.lines / 2] = fmax(most[i > p.lines / 2], cabs(image[i * p.samples + c]));
    free(image);
    htmt__sar_raw_destroy(&raw);
    return most[0] / most[1];
}

Test(reference, kept_edges_show_nothing_of_the_other_end_but_in_the_papers_rule)
{
    cr_expect_lt(leaks(HTMT__FAST_LENGTH), 0.003);
    cr_expect_gt(leaks(HTMT__POWER_OF_TWO), 0.02);
}

Test(reference, raw_data_of_another_size_is_refused)
{
    struct htmt__sar_problem q = tiny(HTMT__RCMC_AUTO);
    struct htmt__sar_plan p = plan_for(&q);
    struct htmt__sar_raw raw = scene(&q.radar, 8);
    struct htmt_fault fault = {0};
    raw.lines--;
    cr_expect_eq(htmt__sar_reference(&p, &raw, false, NULL, &fault), HTMT_EINVAL);
    cr_expect(strstr(fault.text, "found raw data of 40 lines"), "%s", fault.text);
    raw.lines++;
    htmt__sar_raw_destroy(&raw);
}
