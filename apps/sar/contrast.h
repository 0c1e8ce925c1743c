/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How sharp a chirp makes the lines of raw data: preparation of the input.
 */
#ifndef HTMT_APPS_SAR_CONTRAST_H
#define HTMT_APPS_SAR_CONTRAST_H

#include "apps/sar/io/radar.h"
#include "apps/sar/io/raw.h"

/* Up to so many lines, evenly spaced, are compressed. */
#define HTMT__SAR_CONTRAST_LINES 128

struct htmt__sar_contrast {
    double value;    /* n sum p^2 / (sum p)^2 of the powers p of all cells: 2 of noise, 1 if all are
                        equal; 0 without power */
    double error;    /* standard error of that value for noise */
    uint32_t cells;  /* of a line that hold whole echoes */
    double *squares; /* sum of p^2 of each cell over the lines */
};

/* Compress with the radar's chirp, or with its complex conjugate if `opposite`. The caller frees
 * squares. Errors: HTMT_ENOMEM. */
int htmt__sar_contrast(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                       bool opposite, struct htmt__sar_contrast *contrast,
                       struct htmt_fault *fault);

#endif
