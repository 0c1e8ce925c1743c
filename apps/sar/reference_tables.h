/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables that both precisions of the serial program share.
 */
#ifndef HTMT_APPS_SAR_REFERENCE_TABLES_H
#define HTMT_APPS_SAR_REFERENCE_TABLES_H

#include "apps/sar/io/raw.h"
#include "apps/sar/plan.h"

#include <math.h>
#include <stdlib.h>

/* Cell and phase of a position on a track. */
static inline int64_t htmt__sar_cell(int64_t position)
{
    return position >> HTMT__SAR_FRACTION_BITS;
}

static inline uint64_t htmt__sar_phase(int64_t position)
{
    return (uint64_t)position >> (HTMT__SAR_FRACTION_BITS - HTMT__SAR_PHASE_BITS) &
           ((UINT64_C(1) << HTMT__SAR_PHASE_BITS) - 1);
}

struct htmt__sar_tables {
    double *matched;       /* the range filter H: 2 range_length numbers */
    double *weights;       /* [phase][tap] */
    uint64_t left, stride; /* points of a row of work: before its cells, and in all */
};

/* Focus the patches whose lines of the image have room. `work` has htmt__sar_reference_bytes().
 * Errors: HTMT_ENOMEM. */
int htmt__sar_reference_double(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
                               const struct htmt__sar_tables *tables, unsigned threads, void *work,
                               void *const *image, struct htmt_fault *fault);
int htmt__sar_reference_single(const struct htmt__sar_plan *plan, const struct htmt__sar_raw *raw,
                               const struct htmt__sar_tables *tables, unsigned threads, void *work,
                               void *const *image, struct htmt_fault *fault);

#endif
