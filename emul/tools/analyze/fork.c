/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places that data choose. An upwind scheme looks where the flow comes from:
 *
 *     if (flux[j] > 0) { from = j - 1; }       if (flux[j] > 0) { from = j - 1; f = u[from]; }
 *     else { from = j; }                       else { from = j; f = u[from]; }
 *     f = u[from];
 *
 * Behind the branch `from` has no one value, but in each of its sides it has, and both are affine.
 * So what follows in the block is taken into both sides, as on the right, which means the same. The
 * branch is then read as any other (branch.c): the sides do the same operations, which count once,
 * and each place that one of them reads counts, u[j-1] and u[j]: at most that many words are
 * touched; --taken LINE=PART weights them. from = flux[j] > 0 ? j - 1 : j; is the same branch.
 *
 * It is done only where it helps: data decide the condition, a side sets a whole number, and what
 * follows computes a subscript or another whole number with it. Sides with loops cannot be weighed
 * against each other, so a block that has some is left as it is, and so is one that is left early.
 */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/walk.h"

#include <stddef.h>

/* It reads memory, or numbers that are not whole. */
static bool is_of_data(const struct htmt__syntax *s)
{
    if (s->type == HTMT__TYPE_REAL || s->kind == HTMT__SYNTAX_SUBSCRIPT)
        return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (is_of_data(c))
            return true;
    return false;
}

/* Whether a subscript, or the value of a whole number, is computed with the variable. */
static bool leads(const struct htmt__syntax *s, const struct htmt__declaration *d)
{
    const bool index = s->kind == HTMT__SYNTAX_SUBSCRIPT,
               number = s->kind == HTMT__SYNTAX_ASSIGN && s->type == HTMT__TYPE_WHOLE,
               starts = s->kind == HTMT__SYNTAX_DECLARE && s->type == HTMT__TYPE_WHOLE && s->child;
    const struct htmt__syntax *by = index || number ? s->child->next : starts ? s->child : NULL;
    if (by && htmt__scan_names(by, d))
        return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (leads(c, d))
            return true;
    return false;
}

/* A whole number is set that leads what follows. */
static bool chooses(const struct htmt__syntax *s, const struct htmt__syntax *rest)
{
    const bool sets = s->kind == HTMT__SYNTAX_ASSIGN && s->child->kind == HTMT__SYNTAX_NAME &&
                      s->child->type == HTMT__TYPE_WHOLE && s->child->declaration->is_local;
    for (const struct htmt__syntax *r = sets ? rest : NULL; r; r = r->next)
        if (leads(r, s->child->declaration))
            return true;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (chooses(c, rest))
            return true;
    return false;
}

static struct htmt__syntax *copy(const struct htmt__syntax *s, struct htmt__syntax *next)
{
    struct htmt__syntax *own = htmt__source_alloc(sizeof *own);
    *own = *s;
    own->next = next;
    return own;
}

/* "variable = value;" of "variable = c ? value : other;" */
static struct htmt__syntax *set(const struct htmt__syntax *s, const struct htmt__syntax *value)
{
    struct htmt__syntax *own = copy(s, s->next), *right = copy(value, NULL);
    own->child = s->kind == HTMT__SYNTAX_DECLARE ? right : copy(s->child, right);
    return own;
}

static struct htmt__syntax *block_of(const struct htmt__syntax *place, struct htmt__syntax *first,
                                     struct htmt__syntax *next)
{
    struct htmt__syntax *own = htmt__source_alloc(sizeof *own);
    *own = (struct htmt__syntax){
        .kind = HTMT__SYNTAX_BLOCK, .place = place->place, .child = first, .next = next};
    return own;
}

/* "int from = c ? j - 1 : j;", also as a block of one, and the same as an assignment. */
static const struct htmt__syntax *choice_of(const struct htmt__syntax *s,
                                            const struct htmt__declaration **d)
{
    if (s->kind == HTMT__SYNTAX_BLOCK && s->child && !s->child->next &&
        s->child->kind == HTMT__SYNTAX_DECLARE)
        s = s->child;
    const struct htmt__syntax *value = NULL;
    if (s->kind == HTMT__SYNTAX_DECLARE && s->type == HTMT__TYPE_WHOLE) {
        *d = s->declaration;
        value = s->child;
    } else if (s->kind == HTMT__SYNTAX_ASSIGN && s->op == HTMT__OP_NONE &&
               s->child->kind == HTMT__SYNTAX_NAME && s->type == HTMT__TYPE_WHOLE) {
        *d = s->child->declaration;
        value = s->child->next;
    }
    return value && value->kind == HTMT__SYNTAX_CONDITIONAL ? s : NULL;
}

const struct htmt__syntax *htmt__fork(const struct htmt__syntax *s)
{
    const struct htmt__declaration *d = NULL;
    const struct htmt__syntax *choice = choice_of(s, &d), *condition = NULL;
    bool any = false;
    if (choice)
        condition =
            (choice->kind == HTMT__SYNTAX_DECLARE ? choice->child : choice->child->next)->child;
    else if (s->kind == HTMT__SYNTAX_IF)
        condition = s->child;
    if (!condition || !s->next || !is_of_data(condition))
        return NULL;
    for (const struct htmt__syntax *c = s; c; c = c->next)
        if (htmt__scan_leaves(c) || htmt__scan_has_loops(c))
            return NULL;
    for (const struct htmt__syntax *r = s->next; r && choice && !any; r = r->next)
        any = leads(r, d);
    if (choice ? !any : !chooses(s, s->next))
        return NULL;
    struct htmt__syntax *own = copy(s, NULL), *sides[2] = {NULL};
    for (unsigned i = 0; i < 2; i++) {
        const struct htmt__syntax *side = i ? condition->next->next : condition->next;
        struct htmt__syntax *first = !side    ? s->next
                                     : choice ? set(choice, side)
                                              : copy(side, s->next);
        if (choice)
            first->next = s->next;
        sides[i] = block_of(s, first, NULL);
    }
    sides[0]->next = sides[1];
    own->kind = HTMT__SYNTAX_IF;
    own->child = copy(condition, sides[0]);
    return own;
}
