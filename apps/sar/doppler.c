/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/doppler.h"

#include "apps/fft/complex.h"

#include <math.h>
#include <stdlib.h>

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
