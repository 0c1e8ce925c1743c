/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/scene.h"
#include "apps/sar/survey.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The search in a scene of points in noise, of a radar with that centroid. */
static int search(double centroid, uint32_t points, double noise, struct htmt__sar_ambiguity *found,
                  struct htmt_fault *fault)
{
    struct htmt__sar_target *targets = calloc(points, sizeof *targets);
    struct htmt__sar_raw raw = {0};
    struct htmt__sar_scene s = {
        .targets = targets, .target_count = points, .noise = noise, .bits = 8, .seed = 2};
    struct htmt__sar_doppler d;
    cr_assert_eq(htmt__sar_radar_named("ers", &s.radar, NULL), 0);
    s.radar.pulse = 10e-6;
    s.radar.chirp_rate *= 3.7;
    s.radar.lines = 1500;
    s.radar.samples = 600;
    s.radar.centroid = centroid;
    htmt__sar_scatter(&s.radar, 1, points, targets);
    cr_assert_eq(htmt__sar_scene_make(&s, &raw, fault), 0, "%s", fault->text);
    cr_assert_eq(htmt__sar_doppler_measure(&raw, s.radar.prf, &d, fault), 0);
    s.radar.centroid = 0;
    int rc = htmt__sar_ambiguity(&raw, &s.radar, d.fraction, found, fault);
    htmt__sar_raw_destroy(&raw);
    free(targets);
    return rc;
}

Test(ambiguity, the_right_number_gives_the_sharpest_trial_image)
{
    for (int number = -5; number <= 3; number += only_memory() ? 9 : 4) {
        struct htmt__sar_ambiguity found = {0};
        struct htmt_fault fault = {0};
        int rc = search(number * 1679.902 + 300, 200, 1, &found, &fault);
        cr_expect_eq(rc, 0, "%d: %s", number, fault.text);
        cr_expect_eq(found.number, number, "%d", found.number);
        cr_expect(found.searched);
        cr_expect_gt(found.margin, 0.2, "%g", found.margin);
        cr_expect_eq(abs(found.next - found.number), 1, "a neighbour is next");
    }
}

Test(ambiguity, a_margin_that_is_too_small_is_refused)
{
    struct htmt__sar_ambiguity found = {.number = 77};
    struct htmt_fault fault = {0};
    cr_expect_eq(search(300, 5, 20, &found, &fault), HTMT_EFORMAT);
    cr_expect_not_null(strstr(fault.text, "nats more entropy, expected 0.1 or more; give its"),
                       "%s", fault.text);
    cr_expect_eq(found.number, 77);
}

/* A search that sees the number only from afar must not stop at the last number it tries. */
Test(ambiguity, a_number_beyond_the_trials_is_refused)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    struct htmt__sar_ambiguity found = {.number = 77};
    struct htmt_fault fault = {0};
    cr_expect_eq(search(12 * 1679.902, 200, 1, &found, &fault), HTMT_EFORMAT);
    cr_expect_not_null(
        strstr(fault.text, "10 gives the sharpest trial image, and no number beyond"), "%s",
        fault.text);
    cr_expect_eq(found.number, 77);
}
