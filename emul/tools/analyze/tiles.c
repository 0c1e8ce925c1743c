/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops that are tiled by hand. A tile loop goes by whole tiles, and a loop within it over the
 * places of one:
 *
 *     for (ii = 0; ii < n; ii += 32)                          for (i = 0; i < n; i++)
 *         for (i = ii; i < min(ii + 32, n); i++)
 *
 * Both run over the same places, in an order that differs by what stands between the two. A nest
 * file has no tiles, as htmt bound cuts loops into blocks of any size by itself; so the two become
 * one, the loop over all places, and a line tells the user which block the source has.
 *
 * That is right if the tiles cover the places once: the length of a tile is the step from one to
 * the next, as both ends move with the tile, and nothing else names the tile loop's variable. The
 * last tile ends where its cut does, which is the end of the tile loop (n - 1 above), or is whole.
 */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/nests.h"
#include "emul/tools/analyze/walk.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* The bound of the loop that names the tile; -1: none, -2: several. */
static int bound_of(const htmt__value *bound, unsigned count, htmt__symbol tile)
{
    int found = -1;
    for (unsigned i = 0; i < count; i++)
        if (htmt__value_has(bound[i], tile))
            found = found == -1 ? (int)i : -2;
    return found;
}

/* A loop over a tile of t: from c t + a to c t + a + c step - 1. */
static bool is_over_tile(const struct htmt__loop *l, const struct htmt__loop *t, int *low,
                         int *high)
{
    int64_t factor, length;
    *low = bound_of(l->lower, l->lowers, t->variable);
    *high = bound_of(l->upper, l->uppers, t->variable);
    if (*low < 0 || *high < 0 || l->kind != HTMT__LOOP_SPACE || l->step != 1 || l->phase || l->of ||
        l->copies ||
        !htmt__value_is_whole(htmt__value_coefficient(l->lower[*low], t->variable), &factor))
        return false;
    const htmt__value more = htmt__value_sub(l->upper[*high], l->lower[*low]);
    return factor > 0 && htmt__value_is_whole(more, &length) && length + 1 == factor * t->step &&
           length > 0;
}

/* Whether the variable stands nowhere in the loop but as the tile of loops in it; *tiles: one. */
static bool only_tiles(const struct htmt__loop *in, const struct htmt__loop *t, bool *tiles)
{
    int low, high;
    for (const struct htmt__access *a = in->work.accesses; a; a = a->next)
        for (unsigned i = 0; i < a->dimensions; i++)
            if (htmt__value_has(a->subscript[i], t->variable))
                return false;
    for (const struct htmt__item *i = in->items; i; i = i->next) {
        const struct htmt__loop *l = i->loop;
        if (!l)
            return false;
        const bool over = is_over_tile(l, t, &low, &high);
        const bool named = bound_of(l->lower, l->lowers, t->variable) != -1 ||
                           bound_of(l->upper, l->uppers, t->variable) != -1;
        if ((named && !over) || l->of || l->copies || !only_tiles(l, t, tiles))
            return false;
        *tiles |= over;
    }
    return true;
}

static void drop(htmt__value *bound, unsigned *count, unsigned at)
{
    (*count)--;
    for (unsigned i = at; i < *count; i++)
        bound[i] = bound[i + 1];
}

/* Where the last tile begins; NULL: no expression of parameters. */
static htmt__value last_of(struct htmt__walk *w, const struct htmt__loop *t)
{
    const htmt__value length = htmt__value_sub(t->upper[0], t->lower[0]);
    int64_t number;
    if (t->step == 1)
        return t->upper[0];
    if (htmt__value_is_whole(length, &number))
        return htmt__value_add(
            t->lower[0], htmt__value_whole(number < 0 ? -t->step : number / t->step * t->step));
    if (!length || !htmt__names_fixed(&w->names, length))
        return NULL;
    return htmt__value_add(
        t->lower[0],
        htmt__value_mul(htmt__value_whole(t->step),
                        htmt__names_derived(&w->names, HTMT__DERIVED_FLOOR, length, t->step)));
}

/* Over all tiles. False: the end of the last one cannot be told. */
static bool widen(struct htmt__walk *w, struct htmt__loop *l, const struct htmt__loop *t, int low,
                  int high)
{
    const htmt__value begin = l->lower[low], end = l->upper[high], last = last_of(w, t);
    l->lower[low] = htmt__value_put(begin, t->variable, t->lower[0]);
    for (unsigned i = 0; i < l->uppers; i++)
        if (i != (unsigned)high &&
            htmt__value_same(l->upper[i], htmt__value_put(begin, t->variable, t->upper[0]))) {
            drop(l->upper, &l->uppers, (unsigned)high);
            return true;
        }
    l->upper[high] = last ? htmt__value_put(end, t->variable, last) : NULL;
    return l->upper[high] != NULL;
}

static bool widen_all(struct htmt__walk *w, struct htmt__loop *in, const struct htmt__loop *t)
{
    int low, high;
    for (const struct htmt__item *i = in->items; i; i = i->next) {
        if (is_over_tile(i->loop, t, &low, &high)) {
            if (!widen(w, i->loop, t, low, high))
                return false;
            htmt__walk_tell(
                w, &i->loop->place,
                htmt__source_print("the loop over '%s' is read without its tiles of %" PRId64
                                   ": htmt bound --block cuts it",
                                   htmt__names_text(&w->names, i->loop->variable), t->step));
        }
        if (!widen_all(w, i->loop, t))
            return false;
    }
    return true;
}

static bool is_idle(const struct htmt__work *work)
{
    bool idle = !work->accesses && !work->functions;
    for (unsigned i = 0; i < HTMT__CLASSES; i++)
        idle &= work->op[i].num == 0;
    return idle;
}

/* A loop whose variable names tiles alone gives its loops to the one around. */
static void merge(struct htmt__walk *w, struct htmt__loop *around)
{
    for (struct htmt__item **at = &around->items; *at;) {
        struct htmt__loop *t = (*at)->loop;
        bool tiles = false;
        if (t)
            merge(w, t);
        if (!t || t->kind != HTMT__LOOP_SPACE || !t->items || t->lowers != 1 || t->uppers != 1 ||
            t->down || t->of || t->copies || !is_idle(&t->work) || !only_tiles(t, t, &tiles) ||
            !tiles || !last_of(w, t) || !widen_all(w, t, t)) {
            at = &(*at)->next;
            continue;
        }
        for (struct htmt__item *i = t->items; i; i = i->next)
            i->loop->parent = around;
        *t->last_item = (*at)->next;
        if (!(*at)->next)
            around->last_item = t->last_item;
        *at = t->items;
    }
}

void htmt__tiles_merge(struct htmt__walk *w)
{
    for (const struct htmt__routine *r = w->routines; r; r = r->next)
        merge(w, r->root);
}
