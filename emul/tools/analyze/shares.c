/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much is left out. A statement that cannot be read stands in a loop: the message names the
 * loop, and the part of all iterations of bodies in which something is left out, so that a user
 * sees whether the answer can still serve.
 *
 * Iterations of a tree of loops are summed from the inside out: of a loop from l to h whose body
 * counts a + b v in iteration v, they are (h - l + 1) a + b (h - l + 1) (l + h) / 2. A procedure
 * counts where it is called, with the values of the call. By hand: 200 turns of a loop over 100 by
 * 100 and of one over 100 of which a statement is lost; 20,000 of 2,020,000 iterations are 0.99 %.
 * Where parameters stay in the sums, or a bound is no polynomial, there is no part to tell; then
 * the iterations of the loop are told if they are a polynomial.
 */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/nests.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { CALLS_DEEPEST = 16, SHARE_LONGEST = 40 };

struct counting {
    struct htmt__walk *walk;
    const struct htmt__loop *target; /* NULL: all bodies */
};

static const struct htmt__loop *real(const struct htmt__loop *loop)
{
    while (loop && (loop->kind == HTMT__LOOP_ASIDE || loop->kind == HTMT__LOOP_BRANCH))
        loop = loop->parent;
    return loop;
}

/* The sum of `body` over the iterations of the loop; NULL: it is no polynomial here. */
static htmt__value sum(const struct htmt__loop *loop, htmt__value body)
{
    int64_t low, high;
    const htmt__value one = htmt__value_whole(1);
    if (loop->lowers != 1 || loop->uppers != 1 || !body)
        return NULL;
    htmt__value from = loop->lower[0], to = loop->upper[0],
                b = htmt__value_coefficient(body, loop->variable),
                a = b ? htmt__value_put(body, loop->variable, htmt__value_whole(0)) : NULL,
                length = htmt__value_add(htmt__value_sub(to, from), one);
    if (loop->step != 1) {
        if (!htmt__value_is_whole(from, &low) || !htmt__value_is_whole(to, &high) || !b || b->count)
            return NULL;
        length = htmt__value_whole(high < low ? 0 : (high - low) / loop->step + 1);
    } else if (htmt__value_is_whole(length, &high) && high < 0) {
        length = htmt__value_whole(0);
    }
    if (!a || htmt__value_has(b, loop->variable))
        return NULL;
    htmt__value middle = htmt__value_mul(htmt__value_ratio(1, 2), htmt__value_add(from, to));
    return htmt__value_mul(
        length, htmt__value_add(a, b->count ? htmt__value_mul(b, middle) : htmt__value_whole(0)));
}

static bool is_lossy(const struct htmt__walk *w, const struct htmt__loop *loop)
{
    const struct htmt__skipped *s = w->skipped;
    while (s && real(s->loop) != loop)
        s = s->next;
    return s != NULL;
}

/* How often something that the loop has runs in one run of its function. */
static htmt__value runs(const struct htmt__loop *loop, htmt__value value)
{
    for (; loop && loop->kind != HTMT__LOOP_ROOT && value; loop = loop->parent)
        if (loop->variable)
            value = sum(loop, value);
    return value;
}

static htmt__value count(const struct counting *c, const struct htmt__loop *loop, unsigned deep);

/* What a procedure counts, with the values of the call. */
static htmt__value called(const struct counting *c, const struct htmt__loop_call *call,
                          unsigned deep)
{
    const struct htmt__routine *r = c->walk->routines;
    while (r && r->function != call->function)
        r = r->next;
    htmt__value own =
        r && deep < CALLS_DEEPEST ? count(c, r->root, deep + 1) : htmt__value_whole(0);
    for (const struct htmt__argument *a = call->arguments; a && own; a = a->next)
        if (a->value && a->formal && a->formal->root)
            own = htmt__value_put(own, htmt__names_parameter(&c->walk->names, a->formal->root),
                                  a->value);
    return own;
}

/* Of the loop, and of all in it, in one run of the function. */
static htmt__value count(const struct counting *c, const struct htmt__loop *loop, unsigned deep)
{
    const bool body = loop->kind == HTMT__LOOP_SPACE || loop->kind == HTMT__LOOP_INNER;
    const bool counts = c->target ? loop == c->target
                                  : body && (htmt__nests_has_work(loop) || is_lossy(c->walk, loop));
    htmt__value all = counts ? runs(loop, htmt__value_whole(1)) : htmt__value_whole(0);
    for (const struct htmt__item *i = loop->items; i && all; i = i->next)
        all = htmt__value_add(all, i->loop ? count(c, i->loop, deep)
                                           : runs(loop, called(c, i->call, deep)));
    return all;
}

/* In the whole program; -1: not a number. */
static double whole(const struct counting *c)
{
    htmt__value all = htmt__value_whole(0);
    int64_t number;
    for (const struct htmt__routine *r = c->walk->routines; r; r = r->next)
        if (!r->function->is_procedure)
            all = htmt__value_add(all, count(c, r->root, 0));
    return htmt__value_is_whole(all, &number) ? (double)number : -1;
}

static const char *share_of(struct htmt__walk *w, const struct htmt__loop *loop)
{
    const struct counting of = {w, loop}, in = {w, NULL};
    const double part = whole(&of), all = whole(&in);
    if (part >= 0 && all > 0)
        return htmt__source_print(" (%.3g %% of all iterations)", 100 * part / all);
    htmt__value own = htmt__value_whole(1);
    for (const struct htmt__loop *l = loop; l->parent && own; l = l->parent)
        if (l->kind == HTMT__LOOP_SPACE || l->kind == HTMT__LOOP_INNER)
            own = sum(l, own);
    const char *text = own ? htmt__names_print(&w->names, own) : "";
    return *text && strlen(text) <= SHARE_LONGEST ? htmt__source_print(" (%s iterations)", text)
                                                  : "";
}

void htmt__shares_tell(struct htmt__walk *w)
{
    for (struct htmt__skipped *s = w->skipped; s; s = s->next) {
        const struct htmt__loop *loop = real(s->loop);
        if (loop && loop->parent)
            s->why = htmt__source_print("%s; left out in the loop of line %" PRIu32 "%s", s->why,
                                        loop->place.line, share_of(w, loop));
    }
}
