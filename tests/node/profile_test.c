/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/profile.h"

#include "layers/node/generator.h"
#include "loops.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const struct htmt__profile *p)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    htmt__profile_write(p, out);
    fclose(out);
    return text;
}

static struct htmt__profile *measured(const struct htmt__tape *tape)
{
    struct htmt_fault fault = {0};
    struct htmt__profile *p = NULL;
    cr_assert_eq(htmt__profile_measure(&p, tape, "test", &fault), 0, "%s", fault.text);
    return p;
}

static struct htmt__profile *parsed(const char *text)
{
    struct htmt_fault fault = {0};
    struct htmt__profile *p = NULL;
    cr_assert_eq(htmt__profile_parse(&p, "p.yaml", text, &fault), 0, "%s", fault.text);
    return p;
}

static struct htmt__tape *generated(const struct htmt__profile *p, uint64_t seed)
{
    struct htmt__tape *tape;
    struct htmt__tape_writer w;
    struct htmt__generator *g;
    cr_assert_eq(htmt__tape_new(&tape, NULL), 0);
    cr_assert_eq(htmt__tape_open(&w, htmt__tape_append, tape), 0);
    cr_assert_eq(htmt__generator_new(&g, p, seed), 0);
    for (uint64_t i = 0; i < p->services; i++) {
        cr_assert_eq(htmt__generator_service(g, &w), 0);
        htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_END, 0, 0));
    }
    htmt__generator_free(g);
    cr_assert_eq(htmt__tape_close(&w), 0);
    return tape;
}

static uint64_t entry_of(const struct htmt__tape *tape, uint64_t i)
{
    size_t n;
    return htmt__tape_chunk(tape, (size_t)(i / HTMT__TAPE_CHUNK), &n)[i % HTMT__TAPE_CHUNK];
}

static uint64_t different_entries(const struct htmt__tape *a, const struct htmt__tape *b)
{
    const uint64_t n = htmt__tape_entries(a);
    uint64_t different = 0;
    cr_assert_eq(htmt__tape_entries(b), n);
    for (uint64_t i = 0; i < n; i++)
        different += entry_of(a, i) != entry_of(b, i);
    return different;
}

Test(profile, a_file_is_read_as_it_was_written)
{
    for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k++) {
        struct htmt__tape *tape = loop_tape(&loops[k]);
        struct htmt__profile *p = measured(tape);
        char *text = text_of(p);
        struct htmt__profile *again = parsed(text);
        char *second = text_of(again);
        cr_assert_str_eq(text, second, "%s", loops[k].name);
        struct htmt__tape *first = generated(p, 3), *other = generated(again, 3);
        cr_assert_eq(different_entries(first, other), 0, "%s", loops[k].name);
        htmt__tape_free(first);
        htmt__tape_free(other);
        htmt__tape_free(tape);
        htmt__profile_free(p);
        htmt__profile_free(again);
        free(text);
        free(second);
    }
}

/* Operations of all kinds, of a type, and accesses. */
struct mix {
    uint64_t n[HTMT_OPERATIONS][HTMT_OPERAND_TYPES], loads, stores, taken, branches, instructions;
};

static struct mix mix_of(const struct htmt__tape *tape)
{
    struct mix mix = {0};
    for (uint64_t i = 0; i < htmt__tape_entries(tape); i++) {
        const uint64_t entry = entry_of(tape, i), address = htmt__tape_address(entry);
        const unsigned width = htmt__tape_width(entry);
        mix.loads += htmt__tape_kind(entry) == HTMT__TAPE_LOAD;
        mix.stores += htmt__tape_kind(entry) == HTMT__TAPE_STORE;
        if (htmt__tape_kind(entry) == HTMT__TAPE_OP)
            mix.n[width][address & 255] += address >> 8;
        if (htmt__tape_kind(entry) == HTMT__TAPE_CODE)
            mix.instructions += width;
        if (htmt__tape_kind(entry) == HTMT__TAPE_BRANCH) {
            mix.taken += width;
            mix.branches++;
        }
    }
    return mix;
}

Test(profile, every_seed_has_the_mix_of_the_trace)
{
    for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k++) {
        struct htmt__tape *tape = loop_tape(&loops[k]);
        struct htmt__profile *p = measured(tape);
        const struct mix mix = mix_of(tape);
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct htmt__tape *made = generated(p, seed);
            const struct mix other = mix_of(made);
            cr_assert_arr_eq(&mix, &other, sizeof mix, "%s", loops[k].name);
            htmt__tape_free(made);
        }
        htmt__tape_free(tape);
        htmt__profile_free(p);
    }
}

Test(profile, several_services_have_the_operations_of_all)
{
    struct htmt__tape *tape;
    struct htmt__tape_writer w;
    cr_assert_eq(htmt__tape_new(&tape, NULL), 0);
    cr_assert_eq(htmt__tape_open(&w, htmt__tape_append, tape), 0);
    for (uint64_t n = 100; n <= 500; n += 200) {
        for (uint64_t i = 0; i < n; i++) {
            htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_CODE, 3, 64));
            htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_LOAD, 8, 8 * i));
            htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_BRANCH, i + 1 < n, 72));
        }
        htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_END, 0, 0));
    }
    cr_assert_eq(htmt__tape_close(&w), 0);
    struct htmt__profile *p = measured(tape);
    cr_assert_eq(p->services, 3);
    struct htmt__tape *made = generated(p, 1);
    cr_assert_eq(different_entries(tape, made), 0);
    htmt__tape_free(made);
    htmt__tape_free(tape);
    htmt__profile_free(p);
}

/* Fifty turns of block 2, which loads twice. */
static struct htmt__tape *fifty_turns(const struct htmt__tape_program *program)
{
    struct htmt__tape *tape;
    struct htmt__tape_writer w;
    cr_assert_eq(htmt__tape_new(&tape, program), 0);
    cr_assert_eq(htmt__tape_open(&w, htmt__tape_append, tape), 0);
    htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_BLOCK, 0, 0));
    for (uint64_t i = 0; i < 50; i++) {
        htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_BLOCK, 0, 2));
        htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_LOAD, 8, 8 * i));
        htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_LOAD, 8, 4096 + 8 * i));
    }
    htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_BLOCK, 0, 3));
    htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_END, 0, 0));
    cr_assert_eq(htmt__tape_close(&w), 0);
    return tape;
}

/* Two blocks of a compiled loop with a chain. */
Test(profile, compiled_blocks_keep_their_tables)
{
    const struct htmt__tape_op ops[] = {{HTMT_MUL, HTMT_F64, 1},
                                        {HTMT_ADD, HTMT_F64, 1},
                                        {HTMT_MUL, HTMT_F64, 1},
                                        {HTMT_OPERATIONS, 0, 3}};
    const struct htmt__tape_link links[] = {{HTMT_OPERATIONS, 0, 1, 2}, {HTMT_ADD, HTMT_F64, 0, 0}};
    const struct htmt__tape_chain chains[] = {{0, 2}};
    const struct htmt__tape_block blocks[] = {
        {.code = 0, .instructions = 2},
        {.code = 8, .instructions = 1},
        {.code = 12,
         .instructions = 6,
         .ops = 2,
         .wait = 2,
         .waits = 2,
         .chains = 1,
         .loop_end = 2,
         .accesses = 2,
         .end = HTMT__END_CONDITION},
        {.code = 36, .instructions = 1, .end = HTMT__END_RETURN}};
    const struct htmt__tape_function functions[] = {{"loop", "loop.c", 3}};
    struct htmt__tape_program program = {.blocks = blocks,
                                         .ops = ops,
                                         .chains = chains,
                                         .links = links,
                                         .functions = functions,
                                         .block_count = 4,
                                         .op_count = 4,
                                         .chain_count = 1,
                                         .link_count = 2,
                                         .function_count = 1};
    struct htmt__tape *tape = fifty_turns(&program);
    struct htmt__profile *p = measured(tape);
    char *text = text_of(p);
    struct htmt__profile *again = parsed(text);
    const struct htmt__tape_block *b = &again->program->blocks[2];
    const struct htmt__tape_chain *chain = &again->program->chains[b->chain];
    cr_assert_eq(b->instructions, 6);
    cr_assert_eq(b->loop_end, 2);
    cr_assert_eq(b->accesses, 2);
    cr_assert_eq(b->end, HTMT__END_CONDITION);
    cr_assert_eq(again->program->ops[b->op + 1].operation, HTMT_ADD);
    cr_assert_eq(b->waits, 2);
    cr_assert_eq(again->program->ops[b->wait].operation, HTMT_MUL);
    cr_assert_eq(again->program->ops[b->wait + 1].operation, HTMT_OPERATIONS);
    cr_assert_eq(again->program->ops[b->wait + 1].n, 3);
    cr_assert_eq(b->chains, 1);
    cr_assert_eq(chain->n, 2);
    cr_assert_eq(again->program->links[chain->first].operation, HTMT_OPERATIONS);
    cr_assert_eq(again->program->links[chain->first].access, 1);
    cr_assert_eq(again->program->links[chain->first].block, 2);
    cr_assert_eq(again->program->links[chain->first + 1].operation, HTMT_ADD);
    struct htmt__tape *made = generated(again, 1);
    cr_assert_eq(different_entries(tape, made), 0);
    htmt__tape_free(made);
    htmt__tape_free(tape);
    htmt__profile_free(p);
    htmt__profile_free(again);
    free(text);
}

Test(profile, far_accesses_keep_their_stack_distances_and_sets)
{
    static const char text[] =
        "htmt-profile: 1\nkernel: far\nregions:\n"
        "  - {name: heap, at: 0, bytes: 1048576, sets: 4, distances: [100, 0, 0, 0, 0, 900]}\n"
        "blocks:\n  - operations: add-f64\n    next: \"0 x 9999, end\"\n    accesses:\n"
        "      - {load: 8, region: heap, strides: \"far\"}\n";
    struct htmt__profile *p = parsed(text);
    struct htmt__tape *tape = generated(p, 9);
    struct htmt__profile *q = measured(tape);
    const struct htmt__profile_region *r = &q->region[0];
    uint64_t sum = 0;
    for (int i = 0; i < HTMT__PROFILE_CLASSES; i++)
        sum += r->distances[i];
    cr_assert_eq(sum, 10000);
    cr_assert_eq(r->sets, 4);
    /* 4 x 256 lines: some of 1000 draws of a fresh one find none in 16 tries. */
    cr_assert_gt(r->distances[0], 700);
    cr_assert_lt(r->distances[0], 1100);
    cr_assert_gt(r->distances[5], 8600);
    htmt__tape_free(tape);
    htmt__profile_free(p);
    htmt__profile_free(q);
}

#define HEAD "htmt-profile: 1\nkernel: k\nregions:\n  - {name: x, at: 0, bytes: 64}\nblocks:\n"

Test(profile, a_bad_profile_is_refused_with_file_and_line)
{
    static const char *const bad[][2] = {
        {"htmt-profile: 1\nkernel: k\nblocks: []\n", "p.yaml:3: blocks: a profile without mass"},
        {HEAD "  - next: end\n", "a profile without mass"},
        {HEAD "  - operations: add-f64\n    next: \"0 x 4\"\n", "expected 'end'"},
        {HEAD "  - operations: \"add-f64, frob-f64\"\n    next: end\n",
         "p.yaml:6: operations: found 'frob-f64', expected operations and types"},
        {HEAD "  - operations: add-f16\n    next: end\n",
         "p.yaml:6: operations: found 'add-f16', expected operations and types"},
        {HEAD "  - operations: add-f64\n    next: 1, end\n",
         "p.yaml:7: next: found 1, expected numbers from 0 to 0"},
        {HEAD "  - operations: add-f64\n    next: far, end\n", "p.yaml:7: next: found 'far'"},
        {HEAD "  - operations: add-f64\n    next: 0 y 4\n", "p.yaml:7: next: found 'y 4'"},
        {HEAD "  - operations: add-f64\n    next: end\n    number: 3\n",
         "p.yaml:8: number: found 3, expected the number of an entry of 'code'"},
        {HEAD "  - next: end\n    accesses:\n      - {load: 8, region: y}\n",
         "p.yaml:8: region: found 'y', expected the name of a region"},
        {HEAD "  - next: end\n    accesses:\n      - {region: x}\n",
         "p.yaml:8: load: expected either"},
        {HEAD "  - next: end\n    accesses:\n      - {load: 8, region: x, low: 60, bytes: 8}\n",
         "p.yaml:8: low: found 60 and 8 bytes"},
        {HEAD "  - next: end\n    accesses:\n      - {load: 8, region: x, beside: 0}\n",
         "p.yaml:8: beside: found 0, expected an access before number 0"},
        {HEAD "  - next: end\n    speed: 3\n", "p.yaml:7: blocks: unknown key 'speed'"},
        {"htmt-profile: 2\nkernel: k\nblocks: []\n", "p.yaml:1: htmt-profile: found 2, expected 1"},
        {"htmt-profile: 1\nkernel: k\ncode:\n  - {number: 0, chains: \"mul-f64, sing\"}\nblocks: "
         "[]\n",
         "p.yaml:4: chains: found 'sing'"},
        {"htmt-profile: 1\nkernel: k\ncode:\n  - {number: 0, waits: \"load x 3, sing\"}\nblocks: "
         "[]\n",
         "p.yaml:4: waits: found 'sing'"},
        {"htmt-profile: 1\nkernel: k\ncode:\n  - {number: 0, operations: load}\nblocks: []\n",
         "p.yaml:4: operations: found 'load'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct htmt_fault fault = {0};
        struct htmt__profile *p;
        cr_assert_neq(htmt__profile_parse(&p, "p.yaml", bad[i][0], &fault), 0, "%s", bad[i][0]);
        cr_assert_not_null(strstr(fault.text, bad[i][1]), "%s\n%s", bad[i][0], fault.text);
    }
}

Test(profile, a_tape_without_operations_has_no_profile)
{
    struct htmt_fault fault = {0};
    struct htmt__profile *p;
    struct htmt__tape *tape;
    cr_assert_eq(htmt__tape_new(&tape, NULL), 0);
    cr_assert_eq(htmt__profile_measure(&p, tape, "none", &fault), HTMT_EINVAL);
    cr_assert_str_eq(fault.text, "the tape has no operations");
    htmt__tape_free(tape);
}
