/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dependences that a loop carries from one turn to the next.
 *
 * A processor works on many turns of a loop at once, unless a turn needs what the one before it
 * computed. Such a chain is a way from a phi of the loop's header, through operations and loads, to
 * the value that the phi takes at the back edge:
 *
 *     for (i = 0; i < n; i++)               s = phi [0, ..], [s2, latch]
 *         s = s * a[i] + b;                 s1 = fmul s, x
 *                                           s2 = fadd s1, b
 *
 * Here the way s -> s1 -> s2 has a multiplication and an addition, so a turn takes at least 8
 * cycles where each takes 4, however many units there are. The way i -> i + 1 is a chain of one
 * addition of integers.
 *
 * Which way is the longest depends on the machine, so all are kept that are not covered: a way is
 * covered by one that has at least as many of each of its operations, and its loads, since each
 * load may miss alone. The number of ways doubles at each value that is used twice, so at a value
 * where more than WAYS_MAX are left, the heaviest stay by weights of a usual machine. Only the
 * parts in which two ways differ are compared: a way is a list of steps backward that shares its
 * beginning with others, and a younger way has a higher number, so the common part is found like
 * that of two branches of a tree.
 *
 * Ways through loops inside the loop count for those alone. Loops come from dominators, by the
 * plain iteration over sets of blocks: functions are small, and this is a compiler.
 */
#include "emul/tools/cc/unit.h"

#include <stdlib.h>
#include <string.h>

#define WAYS_MAX 8u /* to a value, and of a loop */
#define NONE     UINT32_MAX
#define START    0u

/* The basic blocks of a function, by number; sets are arrays of bytes. */
struct graph {
    struct htmt__unit *u;
    LLVMBasicBlockRef *block;
    uint32_t n;
    uint8_t *dominated; /* [a * n + b]: a dominates b */
    uint32_t *depth;    /* loops around a block */
    uint8_t *member;    /* of the loop at hand */
    int rc;
};

struct loop {
    uint32_t header, latch;
};

static uint32_t number_of(const struct graph *g, LLVMBasicBlockRef b)
{
    uint32_t i = 0;
    while (i < g->n && g->block[i] != b)
        i++;
    return i;
}

/* ---- dominators ------------------------------------------------------------------------------ */

/* A block dominates b if it dominates all blocks before b. */
static void dominate(struct graph *g, const uint8_t *edge)
{
    memset(g->dominated, 1, (size_t)g->n * g->n);
    for (uint32_t a = 1; a < g->n; a++)
        g->dominated[a * g->n] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 1; b < g->n; b++)
            for (uint32_t a = 0; a < g->n; a++) {
                bool all = true;
                if (a == b || !g->dominated[a * g->n + b])
                    continue;
                for (uint32_t p = 0; p < g->n; p++)
                    all &= !edge[p * g->n + b] || g->dominated[a * g->n + p];
                g->dominated[a * g->n + b] = all;
                changed |= !all;
            }
    }
}

/* The blocks from which the latch is reached without the header. */
static void gather(struct graph *g, const uint8_t *edge, const struct loop *l)
{
    memset(g->member, 0, g->n);
    g->member[l->header] = g->member[l->latch] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < g->n; b++)
            for (uint32_t p = 0; p < g->n && g->member[b] && b != l->header; p++)
                if (edge[p * g->n + b] && !g->member[p]) {
                    g->member[p] = 1;
                    changed = true;
                }
    }
}

/* ---- ways ------------------------------------------------------------------------------------ */

static int32_t weight_of(const struct htmt__tape_op *op)
{
    static const uint8_t of_float[] = {
        [HTMT_ADD] = 4,   [HTMT_SUB] = 4, [HTMT_MUL] = 4,    [HTMT_DIV] = 14,
        [HTMT_SQRT] = 16, [HTMT_FMA] = 4, [HTMT_CONVERT] = 4};
    if (op->operation >= HTMT_SIN)
        return 40;
    if (htmt_operand_lane((enum htmt_type_of_operand)op->type) <= HTMT_I64)
        return op->operation == HTMT_DIV || op->operation == HTMT_REM ? 25
               : op->operation == HTMT_MUL                            ? 3
                                                                      : 1;
    return op->operation < sizeof of_float && of_float[op->operation] ? of_float[op->operation] : 2;
}

/* The addend of a fused pair meets the addition alone. */
int32_t htmt__unit_weight(const struct htmt__instruction *i, bool addend)
{
    if (i->does == HTMT__DOES_LOAD)
        return 4;
    if (i->does != HTMT__DOES_OPERATIONS || !i->op[0].n)
        return 0;
    int32_t w = i->op[1].n ? weight_of(&i->op[1]) : 0;
    return addend && i->op[1].n ? w : w + weight_of(&i->op[0]);
}

unsigned htmt__unit_operands(LLVMValueRef value)
{
    return LLVMIsACallInst(value) ? LLVMGetNumArgOperands(value)
                                  : (unsigned)LLVMGetNumOperands(value);
}

/* A way from a phi to a value, step by step backward. */
struct way {
    LLVMValueRef value;
    struct htmt__instruction does;
    uint32_t from;  /* the way to the operand; START: it is the phi */
    int32_t weight; /* of all steps */
    bool addend;    /* the operand is the addend of a fused pair */
};

/* Ways of which none covers another. */
struct ways {
    uint32_t n, at[WAYS_MAX];
};

struct met {
    LLVMValueRef value;
    struct ways ways; /* to it, from the phi at hand */
};

struct search {
    struct graph *g;
    const struct loop *l;
    struct htmt__rows way; /* struct way: of all phis of the loop; START has no steps */
    struct htmt__rows met; /* struct met: of the phi at hand */
    int32_t tally[HTMT_OPERATIONS][HTMT_OPERAND_TYPES]; /* zeros between two comparisons */
};

static const struct way *way_at(const struct search *s, uint32_t w)
{
    return (const struct way *)s->way.at + w;
}

static struct met *met_at(const struct search *s, uint32_t m)
{
    return (struct met *)s->met.at + m;
}

static const struct way *step_before(const struct search *s, const struct way *step)
{
    return way_at(s, step->from);
}

/* The operations of a step: op[first .. 2), those with n. */
static int first_op(const struct way *step)
{
    return step->does.does != HTMT__DOES_OPERATIONS ? 2 : step->does.op[1].n && step->addend;
}

/* What two ways have in common. A way is younger than what it goes on from. */
static const struct way *meet(const struct search *s, uint32_t a, uint32_t b)
{
    while (a != b)
        if (a > b)
            a = way_at(s, a)->from;
        else
            b = way_at(s, b)->from;
    return way_at(s, a);
}

static void tally(struct search *s, const struct way *step, const struct way *until, int32_t n)
{
    for (; step != until; step = step_before(s, step))
        for (int k = first_op(step); k < 2; k++)
            if (step->does.op[k].n)
                s->tally[step->does.op[k].operation][step->does.op[k].type] += n;
}

static bool loads(const struct search *s, const struct way *step, const struct way *until,
                  LLVMValueRef value)
{
    while (step != until && step->value != value)
        step = step_before(s, step);
    return step != until;
}

/* Way a takes at least as long as b on every machine; each load may miss alone. */
static bool covers(struct search *s, uint32_t a, uint32_t b)
{
    const struct way *longer = way_at(s, a), *shorter = way_at(s, b), *common = meet(s, a, b);
    bool all = longer->weight >= shorter->weight;
    if (!all)
        return false;
    tally(s, longer, common, 1);
    tally(s, shorter, common, -1);
    for (const struct way *step = shorter; step != common && all; step = step_before(s, step)) {
        const struct htmt__tape_op *op = step->does.op;
        if (step->does.does == HTMT__DOES_LOAD)
            all = loads(s, longer, common, step->value);
        for (int k = first_op(step); k < 2; k++)
            all &= !op[k].n || s->tally[op[k].operation][op[k].type] >= 0;
    }
    tally(s, longer, common, -1);
    tally(s, shorter, common, 1);
    return all;
}

/* Adds a way unless another one covers it, and drops those that it covers. Where there are too
 * many, the lightest goes, the last one of several that are as light. False: w is not among them.
 */
static bool put(struct search *s, struct ways *ways, uint32_t w)
{
    const int32_t weight = way_at(s, w)->weight;
    uint32_t n = 0;
    for (uint32_t i = 0; i < ways->n; i++)
        if (covers(s, ways->at[i], w))
            return false;
    for (uint32_t i = 0; i < ways->n; i++)
        if (!covers(s, w, ways->at[i]))
            ways->at[n++] = ways->at[i];
    ways->n = n;
    if (ways->n == WAYS_MAX) {
        uint32_t lightest = 0;
        for (uint32_t i = 1; i < ways->n; i++)
            if (way_at(s, ways->at[i])->weight <= way_at(s, ways->at[lightest])->weight)
                lightest = i;
        if (weight <= way_at(s, ways->at[lightest])->weight)
            return false;
        ways->n--;
        memmove(ways->at + lightest, ways->at + lightest + 1,
                (ways->n - lightest) * sizeof *ways->at);
    }
    ways->at[ways->n++] = w;
    return true;
}

static uint32_t remember(struct search *s, LLVMValueRef value)
{
    struct met *row = htmt__rows_add(&s->met);
    if (!row) {
        s->g->rc = HTMT_ENOMEM;
        return NONE;
    }
    row->value = value;
    return s->met.n - 1;
}

static bool is_inside(const struct search *s, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value))
        return false;
    const uint32_t b = number_of(s->g, LLVMGetInstructionParent(value));
    return b < s->g->n && s->g->member[b] && s->g->depth[b] == s->g->depth[s->l->header];
}

/* Each way to the operand goes on to the value. */
static void extend(struct search *s, uint32_t value, uint32_t operand, const struct way *step)
{
    const struct ways before = met_at(s, operand)->ways;
    for (uint32_t i = 0; i < before.n; i++) {
        struct way *longer = htmt__rows_add(&s->way);
        if (!longer) {
            s->g->rc = HTMT_ENOMEM;
            return;
        }
        *longer = *step;
        longer->from = before.at[i];
        longer->weight =
            way_at(s, longer->from)->weight + htmt__unit_weight(&longer->does, longer->addend);
        if (!put(s, &met_at(s, value)->ways, s->way.n - 1))
            s->way.n--;
    }
}

/* The number of what was met; NONE: nothing leads there. */
static uint32_t follow_value(struct search *s, LLVMValueRef value)
{
    for (uint32_t m = 0; m < s->met.n; m++)
        if (met_at(s, m)->value == value)
            return m;
    if (!is_inside(s, value) || s->g->rc)
        return NONE;
    const bool at_header =
        LLVMIsAPHINode(value) && LLVMGetInstructionParent(value) == s->g->block[s->l->header];
    struct way step = {.value = value, .does = htmt__instruction_of(s->g->u, value)};
    const uint32_t at = remember(s, value);
    if (at == NONE || at_header || step.does.does == HTMT__DOES_CALL)
        return at;
    for (unsigned k = 0; k < htmt__unit_operands(value); k++) {
        const uint32_t operand = follow_value(s, LLVMGetOperand(value, k));
        step.addend = step.does.op[1].n && k == 2;
        if (operand != NONE && !s->g->rc)
            extend(s, at, operand, &step);
    }
    return at;
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Of each step a link: a load, or its operations. */
static void keep_chain(const struct search *s, const struct way *last)
{
    struct htmt__unit *u = s->g->u;
    struct htmt__tape_chain *chain = htmt__rows_add(&u->chains);
    const uint32_t first = u->links.n;
    if (!chain)
        s->g->rc = HTMT_ENOMEM;
    for (const struct way *step = last; chain && step != way_at(s, START);
         step = step_before(s, step)) {
        const struct htmt__unit_mark *mark = htmt__unit_find(u, step->value);
        const bool load = step->does.does == HTMT__DOES_LOAD;
        for (int k = load ? 1 : first_op(step); mark && k < 2; k++) {
            const struct htmt__tape_op *op = &step->does.op[k];
            if (!load && !op->n)
                continue;
            struct htmt__tape_link *link = htmt__rows_add(&u->links);
            if (!link) {
                s->g->rc = HTMT_ENOMEM;
                return;
            }
            *link = (struct htmt__tape_link){.block = mark->block, .operation = HTMT_OPERATIONS};
            if (load) {
                link->access = (uint16_t)mark->access;
            } else {
                link->operation = op->operation;
                link->type = op->type;
            }
        }
    }
    if (!chain)
        return;
    *chain = (struct htmt__tape_chain){first, u->links.n - first};
    if (!chain->n)
        u->chains.n--;
}

static void follow_phi(struct search *s, LLVMValueRef phi, struct ways *of_loop)
{
    LLVMValueRef last = NULL; /* the value from the latch */
    for (unsigned i = 0; i < LLVMCountIncoming(phi) && !last; i++)
        if (LLVMGetIncomingBlock(phi, i) == s->g->block[s->l->latch])
            last = LLVMGetIncomingValue(phi, i);
    s->met.n = 0;
    const uint32_t begin = remember(s, phi);
    if (!last || begin == NONE)
        return;
    met_at(s, begin)->ways = (struct ways){1, {START}};
    const uint32_t end = follow_value(s, last);
    if (end == NONE)
        return;
    const struct ways *ways = &met_at(s, end)->ways;
    for (uint32_t i = 0; i < ways->n; i++)
        put(s, of_loop, ways->at[i]);
}

static void follow_phis(struct graph *g, const struct loop *l)
{
    struct search s = {
        .g = g, .l = l, .way.bytes = sizeof(struct way), .met.bytes = sizeof(struct met)};
    struct ways ways = {0};
    if (!htmt__rows_add(&s.way)) /* a row of zeros: START */
        g->rc = HTMT_ENOMEM;
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[l->header]); LLVMIsAPHINode(i) && !g->rc;
         i = LLVMGetNextInstruction(i))
        follow_phi(&s, i, &ways);
    for (uint32_t i = 0; i < ways.n && !g->rc; i++)
        keep_chain(&s, way_at(&s, ways.at[i]));
    free(s.way.at);
    free(s.met.at);
}

static void follow_loop(struct graph *g, const uint8_t *edge, const struct loop *l)
{
    uint32_t last = 0;
    gather(g, edge, l);
    for (uint32_t b = 0; b < g->n; b++)
        if (g->member[b])
            last = b;
    const LLVMValueRef first = LLVMBasicBlockAsValue(g->block[l->header]);
    struct htmt__tape_block *header =
        (struct htmt__tape_block *)g->u->blocks.at + htmt__unit_find(g->u, first)->block;
    header->chain = g->u->chains.n;
    /* The last block of the loop is the one before the next basic block's first: a basic block is
     * several blocks of the table where it calls. */
    header->loop_end = g->u->blocks.n - 1;
    if (last + 1 < g->n)
        header->loop_end =
            htmt__unit_find(g->u, LLVMBasicBlockAsValue(g->block[last + 1]))->block - 1;
    follow_phis(g, l);
    header->chains = g->u->chains.n - header->chain;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool is_back(const struct graph *g, const uint8_t *edge, uint32_t from, uint32_t to)
{
    return edge[from * g->n + to] && g->dominated[to * g->n + from];
}

static void follow_loops(struct graph *g, uint8_t *edge)
{
    for (uint32_t a = 0; a < g->n; a++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[a]);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
            edge[a * g->n + number_of(g, LLVMGetSuccessor(end, i))] = 1;
    }
    dominate(g, edge);
    /* How many loops a block lies in: loops are known by their headers. */
    for (uint32_t h = 0; h < g->n; h++)
        for (uint32_t p = 0; p < g->n; p++) {
            if (!is_back(g, edge, p, h))
                continue;
            gather(g, edge, &(struct loop){h, p});
            for (uint32_t b = 0; b < g->n; b++)
                g->depth[b] += g->member[b];
        }
    /* A loop with several ways back is followed along the last one. */
    for (uint32_t h = 0; h < g->n && !g->rc; h++) {
        uint32_t p = g->n;
        while (p > 0 && !is_back(g, edge, p - 1, h))
            p--;
        if (p > 0)
            follow_loop(g, edge, &(struct loop){h, p - 1});
    }
}

int htmt__unit_chains(struct htmt__unit *u, LLVMValueRef function)
{
    struct graph g = {.u = u, .n = LLVMCountBasicBlocks(function)};
    const size_t square = (size_t)g.n * g.n;
    uint8_t *bytes = calloc(2 * square + g.n, 1);
    g.block = malloc(g.n * sizeof(LLVMBasicBlockRef));
    g.depth = calloc(g.n, sizeof *g.depth);
    if (bytes && g.block && g.depth) {
        g.dominated = bytes + square;
        g.member = bytes + 2 * square;
        LLVMGetBasicBlocks(function, g.block);
        follow_loops(&g, bytes);
    } else {
        g.rc = HTMT_ENOMEM;
    }
    free(bytes);
    free(g.block);
    free(g.depth);
    return g.rc;
}
