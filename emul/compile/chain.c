/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dependences that a loop carries from one turn to the next: the heaviest way from a phi of the
 * loop's header to the value that the phi takes at the back edge. Which way is the heaviest depends
 * on the machine; the weights here are of a usual one. Ways through loops inside the loop count for
 * those alone.
 */
#include "emul/compile/unit.h"

#include <stdlib.h>
#include <string.h>

#define LINKS_MAX  256u
#define CHAINS_MAX 8u /* of one loop */

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

static bool goes_to(const struct graph *g, uint32_t from, uint32_t to)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[from]);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
        if (LLVMGetSuccessor(end, i) == g->block[to])
            return true;
    return false;
}

/* What dominates all blocks before b dominates b. */
static bool narrow(struct graph *g, const uint8_t *edge, uint32_t a, uint32_t b)
{
    bool all = true;
    for (uint32_t p = 0; p < g->n; p++)
        all &= !edge[p * g->n + b] || g->dominated[a * g->n + p];
    if (all || !g->dominated[a * g->n + b])
        return false;
    g->dominated[a * g->n + b] = 0;
    return true;
}

static void dominate(struct graph *g, const uint8_t *edge)
{
    memset(g->dominated, 1, (size_t)g->n * g->n);
    for (uint32_t a = 1; a < g->n; a++)
        g->dominated[a * g->n] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 1; b < g->n; b++)
            for (uint32_t a = 0; a < g->n; a++)
                changed |= a != b && narrow(g, edge, a, b);
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

/* ---- the heaviest way ------------------------------------------------------------------------ */

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

struct search {
    struct graph *g;
    const struct loop *l;
    LLVMValueRef phi;
    /* Values met, with the weight of their heaviest way from the phi; -1: there is none. */
    struct met {
        LLVMValueRef value, from;
        int32_t weight;
        bool addend;
    } * met;
    uint32_t n, room;
};

static struct met *find_met(const struct search *s, LLVMValueRef value)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->met[i].value == value)
            return &s->met[i];
    return NULL;
}

static bool is_inside(const struct search *s, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value))
        return false;
    const uint32_t b = number_of(s->g, LLVMGetInstructionParent(value));
    return b < s->g->n && s->g->member[b] && s->g->depth[b] == s->g->depth[s->l->header];
}

static uint32_t remember(struct search *s, LLVMValueRef value)
{
    if (s->n == s->room) {
        const uint32_t room = s->room ? 2 * s->room : 64;
        struct met *more = reallocarray(s->met, room, sizeof *more);
        if (!more) {
            s->g->rc = HTMT_ENOMEM;
            return UINT32_MAX;
        }
        s->met = more;
        s->room = room;
    }
    s->met[s->n] = (struct met){.value = value, .weight = -1};
    return s->n++;
}

static int32_t heaviest(struct search *s, LLVMValueRef value);

static void try_operand(struct search *s, uint32_t at, LLVMValueRef value, unsigned k,
                        const struct htmt__instruction *i)
{
    LLVMValueRef operand = LLVMGetOperand(value, k);
    const int32_t before = heaviest(s, operand);
    const bool addend = i->op[1].n && k == 2;
    const int32_t w = before < 0 ? -1 : before + htmt__unit_weight(i, addend);
    if (w > s->met[at].weight)
        s->met[at] = (struct met){value, operand, w, addend};
}

unsigned htmt__unit_operands(LLVMValueRef value)
{
    return LLVMIsACallInst(value) ? LLVMGetNumArgOperands(value)
                                  : (unsigned)LLVMGetNumOperands(value);
}

static int32_t heaviest(struct search *s, LLVMValueRef value)
{
    const struct met *known = find_met(s, value);
    if (value == s->phi)
        return 0;
    if (known)
        return known->weight;
    if (!is_inside(s, value) || s->g->rc)
        return -1;
    const bool at_header =
        LLVMIsAPHINode(value) && LLVMGetInstructionParent(value) == s->g->block[s->l->header];
    const struct htmt__instruction i = htmt__instruction_of(s->g->u, value);
    const uint32_t at = remember(s, value);
    if (at == UINT32_MAX || at_header || i.does == HTMT__DOES_CALL)
        return -1;
    for (unsigned k = 0; k < htmt__unit_operands(value); k++)
        try_operand(s, at, value, k, &i);
    return s->met[at].weight;
}

/* ---- links ----------------------------------------------------------------------------------- */

static void add_link(struct graph *g, const struct htmt__tape_link *link)
{
    struct htmt__tape_link *row = htmt__grown_add(&g->u->links);
    if (row)
        *row = *link;
    else
        g->rc = HTMT_ENOMEM;
}

static void link_value(const struct search *s, const struct met *m)
{
    const struct htmt__instruction i = htmt__instruction_of(s->g->u, m->value);
    const struct htmt__unit_mark *mark = htmt__unit_find(s->g->u, m->value);
    if (!mark)
        return;
    struct htmt__tape_link l = {.block = mark->block, .access = (uint16_t)mark->access};
    l.operation = HTMT_OPERATIONS;
    if (i.does == HTMT__DOES_LOAD)
        add_link(s->g, &l);
    for (int k = i.op[1].n && m->addend ? 1 : 0; k < 2 && i.does == HTMT__DOES_OPERATIONS; k++)
        if (i.op[k].n) {
            l.operation = i.op[k].operation;
            l.type = i.op[k].type;
            l.access = 0;
            add_link(s->g, &l);
        }
}

static void keep_chain(const struct search *s, LLVMValueRef last)
{
    struct htmt__tape_chain *chain = htmt__grown_add(&s->g->u->chains);
    const uint32_t first = s->g->u->links.n;
    if (!chain) {
        s->g->rc = HTMT_ENOMEM;
        return;
    }
    for (LLVMValueRef v = last; v != s->phi;) {
        const struct met *m = find_met(s, v);
        link_value(s, m);
        v = m->from;
    }
    *chain = (struct htmt__tape_chain){first, s->g->u->links.n - first};
    if (!chain->n)
        s->g->u->chains.n--;
}

static LLVMValueRef from_latch(const struct graph *g, const struct loop *l, LLVMValueRef phi)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == g->block[l->latch])
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

static void follow_phi(struct graph *g, const struct loop *l, LLVMValueRef phi)
{
    struct search s = {.g = g, .l = l, .phi = phi};
    LLVMValueRef last = from_latch(g, l, phi);
    if (last && last != phi && heaviest(&s, last) > 0 && s.n < LINKS_MAX)
        keep_chain(&s, last);
    free(s.met);
}

static struct htmt__tape_block *table_block(const struct graph *g, uint32_t b)
{
    const struct htmt__unit_mark *m = htmt__unit_find(g->u, LLVMBasicBlockAsValue(g->block[b]));
    return (struct htmt__tape_block *)g->u->blocks.at + m->block;
}

/* The number of the last block of the loop, calls included. */
static uint32_t end_of(const struct graph *g)
{
    uint32_t last = 0;
    for (uint32_t b = 0; b < g->n; b++)
        if (g->member[b])
            last = b;
    const uint32_t next =
        last + 1 < g->n
            ? (uint32_t)(table_block(g, last + 1) - (struct htmt__tape_block *)g->u->blocks.at)
            : g->u->blocks.n;
    return next - 1;
}

static void follow_loop(struct graph *g, const uint8_t *edge, const struct loop *l)
{
    struct htmt__tape_block *header = table_block(g, l->header);
    uint32_t chains = 0;
    gather(g, edge, l);
    if (!header->chains)
        header->chain = g->u->chains.n;
    header->loop_end = end_of(g);
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[l->header]);
         LLVMIsAPHINode(i) && chains < CHAINS_MAX && !g->rc; i = LLVMGetNextInstruction(i)) {
        follow_phi(g, l, i);
        chains = g->u->chains.n - header->chain;
    }
    header->chains = chains;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool is_back(const struct graph *g, const uint8_t *edge, uint32_t from, uint32_t to)
{
    return edge[from * g->n + to] && g->dominated[to * g->n + from];
}

/* How many loops a block lies in: loops are known by their headers. */
static void measure_depth(struct graph *g, const uint8_t *edge)
{
    for (uint32_t h = 0; h < g->n; h++) {
        for (uint32_t p = 0; p < g->n; p++) {
            if (!is_back(g, edge, p, h))
                continue;
            gather(g, edge, &(struct loop){h, p});
            for (uint32_t b = 0; b < g->n; b++)
                g->depth[b] += g->member[b];
        }
    }
}

/* A loop with several ways back is followed along the last one. */
static void follow_header(struct graph *g, const uint8_t *edge, uint32_t h)
{
    for (uint32_t p = g->n; p-- > 0;)
        if (is_back(g, edge, p, h)) {
            follow_loop(g, edge, &(struct loop){h, p});
            return;
        }
}

static void analyze(struct graph *g, uint8_t *edge)
{
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; b < g->n; b++)
            edge[a * g->n + b] = goes_to(g, a, b);
    dominate(g, edge);
    measure_depth(g, edge);
    for (uint32_t h = 0; h < g->n && !g->rc; h++)
        follow_header(g, edge, h);
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
        analyze(&g, bytes);
    } else {
        g.rc = HTMT_ENOMEM;
    }
    free(bytes);
    free(g.block);
    free(g.depth);
    return g.rc;
}
