/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tree's parcels against the same steps in a plain loop, and against themselves.
 */
#include "tests/nbody/trees.h"

#define N 1200

static struct htmt__nbody_plan plan_of(uint32_t slices, double theta, uint64_t part)
{
    const uint64_t share = (N + slices - 1) / slices;
    return (struct htmt__nbody_plan){
        .bodies = N,
        .most = slices == 1 ? N : 4 * share + 256,
        .slices = slices,
        .tree = true,
        .quad = true,
        .theta = theta,
        .eps = 0.01,
        .dt = 0.01,
        .group = 64,
        .chunk = 5,
        .part = part,
        .message = 8 * (4 * share + 256),
        .workers = 128,
        .packers = 64,
        .dram = 1,
        .sram = 2,
        .cram = 3,
        .costs = {.body_flop = {20, 1}, .cell_flop = {55, 1}, .entry = {25, 1}}};
}

/* Lists in one part, and in many. */
Test(nbody_parcels, one_slice_gives_the_bits_of_the_plain_loop)
{
    static struct htmt__nbody_body body[N], end[N];
    static double found[4 * N], wanted[4 * N];
    static const uint64_t parts[] = {65024, 700};
    struct planted t;
    sphere(8, N, body);
    plant(&t, body, N, 0.6, true, 64);
    for (unsigned i = 0; i < 2; i++) {
        struct htmt__nbody_plan plan = plan_of(1, 0.6, parts[i]);
        double history[HTMT__NBODY_SUMS];
        pull_by(&t, 0.01, parts[i], wanted);
        play_plan(&plan, body, end, found, history);
        cr_assert_eq(memcmp(found, wanted, sizeof found), 0, "parts of %lu",
                     (unsigned long)parts[i]);
        cr_assert_eq(history[HTMT__NBODY_ENTRIES], (double)t.entries);
    }
    fell(&t);
}

/* Bodies wander over slices for some steps: none is lost, each once, and energy stays. */
Test(nbody_parcels, bodies_wander_over_slices_and_none_is_lost)
{
    enum { STEPS = 12 };
    static struct htmt__nbody_body body[N], end[N];
    double history[(STEPS + 1) * HTMT__NBODY_SUMS];
    struct htmt__nbody_plan plan = plan_of(7, 0.5, 65024);
    plan.steps = STEPS;
    sphere(9, N, body);
    play_plan(&plan, body, end, NULL, history);
    for (unsigned i = 0; i < N; i++)
        cr_assert(end[i].id == i && end[i].m == body[i].m);
    const double *last = history + STEPS * HTMT__NBODY_SUMS;
    cr_assert_float_eq((last[0] + last[1]) / (history[0] + history[1]), 1, 1e-3);
    for (unsigned c = 0; c < 3; c++)
        cr_assert_float_eq(last[HTMT__NBODY_MOMENTUM + c], 0, 1e-5);
    cr_assert(last[HTMT__NBODY_WORST] * 7 < 1.25 * last[HTMT__NBODY_WORK], "%g",
              last[HTMT__NBODY_WORST] * 7 / last[HTMT__NBODY_WORK]);
}
