/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial program: the oracle for correctness and the base line for speed.
 */
#ifndef HTMT_APPS_CANNON_REFERENCE_H
#define HTMT_APPS_CANNON_REFERENCE_H

#include "apps/cannon/io/matrix.h"

/* *c = a * b by one dgemm on one thread (htmt__cannon_blas_one_thread() is called).
 * Errors: HTMT_EINVAL (shapes), HTMT_ERANGE (a side of 2^31 or more), and those of
 * htmt__cannon_matrix_create(). The caller owns *c. */
int htmt__cannon_reference_product(const struct htmt__cannon_matrix *a,
                                   const struct htmt__cannon_matrix *b,
                                   struct htmt__cannon_matrix *c, struct htmt_fault *fault);

#endif
