/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Estimates of the Doppler centroid from the data: preparation of the input, shared by the serial
 * and the parcel program.
 */
#ifndef HTMT_APPS_SAR_DOPPLER_H
#define HTMT_APPS_SAR_DOPPLER_H

#include "apps/sar/io/radar.h"
#include "apps/sar/io/raw.h"

/* The fraction of the centroid in (-prf/2, prf/2] by lag-one correlation of lines: with z converted
 * as in raw.h (mean and gains are used), prf / (2 pi) arg sum conj(z[n][j]) z[n+1][j]. Lines are
 * summed in order. *rise is the fraction of the far half of the samples less that of the near half.
 * Errors: HTMT_EFORMAT when the correlation is zero. */
int htmt__sar_doppler_fraction(const struct htmt__sar_raw *raw, double prf, double *fraction,
                               double *rise, struct htmt_fault *fault);

/* The ambiguity number of the centroid with that fraction, by wavelength diversity. At range
 * frequency g a point has (1 + g / carrier) times its Doppler frequency at the carrier, so the
 * phase of the lag-one correlation rises by 2 pi centroid / (prf carrier) for each Hz. The
 * correlation is summed separately over parts of the chirp's band; a line through their phases
 * gives the slope in whole prf. This multiplies the noise of the phases by carrier / band, so it
 * takes thousands of lines of an even scene. If the spread of the phases about the line shows that
 * the data does not suffice: HTMT_EFORMAT. *ambiguity is a whole number. Errors: also HTMT_ENOMEM.
 */
int htmt__sar_doppler_ambiguity(const struct htmt__sar_raw *raw,
                                const struct htmt__sar_radar *radar, double fraction,
                                double *ambiguity, struct htmt_fault *fault);

#endif
