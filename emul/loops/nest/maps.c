/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One array under several subscript maps.
 *
 * p[i][k], p[k][j] and p[i][j] are three streams, since no offset leads from one to the other, and
 * each stream counts its words by itself: three times n * n words of p where there are n * n. What
 * lies between the first and the last touch of a word is not known then. But in a memory that holds
 * all that the nest touches, nothing is read twice, whatever the order, so there the number of
 * different words tells all. They lie in the hull of the streams, from the least to the greatest
 * index along each axis: no more than this, and no more than the sum. So from that capacity on an
 * array moves the lesser of both; a smaller memory is taken to read each stream's words by itself.
 *
 * By hand, n = 180: the streams of p have 3 * 32400 words, their hull has 32400. From 32400 words
 * of memory on the nest reads 32400, less by 64800, and writes back 32400.
 *
 * Cost: a region for each stream of such an array, once for each box that is asked for.
 */
#include "emul/loops/nest/reuse_parts.h"

#include "emul/loops/nest/working.h"
#include "runtime/base/array.h"

#include <stdlib.h>

/* Words of streams that lie in one component of an array. */
struct together {
    unsigned streams;
    htmt_wide sum, hull;
    bool leaves; /* one of them goes around the memory */
};

static bool same_component(const struct htmt__nest_stream *a, const struct htmt__nest_stream *b)
{
    return a->array == b->array && a->component == b->component;
}

/* The words between the least and the greatest index along each axis. */
static htmt_wide hull_of(const struct htmt__nest_plan *plan, const struct htmt__nest_stream *s,
                         const int64_t *extent)
{
    htmt_wide low[HTMT__NEST_DEPTH], high[HTMT__NEST_DEPTH], words = 1;
    unsigned axes = 0;
    for (size_t i = 0; i < plan->points; i++) {
        const struct htmt__nest_point *p = &plan->point[i];
        if (p->array != s->array || p->component != s->component)
            continue;
        for (unsigned a = 0; a < p->axes; a++) {
            const struct htmt__nest_axis *x = &p->axis[a];
            htmt_wide from = x->rest, to = x->rest;
            if (x->loop >= 0) {
                const htmt_wide one = from + (htmt_wide)x->factor * p->offset.at[x->loop];
                const htmt_wide other = one + (htmt_wide)x->factor * (extent[x->loop] - 1);
                from = one < other ? one : other;
                to = one < other ? other : one;
            }
            low[a] = axes && low[a] < from ? low[a] : from;
            high[a] = axes && high[a] > to ? high[a] : to;
        }
        axes = p->axes;
    }
    for (unsigned a = 0; a < axes; a++)
        words *= high[a] - low[a] + 1;
    return words;
}

/* Streams are sorted by array and component; `first` becomes the next such group. */
static int gather(const struct htmt__nest_plan *plan, const bool *left, const int64_t *extent,
                  unsigned *first, struct together *t)
{
    const struct htmt__nest_stream *s = &plan->stream[*first];
    int rc = 0;
    *t = (struct together){.streams = 0};
    for (; *first < plan->streams && same_component(s, &plan->stream[*first]) && !rc; ++*first) {
        const unsigned pattern = plan->stream[*first].pattern;
        htmt_wide words = 0;
        rc = htmt__nest_pattern_words(plan, &plan->pattern[pattern], extent, &words);
        t->sum += words;
        t->leaves |= left && left[pattern];
        t->streams++;
    }
    t->hull = t->streams > 1 ? hull_of(plan, s, extent) : t->sum;
    return rc;
}

static bool has_several(const struct htmt__nest_plan *plan)
{
    bool several = false;
    for (unsigned i = 1; i < plan->streams; i++)
        several |= same_component(&plan->stream[i - 1], &plan->stream[i]);
    for (unsigned i = 0; i < plan->patterns; i++)
        several &= !plan->pattern[i].coupled;
    return several && !plan->givens;
}

static void clamp(struct htmt__nest_level *level, unsigned levels, htmt_wide most)
{
    for (unsigned i = 0; i < levels; i++)
        level[i].words = level[i].words < most ? level[i].words : most;
}

int htmt__nest_maps(const struct htmt__nest_reuse *r, const int64_t *extent,
                    struct htmt__nest_steps *steps)
{
    const struct htmt__nest_plan *plan = r->plan;
    htmt_wide all = 0, sum = 0, twice = 0;
    int rc = 0;
    if (!has_several(plan))
        return 0;
    for (unsigned i = 0; i < plan->streams && !rc;) {
        const htmt_wide units =
            (htmt_wide)(plan->file->array[plan->stream[i].array].bytes / plan->unit);
        struct together t;
        rc = gather(plan, r->left, extent, &i, &t);
        if (t.leaves)
            return rc;
        sum += t.sum * units;
        twice += t.hull < t.sum ? (t.sum - t.hull) * units : 0;
    }
    if (rc || !twice)
        return rc;
    if (!htmt__array_fits(&steps->read_level, &steps->read_room, (size_t)steps->reads + 1,
                          sizeof *steps->read_level))
        return HTMT_ENOMEM;
    /* Rows that are rounded up to lines grow all of it by one share. */
    all = sum - twice;
    if (sum != steps->read) {
        twice = steps->read * twice / sum;
        all = steps->read - twice;
    }
    clamp(steps->read_level, steps->reads, all);
    clamp(steps->write_level, steps->writes, all);
    steps->read -= twice;
    steps->read_level[steps->reads++] = (struct htmt__nest_level){all, twice};
    return 0;
}

int htmt__nest_maps_find(const struct htmt__nest_plan *plan, const int64_t *extent, bool *several,
                         unsigned *array)
{
    int rc = 0;
    *several = false;
    for (unsigned i = 0; i < plan->streams && has_several(plan) && !rc && !*several;) {
        struct together t;
        *array = plan->stream[i].array;
        rc = gather(plan, NULL, extent, &i, &t);
        *several = t.hull < t.sum;
    }
    return rc;
}
