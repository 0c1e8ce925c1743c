/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/walk.h"

#include <stddef.h>
#include <string.h>

enum { UNROLLED_MAX = 64, COPIES_MAX = 4096, LONGER = 8 };

static const struct htmt__operand unknown = {.kind = HTMT__OPERAND_UNKNOWN};

/* ---- variables ------------------------------------------------------------------------------- */

/* The elements that a list starts with are written. */
static void note_list(struct htmt__walk *w, struct htmt__location at, const struct htmt__syntax *s)
{
    const struct htmt__declaration *d = at.root;
    const struct htmt__syntax element = {
        .type = d->element, .bytes = d->element_bytes & 0xff, .place = s->place};
    int64_t i = 0;
    if (at.dimensions++ == HTMT__DIMENSIONS_MAX || d->element == HTMT__TYPE_OTHER)
        return;
    for (const struct htmt__syntax *c = s->child; c; c = c->next) {
        at.subscript[at.dimensions - 1] = htmt__value_whole(i++);
        if (c->kind == HTMT__SYNTAX_LIST)
            note_list(w, at, c);
        else
            htmt__note_access(w, HTMT__WRITE, &at, &element);
    }
}

static int declare(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__declaration *d = s->declaration;
    struct htmt__operand value;
    d->value = NULL;
    if (!s->child)
        return 0;
    int rc = htmt__walk_expression(w, s->child, &value);
    if (!rc && d->is_array && s->child->kind == HTMT__SYNTAX_LIST)
        note_list(w, (struct htmt__location){.path = htmt__note_root(w, d), .root = d}, s->child);
    if (rc || value.kind == HTMT__OPERAND_FRESH || d->is_array || d->type == HTMT__TYPE_OTHER ||
        (d->type == HTMT__TYPE_POINTER && value.kind == HTMT__OPERAND_UNKNOWN &&
         htmt__walk_between(w)))
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

/* A loop over space stands around: one that is longer than what is multiplied out, or much longer
 * than this one. */
static bool within_space(const struct htmt__loop *loop, int64_t trip)
{
    for (; loop->kind != HTMT__LOOP_ROOT && loop->kind != HTMT__LOOP_REPEAT; loop = loop->parent) {
        int64_t lower, upper;
        bool literal = loop->kind == HTMT__LOOP_SPACE && loop->lowers == 1 && loop->uppers == 1 &&
                       htmt__value_is_whole(loop->lower[0], &lower) &&
                       htmt__value_is_whole(loop->upper[0], &upper) &&
                       (upper - lower) / loop->step < UNROLLED_MAX &&
                       (upper - lower) / loop->step < LONGER * trip;
        if (loop->kind == HTMT__LOOP_SPACE && !literal)
            return true;
    }
    return false;
}

static bool is_unrolled(const struct htmt__walk *w, int64_t trip)
{
    return trip >= 0 && trip <= UNROLLED_MAX && w->copies * (trip ? trip : 1) <= COPIES_MAX &&
           within_space(w->loop, trip);
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
    bool repeats =
        htmt__walk_between(w) && htmt__scan_has_loops(body) && !htmt__scan_names(body, h->counter);
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

/* ---- what is left out -------------------------------------------------------------------------
 */

/* The walk goes on behind what it refused. */
static void go_on(struct htmt__walk *w, const struct htmt__walk *before)
{
    w->loop = before->loop;
    w->weight = before->weight;
    w->quiet = before->quiet;
    w->copies = before->copies;
}

/* ---- loops within loops ------------------------------------------------------------------------
 */

static void add_loop(struct htmt__loop *parent, struct htmt__loop *loop)
{
    struct htmt__item *item = htmt__source_alloc(sizeof *item);
    item->loop = loop;
    *(parent->last_item ? parent->last_item : &parent->items) = item;
    parent->last_item = &item->next;
}

/* What ends the passes of a loop early. */
static void list_exits(struct htmt__walk *w, const struct htmt__syntax *s, bool within)
{
    bool leaves = s->kind == HTMT__SYNTAX_RETURN ||
                  (s->kind == HTMT__SYNTAX_JUMP && (!within || strcmp(s->name, "goto") == 0));
    if (leaves)
        htmt__walk_list(w, &s->place,
                        htmt__source_print("found %s, but all passes of the loop around it count",
                                           s->name ? s->name : "a return"));
    within |= s->kind == HTMT__SYNTAX_FOR || s->kind == HTMT__SYNTAX_PASSES ||
              s->kind == HTMT__SYNTAX_OTHER;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        list_exits(w, c, within);
}

/* The values that pointers have in the first pass must serve for all. */
static int check_passes(struct htmt__walk *w, const struct htmt__syntax *body)
{
    const struct htmt__syntax *moved = htmt__scan_moved(body);
    return moved ? htmt__walk_refuse(w, &moved->place, "found a pointer that moves: '%s'",
                                     moved->child->declaration->name)
                 : 0;
}

static int walk_within(struct htmt__walk *w, const struct htmt__syntax *s,
                       const struct htmt__header *h)
{
    struct htmt__loop *loop = make_loop(w, s, h);
    const struct htmt__operand own = htmt__operand_whole(htmt__value_symbol(h->variable));
    const struct htmt__syntax *body = s->child->next->next->next;
    bool repeats = loop->kind == HTMT__LOOP_REPEAT;
    int rc = repeats ? check_passes(w, body) : 0;
    if (rc)
        return rc;
    htmt__forget(NULL, body, !repeats);
    htmt__walk_set(h->counter, &own);
    h->counter->is_counter = true;
    w->loop = loop;
    rc = w->statement(w, body);
    w->loop = loop->parent;
    h->counter->is_counter = false;
    htmt__forget(NULL, body, !repeats);
    h->counter->value = &unknown;
    if (rc)
        return rc;
    add_loop(w->loop, loop);
    if (repeats)
        list_exits(w, body, false);
    return 0;
}

/* What the condition names stays as it is in the body. */
static int check_header(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__syntax *condition = s->child->next, *body = condition->next->next,
                              *changed = htmt__scan_changed(condition, body);
    return changed ? htmt__walk_refuse(w, &s->place,
                                       "found a loop that changes its variable or bound%s%s in "
                                       "its body",
                                       changed->declaration ? " " : "",
                                       changed->declaration ? changed->declaration->name : "")
                   : 0;
}

static int walk_loop(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__header h;
    int rc = htmt__header_read(w, s, &h);
    if (!rc)
        rc = check_header(w, s);
    if (rc)
        return rc;
    int64_t trip = literal_trip(&h);
    return is_unrolled(w, trip) ? unroll(w, s->child->next->next->next, &h, trip)
                                : walk_within(w, s, &h);
}

/* A loop between nests that cannot be read is left out; within one it takes the nest with it. */
static int loop(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__walk before = *w;
    int rc = walk_loop(w, s);
    if (!rc || !htmt__walk_between(&before))
        return rc;
    htmt__walk_list(w, &w->where, w->why);
    go_on(w, &before);
    htmt__forget(w->loop, s, true);
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
    return htmt__walk_between(w) && !htmt__scan_has_loops(s->side[0]) &&
           (!s->side[1] || !htmt__scan_has_loops(s->side[1]));
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
    htmt__forget(w->loop, s->child->next, true);
    if (s->child->next->next)
        htmt__forget(w->loop, s->child->next->next, true);
    return rc;
}

/* Between nests, too, a branch that cannot be read takes only what stands in it. */
static int branch(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__walk before = *w;
    int rc = walk_branch(w, s);
    if (!rc || !htmt__walk_between(&before) || !htmt__scan_has_loops(s))
        return rc;
    htmt__walk_list(w, &w->where, w->why);
    go_on(w, &before);
    return 0;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Between nests a statement without loops may do what is not read. */
static int statement_of(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__walk before = *w;
    int rc = htmt__walk_statement(w, s);
    if (!rc || !htmt__walk_between(&before))
        return rc;
    if (htmt__scan_has_loops(s))
        htmt__walk_list(w, &w->where, w->why);
    go_on(w, &before);
    htmt__forget(w->loop, s, true);
    return 0;
}

/* Between nests the loops in it are read as in one pass. */
static int walk_passes(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__loop *once = htmt__source_alloc(sizeof *once), *around = w->loop;
    int rc = check_passes(w, s);
    *once = (struct htmt__loop){.kind = HTMT__LOOP_REPEAT, .parent = around};
    w->loop = once;
    for (const struct htmt__syntax *c = s->child; c && !rc; c = c->next)
        rc = statement_of(w, c);
    w->loop = around;
    if (rc)
        return rc;
    htmt__walk_list(
        w, &s->place,
        htmt__source_print(once->items ? "found %s, whose loops count once" : "found %s", s->name));
    if (once->items) {
        *(around->last_item ? around->last_item : &around->items) = once->items;
        around->last_item = once->last_item;
    }
    return 0;
}

static int passes(struct htmt__walk *w, const struct htmt__syntax *s)
{
    int rc = 0;
    if (!htmt__walk_between(w))
        return htmt__walk_refuse(w, &s->place, "found %s", s->name);
    htmt__forget(NULL, s, false);
    if (htmt__scan_has_loops(s))
        rc = walk_passes(w, s);
    htmt__forget(w->loop, s, true);
    return rc;
}

/* Where a goto leads to, all that the function changes may have changed. */
static int label(struct htmt__walk *w, const struct htmt__syntax *s)
{
    if (!htmt__walk_between(w))
        return htmt__walk_refuse(w, &s->place, "found %s", s->name);
    htmt__forget(w->loop, w->body, true);
    if (htmt__scan_has_loops(s))
        htmt__walk_list(w, &s->place, "found a label, behind which loops count once");
    return statement_of(w, s->child);
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
    case HTMT__SYNTAX_PASSES:
        return passes(w, s);
    case HTMT__SYNTAX_LABEL:
        return label(w, s);
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

/* Whole numbers that are asked for, and arrays. */
static void name_variables(struct htmt__walk *w, const struct htmt__syntax *s)
{
    if (s->kind == HTMT__SYNTAX_DECLARE &&
        (s->type == HTMT__TYPE_POINTER || (s->type == HTMT__TYPE_WHOLE && s->child)))
        htmt__note_root(w, s->declaration);
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (s->kind != HTMT__SYNTAX_FOR)
            name_variables(w, c);
}

/* What no other function calls has the names that a user knows: before those of procedures. */
static void name_all(struct htmt__walk *w, struct htmt__declaration *functions, bool called)
{
    for (struct htmt__declaration *f = functions; f; f = f->next)
        for (unsigned i = 0; i < f->parameters && f->is_called == called; i++)
            htmt__note_root(w, f->parameter[i]);
    for (struct htmt__declaration *f = functions; f && !called; f = f->next)
        if (!f->is_called)
            name_variables(w, f->body);
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
    w->body = f->body;
    f->is_walked = true;
    if (htmt__walk_statement(w, f->body))
        htmt__walk_list(w, &w->where, w->why);
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
    for (struct htmt__declaration *f = functions; f; f = f->next)
        mark_calls(f->body);
    name_all(w, functions, false);
    name_all(w, functions, true);
    for (struct htmt__declaration *f = functions; f; f = f->next)
        if (!f->is_called && htmt__scan_has_loops(f->body))
            walk_function(w, f);
    while (walk_procedures(w, functions))
        continue;
    /* Called from what is left out alone. */
    for (struct htmt__declaration *f = functions; f; f = f->next)
        if (!f->is_entered && !was_walked(w, f) && htmt__scan_has_loops(f->body))
            walk_function(w, f);
    while (walk_procedures(w, functions))
        continue;
}
