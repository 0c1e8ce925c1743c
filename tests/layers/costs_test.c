/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/file/costs.h"

#include "layers/machine/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct htmt_schema_row cannon_keys[] = {
    {.key = "problem.t", .kind = HTMT_UNIT_COUNT},
    {.key = "problem.subblock-edge", .kind = HTMT_UNIT_COUNT},
    {.key = "cram.subblocks-a", .kind = HTMT_UNIT_COUNT},
    {.key = "cram.subblocks-b", .kind = HTMT_UNIT_COUNT},
    {.key = "cram.subblocks-c", .kind = HTMT_UNIT_COUNT},
    {.key = "sram.blocks", .kind = HTMT_UNIT_COUNT},
    {.key = "multiply.flop", .kind = HTMT_UNIT_OPERATIONS},
    {.key = "transform.accesses", .kind = HTMT_UNIT_OPERATIONS},
    {.key = "transform.accesses-c", .kind = HTMT_UNIT_OPERATIONS},
    {.key = "bundle.inward-blocks", .kind = HTMT_UNIT_COUNT},
    {.key = "bundle.outward-blocks", .kind = HTMT_UNIT_COUNT},
    {.key = "block-multiply.inward-subblocks", .kind = HTMT_UNIT_COUNT},
    {.key = "block-multiply.outward-subblocks", .kind = HTMT_UNIT_COUNT},
    {.key = NULL},
};

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])

/* The printed counts of the papers give the totals that they print from them. */
Test(costs, cannon_amaral_gives_the_papers_counts)
{
    struct htmt_costs *c = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_costs_load("cannon-amaral", "cannon", cannon_keys, NULL, 0, &c, &fault), 0,
                 "%s", fault.text);
    uint64_t b = htmt_costs_whole(c, "problem.subblock-edge");
    uint64_t t = htmt_costs_whole(c, "problem.t"), s = 64;
    uint64_t block = t * b * t * b;
    cr_expect_eq(htmt_costs_whole(c, "transform.accesses") * block * (s + 1), 1373125000);
    cr_expect_eq(htmt_costs_whole(c, "transform.accesses-c") * block, 21125000);
    cr_expect_eq(htmt_costs_whole(c, "multiply.flop") * b * b * b, 3906250);
    cr_expect_eq(htmt_costs_whole(c, "sram.blocks") * block, 31687500);
    uint64_t subblocks = htmt_costs_whole(c, "cram.subblocks-a") +
                         htmt_costs_whole(c, "cram.subblocks-b") +
                         htmt_costs_whole(c, "cram.subblocks-c");
    cr_expect_eq(subblocks * b * b * HTMT_WORD, 1048576 - 173576);
    cr_expect_eq(htmt_costs_whole(c, "bundle.inward-blocks"), 2);
    cr_expect_eq(htmt_costs_whole(c, "bundle.outward-blocks"), 1);
    cr_expect_eq(htmt_costs_whole(c, "block-multiply.inward-subblocks"), 2);
    cr_expect_eq(htmt_costs_whole(c, "block-multiply.outward-subblocks"), 1);
    cr_expect_str_eq(c->name, "cannon-amaral");
    cr_expect_str_eq(c->app, "cannon");
    htmt_costs_destroy(&c);
    cr_expect_null(c);
    htmt_costs_destroy(&c);
    htmt_costs_destroy(NULL);
}

static const struct htmt_schema_row keys[] = {
    {.key = "util", .kind = HTMT_UNIT_SHARE},
    {.key = "stage.assembly", .kind = HTMT_UNIT_CYCLES},
    {.key = "stage.code", .kind = HTMT_UNIT_SIZE},
    {"stage.flop", HTMT_UNIT_OPERATIONS, .least = 100, .most = 200},
    {"count", HTMT_UNIT_COUNT, .least = 3, .most = 3},
    {.key = NULL},
};

#define HEAD  "htmt-costs: 1\napp: pic\ncosts:\n"
#define UTIL  "  util: {value: 0.88, source: s}\n" /* line 4 */
#define COUNT "  count: {value: 3, source: s}\n"   /* line 5 */
#define STAGE "  stage:\n"                         /* line 6 */
#define CYCLE "    assembly: {value: 140500 cycles, source: s}\n"
#define CODE  "    code: {value: 8 KiB, source: s}\n"
#define FLOP  "    flop: {value: 200 flop, source: s}\n"
#define WHOLE HEAD UTIL COUNT STAGE CYCLE CODE FLOP

static int parse(const char *text, struct htmt_costs **c, struct htmt_fault *fault)
{
    return htmt_costs_parse("c.yaml", text, "pic", keys, c, fault);
}

Test(costs, each_kind_is_read_in_its_unit)
{
    struct htmt_costs *c = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(parse(WHOLE, &c, &fault), 0, "%s", fault.text);
    struct htmt_ratio util = htmt_costs_ratio(c, "util");
    cr_expect(util.num == 22 && util.den == 25);
    cr_expect_eq(htmt_costs_whole(c, "stage.assembly"), 140500);
    cr_expect_eq(htmt_costs_whole(c, "stage.code"), 1024);
    cr_expect_eq(htmt_costs_whole(c, "stage.flop"), 200);
    cr_expect_eq(htmt_costs_whole(c, "count"), 3);
    cr_expect_str_eq(c->figure[1].key, "stage.assembly");
    cr_expect_eq(c->figure[1].line, 7);
    htmt_costs_destroy(&c);
}

Test(costs, every_mistake_names_its_line)
{
    static const struct {
        const char *text;
        int code;
        const char *message;
    } list[] = {
        {"htmt-costs: 3\napp: pic\n", HTMT_EFORMAT,
         "c.yaml:1: htmt-costs: found version '3', expected '1'"},
        {"htmt-costs: 1\n\napp: sar\n", HTMT_EFORMAT, "c.yaml:3: app: found 'sar', expected 'pic'"},
        {"htmt-costs: 1\napp: pic\n", HTMT_EFORMAT,
         "c.yaml:1: a cost file: key 'costs' is missing"},
        {"htmt-costs: 1\napp: pic\ncost: {}\n", HTMT_EFORMAT,
         "c.yaml:3: a cost file: unknown key 'cost', did you mean 'costs'?"},
        {HEAD UTIL COUNT STAGE CYCLE CODE, HTMT_EFORMAT, "c.yaml:1: key 'stage.flop' is missing"},
        {HEAD UTIL COUNT STAGE "    asembly: {value: 1 cycles, source: s}\n", HTMT_EFORMAT,
         "c.yaml:7: unknown key 'stage.asembly', did you mean 'stage.assembly'?"},
        {HEAD UTIL COUNT STAGE "    assembly: 140500 cycles\n", HTMT_EFORMAT,
         "c.yaml:7: stage.assembly: found '140500 cycles' without a source, expected {value: ..., "
         "source: ...}"},
        {HEAD UTIL COUNT STAGE "    assembly: {value: 140500, source: s}\n" CODE FLOP, HTMT_EUNIT,
         "c.yaml:7: stage.assembly: found '140500', expected a number of cycles such as '140500 "
         "cycles'"},
        {HEAD UTIL COUNT STAGE "    assembly: {value: 0.5 cycles, source: s}\n" CODE FLOP,
         HTMT_ERANGE, "c.yaml:7: stage.assembly: expected whole cycles"},
        {HEAD UTIL COUNT STAGE CYCLE CODE "    flop: {value: 200 ps, source: s}\n", HTMT_EUNIT,
         "c.yaml:9: stage.flop: found '200 ps', expected a number of operations such as '200 "
         "flop'"},
        {HEAD UTIL COUNT STAGE CYCLE CODE "    flop: {value: 201 flop, source: s}\n", HTMT_ERANGE,
         "c.yaml:9: stage.flop: found 201 flop, expected 100 to 200"},
        {HEAD UTIL "  count: {value: 2, source: s}\n" STAGE CYCLE CODE FLOP, HTMT_ERANGE,
         "c.yaml:5: count: found 2, expected 3: the program has and moves so many"},
        {HEAD UTIL COUNT "  stage: {}\n", HTMT_EFORMAT,
         "c.yaml:6: unknown key 'stage', expected one of 'util', 'stage.assembly', 'stage.code', "
         "'stage.flop', 'count'"},
    };
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        struct htmt_costs *c = NULL;
        struct htmt_fault fault = {0};
        cr_expect_eq(parse(list[i].text, &c, &fault), list[i].code, "%s", list[i].message);
        cr_expect_str_eq(fault.text, list[i].message);
        cr_expect_null(c);
    }
}

/* A program divides by it. */
Test(costs, zero_is_refused_where_more_is_needed)
{
    static const struct htmt_schema_row above[] = {
        {.key = "va.instructions", .kind = HTMT_UNIT_SHARE, .above_least = true}, {.key = NULL}};
    struct htmt_costs *c = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_costs_parse("c.yaml",
                                  "htmt-costs: 1\napp: prim\ncosts:\n  va:\n"
                                  "    instructions: {value: 0.000, source: s}\n",
                                  "prim", above, &c, &fault),
                 HTMT_ERANGE);
    cr_expect_str_eq(fault.text, "c.yaml:5: va.instructions: found 0, expected more than zero");
    cr_expect_null(c);
}

Test(costs, set_changes_what_is_known_and_refuses_the_rest)
{
    const char *good = "problem.t=6", *bad = "problem.q=2";
    struct htmt_costs *c = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_costs_load("cannon-amaral", "cannon", cannon_keys, &good, 1, &c, &fault), 0,
                 "%s", fault.text);
    cr_expect_eq(htmt_costs_whole(c, "problem.t"), 6);
    htmt_costs_destroy(&c);
    cr_expect_eq(htmt_costs_load("cannon-amaral", "cannon", cannon_keys, &bad, 1, &c, &fault),
                 HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, "--set: unknown key 'problem.q', did you mean 'problem.t'?");
}

Test(costs, the_hash_is_of_values)
{
    struct htmt_costs *a = NULL, *b = NULL, *c = NULL;
    cr_assert_eq(parse(WHOLE, &a, NULL), 0);
    cr_assert_eq(parse(HEAD UTIL STAGE CYCLE
                       "    code: {value: 1024 words, source: other}\n" FLOP COUNT,
                       &b, NULL),
                 0);
    cr_assert_eq(parse(HEAD UTIL COUNT STAGE CYCLE
                       "    code: {value: 1025 words, source: s}\n" FLOP,
                       &c, NULL),
                 0);
    cr_expect_eq(a->hash, b->hash);
    cr_expect_neq(a->hash, c->hash);
    htmt_costs_destroy(&a);
    htmt_costs_destroy(&b);
    htmt_costs_destroy(&c);
}

Test(costs, a_name_is_searched_in_the_folders_of_the_variable)
{
    struct htmt_costs *c = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(setenv("HTMT_COSTS_PATH", "/nowhere", 1), 0);
    cr_expect_eq(htmt_costs_load("cannon-amaral", "cannon", cannon_keys, NULL, 0, &c, &fault),
                 HTMT_ENOENT);
    cr_expect_str_eq(fault.text,
                     "no cost file 'cannon-amaral' (no cannon-amaral.yaml in /nowhere)");
}
