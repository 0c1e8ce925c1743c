/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrix Market exchange format (R. F. Boisvert, R. Pozo, K. A. Remington, NISTIR 5935, 1996):
 * coordinate and array; real, integer and, of coordinate files, pattern; general, symmetric and
 * skew-symmetric. A file is read in two parts: the head, which gives the size, and its entries, one
 * after another, for which the caller then has made room.
 */
#ifndef HTMT_APPS_FORMATS_MATRIX_MARKET_H
#define HTMT_APPS_FORMATS_MATRIX_MARKET_H

#include "apps/formats/lines.h"

#define HTMT__MATRIX_MARKET_MAGIC "%%MatrixMarket"

enum htmt__market_field { HTMT__MARKET_REAL, HTMT__MARKET_INTEGER, HTMT__MARKET_PATTERN };
enum htmt__market_symmetry { HTMT__MARKET_GENERAL, HTMT__MARKET_SYMMETRIC, HTMT__MARKET_SKEW };

struct htmt__matrix_market {
    struct htmt__lines lines;
    bool array;
    enum htmt__market_field field;
    enum htmt__market_symmetry symmetry;
    uint64_t rows, cols;
    uint64_t entries, taken; /* lines of elements that must follow; that were read */
    uint64_t i, j;           /* of the next element of an array file */
};

/* Row and column from 0. Of a pattern the value is 1. */
struct htmt__market_entry {
    uint64_t i, j;
    double value;
};

/* Reads the head from where `in` is. The caller clears *m, whatever comes of it, and closes `in`.
 * Errors: those of lines.h, HTMT_ERANGE. */
int htmt__matrix_market_head(struct htmt__matrix_market *m, const char *path, FILE *in,
                             struct htmt_fault *fault);
/* The next entry, as it stands in the file: of a symmetric matrix the lower triangle alone; 1
 * behind the last one, after which nothing may follow. An entry may come twice: who cannot have
 * that refuses the line. */
int htmt__matrix_market_next(struct htmt__matrix_market *m, struct htmt__market_entry *entry);
void htmt__matrix_market_clear(struct htmt__matrix_market *m);

#endif
