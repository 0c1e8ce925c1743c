/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Branches that data decide. What a nest does per iteration must not depend on them, or the file
 * would have to say how often. Three cases:
 *
 * - The condition is known: one side is walked.
 *
 * - The user gives the part of the cases in which it holds (--taken LINE=PART): both sides are
 * walked, each with its part of the weight.
 *
 * - Neither: each side is walked aside, as a loop of kind BRANCH. If both touch the same elements
 * in the same way, the accesses count once and each class of operations with the larger count of
 * both: an upper bound that a machine which computes both sides and selects one keeps. What one
 * side touches alone does no harm if the iteration has touched it before, as both a[i] and b[i] in
 * a[i] > b[i] ? a[i] : b[i]: no word moves or stays because of the branch; of such accesses the
 * side with more of them counts. A word that one side alone reads counts as if it were read in each
 * case, and so does one that it alone writes: upper bounds, too. Of the latter a line tells the
 * user, as words that are not written would not move at all. Loops in a side count if the other
 * side does nothing; else the branch is refused.
 */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/walk.h"

#include <string.h>

int htmt__branch_side(const struct htmt__operand *condition)
{
    int64_t whole;
    if (condition->kind != HTMT__OPERAND_WHOLE || !htmt__value_is_whole(condition->whole, &whole))
        return -1;
    return whole ? 0 : 1;
}

int htmt__walk_aside(struct htmt__walk *w, enum htmt__loop_kind kind,
                     int (*walk)(void *context, unsigned side), void *context, unsigned side,
                     struct htmt__loop *aside)
{
    struct htmt__loop *around = w->loop;
    *aside = (struct htmt__loop){.kind = kind, .parent = around};
    w->loop = aside;
    int rc = walk(context, side);
    w->loop = around;
    return rc;
}

static bool same_place(const struct htmt__access *x, const struct htmt__access *y)
{
    bool same = y->array == x->array && y->dimensions == x->dimensions;
    for (unsigned i = 0; i < x->dimensions && same; i++)
        same = htmt__value_same(x->subscript[i], y->subscript[i]);
    return same;
}

static struct htmt__access *find(const struct htmt__loop *in, const struct htmt__access *x)
{
    struct htmt__access *y = in->work.accesses;
    while (y && (y->kind != x->kind || !same_place(x, y)))
        y = y->next;
    return y;
}

/* The iteration has touched the place in each case, and written it if it is written. */
static bool was_touched(const struct htmt__loop *in, const struct htmt__access *x)
{
    for (bool inside = true; in && inside; in = in->parent) {
        for (const struct htmt__work *work = &in->work; work; work = work->next)
            for (const struct htmt__access *y = work->accesses; y; y = y->next)
                if ((x->kind == HTMT__READ || y->kind != HTMT__READ) && same_place(x, y) &&
                    y->times.num >= y->times.den)
                    return true;
        inside = in->kind == HTMT__LOOP_ASIDE || in->kind == HTMT__LOOP_BRANCH;
    }
    return false;
}

/* One place in all iterations, as *most: a variable. */
static bool is_fixed(const struct htmt__names *names, const struct htmt__access *x)
{
    bool fixed = true;
    for (unsigned i = 0; i < x->dimensions; i++)
        fixed = fixed && htmt__names_fixed(names, x->subscript[i]);
    return fixed;
}

/* A write of a that b lacks, and that matters. */
static const struct htmt__access *lacking(const struct htmt__names *names,
                                          const struct htmt__loop *around,
                                          const struct htmt__loop *a, const struct htmt__loop *b)
{
    for (const struct htmt__access *x = a->work.accesses; x; x = x->next)
        if (x->kind != HTMT__READ && !find(b, x) && !was_touched(around, x) && !is_fixed(names, x))
            return x;
    return NULL;
}

/* How many references of a, to what was touched before, has b not? */
static struct htmt__weight surplus(const struct htmt__loop *around, const struct htmt__loop *a,
                                   const struct htmt__loop *b)
{
    struct htmt__weight sum = {0, 1};
    for (const struct htmt__access *x = a->work.accesses; x; x = x->next)
        sum = find(b, x) || !was_touched(around, x) ? sum : htmt__weight_add(sum, x->times);
    return sum;
}

static struct htmt__weight larger(struct htmt__weight a, struct htmt__weight b)
{
    return htmt__weight_less(a, b) ? b : a;
}

static bool is_in_branch(const struct htmt__loop *loop)
{
    while (loop->kind == HTMT__LOOP_ASIDE)
        loop = loop->parent;
    return loop->kind == HTMT__LOOP_BRANCH;
}

static bool does(const struct htmt__work *work)
{
    bool any = work->accesses || work->functions;
    for (unsigned i = 0; i < HTMT__CLASSES; i++)
        any |= work->op[i].num != 0;
    return any;
}

/* Into the first side the larger count of each class, and accesses of either. */
static void join(struct htmt__walk *w, struct htmt__loop *side)
{
    struct htmt__work *sum = &side[0].work, *other = &side[1].work;
    for (unsigned i = 0; i < HTMT__CLASSES; i++)
        sum->op[i] = larger(sum->op[i], other->op[i]);
    for (const struct htmt__function_count *f = other->functions; f; f = f->next) {
        struct htmt__function_count **own = &sum->functions;
        while (*own && strcmp((*own)->name, f->name))
            own = &(*own)->next;
        if (!*own) {
            *own = htmt__source_alloc(sizeof **own);
            (*own)->name = f->name;
        }
        (*own)->calls = larger((*own)->calls, f->calls);
    }
    const bool second = htmt__weight_less(surplus(w->loop, &side[0], &side[1]),
                                          surplus(w->loop, &side[1], &side[0]));
    struct htmt__access **x = &sum->accesses;
    while (*x) {
        const struct htmt__access *y = find(&side[1], *x);
        if (y)
            (*x)->times = larger((*x)->times, y->times);
        if (y || !second || !was_touched(w->loop, *x))
            x = &(*x)->next;
        else
            *x = (*x)->next;
    }
    for (struct htmt__access *y = other->accesses; y; y = y->next)
        if (!find(&side[0], y) && (second || !was_touched(w->loop, y))) {
            *x = htmt__source_alloc(sizeof **x);
            **x = *y;
            (*x)->next = NULL;
            struct htmt__touch *touch = htmt__source_alloc(sizeof *touch);
            touch->access = *x;
            *(sum->last_touch ? sum->last_touch : &sum->touches) = touch;
            sum->last_touch = &touch->next;
            x = &(*x)->next;
        }
}

/* Both sides aside; the larger count of each class. */
static int both(struct htmt__walk *w, const struct htmt__source_place *place,
                int (*walk)(void *context, unsigned side), void *context)
{
    struct htmt__loop *side = htmt__source_alloc(2 * sizeof *side);
    int rc = htmt__walk_aside(w, HTMT__LOOP_BRANCH, walk, context, 0, &side[0]);
    if (!rc)
        rc = htmt__walk_aside(w, HTMT__LOOP_BRANCH, walk, context, 1, &side[1]);
    if (!rc && w->returned) {
        w->jumps = true;
        rc = htmt__walk_refuse(w, place, "found a return before the end of a function");
    }
    if (rc)
        return rc;
    const struct htmt__access *a = lacking(&w->names, w->loop, &side[0], &side[1]);
    a = a ? a : lacking(&w->names, w->loop, &side[1], &side[0]);
    const bool loops = side[0].items || side[1].items;
    if (loops && (side[1].items || does(&side[1].work)))
        return htmt__walk_refuse(w, place,
                                 "found a branch whose sides do not touch the same (a loop), "
                                 "expected --taken %u=PART",
                                 place->line);
    /* Of branches within each other the outer one. */
    if ((loops || a) && !w->quiet && !is_in_branch(w->loop))
        htmt__walk_tell(w, place,
                        htmt__source_print("a branch that data decide, of which one side alone has "
                                           "%s%s: it counts in each iteration, unless --taken "
                                           "%u=PART tells in which part",
                                           loops ? "a loop" : "a write of ",
                                           loops ? "" : a->array->name, place->line));
    join(w, side);
    if (!w->quiet)
        htmt__note_all(w, w->loop, &side[0]);
    return 0;
}

int htmt__branch(struct htmt__walk *w, const struct htmt__source_place *place,
                 const struct htmt__operand *condition, int (*walk)(void *context, unsigned side),
                 void *context)
{
    int side = htmt__branch_side(condition);
    if (side >= 0)
        return walk(context, (unsigned)side);
    struct htmt__taken *taken = w->taken, *end = taken + w->takens;
    while (taken < end &&
           (taken->line != place->line || (taken->file && strcmp(taken->file, place->file))))
        taken++;
    if (taken == end)
        return both(w, place, walk, context);
    taken->used = true;
    const struct htmt__weight whole = w->weight, part = taken->part,
                              rest = {part.den - part.num, part.den};
    w->weight = htmt__weight_mul(whole, part);
    int rc = part.num ? walk(context, 0) : 0;
    w->weight = htmt__weight_mul(whole, rest);
    if (!rc && rest.num)
        rc = walk(context, 1);
    w->weight = whole;
    return rc;
}
