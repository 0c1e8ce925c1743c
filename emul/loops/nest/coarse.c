/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/nest/coarse.h"

#include "emul/loops/nest/region.h"
#include "emul/loops/nest/working.h"

#include <stdlib.h>

/* Levels that are being collected: by the loop that moved and how far. */
struct coarse {
    const struct htmt__nest_plan *plan;
    const struct htmt__nest_keeping *keeping;
    const int64_t *extent;
    struct htmt__nest_steps *steps;
    htmt_wide cells;
};

static int add_level(struct coarse *c, unsigned loop, int64_t back, htmt_wide more)
{
    struct htmt__nest_steps *s = c->steps;
    htmt_wide words =
        htmt__nest_working_words(c->plan, c->keeping, loop, c->extent, back > 0 ? back - 1 : 0);
    for (unsigned i = 0; i < s->reads; i++)
        if (s->read_level[i].words == words) {
            s->read_level[i].more += more;
            return 0;
        }
    struct htmt__nest_level *all = reallocarray(s->read_level, s->reads + 1, sizeof *all);
    if (!all)
        return HTMT_ENOMEM;
    s->read_level = all;
    all[s->reads++] = (struct htmt__nest_level){words, more};
    return 0;
}

/* Words of a pattern: its offsets' boxes together. */
static int count_words(const struct coarse *c, const struct htmt__nest_pattern *p, htmt_wide *words)
{
    struct htmt__region_box *box = calloc(p->offsets, sizeof *box);
    unsigned axes = 0;
    if (!box)
        return HTMT_ENOMEM;
    for (unsigned l = 0; l < c->plan->depth; l++) {
        if (!(p->used & 1U << l))
            continue;
        for (unsigned o = 0; o < p->offsets; o++) {
            box[o].low[axes] = p->offset[o].at[l];
            box[o].high[axes] = p->offset[o].at[l] + c->extent[l];
        }
        axes++;
    }
    int rc = htmt__region_count(box, p->offsets, axes, words);
    free(box);
    return rc;
}

/* The loop that moves between an offset and the next one that touched its word. */
static unsigned moving_loop(const struct coarse *c, const struct htmt__nest_pattern *p, unsigned o,
                            int64_t *back)
{
    const int32_t *at = p->offset[o].at, *next = p->offset[o + 1].at;
    unsigned loop = 0;
    while (loop + 1 < c->plan->depth && at[loop] == next[loop])
        loop++;
    *back = next[loop] - at[loop];
    return loop;
}

/* The last loop that the pattern does not use; it alone is gone round again. */
static int add_free(struct coarse *c, const struct htmt__nest_pattern *p, htmt_wide again)
{
    unsigned loop = c->plan->depth;
    while (loop-- > 0)
        if (!(p->used & 1U << loop))
            return add_level(c, loop, 1, again);
    return 0;
}

static int add_pattern(struct coarse *c, const struct htmt__nest_pattern *p, bool around)
{
    htmt_wide words, streams = (htmt_wide)p->streams, links = p->offsets - 1;
    int rc = count_words(c, p, &words);
    if (rc)
        return rc;
    c->steps->read += around ? 0 : words * streams;
    for (unsigned o = 0; o < p->offsets; o++)
        if (p->offset[o].touch & HTMT__NEST_WRITES)
            c->steps->written += c->cells * streams;
    htmt_wide again = (c->cells * p->offsets - words) * streams;
    if (p->used != (1U << c->plan->depth) - 1)
        return add_free(c, p, again);
    for (unsigned o = 0; o < links && !rc; o++) {
        int64_t back;
        unsigned loop = moving_loop(c, p, o, &back);
        rc = add_level(c, loop, back, again * (o + 1) / links - again * o / links);
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
