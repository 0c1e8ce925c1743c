/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fortran, between the parse tree that gfortran prints and the trees of syntax.h.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_FORTRAN_H
#define HTMT_EMUL_TOOLS_ANALYZE_FORTRAN_H

#include "emul/tools/analyze/parse.h"

#include <stddef.h>

#define HTMT__RANK_MAX 15

/* ---- the printed tree ------------------------------------------------------------------------ */

enum htmt__fortran_kind {
    HTMT__FORTRAN_ABSENT,
    HTMT__FORTRAN_WHOLE, /* also a real zero, which is printed as "0" */
    HTMT__FORTRAN_REAL,
    HTMT__FORTRAN_TEXT,
    HTMT__FORTRAN_VARIABLE,
    HTMT__FORTRAN_OPERATION, /* name: "+", "U-", "AND", ...; children: operands */
    HTMT__FORTRAN_CALL,      /* children: arguments */
    HTMT__FORTRAN_LIST,      /* an array constructor */
    HTMT__FORTRAN_RANGE,     /* children: first, last, stride, each may be ABSENT */
    HTMT__FORTRAN_ITERATED,  /* children: variable, first, last, stride, then what is repeated */
    HTMT__FORTRAN_OTHER      /* name: what it is */
};

struct htmt__fortran_expression {
    enum htmt__fortran_kind kind;
    unsigned bytes; /* of a number */
    int64_t whole;
    const char *name, *scope;         /* of a variable: its name and that of its procedure */
    struct htmt__declaration *direct; /* a whole number that stands for an expression */
    struct htmt__fortran_symbol *own; /* an array that holds what an expression gives */
    struct htmt__fortran_reference *reference;
    struct htmt__fortran_expression *child, *next;
};

/* "(i, 2:n)" or "% name" behind a variable. */
struct htmt__fortran_reference {
    const char *component; /* NULL: subscripts */
    bool full;             /* the whole array, without subscripts */
    struct htmt__fortran_expression *subscript;
    struct htmt__fortran_reference *next;
};

enum htmt__fortran_statement_kind {
    HTMT__FORTRAN_ASSIGN,     /* expressions: left, right */
    HTMT__FORTRAN_POINT,      /* of a pointer, as above */
    HTMT__FORTRAN_INVOKE,     /* name; expressions: arguments */
    HTMT__FORTRAN_DO,         /* variable, first, last, stride; body */
    HTMT__FORTRAN_WHILE,      /* condition; body */
    HTMT__FORTRAN_CONCURRENT, /* ITERATED...; a mask; body */
    HTMT__FORTRAN_IF,         /* condition; body, other */
    HTMT__FORTRAN_WHERE,      /* as above */
    HTMT__FORTRAN_SELECT,     /* what is compared; body: CASE... */
    HTMT__FORTRAN_CASE,       /* RANGE..., of ABSENT ends: all else; body */
    HTMT__FORTRAN_BLOCK,      /* body */
    HTMT__FORTRAN_ALLOCATE,   /* arrays with their bounds as subscripts */
    HTMT__FORTRAN_TRANSFER,   /* body: TRANSFER of each item; name: "read" or "write" */
    HTMT__FORTRAN_EXIT,
    HTMT__FORTRAN_CYCLE,
    HTMT__FORTRAN_GOTO,
    HTMT__FORTRAN_RETURN,
    HTMT__FORTRAN_STOP,
    HTMT__FORTRAN_NOTHING,
    HTMT__FORTRAN_UNREAD /* name: what it is; body */
};

struct htmt__fortran_statement {
    enum htmt__fortran_statement_kind kind;
    unsigned label;
    const char *name;
    struct htmt__fortran_expression *expression;
    struct htmt__fortran_statement *body, *other, *next;
    struct htmt__fortran_space *space; /* of a BLOCK */
    struct htmt__source_place place;
};

struct htmt__fortran_shape {
    unsigned rank;
    bool is_explicit, is_assumed_size;
    struct htmt__fortran_expression *lower[HTMT__RANK_MAX], *upper[HTMT__RANK_MAX];
};

/* A variable, a procedure, a type or one of its components. */
struct htmt__fortran_symbol {
    const char *name;
    const char *type; /* "REAL", "INTEGER", "DERIVED", ... */
    unsigned bytes;
    const char *derived;         /* the name of that type */
    const char *attributes;      /* as they are printed */
    const char *module;          /* by use; NULL: it is declared here */
    const char *common, *result; /* NULL: none */
    struct htmt__fortran_expression *value;
    struct htmt__fortran_shape shape;
    const char **formal;
    unsigned formals;
    struct htmt__fortran_symbol *components;
    struct htmt__fortran_expression *stands_for; /* a name of ASSOCIATE, or an array section */
    struct htmt__fortran_space *space;
    struct htmt__fortran_symbol *next, *same_bucket;
    /* set while trees are made */
    struct htmt__fortran_expression *made[2]; /* what ALLOCATE made: a list of ranges */
    struct htmt__declaration *declaration;
    struct htmt__declaration **element; /* of a small array of whole numbers: one for each */
    unsigned elements;
    int64_t first;    /* the subscript of the first */
    int64_t constant; /* while a loop is written out */
    bool is_constant;
    bool is_judged, is_open, is_moved, is_assigned;
    bool is_counting; /* of a loop around */
};

#define HTMT__FORTRAN_BUCKETS 64

/* A module, a program, a procedure or a block. */
struct htmt__fortran_space {
    const char *name;
    unsigned level;
    struct htmt__fortran_space *parent, *next;
    struct htmt__fortran_symbol *symbols, **last, *bucket[HTMT__FORTRAN_BUCKETS];
    struct htmt__fortran_statement *code;
    bool has_entry;
    bool is_made; /* its tree is being made */
    struct htmt__source_place place;
    struct htmt__declaration *function;
};

struct htmt__fortran_tree {
    struct htmt__fortran_space *spaces, **last; /* in the order of the print */
    unsigned values;                            /* expressions that became trees */
};

/* ---- fortran_dump.c -------------------------------------------------------------------------- */

/* Adds what gfortran printed. Errors: HTMT_EFORMAT, HTMT_ERANGE (too deep). */
int htmt__fortran_read(struct htmt__fortran_tree *tree, const char *text, struct htmt_fault *fault);
struct htmt__fortran_symbol *htmt__fortran_symbol(const struct htmt__fortran_space *space,
                                                  const char *name);
bool htmt__fortran_has(const struct htmt__fortran_symbol *s, const char *attribute);

/* ---- fortran_source.c: the text, for what the print lacks ------------------------------------ */

enum htmt__fortran_line_kind {
    HTMT__LINE_BEGIN, /* of a program, module or procedure; key: its name */
    HTMT__LINE_END,
    HTMT__LINE_USE,     /* key: the module */
    HTMT__LINE_INCLUDE, /* key: the file */
    HTMT__LINE_DO,      /* key: the variable; "" for do while and its like */
    HTMT__LINE_IF,      /* also else if */
    HTMT__LINE_BLOCK,   /* where, forall, select, associate, block */
    HTMT__LINE_ASSIGN,  /* key: the variable */
    HTMT__LINE_CALL,    /* key: the procedure */
    HTMT__LINE_TRANSFER,
    HTMT__LINE_LEAVE, /* cycle, exit; key: the name behind it, or "" */
    HTMT__LINE_OTHER
};

/* A statement of the text. */
struct htmt__fortran_line {
    enum htmt__fortran_line_kind kind;
    const char *key, *text; /* text: in small letters, blanks and comments left out */
    struct htmt__source_place place;
    size_t from, to;       /* its lines in the text of the file */
    unsigned unit, parent; /* of BEGIN: its number and that of what is around; else: where it is */
    bool is_module, is_interface;
    bool is_lost; /* gfortran does not read it, and says why: */
    const char *error;
};

struct htmt__fortran_source {
    const char *path;
    const char *text; /* after the preprocessor */
    bool is_fixed, is_preprocessed;
    bool is_wide; /* fixed form whose lines do not end at column 72 */
    struct htmt__fortran_line *line;
    size_t lines;
    unsigned units;
};

void htmt__fortran_scan(struct htmt__fortran_source *source);
/* Gives the statements of the tree the places that they have in the sources. */
void htmt__fortran_place(struct htmt__fortran_tree *tree,
                         const struct htmt__fortran_source *sources, unsigned count);

/* ---- fortran_guess.c: modules that are not there --------------------------------------------- */

struct htmt__fortran_guesses {
    struct htmt__fortran_source *source;
    unsigned sources;
    const char **missing; /* names of modules */
    unsigned count;
    struct htmt__fortran_guess *first, **last;
};

bool htmt__fortran_is_missing(const struct htmt__fortran_guesses *g, const char *module);
/* Learns from what the compiler said; false: there is nothing new. */
bool htmt__fortran_learn(struct htmt__fortran_guesses *g, const char *errors);
/* A call that stands for a statement that gfortran does not read. */
#define HTMT__FORTRAN_LOST "htmt_lost"
/* Marks these statements. */
void htmt__fortran_lose(const struct htmt__fortran_guesses *g, const char *errors);
/* The source of the modules that stand for them. */
const char *htmt__fortran_stubs(const struct htmt__fortran_guesses *g);
/* The source, with these instead. */
const char *htmt__fortran_rewritten(const struct htmt__fortran_guesses *g, unsigned source);

/* ---- fortran_names.c: what names stand for --------------------------------------------------- */

/* Trees of syntax.h in the making. */
struct htmt__fortran_making {
    struct htmt__fortran_tree *tree;
    struct htmt__fortran_space *space; /* around */
    struct htmt__source_place place;
    struct htmt__syntax **before; /* statements that an expression needs before its own */
    /* In an operation on whole arrays: one for each axis. */
    unsigned axes;
    struct htmt__fortran_axis *axis;
    unsigned depth, clones;
    bool is_between; /* no nest: calls stand in the loop around, or there is none */
    bool is_around;  /* loops or calls stand in it */
    bool is_whole;   /* a whole number gets the value */
    /* Handed over: the files stand in one order. */
    struct htmt__syntax *(*call)(struct htmt__fortran_making *m,
                                 const struct htmt__fortran_expression *e);
    struct htmt__syntax *(*body)(struct htmt__fortran_making *m,
                                 struct htmt__fortran_space *procedure);
};

struct htmt__fortran_axis {
    struct htmt__declaration *variable;     /* NULL: it is at `number`, counted from 0 */
    struct htmt__fortran_expression *first; /* NULL: the variable counts from 0 */
    int64_t number;
};

void htmt__fortran_judge(struct htmt__fortran_tree *tree);
struct htmt__fortran_symbol *htmt__fortran_resolve(const struct htmt__fortran_making *m,
                                                   const struct htmt__fortran_expression *e);
/* A procedure with a body; NULL: none is seen. */
struct htmt__fortran_space *htmt__fortran_procedure(const struct htmt__fortran_making *m,
                                                    const char *name);
/* What has the formal names of a procedure, or its type; NULL: it is not known. */
struct htmt__fortran_symbol *htmt__fortran_header(const struct htmt__fortran_space *procedure);
/* The components of a derived type; NULL: they are not known. */
struct htmt__fortran_symbol *htmt__fortran_component(const struct htmt__fortran_making *m,
                                                     const struct htmt__fortran_symbol *of,
                                                     const char *name);
struct htmt__fortran_making htmt__fortran_within(const struct htmt__fortran_making *m,
                                                 struct htmt__fortran_space *space);
enum htmt__syntax_type htmt__fortran_type(const struct htmt__fortran_symbol *s);
/* A small array of whole numbers with constant subscripts: its elements are variables. */
bool htmt__fortran_is_split(const struct htmt__fortran_symbol *s);

/* ---- fortran_value.c: expressions ------------------------------------------------------------ */

struct htmt__declaration *htmt__fortran_declare(struct htmt__fortran_making *m,
                                                struct htmt__fortran_symbol *s);
struct htmt__declaration *htmt__fortran_element(struct htmt__fortran_making *m,
                                                struct htmt__fortran_symbol *s, int64_t index);
/* A variable that the source does not have. */
struct htmt__declaration *htmt__fortran_variable(const char *name, enum htmt__syntax_type type);
struct htmt__syntax *htmt__fortran_node(const struct htmt__fortran_making *m,
                                        enum htmt__syntax_kind kind, enum htmt__syntax_type type,
                                        unsigned bytes);
struct htmt__syntax *htmt__fortran_other(const struct htmt__fortran_making *m, const char *name);
struct htmt__syntax *htmt__fortran_name(const struct htmt__fortran_making *m,
                                        struct htmt__declaration *d);
struct htmt__syntax *htmt__fortran_whole(const struct htmt__fortran_making *m, int64_t value);
struct htmt__syntax *htmt__fortran_binary(const struct htmt__fortran_making *m,
                                          enum htmt__syntax_op op, struct htmt__syntax *a,
                                          struct htmt__syntax *b);
struct htmt__syntax *htmt__fortran_assign(const struct htmt__fortran_making *m,
                                          enum htmt__syntax_op op, struct htmt__syntax *to,
                                          struct htmt__syntax *value);
struct htmt__syntax *htmt__fortran_known(const struct htmt__fortran_making *m, const char *name,
                                         struct htmt__syntax *arguments);
/* for (v = first; v <= last; v += stride) body; descending if the stride is a number below 0. */
struct htmt__syntax *htmt__fortran_loop(const struct htmt__fortran_making *m,
                                        struct htmt__syntax *variable, struct htmt__syntax *first,
                                        struct htmt__syntax *last, struct htmt__syntax *stride,
                                        struct htmt__syntax *body);

struct htmt__syntax *htmt__fortran_value(struct htmt__fortran_making *m,
                                         const struct htmt__fortran_expression *e);
/* Axes of a value: 0 of a number. */
unsigned htmt__fortran_rank(struct htmt__fortran_making *m,
                            const struct htmt__fortran_expression *e);
/* A name of ASSOCIATE, or of a formal array that is a section, replaced by what it stands for. */
const struct htmt__fortran_expression *
htmt__fortran_replaced(struct htmt__fortran_making *m, const struct htmt__fortran_expression *e);
/* The first or last subscript of an axis of what the reference leads to; NULL: not known. */
struct htmt__fortran_expression *htmt__fortran_end(struct htmt__fortran_making *m,
                                                   const struct htmt__fortran_expression *e,
                                                   unsigned axis, bool last);
/* Whether the axis has a number of elements that does not depend on where it begins: i-4:i+3. */
bool htmt__fortran_length(const struct htmt__fortran_expression *first,
                          const struct htmt__fortran_expression *last, int64_t *elements);
bool htmt__fortran_number(const struct htmt__fortran_expression *e, int64_t *value);
struct htmt__fortran_expression *htmt__fortran_integer(int64_t value);

/* ---- fortran_call.c -------------------------------------------------------------------------- */

struct htmt__syntax *htmt__fortran_call(struct htmt__fortran_making *m,
                                        const struct htmt__fortran_expression *e);
/* of: the call as an expression; NULL: of a subroutine. to: the array that gets the value; NULL:
 * none does. */
struct htmt__syntax *htmt__fortran_invoke(struct htmt__fortran_making *m, const char *name,
                                          const struct htmt__fortran_expression *arguments,
                                          const struct htmt__fortran_expression *of,
                                          const struct htmt__fortran_expression *to);

/* ---- fortran_code.c -------------------------------------------------------------------------- */

/* Adds the functions of the tree. */
void htmt__fortran_functions(struct htmt__fortran_tree *tree, struct htmt__parse *p);

#endif
