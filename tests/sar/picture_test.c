/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/picture.h"

#include "apps/formats/npy.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/htmt-picture-XXXXXX";

static void set_up(void)
{
    close(mkstemp(path));
}

static void clear(void)
{
    unlink(path);
}

TestSuite(picture, .init = set_up, .fini = clear);

/* Grey values of a PNG file by libpng's own reader; the caller frees them. */
static uint8_t *greys_of(uint32_t *width, uint32_t *height)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    cr_assert(png_image_begin_read_from_file(&png, path), "%s", png.message);
    png.format = PNG_FORMAT_GRAY;
    uint8_t *grey = malloc(PNG_IMAGE_SIZE(png));
    cr_assert(png_image_finish_read(&png, NULL, grey, 0, NULL), "%s", png.message);
    *width = png.width;
    *height = png.height;
    return grey;
}

/* The lines come in two parts. */
static int write_picture(const struct htmt__sar_image *image, const struct htmt__sar_looks *looks,
                         struct htmt_fault *fault)
{
    struct htmt__sar_picture *picture = NULL;
    struct htmt__sar_image part = *image;
    size_t line = image->samples * 2 * (image->single ? sizeof(float) : sizeof(double));
    int rc = htmt__sar_picture_create(looks, image->lines, image->samples, &picture, fault);
    if (rc)
        return rc;
    part.lines = image->lines / 2;
    htmt__sar_picture_add(picture, &part);
    part.at = (const char *)image->at + part.lines * line;
    part.lines = image->lines - part.lines;
    htmt__sar_picture_add(picture, &part);
    rc = htmt__sar_picture_write(picture, path, fault);
    htmt__sar_picture_destroy(&picture);
    return rc;
}

/* Pixel (line, sample) has 10^-line in all of its phase; decades of 20 dB. */
static void decades(float complex *at, uint32_t lines, uint32_t samples)
{
    for (uint32_t n = 0; n < lines * samples; n++) {
        double phase = n, size = pow(10, -(double)(n / samples));
        at[n] = (float)(size * cos(phase)) + I * (float)(size * sin(phase));
    }
}

/* White is the strongest, as it is all of the first line; 20 dB a line are 255 x 20 / 50 greys. */
Test(picture, greys_fall_with_decibels_and_lines_go_down)
{
    float complex at[4 * 200];
    decades(at, 4, 200);
    struct htmt__sar_image image = {.lines = 4, .samples = 200, .single = true, .at = at};
    struct htmt__sar_looks looks = {.azimuth = 1, .range = 1, .dynamic_range = 50};
    struct htmt_fault fault = {0};
    uint32_t width, height;
    cr_assert_eq(write_picture(&image, &looks, &fault), 0, "%s", fault.text);
    uint8_t *grey = greys_of(&width, &height);
    cr_assert(width == 200 && height == 4);
    cr_expect_float_eq(grey[0], 255, 1);
    cr_expect_float_eq(grey[200], 153, 1);
    cr_expect_float_eq(grey[400], 51, 1);
    cr_expect_eq(grey[600], 0);
    free(grey);
}

Test(picture, looks_average_powers_and_leave_out_what_fills_none)
{
    double complex at[5 * 7];
    for (int n = 0; n < 35; n++)
        at[n] = n / 7 % 2 ? 1 : 0.1; /* mean power of two lines 0.505 */
    for (int n = 0; n < 14; n += 7)
        at[n] = at[n + 1] = at[n + 2] = 10; /* the first look 100 */
    struct htmt__sar_image image = {.lines = 5, .samples = 7, .at = at};
    struct htmt__sar_looks looks = {.azimuth = 2, .range = 3, .dynamic_range = 50};
    uint32_t width, height;
    cr_assert_eq(write_picture(&image, &looks, NULL), 0);
    uint8_t *grey = greys_of(&width, &height);
    cr_assert(width == 2 && height == 2);
    cr_expect_float_eq(grey[0], 255, 1);
    cr_expect_float_eq(grey[1], 255 * (1 + 10 * log10(0.505 / 100) / 50), 1);
    cr_expect_eq(grey[1], grey[3]);
    free(grey);
}

/* Each pixel takes one and a half columns: the second is shared. */
Test(picture, columns_on_the_ground_share_what_lies_between)
{
    double complex at[2 * 5];
    static const double power[] = {1, 4, 1, 16, 9};
    for (int n = 0; n < 10; n++)
        at[n] = sqrt(power[n % 5]);
    struct htmt__sar_image image = {.lines = 2, .samples = 5, .at = at};
    struct htmt__sar_looks looks = {.azimuth = 1, .range = 1, .columns = 1.5, .dynamic_range = 50};
    uint32_t width, height;
    cr_assert_eq(write_picture(&image, &looks, NULL), 0);
    uint8_t *grey = greys_of(&width, &height);
    cr_assert(width == 3 && height == 2);
    static const double mean[] = {2, 2, 41 / 3.0};
    for (int x = 0; x < 3; x++)
        cr_expect_float_eq(grey[x], 255 * (1 + 10 * log10(mean[x] / (41 / 3.0)) / 50), 1);
    free(grey);
    looks.columns = 5.1;
    cr_expect_eq(write_picture(&image, &looks, NULL), HTMT_ERANGE);
    looks.columns = 0.5;
    cr_assert_eq(write_picture(&image, &looks, NULL), 0);
    grey = greys_of(&width, &height);
    cr_assert_eq(width, 10);
    for (int x = 0; x < 10; x += 2)
        cr_expect_eq(grey[x], grey[x + 1]);
    free(grey);
}

Test(picture, flipped_lines_and_columns_begin_at_the_other_end)
{
    float complex at[3 * 4];
    for (int n = 0; n < 12; n++)
        at[n] = (float)pow(10, -n / 20.0);
    struct htmt__sar_image image = {.lines = 3, .samples = 4, .single = true, .at = at};
    uint32_t width, height;
    uint8_t *grey[4];
    for (int flip = 0; flip < 4; flip++) {
        struct htmt__sar_looks looks = {.azimuth = 1,
                                        .range = 1,
                                        .dynamic_range = 50,
                                        .flip_lines = flip & 1,
                                        .flip_columns = flip & 2};
        cr_assert_eq(write_picture(&image, &looks, NULL), 0);
        grey[flip] = greys_of(&width, &height);
        cr_assert(width == 4 && height == 3);
    }
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++) {
            int here = 4 * y + x, up = 4 * (2 - y) + x, left = 4 * y + 3 - x;
            cr_expect_eq(grey[1][here], grey[0][up]);
            cr_expect_eq(grey[2][here], grey[0][left]);
            cr_expect_eq(grey[3][here], grey[1][left]);
        }
    for (int flip = 0; flip < 4; flip++)
        free(grey[flip]);
}

/* One pixel of a million must not make all others black. */
Test(picture, a_single_strong_pixel_is_outshone_by_no_more_than_25_decibels)
{
    double complex *at = calloc(100 * 100, sizeof *at);
    for (int n = 0; n < 10000; n++)
        at[n] = 1;
    at[5050] = 1000;
    struct htmt__sar_image image = {.lines = 100, .samples = 100, .at = at};
    struct htmt__sar_looks looks = {.azimuth = 1, .range = 1, .dynamic_range = 50};
    uint32_t width, height;
    cr_assert_eq(write_picture(&image, &looks, NULL), 0);
    uint8_t *grey = greys_of(&width, &height);
    cr_expect_float_eq(grey[0], 255 * (1 + (0 - 35) / 50.0), 1);
    cr_expect_eq(grey[5050], 255);
    free(grey);
    free(at);
}

Test(picture, an_image_of_zeros_is_black)
{
    double complex at[12] = {0};
    struct htmt__sar_image image = {.lines = 3, .samples = 4, .at = at};
    struct htmt__sar_looks looks = {.azimuth = 1, .range = 1, .dynamic_range = 50};
    uint32_t width, height;
    cr_assert_eq(write_picture(&image, &looks, NULL), 0);
    uint8_t *grey = greys_of(&width, &height);
    for (int n = 0; n < 12; n++)
        cr_expect_eq(grey[n], 0);
    free(grey);
}

Test(picture, the_array_has_the_images_numbers)
{
    float complex at[4 * 3];
    decades(at, 4, 3);
    struct htmt__sar_image image = {.lines = 4, .samples = 3, .single = true, .at = at};
    struct htmt__npy_shape shape;
    struct htmt_fault fault = {0};
    void *elements;
    struct htmt__npy *npy = NULL;
    cr_assert_eq(htmt__sar_image_create(path, &image, &npy, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__npy_append(npy, at, 12, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__npy_finish(&npy, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__npy_read(path, 1u << HTMT__NPY_C8, 2, &shape, &elements, &fault), 0, "%s",
                 fault.text);
    cr_expect(shape.size[0] == 4 && shape.size[1] == 3);
    cr_expect_eq(memcmp(elements, at, sizeof at), 0);
    free(elements);
}

Test(picture, looks_are_two_numbers_and_fit_the_image)
{
    struct htmt__sar_looks looks = {.dynamic_range = 7};
    cr_expect_eq(htmt__sar_looks_read("5x2", &looks, NULL), 0);
    cr_expect(looks.azimuth == 5 && looks.range == 2 && looks.dynamic_range == 7);
    cr_expect_eq(htmt__sar_looks_read("4", &looks, NULL), 0);
    cr_expect(looks.azimuth == 4 && looks.range == 1);
    static const char *const wrong[] = {"",   "0",     "4x",   "x4",  "4x0",
                                        "-1", "4x2x1", "4 x2", "1e3", "99999999999999999999"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct htmt_fault fault = {0};
        cr_expect_eq(htmt__sar_looks_read(wrong[k], &looks, &fault), HTMT_EUSAGE, "%s", wrong[k]);
    }
    struct htmt_fault fault = {0};
    looks.azimuth = 9;
    cr_expect_eq(htmt__sar_looks_check(&looks, 8, 8, &fault), HTMT_ERANGE);
    cr_expect_not_null(strstr(fault.text, "8 x 8 pixels"), "%s", fault.text);
}
