/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expressions of nest files: numbers, names, + - * / ^, floor, ceil, min, max and mod, exact.
 * docs/loops.md has the grammar.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_EXPRESSION_H
#define HTMT_EMUL_LOOPS_NEST_EXPRESSION_H

#include "emul/loops/nest/number.h"

#define HTMT__NEST_DEPTH 8 /* loops of a nest */

/* What an expression may name: parameters of the file, then variables of the loops around it. */
struct htmt__nest_names {
    const char *const *name;
    unsigned count;
    const char *variable[HTMT__NEST_DEPTH];
    unsigned depth;
};

struct htmt__nest_term; /* a tree in an array */

struct htmt__nest_expression {
    struct htmt__nest_term *term; /* the last one is the root; NULL: there is no expression */
    unsigned count;
};

/* Where a text stands, for messages. */
struct htmt__nest_place {
    const char *file, *what; /* "nests.smooth.ops.add" */
    int line;
    struct htmt_fault *fault;
};

/* "file:line: what: ..."; returns code. */
int htmt__nest_refuse(const struct htmt__nest_place *place, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads an expression from *text on and leaves *text behind it. On success the caller gives it to
 * htmt__nest_expression_clear(). Errors: HTMT_EFORMAT, HTMT_EOVERFLOW, HTMT_ENOMEM. */
int htmt__nest_expression_read(const char **text, const struct htmt__nest_names *names,
                               const struct htmt__nest_place *place,
                               struct htmt__nest_expression *expression);
void htmt__nest_expression_clear(struct htmt__nest_expression *expression);

/* Values of parameters; known tells which have one. */
struct htmt__nest_values {
    const htmt_wide *value;
    const bool *known;
    const char *const *name;
    unsigned count;
};

/* An expression without loop variables. Errors: HTMT_EOVERFLOW, HTMT_ERANGE (division by zero),
 * HTMT_EFORMAT (a parameter without a value, a loop variable). */
int htmt__nest_evaluate(const struct htmt__nest_expression *expression,
                        const struct htmt__nest_values *values,
                        const struct htmt__nest_place *place, struct htmt__nest_number *out);

/* The same, which must be whole. */
int htmt__nest_evaluate_whole(const struct htmt__nest_expression *expression,
                              const struct htmt__nest_values *values,
                              const struct htmt__nest_place *place, htmt_wide *out);

/* constant + sum of factor[l] * variable of loop l. */
struct htmt__nest_affine {
    htmt_wide constant, factor[HTMT__NEST_DEPTH];
};

/* Errors: as above; HTMT_EFORMAT (not affine with whole factors). */
int htmt__nest_evaluate_affine(const struct htmt__nest_expression *expression,
                               const struct htmt__nest_values *values,
                               const struct htmt__nest_place *place, struct htmt__nest_affine *out);

#define HTMT__NEST_PIECES 8

/* The pieces of max(a, b, ...), or of min(): each affine. One without is one piece. */
int htmt__nest_evaluate_pieces(const struct htmt__nest_expression *expression, bool largest,
                               const struct htmt__nest_values *values,
                               const struct htmt__nest_place *place,
                               struct htmt__nest_affine out[HTMT__NEST_PIECES], unsigned *count);

/* A condition: comparisons joined by "and". */
struct htmt__nest_condition;
int htmt__nest_condition_read(const char *text, const struct htmt__nest_names *names,
                              const struct htmt__nest_place *place,
                              struct htmt__nest_condition **condition);
void htmt__nest_condition_destroy(struct htmt__nest_condition **condition);
int htmt__nest_condition_holds(const struct htmt__nest_condition *condition,
                               const struct htmt__nest_values *values,
                               const struct htmt__nest_place *place, bool *holds);

#endif
