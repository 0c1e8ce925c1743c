/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hooks in the IR. At its start each block of the tape asks for room for its entry and one entry an
 * access; each access writes its address there before it is made:
 *
 *     for.body:                              for.body:
 *       %x = load double, ptr %p               %room = htmt__hook_block(&entries[7], 2)
 *       %y = fmul double %x, %c                htmt__hook_load(%room, %p, 0, 8)
 *       store double %y, ptr %p                %x = load double, ptr %p
 *                                              %y = fmul double %x, %c
 *                                              htmt__hook_store(%room, %p, 1, 8)
 *                                              store double %y, ptr %p
 *
 * A call of a function of numbers writes the range of its argument, whose entries are before the
 * block's: htmt__rec_argument(%room, 0, %x, ..).
 *
 * The hooks are functions of emul/tools/cc/hooks/inlined.c, whose IR becomes part of the unit and
 * is inlined: a call for each access would cost more than the kernel. Asking once a block for the
 * room of all its accesses leaves one comparison a block and one store an access.
 *
 * clang put hooks of its own into the IR (-fsanitize-coverage). They only keep its optimizer from
 * making tables of relative addresses, whose loads are intrinsic functions. They go here.
 */
#include "emul/tools/cc/unit.h"

#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

static const char inlined[] = {
#include <compile/inlined.inc>
};

struct hooking {
    struct htmt__unit *u;
    LLVMBuilderRef builder;
    LLVMValueRef entries; /* the array of the unit's block entries */
    LLVMTypeRef nothing, place, word, words;
    LLVMValueRef room;      /* of the entries of the block's accesses */
    uint32_t block, access; /* that are next */
    uint32_t call;          /* of those with a range, in the block, that is next */
};

/* ---- calls ----------------------------------------------------------------------------------- */

static LLVMValueRef call(const struct hooking *h, const char *name, LLVMTypeRef type,
                         LLVMValueRef *args, unsigned n)
{
    LLVMValueRef f = LLVMGetNamedFunction(h->u->module, name);
    if (!f)
        f = LLVMAddFunction(h->u->module, name, type);
    return LLVMBuildCall2(h->builder, type, f, args, n, "");
}

static LLVMValueRef number(const struct hooking *h, uint64_t n)
{
    return LLVMConstInt(h->word, n, 0);
}

static LLVMValueRef as_place(const struct hooking *h, LLVMValueRef pointer)
{
    return LLVMBuildPointerCast(h->builder, pointer, h->place, "");
}

/* Whether an instruction calls a function of numbers. */
static bool has_range(const struct hooking *h, LLVMValueRef value)
{
    const struct htmt__instruction i = htmt__instruction_of(h->u, value);
    return i.does == HTMT__DOES_OPERATIONS && i.op[0].n == 1 &&
           htmt__library_has_range((enum htmt_operation)i.op[0].operation,
                                   (enum htmt_type_of_operand)i.op[0].type);
}

/* Whether a block of the tape ends behind the instruction, which a basic block goes on behind. */
static bool cuts(const struct hooking *h, LLVMValueRef value)
{
    const enum htmt__does does = htmt__instruction_of(h->u, value).does;
    return does == HTMT__DOES_LENGTH || (does == HTMT__DOES_CALL && htmt__unit_find(h->u, value));
}

/* Entries for the ranges of the calls from here to the end of the block. */
static uint32_t words_from(const struct hooking *h, LLVMValueRef from)
{
    uint32_t calls = 0;
    for (LLVMValueRef v = from; v; v = cuts(h, v) ? NULL : LLVMGetNextInstruction(v))
        calls += has_range(h, v);
    const uint32_t words = (calls + HTMT__TAPE_CALLS - 1) / HTMT__TAPE_CALLS;
    return words < HTMT__TAPE_RANGES_MOST ? words : HTMT__TAPE_RANGES_MOST;
}

static LLVMValueRef as_real(const struct hooking *h, LLVMValueRef value)
{
    const LLVMTypeRef real = LLVMDoubleTypeInContext(h->u->context);
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMDoubleTypeKind ? value
           : LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMFloatTypeKind
               ? LLVMBuildFPExt(h->builder, value, real, "")
               : LLVMConstReal(real, 1);
}

static void hook_argument(struct hooking *h, LLVMValueRef value)
{
    const LLVMTypeRef real = LLVMDoubleTypeInContext(h->u->context);
    const LLVMValueRef first = LLVMGetOperand(value, 0);
    LLVMValueRef args[] = {h->room, number(h, h->call++), as_real(h, first),
                           htmt__unit_operands(value) > 1 ? as_real(h, LLVMGetOperand(value, 1))
                                                          : LLVMConstReal(real, 1),
                           number(h, htmt__instruction_of(h->u, value).op[0].operation)};
    LLVMTypeRef types[] = {h->words, h->word, real, real, h->word};
    call(h, "htmt__rec_argument", LLVMFunctionType(h->nothing, types, 5, 0), args, 5);
}

/* The block's instructions are those from `from` on. */
static void hook_block(struct hooking *h, uint32_t block, LLVMValueRef from)
{
    const struct htmt__tape_block *b = (const struct htmt__tape_block *)h->u->blocks.at + block;
    LLVMValueRef index = number(h, block);
    LLVMValueRef args[] = {LLVMBuildGEP2(h->builder, h->word, h->entries, &index, 1, ""),
                           number(h, b->accesses), number(h, words_from(h, from))};
    LLVMTypeRef types[] = {h->words, h->word, h->word};
    const unsigned n = words_from(h, from) ? 3 : 2;
    h->block = block;
    h->access = h->call = 0;
    h->room = call(h, n == 3 ? "htmt__hook_calls" : "htmt__hook_block",
                   LLVMFunctionType(h->words, types, n, 0), args, n);
}

static void hook_part(struct hooking *h, LLVMValueRef place, const char *name, uint32_t width)
{
    LLVMValueRef index = number(h, h->access++);
    LLVMValueRef args[] = {h->room, place, index, number(h, width)};
    LLVMTypeRef types[] = {h->words, h->place, h->word, h->word};
    call(h, name, LLVMFunctionType(h->nothing, types, 4, 0), args, 4);
}

/* Where a lane is accessed. One that its mask leaves out is none; a block has always as many
 * accesses, so it stands for one of the unit's own entries, which stay in the first cache. */
static LLVMValueRef lane_place(const struct hooking *h, LLVMValueRef value,
                               const struct htmt__instruction *i, uint32_t lane)
{
    LLVMValueRef at = LLVMConstInt(LLVMInt32TypeInContext(h->u->context), lane, 0);
    LLVMValueRef pointers = LLVMGetOperand(value, i->pointer);
    LLVMValueRef mask = LLVMGetOperand(value, (unsigned)i->mask);
    LLVMValueRef place = as_place(h, LLVMBuildExtractElement(h->builder, pointers, at, ""));
    return LLVMBuildSelect(h->builder, LLVMBuildExtractElement(h->builder, mask, at, ""), place,
                           as_place(h, h->entries), "");
}

static void hook_access(struct hooking *h, LLVMValueRef value, const struct htmt__instruction *i)
{
    const char *name = i->does == HTMT__DOES_LOAD ? "htmt__hook_load" : "htmt__hook_store";
    LLVMValueRef place = i->lanes ? NULL : as_place(h, LLVMGetOperand(value, i->pointer));
    for (uint32_t k = 0; k < i->accesses; k++) {
        LLVMValueRef offset = number(h, (uint64_t)k * i->width);
        LLVMValueRef part =
            i->lanes ? lane_place(h, value, i, k)
            : k ? LLVMBuildGEP2(h->builder, LLVMGetElementType(h->place), place, &offset, 1, "")
                : place;
        hook_part(h, part, name, i->width);
    }
}

static LLVMValueRef as_word(const struct hooking *h, LLVMValueRef value)
{
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(h->builder, value, h->word, "");
    return LLVMBuildZExtOrBitCast(h->builder, value, h->word, "");
}

/* Before a function by length. Strings say no length: their last argument is the second. */
static void hook_length(const struct hooking *h, LLVMValueRef value,
                        const struct htmt__instruction *i)
{
    const unsigned n = LLVMGetNumArgOperands(value);
    LLVMValueRef args[] = {number(h, i->bytes), number(h, i->length),
                           as_place(h, LLVMGetOperand(value, 0)), number(h, 0), number(h, 0)};
    LLVMTypeRef types[] = {h->word, h->word, h->place, h->word, h->word};
    if (n > 1)
        args[3] = as_word(h, LLVMGetOperand(value, 1));
    if (n > 1)
        args[4] = as_word(h, LLVMGetOperand(value, n > 2 ? 2 : 1));
    call(h, "htmt__rec_length", LLVMFunctionType(h->nothing, types, 5, 0), args, 5);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void before(const struct hooking *h, LLVMValueRef value)
{
    LLVMPositionBuilderBefore(h->builder, value);
}

/* Blocks end where they did when they were counted (emul/tools/cc/count.c). */
static void hook_instruction(struct hooking *h, LLVMValueRef value)
{
    const struct htmt__instruction i = htmt__instruction_of(h->u, value);
    LLVMValueRef next = LLVMGetNextInstruction(value);
    before(h, value);
    if (i.does == HTMT__DOES_LOAD || i.does == HTMT__DOES_STORE) {
        hook_access(h, value, &i);
    } else if (i.does == HTMT__DOES_LENGTH) {
        hook_length(h, value, &i);
        before(h, next);
        hook_block(h, h->block + 1, next);
    } else if (has_range(h, value)) {
        hook_argument(h, value);
    } else if (i.does == HTMT__DOES_CALL && htmt__unit_find(h->u, value)) {
        if (!*htmt__callee_of(value)) {
            /* A function behind a pointer: whether it is recorded is known when it is called. */
            LLVMValueRef callee = as_place(h, LLVMGetCalledValue(value));
            LLVMTypeRef type = h->place;
            call(h, "htmt__rec_callee", LLVMFunctionType(h->nothing, &type, 1, 0), &callee, 1);
        }
        before(h, next);
        hook_block(h, h->block + 1, next);
    } else if (i.does == HTMT__DOES_HOOK) {
        LLVMInstructionEraseFromParent(value);
    }
}

static void hook_function(struct hooking *h, LLVMValueRef function)
{
    LLVMBasicBlockRef first = LLVMGetFirstBasicBlock(function);
    if (!htmt__unit_find(h->u, LLVMBasicBlockAsValue(first)))
        return;
    for (LLVMBasicBlockRef b = first; b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef at = LLVMGetFirstInstruction(b), next;
        while (LLVMIsAPHINode(at))
            at = LLVMGetNextInstruction(at);
        before(h, at);
        hook_block(h, htmt__unit_find(h->u, LLVMBasicBlockAsValue(b))->block, at);
        for (; at; at = next) {
            next = LLVMGetNextInstruction(at);
            hook_instruction(h, at);
        }
    }
}

/* What clang's hooks leave once their calls are gone: the constructor of coverage, the lists that
 * keep it, its functions and its guards. */
static void drop_leftovers(LLVMModuleRef module)
{
    static const char *const globals[] = {"llvm.global_ctors", "llvm.used", "llvm.compiler.used"};
    LLVMValueRef next;
    size_t n = 0;
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
        LLVMValueRef g = LLVMGetNamedGlobal(module, globals[i]);
        if (g)
            LLVMDeleteGlobal(g);
    }
    LLVMValueRef constructor = LLVMGetNamedFunction(module, "sancov.module_ctor_trace_pc_guard");
    if (constructor)
        LLVMDeleteFunction(constructor);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        next = LLVMGetNextFunction(f);
        if (strncmp(LLVMGetValueName2(f, &n), "__sanitizer_cov_", 16) == 0 && !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (strncmp(LLVMGetValueName2(g, &n), "__sancov_gen_", 13) == 0 && !LLVMGetFirstUse(g))
            LLVMDeleteGlobal(g);
    }
}

/* ---- the hooks themselves -------------------------------------------------------------------- */

static int link_hooks(const struct htmt__unit *u)
{
    static const char *const hooks[] = {"htmt__hook_block", "htmt__hook_calls", "htmt__hook_load",
                                        "htmt__hook_store"};
    static const char word[] = "alwaysinline";
    const unsigned kind = LLVMGetEnumAttributeKindForName(word, sizeof word - 1);
    LLVMMemoryBufferRef text =
        LLVMCreateMemoryBufferWithMemoryRange(inlined, sizeof inlined - 1, "hooks", 1);
    LLVMModuleRef module;
    char *message = NULL;
    int rc = 0;
    if (LLVMParseIRInContext(u->context, text, &module, &message))
        rc = htmt_fault_set(u->fault, HTMT_EFORMAT, "the hooks: %s", message);
    LLVMDisposeMessage(message);
    if (rc)
        return rc;
    if (LLVMLinkModules2(u->module, module))
        return htmt_fault_set(u->fault, HTMT_EINVAL, "%s: the hooks cannot be linked", u->source);
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(u->module, hooks[i]);
        LLVMSetLinkage(f, LLVMInternalLinkage);
        LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(u->context, kind, 0));
    }
    return 0;
}

/* A hook and what was computed for it alone, which would hold the optimizer up. */
static void drop(LLVMValueRef value)
{
    LLVMValueRef operand[4] = {NULL};
    const int n = LLVMGetNumOperands(value);
    for (int i = 0; i < n && i < 4; i++)
        operand[i] = LLVMGetOperand(value, (unsigned)i);
    LLVMInstructionEraseFromParent(value);
    for (int i = 0; i < 4; i++)
        if (operand[i] && !(i && operand[i] == operand[i - 1]) && LLVMIsAInstruction(operand[i]) &&
            !LLVMGetFirstUse(operand[i]) &&
            (LLVMIsACastInst(operand[i]) || LLVMIsAGetElementPtrInst(operand[i])))
            drop(operand[i]);
}

LLVMModuleRef htmt__unit_plain(const struct htmt__unit *u)
{
    LLVMModuleRef module = LLVMCloneModule(u->module);
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = next) {
                next = LLVMGetNextInstruction(v);
                if (htmt__instruction_of(u, v).does == HTMT__DOES_HOOK)
                    drop(v);
            }
    drop_leftovers(module);
    return module;
}

int htmt__unit_hook(struct htmt__unit *u)
{
    char name[300];
    struct hooking h = {.u = u, .builder = LLVMCreateBuilderInContext(u->context)};
    h.nothing = LLVMVoidTypeInContext(u->context);
    h.place = LLVMPointerType(LLVMInt8TypeInContext(u->context), 0);
    h.word = LLVMInt64TypeInContext(u->context);
    h.words = LLVMPointerType(h.word, 0);
    snprintf(name, sizeof name, "htmt__entries_%s", u->id);
    h.entries = LLVMAddGlobal(u->module, h.word, name);
    LLVMSetVisibility(h.entries, LLVMHiddenVisibility);
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            hook_function(&h, f);
    LLVMDisposeBuilder(h.builder);
    drop_leftovers(u->module);
    return link_hooks(u);
}
