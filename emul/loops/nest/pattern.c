/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Points become streams, streams with the same offsets one pattern. Points are sorted by stream,
 * then by offset, outermost loop first: later offsets of a pattern touch a word earlier. u[i-1],
 * u[i] and v[i-1], v[i] are four points, two streams, one pattern of two offsets that counts twice.
 */
#include "emul/loops/nest/plan.h"

#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

#define SIGN(a, b) (((a) > (b)) - ((a) < (b)))

int htmt__nest_point_streams(const struct htmt__nest_point *a, const struct htmt__nest_point *b)
{
    int sign = SIGN(a->array, b->array);
    if (!sign)
        sign = SIGN(a->component, b->component);
    if (!sign)
        sign = SIGN(a->coupled, b->coupled);
    if (sign || a->coupled)
        return sign;
    sign = SIGN(a->axes, b->axes);
    for (unsigned i = 0; i < a->axes && !sign; i++) {
        sign = SIGN(a->axis[i].loop, b->axis[i].loop);
        if (!sign)
            sign = SIGN(a->axis[i].factor, b->axis[i].factor);
        if (!sign)
            sign = SIGN(a->axis[i].rest, b->axis[i].rest);
    }
    return sign;
}

static int compare_offsets(const struct htmt__nest_offset *a, const struct htmt__nest_offset *b)
{
    int sign = 0;
    for (unsigned l = 0; l < HTMT__NEST_DEPTH && !sign; l++)
        sign = SIGN(a->at[l], b->at[l]);
    return sign;
}

static int compare_points(const void *left, const void *right)
{
    const struct htmt__nest_point *a = left, *b = right;
    int sign = htmt__nest_point_streams(a, b);
    if (!sign)
        sign = compare_offsets(&a->offset, &b->offset);
    return sign ? sign : SIGN(a->order, b->order);
}

/* ---- one stream --------------------------------------------------------------------------------
 */

struct making {
    struct htmt__nest_plan *plan;
    size_t room_streams, room_patterns;
};

/* Points of one stream, sorted: different offsets with what is done at each. */
static int collect(const struct htmt__nest_point *point, size_t points,
                   struct htmt__nest_pattern *p)
{
    p->offset = calloc(points, sizeof *p->offset);
    if (!p->offset)
        return HTMT_ENOMEM;
    p->used = point->used;
    p->unit = point->unit;
    p->coupled = point->coupled;
    for (size_t i = 0; i < points; i++) {
        bool again = p->offsets && !compare_offsets(&p->offset[p->offsets - 1], &point[i].offset);
        if (!again)
            p->offset[p->offsets++] = (struct htmt__nest_offset){.first = point[i].order};
        struct htmt__nest_offset *o = &p->offset[p->offsets - 1];
        memcpy(o->at, point[i].offset.at, sizeof o->at);
        o->touch |= point[i].offset.touch;
        o->last = point[i].order;
        p->touch |= point[i].offset.touch;
    }
    return 0;
}

/* The order in the body is that of the first stream. */
static bool same_pattern(const struct htmt__nest_pattern *a, const struct htmt__nest_pattern *b)
{
    bool same = a->used == b->used && a->unit == b->unit && a->coupled == b->coupled &&
                a->given == b->given && a->offsets == b->offsets;
    for (unsigned i = 0; same && i < a->offsets; i++)
        same = !compare_offsets(&a->offset[i], &b->offset[i]) &&
               a->offset[i].touch == b->offset[i].touch;
    return same;
}

/* The pattern of a stream: that of an earlier one if it is the same. Takes p->offset. */
static int add_pattern(struct making *m, struct htmt__nest_pattern *p, unsigned *index)
{
    struct htmt__nest_plan *plan = m->plan;
    for (*index = 0; *index < plan->patterns; ++*index)
        if (same_pattern(&plan->pattern[*index], p)) {
            plan->pattern[*index].streams += p->streams;
            free(p->offset);
            return 0;
        }
    if (!htmt__array_fits(&plan->pattern, &m->room_patterns, (size_t)plan->patterns + 1,
                          sizeof *plan->pattern)) {
        free(p->offset);
        return HTMT_ENOMEM;
    }
    plan->pattern[plan->patterns++] = *p;
    return 0;
}

static int add_stream(struct making *m, const struct htmt__nest_point *point, size_t points)
{
    struct htmt__nest_plan *plan = m->plan;
    struct htmt__nest_pattern p = {0};
    if (!htmt__array_fits(&plan->stream, &m->room_streams, (size_t)plan->streams + 1,
                          sizeof *plan->stream))
        return HTMT_ENOMEM;
    int rc = collect(point, points, &p);
    if (rc)
        return rc;
    struct htmt__nest_stream *s = &plan->stream[plan->streams++];
    *s = (struct htmt__nest_stream){.array = point->array,
                                    .component = point->component,
                                    .touch = p.touch,
                                    .loads = htmt__nest_whole(0),
                                    .stores = htmt__nest_whole(0)};
    for (unsigned i = 0; i < p.offsets; i++) {
        plan->distinct_reads += (p.offset[i].touch & HTMT__NEST_READS) != 0;
        plan->distinct_writes += (p.offset[i].touch & HTMT__NEST_WRITES) != 0;
    }
    p.streams = plan->file->array[point->array].bytes / plan->unit;
    for (unsigned i = 0; i < plan->givens; i++)
        p.given = p.given || plan->given[i].array == point->array;
    rc = add_pattern(m, &p, &s->pattern);
    unsigned first = point->order;
    for (size_t i = 0; i < points && !rc; i++) {
        if (point[i].order <= first) {
            first = point[i].order;
            s->written_first = !(point[i].offset.touch & HTMT__NEST_READS);
        }
        rc = htmt__nest_add(s->loads, point[i].loads, &s->loads);
        if (!rc)
            rc = htmt__nest_add(s->stores, point[i].stores, &s->stores);
    }
    return rc;
}

int htmt__nest_plan_patterns(struct htmt__nest_plan *plan)
{
    struct making m = {.plan = plan};
    int rc = 0;
    /* a unit is the largest number of bytes of which the words of all arrays are multiples */
    plan->unit = 0;
    for (size_t i = 0; i < plan->points; i++) {
        uint64_t a = plan->unit, b = plan->file->array[plan->point[i].array].bytes;
        while (b) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        plan->unit = a;
    }
    plan->unit = plan->unit ? plan->unit : 8;
    if (plan->points)
        qsort(plan->point, plan->points, sizeof *plan->point, compare_points);
    for (size_t i = 0, next; i < plan->points && !rc; i = next) {
        next = i + 1;
        while (next < plan->points &&
               !htmt__nest_point_streams(&plan->point[i], &plan->point[next]))
            next++;
        rc = add_stream(&m, &plan->point[i], next - i);
    }
    for (unsigned i = 0; i < plan->streams && !rc; i++) {
        rc = htmt__nest_add(plan->loads, plan->stream[i].loads, &plan->loads);
        if (!rc)
            rc = htmt__nest_add(plan->stores, plan->stream[i].stores, &plan->stores);
    }
    return rc;
}
