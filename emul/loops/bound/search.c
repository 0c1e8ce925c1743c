/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The best block, by trying: of each of the three loops that move fastest the whole loop and all
 * powers of two below its length. Loops of 512 have 10 lengths each, so 1,000 blocks are tried.
 * That is cheap, since a plan answers the same extents once (reuse.c) and the bound of another
 * block asks a few new ones only. The traffic is no smooth function of the block, so nothing is
 * skipped: a length that lets another plane fit may pay after several that did not. Large blocks
 * come first and win ties, as they have fewer ghosts.
 */
#include "emul/loops/bound/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LENGTHS_MAX  40
#define SEARCHED_MAX 3 /* axes whose blocks are tried; the others are whole */

/* Block lengths of an axis that are tried, the whole loop (0) first. */
struct lengths {
    unsigned count;
    int64_t at[LENGTHS_MAX];
};

struct searching {
    struct htmt__nest_program *program;
    const struct htmt__bound_rates *rates;
    struct htmt__bound_request request, best;
    htmt_wide fs, bytes; /* of the best; fs -1: none yet */
    struct lengths axis[SEARCHED_MAX];
    struct htmt_fault *fault;
};

/* The longest blocks first, of the loop that moves fastest before the others. */
static int try_axis(struct searching *s, unsigned axis)
{
    struct htmt__bounds b;
    int rc = 0;
    if (axis == SEARCHED_MAX) {
        rc = htmt__bound_make(s->program, s->rates, &s->request, &b, s->fault);
        if (!rc && (s->fs < 0 || b.fs < s->fs || (b.fs == s->fs && b.bytes < s->bytes))) {
            s->best = s->request;
            s->fs = b.fs;
            s->bytes = b.bytes;
        }
        if (!rc)
            htmt__bound_clear(&b);
        return rc;
    }
    for (unsigned i = 0; i < s->axis[axis].count && !rc; i++) {
        s->request.block[axis] = s->axis[axis].at[i ? s->axis[axis].count - i : 0];
        rc = try_axis(s, axis + 1);
    }
    return rc;
}

int htmt__bound_best_block(struct htmt__nest_program *program,
                           const struct htmt__bound_rates *rates,
                           struct htmt__bound_request *request, struct htmt_fault *fault)
{
    struct searching s = {
        .program = program, .rates = rates, .request = *request, .fs = -1, .fault = fault};
    s.request.alone = true; /* a thousand blocks are not played */
    for (unsigned axis = 0; axis < SEARCHED_MAX; axis++) {
        int64_t most = 0;
        for (unsigned i = 0; i < program->runs; i++) {
            const struct htmt__nest_plan *plan = program->run[i].plan;
            if (plan && axis < plan->depth && plan->extent[plan->depth - 1 - axis] > most)
                most = plan->extent[plan->depth - 1 - axis];
        }
        struct lengths *all = &s.axis[axis];
        all->count = 1;
        for (int64_t power = 1; power < most && all->count < LENGTHS_MAX; power *= 2)
            all->at[all->count++] = power;
    }
    int rc = try_axis(&s, 0);
    if (!rc)
        memcpy(request->block, s.best.block, sizeof request->block);
    return rc;
}

/* ---- a curve -----------------------------------------------------------------------------------
 */

static int put_point(struct htmt__nest_program *program, const struct htmt__bound_rates *rates,
                     struct htmt__bound_request request, bool search,
                     struct htmt__bound_point *point, struct htmt_fault *fault)
{
    struct htmt__bounds b;
    int rc = search ? htmt__bound_best_block(program, rates, &request, fault) : 0;
    if (!rc)
        rc = htmt__bound_make(program, rates, &request, &b, fault);
    if (rc)
        return rc;
    *point = (struct htmt__bound_point){.words = request.capacity,
                                        .bytes = b.bytes,
                                        .most = b.most,
                                        .fs = b.fs,
                                        .ratio = htmt__bound_ratio(b.bytes, b.work)};
    for (unsigned i = 0; i < b.loops; i++)
        if (b.loop[i].run->plan->depth > point->axes)
            point->axes = b.loop[i].run->plan->depth;
    memcpy(point->block, request.block, sizeof point->block);
    htmt__bound_clear(&b);
    return 0;
}

int htmt__bound_curve(struct htmt__nest_program *program, const struct htmt__bound_rates *rates,
                      const struct htmt__bound_request *request, bool search, htmt_wide first,
                      htmt_wide last, struct htmt__bound_point point[HTMT__BOUND_POINTS],
                      unsigned *points, struct htmt_fault *fault)
{
    htmt_wide capacity[HTMT__BOUND_POINTS + HTMT_LAYERS_MAX];
    struct htmt__bound_played played = {.capacity = capacity};
    struct htmt__bound_request at = *request;
    unsigned count = 0;
    *points = 0;
    for (capacity[0] = first; count < HTMT__BOUND_POINTS;) {
        const bool end = capacity[count++] >= last;
        htmt_wide next = (htmt_wide)llround((double)first * exp2(count / 4.0));
        if (end)
            break;
        capacity[count] = next < last ? next : last;
    }
    played.capacities = count;
    for (unsigned i = 1; i < rates->links; i++)
        capacity[played.capacities++] = (htmt_wide)rates->link[i].capacity;
    at.alone = at.alone || search;
    int rc = htmt__bound_play(program, &at, &played);
    if (rc)
        htmt_fault_set(fault, rc, "%s", htmt_strerror(rc));
    at.played = &played;
    while (*points < count && !rc) {
        at.capacity = capacity[*points];
        rc = put_point(program, rates, at, search, &point[*points], fault);
        *points += !rc;
    }
    free(played.moved);
    return rc;
}
