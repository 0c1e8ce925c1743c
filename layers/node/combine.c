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
 * What a block takes with hits only is computed once (htmt__node_blocks()), and so are the chains
 * of its loops. A chain is a row of operations, each of which needs the result of the one before,
 * and the first of which needs the result of the last in the repeat before: a sum, say, or a
 * pointer that is followed. A repeat of the loop takes at least the sum of the latencies along it,
 * however many units there are. The compiler found the chains; here each loop's header gets the
 * longest of them with hits in the first cache. A load that is a link and misses makes its chain
 * longer in that repeat: htmt__node_note() keeps what the access waited, and the next
 * htmt__loop_chain() of the header adds it. By hand: p = p->next with a hit of 2 ns bounds each
 * repeat to 2 ns; one repeat whose load waited 58 ns more to 60 ns.
 *
 * Operations of annotated kernels have no blocks. All that come between two branches, fetches or
 * blocks are a group, which ends as a block does.
 */
#include "layers/node/parts.h"

#include "runtime/base/error.h"
#include "runtime/base/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool htmt__node_given(const struct htmt__node *n, unsigned operation, unsigned type)
{
    return n->figures->unit[operation][type].given ||
           htmt__operation_untyped((enum htmt_operation)operation);
}

/* The functions of the C library are code: where issue is modelled, nothing else is issued while
 * one runs. */
bool htmt__node_is_code(const struct htmt__node *n, unsigned operation)
{
    return n->figures->issue.num > 0 && htmt__operation_of_library((enum htmt_operation)operation);
}

unsigned htmt__node_row(const struct htmt__node *n, unsigned operation, unsigned type)
{
    return n->figures->unit[operation][type].borrowed
               ? htmt__operation_like((enum htmt_operation)operation)
               : operation;
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
    n->repeat.alike = false; /* the next repeat is one more in a row */
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
    if (n->figures->predictor == HTMT__NODE_HISTORY)
        return htmt__history_guess(n->history, place, taken, true);
    return n->figures->predictor == HTMT__NODE_NO_PREDICTOR || backward == taken;
}

/* ---- the table of blocks --------------------------------------------------------------------- */

static htmt_time latency_of(const struct htmt__node *n, unsigned operation, unsigned type)
{
    return operation == HTMT_OPERATIONS ? n->l1_hit : n->latency[operation][type];
}

/* Issue, units and wait of a block; false: the machine does not know one of its operations. A block
 * may name an operation more than once, and all of them pass one unit. Operations that wait for
 * each other wait for the sum of their latencies; of those in the window each waits at any moment,
 * so that this sum is divided by the window. */
static bool work_of(const struct htmt__node *n, const struct htmt__tape_block *b,
                    struct htmt__node_work *w)
{
    const struct htmt__tape_op *ops = n->program->ops + b->op;
    const struct htmt__tape_op *waits = n->program->ops + b->wait;
    htmt_wide waiting = 0;
    bool known = true;
    for (uint32_t i = 0; i < b->waits; i++)
        waiting += (htmt_wide)latency_of(n, waits[i].operation, waits[i].type) * waits[i].n;
    w->instructions = b->instructions;
    w->issue = htmt__ticks(n->figures->issue, b->instructions, n->scale);
    w->wait = n->figures->window ? (htmt_time)(waiting / n->figures->window) : 0;
    for (uint32_t i = 0; i < b->ops; i++) {
        const unsigned operation = ops[i].operation, type = ops[i].type,
                       row = htmt__node_row(n, operation, type);
        const htmt_time time = htmt__node_units(n, operation, type, ops[i].n);
        known = known && htmt__node_given(n, operation, type);
        if (htmt__node_is_code(n, operation)) {
            w->issue += time;
            continue;
        }
        uint64_t same = 0;
        for (uint32_t j = 0; j < b->ops; j++)
            same += ops[j].type == type && htmt__node_row(n, ops[j].operation, type) == row
                        ? ops[j].n
                        : 0;
        const htmt_time unit = htmt__node_units(n, operation, type, same);
        w->units_max = unit > w->units_max ? unit : w->units_max;
        w->units += time;
    }
    return known;
}

unsigned htmt__node_step_type(const struct htmt__node *n, const struct htmt__tape_step *s)
{
    const unsigned lane = htmt_operand_lane((enum htmt_type_of_operand)s->type);
    return htmt__node_given(n, s->operation, s->type) || !htmt__node_given(n, s->operation, lane)
               ? s->type
               : lane;
}

/* The first step of the block whose operation has no latency; NULL: all have one. */
static const struct htmt__tape_step *unknown_step(const struct htmt__node *n,
                                                  const struct htmt__tape_block *b)
{
    for (uint32_t i = b->step; i < b->step + b->steps; i++) {
        const struct htmt__tape_step *s = &n->program->steps[i];
        if (s->operation < HTMT_OPERATIONS &&
            !htmt__node_given(n, s->operation, htmt__node_step_type(n, s)))
            return s;
    }
    return NULL;
}

static void name_unknown(struct htmt__node *n, unsigned operation, unsigned type)
{
    snprintf(n->unknown, sizeof n->unknown, "%s-%s", htmt_operation_name(operation),
             htmt_operand_name(type));
}

void htmt__node_name_unknown(struct htmt__node *n, uint32_t block)
{
    const struct htmt__tape_block *b = &n->program->blocks[block];
    const struct htmt__tape_step *step = n->windowed ? unknown_step(n, b) : NULL;
    if (step)
        name_unknown(n, step->operation, step->type);
    for (uint32_t o = b->op; o < b->op + b->ops && !n->windowed; o++) {
        const struct htmt__tape_op *op = &n->program->ops[o];
        if (!htmt__node_given(n, op->operation, op->type)) {
            name_unknown(n, op->operation, op->type);
            return;
        }
    }
}

htmt_time htmt__loop_chain(struct htmt__node *n, uint32_t header)
{
    const struct htmt__tape_block *b = &n->program->blocks[header];
    htmt_time longest = 0;
    for (uint32_t i = b->chain; i < b->chain + b->chains; i++) {
        const struct htmt__tape_chain *c = &n->program->chains[i];
        htmt_time time = 0;
        for (uint32_t l = c->first; l < c->first + c->n; l++) {
            const struct htmt__tape_link *link = &n->program->links[l];
            time += latency_of(n, link->operation, link->type) + n->missed[l];
            n->missed[l] = 0;
        }
        longest = time > longest ? time : longest;
    }
    n->block[header].missed = false;
    return longest;
}

void htmt__node_note(struct htmt__node *n, uint32_t block, int64_t access)
{
    for (uint32_t i = n->block[block].link; i < n->links && n->link[i].block == block; i++)
        if (n->link[i].access == access) {
            n->missed[n->link[i].of] = n->extra;
            n->block[n->link[i].header].missed = true;
        }
}

static int by_block(const void *a, const void *b)
{
    const struct htmt__node_link *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return x->of < y->of ? -1 : x->of > y->of;
}

/* The loads among the links of all chains, sorted by their block, which knows its first. */
static int build_links(struct htmt__node *n)
{
    const struct htmt__tape_program *p = n->program;
    uint32_t most = 0;
    for (uint32_t b = 0; b < p->block_count; b++)
        for (uint32_t c = p->blocks[b].chain; c < p->blocks[b].chain + p->blocks[b].chains; c++)
            most += p->chains[c].n;
    n->link = calloc(most + 1, sizeof *n->link);
    n->missed = calloc((size_t)p->link_count + 1, sizeof *n->missed);
    if (!n->link || !n->missed)
        return HTMT_ENOMEM;
    for (uint32_t b = 0; b < p->block_count; b++)
        for (uint32_t c = p->blocks[b].chain; c < p->blocks[b].chain + p->blocks[b].chains; c++)
            for (uint32_t l = 0; l < p->chains[c].n; l++) {
                const uint32_t of = p->chains[c].first + l;
                const struct htmt__tape_link *link = &p->links[of];
                if (link->operation == HTMT_OPERATIONS)
                    n->link[n->links++] = (struct htmt__node_link){
                        .block = link->block, .access = link->access, .header = b, .of = of};
            }
    qsort(n->link, n->links, sizeof *n->link, by_block);
    for (uint32_t i = n->links; i-- > 0;) {
        n->block[n->link[i].block].link = i;
        n->block[n->link[i].block].watched = true;
    }
    return 0;
}

/* Blocks without code, in functions whose code is known. */
static void find_places(struct htmt__node *n)
{
    const struct htmt__tape_program *p = n->program;
    for (uint32_t i = 0; i < p->function_count; i++)
        n->last_of[i] = 0; /* for now: whether some of its code is known */
    for (uint32_t i = 0; i < p->block_count; i++)
        n->last_of[p->blocks[i].function] |= p->blocks[i].compiled;
    for (uint32_t i = 0; i < p->block_count; i++)
        n->block[i].placed = p->blocks[i].compiled || !n->last_of[p->blocks[i].function];
}

int htmt__node_blocks(struct htmt__node *n)
{
    const struct htmt__tape_program *p = n->program;
    const uint32_t count = p ? p->block_count : 0, functions = p ? p->function_count : 0;
    n->block = calloc((size_t)count + 1, sizeof *n->block);
    n->work = calloc((size_t)count + 1, sizeof *n->work);
    n->last_of = malloc(((size_t)functions + 1) * sizeof *n->last_of);
    n->blocks = count;
    if (!n->block || !n->work || !n->last_of)
        return HTMT_ENOMEM;
    if (p)
        find_places(n);
    const int rc = p ? build_links(n) : 0;
    for (uint32_t i = 0; i < count && !rc; i++) {
        const struct htmt__tape_block *b = &p->blocks[i];
        struct htmt__node_block *to = &n->block[i];
        const uint64_t first = HTMT__TAPE_IMAGE + b->code, bytes = 4 * (uint64_t)b->instructions;
        const bool known = work_of(n, b, &n->work[i]);
        to->function = b->function;
        to->loop_end = b->loop_end;
        to->end = b->end;
        to->guessed =
            b->end == HTMT__END_CONDITION && n->figures->predictor != HTMT__NODE_NO_PREDICTOR;
        to->counted = to->guessed && n->figures->predictor >= HTMT__NODE_COUNTERS;
        to->code_first = first >> n->data.shift;
        if (n->fetches && b->instructions)
            to->code_lines =
                (uint32_t)(((first + bytes - 1) >> n->data.shift) - to->code_first + 1);
        to->chains = b->chains != 0;
        if (b->loop_end)
            n->block[b->loop_end].backward = true;
        to->steps_known = !unknown_step(n, b);
        to->plain_memory = known ? b->accesses * n->load : -1;
        if (known)
            to->plain_time =
                htmt__node_time(n, &n->work[i], to->plain_memory, htmt__node_branch(n, to, true));
        to->chain = htmt__loop_chain(n, i);
    }
    return rc;
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
