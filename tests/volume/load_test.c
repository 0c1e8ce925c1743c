/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the views tell beforehand is what a model run does, and the closed form of it is near.
 */
#include "apps/volume/closed_form.h"
#include "tests/volume/stage.h"

#include <string.h>

static struct htmt__volume_load estimated(const struct stage *g)
{
    struct htmt__volume_load load;
    struct htmt_fault f = {0};
    cr_assert_eq(htmt__volume_load_estimate(&g->plan, g->camera, &g->casting, NULL, g->work.alpha,
                                            &load, &f),
                 0, "%s", f.text);
    return load;
}

static void check_estimate(const struct scene *s)
{
    struct stage g;
    struct htmt__volume_load counted = {0};
    set_up(s, &g);
    struct htmt__volume_load estimate = estimated(&g);
    struct play p = play(&g, HTMT_NO_SYMMETRY);
    htmt__volume_load_measure(&p.tally, &counted);
    if (s->slices == 1)
        estimate.asked = 0; /* one slice asks nobody */
    cr_expect(!memcmp(&estimate, &counted, sizeof estimate), "%u slices: %llu and %llu parcels",
              s->slices, (unsigned long long)estimate.parcels, (unsigned long long)counted.parcels);
    end(&p);
    htmt_machine_destroy(&g.machine);
}

Test(load, the_estimate_of_the_views_is_what_a_model_run_does)
{
    for (uint32_t slices = 1; slices <= 16; slices *= 4)
        for (int dram = 0; dram < 2; dram++) {
            struct scene s = plain;
            s.slices = slices;
            s.rays_in_dram = dram;
            s.frames = 3;
            check_estimate(&s);
            s.perspective = true;
            s.turn = 0.07;
            s.side = 13;
            check_estimate(&s);
        }
}

/* 1200 x 1200 pixels are 1.44 million rays. */
Test(load, one_line_of_a_strip_stands_for_all_of_them)
{
    struct scene s = plain;
    struct stage g;
    set_up(&s, &g);
    g.plan.tiling = (struct htmt__volume_tiling){1200, 1200, 100};
    g.plan.problem.width = g.plan.problem.height = 1200;
    g.plan.bundles = htmt__volume_tiling_count(&g.plan.tiling);
    struct htmt__volume_view view = g.camera[0].view;
    view.width = view.height = 1200;
    cr_assert_eq(htmt__volume_camera_create(&view, &g.camera[0], NULL), 0);
    struct htmt__volume_load load = estimated(&g);
    uint64_t depth = 2 * s.subcubes * CELLS; /* steps of a half */
    cr_expect_eq(load.samples, UINT64_C(1200) * 1200 * depth);
    cr_expect_eq(load.bundles, 144);
    htmt_machine_destroy(&g.machine);
}

static double clock_over_closed_form(const struct scene *s)
{
    struct stage g;
    struct htmt__volume_load load = {0};
    struct htmt__volume_prediction closed;
    struct htmt_fault f = {0};
    set_up(s, &g);
    struct play p = play(&g, HTMT_NO_SYMMETRY);
    htmt__volume_load_measure(&p.tally, &load);
    cr_assert_eq(htmt__volume_predict(g.machine, &g.plan, &load, &closed, &f), 0, "%s", f.text);
    double ratio = (double)htmt_predicted(p.e) / (double)closed.total;
    end(&p);
    htmt_machine_destroy(&g.machine);
    return ratio;
}

/* Of htmt-2007 one DPIM at a time has a port of DRAM, and all bundles' strips to work out. */
Test(load, the_closed_form_is_near_the_clock_whether_slices_are_alike_or_dpims_are_few)
{
    for (uint32_t slices = 1; slices <= 16; slices *= 4) {
        struct scene s = plain;
        s.slices = slices;
        double alike = clock_over_closed_form(&s);
        s.turn = 0.1;
        s.side = 8;
        double unlike = clock_over_closed_form(&s);
        cr_expect(0.97 < alike && alike < 1.05, "%u slices: %g", slices, alike);
        cr_expect(0.85 < unlike && unlike < 1.2, "%u slices: %g", slices, unlike);
        s = plain;
        s.machine = "htmt-2007";
        s.slices = slices;
        double few = clock_over_closed_form(&s);
        cr_expect(0.9 < few && few < 1.3, "%u slices: %g", slices, few);
    }
}
