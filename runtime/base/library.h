/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of the C library that are operations: the one table from which operations have their
 * names, htmt-cc knows calls, and `htmt host measure` makes its loops.
 *
 * A row of a function: the operation, the function that is timed for it (of float with an f behind
 * it), the operation whose row serves machines that have none for it, and the arguments it is timed
 * with; of two arguments the second one is a number.
 *
 * Functions of memory and strings take a time for each call and one for each 16 bytes, a + b n.
 * Their key in a machine file has a as latency and b as every; inside a node, the call is of
 * HTMT_I64, and 16 bytes of it are of HTMT_I32. Both are code: nothing else is issued meanwhile.
 */
#ifndef HTMT_RUNTIME_BASE_LIBRARY_H
#define HTMT_RUNTIME_BASE_LIBRARY_H

#include "runtime/base/operation.h"

/* Those whose code is a series: while one runs, nothing else is issued. */
#define HTMT__LIBRARY_CODE(ONE, TWO)                                                               \
    ONE(SIN, sin, SIN, 0, 32)                                                                      \
    ONE(COS, cos, COS, 0, 32)                                                                      \
    ONE(TAN, tan, TAN, 0, 32)                                                                      \
    ONE(ATAN, atan, ATAN, -32, 32)                                                                 \
    ONE(EXP, exp, EXP, -8, 8)                                                                      \
    ONE(LOG, log, LOG, 0.1, 32)                                                                    \
    TWO(POW, pow, POW, 0.1, 32, 1.75)                                                              \
    ONE(ASIN, asin, ATAN, -1, 1)                                                                   \
    ONE(ACOS, acos, ATAN, -1, 1)                                                                   \
    TWO(ATAN2, atan2, ATAN, -32, 32, 1.75)                                                         \
    ONE(SINH, sinh, EXP, -8, 8)                                                                    \
    ONE(COSH, cosh, EXP, -8, 8)                                                                    \
    ONE(TANH, tanh, EXP, -8, 8)                                                                    \
    ONE(ASINH, asinh, LOG, -32, 32)                                                                \
    ONE(ACOSH, acosh, LOG, 1, 32)                                                                  \
    ONE(ATANH, atanh, LOG, -0.9, 0.9)                                                              \
    ONE(EXP2, exp2, EXP, -8, 8)                                                                    \
    ONE(EXPM1, expm1, EXP, -8, 8)                                                                  \
    ONE(LOG2, log2, LOG, 0.1, 32)                                                                  \
    ONE(LOG10, log10, LOG, 0.1, 32)                                                                \
    ONE(LOG1P, log1p, LOG, -0.9, 32)                                                               \
    ONE(CBRT, cbrt, POW, -32, 32)                                                                  \
    ONE(ERF, erf, EXP, -3, 3)                                                                      \
    ONE(ERFC, erfc, EXP, -3, 3)                                                                    \
    ONE(LGAMMA, lgamma, POW, 0.1, 32)                                                              \
    ONE(TGAMMA, tgamma, POW, 0.1, 16)

/* A few instructions behind a call. */
#define HTMT__LIBRARY_SHORT(ONE, TWO)                                                              \
    TWO(HYPOT, hypot, SQRT, -32, 32, 1.75)                                                         \
    ONE(FLOOR, floor, CONVERT, -32, 32)                                                            \
    ONE(ROUND, round, CONVERT, -32, 32)                                                            \
    TWO(FDIM, fdim, SUB, -32, 32, 1.75)                                                            \
    TWO(LDEXP, ldexp, CONVERT, -32, 32, 3)                                                         \
    ONE(LOGB, logb, CONVERT, 0.1, 32)                                                              \
    TWO(NEXTAFTER, nextafter, LOGIC, -32, 32, 64)

/* By length. */
#define HTMT__LIBRARY_LENGTHS(ROW)                                                                 \
    ROW(MEMCPY, memcpy)                                                                            \
    ROW(MEMSET, memset)                                                                            \
    ROW(STRLEN, strlen)                                                                            \
    ROW(MEMCMP, memcmp)                                                                            \
    ROW(STRCMP, strcmp)

/* Branch, call, constant and functions by length carry no type in a name. */
bool htmt__operation_untyped(enum htmt_operation operation);
bool htmt__operation_by_length(enum htmt_operation operation);
/* The operation whose row serves a machine that has none for this one: itself, if there is none. */
enum htmt_operation htmt__operation_like(enum htmt_operation operation);
/* Code of the C library: a function of numbers that is no instruction, or one by length. */
bool htmt__operation_of_library(enum htmt_operation operation);
/* These, functions of a few instructions, and the remainder, which fmod() is of reals. */
bool htmt__operation_is_function(enum htmt_operation operation);
/* "erff" into the operation and F32: a function of numbers. false: no such function. */
bool htmt__library_operation(const char *name, enum htmt_operation *operation,
                             enum htmt_type_of_operand *type);

/* Most functions branch by the size of their argument, so their time depends on it: below 1/8 a
 * sine is a short series, beyond 5/2 its argument is reduced first. A tape has the range of |x| of
 * each call; of a remainder and atan2, where the quotient counts, that of |x / y|. */
#define HTMT__LIBRARY_RANGES  15
#define HTMT__LIBRARY_UNKNOWN 15u /* of four bits: the call has no range */
unsigned htmt__library_range(double x);
/* The range is [from, the next one's); the last one has all beyond 32. */
double htmt__library_range_from(unsigned range);
/* Whether the range is of the quotient of two arguments. */
#define HTMT__LIBRARY_OF_QUOTIENT(operation) ((operation) == HTMT_REM || (operation) == HTMT_ATAN2)
/* Whether calls of the operation on such a type have a range on tapes. */
bool htmt__library_has_range(enum htmt_operation operation, enum htmt_type_of_operand type);

/* What a function by length reads and writes. */
enum htmt__library_bytes {
    HTMT__BYTES_COPY,    /* to, from, bytes */
    HTMT__BYTES_SET,     /* to, value, bytes */
    HTMT__BYTES_STRING,  /* string, up to its end */
    HTMT__BYTES_STRINGN, /* string, bytes at most */
    HTMT__BYTES_BYTE,    /* bytes, the byte that is sought, bytes at most */
    HTMT__BYTES_LETTER,  /* string, the letter that is sought */
    HTMT__BYTES_COMPARE, /* bytes, bytes, bytes at most */
    HTMT__BYTES_ORDER,   /* string, string */
    HTMT__BYTES_ORDERN   /* string, string, bytes at most */
};
/* A function of memory or strings, by its name. */
bool htmt__library_length(const char *name, enum htmt_operation *operation,
                          enum htmt__library_bytes *bytes);
/* How many bytes of `first` such a call reads, or writes. */
uint64_t htmt__library_reach(enum htmt__library_bytes bytes, const void *first, uint64_t second,
                             uint64_t most);

#endif
