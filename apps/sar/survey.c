/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/survey.h"

#include "apps/fft/complex.h"
#include "apps/fft/fft.h"
#include "apps/sar/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the centroid --------------------------------------------------------------------------- */

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

static bool significant(const struct half *h)
{
    return cabs(h->sum) > HTMT__SAR_SIGNIFICANT * sqrt(h->square);
}

int htmt__sar_doppler_measure(const struct htmt__sar_raw *raw, double prf,
                              struct htmt__sar_doppler *doppler, struct htmt_fault *fault)
{
    const uint32_t near = raw->samples / 2;
    struct half half[2] = {{0}};
    double complex *room = calloc(2 * (size_t)raw->samples, sizeof *room);
    if (!room)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for two lines");
    double complex *line[2] = {room, room + raw->samples};
    htmt__sar_raw_line(raw, 0, line[0]);
    for (uint32_t n = 1; n < raw->lines; n++) {
        const double complex *a = line[(n - 1) % 2], *b = line[n % 2];
        htmt__sar_raw_line(raw, n, line[n % 2]);
        add_half(a, b, near, &half[0]);
        add_half(a + near, b + near, raw->samples - near, &half[1]);
    }
    free(room);
    const struct half all = {half[0].sum + half[1].sum, half[0].square + half[1].square,
                             half[0].power + half[1].power};
    const double hertz = prf / (2 * M_PI), size = cabs(all.sum);
    *doppler = (struct htmt__sar_doppler){.error = prf};
    if (!(size > 0))
        return 0;
    doppler->fraction = hertz * carg(all.sum);
    doppler->significance = size / sqrt(all.square);
    doppler->error = fmin(hertz * M_SQRT1_2 / doppler->significance, prf);
    doppler->coherence = fmin(size / all.power, 1);
    doppler->rise = hertz * carg(half[1].sum * conj(half[0].sum));
    doppler->rise_known = significant(&half[0]) && significant(&half[1]);
    return 0;
}

double htmt__sar_doppler_fold(double frequency, double prf)
{
    return frequency - prf * round(frequency / prf);
}

/* Share of the prf. */
#define OFF_MOST 0.1

void htmt__sar_doubt_centroid(const struct htmt__sar_radar *radar,
                              const struct htmt__sar_doppler *d, bool given,
                              struct htmt_warnings *w)
{
    double off = htmt__sar_doppler_fold(radar->centroid - d->fraction, radar->prf);
    double most = OFF_MOST * radar->prf;
    if (d->significance < HTMT__SAR_SIGNIFICANT) {
        htmt_warn(w, "correlation",
                  "neighbouring lines do not correlate (%.1f standard deviations, expected %g): "
                  "noise, or a layout that is not the file's",
                  d->significance, HTMT__SAR_SIGNIFICANT);
        return;
    }
    if (given && fabs(off) > most + 3 * d->error)
        htmt_warn(w, "centroid",
                  "the given Doppler centroid of %.1f Hz is %.2f prf away from the data's: their "
                  "fraction is %.1f Hz (+- %.1f Hz)",
                  radar->centroid, fabs(off) / radar->prf, d->fraction, d->error);
    if (d->rise_known && fabs(d->rise) > most)
        htmt_warn(w, "rise",
                  "the Doppler centroid changes over the range: the far half has %.0f Hz %s than "
                  "the near half",
                  fabs(d->rise), d->rise > 0 ? "more" : "less");
}

/* ---- contrast ------------------------------------------------------------------------------- */

/* Compress every `step`-th line with the filter `spectrum`, and add up the powers of its cells. */
static int compress_lines(const struct htmt__sar_raw *raw, struct htmt__fft *const fft[2],
                          uint32_t length, const double complex *spectrum, double complex *line,
                          struct htmt__sar_contrast *c)
{
    const uint32_t step = (raw->lines - 1) / HTMT__SAR_CONTRAST_LINES + 1;
    double all = 0, squares = 0, count = 0;
    for (uint32_t n = step / 2; n < raw->lines; n += step, count += c->cells) {
        memset(line, 0, length * sizeof *line);
        htmt__sar_raw_line(raw, n, line);
        int rc = htmt__fft_run(fft[0], line);
        for (uint32_t k = 0; k < length; k++)
            line[k] *= spectrum[k];
        if (rc || (rc = htmt__fft_run(fft[1], line)))
            return rc;
        double sum = 0;
        for (uint32_t j = 0; j < c->cells; j++) {
            double p = creal(line[j]) * creal(line[j]) + cimag(line[j]) * cimag(line[j]);
            sum += p;
            c->squares[j] += p * p;
        }
        all += sum;
    }
    for (uint32_t j = 0; j < c->cells; j++)
        squares += c->squares[j];
    c->value = all > 0 ? count * squares / (all * all) : 0;
    c->error = sqrt(20 / count);
    return 0;
}

int htmt__sar_contrast(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                       bool opposite, struct htmt__sar_contrast *contrast, struct htmt_fault *fault)
{
    const uint32_t length = htmt__fft_fast_length(radar->samples);
    const uint32_t pulse = htmt__sar_pulse_samples(radar);
    struct htmt__sar_contrast c = {.cells = raw->samples - pulse + 1};
    struct htmt__fft *fft[2] = {NULL, NULL}; /* there, back */
    double complex *spectrum = calloc(length, sizeof *spectrum);
    double complex *line = calloc(length, sizeof *line);
    int rc = 0;
    for (int back = 0; back < 2 && !rc; back++)
        rc = htmt__fft_create(&(struct htmt__fft_shape){.length = length, .backward = back == 1},
                              &fft[back], fault);
    if (rc)
        goto out;
    rc = spectrum && line ? 0 : HTMT_ENOMEM;
    for (uint32_t n = 0; n < pulse && !rc; n++)
        spectrum[n] = cexp((opposite ? -I : I) * htmt__sar_pulse_phase(radar, n));
    if (rc || htmt__fft_run(fft[0], spectrum)) {
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the spectrum of a line");
        goto out;
    }
    for (uint32_t k = 0; k < length; k++)
        spectrum[k] = conj(spectrum[k]);
    c.squares = calloc(c.cells, sizeof *c.squares);
    if (!c.squares || compress_lines(raw, fft, length, spectrum, line, &c)) {
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the cells of a line");
        free(c.squares);
    } else {
        *contrast = c;
    }
out:
    htmt__fft_destroy(&fft[0]);
    htmt__fft_destroy(&fft[1]);
    free(spectrum);
    free(line);
    return rc;
}

/* The opposite chirp must be better by this factor, and by five standard errors. */
#define SHARPER 1.1

int htmt__sar_doubt_chirp(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                          struct htmt_warnings *warnings, struct htmt_fault *fault)
{
    struct htmt__sar_contrast given = {.value = 0}, opposite = {.value = 0};
    int rc = htmt__sar_contrast(raw, radar, false, &given, fault);
    if (!rc)
        rc = htmt__sar_contrast(raw, radar, true, &opposite, fault);
    if (!rc && opposite.value > SHARPER * given.value + 5 * given.error)
        htmt_warn(warnings, "iq-order",
                  "the opposite chirp gives sharper lines (contrast %.3g, yours %.3g): Q stands "
                  "before I, or chirp_rate has the wrong sign",
                  opposite.value, given.value);
    free(given.squares);
    free(opposite.squares);
    return rc;
}

/* ---- codes ---------------------------------------------------------------------------------- */

enum { CODES = 256 };

/* How often each code occurs. A code is the used bits of a byte; of i16 its upper byte. */
struct codes {
    unsigned bits;
    double count[CODES], all;
};

/* Unsigned bytes have as many bits as the largest needs. Signs of I8 fill a byte. */
static void count_codes(const struct htmt__sar_raw *raw, unsigned bits, struct codes *c)
{
    unsigned largest = CODES - 1;
    for (uint32_t line = 0; line < raw->lines; line++)
        for (uint32_t s = 0; s < raw->samples; s++) {
            double number[2];
            htmt__sar_pair(raw, line, s, &number[0], &number[1]);
            for (int k = 0; k < 2; k++)
                c->count[((int)number[k] >> (raw->format == HTMT__SAR_I16 ? 8 : 0)) & 0xff]++;
        }
    c->all = 2.0 * raw->samples * raw->lines;
    c->bits = raw->format == HTMT__SAR_I8 ? bits : 8;
    while (raw->format == HTMT__SAR_U8 && largest > 0 && c->count[largest] == 0)
        largest--;
    while (raw->format == HTMT__SAR_U8 && c->bits > 1 && !(largest >> (c->bits - 1)))
        c->bits--;
    for (unsigned code = 1u << c->bits; raw->format == HTMT__SAR_I8 && code < CODES; code++) {
        c->count[code & ((1u << c->bits) - 1)] += c->count[code];
        c->count[code] = 0;
    }
}

/* Variance of the numbers if the codes are unsigned, or in two's complement. */
static double variance(const struct codes *c, bool is_signed)
{
    int half = 1 << (c->bits - 1);
    double sum = 0, squares = 0;
    for (int code = 0; code < 2 * half; code++) {
        double number = is_signed && code >= half ? code - 2 * half : code;
        sum += c->count[code] * number;
        squares += c->count[code] * number * number;
    }
    return squares / c->all - sum / c->all * (sum / c->all);
}

/* In bits. */
static double entropy(const struct codes *c)
{
    double sum = 0;
    for (int code = 0; code < CODES; code++)
        if (c->count[code] > 0)
            sum -= c->count[code] / c->all * log2(c->count[code] / c->all);
    return sum;
}

bool htmt__sar_doubt_codes(const struct htmt__sar_raw *raw, unsigned bits, struct htmt_warnings *w)
{
    const size_t pair = htmt__sar_pair_bytes(raw->format);
    const char *bytes = raw->bytes;
    if (!memcmp(bytes, bytes + pair, ((size_t)raw->lines * raw->samples - 1) * pair)) {
        double i, q;
        htmt__sar_pair(raw, 0, 0, &i, &q);
        htmt_warn(w, "constant", "the data are constant: every I is %g and every Q is %g", i, q);
        return false;
    }
    if (raw->format == HTMT__SAR_C64)
        return true;
    struct codes c = {.all = 0};
    count_codes(raw, bits, &c);
    /* codes of a receiver cluster about the mean; read with the wrong sign bit they are split */
    bool is_signed = raw->format != HTMT__SAR_U8;
    double here = variance(&c, is_signed), other = variance(&c, !is_signed);
    if (here > 2 * other)
        htmt_warn(
            w, "codes",
            "the numbers look like %s, but are read as %s: their rms is %.3g steps, the other "
            "way %.3g",
            is_signed ? "offset binary" : "two's complement",
            is_signed ? "two's complement" : "offset binary", sqrt(here), sqrt(other));
    /* at least 4 bits, because good quantisers of fewer use all codes alike */
    if (c.bits >= 4 && c.all > 100 << c.bits && entropy(&c) > c.bits - 0.01)
        htmt_warn(w, "random",
                  "all %d codes are equally frequent: random or compressed bytes, or lines that "
                  "begin elsewhere",
                  1 << c.bits);
    return true;
}

/* ---- migration ------------------------------------------------------------------------------ */

/* In cells. */
#define LEFT_MOST 0.5

void htmt__sar_doubt_migration(const struct htmt__sar_plan *p, struct htmt_warnings *warnings)
{
    if (!p->rcmc && p->migration_most - p->migration_least >= LEFT_MOST)
        htmt_warn(warnings, "migration",
                  "range migration of %.1f to %.1f cells is left in, which blurs the image; --rcmc "
                  "on corrects it",
                  p->migration_least, p->migration_most);
}
