/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the walk over a function finds: loops within loops, and for each what one iteration does.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_LOOPS_H
#define HTMT_EMUL_TOOLS_ANALYZE_LOOPS_H

#include "emul/tools/analyze/polynomial.h"
#include "emul/tools/analyze/syntax.h"

#define HTMT__DIMENSIONS_MAX 8
#define HTMT__BOUNDS_MAX     8 /* as many as nest files may have */

/* A weight is a ratio: a branch may be taken in a part of the iterations. */
struct htmt__weight {
    int64_t num, den;
};

enum htmt__op_class {
    HTMT__CLASS_ADD,
    HTMT__CLASS_MUL,
    HTMT__CLASS_DIV,
    HTMT__CLASS_IOP,
    HTMT__CLASSES
};

struct htmt__function_count {
    const char *name;
    struct htmt__weight calls;
    struct htmt__function_count *next;
};

enum htmt__access_kind { HTMT__READ, HTMT__WRITE, HTMT__UPDATE };

/* Where a member lies whose struct is an element of an array: "p.x" of p[i].x in p. */
struct htmt__member {
    const char *of;         /* the array of structs; NULL: none, or not known */
    uint32_t bytes, before; /* of a struct; in it, before the member */
    unsigned subscripts;    /* that number structs */
};

/* Where it is known by name: "u" or "state.rho". */
struct htmt__array {
    const char *name, *path;                     /* the same, unless another one has the path */
    const struct htmt__declaration *declaration; /* of the variable; NULL: of a member */
    const struct htmt__declaration *root;        /* of the variable, or of the struct */
    enum htmt__syntax_type element;
    unsigned element_bytes;
    struct htmt__member member;
    bool measured;
    unsigned dimensions;                      /* those that are declared, at most */
    htmt__value extent[HTMT__DIMENSIONS_MAX]; /* NULL: not known */
    htmt__value lower[HTMT__DIMENSIONS_MAX];  /* NULL: 0 */
    struct htmt__access *accesses, **last;    /* all of them, through next_of_array */
    struct htmt__layout *layout;              /* emul/tools/analyze/layout.h */
    struct htmt__array *joined;               /* it became a part of this one */
    bool is_outer; /* a nest names it that is not of a procedure whose formal array it is */
    unsigned pair; /* of nests, whose distances were looked for last */
    struct htmt__array *next, *same_bucket;
};

/* References of one form in one loop. */
struct htmt__access {
    enum htmt__access_kind kind;
    struct htmt__array *array;
    const struct htmt__declaration *root; /* of the array, before it was joined */
    unsigned dimensions;
    htmt__value subscript[HTMT__DIMENSIONS_MAX]; /* as the source has them */
    struct htmt__weight times;
    struct htmt__source_place place;
    struct htmt__loop *loop;
    const struct htmt__work *work; /* of the loop */
    struct htmt__access *copy;     /* in the loop around, once what was read aside counts */
    htmt__value *index;            /* after the layout: one for each axis of it */
    struct htmt__access *next, *next_of_array, *same_bucket;
    uint64_t hash;
    bool is_listed;                         /* in a nest, as a reference */
    struct htmt__nest_reference *reference; /* that one; NULL: it is state */
    const char *why;                        /* it has no index */
};

/* A variable, or an array without loop variables. */
struct htmt__loop_state {
    const char *name;
    enum htmt__syntax_type type;
    struct htmt__weight loads, stores;
    struct htmt__loop_state *next, *same_bucket;
    const struct htmt__work *work;
};

/* An access where it stands in the body. */
struct htmt__touch {
    struct htmt__access *access;
    struct htmt__touch *next;
};

/* What an iteration does between two loops in it. */
struct htmt__work {
    struct htmt__weight op[HTMT__CLASSES];
    struct htmt__function_count *functions;
    struct htmt__access *accesses, **last_access;
    struct htmt__loop_state *states, **last_state;
    struct htmt__touch *touches,
        **last_touch;           /* in order; one for several that follow each other */
    struct htmt__item **behind; /* the end of the items before it; NULL: there are none */
    struct htmt__work *next;
};

enum htmt__loop_kind {
    HTMT__LOOP_ROOT, /* a function; no loop */
    HTMT__LOOP_SPACE,
    HTMT__LOOP_INNER,  /* of constant length: multiplied out */
    HTMT__LOOP_REPEAT, /* around whole nests, which do not depend on it */
    HTMT__LOOP_BRANCH, /* one side of a branch; no loop */
    HTMT__LOOP_ASIDE   /* a statement, until all of it is read; no loop */
};

/* value >= 0; with a modulus: the value has that remainder by it (where parameters alone decide it:
 * 0, or 1 for any other). */
struct htmt__constraint {
    htmt__value value;
    int64_t modulus, remainder;
    const struct htmt__constraint *next;
};

struct htmt__loop {
    enum htmt__loop_kind kind;
    htmt__symbol variable;
    unsigned lowers, uppers; /* the largest of the first, the smallest of the second */
    htmt__value lower[HTMT__BOUNDS_MAX], upper[HTMT__BOUNDS_MAX];
    int64_t step;
    bool down;         /* from the upper bound, by 1 */
    htmt__value phase; /* whole steps from each lower bound; NULL: that is the only one */
    struct htmt__source_place place;
    struct htmt__loop *parent;
    struct htmt__work work, *last_work; /* before the first item, and behind some; NULL: that one */
    struct htmt__item *items, **last_item;
    /* Of a view, which has fewer iterations than the loop of the source (domain.c): */
    const struct htmt__loop *of;
    const struct htmt__constraint *where;
    struct htmt__loop *copies, *next_copy; /* views of this one */
};

/* Loops and calls in a loop or function, in order. */
struct htmt__item {
    struct htmt__loop *loop;      /* or */
    struct htmt__loop_call *call; /* of a procedure */
    struct htmt__item *next;
};

struct htmt__argument {
    const struct htmt__declaration *formal; /* NULL: the body is not seen */
    const char *path;                       /* of an array; NULL: a value */
    const struct htmt__declaration *root;   /* of the array */
    htmt__value value;
    struct htmt__argument *next;
};

struct htmt__loop_call {
    const struct htmt__declaration *function;
    const char *name;
    struct htmt__source_place place;
    struct htmt__argument *arguments;
    bool is_left_out;
};

#endif
