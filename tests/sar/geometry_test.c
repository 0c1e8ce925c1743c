/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The formulas against the hyperbola R(t) and its derivatives, taken numerically.
 */
#include "apps/sar/geometry.h"

#include "apps/sar/io/scene.h"

#include <criterion/criterion.h>
#include <math.h>

static struct htmt__sar_radar radar(const char *name)
{
    struct htmt__sar_radar r;
    cr_assert_eq(htmt__sar_radar_named(name, &r, NULL), 0);
    return r;
}

static long double hyperbola(const struct htmt__sar_radar *r, double range, long double t)
{
    return sqrtl((long double)range * range + (long double)r->velocity * r->velocity * t * t);
}

/* - 2 R'(t) / wavelength, by difference. */
static double doppler(const struct htmt__sar_radar *r, double range, double t)
{
    long double h = 1e-3L;
    return (double)((hyperbola(r, range, t - h) - hyperbola(r, range, t + h)) / h) /
           htmt__sar_wavelength(r);
}

Test(geometry, exposure_and_migration_follow_the_hyperbola_with_squint_and_without)
{
    for (int i = 0; i < 2; i++) {
        struct htmt__sar_radar r = radar(i ? "radarsat" : "ers");
        for (double range = r.near_range; range < r.near_range * 1.1; range += r.near_range / 20)
            for (double f = r.centroid - r.prf / 2; f < r.centroid + r.prf / 2; f += r.prf / 7) {
                double t = htmt__sar_exposure(&r, range, f) / r.prf;
                cr_expect_float_eq(doppler(&r, range, t), f, 1e-4);
                double further = (double)(hyperbola(&r, range, t) - range);
                cr_expect_float_eq(htmt__sar_migration(&r, range, f) * htmt__sar_spacing(&r),
                                   further, 1e-6);
                cr_expect_float_eq(htmt__sar_cosine(&r, f), range / (double)hyperbola(&r, range, t),
                                   1e-12);
            }
    }
}

Test(geometry, the_fm_rate_is_how_fast_the_doppler_frequency_falls_at_the_centroid)
{
    struct htmt__sar_radar r = radar("radarsat");
    double t = htmt__sar_exposure(&r, r.near_range, r.centroid) / r.prf, h = 1e-2;
    double rate = (doppler(&r, r.near_range, t - h) - doppler(&r, r.near_range, t + h)) / (2 * h);
    cr_expect_float_eq(htmt__sar_fm_rate(&r, r.near_range) / rate, 1, 1e-6);
    cr_expect_float_eq(htmt__sar_aperture(&r, r.near_range) * rate / r.prf / r.bandwidth, 1, 1e-4);
}

/* Phase of a point's spectrum at range frequency g and azimuth frequency f, without that of
 * g = 0 and its slope: - 4 pi R / c sqrt((carrier + g)^2 - (c f / 2 V)^2). */
static double curvature(const struct htmt__sar_radar *r, double range, double f, double g)
{
    long double a = HTMT__SPEED_OF_LIGHT * (long double)f / (2 * (long double)r->velocity);
    long double up = sqrtl((r->carrier + (long double)g) * (r->carrier + (long double)g) - a * a);
    long double down = sqrtl((r->carrier - (long double)g) * (r->carrier - (long double)g) - a * a);
    long double at = sqrtl((long double)r->carrier * r->carrier - a * a);
    return (double)(-4 * acosl(-1) * range / HTMT__SPEED_OF_LIGHT * (up + down - 2 * at) / 2);
}

Test(geometry, secondary_range_compression_takes_back_the_curvature_of_the_spectrum)
{
    struct htmt__sar_radar r = radar("radarsat");
    double g = htmt__sar_chirp_bandwidth(&r) / 2;
    double phase = curvature(&r, r.near_range, r.centroid, g);
    cr_expect_gt(phase, 0.5, "a squint that matters");
    cr_expect_float_eq(htmt__sar_src_phase(&r, r.near_range, g), -phase, 1e-4 * phase);
    r.centroid = 0;
    cr_expect_eq(htmt__sar_src(&r, r.near_range), 0);
}

Test(geometry, the_azimuth_phase_loses_nothing_to_cancellation)
{
    struct htmt__sar_radar r = radar("radarsat");
    r.pulse = 1e-12; /* nothing to couple */
    for (double f = -7600; f < -6400; f += 97.3) {
        long double s = HTMT__SPEED_OF_LIGHT * (long double)f / (2.0L * r.velocity * r.carrier);
        long double phase = 4 * acosl(-1) * r.near_range * (sqrtl(1 - s * s) - 1) * r.carrier /
                            HTMT__SPEED_OF_LIGHT;
        cr_expect_float_eq(htmt__sar_azimuth_phase(&r, r.near_range, f), (double)phase, 1e-9);
    }
}

/* Mean over the chirp's bandwidth of the curvature that is left at f. */
static double left_over(const struct htmt__sar_radar *r, double f)
{
    double half = htmt__sar_chirp_bandwidth(r) / 2, sum = 0;
    enum { STEPS = 1000 };
    for (int i = 0; i < STEPS; i++) {
        double g = half * (i + 0.5) / STEPS;
        sum += curvature(r, r->near_range, f, g) - curvature(r, r->near_range, r->centroid, g);
    }
    return sum / STEPS;
}

Test(geometry, the_azimuth_phase_takes_back_what_secondary_range_compression_leaves)
{
    struct htmt__sar_radar with = radar("radarsat"), without = with;
    without.pulse = 1e-12;
    for (double f = -7500; f <= -6500; f += 250) {
        double phase = htmt__sar_azimuth_phase(&with, with.near_range, f) -
                       htmt__sar_azimuth_phase(&without, with.near_range, f);
        cr_expect_float_eq(phase, -left_over(&with, f), 1e-5, "%g Hz: %g, %g", f, phase,
                           -left_over(&with, f));
    }
    cr_expect_gt(left_over(&with, -7500), 0.03, "a squint that matters");
}

Test(geometry, a_pulse_sweeps_its_bandwidth_around_zero_up_or_down)
{
    for (int i = 0; i < 2; i++) {
        struct htmt__sar_radar r = radar(i ? "radarsat" : "ers");
        double n = htmt__sar_pulse_samples(&r), turns[2];
        for (int end = 0; end < 2; end++) {
            double at = end ? n : 0;
            turns[end] =
                (htmt__sar_pulse_phase(&r, at + 0.5) - htmt__sar_pulse_phase(&r, at - 0.5)) *
                r.sampling / (2 * M_PI);
        }
        cr_expect_float_eq((turns[1] - turns[0]) / (r.chirp_rate * r.pulse), 1, 1e-2);
        cr_expect_float_eq((turns[1] + turns[0]) / (r.chirp_rate * r.pulse), 0, 1e-2);
    }
}
