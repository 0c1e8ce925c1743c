/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks. A box cut into blocks has at most 2^depth kinds of them: in each loop a block has the
 * full length or what is left at the end. The traffic of a block depends on its extents alone, so
 * one question for each kind, times the number of such blocks, gives all. 100 x 100 iterations in
 * blocks of 32 x 32 have 9 of 32 x 32, 3 of 32 x 4, 3 of 4 x 32, one of 4 x 4: four questions.
 * Blocks are taken to share nothing: each reads its own ghosts.
 *
 * A nest that does not fill its box (a triangle) moves its share of the iterations.
 *
 * Coupled subscripts. Where a subscript names several loops, as x[i+j], offsets tell nothing of
 * reuse. The file may say how many words are touched; a memory finds them again if it holds what
 * is touched between. Along loop l a word comes again after r iterations, as many as the factors of
 * the loops inside need to make up for the step: with x[2*i+4*j], one step of i moves by 2, the
 * loop inside by 4, so r = 2. A memory that holds what the nest touches in r iterations of loop l
 * reads each word once in a run of that loop, else once in a run of the next loop inside. So an
 * array has depth + 1 levels. How many different values a subscript takes in a box is bounded by
 * its iterations and by its range in steps of the factors' common divisor.
 */
#include "emul/loops/nest/blocks.h"

#include "runtime/base/array.h"

#include "emul/loops/nest/working.h"

#include <stdlib.h>

static htmt_wide larger(htmt_wide a, htmt_wide b)
{
    return a > b ? a : b;
}

struct htmt__nest_cut htmt__nest_cut_make(int64_t extent, int64_t block)
{
    if (block <= 0 || block >= extent)
        return (struct htmt__nest_cut){extent, 0, 1};
    return (struct htmt__nest_cut){block, extent % block, extent / block};
}

/* The next kind of block that there is, from *kind on: bit l says that loop l has what is left. */
static bool next_kind(const struct htmt__nest_plan *plan, const struct htmt__nest_cut *cut,
                      unsigned *kind, int64_t *extent, htmt_wide *times)
{
    for (; *kind < 1U << plan->depth; ++*kind) {
        bool some = true;
        *times = 1;
        for (unsigned l = 0; l < plan->depth && some; l++) {
            bool left = *kind >> l & 1;
            extent[l] = left ? cut[l].left : cut[l].length;
            *times *= left ? 1 : cut[l].count;
            some = extent[l] != 0;
        }
        if (some)
            return true;
    }
    return false;
}

/* ---- coupled subscripts ------------------------------------------------------------------------
 */

/* From so many units of memory on, an array has so many touches that miss; 0 for a memory in which
 * all stay: the file tells it. */
struct touches {
    htmt_wide units, words;
};

static int64_t magnitude(int64_t a)
{
    return a < 0 ? -a : a;
}

static int64_t divisor_of(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static htmt_wide units_of(const struct htmt__nest_plan *plan, unsigned array)
{
    return (htmt_wide)(plan->file->array[array].bytes / plan->unit);
}

static const struct htmt__nest_coupled *coupled_at(const struct htmt__nest_plan *plan,
                                                   unsigned array)
{
    for (unsigned i = 0; i < plan->coupleds; i++)
        if (plan->coupled[i].array == array)
            return &plan->coupled[i];
    return NULL;
}

static bool is_coupled(const struct htmt__nest_plan *plan, const struct htmt__nest_stream *s)
{
    return plan->pattern[s->pattern].coupled;
}

/* Distinct words over a box, by the values of each subscript. */
static htmt_wide words_of(const struct htmt__nest_plan *plan, const struct htmt__nest_coupled *c,
                          const int64_t *extent)
{
    htmt_wide words = 1;
    for (unsigned a = 0; a < c->axes; a++) {
        const int64_t *factor = c->factor[a];
        htmt_wide iterations = 1, range = 0;
        int64_t step = 0;
        for (unsigned l = 0; l < plan->depth; l++) {
            if (!factor[l])
                continue;
            iterations *= extent[l];
            range += (htmt_wide)magnitude(factor[l]) * (extent[l] - 1);
            step = divisor_of(magnitude(factor[l]), step);
        }
        htmt_wide values = step ? range / step + 1 : 1;
        words *= values < iterations ? values : iterations;
    }
    return words;
}

/* Units that the nest touches in a box, of all arrays. */
static int count_box(const struct htmt__nest_plan *plan, const int64_t *extent, htmt_wide *units)
{
    int rc = 0;
    *units = 0;
    for (unsigned i = 0; i < plan->patterns && !rc; i++) {
        htmt_wide words = 0;
        if (!plan->pattern[i].coupled)
            rc = htmt__nest_pattern_words(plan, &plan->pattern[i], extent, &words);
        *units += words * (htmt_wide)plan->pattern[i].streams;
    }
    for (unsigned i = 0; i < plan->streams && !rc; i++) {
        const struct htmt__nest_coupled *c = coupled_at(plan, plan->stream[i].array);
        if (c && is_coupled(plan, &plan->stream[i]))
            *units += words_of(plan, c, extent) * units_of(plan, plan->stream[i].array);
    }
    return rc;
}

/* Iterations of a loop after which the loops inside can reach a word again: the least common
 * multiple of what the axes need. */
static int64_t back_of(const struct htmt__nest_plan *plan, const struct htmt__nest_coupled *c,
                       unsigned loop)
{
    int64_t back = 1;
    for (unsigned a = 0; a < c->axes; a++) {
        int64_t factor = magnitude(c->factor[a][loop]), inner = 0;
        for (unsigned l = loop + 1; l < plan->depth; l++)
            inner = divisor_of(magnitude(c->factor[a][l]), inner);
        int64_t need = factor && inner ? inner / divisor_of(factor, inner) : 1;
        back = back / divisor_of(back, need) * need;
    }
    return back < plan->extent[loop] ? back : plan->extent[loop];
}

/* Levels of an array with coupled subscripts: by loops from the outermost one, then of a memory
 * that holds less, depth + 1 of them. */
static int find_touches(const struct htmt__nest_plan *plan, const struct htmt__nest_coupled *c,
                        struct touches touches[HTMT__NEST_DEPTH + 1])
{
    htmt_wide runs = 0;
    int rc = 0;
    for (unsigned i = 0; i < plan->streams; i++)
        runs += plan->stream[i].array == c->array && is_coupled(plan, &plan->stream[i]);
    const htmt_wide most = plan->count * runs;
    for (unsigned l = 0; l < plan->depth && !rc; l++) {
        int64_t extent[HTMT__NEST_DEPTH];
        for (unsigned m = 0; m < plan->depth; m++)
            extent[m] = m < l ? 1 : plan->extent[m];
        touches[l].words = runs * words_of(plan, c, extent);
        touches[l].words = touches[l].words < most ? touches[l].words : most;
        extent[l] = back_of(plan, c, l);
        rc = count_box(plan, extent, &touches[l].units);
        runs *= plan->extent[l];
    }
    touches[0].words = 0;
    touches[plan->depth] = (struct touches){0, most};
    return rc;
}

/* ---- what the file tells -----------------------------------------------------------------------
 */

static bool is_given(const struct htmt__nest_plan *plan, unsigned array)
{
    for (unsigned i = 0; i < plan->givens; i++)
        if (plan->given[i].array == array)
            return true;
    return false;
}

/* Adds the arrays of which offsets tell nothing. Each reference to one is a new word, unless the
 * file says how many there are. What is written is fetched before, unless it goes around the
 * memory. */
static int add_told(const struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                    const htmt_wide *capacity, unsigned capacities, struct htmt__nest_moved *moved,
                    htmt_wide *full)
{
    int rc = 0;
    for (unsigned i = 0; i < plan->streams; i++) {
        const struct htmt__nest_stream *s = &plan->stream[i];
        const htmt_wide more = plan->count * units_of(plan, s->array);
        if (!is_coupled(plan, s) || is_given(plan, s->array))
            continue;
        for (unsigned k = 0; k < capacities; k++) {
            moved[k].read += more;
            moved[k].written += s->touch & HTMT__NEST_WRITES ? more : 0;
        }
    }
    for (unsigned i = 0; i < plan->givens && !rc; i++) {
        const struct htmt__nest_given *g = &plan->given[i];
        const struct htmt__nest_coupled *c = coupled_at(plan, g->array);
        const htmt_wide units = units_of(plan, g->array);
        struct touches touches[HTMT__NEST_DEPTH + 1];
        rc = c ? find_touches(plan, c, touches) : 0;
        for (unsigned k = 0; k < capacities && !rc; k++) {
            unsigned l = 0;
            while (c && l < plan->depth && touches[l].units > capacity[k])
                l++;
            const htmt_wide again = c ? touches[l].words : 0;
            const htmt_wide fetched = larger(larger(g->read, g->write), again);
            moved[k].read += keeping->bypass && !g->read ? 0 : fetched * units;
            moved[k].written += g->write ? larger(g->write, again) * units : 0;
        }
        if (c && !rc)
            *full = larger(*full, touches[0].units);
    }
    return rc;
}

/* ---- traffic -----------------------------------------------------------------------------------
 */

/* The part of the units of a whole box that falls to `count` of its iterations, rounded. */
static int scale(htmt_wide *units, struct htmt__nest_number share)
{
    struct htmt__nest_number part;
    int rc = htmt__nest_multiply(htmt__nest_whole(*units), share, &part);
    *units = rc ? 0 : htmt__nest_round(part);
    return rc;
}

int htmt__nest_blocks_move(struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                           const int64_t block[HTMT__NEST_DEPTH], const htmt_wide *capacity,
                           unsigned capacities, struct htmt__nest_moved *moved, htmt_wide *full)
{
    struct htmt__nest_cut cut[HTMT__NEST_DEPTH];
    int64_t extent[HTMT__NEST_DEPTH];
    htmt_wide box = 1, times;
    *full = 0;
    for (unsigned l = 0; l < plan->depth; l++) {
        cut[l] = htmt__nest_cut_make(plan->extent[l], block[l]);
        box *= plan->extent[l];
    }
    for (unsigned i = 0; i < capacities; i++)
        moved[i] = (struct htmt__nest_moved){0, 0};
    int rc = plan->reuse ? 0 : htmt__nest_reuse_make(plan, keeping, &plan->reuse);
    for (unsigned kind = 0; !rc && next_kind(plan, cut, &kind, extent, &times); kind++) {
        const struct htmt__nest_steps *steps;
        rc = htmt__nest_steps_ask(plan->reuse, extent, &steps);
        if (rc)
            break;
        *full = larger(*full, htmt__nest_steps_full(steps));
        for (unsigned i = 0; i < capacities; i++) {
            moved[i].read += times * htmt__nest_steps_read(steps, capacity[i]);
            moved[i].written += times * htmt__nest_steps_written(steps, capacity[i]);
        }
    }
    if (!rc && box && box != plan->count) {
        struct htmt__nest_number share;
        rc = htmt__nest_divide(htmt__nest_whole(plan->count), htmt__nest_whole(box), &share);
        for (unsigned i = 0; i < capacities && !rc; i++) {
            rc = scale(&moved[i].read, share);
            if (!rc)
                rc = scale(&moved[i].written, share);
        }
    }
    return rc ? rc : add_told(plan, keeping, capacity, capacities, moved, full);
}

/* ---- levels ------------------------------------------------------------------------------------
 */

static int by_size(const void *left, const void *right)
{
    const htmt_wide *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int htmt__nest_blocks_levels(struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                             const int64_t block[HTMT__NEST_DEPTH], htmt_wide **capacity,
                             unsigned *capacities)
{
    struct htmt__nest_cut cut[HTMT__NEST_DEPTH];
    int64_t extent[HTMT__NEST_DEPTH];
    htmt_wide *level = NULL, times;
    unsigned levels = 0;
    size_t room = 0;
    for (unsigned l = 0; l < plan->depth; l++)
        cut[l] = htmt__nest_cut_make(plan->extent[l], block[l]);
    int rc = plan->reuse ? 0 : htmt__nest_reuse_make(plan, keeping, &plan->reuse);
    for (unsigned kind = 0; !rc && next_kind(plan, cut, &kind, extent, &times); kind++) {
        const struct htmt__nest_steps *steps;
        rc = htmt__nest_steps_ask(plan->reuse, extent, &steps);
        if (!rc && !htmt__array_fits(&level, &room, (size_t)levels + steps->reads + steps->writes,
                                     sizeof *level))
            rc = HTMT_ENOMEM;
        for (unsigned i = 0; !rc && i < steps->reads; i++)
            level[levels++] = steps->read_level[i].words;
        for (unsigned i = 0; !rc && i < steps->writes; i++)
            level[levels++] = steps->write_level[i].words;
    }
    if (!rc && !htmt__array_fits(&level, &room, (size_t)levels + plan->givens * plan->depth,
                                 sizeof *level))
        rc = HTMT_ENOMEM;
    for (unsigned i = 0; i < plan->givens && !rc; i++) {
        struct touches touches[HTMT__NEST_DEPTH + 1];
        const struct htmt__nest_coupled *c = coupled_at(plan, plan->given[i].array);
        rc = c ? find_touches(plan, c, touches) : 0;
        for (unsigned l = 0; c && l < plan->depth && !rc; l++)
            level[levels++] = touches[l].units;
    }
    *capacities = 0;
    *capacity = NULL;
    if (rc) {
        free(level);
        return rc;
    }
    if (levels)
        qsort(level, levels, sizeof *level, by_size);
    for (unsigned i = 0; i < levels; i++)
        if (!*capacities || level[*capacities - 1] != level[i])
            level[(*capacities)++] = level[i];
    *capacity = level;
    return 0;
}
