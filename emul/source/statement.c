/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/source/memory.h"
#include "emul/source/walk.h"

#include <stddef.h>
#include <string.h>

enum { UNROLLED_MAX = 64, COPIES_MAX = 4096 };

static const struct htmt__operand unknown = {.kind = HTMT__OPERAND_UNKNOWN};

/* ---- variables ------------------------------------------------------------------------------- */

/* What the statements change is not known before and behind them. */
static void forget(const struct htmt__syntax *s, bool pointers)
{
    bool changes = s->kind == HTMT__SYNTAX_ASSIGN ||
                   (s->kind == HTMT__SYNTAX_UNARY &&
                    (s->op == HTMT__OP_INCREMENT || s->op == HTMT__OP_DECREMENT));
    if (changes && s->child->kind == HTMT__SYNTAX_NAME &&
        (pointers || s->child->type != HTMT__TYPE_POINTER))
        s->child->declaration->value = &unknown;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        forget(c, pointers);
}

static int declare(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__declaration *d = s->declaration;
    struct htmt__operand value;
    d->value = NULL;
    if (!s->child)
        return 0;
    int rc = htmt__walk_expression(w, s->child, &value);
    bool between = w->loop->kind == HTMT__LOOP_ROOT || w->loop->kind == HTMT__LOOP_REPEAT;
    if (rc || value.kind == HTMT__OPERAND_FRESH || d->is_array || d->type == HTMT__TYPE_OTHER ||
        (d->type == HTMT__TYPE_POINTER && value.kind == HTMT__OPERAND_UNKNOWN && between))
        return rc; /* memory of its own */
    if (d->type == HTMT__TYPE_WHOLE && value.kind != HTMT__OPERAND_WHOLE &&
        w->loop->kind == HTMT__LOOP_ROOT) {
        htmt__symbol symbol = htmt__names_parameter(&w->names, htmt__note_root(w, d));
        value = htmt__operand_whole(symbol ? htmt__value_symbol(symbol) : NULL);
    }
    htmt__walk_set(d, &value);
    if (d->type != HTMT__TYPE_POINTER)
        htmt__note_state(w, htmt__note_root(w, d), d->type, HTMT__WRITE);
    return 0;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static int64_t literal_trip(const struct htmt__header *h)
{
    int64_t lower, upper;
    bool literal = h->lowers == 1 && h->uppers == 1 && htmt__value_is_whole(h->lower[0], &lower) &&
                   htmt__value_is_whole(h->upper[0], &upper);
    if (!literal)
        return -1;
    return upper < lower ? 0 : (upper - lower) / h->step + 1;
}

/* A loop over space stands around: one that is longer than what is multiplied out. */
static bool within_space(const struct htmt__loop *loop)
{
    for (; loop->kind != HTMT__LOOP_ROOT && loop->kind != HTMT__LOOP_REPEAT; loop = loop->parent) {
        int64_t lower, upper;
        bool literal = loop->kind == HTMT__LOOP_SPACE && loop->lowers == 1 && loop->uppers == 1 &&
                       htmt__value_is_whole(loop->lower[0], &lower) &&
                       htmt__value_is_whole(loop->upper[0], &upper) &&
                       (upper - lower) / loop->step < UNROLLED_MAX;
        if (loop->kind == HTMT__LOOP_SPACE && !literal)
            return true;
    }
    return false;
}

static bool is_unrolled(const struct htmt__walk *w, int64_t trip)
{
    return trip >= 0 && trip <= UNROLLED_MAX && w->copies * (trip ? trip : 1) <= COPIES_MAX &&
           within_space(w->loop);
}

/* The body once for each value. */
static int unroll(struct htmt__walk *w, const struct htmt__syntax *body,
                  const struct htmt__header *h, int64_t trip)
{
    int64_t lower = 0, copies = w->copies;
    int rc = 0;
    htmt__value_is_whole(h->lower[0], &lower);
    h->counter->is_counter = true;
    w->copies *= trip ? trip : 1;
    for (int64_t i = 0; i < trip && !rc; i++) {
        const struct htmt__operand at = htmt__operand_whole(htmt__value_whole(lower + i * h->step));
        htmt__walk_set(h->counter, &at);
        rc = w->statement(w, body);
    }
    w->copies = copies;
    h->counter->is_counter = false;
    h->counter->value = &unknown;
    return rc;
}

static struct htmt__loop *make_loop(struct htmt__walk *w, const struct htmt__syntax *s,
                                    const struct htmt__header *h)
{
    struct htmt__loop *loop = htmt__source_alloc(sizeof *loop);
    const struct htmt__syntax *body = s->child->next->next->next;
    bool repeats = (w->loop->kind == HTMT__LOOP_ROOT || w->loop->kind == HTMT__LOOP_REPEAT) &&
                   htmt__header_has_loops(body) && !htmt__header_is_used(body, h->counter);
    *loop = (struct htmt__loop){.kind = repeats ? HTMT__LOOP_REPEAT : HTMT__LOOP_SPACE,
                                .variable = h->variable,
                                .lowers = h->lowers,
                                .uppers = h->uppers,
                                .step = h->step,
                                .place = s->place,
                                .parent = w->loop};
    memcpy(loop->lower, h->lower, sizeof loop->lower);
    memcpy(loop->upper, h->upper, sizeof loop->upper);
    return loop;
}

static void add_loop(struct htmt__loop *parent, struct htmt__loop *loop)
{
    struct htmt__item *item = htmt__source_alloc(sizeof *item);
    item->loop = loop;
    *(parent->last_item ? parent->last_item : &parent->items) = item;
    parent->last_item = &item->next;
}

static int walk_within(struct htmt__walk *w, const struct htmt__syntax *s,
                       const struct htmt__header *h)
{
    struct htmt__loop *loop = make_loop(w, s, h);
    const struct htmt__operand own = htmt__operand_whole(htmt__value_symbol(h->variable));
    const struct htmt__syntax *body = s->child->next->next->next;
    bool pointers = loop->kind != HTMT__LOOP_REPEAT;
    forget(body, pointers);
    htmt__walk_set(h->counter, &own);
    h->counter->is_counter = true;
    w->loop = loop;
    int rc = w->statement(w, body);
    w->loop = loop->parent;
    h->counter->is_counter = false;
    forget(body, pointers);
    h->counter->value = &unknown;
    if (!rc)
        add_loop(w->loop, loop);
    return rc;
}

static int walk_loop(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__header h;
    int rc = htmt__header_read(w, s, &h);
    if (rc)
        return rc;
    int64_t trip = literal_trip(&h);
    return is_unrolled(w, trip) ? unroll(w, s->child->next->next->next, &h, trip)
                                : walk_within(w, s, &h);
}

static void skip(struct htmt__walk *w)
{
    struct htmt__skipped *left = htmt__source_alloc(sizeof *left);
    *left = (struct htmt__skipped){w->where, w->why, NULL};
    *(w->last_skipped ? w->last_skipped : &w->skipped) = left;
    w->last_skipped = &left->next;
}

/* A loop between nests that cannot be read is left out; within one it takes the nest with it. */
static int loop(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__walk before = *w;
    bool between = w->loop->kind == HTMT__LOOP_ROOT || w->loop->kind == HTMT__LOOP_REPEAT;
    int rc = walk_loop(w, s);
    if (!rc || !between)
        return rc;
    skip(w);
    w->loop = before.loop;
    w->weight = before.weight;
    w->quiet = before.quiet;
    w->copies = before.copies;
    forget(s, true);
    return 0;
}

/* ---- branches -------------------------------------------------------------------------------- */

struct sides {
    struct htmt__walk *walk;
    const struct htmt__syntax *side[2];
};

static int walk_side(void *context, unsigned side)
{
    struct sides *s = context;
    return s->side[side] ? s->walk->statement(s->walk, s->side[side]) : 0;
}

/* Outside of nests only loops and calls of them count. */
static bool is_idle(const struct htmt__walk *w, const struct sides *s)
{
    bool between = w->loop->kind == HTMT__LOOP_ROOT || w->loop->kind == HTMT__LOOP_REPEAT;
    return between && !htmt__header_has_loops(s->side[0]) &&
           (!s->side[1] || !htmt__header_has_loops(s->side[1]));
}

static int walk_branch(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__operand condition;
    struct sides sides = {w, {s->child->next, s->child->next->next}};
    int rc = htmt__walk_expression(w, s->child, &condition);
    if (rc)
        return rc;
    if (htmt__branch_side(&condition) >= 0)
        return htmt__branch(w, &s->place, &condition, walk_side, &sides);
    if (!is_idle(w, &sides))
        rc = htmt__branch(w, &s->place, &condition, walk_side, &sides);
    forget(s->child->next, true);
    if (s->child->next->next)
        forget(s->child->next->next, true);
    return rc;
}

/* Between nests, too, a branch that cannot be read takes only what stands in it. */
static int branch(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__walk before = *w;
    bool between = w->loop->kind == HTMT__LOOP_ROOT || w->loop->kind == HTMT__LOOP_REPEAT;
    int rc = walk_branch(w, s);
    if (!rc || !between || !htmt__header_has_loops(s))
        return rc;
    skip(w);
    w->loop = before.loop;
    w->weight = before.weight;
    return 0;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Between nests a statement without loops may do what is not read. */
static int statement_of(struct htmt__walk *w, const struct htmt__syntax *s)
{
    bool between = w->loop->kind == HTMT__LOOP_ROOT || w->loop->kind == HTMT__LOOP_REPEAT;
    int rc = htmt__walk_statement(w, s);
    if (!rc || !between || htmt__header_has_loops(s))
        return rc;
    forget(s, true);
    return 0;
}

static int block(struct htmt__walk *w, const struct htmt__syntax *s)
{
    int rc = 0;
    for (const struct htmt__syntax *c = s->child; c && !rc; c = c->next) {
        if (w->returned)
            return htmt__walk_refuse(w, &c->place, "found a return before the end of a function");
        rc = statement_of(w, c);
    }
    return rc;
}

static int leave(struct htmt__walk *w, const struct htmt__syntax *s)
{
    int rc = s->child ? htmt__walk_expression(w, s->child, &w->result) : 0;
    if (!rc && w->loop->kind != HTMT__LOOP_ROOT && !w->depth)
        rc = htmt__walk_refuse(w, &s->place, "found a return in a loop");
    w->returned = w->depth > 0;
    return rc;
}

int htmt__walk_statement(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__operand value;
    switch (s->kind) {
    case HTMT__SYNTAX_BLOCK:
        return block(w, s);
    case HTMT__SYNTAX_DECLARE:
        return declare(w, s);
    case HTMT__SYNTAX_FOR:
        return loop(w, s);
    case HTMT__SYNTAX_IF:
        return branch(w, s);
    case HTMT__SYNTAX_RETURN:
        return leave(w, s);
    case HTMT__SYNTAX_EMPTY:
        return 0;
    default:
        return htmt__walk_expression(w, s, &value);
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Marks the functions that others call. */
static void mark_calls(const struct htmt__syntax *s)
{
    if (s->kind == HTMT__SYNTAX_CALL && s->declaration)
        s->declaration->is_called = true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        mark_calls(c);
}

static void walk_function(struct htmt__walk *w, struct htmt__declaration *f)
{
    struct htmt__routine *r = htmt__source_alloc(sizeof *r);
    *r = (struct htmt__routine){f, htmt__source_alloc(sizeof(struct htmt__loop)), NULL};
    *(w->last_routine ? w->last_routine : &w->routines) = r;
    w->last_routine = &r->next;
    for (unsigned i = 0; i < f->parameters; i++)
        f->parameter[i]->value = NULL;
    w->loop = r->root;
    w->weight = (struct htmt__weight){1, 1};
    w->copies = 1;
    w->depth = 0;
    w->returned = false;
    f->is_walked = true;
    if (htmt__walk_statement(w, f->body))
        skip(w);
    f->is_walked = false;
}

static bool was_walked(const struct htmt__walk *w, const struct htmt__declaration *f)
{
    const struct htmt__routine *r = w->routines;
    while (r && r->function != f)
        r = r->next;
    return r != NULL;
}

/* Functions that the ones before call as procedures; those may call others. */
static bool walk_procedures(struct htmt__walk *w, struct htmt__declaration *functions)
{
    bool any = false;
    for (struct htmt__declaration *f = functions; f; f = f->next)
        if (f->is_procedure && !was_walked(w, f)) {
            walk_function(w, f);
            any = true;
        }
    return any;
}

void htmt__walk_functions(struct htmt__walk *w, struct htmt__declaration *functions)
{
    w->call = htmt__walk_call;
    w->statement = htmt__walk_statement;
    for (struct htmt__declaration *f = functions; f; f = f->next) {
        mark_calls(f->body);
        for (unsigned i = 0; i < f->parameters; i++)
            htmt__note_root(w, f->parameter[i]);
    }
    for (struct htmt__declaration *f = functions; f; f = f->next)
        if (!f->is_called && htmt__header_has_loops(f->body))
            walk_function(w, f);
    while (walk_procedures(w, functions))
        continue;
}
