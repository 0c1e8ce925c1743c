/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rule of levels: working sets without visiting places.
 *
 * Take the loop at which words are used again. Inside it lies a piece p: a row for the middle one
 * of three loops, a plane for the outermost. An offset in that loop touches one piece in an
 * iteration and g more in the g iterations after it. W(g) is how many different pieces the offsets
 * of all streams touch so, times p. With u[k-4] and u[k+4] alone, W(0) is 2 planes, W(3) is 8; from
 * g = 7 on the two runs meet, and W(g) = 9 + g: no word is read again.
 *
 * htmt__nest_coarse() makes levels of it for bodies of so many offsets that reuse.c cannot visit
 * their places: each offset finds its word W(back - 1) words later than the next offset touched it,
 * where `back` is the distance in the loop that moved. Ends of loops are shared out evenly. Its
 * cost is linear in offsets but for the union of their boxes (region.c).
 */
#include "emul/loops/nest/working.h"

#include "runtime/base/array.h"

#include "emul/loops/nest/region.h"

#include <stdlib.h>
#include <string.h>

bool htmt__nest_leaves(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                       const struct htmt__nest_keeping *keeping)
{
    if (p->touch == HTMT__NEST_WRITES)
        return keeping->bypass;
    return keeping->stream_reads && p->touch == HTMT__NEST_READS && p->offsets == 1 &&
           p->used == (1U << plan->depth) - 1;
}

int htmt__nest_pattern_words(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                             const int64_t extent[HTMT__NEST_DEPTH], htmt_wide *words)
{
    struct htmt__region_box *box = calloc(p->offsets, sizeof *box);
    unsigned axes = 0;
    if (!box)
        return HTMT_ENOMEM;
    for (unsigned l = 0; l < plan->depth; l++) {
        if (!(p->used & 1U << l))
            continue;
        for (unsigned o = 0; o < p->offsets; o++) {
            box[o].low[axes] = p->offset[o].at[l];
            box[o].high[axes] = p->offset[o].at[l] + extent[l];
        }
        axes++;
    }
    int rc = htmt__region_count(box, p->offsets, axes, words);
    free(box);
    return rc;
}

/* What all streams need at the level of a loop: W(0), W(shift), and their spans alone. */
struct needs {
    int64_t span, gap; /* the largest */
    htmt_wide none, words, store;
};

static struct needs find_needs(const struct htmt__nest_plan *plan,
                               const struct htmt__nest_keeping *keeping, unsigned loop,
                               const int64_t *extent, int64_t shift)
{
    const htmt_wide line = (htmt_wide)plan->line;
    struct needs n = {0};
    for (unsigned i = 0; i < plan->patterns; i++) {
        const struct htmt__nest_pattern *p = &plan->pattern[i];
        if (htmt__nest_leaves(plan, p, keeping))
            continue;
        htmt_wide piece = (htmt_wide)p->streams; /* rows are rounded to lines */
        for (unsigned l = loop + 1; l < plan->depth; l++) {
            htmt_wide cells = p->used & 1U << l ? extent[l] : 1;
            piece *= (int)l == p->unit ? (cells + line - 1) / line * line : cells;
        }
        /* Offsets are sorted: those that agree in the loops outside follow each other. */
        for (unsigned o = 0, next; o < p->offsets; o = next) {
            const int32_t *at = p->offset[o].at;
            int64_t last = at[loop], whole = shift + 1, alone = 1;
            for (next = o + 1; next < p->offsets; next++) {
                if (memcmp(at, p->offset[next].at, loop * sizeof *at) != 0)
                    break;
                int64_t step = p->offset[next].at[loop] - last;
                last = p->offset[next].at[loop];
                alone += step > 0;
                whole += step < shift + 1 ? step : shift + 1;
                n.gap = step - 1 > n.gap ? step - 1 : n.gap;
            }
            int64_t span = last - at[loop] + 1;
            n.span = span > n.span ? span : n.span;
            n.none += alone * piece;
            n.words += whole * piece;
            n.store += span * piece;
        }
    }
    return n;
}

void htmt__nest_working(const struct htmt__nest_plan *plan,
                        const struct htmt__nest_keeping *keeping,
                        const int64_t extent[HTMT__NEST_DEPTH], struct htmt__nest_working *working)
{
    /* The outermost loop along which a word is used again, at another offset or because no
     * subscript names the loop; the innermost when there is none. */
    unsigned loop = plan->depth - 1;
    for (unsigned i = 0; i < plan->patterns; i++) {
        const struct htmt__nest_pattern *p = &plan->pattern[i];
        for (unsigned l = 0; l < loop && !p->coupled; l++)
            if (!(p->used & 1U << l) && extent[l] > 1)
                loop = l;
        for (unsigned o = 1; o < p->offsets; o++)
            for (unsigned l = 0; l < loop; l++)
                if (p->offset[o].at[l] != p->offset[0].at[l])
                    loop = l;
    }
    struct needs n = find_needs(plan, keeping, loop, extent, 0);
    htmt_wide words = find_needs(plan, keeping, loop, extent, n.gap).words, piece = 1;
    for (unsigned l = loop + 1; l < plan->depth; l++)
        piece *= extent[l];
    *working = (struct htmt__nest_working){loop, piece, n.span, n.gap, words, n.none, n.store};
}

/* ---- levels ------------------------------------------------------------------------------------
 */

struct coarse {
    const struct htmt__nest_plan *plan;
    const struct htmt__nest_keeping *keeping;
    const int64_t *extent;
    struct htmt__nest_steps *steps;
    htmt_wide cells;
};

/* `more` reads below the capacity that keeps a word `back` iterations of a loop. */
static int add_level(struct coarse *c, unsigned loop, int64_t back, htmt_wide more)
{
    struct htmt__nest_steps *s = c->steps;
    htmt_wide words =
        find_needs(c->plan, c->keeping, loop, c->extent, back > 0 ? back - 1 : 0).words;
    for (unsigned i = 0; i < s->reads; i++)
        if (s->read_level[i].words == words) {
            s->read_level[i].more += more;
            return 0;
        }
    if (!htmt__array_fits(&s->read_level, &s->read_room, s->reads + 1, sizeof *s->read_level))
        return HTMT_ENOMEM;
    s->read_level[s->reads++] = (struct htmt__nest_level){words, more};
    return 0;
}

static int add_pattern(struct coarse *c, const struct htmt__nest_pattern *p, bool around)
{
    htmt_wide words, streams = (htmt_wide)p->streams, links = p->offsets - 1;
    unsigned loop = c->plan->depth;
    int rc = htmt__nest_pattern_words(c->plan, p, c->extent, &words);
    if (rc)
        return rc;
    c->steps->read += around ? 0 : words * streams;
    for (unsigned o = 0; o < p->offsets; o++)
        if (p->offset[o].touch & HTMT__NEST_WRITES)
            c->steps->written += c->cells * streams;
    htmt_wide again = (c->cells * p->offsets - words) * streams;
    /* A loop that no subscript names repeats all touches; the innermost such loop does so first. */
    while (loop-- > 0)
        if (!(p->used & 1U << loop))
            return add_level(c, loop, 1, again);
    for (unsigned o = 0; o < links && !rc; o++) {
        const int32_t *at = p->offset[o].at, *next = p->offset[o + 1].at;
        for (loop = 0; loop + 1 < c->plan->depth && at[loop] == next[loop];)
            loop++;
        rc = add_level(c, loop, next[loop] - at[loop], again * (o + 1) / links - again * o / links);
    }
    return rc;
}

static int by_words(const void *left, const void *right)
{
    const struct htmt__nest_level *a = left, *b = right;
    return (a->words > b->words) - (a->words < b->words);
}

int htmt__nest_coarse(const struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                      const bool *left, const int64_t extent[HTMT__NEST_DEPTH],
                      struct htmt__nest_steps *steps)
{
    struct coarse c = {
        .plan = plan, .keeping = keeping, .extent = extent, .steps = steps, .cells = 1};
    int rc = 0;
    for (unsigned l = 0; l < plan->depth; l++)
        c.cells *= extent[l];
    for (unsigned i = 0; i < plan->patterns && !rc; i++) {
        const struct htmt__nest_pattern *p = &plan->pattern[i];
        if (!p->coupled && !p->given)
            rc = add_pattern(&c, p, left[i] && p->touch == HTMT__NEST_WRITES);
    }
    if (!rc && steps->reads)
        qsort(steps->read_level, steps->reads, sizeof *steps->read_level, by_words);
    return rc;
}
