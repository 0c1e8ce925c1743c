/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/tools/analyze/walk.h"

#include <stddef.h>

/* ---- bounds ---------------------------------------------------------------------------------- */

struct bounds {
    unsigned count;
    htmt__value *value;
};

static int data(struct htmt__walk *w, const struct htmt__syntax *s)
{
    return htmt__walk_refuse(w, &s->place, "found a bound that depends on data, or is not affine");
}

/* Loop variables have whole factors. */
static bool is_affine(const struct htmt__names *n, htmt__value value)
{
    for (unsigned i = 0; i < value->count; i++)
        for (unsigned f = 0; f < HTMT__DEGREE_MAX && value->term[i].factor[f]; f++)
            if (!htmt__names_is_parameter(n, value->term[i].factor[f]) && value->term[i].factor[1])
                return false;
    return true;
}

static int add_bound(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value value,
                     struct bounds *b)
{
    if (!value || !is_affine(&w->names, value) || b->count == HTMT__BOUNDS_MAX)
        return data(w, s);
    b->value[b->count++] = value;
    return 0;
}

/* Of "a < b ? a : b": 1 for the smaller of two, -1 for the larger, 0 for what is neither. */
static int extreme(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__syntax *c = s->child, *first = c->next;
    htmt__value a, b, x, y;
    if (c->kind != HTMT__SYNTAX_BINARY || c->op < HTMT__OP_LT || c->op > HTMT__OP_GE)
        return 0;
    if (htmt__walk_whole(w, c->child, &a) || htmt__walk_whole(w, c->child->next, &b) ||
        htmt__walk_whole(w, first, &x) || htmt__walk_whole(w, first->next, &y))
        return 0;
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
        if (htmt__walk_whole(w, argument, &value) || !value)
            return NULL;
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
    return rc ? rc : add_bound(w, s, value, b);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static int not_read(struct htmt__walk *w, const struct htmt__syntax *s)
{
    return htmt__walk_refuse(w, &s->place,
                             "found a loop of another form than for (i = A; i < B; i += C)");
}

static const struct htmt__syntax *start_of(const struct htmt__syntax *s,
                                           struct htmt__declaration **counter)
{
    if (s->kind == HTMT__SYNTAX_BLOCK && s->child && !s->child->next)
        s = s->child;
    bool declares = s->kind == HTMT__SYNTAX_DECLARE && s->child;
    bool assigns = s->kind == HTMT__SYNTAX_ASSIGN && s->op == HTMT__OP_NONE &&
                   s->child->kind == HTMT__SYNTAX_NAME;
    *counter = declares ? s->declaration : assigns ? s->child->declaration : NULL;
    if (!*counter || (*counter)->type != HTMT__TYPE_WHOLE)
        return NULL;
    return declares ? s->child : s->child->next;
}

static bool names(const struct htmt__syntax *s, const struct htmt__declaration *counter)
{
    return s->kind == HTMT__SYNTAX_NAME && s->declaration == counter;
}

/* As "counter OP limit". */
static enum htmt__syntax_op turned(enum htmt__syntax_op op)
{
    switch (op) {
    case HTMT__OP_LT:
        return HTMT__OP_GT;
    case HTMT__OP_LE:
        return HTMT__OP_GE;
    case HTMT__OP_GT:
        return HTMT__OP_LT;
    case HTMT__OP_GE:
        return HTMT__OP_LE;
    default:
        return op;
    }
}

/* The other end, not part of the range yet if `beyond`. */
struct limit {
    const struct htmt__syntax *of;
    bool above, beyond;
    htmt__value shift; /* what the counter has beside it */
};

static int read_limit(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__header *h,
                      htmt__value own, struct limit *l)
{
    const struct htmt__syntax *left = s->child, *right = htmt__syntax_second(s);
    htmt__value value;
    if (s->kind != HTMT__SYNTAX_BINARY || s->op < HTMT__OP_LT || s->op > HTMT__OP_NE)
        return not_read(w, s);
    bool swapped = htmt__scan_names(right, h->counter);
    enum htmt__syntax_op op = swapped ? turned(s->op) : s->op;
    const struct htmt__syntax *side = swapped ? right : left;
    int rc = htmt__walk_whole(w, side, &value);
    if (rc)
        return rc;
    value = htmt__value_sub(value, own);
    if (!value || !htmt__names_fixed(&w->names, value) ||
        (!names(side, h->counter) && !htmt__scan_names(side, h->counter)))
        return not_read(w, s);
    l->of = swapped ? left : right;
    l->shift = value;
    l->above = op == HTMT__OP_NE ? h->step > 0 : op == HTMT__OP_LT || op == HTMT__OP_LE;
    l->beyond = op == HTMT__OP_LT || op == HTMT__OP_GT || op == HTMT__OP_NE;
    return l->above == (h->step > 0) ? 0 : not_read(w, s);
}

static int read_step(struct htmt__walk *w, const struct htmt__syntax *s, htmt__value own,
                     int64_t *step)
{
    htmt__value value;
    int rc = htmt__walk_whole(w, s, &value);
    if (rc)
        return rc;
    value = htmt__value_sub(value, own);
    bool fits = htmt__value_is_whole(value, step) && (*step >= 1 || *step == -1);
    return fits ? 0 : not_read(w, s);
}

static int read_ends(struct htmt__walk *w, const struct htmt__syntax *start, const struct limit *l,
                     struct htmt__header *h)
{
    struct bounds from = {.value = l->above ? h->lower : h->upper},
                  to = {.value = l->above ? h->upper : h->lower};
    int rc = read_bounds(w, start, l->above ? -1 : 1, &from);
    if (!rc)
        rc = read_bounds(w, l->of, l->above ? 1 : -1, &to);
    if (rc)
        return rc;
    htmt__value off = htmt__value_whole(l->beyond ? l->above ? -1 : 1 : 0);
    off = htmt__value_sub(off, l->shift);
    for (unsigned i = 0; i < to.count; i++)
        to.value[i] = htmt__value_add(to.value[i], off);
    h->lowers = l->above ? from.count : to.count;
    h->uppers = l->above ? to.count : from.count;
    h->step = h->step < 0 ? 1 : h->step;
    return 0;
}

static unsigned children_of(const struct htmt__syntax *s)
{
    unsigned count = 0;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        count++;
    return count;
}

/* The counter stands for itself while its condition and its step are read. */
static int read_rest(struct htmt__walk *w, const struct htmt__syntax *start,
                     const struct htmt__syntax *condition, struct htmt__header *h)
{
    struct limit l = {.above = true};
    htmt__symbol symbol = htmt__names_variable(&w->names, h->counter->name);
    if (!symbol)
        return htmt__walk_refuse(w, &start->place, "found more than 65535 names");
    htmt__value own = htmt__value_symbol(symbol);
    const struct htmt__operand *before = h->counter->value, self = htmt__operand_whole(own);
    htmt__walk_set(h->counter, &self);
    int rc = read_step(w, condition->next, own, &h->step);
    htmt__walk_set(h->counter, &self);
    if (!rc)
        rc = read_limit(w, condition, h, own, &l);
    h->counter->value = before;
    h->variable = symbol;
    return rc ? rc : read_ends(w, start, &l, h);
}

int htmt__header_read(struct htmt__walk *w, const struct htmt__syntax *s, struct htmt__header *h)
{
    *h = (struct htmt__header){.counter = NULL};
    const struct htmt__syntax *start = children_of(s) == 4 ? start_of(s->child, &h->counter) : NULL;
    return start ? read_rest(w, start, s->child->next, h) : not_read(w, s);
}
