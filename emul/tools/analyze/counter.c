/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What moves beside the counter of a loop, and what the counter holds behind it.
 *
 * A number or pointer that each iteration moves by the same step is a polynomial in the turn, so
 * its value is known in each iteration, although the body is walked once:
 *
 *     for (j = 4; j < n; j += 5)       j = 4 + 5 v, v from 0 on;     lw = lw + v before the
 *         s += x[lw++] * *y++;                                       statement, y = y + v
 *
 * The walk begins the body with these values, and goes on as it does with any: behind lw++ it is
 * one more. Behind the loop the counter is one step past the last place, if there is no turn less
 * than none: for (i = 0; i < n - n % 4; i += 4) ...; for (; i < n; i++) ... reads all of n places.
 */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/walk.h"

#include <stddef.h>

static const struct htmt__operand unknown = {.kind = HTMT__OPERAND_UNKNOWN};

struct htmt__operand htmt__operand_held(struct htmt__walk *w, struct htmt__declaration *d,
                                        const struct htmt__operand *value)
{
    if (value)
        return *value;
    return (struct htmt__operand){.kind = HTMT__OPERAND_POINTER,
                                  .whole = htmt__value_whole(0),
                                  .at = {.path = htmt__note_root(w, d), .root = d}};
}

/* "lw++", "lw += 2", "*p++" in a statement that each iteration runs; the step is the same in all.
 */
static struct htmt__moved *moved_in(struct htmt__walk *w, const struct htmt__syntax *body,
                                    const struct htmt__syntax *s, struct htmt__moved *more)
{
    const bool one = s->kind == HTMT__SYNTAX_UNARY &&
                     (s->op == HTMT__OP_INCREMENT || s->op == HTMT__OP_DECREMENT),
               by = s->kind == HTMT__SYNTAX_ASSIGN &&
                    (s->op == HTMT__OP_ADD || s->op == HTMT__OP_SUB),
               back = s->op == HTMT__OP_DECREMENT || s->op == HTMT__OP_SUB,
               whole = s->type == HTMT__TYPE_WHOLE, pointer = s->type == HTMT__TYPE_POINTER;
    struct htmt__declaration *d =
        (one || by) && s->child->kind == HTMT__SYNTAX_NAME ? s->child->declaration : NULL;
    if (d && d->is_local && !d->is_array && (whole || pointer) &&
        htmt__scan_changes(body, d) == 1 && (pointer || d->value)) {
        const struct htmt__operand before = htmt__operand_held(w, d, d->value);
        htmt__value step = htmt__value_whole(1);
        const bool known = !by || (!htmt__scan_changed(s->child->next, body) &&
                                   !htmt__walk_whole(w, s->child->next, &step) && step &&
                                   htmt__names_fixed(&w->names, step));
        w->pieces = 0;
        if (known && (before.kind == HTMT__OPERAND_WHOLE || before.kind == HTMT__OPERAND_POINTER)) {
            struct htmt__moved *own = htmt__source_alloc(sizeof *own);
            step = back ? htmt__value_sub(htmt__value_whole(0), step) : step;
            *own = (struct htmt__moved){d, step, before, more};
            more = own;
        }
    }
    const bool certain =
        s->kind == HTMT__SYNTAX_UNARY || s->kind == HTMT__SYNTAX_ASSIGN ||
        s->kind == HTMT__SYNTAX_SUBSCRIPT || s->kind == HTMT__SYNTAX_MEMBER ||
        s->kind == HTMT__SYNTAX_CAST || s->kind == HTMT__SYNTAX_BLOCK ||
        s->kind == HTMT__SYNTAX_DECLARE ||
        (s->kind == HTMT__SYNTAX_BINARY && s->op != HTMT__OP_AND && s->op != HTMT__OP_OR);
    for (const struct htmt__syntax *c = certain ? s->child : NULL; c; c = c->next)
        more = moved_in(w, body, c, more);
    return more;
}

/* Behind what may leave out the rest of the body nothing is certain. */
struct htmt__moved *htmt__moved_find(struct htmt__walk *w, const struct htmt__syntax *body)
{
    return htmt__scan_leaves(body) ? NULL : moved_in(w, body, body, NULL);
}

/* The places of the loop are numbered: 4, 9, ... is 4 + 5 v, and n, n - 2, ... is n - 2 v with v =
 * 0, 1, ... False: the number of turns is no expression of parameters. */
static bool number_turns(struct htmt__walk *w, struct htmt__loop *loop)
{
    const htmt__value length = htmt__value_sub(loop->upper[0], loop->lower[0]);
    int64_t number;
    if (!length || !htmt__names_fixed(&w->names, length))
        return false;
    loop->upper[0] = htmt__value_is_whole(length, &number)
                         ? htmt__value_whole(number < 0 ? -1 : number / loop->step)
                         : htmt__names_derived(&w->names, HTMT__DERIVED_FLOOR, length, loop->step);
    loop->lower[0] = htmt__value_whole(0);
    loop->step = 1;
    loop->down = false;
    return true;
}

/* The counter's value in the iteration, and those of what moves beside it: polynomials in the turn,
 * if that is known. NULL: the loop cannot be numbered, and must be. */
htmt__value htmt__moved_set(struct htmt__walk *w, struct htmt__loop *loop,
                            const struct htmt__moved *moved)
{
    const htmt__value own = htmt__value_symbol(loop->variable), from = loop->lower[0],
                      last = loop->upper[0], by = htmt__value_whole(loop->step);
    const bool down = loop->down, falls = down && loop->step > 1;
    htmt__value counter = own, turn = own;
    if (!falls && (!moved || loop->lowers != 1 || loop->uppers != 1))
        return counter;
    if (loop->step == 1) {
        turn = down ? htmt__value_sub(last, own) : htmt__value_sub(own, from);
    } else {
        if (!number_turns(w, loop))
            return falls ? NULL : counter;
        counter = down ? htmt__value_sub(last, htmt__value_mul(by, own))
                       : htmt__value_add(from, htmt__value_mul(by, own));
    }
    for (const struct htmt__moved *m = moved; m; m = m->next) {
        struct htmt__operand value = m->before;
        value.whole = htmt__value_add(value.whole, htmt__value_mul(m->by, turn));
        if (value.whole)
            htmt__walk_set(m->of, &value);
    }
    return counter;
}

/* What the counter holds behind the loop, if it had as many turns as its bounds say. */
struct htmt__operand htmt__moved_left(struct htmt__walk *w, const struct htmt__header *h)
{
    const htmt__value one = htmt__value_whole(1), by = htmt__value_whole(h->step);
    const htmt__value length = htmt__value_sub(h->upper[0], h->lower[0]);
    htmt__value turns = htmt__value_add(length, one);
    int64_t number;
    if (h->lowers != 1 || h->uppers != 1 || !length)
        return unknown;
    if (h->step > 1 && htmt__value_is_whole(length, &number))
        turns = htmt__value_whole(number < 0 ? 0 : number / h->step + 1);
    else if (h->step > 1)
        turns = htmt__names_fixed(&w->names, length)
                    ? htmt__names_derived(&w->names, HTMT__DERIVED_FLOOR,
                                          htmt__value_add(length, by), h->step)
                    : NULL;
    const htmt__value way = htmt__value_mul(turns, by);
    struct htmt__operand left = {.kind = HTMT__OPERAND_LEFT, .holds = htmt__value_add(length, by)};
    left.whole = h->down ? htmt__value_sub(h->upper[0], way) : htmt__value_add(h->lower[0], way);
    return left.whole ? left : unknown;
}

bool htmt__moved_pointers(const struct htmt__moved *moved)
{
    while (moved && moved->of->type != HTMT__TYPE_POINTER)
        moved = moved->next;
    return moved != NULL;
}
