/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A nest at given parameters: what its body does, and which words it touches, as offsets to the
 * iteration. Many blocks, capacities and machines are then asked of one plan.
 *
 * A stream is an array, a component and the subscripts that do not move with the loops. Streams
 * whose offsets are the same have one pattern: they move and need the same.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_PLAN_H
#define HTMT_EMUL_LOOPS_NEST_PLAN_H

#include "emul/loops/nest/iterations.h"

#define HTMT__NEST_OFFSETS_MAX 65536

enum { HTMT__NEST_READS = 1, HTMT__NEST_WRITES = 2 };

/* An offset to the iteration, in iterations of each loop. */
struct htmt__nest_offset {
    int32_t at[HTMT__NEST_DEPTH];
    unsigned touch;       /* HTMT__NEST_READS, HTMT__NEST_WRITES */
    unsigned first, last; /* references to it, in the order of the body */
};

struct htmt__nest_pattern {
    unsigned used; /* loops that subscripts name, a bit each */
    int unit;      /* the loop that moves word by word; -1: none */
    unsigned offsets;
    struct htmt__nest_offset *offset; /* in the order of words: by the outermost loop first */
    unsigned touch;
    bool coupled;     /* a subscript names two loops: offsets tell nothing */
    bool given;       /* the file says how many words are touched */
    uint64_t streams; /* that have it, each as many as its word has units */
};

/* Which array of the file, once calls are bound; component -1 in a part: all. */
struct htmt__nest_stream {
    unsigned array;
    htmt_wide component;
    unsigned pattern, touch;
    bool written_first;
    struct htmt__nest_number loads, stores; /* of a cell, as written */
};

/* Words of one array that a nest touches, where the file says so. */
struct htmt__nest_given {
    unsigned array;
    bool reads, writes;
    htmt_wide read, write;
};

/* Subscripts of an array of which one at least names several loops. */
struct htmt__nest_coupled {
    unsigned array, axes;
    int64_t factor[HTMT__NEST_DEPTH][HTMT__NEST_DEPTH]; /* [axis][loop], of an iteration */
};

/* What a reference to an array means where the nest runs. */
struct htmt__nest_actual {
    unsigned array;
    htmt_wide first; /* component that is the formal array's 0 */
};

/* A scalar of the body, or a table whose subscripts hold no loop variable. */
struct htmt__nest_scalar {
    const char *name;
    bool integer;
    struct htmt__nest_number loads, stores, words;
};

/* A reference as the body has it: along each axis it names the word constant + sum of factor[l] *
 * variable of loop l, and `more` words behind it. */
struct htmt__nest_reference {
    unsigned array, axes, touch;
    htmt_wide first, last; /* components */
    struct htmt__nest_subscript {
        int64_t constant, more, factor[HTMT__NEST_DEPTH];
    } axis[HTMT__NEST_DEPTH];
};

/* The iterations and references of one nest, as stream.c plays them. */
struct htmt__nest_body {
    struct htmt__nest_bounds *bounds; /* of each loop */
    bool down[HTMT__NEST_DEPTH];      /* the loop runs from its high end */
    bool told;                        /* the bounds do not tell the iterations: `count` does */
    unsigned references;
    size_t room;
    struct htmt__nest_reference *reference; /* in the order of the body, unless it has turns */
    unsigned turns;
    struct htmt__nest_turn *turn;
};

/* References that follow each other, so many times: each time a part of their words. */
struct htmt__nest_turn {
    unsigned touches, *touch; /* of the body's references */
    htmt_wide times;
};

struct htmt__nest_reuse;
struct htmt__nest_point;

struct htmt__nest_plan {
    const struct htmt__nest *nest;
    const struct htmt__nest_file *file;
    char name[256]; /* of a fused one "a+b" */
    unsigned depth;
    int64_t low[HTMT__NEST_DEPTH], step[HTMT__NEST_DEPTH];
    int64_t extent[HTMT__NEST_DEPTH]; /* of the box around all iterations */
    htmt_wide count;                  /* iterations */
    struct htmt__nest_number ops[HTMT__NEST_CLASSES], loads, stores;
    unsigned streams, patterns, givens;
    uint64_t distinct_reads, distinct_writes; /* of a cell */
    struct htmt__nest_stream *stream;         /* by array, component */
    struct htmt__nest_pattern *pattern;
    struct htmt__nest_given *given;
    unsigned coupleds;
    size_t coupled_room;
    struct htmt__nest_coupled *coupled; /* the first reference to each such array */
    unsigned scalars;
    size_t scalar_room;
    struct htmt__nest_scalar *scalar;
    uint64_t unit; /* bytes that words of traffic and working sets count here */
    size_t points;
    struct htmt__nest_point *point; /* what streams and patterns were made of */
    uint64_t line;                  /* words; 1: none */
    struct htmt__nest_reuse *reuse; /* NULL: not asked yet */
    unsigned positions;             /* places in the body at which references stand */
    unsigned bodies;                /* several: of nests that run as one */
    struct htmt__nest_body *body;
    struct htmt__nest_plan
        *lined; /* the same with weights of lines (lines.h), one behind another */
};

/* The values and bindings with which a nest runs. */
struct htmt__nest_context {
    const struct htmt__nest_file *file;
    const struct htmt__nest_values *values;
    const struct htmt__nest_actual *actual; /* of each array of the file */
    const htmt_wide *components;            /* of each array of the file that has a box */
    uint64_t line;
    struct htmt_fault *fault;
};

/* On success the caller owns *plan. Errors: those of expressions, HTMT_ERANGE, HTMT_ENOMEM. */
int htmt__nest_plan_make(const struct htmt__nest *nest, const struct htmt__nest_context *context,
                         struct htmt__nest_plan **plan);
void htmt__nest_plan_destroy(struct htmt__nest_plan **plan);

/* One plan of several nests of the same depth that run as one, in that order; the parts are kept as
 * they are. Errors: HTMT_ERANGE (no common box), HTMT_ENOMEM, HTMT_EOVERFLOW. */
int htmt__nest_plan_join(const struct htmt__nest_plan *const *part, unsigned parts,
                         struct htmt__nest_plan **plan);

/* A reference at one offset. */
struct htmt__nest_point {
    unsigned array;
    htmt_wide component;
    unsigned used, axes;
    int unit;
    bool coupled;
    struct htmt__nest_axis {
        int loop; /* -1: none; -2: several */
        int64_t factor, rest;
    } axis[HTMT__NEST_DEPTH];
    struct htmt__nest_offset offset;
    unsigned order; /* in the body */
    struct htmt__nest_number loads, stores;
};

/* Whether two points are of different streams. */
int htmt__nest_point_streams(const struct htmt__nest_point *a, const struct htmt__nest_point *b);

/* Streams and patterns out of the plan's points, which become sorted. Errors: HTMT_ENOMEM,
 * HTMT_EOVERFLOW. */
int htmt__nest_plan_patterns(struct htmt__nest_plan *plan);

#endif
