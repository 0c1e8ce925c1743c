/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Images of a rendering: PNG with 8 or 16 bits of a level for people, the very floats in .npy for
 * programs. A level between 0 and 1 becomes the nearest of 2^bits whole ones, floor(most x + 1/2),
 * and what lies beyond 0 or 1 becomes the end. The name's ending chooses the format, and is checked
 * before any work begins.
 */
#include "apps/volume/io/image.h"

#include "apps/formats/npy.h"
#include "apps/formats/picture.h"
#include "runtime/base/whole_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && !strcmp(path + n - m, suffix);
}

struct rows {
    const struct htmt__volume_image *image;
    unsigned bits;
};

static void quantise(void *context, uint32_t y, void *samples)
{
    const struct rows *r = context;
    size_t n = (size_t)r->image->width * r->image->channels;
    const float *from = r->image->at + n * y;
    double most = r->bits == 8 ? UINT8_MAX : UINT16_MAX;
    for (size_t i = 0; i < n; i++) {
        double level = floor(most * fmin(fmax((double)from[i], 0), 1) + 0.5);
        if (r->bits == 8)
            ((uint8_t *)samples)[i] = (uint8_t)level;
        else
            ((uint16_t *)samples)[i] = (uint16_t)level;
    }
}

int htmt__volume_image_write(const char *path, const struct htmt__volume_image *image,
                             unsigned bits, struct htmt_fault *fault)
{
    const struct htmt__npy_shape shape = {.type = HTMT__NPY_F4,
                                          .rank = image->channels == 1 ? 2 : 3,
                                          .size = {image->height, image->width, image->channels}};
    const struct htmt__picture picture = {image->width, image->height, image->channels, bits};
    struct rows rows = {image, bits};
    int rc = htmt__volume_image_check_output(path, fault);
    if (rc)
        return rc;
    return ends_in(path, ".npy") ? htmt__npy_write(path, &shape, image->at, fault)
                                 : htmt__picture_write_rows(path, &picture, quantise, &rows, fault);
}

int htmt__volume_image_check_output(const char *path, struct htmt_fault *fault)
{
    if (!ends_in(path, ".png") && !ends_in(path, ".npy"))
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: expected a name that ends in .png or .npy",
                              path);
    return htmt_whole_file_check(path, fault);
}

/* Frame 7 of 24 of "a/head.png" is "a/head-07.png", with as many digits as the last one needs, so
 * that names sort as frames do. A single image keeps its name. */
int htmt__volume_image_frame_path(const char *path, uint32_t frame, uint32_t frames, char *name,
                                  size_t room, struct htmt_fault *fault)
{
    const char *dot = strrchr(path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);
    int digits = snprintf(NULL, 0, "%u", frames - 1), n = 0;
    if (frames < 2)
        n = snprintf(name, room, "%s", path);
    else
        n = snprintf(name, room, "%.*s-%0*u%s", stem, path, digits, frame, path + stem);
    if (n >= 0 && (size_t)n < room)
        return 0;
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "found a file name of %zu characters, expected fewer than %zu with the "
                          "number of the frame",
                          strlen(path), room);
}
