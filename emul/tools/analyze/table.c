/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables: small arrays of whole numbers that a program computes from constants, and by which it
 * then sizes and places its data, such as the levels of a multigrid solver:
 *
 *     for (k = top; k >= 1; k--) size[k] = 2 + (1 << k);            a loop that fills tables
 *     for (k = top - 1; k >= 1; k--) at[k] = at[k + 1] + size[k + 1] * size[k + 1];
 *     for (k = top; k > 1; k--) restrict_to(&r[at[k - 1]], size[k - 1], &r[at[k]], size[k]);
 *
 * The walk remembers what a number stored under constant subscripts, so at[k - 1] is a number where
 * k is one. A loop of constant length between nests whose body looks into a table by what is not
 * constant is therefore walked turn by turn, in its order, as is one that fills a table: then k is
 * a number in each turn, and each level is read with its own sizes. That costs as many nests as the
 * loop has turns, so it is done up to TURNS_MAX of them. A function that only fills tables and
 * computes whole numbers is walked where it is called, whose values are of use there.
 *
 * An element is known until something may have changed it: a store under a subscript that is not
 * constant, one in a loop or branch that is not followed, a function that gets the array.
 */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/walk.h"

#include <stddef.h>

enum { WORDS_MAX = 512, TURNS_MAX = 64 };

struct htmt__element {
    unsigned dimensions;
    int64_t at[HTMT__DIMENSIONS_MAX];
    htmt__value value;
    struct htmt__element *next;
};

/* ---- which arrays are tables ----------------------------------------------------------------- */

static bool is_table(struct htmt__walk *w, const struct htmt__declaration *d)
{
    int64_t words = 1, extent;
    bool is = d->is_array && !d->is_parameter && d->element == HTMT__TYPE_WHOLE &&
              d->element_bytes > 1 && d->extents;
    for (unsigned i = 0; is && i < d->extents; i++) {
        htmt__value value = NULL;
        is = d->extent[i] && !w->whole(w, d->extent[i], &value) &&
             htmt__value_is_whole(value, &extent) && extent > 0 && extent <= WORDS_MAX / words;
        words = is ? words * extent : words;
        w->pieces = 0;
    }
    return is;
}

/* The array of "name[...][...]"; NULL: it is no table. */
static const struct htmt__declaration *table_of(struct htmt__walk *w, const struct htmt__syntax *s)
{
    while (s->kind == HTMT__SYNTAX_SUBSCRIPT)
        s = s->child;
    return s->kind == HTMT__SYNTAX_NAME && is_table(w, s->declaration) ? s->declaration : NULL;
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Its subscripts, if they are numbers. */
static bool place_of(const struct htmt__location *at, int64_t *place)
{
    for (unsigned i = 0; i < at->dimensions; i++)
        if (!htmt__value_is_whole(at->subscript[i], &place[i]))
            return false;
    return at->dimensions > 0 && !at->is_member;
}

static struct htmt__element *find(const struct htmt__declaration *d, const int64_t *place,
                                  unsigned dimensions)
{
    struct htmt__element *e = d->elements;
    for (; e; e = e->next) {
        bool same = e->dimensions == dimensions;
        for (unsigned i = 0; same && i < dimensions; i++)
            same = e->at[i] == place[i];
        if (same)
            return e;
    }
    return NULL;
}

void htmt__table_set(struct htmt__walk *w, const struct htmt__location *at,
                     const struct htmt__operand *value)
{
    struct htmt__declaration *d = at->root;
    int64_t place[HTMT__DIMENSIONS_MAX];
    if (!place_of(at, place) || !htmt__walk_between(w) || w->quiet) {
        d->elements = NULL;
        return;
    }
    struct htmt__element *e = find(d, place, at->dimensions);
    if (!e && (value->kind != HTMT__OPERAND_WHOLE || !is_table(w, d)))
        return;
    if (!e) {
        e = htmt__source_alloc(sizeof *e);
        *e = (struct htmt__element){.dimensions = at->dimensions, .next = d->elements};
        for (unsigned i = 0; i < at->dimensions; i++)
            e->at[i] = place[i];
        d->elements = e;
    }
    e->value = value->kind == HTMT__OPERAND_WHOLE ? value->whole : NULL;
}

/* Of a constant array. */
static htmt__value listed(struct htmt__walk *w, const struct htmt__location *at,
                          const int64_t *place)
{
    const struct htmt__syntax *s = at->root->starts;
    htmt__value value = NULL;
    for (unsigned i = 0; s && i < at->dimensions; i++) {
        const struct htmt__syntax *c = s->kind == HTMT__SYNTAX_LIST ? s->child : NULL;
        for (int64_t k = 0; c && k < place[i]; k++)
            c = c->next;
        s = place[i] < 0 ? NULL : c;
    }
    if (s && s->kind != HTMT__SYNTAX_LIST && w->whole(w, s, &value))
        value = NULL;
    w->pieces = 0;
    return value;
}

htmt__value htmt__table_get(struct htmt__walk *w, const struct htmt__location *at)
{
    int64_t place[HTMT__DIMENSIONS_MAX];
    if (!at->root || !place_of(at, place))
        return NULL;
    const struct htmt__element *e = find(at->root, place, at->dimensions);
    return e ? e->value : at->root->is_array && at->root->starts ? listed(w, at, place) : NULL;
}

/* ---- loops and functions --------------------------------------------------------------------- */

/* Loops around a statement, innermost first. */
struct around {
    const struct htmt__syntax *loop;
    const struct around *parent;
};

/* Whether a name is the counter of none of the loops. */
static bool names_other(const struct htmt__syntax *s, const struct around *loops)
{
    if (s->kind == HTMT__SYNTAX_NAME) {
        const struct around *l = loops;
        while (l && l->loop->child->declaration != s->declaration &&
               (!l->loop->child->child || l->loop->child->child->declaration != s->declaration))
            l = l->parent;
        return !l;
    }
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (names_other(c, loops))
            return true;
    return false;
}

/* Whether the statements look into a table, or fill it, by what is no number, and what the loops in
 * them do not count: weight[q] in a loop over q of its own is not why to walk one around it. */
static bool looks(struct htmt__walk *w, const struct htmt__syntax *s, const struct around *loops)
{
    if (s->kind == HTMT__SYNTAX_SUBSCRIPT && names_other(s->child->next, loops) && table_of(w, s))
        return true;
    const struct around own = {s, loops};
    if (s->kind == HTMT__SYNTAX_FOR && s->child)
        loops = &own;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (looks(w, c, loops))
            return true;
    return false;
}

/* Whether a table whose numbers are known says where in an array the statements look, by what the
 * loops in them do not count: cy[q] and cx[q] in f[y - cy[q]][x - cx[q]][q], steps on a lattice. */
static bool places(struct htmt__walk *w, const struct htmt__syntax *s, const struct around *loops,
                   bool within)
{
    const bool subscript = s->kind == HTMT__SYNTAX_SUBSCRIPT;
    const struct htmt__declaration *table =
        within && subscript && names_other(s->child->next, loops) ? table_of(w, s) : NULL;
    if (table && (table->starts || table->elements))
        return true;
    const struct around own = {s, loops};
    if (s->kind == HTMT__SYNTAX_FOR && s->child)
        loops = &own;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (places(w, c, loops, within || (subscript && c != s->child)))
            return true;
    return false;
}

bool htmt__table_places(struct htmt__walk *w, const struct htmt__syntax *body)
{
    return places(w, body, NULL, false);
}

/* It touches no memory but tables, and numbers behind pointers; *fills: it has a table. */
static bool only_fills(struct htmt__walk *w, const struct htmt__syntax *s, bool *fills)
{
    if (s->kind == HTMT__SYNTAX_SUBSCRIPT && !table_of(w, s))
        return false;
    if (s->kind == HTMT__SYNTAX_PASSES || s->kind == HTMT__SYNTAX_OTHER ||
        (s->kind == HTMT__SYNTAX_CALL && htmt__scan_has_loops(s)))
        return false;
    *fills |= s->kind == HTMT__SYNTAX_ASSIGN && s->child->kind == HTMT__SYNTAX_SUBSCRIPT;
    for (const struct htmt__syntax *c = s->child; c; c = c->next)
        if (!only_fills(w, c, fills))
            return false;
    return true;
}

/* A loop that computes something else beside its tables is a nest of its own. */
bool htmt__table_loop(struct htmt__walk *w, const struct htmt__syntax *body, int64_t trip)
{
    bool fills = false;
    return htmt__walk_between(w) && trip >= 0 && trip <= TURNS_MAX && !htmt__scan_leaves(body) &&
           looks(w, body, NULL) && (htmt__scan_has_loops(body) || only_fills(w, body, &fills));
}

bool htmt__table_maker(struct htmt__walk *w, const struct htmt__declaration *f)
{
    bool fills = false;
    return only_fills(w, f->body, &fills) && fills;
}
