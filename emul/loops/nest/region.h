/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The number of points in a union of boxes.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_REGION_H
#define HTMT_EMUL_LOOPS_NEST_REGION_H

#include "emul/loops/nest/expression.h"

#include <stdint.h>

/* From low up to and without high. */
struct htmt__region_box {
    int64_t low[HTMT__NEST_DEPTH], high[HTMT__NEST_DEPTH];
};

/* Of `axes` axes; with none, one box is one point. Errors: HTMT_ENOMEM. */
int htmt__region_count(const struct htmt__region_box *box, unsigned boxes, unsigned axes,
                       htmt_wide *count);

#endif
