/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Load curves of topologies with several ways, against rows of a flit simulator (booksim2, commit
 * 28f43299): flits a node and cycle that are accepted, cycles from birth to the last flit at the
 * target. A byte stands for a flit, a picosecond for a cycle; its router takes two cycles, a link
 * one, a credit one more than the link.
 */
#include "layers/network/routing.h"
#include "tests/fabric/player.h"
#include "tests/layers/network.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CYCLE INT64_C(1000)
enum { FLITS = 4, BIAS = 30 };

static double unit(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*seed >> 11) + 0.5) * 0x1p-53;
}

struct network {
    const char *name;
    enum htmt__topology_kind topology;
    enum htmt__routing routing;
    const char *shape;
    uint32_t lanes;
    uint64_t buffer, bias;
    bool dynamic;
};

enum pattern { UNIFORM, COMPLEMENT, NEXT_GROUP }; /* groups of 8 ends */

/* A row of the simulator: accepted at overload, or latency. */
struct row {
    const struct network *of;
    enum pattern pattern;
    double offered, accepted, latency; /* 0: not compared */
    double share;                      /* of the figure that it may be off */
    bool is_long;
};

static uint32_t target_of(enum pattern pattern, uint32_t source, uint32_t ends, uint64_t *seed)
{
    uint32_t to;
    if (pattern == COMPLEMENT)
        return ends - 1 - source;
    if (pattern == NEXT_GROUP)
        return ((source / 8 + 1) * 8 + (uint32_t)(unit(seed) * 8)) % ends;
    do
        to = (uint32_t)(unit(seed) * ends);
    while (to == source);
    return to;
}

static struct htmt__inside inside_of(const struct network *n)
{
    struct htmt__inside in = t_inside(n->topology, n->routing, n->shape, 1);
    in.switching = HTMT__CUT_THROUGH;
    in.byte = (struct htmt_ratio){CYCLE, 1};
    in.wire = CYCLE;
    in.local_wire = 10 * CYCLE;
    in.global_wire = 100 * CYCLE;
    in.turn = 2 * CYCLE;
    in.control = 2 * CYCLE;
    in.buffer = n->buffer ? n->buffer : 16;
    in.lanes = n->lanes;
    in.dynamic = n->dynamic;
    in.bias = n->bias;
    in.ties = HTMT__TIES_HASH;
    return in;
}

struct found {
    double accepted, latency;
    uint64_t digest;
    uint32_t missing;
};

/* Bernoulli packets for `warm` cycles, then `window` more that are measured. */
static struct found measure(const struct network *net, enum pattern pattern, double offered,
                            uint32_t warm, uint32_t window, bool windows)
{
    const struct htmt__inside in = inside_of(net);
    struct htmt__topology *t = t_make(&in, NULL, htmt__topology_ends(&in));
    struct graph g = {.t = *t};
    uint64_t seed = 7;
    uint32_t n = 0, counted = 0;
    struct sent *sent = calloc((size_t)(warm + window) * t->ends, sizeof *sent);
    struct found f = {.accepted = 0};
    struct player p;
    cr_assert_not_null(sent);
    for (uint32_t cycle = 0; cycle < warm + window; cycle++)
        for (uint32_t e = 0; e < t->ends; e++)
            if (unit(&seed) < offered / FLITS)
                sent[n++] = (struct sent){.source = e,
                                          .target = target_of(pattern, e, t->ends, &seed),
                                          .bytes = FLITS,
                                          .at = cycle * CYCLE};
    player_create(&p, &g, sent, n);
    if (windows)
        player_run_in_windows(&p);
    else
        player_run(&p);
    f.digest = p.digest;
    f.missing = player_missing(&p);
    for (uint32_t i = 0; i < n; i++) {
        f.accepted += sent[i].tail >= warm * CYCLE && sent[i].tail < (warm + window) * CYCLE;
        if (sent[i].at < warm * CYCLE)
            continue;
        f.latency += (double)(sent[i].tail - sent[i].at) / CYCLE;
        counted++;
    }
    f.accepted = f.accepted * FLITS / window / t->ends;
    f.latency /= counted;
    player_destroy(&p);
    free(sent);
    htmt__topology_release(&t);
    return f;
}

static void compare(const struct row *row, uint32_t count)
{
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
