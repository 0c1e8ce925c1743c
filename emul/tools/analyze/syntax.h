/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What source says, without libclang or gfortran: expressions and statements as trees, in C's
 * terms. Parentheses and implicit conversions are left out.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_SYNTAX_H
#define HTMT_EMUL_TOOLS_ANALYZE_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#define HTMT__EXTENTS_MAX 8

enum htmt__syntax_kind {
    /* expressions */
    HTMT__SYNTAX_WHOLE, /* a whole number, known when it is compiled */
    HTMT__SYNTAX_REAL,  /* a literal */
    HTMT__SYNTAX_NAME,
    HTMT__SYNTAX_UNARY,       /* child: the operand */
    HTMT__SYNTAX_BINARY,      /* children: both */
    HTMT__SYNTAX_ASSIGN,      /* children: left, right; op: of the compound assignment, or NONE */
    HTMT__SYNTAX_CONDITIONAL, /* children: condition, both values */
    HTMT__SYNTAX_CALL,        /* declaration: the function, or NULL; children: the arguments */
    HTMT__SYNTAX_SUBSCRIPT,   /* children: what, index */
    HTMT__SYNTAX_MEMBER,      /* child: the struct or the pointer to it */
    HTMT__SYNTAX_CAST,        /* child: a real number that becomes a whole one */
    HTMT__SYNTAX_LIST,        /* children: the initializers; a text has none */
    /* statements; an expression is one, too */
    HTMT__SYNTAX_BLOCK,
    HTMT__SYNTAX_DECLARE, /* a variable; child: what it starts with, or none */
    HTMT__SYNTAX_FOR,     /* children: start, condition, step, body */
    HTMT__SYNTAX_IF,      /* children: condition, one or two statements */
    HTMT__SYNTAX_RETURN,  /* child: the value, or none */
    HTMT__SYNTAX_EMPTY,
    HTMT__SYNTAX_PASSES, /* while, do: name; children: condition and body */
    HTMT__SYNTAX_LABEL,  /* child: the statement */
    HTMT__SYNTAX_JUMP,   /* goto, break, continue: name */
    HTMT__SYNTAX_OTHER   /* name: what it is; it cannot be read; children: of a statement */
};

enum htmt__syntax_op {
    HTMT__OP_NONE,
    HTMT__OP_ADD,
    HTMT__OP_SUB,
    HTMT__OP_MUL,
    HTMT__OP_DIV,
    HTMT__OP_REM,
    HTMT__OP_SHL,
    HTMT__OP_SHR,
    HTMT__OP_BITS, /* and, or, exclusive or */
    HTMT__OP_LT,
    HTMT__OP_LE,
    HTMT__OP_GT,
    HTMT__OP_GE,
    HTMT__OP_NE,
    HTMT__OP_EQ,
    HTMT__OP_AND, /* && */
    HTMT__OP_OR,  /* || */
    HTMT__OP_COMMA,
    HTMT__OP_PLUS,
    HTMT__OP_MINUS,
    HTMT__OP_NOT, /* ~ ! */
    HTMT__OP_ADDRESS,
    HTMT__OP_DEREFERENCE,
    HTMT__OP_INCREMENT,
    HTMT__OP_DECREMENT
};

enum htmt__syntax_type { HTMT__TYPE_OTHER, HTMT__TYPE_WHOLE, HTMT__TYPE_REAL, HTMT__TYPE_POINTER };

struct htmt__source_place {
    const char *file;
    uint32_t line, column;
};

struct htmt__declaration;
struct htmt__operand;
struct htmt__element;

struct htmt__syntax {
    enum htmt__syntax_kind kind : 8;
    enum htmt__syntax_op op : 8;
    enum htmt__syntax_type type : 8;
    unsigned bytes : 8; /* of a number */
    uint32_t record; /* of MEMBER: bytes of the struct; 0: it is a pointer, and leads elsewhere */
    bool is_post;    /* of ++ and --: the value is the one before */
    bool is_counted; /* of CALL: a function that is not known, and counts by its name */
    struct htmt__source_place place;
    int64_t whole;     /* of WHOLE; of MEMBER: bytes before it in the struct */
    const char *asked; /* of CALL: with names for arguments, of a function that is not seen */
    const char *name;  /* of MEMBER, CALL, PASSES, LABEL, JUMP, OTHER */
    struct htmt__declaration *declaration; /* of NAME, DECLARE, CALL */
    struct htmt__syntax *child, *next;
};

/* A variable, parameter or function. */
struct htmt__declaration {
    const char *name, *key; /* key: of what files share */
    struct htmt__source_place place;
    enum htmt__syntax_type type;
    enum htmt__syntax_type element; /* of an array, or of what a pointer leads to, to the end */
    unsigned element_bytes;
    bool is_function, is_parameter, is_local, is_static;
    bool is_constant;            /* of what stands: its value never changes */
    bool points_to_constant;     /* a parameter through which nothing is written */
    bool is_array;               /* has room of its own; else a pointer */
    struct htmt__syntax *starts; /* a constant's value */
    /* of arrays and pointers to arrays, outermost first; NULL: not known, a pointer's own */
    unsigned extents;
    struct htmt__syntax **extent;
    struct htmt__syntax **lower; /* where axes begin; NULL: at 0 */
    /* of functions */
    struct htmt__syntax *body; /* NULL: not seen */
    unsigned parameters;
    struct htmt__declaration **parameter;
    bool returns_value;
    bool is_called;                 /* by a function of the sources */
    bool is_inlined;                /* no procedure: its body stands where it is called */
    bool has_other_axes;            /* than what a call of it as a procedure gets */
    struct htmt__declaration *next; /* function, in the order of the sources */
    struct htmt__declaration *same_bucket;
    /* during the walk */
    const struct htmt__operand *value; /* NULL: as it was before the function */
    struct htmt__element *elements;    /* of a table, those that are known */
    const char *root;                  /* the name for nest files */
    struct htmt__declaration *same_root;
    bool is_walked;           /* a function whose body is being walked */
    bool is_counter;          /* of a loop around this place */
    bool has_loops, is_asked; /* a function: whether it has loops */
    bool is_scanned;          /* a function that a search has seen */
    bool is_procedure;        /* it is called from program: */
    bool is_entered;          /* a call of it was walked */
    bool is_chosen;           /* by --function */
    bool is_bound;            /* a procedure whose calls have boxes for what they hand over */
};

/* A loop of another form becomes a "for" of four parts, if it is one (form.c). */
void htmt__form(struct htmt__syntax *s);

static inline const struct htmt__syntax *htmt__syntax_second(const struct htmt__syntax *s)
{
    return s->child ? s->child->next : (const struct htmt__syntax *)0;
}

#endif
