/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What `htmt predict` has to tell.
 */
#ifndef HTMT_EMUL_TOLD_H
#define HTMT_EMUL_TOLD_H

#include "emul/largest.h"
#include "emul/origin.h"

struct htmt__told {
    struct htmt_prediction prediction;
    struct htmt__largest *largest; /* NULL: not asked for */
    unsigned largest_count;
    const char *term; /* NULL: of none are the figures asked for */
    struct htmt__origin *origin;
    unsigned origin_count;
};

#endif
