/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where arrays have elements: as they are declared, or as far as the nests reach.
 */
#ifndef HTMT_EMUL_SOURCE_BOXES_H
#define HTMT_EMUL_SOURCE_BOXES_H

#include "emul/source/nests.h"

/* Ends that no constant tells apart: the smallest of the lows, the largest of the highs. */
struct htmt__ends {
    unsigned count;
    htmt__value value[8];
};

struct htmt__axis {
    htmt__value extent; /* 0..extent-1; NULL: low to high */
    struct htmt__ends low, high;
};

struct htmt__box {
    unsigned axes;
    struct htmt__axis axis[HTMT__AXES_MAX]; /* of space */
    struct htmt__axis component;
    bool has_components;
};

/* Of an array that nests refer to with loop variables; false: none does. */
bool htmt__box_make(const struct htmt__array *array, struct htmt__box *box);

#endif
