/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/nest/blocks.h"

#include "emul/loops/nest/coupled.h"

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

/* A question about all blocks. */
struct moving {
    struct htmt__nest_plan *plan;
    const struct htmt__nest_keeping *keeping;
    const htmt_wide *capacity;
    unsigned capacities;
    struct htmt__nest_moved *moved;
    htmt_wide full;
    htmt_wide *level; /* in place of capacities */
    unsigned levels;
};

static int move_kind(struct moving *m, const int64_t *extent, htmt_wide times)
{
    const struct htmt__nest_steps *steps;
    int rc = htmt__nest_steps_ask(m->plan->reuse, extent, &steps);
    if (rc)
        return rc;
    htmt_wide full = htmt__nest_steps_full(steps);
    m->full = full > m->full ? full : m->full;
    for (unsigned i = 0; i < m->capacities; i++) {
        m->moved[i].read += times * htmt__nest_steps_read(steps, m->capacity[i]);
        m->moved[i].written += times * htmt__nest_steps_written(steps, m->capacity[i]);
    }
    return 0;
}

static int each_kind(struct moving *m, const struct htmt__nest_cut *cut,
                     int (*take)(struct moving *, const int64_t *, htmt_wide))
{
    int rc = 0;
    for (unsigned kind = 0; kind < 1U << m->plan->depth && !rc; kind++) {
        int64_t extent[HTMT__NEST_DEPTH];
        htmt_wide times;
        if (take_kind(m->plan, cut, kind, extent, &times))
            rc = take(m, extent, times);
    }
    return rc;
}

/* ---- what the file tells -----------------------------------------------------------------------
 */

/* Streams of subscripts that offsets cannot tell: each reference is a new word, unless the file
 * says how many there are. */
static void add_coupled(const struct htmt__nest_plan *plan, const struct htmt__nest_stream *s,
                        struct htmt__nest_moved *more)
{
    htmt_wide units = (htmt_wide)(plan->file->array[s->array].bytes / plan->unit);
    more->read += plan->count * units;
    more->written += s->touch & HTMT__NEST_WRITES ? plan->count * units : 0;
}

static const struct htmt__nest_given *find_given(const struct htmt__nest_plan *plan, unsigned array)
{
    for (unsigned i = 0; i < plan->givens; i++)
        if (plan->given[i].array == array)
            return &plan->given[i];
    return NULL;
}

static htmt_wide larger(htmt_wide a, htmt_wide b)
{
    return a > b ? a : b;
}

/* What is written is fetched before, unless it goes around the memory. */
static void add_given(const struct moving *m, const struct htmt__nest_given *g,
                      const struct htmt__nest_touches *touches, unsigned capacity)
{
    const htmt_wide units = (htmt_wide)(m->plan->file->array[g->array].bytes / m->plan->unit);
    const htmt_wide again =
        touches ? htmt__nest_coupled_words(m->plan, touches, m->capacity[capacity]) : 0;
    htmt_wide fetched = larger(larger(g->read, g->write), again);
    if (m->keeping->bypass && !g->read)
        fetched = 0;
    m->moved[capacity].read += fetched * units;
    m->moved[capacity].written += g->write ? larger(g->write, again) * units : 0;
}

static bool is_coupled(const struct htmt__nest_plan *plan, unsigned array)
{
    for (unsigned i = 0; i < plan->coupleds; i++)
        if (plan->coupled[i].array == array)
            return true;
    return false;
}

static int add_givens(struct moving *m)
{
    int rc = 0;
    for (unsigned i = 0; i < m->plan->givens && !rc; i++) {
        const struct htmt__nest_given *g = &m->plan->given[i];
        struct htmt__nest_touches touches[HTMT__NEST_DEPTH + 1];
        const bool coupled = is_coupled(m->plan, g->array);
        rc = coupled ? htmt__nest_coupled(m->plan, g->array, touches) : 0;
        for (unsigned k = 0; k < m->capacities && !rc; k++)
            add_given(m, g, coupled ? touches : NULL, k);
        if (coupled && !rc)
            m->full = larger(m->full, touches[0].units);
    }
    return rc;
}

static int add_told(struct moving *m)
{
    const struct htmt__nest_plan *plan = m->plan;
    struct htmt__nest_moved more = {0, 0};
    for (unsigned i = 0; i < plan->streams; i++)
        if (plan->pattern[plan->stream[i].pattern].coupled &&
            !find_given(plan, plan->stream[i].array))
            add_coupled(plan, &plan->stream[i], &more);
    for (unsigned i = 0; i < m->capacities; i++) {
        m->moved[i].read += more.read;
        m->moved[i].written += more.written;
    }
    return add_givens(m);
}

/* ---- all ---------------------------------------------------------------------------------------
 */

/* Nests that do not fill their box move their share of it. */
static int take_share(struct moving *m, htmt_wide box)
{
    struct htmt__nest_number share, part;
    int rc = 0;
    if (box == m->plan->count || !box)
        return 0;
    rc = htmt__nest_divide(htmt__nest_whole(m->plan->count), htmt__nest_whole(box), &share);
    for (unsigned i = 0; i < m->capacities && !rc; i++) {
        rc = htmt__nest_multiply(htmt__nest_whole(m->moved[i].read), share, &part);
        m->moved[i].read = rc ? 0 : htmt__nest_round(part);
        if (!rc)
            rc = htmt__nest_multiply(htmt__nest_whole(m->moved[i].written), share, &part);
        m->moved[i].written = rc ? 0 : htmt__nest_round(part);
    }
    return rc;
}

int htmt__nest_blocks_move(struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                           const int64_t block[HTMT__NEST_DEPTH], const htmt_wide *capacity,
                           unsigned capacities, struct htmt__nest_moved *moved, htmt_wide *full)
{
    struct moving m = {.plan = plan,
                       .keeping = keeping,
                       .capacity = capacity,
                       .capacities = capacities,
                       .moved = moved};
    struct htmt__nest_cut cut[HTMT__NEST_DEPTH];
    htmt_wide box = 1;
    for (unsigned l = 0; l < plan->depth; l++) {
        cut[l] = htmt__nest_cut_make(plan->extent[l], block[l]);
        box *= plan->extent[l];
    }
    for (unsigned i = 0; i < capacities; i++)
        moved[i] = (struct htmt__nest_moved){0, 0};
    int rc = plan->reuse ? 0 : htmt__nest_reuse_make(plan, keeping, &plan->reuse);
    if (!rc && box)
        rc = each_kind(&m, cut, move_kind);
    if (!rc)
        rc = take_share(&m, box);
    if (!rc)
        rc = add_told(&m);
    *full = m.full;
    return rc;
}

/* ---- levels ------------------------------------------------------------------------------------
 */

static int add_levels(struct moving *m, const int64_t *extent, htmt_wide times)
{
    const struct htmt__nest_steps *steps;
    int rc = htmt__nest_steps_ask(m->plan->reuse, extent, &steps);
    if (rc)
        return rc;
    (void)times;
    unsigned more = steps->reads + steps->writes;
    htmt_wide *all = reallocarray(m->level, m->levels + more + 1, sizeof *all);
    if (!all)
        return HTMT_ENOMEM;
    m->level = all;
    for (unsigned i = 0; i < steps->reads; i++)
        all[m->levels++] = steps->read_level[i].words;
    for (unsigned i = 0; i < steps->writes; i++)
        all[m->levels++] = steps->write_level[i].words;
    return 0;
}

/* Those of arrays that the file tells. */
static int add_told_levels(struct moving *m)
{
    struct htmt__nest_touches touches[HTMT__NEST_DEPTH + 1];
    const unsigned depth = m->plan->depth, room = m->levels + m->plan->givens * depth + 1;
    htmt_wide *all = reallocarray(m->level, room, sizeof *all);
    int rc = all ? 0 : HTMT_ENOMEM;
    if (all)
        m->level = all;
    for (unsigned i = 0; i < m->plan->givens && !rc; i++) {
        if (!is_coupled(m->plan, m->plan->given[i].array))
            continue;
        rc = htmt__nest_coupled(m->plan, m->plan->given[i].array, touches);
        for (unsigned l = 0; l < depth && !rc; l++)
            all[m->levels++] = touches[l].units;
    }
    return rc;
}

static int by_size(const void *left, const void *right)
{
    const htmt_wide *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int htmt__nest_blocks_levels(struct htmt__nest_plan *plan, const struct htmt__nest_keeping *keeping,
                             const int64_t block[HTMT__NEST_DEPTH], htmt_wide **capacity,
                             unsigned *capacities)
{
    struct moving m = {.plan = plan};
    struct htmt__nest_cut cut[HTMT__NEST_DEPTH];
    for (unsigned l = 0; l < plan->depth; l++)
        cut[l] = htmt__nest_cut_make(plan->extent[l], block[l]);
    int rc = plan->reuse ? 0 : htmt__nest_reuse_make(plan, keeping, &plan->reuse);
    if (!rc)
        rc = each_kind(&m, cut, add_levels);
    if (!rc)
        rc = add_told_levels(&m);
    if (!rc && m.levels)
        qsort(m.level, m.levels, sizeof *m.level, by_size);
    *capacities = 0;
    for (unsigned i = 0; i < m.levels && !rc; i++)
        if (!*capacities || m.level[*capacities - 1] != m.level[i])
            m.level[(*capacities)++] = m.level[i];
    *capacity = rc ? NULL : m.level;
    if (rc)
        free(m.level);
    return rc;
}
