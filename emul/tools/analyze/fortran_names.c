/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the names of a Fortran program stand for, and which of them trees can treat as simple
 * variables.
 *
 * Fortran hands everything over by its place in memory, and keeps bounds in small arrays: lo(3),
 * hi(3). The walk over loops knows whole numbers by name and not by place, as C hands them over. So
 * two things are asked of the whole program before trees are made:
 *
 * - Is a formal number assigned, by its procedure or by one that gets it from there? If not, its
 *   value is handed over; else its address, as f(&n) does in C.
 *
 * - Is a small array of whole numbers only named with constant subscripts, as a whole, or in loops
 *   of a few iterations that can be written out? Then its elements are variables: lo(1) is lo_1, a
 *   formal lo(3) is three formal numbers, and a call with lo hands over three. If one place moves
 *   through it, as lo(d), it is an array in memory everywhere, also for those who hand it over.
 *
 * Both answers go from procedure to procedure, so the code is searched until no answer changes: as
 * often as calls are deep.
 */
#include "emul/tools/analyze/fortran.h"

#include "emul/tools/analyze/memory.h"

#include <string.h>

enum { ELEMENTS_MAX = 8, ROUNDS_MAX = 50 };

bool htmt__fortran_number(const struct htmt__fortran_expression *e, int64_t *value)
{
    if (e && e->kind == HTMT__FORTRAN_WHOLE)
        *value = e->whole;
    if (e && e->kind == HTMT__FORTRAN_CALL && strncmp(e->name, "__convert_i", 11) == 0 && e->child)
        return htmt__fortran_number(e->child, value);
    return e && e->kind == HTMT__FORTRAN_WHOLE;
}

enum htmt__syntax_type htmt__fortran_type(const struct htmt__fortran_symbol *s)
{
    return strcmp(s->type, "INTEGER") == 0 || strcmp(s->type, "LOGICAL") == 0 ? HTMT__TYPE_WHOLE
           : strcmp(s->type, "REAL") == 0                                     ? HTMT__TYPE_REAL
                                                                              : HTMT__TYPE_OTHER;
}

/* ---- places ---------------------------------------------------------------------------------- */

static struct htmt__fortran_space *space_named(const struct htmt__fortran_tree *tree,
                                               const char *name)
{
    struct htmt__fortran_space *s = tree->spaces;
    while (s && strcmp(s->name, name))
        s = s->next;
    return s;
}

/* A symbol that comes from a module is that of the module, wherever it is named. */
static struct htmt__fortran_symbol *own(const struct htmt__fortran_tree *tree,
                                        struct htmt__fortran_symbol *s)
{
    struct htmt__fortran_space *module = s && s->module ? space_named(tree, s->module) : NULL;
    struct htmt__fortran_symbol *there = module ? htmt__fortran_symbol(module, s->name) : NULL;
    if (there && there != s)
        return there;
    /* Of a module that is not seen: the first one of the sources. */
    for (struct htmt__fortran_space *o = tree->spaces; s && s->module && !module && o;
         o = o->next) {
        struct htmt__fortran_symbol *x = htmt__fortran_symbol(o, s->name);
        if (x && x->module && strcmp(x->module, s->module) == 0)
            return x;
    }
    /* What procedures have in common. */
    for (struct htmt__fortran_space *o = tree->spaces; s && s->common && o; o = o->next) {
        struct htmt__fortran_symbol *x = htmt__fortran_symbol(o, s->name);
        if (x && x->common && strcmp(x->common, s->common) == 0)
            return x;
    }
    return s;
}

struct htmt__fortran_symbol *htmt__fortran_resolve(const struct htmt__fortran_making *m,
                                                   const struct htmt__fortran_expression *e)
{
    struct htmt__fortran_space *in = m->space;
    if (e->own)
        return e->own;
    while (in && e->scope && strcmp(in->name, e->scope))
        in = in->parent;
    if (!in && e->scope)
        in = space_named(m->tree, e->scope);
    for (; in; in = in->parent) {
        struct htmt__fortran_symbol *s = htmt__fortran_symbol(in, e->name);
        if (s)
            return own(m->tree, s);
    }
    return NULL;
}

struct htmt__fortran_making htmt__fortran_within(const struct htmt__fortran_making *m,
                                                 struct htmt__fortran_space *space)
{
    struct htmt__fortran_making in = *m;
    in.space = space;
    in.axes = 0;
    in.before = NULL;
    return in;
}

struct htmt__fortran_symbol *htmt__fortran_header(const struct htmt__fortran_space *procedure)
{
    struct htmt__fortran_symbol *s = NULL;
    if (procedure->parent)
        s = htmt__fortran_symbol(procedure->parent, procedure->name);
    return s && htmt__fortran_has(s, "PROCEDURE")
               ? s
               : htmt__fortran_symbol(procedure, procedure->name);
}

/* One beside or within what is around, then any of that name. */
struct htmt__fortran_space *htmt__fortran_procedure(const struct htmt__fortran_making *m,
                                                    const char *name)
{
    struct htmt__fortran_space *found = NULL;
    for (struct htmt__fortran_space *s = m->tree->spaces; s; s = s->next) {
        struct htmt__fortran_symbol *header =
            strcmp(s->name, name) ? NULL : htmt__fortran_header(s);
        if (!header || !htmt__fortran_has(header, "PROCEDURE"))
            continue;
        for (struct htmt__fortran_space *in = m->space; in; in = in->parent)
            if (s->parent == in)
                return s;
        if (!found)
            found = s;
    }
    return found;
}

struct htmt__fortran_symbol *htmt__fortran_component(const struct htmt__fortran_making *m,
                                                     const struct htmt__fortran_symbol *of,
                                                     const char *name)
{
    for (struct htmt__fortran_space *o = m->tree->spaces; of->derived && o; o = o->next)
        for (struct htmt__fortran_symbol *t = htmt__fortran_symbol(o, of->derived); t;
             t = t->same_bucket)
            if (t->components && strcmp(t->name, of->derived) == 0)
                for (struct htmt__fortran_symbol *c = t->components; c; c = c->next)
                    if (strcmp(c->name, name) == 0)
                        return c;
    return NULL;
}

/* ---- what is asked --------------------------------------------------------------------------- */

/* A number for each axis, of few elements: as many as are declared, or as are named. */
static void judge(struct htmt__fortran_symbol *s)
{
    int64_t first = 1, last = 1;
    if (s->is_judged)
        return;
    s->is_judged = true;
    bool lower = htmt__fortran_number(s->shape.lower[0], &first) || !s->shape.is_explicit;
    bool upper = s->shape.is_explicit && htmt__fortran_number(s->shape.upper[0], &last);
    if (htmt__fortran_type(s) != HTMT__TYPE_WHOLE || s->shape.rank != 1 || !lower ||
        htmt__fortran_has(s, "PARAMETER") || htmt__fortran_has(s, "ALLOCATABLE") ||
        htmt__fortran_has(s, "POINTER"))
        return;
    s->is_open = !upper;
    s->first = first;
    if (!upper)
        s->elements = 1;
    else if (last >= first && last - first < ELEMENTS_MAX)
        s->elements = (unsigned)(last - first) + 1;
}

bool htmt__fortran_is_split(const struct htmt__fortran_symbol *s)
{
    return s->elements && !s->is_moved;
}

struct asking {
    struct htmt__fortran_making making;
    bool changed;
};

static void ask_expression(struct asking *a, const struct htmt__fortran_expression *e,
                           bool whole_is_good);

static void set(struct asking *a, bool *answer)
{
    a->changed |= !*answer;
    *answer = true;
}

/* It has so many elements, if its declaration does not tell. */
static void grow(struct asking *a, struct htmt__fortran_symbol *s, int64_t elements)
{
    if (!s->is_open || elements <= (int64_t)s->elements)
        return;
    if (elements > ELEMENTS_MAX) {
        set(a, &s->is_moved);
        return;
    }
    s->elements = (unsigned)elements;
    a->changed = true;
}

/* The subscript is a number, or the counter of a loop that is written out. */
static bool is_fixed(const struct asking *a, const struct htmt__fortran_expression *e)
{
    int64_t value;
    if (htmt__fortran_number(e, &value))
        return true;
    if (e->kind == HTMT__FORTRAN_RANGE) {
        const struct htmt__fortran_expression *last = e->child->next;
        return (e->child->kind == HTMT__FORTRAN_ABSENT || is_fixed(a, e->child)) &&
               (last->kind == HTMT__FORTRAN_ABSENT || is_fixed(a, last)) &&
               last->next->kind == HTMT__FORTRAN_ABSENT;
    }
    if (e->kind == HTMT__FORTRAN_VARIABLE && !e->reference) {
        const struct htmt__fortran_symbol *s = htmt__fortran_resolve(&a->making, e);
        return s && s->is_constant;
    }
    bool fixed = e->kind == HTMT__FORTRAN_OPERATION && strchr("+-", *e->name);
    for (const struct htmt__fortran_expression *c = e->child; c && fixed; c = c->next)
        fixed = is_fixed(a, c);
    return fixed;
}

static void ask_variable(struct asking *a, const struct htmt__fortran_expression *e,
                         bool whole_is_good)
{
    struct htmt__fortran_symbol *s = htmt__fortran_resolve(&a->making, e);
    if (s)
        judge(s);
    for (const struct htmt__fortran_reference *r = e->reference; r; r = r->next)
        for (const struct htmt__fortran_expression *c = r->subscript; c; c = c->next)
            ask_expression(a, c, true);
    const struct htmt__fortran_reference *r = e->reference;
    if (!s || !s->elements)
        return;
    int64_t index;
    if (r && !r->component && !r->full && !r->next && !is_fixed(a, r->subscript))
        set(a, &s->is_moved);
    const struct htmt__fortran_expression *at = r ? r->subscript : NULL;
    at = at && at->kind == HTMT__FORTRAN_RANGE ? at->child->next : at; /* the last of a range */
    if (at && htmt__fortran_number(at, &index))
        grow(a, s, index - s->first + 1);
    if ((!r || r->full) && !whole_is_good)
        set(a, &s->is_moved);
}

/* Arguments of a call: what the procedure does with the formal ones, it does with them. */
static void ask_call(struct asking *a, const char *name, const struct htmt__fortran_expression *e)
{
    struct htmt__fortran_space *to = htmt__fortran_procedure(&a->making, name);
    struct htmt__fortran_symbol *header = to ? htmt__fortran_header(to) : NULL;
    unsigned i = 0;
    for (; e; e = e->next, i++) {
        struct htmt__fortran_symbol *formal =
            header && i < header->formals ? htmt__fortran_symbol(to, header->formal[i]) : NULL;
        if (formal)
            judge(formal);
        bool variable = e->kind == HTMT__FORTRAN_VARIABLE;
        struct htmt__fortran_symbol *s = variable ? htmt__fortran_resolve(&a->making, e) : NULL;
        const struct htmt__fortran_reference *r = variable ? e->reference : NULL;
        bool whole = variable && (!r || (r->full && !r->next));
        while (r && r->next)
            r = r->next;
        /* One element as the start of an array, or a part of one. */
        bool start = formal && formal->shape.rank && r && !r->full && !r->component,
             part = start && r->subscript && r->subscript->kind == HTMT__FORTRAN_RANGE &&
                    is_fixed(a, r->subscript);
        start &= !part;
        ask_expression(a, e, !formal || htmt__fortran_is_split(formal) || !formal->shape.rank);
        if (s && formal && whole && htmt__fortran_is_split(formal))
            grow(a, s, formal->elements);
        if (s && s->elements && start)
            set(a, &s->is_moved);
        if (formal && formal->elements && start)
            set(a, &formal->is_moved);
        if (s && whole && formal && formal->is_assigned && !s->shape.rank)
            set(a, &s->is_assigned);
    }
}

static void ask_expression(struct asking *a, const struct htmt__fortran_expression *e,
                           bool whole_is_good)
{
    if (e->kind == HTMT__FORTRAN_VARIABLE)
        ask_variable(a, e, whole_is_good);
    else if (e->kind == HTMT__FORTRAN_CALL && htmt__fortran_procedure(&a->making, e->name))
        ask_call(a, e->name, e->child);
    else
        for (const struct htmt__fortran_expression *c = e->child; c; c = c->next)
            ask_expression(a, c, true);
}

/* A counter of a few constant values: the loop can be written out. */
static struct htmt__fortran_symbol *short_counter(const struct asking *a,
                                                  const struct htmt__fortran_statement *s)
{
    const struct htmt__fortran_expression *v = s->expression, *first = v->next;
    int64_t from, to, by;
    if (!htmt__fortran_number(first, &from) || !htmt__fortran_number(first->next, &to) ||
        !htmt__fortran_number(first->next->next, &by) || by != 1 || to - from >= ELEMENTS_MAX)
        return NULL;
    return htmt__fortran_resolve(&a->making, v);
}

static void ask_code(struct asking *a, const struct htmt__fortran_statement *s)
{
    for (; s; s = s->next) {
        bool changes = s->kind == HTMT__FORTRAN_ASSIGN || s->kind == HTMT__FORTRAN_DO ||
                       (s->kind == HTMT__FORTRAN_TRANSFER && s->expression);
        struct htmt__fortran_symbol *to =
            changes && s->expression->kind == HTMT__FORTRAN_VARIABLE && !s->expression->reference
                ? htmt__fortran_resolve(&a->making, s->expression)
                : NULL;
        struct htmt__fortran_symbol *counter =
            s->kind == HTMT__FORTRAN_DO ? short_counter(a, s) : NULL;
        struct htmt__fortran_space *around = a->making.space;
        bool before = counter && counter->is_constant;
        if (to)
            set(a, &to->is_assigned);
        if (s->kind == HTMT__FORTRAN_INVOKE)
            ask_call(a, s->name, s->expression);
        for (const struct htmt__fortran_expression *e =
                 s->kind == HTMT__FORTRAN_INVOKE ? NULL : s->expression;
             e; e = e->next)
            ask_expression(a, e, true);
        if (s->space)
            a->making.space = s->space;
        if (counter)
            counter->is_constant = true;
        ask_code(a, s->body);
        ask_code(a, s->other);
        if (counter)
            counter->is_constant = before;
        a->making.space = around;
    }
}

void htmt__fortran_judge(struct htmt__fortran_tree *tree)
{
    struct asking a = {.making = {.tree = tree}, .changed = true};
    for (unsigned i = 0; a.changed && i < ROUNDS_MAX; i++) {
        a.changed = false;
        for (struct htmt__fortran_space *s = tree->spaces; s; s = s->next) {
            a.making.space = s;
            ask_code(&a, s->code);
            for (struct htmt__fortran_symbol *x = s->symbols; x; x = x->next)
                for (unsigned k = 0; k < x->shape.rank; k++) {
                    ask_expression(&a, x->shape.lower[k], true);
                    ask_expression(&a, x->shape.upper[k], true);
                }
        }
    }
}
