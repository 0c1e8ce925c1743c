/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cost file of a bound is one that programs read.
 */
#include "emul/loops/bound/outputs.h"
#include "layers/file/costs.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* b has 7 of 8 iterations of a: fused, a cell has 1 + 7/8 additions. `twice` runs two times. */
static const char nests[] =
    "htmt-nests: 1\n"
    "arrays: {u: {box: [10]}, v: {box: [10]}, w: {box: [10]}}\n"
    "nests:\n"
    "  a:\n"
    "    loops: {i: 0..7}\n"
    "    ops: {add: 1}\n"
    "    accesses: ['read u[i]', 'write v[i]']\n"
    "  b:\n"
    "    loops: {i: 0..6}\n"
    "    ops: {add: 1}\n"
    "    accesses: ['read v[i]', 'write w[i]']\n"
    "  Twice.more: {loops: {i: 0..9}, ops: {div: 1}, accesses: ['read u[i]']}\n"
    "program: [nest: a, nest: b, nest: Twice.more, nest: Twice.more]\n";

static const struct htmt_schema_row keys[] = {
    {.key = "a-b.flop", .kind = HTMT_UNIT_SHARE},
    {.key = "a-b.iop", .kind = HTMT_UNIT_SHARE},
    {.key = "a-b.load", .kind = HTMT_UNIT_SHARE},
    {.key = "a-b.store", .kind = HTMT_UNIT_SHARE},
    {.key = "a-b.cells", .kind = HTMT_UNIT_COUNT},
    {.key = "a-b.moved", .kind = HTMT_UNIT_SIZE},
    {.key = "twice-more.flop", .kind = HTMT_UNIT_SHARE},
    {.key = "twice-more.iop", .kind = HTMT_UNIT_SHARE},
    {.key = "twice-more.load", .kind = HTMT_UNIT_SHARE},
    {.key = "twice-more.store", .kind = HTMT_UNIT_SHARE},
    {.key = "twice-more.cells", .kind = HTMT_UNIT_COUNT},
    {.key = "twice-more.moved", .kind = HTMT_UNIT_SIZE},
    {.key = "twice-more-2.flop", .kind = HTMT_UNIT_SHARE},
    {.key = "twice-more-2.iop", .kind = HTMT_UNIT_SHARE},
    {.key = "twice-more-2.load", .kind = HTMT_UNIT_SHARE},
    {.key = "twice-more-2.store", .kind = HTMT_UNIT_SHARE},
    {.key = "twice-more-2.cells", .kind = HTMT_UNIT_COUNT},
    {.key = "twice-more-2.moved", .kind = HTMT_UNIT_SIZE},
    {.key = NULL}};

static void write_costs(const char *path)
{
    const struct htmt__bound_request request = {.capacity = -1};
    struct htmt_fault fault = {0};
    struct htmt_machine *machine = NULL;
    struct htmt__nest_file *file = NULL;
    struct htmt__nest_program *program = NULL;
    struct htmt__bound_rates rates;
    struct htmt__bounds bound;
    cr_assert(!htmt_machine_load("exasat-listing1", NULL, 0, &machine, &fault), "%s", fault.text);
    cr_assert(!htmt__bound_rates_read(machine, &rates, &fault));
    cr_assert(!htmt__nest_file_parse("text", nests, strlen(nests), &file, &fault), "%s",
              fault.text);
    cr_assert(!htmt__nest_program_make(file, NULL, 0, 1, &program, &fault), "%s", fault.text);
    cr_assert(!htmt__nest_program_fuse(program, "a+b", &fault), "%s", fault.text);
    cr_assert(!htmt__bound_make(program, &rates, &request, &bound, &fault), "%s", fault.text);
    const struct htmt__bound_report report = {"some/My_nests.yaml", &bound, NULL, -1};
    cr_assert(!htmt__bound_costs(&report, path, &fault), "%s", fault.text);
    htmt__bound_clear(&bound);
    htmt__nest_program_destroy(&program);
    htmt__nest_file_destroy(&file);
    htmt_machine_destroy(&machine);
}

Test(bound_costs, a_program_of_the_nest_files_name_reads_them_with_their_fractions)
{
    char path[] = "/tmp/htmt-costs-XXXXXX.yaml";
    struct htmt_fault fault = {0};
    struct htmt_costs *c = NULL;
    int descriptor = mkstemps(path, 5);
    cr_assert(descriptor >= 0);
    close(descriptor);
    write_costs(path);
    cr_assert_eq(htmt_costs_load(path, "my-nests", keys, NULL, 0, &c, &fault), 0, "%s", fault.text);
    cr_expect_float_eq(htmt_ratio_value(htmt_costs_ratio(c, "a-b.flop")), 1.875, 0);
    cr_expect_float_eq(htmt_ratio_value(htmt_costs_ratio(c, "a-b.load")), 2, 0);
    cr_expect_float_eq(htmt_ratio_value(htmt_costs_ratio(c, "twice-more-2.flop")), 39, 0);
    cr_expect_eq(htmt_costs_whole(c, "a-b.cells"), 8);
    /* Eight words of u are there from the first loop, all ten from its own first time. */
    cr_expect_eq(htmt_costs_whole(c, "twice-more.moved"), 2);
    cr_expect_eq(htmt_costs_whole(c, "twice-more-2.moved"), 0);
    htmt_costs_destroy(&c);
    cr_expect_eq(htmt_costs_load(path, "cannon", keys, NULL, 0, &c, &fault), HTMT_EFORMAT);
    unlink(path);
}
