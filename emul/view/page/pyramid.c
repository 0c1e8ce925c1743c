/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pyramid of the timeline page: how long each row was busy, waiting and blocked in each bin of
 * time. Pairs of bins add up to the next level, pairs of these to the level above, and the page
 * draws the finest level whose bins are at least a pixel wide: as many numbers as pixels at any
 * zoom. The file has the finest level alone, as the others follow exactly.
 *
 * A span can cover thousands of bins. Of these only the first and the last have a part of it; those
 * between are wholly covered and are noted as a difference: one more span from the first of them
 * on, one fewer from the last bin on. So each span costs the same, and the numbers are summed once,
 * when they are written. With bins of 10 fs, a span from 7 to 34 adds 3 to bin 0 and 4 to bin 3, +1
 * at bin 1, -1 at bin 3: the bins have 3, 10, 10, 4, which is 27. All sums are exact in
 * femtoseconds, of 128 bits, as many spans may lie over each other.
 */
#include "emul/view/page/pyramid.h"

#include <stdlib.h>

struct cell {
    htmt_wide part;
    int64_t change; /* of the number of spans that cover the whole bin */
};

struct htmt__pyramid {
    uint32_t rows, bins;
    htmt_time bin;
    struct cell *cell; /* [row][quantity][bins + 1] */
};

static struct cell *cells(const struct htmt__pyramid *p, uint32_t row, enum htmt__quantity quantity)
{
    return p->cell + ((size_t)row * HTMT__QUANTITIES + quantity) * ((size_t)p->bins + 1);
}

struct htmt__pyramid *htmt__pyramid_create(uint32_t rows, uint32_t bins, htmt_time bin)
{
    struct htmt__pyramid *p = calloc(1, sizeof *p);
    size_t count = (size_t)rows * HTMT__QUANTITIES * ((size_t)bins + 1);
    if (!p)
        return NULL;
    *p = (struct htmt__pyramid){rows, bins, bin, calloc(count + 1, sizeof *p->cell)};
    if (!p->cell)
        htmt__pyramid_destroy(&p);
    return p;
}

void htmt__pyramid_destroy(struct htmt__pyramid **p)
{
    if (*p)
        free((*p)->cell);
    free(*p);
    *p = NULL;
}

void htmt__pyramid_add(struct htmt__pyramid *p, uint32_t row, enum htmt__quantity quantity,
                       htmt_time from, htmt_time to)
{
    struct cell *c = cells(p, row, quantity);
    htmt_time first = from / p->bin, last = to / p->bin;
    if (first == last) {
        c[first].part += to - from;
        return;
    }
    c[first].part += (first + 1) * p->bin - from;
    c[last].part += to - last * p->bin;
    c[first + 1].change++;
    c[last].change--;
}

htmt_wide htmt__pyramid_sum(const struct htmt__pyramid *p, uint32_t row,
                            enum htmt__quantity quantity, uint32_t bin)
{
    const struct cell *c = cells(p, row, quantity);
    int64_t whole = 0;
    for (uint32_t i = 0; i <= bin; i++)
        whole += c[i].change;
    return c[bin].part + (htmt_wide)whole * p->bin;
}

void htmt__pyramid_encode(const struct htmt__pyramid *p, uint32_t row, struct htmt__bytes *out)
{
    int64_t whole[HTMT__QUANTITIES] = {0};
    for (uint32_t i = 0; i < p->bins; i++)
        for (int q = 0; q < HTMT__QUANTITIES; q++) {
            const struct cell *c = &cells(p, row, (enum htmt__quantity)q)[i];
            whole[q] += c->change;
            htmt__bytes_sum(out, c->part + (htmt_wide)whole[q] * p->bin);
        }
}

htmt_time htmt__pyramid_bin(htmt_time end, uint32_t bins)
{
    htmt_time bin = end / bins + (end % bins != 0);
    return bin > 0 ? bin : 1;
}

/* ---- memories ---------------------------------------------------------------------------------
 */

struct range {
    uint64_t least, greatest;
};

/* Bins up to `bin` have their range. */
struct level {
    uint64_t words;
    uint32_t bin;
};

struct htmt__fill {
    uint32_t bins;
    htmt_time bin;
    struct level *level; /* of each layer */
    struct range *range; /* [layer][bins] */
};

struct htmt__fill *htmt__fill_create(uint32_t layers, uint32_t bins, htmt_time bin)
{
    struct htmt__fill *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    *f = (struct htmt__fill){.bins = bins, .bin = bin};
    f->level = calloc((size_t)layers + 1, sizeof *f->level);
    f->range = calloc((size_t)layers * bins + 1, sizeof *f->range);
    if (!f->level || !f->range)
        htmt__fill_destroy(&f);
    return f;
}

void htmt__fill_destroy(struct htmt__fill **f)
{
    if (*f) {
        free((*f)->level);
        free((*f)->range);
    }
    free(*f);
    *f = NULL;
}

/* The level stays as it is up to that bin. */
static struct range *reach(struct htmt__fill *f, uint32_t layer, uint32_t bin)
{
    struct level *l = &f->level[layer];
    struct range *r = f->range + (size_t)layer * f->bins;
    while (l->bin < bin)
        r[++l->bin] = (struct range){l->words, l->words};
    return &r[l->bin];
}

void htmt__fill_add(struct htmt__fill *f, uint32_t layer, htmt_time at, uint64_t words)
{
    htmt_time bin = at / f->bin;
    struct range *r = reach(f, layer, bin < f->bins ? (uint32_t)bin : f->bins - 1);
    f->level[layer].words = words;
    r->least = words < r->least ? words : r->least;
    r->greatest = words > r->greatest ? words : r->greatest;
}

void htmt__fill_encode(struct htmt__fill *f, uint32_t layer, struct htmt__bytes *out)
{
    const struct range *r = f->range + (size_t)layer * f->bins;
    reach(f, layer, f->bins - 1);
    for (uint32_t i = 0; i < f->bins; i++) {
        htmt__bytes_number(out, r[i].least);
        htmt__bytes_number(out, r[i].greatest);
    }
}
