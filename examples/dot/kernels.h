/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The two kernels of a dot product and their costs, which the closed form uses too.
 */
#ifndef HTMT_EXAMPLES_DOT_KERNELS_H
#define HTMT_EXAMPLES_DOT_KERNELS_H

#include "parcels/htmt.h"

/* Regions: a block of x, a block of y, and the sum of their products. */
void htmt__dot_multiply(struct htmt_kernel *k);
/* Uses: the slice's partial sums, and their sum. */
void htmt__dot_add(struct htmt_kernel *k);
/* All-reduce: *into += *from. */
void htmt__dot_combine(void *into, const void *from, uint64_t bytes);

struct htmt_ops htmt__dot_multiply_ops(uint64_t elements);
struct htmt_ops htmt__dot_add_ops(uint64_t sums);

#endif
