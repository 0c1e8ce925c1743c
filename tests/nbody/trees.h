/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tree of one slice on one thread, and the pulls by it.
 */
#ifndef HTMT_TESTS_NBODY_TREES_H
#define HTMT_TESTS_NBODY_TREES_H

#include "apps/nbody/forces.h"
#include "apps/nbody/tree.h"
#include "tests/nbody/bodies.h"

struct planted {
    struct htmt__nbody_shape shape;
    uint32_t n;
    struct htmt__nbody_pair *pair; /* key, and which body it is */
    uint64_t *key;
    double *source;
    struct htmt__nbody_node *node;
    struct htmt__nbody_branches *b;
    struct htmt__nbody_group *group;
    struct htmt__nbody_effort effort;
    uint64_t entries; /* of the lists of all bodies */
};

static inline void plant(struct planted *t, const struct htmt__nbody_body *body, uint32_t n,
                         double theta, bool quad, uint32_t group)
{
    double far = 0;
    *t = (struct planted){.n = n, .shape = {.theta = theta, .quad = quad, .group = group}};
    t->shape.leaf = group < HTMT__NBODY_LEAF ? group : HTMT__NBODY_LEAF;
    t->pair = malloc(2 * n * sizeof *t->pair);
    t->key = malloc(n * sizeof *t->key);
    t->source = malloc(4 * n * sizeof *t->source);
    t->node = malloc((HTMT__NBODY_TOPS + 2 * (size_t)n) * sizeof *t->node);
    t->b = malloc(sizeof *t->b);
    t->group = malloc(n * sizeof *t->group);
    cr_assert(t->pair && t->key && t->source && t->node && t->b && t->group);
    for (uint32_t i = 0; i < n; i++)
        for (unsigned c = 0; c < 3; c++)
            far = fmax(far, fabs(body[i].x[c]));
    t->shape.k = htmt__nbody_scale(far);
    for (uint32_t i = 0; i < n; i++)
        t->pair[i] = (struct htmt__nbody_pair){htmt__nbody_key(body[i].x, t->shape.k), i};
    htmt__nbody_sort(t->pair, t->pair + n, n);
    for (uint32_t i = 0; i < n; i++) {
        t->key[i] = t->pair[i].key;
        memcpy(t->source + 4 * i, &body[t->pair[i].index], 32);
    }
    cr_assert(htmt__nbody_split(&t->shape, t->key, n, t->node, t->b, &t->effort));
    for (uint32_t i = 0; i < t->b->count; i++)
        htmt__nbody_grow(&t->shape, t->key, t->source, t->node, &t->b->branch[i], t->group,
                         &t->effort);
    htmt__nbody_join(&t->shape, t->key, t->node, t->b, t->group, &t->effort);
}

static inline struct htmt__nbody_view view_of(const struct planted *t)
{
    return (struct htmt__nbody_view){t->node, t->source, t->b->root, HTMT__NBODY_TOPS + 2 * t->n};
}

/* In the order of the input. `room`: words of a part of a list. */
static inline void pull_by(struct planted *t, double eps, uint64_t room, double *pull)
{
    const struct htmt__nbody_view view = view_of(t);
    const unsigned words = t->shape.quad ? 10 : 4;
    double *list = malloc(room * sizeof *list);
    cr_assert(list);
    t->entries = 0;
    for (uint32_t g = 0; g < t->b->groups; g++) {
        const struct htmt__nbody_group *group = &t->group[g];
        struct htmt__nbody_targets targets = {0};
        struct htmt__nbody_list l = {.words = list, .room = room};
        for (unsigned i = 0; i < group->count; i++)
            for (unsigned c = 0; c < 3; c++)
                targets.x[c][i] = t->source[4 * (group->first + i) + 1 + c];
        while (!l.done) {
            htmt__nbody_walk(&view, 1, 0, group, t->shape.quad, &l, &t->effort);
            htmt__nbody_pull(&targets, group->count, list, l.bodies, l.self, eps * eps);
            const double *cells = list + room - words * (size_t)l.cells;
            if (t->shape.quad)
                htmt__nbody_pull_quad(&targets, group->count, cells, l.cells, eps * eps);
            else
                htmt__nbody_pull(&targets, group->count, cells, l.cells, INT64_MIN / 2, eps * eps);
            t->entries += (uint64_t)(l.bodies + l.cells) * group->count;
        }
        for (unsigned i = 0; i < group->count; i++)
            for (unsigned c = 0; c < 4; c++)
                pull[4 * t->pair[group->first + i].index + c] = targets.pull[c][i];
    }
    free(list);
}

/* Their entries alone. */
static inline void count_lists(struct planted *t, uint64_t room)
{
    const struct htmt__nbody_view view = view_of(t);
    double *list = malloc(room * sizeof *list);
    cr_assert(list);
    t->entries = 0;
    for (uint32_t g = 0; g < t->b->groups; g++) {
        struct htmt__nbody_list l = {.words = list, .room = room};
        htmt__nbody_walk(&view, 1, 0, &t->group[g], t->shape.quad, &l, &t->effort);
        t->entries += (uint64_t)(l.bodies + l.cells) * t->group[g].count;
    }
    free(list);
}

static inline void fell(struct planted *t)
{
    free(t->pair);
    free(t->key);
    free(t->source);
    free(t->node);
    free(t->b);
    free(t->group);
}

#endif
