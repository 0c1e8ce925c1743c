/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fraction of the Doppler centroid, measured from the data: preparation of the input, shared by
 * the serial and the parcel program.
 */
#ifndef HTMT_APPS_SAR_DOPPLER_H
#define HTMT_APPS_SAR_DOPPLER_H

#include "apps/sar/io/raw.h"

#include <stdbool.h>

/* By lag-one correlation of lines: with z converted as in raw.h (mean and gains are used) and
 * S = sum conj(z[n][j]) z[n+1][j], the fraction is prf / (2 pi) arg S. */
struct htmt__sar_doppler {
    double fraction;     /* Hz, in (-prf/2, prf/2]; 0 where S is 0 */
    double error;        /* its standard error by the noise, Hz; prf where S is 0 */
    double coherence;    /* |S| over the power of the lines, 0 to 1 */
    double significance; /* |S| over its standard deviation if neighbouring lines had nothing in
                            common; the sums of blocks of samples tell the latter */
    double rise;     /* fraction of the far half of the samples less that of the near half, Hz */
    bool rise_known; /* both halves are significant */
};

/* Lines without a signal have a significance below this, but for one of 7e10 inputs. */
#define HTMT__SAR_SIGNIFICANT 5.0

/* Errors: HTMT_ENOMEM. */
int htmt__sar_doppler_measure(const struct htmt__sar_raw *raw, double prf,
                              struct htmt__sar_doppler *doppler, struct htmt_fault *fault);

/* What a frequency is beside the nearest multiple of the prf, in [-prf/2, prf/2]. */
double htmt__sar_doppler_fold(double frequency, double prf);

#endif
