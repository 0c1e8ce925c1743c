/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a bound may be off, and which arrays make it so.
 */
#ifndef HTMT_EMUL_LOOPS_BOUND_DOUBTS_H
#define HTMT_EMUL_LOOPS_BOUND_DOUBTS_H

#include "emul/loops/bound/bound.h"

enum { HTMT__BOUND_DOUBT = 400, HTMT__BOUND_DOUBTS = 6 };

struct htmt__bound_doubts {
    unsigned count;
    char text[HTMT__BOUND_DOUBTS][HTMT__BOUND_DOUBT];
};

/* Errors: HTMT_ENOMEM, HTMT_ERANGE, HTMT_EOVERFLOW. */
int htmt__bound_doubts(const struct htmt__bounds *bound, struct htmt__bound_doubts *doubts);

#endif
