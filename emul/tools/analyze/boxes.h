/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where arrays have elements: as they are declared, or as far as the nests reach.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_BOXES_H
#define HTMT_EMUL_TOOLS_ANALYZE_BOXES_H

#include "emul/tools/analyze/nests.h"

/* Ends that no constant tells apart: the smallest of the lows, the largest of the highs. */
struct htmt__box_ends {
    unsigned count;
    htmt__value value[8];
};

struct htmt__box_axis {
    htmt__value extent; /* 0..extent-1; NULL: low to high */
    struct htmt__box_ends low, high;
};

struct htmt__array_box {
    unsigned axes;
    struct htmt__box_axis axis[HTMT__AXES_MAX]; /* of space */
    struct htmt__box_axis component;
    bool has_components;
};

/* Of an array that nests refer to with loop variables; false: none does. */
bool htmt__box_make(const struct htmt__array *array, struct htmt__array_box *box);

/* Both together, where they have as many axes. */
void htmt__box_join(struct htmt__array_box *box, const struct htmt__array_box *other);

#endif
