/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/task_parts.h"
#include "apps/sar/io/scene.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct htmt__sar_radar named(const char *name)
{
    struct htmt__sar_radar r;
    cr_assert_eq(htmt__sar_radar_named(name, &r, NULL), 0);
    return r;
}

/* What the literature derives from the same figures. */
Test(radar, ers_and_radarsat_have_their_derived_figures)
{
    struct htmt__sar_radar ers = named("ers"), radarsat = named("radarsat");
    cr_expect_float_eq(htmt__sar_wavelength(&ers), 0.0565646, 1e-7);
    cr_expect_float_eq(htmt__sar_spacing(&ers), 7.905, 5e-4);
    cr_expect_float_eq(htmt__sar_chirp_bandwidth(&ers), 15.553e6, 500);
    cr_expect_eq(round(ers.pulse * ers.sampling), 704);
    cr_expect_float_eq(htmt__sar_spacing(&radarsat), 4.639, 1e-3);
    cr_expect_float_eq(htmt__sar_chirp_bandwidth(&radarsat), 30.116e6, 500);
    cr_expect_eq(round(radarsat.pulse * radarsat.sampling), 1349);
    cr_expect_lt(radarsat.chirp_rate, 0);
    cr_expect_eq(round(radarsat.centroid / radarsat.prf), -6);
}

Test(radar, those_at_hand_are_neither_absurd_nor_suspicious)
{
    static const char *const names[] = {"ers", "radarsat", "small"};
    for (int k = 0; k < 3; k++) {
        struct htmt__sar_radar r = named(names[k]);
        struct htmt_fault fault = {0};
        struct htmt_warnings w = {.count = 0};
        cr_expect_eq(htmt__sar_radar_check(&r, &fault), 0, "%s", fault.text);
        htmt__sar_radar_doubt(&r, &w);
        cr_expect_eq(w.count, 0, "%s", w.item[0].text);
    }
}

static void refuse(struct htmt__sar_radar r, const char *key)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__sar_radar_check(&r, &fault), HTMT_ERANGE, "%s", key);
    cr_expect_eq(strncmp(fault.text, key, strlen(key)), 0, "%s: %s", key, fault.text);
}

Test(radar, every_number_is_checked)
{
    static const double wrong[] = {0, -1, NAN, INFINITY};
    for (int k = 0; k < 4; k++) {
        struct htmt__sar_radar r = named("ers");
        r.carrier = wrong[k], refuse(r, "carrier: ");
        r = named("ers"), r.sampling = wrong[k], refuse(r, "sampling: ");
        r = named("ers"), r.pulse = wrong[k], refuse(r, "pulse: ");
        r = named("ers"), r.prf = wrong[k], refuse(r, "prf: ");
        r = named("ers"), r.velocity = wrong[k], refuse(r, "velocity: ");
        r = named("ers"), r.near_range = wrong[k], refuse(r, "range: ");
        r = named("ers"), r.bandwidth = wrong[k], refuse(r, "bandwidth: ");
    }
    struct htmt__sar_radar r = named("ers");
    r.chirp_rate = 0, refuse(r, "chirp_rate: ");
    r.chirp_rate = NAN, refuse(r, "chirp_rate: ");
    r = named("ers"), r.centroid = NAN, refuse(r, "centroid: ");
    r = named("ers"), r.lines = 0, refuse(r, "lines: ");
    r = named("ers"), r.samples = 0, refuse(r, "samples: ");
}

/* The first number is still good, the second no longer. */
Test(radar, limits_are_where_the_physics_has_them)
{
    struct htmt__sar_radar r = named("ers"), good = r;
    good.samples = 704;
    cr_expect_eq(htmt__sar_radar_check(&good, NULL), 0);
    r.samples = 703, refuse(r, "pulse: ");
    r = named("ers"), r.sampling = 15.56e6;
    cr_expect_eq(htmt__sar_radar_check(&r, NULL), 0);
    r.sampling = 15.55e6, refuse(r, "sampling: ");
    r = named("ers"), r.pulse = 1 / 20e6, refuse(r, "pulse: ");
    r = named("ers"), r.bandwidth = r.prf;
    cr_expect_eq(htmt__sar_radar_check(&r, NULL), 0);
    r.bandwidth = r.prf * 1.0001, refuse(r, "bandwidth: ");
    r = named("ers"), r.centroid = 2 * r.velocity / htmt__sar_wavelength(&r) - 651;
    cr_expect_eq(htmt__sar_radar_check(&r, NULL), 0);
    r.centroid += 2, refuse(r, "centroid: ");
}

static void expect_warning(struct htmt__sar_radar r, const char *name, const char *text)
{
    struct htmt_warnings w = {.count = 0};
    htmt__sar_radar_doubt(&r, &w);
    cr_assert_eq(w.count, 1, "%s", text);
    cr_expect_str_eq(w.item[0].name, name);
    cr_expect_not_null(strstr(w.item[0].text, text), "%s", w.item[0].text);
}

Test(radar, what_is_suspicious_is_warned_of)
{
    struct htmt__sar_radar r = named("ers");
    r.bandwidth = 0.97 * r.prf, expect_warning(r, "band", "97 % of the prf is processed");
    r = named("ers"), r.centroid = -40000, expect_warning(r, "squint", "is 23.8 prf");
    r = named("ers"), r.lines = 1000, expect_warning(r, "exposure", "1019 lines of exposure");
    r = named("ers"), r.sampling = 15.6e6, expect_warning(r, "chirp", "fills 99.7 % of the");
}

/* 0.4189 MHz/s for 0.4189 MHz/us. */
Test(radar, a_chirp_rate_in_the_wrong_unit_is_warned_of)
{
    struct htmt__sar_radar r = named("ers");
    r.chirp_rate *= 1e-6, expect_warning(r, "time-bandwidth", "is 0.000577, expected 10 or more");
}

Test(radar, several_warnings_are_all_given)
{
    struct htmt__sar_radar r = named("ers");
    struct htmt_warnings w = {.count = 0};
    r.bandwidth = 0.97 * r.prf;
    r.lines = 1000;
    r.chirp_rate *= 1e-6;
    htmt__sar_radar_doubt(&r, &w);
    cr_expect_eq(w.count, 3);
}
