/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/nest/working.h"

#include <stdlib.h>
#include <string.h>

/* Offsets of one stream at the level of a loop: a run of a pattern's sorted ones. */
static bool same_outside(const struct htmt__nest_offset *a, const struct htmt__nest_offset *b,
                         unsigned loop)
{
    return !memcmp(a->at, b->at, loop * sizeof *a->at);
}

bool htmt__nest_leaves(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                       const struct htmt__nest_keeping *keeping)
{
    if (p->touch == HTMT__NEST_WRITES)
        return keeping->bypass;
    return keeping->stream_reads && p->touch == HTMT__NEST_READS && p->offsets == 1 &&
           p->used == (1U << plan->depth) - 1;
}

/* The outermost loop along which a word is used again, at another offset or because no subscript
 * names the loop; the innermost when there is none. */
static unsigned find_loop(const struct htmt__nest_plan *plan, const int64_t *extent)
{
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
    return loop;
}

/* Words of a stream in the loops inside `loop`; rows are rounded to lines. */
static htmt_wide piece_of(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                          unsigned loop, const int64_t *extent)
{
    htmt_wide piece = 1, line = (htmt_wide)plan->line;
    for (unsigned l = loop + 1; l < plan->depth; l++) {
        htmt_wide n = p->used & 1U << l ? extent[l] : 1;
        if ((int)l == p->unit)
            n = (n + line - 1) / line * line;
        piece *= n;
    }
    return piece;
}

/* Visits the offsets at the level, in order, stream by stream. */
struct gather {
    int64_t span, gap, shift;
    htmt_wide none, words, store;
};

static void gather_stream(const struct htmt__nest_pattern *p, unsigned first, unsigned count,
                          unsigned loop, htmt_wide piece, struct gather *g)
{
    int64_t low = p->offset[first].at[loop], last = low, whole = g->shift + 1, alone = 1;
    for (unsigned o = first + 1; o < first + count; o++) {
        int64_t step = p->offset[o].at[loop] - last;
        last = p->offset[o].at[loop];
        alone += step > 0;
        whole += step < g->shift + 1 ? step : g->shift + 1;
        g->gap = step - 1 > g->gap ? step - 1 : g->gap;
    }
    g->span = last - low + 1 > g->span ? last - low + 1 : g->span;
    g->none += alone * piece * (htmt_wide)p->streams;
    g->words += whole * piece * (htmt_wide)p->streams;
    g->store += (last - low + 1) * piece * (htmt_wide)p->streams;
}

static void gather_pattern(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                           unsigned loop, const int64_t *extent, struct gather *g)
{
    htmt_wide piece = piece_of(plan, p, loop, extent);
    for (unsigned o = 0, next; o < p->offsets; o = next) {
        next = o + 1;
        while (next < p->offsets && same_outside(&p->offset[o], &p->offset[next], loop))
            next++;
        gather_stream(p, o, next - o, loop, piece, g);
    }
}

static struct gather gather_all(const struct htmt__nest_plan *plan,
                                const struct htmt__nest_keeping *keeping, unsigned loop,
                                const int64_t *extent, int64_t shift)
{
    struct gather g = {.shift = shift};
    for (unsigned i = 0; i < plan->patterns; i++)
        if (!htmt__nest_leaves(plan, &plan->pattern[i], keeping))
            gather_pattern(plan, &plan->pattern[i], loop, extent, &g);
    return g;
}

htmt_wide htmt__nest_working_words(const struct htmt__nest_plan *plan,
                                   const struct htmt__nest_keeping *keeping, unsigned loop,
                                   const int64_t extent[HTMT__NEST_DEPTH], int64_t shift)
{
    return gather_all(plan, keeping, loop, extent, shift).words;
}

void htmt__nest_working(const struct htmt__nest_plan *plan,
                        const struct htmt__nest_keeping *keeping,
                        const int64_t extent[HTMT__NEST_DEPTH], struct htmt__nest_working *working)
{
    unsigned loop = find_loop(plan, extent);
    struct gather g = gather_all(plan, keeping, loop, extent, 0);
    struct gather all = gather_all(plan, keeping, loop, extent, g.gap);
    htmt_wide piece = 1;
    for (unsigned l = loop + 1; l < plan->depth; l++)
        piece *= extent[l];
    *working = (struct htmt__nest_working){loop, piece, g.span, g.gap, all.words, g.none, g.store};
}
