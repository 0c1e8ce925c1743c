/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The walk over the bodies of functions: it follows the values of whole numbers and pointers, and
 * notes what each loop does. All functions that can refuse return 0 or HTMT_EFORMAT, with the
 * reason in the walk.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_WALK_H
#define HTMT_EMUL_TOOLS_ANALYZE_WALK_H

#include "emul/tools/analyze/loops.h"
#include "emul/tools/analyze/names.h"
#include "runtime/base/error.h"

/* A loop or statement that is left out, and why. */
struct htmt__skipped {
    struct htmt__source_place place;
    const char *why;
    const struct htmt__loop *loop; /* around a statement of a nest; NULL: it is none */
    struct htmt__skipped *next;
};

/* --taken LINE=P */
struct htmt__taken {
    const char *file; /* NULL: any */
    uint32_t line;
    struct htmt__weight part;
    bool used;
};

/* A function of the sources that was walked. */
struct htmt__routine {
    struct htmt__declaration *function;
    struct htmt__loop *root;
    struct htmt__routine *next;
};

/* A place in memory: of a variable, or below it. */
struct htmt__location {
    const char *path; /* NULL: not known */
    struct htmt__declaration *root;
    bool is_member;
    struct htmt__member member;
    unsigned dimensions;
    htmt__value subscript[HTMT__DIMENSIONS_MAX];
};

enum htmt__operand_kind {
    HTMT__OPERAND_UNKNOWN,
    HTMT__OPERAND_WHOLE,    /* a polynomial */
    HTMT__OPERAND_CONSTANT, /* a real number, known when it is compiled */
    HTMT__OPERAND_POINTER,
    HTMT__OPERAND_FRESH, /* new memory */
    HTMT__OPERAND_DATA, /* of a variable: a whole number that becomes a parameter once it is read */
    HTMT__OPERAND_LEFT  /* of a counter behind its loop: `whole`, if `holds` is not negative */
};

struct htmt__operand {
    enum htmt__operand_kind kind;
    htmt__value whole; /* of a whole number; of a pointer: elements behind the location */
    htmt__value holds;
    struct htmt__location at; /* of a pointer */
};

struct htmt__walk {
    struct htmt__names names;
    struct htmt__array *arrays, **last_array;
    struct htmt__array **array_bucket;
    struct htmt__access **access_bucket;
    struct htmt__loop_state **state_bucket;
    struct htmt__declaration **root_bucket;
    struct htmt__loop *loop; /* the innermost one around */
    struct htmt__weight weight;
    unsigned depth;                     /* of calls */
    unsigned forks;                     /* around this place (fork.c) */
    const struct htmt__syntax *body;    /* of the function that is walked */
    struct htmt__declaration *function; /* which others are walked in */
    int64_t copies;                     /* of bodies that are multiplied out, one in another */
    struct htmt__prover *prover;
    /* A refusal with pieces is none: the walk goes on in each of these views (domain.c). */
    unsigned pieces, views;
    struct htmt__loop *piece[32];
    struct htmt__source_place split_at;
    bool in_line;    /* functions are chosen: all that they call is walked there */
    bool is_fortran; /* the first axis is the fastest; numbers by place */
    bool addresses;  /* in a subscript */
    bool quiet;      /* in what is not counted, such as a loop's bounds */
    bool jumps;      /* the refusal is of what ends a loop or function early */
    bool returned;   /* the function that is inlined has its value */
    bool continued;  /* the rest of the loop's body does not run here */
    bool forked;     /* the rest of the block was walked with the statement */
    struct htmt__operand result;
    unsigned hints;
    htmt__value hint[32]; /* factors that could be strides */
    struct htmt__taken *taken;
    unsigned takens;
    struct htmt__routine *routines, **last_routine;
    struct htmt__skipped *skipped;   /* in the order of the sources */
    struct htmt__skipped *told;      /* of what is read */
    struct htmt__handed *handed;     /* expression.c */
    struct htmt__source_place where; /* of the refusal */
    const char *why;
    /* Handed over: the files of the walk stand in one order. */
    int (*call)(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out);
    int (*statement)(struct htmt__walk *w, const struct htmt__syntax *s);
    int (*whole)(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value *out);
};

/* Outside of nests: in a function, or in what is repeated around nests. */
static inline bool htmt__walk_between(const struct htmt__walk *w)
{
    return w->loop->kind == HTMT__LOOP_ROOT || w->loop->kind == HTMT__LOOP_REPEAT;
}

int htmt__walk_refuse(struct htmt__walk *w, const struct htmt__source_place *where,
                      const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Once for each place and reason. */
void htmt__walk_list(struct htmt__walk *w, const struct htmt__source_place *place, const char *why);

/* What a user should know of what is read. */
void htmt__walk_tell(struct htmt__walk *w, const struct htmt__source_place *place,
                     const char *text);

/* The statement that was refused is left out of the nest around. */
void htmt__walk_lose(struct htmt__walk *w);

/* Notes aside what a walk reads: nothing stays of it until htmt__note_all() takes it. */
int htmt__walk_aside(struct htmt__walk *w, enum htmt__loop_kind kind,
                     int (*walk)(void *context, unsigned side), void *context, unsigned side,
                     struct htmt__loop *aside);

/* ---- notes.c: what is counted ---------------------------------------------------------------- */

struct htmt__weight htmt__weight_add(struct htmt__weight a, struct htmt__weight b);
struct htmt__weight htmt__weight_mul(struct htmt__weight a, struct htmt__weight b);
bool htmt__weight_less(struct htmt__weight a, struct htmt__weight b);

void htmt__note_op(struct htmt__walk *w, enum htmt__op_class class);
void htmt__note_function(struct htmt__walk *w, const char *name);
/* The array; NULL: nothing is noted. */
struct htmt__array *htmt__note_access(struct htmt__walk *w, enum htmt__access_kind kind,
                                      const struct htmt__location *at,
                                      const struct htmt__syntax *s);
void htmt__note_state(struct htmt__walk *w, const char *name, enum htmt__syntax_type type,
                      enum htmt__access_kind kind);
/* All of `from`, weighted, and the loops in it, to the loop `to`. */
void htmt__note_all(struct htmt__walk *w, struct htmt__loop *to, struct htmt__loop *from);
/* The name of a variable for nest files. */
const char *htmt__note_root(struct htmt__walk *w, struct htmt__declaration *d);
/* The function table; NULL: it has no entry. */
struct htmt__known_function {
    const char *name; /* of nest files; NULL: it is made of simple operations */
    unsigned char add, mul;
};
const struct htmt__known_function *htmt__known_function(const char *name);
bool htmt__known_silent(const char *name); /* it prints, ends the program or frees memory */
bool htmt__known_reader(const char *name); /* one of them that reads whole arrays */
bool htmt__known_input(const char *name);  /* it reads from a file */
bool htmt__known_memory(const char *name); /* it gives new memory */
bool htmt__known_word(const char *name);   /* of nest files: no name */

/* ---- branch.c -------------------------------------------------------------------------------- */

/* 0: the condition holds, 1: it does not, -1: that is not known. */
int htmt__branch_side(const struct htmt__operand *condition);
/* Walks over side 0, 1 or both. Both must touch the same, or --taken weights them. */
int htmt__branch(struct htmt__walk *w, const struct htmt__source_place *place,
                 const struct htmt__operand *condition, int (*walk)(void *context, unsigned side),
                 void *context);

/* ---- table.c --------------------------------------------------------------------------------- */

/* A number is stored in an element of an array, or may have been. */
void htmt__table_set(struct htmt__walk *w, const struct htmt__location *at,
                     const struct htmt__operand *value);
/* What an element holds; NULL: it is not known. */
htmt__value htmt__table_get(struct htmt__walk *w, const struct htmt__location *at);
/* Whether a loop of so many turns is walked turn by turn for the sake of tables. */
bool htmt__table_loop(struct htmt__walk *w, const struct htmt__syntax *body, int64_t trip);
bool htmt__table_places(struct htmt__walk *w, const struct htmt__syntax *body);
/* Whether the function only fills tables and computes whole numbers. */
bool htmt__table_maker(struct htmt__walk *w, const struct htmt__declaration *f);

/* ---- tiles.c --------------------------------------------------------------------------------- */

/* Loops that are tiled by hand become loops over all places. */
void htmt__tiles_merge(struct htmt__walk *w);

/* ---- fork.c ---------------------------------------------------------------------------------- */

/* The statement and those behind it in its block, as one branch; NULL: it chooses no place. */
const struct htmt__syntax *htmt__fork(const struct htmt__syntax *s);

/* ---- expression.c ---------------------------------------------------------------------------- */

int htmt__walk_expression(struct htmt__walk *w, const struct htmt__syntax *s,
                          struct htmt__operand *out);
/* A whole number that only parameters and loop variables decide, without counting; NULL in *out:
 * no. */
int htmt__walk_whole(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value *out);
void htmt__walk_set(struct htmt__declaration *d, const struct htmt__operand *value);
bool htmt__operand_is_constant(const struct htmt__operand *o);
struct htmt__operand htmt__operand_whole(htmt__value value);

/* The parameter that stands for a whole number which data decide. */
struct htmt__operand htmt__walk_given(struct htmt__walk *w, struct htmt__declaration *d);
/* A whole number was written through its address. */
void htmt__walk_changed(const struct htmt__walk *w, const struct htmt__location *at);

/* ---- call.c ---------------------------------------------------------------------------------- */

int htmt__walk_call(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__operand *out);

/* ---- counter.c ------------------------------------------------------------------------------- */

/* A number or pointer that the body moves once in each iteration, beside the counter. */
struct htmt__moved {
    struct htmt__declaration *of;
    htmt__value by;
    struct htmt__operand before; /* the loop */
    struct htmt__moved *next;
};

/* What moves in a body that is not left early. */
struct htmt__moved *htmt__moved_find(struct htmt__walk *w, const struct htmt__syntax *body);
bool htmt__moved_pointers(const struct htmt__moved *moved);
/* Sets what moves to its values in the iteration. The counter's value there; NULL: the loop goes
 * down by steps over a range that another loop moves. */
htmt__value htmt__moved_set(struct htmt__walk *w, struct htmt__loop *loop,
                            const struct htmt__moved *moved);
struct htmt__header;
struct htmt__operand htmt__moved_left(struct htmt__walk *w, const struct htmt__header *h);
/* The value of a variable; NULL: of its own. */
struct htmt__operand htmt__operand_held(struct htmt__walk *w, struct htmt__declaration *d,
                                        const struct htmt__operand *value);

/* ---- header.c -------------------------------------------------------------------------------- */

struct htmt__header {
    struct htmt__declaration *counter;
    htmt__symbol variable;
    unsigned lowers, uppers;
    htmt__value lower[HTMT__BOUNDS_MAX], upper[HTMT__BOUNDS_MAX];
    int64_t step;
    bool down;
};
int htmt__header_read(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__header *h);

/* ---- scan.c: what statements hold and change, before they are walked --------------------------
 */

/* Whether the statements name the variable, but for what is only printed. */
bool htmt__scan_names(const struct htmt__syntax *s, const struct htmt__declaration *counter);
/* As above, but conditions of branches that stand between nests may name it, too. */
bool htmt__scan_steers(const struct htmt__syntax *s, const struct htmt__declaration *counter);
/* Whether they declare the variable. */
bool htmt__scan_declares(const struct htmt__syntax *s, const struct htmt__declaration *d);
/* Whether they leave a loop, a block or a function early, or have a label. */
bool htmt__scan_leaves(const struct htmt__syntax *s);
/* How often they change the variable, as they are written. */
unsigned htmt__scan_changes(const struct htmt__syntax *s, const struct htmt__declaration *d);
/* Whether they have loops, or what may be one: while, do, switch and labels with accesses. */
bool htmt__scan_has_loops(const struct htmt__syntax *s);

/* The part of the expression whose value the statements, and what they call, change; NULL: none. */
const struct htmt__syntax *htmt__scan_changed(const struct htmt__syntax *of,
                                              const struct htmt__syntax *statements);
/* A pointer of outside that moves on each time the statements run; NULL: none does. */
const struct htmt__syntax *htmt__scan_moved(const struct htmt__syntax *statements);
/* What the statements change is not known before and behind them. In `root`, outside of loops, a
 * whole number that is changed becomes a parameter; NULL: anywhere else. */
void htmt__forget(const struct htmt__loop *root, const struct htmt__syntax *s, bool pointers);

/* ---- statement.c ----------------------------------------------------------------------------- */

int htmt__walk_statement(struct htmt__walk *w, const struct htmt__syntax *s);
/* All functions of the sources; only a lack of anything to read is an error. */
void htmt__walk_functions(struct htmt__walk *w, struct htmt__declaration *functions);

#endif
