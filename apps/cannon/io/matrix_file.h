/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The two kinds of matrix files, for matrix_read.c and the readers.
 */
#ifndef HTMT_APPS_CANNON_IO_MATRIX_FILE_H
#define HTMT_APPS_CANNON_IO_MATRIX_FILE_H

#include "apps/cannon/io/matrix.h"

#include <stdbool.h>
#include <stdio.h>

#define HTMT__MARKET_MAGIC "%%MatrixMarket"

/* Read from the start of `in`. Contract as htmt__cannon_matrix_read(); elements may be infinite or
 * no numbers. Without `elements` contract as htmt__cannon_matrix_measure(). */
int htmt__cannon_matrix_read_npy(const char *path, FILE *in, bool elements,
                                 struct htmt__cannon_matrix *m, struct htmt_fault *fault);
int htmt__cannon_matrix_read_market(const char *path, FILE *in, bool elements,
                                    struct htmt__cannon_matrix *m, struct htmt_fault *fault);

/* Refuse sizes that no matrix has. Errors: HTMT_ERANGE. */
int htmt__cannon_matrix_check(uint64_t rows, uint64_t cols, uint64_t *bytes,
                              struct htmt_fault *fault);

/* htmt__cannon_matrix_create() with the file's name in front of the line; without `elements` the
 * size alone. */
int htmt__cannon_matrix_create_for(const char *path, bool elements, struct htmt__cannon_matrix *m,
                                   uint64_t rows, uint64_t cols, struct htmt_fault *fault);

#endif
