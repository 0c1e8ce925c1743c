/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Load curves of topologies with several ways, against rows of a flit simulator (booksim2, commit
 * 28f43299): flits a node and cycle that are accepted, cycles from birth to the last flit at the
 * target. flit_rows_test.c has the rows of routers that send flits.
 */
#include "tests/network/offered_load.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A row of the simulator: accepted at overload, or latency. */
struct row {
    const struct network *of;
    enum pattern pattern;
    double offered, accepted, latency; /* 0: not compared */
    double share;                      /* of the figure that it may be off */
    bool is_long;
};

static struct found measure(const struct network *net, enum pattern pattern, double offered,
                            uint32_t warm, uint32_t window, bool windows)
{
    return offered_load(&(struct load){.of = net,
                                       .pattern = pattern,
                                       .offered = offered,
                                       .warm = warm,
                                       .window = window,
                                       .drains = true,
                                       .in_windows = windows});
}

static void compare(const struct row *row, uint32_t count)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    const uint32_t part = getenv("HTMT_LONG") ? 1 : 3;
    for (const struct row *r = row; r < row + count; r++) {
        if (r->is_long && part > 1)
            continue;
        const struct found f =
            measure(r->of, r->pattern, r->offered, 3000 / part, 4500 / part, false);
        fprintf(stderr, "%-24s offered %.2f: accepted %.4f of %.4f, latency %.2f of %.2f\n",
                r->of->name, r->offered, f.accepted, r->accepted, f.latency, r->latency);
        cr_expect_eq(f.missing, 0, "%s: %u packets stuck", r->of->name, f.missing);
        if (r->accepted != 0)
            cr_expect_lt(fabs(f.accepted / r->accepted - 1), r->share, "%s", r->of->name);
        if (r->latency != 0)
            cr_expect_lt(fabs(f.latency / r->latency - 1), r->share, "%s", r->of->name);
    }
}

static const struct network
    fat1 = {"fat tree, 1 lane", HTMT__FAT_TREE, HTMT__ROUTE_UP_RANDOM, "4 ^ 3", .lanes = 1},
    fat4 = {"fat tree, 4 lanes", HTMT__FAT_TREE, HTMT__ROUTE_UP_RANDOM, "4 ^ 3",
            .lanes = 4,          .dynamic = true},
    fat_adaptive = {"fat tree, adaptive", HTMT__FAT_TREE, HTMT__ROUTE_UP_ADAPTIVE, "4 ^ 3",
                    .lanes = 4,           .dynamic = true};

Test(curves, a_fat_tree_carries_what_a_flit_simulator_carries)
{
    static const struct row rows[] = {{&fat1, UNIFORM, 0.9, 0.517, 0, 0.05, false},
                                      {&fat1, UNIFORM, 0.05, 0, 18.704, 0.04, false},
                                      {&fat1, UNIFORM, 0.2, 0, 20.609, 0.04, false},
                                      {&fat1, COMPLEMENT, 0.9, 0.5619, 0, 0.05, false},
                                      {&fat1, COMPLEMENT, 0.2, 0, 21.513, 0.04, false},
                                      {&fat4, UNIFORM, 0.9, 0.843, 0, 0.05, false},
                                      {&fat4, COMPLEMENT, 0.9, 0.8434, 0, 0.05, true},
                                      {&fat4, UNIFORM, 0.1, 0, 19.719, 0.05, false}};
    compare(rows, sizeof rows / sizeof *rows);
}

static const struct network fly_minimal = {"dragonfly, minimal", HTMT__DRAGONFLY,
                                           HTMT__ROUTE_MINIMAL,  "2, 4, 2",
                                           .lanes = 2,           .buffer = 256},
                            fly_valiant = {"dragonfly, valiant", HTMT__DRAGONFLY,
                                           HTMT__ROUTE_VALIANT,  "2, 4, 2",
                                           .lanes = 3,           .buffer = 256},
                            fly_ugal = {"dragonfly, ugal", HTMT__DRAGONFLY, HTMT__ROUTE_UGAL,
                                        "2, 4, 2",         .lanes = 3,      .buffer = 256,
                                        .bias = 30};

Test(curves, a_dragonfly_carries_what_a_flit_simulator_carries)
{
    static const struct row rows[] = {{&fly_minimal, UNIFORM, 0.75, 0.6544, 0, 0.05, false},
                                      {&fly_minimal, UNIFORM, 0.1, 0, 117.977, 0.04, false},
                                      {&fly_minimal, UNIFORM, 0.3, 0, 121.516, 0.04, false},
                                      {&fly_minimal, NEXT_GROUP, 0.3, 0.1226, 0, 0.05, false},
                                      {&fly_ugal, UNIFORM, 0.1, 0, 119.182, 0.04, false},
                                      {&fly_ugal, UNIFORM, 0.3, 0, 138.417, 0.04, false}};
    compare(rows, sizeof rows / sizeof *rows);
}

static const struct network flat1 = {"butterfly, 1 lane", HTMT__FLAT_BUTTERFLY, HTMT__ROUTE_MINIMAL,
                                     "4 x 4 x 4", .lanes = 1},
                            flat4 = {"butterfly, 4 lanes", HTMT__FLAT_BUTTERFLY,
                                     HTMT__ROUTE_MINIMAL,  "4 x 4 x 4",
                                     .lanes = 4,           .dynamic = true},
                            flat_ugal = {"butterfly, ugal", HTMT__FLAT_BUTTERFLY, HTMT__ROUTE_UGAL,
                                         "4 x 4 x 4",       .lanes = 4,           .dynamic = true,
                                         .bias = 3};

Test(curves, a_flattened_butterfly_carries_what_a_flit_simulator_carries)
{
    static const struct row rows[] = {{&flat1, UNIFORM, 0.75, 0.5124, 0, 0.05, false},
                                      {&flat1, UNIFORM, 0.2, 0, 14.366, 0.04, false},
                                      {&flat4, UNIFORM, 0.9, 0.8178, 0, 0.05, false},
                                      {&flat4, UNIFORM, 0.1, 0, 13.583, 0.04, false},
                                      {&flat4, COMPLEMENT, 0.45, 0.25, 0, 0.05, false}};
    compare(rows, sizeof rows / sizeof *rows);
}

static const struct network torus8 = {"torus 8, 8 lanes", HTMT__TORUS,
                                      HTMT__ROUTE_TORUS,  "8 x 8",
                                      .lanes = 8,         .dynamic = true},
                            torus7 = {"torus 7, 8 lanes", HTMT__TORUS,
                                      HTMT__ROUTE_TORUS,  "7 x 7",
                                      .lanes = 8,         .dynamic = true},
                            mesh4 = {"mesh, 4 lanes", HTMT__MESH, HTMT__ROUTE_XY,
                                     "8 x 8",         .lanes = 4, .dynamic = true};

Test(curves, grids_whose_lanes_go_where_least_waits_carry_what_a_flit_simulator_carries)
{
    static const struct row rows[] = {{&torus7, UNIFORM, 0.9, 0.877, 0, 0.05, true},
                                      {&mesh4, UNIFORM, 0.6, 0.4705, 0, 0.03, false}};
    compare(rows, sizeof rows / sizeof *rows);
}

static const struct network mesh_adaptive = {"mesh, adaptive", HTMT__MESH,
                                             HTMT__ROUTE_MINIMAL_ADAPTIVE, "8 x 8", .lanes = 2},
                            torus_adaptive = {"torus, adaptive", HTMT__TORUS,
                                              HTMT__ROUTE_MINIMAL_ADAPTIVE, "8 x 8", .lanes = 3},
                            mesh_o1turn = {"mesh, o1turn", HTMT__MESH, HTMT__ROUTE_O1TURN, "8 x 8",
                                           .lanes = 2};

/* Twice what a torus carries, full of packets: with adaptive lanes alone they would stand. All
 * arrive, and more of them in time than a mesh's bisection of 16 channels carries. */
Test(curves, packets_that_choose_their_dimension_never_stand)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    const struct found mesh = measure(&mesh_adaptive, UNIFORM, 0.9, 500, 700, false);
    const struct found torus = measure(&torus_adaptive, UNIFORM, 0.9, 500, 700, false);
    const struct found turn = measure(&mesh_o1turn, UNIFORM, 0.9, 500, 700, false);
    fprintf(stderr, "mesh %.4f, torus %.4f, o1turn %.4f\n", mesh.accepted, torus.accepted,
            turn.accepted);
    cr_expect_eq(mesh.missing + torus.missing + turn.missing, 0);
    cr_expect(mesh.accepted > 0.3 &&
              mesh.accepted < 0.4922); /* half of 64 ends to half: 16 links */
    cr_expect(torus.accepted > 0.4922 && torus.accepted < 0.9844);
    cr_expect(turn.accepted > 0.3 && turn.accepted < 0.4922);
}

/* The simulator goes by another switch, where these go by another group, and carries less: 0.249
 * and 0.316. Minimal ways carry what the busiest link does: 8 ends share it, or 4. */
Test(curves, ways_by_others_carry_more_than_the_busiest_link_of_minimal_ones)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    const double fly = measure(&fly_ugal, NEXT_GROUP, 0.3, 1000, 1500, false).accepted;
    const double butterfly = measure(&flat_ugal, COMPLEMENT, 0.6, 1000, 1500, false).accepted;
    const double by_group = measure(&fly_valiant, NEXT_GROUP, 0.6, 1000, 1500, false).accepted;
    fprintf(stderr, "ugal %.4f, valiant %.4f; butterfly %.4f\n", fly, by_group, butterfly);
    cr_expect_gt(fly, 0.249);
    cr_expect_gt(butterfly, 0.316);
    cr_expect(by_group > 0.25 &&
              by_group <= 0.5); /* each packet takes two of as many links as ends */
    cr_expect_leq(measure(&fly_minimal, NEXT_GROUP, 0.6, 1000, 1500, false).accepted, 0.126);
}

/* Slice by slice in windows, the last slice first: what nobody's turn may change. */
Test(curves, ways_do_not_depend_on_whose_turn_it_is)
{
    static const struct network *const nets[] = {
        &fat1,        &fat4,   &fat_adaptive,  &fly_ugal,       &flat_ugal,
        &fly_valiant, &torus8, &mesh_adaptive, &torus_adaptive, &mesh_o1turn};
    for (uint32_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        const struct found a = measure(nets[i], UNIFORM, 0.6, 50, 50, false);
        const struct found b = measure(nets[i], UNIFORM, 0.6, 50, 50, true);
        cr_expect_eq(a.missing + b.missing, 0);
        cr_expect_eq(a.digest, b.digest, "%s", nets[i]->name);
    }
}
