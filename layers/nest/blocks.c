/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/nest/blocks.h"

#include <stdlib.h>

struct htmt__nest_cut htmt__nest_cut_make(int64_t extent, int64_t block)
{
    if (block <= 0 || block >= extent)
        return (struct htmt__nest_cut){extent, 0, 1};
    return (struct htmt__nest_cut){block, extent % block, extent / block};
}

/* One kind of block: bit l says that loop l has what is left. */
static bool take_kind(const struct htmt__nest_plan *plan, const struct htmt__nest_cut *cut,
                      unsigned kind, int64_t *extent, htmt_wide *times)
{
    *times = 1;
    for (unsigned l = 0; l < plan->depth; l++) {
        bool left = kind >> l & 1;
        extent[l] = left ? cut[l].left : cut[l].length;
        *times *= left ? 1 : cut[l].count;
        if (!extent[l])
            return false;
    }
    return true;
}

static int make_kinds(struct htmt__nest_plan *plan, const struct htmt__nest_cut *cut,
                      struct htmt__nest_blocks *blocks)
{
    int rc = 0;
    for (unsigned kind = 0; kind < 1U << plan->depth && !rc; kind++) {
        int64_t extent[HTMT__NEST_DEPTH];
        htmt_wide times;
        if (!take_kind(plan, cut, kind, extent, &times))
            continue;
        struct htmt__nest_block *b = &blocks->at[blocks->count];
        b->times = times;
        rc = htmt__nest_steps_make(plan->reuse, extent, &b->steps);
        blocks->count += !rc;
    }
    return rc;
}

/* ---- what the file tells -----------------------------------------------------------------------
 */

/* Streams of subscripts that offsets cannot tell: each reference is a new word, unless the file
 * says how many there are. */
static void add_coupled(const struct htmt__nest_plan *plan, const struct htmt__nest_stream *s,
                        struct htmt__nest_blocks *blocks)
{
    htmt_wide units = (htmt_wide)(plan->file->array[s->array].bytes / plan->unit);
    blocks->given_read += plan->count * units;
    blocks->given_written += s->touch & HTMT__NEST_WRITES ? plan->count * units : 0;
}

static const struct htmt__nest_given *find_given(const struct htmt__nest_plan *plan, unsigned array)
{
    for (unsigned i = 0; i < plan->givens; i++)
        if (plan->given[i].array == array)
            return &plan->given[i];
    return NULL;
}

static void add_given(const struct htmt__nest_plan *plan, const struct htmt__nest_given *g,
                      const struct htmt__nest_keeping *keeping, struct htmt__nest_blocks *blocks)
{
    htmt_wide units = (htmt_wide)(plan->file->array[g->array].bytes / plan->unit);
    htmt_wide fetched = g->read > g->write ? g->read : g->write;
    if (keeping->bypass && !g->read)
        fetched = 0;
    blocks->given_read += fetched * units;
    blocks->given_written += g->write * units;
}

static void tell(const struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                 struct htmt__nest_blocks *blocks)
{
    for (unsigned i = 0; i < plan->streams; i++)
        if (plan->pattern[plan->stream[i].pattern].coupled &&
            !find_given(plan, plan->stream[i].array))
            add_coupled(plan, &plan->stream[i], blocks);
    for (unsigned i = 0; i < plan->givens; i++)
        add_given(plan, &plan->given[i], keeping, blocks);
}

/* ---- all ---------------------------------------------------------------------------------------
 */

int htmt__nest_blocks_make(struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                           const int64_t block[HTMT__NEST_DEPTH], struct htmt__nest_blocks *blocks)
{
    struct htmt__nest_cut cut[HTMT__NEST_DEPTH];
    htmt_wide box = 1;
    for (unsigned l = 0; l < plan->depth; l++) {
        cut[l] = htmt__nest_cut_make(plan->extent[l], block[l]);
        box *= plan->extent[l];
    }
    *blocks = (struct htmt__nest_blocks){.share = htmt__nest_whole(1)};
    blocks->at = calloc(1U << plan->depth, sizeof *blocks->at);
    int rc = blocks->at ? 0 : HTMT_ENOMEM;
    if (!rc && !plan->reuse)
        rc = htmt__nest_reuse_make(plan, keeping, &plan->reuse);
    if (!rc && box)
        rc = make_kinds(plan, cut, blocks);
    if (!rc && box)
        rc =
            htmt__nest_divide(htmt__nest_whole(plan->count), htmt__nest_whole(box), &blocks->share);
    tell(plan, keeping, blocks);
    if (rc)
        htmt__nest_blocks_clear(blocks);
    return rc;
}

void htmt__nest_blocks_clear(struct htmt__nest_blocks *blocks)
{
    for (unsigned i = 0; i < blocks->count; i++)
        htmt__nest_steps_clear(&blocks->at[i].steps);
    free(blocks->at);
    *blocks = (struct htmt__nest_blocks){0};
}

/* Nests that do not fill their box move their share of it. */
static htmt_wide share_of(const struct htmt__nest_blocks *blocks, htmt_wide units)
{
    struct htmt__nest_number part;
    if (blocks->share.num == blocks->share.den ||
        htmt__nest_multiply(htmt__nest_whole(units), blocks->share, &part))
        return units;
    return htmt__nest_round(part);
}

htmt_wide htmt__nest_blocks_read(const struct htmt__nest_blocks *blocks, htmt_wide capacity)
{
    htmt_wide sum = 0;
    for (unsigned i = 0; i < blocks->count; i++)
        sum += blocks->at[i].times * htmt__nest_steps_read(&blocks->at[i].steps, capacity);
    return share_of(blocks, sum) + blocks->given_read;
}

htmt_wide htmt__nest_blocks_written(const struct htmt__nest_blocks *blocks, htmt_wide capacity)
{
    htmt_wide sum = 0;
    for (unsigned i = 0; i < blocks->count; i++)
        sum += blocks->at[i].times * htmt__nest_steps_written(&blocks->at[i].steps, capacity);
    return share_of(blocks, sum) + blocks->given_written;
}

htmt_wide htmt__nest_blocks_full(const struct htmt__nest_blocks *blocks)
{
    htmt_wide most = 0;
    for (unsigned i = 0; i < blocks->count; i++) {
        htmt_wide full = htmt__nest_steps_full(&blocks->at[i].steps);
        most = full > most ? full : most;
    }
    return most;
}
