/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many operations on vectors the compiler makes of a block, by its assembly.
 *
 * A line of the IR is not an instruction. Rounded means of bytes are extended to words, added,
 * shifted and truncated there, 22 operations for 32 of them, and one `vpavgb` in the code. An
 * interleaved access is a shuffle there and four in the code. So the steps of a block say which
 * operations there are and who waits for whom, and its assembly how many there are of three kinds:
 * moves of elements, shifts, and all others. Both are told of x86-64 alone, where an instruction on
 * vectors names a register of them. A sum of neighbours (`vhaddpd`) is two moves and an addition to
 * processors.
 *
 * Steps of a kind get as many operations together as the assembly has, in proportion. Where there
 * are fewer, selections go first, since they are folded into masks and other instructions;
 * products, quotients, roots and conversions keep theirs. A step that has none is
 * passed: its operands are its result. By hand, 12 steps of which 4 select and the others add, one
 * instruction: the selections have none, and of the additions the last one has it. Where there are
 * more, moves and shifts get more, and selections, or in a block without them the others. By hand,
 * without an instruction for the greater of two words compilers compare, and mask twice, and unite:
 * a minimum is four operations beside each other. What no step of a block tells of is not placed.
 *
 * Products of integers that number elements, as in `a[k * n + j]`, become additions when the
 * compiler finds that `k` grows by one each turn, which it does behind the last line of the IR. So
 * steps of products beyond those of the assembly become additions. By hand, a loop of two such
 * accesses has two products in the IR and would take two cycles a turn where one unit makes them.
 */
#include "emul/tools/cc/unit.h"

#include <ctype.h>
#include <string.h>

static bool begins(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* Its last operand, which it writes. */
static bool writes_memory(const char *text)
{
    const char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    return end > text && end[-1] == ')';
}

/* Exclusive ors of a register with itself make a zero, as processors know. */
static bool makes_zero(const char *text)
{
    char a[8], b[8];
    return strstr(text, "xor") && sscanf(text, "%*s %%%7[a-z0-9], %%%7[a-z0-9]", a, b) == 2 &&
           strcmp(a, b) == 0;
}

/* Of one number, in a register of vectors or on its way from or to one of integers. */
static bool is_scalar(const char *word)
{
    const size_t n = strcspn(word, "\t ");
    const char *end = word + n - 2;
    return *word != 'p' && strncmp(word, "broadcast", 9) != 0 && n > 2 &&
           (strncmp(end, "ss", 2) == 0 || strncmp(end, "sd", 2) == 0 || strstr(word, "si2s") ||
            strstr(word, "2si"));
}

/* Elements from or to memory, as a load or a store does on its way. */
static bool moves_in_memory(const char *word)
{
    static const char *const loads[] = {"broadcast", "pbroadcastd", "pbroadcastq", "movddup",
                                        "movshdup",  "movsldup",    NULL};
    static const char *const stores[] = {"extract", "movh", "movl", NULL};
    return strchr(word, '(') &&
           (begins(word, loads) || (begins(word, stores) && writes_memory(word)));
}

/* Loads, stores and copies of registers; those that leave lanes out mix them in. */
static bool only_copies(const char *word)
{
    static const char *const copies[] = {"mova", "movu", "movdq", "movnt", "lddqu", NULL};
    static const char *const masked[] = {"maskmov", "pmaskmov", NULL};
    const bool mixes = strchr(word, '{') || begins(word, masked);
    return begins(word, copies) || begins(word, masked) ? !mixes || writes_memory(word) : false;
}

void htmt__packed_count(const char *instruction, struct htmt__packed *packed)
{
    static const char *const moves[] = {
        "perm",     "punpck", "unpck",     "shuf",       "pshuf",   "insert",    "extract",
        "pins",     "pextr",  "pmovz",     "pmovs",      "pmovd",   "pmovq",     "pmovw",
        "pack",     "palign", "align",     "pslldq",     "psrldq",  "pcompress", "pexpand",
        "compress", "expand", "broadcast", "pbroadcast", "movddup", "movshdup",  "movsldup",
        "movh",     "movl",   NULL};
    static const char *const shifts[] = {"psll", "psrl", "psra", "prol",
                                         "pror", "pshl", "pshr", NULL};
    static const char *const words[] = {"movd\t", "movq\t", NULL};
    static const char *const lanes[] = {"gather", "pgather", "scatter", "pscatter", NULL};
    static const char *const products[] = {"imul", "mulx", "mulq", "mull", "mulw", "mulb", NULL};
    static const char *const sums[] = {"hadd", "hsub", "phadd", "phsub", NULL};
    char text[96];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(instruction, "#\n"), instruction);
    const char *word = text + (*text == 'v');
    const bool vector = strstr(text, "%xmm") || strstr(text, "%ymm") || strstr(text, "%zmm");
    packed->products += !vector && begins(text, products);
    if (!vector || is_scalar(word) || only_copies(word) || makes_zero(text) || begins(word, lanes))
        return;
    if (begins(word, sums))
        packed->moves += 2;
    if (begins(word, words))
        packed->moves += !strchr(word, '('); /* between registers of two kinds */
    else if (begins(word, moves))
        packed->moves += !moves_in_memory(word);
    else if (begins(word, shifts))
        packed->shifts++;
    else
        packed->others++;
}

/* ---- steps ----------------------------------------------------------------------------------- */

enum kind { NEITHER, MOVES, SHIFTS, SOFT, HARD, KEPT }; /* soft: goes before hard ones do */

static enum kind kind_of(const struct htmt__tape_step *s)
{
    if (s->operation >= HTMT_OPERATIONS || htmt_operand_lanes(s->type) == 1)
        return NEITHER;
    switch (s->operation) {
    case HTMT_SHUFFLE:
        return MOVES;
    case HTMT_SHIFT:
        return SHIFTS;
    case HTMT_LOGIC:
        return SOFT;
    case HTMT_ADD:
    case HTMT_SUB:
    case HTMT_CMP:
    case HTMT_MIN:
        return HARD;
    case HTMT_GATHERED:
    case HTMT_SCATTERED:
        return NEITHER;
    default:
        return KEPT;
    }
}

/* Those of a kind, `has` together, become `all`. */
static void scale(struct htmt__tape_step *step, uint32_t steps, enum kind kind, uint32_t has,
                  uint32_t all)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < steps && has; i++)
        if (kind_of(&step[i]) == kind) {
            const uint64_t behind = before + step[i].n;
            step[i].n = (uint16_t)(behind * all / has - before * all / has);
            before = behind;
        }
}

static void scale_block(struct htmt__tape_step *step, uint32_t steps,
                        const struct htmt__packed *packed)
{
    uint32_t has[KEPT + 1] = {0};
    for (uint32_t i = 0; i < steps; i++)
        has[kind_of(&step[i])] += step[i].n;
    const uint32_t others = packed->others + (has[SHIFTS] ? 0 : packed->shifts);
    const uint32_t left = others > has[KEPT] ? others - has[KEPT] : 0;
    const uint32_t hard = has[SOFT] && has[HARD] < left ? has[HARD] : left;
    const uint32_t soft = left - hard;
    scale(step, steps, MOVES, has[MOVES], packed->moves);
    scale(step, steps, SHIFTS, has[SHIFTS], packed->shifts);
    scale(step, steps, HARD, has[HARD], hard);
    scale(step, steps, SOFT, has[SOFT], soft);
}

static bool is_product_of_integers(const struct htmt__tape_step *s)
{
    return s->operation == HTMT_MUL && htmt_operand_lanes(s->type) == 1 && s->type != HTMT_F32 &&
           s->type != HTMT_F64;
}

static void add_for_products(struct htmt__tape_step *step, uint32_t steps, uint32_t products)
{
    for (uint32_t i = 0; i < steps; i++)
        if (is_product_of_integers(&step[i])) {
            if (products < step[i].n)
                step[i].operation = HTMT_ADD;
            products -= step[i].n < products ? step[i].n : products;
        }
}

void htmt__packed_scale(struct htmt__unit *u)
{
    const struct htmt__tape_block *b = u->blocks.at;
    const struct htmt__packed *packed = u->packed.at;
    if (strncmp(LLVMGetTarget(u->module), "x86_64", 6) != 0)
        return;
    for (uint32_t i = 0; i < u->blocks.n; i++) {
        struct htmt__tape_step *step = (struct htmt__tape_step *)u->steps.at + b[i].step;
        if (b[i].compiled)
            add_for_products(step, b[i].steps, packed[i].products);
        if (b[i].compiled && u->vectors)
            scale_block(step, b[i].steps, &packed[i]);
    }
}
