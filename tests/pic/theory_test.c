/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Linear theory: roots of dispersion relations against roots found elsewhere and against formulas.
 */
#include "apps/pic/io/theory.h"

#include <criterion/criterion.h>
#include <math.h>

/* So long a wave that the grid does not soften it, and so short a step that leapfrog is exact. */
#define CELLS 65536

static struct htmt__pic_deck smooth(double thermal)
{
    return (struct htmt__pic_deck){.n = {CELLS, 1, 1},
                                   .dt = 1e-4,
                                   .mode = {1, 0, 0},
                                   .species_count = 1,
                                   .species = {{.charge = -1,
                                                .mass = 1,
                                                .density = 1,
                                                .per_cell = {1, 1, 1},
                                                .thermal = {thermal, 0, 0}}}};
}

/* omega and gamma for k lambda_D by SciPy's Faddeeva function. */
Test(theory, landau_roots_are_those_found_with_another_library)
{
    static const double known[][3] = {{0.2, 1.063984, -0.000055}, {0.4, 1.285057, -0.066128},
                                      {0.5, 1.415662, -0.153359}, {0.6, 1.545707, -0.264110},
                                      {0.8, 1.799899, -0.534552}, {1.0, 2.045905, -0.851330}};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        struct htmt__pic_deck d = smooth(known[i][0] * CELLS / (2 * M_PI));
        double complex wave = htmt__pic_wave(&d);
        cr_expect_float_eq(creal(wave), known[i][1], 2e-6, "k = %g: %.7f", known[i][0],
                           creal(wave));
        cr_expect_float_eq(cimag(wave), known[i][2], 2e-6, "k = %g: %.7f", known[i][0],
                           cimag(wave));
    }
}

static struct htmt__pic_deck streams(double kv)
{
    struct htmt__pic_deck d = smooth(0);
    d.species_count = 2;
    d.species[0].density = 0.5;
    d.species[1] = d.species[0];
    d.species[0].drift[0] = kv * CELLS / (2 * M_PI);
    d.species[1].drift[0] = -d.species[0].drift[0];
    return d;
}

/* gamma^2 = [sqrt(8 a + 1) - (2 a + 1)] / 2 with a = (k v)^2, at most 1/8; none from k v = 1 on. */
Test(theory, two_stream_growth_is_that_of_the_formula)
{
    for (double kv = 0.1; kv < 0.95; kv += 0.1) {
        struct htmt__pic_deck d = streams(kv);
        double a = kv * kv, gamma = sqrt((sqrt(8 * a + 1) - (2 * a + 1)) / 2);
        cr_expect_float_eq(cimag(htmt__pic_wave(&d)), gamma, 1e-7, "k v = %g", kv);
    }
    struct htmt__pic_deck fastest = streams(sqrt(3. / 8)), stable = streams(1.1);
    cr_expect_float_eq(cimag(htmt__pic_wave(&fastest)), sqrt(1. / 8), 1e-7);
    cr_expect_float_eq(cimag(htmt__pic_wave(&stable)), 0, 1e-7);
}

/* Two species of one mass and charge are one. */
Test(theory, a_species_may_be_split)
{
    struct htmt__pic_deck whole = smooth(0.5 * CELLS / (2 * M_PI)), halves = whole;
    halves.species_count = 2;
    halves.species[0].density = 0.5;
    halves.species[1] = halves.species[0];
    cr_expect_lt(cabs(htmt__pic_wave(&whole) - htmt__pic_wave(&halves)), 1e-9);
}

/* Cold electrons: (2/dt) asin(S dt/2). */
Test(theory, grid_and_leapfrog_shift_the_plasma_frequency)
{
    struct htmt__pic_deck d = smooth(0);
    d.n[0] = 32;
    d.dt = 0.1;
    double complex wave = htmt__pic_wave(&d);
    cr_expect_float_eq(creal(wave), 0.995602, 1e-6);
    cr_expect_float_eq(cimag(wave), 0, 1e-9);
}

/* S^2 of mode 1 of 8 in two directions is the product. */
Test(theory, shape_is_a_product_over_axes)
{
    double one = htmt__pic_shape((double[]){M_PI / 4, 0, 0});
    cr_expect_float_eq(one, pow(sin(M_PI / 8) / (M_PI / 8), 6), 1e-15);
    cr_expect_float_eq(htmt__pic_shape((double[]){M_PI / 4, -M_PI / 4, 0}), one * one, 1e-15);
    cr_expect_eq(htmt__pic_shape((double[]){0, 0, 0}), 1);
}

Test(theory, no_mode_has_no_wave)
{
    struct htmt__pic_deck d = smooth(0);
    d.mode[0] = 0;
    cr_expect_eq(htmt__pic_wave(&d), 0);
}

/* Summed elsewhere for 16^3 cells and lambda_D = 1; without a grid to soften, half a mode's energy
 * is screened at k lambda_D = 1. */
Test(theory, thermal_noise_is_the_known_sum)
{
    struct htmt__pic_deck d = smooth(1);
    d.n[0] = d.n[1] = d.n[2] = 16;
    d.species[0].thermal[1] = d.species[0].thermal[2] = 1;
    cr_expect_float_eq(htmt__pic_thermal_energy(&d), 89.48, 0.005);
}

/* Of a box of two cells the one mode has k = pi and S^2 = (2/pi)^6. Damping rates from the table of
 * roots above. */
Test(theory, thermal_noise_relaxes_from_its_start_as_landau_damping_lets_it)
{
    static const double known[][2] = {{0.2, -0.000055}, {0.4, -0.066128}, {0.5, -0.153359},
                                      {0.6, -0.264110}, {0.8, -0.534552}, {1.0, -0.851330}};
    enum { STEPS = 101 };
    double energy[STEPS], shape = pow(2 / M_PI, 6);
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        for (int random = 0; random < 2; random++) {
            double length = known[i][0], x = length * length / shape, rest = 0.5 / (1 + x);
            double start = ((random ? 0.5 / x : 0) + 0.5) / 2;
            struct htmt__pic_deck d = smooth(length / M_PI);
            d.n[0] = 2;
            d.dt = 0.05;
            d.species[0].start = random ? HTMT__PIC_RANDOM : HTMT__PIC_LATTICE;
            htmt__pic_thermal_relaxation(&d, STEPS, energy);
            cr_expect_float_eq(energy[0], start, 1e-12 * start);
            for (int n = 0; n < STEPS; n++)
                cr_assert_float_eq(
                    energy[n], rest + (start - rest) * exp(2 * known[i][1] * 0.05 * n),
                    0.02 * fabs(start - rest), "k = %g, t = %g: %g", length, 0.05 * n, energy[n]);
        }
}

/* All of it is gone at last, where no wave is long. */
Test(theory, thermal_noise_of_short_waves_reaches_equilibrium)
{
    enum { STEPS = 2000 };
    static double energy[STEPS];
    struct htmt__pic_deck d = smooth(1);
    d.n[0] = d.n[1] = d.n[2] = 12;
    d.dt = 0.1;
    d.species[0].start = HTMT__PIC_RANDOM;
    htmt__pic_thermal_relaxation(&d, STEPS, energy);
    cr_expect_gt(energy[0], 1.05 * htmt__pic_thermal_energy(&d));
    cr_expect_float_eq(energy[STEPS - 1] / htmt__pic_thermal_energy(&d), 1, 1e-6);
}

/* Z(i) = i sqrt(pi) e erfc(1); Z' = -2 (1 + zeta Z) by differences. */
Test(theory, dispersion_function_satisfies_its_equation)
{
    cr_expect_float_eq(cimag(htmt__pic_plasma_z(I)), sqrt(M_PI) * exp(1) * erfc(1), 1e-13);
    for (double im = -1; im <= 1; im += 0.5) {
        double complex zeta = 0.7 + I * im, h = 1e-5;
        double complex slope =
            (htmt__pic_plasma_z(zeta + h) - htmt__pic_plasma_z(zeta - h)) / (2 * h);
        cr_expect_lt(cabs(slope + 2 * (1 + zeta * htmt__pic_plasma_z(zeta))), 1e-8);
    }
}
