/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every kind of place that an iteration can have, near the low end of a loop, near the high end or
 * inside, is visited once; what is found there counts as often as there are such places.
 *
 * With reach 1, a loop of n >= 3 has the places 0, "inside" (n - 2 of them, visited as 1) and
 * n - 1. A box of two such loops has nine kinds of places, however large it is: 1,000 x 1,000
 * iterations are counted as 4 corners, 4 edges of 998 and 998 x 998 inside. A form does not
 * multiply by the number but keeps the sum by the loops that were inside, a bit each (the mask): 4
 * under 00, 2 under 01, 2 under 10, 1 under 11. levels.c then gives it the extents of any box.
 */
#include "emul/loops/nest/reuse_parts.h"

#include <string.h>

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

static void make_link(const struct htmt__nest_visit *v, const struct ends *e,
                      struct htmt__nest_link *link)
{
    const struct htmt__nest_plan *plan = v->r->plan;
    int32_t *less = &v->r->less[e->p - plan->pattern][(size_t)e->o * e->p->offsets + e->last];
    if (*less == HTMT__NEST_UNKNOWN)
        *less = htmt__nest_link_less(plan, e->p, e->o, e->last);
    *link = (struct htmt__nest_link){.end = e->end, .place = HTMT__NEST_INSIDE, .less = *less};
    while (e->x[link->first] == e->y[link->first])
        link->first++;
    for (unsigned l = link->first; l < plan->depth; l++)
        if (!(e->end & 1U << l))
            link->back[l] = (int32_t)(e->x[l] - e->y[l]);
    unsigned l = link->first + 1;
    if (l < plan->depth && !v->inside[l]) {
        bool low = v->x[l] < v->r->reach[l] || v->extent[l] < 2 * v->r->reach[l] + 1;
        link->place = (int32_t)(low ? v->x[l] : v->x[l] - v->extent[l]);
    }
}

static void add(struct htmt__nest_visit *v, htmt_wide *forms, unsigned form,
                const struct htmt__nest_pattern *p)
{
    htmt__nest_form(v->r, forms, form)[v->mask] += v->weight * (htmt_wide)p->streams;
}

static int add_link(struct htmt__nest_visit *v, const struct htmt__nest_link *link,
                    unsigned pattern, bool write)
{
    unsigned index;
    size_t factors = (size_t)v->r->kinds * htmt__nest_masks(v->r);
    int rc = htmt__nest_links_find(v->links, link, factors, &index);
    if (rc)
        return rc;
    const struct htmt__nest_found *f = &v->links->at[index];
    add(v, write ? f->writes : f->reads, v->r->kind_of[pattern], &v->r->plan->pattern[pattern]);
    return 0;
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

/* A write is written back together with the one before it if the word stays all the while: over the
 * longest link of the touches between. */
static int count_write(struct htmt__nest_visit *v, unsigned pattern, struct ends e)
{
    struct htmt__nest_link longest = {.first = HTMT__NEST_DEPTH}, link;
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
    return add_link(v, &longest, pattern, true);
}

/* All touches of the body at one place. */
static int count_touches(struct htmt__nest_visit *v)
{
    int rc = 0;
    for (unsigned i = 0; i < v->r->plan->patterns; i++) {
        const struct htmt__nest_pattern *p = &v->r->plan->pattern[i];
        for (unsigned o = 0; o < p->offsets && !rc && !p->coupled; o++) {
            struct ends e = {.p = p, .o = o};
            struct htmt__nest_link link;
            memcpy(e.x, v->x, sizeof e.x);
            struct ends read = e;
            if (find_last(v, &read)) {
                make_link(v, &read, &link);
                rc = add_link(v, &link, i, false);
            } else {
                add(v, v->first, i, p);
            }
            if (!rc && p->offset[o].touch & HTMT__NEST_WRITES)
                rc = count_write(v, i, e);
        }
    }
    return rc;
}

static int visit_loop(struct htmt__nest_visit *v, unsigned l)
{
    if (l == v->r->plan->depth)
        return count_touches(v);
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
