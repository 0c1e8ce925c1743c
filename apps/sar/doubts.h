/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reasons to doubt raw data, its description, or what is made of it.
 */
#ifndef HTMT_APPS_SAR_DOUBTS_H
#define HTMT_APPS_SAR_DOUBTS_H

#include "apps/lib/warnings.h"
#include "apps/sar/doppler.h"
#include "apps/sar/plan.h"

/* Warn of numbers that are all the same ("constant"), of codes that are all equally frequent
 * ("random"), of a sign bit that is read the wrong way ("codes"). bits: of I8.
 * false: they are constant, so their spectrum says nothing. */
bool htmt__sar_doubt_codes(const struct htmt__sar_raw *raw, unsigned bits,
                           struct htmt_warnings *warnings);

/* Warn of lines that do not correlate ("correlation"), of a given centroid that is more than
 * 0.1 prf away from the measured fraction ("centroid"), of a centroid that changes by more over the
 * range ("rise"). */
void htmt__sar_doubt_centroid(const struct htmt__sar_radar *radar,
                              const struct htmt__sar_doppler *doppler, bool given,
                              struct htmt_warnings *warnings);

/* Warn of data that the opposite chirp compresses better ("iq-order"). Errors: HTMT_ENOMEM. */
int htmt__sar_doubt_chirp(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                          struct htmt_warnings *warnings, struct htmt_fault *fault);

/* Warn of range migration that is left in ("migration"). */
void htmt__sar_doubt_migration(const struct htmt__sar_plan *plan, struct htmt_warnings *warnings);

#endif
