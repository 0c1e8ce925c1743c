/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/nest/reuse_parts.h"

#include "emul/loops/nest/region.h"

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

/* Loops that the pattern does not use are free: the latest iteration before x has y in the others.
 * It goes back in the last free loop before `from` that can; those behind it stand at their end. */
static bool step_back(const struct htmt__nest_pattern *p, unsigned depth, unsigned from,
                      const int64_t *x, const int64_t *extent, int64_t *y, unsigned *end)
{
    unsigned l = from;
    while (l-- > 0)
        if (!(p->used & 1U << l) && x[l] > 0)
            break;
    if (l == UINT32_MAX)
        return false;
    y[l] = x[l] - 1;
    for (unsigned m = l + 1; m < depth; m++)
        if (!(p->used & 1U << m)) {
            y[m] = extent[m] - 1;
            *end |= 1U << m;
        }
    return true;
}

/* The latest iteration before x at which offset `other` touches the word of offset o. */
static bool touched_by(const struct htmt__nest_pattern *p, unsigned depth, unsigned o,
                       unsigned other, const int64_t *x, const int64_t *extent, int64_t *y,
                       unsigned *end)
{
    unsigned differs = depth;
    *end = 0;
    for (unsigned l = depth; l-- > 0;) {
        bool used = p->used & 1U << l;
        y[l] = used ? x[l] + p->offset[o].at[l] - p->offset[other].at[l] : x[l];
        if (y[l] < 0 || y[l] >= extent[l])
            return false;
        if (y[l] != x[l])
            differs = l;
    }
    if (differs == depth || y[differs] > x[differs])
        return step_back(p, depth, differs, x, extent, y, end);
    for (unsigned l = differs + 1; l < depth; l++)
        if (!(p->used & 1U << l)) {
            y[l] = extent[l] - 1;
            *end |= 1U << l;
        }
    return true;
}

static bool uses_all(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p)
{
    return p->used == (1U << plan->depth) - 1;
}

/* Where all loops are used, later offsets touched the word earlier, in their order. */
static bool last_of_used(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                         unsigned o, const int64_t *x, const int64_t *extent, unsigned *last,
                         int64_t *y)
{
    for (unsigned other = o + 1; other < p->offsets; other++) {
        bool inside = true;
        for (unsigned l = 0; l < plan->depth && inside; l++) {
            y[l] = x[l] + p->offset[o].at[l] - p->offset[other].at[l];
            inside = y[l] >= 0 && y[l] < extent[l];
        }
        if (inside) {
            *last = other;
            return true;
        }
    }
    return false;
}

bool htmt__nest_last_touch(const struct htmt__nest_plan *plan, const struct htmt__nest_pattern *p,
                           unsigned o, const int64_t x[HTMT__NEST_DEPTH],
                           const int64_t extent[HTMT__NEST_DEPTH], unsigned *last,
                           int64_t y[HTMT__NEST_DEPTH], unsigned *end)
{
    bool found = false;
    *end = 0;
    if (uses_all(plan, p))
        return last_of_used(plan, p, o, x, extent, last, y);
    for (unsigned other = 0; other < p->offsets; other++) {
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

static bool is_before(const struct htmt__nest_pattern *p, unsigned q, unsigned o)
{
    unsigned a = p->offset[q].first, b = p->offset[o].first;
    return a < b || (a == b && q <= o);
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
        int sign = q + 1 < p->offsets ? compare_words(p, q, by, q + 1) : -1;
        bool missed = !is_before(p, q, o);
        less += missed && (sign < 0 || (!sign && !is_behind(p, q + 1, last)));
        sign = q ? compare_words(p, q - 1, by, q) : -1;
        less -= sign < 0 && is_behind(p, q, last);
    }
    return less;
}

/* ---- words between -----------------------------------------------------------------------------
 */

#define STRETCHES (2 * HTMT__NEST_DEPTH + 2)

/* The iterations behind y up to and with x, as boxes. */
struct stretch {
    unsigned boxes;
    struct htmt__region_box box[STRETCHES];
};

static struct htmt__region_box *open_box(struct stretch *s, unsigned depth, const int64_t *prefix,
                                         unsigned fixed, const int64_t *extent)
{
    struct htmt__region_box *b = &s->box[s->boxes++];
    for (unsigned l = 0; l < depth; l++) {
        b->low[l] = l < fixed ? prefix[l] : 0;
        b->high[l] = l < fixed ? prefix[l] + 1 : extent[l];
    }
    return b;
}

static void cut(struct stretch *s, unsigned depth, unsigned first, const int64_t *y,
                const int64_t *x, const int64_t *extent)
{
    struct htmt__region_box *b;
    s->boxes = 0;
    for (unsigned l = depth; l-- > first + 1;) {
        b = open_box(s, depth, y, l, extent);
        b->low[l] = y[l] + 1;
    }
    b = open_box(s, depth, y, first, extent);
    b->low[first] = y[first] + 1;
    b->high[first] = x[first];
    for (unsigned l = first + 1; l < depth; l++) {
        b = open_box(s, depth, x, l, extent);
        b->high[l] = x[l];
    }
    open_box(s, depth, x, depth, extent);
}

/* The boxes, shifted by an offset, on the loops that the pattern uses. */
static unsigned shift(const struct stretch *s, const struct htmt__nest_pattern *p, unsigned depth,
                      struct htmt__region_box *out)
{
    unsigned boxes = 0;
    for (unsigned o = 0; o < p->offsets; o++)
        for (unsigned i = 0; i < s->boxes; i++) {
            struct htmt__region_box *b = &out[boxes++];
            unsigned axis = 0;
            bool empty = false;
            for (unsigned l = 0; l < depth; l++) {
                empty = empty || s->box[i].low[l] >= s->box[i].high[l];
                if (!(p->used & 1U << l))
                    continue;
                b->low[axis] = s->box[i].low[l] + p->offset[o].at[l];
                b->high[axis++] = s->box[i].high[l] + p->offset[o].at[l];
            }
            boxes -= empty;
        }
    return boxes;
}

/* Boxes of iterations do not meet: at one offset their sizes add up. */
static htmt_wide count_single(const struct stretch *s, unsigned depth)
{
    htmt_wide sum = 0;
    for (unsigned i = 0; i < s->boxes; i++) {
        htmt_wide size = 1;
        for (unsigned l = 0; l < depth; l++) {
            int64_t length = s->box[i].high[l] - s->box[i].low[l];
            size *= length > 0 ? length : 0;
        }
        sum += size;
    }
    return sum;
}

static int count_pattern(const struct htmt__nest_pattern *p, const struct stretch *s,
                         unsigned depth, htmt_wide *words)
{
    unsigned axes = 0;
    htmt_wide count = 0;
    if (p->offsets == 1 && p->used == (1U << depth) - 1) {
        *words += count_single(s, depth) * (htmt_wide)p->streams;
        return 0;
    }
    struct htmt__region_box *box = malloc((size_t)p->offsets * STRETCHES * sizeof *box);
    if (!box)
        return HTMT_ENOMEM;
    for (unsigned l = 0; l < depth; l++)
        axes += p->used >> l & 1;
    int rc = htmt__region_count(box, shift(s, p, depth, box), axes, &count);
    free(box);
    *words += count * (htmt_wide)p->streams;
    return rc;
}

/* The outermost and innermost places of x in a loop: y is inside, too. */
static int64_t tilted(const struct htmt__nest_link *k, unsigned l, enum htmt__nest_tilt tilt,
                      int64_t extent)
{
    if (tilt == HTMT__NEST_AT_LOW)
        return k->back[l] > 0 ? k->back[l] : 0;
    return tilt == HTMT__NEST_AT_HIGH ? extent - 1 + (k->back[l] < 0 ? k->back[l] : 0)
                                      : (extent - 1 + k->back[l]) / 2;
}

/* The ends of a link in loop l; any place serves where it does not matter. */
static void place_ends(const struct htmt__nest_link *k, unsigned l, enum htmt__nest_tilt tilt,
                       const int64_t *extent, int64_t *x, int64_t *y)
{
    bool end = k->end & 1U << l;
    if (l < k->first) {
        x[l] = y[l] = 0;
        return;
    }
    if (l == k->first + 1 && k->place != HTMT__NEST_INSIDE)
        x[l] = k->place >= 0 ? k->place : extent[l] + k->place;
    else if (l == k->first)
        x[l] = k->back[l];
    else
        x[l] = end ? 0 : tilted(k, l, l == k->first + 2 ? tilt : HTMT__NEST_AT_MIDDLE, extent[l]);
    y[l] = end ? extent[l] - 1 : x[l] - k->back[l];
}

int htmt__nest_link_words(const struct htmt__nest_plan *plan, const bool *left,
                          const struct htmt__nest_link *link, enum htmt__nest_tilt tilt,
                          const int64_t extent[HTMT__NEST_DEPTH], htmt_wide *words)
{
    int64_t x[HTMT__NEST_DEPTH] = {0}, y[HTMT__NEST_DEPTH] = {0};
    struct stretch s;
    int rc = 0;
    *words = 0;
    for (unsigned l = 0; l < plan->depth; l++)
        place_ends(link, l, tilt, extent, x, y);
    cut(&s, plan->depth, link->first, y, x, extent);
    for (unsigned i = 0; i < plan->patterns && !rc; i++)
        if (!left[i] && !plan->pattern[i].coupled)
            rc = count_pattern(&plan->pattern[i], &s, plan->depth, words);
    return rc;
}
