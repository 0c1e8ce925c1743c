/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/loops/nest: loops as nest files describe them; what they do, move and need. It
 * includes layers/file and below.
 *
 * A nest file, read and found good: expressions are not evaluated yet. docs/loops.md has the
 * format. Everything is plain data that nobody changes after it was read.
 */
#ifndef HTMT_EMUL_LOOPS_NEST_FILE_H
#define HTMT_EMUL_LOOPS_NEST_FILE_H

#include "emul/loops/nest/expression.h"

#include <stdint.h>

#define HTMT__NEST_NAME 64

enum htmt__nest_touch { HTMT__NEST_READ, HTMT__NEST_WRITE, HTMT__NEST_UPDATE };

enum htmt__nest_class {
    HTMT__NEST_ADD,
    HTMT__NEST_MUL,
    HTMT__NEST_DIV,
    HTMT__NEST_IOP,
    HTMT__NEST_FUNCTION,
    HTMT__NEST_CLASSES
};

/* low..high; without a high end it is a size or one value. */
struct htmt__nest_range {
    struct htmt__nest_expression low, high;
};

/* One expression, or pieces with conditions. */
struct htmt__nest_count {
    unsigned count;
    struct htmt__nest_case {
        struct htmt__nest_condition *where; /* NULL: always */
        struct htmt__nest_expression is;
        int line;
    } * piece;
};

struct htmt__nest_loop {
    char name[HTMT__NEST_NAME];
    struct htmt__nest_range range;
    uint64_t step;
    bool down; /* from the high end */
    int line;
};

struct htmt__nest_access {
    enum htmt__nest_touch touch;
    unsigned array;                    /* of the file's arrays */
    struct htmt__nest_range component; /* without a low end: all */
    unsigned subscripts;
    size_t subscript_room;
    struct htmt__nest_range *subscript;
    struct htmt__nest_expression times; /* may be missing: once */
    int line;
};

/* References that follow each other in a body; with `times`, in so many turns of a loop that is
 * multiplied out: each turn touches its part of the words of a range. */
struct htmt__nest_sequence {
    unsigned touches, *touch;           /* of the nest's accesses */
    struct htmt__nest_expression times; /* may be missing: once */
    int line;
};

struct htmt__nest_operation {
    enum htmt__nest_class class;
    char name[HTMT__NEST_NAME]; /* of a function, "exp" */
    struct htmt__nest_expression times;
    int line;
};

struct htmt__nest_state {
    char name[HTMT__NEST_NAME];
    bool integer;
    struct htmt__nest_expression loads, stores, words;
    int line;
};

struct htmt__nest_touched {
    unsigned array;
    struct htmt__nest_count read, write;
    int line;
};

struct htmt__nest {
    char name[HTMT__NEST_NAME], source[256];
    uint64_t source_line; /* 0: not given */
    int line;
    unsigned depth;
    struct htmt__nest_loop loop[HTMT__NEST_DEPTH]; /* outermost first */
    struct htmt__nest_count count;                 /* no piece: the bounds tell it */
    unsigned operations, accesses, sequences, states, touches;
    struct htmt__nest_operation *operation;
    struct htmt__nest_access *access;
    struct htmt__nest_sequence *sequence; /* none: in the order of accesses */
    struct htmt__nest_state *state;
    struct htmt__nest_touched *touched;
};

struct htmt__nest_array {
    char name[HTMT__NEST_NAME];
    bool formal; /* of procedures alone; it has no box */
    unsigned axes;
    struct htmt__nest_range *box;
    struct htmt__nest_expression components; /* may be missing: one */
    uint64_t bytes;                          /* of a word */
    bool placed;                             /* the file says where its components lie: */
    unsigned component_axis;                 /* before this subscript */
    char record[HTMT__NEST_NAME];            /* "": its words lie one behind the other; else they
                                              * are members of these records, */
    uint64_t record_bytes, record_at;        /* which have so many bytes; from which one on */
    unsigned record_axes;                    /* slowest subscripts and components that number
                                              * records; 0: all */
    bool entry, exit;                        /* live on entry, on exit */
    int line;
};

struct htmt__nest_parameter {
    char name[HTMT__NEST_NAME];
    bool formal, known;
    htmt_wide value;
    int line;
};

/* An array, and which of its components. */
struct htmt__nest_part {
    unsigned array;
    struct htmt__nest_range component; /* without a low end: all */
};

enum htmt__nest_step_kind {
    HTMT__NEST_RUN,
    HTMT__NEST_CALL,
    HTMT__NEST_REPEAT,
    HTMT__NEST_INSIDE_LOOP,
    HTMT__NEST_EXCHANGE
};

struct htmt__nest_binding {
    bool array;
    unsigned formal; /* index of a parameter or array */
    struct htmt__nest_expression value;
    struct htmt__nest_part part;
};

struct htmt__nest_step {
    enum htmt__nest_step_kind kind;
    int line;
    unsigned index;                      /* of the nest or the procedure */
    struct htmt__nest_expression number; /* times of a repeat, depth of an exchange */
    char loop[HTMT__NEST_NAME];          /* that the steps share */
    unsigned steps, bindings, parts;
    struct htmt__nest_step *step; /* of a repeat or loop */
    struct htmt__nest_binding *binding;
    struct htmt__nest_part *part; /* of an exchange */
};

struct htmt__nest_procedure {
    char name[HTMT__NEST_NAME];
    bool unknown; /* its body was not seen */
    unsigned parameters, arrays, steps;
    unsigned *parameter, *array; /* formal ones */
    struct htmt__nest_step *step;
    int line;
};

enum htmt__nest_dependence_kind { HTMT__NEST_FLOW, HTMT__NEST_ANTI, HTMT__NEST_OUTPUT };

struct htmt__nest_dependence {
    unsigned from, to, array;
    enum htmt__nest_dependence_kind kind;
    unsigned depth;
    int64_t distance[HTMT__NEST_DEPTH];
    bool any[HTMT__NEST_DEPTH];
};

struct htmt__nest_skipped {
    char source[256], why[256];
    uint64_t line, column;
};

/* What must hold of parameters. */
struct htmt__nest_assumption {
    char text[128];
    struct htmt__nest_condition *holds;
    int line;
};

struct htmt__nest_file {
    char path[1024], about[256], source[256];
    bool unit_first; /* the first subscript moves word by word */
    unsigned parameters, arrays, nests, dependences, procedures, steps, skips;
    size_t parameter_room, array_room;
    struct htmt__nest_parameter *parameter;
    const char **parameter_name; /* of the same index */
    struct htmt__nest_array *array;
    struct htmt__nest *nest;
    struct htmt__nest_dependence *dependence;
    struct htmt__nest_procedure *procedure;
    struct htmt__nest_step *step;
    struct htmt__nest_skipped *skipped;
    unsigned assumptions;
    struct htmt__nest_assumption *assumption;
};

/* On success the caller owns *file. Errors: HTMT_ENOENT, HTMT_EIO, HTMT_EFORMAT, HTMT_ERANGE,
 * HTMT_EOVERFLOW, HTMT_ENOMEM, each with file and line. */
int htmt__nest_file_read(const char *path, struct htmt__nest_file **file, struct htmt_fault *fault);
/* The same of a text; `name` stands for the file. */
int htmt__nest_file_parse(const char *name, const char *text, size_t length,
                          struct htmt__nest_file **file, struct htmt_fault *fault);
void htmt__nest_file_destroy(struct htmt__nest_file **file);

/* Index of a nest; -1: there is none. */
int htmt__nest_find(const struct htmt__nest_file *file, const char *name);

#endif
