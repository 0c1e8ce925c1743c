/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the back end decides: selections that become branches, extensions in place, and elements
 * that go through memory.
 *
 * The optimizer leaves `select` where a value is one of two, and the back end decides late what
 * becomes of it: a conditional move, which waits for the condition and both values, or a branch,
 * behind which the core goes on with the value that it foresees. Nobody but the back end knows: it
 * looks at how long the condition is waited for, at loops, at registers of reals, for which x86-64
 * has no conditional move. In a binary search, whose condition is loaded,
 *
 *     lo = a[m] < b ? m + 1 : lo;       ucomisd (%rsi,%rbx,8), %xmm0
 *     hi = a[m] < b ? hi : m;           jbe .LBB0_6
 *
 * a turn takes 12 cycles and what it foresees wrong, and with moves 20. So the back end is asked. A
 * copy of the module without hooks becomes assembly in which each selection stands at a line of its
 * own, as debuggers know lines, and all else at none. A conditional jump at a selection's line says
 * that this one is a branch, and with it those of the same condition in its block that have no
 * instruction but moves. These become branches in the module, too, before anything is counted:
 *
 *     block: before; s = select c, x, y; behind
 *     ->  head: before; br c, block, other       other: br block
 *         block: s = phi [x, head], [y, other]; behind
 *
 * The tape then has the way that each turn took, and the machine foresees it or does not. A
 * quotient that only one of the values needs is computed on that way alone, as compilers do. The
 * smaller or greater of two integers is a selection with a condition of its own. The old block
 * keeps its end, so the phis behind it stay right; whoever jumped to it jumps to the head.
 *
 * An index of 32 bits that is extended for an address may share its register with the extended one.
 * Whoever uses the index behind that waits for the extension, although it needs none:
 *
 *     a[n - 1 - i]       movslq %edi, %rdi; ..; addl $-1, %edi
 *
 * is a chain of two cycles a turn. Where the extension's instruction has one register twice, the
 * uses of the index behind it become those of its extension, cut to 32 bits, which costs nothing.
 * In the example the module has n - 1 - i, computed anew in each turn, and the compiler has made a
 * count of it. So where nothing in the block has written the register before, but the module
 * computes the index there, the index also waits for the extension of the turn before.
 *
 * An element of a vector whose number is a variable has no instruction on many processors. Then the
 * vector is stored, the element is stored to its place or loaded from it, and the vector is loaded:
 *
 *     v = insertelement v, x, i     movaps %xmm1, 16(%rsp); movsd %xmm2, 16(%rsp,%rax,8);
 *                                   movaps 16(%rsp), %xmm1
 *
 * The load finds bytes of two stores, which takes some twenty cycles, and not one as a move between
 * registers would. Where an instruction at the element's line has an operand in memory, the module
 * gets these accesses of a place of the function's own. A loop that gathers the atoms of a pair
 * into vectors, element by element, was predicted twice too fast without them.
 *
 * The cost is one more run of the back end for modules with any of these.
 */
#include "emul/tools/cc/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- selections ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    LLVMIntPredicate first; /* the relation in which the first operand is taken */
} extremes[] = {{"llvm.smin.", LLVMIntSLT},
                {"llvm.smax.", LLVMIntSGT},
                {"llvm.umin.", LLVMIntULT},
                {"llvm.umax.", LLVMIntUGT}};

/* The number among `extremes`; as many as there are: it is none. */
static size_t extreme_of(LLVMValueRef value)
{
    const size_t all = sizeof extremes / sizeof *extremes;
    const char *name = LLVMIsACallInst(value) ? htmt__callee_of(value) : "";
    size_t i = 0;
    while (i < all && strncmp(name, extremes[i].name, strlen(extremes[i].name)) != 0)
        i++;
    return i;
}

/* Of numbers or addresses, by one condition. */
static bool is_selection(LLVMValueRef value)
{
    const LLVMTypeRef type = LLVMTypeOf(value);
    const bool is_bit =
        LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
    if (htmt__lanes_of(type) > 1 || is_bit)
        return false;
    return LLVMIsASelectInst(value) || extreme_of(value) < sizeof extremes / sizeof *extremes;
}

/* Of an index that is computed: one that is loaded is extended on its way. */
static bool is_extension(LLVMValueRef value)
{
    return LLVMIsASExtInst(value) && htmt__lanes_of(LLVMTypeOf(value)) == 1 &&
           !LLVMIsALoadInst(LLVMGetOperand(value, 0)) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64 &&
           LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0))) == 32;
}

/* The operand that numbers an element which is put into a vector, or taken from it; -1: none does.
 */
static int numbered_by(LLVMValueRef value)
{
    return LLVMIsAInsertElementInst(value) ? 2 : LLVMIsAExtractElementInst(value) ? 1 : -1;
}

static bool is_element(LLVMValueRef value)
{
    const int by = numbered_by(value);
    return by >= 0 && !LLVMIsAConstant(LLVMGetOperand(value, (unsigned)by));
}

static bool is_asked_for(LLVMValueRef value)
{
    return is_selection(value) || is_extension(value) || is_element(value);
}

static LLVMValueRef next_in_module(LLVMValueRef value)
{
    LLVMValueRef next = LLVMGetNextInstruction(value);
    LLVMBasicBlockRef b = LLVMGetInstructionParent(value);
    LLVMValueRef f = LLVMGetBasicBlockParent(b);
    while (!next && (b = LLVMGetNextBasicBlock(b)))
        next = LLVMGetFirstInstruction(b);
    while (!next && (f = LLVMGetNextFunction(f)))
        if ((b = LLVMGetFirstBasicBlock(f)))
            next = LLVMGetFirstInstruction(b);
    return next;
}

static LLVMValueRef first_in_module(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetFirstFunction(module);
    while (f && LLVMIsDeclaration(f))
        f = LLVMGetNextFunction(f);
    return f ? LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(f)) : NULL;
}

/* What is asked for stands at lines from FIRST_LINE on, beyond those at which functions begin, all
 * else at line 0. Functions without lines have none. */
#define FIRST_LINE (1u << 24)

uint32_t htmt__unit_number_asked(const struct htmt__unit *u, LLVMModuleRef module)
{
    uint32_t n = 0;
    for (LLVMValueRef v = first_in_module(module); v; v = next_in_module(v)) {
        LLVMMetadataRef function =
            LLVMGetSubprogram(LLVMGetBasicBlockParent(LLVMGetInstructionParent(v)));
        const uint32_t line = is_asked_for(v) ? FIRST_LINE + n++ : 0;
        if (function)
            LLVMInstructionSetDebugLoc(
                v, LLVMDIBuilderCreateDebugLocation(u->context, line, 0, function, NULL));
    }
    return n;
}

/* ---- assembly -------------------------------------------------------------------------------- */

/* Of the instructions at a line: there is a conditional jump, one that is neither jump nor move,
 * one that extends a register in place, one that the block has not written before, one that has an
 * operand in memory, and a move by a condition of two flags. */
enum { JUMPS = 1, COMPUTES = 2, IN_PLACE = 4, CARRIED = 8, IN_MEMORY = 16, TWO_FLAGS = 32 };

struct asked {
    LLVMValueRef value; /* NULL: it has become a branch */
    uint8_t does;
};

struct branching {
    struct htmt__unit *u;
    LLVMBuilderRef builder;
    struct htmt__rows all; /* struct asked, in the order of the module */
    uint64_t written;      /* registers, by the block of the assembly so far */
    LLVMBasicBlockRef head, other, rest;
};

static struct asked *asked_at(const struct branching *b, uint32_t i)
{
    return (struct asked *)b->all.at + i;
}

/* Registers have one of 32 numbers whatever their width: %edi and %rdi, %r8d and %r8, w8 and x8. 0:
 * it is none of integers. */
static unsigned register_of(const char *name)
{
    static const char letters[] = "axbxcxdxsidibpsp";
    name += *name == '%';
    if (isdigit((unsigned char)name[1]) && strchr("rxw", *name))
        return 9 + (unsigned)strtoul(name + 1, NULL, 10) % 32;
    name += *name == 'r' || *name == 'e';
    for (unsigned i = 0; i < 8; i++)
        if (strncmp(name, letters + 2 * i, 2) == 0)
            return 1 + i;
    return 0;
}

/* Of what an instruction writes, its last operand on x86-64. On AArch64 the first one, but for
 * those that store, branch or compare. */
static uint64_t written_by(const char *text)
{
    static const char *const none[] = {"st", "b.",  "b\t", "bl",   "cb",
                                       "tb", "tst", "cmn", "call", "j"};
    const char *first = strchr(text + 1, '\t'), *last = strrchr(text, ',');
    if (!first)
        return 0;
    if (strchr(text, '%')) {
        last = last ? last + 1 + strspn(last + 1, " \t") : first + 1;
        return *last == '%' && !strchr(last, ')') ? UINT64_C(1) << register_of(last) : 0;
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (strncmp(text + 1, none[i], strlen(none[i])) == 0)
            return 0;
    return UINT64_C(1) << register_of(first + 1);
}

/* jbe, b.le, cbz, tbnz. */
static bool jumps_on_condition(const char *word)
{
    if (*word == 'j')
        return strcmp(word, "jmp") != 0;
    word += *word == 'c' || *word == 't';
    return strncmp(word, "b.", 2) == 0 || strcmp(word, "bz") == 0 || strcmp(word, "bnz") == 0;
}

/* The register that is extended in place; 0: none is. */
static unsigned extended_in_place(const char *text)
{
    char from[8], to[8];
    if (sscanf(text, " movslq %7[%a-z0-9], %7[%a-z0-9]", from, to) != 2 &&
        sscanf(text, " sxtw %7[a-z0-9], %7[a-z0-9]", to, from) != 2)
        return 0;
    return register_of(from) == register_of(to) ? register_of(to) : 0;
}

/* `line`: of the instructions from here on. */
static void read_line(struct branching *b, const char *text, uint32_t *line)
{
    char word[16];
    const uint64_t before = b->written;
    if (*text && strchr(".#/", *text)) /* a block begins */
        b->written = 0;
    else if (*text == '\t' && text[1] != '.' && !strstr(text, "cmp") && !strstr(text, "test"))
        b->written |= written_by(text);
    if (sscanf(text, " .loc %*u %u", line) == 1 || *text != '\t' || text[1] == '.')
        return;
    if (*line < FIRST_LINE || *line >= FIRST_LINE + b->all.n || sscanf(text, " %15s", word) != 1)
        return;
    uint8_t *does = &asked_at(b, *line - FIRST_LINE)->does;
    if (jumps_on_condition(word))
        *does |= JUMPS;
    else if (strcmp(word, "jmp") != 0 && strcmp(word, "b") != 0 && !strchr("#/", *word) &&
             strncmp(word + (*word == 'v'), "mov", 3) != 0)
        *does |= COMPUTES;
    if (strncmp(word, "lea", 3) != 0 && strpbrk(text, "([") && !strstr(text, "Reload") &&
        !strstr(text, "Spill"))
        *does |= IN_MEMORY;
    /* cmova and cmovbe, but not cmovae */
    if (strncmp(word, "cmovbe", 6) == 0 || (strncmp(word, "cmova", 5) == 0 && word[5] != 'e'))
        *does |= TWO_FLAGS;
    const unsigned in_place = extended_in_place(text);
    if (in_place)
        *does |= before >> in_place & 1 ? IN_PLACE : IN_PLACE | CARRIED;
}

/* ---- branches -------------------------------------------------------------------------------- */

/* To where the builder stands, with a line of its own. */
static void move(const struct branching *b, LLVMValueRef value)
{
    LLVMInstructionRemoveFromParent(value);
    LLVMSetCurrentDebugLocation2(b->builder, NULL);
    LLVMInsertIntoBuilder(b->builder, value);
}

/* What stands in the block before the selection moves to a head of its own. */
static void split(struct branching *b, LLVMValueRef selection)
{
    LLVMValueRef next;
    b->rest = LLVMGetInstructionParent(selection);
    b->head = LLVMInsertBasicBlockInContext(b->u->context, b->rest, "");
    b->other = LLVMInsertBasicBlockInContext(b->u->context, b->rest, "");
    /* While a block has no end, phis of those behind it keep its name. */
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b->rest);
    LLVMInstructionRemoveFromParent(end);
    LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(b->rest), LLVMBasicBlockAsValue(b->head));
    LLVMPositionBuilderAtEnd(b->builder, b->rest);
    LLVMSetCurrentDebugLocation2(b->builder, NULL);
    LLVMInsertIntoBuilder(b->builder, end);
    LLVMPositionBuilderAtEnd(b->builder, b->head);
    for (LLVMValueRef v = LLVMGetFirstInstruction(b->rest); v != selection; v = next) {
        next = LLVMGetNextInstruction(v);
        move(b, v);
    }
}

/* A call selects between its own operands, a select between those behind its condition. */
static LLVMValueRef value_of(LLVMValueRef selection, unsigned k)
{
    return LLVMGetOperand(selection, LLVMIsACallInst(selection) ? k : k + 1);
}

/* Compilers compute what takes long on the only way that needs it. */
static bool takes_long(const struct branching *b, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionParent(value) != b->head)
        return false;
    const LLVMOpcode o = LLVMGetInstructionOpcode(value);
    return (o == LLVMFDiv || o == LLVMUDiv || o == LLVMSDiv || o == LLVMURem || o == LLVMSRem) &&
           !LLVMGetNextUse(LLVMGetFirstUse(value));
}

/* Ends the head and the other block; returns which value, 0 or 1, comes by the other one. */
static unsigned put_branch(const struct branching *b, LLVMValueRef selection)
{
    const size_t extreme = extreme_of(selection);
    LLVMValueRef value[] = {value_of(selection, 0), value_of(selection, 1)};
    const unsigned other = takes_long(b, value[0]) ? 0 : 1;
    LLVMPositionBuilderAtEnd(b->builder, b->head);
    LLVMSetCurrentDebugLocation2(b->builder, LLVMInstructionGetDebugLoc(selection));
    LLVMValueRef condition =
        LLVMIsACallInst(selection)
            ? LLVMBuildICmp(b->builder, extremes[extreme].first, value[0], value[1], "")
            : LLVMGetOperand(selection, 0);
    LLVMBuildCondBr(b->builder, condition, other ? b->rest : b->other, other ? b->other : b->rest);
    LLVMPositionBuilderAtEnd(b->builder, b->other);
    LLVMBuildBr(b->builder, b->rest);
    if (takes_long(b, value[other])) {
        LLVMPositionBuilderBefore(b->builder, LLVMGetBasicBlockTerminator(b->other));
        move(b, value[other]);
    }
    return other;
}

static void become_phi(const struct branching *b, struct asked *s, unsigned other)
{
    LLVMValueRef values[] = {value_of(s->value, 0), value_of(s->value, 1)};
    LLVMBasicBlockRef from[] = {b->head, b->head};
    from[other] = b->other;
    LLVMPositionBuilderBefore(b->builder, LLVMGetFirstInstruction(b->rest));
    LLVMValueRef phi = LLVMBuildPhi(b->builder, LLVMTypeOf(s->value), "");
    LLVMAddIncoming(phi, values, from, 2);
    LLVMReplaceAllUsesWith(s->value, phi);
    LLVMInstructionEraseFromParent(s->value);
    s->value = NULL;
}

/* Whether a value is there before the branch; arithmetic of what is there moves before it. */
static bool is_ready(const struct branching *b, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionParent(value) != b->rest)
        return true;
    if (!LLVMIsABinaryOperator(value) && !LLVMIsACastInst(value) &&
        !LLVMIsAGetElementPtrInst(value))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(value); k++)
        if (!is_ready(b, LLVMGetOperand(value, (unsigned)k)))
            return false;
    LLVMPositionBuilderBefore(b->builder, LLVMGetBasicBlockTerminator(b->head));
    move(b, value);
    return true;
}

/* A selection of the block and condition that has no instruction of its own. */
static bool goes_along(const struct asked *s, LLVMBasicBlockRef block, LLVMValueRef condition)
{
    return s->value && LLVMIsASelectInst(s->value) && !(s->does & COMPUTES) &&
           LLVMGetOperand(s->value, 0) == condition && LLVMGetInstructionParent(s->value) == block;
}

static void branch(struct branching *b, uint32_t at)
{
    LLVMValueRef condition = LLVMGetOperand(asked_at(b, at)->value, 0);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(asked_at(b, at)->value);
    uint32_t first = 0;
    while (first < at && !goes_along(asked_at(b, first), block, condition))
        first++;
    split(b, asked_at(b, first)->value);
    const unsigned other = put_branch(b, asked_at(b, first)->value);
    become_phi(b, asked_at(b, first), other);
    for (uint32_t i = first + 1; i < b->all.n; i++)
        if (goes_along(asked_at(b, i), b->rest, condition) &&
            is_ready(b, LLVMGetOperand(asked_at(b, i)->value, 1)) &&
            is_ready(b, LLVMGetOperand(asked_at(b, i)->value, 2)))
            become_phi(b, asked_at(b, i), other);
}

/* Behind an extension in place the narrow value is a part of it. */
static int use_extended(const struct branching *b, LLVMValueRef extension, bool carried)
{
    LLVMValueRef narrow = LLVMGetOperand(extension, 0), v = LLVMGetNextInstruction(extension);
    if (carried && LLVMIsABinaryOperator(narrow) &&
        LLVMGetInstructionParent(narrow) == LLVMGetInstructionParent(extension)) {
        struct htmt__unit_carried *c = htmt__rows_add(&b->u->carried);
        if (!c)
            return HTMT_ENOMEM;
        *c = (struct htmt__unit_carried){narrow, extension};
    }
    LLVMPositionBuilderBefore(b->builder, v);
    LLVMValueRef part = LLVMBuildTrunc(b->builder, extension, LLVMTypeOf(narrow), "");
    for (; v; v = LLVMGetNextInstruction(v))
        for (int k = 0; k < LLVMGetNumOperands(v); k++)
            if (LLVMGetOperand(v, (unsigned)k) == narrow)
                LLVMSetOperand(v, (unsigned)k, part);
    return 0;
}

/* ---- elements -------------------------------------------------------------------------------- */

#define REGISTER 16u /* bytes: back ends store vectors at places of registers */

static LLVMValueRef aligned(LLVMValueRef access)
{
    LLVMSetAlignment(access, REGISTER);
    return access;
}

/* The vector goes to its place, the element there or from there. */
static void pass_through(const struct branching *b, LLVMValueRef element)
{
    LLVMValueRef vector = LLVMGetOperand(element, 0),
                 number = LLVMGetOperand(element, (unsigned)numbered_by(element));
    const LLVMTypeRef type = LLVMTypeOf(vector);
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(element));
    LLVMSetCurrentDebugLocation2(b->builder, LLVMInstructionGetDebugLoc(element));
    LLVMPositionBuilderBefore(b->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
    LLVMValueRef place = aligned(LLVMBuildAlloca(b->builder, type, ""));
    LLVMPositionBuilderBefore(b->builder, element);
    LLVMValueRef at[] = {LLVMConstInt(LLVMInt64TypeInContext(b->u->context), 0, 0), number};
    aligned(LLVMBuildStore(b->builder, vector, place));
    LLVMValueRef one = LLVMBuildGEP2(b->builder, type, place, at, 2, ""), result;
    if (LLVMIsAInsertElementInst(element)) {
        LLVMBuildStore(b->builder, LLVMGetOperand(element, 1), one);
        result = aligned(LLVMBuildLoad2(b->builder, type, place, ""));
    } else {
        result = LLVMBuildLoad2(b->builder, LLVMTypeOf(element), one, "");
    }
    LLVMReplaceAllUsesWith(element, result);
    LLVMInstructionEraseFromParent(element);
}

/* ---- all ------------------------------------------------------------------------------------- */

int htmt__unit_ask(struct htmt__unit *u, FILE *in)
{
    struct branching b = {.u = u, .all.bytes = sizeof(struct asked)};
    char *text = NULL;
    size_t room = 0;
    uint32_t line = 0;
    int rc = 0;
    for (LLVMValueRef v = first_in_module(u->module); v && !rc; v = next_in_module(v)) {
        struct asked *s = is_asked_for(v) ? htmt__rows_add(&b.all) : NULL;
        rc = is_asked_for(v) && !s ? HTMT_ENOMEM : 0;
        if (s)
            s->value = v;
    }
    while (!rc && getline(&text, &room, in) > 0)
        read_line(&b, text, &line);
    b.builder = LLVMCreateBuilderInContext(u->context);
    for (uint32_t i = 0; i < b.all.n && !rc; i++) {
        const struct asked *a = asked_at(&b, i);
        if (a->value && a->does & JUMPS && is_selection(a->value))
            branch(&b, i);
        else if (a->value && a->does & TWO_FLAGS && is_selection(a->value))
            htmt__mark_two_flags(u, a->value);
        else if (a->value && a->does & IN_PLACE && is_extension(a->value))
            rc = use_extended(&b, a->value, a->does & CARRIED);
        else if (a->value && a->does & IN_MEMORY && is_element(a->value))
            pass_through(&b, a->value);
    }
    LLVMDisposeBuilder(b.builder);
    free(text);
    free(b.all.at);
    return rc ? rc : ferror(in) ? HTMT_EIO : 0;
}
