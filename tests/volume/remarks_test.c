/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files in their true proportions and orientation by default, and what is said of them.
 */
#include "apps/lib/task_parts.h"
#include "apps/volume/reference.h"
#include "apps/volume/remarks.h"
#include "tests/runtime/share.h"
#include "tests/volume/asked.h"
#include "tests/volume/files.h"

#include <math.h>

#define PIXELS 240
#define LAYERS 20
#define VOXELS (48 * 48 * LAYERS)

TestSuite(remarks, .init = enter, .fini = leave);

/* ---- a ball --------------------------------------------------------------------------------- */

/* 48 x 48 x 20 voxels of 1 x 1 x 2.4: a ball of radius 22 with a bright part to the right, front
 * and head. `back`: a bit for each axis that the file has the other way round. */
static void save_ball(const char *name, int back, bool oriented)
{
    static unsigned char bytes[352 + VOXELS];
    static const int dims[3] = {48, 48, LAYERS};
    static const double side[3] = {1, 1, 2.4};
    nifti(bytes, 2, 8, false);
    for (int a = 0; a < 3; a++) {
        put16(bytes + 42 + 2 * a, dims[a], false);
        put_float(bytes + 80 + 4 * a, (float)side[a], false);
        put_float(bytes + 280 + 20 * a, (float)(back >> a & 1 ? -side[a] : side[a]), false);
    }
    put16(bytes + 254, oriented, false);
    for (int n = 0; n < VOXELS; n++) {
        int at[3] = {n % 48, n / 48 % 48, n / (48 * 48)};
        double r = 0, q = 0;
        for (int a = 0; a < 3; a++) {
            int place = back >> a & 1 ? dims[a] - 1 - at[a] : at[a];
            double d = (place - (dims[a] - 1) / 2.0) * side[a];
            r += d * d;
            q += (d - 10) * (d - 10);
        }
        bytes[352 + n] = r > 22 * 22 ? 0 : q < 36 ? 200 : 90;
    }
    save(name, bytes, sizeof bytes);
}

static void render(const char *const *given, float image[PIXELS * PIXELS])
{
    struct htmt__volume_settings s;
    struct htmt__volume_input in = ask_input(true, given, &s);
    cr_assert_eq(htmt__volume_reference_image(&in.volume, &in.table, in.camera, &in.casting, true,
                                              image, NULL, NULL),
                 0);
    htmt__volume_input_destroy(&in);
}

/* Columns and rows with lit pixels. */
static void extent_of(const float *image, int extent[2])
{
    bool lit[2][PIXELS] = {{false}};
    extent[0] = extent[1] = 0;
    for (int n = 0; n < PIXELS * PIXELS; n++)
        if (image[n] > 0.05f)
            lit[0][n % PIXELS] = lit[1][n / PIXELS] = true;
    for (int n = 0; n < 2 * PIXELS; n++)
        extent[n / PIXELS] += lit[n / PIXELS][n % PIXELS];
}

static float image[PIXELS * PIXELS], other[PIXELS * PIXELS];

/* 44 of 47 (45.6 high) units wide: 5.1 pixels a unit. */
Test(remarks, a_ball_of_flat_voxels_looks_round)
{
    static const char *const views[] = {"front", "left", "above"};
    int extent[2];
    save_ball("ball.nii", 0, false);
    const char *name = strdup(file("ball.nii"));
    for (int n = 0; n < 3; n++) {
        render(GIVEN("volume", name, "size", "240", "view", views[n]), image);
        extent_of(image, extent);
        cr_expect_lt(abs(extent[0] - extent[1]), 8, "%s: %d x %d", views[n], extent[0], extent[1]);
        cr_expect_gt(extent[0], 210, "%s: %d", views[n], extent[0]);
    }
    render(GIVEN("volume", name, "size", "240", "spacing", "index"), image);
    extent_of(image, extent);
    cr_expect_gt(extent[0], 2 * extent[1], "index: %d x %d", extent[0], extent[1]);
    free((char *)name);
}

/* The bright part is on the patient's right, which the front shows on the left, above. */
static bool right_is_left(const float *of)
{
    double left = 0, right = 0;
    for (int n = 0; n < PIXELS * PIXELS / 2; n++)
        *(n % PIXELS < PIXELS / 2 ? &left : &right) += (double)of[n];
    return left > 1.05 * right;
}

Test(remarks, the_picture_does_not_depend_on_the_order_of_the_files_voxels)
{
    save_ball("ras.nii", 0, true);
    char *ras = strdup(file("ras.nii"));
    render(GIVEN("volume", ras, "size", "240"), image);
    cr_expect(right_is_left(image));
    for (int back = only_memory() ? 6 : 1; back < 8; back++) {
        save_ball("back.nii", back, true);
        render(GIVEN("volume", file("back.nii"), "size", "240"), other);
        cr_expect_eq(memcmp(image, other, sizeof image), 0, "backwards: %d", back);
    }
    save_ball("las.nii", 1, true);
    render(GIVEN("volume", file("las.nii"), "size", "240", "orientation", "index"), other);
    cr_expect(!right_is_left(other));
    free(ras);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static double step_of(float spacing, const char *given)
{
    unsigned char bytes[512];
    struct htmt__volume_settings s;
    nifti(bytes, 2, 8, false);
    voxels(bytes + 352, HTMT__UINT8, false);
    for (int a = 0; a < 3; a++)
        put_float(bytes + 80 + 4 * a, spacing, false);
    save("a.nii", bytes, 376);
    struct htmt__volume_input in =
        ask_input(true, GIVEN("volume", file("a.nii"), "step", given), &s);
    double step = in.casting.step;
    htmt__volume_input_destroy(&in);
    return step;
}

Test(remarks, fine_grids_have_fine_steps_unless_one_is_given)
{
    cr_expect_eq(step_of(2, NULL), 0.5);
    cr_expect_eq(step_of(0.5f, NULL), 0.5);
    cr_expect_eq(step_of(0.125f, NULL), 0.125);
    cr_expect_eq(step_of(0.125f, "0.25"), 0.25);
}

/* ---- doubts --------------------------------------------------------------------------------- */

/* A small file of one type, its header mended: a float at each of two offsets, 0 for none. */
static void save_mended(int code, int bits, int offset, float value, bool oriented)
{
    unsigned char bytes[512] = {0};
    nifti(bytes, code, bits, false);
    put16(bytes + 254, oriented, false);
    for (int a = 0; a < 3; a++)
        put_float(bytes + 280 + 20 * a, (float)(a + 1) / 2, false);
    for (int n = 0; n < 24; n++) {
        int32_t number = bits == 32 ? 16777217 + 2 * n : 5;
        memcpy(bytes + 352 + n * bits / 8, &number, (size_t)bits / 8);
    }
    if (offset)
        put_float(bytes + offset, value, false);
    save("a.nii", bytes, 352 + 24 * (size_t)bits / 8);
}

static void expect_doubt(const char *name, const char *text)
{
    struct htmt__volume_settings s;
    struct htmt_warnings w = {0};
    struct htmt__volume_input in = ask_input(true, GIVEN("volume", file("a.nii")), &s);
    bool found = false;
    htmt__volume_doubt_input(&s, &in, &w);
    for (unsigned n = 0; n < w.count; n++)
        found |= !strcmp(w.item[n].name, name) && strstr(w.item[n].text, text);
    cr_expect(found, "%u warnings, not '%s': '%s'; the first: %s", w.count, name, text,
              w.item[0].text);
    htmt__volume_input_destroy(&in);
}

Test(remarks, what_is_doubtful_in_a_file_is_said)
{
    save_mended(2, 8, 88, 0, false);
    expect_doubt("spacing", "a distance of 0 for grid points along axis 3: 1 taken");
    save_mended(2, 8, 80, NAN, false);
    expect_doubt("spacing", "a distance of nan for grid points along axis 1: 1 taken");
    save_mended(2, 8, 88, 0, true);
    expect_doubt("spacing", "a distance of 0 for grid points along axis 3: 1.5 taken");
    save_mended(2, 8, 88, 3, true);
    expect_doubt("spacing",
                 "a distance of 3 for grid points along axis 3, its orientation matrix 1.5");
    save_mended(2, 8, 284, 0.5f, true);
    expect_doubt("oblique", "degrees off RAS");
    save_mended(8, 32, 0, 0, false);
    expect_doubt("rounding", "int32 became float32: numbers of the file changed by up to 1");
    save_mended(2, 8, 0, 0, false);
    expect_doubt("constant", "every voxel has the value 5");
}

Test(remarks, a_sound_file_gives_no_warning)
{
    struct htmt__volume_settings s;
    struct htmt_warnings w = {0};
    save_ball("ball.nii", 5, true);
    struct htmt__volume_input in = ask_input(true, GIVEN("volume", file("ball.nii")), &s);
    htmt__volume_doubt_input(&s, &in, &w);
    cr_expect_eq(w.count, 0, "%s", w.item[0].text);
    htmt__volume_input_destroy(&in);
}

/* ---- pictures ------------------------------------------------------------------------------- */

static void expect_picture(const float *level, uint64_t inside, uint64_t taken, const char *name,
                           const char *text)
{
    struct htmt__volume_settings s;
    static struct htmt_outcome out;
    const struct htmt__volume_tally tally = {.inside = inside, .taken = taken};
    struct htmt__volume_input in = ask_input(true, GIVEN("phantom", "8"), &s);
    out = (struct htmt_outcome){.correct = -1};
    struct htmt_task task = {.out = &out, .warnings = &out.warnings};
    const struct htmt__volume_picture picture = {&in, &tally, level, 4, 1};
    htmt__volume_remark_picture(&picture, &task);
    cr_expect_eq(out.warnings.count, name != NULL, "%s", out.warnings.item[0].text);
    if (name) {
        cr_expect_str_eq(out.warnings.item[0].name, name);
        cr_expect(strstr(out.warnings.item[0].text, text), "%s", out.warnings.item[0].text);
    }
    htmt__volume_input_destroy(&in);
}

Test(remarks, a_black_or_constant_picture_is_explained)
{
    static const float black[4] = {0}, faint[4] = {0, 0.01f, 0, 0}, even[4] = {0.5, 0.5, 0.5, 0.5},
                       good[4] = {0, 0.5, 0.2f, 0};
    expect_picture(black, 0, 0, "black", "no ray meets the volume");
    expect_picture(black, 4, 0, "black", "the transfer function makes all values invisible");
    expect_picture(faint, 4, 9, "black", "its brightest level is 0.01 of 1");
    expect_picture(even, 4, 9, "constant-picture", "every pixel has the level 0.5");
    expect_picture(good, 4, 9, NULL, NULL);
}
