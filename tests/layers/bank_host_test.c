/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Machines whose slices a host joins: what a file says, what the bus takes by hand, and what is
 * refused. Runs in the source folder, where tests/pim/bank.yaml is.
 */
#include "layers/bank/controller.h"

#include "layers/machine/parts.h"
#include "tests/files/place.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BANK "tests/pim/bank.yaml"
#define US   INT64_C(1000000000)

enum { HOST, MRAM, WRAM };

static struct htmt_machine *bank(void)
{
    struct htmt_machine *m = machine_load(BANK, NULL);
    return m;
}

/* The test machine with `old` replaced is refused by that line. */
static void refused(const char *old, const char *new, const char *message)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    char *changed = file_changed(BANK, old, new);
    int rc = htmt_machine_parse("m.yaml", changed, &m, &fault);
    cr_expect_neq(rc, 0, "%s", message);
    cr_expect(strstr(fault.text, message), "'%s' is not in '%s'", message, fault.text);
    htmt_machine_destroy(&m);
    free(changed);
}

Test(bank_host, a_file_has_host_bank_scratch_and_their_figures)
{
    struct htmt_machine *m = bank();
    const struct htmt__bank_machine *h = htmt__bank_machine_of(m);
    cr_assert_not_null(h);
    cr_expect_eq(h->controller, HOST);
    cr_expect_eq(h->bank, MRAM);
    cr_expect_eq(h->scratch, WRAM);
    cr_expect_str_eq(htmt__machine_controller(m)->processor.name, "CPU");
    cr_expect_eq(htmt_machine_threads(m, WRAM), 24);
    cr_expect_eq(htmt_machine_threads(m, MRAM), 0);
    cr_expect_eq(h->issue.slots, 11);
    cr_expect_eq(h->issue.code, 24 * 1024);
    cr_expect_eq(htmt__dma_time(&h->engine, 64), 666000000);
    cr_expect_eq(htmt_machine_route(m, MRAM, WRAM, false), (int)h->dma);
    cr_expect_eq(htmt_machine_work(m, WRAM, &(struct htmt_ops){.n = {[HTMT_IOP] = 3}}), 30000000);
    htmt_machine_destroy(&m);
}

Test(bank_host, an_operation_without_a_row_is_refused)
{
    struct htmt_machine *m = bank();
    struct htmt_ratio count = {7, 1};
    cr_assert_eq(htmt_machine_instructions(m, "mul-i32", &count), 0);
    cr_expect(count.num == 291 && count.den == 10);
    cr_expect_eq(htmt_machine_instructions(m, "mul-i64", &count), HTMT_ENOENT);
    cr_expect_eq(count.num, 291, "the count is untouched");
    htmt_machine_destroy(&m);
}

/* start + slices * bytes / rate. Parallel to 2 slices, 8 bytes each: rate between 10 and 20 MB/s at
 * a third, 40/3 MB/s: 1 us + 16 B * 3/40 us = 2.2 us. */
Test(bank_host, the_bus_takes_what_its_curves_say_by_hand)
{
    struct htmt_machine *m = bank();
    const struct htmt__bus *b = &htmt__bank_machine_of(m)->figures;
    bool held = false;
    cr_expect_eq(htmt__bus_time(b, HTMT__TO_BANK, HTMT__SERIAL, HTMT__TO_SLICES, 1, 1000, &held),
                 10 * US);
    cr_expect_eq(htmt__bus_time(b, HTMT__TO_BANK, HTMT__PARALLEL, HTMT__TO_SLICES, 2, 8, &held),
                 2200000000);
    cr_expect_eq(htmt__bus_time(b, HTMT__TO_BANK, HTMT__PARALLEL, HTMT__TO_SLICES, 4, 8, &held),
                 3600000000);
    cr_expect_not(held);
    cr_expect_eq(htmt__bus_time(b, HTMT__TO_BANK, HTMT__PARALLEL, HTMT__TO_SLICES, 4, 4, &held),
                 2800000000);
    cr_expect(held, "4 bytes lie below the curve");
    cr_expect_eq(
        htmt__bus_time(b, HTMT__TO_SCRATCH, HTMT__PARALLEL, HTMT__TO_SLICES, 2, 4096, NULL),
        (5 * US + 2) / 3);
    cr_expect_eq(htmt__bus_launch(b, 2, false, NULL), 10 * US);
    cr_expect_eq(htmt__bus_launch(b, 3, false, NULL), 20 * US);
    htmt_machine_destroy(&m);
}

Test(bank_host, a_transfer_that_is_not_there_or_outside_is_refused)
{
    struct htmt_machine *m = bank();
    const struct htmt__bus *b = &htmt__bank_machine_of(m)->figures;
    cr_expect_eq(htmt__bus_time(b, HTMT__TO_BANK, HTMT__BROADCAST, HTMT__FROM_SLICES, 1, 8, NULL),
                 -2);
    cr_expect_eq(htmt__bus_time(b, HTMT__TO_BANK, HTMT__PARALLEL, HTMT__FROM_SLICES, 5, 8, NULL),
                 -3);
    cr_expect_eq(htmt__bus_launch(b, 5, false, NULL), -3);
    htmt_machine_destroy(&m);
}

Test(bank_host, a_dump_loads_to_the_same_machine_and_a_copy_is_its_own)
{
    static const char *const files[] = {BANK, "upmem-e19", "upmem-p21"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct htmt_machine *m = NULL, *again = NULL, *copy = NULL;
        struct htmt_fault fault = {0};
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        cr_assert_eq(htmt_machine_load(files[i], NULL, 0, &m, &fault), 0, "%s", fault.text);
        cr_assert_eq(htmt_machine_dump(m, out), 0);
        fclose(out);
        cr_assert_eq(htmt_machine_parse("dump", text, &again, &fault), 0, "%s", fault.text);
        cr_expect_eq(m->hash, again->hash, "%s", files[i]);
        cr_assert_eq(htmt__machine_copy(m, &copy), 0);
        htmt_machine_destroy(&m);
        cr_expect_eq(htmt__bus_ranks(&copy->bank_machine->figures, 1), 1);
        cr_expect_eq(htmt_machine_threads(copy, WRAM), 24);
        htmt_machine_destroy(&again);
        htmt_machine_destroy(&copy);
        free(text);
    }
}

/* Every figure of the shipped machines reaches the hash, points of curves too. */
Test(bank_host, a_changed_point_changes_the_hash)
{
    struct htmt_machine *m = NULL, *n = NULL;
    struct htmt_fault fault = {0};
    const char *set = "networks.bus.parallel.to.rate.value.4.8=21 MB/s";
    cr_assert_eq(htmt_machine_load(BANK, NULL, 0, &m, &fault), 0);
    cr_assert_eq(htmt_machine_load(BANK, &set, 1, &n, &fault), 0, "%s", fault.text);
    cr_expect_neq(m->hash, n->hash);
    htmt_machine_destroy(&m);
    htmt_machine_destroy(&n);
}

Test(bank_host, bad_files_are_refused_in_one_line)
{
    refused("1: {8: 10 MB/s, 1048576: 1 GB/s}", "1: {16: 10 MB/s, 8: 1 GB/s}",
            "found point 8 after 16, expected ascending points");
    refused("launch: {value: {1: 10 us, 2: 20 us}", "launch: {value: {1: 10 us, x: 20 us}",
            "found point 'x', expected a whole number");
    refused("by: [processors, bytes]", "by: [colour, bytes]",
            "expected 'processors', 'ranks' or 'bytes'");
    refused("beyond: hold", "beyond: guess", "found 'guess', expected 'hold' or 'refuse'");
    refused("by: [processors, bytes]", "by: [processors, bytes, ranks]",
            "expected one name or a list of two");
    refused("{value: 24, source: test}\n      slots", "{value: 40, source: test}\n      slots",
            "found '40', expected at most 32");
    refused("{value: 29.1, source: test}", "{value: 0, source: test}",
            "found 0, expected more than zero");
    refused("scope: machine", "scope: slice", "'layers.host.processor.count' is missing");
    refused("processor: none", "scope: machine\n    processor: {name: X}", "expected three layers");
    refused("scope: machine", "scope: moon", "expected 'slice' or 'machine'");
    refused("slots: {value: 11, source: test}", "count: {value: 11, source: test}", "missing");
    refused("      code:", "      lambda: {value: 0.5, source: test}\n      code:",
            "a machine with a host does not know this key");
    refused("rate: {value: 2 B/cycle, source: test}", "rate: {value: 2 cycle, source: test}",
            "expected a rate such as '2 B/cycle'");
    refused("{1: 100 MB/s, 4: 400 MB/s}", "{1: 0 MB/s, 4: 400 MB/s}",
            "found 0, expected more than zero");
    refused("mul-i32", "frob-i32",
            "m.yaml:37: layers.wram.processor.instructions: found operation "
            "'frob-i32', expected load, store, or one with its type");
    refused("mul-i32", "mul-i33", "found operation 'mul-i33'");
    refused("mul-i32", "compare", "found operation 'compare'");
}

Test(bank_host, curves_without_points_or_arguments_are_refused)
{
    refused("{value: {1: 10 us, 2: 20 us}, by: ranks", "{value: {}, by: ranks",
            "m.yaml:61: networks.bus.launch.value: found no point, expected one");
    refused("{value: {1: 100 MB/s, 4: 400 MB/s}, by: processors",
            "{value: {1: {}}, by: [ranks, bytes]",
            "from.rate.value.1: found no point, expected one");
    refused("by: ranks", "by: bytes", "networks.bus.launch.by: expected 'processors' or 'ranks'");
    refused("{1: 10 us, 2: 20 us}, by: ranks", "{1: {8: 10 us}}, by: [ranks, bytes]",
            "networks.bus.launch.by-next: expected 'processors' or 'ranks'");
    refused("by: [processors, bytes]", "by: [bytes, bytes]",
            "parallel.to.rate.by-next: expected another argument than the first");
}

/* No time depends on the key: a file may leave it out. */
Test(bank_host, lanes_may_be_missing)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    char *text = file_changed(BANK, "    lanes: {value: 2, source: test}\n", "");
    cr_expect_eq(htmt_machine_parse("m.yaml", text, &m, &fault), 0, "%s", fault.text);
    htmt_machine_destroy(&m);
    free(text);
}
