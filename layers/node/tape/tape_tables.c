/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of a program in their two forms: structs, which the node reads, and rows of words,
 * which stand in files and beside the code of htmt-cc. Words are the same on every host, so that
 * their hash can be the identity of the program: a tape says for which one its block numbers are.
 *
 * Numbers in tables that come from a file may lead anywhere; htmt__tape_check() must have found
 * them good before they are used.
 */
#include "layers/node/tape/tape_tables.h"

#include "runtime/base/fnv.h"
#include "runtime/base/library.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_WORDS    14u
#define OP_WORDS       1u
#define CHAIN_WORDS    2u
#define LINK_WORDS     2u
#define STEP_WORDS     3u
#define FUNCTION_WORDS 3u

/* ---- typed operations ------------------------------------------------------------------------ */

#define INTEGERS (1u << HTMT_I32 | 1u << HTMT_I64)
#define REALS    (1u << HTMT_F32 | 1u << HTMT_F64)
#define ANY      (INTEGERS | REALS)

/* Negations and selections of reals are logic, remainders of them fmod(). */
#define ONE(operation, name, like, from, to)         [HTMT_##operation] = REALS,
#define TWO(operation, name, like, from, to, second) [HTMT_##operation] = REALS,
#define LENGTH(operation, name)                      [HTMT_##operation] = INTEGERS,
static const uint8_t types_of[HTMT_OPERATIONS] = {
    [HTMT_ADD] = ANY,
    [HTMT_SUB] = ANY,
    [HTMT_MUL] = ANY,
    [HTMT_DIV] = ANY,
    [HTMT_REM] = ANY,
    [HTMT_LOGIC] = ANY,
    [HTMT_CMP] = ANY,
    [HTMT_CONVERT] = REALS,
    [HTMT_FMA] = REALS,
    [HTMT_SQRT] = REALS,
    [HTMT_CALL] = 1u << HTMT_I64,
    [HTMT_MIN] = ANY,
    [HTMT_SHIFT] = INTEGERS,
    [HTMT_SHIFT_ADD] = INTEGERS,
    [HTMT_SELECT] = INTEGERS,
    [HTMT_SELECT_TWO] = INTEGERS,
    HTMT__LIBRARY_CODE(ONE, TWO) HTMT__LIBRARY_SHORT(ONE, TWO) HTMT__LIBRARY_LENGTHS(LENGTH)};
/* Functions and divisions of integers run lane by lane. */
static const uint8_t vectors_of[HTMT_OPERATIONS] = {
    [HTMT_ADD] = ANY,       [HTMT_SUB] = ANY,       [HTMT_MUL] = ANY,     [HTMT_DIV] = REALS,
    [HTMT_LOGIC] = ANY,     [HTMT_CMP] = ANY,       [HTMT_CONVERT] = ANY, [HTMT_FMA] = REALS,
    [HTMT_SQRT] = REALS,    [HTMT_MIN] = ANY,       [HTMT_SHUFFLE] = ANY, [HTMT_GATHERED] = ANY,
    [HTMT_SCATTERED] = ANY, [HTMT_SHIFT] = INTEGERS};

bool htmt__tape_has(enum htmt_operation operation, enum htmt_type_of_operand type)
{
    const enum htmt_type_of_operand lane = htmt_operand_lane(type);
    const bool word = lane == HTMT_I32 || lane == HTMT_F32;
    const uint32_t lanes = htmt_operand_lanes(type);
    if (lanes == 1)
        return types_of[operation] >> lane & 1;
    return lanes >= (word ? 4 : 2) && lanes <= (word ? 16 : 8) && vectors_of[operation] >> lane & 1;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

struct htmt__tape_counts htmt__tape_count(const struct htmt__tape_program *p)
{
    size_t text = 0;
    for (uint32_t i = 0; i < p->function_count; i++)
        text += strlen(p->functions[i].name) + strlen(p->functions[i].file) + 2;
    return (struct htmt__tape_counts){
        p->block_count, p->op_count,     p->chain_count,    p->link_count,
        p->step_count,  p->source_count, p->function_count, (uint32_t)((text + 7) & ~(size_t)7)};
}

uint64_t htmt__tape_words(const struct htmt__tape_counts *n)
{
    const uint64_t words = (uint64_t)n->blocks * BLOCK_WORDS + (uint64_t)n->ops * OP_WORDS +
                           (uint64_t)n->chains * CHAIN_WORDS + (uint64_t)n->links * LINK_WORDS +
                           (uint64_t)n->steps * STEP_WORDS + n->sources +
                           (uint64_t)n->functions * FUNCTION_WORDS;
    return (words + 1) & ~UINT64_C(1);
}

/* ---- to words -------------------------------------------------------------------------------- */

static uint32_t three(uint8_t a, uint8_t b, uint16_t c)
{
    return a | (uint32_t)b << 8 | (uint32_t)c << 16;
}

static uint32_t pack_name(const char *name, char *text, uint32_t *used)
{
    const uint32_t at = *used;
    const size_t bytes = strlen(name) + 1;
    memcpy(text + at, name, bytes);
    *used += (uint32_t)bytes;
    return at;
}

/* Accesses, the end, whether it is fused, and in 13 bits which block follows. */
static uint32_t ends_of(const struct htmt__tape_block *b)
{
    return b->accesses | (uint32_t)b->end << 16 | (uint32_t)b->fused << 18 |
           (uint32_t)b->follows << 19;
}

/* Instructions, and in the upper half how many of three kinds. */
static uint32_t instructions_of(const struct htmt__tape_block *b)
{
    const uint32_t all = b->compiled < UINT16_MAX ? b->compiled : UINT16_MAX;
    return all | (uint32_t)b->adds << 16 | (uint32_t)b->adds_index << 21 | (uint32_t)b->index << 26;
}

void htmt__tape_pack(const struct htmt__tape_program *p, uint32_t *w, char *text)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < p->block_count; i++, w += BLOCK_WORDS) {
        const struct htmt__tape_block *b = &p->blocks[i];
        const uint32_t words[BLOCK_WORDS] = {
            b->function, b->code,  b->instructions,    b->op,     b->ops,
            b->wait,     b->waits, b->chain,           b->chains, b->loop_end,
            b->step,     b->steps, instructions_of(b), ends_of(b)};
        memcpy(w, words, sizeof words);
    }
    for (uint32_t i = 0; i < p->op_count; i++)
        *w++ = three(p->ops[i].operation, p->ops[i].type, p->ops[i].n);
    for (uint32_t i = 0; i < p->chain_count; i++) {
        *w++ = p->chains[i].first;
        *w++ = p->chains[i].n;
    }
    for (uint32_t i = 0; i < p->link_count; i++) {
        *w++ = three(p->links[i].operation, p->links[i].type, p->links[i].access);
        *w++ = p->links[i].block;
    }
    for (uint32_t i = 0; i < p->step_count; i++) {
        *w++ = three(p->steps[i].operation, p->steps[i].type, p->steps[i].n);
        *w++ = p->steps[i].source;
        *w++ = p->steps[i].sources;
    }
    for (uint32_t i = 0; i < p->source_count; i++)
        *w++ = p->sources[i];
    for (uint32_t i = 0; i < p->function_count; i++) {
        *w++ = pack_name(p->functions[i].name, text, &used);
        *w++ = pack_name(p->functions[i].file, text, &used);
        *w++ = p->functions[i].line;
    }
}

uint64_t htmt__tape_hash(uint64_t hash, const void *bytes, uint64_t count)
{
    const char *at = bytes;
    for (uint64_t i = 0; i + 8 <= count; i += 8) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        hash = (hash ^ word) * HTMT__HASH_PRIME;
        hash ^= hash >> 32;
    }
    return hash;
}

uint64_t htmt__tape_build(const struct htmt__tape_program *program)
{
    const struct htmt__tape_counts n = htmt__tape_count(program);
    const uint64_t words = htmt__tape_words(&n);
    uint32_t *all = calloc(1, words * sizeof *all + n.text + 8);
    uint64_t hash = HTMT__HASH_BASIS;
    if (!all)
        return 0;
    htmt__tape_pack(program, all, (char *)(all + words));
    hash = htmt__tape_hash(hash, all, words * sizeof *all + n.text);
    free(all);
    return hash;
}

/* ---- from words ------------------------------------------------------------------------------ */

struct tables {
    struct htmt__tape_program program;
    struct htmt__tape_block *block;
    struct htmt__tape_op *op;
    struct htmt__tape_chain *chain;
    struct htmt__tape_link *link;
    struct htmt__tape_step *step;
    uint32_t *source;
    struct htmt__tape_function *function;
    char *text;
};

/* The next array of an allocation; each begins at a multiple of 8. */
static void *next(char **at, uint64_t n, size_t bytes)
{
    void *array = *at;
    *at += (n * bytes + 7) & ~(uint64_t)7;
    return array;
}

static char *lay_out(struct tables *t, const struct htmt__tape_counts *n, char *base)
{
    char *at = base + ((sizeof *t + 7) & ~(size_t)7);
    t->function = next(&at, n->functions, sizeof *t->function);
    t->block = next(&at, n->blocks, sizeof *t->block);
    t->op = next(&at, n->ops, sizeof *t->op);
    t->chain = next(&at, n->chains, sizeof *t->chain);
    t->link = next(&at, n->links, sizeof *t->link);
    t->step = next(&at, n->steps, sizeof *t->step);
    t->source = next(&at, n->sources, sizeof *t->source);
    t->text = next(&at, (uint64_t)n->text + 1, 1);
    return at;
}

/* A place behind the last byte becomes an empty name: the last byte is a NUL. */
static const char *name_at(const struct tables *t, uint32_t text, uint32_t at)
{
    return t->text + (at < text ? at : text);
}

static struct htmt__tape_block block_from(const uint32_t *w)
{
    return (struct htmt__tape_block){.function = w[0],
                                     .code = w[1],
                                     .instructions = w[2],
                                     .op = w[3],
                                     .ops = w[4],
                                     .wait = w[5],
                                     .waits = w[6],
                                     .chain = w[7],
                                     .chains = w[8],
                                     .loop_end = w[9],
                                     .step = w[10],
                                     .steps = w[11],
                                     .compiled = (uint16_t)w[12],
                                     .adds = w[12] >> 16 & HTMT__TAPE_ADDS_MOST,
                                     .adds_index = w[12] >> 21 & HTMT__TAPE_ADDS_MOST,
                                     .index = (uint8_t)(w[12] >> 26),
                                     .accesses = (uint16_t)w[13],
                                     .end = w[13] >> 16 & 3,
                                     .fused = w[13] >> 18 & 1,
                                     .follows = (int16_t)((int32_t)w[13] >> 19)};
}

struct htmt__tape_program *htmt__tape_unpack(const struct htmt__tape_counts *n,
                                             const uint32_t *words, const char *text)
{
    struct tables size = {0}, *t;
    const size_t bytes = (size_t)(lay_out(&size, n, (char *)&size) - (char *)&size);
    t = calloc(1, bytes);
    if (!t)
        return NULL;
    lay_out(t, n, (char *)t);
    memcpy(t->text, text, n->text);
    const uint32_t *w = words;
    for (uint32_t i = 0; i < n->blocks; i++, w += BLOCK_WORDS)
        t->block[i] = block_from(w);
    for (uint32_t i = 0; i < n->ops; i++, w += OP_WORDS)
        t->op[i] = (struct htmt__tape_op){(uint8_t)*w, (uint8_t)(*w >> 8), (uint16_t)(*w >> 16)};
    for (uint32_t i = 0; i < n->chains; i++, w += CHAIN_WORDS)
        t->chain[i] = (struct htmt__tape_chain){w[0], w[1]};
    for (uint32_t i = 0; i < n->links; i++, w += LINK_WORDS)
        t->link[i] =
            (struct htmt__tape_link){(uint8_t)*w, (uint8_t)(*w >> 8), (uint16_t)(*w >> 16), w[1]};
    for (uint32_t i = 0; i < n->steps; i++, w += STEP_WORDS)
        t->step[i] = (struct htmt__tape_step){(uint8_t)*w, (uint8_t)(*w >> 8), (uint16_t)(*w >> 16),
                                              w[1], w[2]};
    for (uint32_t i = 0; i < n->sources; i++)
        t->source[i] = *w++;
    for (uint32_t i = 0; i < n->functions; i++, w += FUNCTION_WORDS)
        t->function[i] = (struct htmt__tape_function){name_at(t, n->text, w[0]),
                                                      name_at(t, n->text, w[1]), w[2]};
    t->program = (struct htmt__tape_program){.blocks = t->block,
                                             .ops = t->op,
                                             .chains = t->chain,
                                             .links = t->link,
                                             .steps = t->step,
                                             .sources = t->source,
                                             .functions = t->function,
                                             .block_count = n->blocks,
                                             .op_count = n->ops,
                                             .chain_count = n->chains,
                                             .link_count = n->links,
                                             .step_count = n->steps,
                                             .source_count = n->sources,
                                             .function_count = n->functions};
    /* What htmt__tape_build() would pack, stands here already. */
    t->program.build =
        htmt__tape_hash(HTMT__HASH_BASIS, words, htmt__tape_words(n) * sizeof *words);
    t->program.build = htmt__tape_hash(t->program.build, text, n->text);
    return &t->program;
}

struct htmt__tape_program *htmt__tape_copy(const struct htmt__tape_program *program)
{
    const struct htmt__tape_counts n = htmt__tape_count(program);
    const uint64_t words = htmt__tape_words(&n);
    uint32_t *all = calloc(1, words * sizeof *all + n.text + 8);
    struct htmt__tape_program *copy = NULL;
    if (all) {
        htmt__tape_pack(program, all, (char *)(all + words));
        copy = htmt__tape_unpack(&n, all, (const char *)(all + words));
    }
    free(all);
    if (copy)
        memcpy(copy->name, program->name, sizeof copy->name);
    return copy;
}

/* ---- numbers that lead nowhere --------------------------------------------------------------- */

static bool within(uint32_t first, uint32_t n, uint32_t count)
{
    return first <= count && n <= count - first;
}

/* A block with steps has one for each of its accesses; choices come first, in pairs. */
static const char *check_steps(const struct htmt__tape_program *p, const struct htmt__tape_block *b)
{
    uint32_t accesses = 0;
    bool begun = false;
    if (!within(b->step, b->steps, p->step_count))
        return "a block's steps lie beyond their table";
    for (uint32_t i = b->step; i < b->step + b->steps; i++) {
        const struct htmt__tape_step *s = &p->steps[i];
        const bool choice = s->operation == HTMT__STEP_CHOICE;
        if (s->operation >= HTMT__STEPS || s->type >= HTMT_OPERAND_TYPES ||
            (!s->n && s->operation != HTMT__TAPE_KEPT &&
             (s->operation >= HTMT_OPERATIONS || htmt_operand_lanes(s->type) == 1)))
            return "a step's operation or its type is unknown";
        if (!within(s->source, s->sources, p->source_count))
            return "a step's sources lie beyond their table";
        if (choice && (begun || s->sources % 2))
            return "a choice stands behind other steps or has half a source";
        for (uint32_t k = 0; k < s->sources; k++) {
            const uint32_t source = p->sources[s->source + k];
            const bool block = choice && k % 2 == 0, none = choice && source == HTMT__TAPE_NO_STEP;
            if (block ? source >= p->block_count : !none && source >= p->step_count)
                return "a step's source is unknown";
        }
        begun = begun || !choice;
        accesses += s->operation == HTMT__STEP_LOAD || s->operation == HTMT__STEP_STORE;
    }
    return b->steps && accesses != b->accesses ? "a block has steps for other accesses" : NULL;
}

const char *htmt__tape_check(const struct htmt__tape_program *p)
{
    bool strange = false;
    for (uint32_t i = 0; i < p->block_count; i++) {
        const struct htmt__tape_block *b = &p->blocks[i];
        if (!within(b->op, b->ops, p->op_count) || !within(b->wait, b->waits, p->op_count) ||
            !within(b->chain, b->chains, p->chain_count))
            return "a block's operations or chains lie beyond their table";
        if (b->function >= p->function_count || b->end > HTMT__END_RETURN)
            return "a block's function or end is unknown";
        if (b->loop_end && (b->loop_end < i || b->loop_end >= p->block_count))
            return "a loop ends before it begins or beyond the last block";
        const char *wrong = check_steps(p, b);
        if (wrong)
            return wrong;
    }
    for (uint32_t i = 0; i < p->op_count; i++)
        strange |= p->ops[i].operation > HTMT_OPERATIONS || p->ops[i].type >= HTMT_OPERAND_TYPES;
    for (uint32_t i = 0; i < p->block_count; i++) /* loads stand among those that are waited for */
        for (uint32_t o = 0; o < p->blocks[i].ops; o++)
            strange |= p->ops[p->blocks[i].op + o].operation == HTMT_OPERATIONS;
    if (strange)
        return "an operation or its type is unknown";
    for (uint32_t i = 0; i < p->chain_count; i++)
        if (!within(p->chains[i].first, p->chains[i].n, p->link_count))
            return "a chain lies beyond its table";
    for (uint32_t i = 0; i < p->link_count; i++)
        if (p->links[i].operation > HTMT_OPERATIONS || p->links[i].type >= HTMT_OPERAND_TYPES ||
            p->links[i].block >= p->block_count)
            return "a chain's operation or block is unknown";
    return NULL;
}
