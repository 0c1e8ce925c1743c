/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How often a nest's body runs: bounds at given parameters, the box around all iterations, and the
 * exact number of iterations.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_ITERATIONS_H
#define HTMT_EMUL_LOOPS_NEST_ITERATIONS_H

#include "emul/loops/nest/file.h"

struct htmt__nest_bounds {
    unsigned lows, highs; /* pieces */
    struct htmt__nest_affine low[HTMT__NEST_PIECES], high[HTMT__NEST_PIECES];
    htmt_wide step;
};

struct htmt__nest_iterations {
    unsigned depth;
    struct htmt__nest_bounds bounds[HTMT__NEST_DEPTH];
    htmt_wide low[HTMT__NEST_DEPTH];    /* of the box around all iterations */
    htmt_wide extent[HTMT__NEST_DEPTH]; /* iterations of a loop in that box */
    htmt_wide count;                    /* iterations of the body */
    bool box;                           /* they fill the box */
};

/* Errors: those of expressions; HTMT_EOVERFLOW; HTMT_ERANGE (cannot be counted: `count` must tell).
 */
int htmt__nest_iterations(const struct htmt__nest *nest, const struct htmt__nest_values *values,
                          const struct htmt__nest_place *place, struct htmt__nest_iterations *all);

/* The value of a count at parameters. */
int htmt__nest_count_value(const struct htmt__nest_count *count,
                           const struct htmt__nest_values *values,
                           const struct htmt__nest_place *place, struct htmt__nest_number *value);

#endif
