/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Polynomials in loop variables, and their sums over ranges of one of them.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_POLYNOMIAL_H
#define HTMT_EMUL_LOOPS_NEST_POLYNOMIAL_H

#include "emul/loops/nest/expression.h"

#include <stdint.h>

#define HTMT__NEST_MONOMIALS 256

struct htmt__nest_polynomial {
    unsigned count;
    struct htmt__nest_monomial {
        uint8_t power[HTMT__NEST_DEPTH];
        struct htmt__nest_number factor;
    } term[HTMT__NEST_MONOMIALS];
};

void htmt__nest_polynomial_constant(htmt_wide value, struct htmt__nest_polynomial *p);

/* *p becomes its sum for variable `over` from low to high, where low <= high + 1. Errors:
 * HTMT_EOVERFLOW (also: too many terms), HTMT_ENOMEM. */
int htmt__nest_polynomial_sum(struct htmt__nest_polynomial *p, unsigned over,
                              const struct htmt__nest_affine *low,
                              const struct htmt__nest_affine *high);

int htmt__nest_polynomial_value(const struct htmt__nest_polynomial *p,
                                const htmt_wide variable[HTMT__NEST_DEPTH],
                                struct htmt__nest_number *value);

#endif
