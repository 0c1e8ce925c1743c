/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of the closed form that follow from the times: rates, use and memories.
 */
#ifndef HTMT_APPS_SAR_PREDICT_H
#define HTMT_APPS_SAR_PREDICT_H

#include "apps/sar/costs.h"
#include "apps/sar/phase.h"

/* A term of all stages of lines, without migration and with it. */
#define HTMT__SAR_LINES(what) "'Range Line, " what "' + 'Azimuth Line, " what "'"
#define HTMT__SAR_MIGRATING(what)                                                                  \
    "'Range Line, " what "' + 'Azimuth FFT, " what "' + 'Migration, " what                         \
    "' + 'Azimuth Focus, " what "'"

void htmt__sar_add_uses(const struct htmt__sar_machine *w, const struct htmt__sar_costs *costs,
                        struct htmt_term_tree *tree);

/* What the lines of the stages' services, from the `first` on, say of the words that parcels move.
 */
void htmt__sar_name_inputs(const struct htmt__sar_decomposition *c, unsigned first,
                           struct htmt_prediction *out);

#endif
