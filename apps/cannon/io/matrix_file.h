/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The two kinds of matrix files, for matrix_read.c and the readers.
 */
#ifndef HTMT_APPS_CANNON_IO_MATRIX_FILE_H
#define HTMT_APPS_CANNON_IO_MATRIX_FILE_H

#include "apps/cannon/io/spread.h"

#include <stdio.h>

#define HTMT__MARKET_MAGIC "%%MatrixMarket"

/* A file whose head was read: its elements follow. */
struct htmt__cannon_file {
    const char *path;
    FILE *in;
    uint64_t rows, cols;
    bool fortran;                /* of NumPy: columns first */
    struct htmt__market *market; /* NULL: NumPy */
};

/* Read the head from the start of file->in. Errors: those of htmt__cannon_matrix_measure(). */
int htmt__cannon_npy_head(struct htmt__cannon_file *file, struct htmt_fault *fault);
int htmt__cannon_market_head(struct htmt__cannon_file *file, struct htmt_fault *fault);

/* Then the elements, into a spread of that size. They may be infinite or no numbers. Errors: those
 * of htmt__cannon_matrix_read(). */
int htmt__cannon_npy_take(const struct htmt__cannon_file *file, struct htmt__cannon_spread *m,
                          struct htmt_fault *fault);
int htmt__cannon_market_take(const struct htmt__cannon_file *file, struct htmt__cannon_spread *m,
                             struct htmt_fault *fault);
void htmt__cannon_market_close(struct htmt__cannon_file *file);

/* Refuse sizes that no matrix has. Errors: HTMT_ERANGE. */
int htmt__cannon_matrix_check(uint64_t rows, uint64_t cols, uint64_t *bytes,
                              struct htmt_fault *fault);

/* htmt__cannon_matrix_create() with the file's name in front of the line; without `elements` the
 * size alone. */
int htmt__cannon_matrix_create_for(const char *path, bool elements, struct htmt__cannon_matrix *m,
                                   uint64_t rows, uint64_t cols, struct htmt_fault *fault);

#endif
