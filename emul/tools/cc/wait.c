/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For whose results the operations of a block wait. Each waits for what stands before it on the
 * heaviest way from the block's start; which way is the heaviest depends on the machine, and the
 * weights here are those of chains. What other blocks computed is there when the block starts.
 */
#include "emul/tools/cc/unit.h"

#include <stdlib.h>
#include <string.h>

/* An instruction of the block at hand: its result is there after `ready`. */
struct step {
    LLVMValueRef value;
    struct htmt__instruction does;
    const struct step *after; /* the operand that comes last; NULL: none of this block */
    int32_t ready;
    bool addend; /* that operand is the addend of a fused pair */
};

/* Those of a block, and how often results are waited for. */
struct waiting {
    struct htmt__unit *u;
    struct step *step;
    uint32_t n, block;
    uint64_t count[HTMT_OPERATIONS + 1][HTMT_OPERAND_TYPES]; /* the last row: loads */
    int rc;
};

static const struct step *find_step(const struct waiting *w, LLVMValueRef value)
{
    for (uint32_t i = w->n; i-- > 0;)
        if (w->step[i].value == value)
            return &w->step[i];
    return NULL;
}

static void add_step(struct waiting *w, LLVMValueRef value, const struct htmt__instruction *i)
{
    struct step s = {.value = value, .does = *i};
    const unsigned operands = LLVMIsAPHINode(value) ? 0 : htmt__unit_operands(value);
    for (unsigned k = 0; k < operands; k++) {
        const struct step *operand = find_step(w, LLVMGetOperand(value, k));
        if (!operand || (s.after && operand->ready <= s.after->ready))
            continue;
        s.after = operand;
        s.addend = i->op[1].n && k == 2;
    }
    s.ready = (s.after ? s.after->ready : 0) + htmt__unit_weight(i, s.addend);
    w->step[w->n++] = s;
}

static bool is_waiting(const struct step *s)
{
    return s->does.does == HTMT__DOES_LOAD || s->does.does == HTMT__DOES_STORE ||
           (s->does.does == HTMT__DOES_OPERATIONS && s->does.op[0].n);
}

/* Everything on the way to its operands. */
static void count_way(struct waiting *w, const struct step *s)
{
    for (s = s->after; s; s = s->after) {
        const struct htmt__tape_op *op = s->does.op;
        if (s->does.does == HTMT__DOES_LOAD)
            w->count[HTMT_OPERATIONS][0]++;
        for (int k = op[1].n && s->addend ? 1 : 0; k < 2; k++)
            if (s->does.does == HTMT__DOES_OPERATIONS && op[k].n)
                w->count[op[k].operation][op[k].type]++;
    }
}

static void add_row(struct waiting *w, unsigned operation, unsigned type, uint16_t n)
{
    struct htmt__tape_op *row = htmt__rows_add(&w->u->ops);
    struct htmt__tape_block *b = (struct htmt__tape_block *)w->u->blocks.at + w->block;
    if (!row) {
        w->rc = HTMT_ENOMEM;
        return;
    }
    *row = (struct htmt__tape_op){(uint8_t)operation, (uint8_t)type, n};
    b->waits++;
}

/* The block ends. */
static void keep(struct waiting *w)
{
    ((struct htmt__tape_block *)w->u->blocks.at)[w->block].wait = w->u->ops.n;
    for (uint32_t i = 0; i < w->n; i++)
        if (is_waiting(&w->step[i]))
            count_way(w, &w->step[i]);
    for (unsigned o = 0; o <= HTMT_OPERATIONS; o++)
        for (unsigned t = 0; t < HTMT_OPERAND_TYPES; t++)
            for (uint64_t left = w->count[o][t]; left && !w->rc;) {
                const uint16_t n = left < UINT16_MAX ? (uint16_t)left : UINT16_MAX;
                add_row(w, o, t, n);
                left -= n;
            }
    memset(w->count, 0, sizeof w->count);
    w->n = 0;
}

static uint32_t length_of(LLVMBasicBlockRef at)
{
    uint32_t n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(at); i; i = LLVMGetNextInstruction(i))
        n++;
    return n;
}

/* A call or copy ends a block of the tape, and the next one begins. */
static int follow(struct htmt__unit *u, LLVMBasicBlockRef at)
{
    struct waiting w = {.u = u,
                        .step = malloc(length_of(at) * sizeof *w.step),
                        .block = htmt__unit_find(u, LLVMBasicBlockAsValue(at))->block};
    if (!w.step)
        return HTMT_ENOMEM;
    for (LLVMValueRef v = LLVMGetFirstInstruction(at); v; v = LLVMGetNextInstruction(v)) {
        const struct htmt__instruction i = htmt__instruction_of(u, v);
        const bool ends =
            (i.does == HTMT__DOES_CALL || i.does == HTMT__DOES_COPY || i.does == HTMT__DOES_SET) &&
            htmt__unit_find(u, v);
        add_step(&w, v, &i);
        if (!ends)
            continue;
        keep(&w);
        w.block++;
    }
    keep(&w);
    free(w.step);
    return w.rc;
}

int htmt__unit_waits(struct htmt__unit *u, LLVMValueRef function)
{
    int rc = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !rc;
         b = LLVMGetNextBasicBlock(b))
        rc = follow(u, b);
    return rc;
}
