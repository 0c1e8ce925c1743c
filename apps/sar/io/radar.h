/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A strip-map radar and the processing of its data: the numbers that every formula of the
 * application starts from, all in SI units.
 *
 * Signal model. Line n is the echo of the pulse sent at slow time n / prf; line 0 is the first of
 * the window. Sample j of a line was taken at fast time 2 near_range / c + j / sampling after the
 * leading edge of its pulse. A point with range R0 of closest approach at slow time t0 is at range
 * R(t) = sqrt(R0^2 + (V (t - t0))^2). Its echo in line n at fast time tau is, with
 * u = tau - 2 R(n / prf) / c,
 *
 *     s = A exp(-j 4 pi carrier R / c) exp(j pi chirp_rate (u - pulse / 2)^2),   0 <= u < pulse.
 *
 * After compression to the leading edge, column j therefore holds the range
 * near_range + j c / (2 sampling). The Doppler frequency of the point is
 * f(t) = -2 V^2 (t - t0) carrier / (c R): positive while it comes nearer.
 */
#ifndef HTMT_APPS_SAR_IO_RADAR_H
#define HTMT_APPS_SAR_IO_RADAR_H

#include "runtime/base/error.h"

#include <stdint.h>

#define HTMT__SPEED_OF_LIGHT 299792458.0

struct htmt_warnings;

struct htmt__sar_radar {
    uint32_t lines, samples; /* of the window that is processed */
    double carrier;          /* Hz */
    double sampling;         /* complex samples a second of fast time, Hz */
    double chirp_rate;       /* Hz/s; negative: a down-chirp */
    double pulse;            /* s */
    double prf;              /* Hz */
    double velocity;         /* effective, m/s */
    double near_range;       /* slant range of sample 0 of the window, m */
    double centroid;         /* Doppler frequency of the beam's centre, absolute: fraction plus
                                ambiguity times prf, Hz */
    double bandwidth;        /* Doppler band around the centroid that is processed, Hz */
};

static inline double htmt__sar_wavelength(const struct htmt__sar_radar *r)
{
    return HTMT__SPEED_OF_LIGHT / r->carrier;
}

/* Slant range from one sample to the next, m. */
static inline double htmt__sar_spacing(const struct htmt__sar_radar *r)
{
    return HTMT__SPEED_OF_LIGHT / (2 * r->sampling);
}

/* Hz. */
static inline double htmt__sar_chirp_bandwidth(const struct htmt__sar_radar *r)
{
    double b = r->chirp_rate * r->pulse;
    return b < 0 ? -b : b;
}

/* Refuse impossible radars: numbers that are not finite or have the wrong sign, a pulse longer than
 * the line, a sampling rate below the chirp's bandwidth, a Doppler band wider than the prf or
 * squinted beyond the velocity's limit. The message names the quantity and no file. Errors:
 * HTMT_ERANGE. */
int htmt__sar_radar_check(const struct htmt__sar_radar *r, struct htmt_fault *fault);

/* Warn of possible but suspicious numbers: "band", "squint", "chirp", "time-bandwidth", "exposure".
 */
void htmt__sar_radar_doubt(const struct htmt__sar_radar *r, struct htmt_warnings *warnings);

#endif
