/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/doppler.h"

#include "apps/lib/complex.h"
#include "apps/lib/fft.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void convert(const struct htmt__sar_raw *raw, uint32_t line, double complex *z)
{
    double gain = raw->gain ? raw->gain[line] : 1, i, q;
    for (uint32_t s = 0; s < raw->samples; s++) {
        htmt__sar_pair(raw, line, s, &i, &q);
        z[s] = gain * CMPLX(i - raw->mean_i, q - raw->mean_q);
    }
}

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

/* Separate sums over the near and the far half of the samples. */
static void correlate_lines(const struct htmt__sar_raw *raw, double complex *line[2],
                            double complex half[2])
{
    uint32_t near = raw->samples / 2;
    convert(raw, 0, line[0]);
    for (uint32_t n = 1; n < raw->lines; n++) {
        const double complex *a = line[(n - 1) % 2], *b = line[n % 2];
        convert(raw, n, line[n % 2]);
        half[0] += correlate(a, b, near);
        half[1] += correlate(a + near, b + near, raw->samples - near);
    }
}

static int uncorrelated(struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "the lines do not correlate: no Doppler centroid can be estimated");
}

int htmt__sar_doppler_fraction(const struct htmt__sar_raw *raw, double prf, double *fraction,
                               double *rise, struct htmt_fault *fault)
{
    double complex half[2] = {0}, *room = calloc(2 * (size_t)raw->samples, sizeof *room);
    if (!room)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for two lines");
    correlate_lines(raw, (double complex *[]){room, room + raw->samples}, half);
    free(room);
    if (half[0] + half[1] == 0)
        return uncorrelated(fault);
    *fraction = prf / (2 * M_PI) * carg(half[0] + half[1]);
    *rise = prf / (2 * M_PI) * carg(half[1] * conj(half[0]));
    return 0;
}

/* ---- ambiguity ------------------------------------------------------------------------------ */

/* Parts of the chirp's band. */
#define BANDS 32
/* Standard errors that must lie between the estimate and the middle of two ambiguities. */
#define DEVIATIONS 2.5

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
        convert(raw, n, line[n % 2]);
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

/* Slope of the line y(b) by weighted least squares, and its standard error from the residuals. */
static double fit_slope(const double *weight, const double *y, double *error)
{
    double b_of[BANDS], xx = 0, xy = 0, rest = 0;
    for (int b = 0; b < BANDS; b++)
        b_of[b] = b;
    double middle = weighted_mean(weight, b_of), mean = weighted_mean(weight, y);
    for (int b = 0; b < BANDS; b++) {
        xx += weight[b] * (b - middle) * (b - middle);
        xy += weight[b] * (b - middle) * (y[b] - mean);
    }
    for (int b = 0; b < BANDS; b++)
        rest += weight[b] * pow(y[b] - mean - xy / xx * (b - middle), 2);
    *error = sqrt(rest / (BANDS - 2) / xx);
    return xy / xx;
}

/* Rise of the parts' phases in rad a bin. A part with a larger correlation has a larger weight. */
static double phase_slope(const struct bands *s, double *error)
{
    double weight[BANDS], phase[BANDS];
    double complex all = 0;
    for (int b = 0; b < BANDS; b++)
        all += s->sum[b];
    for (int b = 0; b < BANDS; b++) {
        weight[b] = cabs(s->sum[b]);
        phase[b] = carg(s->sum[b] * conj(all));
    }
    double slope = fit_slope(weight, phase, error) / s->width;
    *error /= s->width;
    return slope;
}

static int choose(double centroid, double error, double fraction, double prf, double *ambiguity,
                  struct htmt_fault *fault)
{
    double number = round((centroid - fraction) / prf);
    double margin = prf / 2 - fabs(centroid - fraction - number * prf);
    if (!(margin >= DEVIATIONS * error))
        return htmt_fault_set(
            fault, HTMT_EFORMAT,
            "the Doppler ambiguity cannot be found from this data: found a centroid "
            "of %.0f Hz with a standard error of %.0f Hz, ambiguities are %.0f Hz "
            "apart; give its number",
            centroid, error, prf);
    *ambiguity = number;
    return 0;
}

int htmt__sar_doppler_ambiguity(const struct htmt__sar_raw *raw,
                                const struct htmt__sar_radar *radar, double fraction,
                                double *ambiguity, struct htmt_fault *fault)
{
    struct bands s = {.length = htmt__fft_fast_length(raw->samples)};
    double bin = radar->sampling / s.length, error;
    s.width = (uint32_t)(htmt__sar_chirp_bandwidth(radar) / bin / BANDS);
    s.first = -(int64_t)(BANDS * s.width / 2);
    if (!s.width)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "the Doppler ambiguity cannot be found from lines of %" PRIu32
                              " samples; give its number",
                              raw->samples);
    int rc = measure_bands(raw, &s, fault);
    if (rc)
        return rc;
    double slope = phase_slope(&s, &error);
    double hertz = radar->prf * radar->carrier / (2 * M_PI * bin);
    return choose(slope * hertz, error * hertz, fraction, radar->prf, ambiguity, fault);
}
