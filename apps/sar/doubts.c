/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/doubts.h"

#include "apps/sar/contrast.h"
#include "apps/sar/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- codes ---------------------------------------------------------------------------------- */

enum { CODES = 256 };

/* How often each code occurs. A code is the used bits of a byte; of i16 its upper byte. */
struct codes {
    unsigned bits;
    double count[CODES], all;
};

static void count_line(const struct htmt__sar_raw *raw, uint32_t line, struct codes *c)
{
    double number[2];
    for (uint32_t s = 0; s < raw->samples; s++) {
        htmt__sar_pair(raw, line, s, &number[0], &number[1]);
        for (int k = 0; k < 2; k++)
            c->count[((int)number[k] >> (raw->format == HTMT__SAR_I16 ? 8 : 0)) & 0xff]++;
    }
    c->all += 2.0 * raw->samples;
}

/* Unsigned bytes have as many bits as the largest needs. Signs of I8 fill a byte. */
static void count_codes(const struct htmt__sar_raw *raw, unsigned bits, struct codes *c)
{
    unsigned largest = CODES - 1;
    for (uint32_t line = 0; line < raw->lines; line++)
        count_line(raw, line, c);
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

/* Codes of a receiver cluster about the mean; read with the wrong sign bit they are split. */
static void doubt_sign(const struct htmt__sar_raw *raw, const struct codes *c,
                       struct htmt_warnings *w)
{
    bool is_signed = raw->format != HTMT__SAR_U8;
    double here = variance(c, is_signed), other = variance(c, !is_signed);
    if (here > 2 * other)
        htmt_warn(
            w, "codes",
            "the numbers look like %s, but are read as %s: their rms is %.3g steps, the other "
            "way %.3g",
            is_signed ? "offset binary" : "two's complement",
            is_signed ? "two's complement" : "offset binary", sqrt(here), sqrt(other));
}

/* At least 4 bits, because good quantisers of fewer use all codes alike. */
static void doubt_flat(const struct codes *c, struct htmt_warnings *w)
{
    if (c->bits >= 4 && c->all > 100 << c->bits && entropy(c) > c->bits - 0.01)
        htmt_warn(w, "random",
                  "all %d codes are equally frequent: random or compressed bytes, or lines that "
                  "begin elsewhere",
                  1 << c->bits);
}

static bool is_constant(const struct htmt__sar_raw *raw)
{
    size_t pair = htmt__sar_pair_bytes(raw->format);
    const char *bytes = raw->bytes;
    return !memcmp(bytes, bytes + pair, ((size_t)raw->lines * raw->samples - 1) * pair);
}

bool htmt__sar_doubt_codes(const struct htmt__sar_raw *raw, unsigned bits,
                           struct htmt_warnings *warnings)
{
    struct codes c = {.all = 0};
    double i, q;
    htmt__sar_pair(raw, 0, 0, &i, &q);
    if (is_constant(raw)) {
        htmt_warn(warnings, "constant", "the data are constant: every I is %g and every Q is %g", i,
                  q);
        return false;
    }
    if (raw->format == HTMT__SAR_C64)
        return true;
    count_codes(raw, bits, &c);
    doubt_sign(raw, &c, warnings);
    doubt_flat(&c, warnings);
    return true;
}

/* ---- the centroid --------------------------------------------------------------------------- */

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

/* ---- I and Q -------------------------------------------------------------------------------- */

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
