/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PNG pictures by libpng: grey or RGB, 8 or 16 bits a sample, rows from above, whole or not at all.
 * The same samples give the same bytes: no time and no text is put into the file.
 */
#ifndef HTMT_APPS_FORMATS_PICTURE_H
#define HTMT_APPS_FORMATS_PICTURE_H

#include "runtime/base/error.h"

#include <stdint.h>

struct htmt__picture {
    uint32_t width, height; /* 1 to 1,000,000 each */
    unsigned channels;      /* 1 grey, 3 RGB */
    unsigned bits;          /* 8: a sample is a uint8_t; 16: a uint16_t of the host */
};

/* Errors: those of runtime/base/whole_file.h, HTMT_EINVAL (a size, channels or bits out of range).
 */
int htmt__picture_write(const char *path, const struct htmt__picture *picture, const void *samples,
                        struct htmt_fault *fault);

/* The same, a row at a time: row(context, y, samples) fills in width x channels samples.
 * Errors: as above. */
int htmt__picture_write_rows(const char *path, const struct htmt__picture *picture,
                             void (*row)(void *context, uint32_t y, void *samples), void *context,
                             struct htmt_fault *fault);

#endif
