/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Doppler centroid out of the data: input preparation that serial and parcel program share.
 */
#ifndef HTMT_APPS_SAR_DOPPLER_H
#define HTMT_APPS_SAR_DOPPLER_H

#include "apps/sar/io/radar.h"
#include "apps/sar/io/raw.h"

/* Fraction of the centroid in (-prf/2, prf/2] by lag-one correlation of lines: with z as raw.h
 * converts (mean and gains are used), prf / (2 pi) arg sum conj(z[n][j]) z[n+1][j]; lines are
 * summed in order. *rise is how much larger it is in the far half of the samples than in the near
 * half. Errors: HTMT_EFORMAT when the correlation is zero. */
int htmt__sar_doppler_fraction(const struct htmt__sar_raw *raw, double prf, double *fraction,
                               double *rise, struct htmt_fault *fault);

/* Ambiguity number of that fraction's centroid, by wavelength diversity: at range frequency g a
 * point has (1 + g / carrier) times the Doppler frequency that it has at the carrier, so the phase
 * of the lag-one correlation rises by 2 pi centroid / (prf carrier) a Hz. The correlation is summed
 * apart over parts of the chirp's band, a line is laid through their phases, and its slope told in
 * whole prf. That multiplies the phases' noise by carrier / band, so it takes thousands of lines of
 * an even scene; when the phases' spread about the line says that it is not enough, HTMT_EFORMAT.
 * *ambiguity is a whole number. Errors: also HTMT_ENOMEM. */
int htmt__sar_doppler_ambiguity(const struct htmt__sar_raw *raw,
                                const struct htmt__sar_radar *radar, double fraction,
                                double *ambiguity, struct htmt_fault *fault);

#endif
