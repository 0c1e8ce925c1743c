/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/combine.h"

#include "layers/node/ticks.h"

#include <string.h>

htmt_time htmt__node_units(const struct htmt__node *n, unsigned operation, unsigned type,
                           uint64_t count)
{
    return htmt__ticks(n->figures->unit[operation][type].every, count, n->scale);
}

/* What does not hide behind the longest part. */
static htmt_time shown(const struct htmt__node *n, htmt_time time)
{
    struct htmt_ratio o = n->figures->overlap;
    if (o.num == 0)
        return time;
    return (htmt_time)((htmt_wide)time * (htmt_wide)(o.den - o.num) / (htmt_wide)o.den);
}

static htmt_time larger(htmt_time a, htmt_time b)
{
    return a > b ? a : b;
}

static htmt_time overlapped(const struct htmt__node *n, const struct htmt__node_work *work,
                            htmt_time memory, htmt_time branch)
{
    htmt_time most = larger(work->units_max, larger(memory, branch));
    return most + shown(n, work->units + memory + branch - most);
}

htmt_time htmt__node_time(const struct htmt__node *n, const struct htmt__node_work *work,
                          htmt_time memory, htmt_time branch)
{
    return larger(larger(work->issue, work->wait), overlapped(n, work, memory, branch));
}

htmt_time htmt__node_branch(const struct htmt__node *n, const struct htmt__node_block *block,
                            bool right)
{
    if (block->end != HTMT__END_CONDITION)
        return 0;
    return n->figures->predictor == HTMT__NODE_NO_PREDICTOR || !right ? n->branch : 0;
}

/* The parts of the block, each with what shows of it: the longest whole, and what rounding leaves
 * goes to it. */
static void account(struct htmt__node *n, const struct htmt__node_work *work, htmt_time memory,
                    htmt_time branch, const htmt_time *stall, htmt_time count)
{
    static const enum htmt__node_part part[HTMT__LEGS] = {[HTMT__LEG_REQUEST] = HTMT__NODE_BUS,
                                                          [HTMT__LEG_L2] = HTMT__NODE_L2,
                                                          [HTMT__LEG_REFRESH] = HTMT__NODE_REFRESH,
                                                          [HTMT__LEG_PAGES] = HTMT__NODE_PAGES,
                                                          [HTMT__LEG_DATA] = HTMT__NODE_BUS};
    htmt_time f = overlapped(n, work, memory, branch), left = f, issued = larger(work->issue, f);
    bool of_memory = memory >= work->units_max && memory >= branch;
    bool of_branch = !of_memory && branch >= work->units_max;
    htmt_time units = of_memory || of_branch ? shown(n, work->units) : 0;
    htmt_time missed = of_branch ? 0 : shown(n, branch);
    left -= units + missed;
    for (int i = 0; i < HTMT__LEGS; i++) {
        htmt_time leg = of_memory ? stall[i] : shown(n, stall[i]);
        n->part[part[i]] += leg * count;
        memory -= stall[i];
        left -= leg;
    }
    if (!of_memory)
        left -= shown(n, memory);
    n->part[HTMT__NODE_L1] += (of_memory ? left : shown(n, memory)) * count;
    n->part[HTMT__NODE_BRANCHES] += (of_branch ? left : missed) * count;
    n->part[HTMT__NODE_UNITS] += (of_memory || of_branch ? units : left) * count;
    n->part[HTMT__NODE_ISSUE] += (issued - f) * count;
    n->part[HTMT__NODE_CHAIN] += (larger(work->wait, issued) - issued) * count;
}

void htmt__node_close(struct htmt__node *n, const struct htmt__node_work *work, htmt_time branch)
{
    htmt_time memory = n->t - n->start;
    account(n, work, memory, branch, n->stall, 1);
    memset(n->stall, 0, sizeof n->stall);
    n->turn.alike = false;
    n->sum.blocks++;
    n->sum.instructions += work->instructions;
    n->t = n->start += htmt__node_time(n, work, memory, branch);
}

void htmt__node_settle(struct htmt__node *n)
{
    static const htmt_time none[HTMT__LEGS];
    for (uint32_t i = 0; n->program && i < n->program->block_count; i++) {
        struct htmt__node_block *b = &n->block[i];
        if (!b->plain)
            continue;
        account(n, &n->work[i], b->plain_memory, htmt__node_branch(n, b, true), none,
                (htmt_time)b->plain);
        n->sum.blocks += b->plain;
        n->sum.instructions += b->plain * n->work[i].instructions;
        b->plain = 0;
    }
}
