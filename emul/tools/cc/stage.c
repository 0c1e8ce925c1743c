/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations that a processor makes of an instruction of the IR, for processors that reorder.
 *
 * Counts of a block (instruction.c) take each line of the IR for an operation, as a processor in
 * order with a unit for each does. A window asks when each result is there, so it needs what a
 * compiler makes of the line on the target at hand:
 *
 * - Registers. A vector of 16 words is one operation of 64 bytes, or two of 32. Which width the
 *   compiler takes stands in the function's attributes. Elements of 1 and 2 bytes fill registers as
 *   words do. What is shorter than 16 bytes takes a register of 16.
 * - Pairs. llvm.fmuladd, and with -ffp-contract=fast a product that only one addition needs, are
 *   fused where the target can. A comparison that only chooses between its own operands is a
 * minimum or a maximum with its selection.
 * - Divisions of integers by constants: a product by the inverse and a shift; a remainder one more
 *   product and a subtraction. By powers of two they are shifts.
 * - Products of integers with 3, 5 and 9 are an addition of a register that is shifted on its way
 *   (shift-add), and so is the sum of a number and one that was shifted by up to three places.
 *   Products with other small constants are up to four of these, shifts and additions. By hand,
 *   29 x = 3 (9 x) + x + x: two shift-adds and two additions, each of which waits for the last one.
 * - Moves of elements: shuffles, extensions and truncations of vectors, inserted and extracted
 *   elements are `shuffle`. The first element of a register of reals is there already.
 * - A conversion of a real to an integer is one of the integer's type: other units make it than the
 *   way back.
 * - What no processor has on vectors (functions, divisions of integers) runs lane by lane.
 * - A reduction: half of the register is moved to the other half, and both become one, until one
 *   element is left. By hand, 8 words: 3 shuffles and 3 additions in turns.
 */
#include "emul/tools/cc/unit.h"

#include <stdlib.h>
#include <string.h>

#define SHORTEST 16u /* bytes of a vector register */

/* ---- one operation --------------------------------------------------------------------------- */

struct stages {
    const struct htmt__unit *u;
    LLVMValueRef value;
    struct htmt__tape_op *op;
    unsigned n;
};

static uint32_t bytes_of(const struct htmt__unit *u, LLVMTypeRef type)
{
    return (uint32_t)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(u->module), type);
}

/* `n` of them, which wait for the same. */
static void put(struct stages *s, enum htmt_operation operation, uint8_t type, uint32_t n)
{
    if (s->n < HTMT__STAGES_MAX && n)
        s->op[s->n++] = (struct htmt__tape_op){(uint8_t)operation, type, (uint16_t)n};
}

static bool is_real(LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(htmt__lane_of(type));
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMX86_FP80TypeKind;
}

static uint8_t scalar_of(const struct htmt__unit *u, LLVMTypeRef type)
{
    const bool word = bytes_of(u, htmt__lane_of(type)) <= 4;
    return (uint8_t)(is_real(type) ? word ? HTMT_F32 : HTMT_F64 : word ? HTMT_I32 : HTMT_I64);
}

/* Bytes of a register that holds a vector of this type, or a part of it. */
static uint32_t register_bytes(const struct stages *s, LLVMTypeRef type)
{
    const uint32_t bytes = bytes_of(s->u, type), most = htmt__target_bytes(s->u, s->value);
    uint32_t part = SHORTEST;
    while (part < most && part < bytes)
        part *= 2;
    return part;
}

static uint8_t vector_of(const struct stages *s, LLVMTypeRef type)
{
    const uint8_t lane = scalar_of(s->u, type);
    const uint32_t element = lane == HTMT_I32 || lane == HTMT_F32 ? 4 : 8;
    return (uint8_t)htmt_operand_vector(lane, register_bytes(s, type) / element);
}

/* On all of a value of this type, also in code whose loops are not made vectors: its vectors are
 * the program's own. */
static void put_on(struct stages *s, enum htmt_operation operation, LLVMTypeRef type)
{
    const uint8_t lane = scalar_of(s->u, type);
    const uint32_t lanes = htmt__lanes_of(type);
    if (lanes == 1) {
        put(s, operation, lane, 1);
        return;
    }
    const uint32_t part = register_bytes(s, type);
    put(s, operation, vector_of(s, type), (bytes_of(s->u, type) + part - 1) / part);
}

/* On one of its registers. */
static void put_once(struct stages *s, enum htmt_operation operation, LLVMTypeRef type)
{
    put(s, operation, vector_of(s, type), 1);
}

static void put_lanes(struct stages *s, enum htmt_operation operation, LLVMTypeRef type)
{
    put(s, operation, scalar_of(s->u, type), htmt__lanes_of(type));
}

/* ---- selections ------------------------------------------------------------------------------ */

/* What htmt__unit_ask found out about a selection, kept at it. */
static unsigned two_flags(const struct htmt__unit *u)
{
    static const char name[] = "htmt.two-flags";
    return LLVMGetMDKindIDInContext(u->context, name, sizeof name - 1);
}

void htmt__mark_two_flags(const struct htmt__unit *u, LLVMValueRef selection)
{
    LLVMSetMetadata(selection, two_flags(u),
                    LLVMMetadataAsValue(u->context, LLVMMDNodeInContext2(u->context, NULL, 0)));
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool is_comparison(LLVMValueRef value)
{
    return LLVMIsAICmpInst(value) || LLVMIsAFCmpInst(value);
}

/* Whether the flags of an operation let zeros lose their signs. */
static bool loses_signs(LLVMValueRef value)
{
    char *text = LLVMPrintValueToString(value);
    const bool yes = strstr(text, " nsz ") || strstr(text, " fast ");
    LLVMDisposeMessage(text);
    return yes;
}

/* The least or the greatest of two reals is an instruction whose result is the second operand where
 * both are equal or one is no number. These relations say so, with operands as they are or the
 * other way round; the others may not be changed into it for the sake of zeros with signs. */
static bool is_instruction(LLVMValueRef selection, LLVMValueRef comparison)
{
    const LLVMRealPredicate by = LLVMGetFCmpPredicate(comparison);
    return by == LLVMRealOLT || by == LLVMRealOGT || by == LLVMRealULE || by == LLVMRealUGE ||
           loses_signs(selection) || loses_signs(comparison);
}

/* A selection of one of the operands that its condition compares. */
bool htmt__is_extreme(LLVMValueRef value)
{
    if (!LLVMIsASelectInst(value) || !is_comparison(LLVMGetOperand(value, 0)))
        return false;
    if (LLVMIsAFCmpInst(LLVMGetOperand(value, 0)) &&
        !is_instruction(value, LLVMGetOperand(value, 0)))
        return false;
    LLVMValueRef by = LLVMGetOperand(value, 0);
    LLVMValueRef a = LLVMGetOperand(by, 0), b = LLVMGetOperand(by, 1);
    LLVMValueRef x = LLVMGetOperand(value, 1), y = LLVMGetOperand(value, 2);
    const bool equal = LLVMIsAICmpInst(by) && (LLVMGetICmpPredicate(by) == LLVMIntEQ ||
                                               LLVMGetICmpPredicate(by) == LLVMIntNE);
    return !equal && ((a == x && b == y) || (a == y && b == x));
}

static bool only_extremes(LLVMValueRef comparison)
{
    LLVMUseRef use = LLVMGetFirstUse(comparison);
    for (; use; use = LLVMGetNextUse(use))
        if (!htmt__is_extreme(LLVMGetUser(use)))
            return false;
    return LLVMGetFirstUse(comparison) != NULL;
}

/* Whether the flags of an operation let it be fused. */
static bool contracts(LLVMValueRef value)
{
    char *text = LLVMPrintValueToString(value);
    const bool yes = strstr(text, " contract ") || strstr(text, " fast ");
    LLVMDisposeMessage(text);
    return yes;
}

static bool is_product(LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMFMul &&
           LLVMGetFirstUse(value) && !LLVMGetNextUse(LLVMGetFirstUse(value)) && contracts(value);
}

/* An addition that takes a product in. */
static LLVMValueRef product_in(const struct htmt__unit *u, LLVMValueRef value)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if ((opcode != LLVMFAdd && opcode != LLVMFSub) || !htmt__target_fuses(u, value) ||
        !contracts(value))
        return NULL;
    for (unsigned k = 0; k < 2; k++)
        if (is_product(LLVMGetOperand(value, k)))
            return LLVMGetOperand(value, k);
    return NULL;
}

/* Compilers double a real by an addition to itself. */
static bool doubles(LLVMValueRef value)
{
    for (unsigned k = 0; k < 2; k++) {
        const LLVMValueRef by = LLVMGetOperand(value, k);
        LLVMBool lost;
        const double factor = LLVMIsAConstantFP(by) ? LLVMConstRealGetDouble(by, &lost) : 0;
        if (factor == 2 || factor == -2)
            return true;
    }
    return false;
}

static bool put_product(struct stages *s)
{
    LLVMUseRef use = LLVMGetFirstUse(s->value);
    if (is_product(s->value) && LLVMIsAInstruction(LLVMGetUser(use)) &&
        product_in(s->u, LLVMGetUser(use)) == s->value)
        return true;
    put_on(s, doubles(s->value) ? HTMT_ADD : HTMT_MUL, LLVMTypeOf(s->value));
    return true;
}

/* A change of sign that ends in an addition, through products and quotients: `a - x y z` is
 * llvm.fmuladd of -x y, z and a in the IR. A fused product makes it on its way, of two operations
 * the second subtracts, and a constant among the factors has the other sign. */
static bool is_sign_of_product(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user) ||
            LLVMGetInstructionParent(user) != LLVMGetInstructionParent(value))
            return false;
        const LLVMOpcode opcode = LLVMGetInstructionOpcode(user);
        const bool product = opcode == LLVMFMul || opcode == LLVMFDiv;
        const bool adds = LLVMIsACallInst(user)
                              ? strncmp(htmt__callee_of(user), "llvm.fmuladd.", 13) == 0
                              : opcode == LLVMFAdd && LLVMGetInstructionOpcode(value) != LLVMFNeg;
        const bool constant = product && (LLVMIsAConstant(LLVMGetOperand(user, 0)) ||
                                          LLVMIsAConstant(LLVMGetOperand(user, 1)));
        if (!adds && !constant && !(product && is_sign_of_product(user)))
            return false;
    }
    return LLVMGetFirstUse(value) != NULL;
}

/* ---- divisions of integers ------------------------------------------------------------------- */

/* The constant that all lanes are divided by; 0: it is none. */
static uint64_t divisor_of(LLVMValueRef by)
{
    if (LLVMIsAConstantDataVector(by))
        by = LLVMGetElementAsConstant(by, 0);
    return LLVMIsAConstantInt(by) && LLVMGetIntTypeWidth(LLVMTypeOf(by)) <= 64
               ? LLVMConstIntGetZExtValue(by)
               : 0;
}

static bool put_division(struct stages *s, LLVMOpcode opcode)
{
    const uint64_t by = divisor_of(LLVMGetOperand(s->value, 1));
    const bool rest = opcode == LLVMURem || opcode == LLVMSRem;
    const bool sign = opcode == LLVMSDiv || opcode == LLVMSRem;
    const LLVMTypeRef type = LLVMTypeOf(s->value);
    if (!by) {
        put_lanes(s, rest ? HTMT_REM : HTMT_DIV, type);
        return true;
    }
    const bool shift = (by & (by - 1)) == 0;
    if (!shift)
        put_on(s, HTMT_MUL, type);
    if (shift && sign) { /* what rounds to zero: 1, the sign itself, or by - 1 where it is set */
        put_on(s, by == 2 ? HTMT_SHIFT : HTMT_ADD, type);
        put_on(s, by == 2 ? HTMT_ADD : HTMT_LOGIC, type);
    }
    put_on(s, shift && rest ? HTMT_LOGIC : HTMT_SHIFT, type);
    if (rest && !shift)
        put_on(s, HTMT_MUL, type);
    if (rest && (sign || !shift))
        put_on(s, HTMT_SUB, type);
    return true;
}

/* ---- shifts of integers ---------------------------------------------------------------------- */

/* What n times a number is without a product: so many shifts, shift-adds and additions. */
struct multiple {
    uint8_t shifts, scaled, adds;
};

static bool is_power(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

/* 3, 5 and 9 are one shift-add each; their products with each other and with powers of two follow.
 * The rest is as clang's x86-64 has it. false: a product stays. */
static bool find_multiple(uint64_t n, struct multiple *to)
{
    static const struct {
        uint8_t n;
        struct multiple as;
    } all[] = {{11, {0, 2, 0}}, {13, {0, 2, 0}}, {19, {0, 2, 0}}, {21, {0, 2, 0}},
               {22, {0, 2, 1}}, {23, {1, 1, 1}}, {26, {0, 2, 1}}, {28, {0, 2, 1}},
               {29, {0, 2, 2}}, {37, {0, 2, 0}}, {41, {0, 2, 0}}, {73, {0, 2, 0}}};
    static const uint8_t factors[] = {9, 5, 3};
    for (size_t k = 0; k < sizeof factors; k++) {
        const uint64_t rest = n % factors[k] ? 0 : n / factors[k];
        if (is_power(rest) || rest == 3 || rest == 5 || rest == 9) {
            *to = (struct multiple){is_power(rest) && rest > 1, is_power(rest) ? 1 : 2, 0};
            return true;
        }
        if (rest)
            break;
    }
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].n == n) {
            *to = all[k].as;
            return true;
        }
    const bool one = is_power(n - 1) || is_power(n + 1), two = is_power(n - 2) || is_power(n + 2);
    *to = (struct multiple){1, 0, one ? 1 : 2};
    return n > 2 && (one || two);
}

/* Of one element, with a constant that needs no product. */
static bool put_multiple(struct stages *s)
{
    const LLVMTypeRef type = LLVMTypeOf(s->value);
    const LLVMValueRef by = LLVMGetOperand(s->value, 1);
    struct multiple m;
    if (htmt__lanes_of(type) > 1 || !LLVMIsAConstantInt(by) || LLVMGetIntTypeWidth(type) > 64)
        return false;
    const int64_t given = LLVMConstIntGetSExtValue(by);
    const uint64_t n = given < 0 ? 0 - (uint64_t)given : (uint64_t)given;
    if (is_power(n))
        m = (struct multiple){1, 0, given < 0};
    else if (!find_multiple(n, &m))
        return false;
    for (unsigned k = 0; k < m.scaled; k++)
        put(s, HTMT_SHIFT_ADD, scalar_of(s->u, type), 1);
    for (unsigned k = 0; k < m.shifts; k++)
        put(s, HTMT_SHIFT, scalar_of(s->u, type), 1);
    for (unsigned k = 0; k < m.adds; k++)
        put(s, HTMT_ADD, scalar_of(s->u, type), 1);
    return true;
}

/* A shift by one to three places that one addition alone needs, in its own block. */
static bool is_scale(LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != LLVMShl)
        return false;
    const LLVMValueRef by = LLVMGetOperand(value, 1);
    const LLVMUseRef use = LLVMGetFirstUse(value);
    if (!LLVMIsAConstantInt(by) || !use || LLVMGetNextUse(use))
        return false;
    const LLVMValueRef user = LLVMGetUser(use);
    const unsigned long long places = LLVMConstIntGetZExtValue(by);
    return places >= 1 && places <= 3 && LLVMIsAInstruction(user) &&
           LLVMGetInstructionOpcode(user) == LLVMAdd &&
           !LLVMIsAConstantInt(LLVMGetOperand(user, 1)) &&
           LLVMGetInstructionParent(user) == LLVMGetInstructionParent(value);
}

/* The operand of an addition that is shifted on its way; NULL: none. */
static LLVMValueRef scale_in(LLVMValueRef value)
{
    for (unsigned k = 0; k < 2; k++)
        if (is_scale(LLVMGetOperand(value, k)))
            return LLVMGetOperand(value, k);
    return NULL;
}

/* Shifts, and additions that take one in. */
static bool put_shifts(struct stages *s, LLVMOpcode opcode)
{
    const LLVMTypeRef type = LLVMTypeOf(s->value);
    if (opcode == LLVMAdd && htmt__lanes_of(type) == 1 && scale_in(s->value))
        put(s, HTMT_SHIFT_ADD, scalar_of(s->u, type), 1);
    else if (opcode == LLVMShl || opcode == LLVMLShr || opcode == LLVMAShr) {
        if (!is_scale(s->value) || scale_in(LLVMGetUser(LLVMGetFirstUse(s->value))) != s->value)
            put_on(s, HTMT_SHIFT, type);
    } else {
        return false;
    }
    return true;
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Elements that a register has room for. */
static uint32_t room_of(const struct stages *s, LLVMTypeRef type)
{
    return register_bytes(s, type) / bytes_of(s->u, htmt__lane_of(type));
}

/* Whether elements [at, at + lanes) of a shuffle are those of one register, in their order. */
static bool is_whole(LLVMValueRef shuffle, unsigned at, unsigned lanes, unsigned lanes_from)
{
    int64_t base = -1;
    for (unsigned k = at; k < at + lanes && k < LLVMGetNumMaskElements(shuffle); k++) {
        const int from = LLVMGetMaskValue(shuffle, k);
        if (from == LLVMGetUndefMaskElem())
            continue;
        const int64_t first = (int64_t)from - (k - at);
        if (first < 0 || first % lanes_from || (base >= 0 && base != first))
            return false;
        base = first;
    }
    return true;
}

/* Registers that are parts of others take none. */
static void put_shuffle(struct stages *s, LLVMTypeRef to, LLVMTypeRef from)
{
    const unsigned lanes = room_of(s, to), lanes_from = room_of(s, from);
    for (unsigned at = 0; at < LLVMGetNumMaskElements(s->value); at += lanes)
        if (!is_whole(s->value, at, lanes, lanes_from))
            put_once(s, HTMT_SHUFFLE, to);
}

static uint64_t place_of(LLVMValueRef value, unsigned operand)
{
    LLVMValueRef at = LLVMGetOperand(value, operand);
    return LLVMIsAConstantInt(at) ? LLVMConstIntGetZExtValue(at) : UINT64_MAX;
}

/* Vectors that are made of reals, element by element: the first one of a register is there, and one
 * that repeats the element before moves with it, but for the second. By hand, {a, a, b, b} of
 * doubles in registers of 16 bytes: a shuffle each; of floats in one register: two. */
static bool moves_free(const struct stages *s, LLVMTypeRef type)
{
    const unsigned lanes = room_of(s, type);
    const uint64_t at = place_of(s->value, 2);
    unsigned before = 0;
    LLVMValueRef v = LLVMGetOperand(s->value, 0), last = NULL;
    for (; LLVMIsAInsertElementInst(v); v = LLVMGetOperand(v, 0)) {
        if (place_of(v, 2) / lanes == at / lanes)
            before++;
        last = last ? last : LLVMGetOperand(v, 1);
    }
    if (!LLVMIsUndef(v) || !is_real(type))
        return false;
    return before == 0 || (before > 1 && last == LLVMGetOperand(s->value, 1));
}

/* An element that goes into an empty vector, for a shuffle to spread, moves with that shuffle. */
static bool only_spread(LLVMValueRef insert)
{
    LLVMUseRef use = LLVMGetFirstUse(insert);
    return use && !LLVMGetNextUse(use) && LLVMIsUndef(LLVMGetOperand(insert, 0)) &&
           LLVMIsAShuffleVectorInst(LLVMGetUser(use));
}

/* Whether an opcode moves elements; their operations are put. */
static bool put_moves(struct stages *s, LLVMOpcode opcode)
{
    const LLVMValueRef v = s->value;
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(v, 0));
    switch (opcode) {
    case LLVMExtractElement:
        if (!is_real(from) || place_of(v, 1) % room_of(s, from))
            put_once(s, HTMT_SHUFFLE, from);
        return true;
    case LLVMInsertElement:
        if (!only_spread(v) && !moves_free(s, type))
            put_once(s, HTMT_SHUFFLE, type);
        return true;
    case LLVMShuffleVector:
        put_shuffle(s, type, from);
        return true;
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        if (htmt__lanes_of(type) == 1)
            return false;
        if (LLVMGetIntTypeWidth(htmt__lane_of(opcode == LLVMTrunc ? type : from)) == 1)
            put_on(s, HTMT_LOGIC, opcode == LLVMTrunc ? from : type);
        else
            put_on(s, HTMT_SHUFFLE, opcode == LLVMTrunc ? from : type);
        return true;
    default:
        return false;
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static void put_reduction(struct stages *s, const struct htmt__instruction *i)
{
    const unsigned last = LLVMGetNumArgOperands(s->value) - 1;
    const LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(s->value, last));
    enum htmt_operation o = (enum htmt_operation)i->op[0].operation;
    o = o == HTMT_CMP ? HTMT_MIN : o;
    for (uint32_t lanes = htmt__lanes_of(type); lanes > 1; lanes /= 2) {
        const LLVMTypeRef half = LLVMVectorType(htmt__lane_of(type), lanes > 2 ? lanes / 2 : 2);
        put_on(s, HTMT_SHUFFLE, half);
        put_on(s, o, half);
    }
}

static bool is_minimum(const char *name)
{
    return starts(name, "llvm.smin.") || starts(name, "llvm.smax.") || starts(name, "llvm.umin.") ||
           starts(name, "llvm.umax.") || starts(name, "llvm.minnum.") ||
           starts(name, "llvm.maxnum.");
}

static bool put_call(struct stages *s, const struct htmt__instruction *i)
{
    const char *name = htmt__callee_of(s->value);
    const LLVMTypeRef type = LLVMTypeOf(s->value);
    if (starts(name, "llvm.vector.reduce."))
        put_reduction(s, i);
    else if (starts(name, "llvm.fmuladd.") && htmt__target_fuses(s->u, s->value))
        put_on(s, HTMT_FMA, type);
    else if (is_minimum(name))
        put_on(s, HTMT_MIN, type);
    else if (starts(name, "llvm.fshl.") || starts(name, "llvm.fshr."))
        put_on(s, HTMT_SHIFT, type);
    else if (htmt__lanes_of(type) > 1 && i->op[0].operation >= HTMT_SIN &&
             i->op[0].operation <= HTMT_POW)
        put_lanes(s, (enum htmt_operation)i->op[0].operation, type);
    else
        return false;
    return true;
}

/* Of one number. Without an instruction for reals the condition becomes a mask of all bits: x and
 * mask, or y without it. */
static bool put_selection(struct stages *s)
{
    const LLVMTypeRef type = LLVMTypeOf(s->value);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (htmt__lanes_of(type) > 1 || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1))
        return false;
    if (!is_real(type)) {
        const bool two = LLVMGetMetadata(s->value, two_flags(s->u)) != NULL;
        put(s, two ? HTMT_SELECT_TWO : HTMT_SELECT, scalar_of(s->u, type), 1);
        return true;
    }
    for (unsigned k = 1; k < 3; k++)
        if (!LLVMIsNull(LLVMGetOperand(s->value, k)))
            put(s, HTMT_LOGIC, scalar_of(s->u, type), 1);
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* What the IR's own line says, in the registers of the target. */
static void put_line(struct stages *s, const struct htmt__instruction *i, LLVMOpcode opcode)
{
    const bool compares = opcode == LLVMICmp || opcode == LLVMFCmp;
    const bool converts = i->op[0].operation == HTMT_CONVERT && !LLVMIsACallInst(s->value);
    const LLVMTypeRef to = LLVMTypeOf(s->value);
    const bool vector = htmt__lanes_of(to) > 1;
    LLVMTypeRef type = to;
    if (vector && (compares || converts)) { /* the longer one of what goes in and what comes out */
        const LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(s->value, 0));
        const bool longer = bytes_of(s->u, from) > bytes_of(s->u, to);
        type = compares || (longer && is_real(from)) || !is_real(to) ? from : to;
    }
    for (int k = 0; k < 2; k++)
        if (i->op[k].n && vector)
            put_on(s, (enum htmt_operation)i->op[k].operation, type);
        else if (i->op[k].n)
            put(s, (enum htmt_operation)i->op[k].operation, i->op[k].type, i->op[k].n);
}

unsigned htmt__unit_stages(const struct htmt__unit *u, LLVMValueRef value,
                           const struct htmt__instruction *i,
                           struct htmt__tape_op stage[HTMT__STAGES_MAX])
{
    struct stages s = {.u = u, .value = value, .op = stage};
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (i->lanes) {
        put_on(&s, i->does == HTMT__DOES_LOAD ? HTMT_GATHERED : HTMT_SCATTERED,
               LLVMTypeOf(i->does == HTMT__DOES_LOAD ? value : LLVMGetOperand(value, 0)));
        return s.n;
    }
    if (i->does == HTMT__DOES_LOAD && LLVMIsACallInst(value) && u->vectors)
        put_on(&s, HTMT_LOGIC, LLVMTypeOf(value)); /* lanes that a mask leaves out are mixed in */
    if (i->does == HTMT__DOES_LOAD || i->does == HTMT__DOES_STORE)
        return s.n;
    bool done = false;
    if (opcode == LLVMFMul)
        done = put_product(&s);
    else if (opcode == LLVMUDiv || opcode == LLVMSDiv || opcode == LLVMURem || opcode == LLVMSRem)
        done = put_division(&s, opcode);
    else if (opcode == LLVMMul)
        done = put_multiple(&s);
    else if (opcode == LLVMFNeg)
        done = is_sign_of_product(value);
    else if ((opcode == LLVMFPToSI || opcode == LLVMFPToUI) &&
             htmt__lanes_of(LLVMTypeOf(value)) == 1)
        put(&s, HTMT_CONVERT, scalar_of(u, LLVMTypeOf(value)), 1);
    else if (opcode == LLVMFRem)
        put_lanes(&s, HTMT_REM, LLVMTypeOf(value));
    else if (opcode == LLVMSelect && htmt__is_extreme(value))
        put_on(&s, HTMT_MIN, LLVMTypeOf(value));
    else if (opcode == LLVMSelect)
        done = put_selection(&s);
    else if ((opcode == LLVMFAdd || opcode == LLVMFSub) && product_in(u, value))
        put_on(&s, HTMT_FMA, LLVMTypeOf(value));
    else if (opcode == LLVMCall)
        done = put_call(&s, i);
    else
        done = put_shifts(&s, opcode) || put_moves(&s, opcode);
    done = done || s.n || (is_comparison(value) && only_extremes(value));
    if (!done && i->does != HTMT__DOES_NOTHING)
        put_line(&s, i, opcode);
    return s.n;
}
