/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folded, one slice of a rendering gives what all slices give; what would break that is refused.
 */
#include "tests/parcels/accounts.h"
#include "tests/volume/stage.h"

static void folds(const struct scene *s)
{
    struct stage g;
    struct htmt_fault f = {0};
    set_up(s, &g);
    cr_assert_eq(htmt__volume_alike(&g.plan, g.camera, &g.casting, &f), 0, "%s", f.text);
    struct play all = play(&g, HTMT_NO_SYMMETRY), one = play(&g, HTMT_FOLDED);
    same_accounts(all.e, one.e);
    cr_expect_eq(htmt_event_count(all.e), s->slices * htmt_event_count(one.e));
    cr_expect(!memcmp(&all.tally, &one.tally, sizeof all.tally));
    end(&all);
    end(&one);
    htmt_machine_destroy(&g.machine);
}

Test(volume_fold, one_slice_stands_for_all_to_the_femtosecond)
{
    static const struct {
        uint32_t slices, subcubes, side;
    } sizes[] = {
        {4, 2, PIXELS},  {4, 4, PIXELS},  {16, 4, PIXELS},
        {16, 8, PIXELS}, {64, 8, PIXELS}, {64, 16, PIXELS},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int dram = 0; dram < 2; dram++) {
            struct scene s = plain;
            s.slices = sizes[i].slices;
            s.subcubes = sizes[i].subcubes;
            s.side = sizes[i].side;
            s.rays_in_dram = dram;
            folds(&s);
            s.longer = s.slices == s.subcubes ? 4 : 0; /* the last ones in depth are thin */
            folds(&s);
        }
}

Test(volume_fold, frames_follow_one_another_from_all_four_sides)
{
    struct scene s = plain;
    s.frames = FRAMES;
    folds(&s);
    s.slices = 16;
    s.side = PIXELS;
    folds(&s);
}

/* 10^3 voxels, 100 rays of 6 words and the table of 1024 words: CRAM for one parcel, two, many. */
Test(volume_fold, one_and_two_parcels_in_cram)
{
    static const char *const cram[] = {"layers.cram.memory.capacity=16 KiB",
                                       "layers.cram.memory.capacity=24 KiB"};
    for (int two = 0; two < 2; two++)
        for (uint32_t lanes = 1; lanes <= 4; lanes += 3) {
            struct scene s = plain;
            s.set = cram[two];
            s.side = PIXELS;
            s.lanes = lanes;
            s.double_buffer = two;
            folds(&s);
        }
}

/* No latencies: more happens at one instant. */
Test(volume_fold, ties_are_settled_alike_on_all_slices)
{
    struct scene s = plain;
    s.machine = "hereld-tables";
    for (s.slices = 4; s.slices <= 64; s.slices *= 4)
        for (s.lanes = 1; s.lanes <= 4; s.lanes++) {
            s.subcubes = 8;
            s.side = PIXELS;
            folds(&s);
        }
}

/* ---- what is not alike ---------------------------------------------------------------------- */

static void refused(const struct scene *s, const char *line)
{
    struct stage g;
    struct htmt_fault f = {0};
    set_up(s, &g);
    cr_expect_eq(htmt__volume_alike(&g.plan, g.camera, &g.casting, &f), HTMT_EUSAGE);
    cr_expect_str_eq(f.text, line);
    htmt_machine_destroy(&g.machine);
}

Test(volume_fold, views_that_are_not_along_an_axis_are_refused)
{
    struct scene s = plain;
    s.turn = 0.1;
    refused(&s, "--fold: found a parallel view along (-0.0905357 0.995893 0) in frame 0, expected "
                "a parallel one along an axis");
    s = plain;
    s.frames = 3;
    refused(&s, "--fold: found a parallel view along (-0.866025 -0.5 0) in frame 1, expected a "
                "parallel one along an axis");
    s = plain;
    s.perspective = true;
    refused(&s, "--fold: found a perspective view along (0 1 0) in frame 0, expected a parallel "
                "one along an axis");
}

Test(volume_fold, bundles_that_differ_are_refused)
{
    struct scene s = plain;
    s.side = 15;
    refused(&s, "--fold: found an image of 40 x 40 pixels, expected whole bundles of 15 x 15");
    s = plain;
    s.slices = 3;
    refused(
        &s,
        "--fold: found more than 5 of the 16 bundles in slice 0, expected as many in each of 3");
    s = plain;
    s.aside = 3;
    refused(&s, "--fold: frame 0, bundle 3 of slice 3: pixel 7 across looks through no subcube "
                "along x, expected its subcube 1, of 10 voxels as in bundle 0 of slice 0");
    s = plain;
    s.side = 2 * PIXELS;
    refused(&s, "--fold: frame 0, bundle 3 of slice 2: found its subcube (0 0 0) in slice 2, like "
                "that of bundle 1 of slice 1, expected one in each slice");
}

Test(volume_fold, subcubes_that_are_not_spread_evenly_are_refused)
{
    struct scene s = plain;
    s.slices = 16;
    s.longer = 4;
    refused(&s, "--fold: found 506 words of subcubes in slice 4, expected 568 as in slice 0");
    s.longer = CELLS;
    refused(&s, "--fold: frame 0, bundle 10 of slice 8: found its subcube (0 0 0) in slice 10, "
                "like that of bundle 2 of slice 2, expected one in each slice");
}
