/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ambiguity number of the Doppler centroid, by trial focusing: preparation of the input, shared
 * by the serial and the parcel program.
 */
#ifndef HTMT_APPS_SAR_AMBIGUITY_H
#define HTMT_APPS_SAR_AMBIGUITY_H

#include "apps/sar/io/radar.h"
#include "apps/sar/io/raw.h"

#include <stdint.h>

/* Nats of entropy by which the next number must be worse. */
#define HTMT__SAR_MARGIN 0.05

struct htmt__sar_ambiguity {
    int64_t number;
    int64_t next;    /* the second best */
    double margin;   /* its entropy less that of `number`, nats */
    unsigned trials; /* numbers that were tried */
};

/* With a wrong number range migration is corrected along a wrong slope, and each point is spread
 * over several cells. So a part of the data is focused with several numbers; the right one gives
 * the image with the least entropy of its powers, - sum p ln p. The part is the middle lines and
 * the samples with the most contrast. The trials begin at the guess of doppler.h and its
 * neighbours, and go on until the best number has two worse ones on either side. A margin below
 * HTMT__SAR_MARGIN is refused with HTMT_EFORMAT. Other errors: HTMT_ERANGE (no trial can be
 * planned), HTMT_ENOMEM. */
int htmt__sar_ambiguity(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                        double fraction, struct htmt__sar_ambiguity *found,
                        struct htmt_fault *fault);

#endif
