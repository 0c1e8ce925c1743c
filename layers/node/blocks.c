/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each block of a program takes when all its accesses hit, computed once for a node; and the
 * chains of its loops.
 *
 * A chain is a row of operations, each of which needs the result of the one before, and the first
 * of which needs the result of the last in the turn before: a sum, say, or a pointer that is
 * followed. A turn of the loop takes at least the sum of the latencies along it, however many
 * units there are. The compiler found the chains; here each loop's header gets the longest of them
 * with hits in the first cache. A load that is a link and misses makes its chain longer in that
 * turn: htmt__node_note() keeps what the access waited, and the next htmt__loop_chain() of the
 * header adds it. By hand: p = p->next with a hit of 2 ns bounds each turn to 2 ns; one turn whose
 * load waited 58 ns more to 60 ns.
 */
#include "layers/node/parts.h"

#include "layers/node/ticks.h"
#include "runtime/base/error.h"

#include <stdio.h>
#include <stdlib.h>

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
        const unsigned operation = ops[i].operation, type = ops[i].type;
        const htmt_time time = htmt__node_units(n, operation, type, ops[i].n);
        known = known && htmt__node_given(n, operation, type);
        if (htmt__node_is_code(n, operation)) {
            w->issue += time;
            continue;
        }
        uint64_t same = 0;
        for (uint32_t j = 0; j < b->ops; j++)
            same += ops[j].operation == operation && ops[j].type == type ? ops[j].n : 0;
        const htmt_time unit = htmt__node_units(n, operation, type, same);
        w->units_max = unit > w->units_max ? unit : w->units_max;
        w->units += time;
    }
    return known;
}

void htmt__node_name_unknown(struct htmt__node *n, uint32_t block)
{
    const struct htmt__tape_block *b = &n->program->blocks[block];
    for (uint32_t o = b->op; o < b->op + b->ops; o++) {
        const struct htmt__tape_op *op = &n->program->ops[o];
        if (!htmt__node_given(n, op->operation, op->type)) {
            snprintf(n->unknown, sizeof n->unknown, "%s-%s", htmt_operation_name(op->operation),
                     htmt_operand_name(op->type));
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
        to->plain_memory = known ? b->accesses * n->load : -1;
        if (known)
            to->plain_time =
                htmt__node_time(n, &n->work[i], to->plain_memory, htmt__node_branch(n, to, true));
        to->chain = htmt__loop_chain(n, i);
    }
    return rc;
}
