/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Levels of a box out of its links.
 *
 * Both the words of a link and the number of touches that have it are polynomials in the extents,
 * of degree one in each, once every extent passes the reach of offsets. Such a form has a factor
 * for each set of loops (a mask), so 8 factors for three loops. The touches come from one visit of
 * all kinds of places (places.c). The words come from measuring the smallest such box and its
 * 2^depth neighbours that are longer by one: f(n) = f(s) + (n - s) (f(s + 1) - f(s)), loop by loop.
 * With rows of s = 3 iterations, a link with 10 words that has 13 in rows of 4 has 10 + 3 (n - 3).
 * Any box then costs links times 2^depth products, whatever its size.
 *
 * A box that is smaller than the reach is visited by itself: its forms hold their value alone.
 *
 * A link's words can depend on where x lies in the second loop behind the first that moved: they
 * are measured at both ends and in the middle, and the touches are spread over PARTS levels
 * between.
 */
#include "emul/loops/nest/reuse_parts.h"

#include <stdlib.h>
#include <string.h>

#define PARTS 8 /* of touches whose words depend on their place */

/* ---- words of links ----------------------------------------------------------------------------
 */

static int words_of(const struct htmt__nest_reuse *r, const struct htmt__nest_link *link,
                    enum htmt__nest_tilt tilt, const int64_t *extent, unsigned kind,
                    htmt_wide *words)
{
    bool *left = calloc(r->plan->patterns + 1, sizeof *left);
    if (!left)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < r->plan->patterns; i++)
        left[i] = r->left[i] || r->kind_of[i] != kind;
    int rc = htmt__nest_link_words(r->plan, left, link, tilt, extent, words);
    free(left);
    return rc;
}

/* The factors of a link's words. Loops up to the first that moved do not change them. */
static int fit(const struct htmt__nest_reuse *r, const struct htmt__nest_link *link,
               enum htmt__nest_tilt tilt, unsigned kind, htmt_wide *form)
{
    unsigned outer = (2U << link->first) - 1;
    int rc = 0;
    for (unsigned mask = 0; mask < htmt__nest_masks(r) && !rc; mask++) {
        int64_t extent[HTMT__NEST_DEPTH];
        for (unsigned l = 0; l < r->plan->depth; l++)
            extent[l] = 2 * r->reach[l] + 1 + (mask >> l & 1);
        if (!(mask & outer))
            rc = words_of(r, link, tilt, extent, kind, &form[mask]);
    }
    for (unsigned l = 0; l < r->plan->depth; l++)
        for (unsigned mask = 0; mask < htmt__nest_masks(r); mask++)
            if (mask & 1U << l && !(mask & outer))
                form[mask] -= form[mask & ~(1U << l)];
    return rc;
}

/* Whether the place in the second loop behind the first that moved can matter. */
static bool is_tilted(const struct htmt__nest_reuse *r, const struct htmt__nest_link *link)
{
    unsigned l = link->first + 2;
    return l < r->plan->depth && !(link->end & 1U << l);
}

/* Words of all links, in a box of those extents, or as forms (NULL). */
static int measure(const struct htmt__nest_reuse *r, struct htmt__nest_links *links,
                   const int64_t *extent)
{
    const size_t size = (size_t)r->kinds * htmt__nest_masks(r) * sizeof(htmt_wide);
    int rc = 0;
    for (unsigned i = 0; i < links->count; i++) {
        struct htmt__nest_found *f = &links->at[i];
        for (int t = 0; t < HTMT__NEST_TILTS; t++) {
            const enum htmt__nest_tilt tilt = (enum htmt__nest_tilt)t;
            if (f->alike != i)
                memcpy(f->words[t], links->at[f->alike].words[t], size);
            else if (t != HTMT__NEST_AT_MIDDLE && !is_tilted(r, &f->link))
                continue;
            for (unsigned k = 0; k < r->kinds && !rc && f->alike == i; k++) {
                htmt_wide *form = htmt__nest_form(r, f->words[t], k);
                rc = extent ? words_of(r, &f->link, tilt, extent, k, form)
                            : fit(r, &f->link, tilt, k, form);
            }
        }
        if (rc)
            break;
    }
    return rc;
}

/* ---- levels of a box ---------------------------------------------------------------------------
 */

/* What is asked of a box: products of numbers by masks, which turn its forms into values. */
struct asked {
    struct htmt__nest_reuse *r;
    const int64_t *extent;
    htmt_wide counts[1U << HTMT__NEST_DEPTH]; /* of the iterations inside: for touches */
    htmt_wide sizes[1U << HTMT__NEST_DEPTH];  /* beyond the least extents: for words */
    struct htmt__nest_steps *steps;
};

/* A form's value, with the rows of its kind rounded to lines, `shifted` by the offsets or not. */
static htmt_wide value_of(const struct asked *a, const htmt_wide *form, const htmt_wide *product,
                          unsigned kind, bool shifted)
{
    const struct htmt__nest_kind *k = &a->r->kind[kind];
    htmt_wide line = (htmt_wide)a->r->plan->line, sum = 0;
    for (unsigned mask = 0; mask < htmt__nest_masks(a->r); mask++)
        if (form[mask])
            sum += form[mask] * product[mask];
    if (k->unit < 0 || line <= 1)
        return sum;
    htmt_wide row = a->extent[k->unit] + (shifted ? k->span : 0);
    return sum * ((row + line - 1) / line * line) / row;
}

static htmt_wide sum_kinds(const struct asked *a, htmt_wide *forms, const htmt_wide *product,
                           bool shifted)
{
    htmt_wide sum = 0;
    for (unsigned k = 0; k < a->r->kinds; k++)
        sum += value_of(a, htmt__nest_form(a->r, forms, k), product, k, shifted);
    return sum;
}

static int by_words(const void *left, const void *right)
{
    const struct htmt__nest_level *a = left, *b = right;
    return (a->words > b->words) - (a->words < b->words);
}

static unsigned join_levels(struct htmt__nest_level *level, unsigned levels)
{
    unsigned kept = 0;
    qsort(level, levels, sizeof *level, by_words);
    for (unsigned i = 0; i < levels; i++)
        if (kept && level[kept - 1].words == level[i].words)
            level[kept - 1].more += level[i].more;
        else
            level[kept++] = level[i];
    return kept;
}

/* Touches whose words depend on their place lie evenly between the ends, on straight lines through
 * the middle. */
static void put_touches(struct htmt__nest_level *level, unsigned *levels,
                        const htmt_wide words[HTMT__NEST_TILTS], htmt_wide touches, bool spread)
{
    if (touches && !spread)
        level[(*levels)++] = (struct htmt__nest_level){words[HTMT__NEST_AT_MIDDLE], touches};
    for (htmt_wide part = 0; part < PARTS && touches && spread; part++) {
        const htmt_wide twice = 2 * part + 1, half = PARTS;
        level[(*levels)++] = (struct htmt__nest_level){
            twice < half ? words[0] + (words[1] - words[0]) * twice / half
                         : words[1] + (words[2] - words[1]) * (twice - half) / half,
            touches * (part + 1) / PARTS - touches * part / PARTS};
    }
}

static int put_levels(const struct asked *a, const struct htmt__nest_links *links)
{
    struct htmt__nest_steps *s = a->steps;
    s->read_level = calloc((size_t)PARTS * links->count + 1, sizeof *s->read_level);
    s->write_level = calloc((size_t)PARTS * links->count + 1, sizeof *s->write_level);
    if (!s->read_level || !s->write_level)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < links->count; i++) {
        const struct htmt__nest_found *f = &links->at[i];
        bool spread = is_tilted(a->r, &f->link);
        htmt_wide words[HTMT__NEST_TILTS] = {0};
        for (unsigned t = 0; t < HTMT__NEST_TILTS; t++)
            if (spread || t == HTMT__NEST_AT_MIDDLE)
                words[t] = sum_kinds(a, f->words[t], a->sizes, true) - f->link.less;
        htmt_wide least = words[0] < words[2] ? words[0] : words[2];
        htmt_wide most = words[0] < words[2] ? words[2] : words[0];
        spread = spread && most - least > (htmt_wide)a->r->plan->points;
        put_touches(s->read_level, &s->reads, words, sum_kinds(a, f->reads, a->counts, false),
                    spread);
        put_touches(s->write_level, &s->writes, words, sum_kinds(a, f->writes, a->counts, false),
                    spread);
    }
    s->reads = join_levels(s->read_level, s->reads);
    s->writes = join_levels(s->write_level, s->writes);
    return 0;
}

/* What a memory reads and writes that keeps all. */
static void put_least(const struct asked *a, htmt_wide *first, htmt_wide *last)
{
    struct htmt__nest_reuse *r = a->r;
    for (unsigned i = 0; i < r->plan->patterns; i++) {
        const struct htmt__nest_pattern *p = &r->plan->pattern[i];
        bool around = r->left[i] && p->touch == HTMT__NEST_WRITES;
        unsigned kind = r->kind_of[i];
        if (p->coupled || p->given)
            continue;
        if (!around)
            a->steps->read += value_of(a, htmt__nest_form(r, first, i), a->counts, kind, true);
        a->steps->written += value_of(a, htmt__nest_form(r, last, i), a->counts, kind, false);
    }
}

/* A box that passes the reach in every loop: the forms hold, and are made the first time. */
static int ask_forms(struct asked *a)
{
    struct htmt__nest_reuse *r = a->r;
    int rc = 0;
    if (!r->formed) {
        struct htmt__nest_visit v = {.r = r,
                                     .links = &r->links,
                                     .first = r->first,
                                     .last = r->last,
                                     .form = true,
                                     .weight = 1};
        for (unsigned l = 0; l < r->plan->depth; l++)
            v.extent[l] = 2 * r->reach[l] + 1;
        rc = htmt__nest_visit_places(&v);
        if (!rc)
            rc = measure(r, &r->links, NULL);
        r->formed = !rc;
    }
    if (rc)
        return rc;
    a->counts[0] = a->sizes[0] = 1;
    for (unsigned mask = 1; mask < htmt__nest_masks(r); mask++) {
        unsigned l = (unsigned)__builtin_ctz(mask), rest = mask & (mask - 1);
        htmt_wide inside = a->extent[l] - 2 * r->reach[l];
        a->counts[mask] = a->counts[rest] * inside;
        a->sizes[mask] = a->sizes[rest] * (inside - 1);
    }
    put_least(a, r->first, r->last);
    return put_levels(a, &r->links);
}

/* A small box, place by place: forms that hold nothing but their value. */
static int ask_places(struct asked *a)
{
    struct htmt__nest_reuse *r = a->r;
    struct htmt__nest_links links = {0};
    size_t forms = (size_t)(r->plan->patterns + 1) * htmt__nest_masks(r);
    htmt_wide *least = calloc(2 * forms, sizeof *least);
    if (!least)
        return HTMT_ENOMEM;
    struct htmt__nest_visit v = {
        .r = r, .links = &links, .first = least, .last = least + forms, .weight = 1};
    memcpy(v.extent, a->extent, r->plan->depth * sizeof *v.extent);
    a->counts[0] = a->sizes[0] = 1;
    int rc = htmt__nest_visit_places(&v);
    if (!rc)
        rc = measure(r, &links, a->extent);
    if (!rc) {
        put_least(a, v.first, v.last);
        rc = put_levels(a, &links);
    }
    htmt__nest_links_clear(&links);
    free(least);
    return rc;
}

int htmt__nest_levels(struct htmt__nest_reuse *reuse, const int64_t *extent,
                      struct htmt__nest_steps *steps)
{
    struct asked a; /* products are set where they are read */
    bool large = true;
    a.r = reuse;
    a.extent = extent;
    a.steps = steps;
    for (unsigned l = 0; l < reuse->plan->depth; l++)
        large = large && extent[l] >= 2 * reuse->reach[l] + 1;
    return large ? ask_forms(&a) : ask_places(&a);
}
