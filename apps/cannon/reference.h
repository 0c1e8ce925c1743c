/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program: the oracle for correctness and the base line for speed.
 */
#ifndef HTMT_APPS_CANNON_REFERENCE_H
#define HTMT_APPS_CANNON_REFERENCE_H

#include "apps/cannon/io/matrix.h"

/* *c = a * b by one dgemm on one thread (htmt__blas_one_thread() is called).
 * Errors: HTMT_EINVAL (shapes), HTMT_ERANGE (a side of 2^31 or more), and those of
 * htmt__matrix_create(). The caller owns *c. */
int htmt__reference_product(const struct htmt__matrix *a, const struct htmt__matrix *b,
                            struct htmt__matrix *c, struct htmt_fault *fault);

#endif
