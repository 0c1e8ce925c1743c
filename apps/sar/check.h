/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compare the image of the parcel program with the image of the serial program. The comparison uses
 * no code of the kernels.
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

/* The rounding bound, with eps = 2^-53, or 2^-24 in single precision. A transform of n points errs
 * by at most about eps log2 n of its input. Both programs have two transforms of N and two of M
 * points, and between them three products with filters and a weighted sum. The phases of filters
 * are computed in double from numbers of up to phi radians, with a few roundings of phi 2^-53 each:
 *
 *     tolerance = 8 eps (log2 N + log2 M + 4) + 16 phi 2^-53. */
double htmt__sar_tolerance(const struct htmt__sar_plan *plan, bool single);

/* The result of focusing all data in the patches, inside and outside the image. Rounding is
 * relative to it. It is the root of the energy of the converted data, with lines counted in each of
 * their patches, times the gain of range focusing, min(1, sampling / (pulse sqrt |chirp rate|))
 * with the pulse in samples. Azimuth focusing keeps energy. */
double htmt__sar_scale(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw);

struct htmt_emulator;

/* Run the serial program and compare. image[n] has the lines of the image that patch n gives, or is
 * NULL in a process that does not play its slice, n modulo the slices: each process focuses the
 * patches that it has, and all of them get the value that one process would get. After the run of
 * the emulator, in all of them; without one (NULL) all patches are here. This needs the memory of
 * these lines once more, and of a patch. A pixel that is not a number fails. Errors: those of
 * htmt__sar_reference(), HTMT_ENOMEM, HTMT_ESYSTEM (other processes are gone). */
int htmt__sar_check(struct htmt_emulator *e, const struct htmt__sar_plan *plan,
                    const struct htmt__sar_raw *raw, bool single, unsigned threads,
                    void *const *image, struct htmt__sar_check *check, struct htmt_fault *fault);

#endif
