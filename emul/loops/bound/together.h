/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Order `blocks`: all nests run on a block before the next block begins. What later nests of a
 * block read beyond it is computed again by its own earlier ones. If all arrays of a block that are
 * alive fit the innermost memory, only what the program reads and what outlives it moves.
 */
#ifndef HTMT_EMUL_LOOPS_BOUND_TOGETHER_H
#define HTMT_EMUL_LOOPS_BOUND_TOGETHER_H

#include "emul/loops/bound/bound.h"

/* Changes the loops of a bound that was made loop by loop: cells, work, traffic of the innermost
 * link, all with times. Errors: HTMT_EUSAGE (nests that are no box of the same loops),
 * HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt__bound_together(struct htmt__bounds *bound, struct htmt_fault *fault);

#endif
