/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How often words are used again: the traffic of a nest for every capacity at once.
 *
 * A memory of C words with least recently used replacement finds a word if at most C different
 * words were touched since its last touch, itself counted. So the traffic is a staircase in C: a
 * link, the step from a touch back to the one before, has a number of words between; a memory of
 * less reads again at each touch that has that link. All capacities follow from the links, without
 * simulating any memory.
 *
 * Touches of a nest have few different links, as offsets are constant: for u[i-1], u[i], u[i+1] the
 * word of u[i] was always touched by u[i+1] one iteration ago; only near the ends of loops is it
 * otherwise. The parts of this are in files of their own: link.c finds the last touch and counts
 * the words between, places.c visits each kind of place in a box once, levels.c makes the
 * staircase. A body of so many offsets that the visit is too dear is served by the rule of levels
 * (working.c).
 *
 * Example: for i = 0..n-1, s += u[i-1] + u[i+1]. The word of u[i-1] was touched by u[i+1] two
 * iterations ago. Behind that touch come u[i-2], u[i] and u[i-1] itself: 3 words. A memory of 3
 * words reads each of the n + 2 words once, a smaller one reads 2 n: the staircase has one step, of
 * n - 2 words at capacity 3.
 */
#include "emul/loops/nest/reuse_parts.h"

#include "emul/loops/nest/working.h"

#include "runtime/base/fnv.h"

#include <stdlib.h>
#include <string.h>

#define WORK_MAX    3000000.0 /* places times offsets; beyond, the rule of levels serves */
#define ANSWERS_MAX 16384     /* boxes whose levels are kept */

/* The levels of a box that was asked for. */
struct htmt__nest_answer {
    int64_t extent[HTMT__NEST_DEPTH]; /* 0: a free place */
    struct htmt__nest_steps steps;
};

static void clear_steps(struct htmt__nest_steps *steps)
{
    free(steps->read_level);
    free(steps->write_level);
    *steps = (struct htmt__nest_steps){0};
}

static void clear_answers(struct htmt__nest_reuse *r)
{
    for (unsigned i = 0; i < r->slots; i++)
        clear_steps(&r->answer[i].steps);
    free(r->answer);
    r->answer = NULL;
    r->answers = r->slots = 0;
}

/* ---- making ------------------------------------------------------------------------------------
 */

/* The distance between the first and the last offset along loop l. */
static int64_t span_of(const struct htmt__nest_pattern *p, unsigned l)
{
    int64_t least = p->offset[0].at[l], most = least;
    for (unsigned o = 1; o < p->offsets; o++) {
        least = p->offset[o].at[l] < least ? p->offset[o].at[l] : least;
        most = p->offset[o].at[l] > most ? p->offset[o].at[l] : most;
    }
    return most - least;
}

/* How far back along loop l links reach that moved in a loop outside it. Offsets are sorted by the
 * outermost loop first: if the first and the last agree outside, all do. */
static int64_t largest_back(const struct htmt__nest_pattern *p, unsigned l)
{
    int64_t most = 0;
    if (!memcmp(p->offset[0].at, p->offset[p->offsets - 1].at, l * sizeof *p->offset[0].at))
        return 0;
    for (unsigned o = 0; o < p->offsets; o++)
        for (unsigned q = o + 1; q < p->offsets; q++) {
            const int32_t *a = p->offset[o].at, *b = p->offset[q].at;
            int64_t back = a[l] < b[l] ? b[l] - a[l] : a[l] - b[l];
            if (back > most && memcmp(a, b, l * sizeof *a) != 0)
                most = back;
        }
    return most;
}

/* Beyond `reach` from both ends of a loop, all places are alike: neither the words of an iteration
 * nor those of the iterations that its links lead back to pass an end. */
static int64_t reach_of(const struct htmt__nest_plan *plan, unsigned l)
{
    int64_t most_span = 0, most_back = 0;
    for (unsigned i = 0; i < plan->patterns; i++) {
        const struct htmt__nest_pattern *p = &plan->pattern[i];
        int64_t back = largest_back(p, l);
        int64_t span = p->used & 1U << l || p->coupled ? span_of(p, l) : 1;
        most_span = span > most_span ? span : most_span;
        most_back = back > most_back ? back : most_back;
    }
    return most_span + most_back;
}

static void find_kind(struct htmt__nest_reuse *r, unsigned pattern)
{
    const struct htmt__nest_pattern *p = &r->plan->pattern[pattern];
    struct htmt__nest_kind k = {-1, 0};
    unsigned i = 0;
    if (r->plan->line > 1 && p->unit >= 0) {
        k.unit = p->unit;
        k.span = span_of(p, (unsigned)p->unit);
    }
    while (i < r->kinds && (r->kind[i].unit != k.unit || r->kind[i].span != k.span))
        i++;
    if (i == r->kinds && r->kinds < HTMT__NEST_KINDS_MAX)
        r->kind[r->kinds++] = k;
    r->kind_of[pattern] = i < HTMT__NEST_KINDS_MAX ? i : HTMT__NEST_KINDS_MAX - 1;
}

static int make_less(struct htmt__nest_reuse *r)
{
    r->less = calloc(r->plan->patterns + 1, sizeof *r->less);
    if (!r->less)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < r->plan->patterns && !r->coarse; i++) {
        size_t pairs = (size_t)r->plan->pattern[i].offsets * r->plan->pattern[i].offsets;
        r->less[i] = calloc(pairs, sizeof *r->less[i]);
        if (!r->less[i])
            return HTMT_ENOMEM;
        for (size_t k = 0; k < pairs; k++)
            r->less[i][k] = HTMT__NEST_UNKNOWN;
    }
    return 0;
}

int htmt__nest_reuse_make(const struct htmt__nest_plan *plan,
                          const struct htmt__nest_keeping *keeping, struct htmt__nest_reuse **reuse)
{
    struct htmt__nest_reuse *r = calloc(1, sizeof *r);
    if (!r)
        return HTMT_ENOMEM;
    r->plan = plan;
    r->keeping = *keeping;
    r->left = calloc(plan->patterns + 1, sizeof *r->left);
    r->kind_of = calloc(plan->patterns + 1, sizeof *r->kind_of);
    r->first = calloc((size_t)(plan->patterns + 1) << plan->depth, sizeof *r->first);
    r->last = calloc((size_t)(plan->patterns + 1) << plan->depth, sizeof *r->last);
    int rc = r->left && r->kind_of && r->first && r->last ? 0 : HTMT_ENOMEM;
    for (unsigned i = 0; i < plan->patterns && !rc; i++) {
        find_kind(r, i);
        r->left[i] = htmt__nest_leaves(plan, &plan->pattern[i], keeping);
    }
    double places = 1, offsets = 0;
    for (unsigned l = 0; l < plan->depth; l++) {
        r->reach[l] = reach_of(plan, l);
        places *= 2.0 * (double)r->reach[l] + 1;
    }
    for (unsigned i = 0; i < plan->patterns; i++)
        offsets += plan->pattern[i].offsets;
    r->coarse = places * offsets > WORK_MAX;
    if (!rc)
        rc = make_less(r);
    if (rc)
        htmt__nest_reuse_destroy(&r);
    else
        *reuse = r;
    return rc;
}

void htmt__nest_reuse_destroy(struct htmt__nest_reuse **reuse)
{
    struct htmt__nest_reuse *r = *reuse;
    if (!r)
        return;
    htmt__nest_links_clear(&r->links);
    clear_answers(r);
    for (unsigned i = 0; r->less && i < r->plan->patterns; i++)
        free(r->less[i]);
    free(r->less);
    free(r->left);
    free(r->kind_of);
    free(r->first);
    free(r->last);
    free(r);
    *reuse = NULL;
}

/* ---- answers -----------------------------------------------------------------------------------
 */

/* The answer to those extents, or the free place that it would take. */
static struct htmt__nest_answer *answer_at(const struct htmt__nest_reuse *r, const int64_t *extent)
{
    size_t size = r->plan->depth * sizeof *extent;
    uint64_t hash = HTMT__HASH_BASIS;
    htmt__hash_bytes(&hash, extent, size);
    unsigned slot = (unsigned)((hash ^ hash >> 32) % r->slots);
    while (r->answer[slot].extent[0] && memcmp(r->answer[slot].extent, extent, size) != 0)
        slot = slot + 1 == r->slots ? 0 : slot + 1;
    return &r->answer[slot];
}

/* Twice the room; beyond the most that are kept all give way. */
static int make_room(struct htmt__nest_reuse *r)
{
    struct htmt__nest_reuse old = *r;
    if (r->answers < r->slots / 2)
        return 0;
    if (r->answers == ANSWERS_MAX)
        clear_answers(r);
    unsigned slots = r->slots ? 2 * r->slots : 64;
    struct htmt__nest_answer *all = calloc(slots, sizeof *all);
    if (!all)
        return HTMT_ENOMEM;
    r->slots = slots;
    r->answer = all;
    for (unsigned i = 0; r->answers && i < old.slots; i++)
        if (old.answer[i].extent[0])
            *answer_at(r, old.answer[i].extent) = old.answer[i];
    if (r->answers)
        free(old.answer);
    return 0;
}

int htmt__nest_steps_ask(struct htmt__nest_reuse *reuse, const int64_t extent[HTMT__NEST_DEPTH],
                         const struct htmt__nest_steps **steps)
{
    static const struct htmt__nest_steps nothing = {0};
    *steps = &nothing;
    for (unsigned l = 0; l < reuse->plan->depth; l++)
        if (!extent[l])
            return 0;
    int rc = make_room(reuse);
    if (rc)
        return rc;
    struct htmt__nest_answer *at = answer_at(reuse, extent);
    if (!at->extent[0]) {
        at->steps = nothing;
        rc = reuse->coarse
                 ? htmt__nest_coarse(reuse->plan, &reuse->keeping, reuse->left, extent, &at->steps)
                 : htmt__nest_levels(reuse, extent, &at->steps);
        if (!rc)
            rc = htmt__nest_maps(reuse, extent, &at->steps);
        if (rc) {
            clear_steps(&at->steps);
        } else {
            memcpy(at->extent, extent, reuse->plan->depth * sizeof *extent);
            reuse->answers++;
        }
    }
    *steps = &at->steps;
    return rc;
}

/* ---- traffic -----------------------------------------------------------------------------------
 */

static htmt_wide above(const struct htmt__nest_level *level, unsigned levels, htmt_wide capacity)
{
    htmt_wide sum = 0;
    for (unsigned i = levels; i-- > 0 && level[i].words > capacity;)
        sum += level[i].more;
    return sum;
}

htmt_wide htmt__nest_steps_read(const struct htmt__nest_steps *steps, htmt_wide capacity)
{
    return steps->read + above(steps->read_level, steps->reads, capacity);
}

htmt_wide htmt__nest_steps_written(const struct htmt__nest_steps *steps, htmt_wide capacity)
{
    return steps->written + above(steps->write_level, steps->writes, capacity);
}

htmt_wide htmt__nest_steps_full(const struct htmt__nest_steps *steps)
{
    htmt_wide read = steps->reads ? steps->read_level[steps->reads - 1].words : 0;
    htmt_wide write = steps->writes ? steps->write_level[steps->writes - 1].words : 0;
    return read > write ? read : write;
}
