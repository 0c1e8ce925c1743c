/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the blocks of a function do, step by step, and whose results each step needs.
 *
 * A processor that starts an operation as soon as its operands are there asks what no count can
 * say: which result goes where. The IR says it, since each value has one definition. A step is an
 * operation, an access, a branch or a phi; its sources are the steps that define its operands. The
 * node keeps, for each step, when its last result was there. An example, a sum over an array:
 *
 *     loop:  i = phi [0, entry], [i2, loop]        step 0, choice: (entry, none), (loop, 4)
 *            s = phi [0.0, entry], [s2, loop]      step 1, choice: (entry, none), (loop, 3)
 *            a = load x + i                        step 2, needs 0
 *            s2 = fadd s, a                        step 3, needs 1 and 2
 *            i2 = add i, 1                         step 4, needs 0
 *            c = icmp i2, n                        step 5, needs 4
 *            br c                                  step 6, needs 5
 *
 * Values that cost nothing (casts, addresses) are seen through: who uses them needs what they need.
 * Constants, arguments and results of other functions were there before. Steps get their numbers
 * first and their sources then, since a phi names values that the code defines later.
 *
 * All registers of reals are the called function's on x86-64, so a real that is needed behind a
 * call waits in memory meanwhile. Such a value has a step of its own, `kept`, which is there when
 * it has been stored and loaded again; who uses it behind the call needs that step. By hand, with 5
 * cycles from a store to its load, `s += floor(x[i])`: each turn's sum waits for the one before, 3
 * cycles and 5. clang-14 keeps such a sum twice, as it splits the register's life at the head of
 * the loop:
 *
 *     loop:  movsd %xmm0, 8(%rsp); ..; call floor; movsd 8(%rsp), %xmm1; addsd %xmm0, %xmm1
 *            movsd %xmm1, 8(%rsp); movsd 8(%rsp), %xmm0; ..; jne loop
 *
 * So the turn takes 13, and a phi of a loop of one block has two such steps.
 */
#include "emul/tools/cc/unit.h"

#include <stdlib.h>
#include <string.h>

#define THROUGH_MOST 64 /* casts of casts */

struct definition {
    LLVMValueRef value;
    uint32_t first, step; /* its steps; the last one has the value */
    uint32_t kept, twice; /* its last step in memory, and of how many; twice 0: it has none */
};

struct stepping {
    struct htmt__unit *u;
    uint32_t block;
    struct htmt__rows known; /* struct definition; sorted once all steps have their numbers */
    LLVMValueRef user;       /* whose operands are sources */
    int rc;
};

static int by_value(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct definition *)a)->value;
    const uintptr_t y = (uintptr_t)((const struct definition *)b)->value;
    return (x > y) - (x < y);
}

static const struct definition *find(const struct stepping *s, LLVMValueRef value)
{
    const struct definition key = {.value = value};
    return s->known.n ? bsearch(&key, s->known.at, s->known.n, sizeof key, by_value) : NULL;
}

static struct htmt__tape_step *step_of(const struct stepping *s, uint32_t number)
{
    return (struct htmt__tape_step *)s->u->steps.at + number;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void add_step(struct stepping *s, unsigned operation, unsigned type, unsigned n)
{
    struct htmt__tape_step *step = htmt__rows_add(&s->u->steps);
    if (!step) {
        s->rc = HTMT_ENOMEM;
        return;
    }
    *step = (struct htmt__tape_step){
        .operation = (uint8_t)operation, .type = (uint8_t)type, .n = (uint16_t)n};
    ((struct htmt__tape_block *)s->u->blocks.at + s->block)->steps++;
}

static void open_block(struct stepping *s)
{
    ((struct htmt__tape_block *)s->u->blocks.at + s->block)->step = s->u->steps.n;
}

/* A gather is what it takes beside the loads of its lanes; a scatter comes before its stores. */
static void add_accesses(struct stepping *s, LLVMValueRef value, const struct htmt__instruction *i)
{
    struct htmt__tape_op stage[HTMT__STAGES_MAX];
    const bool loads = i->does == HTMT__DOES_LOAD;
    const unsigned n = htmt__unit_stages(s->u, value, i, stage);
    for (unsigned k = 0; k < n && !loads; k++)
        add_step(s, stage[k].operation, stage[k].type, stage[k].n);
    for (uint32_t k = 0; k < i->accesses; k++)
        add_step(s, loads ? HTMT__STEP_LOAD : HTMT__STEP_STORE, 0, 1);
    for (unsigned k = 0; k < n && loads; k++)
        add_step(s, stage[k].operation, stage[k].type, stage[k].n);
}

static void add_operations(struct stepping *s, LLVMValueRef value,
                           const struct htmt__instruction *i)
{
    struct htmt__tape_op stage[HTMT__STAGES_MAX];
    const unsigned n = htmt__unit_stages(s->u, value, i, stage);
    for (unsigned k = 0; k < n; k++)
        add_step(s, stage[k].operation, stage[k].type, stage[k].n);
}

/* Conditional jumps at the end of a block: x86-64 compares reals by flags of which equality needs
 * two. */
static unsigned jumps_of(const struct htmt__unit *u, LLVMValueRef end)
{
    const bool asks = LLVMGetInstructionOpcode(end) == LLVMBr && LLVMIsConditional(end);
    const LLVMValueRef by = asks ? LLVMGetCondition(end) : NULL;
    if (!by || !LLVMIsAFCmpInst(by) || strncmp(LLVMGetTarget(u->module), "x86_64", 6) != 0)
        return 1;
    const LLVMRealPredicate how = LLVMGetFCmpPredicate(by);
    return how == LLVMRealOEQ || how == LLVMRealUNE ? 2 : 1;
}

/* Whether the instruction ends a block of the tape inside a basic block. */
static bool cuts(const struct stepping *s, LLVMValueRef value, enum htmt__does does)
{
    return (does == HTMT__DOES_CALL || does == HTMT__DOES_LENGTH) && htmt__unit_find(s->u, value);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Whether an instruction calls a function that may use all registers of reals. */
static bool calls(const struct stepping *s, LLVMValueRef value)
{
    const struct htmt__instruction i = htmt__instruction_of(s->u, value);
    return i.does == HTMT__DOES_CALL || (i.does == HTMT__DOES_LENGTH && i.op[0].n) ||
           (i.does == HTMT__DOES_OPERATIONS &&
            htmt__library_has_range((enum htmt_operation)i.op[0].operation,
                                    (enum htmt_type_of_operand)i.op[0].type));
}

/* Whether there is a call from an instruction up to another one of the block; NULL: to its end. */
static bool calls_between(const struct stepping *s, LLVMValueRef from, LLVMValueRef to)
{
    bool any = false;
    for (; from && from != to && !any; from = LLVMGetNextInstruction(from))
        any = calls(s, from);
    return any;
}

/* Whether a real that is defined there waits for a call before it is used; of other blocks than
 * both nothing is asked. */
static bool waits_for_call(const struct stepping *s, LLVMValueRef value, LLVMValueRef user)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    const LLVMBasicBlockRef at = LLVMGetInstructionParent(value),
                            to = LLVMGetInstructionParent(user);
    if ((kind != LLVMDoubleTypeKind && kind != LLVMFloatTypeKind) ||
        strncmp(LLVMGetTarget(s->u->module), "x86_64", 6) != 0)
        return false;
    if (LLVMIsAPHINode(user))
        return calls_between(s, LLVMGetNextInstruction(value), NULL);
    if (at == to)
        return calls_between(s, LLVMGetNextInstruction(value), user);
    return calls_between(s, LLVMGetNextInstruction(value), NULL) ||
           calls_between(s, LLVMGetFirstInstruction(to), user);
}

/* The phi of a loop of one block. */
static bool is_carried(LLVMValueRef value)
{
    bool own = false;
    for (unsigned k = 0; LLVMIsAPHINode(value) && k < LLVMCountIncoming(value); k++)
        own |= LLVMGetIncomingBlock(value, k) == LLVMGetInstructionParent(value);
    return own;
}

/* Steps of no operation, whose result is that of their source behind a store and a load. */
static void keep(struct stepping *s, struct definition *d)
{
    bool waits = false;
    for (LLVMUseRef use = LLVMGetFirstUse(d->value); use && !waits; use = LLVMGetNextUse(use))
        waits =
            LLVMIsAInstruction(LLVMGetUser(use)) && waits_for_call(s, d->value, LLVMGetUser(use));
    if (!waits)
        return;
    d->twice = is_carried(d->value) ? 2 : 1;
    for (uint32_t k = 0; k < d->twice; k++)
        add_step(s, HTMT__TAPE_KEPT, HTMT_I64, 0);
    d->kept = s->u->steps.n - 1;
}

/* Choices come before all other steps of a block. */
static void keep_choices(struct stepping *s, LLVMBasicBlockRef block)
{
    uint32_t i = s->known.n;
    while (i > 0 && LLVMIsAPHINode(((struct definition *)s->known.at + i - 1)->value) &&
           LLVMGetInstructionParent(((struct definition *)s->known.at + i - 1)->value) == block)
        i--;
    for (; i < s->known.n && !s->rc; i++)
        keep(s, (struct definition *)s->known.at + i);
}

/* ---- numbers of instructions ----------------------------------------------------------------- */

static void number_instruction(struct stepping *s, LLVMValueRef value)
{
    const struct htmt__instruction i = htmt__instruction_of(s->u, value);
    const uint32_t before = s->u->steps.n;
    const bool cut = cuts(s, value, i.does);
    if (LLVMIsAPHINode(value))
        add_step(s, HTMT__STEP_CHOICE, 0, 1);
    else if (i.does == HTMT__DOES_LOAD || i.does == HTMT__DOES_STORE)
        add_accesses(s, value, &i);
    else if (i.does == HTMT__DOES_OPERATIONS || i.does == HTMT__DOES_NOTHING ||
             i.does == HTMT__DOES_END ||
             ((i.does == HTMT__DOES_CALL || i.does == HTMT__DOES_LENGTH) && cut))
        add_operations(s, value, &i);
    if (i.does == HTMT__DOES_END &&
        ((struct htmt__tape_block *)s->u->blocks.at + s->block)->end != HTMT__END_FALL)
        add_step(s, HTMT__STEP_BRANCH, 0, jumps_of(s->u, value));
    if (s->u->steps.n > before && !s->rc) {
        struct definition *d = htmt__rows_add(&s->known);
        if (d)
            *d = (struct definition){.value = value, .first = before, .step = s->u->steps.n - 1};
        else
            s->rc = HTMT_ENOMEM;
        if (d && !cut && !LLVMIsAPHINode(value))
            keep(s, d);
    }
    if (cut) {
        s->block++;
        open_block(s);
    }
}

/* ---- sources --------------------------------------------------------------------------------- */

static void add_number(struct stepping *s, uint32_t step, uint32_t source)
{
    uint32_t *row = htmt__rows_add(&s->u->sources);
    if (row) {
        *row = source;
        step_of(s, step)->sources++;
    } else {
        s->rc = HTMT_ENOMEM;
    }
}

/* One step is a source once. */
static void add_source(struct stepping *s, uint32_t step, uint32_t source)
{
    const struct htmt__tape_step *to = step_of(s, step);
    const uint32_t *all = (const uint32_t *)s->u->sources.at + to->source;
    for (uint32_t i = 0; i < to->sources; i++)
        if (all[i] == source)
            return;
    add_number(s, step, source);
}

/* The step gets the sources of an operand; `through`: so many values were seen through. */
static void add_operand(struct stepping *s, uint32_t step, LLVMValueRef value, int through)
{
    if (!LLVMIsAInstruction(value) || through == THROUGH_MOST)
        return;
    const struct definition *d = find(s, value);
    if (d) {
        const bool kept = d->twice && waits_for_call(s, value, s->user);
        add_source(s, step, kept ? d->kept : d->step);
        return;
    }
    const struct htmt__instruction i = htmt__instruction_of(s->u, value);
    if (i.does != HTMT__DOES_NOTHING && i.does != HTMT__DOES_OPERATIONS)
        return;
    for (unsigned k = 0; k < htmt__unit_operands(value); k++)
        add_operand(s, step, LLVMGetOperand(value, k), through + 1);
}

/* The last block of the tape in a basic block: the one before the next basic block's first. */
static uint32_t last_block(const struct stepping *s, LLVMBasicBlockRef at)
{
    const LLVMBasicBlockRef next = LLVMGetNextBasicBlock(at);
    return (next ? htmt__unit_find(s->u, LLVMBasicBlockAsValue(next))->block : s->u->blocks.n) - 1;
}

/* A value that is seen through to several steps is the last of them. */
static uint32_t only_source(struct stepping *s, uint32_t step, LLVMValueRef value)
{
    struct htmt__tape_step *to = step_of(s, step), before = *to;
    uint32_t found = HTMT__TAPE_NO_STEP;
    to->source = s->u->sources.n;
    to->sources = 0;
    add_operand(s, step, value, 0);
    const uint32_t *all = (const uint32_t *)s->u->sources.at + to->source;
    for (uint32_t i = 0; i < to->sources; i++)
        if (found == HTMT__TAPE_NO_STEP || all[i] > found)
            found = all[i];
    s->u->sources.n = to->source;
    *to = before;
    return found;
}

static void choose(struct stepping *s, LLVMValueRef phi, uint32_t step)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi) && !s->rc; k++) {
        const uint32_t source = only_source(s, step, LLVMGetIncomingValue(phi, k));
        add_number(s, step, last_block(s, LLVMGetIncomingBlock(phi, k)));
        add_number(s, step, source);
    }
}

/* Whether a step of an access of several parts needs the one before it: what a gather makes of its
 * lanes, which needs them all. */
static void fill_lanes(struct stepping *s, const struct definition *d, uint32_t at)
{
    const unsigned o = step_of(s, at)->operation;
    for (uint32_t k = d->first; k < at && o != HTMT__STEP_LOAD && o != HTMT__STEP_STORE; k++)
        add_source(s, at, k);
}

/* What the turn before left to the value: its step stands behind. */
static void add_carried(struct stepping *s, const struct definition *d)
{
    const struct htmt__unit_carried *c = s->u->carried.at;
    for (uint32_t i = 0; i < s->u->carried.n; i++)
        if (c[i].value == d->value)
            add_operand(s, d->step, c[i].from, 0);
}

/* Each step of an instruction needs the one before it: the addition of an unfused pair, which alone
 * needs the addend, the operations that reduce a vector, the branch behind a comparison. A minimum
 * compares by itself: that others need the comparison, too, does not make it wait for that. */
static void fill_instruction(struct stepping *s, const struct definition *d)
{
    const struct htmt__instruction i = htmt__instruction_of(s->u, d->value);
    const bool accesses = i.does == HTMT__DOES_LOAD || i.does == HTMT__DOES_STORE;
    const bool fused =
        i.op[0].operation == HTMT_MUL && i.op[1].operation == HTMT_ADD && d->step > d->first;
    const unsigned operands = htmt__unit_operands(d->value);
    const unsigned from = htmt__is_extreme(d->value) ? 1 : 0; /* not its comparison */
    s->user = d->value;
    for (uint32_t at = d->first; at <= d->step && !s->rc; at++) {
        const bool first = at == d->first;
        step_of(s, at)->source = s->u->sources.n;
        if (LLVMIsAPHINode(d->value)) {
            choose(s, d->value, at);
            continue;
        }
        if (accesses)
            fill_lanes(s, d, at);
        else if (!first)
            add_source(s, at, at - 1);
        for (unsigned k = from; k < operands && !s->rc; k++)
            if (accesses || first != (fused && k == 2))
                add_operand(s, at, LLVMGetOperand(d->value, k), 0);
    }
    add_carried(s, d);
    for (uint32_t k = 0; k < d->twice && !s->rc; k++) {
        const uint32_t at = d->kept + 1 - d->twice + k;
        step_of(s, at)->source = s->u->sources.n;
        add_source(s, at, k ? at - 1 : d->step);
    }
}

int htmt__unit_steps(struct htmt__unit *u, LLVMValueRef function)
{
    struct stepping s = {.u = u, .known.bytes = sizeof(struct definition)};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !s.rc;
         b = LLVMGetNextBasicBlock(b)) {
        s.block = htmt__unit_find(u, LLVMBasicBlockAsValue(b))->block;
        open_block(&s);
        bool choices = true;
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v && !s.rc;
             v = LLVMGetNextInstruction(v)) {
            if (choices && !LLVMIsAPHINode(v))
                keep_choices(&s, b);
            choices = LLVMIsAPHINode(v);
            number_instruction(&s, v);
        }
    }
    if (s.known.n)
        qsort(s.known.at, s.known.n, sizeof(struct definition), by_value);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !s.rc;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v && !s.rc;
             v = LLVMGetNextInstruction(v)) {
            const struct definition *d = find(&s, v);
            if (d)
                fill_instruction(&s, d);
        }
    free(s.known.at);
    return s.rc;
}
