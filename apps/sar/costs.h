/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cost files of SAR: a paper's coefficients and element sizes.
 */
#ifndef HTMT_APPS_SAR_COSTS_H
#define HTMT_APPS_SAR_COSTS_H

#include "apps/lib/request.h"
#include "apps/sar/decomposition.h"

struct htmt__sar_costs {
    struct htmt__sar_charges charges;
    struct htmt_ratio hram_share; /* of HRAM that holds raw patches */
};

/* The file also gives the words of a raw and of a formatted point. Here data and precision decide
 * them, so a file that counts otherwise is refused, with file and line. `format` of a model without
 * data is HTMT__SAR_U8. Errors: those of htmt_costs_load(), HTMT_ERANGE. */
int htmt__sar_costs_read(const struct htmt_request *r, bool single, enum htmt__sar_format format,
                         struct htmt__sar_costs *costs, struct htmt_fault *fault);

/* The size of the patch that the file describes. Errors: as above. */
int htmt__sar_costs_size(const struct htmt_request *r, uint32_t *lines, uint32_t *samples,
                         struct htmt_fault *fault);

#endif
