/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks of a unit, and what each of them does.
 *
 * A tape names a block each time the program passes through it, then the addresses of the block's
 * accesses. A block of the tape is thus a piece of code that runs from its first to its last
 * instruction: a basic block of the IR, cut behind each call of another function, whose own blocks
 * stand on the tape between the two pieces, and behind each copy, which the tape holds as a loop.
 * Example: `x = a[i] + f(b[i]) * 2` makes two blocks. The first one has two loads and the call, the
 * second one a multiplication and an addition.
 *
 * What a block does is a short list of (operation, type, count), in the order in which operations
 * of a kind first come up. `instructions` counts the list, the accesses and the jump at the end;
 * with four bytes each they give the place of the block in a code segment, which caches of
 * instructions need.
 */
#include "emul/tools/cc/unit.h"

#include "layers/node/tape/tape_hooks.h"

#include <stdlib.h>
#include <string.h>

struct counting {
    struct htmt__unit *u;
    uint32_t number; /* of the function */
    uint32_t block;  /* the open one */
    int rc;
};

static struct htmt__tape_block *block_of(const struct counting *c)
{
    return (struct htmt__tape_block *)c->u->blocks.at + c->block;
}

static void open_block(struct counting *c)
{
    struct htmt__tape_block *b = htmt__rows_add(&c->u->blocks);
    if (!b) {
        c->rc = HTMT_ENOMEM;
        return;
    }
    c->block = c->u->blocks.n - 1;
    b->function = c->number;
    b->code = c->u->code;
    b->op = c->u->ops.n;
}

static void close_block(struct counting *c)
{
    c->u->code += 4 * block_of(c)->instructions;
}

/* The block ends inside a basic block. */
static void cut_block(struct counting *c)
{
    block_of(c)->end = HTMT__END_FALL;
    close_block(c);
    open_block(c);
}

/* Counts of a tape have 16 bits; a further row takes what a full one cannot. */
static void add_op(struct counting *c, const struct htmt__tape_op *op)
{
    struct htmt__tape_block *b = block_of(c);
    struct htmt__tape_op *all = c->u->ops.at;
    b->instructions += op->n;
    for (uint32_t i = b->op; i < c->u->ops.n; i++)
        if (all[i].operation == op->operation && all[i].type == op->type &&
            all[i].n + op->n <= UINT16_MAX) {
            all[i].n = (uint16_t)(all[i].n + op->n);
            return;
        }
    struct htmt__tape_op *row = htmt__rows_add(&c->u->ops);
    if (row) {
        *row = *op;
        b->ops++;
    } else {
        c->rc = HTMT_ENOMEM;
    }
}

static void add_ops(struct counting *c, const struct htmt__instruction *i)
{
    for (int k = 0; k < 2; k++)
        if (i->op[k].n)
            add_op(c, &i->op[k]);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void count_access(struct counting *c, LLVMValueRef value, uint32_t accesses)
{
    struct htmt__tape_block *b = block_of(c);
    if (b->accesses + accesses > HTMT__TAPE_ACCESSES_MAX) {
        c->rc = htmt__unit_refuse(c->u, value, "a block of more than 8186 accesses");
        return;
    }
    c->rc = htmt__unit_mark(c->u, value, c->block, b->accesses);
    for (uint32_t k = 0; k < accesses && !c->rc; k++) {
        struct htmt__unit_place *place = htmt__rows_add(&c->u->places);
        if (!place) {
            c->rc = HTMT_ENOMEM;
            return;
        }
        *place =
            (struct htmt__unit_place){c->block, htmt__line_of(value), htmt__file_of(c->u, value)};
        b->accesses++;
        b->instructions++;
    }
}

/* A call from which the program does not come back, as that of a failed assertion, or what it says
 * before it ends; and products of complex numbers whose parts are no numbers, which compilers keep
 * a function for. */
static bool is_last_way(LLVMValueRef call, const char *callee)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(call));
    return LLVMGetInstructionOpcode(end) == LLVMUnreachable || strcmp(callee, "__muldc3") == 0 ||
           strcmp(callee, "__mulsc3") == 0;
}

/* Calls of our own public functions are the runtime's and not the kernel's: they neither count nor
 * end a block. Whether another function is recorded is known when the program is linked, so its
 * name is noted. */
static void count_call(struct counting *c, LLVMValueRef value, const struct htmt__instruction *i)
{
    const char *callee = htmt__callee_of(value);
    if (strncmp(callee, "htmt_", 5) == 0 && strncmp(callee, "htmt__", 6) != 0)
        return;
    add_ops(c, i);
    if (*callee && !is_last_way(value, callee)) {
        struct htmt__unit_call *call = htmt__rows_add(&c->u->calls);
        if (call) {
            call->function = c->number;
            call->line = htmt__line_of(value);
            snprintf(call->callee, sizeof call->callee, "%s", callee);
        } else {
            c->rc = HTMT_ENOMEM;
        }
    }
    c->rc = c->rc ? c->rc : htmt__unit_mark(c->u, value, c->block, 0);
    cut_block(c);
}

/* A jump to the block that follows in the code is no instruction. */
static void count_end(struct counting *c, LLVMValueRef value, LLVMBasicBlockRef next)
{
    struct htmt__tape_block *b = block_of(c);
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMRet)
        b->end = HTMT__END_RETURN;
    else if (opcode == LLVMUnreachable)
        b->end = HTMT__END_FALL;
    else if (opcode != LLVMBr || LLVMIsConditional(value))
        b->end = HTMT__END_CONDITION;
    else
        b->end = LLVMGetSuccessor(value, 0) == next ? HTMT__END_FALL : HTMT__END_JUMP;
    b->instructions += b->end != HTMT__END_FALL;
}

static void count_instruction(struct counting *c, LLVMValueRef value, LLVMBasicBlockRef next)
{
    const struct htmt__instruction i = htmt__instruction_of(c->u, value);
    switch (i.does) {
    case HTMT__DOES_WRONG:
        c->rc = htmt__unit_refuse(c->u, value, i.wrong);
        break;
    case HTMT__DOES_LOAD:
    case HTMT__DOES_STORE:
        count_access(c, value, i.accesses);
        break;
    case HTMT__DOES_CALL:
        count_call(c, value, &i);
        break;
    case HTMT__DOES_LENGTH:
        if (i.bytes != HTMT__BYTES_COPY && i.bytes != HTMT__BYTES_SET)
            add_ops(c, &i);
        c->rc = c->rc ? c->rc : htmt__unit_mark(c->u, value, c->block, 0);
        cut_block(c);
        break;
    case HTMT__DOES_END:
        add_ops(c, &i);
        count_end(c, value, next);
        break;
    case HTMT__DOES_OPERATIONS:
        add_ops(c, &i);
        c->rc = c->rc ? c->rc : htmt__unit_mark(c->u, value, c->block, 0);
        break;
    default:
        break;
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Other files may have static functions of the same name, so the linker gets a name of its own. */
static int name_function(struct htmt__unit *u, LLVMValueRef function)
{
    size_t n = 0;
    char symbol[400];
    const char *name = LLVMGetValueName2(function, &n);
    const bool hidden = LLVMGetLinkage(function) == LLVMInternalLinkage ||
                        LLVMGetLinkage(function) == LLVMPrivateLinkage;
    struct htmt__tape_function *f = htmt__rows_add(&u->functions);
    char **row = htmt__rows_add(&u->symbols);
    if (!f || !row)
        return HTMT_ENOMEM;
    snprintf(symbol, sizeof symbol, hidden ? "%s.%s" : "%s", name, u->id);
    LLVMMetadataRef where = LLVMGetSubprogram(function);
    *f = (struct htmt__tape_function){strdup(name), u->source,
                                      where ? LLVMDISubprogramGetLine(where) : 0};
    *row = strdup(symbol);
    if (hidden) {
        LLVMSetLinkage(function, LLVMExternalLinkage);
        LLVMSetVisibility(function, LLVMHiddenVisibility);
        LLVMSetValueName2(function, symbol, strlen(symbol));
    }
    LLVMSetComdat(function, NULL);
    return f->name && *row ? 0 : HTMT_ENOMEM;
}

static int count_function(struct htmt__unit *u, LLVMValueRef function, uint32_t number)
{
    struct counting c = {.u = u, .number = number};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !c.rc;
         b = LLVMGetNextBasicBlock(b)) {
        open_block(&c);
        if (!c.rc)
            c.rc = htmt__unit_mark(u, LLVMBasicBlockAsValue(b), c.block, 0);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !c.rc; i = LLVMGetNextInstruction(i))
            count_instruction(&c, i, LLVMGetNextBasicBlock(b));
        if (!c.rc)
            close_block(&c);
    }
    if (!c.rc)
        c.rc = htmt__unit_waits(u, function);
    if (!c.rc)
        c.rc = htmt__unit_steps(u, function);
    return c.rc ? c.rc : htmt__unit_chains(u, function);
}

/* Has a body here, and is not clang's own constructor of coverage. */
static bool is_ours(LLVMValueRef f)
{
    size_t n = 0;
    return !LLVMIsDeclaration(f) && strncmp(LLVMGetValueName2(f, &n), "sancov.", 7) != 0 &&
           LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage;
}

/* All have their names before the first call is noted. */
int htmt__unit_count(struct htmt__unit *u)
{
    int rc = 0;
    uint32_t number = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f && !rc; f = LLVMGetNextFunction(f))
        if (is_ours(f))
            rc = name_function(u, f);
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f && !rc; f = LLVMGetNextFunction(f))
        if (is_ours(f))
            rc = count_function(u, f, number++);
    return rc;
}
