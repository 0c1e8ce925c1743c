/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ambiguity number of the Doppler centroid, by trial focusing: preparation of the input, shared
 * by the serial and the parcel program.
 */
#ifndef HTMT_APPS_SAR_AMBIGUITY_H
#define HTMT_APPS_SAR_AMBIGUITY_H

#include "apps/sar/io/radar.h"
#include "apps/sar/io/raw.h"

#include <stdbool.h>

/* Nats of entropy by which the next number must be worse. */
#define HTMT__SAR_MARGIN 0.1

struct htmt__sar_ambiguity {
    int number;
    /* of a search: */
    bool searched;
    int next;      /* the second best */
    double margin; /* its entropy less that of `number`, nats */
};

/* With a wrong number range migration is corrected along a wrong slope, and each point is spread
 * over several cells. So a part of the data is focused with every other number from -10 to 10, and
 * with those beside the best; the right one gives the image with the least entropy of its powers,
 * - sum p ln p. The part is the middle
 * lines, and the samples with the most contrast; powers count less towards its ends. A margin below
 * HTMT__SAR_MARGIN, and a number at an end, are refused with HTMT_EFORMAT. Other errors:
 * HTMT_ENOMEM. */
int htmt__sar_ambiguity(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                        double fraction, struct htmt__sar_ambiguity *found,
                        struct htmt_fault *fault);

#endif
