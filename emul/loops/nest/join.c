/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nests that run as one, iteration by iteration, are a plan over the box around all their boxes. A
 * word keeps its number, so an offset is seen from the first iteration of that box: where one part
 * runs from 0 and the other from 2, offset 0 of the second becomes -2. References keep the order of
 * the bodies, part after part, by which it is known what is written before it is read. Patterns are
 * made anew of all points: a stream that two parts read becomes one, and its second read may find
 * the word of the first.
 *
 * Operations are told for a cell of the box. A part with half of its iterations counts half.
 */
#include "emul/loops/nest/plan.h"

#include "runtime/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scalars of all parts; a name of two parts is one. */
static int join_scalars(struct htmt__nest_plan *plan, const struct htmt__nest_plan *part)
{
    if (!htmt__array_fits(&plan->scalar, &plan->scalar_room, plan->scalars + part->scalars + 1,
                          sizeof *plan->scalar))
        return HTMT_ENOMEM;
    struct htmt__nest_scalar *all = plan->scalar;
    int rc = 0;
    for (unsigned i = 0; i < part->scalars && !rc; i++) {
        const struct htmt__nest_scalar *s = &part->scalar[i];
        unsigned k = 0;
        while (k < plan->scalars && strcmp(all[k].name, s->name) != 0)
            k++;
        if (k == plan->scalars) {
            all[plan->scalars++] = *s;
            continue;
        }
        rc = htmt__nest_add(all[k].loads, s->loads, &all[k].loads);
        if (!rc)
            rc = htmt__nest_add(all[k].stores, s->stores, &all[k].stores);
    }
    return rc;
}

static int copy_turns(const struct htmt__nest_body *of, struct htmt__nest_body *b)
{
    b->turn = of->turns ? calloc(of->turns, sizeof *b->turn) : NULL;
    if (of->turns && !b->turn)
        return HTMT_ENOMEM;
    for (; b->turns < of->turns; b->turns++) {
        const struct htmt__nest_turn *from = &of->turn[b->turns];
        struct htmt__nest_turn *to = &b->turn[b->turns];
        *to = *from;
        to->touch = calloc(from->touches + 1, sizeof *to->touch);
        if (!to->touch)
            return HTMT_ENOMEM;
        memcpy(to->touch, from->touch, from->touches * sizeof *to->touch);
    }
    return 0;
}

/* The bodies of a part, copied. */
static int join_bodies(struct htmt__nest_plan *plan, const struct htmt__nest_plan *part)
{
    for (unsigned i = 0; i < part->bodies; i++) {
        const struct htmt__nest_body *of = &part->body[i];
        struct htmt__nest_body *b = &plan->body[plan->bodies++];
        *b = *of;
        b->turns = 0;
        b->turn = NULL;
        b->bounds = calloc(plan->depth, sizeof *b->bounds);
        b->reference = calloc(of->references + 1, sizeof *b->reference);
        if (!b->bounds || !b->reference)
            return HTMT_ENOMEM;
        memcpy(b->bounds, of->bounds, plan->depth * sizeof *b->bounds);
        if (of->references)
            memcpy(b->reference, of->reference, of->references * sizeof *b->reference);
        int rc = copy_turns(of, b);
        if (rc)
            return rc;
    }
    return 0;
}

/* The box of the first part grows to that of all. */
static void join_boxes(struct htmt__nest_plan *plan, const struct htmt__nest_plan *const *part,
                       unsigned parts)
{
    size_t used = strlen(plan->name);
    for (unsigned i = 1; i < parts; i++) {
        for (unsigned l = 0; l < plan->depth; l++) {
            int64_t high = plan->low[l] + plan->extent[l] * plan->step[l];
            int64_t other = part[i]->low[l] + part[i]->extent[l] * part[i]->step[l];
            plan->low[l] = part[i]->low[l] < plan->low[l] ? part[i]->low[l] : plan->low[l];
            high = other > high ? other : high;
            plan->extent[l] = (high - plan->low[l]) / plan->step[l];
        }
        plan->count = part[i]->count > plan->count ? part[i]->count : plan->count;
        used += (size_t)snprintf(plan->name + used, sizeof plan->name - used, "+%s", part[i]->name);
        used = used < sizeof plan->name ? used : sizeof plan->name - 1;
    }
}

/* The points of a part: the same words, seen from the first iteration of all, behind `order`
 * accesses of other parts. */
static void join_points(struct htmt__nest_plan *p, const struct htmt__nest_plan *part,
                        unsigned order)
{
    for (size_t n = 0; n < part->points; n++) {
        struct htmt__nest_point *point = &p->point[p->points++];
        *point = part->point[n];
        point->order += order;
        for (unsigned l = 0; l < p->depth; l++)
            if (point->used & 1U << l)
                point->offset.at[l] -= (int32_t)((part->low[l] - p->low[l]) / p->step[l]);
    }
}

int htmt__nest_plan_join(const struct htmt__nest_plan *const *part, unsigned parts,
                         struct htmt__nest_plan **plan)
{
    struct htmt__nest_plan *p = malloc(sizeof *p);
    size_t points = 0;
    unsigned order = 0;
    int rc = 0;
    if (!p)
        return HTMT_ENOMEM;
    *p = (struct htmt__nest_plan){.nest = part[0]->nest,
                                  .file = part[0]->file,
                                  .depth = part[0]->depth,
                                  .count = part[0]->count,
                                  .loads = htmt__nest_whole(0),
                                  .stores = htmt__nest_whole(0),
                                  .line = part[0]->line};
    memcpy(p->name, part[0]->name, sizeof p->name);
    memcpy(p->low, part[0]->low, sizeof p->low);
    memcpy(p->step, part[0]->step, sizeof p->step);
    memcpy(p->extent, part[0]->extent, sizeof p->extent);
    join_boxes(p, part, parts);
    for (int c = 0; c < HTMT__NEST_CLASSES; c++)
        p->ops[c] = htmt__nest_whole(0);
    /* Operations of a part that has fewer iterations count less in a cell of all. */
    for (unsigned i = 0; i < parts && !rc; i++) {
        struct htmt__nest_number share;
        rc = p->count ? htmt__nest_divide(htmt__nest_whole(part[i]->count),
                                          htmt__nest_whole(p->count), &share)
                      : HTMT_ERANGE;
        for (int c = 0; c < HTMT__NEST_CLASSES && !rc; c++)
            rc = htmt__nest_gather(part[i]->ops[c], share, &p->ops[c]);
        points += part[i]->points;
    }
    for (unsigned i = 0; i < parts && !rc; i++)
        rc = join_scalars(p, part[i]);
    unsigned bodies = 0;
    for (unsigned i = 0; i < parts; i++)
        bodies += part[i]->bodies;
    if (!rc && !(p->body = calloc(bodies, sizeof *p->body)))
        rc = HTMT_ENOMEM;
    for (unsigned i = 0; i < parts && !rc; i++)
        rc = join_bodies(p, part[i]);
    if (!rc && !(p->point = calloc(points + 1, sizeof *p->point)))
        rc = HTMT_ENOMEM;
    for (unsigned i = 0; i < parts && !rc; i++) {
        join_points(p, part[i], order);
        order += part[i]->positions;
    }
    p->positions = order;
    if (!rc)
        rc = htmt__nest_plan_patterns(p);
    if (rc)
        htmt__nest_plan_destroy(&p);
    else
        *plan = p;
    return rc;
}
