/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/radar.h"

#include "apps/lib/warnings.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

/* ---- refusals ------------------------------------------------------------------------------- */

static int check_numbers(const struct htmt__sar_radar *r, struct htmt_fault *fault)
{
    const struct {
        const char *name, *unit;
        double value;
    } positive[] = {{"carrier", "Hz", r->carrier},    {"sampling", "Hz", r->sampling},
                    {"pulse", "s", r->pulse},         {"prf", "Hz", r->prf},
                    {"velocity", "m/s", r->velocity}, {"range", "m", r->near_range},
                    {"bandwidth", "Hz", r->bandwidth}};
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
        if (!isfinite(positive[k].value) || positive[k].value <= 0)
            return htmt_fault_set(fault, HTMT_ERANGE, "%s: found %g %s, expected more than 0",
                                  positive[k].name, positive[k].value, positive[k].unit);
    if (!isfinite(r->chirp_rate) || r->chirp_rate == 0)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "chirp_rate: found %g Hz/s, expected a rate other than 0",
                              r->chirp_rate);
    if (!isfinite(r->centroid))
        return htmt_fault_set(fault, HTMT_ERANGE, "centroid: found %g Hz, expected a frequency",
                              r->centroid);
    return 0;
}

int htmt__sar_radar_check(const struct htmt__sar_radar *r, struct htmt_fault *fault)
{
    if (!r->lines || !r->samples)
        return htmt_fault_set(fault, HTMT_ERANGE, "%s: found 0, expected 1 or more",
                              r->lines ? "samples" : "lines");
    int rc = check_numbers(r, fault);
    if (rc)
        return rc;
    const double length = r->pulse * r->sampling, band = htmt__sar_chirp_bandwidth(r);
    const double most = 2 * r->velocity / htmt__sar_wavelength(r);
    if (length > r->samples)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "pulse: found %g us = %.0f samples, longer than the line of %" PRIu32,
                              1e6 * r->pulse, length, r->samples);
    if (length < 1)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "pulse: found %g us, shorter than one sample (%g us)", 1e6 * r->pulse,
                              1e6 / r->sampling);
    if (band > r->sampling)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "sampling: found %g MHz, expected at least the chirp's bandwidth, "
                              "|chirp_rate| x pulse = %g MHz",
                              1e-6 * r->sampling, 1e-6 * band);
    if (r->bandwidth > r->prf)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "bandwidth: found %g Hz, expected at most the prf of %g Hz",
                              r->bandwidth, r->prf);
    if (fabs(r->centroid) + r->bandwidth / 2 >= most)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "centroid: found %g Hz, expected less than 2 velocity / wavelength = "
                              "%g Hz with half the bandwidth",
                              r->centroid, most);
    return 0;
}

/* ---- suspicions ----------------------------------------------------------------------------- */

/* Of bandwidth x pulse. */
#define LEAST_PRODUCT 10

/* Full exposure of a point at the near range, in lines. */
static double exposure(const struct htmt__sar_radar *r)
{
    return htmt__sar_wavelength(r) * r->near_range * r->bandwidth * r->prf /
           (2 * r->velocity * r->velocity);
}

void htmt__sar_radar_doubt(const struct htmt__sar_radar *r, struct htmt_warnings *w)
{
    double share = r->bandwidth / r->prf, squint = fabs(r->centroid) / r->prf;
    double band = htmt__sar_chirp_bandwidth(r), product = band * r->pulse;
    if (share > 0.95)
        htmt_warn(w, "band", "%.0f %% of the prf is processed: azimuth ambiguities are let in",
                  100 * share);
    if (squint > 20)
        htmt_warn(w, "squint", "the Doppler centroid is %.1f prf: is it in Hz?", squint);
    if (band > 0.98 * r->sampling)
        htmt_warn(w, "chirp", "the chirp fills %.1f %% of the sampling: its ends fold over",
                  100 * band / r->sampling);
    if (product < LEAST_PRODUCT)
        htmt_warn(w, "time-bandwidth",
                  "the chirp's bandwidth x pulse is %.3g, expected %d or more: has chirp_rate the "
                  "right unit?",
                  product, LEAST_PRODUCT);
    if (exposure(r) > r->lines)
        htmt_warn(w, "exposure",
                  "no point is lit fully: %.0f lines of exposure, %" PRIu32 " of data", exposure(r),
                  r->lines);
}
