/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A picture of an image, line by line: powers are added up over looks as the lines come, so no more
 * than the picture is in memory. White is found when all are there, by a histogram of levels in
 * tenths of a dB: a share of all pixels would do for clutter, but a few bright points on black
 * would then be white out to their side lobes, so the strongest pixel counts, too.
 */
#include "apps/sar/io/picture.h"

#include "apps/formats/npy.h"
#include "apps/formats/picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* White is the power that this share of the averaged pixels stays below. The strongest pixel is at
 * most OUTSHINE dB above white. */
#define WHITE_SHARE 0.999
#define OUTSHINE    25.0
/* Powers are sorted into bins of a tenth of a dB, -400 to 400. */
#define BINS_OF_DB 10
#define BINS       8000
/* The level in dB of zero power. */
#define NOTHING -400.0

int htmt__sar_looks_read(const char *text, struct htmt__sar_looks *looks, struct htmt_fault *fault)
{
    char *end;
    unsigned long number[2] = {1, 1};
    for (int k = 0; k < 2; k++) {
        number[k] = strtoul(text, &end, 10);
        bool digits = end != text && strspn(text, "0123456789") == (size_t)(end - text);
        if (!digits || !number[k] || number[k] > 65535 || (*end && (k || *end != 'x')))
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--looks: found '%s', expected azimuth x range such as 5x1",
                                  text);
        if (!*end)
            break;
        text = end + 1;
    }
    looks->azimuth = (uint32_t)number[0];
    looks->range = (uint32_t)number[1];
    return 0;
}

static double range_looks(const struct htmt__sar_looks *looks)
{
    return looks->columns > 0 ? looks->columns : looks->range;
}

int htmt__sar_looks_check(const struct htmt__sar_looks *looks, uint64_t lines, uint64_t samples,
                          struct htmt_fault *fault)
{
    if (looks->azimuth <= lines && range_looks(looks) <= (double)samples)
        return 0;
    if (looks->columns > 0)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--looks: found %" PRIu32 " lines, %.1f columns on the ground, the "
                              "image has %" PRIu64 " x %" PRIu64 " pixels",
                              looks->azimuth, looks->columns, lines, samples);
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "--looks: found %" PRIu32 "x%" PRIu32 ", the image has %" PRIu64
                          " x %" PRIu64 " pixels",
                          looks->azimuth, looks->range, lines, samples);
}

int htmt__sar_image_create(const char *path, const struct htmt__sar_image *image,
                           struct htmt__npy **npy, struct htmt_fault *fault)
{
    struct htmt__npy_shape shape = {.type = image->single ? HTMT__NPY_C8 : HTMT__NPY_C16,
                                    .rank = 2,
                                    .size = {image->lines, image->samples}};
    return htmt__npy_create(path, &shape, npy, fault);
}

/* ---- grey ----------------------------------------------------------------------------------- */

struct htmt__sar_picture {
    struct htmt__sar_looks looks;
    uint64_t lines; /* added so far */
    uint32_t width, height;
    double *level; /* of each pixel: sum of powers, then their mean in dB */
    double white;
};

static double power(const struct htmt__sar_image *image, uint64_t pixel)
{
    double re, im;
    if (image->single) {
        const float *at = image->at;
        re = (double)at[2 * pixel];
        im = (double)at[2 * pixel + 1];
    } else {
        const double *at = image->at;
        re = at[2 * pixel];
        im = at[2 * pixel + 1];
    }
    return re * re + im * im;
}

static double *row_of(const struct htmt__sar_picture *p, uint32_t y)
{
    return p->level + (uint64_t)y * p->width;
}

/* A pixel has the mean power of its looks, which are whole lines and, where the picture is in
 * ground range, fractions of columns: a column at an edge counts by its part inside. The mean
 * becomes dB when the last line of a row is in; zero power is NOTHING. */
void htmt__sar_picture_add(struct htmt__sar_picture *p, const struct htmt__sar_image *part)
{
    const double columns = range_looks(&p->looks);
    for (uint64_t line = 0; line < part->lines; line++, p->lines++) {
        uint64_t y = p->lines / p->looks.azimuth, first = line * part->samples;
        if (y >= p->height)
            continue;
        double *row = row_of(p, (uint32_t)y);
        for (uint32_t x = 0; x < p->width; x++) {
            double from = x * columns, to = (x + 1) * columns, sum = 0;
            for (uint64_t j = (uint64_t)from; (double)j < to && j < part->samples; j++)
                sum += (fmin((double)j + 1, to) - fmax((double)j, from)) * power(part, first + j);
            row[x] += sum;
        }
        for (uint32_t x = 0; p->lines % p->looks.azimuth + 1 == p->looks.azimuth && x < p->width;
             x++)
            row[x] = fmax(10 * log10(row[x] / (p->looks.azimuth * columns)), NOTHING);
    }
}

/* White is the level below which the share WHITE_SHARE of the pixels lies, by a histogram, but at
 * most OUTSHINE below the strongest pixel: a few bright points do not make the rest black. */
static void find_white(struct htmt__sar_picture *p, uint64_t *bins)
{
    uint64_t pixels = (uint64_t)p->width * p->height, below = 0;
    double strongest = NOTHING;
    for (uint64_t i = 0; i < pixels; i++) {
        double bin = fmin(fmax((p->level[i] - NOTHING) * BINS_OF_DB, 0), BINS - 1);
        strongest = fmax(strongest, p->level[i]);
        bins[(size_t)bin]++;
    }
    size_t bin = 0;
    while (bin < BINS - 1 && (double)(below += bins[bin]) < WHITE_SHARE * (double)pixels)
        bin++;
    p->white = fmax((double)(bin + 1) / BINS_OF_DB + NOTHING, strongest - OUTSHINE);
}

static void paint(void *context, uint32_t y, void *samples)
{
    const struct htmt__sar_picture *p = context;
    const double *row = row_of(p, p->looks.flip_lines ? p->height - 1 - y : y);
    uint8_t *grey = samples;
    for (uint32_t x = 0; x < p->width; x++) {
        double level = row[p->looks.flip_columns ? p->width - 1 - x : x];
        double share = 1 + (level - p->white) / p->looks.dynamic_range;
        grey[x] = level > NOTHING ? (uint8_t)lrint(255 * fmin(fmax(share, 0), 1)) : 0;
    }
}

/* ---- the file ------------------------------------------------------------------------------- */

double htmt__sar_picture_bytes(const struct htmt__sar_looks *looks, uint64_t lines,
                               uint64_t samples)
{
    return 8.0 * (double)(lines / looks->azimuth) * floor((double)samples / range_looks(looks));
}

int htmt__sar_picture_create(const struct htmt__sar_looks *looks, uint64_t lines, uint64_t samples,
                             struct htmt__sar_picture **picture, struct htmt_fault *fault)
{
    int rc = htmt__sar_looks_check(looks, lines, samples, fault);
    if (rc)
        return rc;
    struct htmt__sar_picture *p = calloc(1, sizeof *p);
    if (p) {
        p->looks = *looks;
        p->width = (uint32_t)((double)samples / range_looks(looks));
        p->height = (uint32_t)(lines / looks->azimuth);
        p->level = calloc((size_t)p->width * p->height, sizeof *p->level);
    }
    *picture = p;
    if (p && p->level)
        return 0;
    htmt__sar_picture_destroy(picture);
    return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the pixels of a picture");
}

int htmt__sar_picture_write(struct htmt__sar_picture *p, const char *path, struct htmt_fault *fault)
{
    struct htmt__picture picture = {
        .width = p->width, .height = p->height, .channels = 1, .bits = 8};
    uint64_t *bins = calloc(BINS, sizeof *bins);
    if (!bins)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for its greys", path);
    find_white(p, bins);
    free(bins);
    return htmt__picture_write_rows(path, &picture, paint, p, fault);
}

void htmt__sar_picture_destroy(struct htmt__sar_picture **picture)
{
    if (*picture)
        free((*picture)->level);
    free(*picture);
    *picture = NULL;
}
