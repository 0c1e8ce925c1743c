/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For whose results the operations of a block wait.
 *
 * A processor that issues in order stalls when an operation needs a result that is not there yet.
 * How long, the machine knows: each operation has its latency there. What the code knows is how
 * often each kind of operation stands in the way. So a block keeps, beside the operations it does,
 * those that others wait for: each operation waits for all that stand before it on the heaviest way
 * from the start of the block to its operands. An example:
 *
 *     x = load p        waits for nothing
 *     y = x * c         waits for the load
 *     z = y + d         waits for the load and the multiplication
 *     store z, q        waits for the load, the multiplication and the addition
 *
 * Together: three times a load, twice a multiplication, once an addition. Which way is the heaviest
 * depends on the machine, and the tape is made once for all of them, so ways are weighed as in
 * chain.c. What other blocks computed is there when the block starts.
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

/* Operands are sought backward: most stand close before. A phi's values come from other blocks, or
 * from the passage before. */
static void add_step(struct waiting *w, LLVMValueRef value, const struct htmt__instruction *i)
{
    struct step s = {.value = value, .does = *i};
    const unsigned operands = LLVMIsAPHINode(value) ? 0 : htmt__unit_operands(value);
    for (unsigned k = 0; k < operands; k++) {
        const LLVMValueRef operand = LLVMGetOperand(value, k);
        uint32_t n = w->n;
        while (n > 0 && w->step[n - 1].value != operand)
            n--;
        if (!n || (s.after && w->step[n - 1].ready <= s.after->ready))
            continue;
        s.after = &w->step[n - 1];
        s.addend = i->op[1].n && k == 2;
    }
    s.ready = (s.after ? s.after->ready : 0) + htmt__unit_weight(i, s.addend);
    w->step[w->n++] = s;
}

/* The block ends: what its operations wait for becomes rows behind its operations. */
static void keep(struct waiting *w)
{
    struct htmt__tape_block *b = (struct htmt__tape_block *)w->u->blocks.at + w->block;
    b->wait = w->u->ops.n;
    for (uint32_t i = 0; i < w->n; i++) {
        const enum htmt__does does = w->step[i].does.does;
        if (does != HTMT__DOES_LOAD && does != HTMT__DOES_STORE &&
            !(does == HTMT__DOES_OPERATIONS && w->step[i].does.op[0].n))
            continue;
        for (const struct step *s = &w->step[i]; s->after; s = s->after) {
            const struct step *before = s->after;
            const struct htmt__tape_op *op = before->does.op;
            if (before->does.does == HTMT__DOES_LOAD)
                w->count[HTMT_OPERATIONS][0]++;
            for (int k = op[1].n && before->addend ? 1 : 0; k < 2; k++)
                if (before->does.does == HTMT__DOES_OPERATIONS && op[k].n)
                    w->count[op[k].operation][op[k].type]++;
        }
    }
    for (unsigned o = 0; o <= HTMT_OPERATIONS; o++)
        for (unsigned t = 0; t < HTMT_OPERAND_TYPES; t++)
            for (uint64_t left = w->count[o][t]; left && !w->rc;) {
                const uint16_t n = left < UINT16_MAX ? (uint16_t)left : UINT16_MAX;
                struct htmt__tape_op *row = htmt__rows_add(&w->u->ops);
                if (row) {
                    *row = (struct htmt__tape_op){(uint8_t)o, (uint8_t)t, n};
                    b->waits++;
                } else {
                    w->rc = HTMT_ENOMEM;
                }
                left -= n;
            }
    memset(w->count, 0, sizeof w->count);
    w->n = 0;
}

/* A call or copy ends a block of the tape, and the next one begins. */
static int follow(struct htmt__unit *u, LLVMBasicBlockRef at)
{
    size_t length = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(at); i; i = LLVMGetNextInstruction(i))
        length++;
    struct waiting w = {.u = u,
                        .step = malloc(length * sizeof *w.step),
                        .block = htmt__unit_find(u, LLVMBasicBlockAsValue(at))->block};
    if (!w.step)
        return HTMT_ENOMEM;
    for (LLVMValueRef v = LLVMGetFirstInstruction(at); v; v = LLVMGetNextInstruction(v)) {
        const struct htmt__instruction i = htmt__instruction_of(u, v);
        const bool ends =
            (i.does == HTMT__DOES_CALL || i.does == HTMT__DOES_LENGTH) && htmt__unit_find(u, v);
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
