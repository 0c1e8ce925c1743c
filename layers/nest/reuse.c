/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every kind of place that an iteration can have, near the low end of a loop, near the high end or
 * inside, is visited once; what is found there counts as often as there are such places. A value of
 * a box is a form: a polynomial of degree one in each extent, as factors by masks of loops.
 */
#include "layers/nest/reuse_parts.h"

#include "layers/nest/coarse.h"

#include "runtime/base/fnv.h"

#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 4
#define ANSWERS   1024
#define PARTS     8         /* of touches whose words depend on their place */
#define WORK_MAX  3000000.0 /* places times offsets; beyond, the rule of levels serves */

/* Patterns whose rows are rounded alike to lines. */
struct kind {
    int unit;
    int64_t span;
};

/* Forms of a link: words between its ends, and touches that have it, by kind. */
struct found {
    struct htmt__nest_link link;
    htmt_wide *words[HTMT__NEST_TILTS], *reads, *writes; /* [kind][mask] */
};

struct links {
    unsigned count, room, slots;
    struct found *at;
    unsigned *slot; /* index + 1 by hash; 0: free */
};

/* The levels of a box that was asked for. */
struct answer {
    int64_t extent[HTMT__NEST_DEPTH];
    struct htmt__nest_steps steps;
};

struct htmt__nest_reuse {
    const struct htmt__nest_plan *plan;
    struct htmt__nest_keeping keeping;
    bool *left; /* patterns that leave the memory out */
    unsigned kinds, *kind_of;
    struct kind kind[KINDS_MAX];
    int64_t reach[HTMT__NEST_DEPTH]; /* how near an end matters */
    bool formed, coarse;
    struct links links;
    htmt_wide *first, *last; /* [pattern][mask]: words read at least once, written for good */
    struct answer *answer;   /* what was asked before, by a hash of the extents; NULL: nothing */
};

/* ---- forms -------------------------------------------------------------------------------------
 */

static unsigned masks(const struct htmt__nest_reuse *r)
{
    return 1U << r->plan->depth;
}

static htmt_wide *form_of(const struct htmt__nest_reuse *r, htmt_wide *forms, unsigned index)
{
    return forms + (size_t)index * masks(r);
}

/* Products of the given numbers over each mask. */
static void products(const struct htmt__nest_reuse *r, const htmt_wide *number, htmt_wide *product)
{
    product[0] = 1;
    for (unsigned mask = 1; mask < masks(r); mask++) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        product[mask] = product[mask & (mask - 1)] * number[l];
    }
}

static htmt_wide value_of(const struct htmt__nest_reuse *r, const htmt_wide *form,
                          const htmt_wide *product)
{
    htmt_wide sum = 0;
    for (unsigned mask = 0; mask < masks(r); mask++)
        if (form[mask])
            sum += form[mask] * product[mask];
    return sum;
}

static void clear_steps(struct htmt__nest_steps *steps)
{
    free(steps->read_level);
    free(steps->write_level);
    *steps = (struct htmt__nest_steps){0};
}

/* ---- links -------------------------------------------------------------------------------------
 */

static void clear_links(struct links *k)
{
    for (unsigned i = 0; i < k->count; i++)
        free(k->at[i].reads);
    free(k->at);
    free(k->slot);
    *k = (struct links){0};
}

static unsigned slot_of(const struct links *k, const struct htmt__nest_link *link)
{
    uint64_t hash = HTMT__HASH_BASIS;
    htmt__hash_u64(&hash, (uint64_t)link->first << 32 | link->end);
    htmt__hash_u64(&hash, (uint32_t)link->place);
    for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++)
        htmt__hash_u64(&hash, (uint32_t)link->back[l]);
    unsigned at = (unsigned)(hash % k->slots);
    while (k->slot[at] && memcmp(&k->at[k->slot[at] - 1].link, link, sizeof *link) != 0)
        at = at + 1 == k->slots ? 0 : at + 1;
    return at;
}

static int grow(struct links *k)
{
    unsigned room = k->room ? 2 * k->room : 64;
    struct found *at = reallocarray(k->at, room, sizeof *at);
    if (!at)
        return HTMT_ENOMEM;
    k->at = at;
    k->room = room;
    free(k->slot);
    k->slots = 2 * room + 1;
    k->slot = calloc(k->slots, sizeof *k->slot);
    for (unsigned i = 0; k->slot && i < k->count; i++)
        k->slot[slot_of(k, &at[i].link)] = i + 1;
    return k->slot ? 0 : HTMT_ENOMEM;
}

static int find_link(struct htmt__nest_reuse *r, struct links *k,
                     const struct htmt__nest_link *link, unsigned *index)
{
    int rc = k->count == k->room ? grow(k) : 0;
    if (rc)
        return rc;
    unsigned slot = slot_of(k, link);
    if (k->slot[slot]) {
        *index = k->slot[slot] - 1;
        return 0;
    }
    size_t forms = (size_t)r->kinds * masks(r);
    htmt_wide *all = calloc((2 + HTMT__NEST_TILTS) * forms, sizeof *all);
    if (!all)
        return HTMT_ENOMEM;
    *index = k->count++;
    k->slot[slot] = k->count;
    k->at[*index] = (struct found){.link = *link, .reads = all, .writes = all + forms};
    for (unsigned t = 0; t < HTMT__NEST_TILTS; t++)
        k->at[*index].words[t] = all + (2 + t) * forms;
    return 0;
}

/* ---- places ------------------------------------------------------------------------------------
 */

/* A box whose places are visited. `form`: places inside count by masks, else by their number. */
struct visit {
    struct htmt__nest_reuse *r;
    struct links *links;
    htmt_wide *first, *last;
    int64_t extent[HTMT__NEST_DEPTH];
    bool form;
    int64_t x[HTMT__NEST_DEPTH];
    bool inside[HTMT__NEST_DEPTH];
    unsigned mask;
    htmt_wide weight;
};

/* The place of x in the loop behind the first that moved, if it can matter there. */
static int32_t place_of(const struct visit *v, unsigned first)
{
    unsigned l = first + 1;
    if (l >= v->r->plan->depth || v->inside[l])
        return HTMT__NEST_INSIDE;
    bool low = v->x[l] < v->r->reach[l] || v->extent[l] < 2 * v->r->reach[l] + 1;
    return (int32_t)(low ? v->x[l] : v->x[l] - v->extent[l]);
}

static void make_link(const struct visit *v, const int64_t *x, const int64_t *y, unsigned end,
                      struct htmt__nest_link *link)
{
    memset(link, 0, sizeof *link);
    while (x[link->first] == y[link->first])
        link->first++;
    link->end = end;
    link->place = place_of(v, link->first);
    for (unsigned l = link->first; l < v->r->plan->depth; l++)
        if (!(end & 1U << l))
            link->back[l] = (int32_t)(x[l] - y[l]);
}

static int count_read(struct visit *v, unsigned pattern, unsigned o, const int64_t *y, unsigned end)
{
    struct htmt__nest_link link;
    unsigned index;
    (void)o;
    make_link(v, v->x, y, end, &link);
    int rc = find_link(v->r, v->links, &link, &index);
    if (!rc)
        form_of(v->r, v->links->at[index].reads, v->r->kind_of[pattern])[v->mask] +=
            v->weight * (htmt_wide)v->r->plan->pattern[pattern].streams;
    return rc;
}

/* Whether a reaches back further than b. */
static bool is_longer(const struct htmt__nest_link *a, const struct htmt__nest_link *b)
{
    if (a->first != b->first)
        return a->first < b->first;
    for (unsigned l = a->first; l < HTMT__NEST_DEPTH; l++)
        if (a->back[l] != b->back[l])
            return a->back[l] > b->back[l];
    return false;
}

/* A write is written back with the one before it if the word stays all the while: over the longest
 * link of the touches between. */
static int count_write(struct visit *v, unsigned pattern, unsigned o)
{
    const struct htmt__nest_pattern *p = &v->r->plan->pattern[pattern];
    struct htmt__nest_link longest = {.first = HTMT__NEST_DEPTH}, link;
    int64_t x[HTMT__NEST_DEPTH], y[HTMT__NEST_DEPTH];
    htmt_wide count = v->weight * (htmt_wide)p->streams;
    unsigned end, index, at = o;
    memcpy(x, v->x, sizeof x);
    do {
        if (!htmt__nest_last_touch(v->r->plan, p, at, x, v->extent, &at, y, &end)) {
            form_of(v->r, v->last, pattern)[v->mask] += count;
            return 0;
        }
        make_link(v, x, y, end, &link);
        if (longest.first == HTMT__NEST_DEPTH || is_longer(&link, &longest))
            longest = link;
        memcpy(x, y, sizeof x);
    } while (!(p->offset[at].touch & HTMT__NEST_WRITES));
    int rc = find_link(v->r, v->links, &longest, &index);
    if (!rc)
        form_of(v->r, v->links->at[index].writes, v->r->kind_of[pattern])[v->mask] += count;
    return rc;
}

static int look(struct visit *v, unsigned pattern, unsigned o)
{
    const struct htmt__nest_pattern *p = &v->r->plan->pattern[pattern];
    int64_t y[HTMT__NEST_DEPTH];
    unsigned last, end;
    int rc = 0;
    if (htmt__nest_last_touch(v->r->plan, p, o, v->x, v->extent, &last, y, &end))
        rc = count_read(v, pattern, o, y, end);
    else
        form_of(v->r, v->first, pattern)[v->mask] += v->weight * (htmt_wide)p->streams;
    if (!rc && p->offset[o].touch & HTMT__NEST_WRITES)
        rc = count_write(v, pattern, o);
    return rc;
}

static int look_at_all(struct visit *v)
{
    int rc = 0;
    for (unsigned i = 0; i < v->r->plan->patterns; i++)
        for (unsigned o = 0; o < v->r->plan->pattern[i].offsets && !rc; o++)
            if (!v->r->plan->pattern[i].coupled)
                rc = look(v, i, o);
    return rc;
}

static int visit_loop(struct visit *v, unsigned l)
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
    for (unsigned mask = 0; mask < masks(r) && !rc; mask++) {
        int64_t extent[HTMT__NEST_DEPTH];
        for (unsigned l = 0; l < r->plan->depth; l++)
            extent[l] = 2 * r->reach[l] + 1 + (mask >> l & 1);
        if (!(mask & outer))
            rc = words_of(r, link, tilt, extent, kind, &form[mask]);
    }
    for (unsigned l = 0; l < r->plan->depth; l++)
        for (unsigned mask = 0; mask < masks(r); mask++)
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

static int fit_link(const struct htmt__nest_reuse *r, struct found *f)
{
    int rc = 0;
    for (int t = 0; t < HTMT__NEST_TILTS; t++)
        for (unsigned k = 0; k < r->kinds && !rc; k++)
            if (t == HTMT__NEST_AT_MIDDLE || is_tilted(r, &f->link))
                rc = fit(r, &f->link, (enum htmt__nest_tilt)t, k, form_of(r, f->words[t], k));
    return rc;
}

/* Forms for boxes that pass the reach of offsets everywhere. */
static int make_forms(struct htmt__nest_reuse *r)
{
    struct visit v = {
        .r = r, .links = &r->links, .first = r->first, .last = r->last, .form = true, .weight = 1};
    for (unsigned l = 0; l < r->plan->depth; l++)
        v.extent[l] = 2 * r->reach[l] + 1;
    int rc = visit_loop(&v, 0);
    for (unsigned i = 0; i < r->links.count && !rc; i++)
        rc = fit_link(r, &r->links.at[i]);
    r->formed = !rc;
    return rc;
}

/* ---- making ------------------------------------------------------------------------------------
 */

static void find_span(const struct htmt__nest_pattern *p, unsigned l, int64_t *span)
{
    int64_t least = p->offset[0].at[l], most = least;
    for (unsigned o = 1; o < p->offsets; o++) {
        least = p->offset[o].at[l] < least ? p->offset[o].at[l] : least;
        most = p->offset[o].at[l] > most ? p->offset[o].at[l] : most;
    }
    *span = most - least;
}

/* How far back along loop l links reach that moved in a loop outside it. */
static int64_t largest_back(const struct htmt__nest_pattern *p, unsigned l)
{
    int64_t most = 0;
    for (unsigned o = 0; o < p->offsets; o++)
        for (unsigned q = o + 1; q < p->offsets; q++) {
            const int32_t *a = p->offset[o].at, *b = p->offset[q].at;
            int64_t back = a[l] < b[l] ? b[l] - a[l] : a[l] - b[l];
            if (back > most && memcmp(a, b, l * sizeof *a) != 0)
                most = back;
        }
    return most;
}

/* Whether any link moves in a loop outside loop l: only then do places along it matter. */
static bool moves_outside(const struct htmt__nest_plan *plan, unsigned l)
{
    for (unsigned i = 0; i < plan->patterns; i++) {
        const struct htmt__nest_pattern *p = &plan->pattern[i];
        if (p->used != (1U << plan->depth) - 1)
            return true;
        for (unsigned o = 1; o < p->offsets; o++)
            if (memcmp(p->offset[o].at, p->offset[0].at, l * sizeof *p->offset[0].at) != 0)
                return true;
    }
    return false;
}

static void find_reach(struct htmt__nest_reuse *r)
{
    for (unsigned l = 0; l < r->plan->depth; l++) {
        int64_t most_span = 0, most_back = 0;
        bool outside = moves_outside(r->plan, l);
        for (unsigned i = 0; i < r->plan->patterns; i++) {
            const struct htmt__nest_pattern *p = &r->plan->pattern[i];
            int64_t span, back = outside ? largest_back(p, l) : 0;
            find_span(p, l, &span);
            if (!(p->used & 1U << l) && !p->coupled)
                span = 1;
            most_span = span > most_span ? span : most_span;
            most_back = back > most_back ? back : most_back;
        }
        r->reach[l] = most_span + most_back;
    }
}

static void find_kind(struct htmt__nest_reuse *r, unsigned pattern)
{
    const struct htmt__nest_pattern *p = &r->plan->pattern[pattern];
    struct kind k = {-1, 0};
    unsigned i = 0;
    if (r->plan->line > 1 && p->unit >= 0) {
        k.unit = p->unit;
        find_span(p, (unsigned)p->unit, &k.span);
    }
    while (i < r->kinds && (r->kind[i].unit != k.unit || r->kind[i].span != k.span))
        i++;
    if (i == r->kinds && r->kinds < KINDS_MAX)
        r->kind[r->kinds++] = k;
    r->kind_of[pattern] = i < KINDS_MAX ? i : KINDS_MAX - 1;
}

static void find_left(struct htmt__nest_reuse *r, unsigned pattern)
{
    const struct htmt__nest_pattern *p = &r->plan->pattern[pattern];
    bool all = p->used == masks(r) - 1;
    r->left[pattern] =
        (r->keeping.bypass && p->touch == HTMT__NEST_WRITES) ||
        (r->keeping.stream_reads && p->touch == HTMT__NEST_READS && p->offsets == 1 && all);
}

static bool is_much(const struct htmt__nest_reuse *r)
{
    double places = 1, offsets = 0;
    for (unsigned l = 0; l < r->plan->depth; l++)
        places *= 2.0 * (double)r->reach[l] + 1;
    for (unsigned i = 0; i < r->plan->patterns; i++)
        offsets += r->plan->pattern[i].offsets;
    return places * offsets > WORK_MAX;
}

int htmt__nest_reuse_make(const struct htmt__nest_plan *plan,
                          const struct htmt__nest_keeping *keeping, struct htmt__nest_reuse **reuse)
{
    struct htmt__nest_reuse *r = calloc(1, sizeof *r);
    if (!r)
        return HTMT_ENOMEM;
    r->plan = plan;
    r->keeping = *keeping;
    r->left = calloc(plan->patterns + 1, sizeof *r->left);
    r->kind_of = calloc(plan->patterns + 1, sizeof *r->kind_of);
    r->first = calloc((size_t)(plan->patterns + 1) << plan->depth, sizeof *r->first);
    r->last = calloc((size_t)(plan->patterns + 1) << plan->depth, sizeof *r->last);
    int rc = r->left && r->kind_of && r->first && r->last ? 0 : HTMT_ENOMEM;
    for (unsigned i = 0; i < plan->patterns && !rc; i++) {
        find_kind(r, i);
        find_left(r, i);
    }
    find_reach(r);
    r->coarse = is_much(r);
    if (rc)
        htmt__nest_reuse_destroy(&r);
    else
        *reuse = r;
    return rc;
}

void htmt__nest_reuse_destroy(struct htmt__nest_reuse **reuse)
{
    struct htmt__nest_reuse *r = *reuse;
    if (!r)
        return;
    clear_links(&r->links);
    for (unsigned i = 0; r->answer && i < ANSWERS; i++)
        clear_steps(&r->answer[i].steps);
    free(r->answer);
    free(r->left);
    free(r->kind_of);
    free(r->first);
    free(r->last);
    free(r);
    *reuse = NULL;
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
    const struct kind *k = &a->r->kind[kind];
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
        sum += in_lines(a, k, value_of(a->r, form_of(a->r, forms, k), product), shifted);
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

static void put_link(const struct asked *a, const struct found *f)
{
    struct htmt__nest_steps *s = a->steps;
    bool spread = is_tilted(a->r, &f->link);
    htmt_wide words[HTMT__NEST_TILTS];
    for (unsigned t = 0; t < HTMT__NEST_TILTS; t++)
        words[t] =
            spread || t == HTMT__NEST_AT_MIDDLE ? sum_kinds(a, f->words[t], a->sizes, true) : 0;
    htmt_wide least = words[0] < words[2] ? words[0] : words[2];
    htmt_wide most = words[0] < words[2] ? words[2] : words[0];
    spread = spread && most - least > (htmt_wide)a->r->plan->points;
    put_spread(s->read_level, &s->reads, words, sum_kinds(a, f->reads, a->counts, false), spread);
    put_spread(s->write_level, &s->writes, words, sum_kinds(a, f->writes, a->counts, false),
               spread);
}

static int put_levels(const struct asked *a, const struct links *k)
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
        htmt_wide read = value_of(a->r, form_of(a->r, first, i), a->counts);
        htmt_wide written = value_of(a->r, form_of(a->r, last, i), a->counts);
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

static int count_link(const struct asked *a, struct found *f)
{
    int rc = 0;
    for (int t = 0; t < HTMT__NEST_TILTS; t++)
        for (unsigned k = 0; k < a->r->kinds && !rc; k++)
            if (t == HTMT__NEST_AT_MIDDLE || is_tilted(a->r, &f->link))
                rc = words_of(a->r, &f->link, (enum htmt__nest_tilt)t, a->extent, k,
                              form_of(a->r, f->words[t], k));
    return rc;
}

/* A small box, place by place: forms that hold nothing but their value. */
static int ask_places(struct asked *a)
{
    struct htmt__nest_reuse *r = a->r;
    struct links links = {0};
    size_t forms = (size_t)(r->plan->patterns + 1) * masks(r);
    htmt_wide *least = calloc(2 * forms, sizeof *least);
    struct visit v = {.r = r, .links = &links, .first = least, .weight = 1};
    int rc = least ? 0 : HTMT_ENOMEM;
    v.last = least ? least + forms : NULL;
    memcpy(v.extent, a->extent, r->plan->depth * sizeof *v.extent);
    a->counts[0] = a->sizes[0] = 1;
    if (!rc)
        rc = visit_loop(&v, 0);
    for (unsigned i = 0; i < links.count && !rc; i++)
        rc = count_link(a, &links.at[i]);
    if (!rc) {
        put_least(a, v.first, v.last);
        rc = put_levels(a, &links);
    }
    clear_links(&links);
    free(least);
    return rc;
}

static bool is_nothing(const struct htmt__nest_reuse *r, const int64_t *extent)
{
    for (unsigned l = 0; l < r->plan->depth; l++)
        if (!extent[l])
            return true;
    return false;
}

static int ask(struct htmt__nest_reuse *r, const int64_t *extent, struct htmt__nest_steps *steps)
{
    struct asked a;
    a.r = r;
    a.extent = extent;
    a.steps = steps;
    *steps = (struct htmt__nest_steps){0};
    if (is_nothing(r, extent))
        return 0;
    int rc = r->coarse             ? htmt__nest_coarse(r->plan, &r->keeping, r->left, extent, steps)
             : is_large(r, extent) ? ask_forms(&a)
                                   : ask_places(&a);
    if (rc)
        clear_steps(steps);
    return rc;
}

/* An older answer in the same place gives way. */
int htmt__nest_steps_ask(struct htmt__nest_reuse *reuse, const int64_t extent[HTMT__NEST_DEPTH],
                         const struct htmt__nest_steps **steps)
{
    size_t size = reuse->plan->depth * sizeof *extent;
    uint64_t hash = HTMT__HASH_BASIS;
    if (!reuse->answer && !(reuse->answer = calloc(ANSWERS, sizeof *reuse->answer)))
        return HTMT_ENOMEM;
    htmt__hash_bytes(&hash, extent, size);
    struct answer *at = &reuse->answer[(hash ^ hash >> 32) % ANSWERS];
    *steps = &at->steps;
    if (at->extent[0] && !memcmp(at->extent, extent, size))
        return 0;
    clear_steps(&at->steps);
    memset(at->extent, 0, sizeof at->extent);
    int rc = ask(reuse, extent, &at->steps);
    if (!rc)
        memcpy(at->extent, extent, size);
    return rc;
}

static htmt_wide above(const struct htmt__nest_level *level, unsigned levels, htmt_wide capacity)
{
    htmt_wide sum = 0;
    for (unsigned i = levels; i-- > 0 && level[i].words > capacity;)
        sum += level[i].more;
    return sum;
}

htmt_wide htmt__nest_steps_read(const struct htmt__nest_steps *steps, htmt_wide capacity)
{
    return steps->read + above(steps->read_level, steps->reads, capacity);
}

htmt_wide htmt__nest_steps_written(const struct htmt__nest_steps *steps, htmt_wide capacity)
{
    return steps->written + above(steps->write_level, steps->writes, capacity);
}

htmt_wide htmt__nest_steps_full(const struct htmt__nest_steps *steps)
{
    htmt_wide read = steps->reads ? steps->read_level[steps->reads - 1].words : 0;
    htmt_wide write = steps->writes ? steps->write_level[steps->writes - 1].words : 0;
    return read > write ? read : write;
}
