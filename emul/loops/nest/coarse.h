/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Levels of a box for bodies of so many offsets that their places cannot be visited: a reference
 * finds its word if the rule of levels (emul/loops/nest/working.h) says that it fits.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_COARSE_H
#define HTMT_EMUL_LOOPS_NEST_COARSE_H

#include "emul/loops/nest/reuse.h"

/* `left`: patterns that leave the memory out. On success the caller frees the levels; also on
 * failure. Errors: HTMT_ENOMEM. */
int htmt__nest_coarse(const struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                      const bool *left, const int64_t extent[HTMT__NEST_DEPTH],
                      struct htmt__nest_steps *steps);

#endif
