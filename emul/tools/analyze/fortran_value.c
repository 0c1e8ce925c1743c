/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fortran expressions as trees of syntax.h.
 *
 * C writes u(i, j, k) as u[k][j][i], and so does a tree: its axes stand outermost first. Subscripts
 * stay as they are in the source; a declaration says where an axis begins. A component, s%a(i), is
 * a member. Types follow from declarations and from the names of gfortran's own functions, of which
 * conversions fall away: "__convert_i4_r8[[((i))]]" is i, and a real number. A real zero, which is
 * printed as "0", is told by what stands beside it.
 *
 * In an operation on whole arrays, each array stands for one element of it. Axis by axis, the
 * element is as far from its first subscript as the counter of the loop is from where it starts:
 * in a(2:n) = b(1:n-1) the loop counts i from 2, and b has the subscript i + (1 - 2).
 *
 * ASSOCIATE, and a section of an array that is handed over, replace a name by what it stands for:
 * with q => u(1, :), q(i) is u(1, i).
 */
#include "emul/tools/analyze/fortran.h"

#include "emul/tools/analyze/memory.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 2000, VALUES_MAX = 2000000 };

/* ---- nodes ----------------------------------------------------------------------------------- */

struct htmt__syntax *htmt__fortran_node(const struct htmt__fortran_making *m,
                                        enum htmt__syntax_kind kind, enum htmt__syntax_type type,
                                        unsigned bytes)
{
    struct htmt__syntax *s = htmt__source_alloc(sizeof *s);
    s->kind = kind;
    s->type = type;
    s->bytes = bytes & 0xff;
    s->place = m->place;
    return s;
}

struct htmt__syntax *htmt__fortran_other(const struct htmt__fortran_making *m, const char *name)
{
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_OTHER, HTMT__TYPE_OTHER, 0);
    s->name = name;
    return s;
}

struct htmt__syntax *htmt__fortran_name(const struct htmt__fortran_making *m,
                                        struct htmt__declaration *d)
{
    struct htmt__syntax *s =
        htmt__fortran_node(m, HTMT__SYNTAX_NAME, d->type, d->is_array ? 0 : d->element_bytes);
    s->declaration = d;
    return s;
}

struct htmt__syntax *htmt__fortran_whole(const struct htmt__fortran_making *m, int64_t value)
{
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_WHOLE, HTMT__TYPE_WHOLE, 4);
    s->whole = value;
    return s;
}

/* "0" beside a real number is one. */
static void match_zero(struct htmt__syntax *s, const struct htmt__syntax *beside)
{
    if (s->kind == HTMT__SYNTAX_WHOLE && beside->type == HTMT__TYPE_REAL) {
        s->kind = HTMT__SYNTAX_REAL;
        s->type = HTMT__TYPE_REAL;
        s->bytes = beside->bytes;
    }
}

struct htmt__syntax *htmt__fortran_binary(const struct htmt__fortran_making *m,
                                          enum htmt__syntax_op op, struct htmt__syntax *a,
                                          struct htmt__syntax *b)
{
    match_zero(a, b);
    match_zero(b, a);
    bool compares = op >= HTMT__OP_LT && op <= HTMT__OP_OR,
         odd = a->type == HTMT__TYPE_OTHER || b->type == HTMT__TYPE_OTHER,
         real = a->type == HTMT__TYPE_REAL || b->type == HTMT__TYPE_REAL;
    enum htmt__syntax_type type = odd                 ? HTMT__TYPE_OTHER
                                  : compares || !real ? HTMT__TYPE_WHOLE
                                                      : HTMT__TYPE_REAL;
    struct htmt__syntax *s =
        htmt__fortran_node(m, HTMT__SYNTAX_BINARY, type, a->bytes > b->bytes ? a->bytes : b->bytes);
    s->op = op;
    s->child = a;
    a->next = b;
    return s;
}

struct htmt__syntax *htmt__fortran_assign(const struct htmt__fortran_making *m,
                                          enum htmt__syntax_op op, struct htmt__syntax *to,
                                          struct htmt__syntax *value)
{
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_ASSIGN, to->type, to->bytes);
    match_zero(value, to);
    s->op = op;
    s->child = to;
    to->next = value;
    return s;
}

/* A function of C's library, or of notes.c; its type is that of the first argument. */
struct htmt__syntax *htmt__fortran_known(const struct htmt__fortran_making *m, const char *name,
                                         struct htmt__syntax *arguments)
{
    struct htmt__syntax *s =
        htmt__fortran_node(m, HTMT__SYNTAX_CALL, arguments ? arguments->type : HTMT__TYPE_OTHER,
                           arguments ? arguments->bytes : 0);
    s->name = name;
    s->child = arguments;
    return s;
}

struct htmt__syntax *htmt__fortran_loop(const struct htmt__fortran_making *m,
                                        struct htmt__syntax *variable, struct htmt__syntax *first,
                                        struct htmt__syntax *last, struct htmt__syntax *stride,
                                        struct htmt__syntax *body)
{
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_FOR, HTMT__TYPE_OTHER, 0);
    bool falls = stride->kind == HTMT__SYNTAX_WHOLE && stride->whole < 0;
    struct htmt__declaration *d = variable->declaration;
    s->child = htmt__fortran_assign(m, HTMT__OP_NONE, variable, first);
    s->child->next =
        htmt__fortran_binary(m, falls ? HTMT__OP_GE : HTMT__OP_LE, htmt__fortran_name(m, d), last);
    s->child->next->next = htmt__fortran_assign(m, HTMT__OP_ADD, htmt__fortran_name(m, d), stride);
    s->child->next->next->next = body;
    return s;
}

/* ---- declarations ---------------------------------------------------------------------------- */

struct htmt__declaration *htmt__fortran_variable(const char *name, enum htmt__syntax_type type)
{
    struct htmt__declaration *d = htmt__source_alloc(sizeof *d);
    d->name = name;
    d->type = type;
    d->element = type;
    d->element_bytes = type == HTMT__TYPE_REAL ? 8 : 4;
    d->is_local = true;
    return d;
}

/* Declared in a module, or common to procedures. */
static bool is_shared(const struct htmt__fortran_symbol *s)
{
    const struct htmt__fortran_space *in = s->space;
    struct htmt__fortran_symbol *self = in ? htmt__fortran_symbol(in, in->name) : NULL;
    return s->module || s->common || (self && htmt__fortran_has(self, "MODULE"));
}

struct htmt__declaration *htmt__fortran_element(struct htmt__fortran_making *m,
                                                struct htmt__fortran_symbol *s, int64_t index)
{
    uint64_t at = (uint64_t)(index - s->first);
    (void)m;
    if (!s->element)
        s->element = htmt__source_alloc(s->elements * sizeof(struct htmt__declaration *));
    if (at >= s->elements)
        return NULL;
    if (!s->element[at]) {
        const char *name = htmt__source_print(index < 0 ? "%s_m%lld" : "%s_%lld", s->name,
                                              (long long)(index < 0 ? -index : index));
        s->element[at] = htmt__fortran_variable(name, HTMT__TYPE_WHOLE);
        s->element[at]->is_parameter = htmt__fortran_has(s, "DUMMY");
        s->element[at]->is_local = !is_shared(s);
        s->element[at]->place = m->place;
    }
    return s->element[at];
}

/* Outermost first; where one end is not known the axis has no extent. */
static void set_shape(struct htmt__fortran_making *m, struct htmt__fortran_symbol *s,
                      struct htmt__declaration *d)
{
    struct htmt__fortran_making in = htmt__fortran_within(m, s->space);
    unsigned rank = s->shape.rank;
    d->extents = rank;
    d->extent = htmt__source_alloc(HTMT__EXTENTS_MAX * sizeof(struct htmt__syntax *));
    d->lower = htmt__source_alloc(HTMT__EXTENTS_MAX * sizeof(struct htmt__syntax *));
    struct htmt__fortran_expression self = {
        .kind = HTMT__FORTRAN_VARIABLE, .name = s->name, .scope = s->space->name};
    for (unsigned i = 0; i < rank; i++) {
        struct htmt__fortran_expression *lower = htmt__fortran_end(&in, &self, i, false),
                                        *upper = htmt__fortran_end(&in, &self, i, true);
        unsigned at = rank - 1 - i;
        bool given = upper && upper->direct; /* a size that nothing tells */
        d->lower[at] = lower ? htmt__fortran_value(&in, lower) : NULL;
        if (!lower || !upper || given)
            continue;
        struct htmt__syntax *less = htmt__fortran_binary(
            &in, HTMT__OP_SUB, htmt__fortran_value(&in, upper), htmt__fortran_value(&in, lower));
        d->extent[at] = htmt__fortran_binary(&in, HTMT__OP_ADD, less, htmt__fortran_whole(&in, 1));
    }
}

struct htmt__declaration *htmt__fortran_declare(struct htmt__fortran_making *m,
                                                struct htmt__fortran_symbol *s)
{
    if (s->declaration)
        return s->declaration;
    struct htmt__declaration *d = s->declaration =
        htmt__fortran_variable(s->name, htmt__fortran_type(s));
    bool dummy = htmt__fortran_has(s, "DUMMY");
    d->element_bytes = s->bytes ? s->bytes : 8;
    d->is_parameter = dummy;
    /* What is neither declared nor set is of a module that is missing, or of a common block. */
    d->is_local = !is_shared(s) && (dummy || s->is_assigned || s->shape.rank ||
                                    !htmt__fortran_has(s, "IMPLICIT-TYPE"));
    d->place = m->place;
    d->points_to_constant = htmt__fortran_has(s, "DUMMY(IN)");
    if (dummy && s->is_assigned && !s->shape.rank && d->type != HTMT__TYPE_OTHER)
        d->type = HTMT__TYPE_POINTER;
    if (s->shape.rank && s->shape.rank <= HTMT__EXTENTS_MAX) {
        d->type = HTMT__TYPE_POINTER;
        d->is_array = !dummy && !htmt__fortran_has(s, "POINTER");
        set_shape(m, s, d);
    } else if (s->shape.rank) {
        d->type = HTMT__TYPE_OTHER;
    }
    return d;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

struct htmt__fortran_expression *htmt__fortran_integer(int64_t value)
{
    struct htmt__fortran_expression *e = htmt__source_alloc(sizeof *e);
    e->kind = HTMT__FORTRAN_WHOLE;
    e->whole = value;
    e->bytes = 4;
    return e;
}

static struct htmt__fortran_expression *copy_of(const struct htmt__fortran_expression *e)
{
    struct htmt__fortran_expression *c = htmt__source_alloc(sizeof *c);
    *c = *e;
    c->next = NULL;
    return c;
}

static bool is_present(const struct htmt__fortran_expression *e)
{
    return e && e->kind != HTMT__FORTRAN_ABSENT;
}

/* The symbol whose shape the reference has: the variable, or its last component. */
static const struct htmt__fortran_symbol *shaped(struct htmt__fortran_making *m,
                                                 const struct htmt__fortran_expression *e,
                                                 const struct htmt__fortran_reference **last)
{
    const struct htmt__fortran_symbol *s = htmt__fortran_resolve(m, e);
    *last = NULL;
    for (const struct htmt__fortran_reference *r = e->reference; r && s; r = r->next) {
        *last = r->component ? NULL : r;
        if (r->component)
            s = htmt__fortran_component(m, s, r->component);
    }
    return s;
}

/* A size that the source does not tell, as a parameter: "u_n1". */
static struct htmt__fortran_expression *given_size(const struct htmt__fortran_symbol *s,
                                                   unsigned axis)
{
    struct htmt__fortran_expression *e = htmt__fortran_integer(0);
    e->kind = HTMT__FORTRAN_VARIABLE;
    e->name = htmt__source_print("%s_n%u", s->name, axis + 1);
    e->direct = htmt__fortran_variable(e->name, HTMT__TYPE_WHOLE);
    e->direct->is_local = false;
    return e;
}

/* Of a whole variable. */
static struct htmt__fortran_expression *declared_end(const struct htmt__fortran_symbol *s,
                                                     unsigned axis, bool last)
{
    const struct htmt__fortran_expression *list = s->made[last], *e;
    if (axis >= s->shape.rank)
        return NULL;
    for (unsigned i = 0; list && i < axis; i++)
        list = list->next;
    e = list ? list : last ? s->shape.upper[axis] : s->shape.lower[axis];
    if (is_present(e))
        return copy_of(e);
    if (last && s->shape.is_assumed_size)
        return NULL;
    return last ? given_size(s, axis) : htmt__fortran_integer(1);
}

static struct htmt__fortran_expression *end_of(struct htmt__fortran_making *m,
                                               const struct htmt__fortran_expression *e,
                                               unsigned axis, bool last)
{
    const struct htmt__fortran_reference *r;
    e = htmt__fortran_replaced(m, e);
    if (e->kind != HTMT__FORTRAN_VARIABLE || e->direct)
        return NULL;
    const struct htmt__fortran_symbol *s = shaped(m, e, &r);
    if (!s || !r || r->full)
        return s ? declared_end(s, axis, last) : NULL;
    unsigned at = 0;
    for (const struct htmt__fortran_expression *c = r->subscript; c; c = c->next, at++) {
        if (c->kind != HTMT__FORTRAN_RANGE)
            continue;
        if (axis--)
            continue;
        const struct htmt__fortran_expression *end = last ? c->child->next : c->child;
        return is_present(end) ? copy_of(end) : declared_end(s, at, last);
    }
    return NULL;
}

struct htmt__fortran_expression *htmt__fortran_end(struct htmt__fortran_making *m,
                                                   const struct htmt__fortran_expression *e,
                                                   unsigned axis, bool last)
{
    if (m->depth >= DEEPEST)
        return NULL;
    m->depth++;
    struct htmt__fortran_expression *end = end_of(m, e, axis, last);
    m->depth--;
    return end;
}

/* The stride of an axis; NULL: 1. */
static const struct htmt__fortran_expression *stride_of(const struct htmt__fortran_reference *r,
                                                        unsigned axis)
{
    for (const struct htmt__fortran_expression *c = r && !r->full ? r->subscript : NULL; c;
         c = c->next)
        if (c->kind == HTMT__FORTRAN_RANGE && !axis--) {
            const struct htmt__fortran_expression *stride = c->child->next->next;
            int64_t one;
            return !is_present(stride) || (htmt__fortran_number(stride, &one) && one == 1) ? NULL
                                                                                           : stride;
        }
    return NULL;
}

/* Functions of arrays that give a number. */
static bool reduces(const char *name)
{
    static const char *const names[] = {"_gfortran_sum_",
                                        "_gfortran_maxval_",
                                        "_gfortran_minval_",
                                        "_gfortran_product_",
                                        "_gfortran_dot_product",
                                        "size",
                                        "__size",
                                        "__ubound",
                                        "__lbound",
                                        "ubound",
                                        "lbound",
                                        "_gfortran_any",
                                        "_gfortran_all",
                                        "_gfortran_count"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static unsigned rank_of(struct htmt__fortran_making *m, const struct htmt__fortran_expression *e)
{
    const struct htmt__fortran_reference *r;
    unsigned rank = 0;
    if (e->kind == HTMT__FORTRAN_VARIABLE && !e->direct) {
        e = htmt__fortran_replaced(m, e);
        if (e->kind != HTMT__FORTRAN_VARIABLE || e->direct)
            return htmt__fortran_rank(m, e);
        const struct htmt__fortran_symbol *s = shaped(m, e, &r);
        if (!r || r->full)
            return s ? s->shape.rank : 0;
        for (const struct htmt__fortran_expression *c = r->subscript; c; c = c->next)
            rank += c->kind == HTMT__FORTRAN_RANGE;
        return rank;
    }
    if (e->kind == HTMT__FORTRAN_LIST)
        return 1;
    int64_t dim;
    if (e->kind == HTMT__FORTRAN_CALL && reduces(e->name)) {
        bool along = strncmp(e->name, "_gfortran_sum_", 14) == 0 && e->child && e->child->next &&
                     htmt__fortran_number(e->child->next, &dim);
        rank = along ? htmt__fortran_rank(m, e->child) : 0;
        return rank ? rank - 1 : 0;
    }
    const struct htmt__fortran_space *procedure =
        e->kind == HTMT__FORTRAN_CALL ? htmt__fortran_procedure(m, e->name) : NULL;
    if (procedure) {
        const struct htmt__fortran_symbol *header = htmt__fortran_header(procedure), *result = NULL;
        if (header)
            result =
                htmt__fortran_symbol(procedure, header->result ? header->result : procedure->name);
        result = result ? result : header;
        /* Of arrays an elemental function is one of each element. */
        if (!result || result->shape.rank || !htmt__fortran_has(header, "ELEMENTAL"))
            return result ? result->shape.rank : 0;
    }
    for (const struct htmt__fortran_expression *c = e->child; c; c = c->next) {
        unsigned own = htmt__fortran_rank(m, c);
        rank = own > rank ? own : rank;
    }
    return rank;
}

unsigned htmt__fortran_rank(struct htmt__fortran_making *m,
                            const struct htmt__fortran_expression *e)
{
    if (m->depth >= DEEPEST)
        return 0;
    m->depth++;
    unsigned rank = rank_of(m, e);
    m->depth--;
    return rank;
}

/* ---- names that stand for others ------------------------------------------------------------- */

static struct htmt__fortran_expression *operation(const char *op,
                                                  const struct htmt__fortran_expression *a,
                                                  const struct htmt__fortran_expression *b)
{
    struct htmt__fortran_expression *e = htmt__source_alloc(sizeof *e);
    int64_t x, y;
    bool numbers = htmt__fortran_number(a, &x) && htmt__fortran_number(b, &y);
    if (numbers && *op != '*' && llabs(x) < INT32_MAX && llabs(y) < INT32_MAX)
        return htmt__fortran_integer(*op == '+' ? x + y : x - y);
    e->kind = HTMT__FORTRAN_OPERATION;
    e->name = op;
    e->child = copy_of(a);
    e->child->next = copy_of(b);
    return e;
}

/* A subscript of the name, as one of what it stands for: first + (index - own first) * stride. */
static struct htmt__fortran_expression *moved(const struct htmt__fortran_expression *index,
                                              const struct htmt__fortran_expression *own,
                                              const struct htmt__fortran_expression *first,
                                              const struct htmt__fortran_expression *stride)
{
    if (!is_present(index))
        return NULL;
    struct htmt__fortran_expression *behind = operation("-", index, own);
    if (stride)
        behind = operation("*", behind, stride);
    return operation("+", first, behind);
}

/* The subscripts of a name whose axes are those that the reference `of` leaves. */
static struct htmt__fortran_expression *joined(struct htmt__fortran_making *m,
                                               const struct htmt__fortran_symbol *s,
                                               const struct htmt__fortran_reference *of,
                                               const struct htmt__fortran_reference *by)
{
    struct htmt__fortran_expression *first = NULL, **end = &first;
    const struct htmt__fortran_expression *index = by->full ? NULL : by->subscript;
    unsigned axis = 0;
    for (const struct htmt__fortran_expression *c = of->subscript; c; c = c->next) {
        *end = copy_of(c);
        if (c->kind == HTMT__FORTRAN_RANGE && index) {
            struct htmt__fortran_expression *own = declared_end(s, axis, false),
                                            *from =
                                                htmt__fortran_end(m, s->stands_for, axis, false);
            const struct htmt__fortran_expression *stride = stride_of(of, axis);
            if (index->kind != HTMT__FORTRAN_RANGE) {
                *end = from ? moved(index, own, from, stride) : NULL;
            } else {
                struct htmt__fortran_expression *low = NULL, *high = NULL;
                if (from && is_present(index->child))
                    low = moved(index->child, own, from, stride);
                if (from && is_present(index->child->next))
                    high = moved(index->child->next, own, from, stride);
                low = low ? low : copy_of(c->child);
                low->next = high ? high : copy_of(c->child->next);
                low->next->next = copy_of(c->child->next->next);
                (*end)->child = low;
            }
            if (!*end)
                return NULL;
        }
        axis += c->kind == HTMT__FORTRAN_RANGE;
        index = c->kind == HTMT__FORTRAN_RANGE && index ? index->next : index;
        end = &(*end)->next;
    }
    return first;
}

const struct htmt__fortran_expression *
htmt__fortran_replaced(struct htmt__fortran_making *m, const struct htmt__fortran_expression *e)
{
    for (unsigned i = 0; i < 20 && e->kind == HTMT__FORTRAN_VARIABLE && !e->direct; i++) {
        struct htmt__fortran_symbol *s = htmt__fortran_resolve(m, e);
        if (!s || !s->stands_for)
            return e;
        struct htmt__fortran_expression *to = copy_of(s->stands_for);
        const struct htmt__fortran_reference *by = e->reference;
        if (!by || (by->full && !by->next) || to->kind != HTMT__FORTRAN_VARIABLE) {
            e = to;
            continue;
        }
        /* The references of what it stands for, the last one with the subscripts of the name. */
        struct htmt__fortran_reference *first = NULL, **end = &first;
        const struct htmt__fortran_reference *r = to->reference;
        for (; r && (r->next || r->component); r = r->next, end = &(*end)->next) {
            *end = htmt__source_alloc(sizeof **end);
            **end = *r;
        }
        *end = htmt__source_alloc(sizeof **end);
        **end = *by;
        bool whole = !r || r->full;
        if (!whole && by->component) { /* of a struct that is an element */
            **end = *r;
            (*end)->next = htmt__source_alloc(sizeof **end);
            *(*end)->next = *by;
        } else if (!whole) {
            (*end)->full = by->full && r->full;
            (*end)->subscript = joined(m, s, r, by);
        }
        to->reference = first;
        e = to;
    }
    return e;
}

/* ---- references ------------------------------------------------------------------------------ */

static bool same(const struct htmt__fortran_expression *a, const struct htmt__fortran_expression *b)
{
    int64_t x, y;
    if (htmt__fortran_number(a, &x) && htmt__fortran_number(b, &y))
        return x == y;
    if (a->kind != b->kind || a->direct != b->direct || a->kind == HTMT__FORTRAN_RANGE ||
        (a->name && b->name ? strcmp(a->name, b->name) != 0 : a->name != b->name) ||
        (a->scope && b->scope && strcmp(a->scope, b->scope)))
        return false;
    const struct htmt__fortran_reference *p = a->reference, *q = b->reference;
    const struct htmt__fortran_expression *c = a->child, *d = b->child;
    for (; p && q; p = p->next, q = q->next) {
        const struct htmt__fortran_expression *s = p->subscript, *t = q->subscript;
        if (p->component || q->component || p->full != q->full)
            return false;
        for (; s && t && same(s, t); s = s->next, t = t->next)
            continue;
        if (s || t)
            return false;
    }
    for (; c && d && same(c, d); c = c->next, d = d->next)
        continue;
    return !p && !q && !c && !d;
}

/* "i + 3" is i, and 3 beyond it. */
static const struct htmt__fortran_expression *
base_and_offset(const struct htmt__fortran_expression *e, int64_t *offset)
{
    int64_t number;
    *offset = 0;
    while (true) {
        const struct htmt__fortran_expression *second = e->child ? e->child->next : NULL;
        bool operation = e->kind == HTMT__FORTRAN_OPERATION;
        if (e->kind == HTMT__FORTRAN_CALL && e->child && strncmp(e->name, "__convert_i", 11) == 0)
            e = e->child;
        else if (operation && strcmp(e->name, "parens") == 0)
            e = e->child;
        else if (operation && strchr("+-", *e->name) && htmt__fortran_number(second, &number))
            *offset += *e->name == '+' ? number : -number, e = e->child;
        else if (operation && *e->name == '+' && second && htmt__fortran_number(e->child, &number))
            *offset += number, e = second;
        else
            return e;
    }
}

bool htmt__fortran_length(const struct htmt__fortran_expression *first,
                          const struct htmt__fortran_expression *last, int64_t *elements)
{
    int64_t from, to;
    if (htmt__fortran_number(first, &from) && htmt__fortran_number(last, &to)) {
        *elements = to - from + 1;
        return true;
    }
    const struct htmt__fortran_expression *a = base_and_offset(first, &from),
                                          *b = base_and_offset(last, &to);
    *elements = to - from + 1;
    return same(a, b);
}

/* The element of an axis that the loop over it is at. */
static struct htmt__syntax *element_index(struct htmt__fortran_making *m,
                                          const struct htmt__fortran_expression *e, unsigned axis,
                                          const struct htmt__fortran_expression *stride)
{
    struct htmt__fortran_expression *first = htmt__fortran_end(m, e, axis, false);
    if (!first || axis >= m->axes)
        return htmt__fortran_other(m, "an array whose bounds are not known");
    const struct htmt__fortran_axis *a = &m->axis[axis];
    struct htmt__syntax *at =
        a->variable ? htmt__fortran_name(m, a->variable) : htmt__fortran_whole(m, a->number);
    struct htmt__fortran_axis *axes = m->axis;
    unsigned count = m->axes;
    m->axes = 0; /* bounds are numbers */
    if (!a->first || stride) {
        if (a->first)
            at = htmt__fortran_binary(m, HTMT__OP_SUB, at, htmt__fortran_value(m, a->first));
        if (stride)
            at = htmt__fortran_binary(m, HTMT__OP_MUL, at, htmt__fortran_value(m, stride));
        at = htmt__fortran_binary(m, HTMT__OP_ADD, htmt__fortran_value(m, first), at);
    } else if (!same(a->first, first)) {
        struct htmt__syntax *by = htmt__fortran_binary(
            m, HTMT__OP_SUB, htmt__fortran_value(m, first), htmt__fortran_value(m, a->first));
        at = htmt__fortran_binary(m, HTMT__OP_ADD, at, by);
    }
    m->axis = axes;
    m->axes = count;
    return at;
}

/* All subscripts of one reference, the last one outermost. `node`: the array. */
static struct htmt__syntax *subscripted(struct htmt__fortran_making *m,
                                        const struct htmt__fortran_expression *e,
                                        const struct htmt__fortran_reference *r,
                                        const struct htmt__fortran_symbol *s,
                                        struct htmt__syntax *node)
{
    struct htmt__syntax *index[HTMT__RANK_MAX];
    unsigned count = 0, axis = 0;
    if (!r || r->full) {
        for (; count < s->shape.rank && count < HTMT__RANK_MAX; count++)
            index[count] = element_index(m, e, count, NULL);
    } else {
        for (const struct htmt__fortran_expression *c = r->subscript; c && count < HTMT__RANK_MAX;
             c = c->next)
            if (c->kind == HTMT__FORTRAN_RANGE) {
                index[count++] = element_index(m, e, axis, stride_of(r, axis));
                axis++;
            } else if (htmt__fortran_rank(m, c)) {
                return htmt__fortran_other(m, "a subscript that is an array");
            } else {
                index[count++] = htmt__fortran_value(m, c);
            }
    }
    bool whole = htmt__fortran_type(s) == HTMT__TYPE_WHOLE;
    while (count--) {
        struct htmt__syntax *up =
            htmt__fortran_node(m, HTMT__SYNTAX_SUBSCRIPT, HTMT__TYPE_POINTER, 0);
        up->child = node;
        node->next = index[count];
        node = up;
        if (!count) {
            up->type = htmt__fortran_type(s);
            up->bytes = (s->bytes ? s->bytes : whole ? 4u : 8u) & 0xff;
        }
    }
    return node;
}

/* One of a small array of whole numbers; NULL: it is none. */
static struct htmt__syntax *split_element(struct htmt__fortran_making *m,
                                          const struct htmt__fortran_expression *e,
                                          struct htmt__fortran_symbol *s)
{
    const struct htmt__fortran_reference *r = e->reference;
    struct htmt__syntax *index =
        r && !r->full && r->subscript && r->subscript->kind != HTMT__FORTRAN_RANGE
            ? htmt__fortran_value(m, r->subscript)
            : element_index(m, e, 0, stride_of(r, 0));
    /* Loops over it are written out: the counter is a number. */
    while (index->kind == HTMT__SYNTAX_BINARY && index->child->kind == HTMT__SYNTAX_WHOLE &&
           index->child->next->kind == HTMT__SYNTAX_WHOLE) {
        int64_t a = index->child->whole, b = index->child->next->whole;
        index = htmt__fortran_whole(m, index->op == HTMT__OP_SUB   ? a - b
                                       : index->op == HTMT__OP_MUL ? a * b
                                                                   : a + b);
    }
    struct htmt__declaration *d =
        index->kind == HTMT__SYNTAX_WHOLE ? htmt__fortran_element(m, s, index->whole) : NULL;
    return d ? htmt__fortran_name(m, d) : htmt__fortran_other(m, "a subscript that moves");
}

static struct htmt__syntax *variable(struct htmt__fortran_making *m,
                                     const struct htmt__fortran_expression *e)
{
    e = htmt__fortran_replaced(m, e);
    if (e->kind != HTMT__FORTRAN_VARIABLE)
        return htmt__fortran_value(m, e);
    if (e->direct)
        return htmt__fortran_name(m, e->direct);
    struct htmt__fortran_symbol *s = htmt__fortran_resolve(m, e);
    if (!s)
        return htmt__fortran_other(m, htmt__source_print("'%s', which is not declared", e->name));
    if (s->is_constant && !e->reference)
        return htmt__fortran_whole(m, s->constant);
    if (htmt__fortran_is_split(s))
        return split_element(m, e, s);
    /* Of a module that is missing: between nests it is a function, as nboxes(n), more likely. */
    if ((m->is_between || (m->is_around && m->is_whole)) && s->module && s->shape.rank &&
        !htmt__fortran_rank(m, e) && strncmp(s->module, "htmt_missing", 12) == 0) {
        struct htmt__syntax *call =
            htmt__fortran_node(m, HTMT__SYNTAX_CALL, htmt__fortran_type(s), s->bytes);
        call->name = s->name;
        return call;
    }
    struct htmt__declaration *d = htmt__fortran_declare(m, s);
    struct htmt__syntax *node = htmt__fortran_name(m, d);
    const struct htmt__fortran_symbol *of = s;
    const struct htmt__fortran_reference *r = e->reference;
    if (d->type == HTMT__TYPE_POINTER && !s->shape.rank) { /* it stands for its place */
        struct htmt__syntax *up = htmt__fortran_node(m, HTMT__SYNTAX_UNARY, d->element, s->bytes);
        up->op = HTMT__OP_DEREFERENCE;
        up->child = node;
        node = up;
    }
    while (true) {
        bool here = r && !r->component;
        if (here || of->shape.rank)
            node = subscripted(m, e, here ? r : NULL, of, node);
        r = here ? r->next : r;
        if (!r || node->kind == HTMT__SYNTAX_OTHER)
            return node;
        of = r->component ? htmt__fortran_component(m, of, r->component) : NULL;
        if (!of)
            return htmt__fortran_other(
                m, r->component ? htmt__source_print("the component '%s', which is not declared",
                                                     r->component)
                                : "a part of a text");
        struct htmt__syntax *up = htmt__fortran_node(
            m, HTMT__SYNTAX_MEMBER, of->shape.rank ? HTMT__TYPE_POINTER : htmt__fortran_type(of),
            of->shape.rank ? 0 : of->bytes);
        up->name = r->component;
        up->child = node;
        node = up;
        r = r->next;
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

/* x**n of a whole n, by products: for n = 13, x**2, x**3, x**6, x**12, x**13. */
static struct htmt__syntax *power(struct htmt__fortran_making *m, struct htmt__syntax *base,
                                  struct htmt__syntax *exponent)
{
    bool number = exponent->kind == HTMT__SYNTAX_WHOLE && llabs(exponent->whole) <= 64;
    if (base->type == HTMT__TYPE_WHOLE && exponent->type == HTMT__TYPE_WHOLE) {
        bool two = base->kind == HTMT__SYNTAX_WHOLE && base->whole == 2;
        return two ? htmt__fortran_binary(m, HTMT__OP_SHL, htmt__fortran_whole(m, 1), exponent)
                   : htmt__fortran_binary(m, HTMT__OP_BITS, base, exponent);
    }
    if (!number) {
        base->next = exponent;
        return htmt__fortran_known(m, "pow", base);
    }
    unsigned products = 0;
    for (uint64_t n = (uint64_t)llabs(exponent->whole); n > 1; n /= 2)
        products += 1 + (unsigned)(n & 1);
    struct htmt__syntax *s = products ? htmt__fortran_known(m, "product", base) : base;
    for (unsigned i = 1; i < products; i++)
        s = htmt__fortran_known(m, "product", s);
    if (exponent->whole >= 0)
        return s;
    struct htmt__syntax *one = htmt__fortran_node(m, HTMT__SYNTAX_REAL, s->type, s->bytes);
    return htmt__fortran_binary(m, HTMT__OP_DIV, one, s);
}

static struct htmt__syntax *unary(struct htmt__fortran_making *m, enum htmt__syntax_op op,
                                  struct htmt__syntax *of)
{
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_UNARY, of->type, of->bytes);
    s->op = op;
    s->child = of;
    if (op != HTMT__OP_MINUS || of->kind != HTMT__SYNTAX_WHOLE)
        return s;
    of->whole = -of->whole;
    return of;
}

static struct htmt__syntax *operate(struct htmt__fortran_making *m,
                                    const struct htmt__fortran_expression *e)
{
    static const struct {
        const char *name;
        enum htmt__syntax_op op;
    } ops[] = {{"+", HTMT__OP_ADD},  {"-", HTMT__OP_SUB},   {"*", HTMT__OP_MUL},
               {"/", HTMT__OP_DIV},  {"==", HTMT__OP_EQ},   {"/=", HTMT__OP_NE},
               {">", HTMT__OP_GT},   {">=", HTMT__OP_GE},   {"<", HTMT__OP_LT},
               {"<=", HTMT__OP_LE},  {"AND", HTMT__OP_AND}, {"OR", HTMT__OP_OR},
               {"EQV", HTMT__OP_EQ}, {"NEQV", HTMT__OP_NE}};
    if (!e->child)
        return htmt__fortran_other(m, "an operation without operands");
    struct htmt__syntax *a = htmt__fortran_value(m, e->child);
    if (strcmp(e->name, "parens") == 0 || strcmp(e->name, "U+") == 0)
        return a;
    if (strcmp(e->name, "U-") == 0)
        return unary(m, HTMT__OP_MINUS, a);
    if (strcmp(e->name, "NOT") == 0)
        return unary(m, HTMT__OP_NOT, a);
    if (!e->child->next)
        return htmt__fortran_other(m, "an operation without operands");
    struct htmt__syntax *b = htmt__fortran_value(m, e->child->next);
    if (strcmp(e->name, "**") == 0 && a->type == HTMT__TYPE_WHOLE &&
        b->kind == HTMT__SYNTAX_WHOLE && b->whole > 0 && b->whole <= 4) {
        for (int64_t i = 1; i < b->whole; i++)
            a = htmt__fortran_binary(m, HTMT__OP_MUL, a, htmt__fortran_value(m, e->child));
        return a;
    }
    if (strcmp(e->name, "**") == 0)
        return power(m, a, b);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(e->name, ops[i].name) == 0)
            return htmt__fortran_binary(m, ops[i].op, a, b);
    return htmt__fortran_other(m, "texts that are joined");
}

struct htmt__syntax *htmt__fortran_value(struct htmt__fortran_making *m,
                                         const struct htmt__fortran_expression *e)
{
    struct htmt__syntax *s;
    /* What is written out several times may grow beyond any bound. */
    if (m->depth >= DEEPEST || ++m->tree->values > VALUES_MAX)
        return htmt__fortran_other(m, "an expression that is too deep, or one of too many");
    m->depth++;
    switch (e->kind) {
    case HTMT__FORTRAN_WHOLE:
        s = htmt__fortran_whole(m, e->whole);
        s->bytes = e->bytes & 0xff;
        break;
    case HTMT__FORTRAN_REAL:
        s = htmt__fortran_node(m, HTMT__SYNTAX_REAL, HTMT__TYPE_REAL, e->bytes);
        break;
    case HTMT__FORTRAN_TEXT:
        s = htmt__fortran_node(m, HTMT__SYNTAX_LIST, HTMT__TYPE_POINTER, 0);
        break;
    case HTMT__FORTRAN_VARIABLE:
        s = variable(m, e);
        break;
    case HTMT__FORTRAN_OPERATION:
        s = operate(m, e);
        break;
    case HTMT__FORTRAN_CALL:
        s = m->call(m, e);
        break;
    case HTMT__FORTRAN_LIST:
        s = htmt__fortran_other(m, "a list of values");
        break;
    case HTMT__FORTRAN_ABSENT:
        s = htmt__fortran_other(m, "an argument that is left out");
        break;
    default:
        s = htmt__fortran_other(m, e->name ? e->name : "an expression of a kind that is not read");
        break;
    }
    m->depth--;
    return s;
}
