/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Is the parcel program's image that of the serial program? None of this uses a kernel's code.
 */
#ifndef HTMT_APPS_SAR_CHECK_H
#define HTMT_APPS_SAR_CHECK_H

#include "apps/sar/io/raw.h"
#include "apps/sar/plan.h"

struct htmt__sar_check {
    double value;     /* |image - serial| / scale, the root of the sum over all pixels */
    double tolerance; /* pass: value <= tolerance */
    bool pass;
};

/* What rounding may do, with eps = 2^-53, or 2^-24 in single precision. A transform of n points
 * errs by at most about eps log2 n of what it gets; there are two of N and two of M points, three
 * products with filters and a weighted sum in between, in both programs. Phases of filters are
 * computed in double from numbers of up to phi radians, with a few roundings of phi 2^-53 each:
 *
 *     tolerance = 8 eps (log2 N + log2 M + 4) + 16 phi 2^-53.
 */
double htmt__sar_tolerance(const struct htmt__sar_plan *plan, bool single);

/* What focusing makes of all that is in the patches, in the image or beside it; rounding is
 * relative to that: root of the energy of the converted data, lines counted in each of their
 * patches, times the gain of range focusing, min(1, sampling / (pulse sqrt |chirp rate|)) with the
 * pulse in samples. Azimuth focusing keeps energy. */
double htmt__sar_scale(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw);

/* Runs the serial program: two images' memory more. A pixel that is no number fails. Errors: those
 * of htmt__sar_reference(), HTMT_ENOMEM. */
int htmt__sar_check(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw, bool single,
                    const void *image, struct htmt__sar_check *check, struct htmt_fault *fault);

#endif
