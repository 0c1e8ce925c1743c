/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Machine files whose processors have an inside. Runs in the source folder, where machines/ is.
 */
#include "tests/node/example.h"

#include "layers/machine/nodes.h"
#include "layers/machine/parts.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP "htmt-machine: 1\nbase: small-htmt\nlayers:\n  cram:\n    inside:\n" /* 1-5 */
#define S   ", source: s}\n"
#define L1  "      l1: {size: 1 KiB, line: 32 B, ways: 2, replace: lru, hit: 1 cycle" S
#define BUS "      bus: {at: l1-l2, width: 8 B, clock: 10 GHz, arbitration: 1 cycle" S
#define DRAM                                                                                       \
    "      dram: {banks: 1, page: 1 KiB, interleave: 64 KiB, hit: 4 cycles, miss: 10 cycles" S
#define UNITS  "      mul-f64: {value: 4 cycles" S "      add-f64: {latency: 3 cycles" S
#define CRAM   3
#define CYCLES 100000 /* fs, at 10 GHz */

static void refused(const char *text, const char *message)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_expect_lt(htmt_machine_parse("m.yaml", text, &m, &fault), 0);
    cr_expect_str_eq(fault.text, message);
    htmt_machine_destroy(&m);
}

static htmt_time play(const struct htmt_machine *m, const struct entries *e)
{
    struct htmt__node *node;
    cr_assert_eq(htmt__node_new(&node, htmt__machine_node(m, CRAM), NULL), 0);
    cr_assert_eq(htmt__node_play(node, e->at, e->n), 0);
    htmt_time time = htmt__node_finish(node, NULL);
    htmt__node_free(node);
    return time;
}

Test(machine, a_file_describes_the_example)
{
    struct htmt_machine *m = machine_parse(TOP UNITS L1 BUS DRAM);
    struct entries e = {.n = 0};
    put_ddot(&e, 64);
    cr_expect_eq(play(m, &e), 1056 * CYCLES);
    cr_expect_null(htmt__machine_node(m, 0));
    htmt_machine_destroy(&m);
}

/* The example of docs/nodes.md, with the changes that it names. */
Test(machine, the_example_takes_what_the_page_says)
{
    static const struct {
        const char *set;
        int64_t cycles;
    } rows[] = {{"layers.device.inside.dram.banks=1", 1056},
                {"layers.device.inside.dram.banks=2", 876},
                {"layers.device.inside.l1.ways=1", 2496}};
    struct entries e = {.n = 0};
    put_ddot(&e, 64);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct htmt_machine *m = NULL;
        struct htmt_fault fault = {0};
        cr_assert_eq(htmt_machine_load("examples/machines/node.yaml", &rows[i].set, 1, &m, &fault),
                     0, "%s", fault.text);
        cr_expect_eq(cycles_of(htmt__machine_node(m, 1), NULL, &e, NULL), rows[i].cycles);
        htmt_machine_destroy(&m);
    }
}

Test(machine, a_copy_has_its_own_inside)
{
    struct htmt_machine *m = machine_parse(TOP UNITS L1 BUS DRAM), *copy = NULL;
    struct entries e = {.n = 0};
    put_ddot(&e, 64);
    cr_assert_eq(htmt__machine_copy(m, &copy), 0);
    htmt_machine_destroy(&m);
    cr_expect_eq(play(copy, &e), 1056 * CYCLES);
    htmt_machine_destroy(&copy);
}

Test(machine, what_is_written_otherwise_hashes_alike)
{
    uint64_t hash = machine_parse_hash(TOP UNITS L1);
    cr_expect_eq(machine_parse_hash(TOP "      model: node\n" UNITS L1), hash);
    cr_expect_eq(machine_parse_hash(TOP "      mul-f64: {latency: 400 ps, source: t}\n"
                                        "      add-f64: {value: 3 cycle/op" S L1),
                 hash);
    cr_expect_neq(machine_parse_hash(TOP UNITS), hash);
}

Test(machine, an_inside_that_is_taken_away_leaves_no_trace)
{
    uint64_t plain = machine_parse_hash("htmt-machine: 1\nbase: small-htmt\n");
    cr_expect_eq(machine_parse_hash("htmt-machine: 1\nbase: pim-node\n") == plain, false);
    cr_expect_eq(machine_parse_hash("htmt-machine: 1\nbase: small-htmt\nlayers:\n  cram:\n"
                                    "    inside: not-modelled\n"),
                 plain);
}

Test(machine, a_file_describes_a_window)
{
    struct htmt_machine *m = machine_parse(
        TOP L1
        "      order: window\n      reorder: {value: 224" S "      waiting: {value: 97" S
        "      loads: {value: 72" S "      stores: {value: 56" S
        "      tlb: {page: 4 KiB, entries: 96, late: 7 cycles, second: 2048, walk: 40 cycles, "
        "every: 10 cycles, source: x}\n"
        "      forward: {value: 5 cycles" S "      forward-part: {value: 12 cycles" S
        "      beside: {value: 2 cycles" S
        "      jump: {every: 1 cycle, taken: 1 cycle, group: 8, source: x}\n"
        "      unfused: {add: 1 cycle, add-index: 3 cycles, index: 4 cycles, source: x}\n"
        "      sin-f64: {latency: 70 cycles, every: 20 cycles, instructions: 90, places: 40, "
        "latency-5: 40 cycles, latency-9: 60 cycles, every-9: 30 cycles, instructions-9: 99, "
        "source: x}\n"
        "      floor-f64: {latency: 7 cycles, instructions: 8, places: 4, source: x}\n"
        "      rem-f64: {latency: 20 cycles, instructions: 16, places: 4, source: x}\n"
        "      add-f64: {latency: 2 cycles, onward: 3 cycles, units: 4, source: x}\n");
    const struct htmt__node_figures *f = htmt__machine_node(m, CRAM);
    const struct htmt__node_unit *adds = &f->unit[HTMT_ADD][HTMT_F64];
    cr_expect_eq(adds->units, 4);
    cr_expect_eq(adds->onward.num, 3 * CYCLES / adds->onward.den);
    cr_expect_eq(adds->every.num, 2 * CYCLES / adds->every.den);
    cr_expect_eq(f->order, HTMT__NODE_WINDOW);
    cr_expect_eq(f->reorder, 224);
    cr_expect_eq(f->waiting, 97);
    cr_expect_eq(f->loads, 72);
    cr_expect_eq(f->stores, 56);
    cr_expect_eq(f->tlb.page, 4096);
    cr_expect_eq(f->tlb.entries, 96);
    cr_expect_eq(f->tlb.second, 2048);
    cr_expect_eq(f->tlb.walk.num, 40 * CYCLES / f->tlb.walk.den);
    cr_expect_eq(f->forward.num, 5 * CYCLES / f->forward.den);
    cr_expect_eq(f->forward_part.num, 12 * CYCLES / f->forward_part.den);
    cr_expect_eq(f->beside.num, 2 * CYCLES / f->beside.den);
    cr_expect_eq(f->jump.group, 8);
    cr_expect_eq(f->unfused.add_index.num, 3 * CYCLES / f->unfused.add_index.den);
    cr_expect_eq(f->unfused.index.num, 4 * CYCLES / f->unfused.index.den);
    cr_expect_eq(f->unit[HTMT_SIN][HTMT_F64].instructions, 90);
    cr_expect_eq(f->unit[HTMT_SIN][HTMT_F64].places, 40);
    const struct htmt__node_call *sines = f->call[HTMT_SIN][1];
    cr_expect_eq(sines[4].latency.den, 0);
    for (int i = 5; i < HTMT__LIBRARY_RANGES; i++) {
        cr_expect_eq(sines[i].latency.num,
                     (i < 9 ? UINT64_C(40) : 60) * CYCLES / sines[i].latency.den);
        cr_expect_eq(sines[i].every.num, (i < 9 ? UINT64_C(20) : 30) * CYCLES / sines[i].every.den);
        cr_expect_eq(sines[i].instructions, i < 9 ? 90 : 99);
        cr_expect_eq(sines[i].places, 40);
    }
    htmt_machine_destroy(&m);
}

Test(machine, a_derived_file_takes_a_component_away)
{
    struct htmt_machine *m =
        machine_parse("htmt-machine: 1\nbase: pim-node\nlayers:\n  cram:\n    inside:\n"
                      "      dram: not-modelled\n      branch: {value: 9 cycles" S);
    const struct htmt__node_figures *f = htmt__machine_node(m, CRAM);
    cr_expect_not(f->dram.given);
    cr_expect_eq(f->branch.num, 9 * 1000000);
    cr_expect_eq(f->l1.ways, 4);
    htmt_machine_destroy(&m);
}

Test(machine, a_resolved_dump_loads_again_to_the_same_hash)
{
    static const char *const names[] = {"pim-node", "gcel", "powerstone1"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct htmt_machine *m = NULL, *again = NULL;
        struct htmt_fault fault = {0};
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        cr_assert_eq(htmt_machine_load(names[i], NULL, 0, &m, &fault), 0, "%s", fault.text);
        cr_assert_eq(htmt_machine_dump(m, out), 0);
        fclose(out);
        cr_assert_eq(htmt_machine_parse("again", text, &again, &fault), 0, "%s", fault.text);
        cr_expect_eq(m->hash, again->hash);
        htmt_machine_destroy(&m);
        htmt_machine_destroy(&again);
        free(text);
    }
}

/* Units take `every` each, there is no cache, and instructions pass without an issue: the sum of
 * the classes, rounded once, as counted operations have it. At 7 GHz a cycle is 142857 1/7 fs. */
Test(machine, a_flat_inside_equals_counted_operations_to_the_femtosecond)
{
    struct htmt_machine *m = machine_parse(
        "htmt-machine: 1\nbase: small-htmt\nlayers:\n  cram:\n    processor:\n"
        "      clock: {value: 7 GHz" S "      flop: {value: 1 cycle" S
        "      iop: {value: 1 cycle" S "      load: {value: 2 cycle" S
        "      store: {value: 2 cycle" S "    inside:\n      load: {value: 2 cycles" S
        "      store: {value: 2 cycles" S "      add-f64: {latency: 5 cycles, every: 1 cycle" S
        "      add-i64: {value: 1 cycle" S);
    for (uint64_t n = 1; n < 40; n++) {
        struct htmt_ops ops = {
            .n = {[HTMT_FLOP] = n, [HTMT_IOP] = 2 * n, [HTMT_LOAD] = n, [HTMT_STORE] = 1}};
        struct entries e = {.n = 0};
        for (uint64_t i = 0; i < n; i++) {
            put(&e, HTMT__TAPE_LOAD, 8, 800 * i);
            put_op(&e, HTMT_ADD, HTMT_F64);
            put(&e, HTMT__TAPE_OP, HTMT_ADD, HTMT_I64 | 2 << 8);
            put(&e, HTMT__TAPE_BRANCH, 1, 64);
        }
        put(&e, HTMT__TAPE_STORE, 8, 0);
        cr_expect_eq(play(m, &e), htmt_machine_work(m, CRAM, &ops));
    }
    htmt_machine_destroy(&m);
}

/* 8 bytes of code, then 4, at 1 + 10 and 1 + 4 of the open page, and a transfer each. */
Test(machine, a_file_says_that_code_comes_from_memory)
{
    struct htmt_machine *m = machine_parse(TOP BUS DRAM "      fetch: memory\n");
    struct entries e = {.n = 0};
    put(&e, HTMT__TAPE_CODE, 2, HTMT__TAPE_IMAGE);
    put(&e, HTMT__TAPE_CODE, 1, HTMT__TAPE_IMAGE + 8);
    cr_expect_eq(play(m, &e), (12 + 6) * CYCLES);
    htmt_machine_destroy(&m);
}

Test(machine, an_operation_without_latency_is_named_when_it_comes_up)
{
    struct htmt_machine *m = machine_parse(TOP UNITS);
    struct entries e = {.n = 0};
    struct htmt__node *node;
    put_op(&e, HTMT_SIN, HTMT_F64);
    cr_assert_eq(htmt__node_new(&node, htmt__machine_node(m, CRAM), NULL), 0);
    cr_expect_null(htmt__node_unknown(node));
    cr_expect_eq(htmt__node_play(node, e.at, e.n), HTMT_EINVAL);
    cr_expect_str_eq(htmt__node_unknown(node), "sin-f64");
    cr_expect_eq(htmt__node_finish(node, NULL), -1);
    htmt__node_free(node);
    htmt_machine_destroy(&m);
}

/* What a file says, and how it is refused. */
static const struct {
    const char *text, *message;
} refusals[] = {
    /* Keys without effect. */
    {TOP L1 "      order: window\n      jump: {every: 1 cycle, group: 8, source: x}\n",
     "m.yaml:8: layers.cram.inside.jump.group: is of a jump that has 'taken'"},
    {TOP L1 "      order: window\n      tlb: {page: 4 KiB, entries: 64, late: 7 cycles, "
            "index: hashed, source: x}\n",
     "m.yaml:8: layers.cram.inside.tlb.index: is of a tlb that has 'second'"},
    {TOP L1 "      order: window\n      tlb: {page: 4 KiB, entries: 64, late: 7 cycles, "
            "tables: 2, source: x}\n",
     "m.yaml:8: layers.cram.inside.tlb.tables: is of a tlb that has 'second'"},
    {TOP L1 "      order: window\n      add-f64: {value: 2 cycles, instructions: 9, source: x}\n",
     "m.yaml:8: layers.cram.inside.add-f64.instructions: is of a function, such as sin-f64"},
    {TOP L1 "      order: window\n      constant: {value: 2 cycles, places: 9, source: x}\n",
     "m.yaml:8: layers.cram.inside.constant.places: is of a function, such as sin-f64"},
    {TOP L1 "      prefetch: {streams: 2, lines: 2, beside: yes, source: x}\n",
     "m.yaml:7: layers.cram.inside.prefetch: unknown key 'beside', expected one of 'streams', "
     "'lines', 'source'"},
    /* Figures that cannot be. */
    {TOP L1 "      l2: {size: 2 KiB, line: 32 B, ways: 2, banks: 3, hit: 2 cycles, source: x}\n",
     "m.yaml:7: layers.cram.inside.l2.banks: found 3, expected a power of two"},
    {TOP "      l1: {size: 1 KiB, line: 4 B, ways: 2, hit: 1 cycle" S,
     "m.yaml:6: layers.cram.inside.l1.line: found 4 bytes, expected a power of two from the "
     "word's 8 bytes to 4096"},
    {TOP "      l1: {size: 1000 B, line: 32 B, ways: 2, hit: 1 cycle" S,
     "m.yaml:6: layers.cram.inside.l1.size: found 1000 bytes, expected a multiple of the "
     "line's 32"},
    {TOP "      l1: {size: 3 KiB, line: 32 B, ways: 2, hit: 1 cycle" S,
     "m.yaml:6: layers.cram.inside.l1.size: found 48 sets of 2 lines, expected a power of "
     "two of sets"},
    {TOP "      l1: {size: 1 MiB, line: 32 B, ways: 2, hit: 1 cycle" S,
     "m.yaml:6: layers.cram.inside.l1.size: found 1048576 bytes, which are more than the "
     "layer's memory"},
    {TOP "      l1: {size: 1 KiB, line: 32 B, hit: 1 cycle" S,
     "m.yaml:6: key 'layers.cram.inside.l1.ways' is missing"},
    {TOP "      l1: {size: 1 KiB, line: 32 B, ways: 2, hit: 1 cycle}\n",
     "m.yaml:6: layers.cram.inside.l1.size: key 'source' is missing"},
    {TOP L1 "      l2: {size: 4 KiB, line: 16 B, ways: 2, hit: 1 cycle" S,
     "m.yaml:7: layers.cram.inside.l2.line: found 16 bytes, expected at least l1's 32"},
    {TOP L1 "      l2: {stream: 4, depth: 2, size: 1 KiB, hit: 1 cycle" S,
     "m.yaml:7: layers.cram.inside.l2.size: l2 is a cache, or stream buffers, but not both"},
    {TOP "      l2: {size: 4 KiB, line: 32 B, ways: 2, hit: 1 cycle" S,
     "m.yaml:6: layers.cram.inside.l2.size: there is no l1 before it"},
    {TOP "      dram: {banks: 3, page: 1 KiB, hit: 1 cycle, miss: 2 cycles" S,
     "m.yaml:6: layers.cram.inside.dram.banks: found 3, expected a power of two"},
    {TOP "      bus: {at: l2-dram, width: 8 B" S,
     "m.yaml:6: layers.cram.inside.bus.at: found 'l2-dram', but there is no l2 with lines"},
    {TOP L1 "      fetch: memory\n",
     "m.yaml:7: layers.cram.inside.fetch: found memory beside an l1, which code passes"},
    {TOP "      fetch: cache\n",
     "m.yaml:6: layers.cram.inside.fetch: found 'cache', expected 'free' or 'memory'"},
    {TOP L1 "      load: {value: 1 cycle" S,
     "m.yaml:7: layers.cram.inside.load: is of a processor without l1, whose accesses take "
     "l1.hit"},
    {TOP "      ad-f64: {value: 1 cycle" S L1,
     "m.yaml:6: layers.cram.inside: unknown key 'ad-f64', did you mean 'add-f64'?"},
    {TOP L1 "      reorder: {value: 64" S,
     "m.yaml:7: layers.cram.inside.reorder: is of a processor with order: window"},
    {TOP L1 "      tlb: {page: 4 KiB, entries: 64, late: 7 cycles, source: x}\n",
     "m.yaml:7: layers.cram.inside.tlb.page: is of a processor with order: window"},
    {TOP L1 "      order: window\n      tlb: {page: 4 KiB, entries: 67, late: 7 cycles, "
            "source: x}\n",
     "m.yaml:8: layers.cram.inside.tlb.entries: found 67, expected a power of two times at "
     "most 64"},
    {TOP L1 "      calibration: {chains-low: 90 %, source: x}\n",
     "m.yaml:7: layers.cram.inside.calibration.chains-low: stands alone, expected "
     "'chains-high' beside it"},
    {TOP L1 "      calibration: {chains-low: 110 %, chains-high: 90 %, source: x}\n",
     "m.yaml:7: layers.cram.inside.calibration.chains-low: found more than 'chains-high'"},
    {TOP L1 "      calibration: {l1-low: 90 %, l1-high: 2 cycles, source: x}\n",
     "m.yaml:7: layers.cram.inside.calibration.l1-high: found '2 cycles', expected a number "
     "such as '0.88' or '88 %'"},
    {TOP L1 "      order: window\n      stores: {value: 5000" S,
     "m.yaml:8: layers.cram.inside.stores: found 5000, expected at most 4096"},
    {TOP L1 "      order: window\n      reorder: {value: 0" S,
     "m.yaml:8: layers.cram.inside.reorder: found '0', expected more than zero (say "
     "'not-modelled' where it shall cost nothing)"},
    {TOP "      add-f64: {latency: 3 cycles, units: 65, source: x}\n" L1,
     "m.yaml:6: layers.cram.inside.add-f64.units: found '65', expected at most 64"},
    {TOP L1 "      order: windows\n",
     "m.yaml:7: layers.cram.inside.order: found 'windows', expected 'program' or 'window'"},
    {TOP L1 "      predictor: tage\n",
     "m.yaml:7: layers.cram.inside.predictor: found 'tage', expected one of 'none', "
     "'static', 'counters', 'loops', 'history'"},
};

Test(machine, keys_without_effect_and_bad_figures_are_refused_with_file_and_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        refused(refusals[i].text, refusals[i].message);
}
