/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forces on 40,000 bodies of a Plummer sphere by an octree, six times: the steps of the tree in a
 * plain loop, serially, and parcels of one slice on one host thread and on two, in turn.
 */
#include "apps/nbody/forces.h"
#include "apps/nbody/plan.h"
#include "apps/nbody/tree.h"
#include "bench/clock.h"
#include "bench/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BODIES 40000u
#define STEPS  5
#define ROOM   65024u /* words of a list */
#define EPS    0.01
#define DT     0.01

struct serial {
    struct htmt__nbody_body *body, *sorted;
    struct htmt__nbody_pair *pair; /* twice as many */
    uint64_t *key;
    double *source, *pull, *list;
    struct htmt__nbody_node *node;
    struct htmt__nbody_branches *branches;
    struct htmt__nbody_group *group;
};

static void *room(size_t bytes)
{
    void *at = malloc(bytes);
    if (!at)
        bench_fail("no memory for bodies");
    memset(at, 1, bytes);
    return at;
}

static void sort(struct serial *s, int k)
{
    for (uint32_t i = 0; i < BODIES; i++)
        s->pair[i] = (struct htmt__nbody_pair){htmt__nbody_key(s->body[i].x, k), i};
    htmt__nbody_sort(s->pair, s->pair + BODIES, BODIES);
    for (uint32_t i = 0; i < BODIES; i++) {
        s->sorted[i] = s->body[s->pair[i].index];
        s->key[i] = s->pair[i].key;
        memcpy(s->source + HTMT__NBODY_SOURCE_WORDS * i, &s->sorted[i],
               HTMT__NBODY_SOURCE_WORDS * sizeof(double));
    }
    struct htmt__nbody_body *body = s->body;
    s->body = s->sorted;
    s->sorted = body;
}

static void sum_group(struct serial *s, const struct htmt__nbody_view *view,
                      const struct htmt__nbody_group *group, struct htmt__nbody_effort *effort)
{
    struct htmt__nbody_list l = {.words = s->list, .room = ROOM};
    struct htmt__nbody_targets t;
    memset(&t, 0, sizeof t);
    for (uint32_t i = 0; i < group->count; i++)
        for (unsigned c = 0; c < 3; c++)
            t.x[c][i] = s->body[group->first + i].x[c];
    while (!l.done) {
        htmt__nbody_walk(view, 1, 0, group, true, &l, effort);
        htmt__nbody_pull(&t, group->count, s->list, l.bodies, l.self, EPS * EPS);
        htmt__nbody_pull_quad(&t, group->count,
                              s->list + ROOM - HTMT__NBODY_QUAD_WORDS * (size_t)l.cells, l.cells,
                              EPS * EPS);
    }
    for (uint32_t i = 0; i < group->count; i++)
        for (unsigned c = 0; c < HTMT__NBODY_PULL_WORDS; c++)
            s->pull[HTMT__NBODY_PULL_WORDS * (group->first + i) + c] = t.pull[c][i];
}

static void find_forces(struct serial *s)
{
    struct htmt__nbody_shape shape = {
        .theta = 0.7, .quad = true, .leaf = HTMT__NBODY_LEAF, .group = 64};
    struct htmt__nbody_effort effort = {0};
    double far = 0;
    for (uint32_t i = 0; i < BODIES; i++)
        for (unsigned c = 0; c < 3; c++)
            far = fmax(far, fabs(s->body[i].x[c]));
    shape.k = htmt__nbody_scale(far);
    sort(s, shape.k);
    if (!htmt__nbody_split(&shape, s->key, BODIES, s->node, s->branches, &effort))
        bench_fail("too many branches");
    for (uint32_t i = 0; i < s->branches->count; i++)
        htmt__nbody_grow(&shape, s->key, s->source, s->node, &s->branches->branch[i], s->group,
                         &effort);
    htmt__nbody_join(&shape, s->key, s->node, s->branches, s->group, &effort);
    const struct htmt__nbody_view view = {s->node, s->source, s->branches->root,
                                          HTMT__NBODY_TOPS + 2 * BODIES};
    for (uint32_t g = 0; g < s->branches->groups; g++)
        sum_group(s, &view, &s->group[g], &effort);
}

static void kick(struct serial *s, double h)
{
    for (uint32_t i = 0; i < BODIES; i++)
        for (unsigned c = 0; c < 3; c++)
            s->body[i].v[c] += h * s->pull[HTMT__NBODY_PULL_WORDS * i + c];
}

static double energy(const struct serial *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        const double *v = s->body[i].v;
        sum += s->body[i].m *
               (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + s->pull[HTMT__NBODY_PULL_WORDS * i + 3]) /
               2;
    }
    return sum;
}

static double serial(void)
{
    const struct htmt__nbody_plan plan = {.bodies = BODIES};
    struct serial s = {.body = room(BODIES * sizeof *s.body),
                       .sorted = room(BODIES * sizeof *s.sorted),
                       .pair = room(2 * BODIES * sizeof *s.pair),
                       .key = room(BODIES * sizeof *s.key),
                       .source = room(BODIES * HTMT__NBODY_SOURCE_WORDS * sizeof(double)),
                       .pull = room(BODIES * HTMT__NBODY_PULL_WORDS * sizeof(double)),
                       .list = room(ROOM * sizeof(double)),
                       .node = room((HTMT__NBODY_TOPS + 2 * BODIES) * sizeof *s.node),
                       .branches = room(sizeof *s.branches),
                       .group = room(BODIES * sizeof *s.group)};
    if (htmt__nbody_input(&plan, 1, s.body, NULL))
        bench_fail("no bodies");
    const double begun = bench_now();
    find_forces(&s);
    for (unsigned n = 0; n < STEPS; n++) {
        kick(&s, DT / 2);
        for (uint32_t i = 0; i < BODIES; i++)
            for (unsigned c = 0; c < 3; c++)
                s.body[i].x[c] += DT * s.body[i].v[c];
        find_forces(&s);
        kick(&s, DT / 2);
    }
    const double took = bench_now() - begun;
    if (!(fabs(energy(&s) + 0.25) < 0.01))
        bench_fail("the serial program is wrong");
    void *const all[] = {s.body, s.sorted, s.pair, s.key,      s.source,
                         s.pull, s.list,   s.node, s.branches, s.group};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return took;
}

static struct bench_command parcels(const char *threads)
{
    const char *const words[] = {"run",     "nbody",   "--bodies",  "40000",    "--theta",
                                 "0.7",     "--steps", "5",         "--slices", "1",
                                 "--check", "none",    "--threads", threads,    NULL};
    char htmt[4096];
    bench_built(htmt, "htmt");
    return bench_command(htmt, words);
}

int main(void)
{
    const uint64_t work = (uint64_t)BODIES * (STEPS + 1);
    bench_report("tree", "serial_1", serial(), "s", work);
    bench_report("tree", "parcels_1", parcels("1").emulate_s, "s", work);
    bench_report("tree", "parcels_2", parcels("2").emulate_s, "s", work);
    return 0;
}
