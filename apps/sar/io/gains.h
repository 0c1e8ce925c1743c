/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gains of lines: what the receiver's automatic gain control took away, in dB, and the factors that
 * give it back.
 */
#ifndef HTMT_APPS_SAR_IO_GAINS_H
#define HTMT_APPS_SAR_IO_GAINS_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* A text file with one number of dB for each of `lines` lines, -200 to 200; what stands behind '#'
 * is a comment. The caller frees *decibels. Errors: HTMT_ENOENT, HTMT_EFORMAT with file and line
 * (no number, too many, too few), HTMT_ERANGE, HTMT_ENOMEM, HTMT_EIO. */
int htmt__sar_gains_read(const char *path, uint32_t lines, double **decibels,
                         struct htmt_fault *fault);

/* Factors 10^(dB / 20) of `count` lines, from decibels[first] on, or all of decibels[first] unless
 * `each` line has its own. The caller frees *gain. Errors: HTMT_ENOMEM. */
int htmt__sar_gains_of(const double *decibels, uint32_t first, bool each, uint32_t count,
                       double **gain, struct htmt_fault *fault);

#endif
