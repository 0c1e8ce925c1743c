/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Focused images as files. Rows are azimuth lines in the order of flight, top to bottom. Columns
 * are slant range, with near range on the left.
 */
#ifndef HTMT_APPS_SAR_IO_PICTURE_H
#define HTMT_APPS_SAR_IO_PICTURE_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct htmt__npy;

/* An image, or lines of it. */
struct htmt__sar_image {
    uint64_t lines, samples;
    bool single;    /* complex float, else complex double */
    const void *at; /* pixel (line, sample) is number line * samples + sample */
};

struct htmt__sar_looks {
    uint32_t azimuth, range; /* pixels whose powers are averaged, 1 and more */
    double columns;          /* instead of `range`, fractions too; 0: range */
    double dynamic_range;    /* dB from black to white */
    bool flip_lines, flip_columns;
};

/* "4x2" or "4": azimuth x range. Errors: HTMT_EUSAGE. */
int htmt__sar_looks_read(const char *text, struct htmt__sar_looks *looks, struct htmt_fault *fault);

/* Refuse looks that are larger than an image of that size. Errors: HTMT_ERANGE. */
int htmt__sar_looks_check(const struct htmt__sar_looks *looks, uint64_t lines, uint64_t samples,
                          struct htmt_fault *fault);

/* Begin a complex NumPy array, c8 or c16, of an image of that size; htmt__npy_append() takes its
 * lines. Errors: those of htmt__npy_create(). */
int htmt__sar_image_create(const char *path, const struct htmt__sar_image *image,
                           struct htmt__npy **npy, struct htmt_fault *fault);

/* Grey PNG of the log magnitude of powers averaged over looks. White is their 99.9th percentile, or
 * 25 dB below the strongest pixel if that is more. Black is dynamic_range below white. Pixels at
 * the ends that do not fill a whole look are left out. A column of the image that two pixels share
 * gives to each by its part. Flipped lines begin with the last. */
struct htmt__sar_picture;

/* Host memory of the picture of an image of that size. */
double htmt__sar_picture_bytes(const struct htmt__sar_looks *looks, uint64_t lines,
                               uint64_t samples);
/* On success the caller gives *picture to htmt__sar_picture_destroy(). Errors: those of
 * htmt__sar_looks_check(), HTMT_ENOMEM. */
int htmt__sar_picture_create(const struct htmt__sar_looks *looks, uint64_t lines, uint64_t samples,
                             struct htmt__sar_picture **picture, struct htmt_fault *fault);
/* The next lines of the image. */
void htmt__sar_picture_add(struct htmt__sar_picture *picture, const struct htmt__sar_image *part);
/* When it has all lines. Errors: those of apps/formats/picture.h. */
int htmt__sar_picture_write(struct htmt__sar_picture *picture, const char *path,
                            struct htmt_fault *fault);
void htmt__sar_picture_destroy(struct htmt__sar_picture **picture); /* NULL inside accepted */

#endif
