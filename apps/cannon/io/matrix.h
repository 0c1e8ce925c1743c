/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dense matrices of Cannon's application: made, read, generated and written.
 *
 * Whatever is wrong with a file or a size becomes one line in *fault; all codes here but
 * HTMT_EHOSTFIT, HTMT_ENOMEM and HTMT_EIO end the command with status 2. Rows and columns in
 * messages count from 0, lines of text files from 1.
 */
#ifndef HTMT_APPS_CANNON_IO_MATRIX_H
#define HTMT_APPS_CANNON_IO_MATRIX_H

#include "runtime/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Element (i, j) is at[i * cols + j]. */
struct htmt__cannon_matrix {
    uint64_t rows, cols;
    double *at;
};

/* Refuse sizes that no matrix has, of which a process may hold a part; else their bytes. Errors:
 * HTMT_ERANGE. */
int htmt__cannon_matrix_check(uint64_t rows, uint64_t cols, uint64_t *bytes,
                              struct htmt_fault *fault);

/* Zeros. Errors: HTMT_ERANGE (no rows, no columns, or more bytes than the host can address),
 * HTMT_EHOSTFIT (more bytes than the host has left), HTMT_ENOMEM. On success the caller owns *m and
 * gives it to htmt__cannon_matrix_destroy(). */
int htmt__cannon_matrix_create(struct htmt__cannon_matrix *m, uint64_t rows, uint64_t cols,
                               struct htmt_fault *fault);
/* Leaves an empty matrix, which may be destroyed again. */
void htmt__cannon_matrix_destroy(struct htmt__cannon_matrix *m);

/* The size that a file names, of either kind; its elements are not read, and m->at is NULL. Errors:
 * as htmt__cannon_matrix_read(). */
int htmt__cannon_matrix_measure(const char *path, struct htmt__cannon_matrix *m,
                                struct htmt_fault *fault);

/* Read a file of either kind, recognized by its first bytes:
 *  - NumPy .npy, versions 1 to 3, dtype '<f8', two dimensions, C or Fortran order;
 *  - Matrix Market (apps/formats/matrix_market.h). Entries that a coordinate file leaves out are
 *    zero, those of a pattern one; an entry given twice is refused.
 * Every element is finite. Errors: HTMT_ENOENT, HTMT_EFORMAT, HTMT_ERANGE, HTMT_EHOSTFIT,
 * HTMT_ENOMEM, HTMT_EIO; *m is untouched on failure. */
int htmt__cannon_matrix_read(const char *path, struct htmt__cannon_matrix *m,
                             struct htmt_fault *fault);

/* 0 when a * b is defined, otherwise HTMT_EINVAL. */
int htmt__cannon_matrix_can_multiply(const struct htmt__cannon_matrix *a,
                                     const struct htmt__cannon_matrix *b, struct htmt_fault *fault);

enum htmt__cannon_entries {
    HTMT__UNIFORM,  /* multiples of 2^-52 in [-1, 1) */
    HTMT__GAUSSIAN, /* mean 0, variance 1: twelve uniforms of 16 bits less 6, exact on any host */
    HTMT__INTEGERS, /* -8 to 8: products of up to 2^53 / 64 terms are exact in any order */
};

/* Numbers of generated matrices, so that one seed gives them all different elements. */
enum htmt__cannon_which { HTMT__MATRIX_A, HTMT__MATRIX_B, HTMT__MATRIX_X };

/* Element (i, j) of generated matrix number `which`; needs no other element. The random bits are
 *     mix(mix(mix(mix(seed) ^ which) ^ i) ^ j)
 * with mix(x) the output function of SplitMix64 on x + 0x9e3779b97f4a7c15; Gaussian entries take
 * three words, mix of these bits plus 0, 1, 2. */
double htmt__cannon_matrix_entry(enum htmt__cannon_entries kind, uint64_t seed, uint64_t which,
                                 uint64_t i, uint64_t j);
/* The random bits of that element. */
uint64_t htmt__cannon_matrix_bits(uint64_t seed, uint64_t which, uint64_t i, uint64_t j);

/* A matrix of such elements. Errors and ownership as htmt__cannon_matrix_create(). */
int htmt__cannon_matrix_generate(struct htmt__cannon_matrix *m, uint64_t rows, uint64_t cols,
                                 enum htmt__cannon_entries kind, uint64_t seed, uint64_t which,
                                 struct htmt_fault *fault);

/* Write .npy version 1.0, C order, whole or not at all.
 * Errors: those of runtime/base/whole_file.h, HTMT_ERANGE. */
int htmt__cannon_matrix_write(const char *path, const struct htmt__cannon_matrix *m,
                              struct htmt_fault *fault);

#endif
