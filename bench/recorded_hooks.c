/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nanoseconds of a hook of a recorded kernel whose entries are kept in memory, without a model: the
 * hooks of a dot product, in line as in code of htmt-cc. Seconds of the processor, the
 * least of some runs.
 */
#include "bench/clock.h"
#include "layers/machine/machine.h"
#include "layers/node/tape/tape.h"
#include "layers/node/tape/tape_hooks.h"
#include "layers/node/tape/tape_tables.h"
#include "layers/node/tape/tape_unit.h"
#include "parcels/htmt.h"

#define LENGTH 1024
#define ROUNDS 3000
#define HOOKS  3 /* of an element: a block, two loads */
#define RUNS   5

/* ---- the kernel and its unit -------------------------------------------------------------------
 */

static uint64_t entries[1];
static double seconds; /* of the kernel */

static void dot(struct htmt_kernel *k)
{
    const double *x = htmt_bytes(k, 0), *y = x + LENGTH;
    double begin = bench_used();
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < LENGTH; i++) {
            uint64_t *room = htmt__rec_block(&entries[0], 2);
            htmt__rec_access(room, 0, &x[i], HTMT__TAPE_LOAD, sizeof *x);
            htmt__rec_access(room, 1, &y[i], HTMT__TAPE_LOAD, sizeof *y);
        }
    seconds = bench_used() - begin;
}

static const struct htmt__tape_function names[] = {{"dot", "recorded_hooks.c", 1}};
static const struct htmt__tape_block blocks[] = {
    {.instructions = 3, .accesses = 2, .end = HTMT__END_CONDITION}};
static const struct htmt__tape_program program = {
    .blocks = blocks, .functions = names, .block_count = 1, .function_count = 1};
static const void *functions[1];
static struct htmt__tape_call calls[1];
static const struct htmt__tape_place places[1];
static const char *const files[] = {"recorded_hooks.c"};
static uint32_t tables[64];
static struct htmt__tape_head head;
static struct htmt__tape_unit unit = {.head = &head,
                                      .tables = tables,
                                      .places = places,
                                      .functions = functions,
                                      .calls = calls,
                                      .entries = entries,
                                      .files = files};

static void register_unit(void)
{
    const struct htmt__tape_counts n = htmt__tape_count(&program);
    const uint64_t words = htmt__tape_words(&n);
    functions[0] = (const void *)(uintptr_t)dot;
    if (words * 4 + n.text > sizeof tables)
        bench_fail("the tables of the unit");
    htmt__tape_pack(&program, tables, (char *)(tables + words));
    head = (struct htmt__tape_head){.version = HTMT__TAPE_UNIT_VERSION,
                                    .blocks = n.blocks,
                                    .functions = n.functions,
                                    .text = n.text,
                                    .code = 8};
    htmt__rec_register(&unit);
}

/* ---- a run of one parcel -----------------------------------------------------------------------
 */

static void check(int rc)
{
    if (rc)
        bench_fail("the emulator");
}

static void add_parcel(struct htmt_emulator *e)
{
    struct htmt_object *x;
    struct htmt_type *type;
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "dot";
    d.home = "sram";
    d.exec = "cram";
    d.execute.kernel = dot;
    check(htmt_type_create(e, &d, &type));
    check(htmt_object_create(e, 0, (uint32_t)htmt_emulator_layer(e, "sram"),
                             2 * LENGTH * sizeof(double), "x", &x));
    struct htmt_region r = {.from = {x, 0}, .bytes = 2 * LENGTH * sizeof(double)};
    struct htmt_parcel_desc p = {.type = type, .regions = &r, .region_count = 1};
    check(htmt_assemble(htmt_root(e), &p, NULL));
}

/* The machine has no inside: its hooks write, and nothing plays. */
static void run(struct htmt_machine *m)
{
    struct htmt_emulator *e;
    struct htmt_fault fault = {0};
    struct htmt_options o = htmt_options_init();
    struct htmt_operations operations = {.type = "dot"};
    check(htmt__tape_new(&operations.tape, NULL));
    o.machine = m;
    o.slices = 1;
    o.threads = 1;
    o.operations = &operations;
    check(htmt_emulator_create(&e, &o, &fault));
    add_parcel(e);
    check(htmt_emulator_run(e));
    if (htmt__tape_entries(operations.tape) != (uint64_t)HOOKS * LENGTH * ROUNDS + 1)
        bench_fail("the tape");
    htmt_emulator_destroy(&e);
    htmt__tape_free(operations.tape);
}

int main(void)
{
    struct htmt_machine *m = bench_machine(NULL, 0);
    double least = 0;
    register_unit();
    for (int i = 0; i < RUNS; i++) {
        run(m);
        least = i == 0 || seconds < least ? seconds : least;
    }
    htmt_machine_destroy(&m);
    bench_report("recorded", "hook", 1e9 * least / ((double)HOOKS * LENGTH * ROUNDS), "ns", 1);
    return 0;
}
