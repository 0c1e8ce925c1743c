/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The head of a loop: "for (i = A; i < B; i += C)" in any of the forms that C has for it.
 *
 * The start is read as a bound. For condition and step the counter stands for itself, as a new loop
 * variable, and both are evaluated as they are: the step is whatever the third part leaves in the
 * counter, less the counter, and must be a number; the side of the condition that
 * has the counter must be the counter and a constant. That covers ++i, i = i + 2, i-- and "n > i +
 * 1" without a list of forms.
 *
 * "a < b ? a : b", also behind a function such as min(), as an upper bound of an ascending loop
 * gives two bounds; a nest file writes "min(a, b)". By hand: for (i = lo; i + 1 < min(n, m); i +=
 * 2) gives the variable i from lo to min(n - 2, m - 2) in steps of 2: one less, as "<" excludes the
 * end, and 1 less for what the counter has beside it. A descending loop runs over the same places
 * with its ends swapped; one that goes down by more than 1 has its turns numbered (statement.c).
 */
#include "emul/tools/analyze/walk.h"

#include <stddef.h>

/* ---- bounds ---------------------------------------------------------------------------------- */

struct bounds {
    unsigned count;
    htmt__value *value;
};

/* Of "a < b ? a : b": 1 for the smaller of two, -1 for the larger, 0 for what is neither. */
static int extreme(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__syntax *c = s->child, *first = c->next;
    htmt__value a = NULL, b = NULL, x = NULL, y = NULL;
    if (c->kind != HTMT__SYNTAX_BINARY || c->op < HTMT__OP_LT || c->op > HTMT__OP_GE)
        return 0;
    if (htmt__walk_whole(w, c->child, &a) || htmt__walk_whole(w, c->child->next, &b) ||
        htmt__walk_whole(w, first, &x) || htmt__walk_whole(w, first->next, &y)) {
        w->pieces = 0; /* the whole is asked then */
        return 0;
    }
    int way = c->op == HTMT__OP_LT || c->op == HTMT__OP_LE ? 1 : -1;
    if (htmt__value_same(a, x) && htmt__value_same(b, y))
        return way;
    return htmt__value_same(a, y) && htmt__value_same(b, x) ? -way : 0;
}

/* The expression that an inlined function returns; its parameters have their values then. */
static const struct htmt__syntax *returned(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__declaration *f = s->declaration;
    const struct htmt__syntax *body = f ? f->body : NULL, *argument = s->child;
    htmt__value value;
    if (!body || !body->child || body->child->kind != HTMT__SYNTAX_RETURN || !body->child->child)
        return NULL;
    for (unsigned i = 0; i < f->parameters && argument; i++, argument = argument->next) {
        if (htmt__walk_whole(w, argument, &value) || !value) {
            w->pieces = 0;
            return NULL;
        }
        const struct htmt__operand o = htmt__operand_whole(value);
        htmt__walk_set(f->parameter[i], &o);
    }
    return body->child->child;
}

/* All of the smallest (way 1) or largest (way -1) value. */
static int read_bounds(struct htmt__walk *w, const struct htmt__syntax *s, int way,
                       struct bounds *b)
{
    htmt__value value = NULL;
    const struct htmt__syntax *inside = s->kind == HTMT__SYNTAX_CALL ? returned(w, s) : s;
    if (inside && inside->kind == HTMT__SYNTAX_CONDITIONAL && extreme(w, inside) == way) {
        const struct htmt__syntax *first = inside->child->next;
        int rc = read_bounds(w, first, way, b);
        return rc ? rc : read_bounds(w, first->next, way, b);
    }
    int rc = htmt__walk_whole(w, s, &value);
    if (rc)
        return rc;
    /* Loop variables have whole factors: no term is a product with one. */
    bool affine = value && b->count < HTMT__BOUNDS_MAX;
    for (unsigned i = 0; affine && i < value->count; i++)
        for (unsigned f = 0; f < HTMT__DEGREE_MAX && value->term[i].factor[f]; f++)
            affine &= htmt__names_is_parameter(&w->names, value->term[i].factor[f]) ||
                      !value->term[i].factor[1];
    if (!affine)
        return htmt__walk_refuse(w, &s->place,
                                 "found a bound that depends on data, or is not affine");
    b->value[b->count++] = value;
    return 0;
}

/* ---- the three parts ------------------------------------------------------------------------- */

static int not_read(struct htmt__walk *w, const struct htmt__syntax *s)
{
    return htmt__walk_refuse(w, &s->place,
                             "found a loop of another form than for (i = A; i < B; i += C)");
}

/* "shift + counter < of": the other end of the range, which `beyond` excludes. */
struct limit {
    const struct htmt__syntax *of;
    bool above, beyond;
    htmt__value shift;
};

/* The step and the limit; the counter has its own variable as value, as `own`. */
static int read_condition(struct htmt__walk *w, const struct htmt__syntax *s,
                          struct htmt__header *h, htmt__value own, struct limit *l)
{
    static const enum htmt__syntax_op turned[] = {[HTMT__OP_LT] = HTMT__OP_GT,
                                                  [HTMT__OP_LE] = HTMT__OP_GE,
                                                  [HTMT__OP_GT] = HTMT__OP_LT,
                                                  [HTMT__OP_GE] = HTMT__OP_LE,
                                                  [HTMT__OP_NE] = HTMT__OP_NE};
    const struct htmt__operand self = htmt__operand_whole(own);
    htmt__value value;
    htmt__walk_set(h->counter, &self);
    int rc = htmt__walk_whole(w, s->next, &value);
    value = h->counter->value->kind == HTMT__OPERAND_WHOLE ? h->counter->value->whole : NULL;
    htmt__walk_set(h->counter, &self); /* which the step has changed */
    if (rc)
        return rc;
    if (!htmt__value_is_whole(htmt__value_sub(value, own), &h->step) || !h->step)
        return not_read(w, s->next);
    if (s->kind != HTMT__SYNTAX_BINARY || s->op < HTMT__OP_LT || s->op > HTMT__OP_NE)
        return not_read(w, s);
    const struct htmt__syntax *left = s->child, *right = htmt__syntax_second(s);
    bool swapped = htmt__scan_names(right, h->counter);
    enum htmt__syntax_op op = swapped ? turned[s->op] : s->op;
    const struct htmt__syntax *side = swapped ? right : left;
    rc = htmt__walk_whole(w, side, &value);
    if (rc)
        return rc;
    value = htmt__value_sub(value, own);
    if (!value || !htmt__names_fixed(&w->names, value) || !htmt__scan_names(side, h->counter))
        return not_read(w, s);
    l->of = swapped ? left : right;
    l->shift = value;
    l->above = op == HTMT__OP_NE ? h->step > 0 : op == HTMT__OP_LT || op == HTMT__OP_LE;
    l->beyond = op == HTMT__OP_LT || op == HTMT__OP_GT || op == HTMT__OP_NE;
    return l->above == (h->step > 0) ? 0 : not_read(w, s);
}

int htmt__header_read(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__header *h)
{
    unsigned parts = 0;
    *h = (struct htmt__header){.counter = NULL};
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        parts++;
    if (parts != 4)
        return not_read(w, s);
    /* "int i = 0", which a declaration is as a block of one, or "i = 0". */
    const struct htmt__syntax *start = s->child, *condition = start->next;
    if (start->kind == HTMT__SYNTAX_BLOCK && start->child && !start->child->next)
        start = start->child;
    if (start->kind == HTMT__SYNTAX_DECLARE && start->child) {
        h->counter = start->declaration;
        start = start->child;
    } else if (start->kind == HTMT__SYNTAX_ASSIGN && start->op == HTMT__OP_NONE &&
               start->child->kind == HTMT__SYNTAX_NAME) {
        h->counter = start->child->declaration;
        start = start->child->next;
    }
    if (!h->counter || h->counter->type != HTMT__TYPE_WHOLE)
        return not_read(w, s);
    struct limit l = {.above = true};
    h->variable = htmt__names_variable(&w->names, h->counter->name);
    if (!h->variable)
        return htmt__walk_refuse(w, &start->place, "found more than 65535 names");
    const struct htmt__operand *before = h->counter->value;
    int rc = read_condition(w, condition, h, htmt__value_symbol(h->variable), &l);
    h->counter->value = before;
    if (rc)
        return rc;
    struct bounds from = {.value = l.above ? h->lower : h->upper},
                  to = {.value = l.above ? h->upper : h->lower};
    rc = read_bounds(w, start, l.above ? -1 : 1, &from);
    if (!rc)
        rc = read_bounds(w, l.of, l.above ? 1 : -1, &to);
    if (rc)
        return rc;
    htmt__value off = htmt__value_whole(l.beyond ? l.above ? -1 : 1 : 0);
    off = htmt__value_sub(off, l.shift);
    for (unsigned i = 0; i < to.count; i++)
        to.value[i] = htmt__value_add(to.value[i], off);
    h->lowers = l.above ? from.count : to.count;
    h->uppers = l.above ? to.count : from.count;
    h->down = h->step < 0;
    h->step = h->down ? -h->step : h->step;
    /* Down by more than one: its places count from the upper end, which must be one. */
    return h->down && h->step > 1 && (h->lowers > 1 || h->uppers > 1) ? not_read(w, condition) : 0;
}
