/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/nest/coupled.h"

#include "emul/loops/nest/region.h"

#include <stdlib.h>

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

/* ---- words -------------------------------------------------------------------------------------
 */

/* Distinct values of a subscript over a box: no more than iterations, no more than its range in
 * steps of the factors' common divisor. */
static htmt_wide values_of(const int64_t *factor, unsigned depth, const int64_t *extent)
{
    htmt_wide iterations = 1, range = 0;
    int64_t step = 0;
    for (unsigned l = 0; l < depth; l++) {
        if (!factor[l])
            continue;
        iterations *= extent[l];
        range += (htmt_wide)magnitude(factor[l]) * (extent[l] - 1);
        step = divisor_of(magnitude(factor[l]), step);
    }
    htmt_wide steps = step ? range / step + 1 : 1;
    return steps < iterations ? steps : iterations;
}

static htmt_wide words_of(const struct htmt__nest_plan *plan, const struct htmt__nest_coupled *c,
                          const int64_t *extent)
{
    htmt_wide words = 1;
    for (unsigned a = 0; a < c->axes; a++)
        words *= values_of(c->factor[a], plan->depth, extent);
    return words;
}

static const struct htmt__nest_coupled *coupled_at(const struct htmt__nest_plan *plan,
                                                   unsigned array)
{
    for (unsigned i = 0; i < plan->coupleds; i++)
        if (plan->coupled[i].array == array)
            return &plan->coupled[i];
    return NULL;
}

static htmt_wide units_of(const struct htmt__nest_plan *plan, unsigned array)
{
    return (htmt_wide)(plan->file->array[array].bytes / plan->unit);
}

/* Words of a pattern: its offsets' boxes together. */
static int count_pattern(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                         const int64_t *extent, htmt_wide *words)
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

/* Units that the nest touches in a box. */
static int count_box(const struct htmt__nest_plan *plan, const int64_t *extent, htmt_wide *units)
{
    int rc = 0;
    *units = 0;
    for (unsigned i = 0; i < plan->patterns && !rc; i++) {
        htmt_wide words = 0;
        if (!plan->pattern[i].coupled)
            rc = count_pattern(plan, &plan->pattern[i], extent, &words);
        *units += words * (htmt_wide)plan->pattern[i].streams;
    }
    for (unsigned i = 0; i < plan->streams && !rc; i++) {
        const struct htmt__nest_coupled *c = coupled_at(plan, plan->stream[i].array);
        if (c && plan->pattern[plan->stream[i].pattern].coupled)
            *units += words_of(plan, c, extent) * units_of(plan, plan->stream[i].array);
    }
    return rc;
}

/* ---- loops -------------------------------------------------------------------------------------
 */

/* Iterations of a loop after which the loops inside can reach a word again. */
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

static htmt_wide streams_of(const struct htmt__nest_plan *plan, unsigned array)
{
    htmt_wide streams = 0;
    for (unsigned i = 0; i < plan->streams; i++)
        streams += plan->stream[i].array == array && plan->pattern[plan->stream[i].pattern].coupled;
    return streams;
}

int htmt__nest_coupled(const struct htmt__nest_plan *plan, unsigned array,
                       struct htmt__nest_touches touches[HTMT__NEST_DEPTH + 1])
{
    const struct htmt__nest_coupled *c = coupled_at(plan, array);
    const htmt_wide streams = streams_of(plan, array), most = plan->count * streams;
    htmt_wide runs = streams;
    int rc = 0;
    for (unsigned l = 0; l < plan->depth && c && !rc; l++) {
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
    touches[plan->depth] = (struct htmt__nest_touches){0, most};
    return rc;
}

htmt_wide htmt__nest_coupled_words(const struct htmt__nest_plan *plan,
                                   const struct htmt__nest_touches *touches, htmt_wide capacity)
{
    unsigned l = 0;
    while (l < plan->depth && touches[l].units > capacity)
        l++;
    return touches[l].words;
}
