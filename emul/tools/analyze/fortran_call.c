/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls in Fortran: its own functions, and those of the program.
 *
 * gfortran prints its own functions by names that tell their types: "__max_r8", "_gfortran_sum_r4",
 * "__convert_i4_r8". Most have one of C's library that does the same. sum, maxval, minval, product
 * and dot_product become a loop before the statement, into a variable of their own.
 *
 * What a procedure of the program gets depends on what it does with it (fortran_names.c): a number
 * by value, or its address; a small array of bounds element by element; an array by its start. A
 * section u(:, :, n) of which all axes but the last are whole is an array by its start, too. Any
 * other section, u(i-4:i+4, j, k), has no start from which the procedure could count: the procedure
 * is written out once more for this call, with its formal array replaced by the section
 * (fortran_value.c), and what stands in the section's subscripts is handed over as numbers:
 *
 *     d8(u) of u(-4:4)                  called as d8(v(i, j-4:j+4)) becomes
 *     d8 = c * (u(1) - u(-1))           d8(s1 = i, s2 = j-4): d8 = c * (v(s1, s2+(1+4)) - v(s1,
 *                                       s2+(-1+4)))
 */
#include "emul/tools/analyze/fortran.h"

#include "emul/tools/analyze/memory.h"

#include <string.h>

enum { CLONES_DEEPEST = 8, FORMALS_MAX = 64 };

/* ---- functions of the language --------------------------------------------------------------- */

/* "__max_r8" is "max"; the whole name for what is none of gfortran's. */
static bool is_called(const char *name, const char *function)
{
    size_t length = strlen(function);
    if (strncmp(name, "_gfortran_", 10) == 0)
        name += 10;
    else if (strncmp(name, "__", 2) == 0)
        name += 2;
    return strncmp(name, function, length) == 0 && (!name[length] || name[length] == '_');
}

static struct htmt__syntax *typed(struct htmt__syntax *s, enum htmt__syntax_type type,
                                  unsigned bytes)
{
    s->type = type;
    s->bytes = bytes & 0xff;
    return s;
}

/* Of two or more: the smallest or largest. */
static struct htmt__syntax *extreme(struct htmt__fortran_making *m,
                                    const struct htmt__fortran_expression *e, bool smallest)
{
    const struct htmt__fortran_expression *c = e->child;
    struct htmt__syntax *s = htmt__fortran_value(m, c);
    for (c = c->next; c && c->kind != HTMT__FORTRAN_ABSENT; c = c->next) {
        struct htmt__syntax *o = htmt__fortran_value(m, c);
        if (s->type == HTMT__TYPE_WHOLE && o->type == HTMT__TYPE_WHOLE && c == e->child->next) {
            struct htmt__syntax *a = htmt__fortran_value(m, e->child),
                                *b = htmt__fortran_value(m, c);
            struct htmt__syntax *choice =
                htmt__fortran_node(m, HTMT__SYNTAX_CONDITIONAL, HTMT__TYPE_WHOLE, 4);
            choice->child = htmt__fortran_binary(m, smallest ? HTMT__OP_LT : HTMT__OP_GT, s, o);
            choice->child->next = a;
            a->next = b;
            s = choice;
        } else {
            bool zero = s->kind == HTMT__SYNTAX_WHOLE && o->type == HTMT__TYPE_REAL;
            s->next = o;
            if (zero)
                typed(s, HTMT__TYPE_REAL, o->bytes)->kind = HTMT__SYNTAX_REAL;
            if (o->kind == HTMT__SYNTAX_WHOLE && s->type == HTMT__TYPE_REAL)
                typed(o, HTMT__TYPE_REAL, s->bytes)->kind = HTMT__SYNTAX_REAL;
            s = htmt__fortran_known(m, smallest ? "fmin" : "fmax", s);
        }
    }
    return s;
}

/* Bounds of what a pointer leads to are parameters, such as up_l1; NULL: it is no pointer. */
static struct htmt__syntax *pointer_bound(struct htmt__fortran_making *m,
                                          const struct htmt__fortran_expression *e,
                                          const struct htmt__fortran_expression *axis, int64_t n)
{
    const struct htmt__fortran_expression *array = e->child;
    const struct htmt__fortran_symbol *s = htmt__fortran_resolve(m, array);
    bool whole = !array->reference || (array->reference->full && !array->reference->next);
    if (!s || !whole || !htmt__fortran_has(s, "POINTER") || s->made[1] ||
        (axis && !htmt__fortran_number(axis, &n)))
        return NULL;
    const char *name = htmt__source_print(is_called(e->name, "lbound") ? "%s_l%lld" : "%s_n%lld",
                                          s->name, (long long)n);
    struct htmt__declaration *d = htmt__fortran_variable(name, HTMT__TYPE_WHOLE);
    d->is_local = false;
    return htmt__fortran_name(m, d);
}

/* size, lbound, ubound: of an axis that is a number. */
static struct htmt__syntax *bound(struct htmt__fortran_making *m,
                                  const struct htmt__fortran_expression *e)
{
    const struct htmt__fortran_expression *array = e->child, *axis = array ? array->next : NULL;
    bool size = is_called(e->name, "size");
    int64_t n = 1;
    /* Of one axis after the other, where they fill a small array. */
    bool each = m->axes == 1 && !m->axis->variable && !size && array && axis &&
                axis->kind == HTMT__FORTRAN_ABSENT;
    if (each)
        n = m->axis->number + 1;
    if (array && array->kind == HTMT__FORTRAN_VARIABLE && !size && (each || axis)) {
        struct htmt__syntax *given = pointer_bound(m, e, each ? NULL : axis, n);
        if (given)
            return given;
    }
    if (!array || array->kind != HTMT__FORTRAN_VARIABLE ||
        (!each && !htmt__fortran_number(axis, &n) && htmt__fortran_rank(m, array) != 1))
        return htmt__fortran_other(m, "the bounds of all axes of an array");
    struct htmt__fortran_expression *low = htmt__fortran_end(m, array, (unsigned)n - 1, false),
                                    *high = htmt__fortran_end(m, array, (unsigned)n - 1, true);
    if (!low || !high)
        return htmt__fortran_other(m, "the bounds of an array that are not known");
    unsigned axes = m->axes;
    m->axes = 0;
    struct htmt__syntax *s = htmt__fortran_value(m, is_called(e->name, "lbound") ? low : high);
    if (size)
        s = htmt__fortran_binary(
            m, HTMT__OP_ADD, htmt__fortran_binary(m, HTMT__OP_SUB, s, htmt__fortran_value(m, low)),
            htmt__fortran_whole(m, 1));
    m->axes = axes;
    return s;
}

/* The first array in an expression, whose axes the loops of a reduction run over. */
static const struct htmt__fortran_expression *array_in(struct htmt__fortran_making *m,
                                                       const struct htmt__fortran_expression *e)
{
    if (e->kind == HTMT__FORTRAN_VARIABLE)
        return htmt__fortran_rank(m, e) ? e : NULL;
    for (const struct htmt__fortran_expression *c = e->child; c; c = c->next) {
        const struct htmt__fortran_expression *found = array_in(m, c);
        if (found)
            return found;
    }
    return NULL;
}

static bool has_length(struct htmt__fortran_making *m, const struct htmt__fortran_expression *e)
{
    struct htmt__fortran_expression *first = htmt__fortran_end(m, e, 0, false),
                                    *last = htmt__fortran_end(m, e, 0, true);
    int64_t elements;
    return first && last && htmt__fortran_length(first, last, &elements);
}

/* The loops of a reduction over all axes of an array; 0: they are not known. */
static unsigned reduced_axes(struct htmt__fortran_making *m,
                             const struct htmt__fortran_expression *array,
                             struct htmt__fortran_axis *axis,
                             struct htmt__fortran_expression **first,
                             struct htmt__fortran_expression **last)
{
    static const char *const names[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
    unsigned rank = htmt__fortran_rank(m, array);
    for (unsigned i = 0; i < rank && rank <= sizeof names / sizeof *names; i++) {
        int64_t elements, number;
        first[i] = htmt__fortran_end(m, array, i, false);
        last[i] = htmt__fortran_end(m, array, i, true);
        if (!first[i] || !last[i])
            return 0;
        bool constant = !htmt__fortran_number(first[i], &number) &&
                        htmt__fortran_length(first[i], last[i], &elements);
        axis[i].variable = htmt__fortran_variable(names[i], HTMT__TYPE_WHOLE);
        axis[i].first = constant ? NULL : first[i];
        if (constant) {
            first[i] = htmt__fortran_integer(0);
            last[i] = htmt__fortran_integer(elements - 1);
        }
    }
    return rank <= sizeof names / sizeof *names ? rank : 0;
}

/* sum(a): "sum = 0; for ... sum += a(i);" before the statement. */
static struct htmt__syntax *reduce(struct htmt__fortran_making *m,
                                   const struct htmt__fortran_expression *e, const char *function)
{
    const struct htmt__fortran_expression *what = e->child, *second = what ? what->next : NULL;
    bool dot = strcmp(function, "dot_product") == 0;
    const struct htmt__fortran_expression *array = what ? array_in(m, what) : NULL;
    for (const struct htmt__fortran_expression *c = dot ? NULL : second; c; c = c->next)
        if (c->kind != HTMT__FORTRAN_ABSENT)
            return htmt__fortran_other(
                m, htmt__source_print("%s along an axis, or with a mask", function));
    if (!array || !m->before || m->axes)
        return htmt__fortran_other(
            m, htmt__source_print("%s in a place where it is not read", function));
    /* Of two arrays, the one that tells its length. */
    const struct htmt__fortran_expression *other = dot && second ? array_in(m, second) : NULL;
    if (other && !has_length(m, array) && has_length(m, other))
        array = other;
    struct htmt__fortran_axis axis[HTMT__RANK_MAX];
    struct htmt__fortran_expression *first[HTMT__RANK_MAX], *last[HTMT__RANK_MAX];
    unsigned rank = reduced_axes(m, array, axis, first, last);
    if (!rank)
        return htmt__fortran_other(m, "an array whose bounds are not known");
    struct htmt__fortran_making in = *m;
    in.axes = rank;
    in.axis = axis;
    in.before = NULL;
    struct htmt__syntax *value = htmt__fortran_value(&in, what);
    struct htmt__declaration *to = htmt__fortran_variable(function, value->type);
    to->element_bytes = value->bytes;
    enum htmt__syntax_op op = HTMT__OP_ADD;
    if (dot && second)
        value = htmt__fortran_binary(m, HTMT__OP_MUL, value, htmt__fortran_value(&in, second));
    if (strcmp(function, "product") == 0)
        op = HTMT__OP_MUL;
    if (strncmp(function, "max", 3) == 0 || strncmp(function, "min", 3) == 0) {
        struct htmt__syntax *so_far = htmt__fortran_name(m, to);
        so_far->next = value;
        value = htmt__fortran_known(m, *function == 'm' && function[1] == 'a' ? "fmax" : "fmin",
                                    so_far);
        op = HTMT__OP_NONE;
    }
    struct htmt__syntax *body = htmt__fortran_assign(m, op, htmt__fortran_name(m, to), value);
    for (unsigned i = 0; i < rank; i++)
        body = htmt__fortran_loop(m, htmt__fortran_name(m, axis[i].variable),
                                  htmt__fortran_value(m, first[i]), htmt__fortran_value(m, last[i]),
                                  htmt__fortran_whole(m, 1), body);
    struct htmt__syntax *start = htmt__fortran_assign(m, HTMT__OP_NONE, htmt__fortran_name(m, to),
                                                      htmt__fortran_whole(m, 0));
    start->next = body;
    while (*m->before)
        m->before = &(*m->before)->next;
    *m->before = start;
    m->before = &body->next;
    return htmt__fortran_name(m, to);
}

/* A conversion: of a type that its name ends with, "__convert_i4_r8", or of its own. */
static struct htmt__syntax *convert(struct htmt__fortran_making *m,
                                    const struct htmt__fortran_expression *e, bool real)
{
    struct htmt__syntax *s = htmt__fortran_value(m, e->child);
    const char *end = strrchr(e->name, '_');
    bool named = is_called(e->name, "convert") && end;
    unsigned bytes = named && end[1] ? (unsigned)(end[2] - '0') : real ? 8 : 4;
    int64_t kind;
    if (named && strchr("cz", end[1]))
        return htmt__fortran_other(m, "a complex number");
    if (named)
        real = end[1] == 'r';
    if (is_called(e->name, "real"))
        bytes = htmt__fortran_number(e->child->next, &kind) ? (unsigned)kind : 4;
    if (s->type == HTMT__TYPE_OTHER)
        return s;
    if (!real && s->type == HTMT__TYPE_REAL) {
        struct htmt__syntax *cast =
            htmt__fortran_node(m, HTMT__SYNTAX_CAST, HTMT__TYPE_WHOLE, bytes);
        cast->child = s;
        return cast;
    }
    if (real && s->kind == HTMT__SYNTAX_WHOLE)
        s->kind = HTMT__SYNTAX_REAL;
    if (s->kind == HTMT__SYNTAX_REAL)
        return typed(s, HTMT__TYPE_REAL, bytes);
    if (real == (s->type == HTMT__TYPE_REAL)) /* of other bytes: those of the place stay */
        return s;
    /* A whole number that data tell becomes a real one at no cost; its own type stays. */
    struct htmt__syntax *plus = htmt__fortran_node(m, HTMT__SYNTAX_UNARY, HTMT__TYPE_REAL, bytes);
    plus->op = HTMT__OP_PLUS;
    plus->child = s;
    return plus;
}

/* A value of "condition ? a : b". */
static struct htmt__syntax *merge(struct htmt__fortran_making *m,
                                  const struct htmt__fortran_expression *e)
{
    const struct htmt__fortran_expression *a = e->child, *b = a->next, *mask = b ? b->next : NULL;
    if (!mask)
        return htmt__fortran_other(m, "merge without a mask");
    struct htmt__syntax *condition = htmt__fortran_value(m, mask), *x = htmt__fortran_value(m, a),
                        *y = htmt__fortran_value(m, b);
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_CONDITIONAL, x->type, x->bytes);
    s->child = condition;
    condition->next = x;
    x->next = y;
    return s;
}

/* NULL: no function of the language. */
static struct htmt__syntax *intrinsic(struct htmt__fortran_making *m,
                                      const struct htmt__fortran_expression *e)
{
    static const struct {
        const char *fortran, *c;
    } same[] = {
        {"abs", "fabs"},    {"sign", "copysign"}, {"dim", "fdim"},         {"aint", "trunc"},
        {"anint", "round"}, {"exp", "exp"},       {"log10", "log10"},      {"log", "log"},
        {"alog", "log"},    {"sqrt", "sqrt"},     {"sin", "sin"},          {"cos", "cos"},
        {"tan", "tan"},     {"asin", "asin"},     {"acos", "acos"},        {"atan2", "atan2"},
        {"atan", "atan"},   {"sinh", "sinh"},     {"cosh", "cosh"},        {"tanh", "tanh"},
        {"asinh", "asinh"}, {"acosh", "acosh"},   {"atanh", "atanh"},      {"erf", "erf"},
        {"erfc", "erfc"},   {"gamma", "tgamma"},  {"log_gamma", "lgamma"}, {"hypot", "hypot"},
        {"mod", "fmod"},    {"modulo", "fmod"}};
    static const char *const sums[] = {"sum", "maxval", "minval", "product", "dot_product"};
    const char *name = e->name;
    if (is_called(name, "present")) /* what may be left out counts as handed over */
        return htmt__fortran_whole(m, 1);
    if (is_called(name, "size") || is_called(name, "lbound") || is_called(name, "ubound"))
        return bound(m, e);
    if (!e->child)
        return NULL;
    if (is_called(name, "max") || is_called(name, "min"))
        return extreme(m, e, is_called(name, "min"));
    if (is_called(name, "merge"))
        return merge(m, e);
    if (is_called(name, "transpose") && m->axes == 2) {
        struct htmt__fortran_axis turned[2] = {m->axis[1], m->axis[0]};
        struct htmt__fortran_making in = *m;
        in.axis = turned;
        return htmt__fortran_value(&in, e->child);
    }
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (is_called(name, sums[i]))
            return reduce(m, e, sums[i]);
    if (is_called(name, "convert") || is_called(name, "int") || is_called(name, "nint") ||
        is_called(name, "ifix") || is_called(name, "idint") || is_called(name, "floor") ||
        is_called(name, "ceiling") || is_called(name, "logical"))
        return convert(m, e, false);
    if (is_called(name, "real") || is_called(name, "dble") || is_called(name, "float") ||
        is_called(name, "sngl"))
        return convert(m, e, true);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        if (!is_called(name, same[i].fortran))
            continue;
        struct htmt__syntax *a = htmt__fortran_value(m, e->child), *b = NULL;
        if (e->child->next && e->child->next->kind != HTMT__FORTRAN_ABSENT)
            b = htmt__fortran_value(m, e->child->next);
        bool whole = a->type == HTMT__TYPE_WHOLE && (!b || b->type == HTMT__TYPE_WHOLE);
        if (whole && b && strcmp(same[i].c, "fmod") == 0)
            return htmt__fortran_binary(m, HTMT__OP_REM, a, b);
        if (a->kind == HTMT__SYNTAX_WHOLE && b && b->type == HTMT__TYPE_REAL)
            typed(a, HTMT__TYPE_REAL, b->bytes)->kind = HTMT__SYNTAX_REAL;
        a->next = b;
        return htmt__fortran_known(m, same[i].c, a);
    }
    return NULL;
}

/* ---- what is handed over --------------------------------------------------------------------- */

/* The place of a variable or an element, as in f(&n). */
static struct htmt__syntax *address_of(struct htmt__fortran_making *m, struct htmt__syntax *s)
{
    bool place = s->kind == HTMT__SYNTAX_NAME || s->kind == HTMT__SYNTAX_SUBSCRIPT ||
                 s->kind == HTMT__SYNTAX_MEMBER;
    if (s->kind == HTMT__SYNTAX_UNARY && s->op == HTMT__OP_DEREFERENCE)
        return s->child;
    if (!place || s->type == HTMT__TYPE_POINTER)
        return s;
    struct htmt__syntax *up = htmt__fortran_node(m, HTMT__SYNTAX_UNARY, HTMT__TYPE_POINTER, 0);
    up->op = HTMT__OP_ADDRESS;
    up->child = s;
    return up;
}

struct handing {
    struct htmt__fortran_making *making;
    struct htmt__fortran_symbol *header;
    struct htmt__fortran_space *to;
    struct htmt__syntax *first, **end; /* arguments */
    struct htmt__declaration *formal[FORMALS_MAX];
    unsigned formals;
    bool is_clone;
};

static void hand(struct handing *h, struct htmt__declaration *formal, struct htmt__syntax *value)
{
    *h->end = value;
    h->end = &value->next;
    if (h->formals < FORMALS_MAX)
        h->formal[h->formals++] = formal;
}

/* Whether only whole axes stand before the last subscripts, as in u(:, :, n); *rest: these. */
static bool has_whole_axes(const struct htmt__fortran_reference *r, unsigned rank,
                           const struct htmt__fortran_expression **rest)
{
    const struct htmt__fortran_expression *c = r->subscript;
    for (unsigned i = 0; i < rank; i++, c = c->next)
        if (!c || c->kind != HTMT__FORTRAN_RANGE || c->child->kind != HTMT__FORTRAN_ABSENT ||
            c->child->next->kind != HTMT__FORTRAN_ABSENT ||
            c->child->next->next->kind != HTMT__FORTRAN_ABSENT)
            return false;
    *rest = c;
    for (; c; c = c->next)
        if (c->kind == HTMT__FORTRAN_RANGE)
            return false;
    return true;
}

/* The array itself, without its last subscripts: a node that points to it. */
static struct htmt__syntax *base_of(struct htmt__fortran_making *m,
                                    const struct htmt__fortran_expression *e)
{
    struct htmt__fortran_expression first = *e;
    struct htmt__fortran_reference *kept = NULL, **end = &kept;
    /* Any element has the array at its bottom. */
    struct htmt__fortran_making in = *m;
    struct htmt__fortran_axis axis[HTMT__RANK_MAX];
    const struct htmt__fortran_reference *r = e->reference;
    for (; r && (r->next || r->component); r = r->next, end = &(*end)->next) {
        *end = htmt__source_alloc(sizeof **end);
        **end = *r;
    }
    *end = NULL;
    first.reference = kept;
    unsigned rank = htmt__fortran_rank(m, &first);
    for (unsigned i = 0; i < HTMT__RANK_MAX; i++)
        axis[i] = (struct htmt__fortran_axis){.variable = NULL};
    in.axis = axis;
    in.axes = HTMT__RANK_MAX;
    struct htmt__syntax *s = htmt__fortran_value(&in, &first);
    for (unsigned i = 0; i < rank && s->kind == HTMT__SYNTAX_SUBSCRIPT; i++)
        s = s->child;
    s->next = NULL;
    return s;
}

/* The section's own numbers become formal ones of the procedure that is written out. */
static void hand_section(struct handing *h, struct htmt__fortran_symbol *formal,
                         const struct htmt__fortran_expression *e)
{
    struct htmt__fortran_expression *section = htmt__source_alloc(sizeof *section);
    struct htmt__fortran_reference **end = &section->reference;
    *section = *e;
    section->next = NULL;
    for (const struct htmt__fortran_reference *r = e->reference; r; r = r->next) {
        *end = htmt__source_alloc(sizeof **end);
        **end = *r;
        struct htmt__fortran_expression **last = &(*end)->subscript;
        for (const struct htmt__fortran_expression *c = r->subscript; c; c = c->next) {
            struct htmt__fortran_expression *own = htmt__source_alloc(sizeof *own);
            bool range = c->kind == HTMT__FORTRAN_RANGE;
            const struct htmt__fortran_expression *from = range ? c->child : c;
            struct htmt__fortran_expression *start = htmt__source_alloc(sizeof *start);
            int64_t number;
            *own = *c;
            *start = *from;
            if (from->kind != HTMT__FORTRAN_ABSENT && !htmt__fortran_number(from, &number)) {
                start = htmt__fortran_integer(0);
                start->kind = HTMT__FORTRAN_VARIABLE;
                start->name = htmt__source_print("%s_s%u", formal->name, h->formals);
                start->direct = htmt__fortran_variable(start->name, HTMT__TYPE_WHOLE);
                start->direct->is_parameter = true;
                start->direct->is_counter = true; /* an address, no state */
                hand(h, start->direct, htmt__fortran_value(h->making, from));
            }
            if (range) {
                start->next = from->next;
                own->child = start;
            } else {
                own = start;
            }
            own->next = NULL;
            *last = own;
            last = &own->next;
        }
        end = &(*end)->next;
    }
    *end = NULL;
    formal->stands_for = section;
    h->is_clone = true;
}

static void hand_array(struct handing *h, struct htmt__fortran_symbol *formal,
                       const struct htmt__fortran_expression *e)
{
    struct htmt__fortran_making *m = h->making;
    struct htmt__declaration *d = htmt__fortran_declare(m, formal);
    const struct htmt__fortran_expression *at = htmt__fortran_replaced(m, e);
    const struct htmt__fortran_reference *r = at->reference;
    while (r && r->next)
        r = r->next;
    if (at->kind != HTMT__FORTRAN_VARIABLE || at->direct) {
        hand(h, d, htmt__fortran_other(m, "an array that is computed for a call"));
        return;
    }
    if (!r || r->full || r->component) {
        hand(h, d, base_of(m, at));
        return;
    }
    unsigned rank = htmt__fortran_rank(m, at);
    const struct htmt__fortran_expression *rest = NULL;
    if (rank && (!has_whole_axes(r, rank, &rest) || rank != formal->shape.rank)) {
        if (h->to->is_made)
            hand(h, d, htmt__fortran_other(m, "a part of an array for a procedure within itself"));
        else
            hand_section(h, formal, at);
        return;
    }
    /* An element; from the first one of its leading axes it is the start of a section. */
    if (!rank && formal->shape.rank > 1) {
        int64_t one;
        rest = r->subscript;
        for (; rest && rank < formal->shape.rank && htmt__fortran_number(rest, &one) && one == 1;
             rest = rest->next)
            rank++;
        if (rank < formal->shape.rank) {
            hand(h, d, htmt__fortran_other(m, "an array that starts at an element of another one"));
            return;
        }
    }
    if (!rank) {
        struct htmt__syntax *s = htmt__fortran_value(m, at), *first = NULL;
        if (s->kind == HTMT__SYNTAX_SUBSCRIPT && formal->shape.lower[0]) {
            struct htmt__fortran_making in = htmt__fortran_within(m, h->to);
            first = htmt__fortran_value(&in, formal->shape.lower[0]);
            s->child->next = htmt__fortran_binary(m, HTMT__OP_SUB, s->child->next, first);
        }
        hand(h, d, address_of(m, s));
        return;
    }
    /* The last subscripts, outermost first. */
    struct htmt__syntax *s = base_of(m, at), *index[HTMT__RANK_MAX];
    unsigned count = 0;
    for (; rest && count < HTMT__RANK_MAX; rest = rest->next)
        index[count++] = htmt__fortran_value(m, rest);
    while (count--) {
        struct htmt__syntax *up =
            htmt__fortran_node(m, HTMT__SYNTAX_SUBSCRIPT, HTMT__TYPE_POINTER, 0);
        up->child = s;
        s->next = index[count];
        s = up;
    }
    hand(h, d, s);
}

/* Each element of a small array of whole numbers. */
static void hand_elements(struct handing *h, struct htmt__fortran_symbol *formal,
                          const struct htmt__fortran_expression *e)
{
    struct htmt__fortran_making *m = h->making, in = *m;
    struct htmt__fortran_axis axis = {NULL, NULL, 0};
    const struct htmt__fortran_expression *item = e->kind == HTMT__FORTRAN_LIST ? e->child : NULL;
    in.axes = 1;
    in.axis = &axis;
    for (unsigned i = 0; i < formal->elements; i++) {
        struct htmt__declaration *d = htmt__fortran_element(m, formal, formal->first + (int64_t)i);
        struct htmt__syntax *value;
        if (item) {
            value = htmt__fortran_value(m, item);
            item = item->next;
        } else {
            axis.number = i;
            value = htmt__fortran_value(&in, e);
        }
        if (value->type != HTMT__TYPE_WHOLE)
            value = htmt__fortran_node(m, HTMT__SYNTAX_CAST, HTMT__TYPE_WHOLE, 4),
            value->child = htmt__fortran_node(m, HTMT__SYNTAX_REAL, HTMT__TYPE_REAL, 8);
        hand(h, d, value);
    }
}

static void hand_one(struct handing *h, struct htmt__fortran_symbol *formal,
                     const struct htmt__fortran_expression *e)
{
    struct htmt__fortran_making *m = h->making;
    bool absent = e->kind == HTMT__FORTRAN_ABSENT, split = htmt__fortran_is_split(formal);
    for (unsigned i = 0; absent && split && i < formal->elements; i++)
        hand(h, htmt__fortran_element(m, formal, formal->first + (int64_t)i),
             htmt__fortran_whole(m, 0));
    if (split && !absent)
        hand_elements(h, formal, e);
    if (split)
        return;
    struct htmt__declaration *d = htmt__fortran_declare(m, formal);
    if (absent) {
        hand(h, d, htmt__fortran_whole(m, 0));
    } else if (formal->shape.rank) {
        hand_array(h, formal, e);
    } else {
        struct htmt__syntax *s = htmt__fortran_value(m, e);
        if (d->type == HTMT__TYPE_REAL && s->kind == HTMT__SYNTAX_WHOLE)
            typed(s, HTMT__TYPE_REAL, d->element_bytes)->kind = HTMT__SYNTAX_REAL;
        hand(h, d, d->type == HTMT__TYPE_POINTER ? address_of(m, s) : s);
    }
}

/* The procedure once more, with its own formal parameters. */
static struct htmt__declaration *clone(struct handing *h)
{
    struct htmt__fortran_making *m = h->making, in = htmt__fortran_within(m, h->to);
    struct htmt__declaration *f = htmt__source_alloc(sizeof *f);
    *f = *h->to->function;
    f->body = NULL;
    f->next = NULL;
    f->is_inlined = true;
    h->to->function->is_called = h->to->function->is_entered = true;
    f->parameters = h->formals;
    f->parameter = htmt__source_alloc((h->formals + 1) * sizeof *f->parameter);
    memcpy(f->parameter, h->formal, h->formals * sizeof *f->parameter);
    in.clones = m->clones + 1;
    if (m->clones < CLONES_DEEPEST)
        f->body = m->body(&in, h->to);
    return f;
}

/* It gets texts alone, as what reports an error does. */
static bool speaks(const struct htmt__fortran_expression *arguments)
{
    const struct htmt__fortran_expression *e = arguments;
    while (e && e->kind == HTMT__FORTRAN_TEXT)
        e = e->next;
    return arguments && !e;
}

/* The variable that a function's value is in; NULL: the function is not seen. */
static struct htmt__fortran_symbol *result_of(const struct htmt__fortran_space *procedure)
{
    struct htmt__fortran_symbol *header = procedure ? htmt__fortran_header(procedure) : NULL,
                                *result = NULL;
    if (header)
        result = htmt__fortran_symbol(procedure, header->result ? header->result : procedure->name);
    return result ? result : header;
}

/* An expression by its names, "lwb(get_box(u,n))". */
static const char *asked(const struct htmt__fortran_expression *e)
{
    const char *text = e->name ? e->name : htmt__source_print("%lld", (long long)e->whole);
    for (const struct htmt__fortran_reference *r = e->reference; r; r = r->next) {
        text = htmt__source_print("%s%%%s", text, r->component ? r->component : "");
        for (const struct htmt__fortran_expression *c = r->subscript; c; c = c->next)
            text = htmt__source_print("%s,%s", text, asked(c));
    }
    text = htmt__source_print("%s(", text);
    for (const struct htmt__fortran_expression *c = e->child; c; c = c->next)
        text = htmt__source_print("%s%s,", text, asked(c));
    return htmt__source_print("%s)", text);
}

struct htmt__syntax *htmt__fortran_invoke(struct htmt__fortran_making *m, const char *name,
                                          const struct htmt__fortran_expression *arguments,
                                          const struct htmt__fortran_expression *of,
                                          const struct htmt__fortran_expression *to)
{
    struct handing h = {.making = m, .to = htmt__fortran_procedure(m, name)};
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_CALL, HTMT__TYPE_OTHER, 0);
    struct htmt__fortran_expression self = {.kind = HTMT__FORTRAN_VARIABLE, .name = name};
    struct htmt__fortran_symbol *symbol = htmt__fortran_resolve(m, &self), *result = symbol;
    unsigned i = 0;
    if (!h.to && speaks(arguments)) {
        s->name = "exit";
        return s;
    }
    h.end = &h.first;
    h.header = h.to ? htmt__fortran_header(h.to) : NULL;
    s->name = name;
    for (const struct htmt__fortran_expression *e = arguments; e; e = e->next, i++) {
        struct htmt__fortran_symbol *formal = h.header && i < h.header->formals
                                                  ? htmt__fortran_symbol(h.to, h.header->formal[i])
                                                  : NULL;
        if (formal) {
            hand_one(&h, formal, e);
        } else if (e->kind != HTMT__FORTRAN_ABSENT && !of) {
            bool variable = e->kind == HTMT__FORTRAN_VARIABLE,
                 array = variable && htmt__fortran_rank(m, e);
            struct htmt__fortran_symbol *x = variable ? htmt__fortran_resolve(m, e) : NULL;
            /* A counter does not change; a loop over calls alone repeats them. */
            if (!x || !x->is_counting)
                hand(&h, NULL, array ? base_of(m, e) : address_of(m, htmt__fortran_value(m, e)));
        }
    }
    /* What may be left out is. */
    static const struct htmt__fortran_expression absent = {.kind = HTMT__FORTRAN_ABSENT};
    for (; h.header && i < h.header->formals; i++) {
        struct htmt__fortran_symbol *formal = htmt__fortran_symbol(h.to, h.header->formal[i]);
        if (formal)
            hand_one(&h, formal, &absent);
    }
    s->child = h.first;
    s->asked = of && !h.to ? asked(of) : NULL;
    result = h.to ? result_of(h.to) : result;
    if (h.to && of && result && result->shape.rank) {
        /* The array that gets the value is written where it is made. */
        if (!to || h.to->is_made)
            return htmt__fortran_other(m, "a function that returns an array");
        hand_section(&h, result, htmt__fortran_replaced(m, to));
        s->child = h.first;
        of = NULL;
    }
    if (of && result && !result->shape.rank) {
        s->type = htmt__fortran_type(result);
        s->bytes = result->bytes & 0xff;
    }
    if (h.to)
        s->declaration = h.is_clone ? clone(&h) : h.to->function;
    for (i = 0; h.header && h.to && i < h.header->formals; i++) {
        struct htmt__fortran_symbol *formal = htmt__fortran_symbol(h.to, h.header->formal[i]);
        if (formal)
            formal->stands_for = NULL;
    }
    if (h.to && result)
        result->stands_for = NULL;
    return s;
}

/* Elements of a part of an array, as arguments of their own; false: their number is not known. */
static bool hand_each(struct handing *h, const struct htmt__fortran_expression *e)
{
    enum { ELEMENTS_MAX = 64 };
    struct htmt__fortran_making in = *h->making;
    struct htmt__fortran_axis axis = {.variable = NULL};
    const struct htmt__fortran_expression *array = array_in(h->making, e);
    int64_t elements;
    if (htmt__fortran_rank(h->making, e) != 1 || !array)
        return false;
    struct htmt__fortran_expression *first = htmt__fortran_end(h->making, array, 0, false),
                                    *last = htmt__fortran_end(h->making, array, 0, true);
    if (!first || !last || !htmt__fortran_length(first, last, &elements) || elements > ELEMENTS_MAX)
        return false;
    in.axes = 1;
    in.axis = &axis;
    for (; axis.number < elements; axis.number++)
        hand(h, NULL, htmt__fortran_value(&in, e));
    return true;
}

static bool names_real(struct htmt__fortran_making *m, const struct htmt__fortran_expression *e)
{
    if (e->kind == HTMT__FORTRAN_VARIABLE && !e->direct) {
        const struct htmt__fortran_symbol *s = htmt__fortran_resolve(m, e);
        return s && htmt__fortran_type(s) == HTMT__TYPE_REAL;
    }
    for (const struct htmt__fortran_expression *c = e->child; c; c = c->next)
        if (names_real(m, c))
            return true;
    return false;
}

/* A function of a module that is not there: it reads its arguments, and counts by its name. */
static struct htmt__syntax *guessed(struct htmt__fortran_making *m,
                                    const struct htmt__fortran_expression *e)
{
    struct handing h = {.making = m};
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_CALL, HTMT__TYPE_REAL, 8);
    h.end = &h.first;
    for (const struct htmt__fortran_expression *c = e->child; c; c = c->next) {
        if (c->kind == HTMT__FORTRAN_ABSENT || hand_each(&h, c))
            continue;
        if (htmt__fortran_rank(m, c))
            return NULL;
        hand(&h, NULL, htmt__fortran_value(m, c));
    }
    s->name = e->name;
    s->is_counted = true;
    s->child = h.first;
    return s;
}

/* A call that has a value. */
struct htmt__syntax *htmt__fortran_call(struct htmt__fortran_making *m,
                                        const struct htmt__fortran_expression *e)
{
    struct htmt__syntax *s = NULL;
    if (!htmt__fortran_procedure(m, e->name))
        s = intrinsic(m, e);
    if (s)
        return s;
    /* A statement function is an expression with names for its parts. */
    struct htmt__fortran_expression self = {.kind = HTMT__FORTRAN_VARIABLE, .name = e->name};
    struct htmt__fortran_symbol *f = htmt__fortran_resolve(m, &self);
    bool missing = f && f->module && strncmp(f->module, "htmt_missing", 12) == 0 &&
                   htmt__fortran_type(f) == HTMT__TYPE_REAL && names_real(m, e);
    s = missing ? guessed(m, e) : NULL;
    if (s)
        return s;
    if (!f || !htmt__fortran_has(f, "STATEMENT-PROC") || !f->value)
        return htmt__fortran_invoke(m, e->name, e->child, e, NULL);
    struct htmt__syntax *call =
        htmt__fortran_node(m, HTMT__SYNTAX_CALL, htmt__fortran_type(f), f->bytes);
    struct htmt__syntax **end = &call->child;
    struct htmt__declaration *d = call->declaration = htmt__source_alloc(sizeof *d);
    call->name = d->name = f->name;
    d->is_function = d->returns_value = d->is_inlined = true;
    d->place = m->place;
    d->parameter = htmt__source_alloc((f->formals + 1) * sizeof *d->parameter);
    const struct htmt__fortran_expression *a = e->child;
    for (unsigned i = 0; i < f->formals && a; i++, a = a->next) {
        struct htmt__fortran_symbol *formal = htmt__fortran_symbol(f->space, f->formal[i]);
        if (!formal)
            return htmt__fortran_other(m, "a statement function that is not known");
        d->parameter[d->parameters++] = htmt__fortran_declare(m, formal);
        *end = htmt__fortran_value(m, a);
        end = &(*end)->next;
    }
    struct htmt__fortran_making in = htmt__fortran_within(m, f->space);
    d->body = htmt__fortran_node(m, HTMT__SYNTAX_BLOCK, HTMT__TYPE_OTHER, 0);
    d->body->child = htmt__fortran_node(m, HTMT__SYNTAX_RETURN, HTMT__TYPE_OTHER, 0);
    d->body->child->child = htmt__fortran_value(&in, f->value);
    return call;
}
