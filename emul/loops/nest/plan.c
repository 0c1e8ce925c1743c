/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans: every reference of a nest's body becomes points, one for each component and offset. A
 * subscript a*i + c of a loop that runs from `low` in steps of s names in iteration n the word
 * a*s*n + (a*low + c). Divided by a*s that is an offset in iterations, rounded down, and a rest.
 * Two references with the same rests are the same stream, so offsets alone tell when they touch the
 * same word. With steps of 2 from 0, u[i], u[i+1], u[i+2] have offsets 0, 0, 1 and rests 0, 1, 0:
 * u[i+2] and u[i] are one stream, u[i+1] is another.
 */
#include "emul/loops/nest/plan.h"

#include "emul/loops/nest/lines.h"
#include "emul/loops/nest/reuse.h"

#include "runtime/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX  4000000
#define OFFSET_MOST (1 << 30)

/* Of an access: its reference, and where it stands first and last in the body. */
struct place {
    unsigned reference, first, last;
};

enum { NONE = UINT32_MAX };

/* A plan that is being made. */
struct planning {
    const struct htmt__nest *nest;
    const struct htmt__nest_context *context;
    struct htmt__nest_plan *plan;
    size_t room;
    struct place *place; /* of each access */
    char what[HTMT__NEST_NAME + 8];
};

static struct htmt__nest_place place_of(const struct planning *p, int line)
{
    return (struct htmt__nest_place){p->context->file->path, p->what, line, p->context->fault};
}

static int refuse(const struct planning *p, int line, int code, const char *text)
{
    struct htmt__nest_place place = place_of(p, line);
    return htmt__nest_refuse(&place, code, "%s", text);
}

/* ---- references --------------------------------------------------------------------------------
 */

/* The values of a range of subscripts: affine, low to high. */
struct subscript {
    struct htmt__nest_affine at;
    int64_t more; /* values behind the first */
    int loop;     /* -1: none; -2: several */
};

static int read_subscript(const struct planning *p, const struct htmt__nest_range *range, int line,
                          struct subscript *s)
{
    struct htmt__nest_place place = place_of(p, line);
    struct htmt__nest_affine high;
    int rc = htmt__nest_evaluate_affine(&range->low, p->context->values, &place, &s->at);
    if (rc)
        return rc;
    s->more = 0;
    s->loop = -1;
    for (int l = 0; l < HTMT__NEST_DEPTH; l++)
        if (s->at.factor[l])
            s->loop = s->loop == -1 ? l : -2;
    if (s->at.constant >= OFFSET_MOST || s->at.constant <= -OFFSET_MOST)
        return refuse(p, line, HTMT_ERANGE, "a subscript is more than 2^30 away from its loop");
    if (!range->high.count)
        return 0;
    rc = htmt__nest_evaluate_affine(&range->high, p->context->values, &place, &high);
    if (rc)
        return rc;
    htmt_wide more = high.constant - s->at.constant;
    if (memcmp(high.factor, s->at.factor, sizeof high.factor) != 0 || more < -1 ||
        more >= HTMT__NEST_OFFSETS_MAX)
        return refuse(p, line, HTMT_EFORMAT,
                      "the ends of a range of subscripts are in the wrong order, or more than a "
                      "number apart");
    s->more = (int64_t)more;
    return 0;
}

/* Points at all offsets of all subscripts, from `axis` on: of each axis the offset in iterations of
 * its loop, and what is left. A loop that another subscript has moved before leaves the difference:
 * u[i,i+1] has offset 0, rests 0 and 1. */
static int put_points(struct planning *p, const struct subscript *s, unsigned axis,
                      struct htmt__nest_point point)
{
    struct htmt__nest_plan *plan = p->plan;
    const int loop = axis < point.axes ? s[axis].loop : -1;
    int rc = 0;
    if (axis == point.axes) {
        if (plan->points == POINTS_MAX)
            return refuse(p, p->nest->line, HTMT_ERANGE,
                          "more than 4,000,000 references in a cell");
        if (!htmt__array_fits(&plan->point, &p->room, plan->points + 1, sizeof *plan->point))
            return refuse(p, p->nest->line, HTMT_ENOMEM, "out of memory");
        plan->point[plan->points++] = point;
        return 0;
    }
    for (int64_t i = 0; i <= s[axis].more && !rc; i++) {
        struct htmt__nest_point at = point;
        struct htmt__nest_axis *a = &at.axis[axis];
        int64_t value = (int64_t)s[axis].at.constant + i;
        *a = (struct htmt__nest_axis){.loop = loop, .rest = value};
        at.coupled = at.coupled || loop == -2;
        if (loop >= 0) {
            a->factor = (int64_t)s[axis].at.factor[loop] * plan->step[loop];
            value += (int64_t)s[axis].at.factor[loop] * plan->low[loop];
            int64_t down =
                value / a->factor - (value % a->factor != 0 && (value < 0) != (a->factor < 0));
            int64_t offset = at.used & 1U << loop ? at.offset.at[loop] : down;
            at.offset.at[loop] = (int32_t)offset;
            at.used |= 1U << loop;
            a->rest = value - offset * a->factor;
            if (axis == (p->context->file->unit_first ? 0 : at.axes - 1))
                at.unit = loop;
        }
        rc = put_points(p, s, axis + 1, at);
    }
    return rc;
}

static int read_components(const struct planning *p, const struct htmt__nest_access *a,
                           const struct htmt__nest_actual *actual, htmt_wide *low, htmt_wide *high)
{
    struct htmt__nest_place place = place_of(p, a->line);
    htmt_wide components = p->context->components[actual->array];
    int rc = 0;
    *low = 0;
    *high = components - actual->first - 1;
    if (a->component.low.count)
        rc = htmt__nest_evaluate_whole(&a->component.low, p->context->values, &place, low);
    if (!rc && a->component.low.count)
        *high = *low;
    if (!rc && a->component.high.count)
        rc = htmt__nest_evaluate_whole(&a->component.high, p->context->values, &place, high);
    *low += actual->first;
    *high += actual->first;
    if (rc || (*low >= 0 && *high < components))
        return rc;
    return htmt__nest_refuse(&place, HTMT_ERANGE, "array '%s' has %lld components",
                             p->context->file->array[actual->array].name, (long long)components);
}

static int read_times(const struct planning *p, const struct htmt__nest_expression *e, int line,
                      struct htmt__nest_number *times)
{
    struct htmt__nest_place place = place_of(p, line);
    *times = htmt__nest_whole(1);
    int rc = e->count ? htmt__nest_evaluate(e, p->context->values, &place, times) : 0;
    return rc || times->num >= 0 ? rc : refuse(p, line, HTMT_ERANGE, "a count is negative");
}

/* The first reference to an array with coupled subscripts tells how its words come again. */
static int put_coupled(struct planning *p, unsigned array, const struct subscript *s, unsigned axes)
{
    struct htmt__nest_plan *plan = p->plan;
    bool coupled = false;
    for (unsigned i = 0; i < axes; i++)
        coupled = coupled || s[i].loop == -2;
    for (unsigned i = 0; i < plan->coupleds; i++)
        coupled = coupled && plan->coupled[i].array != array;
    if (!coupled)
        return 0;
    if (!htmt__array_fits(&plan->coupled, &plan->coupled_room, plan->coupleds + 1,
                          sizeof *plan->coupled))
        return refuse(p, p->nest->line, HTMT_ENOMEM, "out of memory");
    struct htmt__nest_coupled *c = &plan->coupled[plan->coupleds++];
    *c = (struct htmt__nest_coupled){.array = array, .axes = axes};
    for (unsigned i = 0; i < axes; i++)
        for (unsigned l = 0; l < plan->depth; l++)
            c->factor[i][l] = (int64_t)s[i].at.factor[l] * plan->step[l];
    return 0;
}

static int put_reference(struct planning *p, struct htmt__nest_reference of,
                         const struct subscript *s)
{
    struct htmt__nest_body *body = p->plan->body;
    if (!htmt__array_fits(&body->reference, &body->room, body->references + 1,
                          sizeof *body->reference))
        return refuse(p, p->nest->line, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < of.axes; i++) {
        of.axis[i].constant = (int64_t)s[i].at.constant;
        of.axis[i].more = s[i].more;
        for (unsigned l = 0; l < p->plan->depth; l++)
            of.axis[i].factor[l] = (int64_t)s[i].at.factor[l];
    }
    body->reference[body->references++] = of;
    return 0;
}

/* A reference that stands again behind its first place is touched there, too, and counts once. */
static int put_all_points(struct planning *p, const struct subscript *s,
                          struct htmt__nest_point point, const struct place *at, htmt_wide low,
                          htmt_wide high)
{
    const struct htmt__nest_number none = htmt__nest_whole(0);
    int rc = 0;
    for (htmt_wide c = low; c <= high && !rc; c++) {
        struct htmt__nest_point again = point;
        point.component = again.component = c;
        point.order = at->first;
        rc = put_points(p, s, 0, point);
        again.order = at->last;
        again.loads = again.stores = none;
        if (!rc && at->last != at->first)
            rc = put_points(p, s, 0, again);
    }
    return rc;
}

static int put_access(struct planning *p, const struct htmt__nest_access *a, struct place *at)
{
    static const unsigned touches[] = {[HTMT__NEST_READ] = HTMT__NEST_READS,
                                       [HTMT__NEST_WRITE] = HTMT__NEST_WRITES,
                                       [HTMT__NEST_UPDATE] = HTMT__NEST_READS | HTMT__NEST_WRITES};
    const struct htmt__nest_actual *actual = &p->context->actual[a->array];
    const struct htmt__nest_array *array = &p->context->file->array[actual->array];
    struct htmt__nest_place place = place_of(p, a->line);
    struct subscript s[HTMT__NEST_DEPTH];
    struct htmt__nest_number times, none = htmt__nest_whole(0);
    htmt_wide low, high;
    int rc = 0;
    if (array->formal)
        return htmt__nest_refuse(&place, HTMT_EINVAL, "array '%s' is bound to none here",
                                 array->name);
    if (a->subscripts != array->axes || a->subscripts > HTMT__NEST_DEPTH)
        return htmt__nest_refuse(&place, HTMT_EFORMAT,
                                 "array '%s' has %u axes, found %u subscripts", array->name,
                                 array->axes, a->subscripts);
    /* What is never touched may have a range without a word. */
    rc = read_times(p, &a->times, a->line, &times);
    if (rc || !times.num || !p->plan->count)
        return rc;
    for (unsigned i = 0; i < a->subscripts && !rc; i++) {
        rc = read_subscript(p, &a->subscript[i], a->line, &s[i]);
        if (!rc && s[i].more < 0)
            return 0; /* 0..n-1 of no word */
    }
    if (!rc)
        rc = read_components(p, a, actual, &low, &high);
    if (!rc)
        rc = put_coupled(p, actual->array, s, a->subscripts);
    if (!rc && low <= high) {
        at->reference = p->plan->body->references;
        rc = put_reference(p,
                           (struct htmt__nest_reference){.array = actual->array,
                                                         .axes = a->subscripts,
                                                         .touch = touches[a->touch],
                                                         .first = low,
                                                         .last = high},
                           s);
    }
    if (rc)
        return rc;
    struct htmt__nest_point point = {.array = actual->array,
                                     .axes = a->subscripts,
                                     .unit = -1,
                                     .offset.touch = touches[a->touch],
                                     .loads = a->touch == HTMT__NEST_WRITE ? none : times,
                                     .stores = a->touch == HTMT__NEST_READ ? none : times};
    return put_all_points(p, s, point, at, low, high);
}

/* Where accesses stand in the body: as they follow each other, or by the nest's order. */
static int place_accesses(struct planning *p)
{
    const struct htmt__nest *nest = p->nest;
    unsigned at = 0;
    p->place = calloc(nest->accesses + 1, sizeof *p->place);
    if (!p->place)
        return refuse(p, nest->line, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < nest->accesses; i++)
        p->place[i] = nest->sequences ? (struct place){NONE, NONE, 0} : (struct place){NONE, i, i};
    for (unsigned i = 0; i < nest->sequences; i++)
        for (unsigned k = 0; k < nest->sequence[i].touches; k++, at++) {
            struct place *place = &p->place[nest->sequence[i].touch[k]];
            place->first = at < place->first ? at : place->first;
            place->last = at;
        }
    p->plan->positions = nest->sequences ? at : nest->accesses;
    return 0;
}

/* The nest's order, of the references that the body has here. */
static int put_turns(struct planning *p)
{
    const struct htmt__nest *nest = p->nest;
    struct htmt__nest_body *body = p->plan->body;
    int rc = 0;
    body->turn = nest->sequences ? calloc(nest->sequences, sizeof *body->turn) : NULL;
    if (nest->sequences && !body->turn)
        return refuse(p, nest->line, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < nest->sequences && !rc; i++) {
        const struct htmt__nest_sequence *s = &nest->sequence[i];
        struct htmt__nest_turn *t = &body->turn[body->turns++];
        struct htmt__nest_number times;
        rc = read_times(p, &s->times, s->line, &times);
        if (!rc && !(t->touch = calloc(s->touches + 1, sizeof *t->touch)))
            rc = refuse(p, s->line, HTMT_ENOMEM, "out of memory");
        if (rc)
            break;
        t->times = htmt__nest_round(times);
        if (t->times > HTMT__NEST_OFFSETS_MAX)
            return refuse(p, s->line, HTMT_ERANGE, "more than 65536 turns");
        for (unsigned k = 0; k < s->touches; k++)
            if (p->place[s->touch[k]].reference != NONE)
                t->touch[t->touches++] = p->place[s->touch[k]].reference;
    }
    return rc;
}

/* ---- a nest ------------------------------------------------------------------------------------
 */

/* What the file says of words that are touched. */
static int put_given(struct planning *p)
{
    struct htmt__nest_plan *plan = p->plan;
    int rc = 0;
    plan->given = calloc(p->nest->touches + 1, sizeof *plan->given);
    if (!plan->given)
        return refuse(p, p->nest->line, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < p->nest->touches && !rc; i++) {
        const struct htmt__nest_touched *t = &p->nest->touched[i];
        struct htmt__nest_place place = place_of(p, t->line);
        struct htmt__nest_given *g = &plan->given[plan->givens++];
        struct htmt__nest_number read, write;
        *g = (struct htmt__nest_given){.array = p->context->actual[t->array].array,
                                       .reads = t->read.count,
                                       .writes = t->write.count};
        rc = htmt__nest_count_value(&t->read, p->context->values, &place, &read);
        if (!rc)
            rc = htmt__nest_count_value(&t->write, p->context->values, &place, &write);
        if (!rc) {
            g->read = htmt__nest_round(read);
            g->write = htmt__nest_round(write);
        }
    }
    return rc;
}

static int put_scalars(struct planning *p)
{
    struct htmt__nest_plan *plan = p->plan;
    int rc = 0;
    plan->scalar = calloc(p->nest->states + 1, sizeof *plan->scalar);
    if (!plan->scalar)
        return refuse(p, p->nest->line, HTMT_ENOMEM, "out of memory");
    for (unsigned i = 0; i < p->nest->states && !rc; i++) {
        const struct htmt__nest_state *s = &p->nest->state[i];
        struct htmt__nest_scalar *at = &plan->scalar[plan->scalars++];
        *at = (struct htmt__nest_scalar){.name = s->name, .integer = s->integer};
        rc = read_times(p, &s->loads, s->line, &at->loads);
        if (!rc)
            rc = read_times(p, &s->stores, s->line, &at->stores);
        if (!rc)
            rc = read_times(p, &s->words, s->line, &at->words);
    }
    return rc;
}

static int put_body(struct planning *p, const struct htmt__nest_iterations *all)
{
    const unsigned depth = p->nest->depth;
    struct htmt__nest_body *body = p->plan->body = calloc(1, sizeof *body);
    if (body)
        body->bounds = calloc(depth, sizeof *body->bounds);
    if (!body || !body->bounds)
        return refuse(p, p->nest->line, HTMT_ENOMEM, "out of memory");
    p->plan->bodies = 1;
    body->told = p->nest->count.count;
    memcpy(body->bounds, all->bounds, depth * sizeof *body->bounds);
    for (unsigned l = 0; l < depth; l++)
        body->down[l] = p->nest->loop[l].down;
    return 0;
}

static int plan_all(struct planning *p)
{
    struct htmt__nest_plan *plan = p->plan;
    struct htmt__nest_place place = place_of(p, p->nest->line);
    struct htmt__nest_iterations all = {0};
    int rc = htmt__nest_iterations(p->nest, p->context->values, &place, &all);
    plan->depth = p->nest->depth;
    plan->count = all.count;
    for (unsigned l = 0; l < p->nest->depth && !rc; l++) {
        plan->low[l] = (int64_t)all.low[l];
        plan->step[l] = (int64_t)p->nest->loop[l].step;
        plan->extent[l] = (int64_t)all.extent[l];
        if (all.low[l] >= OFFSET_MOST || all.low[l] <= -OFFSET_MOST)
            rc = refuse(p, p->nest->loop[l].line, HTMT_ERANGE, "a loop begins beyond 2^30");
    }
    for (int c = 0; c < HTMT__NEST_CLASSES; c++)
        plan->ops[c] = htmt__nest_whole(0);
    plan->loads = plan->stores = htmt__nest_whole(0);
    for (unsigned i = 0; i < p->nest->operations && !rc; i++) {
        const struct htmt__nest_operation *o = &p->nest->operation[i];
        struct htmt__nest_number times;
        rc = read_times(p, &o->times, o->line, &times);
        if (!rc)
            rc = htmt__nest_add(plan->ops[o->class], times, &plan->ops[o->class]);
    }
    if (!rc)
        rc = put_body(p, &all);
    /* Of a nest that never runs, the numbers may be none. */
    if (!rc && plan->count)
        rc = put_given(p);
    if (!rc)
        rc = put_scalars(p);
    if (!rc)
        rc = place_accesses(p);
    for (unsigned i = 0; i < p->nest->accesses && !rc; i++)
        rc = put_access(p, &p->nest->access[i], &p->place[i]);
    if (!rc)
        rc = put_turns(p);
    if (rc)
        return rc;
    rc = htmt__nest_plan_patterns(plan);
    return rc ? refuse(p, p->nest->line, rc, htmt_strerror(rc)) : 0;
}

int htmt__nest_plan_make(const struct htmt__nest *nest, const struct htmt__nest_context *context,
                         struct htmt__nest_plan **plan)
{
    struct planning p = {.nest = nest, .context = context, .plan = calloc(1, sizeof **plan)};
    snprintf(p.what, sizeof p.what, "nests.%s", nest->name);
    if (!p.plan)
        return refuse(&p, nest->line, HTMT_ENOMEM, "out of memory");
    p.plan->nest = nest;
    p.plan->file = context->file;
    p.plan->line = context->line;
    snprintf(p.plan->name, sizeof p.plan->name, "%s", nest->name);
    int rc = plan_all(&p);
    free(p.place);
    if (rc)
        htmt__nest_plan_destroy(&p.plan);
    else
        *plan = p.plan;
    return rc;
}

void htmt__nest_plan_destroy(struct htmt__nest_plan **plan)
{
    struct htmt__nest_plan *p = *plan;
    if (!p)
        return;
    htmt__nest_reuse_destroy(&p->reuse);
    htmt__nest_lines_clear(p);
    for (unsigned i = 0; i < p->patterns; i++)
        free(p->pattern[i].offset);
    free(p->pattern);
    free(p->stream);
    free(p->given);
    free(p->coupled);
    free(p->scalar);
    free(p->point);
    for (unsigned i = 0; i < p->bodies; i++) {
        free(p->body[i].bounds);
        free(p->body[i].reference);
        for (unsigned k = 0; k < p->body[i].turns; k++)
            free(p->body[i].turn[k].touch);
        free(p->body[i].turn);
    }
    free(p->body);
    free(p);
    *plan = NULL;
}
