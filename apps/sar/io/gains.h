/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gains of lines: the dB that the receiver's automatic gain control took, and the factors that give
 * them back.
 */
#ifndef HTMT_APPS_SAR_IO_GAINS_H
#define HTMT_APPS_SAR_IO_GAINS_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Read a text file with one number of dB for each of `lines` lines, -200 to 200; '#' begins a
 * comment. The caller frees *decibels. Errors: HTMT_ENOENT, HTMT_EFORMAT with file and line (no
 * number, too many, too few), HTMT_ERANGE, HTMT_ENOMEM, HTMT_EIO. */
int htmt__sar_gains_read(const char *path, uint32_t lines, double **decibels,
                         struct htmt_fault *fault);

/* Factors 10^(dB / 20) of `count` lines: from decibels[first] on if `each` line has its own,
 * otherwise decibels[first] for all. The caller frees *gain. Errors: HTMT_ENOMEM. */
int htmt__sar_gains_of(const double *decibels, uint32_t first, bool each, uint32_t count,
                       double **gain, struct htmt_fault *fault);

#endif
