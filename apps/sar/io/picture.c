/* SPDX-License-Identifier: BSD-3-Clause */
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

int htmt__sar_image_write(const char *path, const struct htmt__sar_image *image,
                          struct htmt_fault *fault)
{
    struct htmt__npy_shape shape = {.type = image->single ? HTMT__NPY_C8 : HTMT__NPY_C16,
                                    .rank = 2,
                                    .size = {image->lines, image->samples}};
    return htmt__npy_write(path, &shape, image->at, fault);
}

/* ---- grey ----------------------------------------------------------------------------------- */

struct grey {
    const struct htmt__sar_image *image;
    const struct htmt__sar_looks *looks;
    uint32_t width, height;
    double *row; /* averaged powers in dB, then the row's greys */
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

/* Sum of the powers of a line from column `from` to column `to`, fractions by their part. */
static double strip(const struct htmt__sar_image *image, uint64_t line, double from, double to)
{
    double sum = 0;
    for (uint64_t j = (uint64_t)from; (double)j < to && j < image->samples; j++)
        sum += (fmin((double)j + 1, to) - fmax((double)j, from)) * power(image, line + j);
    return sum;
}

/* Row y of the picture: mean powers of its looks in dB; zero power is NOTHING. */
static void average(struct grey *g, uint32_t y)
{
    const struct htmt__sar_looks *l = g->looks;
    double columns = range_looks(l);
    for (uint32_t x = 0; x < g->width; x++)
        g->row[x] = 0;
    for (uint32_t a = 0; a < l->azimuth; a++) {
        uint64_t line = ((uint64_t)y * l->azimuth + a) * g->image->samples;
        for (uint32_t x = 0; x < g->width; x++)
            g->row[x] += strip(g->image, line, x * columns, (x + 1) * columns);
    }
    for (uint32_t x = 0; x < g->width; x++)
        g->row[x] = fmax(10 * log10(g->row[x] / (l->azimuth * columns)), NOTHING);
}

static void find_white(struct grey *g, uint64_t *bins)
{
    uint64_t pixels = (uint64_t)g->width * g->height, below = 0;
    double strongest = NOTHING;
    for (uint32_t y = 0; y < g->height; y++) {
        average(g, y);
        for (uint32_t x = 0; x < g->width; x++) {
            double bin = fmin(fmax((g->row[x] - NOTHING) * BINS_OF_DB, 0), BINS - 1);
            strongest = fmax(strongest, g->row[x]);
            bins[(size_t)bin]++;
        }
    }
    size_t bin = 0;
    while (bin < BINS - 1 && (double)(below += bins[bin]) < WHITE_SHARE * (double)pixels)
        bin++;
    g->white = fmax((double)(bin + 1) / BINS_OF_DB + NOTHING, strongest - OUTSHINE);
}

static void paint(void *context, uint32_t y, void *samples)
{
    struct grey *g = context;
    uint8_t *grey = samples;
    average(g, g->looks->flip_lines ? g->height - 1 - y : y);
    for (uint32_t x = 0; x < g->width; x++) {
        double level = g->row[g->looks->flip_columns ? g->width - 1 - x : x];
        double share = 1 + (level - g->white) / g->looks->dynamic_range;
        grey[x] = level > NOTHING ? (uint8_t)lrint(255 * fmin(fmax(share, 0), 1)) : 0;
    }
}

/* ---- the file ------------------------------------------------------------------------------- */

int htmt__sar_picture_write(const char *path, const struct htmt__sar_image *image,
                            const struct htmt__sar_looks *looks, struct htmt_fault *fault)
{
    struct grey g = {.image = image, .looks = looks};
    int rc = htmt__sar_looks_check(looks, image->lines, image->samples, fault);
    if (rc)
        return rc;
    g.width = (uint32_t)((double)image->samples / range_looks(looks));
    g.height = (uint32_t)(image->lines / looks->azimuth);
    uint64_t *bins = calloc(BINS, sizeof *bins);
    g.row = calloc(g.width, sizeof *g.row);
    if (bins && g.row) {
        struct htmt__picture picture = {
            .width = g.width, .height = g.height, .channels = 1, .bits = 8};
        find_white(&g, bins);
        rc = htmt__picture_write_rows(path, &picture, paint, &g, fault);
    } else {
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a row", path);
    }
    free(g.row);
    free(bins);
    return rc;
}
