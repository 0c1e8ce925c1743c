/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nests out of the loops of the walk: loops over space outside, those of constant length multiplied
 * out.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_NESTS_H
#define HTMT_EMUL_TOOLS_ANALYZE_NESTS_H

#include "emul/tools/analyze/layout.h"

struct htmt__nest_function {
    const char *name;
    htmt__value calls;
    struct htmt__nest_function *next;
};

/* A reference as the nest file has it. */
struct htmt__nest_reference {
    enum htmt__access_kind kind;
    struct htmt__array *array;
    const char *text; /* ":0..4[k-1, j, i]" */
    htmt__value times;
    unsigned number; /* among those of the nest, from 1 on */
    struct htmt__nest_reference *next, *same_bucket;
    const struct htmt__nest_body *body;
    const struct htmt__access *access;
    struct isl_map *places; /* of relations.c: what it touches, once that was asked */
};

/* What an iteration touches, in its order: a reference, or references of a loop that is multiplied
 * out, in its turns. */
struct htmt__nest_touch {
    const struct htmt__nest_reference *reference; /* or */
    struct htmt__nest_touch *turns, **last;
    htmt__value times;
    struct htmt__nest_touch *next;
};

struct htmt__nest_state_row {
    const char *name;
    enum htmt__syntax_type type;
    htmt__value loads, stores, words;
    struct htmt__nest_state_row *next, *same_bucket;
    const struct htmt__nest_body *body;
};

/* A loop has one body, or several where nests stand between its statements. */
struct htmt__nest_body {
    const char *name;
    const struct htmt__loop *loop; /* the innermost one over space */
    const struct htmt__loop *item; /* where it stands: the same, unless that is multiplied out */
    struct htmt__item **behind;    /* these of its items; NULL: before all */
    struct htmt__source_place place;
    struct htmt__nest_touch *touches, **last_touch;
    const struct htmt__routine *routine;
    htmt__value op[HTMT__CLASSES];
    struct htmt__nest_function *functions, **last_function;
    struct htmt__nest_reference *references, **last_reference;
    unsigned count; /* of them */
    struct htmt__nest_state_row *states, **last_state;
    struct htmt__nest_body *next;
};

struct htmt__nest_list {
    struct htmt__nest_body *nests, **last;
    unsigned count;
    struct htmt__nest_reference **bucket;
    struct htmt__nest_state_row **state_bucket;
};

/* Decides which loops are multiplied out, and names their variables. */
void htmt__nests_classify(struct htmt__walk *w);
void htmt__nests_make(struct htmt__walk *w, struct htmt__nest_list *list);

/* The first nest that stands at this loop; NULL: it has none. Others follow it in the list. */
const struct htmt__nest_body *htmt__nests_of(const struct htmt__nest_list *list,
                                             const struct htmt__loop *loop);

/* Whether a body does anything that is read, loops that are multiplied out included. */
bool htmt__nests_has_work(const struct htmt__loop *loop);

/* ---- shares.c --------------------------------------------------------------------------------
 */

/* Adds to each statement that is left out its loop, and the part of all iterations. */
void htmt__shares_tell(struct htmt__walk *w);

/* Iterations of a loop with one lower and one upper bound, step 1. */
htmt__value htmt__nests_trip(const struct htmt__loop *loop);

#endif
