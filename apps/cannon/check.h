/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Is C the product of A and B? Three independent answers.
 *
 * eps is 2^-52; bounds are the a-priori rounding bounds of sums in any order, with what underflow
 * adds. A value that is no number fails every check unless the product itself overflows there. None
 * of this uses the parcel program's kernel; Freivalds' check uses no BLAS either.
 */
#ifndef HTMT_APPS_CANNON_CHECK_H
#define HTMT_APPS_CANNON_CHECK_H

#include "apps/cannon/io/spread.h"

#include <stdbool.h>

#define HTMT__FREIVALDS_TRIALS 20

/* *c = a * b by one dgemm on one thread (htmt__cannon_blas_one_thread() is called): the oracle for
 * correctness and the base line for speed. Errors: HTMT_EINVAL (shapes), HTMT_ERANGE (a side of
 * 2^31 or more), and those of htmt__cannon_matrix_create(). The caller owns *c. */
int htmt__cannon_reference_product(const struct htmt__cannon_matrix *a,
                                   const struct htmt__cannon_matrix *b,
                                   struct htmt__cannon_matrix *c, struct htmt_fault *fault);

struct htmt__cannon_check {
    const char *name;
    double value, tolerance; /* pass: value <= tolerance */
    bool pass;
    bool undecided;    /* of "freivalds": the product overflows, so only a full check can tell */
    uint64_t row, col; /* where the value is worst; col is a trial for "freivalds" */
};

/* A (B X) = C X for X of 0 and 1, b->cols x 20, generated from the seed; a row of zeros in X, which
 * would hide a column of C, gets a one (R. Freivalds, IFIP 1977). With n = max(a->cols, b->cols),
 * value is the largest of |A (B X) - C X| / (n eps |A| |B| X), element by element, and
 * tolerance 4. `exact` (integers whose sums are exact): value is the largest difference and
 * tolerance 0. Cost: O(n^2).
 * Each process multiplies the shares that it has, of each slice on its own; sums are those of the
 * slices in their order, so the value is the same however many processes there are. After the run
 * of the emulator, in all of them; without one (NULL) all shares are here. Errors: HTMT_EINVAL
 * (shapes), HTMT_ENOMEM, HTMT_ESYSTEM (other processes are gone). */
int htmt__cannon_check_freivalds(struct htmt_emulator *e, const struct htmt__cannon_spread *a,
                                 const struct htmt__cannon_spread *b,
                                 const struct htmt__cannon_spread *c, uint64_t seed, bool exact,
                                 struct htmt__cannon_check *check, struct htmt_fault *fault);

/* Every element against the reference R: check[0] is the largest |C - R| / (n eps |A| |B|) with
 * n = a->cols, tolerance 1; check[1] the Frobenius norm of C - R over that of R, tolerance 1e-14.
 * Where |A| |B| overflows, elements are compared with R scaled by a power of two, which takes the
 * place of *r. Cost: one product; where it overflows two. Errors: as htmt__cannon_check_freivalds()
 * and htmt__cannon_reference_product(). */
int htmt__cannon_check_full(const struct htmt__cannon_matrix *a,
                            const struct htmt__cannon_matrix *b,
                            const struct htmt__cannon_matrix *c, struct htmt__cannon_matrix *r,
                            struct htmt__cannon_check check[2], struct htmt_fault *fault);

/* Number of elements of C that differ from R in any bit, where NaN equals NaN; tolerance 0; row and
 * col of the first. Errors: HTMT_EINVAL (shapes). */
int htmt__cannon_check_exact(const struct htmt__cannon_matrix *c,
                             const struct htmt__cannon_matrix *r, struct htmt__cannon_check *check,
                             struct htmt_fault *fault);

#endif
