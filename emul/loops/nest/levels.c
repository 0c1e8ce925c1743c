/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forms of a box give their values at its extents; a box that is smaller than the reach of offsets
 * is visited by itself.
 */
#include "emul/loops/nest/reuse_parts.h"

#include <stdlib.h>
#include <string.h>

#define PARTS 8 /* of touches whose words depend on their place */

/* ---- forms -------------------------------------------------------------------------------------
 */

/* Products of the given numbers over each mask. */
static void products(const struct htmt__nest_reuse *r, const htmt_wide *number, htmt_wide *product)
{
    product[0] = 1;
    for (unsigned mask = 1; mask < htmt__nest_masks(r); mask++) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        product[mask] = product[mask & (mask - 1)] * number[l];
    }
}

static htmt_wide value_of(const struct htmt__nest_reuse *r, const htmt_wide *form,
                          const htmt_wide *product)
{
    htmt_wide sum = 0;
    for (unsigned mask = 0; mask < htmt__nest_masks(r); mask++)
        if (form[mask])
            sum += form[mask] * product[mask];
    return sum;
}

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

/* Values at extents of the places alone and one more each become factors. */
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

/* Words of a link in a box of those extents, or as a form. */
static int measure(const struct htmt__nest_reuse *r, struct htmt__nest_links *links, unsigned index,
                   const int64_t *extent)
{
    struct htmt__nest_found *f = &links->at[index];
    size_t size = (size_t)r->kinds * htmt__nest_masks(r) * sizeof *f->reads;
    int rc = 0;
    for (int t = 0; t < HTMT__NEST_TILTS; t++) {
        if (f->alike != index)
            memcpy(f->words[t], links->at[f->alike].words[t], size);
        else if (t != HTMT__NEST_AT_MIDDLE && !is_tilted(r, &f->link))
            continue;
        for (unsigned k = 0; k < r->kinds && !rc && f->alike == index; k++) {
            htmt_wide *form = htmt__nest_form(r, f->words[t], k);
            rc = extent ? words_of(r, &f->link, (enum htmt__nest_tilt)t, extent, k, form)
                        : fit(r, &f->link, (enum htmt__nest_tilt)t, k, form);
        }
    }
    return rc;
}

static int measure_all(const struct htmt__nest_reuse *r, struct htmt__nest_links *links,
                       const int64_t *extent)
{
    int rc = 0;
    for (unsigned i = 0; i < links->count && !rc; i++)
        rc = measure(r, links, i, extent);
    return rc;
}

/* Forms for boxes that pass the reach of offsets everywhere. */
static int make_forms(struct htmt__nest_reuse *r)
{
    struct htmt__nest_visit v = {
        .r = r, .links = &r->links, .first = r->first, .last = r->last, .form = true, .weight = 1};
    for (unsigned l = 0; l < r->plan->depth; l++)
        v.extent[l] = 2 * r->reach[l] + 1;
    int rc = htmt__nest_visit_places(&v);
    if (!rc)
        rc = measure_all(r, &r->links, NULL);
    r->formed = !rc;
    return rc;
}

/* ---- levels of a box ---------------------------------------------------------------------------
 */

/* What is asked of a box: its links with values in place of forms. */
struct asked {
    struct htmt__nest_reuse *r;
    const int64_t *extent;
    htmt_wide counts[1U << HTMT__NEST_DEPTH], sizes[1U << HTMT__NEST_DEPTH];
    struct htmt__nest_steps *steps;
};

static htmt_wide in_lines(const struct asked *a, unsigned kind, htmt_wide words, bool shifted)
{
    const struct htmt__nest_kind *k = &a->r->kind[kind];
    htmt_wide line = (htmt_wide)a->r->plan->line;
    if (k->unit < 0 || line <= 1)
        return words;
    htmt_wide row = a->extent[k->unit] + (shifted ? k->span : 0);
    return words * ((row + line - 1) / line * line) / row;
}

static htmt_wide sum_kinds(const struct asked *a, htmt_wide *forms, const htmt_wide *product,
                           bool shifted)
{
    htmt_wide sum = 0;
    for (unsigned k = 0; k < a->r->kinds; k++)
        sum += in_lines(a, k, value_of(a->r, htmt__nest_form(a->r, forms, k), product), shifted);
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

/* Words at a place between the two ends, by straight lines through the middle. */
static htmt_wide between(const htmt_wide words[HTMT__NEST_TILTS], unsigned part)
{
    const htmt_wide twice = 2 * (htmt_wide)part + 1, half = PARTS;
    if (twice < half)
        return words[0] + (words[1] - words[0]) * twice / half;
    return words[1] + (words[2] - words[1]) * (twice - half) / half;
}

/* Touches whose words depend on their place lie evenly between the ends. */
static void put_spread(struct htmt__nest_level *level, unsigned *levels,
                       const htmt_wide words[HTMT__NEST_TILTS], htmt_wide touches, bool spread)
{
    if (!touches)
        return;
    if (!spread) {
        level[(*levels)++] = (struct htmt__nest_level){words[HTMT__NEST_AT_MIDDLE], touches};
        return;
    }
    for (unsigned part = 0; part < PARTS; part++) {
        htmt_wide more = touches * (part + 1) / PARTS - touches * part / PARTS;
        level[(*levels)++] = (struct htmt__nest_level){between(words, part), more};
    }
}

static void put_link(const struct asked *a, const struct htmt__nest_found *f)
{
    struct htmt__nest_steps *s = a->steps;
    bool spread = is_tilted(a->r, &f->link);
    htmt_wide words[HTMT__NEST_TILTS];
    for (unsigned t = 0; t < HTMT__NEST_TILTS; t++)
        words[t] = spread || t == HTMT__NEST_AT_MIDDLE
                       ? sum_kinds(a, f->words[t], a->sizes, true) - f->link.less
                       : 0;
    htmt_wide least = words[0] < words[2] ? words[0] : words[2];
    htmt_wide most = words[0] < words[2] ? words[2] : words[0];
    spread = spread && most - least > (htmt_wide)a->r->plan->points;
    put_spread(s->read_level, &s->reads, words, sum_kinds(a, f->reads, a->counts, false), spread);
    put_spread(s->write_level, &s->writes, words, sum_kinds(a, f->writes, a->counts, false),
               spread);
}

static int put_levels(const struct asked *a, const struct htmt__nest_links *k)
{
    struct htmt__nest_steps *s = a->steps;
    s->read_level = calloc((size_t)PARTS * k->count + 1, sizeof *s->read_level);
    s->write_level = calloc((size_t)PARTS * k->count + 1, sizeof *s->write_level);
    if (!s->read_level || !s->write_level)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < k->count; i++)
        put_link(a, &k->at[i]);
    s->reads = join_levels(s->read_level, s->reads);
    s->writes = join_levels(s->write_level, s->writes);
    return 0;
}

static void put_least(const struct asked *a, htmt_wide *first, htmt_wide *last)
{
    for (unsigned i = 0; i < a->r->plan->patterns; i++) {
        const struct htmt__nest_pattern *p = &a->r->plan->pattern[i];
        bool around = a->r->left[i] && p->touch == HTMT__NEST_WRITES;
        if (p->coupled || p->given)
            continue;
        htmt_wide read = value_of(a->r, htmt__nest_form(a->r, first, i), a->counts);
        htmt_wide written = value_of(a->r, htmt__nest_form(a->r, last, i), a->counts);
        a->steps->read += around ? 0 : in_lines(a, a->r->kind_of[i], read, true);
        a->steps->written += in_lines(a, a->r->kind_of[i], written, false);
    }
}

/* Whether forms hold: every extent passes the reach. */
static bool is_large(const struct htmt__nest_reuse *r, const int64_t *extent)
{
    for (unsigned l = 0; l < r->plan->depth; l++)
        if (extent[l] < 2 * r->reach[l] + 1)
            return false;
    return true;
}

static int ask_forms(struct asked *a)
{
    struct htmt__nest_reuse *r = a->r;
    htmt_wide inside[HTMT__NEST_DEPTH] = {0}, behind[HTMT__NEST_DEPTH] = {0};
    for (unsigned l = 0; l < r->plan->depth; l++) {
        inside[l] = a->extent[l] - 2 * r->reach[l];
        behind[l] = inside[l] - 1;
    }
    products(r, inside, a->counts);
    products(r, behind, a->sizes);
    int rc = r->formed ? 0 : make_forms(r);
    if (rc)
        return rc;
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
    struct htmt__nest_visit v = {.r = r, .links = &links, .first = least, .weight = 1};
    int rc = least ? 0 : HTMT_ENOMEM;
    v.last = least ? least + forms : NULL;
    memcpy(v.extent, a->extent, r->plan->depth * sizeof *v.extent);
    a->counts[0] = a->sizes[0] = 1;
    if (!rc)
        rc = htmt__nest_visit_places(&v);
    if (!rc)
        rc = measure_all(r, &links, a->extent);
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
    struct asked a;
    a.r = reuse;
    a.extent = extent;
    a.steps = steps;
    return is_large(reuse, extent) ? ask_forms(&a) : ask_places(&a);
}
