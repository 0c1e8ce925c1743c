/* SPDX-License-Identifier: BSD-3-Clause
 * Class: fast.
 *
 * A real head against another renderer's images (vtk/README.md).
 */
#include "apps/volume/reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#define HEAD   "/usr/share/mricron/templates/ch2.nii.gz"
#define SIDE   512
#define PIXELS (SIDE * SIDE)

static const char function[] = "opacity: [[0, 0], [40, 0], [80, 0.02], [255, 0.2]]\n"
                               "grey: [[0, 0], [255, 1]]\n";

static const struct htmt__volume_view front = {.eye = {90, 508, 90},
                                               .focal = {90, 108, 90},
                                               .up = {0, 0, 1},
                                               .half_height = 128,
                                               .width = SIDE,
                                               .height = SIDE};
static const struct htmt__volume_view oblique = {.perspective = true,
                                                 .eye = {290, 408, 240},
                                                 .focal = {90, 108, 90},
                                                 .up = {0, 0, 1},
                                                 .angle = 30,
                                                 .width = SIDE,
                                                 .height = SIDE};

static void render(const struct htmt__volume_view *view, float *image)
{
    struct htmt__volume_casting casting = {.step = 0.5, .spacing = {1, 1, 1}, .limit = 0.01};
    struct htmt__volume v;
    struct htmt__volume_transfer t;
    struct htmt__volume_transfer_table l;
    struct htmt__volume_camera c;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__volume_read(HEAD, (struct htmt__volume_choice){0}, &v, &fault), 0, "%s",
                 fault.text);
    cr_assert_eq(htmt__volume_transfer_parse("A", function, strlen(function), &t, NULL), 0);
    cr_assert_eq(htmt__volume_transfer_table_create(&t, &v, &(struct htmt__volume_window){0}, 0.5,
                                                    HTMT__TRANSFER_TABLE_BYTES, &l, NULL),
                 0);
    cr_assert_eq(htmt__volume_camera_create(view, &c, NULL), 0);
    cr_assert_eq(htmt__volume_reference_image(&v, &l, &c, &casting, true, image, NULL, &fault), 0);
    htmt__volume_transfer_table_destroy(&l);
    htmt__volume_transfer_destroy(&t);
    htmt__volume_destroy(&v);
}

static void load(const char *path, png_byte *grey)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    cr_assert(png_image_begin_read_from_file(&png, path), "%s", path);
    cr_assert(png.width == SIDE && png.height == SIDE);
    png.format = PNG_FORMAT_GRAY;
    cr_assert(png_image_finish_read(&png, NULL, grey, 0, NULL));
}

struct difference {
    double mean, most, psnr;
};

/* Of the image moved to the right by `shift` pixels, in levels of 255. */
static struct difference compare(const float *image, const png_byte *theirs, int shift)
{
    double sum = 0, squares = 0, most = 0;
    for (int n = shift; n < PIXELS; n++) {
        double d = fabs(round(255 * (double)image[n - shift]) - theirs[n]);
        sum += d;
        squares += d * d;
        most = fmax(most, d);
    }
    return (struct difference){sum / PIXELS, most, 10 * log10(255 * 255 / (squares / PIXELS))};
}

static bool passes(const struct difference *d)
{
    return d->psnr >= 48 && d->mean <= 0.6 && d->most <= 30;
}

static void expect_alike(const struct htmt__volume_view *view, const char *path)
{
    static png_byte theirs[PIXELS];
    static float image[PIXELS];
    render(view, image);
    load(path, theirs);
    struct difference d = compare(image, theirs, 0), moved = compare(image, theirs, 1);
    cr_expect(passes(&d), "mean %g, most %g, PSNR %g dB", d.mean, d.most, d.psnr);
    cr_expect(!passes(&moved), "an image one pixel aside passes, too");
}

Test(vtk, a_head_is_as_another_renderer_shows_it_from_the_front_and_oblique_in_perspective)
{
    expect_alike(&front, "tests/volume/vtk/front.png");
    expect_alike(&oblique, "tests/volume/vtk/oblique.png");
}
