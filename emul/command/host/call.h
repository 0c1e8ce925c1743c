/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A call of one function of a C file, written as a text: 'f(n=1000, a[n], b[n][n/2])'. A name with
 * '=' is a number that is passed, one with brackets an array of so many elements, whose sizes are
 * expressions of whole numbers, of names before them, + - * / and parentheses.
 */
#ifndef HTMT_EMUL_COMMAND_HOST_CALL_H
#define HTMT_EMUL_COMMAND_HOST_CALL_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define HTMT__CALL_ARGUMENTS 32
#define HTMT__CALL_MEMBERS   64

enum htmt__call_type {
    HTMT__CALL_I1,
    HTMT__CALL_I8,
    HTMT__CALL_I16,
    HTMT__CALL_I32,
    HTMT__CALL_I64,
    HTMT__CALL_F32,
    HTMT__CALL_F64
};

struct htmt__call_argument {
    char name[40], text[40]; /* text: the number as it was written */
    bool array, whole;       /* whole: a number without a point or an exponent */
    int64_t value;           /* of a whole number */
    unsigned brackets;       /* of an array */
    uint64_t first, count;   /* its elements; first: what its first brackets say */
    bool rows;               /* an array of pointers to its rows is passed */
    uint64_t bytes;          /* of an element */
    unsigned members;        /* numbers in an element: one, or those of a struct */
    struct htmt__call_member {
        enum htmt__call_type type;
        unsigned at; /* bytes from where the element begins */
    } member[HTMT__CALL_MEMBERS];
};

struct htmt__call {
    char function[80];
    unsigned count;
    struct htmt__call_argument argument[HTMT__CALL_ARGUMENTS];
};

/* Errors: HTMT_EUSAGE, with a line. */
int htmt__call_read(const char *text, struct htmt__call *call, struct htmt_fault *fault);

/* Types of the arguments, from the function's definition in LLVM 14's IR of the file, and whether
 * they match. `source` stands in messages. Errors: HTMT_ENOENT (it has no such function),
 * HTMT_EUSAGE (others than numbers and pointers to numbers, to structs of numbers or to rows of
 * either, or they do not match), HTMT_ENOMEM. */
int htmt__call_match(struct htmt__call *call, const char *source, FILE *ir,
                     struct htmt_fault *fault);

/* A C file that includes the source (its whole path), keeps the functions by pointers to them, and
 * tells their types where nothing else in the file does. */
void htmt__call_write_uses(const struct htmt__call *call, unsigned calls, const char *path,
                           FILE *out);

/* A C file that includes the source and calls the functions by a kernel; with HTMT_CLOCK defined,
 * it has htmt_predict_fill(which) and htmt_predict_calls(which, n). Nothing else is included, since
 * whatever the source defines holds there, too. */
void htmt__call_write(const struct htmt__call *call, unsigned calls, const char *path, FILE *out);

/* The application beside it, of that kernel, in `layer`: its options are `rounds` and `which`, the
 * number of the call. */
void htmt__call_write_application(const char *layer, FILE *out);

#endif
