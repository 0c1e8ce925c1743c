/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fortran statements and procedures as trees of syntax.h.
 *
 * `do` is `for`; its bounds are read once in Fortran, and loops that change them in their body are
 * refused in both. An operation on whole arrays is a loop for each axis, the first axis innermost
 * as memory has it: a(:, :) = b(:, :) + c runs j, then i. `where` and `forall` are such loops with
 * a condition in them. `if (c) cycle` guards the rest of its loop. A small loop over an array of
 * bounds is written out, so that lo(i) has a number (fortran_names.c).
 *
 * Procedures stand in the order of their sources. A function's value is the variable of its name,
 * and is returned at the end and at each `return`.
 */
#include "emul/tools/analyze/fortran.h"

#include "emul/tools/analyze/memory.h"

#include <stdlib.h>
#include <string.h>

static struct htmt__syntax *code(struct htmt__fortran_making *m,
                                 const struct htmt__fortran_statement *s);

static const char *const counters[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
enum { COUNTERS = sizeof counters / sizeof *counters, DEEPEST = 2000, STATEMENTS_MAX = 2000000 };

static struct htmt__syntax *block_of(struct htmt__fortran_making *m, struct htmt__syntax *first)
{
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_BLOCK, HTMT__TYPE_OTHER, 0);
    s->child = first;
    return s;
}

/* ---- whole arrays ---------------------------------------------------------------------------- */

/* The axes of the array on the left: where its loops begin, and how many they are; 0: none. */
static unsigned axes_of(struct htmt__fortran_making *m, const struct htmt__fortran_expression *to,
                        struct htmt__fortran_axis *axis, struct htmt__fortran_expression **last)
{
    unsigned rank = htmt__fortran_rank(m, to);
    to = htmt__fortran_replaced(m, to);
    for (unsigned i = 0; i < rank && rank <= COUNTERS; i++) {
        axis[i] = (struct htmt__fortran_axis){
            .variable = htmt__fortran_variable(counters[i], HTMT__TYPE_WHOLE),
            .first = htmt__fortran_end(m, to, i, false)};
        last[i] = htmt__fortran_end(m, to, i, true);
        if (!axis[i].first || !last[i])
            return 0;
    }
    return rank <= COUNTERS ? rank : 0;
}

/* Stride of an axis; NULL: 1. */
static const struct htmt__fortran_expression *
stride_of(struct htmt__fortran_making *m, const struct htmt__fortran_expression *to, unsigned axis)
{
    int64_t one;
    to = htmt__fortran_replaced(m, to);
    const struct htmt__fortran_reference *r = to->reference;
    while (r && r->next)
        r = r->next;
    for (const struct htmt__fortran_expression *c = r && !r->full ? r->subscript : NULL; c;
         c = c->next)
        if (c->kind == HTMT__FORTRAN_RANGE && !axis--) {
            const struct htmt__fortran_expression *by = c->child->next->next;
            bool unit =
                by->kind == HTMT__FORTRAN_ABSENT || (htmt__fortran_number(by, &one) && one == 1);
            return unit ? NULL : by;
        }
    return NULL;
}

/* `body`, once for each element of the array. The counters start at its first subscripts; along an
 * axis with a stride, and along i-4:i+3, they count from 0. */
static struct htmt__syntax *
over(struct htmt__fortran_making *m, const struct htmt__fortran_expression *to,
     struct htmt__syntax *(*body)(struct htmt__fortran_making *m, const void *context),
     const void *context)
{
    struct htmt__fortran_axis axis[HTMT__RANK_MAX];
    struct htmt__fortran_expression *last[HTMT__RANK_MAX], *first[HTMT__RANK_MAX];
    const struct htmt__fortran_expression *stride[HTMT__RANK_MAX];
    int64_t elements[HTMT__RANK_MAX];
    bool constant[HTMT__RANK_MAX];
    unsigned rank = axes_of(m, to, axis, last);
    if (!rank)
        return htmt__fortran_other(m, "an operation on arrays whose bounds are not known");
    for (unsigned i = 0; i < rank; i++) {
        first[i] = axis[i].first;
        stride[i] = stride_of(m, to, i);
        int64_t number;
        constant[i] = !stride[i] && !htmt__fortran_number(first[i], &number) &&
                      htmt__fortran_length(first[i], last[i], &elements[i]);
        if (stride[i] || constant[i])
            axis[i].first = NULL;
    }
    struct htmt__fortran_making in = *m;
    in.axes = rank;
    in.axis = axis;
    struct htmt__syntax *s = body(&in, context);
    for (unsigned i = 0; i < rank; i++) {
        struct htmt__syntax *from = htmt__fortran_value(m, first[i]),
                            *end = htmt__fortran_value(m, last[i]);
        if (stride[i]) {
            end = htmt__fortran_binary(m, HTMT__OP_DIV,
                                       htmt__fortran_binary(m, HTMT__OP_SUB, end, from),
                                       htmt__fortran_value(m, stride[i]));
            from = htmt__fortran_whole(m, 0);
        } else if (constant[i]) {
            from = htmt__fortran_whole(m, 0);
            end = htmt__fortran_whole(m, elements[i] - 1);
        }
        s = htmt__fortran_loop(m, htmt__fortran_name(m, axis[i].variable), from, end,
                               htmt__fortran_whole(m, 1), s);
    }
    return s;
}

static struct htmt__syntax *assign_element(struct htmt__fortran_making *m, const void *context)
{
    const struct htmt__fortran_statement *s = context;
    struct htmt__syntax *value = htmt__fortran_value(m, s->expression->next),
                        *to = htmt__fortran_value(m, s->expression);
    return htmt__fortran_assign(m, HTMT__OP_NONE, to, value);
}

/* "to = 0; for (v = first; v <= last; v++) to += value;" */
static struct htmt__syntax *accumulate(struct htmt__fortran_making *m,
                                       const struct htmt__fortran_expression *to,
                                       struct htmt__syntax *value, struct htmt__declaration *v,
                                       const struct htmt__fortran_expression *first,
                                       const struct htmt__fortran_expression *last)
{
    struct htmt__fortran_making bounds = *m;
    struct htmt__syntax *zero = htmt__fortran_assign(m, HTMT__OP_NONE, htmt__fortran_value(m, to),
                                                     htmt__fortran_whole(m, 0));
    struct htmt__syntax *add =
        htmt__fortran_assign(m, HTMT__OP_ADD, htmt__fortran_value(m, to), value);
    bounds.axes = 0;
    zero->next =
        htmt__fortran_loop(m, htmt__fortran_name(m, v), htmt__fortran_value(&bounds, first),
                           htmt__fortran_value(&bounds, last), htmt__fortran_whole(m, 1), add);
    return block_of(m, zero);
}

/* c = matmul(a, b): each element is a sum over the axis that both have. */
static struct htmt__syntax *multiply_element(struct htmt__fortran_making *m, const void *context)
{
    const struct htmt__fortran_statement *s = context;
    const struct htmt__fortran_expression *to = s->expression, *a = to->next->child, *b = a->next;
    unsigned rank_a = htmt__fortran_rank(m, a), rank_b = htmt__fortran_rank(m, b);
    struct htmt__fortran_axis sum = {.variable = htmt__fortran_variable("k", HTMT__TYPE_WHOLE)};
    /* The axis that both have, of the one that tells its length. */
    unsigned last_a = rank_a ? rank_a - 1 : 0;
    struct htmt__fortran_expression *from_b = htmt__fortran_end(m, b, 0, false),
                                    *to_b = htmt__fortran_end(m, b, 0, true);
    int64_t known;
    bool by_a = rank_a && (!from_b || !to_b || !htmt__fortran_length(from_b, to_b, &known));
    sum.first = by_a ? htmt__fortran_end(m, a, last_a, false) : from_b;
    struct htmt__fortran_expression *last = by_a ? htmt__fortran_end(m, a, last_a, true) : to_b,
                                    *first = sum.first;
    int64_t elements, number;
    if (!first || !last || !rank_a || !rank_b)
        return htmt__fortran_other(m, "matmul of arrays whose bounds are not known");
    if (!htmt__fortran_number(first, &number) && htmt__fortran_length(first, last, &elements)) {
        sum.first = NULL;
        first = htmt__fortran_integer(0);
        last = htmt__fortran_integer(elements - 1);
    }
    struct htmt__fortran_axis of_a[2] = {m->axis[0], sum}, of_b[2] = {sum, m->axis[m->axes - 1]};
    if (rank_a == 1)
        of_a[0] = sum;
    struct htmt__fortran_making in = *m;
    in.axes = rank_a;
    in.axis = of_a;
    struct htmt__syntax *x = htmt__fortran_value(&in, a);
    in.axes = rank_b;
    in.axis = of_b;
    struct htmt__syntax *y = htmt__fortran_value(&in, b);
    return accumulate(m, to, htmt__fortran_binary(m, HTMT__OP_MUL, x, y), sum.variable, first,
                      last);
}

/* b = sum(a, dim=n): the elements of a along that axis. */
static bool is_sum_along(const struct htmt__fortran_expression *e)
{
    int64_t dim;
    return e->kind == HTMT__FORTRAN_CALL && strncmp(e->name, "_gfortran_sum_", 14) == 0 &&
           e->child && e->child->next && htmt__fortran_number(e->child->next, &dim) && dim > 0 &&
           dim <= HTMT__RANK_MAX;
}

static struct htmt__syntax *sum_element(struct htmt__fortran_making *m, const void *context)
{
    const struct htmt__fortran_statement *s = context;
    const struct htmt__fortran_expression *to = s->expression, *a = to->next->child;
    struct htmt__fortran_axis axis[HTMT__RANK_MAX];
    unsigned rank = htmt__fortran_rank(m, a);
    int64_t dim = 0;
    htmt__fortran_number(a->next, &dim);
    const unsigned along = (unsigned)dim - 1;
    struct htmt__fortran_expression *first = htmt__fortran_end(m, a, along, false),
                                    *last = htmt__fortran_end(m, a, along, true);
    if (rank != m->axes + 1 || along >= rank || !first || !last)
        return htmt__fortran_other(m, "sum along an axis whose bounds are not known");
    for (unsigned i = 0; i < rank && i < HTMT__RANK_MAX; i++)
        axis[i] = i < along   ? m->axis[i]
                  : i > along ? m->axis[i - 1]
                              : (struct htmt__fortran_axis){
                                    .variable = htmt__fortran_variable("s", HTMT__TYPE_WHOLE),
                                    .first = first};
    struct htmt__fortran_making in = *m;
    in.axes = rank;
    in.axis = axis;
    return accumulate(m, to, htmt__fortran_value(&in, a), axis[along].variable, first, last);
}

static bool is_product(const struct htmt__fortran_expression *e)
{
    return e->kind == HTMT__FORTRAN_CALL && e->child && e->child->next &&
           strncmp(e->name, "_gfortran_matmul", 16) == 0;
}

/* A product of arrays in an expression becomes an array of its own, before the statement. */
static struct htmt__fortran_expression *hold(struct htmt__fortran_making *m,
                                             const struct htmt__fortran_expression *product)
{
    const struct htmt__fortran_expression *a = product->child, *b = a->next;
    struct htmt__fortran_symbol *s = htmt__source_alloc(sizeof *s);
    struct htmt__fortran_expression *e = htmt__source_alloc(sizeof *e);
    unsigned rank_a = htmt__fortran_rank(m, a), rank_b = htmt__fortran_rank(m, b);
    const struct htmt__fortran_expression *of[2] = {a, b};
    const unsigned axis[2] = {0, 1};
    *s = (struct htmt__fortran_symbol){.name = "matmul",
                                       .type = "REAL",
                                       .bytes = 8,
                                       .attributes = "(VARIABLE)",
                                       .space = m->space};
    s->shape.is_explicit = true;
    for (unsigned i = rank_a == 1; i < 1 + (rank_b == 2); i++) {
        struct htmt__fortran_expression *first = htmt__fortran_end(m, of[i], axis[i], false),
                                        *last = htmt__fortran_end(m, of[i], axis[i], true);
        int64_t elements = 0;
        /* One that is not known is as long as the axis that both have. */
        for (unsigned side = 0; side < 2 && elements <= 0; side++) {
            if (!first || !last || !htmt__fortran_length(first, last, &elements))
                elements = 0;
            const bool other = rank_a == 1;
            first = htmt__fortran_end(m, other ? a : b, 0, false);
            last = htmt__fortran_end(m, other ? a : b, 0, true);
        }
        if (elements <= 0)
            return NULL;
        s->shape.lower[s->shape.rank] = htmt__fortran_integer(1);
        s->shape.upper[s->shape.rank++] = htmt__fortran_integer(elements);
    }
    *e = (struct htmt__fortran_expression){
        .kind = HTMT__FORTRAN_VARIABLE, .name = s->name, .own = s};
    return e;
}

static bool is_sum(const struct htmt__fortran_expression *e)
{
    static const char *const names[] = {"_gfortran_sum_", "_gfortran_product_", "_gfortran_maxval_",
                                        "_gfortran_minval_", "_gfortran_dot_product"};
    for (size_t i = 0; i < sizeof names / sizeof *names && e->kind == HTMT__FORTRAN_CALL; i++)
        if (strncmp(e->name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The expression without products of arrays, and without sums: these have their loops before the
 * statement's own. A copy where it has some. */
static const struct htmt__fortran_expression *
without_products(struct htmt__fortran_making *m, const struct htmt__fortran_expression *e,
                 bool outermost)
{
    if (e->kind != HTMT__FORTRAN_CALL && e->kind != HTMT__FORTRAN_OPERATION)
        return e;
    struct htmt__fortran_expression *copy = htmt__source_alloc(sizeof *copy), **end = &copy->child;
    *copy = *e;
    for (const struct htmt__fortran_expression *c = e->child; c; c = c->next) {
        *end = htmt__source_alloc(sizeof **end);
        **end = *without_products(m, c, false);
        (*end)->next = NULL;
        end = &(*end)->next;
    }
    if (is_sum(e) && m->before) {
        struct htmt__syntax *sum = htmt__fortran_value(m, copy);
        if (sum->kind == HTMT__SYNTAX_NAME) {
            copy->kind = HTMT__FORTRAN_VARIABLE;
            copy->direct = sum->declaration;
            copy->child = NULL;
        }
        return copy;
    }
    struct htmt__fortran_expression *to = is_product(e) && !outermost ? hold(m, copy) : NULL;
    if (!to || !m->before)
        return copy;
    to->next = copy;
    const struct htmt__fortran_statement product = {.kind = HTMT__FORTRAN_ASSIGN, .expression = to};
    while (*m->before)
        m->before = &(*m->before)->next;
    *m->before = over(m, to, multiply_element, &product);
    m->before = &(*m->before)->next;
    return to;
}

/* Element by element: to a small array of whole numbers, or of a list of values. */
static struct htmt__syntax *assign_each(struct htmt__fortran_making *m,
                                        const struct htmt__fortran_expression *to,
                                        const struct htmt__fortran_expression *value,
                                        unsigned count)
{
    struct htmt__syntax *first = NULL, **end = &first;
    const struct htmt__fortran_expression *item =
        value->kind == HTMT__FORTRAN_LIST ? value->child : NULL;
    struct htmt__fortran_making in = *m;
    struct htmt__fortran_axis axis = {.variable = NULL};
    in.axes = 1;
    in.axis = &axis;
    for (unsigned i = 0; i < count; i++) {
        axis.number = i;
        struct htmt__syntax *s = htmt__fortran_value(item ? m : &in, item ? item : value);
        *end = htmt__fortran_assign(m, HTMT__OP_NONE, htmt__fortran_value(&in, to), s);
        end = &(*end)->next;
        item = item ? item->next : NULL;
    }
    return block_of(m, first);
}

/* How many elements each stand for themselves; 0: the array is one. */
static unsigned elements_of(struct htmt__fortran_making *m,
                            const struct htmt__fortran_expression *to,
                            const struct htmt__fortran_expression *value)
{
    const struct htmt__fortran_symbol *s =
        to->kind == HTMT__FORTRAN_VARIABLE && !to->direct ? htmt__fortran_resolve(m, to) : NULL;
    int64_t low, high;
    unsigned count = 0;
    for (const struct htmt__fortran_expression *c = value->child; c; c = c->next, count++)
        if (value->kind != HTMT__FORTRAN_LIST || c->kind == HTMT__FORTRAN_ITERATED)
            break;
    bool list = value->kind == HTMT__FORTRAN_LIST && count;
    if (!list && (!s || !htmt__fortran_is_split(s)))
        return 0;
    struct htmt__fortran_expression *first = htmt__fortran_end(m, to, 0, false),
                                    *last = htmt__fortran_end(m, to, 0, true);
    if (list)
        return count;
    return first && last && htmt__fortran_number(first, &low) && htmt__fortran_number(last, &high)
               ? (unsigned)(high - low) + 1
               : s->elements;
}

static struct htmt__syntax *assign(struct htmt__fortran_making *m,
                                   const struct htmt__fortran_statement *s)
{
    struct htmt__fortran_expression first = *s->expression,
                                    second = *without_products(m, s->expression->next, true);
    const struct htmt__fortran_statement own = {.kind = s->kind, .expression = &first};
    const struct htmt__fortran_expression *to = &first, *value = &second;
    first.next = &second;
    if (to->kind != HTMT__FORTRAN_VARIABLE)
        return htmt__fortran_other(m, "a place of a kind that is not read");
    if (value->kind == HTMT__FORTRAN_CALL && htmt__fortran_rank(m, to) &&
        htmt__fortran_procedure(m, value->name) && htmt__fortran_rank(m, value))
        return htmt__fortran_invoke(m, value->name, value->child, value, to);
    const struct htmt__fortran_symbol *whole = htmt__fortran_resolve(m, to);
    bool before = m->is_whole;
    m->is_whole = whole && htmt__fortran_type(whole) == HTMT__TYPE_WHOLE;
    unsigned rank = htmt__fortran_rank(m, to), each = rank ? elements_of(m, to, value) : 0;
    struct htmt__syntax *made = !rank               ? assign_element(m, &own)
                                : each && rank == 1 ? assign_each(m, to, value, each)
                                                    : over(m, to,
                                                           is_product(value)     ? multiply_element
                                                           : is_sum_along(value) ? sum_element
                                                                                 : assign_element,
                                                           &own);
    m->is_whole = before;
    return made;
}

/* ---- where and forall ------------------------------------------------------------------------ */

/* The first statement that is masked, whose left side has the axes. */
static const struct htmt__fortran_statement *masked(const struct htmt__fortran_statement *s)
{
    for (; s; s = s->other)
        for (const struct htmt__fortran_statement *b = s->body; b; b = b->next)
            if (b->kind == HTMT__FORTRAN_ASSIGN)
                return b;
    return NULL;
}

static struct htmt__syntax *where_element(struct htmt__fortran_making *m, const void *context)
{
    const struct htmt__fortran_statement *s = context;
    struct htmt__syntax *first = NULL, **end = &first;
    for (const struct htmt__fortran_statement *b = s->body; b; b = b->next) {
        *end = b->kind == HTMT__FORTRAN_ASSIGN ? assign_element(m, b)
                                               : htmt__fortran_other(m, "where within where");
        end = &(*end)->next;
    }
    if (!s->expression || s->expression->kind == HTMT__FORTRAN_ABSENT)
        return block_of(m, first);
    struct htmt__syntax *branch = htmt__fortran_node(m, HTMT__SYNTAX_IF, HTMT__TYPE_OTHER, 0);
    branch->child = htmt__fortran_value(m, s->expression);
    branch->child->next = block_of(m, first);
    if (s->other)
        branch->child->next->next = where_element(m, s->other);
    return branch;
}

static struct htmt__syntax *where(struct htmt__fortran_making *m,
                                  const struct htmt__fortran_statement *s)
{
    const struct htmt__fortran_statement *b = masked(s);
    return b ? over(m, b->expression, where_element, s)
             : htmt__fortran_node(m, HTMT__SYNTAX_EMPTY, HTMT__TYPE_OTHER, 0);
}

/* The first index innermost. */
static struct htmt__syntax *concurrent(struct htmt__fortran_making *m,
                                       const struct htmt__fortran_statement *s)
{
    struct htmt__syntax *body = block_of(m, code(m, s->body));
    const struct htmt__fortran_expression *e = s->expression;
    for (const struct htmt__fortran_expression *x = e; x; x = x->next) {
        if (x->kind == HTMT__FORTRAN_ITERATED || x->kind == HTMT__FORTRAN_ABSENT)
            continue;
        struct htmt__syntax *branch = htmt__fortran_node(m, HTMT__SYNTAX_IF, HTMT__TYPE_OTHER, 0);
        branch->child = htmt__fortran_value(m, x);
        branch->child->next = body;
        body = branch;
    }
    for (; e && e->kind == HTMT__FORTRAN_ITERATED; e = e->next) {
        const struct htmt__fortran_expression *v = e->child, *first = v->next;
        struct htmt__syntax *variable = htmt__fortran_value(m, v);
        if (variable->kind != HTMT__SYNTAX_NAME)
            return htmt__fortran_other(m, "a loop over a place that is no variable");
        body = htmt__fortran_loop(m, variable, htmt__fortran_value(m, first),
                                  htmt__fortran_value(m, first->next),
                                  htmt__fortran_value(m, first->next->next), body);
    }
    return body;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool names_split(struct htmt__fortran_making *m, const struct htmt__fortran_expression *e,
                        const struct htmt__fortran_symbol *counter, bool within)
{
    for (; e; e = e->next) {
        bool here = false;
        if (e->kind == HTMT__FORTRAN_VARIABLE && !e->direct) {
            const struct htmt__fortran_symbol *s = htmt__fortran_resolve(m, e);
            if (within && s == counter)
                return true;
            here = s && htmt__fortran_is_split(s);
        }
        for (const struct htmt__fortran_reference *r = e->reference; r; r = r->next)
            if (names_split(m, r->subscript, counter, here))
                return true;
        if (names_split(m, e->child, counter, within))
            return true;
    }
    return false;
}

static bool body_names_split(struct htmt__fortran_making *m,
                             const struct htmt__fortran_statement *s,
                             const struct htmt__fortran_symbol *counter)
{
    for (; s; s = s->next)
        if (names_split(m, s->expression, counter, false) ||
            body_names_split(m, s->body, counter) || body_names_split(m, s->other, counter))
            return true;
    return false;
}

/* The body once for each value of the counter. */
static struct htmt__syntax *write_out(struct htmt__fortran_making *m,
                                      const struct htmt__fortran_statement *s,
                                      struct htmt__fortran_symbol *counter, int64_t from,
                                      int64_t to)
{
    struct htmt__syntax *first = NULL, **end = &first;
    counter->is_constant = true;
    for (int64_t i = from; i <= to; i++) {
        counter->constant = i;
        *end = block_of(m, code(m, s->body));
        end = &(*end)->next;
    }
    counter->is_constant = false;
    return block_of(m, first);
}

static bool has_calls(const struct htmt__fortran_statement *s)
{
    for (; s; s = s->next)
        if (s->kind == HTMT__FORTRAN_INVOKE || has_calls(s->body) || has_calls(s->other))
            return true;
    return false;
}

static bool has_loops(const struct htmt__fortran_statement *s)
{
    for (; s; s = s->next)
        if (s->kind == HTMT__FORTRAN_DO || s->kind == HTMT__FORTRAN_INVOKE ||
            s->kind == HTMT__FORTRAN_CONCURRENT || has_loops(s->body) || has_loops(s->other))
            return true;
    return false;
}

/* What a function without a body returns is a number of its name, set before the loop. */
static struct htmt__syntax *bound(struct htmt__fortran_making *m,
                                  const struct htmt__fortran_expression *e)
{
    struct htmt__syntax *s = htmt__fortran_value(m, e), *call = s;
    if (call->kind == HTMT__SYNTAX_CAST)
        call = call->child;
    if (call->kind != HTMT__SYNTAX_CALL || call->declaration || !m->before)
        return s;
    struct htmt__declaration *d = htmt__fortran_variable(call->name, HTMT__TYPE_WHOLE);
    call->type = HTMT__TYPE_WHOLE;
    while (*m->before)
        m->before = &(*m->before)->next;
    *m->before = htmt__fortran_assign(m, HTMT__OP_NONE, htmt__fortran_name(m, d), call);
    m->before = &(*m->before)->next;
    return htmt__fortran_name(m, d);
}

static struct htmt__syntax *loop(struct htmt__fortran_making *m,
                                 const struct htmt__fortran_statement *s)
{
    const struct htmt__fortran_expression *v = s->expression, *first = v->next, *last = first->next;
    struct htmt__fortran_symbol *counter =
        v->kind == HTMT__FORTRAN_VARIABLE ? htmt__fortran_resolve(m, v) : NULL;
    int64_t from, to, by;
    bool numbers = htmt__fortran_number(first, &from) && htmt__fortran_number(last, &to) &&
                   htmt__fortran_number(last->next, &by);
    if (counter && numbers && by == 1 && to - from < 8 && body_names_split(m, s->body, counter))
        return write_out(m, s, counter, from, to);
    struct htmt__syntax *variable = htmt__fortran_value(m, v);
    struct htmt__syntax *low = bound(m, first), *high = bound(m, last),
                        *stride = htmt__fortran_value(m, last->next);
    if (variable->kind != HTMT__SYNTAX_NAME || variable->type != HTMT__TYPE_WHOLE) {
        struct htmt__syntax *odd =
            htmt__fortran_other(m, "a loop whose variable is no whole number");
        odd->child = block_of(m, code(m, s->body));
        return odd;
    }
    bool before = counter && counter->is_counting;
    bool between = m->is_between, around = m->is_around;
    if (counter)
        counter->is_counting = true;
    m->is_between = between && has_calls(s->body);
    m->is_around = around && has_loops(s->body);
    struct htmt__syntax *body = block_of(m, code(m, s->body));
    m->is_between = between;
    m->is_around = around;
    if (counter)
        counter->is_counting = before;
    return htmt__fortran_loop(m, variable, low, high, stride, body);
}

/* ---- other statements ------------------------------------------------------------------------ */

static struct htmt__syntax *branch(struct htmt__fortran_making *m,
                                   const struct htmt__fortran_statement *s)
{
    struct htmt__syntax *b = htmt__fortran_node(m, HTMT__SYNTAX_IF, HTMT__TYPE_OTHER, 0);
    b->child = htmt__fortran_value(m, s->expression);
    b->child->next = block_of(m, code(m, s->body));
    if (s->other)
        b->child->next->next = block_of(m, code(m, s->other));
    return b;
}

static struct htmt__syntax *operation(struct htmt__fortran_making *m, enum htmt__syntax_op op,
                                      struct htmt__syntax *a, struct htmt__syntax *b)
{
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_BINARY, HTMT__TYPE_WHOLE, 4);
    s->op = op;
    s->child = a;
    a->next = b;
    return s;
}

/* Whether the value is in one of the ranges; NULL: it is any. */
static struct htmt__syntax *is_in(struct htmt__fortran_making *m,
                                  const struct htmt__fortran_expression *value,
                                  const struct htmt__fortran_expression *range)
{
    struct htmt__syntax *any = NULL;
    for (; range; range = range->next) {
        const struct htmt__fortran_expression *low = range->child, *high = low->next;
        const bool from = low->kind != HTMT__FORTRAN_ABSENT,
                   to = high->kind != HTMT__FORTRAN_ABSENT;
        int64_t a, b;
        const bool one =
            from && to && htmt__fortran_number(low, &a) && htmt__fortran_number(high, &b) && a == b;
        struct htmt__syntax *is = NULL;
        if (from)
            is = operation(m, one ? HTMT__OP_EQ : HTMT__OP_GE, htmt__fortran_value(m, value),
                           htmt__fortran_value(m, low));
        if (to && !one) {
            struct htmt__syntax *below = operation(m, HTMT__OP_LE, htmt__fortran_value(m, value),
                                                   htmt__fortran_value(m, high));
            is = is ? operation(m, HTMT__OP_AND, is, below) : below;
        }
        if (is)
            any = any ? operation(m, HTMT__OP_OR, any, is) : is;
    }
    return any;
}

/* "select case": if, else if, and what stands for all else at the end. */
static struct htmt__syntax *choose(struct htmt__fortran_making *m,
                                   const struct htmt__fortran_statement *s)
{
    struct htmt__syntax *first = NULL, **end = &first, *rest = NULL;
    for (const struct htmt__fortran_statement *c = s->body; c; c = c->next) {
        struct htmt__syntax *is = is_in(m, s->expression, c->expression),
                            *body = block_of(m, code(m, c->body));
        if (!is) {
            rest = body;
            continue;
        }
        *end = htmt__fortran_node(m, HTMT__SYNTAX_IF, HTMT__TYPE_OTHER, 0);
        (*end)->child = is;
        is->next = body;
        end = &body->next;
    }
    *end = rest;
    return first ? first : htmt__fortran_node(m, HTMT__SYNTAX_EMPTY, HTMT__TYPE_OTHER, 0);
}

/* "if (c) cycle", behind which stands the rest of the body of a nest: if (!c) { rest } */
static bool is_guard(const struct htmt__fortran_statement *s)
{
    return s->kind == HTMT__FORTRAN_IF && !s->other && s->body && !s->body->next &&
           s->body->kind == HTMT__FORTRAN_CYCLE && !s->body->name && s->next && !has_loops(s->next);
}

static struct htmt__syntax *guard(struct htmt__fortran_making *m,
                                  const struct htmt__fortran_statement *s)
{
    struct htmt__syntax *b = htmt__fortran_node(m, HTMT__SYNTAX_IF, HTMT__TYPE_OTHER, 0);
    struct htmt__syntax *not = htmt__fortran_node(m, HTMT__SYNTAX_UNARY, HTMT__TYPE_WHOLE, 4);
    not ->op = HTMT__OP_NOT;
    not ->child = htmt__fortran_value(m, s->expression);
    b->child = not ;
    not ->next = block_of(m, code(m, s->next));
    return b;
}

/* A pointer: to an array, to a part that has a start, or to what is not known. */
static struct htmt__syntax *point(struct htmt__fortran_making *m,
                                  const struct htmt__fortran_statement *s)
{
    const struct htmt__fortran_expression *to = s->expression, *at = to->next;
    struct htmt__fortran_symbol *p =
        to->kind == HTMT__FORTRAN_VARIABLE ? htmt__fortran_resolve(m, to) : NULL;
    struct htmt__fortran_symbol *target =
        at->kind == HTMT__FORTRAN_VARIABLE ? htmt__fortran_resolve(m, at) : NULL;
    bool whole = target && target->shape.rank && (!at->reference || at->reference->full) &&
                 (!to->reference || to->reference->full);
    if (!whole || !p || !p->shape.rank)
        return htmt__fortran_node(m, HTMT__SYNTAX_EMPTY, HTMT__TYPE_OTHER, 0);
    return htmt__fortran_assign(m, HTMT__OP_NONE,
                                htmt__fortran_name(m, htmt__fortran_declare(m, p)),
                                htmt__fortran_name(m, htmt__fortran_declare(m, target)));
}

/* What is read changes; what is written counts as what C prints. */
static struct htmt__syntax *transfer(struct htmt__fortran_making *m,
                                     const struct htmt__fortran_statement *s)
{
    bool reads = strcmp(s->name, "read") == 0;
    struct htmt__syntax *call = htmt__fortran_node(m, HTMT__SYNTAX_CALL, HTMT__TYPE_OTHER, 0);
    struct htmt__syntax **end = &call->child;
    call->name = reads ? "scanf" : "printf";
    for (const struct htmt__fortran_statement *i = s->body; i; i = i->next) {
        if (i->kind != HTMT__FORTRAN_TRANSFER || htmt__fortran_rank(m, i->expression))
            continue;
        struct htmt__syntax *item = htmt__fortran_value(m, i->expression);
        if (item->kind == HTMT__SYNTAX_OTHER || item->type == HTMT__TYPE_OTHER)
            continue;
        if (reads && (item->kind == HTMT__SYNTAX_NAME || item->kind == HTMT__SYNTAX_SUBSCRIPT) &&
            item->type != HTMT__TYPE_POINTER) {
            struct htmt__syntax *up =
                htmt__fortran_node(m, HTMT__SYNTAX_UNARY, HTMT__TYPE_POINTER, 0);
            up->op = HTMT__OP_ADDRESS;
            up->child = item;
            item = up;
        }
        *end = item;
        end = &item->next;
    }
    return call;
}

static struct htmt__syntax *leave(struct htmt__fortran_making *m)
{
    struct htmt__syntax *s = htmt__fortran_node(m, HTMT__SYNTAX_RETURN, HTMT__TYPE_OTHER, 0);
    struct htmt__fortran_space *in = m->space;
    while (in && !in->function)
        in = in->parent;
    struct htmt__fortran_symbol *header = in ? htmt__fortran_header(in) : NULL;
    struct htmt__fortran_symbol *result =
        header && in->function->returns_value
            ? htmt__fortran_symbol(in, header->result ? header->result : in->name)
            : NULL;
    result = result ? result : header;
    if (header && in->function->returns_value && !result->shape.rank)
        s->child = htmt__fortran_name(m, htmt__fortran_declare(m, result));
    return s;
}

static struct htmt__syntax *named(struct htmt__fortran_making *m, enum htmt__syntax_kind kind,
                                  const char *name)
{
    struct htmt__syntax *s = htmt__fortran_node(m, kind, HTMT__TYPE_OTHER, 0);
    s->name = name;
    return s;
}

static struct htmt__syntax *passes(struct htmt__fortran_making *m,
                                   const struct htmt__fortran_statement *s)
{
    bool forever = s->expression->kind == HTMT__FORTRAN_WHOLE;
    struct htmt__syntax *p = named(m, HTMT__SYNTAX_PASSES, forever ? "do" : "do while");
    p->child = htmt__fortran_value(m, s->expression);
    p->child->next = block_of(m, code(m, s->body));
    htmt__form(p);
    return p;
}

static struct htmt__syntax *statement(struct htmt__fortran_making *m,
                                      const struct htmt__fortran_statement *s)
{
    struct htmt__fortran_making in = *m;
    switch (s->kind) {
    case HTMT__FORTRAN_ASSIGN:
        return assign(m, s);
    case HTMT__FORTRAN_POINT:
        return point(m, s);
    case HTMT__FORTRAN_INVOKE:
        return htmt__fortran_invoke(m, s->name, s->expression, NULL, NULL);
    case HTMT__FORTRAN_DO:
        return loop(m, s);
    case HTMT__FORTRAN_WHILE:
        return passes(m, s);
    case HTMT__FORTRAN_CONCURRENT:
        return concurrent(m, s);
    case HTMT__FORTRAN_IF:
        return branch(m, s);
    case HTMT__FORTRAN_SELECT:
        return choose(m, s);
    case HTMT__FORTRAN_WHERE:
        return where(m, s);
    case HTMT__FORTRAN_BLOCK:
        in.space = s->space;
        in.before = NULL;
        return block_of(m, code(&in, s->body));
    case HTMT__FORTRAN_TRANSFER:
        return transfer(m, s);
    case HTMT__FORTRAN_EXIT:
        return named(m, HTMT__SYNTAX_JUMP, "exit");
    case HTMT__FORTRAN_CYCLE:
        return named(m, HTMT__SYNTAX_JUMP, "cycle");
    case HTMT__FORTRAN_GOTO:
        return named(m, HTMT__SYNTAX_JUMP, "goto");
    case HTMT__FORTRAN_RETURN:
        return leave(m);
    case HTMT__FORTRAN_STOP:
        return named(m, HTMT__SYNTAX_CALL, "exit");
    case HTMT__FORTRAN_UNREAD: {
        struct htmt__syntax *odd = htmt__fortran_other(m, s->name);
        odd->child = s->body ? block_of(m, code(m, s->body)) : NULL;
        return odd;
    }
    default:
        return htmt__fortran_node(m, HTMT__SYNTAX_EMPTY, HTMT__TYPE_OTHER, 0);
    }
}

/* A goto of the procedure leads there. */
static bool is_target(const struct htmt__fortran_statement *s, unsigned label)
{
    for (; s; s = s->next)
        if ((s->kind == HTMT__FORTRAN_GOTO && (!s->name || strtoul(s->name, NULL, 10) == label)) ||
            is_target(s->body, label) || is_target(s->other, label))
            return true;
    return false;
}

/* Statements one behind the other. */
static struct htmt__syntax *code(struct htmt__fortran_making *m,
                                 const struct htmt__fortran_statement *s)
{
    struct htmt__syntax *first = NULL, **end = &first;
    struct htmt__source_place around = m->place;
    struct htmt__syntax **before = m->before;
    const struct htmt__fortran_space *in = m->space;
    while (in->parent && !in->function)
        in = in->parent;
    for (; s && m->depth < DEEPEST; s = s->next) {
        struct htmt__syntax *needed = NULL;
        m->tree->values++;
        if (m->tree->values > STATEMENTS_MAX) {
            *end = htmt__fortran_other(m, "a program that is too large");
            break;
        }
        if (s->place.line)
            m->place = s->place;
        m->before = &needed;
        bool guards = is_guard(s);
        struct htmt__syntax *own = guards ? guard(m, s) : statement(m, s);
        if (s->label && is_target(in->code, s->label)) {
            struct htmt__syntax *label = named(m, HTMT__SYNTAX_LABEL, "a label");
            label->child = own;
            own = label;
        }
        for (*end = needed; *end;)
            end = &(*end)->next;
        *end = own;
        end = &own->next;
        if (guards)
            break;
    }
    m->before = before;
    m->place = around;
    return first;
}

/* ---- procedures ------------------------------------------------------------------------------ */

/* What ALLOCATE says of bounds holds for the whole procedure. */
static void take_bounds(struct htmt__fortran_making *m, const struct htmt__fortran_statement *s)
{
    for (; s; s = s->next) {
        take_bounds(m, s->body);
        take_bounds(m, s->other);
        for (const struct htmt__fortran_expression *e =
                 s->kind == HTMT__FORTRAN_ALLOCATE ? s->expression : NULL;
             e; e = e->next) {
            struct htmt__fortran_symbol *x =
                e->kind == HTMT__FORTRAN_VARIABLE ? htmt__fortran_resolve(m, e) : NULL;
            const struct htmt__fortran_reference *r = e->reference;
            struct htmt__fortran_expression **low, **high;
            if (!x || x->made[1] || !r || r->full || r->component || r->next)
                continue;
            low = &x->made[0];
            high = &x->made[1];
            for (const struct htmt__fortran_expression *c = r->subscript; c; c = c->next) {
                bool range = c->kind == HTMT__FORTRAN_RANGE;
                *low = htmt__fortran_integer(1);
                if (range)
                    **low = *c->child;
                *high = htmt__fortran_integer(0);
                **high = range ? *c->child->next : *c;
                (*low)->next = (*high)->next = NULL;
                low = &(*low)->next;
                high = &(*high)->next;
            }
        }
    }
}

/* The formal parameters, small arrays of whole numbers as their elements. */
static void add_formals(struct htmt__fortran_making *m, struct htmt__declaration *f,
                        const struct htmt__fortran_symbol *header)
{
    enum { FORMALS_MAX = 512 };
    f->parameter = htmt__source_alloc(FORMALS_MAX * sizeof *f->parameter);
    for (unsigned i = 0; i < header->formals; i++) {
        struct htmt__fortran_symbol *x = htmt__fortran_symbol(m->space, header->formal[i]);
        bool split = x && htmt__fortran_is_split(x);
        for (unsigned k = 0; x && k < (split ? x->elements : 1) && f->parameters < FORMALS_MAX; k++)
            f->parameter[f->parameters++] = split
                                                ? htmt__fortran_element(m, x, x->first + (int64_t)k)
                                                : htmt__fortran_declare(m, x);
    }
}

static bool is_program(const struct htmt__fortran_space *s)
{
    const struct htmt__fortran_symbol *h = htmt__fortran_symbol(s, s->name);
    return h && (htmt__fortran_has(h, "PROGRAM") || htmt__fortran_has(h, "IS-MAIN-PROGRAM"));
}

static void declare_function(struct htmt__fortran_making *m, struct htmt__fortran_space *s)
{
    struct htmt__fortran_symbol *header = htmt__fortran_header(s);
    bool program = is_program(s);
    if (strncmp(s->name, "__", 2) == 0 || !header ||
        !(program || htmt__fortran_has(header, "PROCEDURE")))
        return;
    struct htmt__declaration *f = s->function = htmt__source_alloc(sizeof *f);
    f->name = strcmp(s->name, "MAIN__") == 0 ? "main" : s->name;
    f->is_function = true;
    f->returns_value = htmt__fortran_has(header, "FUNCTION");
    f->place = s->place;
    m->space = s;
    m->place = f->place;
    if (!program)
        add_formals(m, f, header);
}

/* Its own arrays and whole numbers: they have the names that a user knows. */
static struct htmt__syntax **declare_local(struct htmt__fortran_making *m,
                                           struct htmt__fortran_symbol *x,
                                           struct htmt__syntax **end)
{
    bool split = htmt__fortran_is_split(x);
    if (!htmt__fortran_has(x, "VARIABLE") || htmt__fortran_has(x, "DUMMY") || x->module ||
        x->common || htmt__fortran_has(x, "RESULT") || strcmp(x->name, m->space->name) == 0 ||
        !(split || x->shape.rank || htmt__fortran_type(x) == HTMT__TYPE_WHOLE))
        return end;
    for (unsigned i = 0; i < (split ? x->elements : 1); i++) {
        struct htmt__declaration *d = split ? htmt__fortran_element(m, x, x->first + (int64_t)i)
                                            : htmt__fortran_declare(m, x);
        *end = htmt__fortran_node(m, HTMT__SYNTAX_DECLARE, d->type, 0);
        (*end)->declaration = d;
        end = &(*end)->next;
    }
    return end;
}

/* All of a procedure, with the value that it returns. */
static struct htmt__syntax *body(struct htmt__fortran_making *m, struct htmt__fortran_space *s)
{
    struct htmt__syntax *all = block_of(m, s->has_entry ? htmt__fortran_other(m, "entry") : NULL);
    struct htmt__syntax **end = &all->child;
    m->space = s;
    m->place = s->function->place;
    m->before = NULL;
    m->is_between = m->is_around = !m->clones;
    for (struct htmt__fortran_symbol *x = s->symbols; x; x = x->next)
        end = declare_local(m, x, end);
    while (*end)
        end = &(*end)->next;
    bool before = s->is_made;
    s->is_made = true;
    *end = code(m, s->code);
    s->is_made = before;
    if (!s->function->returns_value)
        return all;
    while (*end && (*end)->next)
        end = &(*end)->next;
    if (*end && (*end)->kind == HTMT__SYNTAX_RETURN)
        return all;
    end = *end ? &(*end)->next : end;
    *end = leave(m);
    return all;
}

/* In the order of the source: gfortran prints contained procedures in another one. */
static void add_function(struct htmt__parse *p, struct htmt__declaration *f)
{
    struct htmt__declaration **at = &p->functions;
    while (*at && (*at)->place.file && f->place.file &&
           strcmp((*at)->place.file, f->place.file) != 0)
        at = &(*at)->next;
    while (*at && (*at)->place.file && f->place.file &&
           strcmp((*at)->place.file, f->place.file) == 0 && (*at)->place.line <= f->place.line)
        at = &(*at)->next;
    f->next = *at;
    *at = f;
    while (*at)
        at = &(*at)->next;
    p->last = at;
}

void htmt__fortran_functions(struct htmt__fortran_tree *tree, struct htmt__parse *p)
{
    struct htmt__fortran_making m = {.tree = tree, .call = htmt__fortran_call, .body = body};
    htmt__fortran_judge(tree);
    for (struct htmt__fortran_space *s = tree->spaces; s; s = s->next) {
        m.space = s;
        take_bounds(&m, s->code);
    }
    for (struct htmt__fortran_space *s = tree->spaces; s; s = s->next)
        declare_function(&m, s);
    for (struct htmt__fortran_space *s = tree->spaces; s; s = s->next) {
        if (!s->function)
            continue;
        s->function->body = body(&m, s);
        add_function(p, s->function);
    }
}
