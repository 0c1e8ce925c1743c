/* SPDX-License-Identifier: BSD-3-Clause */
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

static struct htmt__taken *taken_at(struct htmt__walk *w, const struct htmt__source_place *place)
{
    for (unsigned i = 0; i < w->takens; i++) {
        struct htmt__taken *t = &w->taken[i];
        if (t->line == place->line && (!t->file || strcmp(t->file, place->file) == 0)) {
            t->used = true;
            return t;
        }
    }
    return NULL;
}

/* Both sides, each in its part of the cases. */
static int weighted(struct htmt__walk *w, struct htmt__weight part,
                    int (*walk)(void *context, unsigned side), void *context)
{
    struct htmt__weight whole = w->weight;
    const struct htmt__weight rest = {part.den - part.num, part.den};
    w->weight = htmt__weight_mul(whole, part);
    int rc = part.num ? walk(context, 0) : 0;
    w->weight = htmt__weight_mul(whole, rest);
    if (!rc && rest.num)
        rc = walk(context, 1);
    w->weight = whole;
    return rc;
}

static int aside(struct htmt__walk *w, struct htmt__loop *side, unsigned n,
                 int (*walk)(void *context, unsigned side), void *context)
{
    struct htmt__loop *around = w->loop;
    *side = (struct htmt__loop){.kind = HTMT__LOOP_BRANCH, .parent = around};
    w->loop = side;
    int rc = walk(context, n);
    w->loop = around;
    return rc;
}

static bool touches(const struct htmt__loop *side, const struct htmt__access *a)
{
    for (const struct htmt__access *b = side->work.accesses; b; b = b->next) {
        bool same = b->array == a->array && b->kind == a->kind && b->dimensions == a->dimensions;
        for (unsigned i = 0; i < a->dimensions && same; i++)
            same = htmt__value_same(a->subscript[i], b->subscript[i]);
        if (same)
            return true;
    }
    return false;
}

/* An access of a that b lacks. */
static const struct htmt__access *lacking(const struct htmt__loop *a, const struct htmt__loop *b)
{
    const struct htmt__access *x = a->work.accesses;
    while (x && touches(b, x))
        x = x->next;
    return x;
}

static struct htmt__weight larger(struct htmt__weight a, struct htmt__weight b)
{
    return htmt__weight_less(a, b) ? b : a;
}

static void raise_functions(struct htmt__loop *to, const struct htmt__loop *from)
{
    for (const struct htmt__function_count *f = from->work.functions; f; f = f->next) {
        struct htmt__function_count **own = &to->work.functions;
        while (*own && strcmp((*own)->name, f->name))
            own = &(*own)->next;
        if (!*own) {
            *own = htmt__source_alloc(sizeof **own);
            (*own)->name = f->name;
        }
        (*own)->calls = larger((*own)->calls, f->calls);
    }
}

static int differ(struct htmt__walk *w, const struct htmt__source_place *place, const char *what)
{
    return htmt__walk_refuse(w, place,
                             "found a branch whose sides do not touch the same (%s), expected "
                             "--taken %u=PART",
                             what, place->line);
}

/* The larger count of each class. */
static int both(struct htmt__walk *w, const struct htmt__source_place *place,
                int (*walk)(void *context, unsigned side), void *context)
{
    struct htmt__loop *side = htmt__source_alloc(2 * sizeof *side);
    int rc = aside(w, &side[0], 0, walk, context);
    if (!rc)
        rc = aside(w, &side[1], 1, walk, context);
    if (rc)
        return rc;
    if (side[0].items || side[1].items)
        return differ(w, place, "a loop");
    const struct htmt__access *a = lacking(&side[0], &side[1]);
    a = a ? a : lacking(&side[1], &side[0]);
    if (a)
        return differ(w, place, a->array->name);
    for (unsigned i = 0; i < HTMT__CLASSES; i++)
        side[0].work.op[i] = larger(side[0].work.op[i], side[1].work.op[i]);
    raise_functions(&side[0], &side[1]);
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
    const struct htmt__taken *taken = taken_at(w, place);
    return taken ? weighted(w, taken->part, walk, context) : both(w, place, walk, context);
}
