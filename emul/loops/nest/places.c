/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every kind of place that an iteration can have, near the low end of a loop, near the high end or
 * inside, is visited once; what is found there counts as often as there are such places.
 */
#include "emul/loops/nest/reuse_parts.h"

#include <string.h>

/* The place of x in the loop behind the first that moved, if it can matter there. */
static int32_t place_of(const struct htmt__nest_visit *v, unsigned first)
{
    unsigned l = first + 1;
    if (l >= v->r->plan->depth || v->inside[l])
        return HTMT__NEST_INSIDE;
    bool low = v->x[l] < v->r->reach[l] || v->extent[l] < 2 * v->r->reach[l] + 1;
    return (int32_t)(low ? v->x[l] : v->x[l] - v->extent[l]);
}

/* The ends of a link: offset o of a pattern at iteration x, offset `last` at iteration y. */
struct ends {
    const struct htmt__nest_pattern *p;
    unsigned o, last, end;
    int64_t x[HTMT__NEST_DEPTH], y[HTMT__NEST_DEPTH];
};

static bool find_last(const struct htmt__nest_visit *v, struct ends *e)
{
    return htmt__nest_last_touch(v->r->plan, e->p, e->o, e->x, v->extent, &e->last, e->y, &e->end);
}

static int32_t less_of(const struct htmt__nest_visit *v, const struct ends *e)
{
    int32_t *of_pattern = v->r->less[e->p - v->r->plan->pattern];
    int32_t *less = &of_pattern[(size_t)e->o * e->p->offsets + e->last];
    if (*less == HTMT__NEST_UNKNOWN)
        *less = htmt__nest_link_less(v->r->plan, e->p, e->o, e->last);
    return *less;
}

static void make_link(const struct htmt__nest_visit *v, const struct ends *e,
                      struct htmt__nest_link *link)
{
    const int64_t *x = e->x, *y = e->y;
    memset(link, 0, sizeof *link);
    while (x[link->first] == y[link->first])
        link->first++;
    link->end = e->end;
    link->place = place_of(v, link->first);
    for (unsigned l = link->first; l < v->r->plan->depth; l++)
        if (!(e->end & 1U << l))
            link->back[l] = (int32_t)(x[l] - y[l]);
    link->less = less_of(v, e);
}

static int find(struct htmt__nest_visit *v, const struct htmt__nest_link *link,
                struct htmt__nest_found **found)
{
    unsigned index;
    size_t factors = (size_t)v->r->kinds * htmt__nest_masks(v->r);
    int rc = htmt__nest_links_find(v->links, link, factors, &index);
    if (!rc)
        *found = &v->links->at[index];
    return rc;
}

static void add(struct htmt__nest_visit *v, htmt_wide *forms, unsigned form,
                const struct htmt__nest_pattern *p)
{
    htmt__nest_form(v->r, forms, form)[v->mask] += v->weight * (htmt_wide)p->streams;
}

/* Whether a reaches back further than b. */
static bool is_longer(const struct htmt__nest_link *a, const struct htmt__nest_link *b)
{
    if (a->first != b->first)
        return a->first < b->first;
    for (unsigned l = a->first; l < HTMT__NEST_DEPTH; l++)
        if (a->back[l] != b->back[l])
            return a->back[l] > b->back[l];
    return a->less < b->less;
}

/* A write is written back with the one before it if the word stays all the while: over the longest
 * link of the touches between. */
static int count_write(struct htmt__nest_visit *v, unsigned pattern, struct ends e)
{
    struct htmt__nest_link longest = {.first = HTMT__NEST_DEPTH}, link;
    struct htmt__nest_found *found;
    do {
        if (!find_last(v, &e)) {
            add(v, v->last, pattern, e.p);
            return 0;
        }
        make_link(v, &e, &link);
        if (longest.first == HTMT__NEST_DEPTH || is_longer(&link, &longest))
            longest = link;
        memcpy(e.x, e.y, sizeof e.x);
        e.o = e.last;
    } while (!(e.p->offset[e.o].touch & HTMT__NEST_WRITES));
    int rc = find(v, &longest, &found);
    if (!rc)
        add(v, found->writes, v->r->kind_of[pattern], e.p);
    return rc;
}

static int count_read(struct htmt__nest_visit *v, unsigned pattern, struct ends e)
{
    struct htmt__nest_link link;
    struct htmt__nest_found *found;
    if (!find_last(v, &e)) {
        add(v, v->first, pattern, e.p);
        return 0;
    }
    make_link(v, &e, &link);
    int rc = find(v, &link, &found);
    if (!rc)
        add(v, found->reads, v->r->kind_of[pattern], e.p);
    return rc;
}

static int look(struct htmt__nest_visit *v, unsigned pattern, unsigned o)
{
    struct ends e = {.p = &v->r->plan->pattern[pattern], .o = o};
    memcpy(e.x, v->x, sizeof e.x);
    int rc = count_read(v, pattern, e);
    if (!rc && e.p->offset[o].touch & HTMT__NEST_WRITES)
        rc = count_write(v, pattern, e);
    return rc;
}

static int look_at_all(struct htmt__nest_visit *v)
{
    int rc = 0;
    for (unsigned i = 0; i < v->r->plan->patterns; i++)
        for (unsigned o = 0; o < v->r->plan->pattern[i].offsets && !rc; o++)
            if (!v->r->plan->pattern[i].coupled)
                rc = look(v, i, o);
    return rc;
}

static int visit_loop(struct htmt__nest_visit *v, unsigned l)
{
    if (l == v->r->plan->depth)
        return look_at_all(v);
    int64_t n = v->extent[l], reach = v->r->reach[l], places = 2 * reach + 1;
    htmt_wide weight = v->weight;
    unsigned mask = v->mask;
    int rc = 0;
    places = n < places ? n : places;
    for (int64_t i = 0; i < places && !rc; i++) {
        v->inside[l] = i == reach && n > 2 * reach;
        v->x[l] = i <= reach ? i : n - places + i;
        v->weight = v->inside[l] && !v->form ? weight * (n - 2 * reach) : weight;
        v->mask = v->inside[l] && v->form ? mask | 1U << l : mask;
        rc = visit_loop(v, l + 1);
    }
    v->weight = weight;
    v->mask = mask;
    return rc;
}

int htmt__nest_visit_places(struct htmt__nest_visit *visit)
{
    return visit_loop(visit, 0);
}
