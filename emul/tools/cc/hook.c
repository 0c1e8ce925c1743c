/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hooks in the IR: the number of each block, and the place of each access before it is made. They
 * are functions of emul/tools/cc/hooks/inlined.c, whose IR becomes part of the unit. clang's hooks
 * keep the IR simple (no table of relative addresses, whose loads are intrinsic functions), and go.
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

static void hook_block(struct hooking *h, uint32_t block)
{
    const struct htmt__tape_block *b = (const struct htmt__tape_block *)h->u->blocks.at + block;
    LLVMValueRef index = number(h, block);
    LLVMValueRef args[] = {LLVMBuildGEP2(h->builder, h->word, h->entries, &index, 1, ""),
                           number(h, b->accesses)};
    LLVMTypeRef types[] = {h->words, h->word};
    h->block = block;
    h->access = 0;
    h->room = call(h, "htmt__hook_block", LLVMFunctionType(h->words, types, 2, 0), args, 2);
}

static void hook_access(struct hooking *h, LLVMValueRef pointer, const char *name, uint32_t width)
{
    LLVMValueRef index = number(h, h->access++);
    LLVMValueRef args[] = {h->room, as_place(h, pointer), index, number(h, width)};
    LLVMTypeRef types[] = {h->words, h->place, h->word, h->word};
    call(h, name, LLVMFunctionType(h->nothing, types, 4, 0), args, 4);
}

/* Before llvm.memcpy and llvm.memset. */
static void hook_copy(const struct hooking *h, LLVMValueRef value, bool sets)
{
    LLVMValueRef args[] = {as_place(h, LLVMGetOperand(value, 0)), NULL, NULL};
    LLVMTypeRef types[] = {h->place, h->place, h->word};
    args[1] = sets ? LLVMConstNull(h->place) : as_place(h, LLVMGetOperand(value, 1));
    args[2] = LLVMBuildZExtOrBitCast(h->builder, LLVMGetOperand(value, 2), h->word, "");
    call(h, "htmt__rec_copy", LLVMFunctionType(h->nothing, types, 3, 0), args, 3);
}

/* A function behind a pointer: is it recorded? */
static void hook_pointer(const struct hooking *h, LLVMValueRef value)
{
    LLVMValueRef callee = as_place(h, LLVMGetCalledValue(value));
    LLVMTypeRef type = h->place;
    call(h, "htmt__rec_callee", LLVMFunctionType(h->nothing, &type, 1, 0), &callee, 1);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void before(const struct hooking *h, LLVMValueRef value)
{
    LLVMPositionBuilderBefore(h->builder, value);
}

static void hook_one(struct hooking *h, LLVMValueRef value)
{
    const struct htmt__instruction i = htmt__instruction_of(h->u, value);
    LLVMValueRef next = LLVMGetNextInstruction(value);
    before(h, value);
    if (i.does == HTMT__DOES_LOAD) {
        hook_access(h, LLVMGetOperand(value, 0), "htmt__hook_load", i.width);
    } else if (i.does == HTMT__DOES_STORE) {
        hook_access(h, LLVMGetOperand(value, 1), "htmt__hook_store", i.width);
    } else if (i.does == HTMT__DOES_SET || i.does == HTMT__DOES_COPY) {
        hook_copy(h, value, i.does == HTMT__DOES_SET);
        before(h, next);
        hook_block(h, h->block + 1);
    } else if (i.does == HTMT__DOES_CALL && htmt__unit_find(h->u, value)) {
        if (!*htmt__callee_of(value))
            hook_pointer(h, value);
        before(h, next);
        hook_block(h, h->block + 1);
    } else if (i.does == HTMT__DOES_HOOK) {
        LLVMInstructionEraseFromParent(value);
    }
}

static void hook_instructions(struct hooking *h, LLVMBasicBlockRef at)
{
    LLVMValueRef first = LLVMGetFirstInstruction(at), next;
    while (LLVMIsAPHINode(first))
        first = LLVMGetNextInstruction(first);
    before(h, first);
    hook_block(h, htmt__unit_find(h->u, LLVMBasicBlockAsValue(at))->block);
    for (; first; first = next) {
        next = LLVMGetNextInstruction(first);
        hook_one(h, first);
    }
}

static void hook_function(struct hooking *h, LLVMValueRef function)
{
    LLVMBasicBlockRef first = LLVMGetFirstBasicBlock(function);
    if (!htmt__unit_find(h->u, LLVMBasicBlockAsValue(first)))
        return;
    for (LLVMBasicBlockRef b = first; b; b = LLVMGetNextBasicBlock(b))
        hook_instructions(h, b);
}

/* ---- clang's leftovers ----------------------------------------------------------------------- */

static void drop_global(LLVMModuleRef module, const char *name)
{
    LLVMValueRef g = LLVMGetNamedGlobal(module, name);
    if (g)
        LLVMDeleteGlobal(g);
}

static void drop_function(LLVMModuleRef module, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (f)
        LLVMDeleteFunction(f);
}

static void drop_guards(LLVMModuleRef module)
{
    LLVMValueRef next;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = next) {
        size_t n = 0;
        next = LLVMGetNextGlobal(g);
        if (strncmp(LLVMGetValueName2(g, &n), "__sancov_gen_", 13) == 0 && !LLVMGetFirstUse(g))
            LLVMDeleteGlobal(g);
    }
}

static void drop_hooks(LLVMModuleRef module)
{
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        size_t n = 0;
        next = LLVMGetNextFunction(f);
        if (strncmp(LLVMGetValueName2(f, &n), "__sanitizer_cov_", 16) == 0 && !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
}

static void drop_leftovers(LLVMModuleRef module)
{
    drop_global(module, "llvm.global_ctors");
    drop_global(module, "llvm.used");
    drop_global(module, "llvm.compiler.used");
    drop_function(module, "sancov.module_ctor_trace_pc_guard");
    drop_hooks(module);
    drop_guards(module);
}

/* ---- the hooks themselves -------------------------------------------------------------------- */

static int read_inlined(const struct htmt__unit *u, LLVMModuleRef *module)
{
    LLVMMemoryBufferRef text =
        LLVMCreateMemoryBufferWithMemoryRange(inlined, sizeof inlined - 1, "hooks", 1);
    char *message = NULL;
    int rc = 0;
    if (LLVMParseIRInContext(u->context, text, module, &message))
        rc = htmt_fault_set(u->fault, HTMT_EFORMAT, "the hooks: %s", message);
    LLVMDisposeMessage(message);
    return rc;
}

static void put_in_line(const struct htmt__unit *u, const char *name)
{
    static const char word[] = "alwaysinline";
    const unsigned kind = LLVMGetEnumAttributeKindForName(word, sizeof word - 1);
    LLVMValueRef f = LLVMGetNamedFunction(u->module, name);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(u->context, kind, 0));
}

static int link_hooks(const struct htmt__unit *u)
{
    LLVMModuleRef module;
    int rc = read_inlined(u, &module);
    if (rc)
        return rc;
    if (LLVMLinkModules2(u->module, module))
        return htmt_fault_set(u->fault, HTMT_EINVAL, "%s: the hooks cannot be linked", u->source);
    put_in_line(u, "htmt__hook_block");
    put_in_line(u, "htmt__hook_load");
    put_in_line(u, "htmt__hook_store");
    return 0;
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
