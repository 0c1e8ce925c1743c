/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The promises of a plan, point by point, and the sizes of the paper's patch.
 */
#include "apps/sar/plan.h"

#include "apps/sar/geometry.h"
#include "apps/sar/io/scene.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct htmt__sar_problem problem(const char *radar)
{
    struct htmt__sar_problem p = {.rcmc = HTMT__RCMC_AUTO};
    cr_assert_eq(htmt__sar_radar_named(radar, &p.radar, NULL), 0);
    return p;
}

static struct htmt__sar_plan plan_for(const struct htmt__sar_problem *problem)
{
    struct htmt_fault fault = {0};
    struct htmt__sar_plan p;
    cr_assert_eq(htmt__sar_plan(problem, &p, &fault), 0, "%s", fault.text);
    return p;
}

static void refuse(const struct htmt__sar_problem *problem, const char *text)
{
    struct htmt_fault fault = {0};
    struct htmt__sar_plan p = {.lines = 77};
    cr_expect_eq(htmt__sar_plan(problem, &p, &fault), HTMT_ERANGE, "%s", fault.text);
    cr_expect(strstr(fault.text, text), "'%s' lacks '%s'", fault.text, text);
    cr_expect_eq(p.lines, 77, "a failed plan changed its result");
}

/* Hereld et al., section 3.2.2: 4096 lines of 11,812 points, transforms of 16,384 and 4096. */
Test(plan, the_papers_patch_gets_the_papers_transforms_and_keeps_its_size)
{
    struct htmt__sar_problem q = problem("ers");
    q.radar.samples = 11812;
    q.rcmc = HTMT__RCMC_OFF;
    q.keep_edges = true;
    struct htmt__sar_plan p = plan_for(&q);
    cr_expect(p.range_length == 16384 && p.azimuth_length == 4096);
    cr_expect(p.lines == 4096 && p.samples == 11812 && p.patches == 1 && !p.rcmc);
}

Test(plan, migration_is_corrected_where_the_spectrum_migrates_half_a_cell)
{
    struct htmt__sar_problem q = problem("ers");
    cr_expect(plan_for(&q).rcmc);
    q.radar.carrier = 10e9; /* half the wavelength: a quarter of the migration */
    cr_expect(!plan_for(&q).rcmc);
    q.radar.centroid = 5000;
    cr_expect(plan_for(&q).rcmc);
    q.rcmc = HTMT__RCMC_OFF;
    cr_expect(!plan_for(&q).rcmc);
}

/* One column's cells for one bin. */
static bool is_inside(const struct htmt__sar_plan *p, int64_t bin, int64_t column)
{
    struct htmt__sar_track t = htmt__sar_plan_track(p, bin);
    int64_t cell = (t.start + column * t.step) >> HTMT__SAR_FRACTION_BITS;
    return cell >= HTMT__SAR_BEFORE &&
           cell + HTMT__SAR_TAPS - HTMT__SAR_BEFORE <= (int64_t)p->compressed;
}

static bool is_all_inside(const struct htmt__sar_plan *p, int64_t column)
{
    for (uint32_t j = 0; j < p->band; j++)
        if (!is_inside(p, p->band_first + j, column))
            return false;
    return true;
}

Test(plan, every_column_of_the_image_has_all_its_cells_and_no_more_would_have)
{
    const char *radars[] = {"ers", "radarsat", "small"};
    for (int i = 0; i < 3; i++) {
        struct htmt__sar_problem q = problem(radars[i]);
        q.rcmc = HTMT__RCMC_ON;
        struct htmt__sar_plan p = plan_for(&q);
        cr_expect(is_all_inside(&p, 0) && is_all_inside(&p, p.samples - 1), "%s", radars[i]);
        cr_expect(!is_all_inside(&p, -1) && !is_all_inside(&p, p.samples + 1), "%s", radars[i]);
        cr_expect_eq(p.compressed, q.radar.samples - htmt__sar_pulse_samples(&q.radar) + 1);
    }
}

Test(plan, tracks_are_where_the_geometry_says_to_half_a_phase)
{
    struct htmt__sar_problem q = problem("radarsat");
    struct htmt__sar_plan p = plan_for(&q);
    for (int64_t bin = p.band_first; bin < p.band_first + p.band; bin += 97)
        for (uint32_t c = 0; c < p.samples; c += 311) {
            struct htmt__sar_track t = htmt__sar_plan_track(&p, bin);
            double range = htmt__sar_plan_range(&p, c), f = htmt__sar_plan_frequency(&p, bin);
            double cell = (range - q.radar.near_range) / htmt__sar_spacing(&q.radar) +
                          htmt__sar_migration(&q.radar, range, f);
            double taken = (double)((t.start + c * t.step) >> 30) / 1024;
            cr_assert_float_eq(taken, cell, 0.5 / 1024 + 1e-6);
        }
}

/* A point of image line `line` at `range` is lit, within the band, in lines that its patch has. */
static bool is_exposed(const struct htmt__sar_plan *p, const struct htmt__sar_patch *patch,
                       uint32_t line, double range)
{
    const struct htmt__sar_radar *r = &p->radar;
    double passed = (double)(p->first_line + line), half = r->bandwidth / 2;
    double from = passed + htmt__sar_exposure(r, range, r->centroid + half);
    double to = passed + htmt__sar_exposure(r, range, r->centroid - half);
    return from >= patch->first && to <= patch->first + p->patch_lines - 1;
}

static void tiles(const struct htmt__sar_plan *p)
{
    double near = htmt__sar_plan_range(p, 0), far = htmt__sar_plan_range(p, p->samples - 1);
    uint32_t next = 0;
    for (uint32_t i = 0; i < p->patches; i++) {
        struct htmt__sar_patch patch = htmt__sar_plan_patch(p, i);
        cr_assert(patch.image_line == next && patch.lines > 0);
        cr_assert(patch.first + p->patch_lines <= p->radar.lines);
        int64_t number = p->first_line + patch.image_line - patch.first;
        cr_assert_eq((number - (int64_t)patch.row) % (int64_t)p->azimuth_length, 0);
        next = patch.image_line + patch.lines;
        for (uint32_t end = 0; end < 2 && !p->keep_edges; end++)
            cr_assert(is_exposed(p, &patch, end ? next - 1 : patch.image_line, near) &&
                      is_exposed(p, &patch, end ? next - 1 : patch.image_line, far));
    }
    cr_assert_eq(next, p->lines);
}

Test(plan, patches_tile_the_image_and_give_only_lines_in_full_exposure)
{
    for (uint32_t lines = 1400; lines < 30000; lines += 1237)
        for (int i = 0; i < 4; i++) {
            struct htmt__sar_problem q = problem(i % 2 ? "radarsat" : "ers");
            q.radar.lines = lines;
            q.keep_edges = i / 2;
            struct htmt__sar_plan p = plan_for(&q);
            tiles(&p);
            cr_expect_eq(p.lines, q.keep_edges ? lines : lines - p.overlap);
            cr_expect_eq(p.patches == 1, lines <= 4096);
        }
}

Test(plan, no_line_more_than_necessary_is_lost)
{
    struct htmt__sar_problem q = problem("radarsat");
    struct htmt__sar_plan p = plan_for(&q);
    struct htmt__sar_patch patch = htmt__sar_plan_patch(&p, 0);
    double near = htmt__sar_plan_range(&p, 0), far = htmt__sar_plan_range(&p, p.samples - 1);
    cr_expect(!is_exposed(&p, &patch, p.lines, far) || !is_exposed(&p, &patch, p.lines, near));
    p.first_line--;
    cr_expect(!is_exposed(&p, &patch, 0, far) || !is_exposed(&p, &patch, 0, near));
}

/* - c f R / (2 V^2 carrier): 4 s after closest approach. */
Test(plan, a_squinted_image_lies_thousands_of_lines_before_its_data)
{
    struct htmt__sar_problem q = problem("radarsat");
    struct htmt__sar_plan p = plan_for(&q);
    double late = htmt__sar_exposure(&q.radar, q.radar.near_range, q.radar.centroid);
    cr_expect(late > 4900 && late < 5000);
    cr_expect(fabs((double)(p.first_line + p.lines / 2) + late - q.radar.lines / 2.0) < 50);
}

Test(plan, the_band_is_every_bin_within_half_the_bandwidth_of_the_centroid)
{
    const double width[] = {300, 1000, 1256.98};
    for (int i = 0; i < 3; i++) {
        struct htmt__sar_problem q = problem("radarsat");
        q.radar.bandwidth = width[i];
        q.keep_edges = true;
        struct htmt__sar_plan p = plan_for(&q);
        double first = htmt__sar_plan_frequency(&p, p.band_first) - q.radar.centroid;
        double last = htmt__sar_plan_frequency(&p, p.band_first + p.band - 1) - q.radar.centroid;
        double bin = q.radar.prf / p.azimuth_length;
        cr_expect(first >= -width[i] / 2 - 1e-6 && first < -width[i] / 2 + bin);
        cr_expect(last <= width[i] / 2 + 1e-6 && last > width[i] / 2 - bin - 1e-6);
        cr_expect_leq(p.band, p.azimuth_length);
        for (uint32_t j = 0; j < p.band; j += 41)
            cr_expect_eq(htmt__sar_plan_bin_row(&p, p.band_first + j),
                         (uint32_t)(((p.band_first + j) % p.azimuth_length + p.azimuth_length) %
                                    p.azimuth_length));
    }
}

static uint32_t fast_by_trial(uint32_t n)
{
    for (uint32_t length = n;; length++) {
        uint32_t rest = length;
        const uint32_t prime[] = {2, 3, 5, 7};
        for (int i = 0; i < 4; i++)
            while (rest % prime[i] == 0)
                rest /= prime[i];
        if (rest == 1 && length % 8 == 0)
            return length;
    }
}

Test(plan, lengths_are_the_next_of_their_kind)
{
    for (uint32_t n = 1; n < 9000; n += 13) {
        uint32_t two = htmt__sar_length(HTMT__POWER_OF_TWO, n);
        cr_expect(two >= n && two / 2 < n && (two & (two - 1)) == 0);
        cr_expect_eq(htmt__sar_length(HTMT__FAST_LENGTH, n), fast_by_trial(n));
    }
    cr_expect_eq(htmt__sar_length(HTMT__POWER_OF_TWO, UINT32_MAX), 0);
    cr_expect_eq(htmt__sar_length(HTMT__FAST_LENGTH, UINT32_MAX), 0);
}

Test(plan, what_cannot_be_focused_is_refused_with_the_arithmetic)
{
    struct htmt__sar_problem q = problem("ers");
    q.radar.lines = 512;
    refuse(&q, "found 512 lines in a patch");
    q.keep_edges = true;
    cr_expect_eq(plan_for(&q).lines, 512);
    q.radar.lines = 4000;
    q.patch_lines = 700;
    refuse(&q, "found 700 lines in a patch");
    q = problem("radarsat");
    q.radar.samples = 1380; /* no whole echo */
    refuse(&q, "found 1380 samples a line");
    refuse(&q, "or edges to be kept");
    q = problem("radarsat");
    q.radar.centroid = 240e3; /* migration beyond the line */
    q.radar.near_range = 1e9;
    q.keep_edges = true;
    refuse(&q, "too few for a migration of");
    q = problem("ers");
    q.radar.centroid = 0.1;
    q.radar.bandwidth = 0.001;
    refuse(&q, "found 0.001 Hz, in which none of the bins lies; they are 0.410132 Hz apart");
}
