/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/io/image.h"

#include "apps/formats/npy.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Files of these tests: removed by the test that makes them. */
static char path[64];

static const char *fresh(const char *suffix)
{
    snprintf(path, sizeof path, "/tmp/htmt-image-%ld%s", (long)getpid(), suffix);
    return path;
}

static struct htmt__volume_image rising(unsigned channels)
{
    struct htmt__volume_image image = {5, 3, channels, calloc(15 * channels, sizeof(float))};
    cr_assert_not_null(image.at);
    for (unsigned n = 0; n < 15 * channels; n++)
        image.at[n] = (float)n / 10 - 0.2f;
    return image;
}

static void read_png(const char *from, png_uint_32 format, png_image *png, void *samples)
{
    *png = (png_image){.version = PNG_IMAGE_VERSION};
    cr_assert(png_image_begin_read_from_file(png, from));
    png->format = format;
    cr_assert(png_image_finish_read(png, NULL, samples, 0, NULL));
}

Test(image, png_holds_the_nearest_of_256_levels_and_nothing_beyond)
{
    for (unsigned channels = 1; channels <= 3; channels += 2) {
        struct htmt__volume_image image = rising(channels);
        png_byte levels[45];
        png_image png;
        cr_assert_eq(htmt__volume_image_write(fresh(".png"), &image, 8, NULL), 0);
        read_png(path, channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB, &png, levels);
        cr_expect(png.width == 5 && png.height == 3);
        for (unsigned n = 0; n < 15 * channels; n++) {
            double value = image.at[n] < 0 ? 0 : image.at[n] > 1 ? 1 : (double)image.at[n];
            double error = levels[n] - 255 * value;
            cr_expect(error <= 0.5 && error >= -0.5, "%u: %d", n, levels[n]);
        }
        free(image.at);
        unlink(path);
    }
}

Test(image, png_of_16_bits_is_256_times_finer)
{
    struct htmt__volume_image image = rising(1);
    cr_assert_eq(htmt__volume_image_write(fresh(".png"), &image, 16, NULL), 0);
    char *bytes = file_content(path, NULL);
    cr_expect(bytes[24] == 16 && bytes[25] == 0, "depth %d, colour type %d", bytes[24], bytes[25]);
    free(bytes);
    free(image.at);
    unlink(path);
}

Test(image, npy_holds_the_very_floats)
{
    for (unsigned channels = 1; channels <= 3; channels += 2) {
        struct htmt__volume_image image = rising(channels);
        struct htmt__npy_shape shape;
        void *elements = NULL;
        cr_assert_eq(htmt__volume_image_write(fresh(".npy"), &image, 8, NULL), 0);
        cr_assert_eq(htmt__npy_read(path, 1u << HTMT__NPY_F4, 0, &shape, &elements, NULL), 0);
        cr_expect(shape.rank == (channels == 1 ? 2 : 3) && shape.size[0] == 3 &&
                  shape.size[1] == 5);
        cr_expect_eq(memcmp(elements, image.at, 15 * channels * sizeof(float)), 0);
        free(elements);
        free(image.at);
        unlink(path);
    }
}

Test(image, other_names_are_refused_before_any_work)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__volume_image_check_output("a.jpg", &fault), HTMT_EUSAGE);
    cr_expect(strstr(fault.text, "a.jpg: expected a name that ends in .png or .npy"));
    cr_expect_eq(htmt__volume_image_check_output(".png", NULL), HTMT_EUSAGE);
    cr_expect_eq(htmt__volume_image_check_output("nowhere/a.png", NULL), HTMT_ENOENT);
    cr_expect_eq(htmt__volume_image_check_output("a.npy", NULL), 0);
}

Test(image, frames_are_numbered_with_as_many_digits_as_the_last)
{
    char name[32];
    cr_expect_eq(htmt__volume_image_frame_path("a/head.png", 0, 1, name, sizeof name, NULL), 0);
    cr_expect_str_eq(name, "a/head.png");
    cr_expect_eq(htmt__volume_image_frame_path("a/head.png", 7, 24, name, sizeof name, NULL), 0);
    cr_expect_str_eq(name, "a/head-07.png");
    cr_expect_eq(htmt__volume_image_frame_path("a/head.npy", 3, 10, name, sizeof name, NULL), 0);
    cr_expect_str_eq(name, "a/head-3.npy");
    cr_expect_eq(htmt__volume_image_frame_path("a/head.npy", 3, 10, name, 12, NULL), HTMT_ERANGE);
}
