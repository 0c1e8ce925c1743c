/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The default view: all of the volume, as large as the image allows.
 */
#include "apps/volume/reference.h"
#include "tests/volume/asked.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIDE   40
#define PIXELS 200

static struct htmt__volume_input scene(bool data, const char *const *given)
{
    struct htmt__volume_settings s;
    return ask_input(data, given, &s);
}

/* How far the corners of the volume reach into an image: 1 is its edge. The eye must be before all
 * of them. */
static double reach_of(const struct htmt__volume_input *in, const struct htmt__volume_camera *c)
{
    double most = 0;
    for (int corner = 0; corner < 8; corner++) {
        double at[3] = {0};
        for (int a = 0; a < 3; a++) {
            double side = (in->volume.dims[a] - 1) * in->casting.spacing[a];
            double d = (corner >> a & 1 ? side : 0) - c->view.eye[a];
            at[0] += d * c->right[a], at[1] += d * c->up[a], at[2] += d * c->forward[a];
        }
        double scale = c->view.perspective ? at[2] : 1;
        cr_expect_gt(at[2], 0, "a corner lies behind the eye");
        most = fmax(most, fmax(fabs(at[0]) / c->half[0], fabs(at[1]) / c->half[1]) / scale);
    }
    return most;
}

static const char *const sides[] = {"front", "back", "left", "right", "above", "below", "oblique"};
static const char *const projections[] = {"parallel", "perspective"};
static const char *const sizes[] = {"200", "100x300", "300x100"};

Test(framing, the_volume_reaches_the_edge_of_the_image_and_not_beyond)
{
    for (int n = 0; n < 7 * 2 * 3; n++) {
        struct htmt__volume_input s =
            scene(false, GIVEN("dims", "30,50,20", "spacing", "1,2,3", "view", sides[n % 7],
                               "projection", projections[n / 7 % 2], "size", sizes[n / 14]));
        double reach = reach_of(&s, s.camera);
        cr_expect_float_eq(reach, 1, 1e-9, "%s, %s, %s: %g", sides[n % 7], projections[n / 7 % 2],
                           sizes[n / 14], reach);
        htmt__volume_input_destroy(&s);
    }
}

Test(framing, an_orbit_has_one_scale_and_shows_all_in_each_frame)
{
    for (int n = 0; n < 2; n++) {
        struct htmt__volume_input s =
            scene(false, GIVEN("dims", "30,50,20", "projection", projections[n], "frames", "9"));
        double most = 0, least = 1;
        for (int i = 0; i < 9; i++) {
            double reach = reach_of(&s, &s.camera[i]);
            most = fmax(most, reach), least = fmin(least, reach);
            cr_expect_eq(s.camera[i].half[1], s.camera[0].half[1]);
        }
        cr_expect_float_eq(most, 1, 1e-9, "%s: %g", projections[n], most);
        cr_expect_lt(least, 0.999, "%s: %g", projections[n], least);
        htmt__volume_input_destroy(&s);
    }
}

Test(framing, a_focal_point_aside_a_given_eye_and_a_wide_angle_still_show_all)
{
    const char *const *const views[] = {
        GIVEN("dims", "30,50,20", "focal", "3,4,5", "eye", "90,80,70"),
        GIVEN("dims", "30,50,20", "focal", "3,4,5", "angle", "60", "view", "left"),
        GIVEN("dims", "30,50,20", "angle", "178")};
    for (int n = 0; n < 3; n++) {
        struct htmt__volume_input s = scene(false, views[n]);
        cr_expect_float_eq(reach_of(&s, s.camera), 1, 1e-9, "view %d", n);
        htmt__volume_input_destroy(&s);
    }
}

/* A ball that touches the faces of its cube, in a file of raw bytes. */
static void save_ball(const char *path)
{
    FILE *f = fopen(path, "wb");
    double middle = (SIDE - 1) / 2.0;
    cr_assert_not_null(f);
    for (int n = 0; n < SIDE * SIDE * SIDE; n++) {
        double x = n % SIDE - middle, y = n / SIDE % SIDE - middle, z = n / SIDE / SIDE - middle;
        fputc(x * x + y * y + z * z <= middle * middle ? 200 : 0, f);
    }
    fclose(f);
}

static void expect_share(const char *path, const char *view, double expected)
{
    static float image[PIXELS * PIXELS];
    struct htmt__volume_input s =
        scene(true, GIVEN("volume", path, "dims", "40,40,40", "size", "200", "view", view));
    int lit = 0;
    cr_assert_eq(htmt__volume_reference_image(&s.volume, &s.table, s.camera, &s.casting, true,
                                              image, NULL, NULL),
                 0);
    for (int n = 0; n < PIXELS * PIXELS; n++)
        lit += image[n] > 0;
    htmt__volume_input_destroy(&s);
    double share = (double)lit / (PIXELS * PIXELS);
    cr_expect_float_eq(share, expected, 0.03, "%s: %g, expected %g", view, share, expected);
}

/* Half a voxel of blur belongs to the ball. From an axis pi/4 of the square. Along (0.4, 0.6, 0.3)
 * the cube is wider and higher than its side by the sums of the parts of right and up. */
Test(framing, a_ball_lights_the_share_of_pixels_that_geometry_gives)
{
    char path[] = "/tmp/htmt-ball-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    save_ball(path);
    expect_share(path, "front", M_PI / 4);
    expect_share(path, "above", M_PI / 4);
    double flat = hypot(0.4, 0.6), all = hypot(flat, 0.3);
    double high = (0.3 * 0.4 / flat + 0.3 * 0.6 / flat + flat) / all, wide = (0.4 + 0.6) / flat;
    expect_share(path, "oblique", M_PI / 4 / pow(fmax(high, wide), 2));
    unlink(path);
}
