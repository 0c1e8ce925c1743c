/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time of a block.
 *
 * A block has four parts: the issue of its instructions, its operations on their units, its
 * accesses (memory), and what its branch cost. Units, memory and branch hide behind each other as
 * far as the machine's `overlap` says: of their sum, the longest shows whole and of the others the
 * part 1 - overlap,
 *
 *     f = most + (1 - overlap) * (units + memory + branch - most),
 *
 * where `most` is the largest of the busiest single unit, memory and branch: different units work
 * side by side, so that one unit's time is a bound and the sum of all is what can be hidden. Issue
 * and the wait of operations for each other in the window bound the block from below:
 *
 *     time = max(issue, wait, f).
 *
 * By hand, overlap 1/2: issue 8 ns, one unit busy for 6 ns and another for 4 ns (units 10), memory
 * 20 ns, branch 0. most = 20, f = 20 + (30 - 20) / 2 = 25, time = 25 ns.
 *
 * The account splits this time by its causes, and the split adds up exactly: the part that is
 * `most` gets f less what shows of the others, so that the roundings of (1 - overlap) * x end
 * there; what issue adds beyond f counts as issue, and what `wait` adds beyond both as chain. In
 * the example memory gets 25 - 5 = 20, units 5.
 *
 * Operations of annotated kernels have no blocks. All that come between two branches, fetches or
 * blocks are a group, which ends as a block does.
 */
#include "layers/node/parts.h"

#include "layers/node/ticks.h"
#include "runtime/base/error.h"

#include <stdio.h>
#include <string.h>

bool htmt__node_given(const struct htmt__node *n, unsigned operation, unsigned type)
{
    return n->figures->unit[operation][type].given || operation == HTMT_CONSTANT ||
           operation == HTMT_CALL || operation == HTMT_BRANCH;
}

/* The functions of the mathematical library are code: where issue is modelled, nothing else is
 * issued while one runs. */
bool htmt__node_is_code(const struct htmt__node *n, unsigned operation)
{
    return operation >= HTMT_SIN && operation <= HTMT_POW && n->figures->issue.num > 0;
}

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

/* f above. */
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

/* `count` blocks with these parts go into the account. `stall` is the part of memory that was
 * waited for outside the first cache, leg by leg; the rest of memory is the first cache's. */
static void account(struct htmt__node *n, const struct htmt__node_work *work, htmt_time memory,
                    htmt_time branch, const htmt_time *stall, htmt_time count)
{
    static const enum htmt__node_part part[HTMT__MISS_LEGS] = {
        [HTMT__MISS_REQUEST] = HTMT__NODE_BUS,
        [HTMT__MISS_L2] = HTMT__NODE_L2,
        [HTMT__MISS_REFRESH] = HTMT__NODE_REFRESH,
        [HTMT__MISS_PAGES] = HTMT__NODE_PAGES,
        [HTMT__MISS_DATA] = HTMT__NODE_BUS};
    htmt_time f = overlapped(n, work, memory, branch), left = f, issued = larger(work->issue, f);
    bool of_memory = memory >= work->units_max && memory >= branch;
    bool of_branch = !of_memory && branch >= work->units_max;
    htmt_time units = of_memory || of_branch ? shown(n, work->units) : 0;
    htmt_time missed = of_branch ? 0 : shown(n, branch);
    left -= units + missed;
    for (int i = 0; i < HTMT__MISS_LEGS; i++) {
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

void htmt__node_combine(struct htmt__node *n, const struct htmt__node_work *work, htmt_time branch)
{
    htmt_time memory = n->t - n->start;
    account(n, work, memory, branch, n->stall, 1);
    memset(n->stall, 0, sizeof n->stall);
    n->repeat.alike = false;
    n->sum.blocks++;
    n->sum.instructions += work->instructions;
    n->t = n->start += htmt__node_time(n, work, memory, branch);
}

void htmt__node_settle(struct htmt__node *n)
{
    static const htmt_time none[HTMT__MISS_LEGS];
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

/* ---- branches -------------------------------------------------------------------------------- */

htmt_time htmt__node_branch(const struct htmt__node *n, const struct htmt__node_block *block,
                            bool right)
{
    if (block->end != HTMT__END_CONDITION)
        return 0;
    return n->figures->predictor == HTMT__NODE_NO_PREDICTOR || !right ? n->branch : 0;
}

/* Two bits for a place in the code: two wrong guesses in a row turn the guess. */
static bool guess_by_counter(struct htmt__node *n, uint64_t place, bool taken)
{
    uint8_t *counter = &n->counter[place % HTMT__NODE_COUNTER_ROOM];
    bool guessed = *counter >= 2;
    if (taken && *counter < 3)
        ++*counter;
    if (!taken && *counter > 0)
        --*counter;
    return guessed == taken;
}

/* A loop of constant length goes back the same number of times, then leaves. Where the last two
 * runs of one way were of one length, the next run is expected to end there too; where they were
 * not, the counter guesses. It learns in either case. */
static bool guess_by_runs(struct htmt__node *n, uint64_t place, bool taken)
{
    struct htmt__node_runs *r = &n->runs[place % HTMT__NODE_COUNTER_ROOM];
    bool sure = r->sure >> r->way & 1, expects_more = r->run != r->last[r->way];
    bool right = guess_by_counter(n, place, taken);
    if (sure)
        right = expects_more == (r->way == taken);
    if (r->way == taken)
        r->run = (uint16_t)(r->run + (r->run < UINT16_MAX));
    else { /* the run ends */
        unsigned bit = 1U << r->way;
        bool same = r->run && r->run < UINT16_MAX && r->run == r->last[r->way];
        r->sure = (uint8_t)((r->sure & ~bit) | (same ? bit : 0));
        r->last[r->way] = r->run;
        r->way = taken;
        r->run = 1;
    }
    n->repeat.alike = false; /* the next turn is one more in a row */
    return right;
}

/* Without a predictor there is no guess, which is never wrong. A static one expects that branches
 * back are taken and others are not. */
bool htmt__node_guess(struct htmt__node *n, uint64_t place, bool taken, bool backward)
{
    if (n->figures->predictor == HTMT__NODE_COUNTERS)
        return guess_by_counter(n, place, taken);
    if (n->figures->predictor == HTMT__NODE_LOOPS)
        return guess_by_runs(n, place, taken);
    return n->figures->predictor == HTMT__NODE_NO_PREDICTOR || backward == taken;
}

/* ---- groups of annotated operations ---------------------------------------------------------- */

static htmt_time sum_of(htmt_time a, htmt_time b)
{
    return a + b < HTMT__TICKS_MOST ? a + b : HTMT__TICKS_MOST;
}

static void clear_group(struct htmt__node *n)
{
    while (n->busy_count)
        *n->busy[--n->busy_count] = 0;
    n->group = (struct htmt__node_work){0};
    n->group_fetched = false;
}

/* Where instructions do not come as FETCH entries, each access was an instruction. */
void htmt__node_end_group(struct htmt__node *n, htmt_time branch)
{
    uint64_t accesses = n->sum.loads + n->sum.stores - n->group_accesses;
    n->group_accesses += accesses;
    if (!n->group_fetched)
        n->group.instructions += accesses;
    n->group_fetched = false;
    if (!n->group.instructions && n->t == n->start && !branch)
        return;
    n->group.issue =
        sum_of(htmt__ticks(n->figures->issue, n->group.instructions, n->scale), n->group.code);
    htmt__node_combine(n, &n->group, branch);
    clear_group(n);
}

int htmt__node_add_operation(struct htmt__node *n, uint64_t entry)
{
    unsigned operation = htmt__tape_width(entry), type = htmt__tape_address(entry) & 255;
    uint64_t count = htmt__tape_address(entry) >> 8;
    if (operation >= HTMT_OPERATIONS || type >= HTMT_OPERAND_TYPES)
        return HTMT_EFORMAT;
    if (!htmt__node_given(n, operation, type)) {
        snprintf(n->unknown, sizeof n->unknown, "%s-%s", htmt_operation_name(operation),
                 htmt_operand_name(type));
        return HTMT_EINVAL;
    }
    htmt_time time = htmt__node_units(n, operation, type, count);
    if (htmt__node_is_code(n, operation)) {
        n->group.code = sum_of(n->group.code, time);
        n->group.instructions += count;
        return n->group.code < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
    }
    htmt_time *unit = &n->unit_time[operation][type];
    if (!*unit && time)
        n->busy[n->busy_count++] = unit;
    *unit = sum_of(*unit, time);
    n->group.units = sum_of(n->group.units, time);
    n->group.units_max = larger(*unit, n->group.units_max);
    n->group.instructions += count;
    return n->group.units < HTMT__TICKS_MOST ? 0 : HTMT_EOVERFLOW;
}

void htmt__node_add_branch(struct htmt__node *n, uint64_t entry)
{
    bool right =
        htmt__node_guess(n, htmt__tape_address(entry) >> 2, htmt__tape_width(entry) != 0, true);
    bool costs = n->figures->predictor == HTMT__NODE_NO_PREDICTOR || !right;
    n->sum.branches_missed += !right;
    n->group.instructions++;
    htmt__node_end_group(n, costs ? n->branch : 0);
}

void htmt__node_drop_group(struct htmt__node *n)
{
    clear_group(n);
    n->group_accesses = 0;
}
