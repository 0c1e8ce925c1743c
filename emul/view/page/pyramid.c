/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/view/page/pyramid.h"

#include <stdlib.h>

/* A span covers bins of which it has a part, and in between bins that are wholly its own: of these
 * only the first and the one behind the last are noted. */
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
