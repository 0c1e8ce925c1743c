/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the reader of matrix files (matrix_read.c) and that of Matrix Market share.
 */
#ifndef HTMT_APPS_CANNON_IO_MATRIX_FILE_H
#define HTMT_APPS_CANNON_IO_MATRIX_FILE_H

#include "apps/cannon/io/spread.h"

#include <stdio.h>

#define HTMT__MATRIX_MARKET_MAGIC "%%MatrixMarket"

/* A file whose head was read: its elements follow. */
struct htmt__cannon_file {
    const char *path;
    FILE *in;
    uint64_t rows, cols;
    bool fortran;                              /* of NumPy: columns first */
    struct htmt__matrix_market *matrix_market; /* NULL: NumPy */
};

/* Read the head from the start of file->in. Errors: those of htmt__cannon_matrix_measure(). */
int htmt__cannon_matrix_market_head(struct htmt__cannon_file *file, struct htmt_fault *fault);

/* Then the elements, into a spread of that size. They may be infinite or no numbers. Errors: those
 * of htmt__cannon_matrix_read(). */
int htmt__cannon_matrix_market_take(const struct htmt__cannon_file *file,
                                    struct htmt__cannon_spread *m, struct htmt_fault *fault);
void htmt__cannon_matrix_market_close(struct htmt__cannon_file *file);

/* Refuse sizes that no matrix has. Errors: HTMT_ERANGE. */
int htmt__cannon_matrix_check(uint64_t rows, uint64_t cols, uint64_t *bytes,
                              struct htmt_fault *fault);

#endif
