/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Doppler centroid out of the data: input preparation that serial and parcel program share.
 */
#ifndef HTMT_APPS_SAR_DOPPLER_H
#define HTMT_APPS_SAR_DOPPLER_H

#include "apps/sar/radar.h"
#include "apps/sar/raw.h"

/* Fraction of the centroid in (-prf/2, prf/2] by lag-one correlation of lines: with z as raw.h
 * converts (mean and gains are used), prf / (2 pi) arg sum conj(z[n][j]) z[n+1][j]; lines are
 * summed in order. Errors: HTMT_EFORMAT when the correlation is zero. */
int htmt__sar_doppler_fraction(const struct htmt__sar_raw *raw, double prf, double *fraction,
                               struct htmt_fault *fault);

#endif
