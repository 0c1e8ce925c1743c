/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each block of a program takes when all its accesses hit.
 */
#include "layers/node/parts.h"

#include "layers/node/combine.h"
#include "layers/node/ticks.h"
#include "runtime/base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool given(const struct htmt__node *n, unsigned operation, unsigned type)
{
    return n->figures->unit[operation][type].given || operation == HTMT_CONSTANT ||
           operation == HTMT_CALL || operation == HTMT_BRANCH;
}

bool htmt__node_given(const struct htmt__node *n, unsigned operation, unsigned type)
{
    return given(n, operation, type);
}

/* The functions of the mathematical library are code: where issue is modelled, nothing else is
 * issued while one runs. */
bool htmt__node_is_code(const struct htmt__node *n, unsigned operation)
{
    return operation >= HTMT_SIN && operation <= HTMT_POW && n->figures->issue.num > 0;
}

/* A block may name an operation more than once. */
static htmt_time unit_time(const struct htmt__node *n, const struct htmt__tape_block *b,
                           const struct htmt__tape_op *op)
{
    const struct htmt__tape_op *ops = n->program->ops + b->op;
    uint64_t all = 0;
    for (uint32_t i = 0; i < b->ops; i++)
        if (ops[i].operation == op->operation && ops[i].type == op->type)
            all += ops[i].n;
    return htmt__node_units(n, op->operation, op->type, all);
}

/* Operations wait for `waiting` in all; of those in the window, each waits at any moment. */
static htmt_time wait_of(const struct htmt__node *n, const struct htmt__tape_block *b)
{
    htmt_wide waiting = 0;
    if (!n->figures->window)
        return 0;
    for (uint32_t o = b->wait; o < b->wait + b->waits; o++) {
        const struct htmt__tape_op *op = &n->program->ops[o];
        bool load = op->operation == HTMT_OPERATIONS;
        waiting += (htmt_wide)(load ? n->l1_hit : n->latency[op->operation][op->type]) * op->n;
    }
    return (htmt_time)(waiting / n->figures->window);
}

static bool work_of(struct htmt__node *n, uint32_t i)
{
    const struct htmt__tape_block *b = &n->program->blocks[i];
    struct htmt__node_work *w = &n->work[i];
    bool known = true;
    w->instructions = b->instructions;
    w->issue = htmt__ticks(n->figures->issue, b->instructions, n->scale);
    w->wait = wait_of(n, b);
    for (uint32_t o = b->op; o < b->op + b->ops; o++) {
        const struct htmt__tape_op *op = &n->program->ops[o];
        known = known && given(n, op->operation, op->type);
        if (htmt__node_is_code(n, op->operation)) {
            w->issue += htmt__node_units(n, op->operation, op->type, op->n);
            continue;
        }
        htmt_time time = unit_time(n, b, op);
        w->units_max = time > w->units_max ? time : w->units_max;
        w->units += htmt__node_units(n, op->operation, op->type, op->n);
    }
    return known;
}

void htmt__node_name_unknown(struct htmt__node *n, uint32_t block)
{
    const struct htmt__tape_block *b = &n->program->blocks[block];
    for (uint32_t o = b->op; o < b->op + b->ops; o++) {
        const struct htmt__tape_op *op = &n->program->ops[o];
        if (!given(n, op->operation, op->type)) {
            snprintf(n->unknown, sizeof n->unknown, "%s-%s", htmt_operation_name(op->operation),
                     htmt_operand_name(op->type));
            return;
        }
    }
}

/* ---- chains ------------------------------------------------------------------------------------
 */

static htmt_time link_time(const struct htmt__node *n, const struct htmt__tape_link *l)
{
    return l->operation == HTMT_OPERATIONS ? n->l1_hit : n->latency[l->operation][l->type];
}

static htmt_time chain_time(struct htmt__node *n, const struct htmt__tape_chain *c)
{
    htmt_time time = 0;
    for (uint32_t l = c->first; l < c->first + c->n; l++) {
        time += link_time(n, &n->program->links[l]) + n->missed[l];
        n->missed[l] = 0;
    }
    return time;
}

htmt_time htmt__node_turn(struct htmt__node *n, uint32_t header)
{
    const struct htmt__tape_block *b = &n->program->blocks[header];
    htmt_time longest = 0;
    for (uint32_t c = b->chain; c < b->chain + b->chains; c++) {
        htmt_time time = chain_time(n, &n->program->chains[c]);
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

static uint32_t count_links(const struct htmt__tape_program *p)
{
    uint32_t most = 0;
    for (uint32_t b = 0; b < p->block_count; b++)
        for (uint32_t c = p->blocks[b].chain; c < p->blocks[b].chain + p->blocks[b].chains; c++)
            most += p->chains[c].n;
    return most;
}

static void keep_links(struct htmt__node *n, uint32_t header)
{
    const struct htmt__tape_block *b = &n->program->blocks[header];
    for (uint32_t c = b->chain; c < b->chain + b->chains; c++)
        for (uint32_t l = 0; l < n->program->chains[c].n; l++) {
            uint32_t of = n->program->chains[c].first + l;
            const struct htmt__tape_link *link = &n->program->links[of];
            if (link->operation == HTMT_OPERATIONS)
                n->link[n->links++] = (struct htmt__node_link){
                    .block = link->block, .access = link->access, .header = header, .of = of};
        }
}

static int build_links(struct htmt__node *n)
{
    const struct htmt__tape_program *p = n->program;
    n->link = calloc(count_links(p) + 1, sizeof *n->link);
    n->missed = calloc((size_t)p->link_count + 1, sizeof *n->missed);
    if (!n->link || !n->missed)
        return HTMT_ENOMEM;
    for (uint32_t b = 0; b < p->block_count; b++)
        keep_links(n, b);
    qsort(n->link, n->links, sizeof *n->link, by_block);
    for (uint32_t i = n->links; i-- > 0;) {
        n->block[n->link[i].block].link = i;
        n->block[n->link[i].block].watched = true;
    }
    return 0;
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

static void build_block(struct htmt__node *n, uint32_t i)
{
    const struct htmt__tape_block *b = &n->program->blocks[i];
    struct htmt__node_block *to = &n->block[i];
    uint64_t first = HTMT__TAPE_IMAGE + b->code;
    bool known = work_of(n, i);
    to->function = b->function;
    to->loop_end = b->loop_end;
    to->end = b->end;
    to->guessed = b->end == HTMT__END_CONDITION && n->figures->predictor != HTMT__NODE_NO_PREDICTOR;
    to->counted = to->guessed && n->figures->predictor >= HTMT__NODE_COUNTERS;
    to->code_first = first >> n->data.shift;
    to->code_lines =
        !n->fetches || !b->instructions
            ? 0
            : (uint32_t)(((first + 4 * (uint64_t)b->instructions - 1) >> n->data.shift) -
                         to->code_first + 1);
    to->chains = b->chains != 0;
    if (b->loop_end)
        n->block[b->loop_end].backward = true;
    to->plain_memory = known ? b->accesses * n->load : -1;
    to->plain_time =
        known ? htmt__node_time(n, &n->work[i], to->plain_memory, htmt__node_branch(n, to, true))
              : 0;
    to->chain = htmt__node_turn(n, i);
}

int htmt__node_blocks(struct htmt__node *n)
{
    uint32_t count = n->program ? n->program->block_count : 0;
    uint32_t functions = n->program ? n->program->function_count : 0;
    n->block = calloc((size_t)count + 1, sizeof *n->block);
    n->work = calloc((size_t)count + 1, sizeof *n->work);
    n->last_of = malloc(((size_t)functions + 1) * sizeof *n->last_of);
    n->blocks = count;
    if (!n->block || !n->work || !n->last_of)
        return HTMT_ENOMEM;
    if (!n->program)
        return 0;
    int rc = build_links(n);
    for (uint32_t i = 0; i < count && !rc; i++)
        build_block(n, i);
    return rc;
}
