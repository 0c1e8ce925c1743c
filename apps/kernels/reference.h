/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The results of the kernels, computed in another way: in long double, backwards, by definition.
 */
#ifndef HTMT_APPS_KERNELS_REFERENCE_H
#define HTMT_APPS_KERNELS_REFERENCE_H

#include "apps/kernels/loops.h"

/* The largest error of the block after `turns` turns of the loop over numbers of
 * htmt__kernels_loop_fill(), and what rounding may make of it; of dgemm and fft, some results are
 * compared, and a sum over all. Errors: HTMT_ENOMEM. */
int htmt__kernels_loop_check(const struct htmt__kernels_loop *loop,
                             const struct htmt__kernels_loop_data *d, char *block, uint64_t turns,
                             double *error, double *bound);

#endif
