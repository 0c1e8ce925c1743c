/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Links: from a touch of a word back to the one before it, and how many words lie between.
 *
 * Offset o of a pattern touches at iteration x the word x + o. Offset p touched the same word at
 * y = x + o - p, if y lies in the box and before x. The latest such y is the last touch. A loop
 * that no subscript names (the k of c[i,j] in a product of matrices) leaves y free there: it is the
 * iteration before, and free loops inside of it stand at their ends.
 *
 * Words between: the iterations behind y up to and with x are at most 2 depth + 1 boxes. Each
 * pattern shifts them by its offsets; the union of the shifted boxes is what it touched. `less`
 * corrects for the order of the body, as iteration y counts only behind the touch there, and x only
 * before the touch here.
 *
 * Example: u[j-1,i], u[j,i-1], u[j,i], u[j,i+1], u[j+1,i] in rows of M. The word of u[j,i+1] at
 * (j, i) was touched by u[j+1,i] at (j-1, i+1). Behind that lie (j-1, i+2..M-1) and (j, 0..i). The
 * five offsets touch M-2-i words of row j-2, M+1 of row j-1, M+1 of row j, i+1 of row j+1: 3 M + 1,
 * wherever i is. u[j+1,i] comes later in the body, so its word at (j, i) does not count: less = 1.
 * A memory of 3 M words finds u[j,i+1], a smaller one reads it again in each iteration.
 */
#include "emul/loops/nest/reuse_parts.h"

#include "emul/loops/nest/region.h"

#include "runtime/base/array.h"
#include "runtime/base/fnv.h"

#include <stdlib.h>
#include <string.h>

/* ---- the last touch ----------------------------------------------------------------------------
 */

/* -1, 0, 1 as x is before, at, after y. */
static int compare(const int64_t *x, const int64_t *y, unsigned depth)
{
    for (unsigned l = 0; l < depth; l++)
        if (x[l] != y[l])
            return x[l] < y[l] ? -1 : 1;
    return 0;
}

static bool uses_all(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p)
{
    return p->used == (1U << plan->depth) - 1;
}

/* The latest iteration before x at which offset `other` touches the word of offset o. */
static bool touched_by(const struct htmt__nest_pattern *p, unsigned depth, unsigned o,
                       unsigned other, const int64_t *x, const int64_t *extent, int64_t *y,
                       unsigned *end)
{
    unsigned moved = depth; /* the outermost loop in which y differs */
    *end = 0;
    for (unsigned l = depth; l-- > 0;) {
        bool used = p->used & 1U << l;
        y[l] = used ? x[l] + p->offset[o].at[l] - p->offset[other].at[l] : x[l];
        if (y[l] < 0 || y[l] >= extent[l])
            return false;
        if (y[l] != x[l])
            moved = l;
    }
    /* So far y is not before x: the last free loop outside that can goes back by one. */
    if (moved == depth || y[moved] > x[moved]) {
        while (moved > 0 && (p->used & 1U << (moved - 1) || x[moved - 1] <= 0))
            moved--;
        if (!moved)
            return false;
        moved--;
        y[moved] = x[moved] - 1;
    }
    for (unsigned l = moved + 1; l < depth; l++)
        if (!(p->used & 1U << l)) {
            y[l] = extent[l] - 1;
            *end |= 1U << l;
        }
    return true;
}

bool htmt__nest_last_touch(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                           unsigned o, const int64_t x[HTMT__NEST_DEPTH],
                           const int64_t extent[HTMT__NEST_DEPTH], unsigned *last,
                           int64_t y[HTMT__NEST_DEPTH], unsigned *end)
{
    const bool all = uses_all(plan, p);
    bool found = false;
    *end = 0;
    /* Where all loops are used, later offsets touched the word earlier, the nearest one last. */
    for (unsigned other = o + 1; all && other < p->offsets; other++) {
        bool inside = true;
        for (unsigned l = 0; l < plan->depth && inside; l++) {
            y[l] = x[l] + p->offset[o].at[l] - p->offset[other].at[l];
            inside = y[l] >= 0 && y[l] < extent[l];
        }
        *last = other;
        if (inside)
            return true;
    }
    for (unsigned other = 0; !all && other < p->offsets; other++) {
        int64_t at[HTMT__NEST_DEPTH];
        unsigned at_end;
        if (!touched_by(p, plan->depth, o, other, x, extent, at, &at_end))
            continue;
        if (found && compare(at, y, plan->depth) <= 0)
            continue;
        memcpy(y, at, plan->depth * sizeof *y);
        *last = other;
        *end = at_end;
        found = true;
    }
    return found;
}

/* ---- the order of the body ---------------------------------------------------------------------
 */

/* -1, 0, 1 as the word of offset q, `by` further on, lies before, at, after that of offset r. */
static int compare_words(const struct htmt__nest_pattern *p, unsigned q, const int32_t *by,
                         unsigned r)
{
    for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++) {
        int64_t a = (int64_t)p->offset[q].at[l] + by[l], b = p->offset[r].at[l];
        if (a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

/* Whether iteration y touches the word of offset r, or a later one, from the last touch on. */
static bool is_behind(const struct htmt__nest_pattern *p, unsigned r, unsigned last)
{
    unsigned a = p->offset[r].last, b = p->offset[last].last;
    return a > b || (a == b && r >= last);
}

/* Offsets are sorted by words: iterations between y and x touch the word of an offset at x if its
 * neighbour is nearer than the link reaches. */
int32_t htmt__nest_link_less(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                             unsigned o, unsigned last)
{
    int32_t by[HTMT__NEST_DEPTH], less = 0;
    if (!uses_all(plan, p))
        return 0;
    for (unsigned l = 0; l < HTMT__NEST_DEPTH; l++)
        by[l] = p->offset[last].at[l] - p->offset[o].at[l];
    for (unsigned q = 0; q < p->offsets; q++) {
        unsigned a = p->offset[q].first, b = p->offset[o].first;
        bool before = a < b || (a == b && q <= o); /* x touches it before the touch here */
        int sign = q + 1 < p->offsets ? compare_words(p, q, by, q + 1) : -1;
        less += !before && (sign < 0 || (!sign && !is_behind(p, q + 1, last)));
        sign = q ? compare_words(p, q - 1, by, q) : -1;
        less -= sign < 0 && is_behind(p, q, last);
    }
    return less;
}

/* ---- words between -----------------------------------------------------------------------------
 */

#define STRETCHES (2 * HTMT__NEST_DEPTH + 2)

/* The iterations behind y up to and with x, as boxes that do not meet. */
struct stretch {
    unsigned boxes;
    struct htmt__region_box box[STRETCHES];
};

/* A box that is at `at` in the first loops and covers the others. */
static struct htmt__region_box *open_box(struct stretch *s, unsigned depth, const int64_t *at,
                                         unsigned fixed, const int64_t *extent)
{
    struct htmt__region_box *b = &s->box[s->boxes++];
    for (unsigned l = 0; l < depth; l++) {
        b->low[l] = l < fixed ? at[l] : 0;
        b->high[l] = l < fixed ? at[l] + 1 : extent[l];
    }
    return b;
}

/* Different words that a pattern touches in the stretch. */
static int add_words(const struct htmt__nest_pattern *p, const struct stretch *s, unsigned depth,
                     htmt_wide *words)
{
    htmt_wide count = 0;
    if (p->offsets == 1 && p->used == (1U << depth) - 1) {
        for (unsigned i = 0; i < s->boxes; i++) {
            htmt_wide size = 1;
            for (unsigned l = 0; l < depth; l++) {
                int64_t length = s->box[i].high[l] - s->box[i].low[l];
                size *= length > 0 ? length : 0;
            }
            count += size;
        }
        *words += count * (htmt_wide)p->streams;
        return 0;
    }
    unsigned boxes = 0, axes = 0;
    struct htmt__region_box *box = malloc((size_t)p->offsets * STRETCHES * sizeof *box);
    if (!box)
        return HTMT_ENOMEM;
    for (unsigned o = 0; o < p->offsets; o++)
        for (unsigned i = 0; i < s->boxes; i++) {
            struct htmt__region_box *b = &box[boxes];
            bool empty = false;
            axes = 0; /* loops that the pattern uses */
            for (unsigned l = 0; l < depth; l++) {
                empty = empty || s->box[i].low[l] >= s->box[i].high[l];
                if (!(p->used & 1U << l))
                    continue;
                b->low[axes] = s->box[i].low[l] + p->offset[o].at[l];
                b->high[axes++] = s->box[i].high[l] + p->offset[o].at[l];
            }
            boxes += !empty;
        }
    int rc = htmt__region_count(box, boxes, axes, &count);
    free(box);
    *words += count * (htmt_wide)p->streams;
    return rc;
}

/* The ends of a link in loop l. In the loops outside the first that moved any place serves; in the
 * second loop behind it x stands as far out as y allows, or in the middle. */
static void place_ends(const struct htmt__nest_link *k, unsigned l, enum htmt__nest_tilt tilt,
                       int64_t extent, int64_t *x, int64_t *y)
{
    const int64_t back = k->back[l];
    const bool end = k->end & 1U << l;
    if (l < k->first) {
        *x = *y = 0;
        return;
    }
    if (l == k->first + 1 && k->place != HTMT__NEST_INSIDE)
        *x = k->place >= 0 ? k->place : extent + k->place;
    else if (l == k->first)
        *x = back;
    else if (end)
        *x = 0;
    else if (l == k->first + 2 && tilt == HTMT__NEST_AT_LOW)
        *x = back > 0 ? back : 0;
    else if (l == k->first + 2 && tilt == HTMT__NEST_AT_HIGH)
        *x = extent - 1 + (back < 0 ? back : 0);
    else
        *x = (extent - 1 + back) / 2;
    *y = end ? extent - 1 : *x - back;
}

int htmt__nest_link_words(const struct htmt__nest_plan *plan, const bool *left,
                          const struct htmt__nest_link *link, enum htmt__nest_tilt tilt,
                          const int64_t extent[HTMT__NEST_DEPTH], htmt_wide *words)
{
    const unsigned depth = plan->depth, first = link->first;
    int64_t x[HTMT__NEST_DEPTH] = {0}, y[HTMT__NEST_DEPTH] = {0};
    struct stretch s = {.boxes = 0};
    struct htmt__region_box *b;
    int rc = 0;
    *words = 0;
    for (unsigned l = 0; l < depth; l++)
        place_ends(link, l, tilt, extent[l], &x[l], &y[l]);
    for (unsigned l = depth; l-- > first + 1;) { /* what is left of the runs of y */
        b = open_box(&s, depth, y, l, extent);
        b->low[l] = y[l] + 1;
    }
    b = open_box(&s, depth, y, first, extent);
    b->low[first] = y[first] + 1;
    b->high[first] = x[first];
    for (unsigned l = first + 1; l < depth; l++) { /* what has passed of the runs of x */
        b = open_box(&s, depth, x, l, extent);
        b->high[l] = x[l];
    }
    open_box(&s, depth, x, depth, extent);
    for (unsigned i = 0; i < plan->patterns && !rc; i++)
        if (!left[i] && !plan->pattern[i].coupled)
            rc = add_words(&plan->pattern[i], &s, depth, words);
    return rc;
}

/* ---- links of a box ----------------------------------------------------------------------------
 */

void htmt__nest_links_clear(struct htmt__nest_links *links)
{
    for (unsigned i = 0; i < links->count; i++)
        free(links->at[i].reads);
    free(links->at);
    free(links->slot);
    *links = (struct htmt__nest_links){0};
}

/* The slot of the link, or the free one that it would take. Links that differ in `less` alone have
 * one hash; *alike is the first of them, UINT32_MAX if there is none. */
static unsigned slot_of(const struct htmt__nest_links *links, const struct htmt__nest_link *link,
                        unsigned *alike)
{
    uint64_t hash = HTMT__HASH_BASIS ^ link->first ^ (uint64_t)link->end << 8;
    hash = (hash ^ (uint32_t)link->place) * HTMT__HASH_PRIME;
    for (unsigned l = link->first; l < HTMT__NEST_DEPTH; l++)
        hash = (hash ^ (uint32_t)link->back[l]) * HTMT__HASH_PRIME;
    unsigned slot = (unsigned)((hash ^ hash >> 32) % links->slots);
    *alike = UINT32_MAX;
    for (; links->slot[slot]; slot = slot + 1 == links->slots ? 0 : slot + 1) {
        const struct htmt__nest_found *f = &links->at[links->slot[slot] - 1];
        if (f->link.first != link->first || f->link.end != link->end ||
            f->link.place != link->place ||
            memcmp(f->link.back, link->back, sizeof link->back) != 0)
            continue;
        *alike = f->alike;
        if (f->link.less == link->less)
            break;
    }
    return slot;
}

int htmt__nest_links_find(struct htmt__nest_links *links, const struct htmt__nest_link *link,
                          size_t factors, unsigned *index)
{
    unsigned alike;
    if (links->count == links->room) {
        if (!htmt__array_fits(&links->at, &links->room, links->count + 1, sizeof *links->at))
            return HTMT_ENOMEM;
        free(links->slot);
        links->slots = 2 * (unsigned)links->room + 1;
        links->slot = calloc(links->slots, sizeof *links->slot);
        if (!links->slot)
            return HTMT_ENOMEM;
        for (unsigned i = 0; i < links->count; i++)
            links->slot[slot_of(links, &links->at[i].link, &alike)] = i + 1;
    }
    unsigned slot = slot_of(links, link, &alike);
    if (links->slot[slot]) {
        *index = links->slot[slot] - 1;
        return 0;
    }
    htmt_wide *all = calloc((2 + HTMT__NEST_TILTS) * factors, sizeof *all);
    if (!all)
        return HTMT_ENOMEM;
    *index = links->count++;
    links->slot[slot] = links->count;
    struct htmt__nest_found *f = &links->at[*index];
    *f = (struct htmt__nest_found){.link = *link,
                                   .alike = alike == UINT32_MAX ? *index : alike,
                                   .reads = all,
                                   .writes = all + factors};
    for (unsigned t = 0; t < HTMT__NEST_TILTS; t++)
        f->words[t] = all + (2 + t) * factors;
    return 0;
}
