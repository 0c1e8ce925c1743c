/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How subcubes and bundles follow from the memories.
 */
#include "apps/volume/plan.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct htmt__volume_problem head = {.dims = {181, 217, 181},
                                                 .width = 512,
                                                 .height = 512,
                                                 .frames = 1,
                                                 .voxel = 1,
                                                 .channels = 1,
                                                 .table_rows = 1021};

static int plan(const struct htmt__volume_problem *problem, const char *set, uint32_t slices,
                struct htmt__volume_plan *p, struct htmt_fault *fault)
{
    static const struct htmt__volume_charges own = {.alpha = {0, 1}};
    struct htmt_machine *m = machine_load("htmt-oct98", set);
    m->slices = slices;
    int rc = htmt__volume_plan(m, problem, &own, p, fault);
    htmt_machine_destroy(&m);
    return rc;
}

static struct htmt__volume_plan planned(const struct htmt__volume_problem *problem, const char *set,
                                        uint32_t slices)
{
    struct htmt__volume_plan p;
    struct htmt_fault fault = {0};
    cr_assert_eq(plan(problem, set, slices, &p, &fault), 0, "%s", fault.text);
    return p;
}

/* One voxel more a side is refused. */
static void expect_largest(const struct htmt__volume_problem *problem, const char *set)
{
    struct htmt__volume_problem more = *problem;
    struct htmt__volume_plan p = planned(problem, set, 1), refused;
    more.side = p.tiling.side;
    more.edge = p.subcubes.edge;
    cr_expect_eq(planned(&more, set, 1).parcel_words, p.parcel_words);
    more.edge++;
    more.side = problem->side ? problem->side : more.side + 1;
    struct htmt_fault fault = {0};
    cr_expect_eq(plan(&more, set, 1, &refused, &fault), HTMT_ECAPACITY, "edge %u", more.edge);
    cr_expect(strstr(fault.text, "words"), "%s", fault.text);
}

#define SMALL "layers.cram.memory.capacity=40 KiB"

Test(plan, a_small_cram_holds_the_largest_subcube_that_fits)
{
    struct htmt__volume_problem shaded = head, doubled = head, floats = head;
    shaded.shaded = true;
    doubled.double_buffer = true;
    floats.voxel = 4;
    expect_largest(&head, SMALL);
    expect_largest(&shaded, SMALL);
    expect_largest(&doubled, SMALL);
    expect_largest(&floats, SMALL);
    expect_largest(&head, "layers.cram.memory.capacity=32 KiB");
}

Test(plan, two_parcels_fit_with_a_double_buffer_and_one_without)
{
    struct htmt__volume_problem doubled = head;
    doubled.double_buffer = true;
    struct htmt__volume_plan one = planned(&head, SMALL, 1), two = planned(&doubled, SMALL, 1);
    cr_expect_eq(one.fit, 1);
    cr_expect_geq(two.fit, 2);
    cr_expect_lt(two.subcubes.edge, one.subcubes.edge);
}

Test(plan, a_larger_cram_holds_larger_subcubes_up_to_the_edge_of_choice)
{
    uint32_t last = 0;
    static const char *const sizes[] = {
        "layers.cram.memory.capacity=30 KiB", "layers.cram.memory.capacity=40 KiB",
        "layers.cram.memory.capacity=48 KiB", "layers.cram.memory.capacity=64 KiB"};
    for (int i = 0; i < 4; i++) {
        uint32_t edge = planned(&head, sizes[i], 1).subcubes.edge;
        cr_expect_gt(edge, last);
        last = edge;
    }
    cr_expect_eq(last, 24);
    cr_expect_eq(planned(&head, NULL, 1).subcubes.edge, 24);
}

Test(plan, the_edge_of_choice_is_24_for_any_number_of_slices)
{
    for (uint32_t slices = 1; slices <= 4096; slices *= 4)
        cr_expect_eq(planned(&head, NULL, slices).subcubes.edge, 24, "%u slices", slices);
}

/* Neighbours share a layer of voxels, so there are somewhat more. */
Test(plan, a_slice_owns_no_more_subcubes_of_choice_than_4096)
{
    struct htmt__volume_problem cube = head;
    for (uint32_t side = 300; side <= 2400; side *= 2) {
        cube.dims[0] = cube.dims[1] = cube.dims[2] = side;
        struct htmt__volume_plan p = planned(&cube, NULL, 16);
        cr_expect(p.subcubes.edge == 24 || p.subcubes.all <= 1.25 * 4096 * 16,
                  "%u: %u subcubes of %u", side, p.subcubes.all, p.subcubes.edge);
        cr_expect_eq(p.subcubes.edge > 24, side > 24 * 40, "%u: %u", side, p.subcubes.edge);
    }
}

Test(plan, what_is_given_stays)
{
    struct htmt__volume_problem given = head;
    given.edge = 40;
    given.side = 17;
    given.lanes = 3;
    struct htmt__volume_plan p = planned(&given, NULL, 4096);
    cr_expect(p.subcubes.edge == 40 && p.tiling.side == 17);
    cr_expect_leq(p.lanes, 3);
}

/* ---- dealing -------------------------------------------------------------------------------- */

static uint32_t most_bundles(const struct htmt__volume_plan *p)
{
    uint32_t *of = calloc(p->slices, sizeof *of), most = 0;
    for (uint32_t n = 0; n < p->bundles; n++) {
        uint32_t slice = htmt__volume_bundle_owner(p, n);
        cr_assert_lt(slice, p->slices);
        most = ++of[slice] > most ? of[slice] : most;
    }
    free(of);
    return most;
}

Test(plan, rows_of_tiles_that_fill_the_slices_exactly_leave_none_with_more_bundles_than_another)
{
    struct htmt__volume_problem o = head;
    o.side = 8;
    for (uint32_t columns = 1; columns <= 256; columns *= 2)
        for (uint32_t slices = 1; slices <= 4096; slices *= 2) {
            o.width = o.height = 8 * columns;
            struct htmt__volume_plan p = planned(&o, NULL, slices);
            uint32_t bundles = columns * columns;
            cr_expect_eq(most_bundles(&p), (bundles - 1) / slices + 1, "%u columns on %u slices",
                         columns, slices);
        }
}

/* Most of `count` subcubes from (0, 0, 0) on, `x`, `y` and `z` of them, that lie on one slice. */
static uint32_t fullest(const struct htmt__volume_plan *p, const uint32_t count[3])
{
    uint32_t *on = calloc(p->slices, sizeof *on), most = 0;
    for (uint32_t z = 0; z < count[2]; z++)
        for (uint32_t y = 0; y < count[1]; y++)
            for (uint32_t x = 0; x < count[0]; x++) {
                const uint32_t *all = p->subcubes.count;
                uint32_t slice = htmt__volume_home(p, x + all[0] * (y + all[1] * z)).slice;
                most = ++on[slice] > most ? on[slice] : most;
            }
    free(on);
    return most;
}

Test(plan, every_subcube_has_a_place_of_its_own)
{
    for (uint32_t slices = 1; slices <= 4096; slices = 3 * slices + 1) {
        struct htmt__volume_plan p = planned(&head, NULL, slices);
        uint64_t places = slices * htmt__volume_subcubes_a_slice(&p);
        uint8_t *seen = calloc(places, 1);
        for (uint32_t n = 0; n < p.subcubes.all; n++) {
            struct htmt__volume_home home = htmt__volume_home(&p, n);
            uint64_t at = home.slice * htmt__volume_subcubes_a_slice(&p) + home.place;
            cr_assert(home.slice < slices && at < places && !seen[at]++, "subcube %u", n);
        }
        cr_expect_eq(fullest(&p, p.subcubes.count), htmt__volume_subcubes_a_slice(&p));
        free(seen);
    }
}

Test(plan, a_layer_across_any_axis_is_spread_over_all_slices)
{
    struct htmt__volume_problem cube = head;
    for (uint32_t side = 2; side <= 64; side *= 2) {
        cube.dims[0] = cube.dims[1] = cube.dims[2] = side * 29 + 1;
        cube.edge = 30;
        struct htmt__volume_plan p = planned(&cube, NULL, side * side);
        cr_assert_eq(p.subcubes.all, side * side * side);
        for (int a = 0; a < 3; a++) {
            uint32_t layer[3] = {side, side, side};
            layer[a] = 1;
            cr_expect_eq(fullest(&p, layer), 1, "%u subcubes a side, axis %d", side, a);
        }
    }
}
