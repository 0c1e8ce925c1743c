/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/ray.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct htmt__volume_view front(bool perspective)
{
    return (struct htmt__volume_view){.perspective = perspective,
                                      .eye = {90, 508, 90},
                                      .focal = {90, 108, 90},
                                      .up = {0, 0, 1},
                                      .angle = 40,
                                      .half_height = 128,
                                      .width = 64,
                                      .height = 32};
}

static struct htmt__volume_camera camera(const struct htmt__volume_view *view)
{
    struct htmt__volume_camera c;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__volume_camera_create(view, &c, &fault), 0, "%s", fault.text);
    return c;
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Looking along -y with z up, x grows to the left. */
Test(view, parallel_rays_start_at_pixel_centres_and_share_a_direction)
{
    struct htmt__volume_view view = front(false);
    struct htmt__volume_camera c = camera(&view);
    for (uint32_t j = 0; j < 32; j++)
        for (uint32_t i = 0; i < 64; i++) {
            double from[3], along[3];
            htmt__volume_camera_ray(&c, i, j, from, along);
            cr_expect_float_eq(from[0], 90 + 256 - 512 * (i + 0.5) / 64, 1e-10);
            cr_expect_float_eq(from[1], 508, 1e-10);
            cr_expect_float_eq(from[2], 90 + 128 - 256 * (j + 0.5) / 32, 1e-10);
            cr_expect(along[0] == 0 && along[1] == -1 && along[2] == 0);
        }
}

Test(view, a_perspective_image_spans_the_vertical_angle)
{
    struct htmt__volume_view view = front(true);
    view.height = view.width = 4096;
    struct htmt__volume_camera c = camera(&view);
    double from[3], top[3], bottom[3], left[3], right[3];
    htmt__volume_camera_ray(&c, 2048, 0, from, top);
    htmt__volume_camera_ray(&c, 2048, 4095, from, bottom);
    htmt__volume_camera_ray(&c, 0, 2048, from, left);
    htmt__volume_camera_ray(&c, 4095, 2048, from, right);
    cr_expect_eq(memcmp(from, view.eye, sizeof from), 0);
    double up = atan2(top[2], -top[1]), down = atan2(bottom[2], -bottom[1]);
    double across = atan2(left[0], -left[1]) - atan2(right[0], -right[1]), pixel = 40.0 / 4096;
    cr_expect_float_eq((up - down) * 180 / M_PI, 40, pixel);
    cr_expect_float_eq(across * 180 / M_PI, 40, pixel);
    cr_expect_float_eq(length(top), 1, 1e-14);
}

Test(view, up_need_be_neither_long_nor_square_to_the_view)
{
    struct htmt__volume_view view = front(false), other = view;
    double a[3], b[3], along[3];
    memcpy(other.up, (double[]){0, 1e-7, 1e-7}, sizeof other.up);
    struct htmt__volume_camera c = camera(&view), d = camera(&other);
    htmt__volume_camera_ray(&c, 5, 7, a, along);
    htmt__volume_camera_ray(&d, 5, 7, b, along);
    for (int i = 0; i < 3; i++)
        cr_expect_float_eq(a[i], b[i], 1e-9);
}

static void refuse(struct htmt__volume_view view, int code, const char *text)
{
    struct htmt_fault fault = {0};
    struct htmt__volume_camera c;
    cr_expect_eq(htmt__volume_camera_create(&view, &c, &fault), code, "%s", fault.text);
    cr_expect(strstr(fault.text, text), "'%s' is not in '%s'", text, fault.text);
}

Test(view, what_shows_nothing_is_refused)
{
    struct htmt__volume_view v = front(true);
    memcpy(v.up, (double[]){0, 0, 0}, sizeof v.up);
    refuse(v, HTMT_EINVAL, "an up vector of length 0");
    memcpy(v.up, (double[]){0, -3, 0}, sizeof v.up);
    refuse(v, HTMT_EINVAL, "up (0 -3 0) along the line of sight");
    v = front(true);
    memcpy(v.eye, v.focal, sizeof v.eye);
    refuse(v, HTMT_EINVAL, "the eye at the focal point (90 108 90)");
    v.eye[2] = NAN;
    refuse(v, HTMT_ERANGE, "for the eye");
    v = front(true);
    v.angle = 180;
    refuse(v, HTMT_ERANGE, "an angle of 180");
    v.angle = 0;
    refuse(v, HTMT_ERANGE, "an angle of 0");
    v = front(false);
    v.half_height = 0;
    refuse(v, HTMT_ERANGE, "a half height of 0");
    v = front(false);
    v.width = 0;
    refuse(v, HTMT_ERANGE, "an image of 0 x 32");
    v.width = 40000;
    refuse(v, HTMT_ERANGE, "an image of 40000 x 32");
}

Test(view, an_orbit_keeps_distance_and_height_and_closes)
{
    struct htmt__volume_view view = front(true), turned, last;
    view.eye[2] = 200;
    double radius = hypot(view.eye[0] - 90, view.eye[1] - 108);
    for (uint32_t n = 0; n < 12; n++) {
        htmt__volume_view_orbit(&view, n, 12, &turned);
        double x = turned.eye[0] - 90, y = turned.eye[1] - 108, angle = M_PI / 2 + n * M_PI / 6;
        cr_expect_float_eq(x, radius * cos(angle), 1e-9);
        cr_expect_float_eq(y, radius * sin(angle), 1e-9);
        cr_expect_float_eq(turned.eye[2], 200, 1e-9);
    }
    htmt__volume_view_orbit(&turned, 1, 12, &last);
    for (int a = 0; a < 3; a++)
        cr_expect_float_eq(last.eye[a], view.eye[a], 1e-9);
}

Test(view, quarters_of_an_orbit_look_exactly_along_an_axis)
{
    struct htmt__volume_view view = front(false), turned;
    struct htmt__volume_camera camera;
    for (uint32_t n = 0; n < 8; n += 2) {
        htmt__volume_view_orbit(&view, n, 8, &turned);
        cr_assert_eq(htmt__volume_camera_create(&turned, &camera, NULL), 0);
        int across = n % 4 ? 1 : 0; /* the front is seen along y */
        cr_expect(camera.forward[across] == 0 && camera.forward[2] == 0, "frame %u", n);
    }
}
