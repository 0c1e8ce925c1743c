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

/* Complex NumPy array, c8 or c16. */
int htmt__sar_image_write(const char *path, const struct htmt__sar_image *image,
                          struct htmt_fault *fault);

/* Grey PNG of the log magnitude of powers averaged over looks. White is their 99.9th percentile, or
 * 25 dB below the strongest pixel if that is more. Black is dynamic_range below white. Pixels at
 * the ends that do not fill a whole look are left out. A column of the image that two pixels share
 * gives to each by its part. Flipped lines begin with the last. Errors: those of
 * apps/formats/picture.h and of htmt__sar_looks_check(). */
int htmt__sar_picture_write(const char *path, const struct htmt__sar_image *image,
                            const struct htmt__sar_looks *looks, struct htmt_fault *fault);

#endif
