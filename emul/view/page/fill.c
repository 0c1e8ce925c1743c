/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/view/page/fill.h"

#include <stdlib.h>

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
