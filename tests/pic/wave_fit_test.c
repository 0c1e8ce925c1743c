/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fits of waves that are given, and of runs, against their formulas.
 */
#include "apps/pic/io/theory.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>

#define STEPS 400

struct run {
    struct htmt__pic_deck deck;
    struct htmt__pic_record record[STEPS];
    struct htmt__pic_series series;
};

/* Every step's wave, as wave_cos + i wave_sin. */
static void make(struct run *r, double complex (*wave)(double t))
{
    *r = (struct run){.deck = {.dt = 0.1, .steps = STEPS}};
    r->series = (struct htmt__pic_series){&r->deck, r->record, STEPS};
    for (int n = 0; n < STEPS; n++) {
        r->record[n].wave[0] = creal(wave(0.1 * n));
        r->record[n].wave[1] = cimag(wave(0.1 * n));
    }
}

static void expect_fit(double complex (*wave)(double t), double omega, double gamma, double off)
{
    struct run r;
    struct htmt__pic_wave_fit fit = {0};
    make(&r, wave);
    cr_assert(htmt__pic_fit_wave(&r.series, gamma, &fit));
    cr_expect_float_eq(fit.omega, omega, off, "omega %.6f, not %.6f", fit.omega, omega);
    cr_expect_float_eq(fit.gamma, gamma, off, "gamma %.6f, not %.6f", fit.gamma, gamma);
    cr_expect(fit.from > 0 && fit.from < fit.to && fit.to < 0.1 * STEPS);
}

static double complex damped(double t)
{
    return cexp(0.7 * I) * exp(-0.15 * t) * cos(1.41 * t);
}

static double complex steady(double t)
{
    return I * cos(0.9956 * t + 0.3);
}

/* A hundred e-foldings would be too many: it saturates. */
static double complex growing(double t)
{
    return 2 * I / (1 + 1e5 * exp(-0.35 * t));
}

static double complex travelling(double t)
{
    return cexp((0.3 - 0.8 * I) * t) / (1 + exp(0.3 * (t - 36)));
}

static double complex falling_to_noise(double t)
{
    return exp(-0.2 * t) * cos(1.5 * t) + 3e-3 * sin(97 * t * t);
}

Test(wave_fit, waves_of_one_frequency_have_it)
{
    expect_fit(damped, 1.41, -0.15, 2e-3);
    expect_fit(steady, 0.9956, 0, 1e-3);
    expect_fit(growing, 0, 0.35, 0.02);
    expect_fit(travelling, 0.8, 0.3, 0.02);
}

Test(wave_fit, a_damped_wave_is_fitted_before_it_drowns_in_noise)
{
    expect_fit(falling_to_noise, 1.5, -0.2, 0.02);
}

static double complex nothing(double t)
{
    (void)t;
    return 0;
}

static double complex chaos(double t)
{
    return sin(1e4 * t * t) + I * cos(7e3 * t * t * t);
}

Test(wave_fit, what_is_no_wave_has_no_fit)
{
    static const double gammas[] = {-0.1, 0, 0.1};
    struct htmt__pic_wave_fit fit;
    struct run r;
    for (int i = 0; i < 3; i++) {
        make(&r, nothing);
        cr_expect(!htmt__pic_fit_wave(&r.series, gammas[i], &fit));
        make(&r, chaos);
        cr_expect(!htmt__pic_fit_wave(&r.series, gammas[i], &fit), "gamma %g", gammas[i]);
        make(&r, steady);
        for (r.series.steps = 0; r.series.steps < 40; r.series.steps++)
            cr_expect(!htmt__pic_fit_wave(&r.series, gammas[i], &fit), "%zu steps",
                      (size_t)r.series.steps);
    }
}
