/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How subcubes and bundles follow from the memories.
 */
#include "apps/volume/plan.h"

#include <criterion/criterion.h>
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
    struct htmt_machine *m = NULL;
    cr_assert_eq(htmt_machine_load("htmt-oct98", &set, set != NULL, &m, NULL), 0);
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

Test(plan, one_slice_has_the_largest_subcube_that_its_cram_holds)
{
    struct htmt__volume_problem shaded = head, doubled = head, floats = head;
    shaded.shaded = true;
    doubled.double_buffer = true;
    floats.voxel = 4;
    expect_largest(&head, NULL);
    expect_largest(&shaded, NULL);
    expect_largest(&doubled, NULL);
    expect_largest(&floats, NULL);
    expect_largest(&head, "layers.cram.memory.capacity=512 KiB");
}

Test(plan, two_parcels_fit_with_a_double_buffer_and_one_without)
{
    struct htmt__volume_problem doubled = head;
    doubled.double_buffer = true;
    struct htmt__volume_plan one = planned(&head, NULL, 1), two = planned(&doubled, NULL, 1);
    cr_expect_eq(one.fit, 1);
    cr_expect_geq(two.fit, 2);
    cr_expect_lt(two.subcubes.edge, one.subcubes.edge);
}

Test(plan, a_larger_cram_holds_larger_subcubes)
{
    uint32_t last = 0;
    static const char *const sizes[] = {
        "layers.cram.memory.capacity=256 KiB", "layers.cram.memory.capacity=512 KiB",
        "layers.cram.memory.capacity=1 MiB", "layers.cram.memory.capacity=2 MiB"};
    for (int i = 0; i < 4; i++) {
        uint32_t edge = planned(&head, sizes[i], 1).subcubes.edge;
        cr_expect_gt(edge, last);
        last = edge;
    }
}

Test(plan, many_slices_share_many_subcubes)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t slices = 1; slices <= 4096; slices *= 4) {
        struct htmt__volume_plan p = planned(&head, NULL, slices);
        cr_expect_leq(p.subcubes.edge, last);
        cr_expect(p.subcubes.edge >= 24 &&
                      (p.subcubes.all >= 4 * slices || p.subcubes.edge == 24 || p.fit == 1),
                  "%u slices: %u subcubes of %u", slices, p.subcubes.all, p.subcubes.edge);
        last = p.subcubes.edge;
    }
    cr_expect_eq(last, 24);
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
