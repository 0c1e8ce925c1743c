/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Direct sum and leapfrog against what gravity says.
 */
#include "tests/nbody/bodies.h"

#include "apps/nbody/forces.h"
#include "tests/runtime/share.h"

/* Three of the vertices are an edge away, three a diagonal of a face, one that of the cube: U =
 * -(12
 * + 12 / sqrt 2 + 4 / sqrt 3), and a force points at the centre. */
Test(nbody_direct, a_cube_of_unit_masses_has_its_energy_and_pulls_along_its_diagonals)
{
    struct htmt__nbody_targets t = {0};
    double source[32], energy = 0;
    for (unsigned i = 0; i < 8; i++) {
        source[4 * i] = 1;
        for (unsigned c = 0; c < 3; c++)
            source[4 * i + 1 + c] = t.x[c][i] = i >> c & 1;
    }
    htmt__nbody_pull(&t, 8, source, 8, 0, 0);
    const double along = 1 + M_SQRT1_2 + 1 / (3 * sqrt(3));
    for (unsigned i = 0; i < 8; i++) {
        energy += t.pull[3][i] / 2;
        for (unsigned c = 0; c < 3; c++)
            cr_assert_float_eq(t.pull[c][i], i >> c & 1 ? -along : along, 1e-15);
    }
    cr_assert_float_eq(energy, -(12 + 12 * M_SQRT1_2 + 4 / sqrt(3)), 2e-14);
    cr_assert_float_eq(energy, -22.794682, 5e-7);
}

/* Any cut of the list, and any number of targets beside. */
Test(nbody_direct, a_sum_does_not_depend_on_where_its_sources_are_cut)
{
    enum { N = 150 };
    static struct htmt__nbody_targets whole, cut;
    static double source[4 * N];
    uint64_t state = 5;
    for (unsigned i = 0; i < 4 * N; i++)
        source[i] = 0x1p-64 * (double)htmt__random_next(&state);
    for (unsigned i = 0; i < 50; i++)
        for (unsigned c = 0; c < 3; c++)
            whole.x[c][i] = cut.x[c][i] = source[4 * (i + 7) + 1 + c];
    htmt__nbody_pull(&whole, 50, source, N, 7, 1e-4);
    for (unsigned at = 0, n; at < N; at += n) {
        n = at + 13 < N ? 13 : N - at;
        htmt__nbody_pull(&cut, 11, source + 4 * at, n, 7 - (int64_t)at, 1e-4);
    }
    for (unsigned i = 0; i < 11; i++)
        for (unsigned c = 0; c < 4; c++)
            cr_assert_eq(whole.pull[c][i], cut.pull[c][i]);
}

/* ---- two bodies ----------------------------------------------------------------------------- */

#define ECCENTRIC 0.5

/* Masses of a half on an ellipse of a = 1 about each other: the period is 2 pi. They begin at the
 * greatest distance. */
static void two_bodies(struct htmt__nbody_body body[2])
{
    const double r = 1 + ECCENTRIC, v = sqrt((1 - ECCENTRIC) / (1 + ECCENTRIC));
    for (unsigned i = 0; i < 2; i++) {
        const double sign = i ? -0.5 : 0.5;
        body[i] = (struct htmt__nbody_body){.m = 0.5, .x = {sign * r}, .v = {0, sign * v}, .id = i};
    }
}

struct orbit {
    double phase, energy, spin; /* radians off after all periods; worst changes */
};

/* The phase of Kepler's ellipse at the end: from the eccentric anomaly of where the bodies are. */
static struct orbit revolve(uint32_t periods, uint32_t steps_each)
{
    struct htmt__nbody_body body[2], end[2];
    const uint32_t steps = periods * steps_each;
    double *history = calloc((size_t)steps + 1, HTMT__NBODY_SUMS * sizeof *history);
    struct orbit o = {0};
    two_bodies(body);
    cr_assert(history);
    play(body, 2, 1, 0, 2 * M_PI / steps_each, steps, end, NULL, history);
    for (uint32_t n = 0; n <= steps; n++) {
        const double *s = history + (size_t)n * HTMT__NBODY_SUMS;
        o.energy = fmax(o.energy, fabs((s[0] + s[1]) / (history[0] + history[1]) - 1));
        o.spin = fmax(o.spin, fabs(s[HTMT__NBODY_SPIN + 2] / history[HTMT__NBODY_SPIN + 2] - 1));
    }
    const double x = end[0].x[0] - end[1].x[0], y = end[0].x[1] - end[1].x[1],
                 along = x - ECCENTRIC, across = y / sqrt(1 - ECCENTRIC * ECCENTRIC),
                 anomaly = atan2(across, along);
    o.phase = fabs(anomaly + ECCENTRIC * sin(anomaly));
    free(history);
    return o;
}

Test(nbody_direct, two_bodies_keep_their_period_to_order_two_for_a_hundred_of_them)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    const struct orbit coarse = revolve(100, 300), fine = revolve(100, 600);
    cr_assert_float_eq(coarse.phase / fine.phase, 4, 0.4, "%g %g", coarse.phase, fine.phase);
    cr_assert_lt(fine.energy, 1e-3);
    cr_assert_float_eq(coarse.energy / fine.energy, 4, 0.4);
    cr_assert_lt(fine.spin, 1e-12, "%g", fine.spin);
    cr_assert_lt(coarse.spin, 1e-12);
}

/* ---- a sphere ------------------------------------------------------------------------------- */

Test(nbody_direct, momentum_stays)
{
    enum { N = 500, STEPS = 10 };
    static struct htmt__nbody_body body[N], end[N];
    double history[(STEPS + 1) * HTMT__NBODY_SUMS];
    sphere(3, N, body);
    play(body, N, 3, 0.01, 0.01, STEPS, end, NULL, history);
    const double *last = history + STEPS * HTMT__NBODY_SUMS;
    for (unsigned c = 0; c < 3; c++)
        cr_assert_float_eq(last[HTMT__NBODY_MOMENTUM + c], history[HTMT__NBODY_MOMENTUM + c],
                           1e-13 * N);
    cr_assert_float_eq((last[0] + last[1]) / (history[0] + history[1]), 1, 1e-3);
}
