/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The walk over statements, and over the functions of the sources.
 *
 * It stands in one of two states. *Between nests* (in a function, or in a loop around whole nests
 * that they do not depend on) statements only prepare values: what cannot be read there is
 * forgotten, and only loops matter. *Within a nest* everything counts once per iteration. A
 * statement that cannot be read is left out of it alone: it is walked aside, so that nothing of it
 * has been noted, it is listed with its place and its loop, and the walk goes on behind it, with
 * what the statement changes forgotten. Only what ends a loop early (break, goto) takes along that
 * loop, whose iterations are not known then. So a file always says what it leaves out, and no loop
 * around what is left out is lost.
 *
 * A loop's body is walked once, for all iterations: its counter stands for itself, and what the
 * body changes is not known while it runs nor behind it (htmt__forget). A short loop of constant
 * length in a nest is different: its body is walked once for each value, as compilers unroll it, so
 * that for (int c = 0; c < 3; c++) f[c] += a[i] * w[c]; in a loop over i gives three
 * multiplications and reads w[0], w[1], w[2].
 *
 * Functions that nobody calls are walked first: their parameters keep the names that the user
 * knows. Those called between nests follow as procedures, then those that only skipped code calls.
 */
#include "emul/tools/analyze/domain.h"
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/nests.h"
#include "emul/tools/analyze/walk.h"

#include <stddef.h>
#include <string.h>

enum { UNROLLED_MAX = 64, COPIES_MAX = 4096, LONGER = 8, FORKS_MAX = 6, CALLS_MAX = 8 };

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
    /* In a function a whole number that is not known becomes a parameter. */
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

static int statement_of(struct htmt__walk *w, const struct htmt__syntax *s);
static int statement_in(struct htmt__walk *w, const struct htmt__syntax *s, bool block);

/* ---- loops ----------------------------------------------------------------------------------- */

/* The iterations of a loop whose ends are numbers; -1: they are not. */
static int64_t trip_of(const struct htmt__header *h)
{
    int64_t lower, upper;
    if (h->lowers != 1 || h->uppers != 1 || !htmt__value_is_whole(h->lower[0], &lower) ||
        !htmt__value_is_whole(h->upper[0], &upper))
        return -1;
    return upper < lower ? 0 : (upper - lower) / h->step + 1;
}

/* Short enough, and in a loop over space: one that is longer than what is multiplied out, or much
 * longer than this one. So a nest of three short loops keeps its outermost one. Where a table says
 * which words the body touches, any loop around will do. */
static bool is_unrolled(struct htmt__walk *w, const struct htmt__syntax *body, int64_t trip)
{
    if (trip < 0 || trip > UNROLLED_MAX || w->copies * (trip ? trip : 1) > COPIES_MAX)
        return false;
    const bool always = w->loop->kind != HTMT__LOOP_ROOT && htmt__table_places(w, body);
    for (const struct htmt__loop *l = w->loop;
         l->kind != HTMT__LOOP_ROOT && l->kind != HTMT__LOOP_REPEAT; l = l->parent) {
        int64_t lower, upper;
        bool is_short =
            l->lowers == 1 && l->uppers == 1 && htmt__value_is_whole(l->lower[0], &lower) &&
            htmt__value_is_whole(l->upper[0], &upper) && (upper - lower) / l->step < UNROLLED_MAX &&
            (upper - lower) / l->step < LONGER * trip;
        if (l->kind == HTMT__LOOP_SPACE && (always || !is_short))
            return true;
    }
    return false;
}

/* The body once for each value. */
static int unroll(struct htmt__walk *w, const struct htmt__syntax *body,
                  const struct htmt__header *h, int64_t trip)
{
    const int64_t copies = w->copies;
    int rc = 0;
    h->counter->is_counter = true;
    w->copies *= trip ? trip : 1;
    for (int64_t i = 0; i < trip && !rc; i++) {
        const htmt__value way = htmt__value_whole(i * h->step);
        const struct htmt__operand at = htmt__operand_whole(
            h->down ? htmt__value_sub(h->upper[0], way) : htmt__value_add(h->lower[0], way));
        htmt__walk_set(h->counter, &at);
        rc = statement_of(w, body);
        w->continued = false;
    }
    w->copies = copies;
    h->counter->is_counter = false;
    const struct htmt__operand left = htmt__moved_left(w, h);
    htmt__walk_set(h->counter, &left);
    return rc;
}

/* Behind what was refused the walk goes on as before it. */
static void go_on(struct htmt__walk *w, const struct htmt__walk *before)
{
    w->loop = before->loop;
    w->weight = before->weight;
    w->quiet = before->quiet;
    w->copies = before->copies;
    w->jumps = false;
    w->continued = false;
    w->forked = false;
    w->pieces = 0;
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
static int check_pointers(struct htmt__walk *w, const struct htmt__syntax *body)
{
    const struct htmt__syntax *moved = htmt__scan_moved(body);
    return moved ? htmt__walk_refuse(w, &moved->place, "found a pointer that moves: '%s'",
                                     moved->child->declaration->name)
                 : 0;
}

/* What numbers and pointers hold before statements that are walked more than once. */
struct kept {
    struct htmt__declaration *of;
    const struct htmt__operand *value;
    struct kept *next;
};

static struct kept *keep(const struct htmt__syntax *s, struct kept *more)
{
    const bool sets = s->kind == HTMT__SYNTAX_ASSIGN ||
                      (s->kind == HTMT__SYNTAX_UNARY &&
                       (s->op == HTMT__OP_INCREMENT || s->op == HTMT__OP_DECREMENT));
    struct htmt__declaration *d = s->kind == HTMT__SYNTAX_DECLARE ? s->declaration
                                  : sets && s->child->kind == HTMT__SYNTAX_NAME
                                      ? s->child->declaration
                                      : NULL;
    if (d) {
        struct kept *own = htmt__source_alloc(sizeof *own);
        *own = (struct kept){d, d->value, more};
        more = own;
    }
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        more = keep(c, more);
    return more;
}

/* ---- pointers that are exchanged between turns ----------------------------------------------- */

static bool is_pointer_member(const struct htmt__syntax *s)
{
    return s->kind == HTMT__SYNTAX_MEMBER && s->type == HTMT__TYPE_POINTER;
}

/* What functions called in a repeat exchange: pointers of the whole program, or `*p` of their
 * caller. */
static bool is_pointer_of_others(const struct htmt__syntax *s)
{
    if (s->type != HTMT__TYPE_POINTER)
        return false;
    if (s->kind == HTMT__SYNTAX_UNARY)
        return s->op == HTMT__OP_DEREFERENCE;
    return s->kind == HTMT__SYNTAX_NAME && !s->declaration->is_local &&
           !s->declaration->is_parameter;
}

/* Whether the statements, or what they call, set the pointer, too. */
static bool is_set(const struct htmt__syntax *s, const struct htmt__syntax *of, unsigned depth)
{
    const struct htmt__syntax *to = s->kind == HTMT__SYNTAX_ASSIGN ? s->child : NULL;
    if (to && to->kind == of->kind &&
        (to->kind == HTMT__SYNTAX_MEMBER ? strcmp(to->name, of->name) == 0
         : to->kind == HTMT__SYNTAX_NAME ? to->declaration == of->declaration
                                         : true))
        return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (is_set(c, of, depth))
            return true;
    return s->kind == HTMT__SYNTAX_CALL && s->declaration && s->declaration->body &&
           depth < CALLS_MAX && is_set(s->declaration->body, of, depth + 1);
}

/* An array of a struct is known by the name of its member, so `s->now = s->next` gives a turn other
 * arrays than the nest file says. Only the first one is listed; true: it was. */
static bool list_exchange(struct htmt__walk *w, const struct htmt__syntax *body,
                          const struct htmt__syntax *s, unsigned depth)
{
    const bool sets = s->kind == HTMT__SYNTAX_ASSIGN && s->op == HTMT__OP_NONE;
    if (sets &&
        ((is_pointer_member(s->child) && is_pointer_member(s->child->next)) ||
         (depth && is_pointer_of_others(s->child) && is_pointer_of_others(s->child->next))) &&
        is_set(body, s->child->next, 0)) {
        const struct htmt__syntax *to = s->child;
        const char *name = to->kind == HTMT__SYNTAX_MEMBER ? to->name
                           : to->kind == HTMT__SYNTAX_NAME ? to->declaration->name
                                                           : "*";
        const char *of = to->kind == HTMT__SYNTAX_UNARY && to->child->kind == HTMT__SYNTAX_NAME
                             ? to->child->declaration->name
                             : "";
        htmt__walk_list(w, &s->place,
                        htmt__source_print("found a pointer that holds something else in each "
                                           "turn: '%s%s'; the first turn counts for all",
                                           name, of));
        return true;
    }
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (list_exchange(w, body, c, depth))
            return true;
    return s->kind == HTMT__SYNTAX_CALL && s->declaration && s->declaration->body &&
           depth < CALLS_MAX && list_exchange(w, body, s->declaration->body, depth + 1);
}

/* A time loop often ends with `tmp = from, from = to, to = tmp`: the next turn reads what this one
 * wrote. The body of a repeat is walked once for all turns, so such a body is walked again, with
 * what the pointers hold then, until they hold what they held at first: two times if two arrays
 * change places, three times if three go round. A turn of the repeat is then all of these.
 *
 *     for (t = 0; t < T; t++)                      repeat: floor(T/2)
 *         step(to, from), exchange;                    step(b, a), step(a, b)
 *                                                  repeat: floor((T+1)/2)-floor(T/2)
 *                                                      step(b, a)
 *
 * The turns that are left come behind it. Pointers that do not come back within TURNS_MAX turns,
 * and loops some of whose turns differ by their number, are listed; there the first turn counts. */
enum { TURNS_MAX = 8 };

static bool hold_same(const struct htmt__operand *a, const struct htmt__operand *b)
{
    return a->kind == HTMT__OPERAND_POINTER && b->kind == HTMT__OPERAND_POINTER && a->at.path &&
           b->at.path && strcmp(a->at.path, b->at.path) == 0 && a->at.root == b->at.root &&
           htmt__value_same(a->whole, b->whole);
}

/* Of what a body sets, the pointers that outlive it. */
static struct kept *keep_pointers(const struct htmt__syntax *body)
{
    struct kept *all = keep(body, NULL), *pointers = NULL;
    for (struct kept *k = all, *next; k; k = next) {
        const struct kept *known = pointers;
        next = k->next;
        while (known && known->of != k->of)
            known = known->next;
        if (known || k->of->type != HTMT__TYPE_POINTER || htmt__scan_declares(body, k->of))
            continue;
        k->next = pointers;
        pointers = k;
    }
    return pointers;
}

/* Whether one of the pointers holds `value`, now or before the body. */
static bool is_held(struct htmt__walk *w, const struct kept *kept,
                    const struct htmt__operand *value, bool before)
{
    for (const struct kept *k = kept; k; k = k->next) {
        const struct htmt__operand own =
            htmt__operand_held(w, k->of, before ? k->value : k->of->value);
        if (hold_same(&own, value))
            return true;
    }
    return false;
}

/* A pointer that holds what another one held before it, while a third one
 * holds what was its own; NULL: there is none. One that is set anew in each turn, as tmp above, is
 * no such pointer. */
static const struct kept *exchanged(struct htmt__walk *w, const struct kept *kept)
{
    for (const struct kept *k = kept; k; k = k->next) {
        const struct htmt__operand now = htmt__operand_held(w, k->of, k->of->value),
                                   own = htmt__operand_held(w, k->of, k->value);
        if (!hold_same(&now, &own) && is_held(w, kept, &now, true) && is_held(w, kept, &own, false))
            return k;
    }
    return NULL;
}

/* Whether some turns differ from others by their number. */
static bool has_views(const struct htmt__loop *loop)
{
    for (const struct htmt__item *i = loop->items; i; i = i->next)
        if (i->loop && i->loop->of)
            return true;
    return false;
}

static void put_loop(struct htmt__walk *w, struct htmt__loop *loop)
{
    struct htmt__item *item = htmt__source_alloc(sizeof *item);
    item->loop = loop;
    *(w->loop->last_item ? w->loop->last_item : &w->loop->items) = item;
    w->loop->last_item = &item->next;
}

/* The turn numbered `turn` of those that are left, where there are `trip` in all. */
static int put_rest(struct htmt__walk *w, const struct htmt__syntax *body, htmt__value trip,
                    const struct htmt__loop *all, int64_t turn, int64_t turns)
{
    struct htmt__loop *rest = htmt__source_alloc(sizeof *rest), *around = w->loop;
    const htmt__value more = htmt__value_add(trip, htmt__value_whole(turns - 1 - turn));
    int64_t number;
    *rest = (struct htmt__loop){.kind = HTMT__LOOP_REPEAT,
                                .variable = all->variable,
                                .lowers = 1,
                                .uppers = 1,
                                .step = 1,
                                .place = all->place,
                                .parent = around,
                                .lower[0] = htmt__value_whole(1)};
    rest->upper[0] =
        htmt__value_sub(htmt__value_is_whole(more, &number)
                            ? htmt__value_whole(number / turns)
                            : htmt__names_derived(&w->names, HTMT__DERIVED_FLOOR, more, turns),
                        all->upper[0]);
    if (htmt__value_is_whole(rest->upper[0], &number) && number < 1)
        return 0;
    w->loop = rest;
    int rc = statement_of(w, body);
    w->loop = around;
    if (!rc)
        put_loop(w, rest);
    return rc;
}

/* Puts the loop, whose body was walked once, into its parent, behind it what is left of a repeat.
 */
static int walk_turns(struct htmt__walk *w, const struct htmt__syntax *body,
                      struct htmt__loop *loop, const struct kept *kept)
{
    const struct kept *moved = exchanged(w, kept);
    const struct htmt__loop first = *loop;
    htmt__value trip = NULL;
    int64_t turns = 1, number;
    int rc = 0;
    if (!moved) {
        put_loop(w, loop);
        return 0;
    }
    if (loop->step == 1 && loop->lowers == 1 && loop->uppers == 1 && !has_views(loop))
        trip =
            htmt__value_add(htmt__value_sub(loop->upper[0], loop->lower[0]), htmt__value_whole(1));
    if (trip && !htmt__names_fixed(&w->names, trip))
        trip = NULL;
    w->loop = loop;
    for (; trip && !rc && exchanged(w, kept) && turns < TURNS_MAX; turns++)
        rc = statement_of(w, body);
    w->loop = loop->parent;
    if (rc)
        return rc;
    if (!trip || exchanged(w, kept) || has_views(loop)) {
        *loop = first;
        if (loop->last_item)
            *loop->last_item = NULL;
        htmt__walk_list(w, &loop->place,
                        htmt__source_print("found a pointer that holds something else in each "
                                           "turn: '%s'; the first turn counts for all",
                                           moved->of->name));
        put_loop(w, loop);
        return 0;
    }
    loop->lower[0] = htmt__value_whole(1);
    loop->upper[0] = htmt__value_is_whole(trip, &number)
                         ? htmt__value_whole(number > 0 ? number / turns : 0)
                         : htmt__names_derived(&w->names, HTMT__DERIVED_FLOOR, trip, turns);
    put_loop(w, loop);
    for (int64_t i = 0; i < turns - 1 && !rc; i++)
        rc = put_rest(w, body, trip, loop, i, turns);
    return rc;
}

/* Around whole nests that do not use its variable it is a repetition of them. */
static int walk_within(struct htmt__walk *w, const struct htmt__syntax *s,
                       const struct htmt__header *h)
{
    struct htmt__loop *loop = htmt__source_alloc(sizeof *loop);
    const struct htmt__syntax *body = s->child->next->next->next;
    const struct htmt__moved *moved = htmt__moved_find(w, body);
    bool repeats = htmt__walk_between(w) && htmt__scan_has_loops(body) &&
                   !htmt__scan_steers(body, h->counter) && !htmt__moved_pointers(moved);
    *loop = (struct htmt__loop){.kind = repeats ? HTMT__LOOP_REPEAT : HTMT__LOOP_SPACE,
                                .variable = h->variable,
                                .lowers = h->lowers,
                                .uppers = h->uppers,
                                .step = h->step,
                                .down = h->down,
                                .place = s->place,
                                .parent = w->loop};
    memcpy(loop->lower, h->lower, sizeof loop->lower);
    memcpy(loop->upper, h->upper, sizeof loop->upper);
    int rc = repeats ? check_pointers(w, body) : 0;
    if (rc)
        return rc;
    const struct kept *kept = repeats ? keep_pointers(body) : NULL;
    htmt__forget(NULL, body, !repeats);
    const htmt__value counter = htmt__moved_set(w, loop, repeats ? NULL : moved);
    if (!counter)
        return htmt__walk_refuse(w, &s->place,
                                 "found a loop down by steps over a range that "
                                 "another loop moves");
    const struct htmt__operand own = htmt__operand_whole(counter);
    htmt__walk_set(h->counter, &own);
    h->counter->is_counter = true;
    w->loop = loop;
    rc = statement_of(w, body);
    w->continued = false;
    if (!rc && w->returned)
        rc = htmt__walk_refuse(w, &s->place, "found a return in a loop");
    w->loop = loop->parent;
    if (!rc)
        rc = walk_turns(w, body, loop, kept);
    h->counter->is_counter = false;
    htmt__forget(NULL, body, !repeats);
    const struct htmt__operand left = htmt__moved_left(w, h);
    htmt__walk_set(h->counter, &left);
    if (rc)
        return rc;
    if (!repeats)
        return 0;
    list_exits(w, body, false);
    list_exchange(w, body, body, 0);
    return 0;
}

static int walk_loop(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__header h;
    int rc = htmt__header_read(w, s, &h);
    if (rc)
        return rc;
    /* What the condition names stays as it is in the body. */
    const struct htmt__syntax *condition = s->child->next, *body = condition->next->next,
                              *changed = htmt__scan_changed(condition, body);
    if (changed)
        return htmt__walk_refuse(w, &s->place,
                                 "found a loop that changes its variable or bound%s%s in its body",
                                 changed->declaration ? " " : "",
                                 changed->declaration ? changed->declaration->name : "");
    int64_t trip = trip_of(&h), length;
    /* Sides of a branch are weighed against each other, and loops cannot be. */
    if (trip < 0 && w->loop->kind == HTMT__LOOP_BRANCH && h.lowers == 1 && h.uppers == 1 &&
        htmt__value_is_whole(htmt__value_sub(h.upper[0], h.lower[0]), &length) &&
        is_unrolled(w, body, length < 0 ? 0 : length / h.step + 1))
        return unroll(w, body, &h, length < 0 ? 0 : length / h.step + 1);
    return is_unrolled(w, body, trip) || htmt__table_loop(w, body, trip) ? unroll(w, body, &h, trip)
                                                                         : walk_within(w, s, &h);
}

/* Whether the loop has other loops in it, itself or in what it calls: a refusal takes them along.
 */
static bool has_inner(const struct htmt__syntax *s)
{
    const struct htmt__syntax *body = s->child;
    while (body && body->next)
        body = body->next;
    return body && htmt__scan_has_loops(body);
}

/* A loop whose head cannot be read, or which ends early, is left out. */
static int loop(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__walk before = *w;
    int rc = walk_loop(w, s);
    w->jumps = false;
    if (!rc || w->pieces)
        return rc;
    if (has_inner(s) && (w->where.line != s->place.line || w->where.column != s->place.column))
        w->why = htmt__source_print("%s; all of the loop of line %u is left out with it", w->why,
                                    s->place.line);
    if (!htmt__walk_between(&before))
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

static bool is_taken(const struct htmt__walk *w, const struct htmt__syntax *s)
{
    for (unsigned i = 0; i < w->takens; i++)
        if (w->taken[i].line == s->place.line &&
            (!w->taken[i].file || strcmp(w->taken[i].file, s->place.file) == 0))
            return true;
    return false;
}

/* Drivers in Fortran choose between methods by settings that are not seen: no kernel is lost for
 * it. */
static int both_sides(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__syntax *first = s->child->next, *second = first->next;
    htmt__walk_list(w, &s->place, "found a branch that data decide, whose loops all count once");
    int rc = statement_of(w, first);
    if (!rc && second)
        rc = statement_of(w, second);
    htmt__forget(w->loop, first, true);
    if (second)
        htmt__forget(w->loop, second, true);
    return rc;
}

/* What never runs has no functions that something else must call. */
static void mark_dead(const struct htmt__syntax *s)
{
    if (s->kind == HTMT__SYNTAX_CALL && s->declaration)
        s->declaration->is_entered = true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        mark_dead(c);
}

static bool reads_file(const struct htmt__syntax *s)
{
    if (s->kind == HTMT__SYNTAX_CALL && htmt__known_input(s->name))
        return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (reads_file(c))
            return true;
    return false;
}

/* Of a branch that reads settings from a file or else sets them, the side that sets them: a file
 * that need not be there is taken not to be. NULL: it is no such branch. */
static const struct htmt__syntax *defaults(const struct htmt__syntax *first,
                                           const struct htmt__syntax *second)
{
    const bool reads = reads_file(first);
    return !second || reads == reads_file(second) ? NULL : reads ? second : first;
}

/* Outside of nests only loops and calls of them count; and a branch that cannot be read takes only
 * what stands in it. */
static int branch(struct htmt__walk *w, const struct htmt__syntax *s)
{
    const struct htmt__walk before = *w;
    const struct htmt__syntax *first = s->child->next, *second = first->next;
    struct sides sides = {w, {first, second}};
    struct htmt__operand condition;
    const bool loops = htmt__scan_has_loops(first) || (second && htmt__scan_has_loops(second));
    int truth = -1,
        rc = htmt__walk_between(w) && !loops ? 0 : htmt__domain_decide(w, s->child, &truth);
    /* Settings of Fortran programs choose between methods of which all count. */
    if (rc && w->is_fortran && htmt__walk_between(w) && w->pieces && w->piece[0]->where &&
        htmt__names_fixed(&w->names, w->piece[0]->where->value)) {
        go_on(w, &before);
        rc = 0;
        truth = -1;
    }
    if (rc || truth >= 0) {
        const struct htmt__syntax *side = truth ? first : second, *other = truth ? second : first;
        if (!rc && other)
            mark_dead(other);
        return rc || !side ? rc : statement_of(w, side);
    }
    if (htmt__walk_between(w) && defaults(first, second)) {
        const struct htmt__syntax *set = defaults(first, second);
        htmt__forget(w->loop, set == first ? second : first, true);
        return statement_of(w, set);
    }
    rc = htmt__walk_expression(w, s->child, &condition);
    const bool known = !rc && htmt__branch_side(&condition) >= 0;
    if (w->is_fortran && !known && htmt__walk_between(&before) && !is_taken(w, s) && loops) {
        go_on(w, &before);
        return both_sides(w, s);
    }
    bool idle = rc || (htmt__walk_between(w) && !known && !loops);
    if (!idle)
        rc = htmt__branch(w, &s->place, &condition, walk_side, &sides);
    if (!rc && !known) {
        htmt__forget(w->loop, first, true);
        if (second)
            htmt__forget(w->loop, second, true);
    }
    if (!rc || w->pieces || !htmt__walk_between(&before) || !htmt__scan_has_loops(s))
        return rc;
    htmt__walk_list(w, &w->where, w->why);
    go_on(w, &before);
    return 0;
}

/* ---- statements ------------------------------------------------------------------------------ */

struct simple {
    struct htmt__walk *walk;
    const struct htmt__syntax *statement;
};

static int walk_simple(void *context, unsigned side)
{
    const struct simple *s = context;
    (void)side;
    return htmt__walk_statement(s->walk, s->statement);
}

/* Nothing is noted of a statement that cannot be read. */
static int read_aside(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct simple simple = {w, s};
    struct htmt__loop *aside = htmt__source_alloc(sizeof *aside);
    int rc = htmt__walk_aside(w, HTMT__LOOP_ASIDE, walk_simple, &simple, 0, aside);
    if (!rc)
        htmt__note_all(w, w->loop, aside);
    return rc;
}

/* Whether the statement leaves a number or pointer behind that others may use, or may leave out
 * what follows; heads of loops leave none. */
static bool leaves_values(const struct htmt__syntax *s)
{
    const struct htmt__syntax *body = s->child;
    while (s->kind == HTMT__SYNTAX_FOR && body && body->next)
        body = body->next;
    if (s->kind == HTMT__SYNTAX_FOR)
        return body && leaves_values(body);
    if (s->kind == HTMT__SYNTAX_JUMP)
        return true;
    const bool sets = s->kind == HTMT__SYNTAX_ASSIGN || s->kind == HTMT__SYNTAX_DECLARE ||
                      (s->kind == HTMT__SYNTAX_UNARY &&
                       (s->op == HTMT__OP_INCREMENT || s->op == HTMT__OP_DECREMENT));
    const struct htmt__syntax *place = s->kind == HTMT__SYNTAX_DECLARE ? s : s->child;
    if (sets && (place->type == HTMT__TYPE_WHOLE || place->type == HTMT__TYPE_POINTER) &&
        (place == s || place->kind == HTMT__SYNTAX_NAME))
        return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (leaves_values(c))
            return true;
    return false;
}

/* The statement, with those behind it, in each of the views that a condition in it asks for. */
static int walk_pieces(struct htmt__walk *w, const struct htmt__walk *before,
                       const struct htmt__syntax *s, bool rest)
{
    struct htmt__loop *around = before->loop, *piece[32];
    const unsigned pieces = w->pieces;
    const struct htmt__source_place place = w->split_at;
    struct kept *kept = NULL;
    int rc = 0;
    memcpy(piece, w->piece, sizeof piece);
    for (const struct htmt__syntax *c = s; c; c = rest ? c->next : NULL)
        kept = keep(c, kept);
    for (unsigned i = 0; i < pieces && !rc; i++) {
        go_on(w, before);
        w->loop = piece[i];
        piece[i]->place = place;
        for (struct kept *k = kept; k && i; k = k->next)
            k->of->value = k->value;
        for (const struct htmt__syntax *c = s; c && !rc && !w->continued && !w->forked;
             c = rest ? c->next : NULL) {
            const struct htmt__walk own = *w;
            rc = statement_in(w, c, rest);
            if (rc && w->pieces) {
                rc = walk_pieces(w, &own, c, rest);
                break;
            }
        }
        w->loop = around;
        w->forked = false;
        if (rc || (!piece[i]->items && !piece[i]->work.accesses && !piece[i]->work.states &&
                   !htmt__nests_has_work(piece[i])))
            continue;
        struct htmt__item *item = htmt__source_alloc(sizeof *item);
        item->loop = piece[i];
        *(around->last_item ? around->last_item : &around->items) = item;
        around->last_item = &item->next;
    }
    w->continued = false;
    for (const struct htmt__syntax *c = s; c; c = rest ? c->next : NULL)
        htmt__forget(around, c, true);
    return rc;
}

/* The statement and the rest of its block, as one branch. *done: they are walked. */
static int walk_forked(struct htmt__walk *w, const struct htmt__syntax *s, bool *done)
{
    const struct htmt__walk before = *w;
    w->forks++;
    int rc = read_aside(w, s);
    w->forks = before.forks;
    *done = !rc || w->pieces;
    if (rc && w->pieces && w->loop->kind != HTMT__LOOP_ASIDE && w->loop->kind != HTMT__LOOP_BRANCH)
        rc = walk_pieces(w, &before, s, false);
    if (!*done)
        go_on(w, &before);
    w->forked = !rc;
    return *done ? rc : 0;
}

/* A statement; in a block a split of one that leaves values is one of the rest of the block. */
static int statement_in(struct htmt__walk *w, const struct htmt__syntax *s, bool block)
{
    const struct htmt__syntax *forked =
        block && !htmt__walk_between(w) && w->forks < FORKS_MAX ? htmt__fork(s) : NULL;
    bool done = false;
    int forking = forked ? walk_forked(w, forked, &done) : 0;
    if (done)
        return forking;
    const struct htmt__walk before = *w;
    const bool between = htmt__walk_between(w),
               parts = s->kind == HTMT__SYNTAX_BLOCK || s->kind == HTMT__SYNTAX_FOR ||
                       s->kind == HTMT__SYNTAX_JUMP || s->kind == HTMT__SYNTAX_LABEL ||
                       s->kind == HTMT__SYNTAX_RETURN;
    int rc = between || parts ? htmt__walk_statement(w, s) : read_aside(w, s);
    if (rc && w->pieces) {
        const bool aside = w->loop->kind == HTMT__LOOP_ASIDE || w->loop->kind == HTMT__LOOP_BRANCH;
        return aside || (block && !between && leaves_values(s)) ? rc
                                                                : walk_pieces(w, &before, s, false);
    }
    if (!rc || (!between && w->jumps))
        return rc;
    /* Between nests a statement without loops may do what is not read. */
    if (between && htmt__scan_has_loops(s))
        htmt__walk_list(w, &w->where, w->why);
    go_on(w, &before);
    if (!between)
        htmt__walk_lose(w);
    htmt__forget(w->loop, s, true);
    return 0;
}

static int statement_of(struct htmt__walk *w, const struct htmt__syntax *s)
{
    return statement_in(w, s, false);
}

/* "while" and "do". Between nests the loops in them are read as in one pass. */
static int passes(struct htmt__walk *w, const struct htmt__syntax *s)
{
    struct htmt__loop *around = w->loop;
    int rc = 0;
    if (!htmt__walk_between(w))
        return htmt__walk_refuse(w, &s->place, "found %s", s->name);
    htmt__forget(NULL, s, false);
    if (htmt__scan_has_loops(s)) {
        struct htmt__loop *once = htmt__source_alloc(sizeof *once);
        *once = (struct htmt__loop){.kind = HTMT__LOOP_REPEAT, .parent = around};
        rc = check_pointers(w, s);
        w->loop = once;
        for (const struct htmt__syntax *c = s->child; c && !rc; c = c->next)
            rc = statement_of(w, c);
        w->loop = around;
        const char *form = once->items ? "found %s, whose loops count once" : "found %s";
        if (!rc)
            htmt__walk_list(w, &s->place, htmt__source_print(form, s->name));
        if (!rc && once->items) {
            *(around->last_item ? around->last_item : &around->items) = once->items;
            around->last_item = once->last_item;
        }
    }
    htmt__forget(w->loop, s, true);
    return rc;
}

/* Where a goto leads to, all that the function changes may have changed. */
static int label(struct htmt__walk *w, const struct htmt__syntax *s)
{
    w->jumps = !htmt__walk_between(w);
    if (w->jumps)
        return htmt__walk_refuse(w, &s->place, "found %s", s->name);
    htmt__forget(w->loop, w->body, true);
    if (htmt__scan_has_loops(s))
        htmt__walk_list(w, &s->place, "found a label, behind which loops count once");
    return statement_of(w, s->child);
}

/* "int i = 0, j = 1;" */
static bool declares(const struct htmt__syntax *s)
{
    const struct htmt__syntax *c = s->kind == HTMT__SYNTAX_BLOCK ? s->child : NULL;
    while (c && c->kind == HTMT__SYNTAX_DECLARE)
        c = c->next;
    return !c && s->child;
}

/* No branch on data is around the statement in its loop. */
static bool is_certain(const struct htmt__walk *w)
{
    const struct htmt__loop *loop = w->loop;
    while (loop->kind == HTMT__LOOP_ASIDE)
        loop = loop->parent;
    return loop->kind == HTMT__LOOP_SPACE && w->weight.num == w->weight.den;
}

/* Behind a return that is always taken nothing runs. */
static int block(struct htmt__walk *w, const struct htmt__syntax *s)
{
    int rc = 0;
    for (const struct htmt__syntax *c = s->child; c && !rc && !w->returned && !w->continued;
         c = c->next) {
        const struct htmt__walk before = *w;
        rc = statement_in(w, c, true);
        if (w->forked)
            break;
        const bool aside = w->loop->kind == HTMT__LOOP_ASIDE || w->loop->kind == HTMT__LOOP_BRANCH;
        if (rc && w->pieces && !aside && !declares(s))
            return walk_pieces(w, &before, c, true);
    }
    w->forked = false;
    return rc;
}

static int leave(struct htmt__walk *w, const struct htmt__syntax *s)
{
    int rc = s->child ? htmt__walk_expression(w, s->child, &w->result) : 0;
    w->jumps = !rc && w->loop->kind != HTMT__LOOP_ROOT && !w->depth;
    if (w->jumps)
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
    case HTMT__SYNTAX_JUMP:
        if (strcmp(s->name, "continue") == 0 && !htmt__walk_between(w) && is_certain(w)) {
            w->continued = true;
            return 0;
        }
        w->jumps = true;
        return htmt__walk_refuse(w, &s->place, "found %s", s->name);
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
        (s->type == HTMT__TYPE_POINTER ||
         (s->type == HTMT__TYPE_WHOLE && (s->child || w->is_fortran))))
        htmt__note_root(w, s->declaration);
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (s->kind != HTMT__SYNTAX_FOR)
            name_variables(w, c);
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
    w->function = f;
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
static void walk_procedures(struct htmt__walk *w, struct htmt__declaration *functions)
{
    for (bool any = true; any;) {
        any = false;
        for (struct htmt__declaration *f = functions; f; f = f->next)
            if (f->is_procedure && !was_walked(w, f)) {
                walk_function(w, f);
                any = true;
            }
    }
}

/* The parameters of some functions get their names. */
static void name_parameters(struct htmt__walk *w, struct htmt__declaration *functions,
                            bool (*is)(const struct htmt__declaration *))
{
    for (struct htmt__declaration *f = functions; f; f = f->next)
        for (unsigned i = 0; i < f->parameters && is(f); i++)
            htmt__note_root(w, f->parameter[i]);
}

static bool is_called(const struct htmt__declaration *f)
{
    return f->is_called;
}

static bool is_uncalled(const struct htmt__declaration *f)
{
    return !f->is_called;
}

static bool is_chosen(const struct htmt__declaration *f)
{
    return f->is_chosen;
}

/* Functions of --function, in the order of the sources. */
static void walk_chosen(struct htmt__walk *w, struct htmt__declaration *functions)
{
    name_parameters(w, functions, is_chosen);
    for (struct htmt__declaration *f = functions; f; f = f->next)
        if (f->is_chosen)
            name_variables(w, f->body);
    for (struct htmt__declaration *f = functions; f; f = f->next)
        if (f->is_chosen && htmt__scan_has_loops(f->body))
            walk_function(w, f);
}

void htmt__walk_functions(struct htmt__walk *w, struct htmt__declaration *functions)
{
    w->call = htmt__walk_call;
    w->statement = htmt__walk_statement;
    w->whole = htmt__walk_whole;
    if (w->in_line) {
        walk_chosen(w, functions);
        return;
    }
    for (struct htmt__declaration *f = functions; f; f = f->next)
        mark_calls(f->body);
    /* What no other function calls has the names that a user knows: before those of procedures. */
    name_parameters(w, functions, is_uncalled);
    for (struct htmt__declaration *f = functions; f; f = f->next)
        if (!f->is_called)
            name_variables(w, f->body);
    name_parameters(w, functions, is_called);
    for (struct htmt__declaration *f = functions; f; f = f->next)
        if (!f->is_called && htmt__scan_has_loops(f->body))
            walk_function(w, f);
    walk_procedures(w, functions);
    /* Called from what is left out alone. */
    for (struct htmt__declaration *f = functions; f; f = f->next)
        if (!f->is_entered && !was_walked(w, f) && htmt__scan_has_loops(f->body))
            walk_function(w, f);
    walk_procedures(w, functions);
}
