/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/volume/asked.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static struct htmt__volume_input scene(const char *const *given, bool data)
{
    struct htmt__volume_settings s;
    return ask_input(data, given, &s);
}

static void refuse(int code, const char *text, const char *const *given)
{
    struct htmt__volume_settings s;
    struct htmt__volume_input made;
    struct htmt_fault fault = {0};
    int rc = ask_settings(HTMT_RUN, given, &s, &fault);
    if (!rc)
        rc = htmt__volume_input_read(&small_machine, &s, true, &made, &fault);
    cr_expect_eq(rc, code, "%s: %s", given[1], fault.text);
    cr_expect(strstr(fault.text, text), "'%s' is not in '%s'", text, fault.text);
}

Test(settings, nothing_given_is_a_small_head_from_the_front)
{
    struct htmt__volume_input s = scene((const char *const[]){NULL}, true);
    cr_expect(s.volume.dims[0] == 64 && s.volume.dims[2] == 64 && s.volume.at);
    cr_expect(!s.camera->view.perspective && s.camera->view.width == 512);
    cr_expect(s.camera->forward[1] == -1 && s.camera->up[2] == 1);
    cr_expect(s.casting.step == 0.5 && fabs(s.casting.limit - 0.01) < 1e-15);
    cr_expect(s.casting.spacing[0] == 1 && !s.casting.shading.on);
    htmt__volume_input_destroy(&s);
}

Test(settings, what_is_given_of_a_view_stays)
{
    struct htmt__volume_input s =
        scene(GIVEN("dims", "181,217,181", "eye", "290,408,240", "angle", "30", "size", "640x480",
                    "frames", "4", "up", "0,0,2"),
              false);
    const struct htmt__volume_view *v = &s.camera->view;
    cr_expect(v->perspective && v->angle == 30 && v->width == 640 && v->height == 480);
    cr_expect(v->eye[0] == 290 && v->eye[1] == 408 && v->eye[2] == 240);
    cr_expect(v->focal[0] == 90 && v->focal[1] == 108 && v->focal[2] == 90);
    cr_expect_float_eq(s.camera[2].view.eye[0], -110, 1e-9, "half a turn later");
    cr_expect_float_eq(s.camera[2].view.eye[1], -192, 1e-9);
    htmt__volume_input_destroy(&s);
}

Test(settings, termination_may_be_off)
{
    struct htmt__volume_settings s;
    cr_assert_eq(ask_settings(HTMT_RUN, GIVEN("terminate", "off"), &s, NULL), 0);
    cr_expect_eq(s.casting.limit, -1);
    cr_assert_eq(ask_settings(HTMT_RUN, GIVEN("terminate", "1"), &s, NULL), 0);
    cr_expect_eq(s.casting.limit, 0);
}

Test(settings, a_model_needs_no_data_however_large)
{
    struct htmt__volume_input s = scene(GIVEN("dims", "20000,20000,20000", "alpha", "0.4"), false);
    cr_expect(!s.volume.at && s.volume.dims[1] == 20000);
    htmt__volume_input_destroy(&s);
}

/* Several processes keep no voxel of it, and find the same. */
Test(settings, a_volume_that_is_looked_through_has_its_range)
{
    struct htmt__volume_settings s;
    struct htmt__volume_input all = scene((const char *const[]){NULL}, true), range;
    cr_assert_eq(ask_settings(HTMT_RUN, (const char *const[]){NULL}, &s, NULL), 0);
    cr_assert_eq(htmt__volume_input_read(&small_machine, &s, HTMT__RANGE_ALONE, &range, NULL), 0);
    cr_expect(range.known && !range.volume.at);
    cr_expect_arr_eq(range.volume.dims, all.volume.dims, sizeof all.volume.dims);
    cr_expect_arr_eq(range.range, all.range, sizeof all.range);
    htmt__volume_input_destroy(&all);
    htmt__volume_input_destroy(&range);
}

Test(settings, a_window_is_the_functions_unless_given)
{
    struct htmt__volume_input s = scene(GIVEN("phantom", "8", "window", "0,51"), true);
    cr_expect_float_eq((double)(s.table.gain / 4), 5, 1e-6, "gain %g", (double)s.table.gain);
    htmt__volume_input_destroy(&s);
    s = scene(GIVEN("phantom", "8"), true);
    cr_expect_eq(s.table.gain, 4);
    htmt__volume_input_destroy(&s);
}

Test(settings, every_mistake_has_its_line)
{
    refuse(HTMT_EUSAGE, "--dims without --volume", GIVEN("dims", "8,8,8"));
    refuse(HTMT_ERANGE, "--dims: found 8,8,1", GIVEN("dims", "8,8,1"));
    refuse(HTMT_ERANGE, "--dims: found 8,8,2.5", GIVEN("dims", "8,8,2.5"));
    refuse(HTMT_ERANGE, "--dims: found 8,8,1e9", GIVEN("dims", "8,8,1e9"));
    refuse(HTMT_EUSAGE, "--dims: found '8x8x8'", GIVEN("dims", "8x8x8"));
    refuse(HTMT_EUSAGE, "--type: found 'double'", GIVEN("type", "double"));
    refuse(HTMT_EUSAGE, "--endian: found 'middle'", GIVEN("endian", "middle"));
    refuse(HTMT_EUSAGE, "--type without --dims", GIVEN("type", "int16"));
    refuse(HTMT_EUSAGE, "--endian without --dims", GIVEN("endian", "big"));
    refuse(HTMT_EUSAGE, "--phantom with --volume", GIVEN("phantom", "8", "volume", "a.nii"));
    refuse(HTMT_ERANGE, "--phantom: found 1,", GIVEN("phantom", "1"));
    refuse(HTMT_ENOENT, "no transfer function 'hard'", GIVEN("transfer", "hard"));
    refuse(HTMT_ENOENT, "none.yaml", GIVEN("transfer", "none.yaml"));
    refuse(HTMT_ERANGE, "--window: found 5,5", GIVEN("window", "5,5"));
    refuse(HTMT_ERANGE, "--spacing: found 1,0,1", GIVEN("spacing", "1,0,1"));
    refuse(HTMT_EUSAGE, "--spacing: found 'world'", GIVEN("spacing", "world"));
    refuse(HTMT_EUSAGE, "--orientation: found 'RAS'", GIVEN("orientation", "RAS"));
    refuse(HTMT_EUSAGE, "--view: found 'inside'", GIVEN("view", "inside"));
    refuse(HTMT_EUSAGE, "--view with --eye", GIVEN("view", "left", "eye", "1,2,3"));
    refuse(HTMT_EUSAGE, "--eye: found '1,2'", GIVEN("eye", "1,2"));
    refuse(HTMT_EINVAL, "the eye at the focal point", GIVEN("eye", "1,2,3", "focal", "1,2,3"));
    refuse(HTMT_EINVAL, "an up vector of length 0", GIVEN("up", "0,0,0"));
    refuse(HTMT_EINVAL, "along the line of sight", GIVEN("up", "0,1,0"));
    refuse(HTMT_EUSAGE, "--angle with --projection parallel",
           GIVEN("angle", "30", "projection", "parallel"));
    refuse(HTMT_EUSAGE, "--half-height with --angle", GIVEN("angle", "30", "half-height", "9"));
    refuse(HTMT_ERANGE, "an angle of 180", GIVEN("angle", "180"));
    refuse(HTMT_ERANGE, "a half height of -1", GIVEN("half-height", "-1"));
    refuse(HTMT_EUSAGE, "--size: found '5*5'", GIVEN("size", "5*5"));
    refuse(HTMT_EUSAGE, "--size: found '5x'", GIVEN("size", "5x"));
    refuse(HTMT_EUSAGE, "--size: found '5x5x5'", GIVEN("size", "5x5x5"));
    refuse(HTMT_ERANGE, "--size: found 0", GIVEN("size", "0"));
    refuse(HTMT_ERANGE, "--size: found 99999", GIVEN("size", "99999"));
    refuse(HTMT_ERANGE, "--frames: found 0", GIVEN("frames", "0"));
    refuse(HTMT_ERANGE, "--step: found 0,", GIVEN("step", "0"));
    refuse(HTMT_ERANGE, "--step: found 0.00390625, expected at least",
           GIVEN("step", "0.00390625", "spacing", "1e6,1,1"));
    refuse(HTMT_ERANGE, "--terminate: found 1.5", GIVEN("terminate", "1.5"));
    refuse(HTMT_EUSAGE, "--terminate: found 'never'", GIVEN("terminate", "never"));
    refuse(HTMT_EUSAGE, "--light: found '1,1'", GIVEN("light", "1,1"));
    refuse(HTMT_ERANGE, "--light: found 2,1,1,1", GIVEN("light", "2,1,1,1"));
    refuse(HTMT_EUSAGE, "a.jpg: expected a name", GIVEN("out", "a.jpg"));
    refuse(HTMT_ENOENT, "nowhere", GIVEN("out", "nowhere/a.png"));
    refuse(HTMT_EUSAGE, "--npy: a.png: expected", GIVEN("npy", "a.png"));
    refuse(HTMT_EUSAGE, "--bits: found '12'", GIVEN("bits", "12"));
    refuse(HTMT_EUSAGE, "--check: found 'half'", GIVEN("check", "half"));
    refuse(HTMT_ERANGE, "--subcube: found 0", GIVEN("subcube", "0"));
    refuse(HTMT_EUSAGE, "--rays: found 'hram'", GIVEN("rays", "hram"));
    refuse(HTMT_EUSAGE, "--alpha in a run", GIVEN("alpha", "0.4"));
    refuse(HTMT_ERANGE, "--voxel-bytes: found 0", GIVEN("voxel-bytes", "0"));
}
