/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many instructions a compiler makes of each block.
 *
 * The tape's own count is of operations of the IR: an addition that a load can do on the way, or a
 * comparison and a branch that are one instruction, count twice there, and what moves a value from
 * register to register counts nothing. A processor dispatches instructions. So the module is
 * compiled once more, without any hooks, to assembly, whose labels name the blocks of the IR:
 *
 *     .LBB0_2:        # %htmt_block_7
 *         movsd   (%rsi,%rax,8), %xmm1
 *         mulsd   %xmm0, %xmm1
 *
 * What has no such name, or a longer one, the compiler put on an edge between blocks. Where the
 * block before falls through to it, it counts for that one. Where it is jumped to, it runs as often
 * as the edge, which nobody knows: on the way back to a block above it counts for that block, as
 * values are moved there for a loop's next turn; else it does not count, as most such edges leave
 * loops. A basic block that is several blocks of the tape was cut behind its calls; the
 * instructions up to a call are the first one's. A square root whose call may have to set errno
 * splits a basic block: the rest, `%htmt_block_7.split`, is of the same blocks, and the call, which
 * hardly ever runs, counts for none.
 *
 * The order of the labels says where a branch does not jump: to the block that follows. In
 * `for (...) if (b[i] > c) a[i] = 0;` compilers put the end of the loop before its head and the
 * store behind it, so a turn that stores nothing jumps once, whatever the order of the IR. A
 * comparison of integers right before a conditional branch is one operation with it.
 */
#include "emul/tools/cc/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAME "htmt_block_"

void htmt__unit_name_blocks(struct htmt__unit *u)
{
    char name[32];
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            const struct htmt__unit_mark *m = htmt__unit_find(u, LLVMBasicBlockAsValue(b));
            if (!m)
                continue;
            snprintf(name, sizeof name, NAME "%u", m->block);
            LLVMSetValueName2(LLVMBasicBlockAsValue(b), name, strlen(name));
        }
}

/* Whether the block of the tape goes on behind a call in the same basic block. */
static bool goes_on(const struct htmt__unit *u, uint32_t block, const bool *first)
{
    return block + 1 < u->blocks.n && !first[block + 1];
}

/* Which blocks of the tape begin a basic block. */
static bool *find_first(struct htmt__unit *u)
{
    bool *first = calloc((size_t)u->blocks.n + 1, sizeof *first);
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f && first; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            const struct htmt__unit_mark *m = htmt__unit_find(u, LLVMBasicBlockAsValue(b));
            if (m)
                first[m->block] = true;
        }
    return first;
}

/* An instruction stands behind a tab; what begins with a point is for the assembler. */
static const char *instruction_in(const char *line)
{
    if (*line != '\t' && *line != ' ')
        return NULL;
    while (*line == '\t' || *line == ' ')
        line++;
    return isalpha((unsigned char)*line) ? line : NULL;
}

static bool is_call(const char *instruction)
{
    return strncmp(instruction, "call", 4) == 0 || strncmp(instruction, "bl\t", 3) == 0 ||
           strncmp(instruction, "blr\t", 4) == 0;
}

/* ---- labels -----------------------------------------------------------------------------------
 */

/* Of a machine block: where it stands, or where somebody jumps. */
struct label {
    char name[24]; /* ".LBB0_2" */
    uint32_t block;
};

struct reading {
    struct htmt__unit *u;
    bool *first;       /* of each block of the tape: it begins a basic block, */
    bool *seen;        /* it has code, */
    bool *edge_behind; /* and that of an edge stands between it and the next one's */
    struct htmt__rows labels, jumps;
    uint32_t block; /* that the next instruction is of; all of them: of none */
    uint32_t edge;  /* instructions so far of an edge that is jumped to */
    bool on_edge;
    bool conditional; /* the last instruction was a conditional branch */
    bool compares;    /* or one that a branch behind it is fused with */
};

static int add_label(struct htmt__rows *rows, const char *text, uint32_t block)
{
    struct label *l = htmt__rows_add(rows);
    if (!l)
        return HTMT_ENOMEM;
    l->block = block;
    snprintf(l->name, sizeof l->name, "%.*s", (int)strcspn(text, ":\n #"), text);
    return 0;
}

/* A jump right behind a conditional branch is what a loop does when it ends. It counts for the
 * block that it goes to; one whose label stands nowhere, where it is. */
static void count_jumps(struct reading *r)
{
    struct htmt__tape_block *all = r->u->blocks.at;
    const struct label *jump = r->jumps.at, *label = r->labels.at;
    for (uint32_t i = 0; i < r->jumps.n; i++) {
        uint32_t block = jump[i].block;
        for (uint32_t k = 0; k < r->labels.n; k++)
            if (strcmp(label[k].name, jump[i].name) == 0)
                block = label[k].block;
        if (block < r->u->blocks.n)
            all[block].compiled++;
    }
}

/* The edge ends with a jump to a label. */
static void end_edge(struct reading *r, const char *target)
{
    struct htmt__tape_block *all = r->u->blocks.at;
    const struct label *label = r->labels.at;
    const size_t n = strcspn(target, ":\n #");
    for (uint32_t k = 0; k < r->labels.n; k++)
        if (strlen(label[k].name) == n && strncmp(label[k].name, target, n) == 0 &&
            label[k].block < r->u->blocks.n)
            all[label[k].block].compiled += r->edge;
    r->edge = 0;
}

/* Whether processors fuse the instruction with a conditional branch behind it: of registers, or of
 * memory and a register. */
static bool fuses(const char *text)
{
    static const char *const all[] = {"cmp", "test", "add", "sub", "and", "inc", "dec", "subs"};
    const size_t n = strcspn(text, "\t ");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const size_t own = strlen(all[i]);
        const bool sized = n == own + 1 && strchr("bwlq", text[own]);
        if ((n == own || sized) && strncmp(text, all[i], own) == 0)
            return !(strchr(text, '$') && strchr(text, '('));
    }
    return false;
}

/* What an operation is that has its operand in memory, as far as processors make more of it than of
 * others: `add %eax, 8(%rdx)`, `add %eax, (%rdx,%rcx,4)`, and one that reads `(%rdx,%rcx,8)` and
 * does not write a register that it also reads: a comparison, a product with a constant, or one of
 * AVX with three operands. */
static void count_memory(const char *text, struct htmt__tape_block *b)
{
    static const char *const updates[] = {"add", "sub", "and", "or", "xor",
                                          "inc", "dec", "not", "neg"};
    static const char *const reads[] = {"cmp", "test", "ucomis", "comis", "v"};
    const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;
    const bool index = close && memchr(open, ',', (size_t)(close - open));
    const bool to = close && !strchr(close, '%'), wide = strncmp(text, "v", 1) == 0;
    if (!close || (wide && (to || strchr(strchr(close, '%') + 1, '%') == NULL)))
        return;
    for (size_t i = 0; i < sizeof updates / sizeof *updates && to; i++)
        if (strncmp(text, updates[i], strlen(updates[i])) == 0) {
            uint8_t *n = index ? &b->adds_index : &b->adds;
            if (*n < HTMT__TAPE_ADDS_MOST)
                ++*n;
            return;
        }
    const bool multiple = strncmp(text, "imul", 4) == 0 && strchr(text, '$');
    for (size_t i = 0; i < sizeof reads / sizeof *reads && index; i++)
        if (multiple || strncmp(text, reads[i], strlen(reads[i])) == 0) {
            if (b->index < HTMT__TAPE_INDEX_MOST)
                b->index++;
            return;
        }
}

static int read_instruction(struct reading *r, const char *text)
{
    struct htmt__tape_block *all = r->u->blocks.at;
    const bool jump = strncmp(text, "jmp\t", 4) == 0 || strncmp(text, "b\t", 2) == 0;
    if (r->on_edge && is_call(text)) { /* of a root's rest, which hardly ever runs */
        r->on_edge = false;
        r->block = r->u->blocks.n;
        return 0;
    }
    if (r->on_edge) {
        r->edge++;
        if (jump)
            end_edge(r, strchr(text, '\t') + 1);
        return 0;
    }
    if (r->block >= r->u->blocks.n)
        return 0;
    if (jump && r->conditional)
        return add_label(&r->jumps, strchr(text, '\t') + 1, r->block);
    r->conditional = (*text == 'j' && !jump) || strncmp(text, "b.", 2) == 0 ||
                     strncmp(text, "cb", 2) == 0 || strncmp(text, "tb", 2) == 0;
    all[r->block].fused |= r->conditional && r->compares;
    r->compares = fuses(text);
    all[r->block].compiled++;
    if (strncmp(LLVMGetTarget(r->u->module), "x86_64", 6) == 0)
        count_memory(text, &all[r->block]);
    htmt__packed_count(text, (struct htmt__packed *)r->u->packed.at + r->block);
    if (is_call(text) && goes_on(r->u, r->block, r->first))
        r->block++;
    return 0;
}

/* The code of `block` stands behind that of the block before; both numbers are of one function. */
static void follow(struct reading *r, uint32_t block)
{
    struct htmt__tape_block *all = r->u->blocks.at;
    uint32_t last = r->block;
    if (last >= r->u->blocks.n || block >= r->u->blocks.n)
        return;
    while (goes_on(r->u, last, r->first))
        last++;
    const int64_t more = (int64_t)block - last;
    if (more >= -HTMT__TAPE_FOLLOWS_MOST && more <= HTMT__TAPE_FOLLOWS_MOST)
        all[last].follows = (int16_t)more;
}

/* Which block of the tape goes on in the rest of a basic block that a square root split. */
static uint32_t rest_of(const struct reading *r, uint32_t block)
{
    while (block < r->block && goes_on(r->u, block, r->first))
        block++;
    return block;
}

/* What stands here is code of a block; `split`: of its rest behind a root. A copy of a block whose
 * code was read already is none. */
static void name_code(struct reading *r, uint32_t block, bool split)
{
    if (block >= r->u->blocks.n) {
        r->block = r->u->blocks.n;
        return;
    }
    const uint32_t rest = rest_of(r, block);
    if (!split && !r->seen[block])
        follow(r, block);
    r->block = !r->seen[block] ? block : split || rest == r->block ? rest : r->u->blocks.n;
    r->seen[block] = true;
}

/* Where the code of block 7 stands right behind that of block 5, and block 6 has none and ends in
 * 7: 6 is the way on from 5, and the way around it jumps. */
static void pass_blocks_without_code(struct reading *r)
{
    struct htmt__tape_block *all = r->u->blocks.at;
    for (uint32_t i = 0; i + 1 < r->u->blocks.n; i++)
        if (all[i].follows == 2 && !r->edge_behind[i] && !r->seen[i + 1] && !all[i + 1].steps)
            all[i].follows = 1;
}

static int read_line(struct reading *r, const char *line)
{
    const char *name = strstr(line, "%" NAME), *instruction = instruction_in(line);
    char *end = NULL;
    const unsigned long number = name ? strtoul(name + sizeof NAME, &end, 10) : 0;
    if (instruction)
        return read_instruction(r, instruction);
    const bool labelled = strncmp(line, ".LBB", 4) == 0,
               begins = labelled || strncmp(line + strspn(line, "#/; "), "%bb", 3) == 0,
               split = name && strncmp(end, ".split", strlen(".split")) == 0,
               named = name && (split || isspace((unsigned char)*end));
    if (named || labelled) {
        r->on_edge = !named;
        r->edge = 0;
    }
    if (named) {
        name_code(r, (uint32_t)number, split);
    } else if (isalpha((unsigned char)*line) || *line == '_') { /* another function */
        r->block = r->u->blocks.n;
        r->on_edge = false;
    }
    if (begins)
        r->conditional = r->compares = false;
    if (begins && !named && r->block < r->u->blocks.n)
        r->edge_behind[r->block] = true;
    return labelled && named ? add_label(&r->labels, line, r->block) : 0;
}

int htmt__unit_count_compiled(struct htmt__unit *u, FILE *in)
{
    struct reading r = {.u = u,
                        .first = find_first(u),
                        .seen = calloc((size_t)u->blocks.n + 1, sizeof(bool)),
                        .edge_behind = calloc((size_t)u->blocks.n + 1, sizeof(bool)),
                        .labels.bytes = sizeof(struct label),
                        .jumps.bytes = sizeof(struct label),
                        .block = u->blocks.n};
    char *line = NULL;
    size_t room = 0;
    int rc = r.first && r.seen && r.edge_behind ? 0 : HTMT_ENOMEM;
    while (!rc && u->packed.n < u->blocks.n)
        rc = htmt__rows_add(&u->packed) ? 0 : HTMT_ENOMEM;
    while (!rc && getline(&line, &room, in) > 0)
        rc = read_line(&r, line);
    if (!rc) {
        count_jumps(&r);
        pass_blocks_without_code(&r);
        htmt__packed_scale(u);
    }
    free(line);
    free(r.first);
    free(r.seen);
    free(r.edge_behind);
    free(r.labels.at);
    free(r.jumps.at);
    return rc ? rc : ferror(in) ? HTMT_EIO : 0;
}
