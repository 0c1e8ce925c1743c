/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an instruction of the IR is on a tape.
 *
 * A tape counts what a simple processor would do, so the IR is taken by meaning and not by line:
 *
 * - Address arithmetic that only accesses use is part of them, as an addressing mode. Used
 *   otherwise, it is an addition.
 *
 * - Truncations, extensions of unsigned integers, casts and phis cost nothing: a register holds the
 *   value already. An extension of a signed integer is a logical operation.
 *
 * - Functions of the C library and of LLVM that processors have as an operation (sqrt, sin, ..) are
 *   one. llvm.fmuladd is a multiplication and an addition, which a machine may fuse.
 *
 * - An access of a vector is one of each register that the vector fills, also where a mask leaves
 *   lanes out. Gathered and scattered lanes are accesses of their own.
 *
 * - Accesses without a hook of clang's (atomic ones, lists of arguments, inline assembly) would be
 *   missing on the tape, so they are refused.
 */
#include "emul/tools/cc/unit.h"

#include <string.h>

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])
#define WIDTH_MAX       255u

/* What the compiler has moved between lines has none of its own: it is the function's. */
uint32_t htmt__line_of(LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value))
        return 0;
    const uint32_t line = LLVMGetDebugLocLine(value);
    const LLVMMetadataRef function =
        LLVMGetSubprogram(LLVMGetBasicBlockParent(LLVMGetInstructionParent(value)));
    return line || !function ? line : LLVMDISubprogramGetLine(function);
}

const char *htmt__callee_of(LLVMValueRef call)
{
    size_t n = 0;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    while (LLVMIsABitCastInst(callee) ||
           (LLVMIsAConstantExpr(callee) && LLVMGetConstOpcode(callee) == LLVMBitCast))
        callee = LLVMGetOperand(callee, 0);
    return LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
}

/* ---- types ----------------------------------------------------------------------------------- */

uint32_t htmt__lanes_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

LLVMTypeRef htmt__lane_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static uint8_t operand_of(LLVMTypeRef type)
{
    const LLVMTypeRef element = htmt__lane_of(type);
    switch (LLVMGetTypeKind(element)) {
    case LLVMFloatTypeKind:
        return HTMT_F32;
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
        return HTMT_F64;
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(element) <= 32 ? HTMT_I32 : HTMT_I64;
    default:
        return HTMT_I64;
    }
}

static struct htmt__instruction wrong(const char *what)
{
    return (struct htmt__instruction){.does = HTMT__DOES_WRONG, .wrong = what};
}

/* For tapes with vectors, the lanes become one operation; vectors of more lanes than any machine
 * has are several. */
static struct htmt__instruction operation(const struct htmt__unit *u, enum htmt_operation o,
                                          LLVMTypeRef type)
{
    struct htmt__tape_op op = {(uint8_t)o, operand_of(type), (uint16_t)htmt__lanes_of(type)};
    if (!htmt__tape_has(o, (enum htmt_type_of_operand)op.type))
        return wrong("an operation on numbers that have no type on a tape");
    if (u->vectors) {
        op.type = (uint8_t)htmt_operand_vector((enum htmt_type_of_operand)op.type, op.n);
        op.n = (uint16_t)((op.n + HTMT_LANES_MAX - 1) / HTMT_LANES_MAX);
    }
    return (struct htmt__instruction){.does = HTMT__DOES_OPERATIONS, .op = {op, {0, 0, 0}}};
}

/* Vectors longer than a register are an access for each. */
static struct htmt__instruction access_of(const struct htmt__unit *u, LLVMValueRef value,
                                          enum htmt__does does, LLVMTypeRef type, unsigned pointer)
{
    const uint64_t bytes = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(u->module), type);
    const uint32_t most =
        LLVMGetTypeKind(type) == LLVMVectorTypeKind ? htmt__target_bytes(u, value) : WIDTH_MAX;
    const uint64_t parts = (bytes + most - 1) / most;
    if (!bytes || bytes > 16 * WIDTH_MAX || (most == WIDTH_MAX && parts > 1))
        return wrong("an access of more than 255 bytes");
    return (struct htmt__instruction){.does = does,
                                      .width = (uint32_t)(bytes / parts),
                                      .accesses = (uint32_t)parts,
                                      .pointer = pointer,
                                      .mask = -1};
}

static struct htmt__instruction access(const struct htmt__unit *u, LLVMValueRef value,
                                       enum htmt__does does, LLVMTypeRef type)
{
    if (LLVMGetOrdering(value) != LLVMAtomicOrderingNotAtomic)
        return wrong("an atomic access");
    return access_of(u, value, does, type, does == HTMT__DOES_LOAD ? 0 : 1);
}

/* llvm.masked.load and the like. */
static struct htmt__instruction masked(const struct htmt__unit *u, LLVMValueRef call,
                                       const char *word)
{
    static const struct {
        const char *name;
        enum htmt__does does;
        unsigned pointer;
        int mask;
        bool lanes;
    } all[] = {{"load.", HTMT__DOES_LOAD, 0, 2, false},
               {"store.", HTMT__DOES_STORE, 1, 3, false},
               {"gather.", HTMT__DOES_LOAD, 0, 2, true},
               {"scatter.", HTMT__DOES_STORE, 1, 3, true},
               {"expandload.", HTMT__DOES_LOAD, 0, 1, false},
               {"compressstore.", HTMT__DOES_STORE, 1, 2, false}};
    for (size_t k = 0; k < COUNT_OF(all); k++) {
        if (strncmp(word, all[k].name, strlen(all[k].name)) != 0)
            continue;
        const bool loads = all[k].does == HTMT__DOES_LOAD;
        const LLVMTypeRef type = LLVMTypeOf(loads ? call : LLVMGetOperand(call, 0));
        struct htmt__instruction i = access_of(u, call, all[k].does, type, all[k].pointer);
        if (i.does == HTMT__DOES_WRONG || !all[k].lanes)
            return i;
        i.width =
            (uint32_t)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(u->module), htmt__lane_of(type));
        i.accesses = htmt__lanes_of(type);
        i.mask = all[k].mask;
        i.lanes = true;
        return i;
    }
    return wrong("an intrinsic function that htmt-cc does not know");
}

/* ---- calls ----------------------------------------------------------------------------------- */

struct named {
    const char *name;
    uint8_t operation;
};

/* Behind "llvm.", up to the next dot. */
static const struct named intrinsic[] = {
    {"fma", HTMT_FMA},          {"sqrt", HTMT_SQRT},       {"sin", HTMT_SIN},
    {"cos", HTMT_COS},          {"exp", HTMT_EXP},         {"exp2", HTMT_EXP2},
    {"log", HTMT_LOG},          {"log2", HTMT_LOG2},       {"log10", HTMT_LOG10},
    {"pow", HTMT_POW},          {"powi", HTMT_POW},        {"fabs", HTMT_LOGIC},
    {"copysign", HTMT_LOGIC},   {"floor", HTMT_FLOOR},     {"ceil", HTMT_FLOOR},
    {"trunc", HTMT_FLOOR},      {"round", HTMT_ROUND},     {"rint", HTMT_FLOOR},
    {"nearbyint", HTMT_FLOOR},  {"lrint", HTMT_FLOOR},     {"lround", HTMT_ROUND},
    {"llrint", HTMT_FLOOR},     {"llround", HTMT_ROUND},   {"minnum", HTMT_CMP},
    {"maxnum", HTMT_CMP},       {"smin", HTMT_CMP},        {"smax", HTMT_CMP},
    {"umin", HTMT_CMP},         {"umax", HTMT_CMP},        {"abs", HTMT_LOGIC},
    {"bswap", HTMT_LOGIC},      {"ctpop", HTMT_LOGIC},     {"ctlz", HTMT_LOGIC},
    {"cttz", HTMT_LOGIC},       {"fshl", HTMT_LOGIC},      {"fshr", HTMT_LOGIC},
    {"bitreverse", HTMT_LOGIC}, {"roundeven", HTMT_FLOOR}, {"uadd", HTMT_ADD},
    {"sadd", HTMT_ADD},         {"usub", HTMT_SUB},        {"ssub", HTMT_SUB},
    {"umul", HTMT_MUL},         {"smul", HTMT_MUL}};

/* Behind "llvm.vector.reduce.". */
static const struct named reduced[] = {{"add", HTMT_ADD},   {"fadd", HTMT_ADD},  {"mul", HTMT_MUL},
                                       {"fmul", HTMT_MUL},  {"and", HTMT_LOGIC}, {"or", HTMT_LOGIC},
                                       {"xor", HTMT_LOGIC}, {"smin", HTMT_CMP},  {"smax", HTMT_CMP},
                                       {"umin", HTMT_CMP},  {"umax", HTMT_CMP},  {"fmin", HTMT_CMP},
                                       {"fmax", HTMT_CMP}};

static const char *const nothing[] = {
    "dbg",       "lifetime",   "assume",       "expect",     "invariant", "launder",
    "strip",     "annotation", "experimental", "objectsize", "is",        "prefetch",
    "donothing", "stacksave",  "stackrestore", "sideeffect", "trap"};

static bool find(const struct named *table, size_t rows, const char *name, size_t length,
                 uint8_t *found)
{
    for (size_t i = 0; i < rows; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0) {
            *found = table[i].operation;
            return true;
        }
    return false;
}

/* A function of numbers, or the call of one by length. */
static bool library(const char *name, struct htmt__instruction *i)
{
    enum htmt_operation operation;
    enum htmt_type_of_operand type = HTMT_I64;
    const bool numbers = htmt__library_operation(name, &operation, &type);
    if (!numbers && !htmt__library_length(name, &operation, &i->bytes))
        return false;
    i->does = numbers ? HTMT__DOES_OPERATIONS : HTMT__DOES_LENGTH;
    i->op[0] = (struct htmt__tape_op){(uint8_t)operation, (uint8_t)(numbers ? type : HTMT_I64), 1};
    i->length = operation;
    return true;
}

/* llvm.vector.reduce.add and the like. The lanes become one by halves: of 8 lanes, three steps,
 * each of which moves one half to the other and adds them. Without vectors, 7 additions. */
static struct htmt__instruction reduction_of(const struct htmt__unit *u, LLVMValueRef call,
                                             const char *word)
{
    uint8_t found;
    static const char start[] = "vector.reduce.";
    const size_t n = sizeof start - 1;
    const bool reduces = strncmp(word, start, n) == 0;
    if (!reduces || !find(reduced, COUNT_OF(reduced), word + n, strcspn(word + n, "."), &found))
        return wrong("an intrinsic function that htmt-cc does not know");
    const LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, LLVMGetNumArgOperands(call) - 1));
    const uint32_t lanes = htmt__lanes_of(type);
    struct htmt__instruction i = operation(u, (enum htmt_operation)found, type);
    i.op[0].n = (uint16_t)(lanes - 1);
    if (!u->vectors)
        return i;
    for (i.op[0].n = 0; 1u << i.op[0].n < lanes; i.op[0].n++)
        continue;
    i.op[1] = i.op[0];
    i.op[1].operation = HTMT_LOGIC;
    return i;
}

/* Compilers put few bytes in line; the code of more is the library's. */
#define IN_LINE 128u

static struct htmt__instruction copy_of(LLVMValueRef call, enum htmt_operation operation,
                                        enum htmt__library_bytes bytes)
{
    const LLVMValueRef n = LLVMGetOperand(call, 2);
    const bool calls = !LLVMIsAConstantInt(n) || LLVMConstIntGetZExtValue(n) > IN_LINE;
    return (struct htmt__instruction){.does = HTMT__DOES_LENGTH,
                                      .op = {{(uint8_t)operation, HTMT_I64, calls}, {0, 0, 0}},
                                      .length = operation,
                                      .bytes = bytes};
}

/* A rounding is one instruction where the flags allow it, and of vectors; else a function. */
static enum htmt_operation in_line(LLVMValueRef call, enum htmt_operation o, LLVMTypeRef type)
{
    static const char features[] = "target-features";
    if (o != HTMT_FLOOR && o != HTMT_ROUND)
        return o;
    unsigned n = 0;
    const LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)),
        (LLVMAttributeIndex)LLVMAttributeFunctionIndex, features, sizeof features - 1);
    const char *words = a ? LLVMGetStringAttributeValue(a, &n) : "";
    return htmt__lanes_of(type) > 1 || strstr(words, "+sse4.1") || !strstr(words, "+sse")
               ? HTMT_CONVERT
               : o;
}

static struct htmt__instruction intrinsic_of(const struct htmt__unit *u, LLVMValueRef call,
                                             const char *name)
{
    const char *word = name + strlen("llvm.");
    const size_t n = strcspn(word, ".");
    const LLVMTypeRef type =
        LLVMGetNumArgOperands(call) ? LLVMTypeOf(LLVMGetOperand(call, 0)) : LLVMTypeOf(call);
    uint8_t found;
    if (n == 7 && strncmp(word, "fmuladd", 7) == 0) {
        struct htmt__instruction i = operation(u, HTMT_MUL, type);
        i.op[1] = i.op[0];
        i.op[1].operation = HTMT_ADD;
        return i;
    }
    if (strncmp(word, "memcpy.", 7) == 0 || strncmp(word, "memmove.", 8) == 0)
        return copy_of(call, HTMT_MEMCPY, HTMT__BYTES_COPY);
    if (strncmp(word, "memset.", 7) == 0)
        return copy_of(call, HTMT_MEMSET, HTMT__BYTES_SET);
    if (find(intrinsic, COUNT_OF(intrinsic), word, n, &found))
        return operation(u, in_line(call, (enum htmt_operation)found, type), type);
    if (n == 6 && strncmp(word, "masked.", 7) == 0)
        return masked(u, call, word + 7);
    for (size_t i = 0; i < COUNT_OF(nothing); i++)
        if (strlen(nothing[i]) == n && strncmp(nothing[i], word, n) == 0)
            return (struct htmt__instruction){.does = HTMT__DOES_NOTHING};
    return reduction_of(u, call, word);
}

/* Assembly without a text, as `void ()* asm sideeffect "", "~{memory}"`. */
static bool is_barrier(LLVMValueRef assembly)
{
    char *text = LLVMPrintValueToString(assembly);
    const char *quote = strchr(text, '"');
    const bool yes = quote && quote[1] == '"';
    LLVMDisposeMessage(text);
    return yes;
}

static struct htmt__instruction call_of(const struct htmt__unit *u, LLVMValueRef call)
{
    const char *name = htmt__callee_of(call);
    struct htmt__instruction i = {.does = HTMT__DOES_CALL};
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
        return is_barrier(LLVMGetCalledValue(call))
                   ? (struct htmt__instruction){.does = HTMT__DOES_NOTHING}
                   : wrong("inline assembly");
    if (strncmp(name, "llvm.", 5) == 0)
        return intrinsic_of(u, call, name);
    if (strncmp(name, "__sanitizer_cov_", 16) == 0)
        return (struct htmt__instruction){.does = HTMT__DOES_HOOK};
    if (library(name, &i))
        return i;
    i.op[0] = (struct htmt__tape_op){HTMT_CALL, HTMT_I64, 1};
    return i;
}

/* ---- others ---------------------------------------------------------------------------------- */

/* Whether a value is but the address of accesses, through casts. A hook of clang's gets the address
 * of the access behind it. */
bool htmt__only_addresses(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const char *callee = LLVMIsACallInst(user) ? htmt__callee_of(user) : "";
        const bool address = LLVMIsALoadInst(user) ||
                             (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != value) ||
                             strncmp(callee, "__sanitizer_cov_", 16) == 0 ||
                             strncmp(callee, "llvm.masked.", 12) == 0;
        if (!address && !(LLVMIsABitCastInst(user) && htmt__only_addresses(user)))
            return false;
    }
    return true;
}

static bool all_zero(LLVMValueRef gep)
{
    for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index))
            return false;
    }
    return true;
}

static enum htmt_operation arithmetic(LLVMOpcode opcode)
{
    switch (opcode) {
    case LLVMAdd:
    case LLVMFAdd:
        return HTMT_ADD;
    case LLVMSub:
    case LLVMFSub:
        return HTMT_SUB;
    case LLVMMul:
    case LLVMFMul:
        return HTMT_MUL;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMFDiv:
        return HTMT_DIV;
    case LLVMURem:
    case LLVMSRem:
    case LLVMFRem:
        return HTMT_REM;
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
        return HTMT_CONVERT;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFNeg:
    case LLVMSelect:
    case LLVMSExt:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return HTMT_LOGIC;
    default:
        return HTMT_OPERATIONS;
    }
}

/* Arithmetic, and what costs nothing. */
static struct htmt__instruction other(const struct htmt__unit *u, LLVMValueRef value,
                                      LLVMOpcode opcode)
{
    const enum htmt_operation o = arithmetic(opcode);
    LLVMTypeRef type = LLVMTypeOf(value);
    struct htmt__instruction i;
    switch (opcode) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMPHI:
    case LLVMAlloca:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMFreeze:
    case LLVMFence:
        return (struct htmt__instruction){.does = HTMT__DOES_NOTHING};
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        i = operation(u, o, type);
        i.op[0].n = u->vectors ? i.op[0].n : 1;
        return i;
    default:
        if (o == HTMT_OPERATIONS)
            return wrong("an instruction that htmt-cc does not know");
        if (o == HTMT_CONVERT && operand_of(type) <= HTMT_I64) /* to an integer: of what it comes */
            type = LLVMTypeOf(LLVMGetOperand(value, 0));
        return operation(u, o, type);
    }
}

struct htmt__instruction htmt__instruction_of(const struct htmt__unit *u, LLVMValueRef value)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    struct htmt__instruction end;
    switch (opcode) {
    case LLVMLoad:
        return access(u, value, HTMT__DOES_LOAD, LLVMTypeOf(value));
    case LLVMStore:
        return access(u, value, HTMT__DOES_STORE, LLVMTypeOf(LLVMGetOperand(value, 0)));
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return wrong("an atomic access");
    case LLVMVAArg:
        return wrong("an access to arguments of unknown number");
    case LLVMCall:
        return call_of(u, value);
    case LLVMBr:
    case LLVMSwitch:
    case LLVMRet:
    case LLVMUnreachable:
    case LLVMIndirectBr:
        end = (struct htmt__instruction){.does = HTMT__DOES_END};
        if (opcode == LLVMSwitch)
            end.op[0] = operation(u, HTMT_CMP, LLVMTypeOf(LLVMGetOperand(value, 0))).op[0];
        return end;
    case LLVMICmp:
    case LLVMFCmp:
        return operation(u, HTMT_CMP, LLVMTypeOf(LLVMGetOperand(value, 0)));
    case LLVMGetElementPtr:
        return htmt__only_addresses(value) || all_zero(value)
                   ? (struct htmt__instruction){.does = HTMT__DOES_NOTHING}
                   : operation(u, HTMT_ADD, LLVMTypeOf(value));
    default:
        return other(u, value, opcode);
    }
}
