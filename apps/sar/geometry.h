/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The position of a ground point in strip-map data: ranges, Doppler frequencies, migration, and the
 * phases of the filters that focus it. I. G. Cumming, F. H. Wong, "Digital Processing of Synthetic
 * Aperture Radar Data", chapters 4 to 6; signal model and signs as in radar.h.
 *
 * f is an absolute Doppler frequency in Hz, R the slant range of closest approach in m, and
 *
 *     s(f) = c f / (2 V carrier),   D(f) = sqrt(1 - s^2).
 *
 * D is the cosine of the angle off broadside at which the beam sees a point with that frequency.
 * Differences of D from 1 are computed as s^2 / (1 + D), without cancellation.
 */
#ifndef HTMT_APPS_SAR_GEOMETRY_H
#define HTMT_APPS_SAR_GEOMETRY_H

#include "apps/sar/io/radar.h"

/* R of a column. The column may be fractional. */
double htmt__sar_range(const struct htmt__sar_radar *r, double column);

double htmt__sar_cosine(const struct htmt__sar_radar *r, double f);

/* Range migration R / D - R, in samples: the additional distance against closest approach. */
double htmt__sar_migration(const struct htmt__sar_radar *r, double range, double f);

/* Slow time from closest approach to the point's frequency f: - c R f / (2 V^2 carrier D), in
 * lines; negative while the point comes nearer. */
double htmt__sar_exposure(const struct htmt__sar_radar *r, double range, double f);

/* Azimuth FM rate at the centroid, 2 V^2 carrier D^3 / (c R), Hz/s. */
double htmt__sar_fm_rate(const struct htmt__sar_radar *r, double range);

/* Number of lines in which the beam lights a point within the processed band. */
double htmt__sar_aperture(const struct htmt__sar_radar *r, double range);

/* Secondary range compression at the centroid: 1 / K_src(f) = c R f^2 / (2 V^2 carrier^3 D^3),
 * s/Hz. Zero without squint. */
double htmt__sar_src(const struct htmt__sar_radar *r, double range);

/* Samples of a pulse, rounded to the nearest whole number. */
uint32_t htmt__sar_pulse_samples(const struct htmt__sar_radar *r);

/* Phase of sample n of the pulse: pi K (n / sampling - pulse / 2)^2. */
double htmt__sar_pulse_phase(const struct htmt__sar_radar *r, double n);

/* Phase of secondary range compression at range frequency g: - pi g^2 / K_src. */
double htmt__sar_src_phase(const struct htmt__sar_radar *r, double range, double g);

/* Phase of the azimuth matched filter, proportional to R: 4 pi R (D - 1) carrier / c. The carrier's
 * own phase - 4 pi R carrier / c stays in the image. Secondary range compression is exact at the
 * centroid only, so the filter also removes its remainder:
 * - pi B^2 / 12 (1 / K_src(f) - 1 / K_src(centroid)), with B^2 / 12 the mean of g^2 over the
 * chirp's bandwidth. The remainder would shift points of a squinted beam in azimuth. */
double htmt__sar_azimuth_phase(const struct htmt__sar_radar *r, double range, double f);

#endif
