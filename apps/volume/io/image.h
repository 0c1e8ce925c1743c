/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Images of the volume renderer and their files.
 */
#ifndef HTMT_APPS_VOLUME_IO_IMAGE_H
#define HTMT_APPS_VOLUME_IO_IMAGE_H

#include "runtime/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* at[(row * width + column) * channels + channel], 0 black to 1 white, row 0 at the top. */
struct htmt__volume_image {
    uint32_t width, height;
    unsigned channels; /* 1 or 3 */
    float *at;
};

/* Write a file atomically. The ending of the name chooses the format: .png with `bits` bits (8 or
 * 16), level = round(value * most), clamped; .npy float32, (height, width) or (height, width, 3).
 */
int htmt__volume_image_write(const char *path, const struct htmt__volume_image *image,
                             unsigned bits, struct htmt_fault *fault);

/* Check that the file can be written later. Errors: HTMT_EUSAGE for another ending; those of the
 * file. */
int htmt__volume_image_check_output(const char *path, struct htmt_fault *fault);

#define HTMT__IMAGE_PATH_MOST 4096

/* The path of a frame: "head.png", frame 7 of 24, gives "head-07.png". A single frame has the path
 * itself. Errors: HTMT_ERANGE, no room. */
int htmt__volume_image_frame_path(const char *path, uint32_t frame, uint32_t frames, char *name,
                                  size_t room, struct htmt_fault *fault);

#endif
