/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/doppler.h"

#include "apps/lib/fft.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sum of conj(a) b with separate real and imaginary parts: the loop avoids the NaN rules of complex
 * products. */
static double complex correlate(const double complex *a, const double complex *b, uint32_t n)
{
    double re = 0, im = 0;
    for (uint32_t k = 0; k < n; k++) {
        re += creal(a[k]) * creal(b[k]) + cimag(a[k]) * cimag(b[k]);
        im += creal(a[k]) * cimag(b[k]) - cimag(a[k]) * creal(b[k]);
    }
    return CMPLX(re, im);
}

/* Samples of a block. Noise of a receiver is correlated over a few. */
#define BLOCK 64

/* Over a half of the samples: sum of the correlation, of its squared absolute value by blocks, and
 * of the power of the lines. */
struct half {
    double complex sum;
    double square, power;
};

static void add_half(const double complex *a, const double complex *b, uint32_t n, struct half *h)
{
    for (uint32_t from = 0; from < n; from += BLOCK) {
        uint32_t count = n - from < BLOCK ? n - from : BLOCK;
        double complex c = correlate(a + from, b + from, count);
        h->sum += c;
        h->square += creal(c) * creal(c) + cimag(c) * cimag(c);
        h->power += creal(correlate(b + from, b + from, count));
    }
}

static void correlate_lines(const struct htmt__sar_raw *raw, double complex *line[2],
                            struct half half[2])
{
    uint32_t near = raw->samples / 2;
    htmt__sar_raw_line(raw, 0, line[0]);
    for (uint32_t n = 1; n < raw->lines; n++) {
        const double complex *a = line[(n - 1) % 2], *b = line[n % 2];
        htmt__sar_raw_line(raw, n, line[n % 2]);
        add_half(a, b, near, &half[0]);
        add_half(a + near, b + near, raw->samples - near, &half[1]);
    }
}

static bool significant(const struct half *h)
{
    return cabs(h->sum) > HTMT__SAR_SIGNIFICANT * sqrt(h->square);
}

static struct htmt__sar_doppler judge(const struct half half[2], double prf)
{
    struct half all = {half[0].sum + half[1].sum, half[0].square + half[1].square,
                       half[0].power + half[1].power};
    double hertz = prf / (2 * M_PI), size = cabs(all.sum);
    struct htmt__sar_doppler d = {.error = prf};
    if (!(size > 0))
        return d;
    d.fraction = hertz * carg(all.sum);
    d.significance = size / sqrt(all.square);
    d.error = fmin(hertz * M_SQRT1_2 / d.significance, prf);
    d.coherence = fmin(size / all.power, 1);
    d.rise = hertz * carg(half[1].sum * conj(half[0].sum));
    d.rise_known = significant(&half[0]) && significant(&half[1]);
    return d;
}

int htmt__sar_doppler_measure(const struct htmt__sar_raw *raw, double prf,
                              struct htmt__sar_doppler *doppler, struct htmt_fault *fault)
{
    struct half half[2] = {{0}};
    double complex *room = calloc(2 * (size_t)raw->samples, sizeof *room);
    if (!room)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for two lines");
    correlate_lines(raw, (double complex *[]){room, room + raw->samples}, half);
    free(room);
    *doppler = judge(half, prf);
    return 0;
}

double htmt__sar_doppler_fold(double frequency, double prf)
{
    return frequency - prf * round(frequency / prf);
}

/* ---- a guess of the ambiguity
 * ------------------------------------------------------------------------------ */

/* Parts of the chirp's band. */
#define BANDS 32

/* The correlation of each part over all lines. Part b has `width` bins from first + b width on;
 * bins count from the carrier and wrap around at length. */
struct bands {
    uint32_t length, width;
    int64_t first;
    double complex sum[BANDS];
};

static void add_bands(const double complex *a, const double complex *b, struct bands *s)
{
    for (uint32_t k = 0; k < BANDS * s->width; k++) {
        int64_t bin = s->first + k;
        size_t at = (size_t)(bin < 0 ? bin + s->length : bin);
        s->sum[k / s->width] += correlate(a + at, b + at, 1);
    }
}

static int correlate_bands(const struct htmt__sar_raw *raw, const struct htmt__fft *fft,
                           double complex *line[2], struct bands *s)
{
    int rc = 0;
    for (uint32_t n = 0; n < raw->lines && !rc; n++) {
        memset(line[n % 2], 0, s->length * sizeof *line[0]);
        htmt__sar_raw_line(raw, n, line[n % 2]);
        rc = htmt__fft_run(fft, line[n % 2]);
        if (!rc && n)
            add_bands(line[(n - 1) % 2], line[n % 2], s);
    }
    return rc;
}

static int measure_bands(const struct htmt__sar_raw *raw, struct bands *s, struct htmt_fault *fault)
{
    struct htmt__fft *fft = NULL;
    double complex *room = calloc(2 * (size_t)s->length, sizeof *room);
    int rc = room ? htmt__fft_create(&(struct htmt__fft_shape){.length = s->length}, &fft, fault)
                  : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for two spectra");
    if (!rc && (rc = correlate_bands(raw, fft, (double complex *[]){room, room + s->length}, s)))
        htmt_fault_set(fault, rc, "no memory for a transform");
    htmt__fft_destroy(&fft);
    free(room);
    return rc;
}

static double weighted_mean(const double *weight, const double *value)
{
    double sum = 0, all = 0;
    for (int b = 0; b < BANDS; b++) {
        sum += weight[b] * value[b];
        all += weight[b];
    }
    return sum / all;
}

/* Slope of the line y(b) by weighted least squares; 0 where no two parts have a weight. */
static double fit_slope(const double *weight, const double *y)
{
    double b_of[BANDS], xx = 0, xy = 0;
    for (int b = 0; b < BANDS; b++)
        b_of[b] = b;
    double middle = weighted_mean(weight, b_of), mean = weighted_mean(weight, y);
    for (int b = 0; b < BANDS; b++) {
        xx += weight[b] * (b - middle) * (b - middle);
        xy += weight[b] * (b - middle) * (y[b] - mean);
    }
    return xx > 0 ? xy / xx : 0;
}

/* Rise of the parts' phases in rad a bin. A part with a larger correlation has a larger weight. */
static double phase_slope(const struct bands *s)
{
    double weight[BANDS], phase[BANDS];
    double complex all = 0;
    for (int b = 0; b < BANDS; b++)
        all += s->sum[b];
    for (int b = 0; b < BANDS; b++) {
        weight[b] = cabs(s->sum[b]);
        phase[b] = carg(s->sum[b] * conj(all));
    }
    return fit_slope(weight, phase) / s->width;
}

int htmt__sar_doppler_guess(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                            double fraction, double *ambiguity, struct htmt_fault *fault)
{
    struct bands s = {.length = htmt__fft_fast_length(raw->samples)};
    double bin = radar->sampling / s.length;
    s.width = (uint32_t)(htmt__sar_chirp_bandwidth(radar) / bin / BANDS);
    s.first = -(int64_t)(BANDS * s.width / 2);
    *ambiguity = 0;
    if (!s.width)
        return 0;
    int rc = measure_bands(raw, &s, fault);
    if (!rc)
        *ambiguity =
            round((phase_slope(&s) * radar->prf * radar->carrier / (2 * M_PI * bin) - fraction) /
                  radar->prf);
    return rc;
}
