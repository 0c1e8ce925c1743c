/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hooks in the IR: the number of each block, and the place of each access before it is made.
 */
#include "emul/compile/unit.h"

#include <string.h>

struct hooking {
    struct htmt__unit *u;
    LLVMBuilderRef builder;
    LLVMValueRef entries; /* the array of the unit's block entries */
    LLVMTypeRef nothing, byte, place, word, entry;
    LLVMValueRef hooked; /* the place that clang's last hook names */
    uint32_t width;
};

/* ---- calls ----------------------------------------------------------------------------------- */

static LLVMValueRef declare(const struct hooking *h, const char *name, LLVMTypeRef type)
{
    LLVMValueRef f = LLVMGetNamedFunction(h->u->module, name);
    return f ? f : LLVMAddFunction(h->u->module, name, type);
}

static void call(const struct hooking *h, const char *name, LLVMValueRef *args, LLVMTypeRef *types,
                 unsigned n)
{
    LLVMTypeRef type = LLVMFunctionType(h->nothing, types, n, 0);
    LLVMBuildCall2(h->builder, type, declare(h, name, type), args, n, "");
}

static LLVMValueRef as_place(const struct hooking *h, LLVMValueRef pointer)
{
    return LLVMBuildPointerCast(h->builder, pointer, h->place, "");
}

static void number_block(const struct hooking *h, uint32_t block)
{
    LLVMValueRef index = LLVMConstInt(h->word, block, 0);
    LLVMValueRef at = LLVMBuildGEP2(h->builder, h->entry, h->entries, &index, 1, "");
    LLVMTypeRef type = LLVMPointerType(h->entry, 0);
    call(h, "htmt__rec_block", &at, &type, 1);
}

/* "htmt__rec_load8", or "htmt__rec_load" with the width behind the place. */
static void hook_access(const struct hooking *h, LLVMValueRef pointer, const char *name,
                        uint32_t width)
{
    LLVMValueRef args[] = {as_place(h, pointer), LLVMConstInt(h->word, width, 0)};
    LLVMTypeRef types[] = {h->place, h->word};
    call(h, name, args, types, 2);
}

/* Before llvm.memcpy and llvm.memset. */
static void hook_copy(const struct hooking *h, LLVMValueRef value, bool sets)
{
    LLVMValueRef args[] = {as_place(h, LLVMGetOperand(value, 0)), NULL, NULL};
    LLVMTypeRef types[] = {h->place, h->place, h->word};
    args[1] = sets ? LLVMConstNull(h->place) : as_place(h, LLVMGetOperand(value, 1));
    args[2] = LLVMBuildZExtOrBitCast(h->builder, LLVMGetOperand(value, 2), h->word, "");
    call(h, "htmt__rec_copy", args, types, 3);
}

/* A function behind a pointer: is it recorded? */
static void hook_pointer(const struct hooking *h, LLVMValueRef value)
{
    LLVMValueRef callee = as_place(h, LLVMGetCalledValue(value));
    LLVMTypeRef type = h->place;
    call(h, "htmt__rec_callee", &callee, &type, 1);
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* clang's own hooks stay where they are and become ours. */
static bool is_hooked(struct hooking *h, LLVMValueRef pointer, uint32_t width)
{
    const bool same = h->hooked && h->hooked == htmt__plain(pointer) && h->width == width;
    h->hooked = NULL;
    return same;
}

static void before(const struct hooking *h, LLVMValueRef value)
{
    LLVMPositionBuilderBefore(h->builder, value);
}

static LLVMValueRef pointer_of(LLVMValueRef value, bool stores)
{
    return LLVMGetOperand(value, stores ? 1 : 0);
}

static void hook_one(struct hooking *h, LLVMValueRef value)
{
    const struct htmt__instruction i = htmt__instruction_of(h->u, value);
    const bool stores = i.does == HTMT__DOES_STORE, sets = i.does == HTMT__DOES_SET;
    const struct htmt__unit_mark *m = htmt__unit_find(h->u, value);
    LLVMValueRef next = LLVMGetNextInstruction(value);
    if (i.does == HTMT__DOES_HOOK) {
        h->hooked = htmt__plain(LLVMGetOperand(value, 0));
        h->width = i.width;
    } else if (stores || i.does == HTMT__DOES_LOAD) {
        before(h, value);
        if (!is_hooked(h, pointer_of(value, stores), i.width))
            hook_access(h, pointer_of(value, stores), stores ? "htmt__rec_store" : "htmt__rec_load",
                        i.width);
    } else if (sets || i.does == HTMT__DOES_COPY) {
        before(h, value);
        hook_copy(h, value, sets);
        before(h, next);
        number_block(h, m->block + 1);
    } else if (i.does == HTMT__DOES_CALL && m) {
        before(h, value);
        if (!*htmt__callee_of(value))
            hook_pointer(h, value);
        before(h, next);
        number_block(h, m->block + 1);
    } else if (i.does == HTMT__DOES_GUARD) {
        LLVMInstructionEraseFromParent(value);
    }
}

static void hook_block(struct hooking *h, LLVMBasicBlockRef at)
{
    const struct htmt__unit_mark *m = htmt__unit_find(h->u, LLVMBasicBlockAsValue(at));
    LLVMValueRef first = LLVMGetFirstInstruction(at), next;
    while (LLVMIsAPHINode(first))
        first = LLVMGetNextInstruction(first);
    before(h, first);
    number_block(h, m->block);
    h->hooked = NULL;
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
        hook_block(h, b);
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

static void drop_leftovers(LLVMModuleRef module)
{
    drop_global(module, "llvm.global_ctors");
    drop_global(module, "llvm.used");
    drop_global(module, "llvm.compiler.used");
    drop_function(module, "sancov.module_ctor_trace_pc_guard");
    drop_function(module, "__sanitizer_cov_trace_pc_guard_init");
    drop_function(module, "__sanitizer_cov_trace_pc_guard");
    drop_guards(module);
}

static void rename_hooks(LLVMModuleRef module)
{
    char name[64];
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t n = 0;
        const char *old = LLVMGetValueName2(f, &n);
        if (strncmp(old, "__sanitizer_cov_", 16) != 0)
            continue;
        snprintf(name, sizeof name, "htmt__rec_%s", old + 16);
        LLVMSetValueName2(f, name, strlen(name));
    }
}

int htmt__unit_hook(struct htmt__unit *u)
{
    char name[300];
    struct hooking h = {.u = u, .builder = LLVMCreateBuilderInContext(u->context)};
    h.nothing = LLVMVoidTypeInContext(u->context);
    h.byte = LLVMInt8TypeInContext(u->context);
    h.place = LLVMPointerType(h.byte, 0);
    h.word = LLVMInt64TypeInContext(u->context);
    h.entry = h.word;
    snprintf(name, sizeof name, "htmt__entries_%s", u->id);
    h.entries = LLVMAddGlobal(u->module, h.entry, name);
    LLVMSetVisibility(h.entries, LLVMHiddenVisibility);
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            hook_function(&h, f);
    LLVMDisposeBuilder(h.builder);
    drop_leftovers(u->module);
    rename_hooks(u->module);
    return 0;
}
