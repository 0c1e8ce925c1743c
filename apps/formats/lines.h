/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text files of numbers, line by line: what readers of Matrix Market, edge lists and METIS share.
 *
 * A refusal names file and line, what was found there and what was expected. Lines end with LF, CR
 * LF or CR alone. A line is kept whole, so a reader that takes one number after another can still
 * quote the line that they stand in.
 */
#ifndef HTMT_APPS_FORMATS_LINES_H
#define HTMT_APPS_FORMATS_LINES_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct htmt__lines {
    const char *path;
    FILE *in;
    struct htmt_fault *fault;
    const char *comment; /* characters that begin one, where the first of a line is among them */
    size_t most;         /* characters of a line */
    uint64_t number;     /* of the line, from 1 */
    char *line, *at;     /* the line; what is left of it */
    size_t length, room; /* of the line; bytes that fit */
};

/* Frees the line; the file is the caller's. */
void htmt__lines_clear(struct htmt__lines *l);

/* "PATH:LINE: found "FOUND", expected EXPECTED"; with a column behind the line, from 1, where FOUND
 * is a later part of it. Returns the code. */
int htmt__lines_refuse(const struct htmt__lines *l, int code, const char *found,
                       const char *expected);

/* The next line; 1 at the end of the file. Errors: HTMT_EIO, HTMT_EFORMAT, HTMT_ENOMEM. */
int htmt__lines_next(struct htmt__lines *l);
/* The next one that is neither blank nor a comment. */
int htmt__lines_next_data(struct htmt__lines *l);

/* Whether nothing but blanks is left of the line. */
bool htmt__lines_ended(struct htmt__lines *l);
/* Refuses what is left. Errors: HTMT_EFORMAT. */
int htmt__lines_end(struct htmt__lines *l);
/* A whole number without a sign. Errors: HTMT_EFORMAT (the line, and what was expected of it),
 * HTMT_ERANGE. */
int htmt__lines_count(struct htmt__lines *l, const char *expected, uint64_t *out);
/* A finite number; an integer has at most 2^53. Errors: HTMT_EFORMAT. */
int htmt__lines_value(struct htmt__lines *l, bool integer, double *out);

#endif
