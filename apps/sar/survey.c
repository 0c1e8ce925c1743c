/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What raw data say of themselves.
 *
 * The centroid's fraction. The echo of a point turns by 2 pi f / prf from one line to the next, f
 * its Doppler frequency. The sum over all samples of conj(line n) line n + 1 weighs each point by
 * its power, and its angle is the mean turn. A beam's points have all frequencies about the
 * centroid, and the turn is known modulo a whole one only: hence the fraction. For example points
 * at 400 Hz with a prf of 1680 Hz give an angle of 1.496 rad, and so do points at 2080 Hz.
 *
 * Its error. Blocks of 64 samples are independent of one another, so the variance of the sum, if
 * the lines had nothing in common, is the sum of the blocks' squared absolute values. The
 * significance is the sum in units of that deviation; 5 of them come up by chance once in 7e10
 * inputs.
 *
 * Contrast. If the chirp fits, compressed lines have few strong cells; if not, they look like
 * noise, for which n sum p^2 / (sum p)^2 is 2. That tells I and Q in the wrong order, which turns
 * the chirp around, and which samples are worth trial images.
 */
#include "apps/sar/survey.h"

#include "apps/fft/complex.h"
#include "apps/fft/fft.h"
#include "apps/sar/geometry.h"
#include "apps/sar/reference.h"

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

/* ---- the ambiguity number ------------------------------------------------------------------- */

/* Why entropy. With a wrong number each point is spread along a wrong slope over several cells, and
 * the image has less contrast. - sum p ln p of the shares p of the power is least where the power
 * is in few pixels: one bright pixel gives 0, n equal ones ln n. It needs no known targets. A point
 * that spreads over 4 cells in place of 1 adds ln 4 = 1.4 nats times its share of the power, well
 * above the margin of 0.1. What it costs: 13 images of some 1000 lines and 512 columns. */

/* The part that is focused: so many cells of whole echoes, so many lines beside an exposure. */
#define CELLS 512
#define LINES 1024
/* Numbers from -TRIED to TRIED are tried. */
#define TRIED  10
#define TRIALS (2 * TRIED + 1)

/* A bell over `count` places, 0 at the ends: a point that one trial has inside of an end and the
 * next outside of it counts little. NULL: no memory. */
static double *make_bell(uint32_t count)
{
    double *bell = malloc(count * sizeof *bell);
    for (uint32_t k = 0; bell && k < count; k++)
        bell[k] = pow(sin(M_PI * (k + 0.5) / count), 2);
    return bell;
}

/* A copy of the lines `first` and following, the samples `left` and following. */
static int copy_part(const struct htmt__sar_raw *raw, uint32_t first, uint32_t lines, uint32_t left,
                     uint32_t samples, struct htmt__sar_raw *part, struct htmt_fault *fault)
{
    int rc = htmt__sar_raw_create(part, lines, samples, raw->format, fault);
    if (rc)
        return rc;
    size_t pair = htmt__sar_pair_bytes(raw->format);
    for (uint32_t n = 0; n < lines; n++)
        memcpy((char *)part->bytes + n * samples * pair,
               (const char *)raw->bytes + ((size_t)(first + n) * raw->samples + left) * pair,
               samples * pair);
    part->mean_i = raw->mean_i;
    part->mean_q = raw->mean_q;
    if (!raw->gain)
        return 0;
    part->gain = malloc(lines * sizeof *part->gain);
    if (!part->gain)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for gains of lines");
    memcpy(part->gain, raw->gain + first, lines * sizeof *part->gain);
    return 0;
}

/* The part and its radar: the columns with the most squared power under a bell, where a few strong
 * points lie, and the lines in the middle. */
static int cut_part(const struct htmt__sar_raw *raw, struct htmt__sar_radar *r,
                    struct htmt__sar_raw *part, struct htmt_fault *fault)
{
    struct htmt__sar_contrast c;
    int rc = htmt__sar_contrast(raw, r, false, &c, fault);
    if (rc)
        return rc;
    uint32_t cells = c.cells < CELLS ? c.cells : CELLS;
    double *bell = make_bell(cells);
    uint32_t left = 0;
    double most = -1;
    for (uint32_t first = 0; bell && first + cells <= c.cells; first++) {
        double sum = 0;
        for (uint32_t j = 0; j < cells; j++)
            sum += c.squares[first + j] * bell[j];
        if (sum > most) {
            most = sum;
            left = first;
        }
    }
    free(c.squares);
    free(bell);
    if (!bell)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for weights");
    double wanted = LINES + ceil(htmt__sar_aperture(r, htmt__sar_range(r, r->samples - 1)));
    uint32_t lines = wanted < raw->lines ? (uint32_t)wanted : raw->lines;
    r->near_range = htmt__sar_range(r, left);
    r->lines = lines;
    r->samples = cells + (raw->samples - c.cells);
    return copy_part(raw, (raw->lines - lines) / 2, lines, left, r->samples, part, fault);
}

struct trials {
    struct htmt__sar_radar radar; /* of the part */
    struct htmt__sar_raw part;
    double fraction;
    double entropy[TRIALS]; /* of number k - TRIED */
};

/* Entropy of the powers of an image in single precision under bells; infinite without power. */
static double image_entropy(const float *image, const struct htmt__sar_plan *p, const double *down,
                            const double *across)
{
    double sum = 0, logs = 0;
    for (uint32_t n = 0; n < p->lines; n++)
        for (uint32_t j = 0; j < p->samples; j++, image += 2) {
            double re = (double)image[0], im = (double)image[1];
            double power = (re * re + im * im) * down[n] * across[j];
            sum += power;
            logs += power > 0 ? power * log(power) : 0;
        }
    return sum > 0 ? log(sum) - logs / sum : INFINITY;
}

/* Focus the part with an ambiguity number. Numbers that the radar cannot have are infinitely bad.
 */
static int focus(struct trials *t, int number, double *out, struct htmt_fault *fault)
{
    struct htmt__sar_problem problem = {.radar = t->radar,
                                        .patch_lines = t->radar.lines,
                                        .rcmc = HTMT__RCMC_ON,
                                        .lengths = HTMT__FAST_LENGTH,
                                        .keep_edges = true};
    struct htmt__sar_plan plan;
    struct htmt_fault unfit = {0};
    problem.radar.centroid = t->fraction + number * t->radar.prf;
    *out = INFINITY;
    if (htmt__sar_plan(&problem, &plan, &unfit))
        return 0;
    float *image = calloc((size_t)plan.lines * plan.samples, 2 * sizeof *image);
    double *down = make_bell(plan.lines), *across = make_bell(plan.samples);
    int rc = image && down && across
                 ? htmt__sar_reference(&plan, &t->part, true, image, fault)
                 : htmt_fault_set(fault, HTMT_ENOMEM, "no memory for a trial image");
    if (!rc)
        *out = image_entropy(image, &plan, down, across);
    free(across);
    free(down);
    free(image);
    return rc;
}

/* The number with the least entropy but for `other`; -1: of all. */
static int least(const struct trials *t, int other)
{
    int best = other == 0;
    for (int k = 0; k < TRIALS; k++)
        if (k != other && t->entropy[k] < t->entropy[best])
            best = k;
    return best;
}

int htmt__sar_ambiguity(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                        double fraction, struct htmt__sar_ambiguity *found,
                        struct htmt_fault *fault)
{
    struct trials t = {.radar = *radar, .fraction = fraction};
    int rc = cut_part(raw, &t.radar, &t.part, fault);
    for (int k = 0; k < TRIALS; k++)
        t.entropy[k] = INFINITY;
    /* every other number, then those beside the best */
    for (int k = 0; k < TRIALS && !rc; k += 2)
        rc = focus(&t, k - TRIED, &t.entropy[k], fault);
    int best = least(&t, -1);
    if (!rc && best > 0)
        rc = focus(&t, best - 1 - TRIED, &t.entropy[best - 1], fault);
    if (!rc && best < TRIALS - 1)
        rc = focus(&t, best + 1 - TRIED, &t.entropy[best + 1], fault);
    htmt__sar_raw_destroy(&t.part);
    if (rc)
        return rc;
    best = least(&t, -1);
    const int next = least(&t, best);
    const double margin = isfinite(t.entropy[next]) ? t.entropy[next] - t.entropy[best] : 0;
    if (margin < HTMT__SAR_MARGIN)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "the Doppler ambiguity cannot be found from this data: %d gives the "
                              "sharpest trial image, but %d only %.3f nats more entropy, expected "
                              "%g or more; give its number",
                              best - TRIED, next - TRIED, margin, HTMT__SAR_MARGIN);
    if (best == 0 || best == TRIALS - 1)
        return htmt_fault_set(
            fault, HTMT_EFORMAT,
            "the Doppler ambiguity cannot be found from this data: %d gives the "
            "sharpest trial image, and no number beyond is tried; give its number",
            best - TRIED);
    *found = (struct htmt__sar_ambiguity){
        .number = best - TRIED, .next = next - TRIED, .margin = margin, .searched = true};
    return 0;
}

/* ---- codes ---------------------------------------------------------------------------------- */

/* Why codes. A receiver quantises noise-like echoes, so its codes cluster about their mean. Two
 * mistakes show in the histogram. If bytes in offset binary (0 to 255, mean 128) are read in two's
 * complement, the cluster is split: codes 120 and 136 become 120 and -120, and the variance grows
 * from some 10^2 to some 120^2. The better reading is that with the smaller variance. And if lines
 * begin elsewhere, or the bytes are compressed, all codes are equally frequent, and the entropy is
 * the number of bits. */

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
    double entropy = 0; /* in bits */
    for (int code = 0; code < CODES; code++)
        if (c.count[code] > 0)
            entropy -= c.count[code] / c.all * log2(c.count[code] / c.all);
    /* at least 4 bits, because good quantisers of fewer use all codes alike */
    if (c.bits >= 4 && c.all > 100 << c.bits && entropy > c.bits - 0.01)
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
