/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/volume/ray.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const uint32_t dims[3] = {41, 31, 21};

/* One pixel: its ray is the line of sight. */
static struct htmt__volume_ray look(const double eye[3], const double focal[3], double step)
{
    struct htmt__volume_view view = {
        .perspective = true, .up = {0.1, 0.2, 0.9}, .angle = 1, .width = 1, .height = 1};
    struct htmt__volume_casting casting = {.step = step, .spacing = {1, 1, 1}};
    struct htmt__volume_camera camera;
    struct htmt__volume_ray ray;
    memcpy(view.eye, eye, sizeof view.eye);
    memcpy(view.focal, focal, sizeof view.focal);
    cr_assert_eq(htmt__volume_camera_create(&view, &camera, NULL), 0);
    htmt__volume_ray_of_pixel(&camera, dims, &casting, 0, 0, &ray);
    return ray;
}

Test(ray, a_step_that_divides_the_length_fills_it)
{
    for (int n = 1; n <= 64; n++) {
        struct htmt__volume_ray r = look((double[]){-50, 7, 8}, (double[]){0, 7, 8}, 40.0 / n);
        cr_expect_eq(r.samples, (uint32_t)n);
        cr_expect_float_eq(r.at[0], 0, 1e-5);
        cr_expect_float_eq(r.step[0], 40.0 / n, 1e-5);
    }
}

Test(ray, a_ray_begins_at_an_eye_inside_and_looks_ahead_only)
{
    struct htmt__volume_ray r = look((double[]){30, 7, 8}, (double[]){50, 7, 8}, 0.5);
    cr_expect_eq(r.samples, 20);
    cr_expect_float_eq(r.at[0], 30, 1e-5);
    r = look((double[]){-5, 7, 8}, (double[]){-50, 7, 8}, 0.5);
    cr_expect_eq(r.samples, 0, "the volume lies behind");
}

Test(ray, a_miss_has_no_samples)
{
    cr_expect_eq(look((double[]){-5, 30.01, 8}, (double[]){50, 30.01, 8}, 0.5).samples, 0);
    cr_expect_eq(look((double[]){-5, -0.01, 8}, (double[]){50, -0.01, 8}, 0.5).samples, 0);
    cr_expect_eq(look((double[]){-5, 20, 8}, (double[]){50, 200, 8}, 0.5).samples, 0);
    cr_expect_eq(look((double[]){-5, 30, 8}, (double[]){50, 30, 8}, 0.5).samples, 80, "on a face");
}

static double drawn(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* A point on a line through the box is inside it exactly for t in [t0, t1]: found by bisection. */
static double inside_length(const double eye[3], const double to[3])
{
    double d[3], size = 0, first = -1, last = -1;
    for (int a = 0; a < 3; a++)
        d[a] = to[a] - eye[a], size += d[a] * d[a];
    size = sqrt(size);
    const int n = 200000;
    for (int i = 0; i < n; i++) {
        double t = 200.0 * i / n;
        bool in = true;
        for (int a = 0; a < 3; a++) {
            double p = eye[a] + t * d[a] / size;
            in = in && p >= 0 && p <= dims[a] - 1.0;
        }
        if (in && first < 0)
            first = t;
        if (in)
            last = t;
    }
    return first < 0 ? 0 : last - first;
}

Test(ray, samples_lie_in_the_volume_and_fill_the_ray_to_half_a_step)
{
    uint64_t state = 1;
    for (int n = 0; n < 100; n++) {
        double eye[3], to[3], step = 0.1 + drawn(&state);
        for (int a = 0; a < 3; a++) {
            eye[a] = 140 * drawn(&state) - 50;
            to[a] = (dims[a] - 1) * drawn(&state);
        }
        struct htmt__volume_ray r = look(eye, to, step);
        cr_expect_float_eq(r.samples * step, inside_length(eye, to), 0.5 * step + 0.003);
        for (uint32_t k = 0; k < r.samples; k++)
            for (int a = 0; a < 3; a++) {
                float p = r.at[a] + ((float)k + 0.5f) * r.step[a];
                cr_expect(p > -1e-4 && p < (float)dims[a] - 1 + 1e-4, "sample %u at %g", k,
                          (double)p);
            }
    }
}

Test(ray, spacing_stretches_the_volume_not_the_step)
{
    struct htmt__volume_view view = {.eye = {300, 15, 10},
                                     .focal = {0, 15, 10},
                                     .up = {0, 0, 1},
                                     .half_height = 1,
                                     .width = 1,
                                     .height = 1};
    struct htmt__volume_casting casting = {.step = 0.5, .spacing = {3, 1, 2}};
    struct htmt__volume_camera camera;
    struct htmt__volume_ray r;
    cr_assert_eq(htmt__volume_camera_create(&view, &camera, NULL), 0);
    htmt__volume_ray_of_pixel(&camera, dims, &casting, 0, 0, &r);
    cr_expect_eq(r.samples, 240, "%u", r.samples);
    cr_expect_float_eq(r.step[0], -0.5 / 3, 1e-6);
    cr_expect_float_eq(r.at[2], 5, 1e-6);
}
