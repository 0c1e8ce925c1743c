/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Kernels with hooks, which here are called by hand as code of htmt-cc calls them: what a service
 * takes, and what is refused.
 */
#include "layers/node/tape/tape.h"
#include "layers/node/tape/tape_hooks.h"
#include "layers/node/tape/tape_tables.h"
#include "layers/node/tape/tape_unit.h"
#include "parcels/htmt.h"
#include "runtime/base/error.h"
#include "runtime/base/library.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS 64u

/* ---- a unit of two functions, each of one block: a load and a multiplication
 * --------------------- */

static uint64_t entries[2];

static void step(const double *at)
{
    htmt__rec_access(htmt__rec_block(&entries[1], 1), 0, at, HTMT__TAPE_LOAD, 8);
}

static void hooked(struct htmt_kernel *k)
{
    const double *x = htmt_bytes(k, 0);
    htmt__rec_block(&entries[0], 0);
    for (unsigned i = 0; i < NUMBERS; i++)
        step(&x[i]);
}

/* Not in the table of functions: as if another compiler had made it. */
static void wrapper(struct htmt_kernel *k)
{
    step(htmt_bytes(k, 0));
}

static double *elsewhere;

static void strays(struct htmt_kernel *k)
{
    (void)k;
    htmt__rec_access(htmt__rec_block(&entries[0], 1), 0, elsewhere, HTMT__TAPE_LOAD, 8);
}

static void declares(struct htmt_kernel *k)
{
    htmt_constants(k, elsewhere, sizeof *elsewhere);
    strays(k);
}

static const struct htmt__tape_op ops[] = {{HTMT_MUL, HTMT_F64, 1}};
static const struct htmt__tape_function names[] = {{"hooked", "unit.c", 10},
                                                   {"step", "unit.c", 20},
                                                   {"strays", "unit.c", 30},
                                                   {"declares", "unit.c", 40}};
static const struct htmt__tape_block blocks[] = {
    {.function = 0, .instructions = 1, .end = HTMT__END_FALL},
    {.function = 1, .instructions = 3, .ops = 1, .accesses = 1, .end = HTMT__END_RETURN}};
static const struct htmt__tape_program program = {.blocks = blocks,
                                                  .ops = ops,
                                                  .functions = names,
                                                  .block_count = 2,
                                                  .op_count = 1,
                                                  .function_count = 4};
static const void *functions[4];
static struct htmt__tape_call calls[2] = {{NULL, "step", 0, 12}, {NULL, NULL, 0, 0}};
static const struct htmt__tape_place places[] = {{1, 21, 0}};
static const char *const files[] = {"unit.c"};

static uint32_t tables[256];
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
    const uintptr_t code[] = {(uintptr_t)hooked, (uintptr_t)step, (uintptr_t)strays,
                              (uintptr_t)declares};
    const struct htmt__tape_counts n = htmt__tape_count(&program);
    for (int i = 0; i < 4; i++)
        functions[i] = (const void *)code[i];
    calls[0].callee = functions[1];
    const uint64_t words = htmt__tape_words(&n);
    cr_assert_leq(words * 4 + n.text, sizeof tables);
    htmt__tape_pack(&program, tables, (char *)(tables + words));
    head = (struct htmt__tape_head){.version = HTMT__TAPE_UNIT_VERSION,
                                    .blocks = n.blocks,
                                    .ops = n.ops,
                                    .functions = n.functions,
                                    .text = n.text,
                                    .places = 1,
                                    .code = 16};
    htmt__rec_register(&unit);
}

/* ---- a run of one parcel
 * ------------------------------------------------------------------------- */

struct world {
    struct htmt_machine *m;
    struct htmt_emulator *e;
    struct htmt__tape *tape;
    struct htmt_operations operations;
    int rc;
};

static void add_parcel(struct world *w, htmt_kernel_fn *kernel)
{
    struct htmt_object *x;
    struct htmt_type *type;
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "Step";
    d.home = "sram";
    d.exec = "cram";
    d.execute.kernel = kernel;
    cr_assert_eq(htmt_type_create(w->e, &d, &type), 0);
    cr_assert_eq(htmt_object_create(w->e, 0, (uint32_t)htmt_emulator_layer(w->e, "sram"),
                                    NUMBERS * sizeof(double), "x", &x),
                 0);
    struct htmt_region r = {.from = {x, 0}, .bytes = NUMBERS * sizeof(double)};
    struct htmt_parcel_desc p = {.type = type, .regions = &r, .region_count = 1};
    cr_assert_eq(htmt_assemble(htmt_root(w->e), &p, NULL), 0, "%s",
                 htmt_emulator_fault(w->e)->text);
}

/* With a tape on one thread, where the service is the first one for certain. */
static struct world play(htmt_kernel_fn *kernel, uint32_t threads)
{
    struct world w = {.m = NULL};
    struct htmt_fault fault = {0};
    struct htmt_options o = htmt_options_init();
    if (!head.version)
        register_unit();
    cr_assert_eq(htmt_machine_load("pim-node", NULL, 0, &w.m, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__tape_new(&w.tape, NULL), 0);
    if (threads == 1)
        w.operations = (struct htmt_operations){.type = "Step", .tape = w.tape, .service = 1};
    o.machine = w.m;
    o.slices = 1;
    o.threads = threads;
    o.operations = &w.operations;
    cr_assert_eq(htmt_emulator_create(&w.e, &o, &fault), 0, "%s", fault.text);
    add_parcel(&w, kernel);
    w.rc = htmt_emulator_run(w.e);
    return w;
}

static void end(struct world *w)
{
    htmt_emulator_destroy(&w->e);
    htmt_machine_destroy(&w->m);
    htmt__tape_free(w->tape);
}

Test(operations, a_service_takes_what_its_tape_takes_whatever_the_number_of_threads)
{
    for (uint32_t threads = 1; threads < 4; threads++) {
        struct htmt_operations_report r;
        struct world w = play(hooked, threads);
        cr_assert_eq(w.rc, 0, "%s", htmt_emulator_fault(w.e)->text);
        cr_assert_eq(htmt_operations_count(w.e), 1);
        cr_assert_eq(htmt_operations_at(w.e, 0, &r), 0);
        cr_expect_eq(r.services, 1);
        cr_expect_eq(r.loads, NUMBERS);
        cr_expect_eq(r.misses[HTMT_MISS_REGION], NUMBERS * 8 / 64, "%llu misses",
                     (unsigned long long)r.misses[HTMT_MISS_REGION]);
        htmt_wide sum = 0;
        uint64_t misses = 0;
        for (int i = 0; i < HTMT_OPERATIONS_PARTS; i++)
            sum += r.part[i];
        for (int i = 0; i < HTMT_MISS_KINDS; i++)
            misses += r.misses[i];
        cr_expect_eq(misses, r.l1_misses + r.l1_code_misses, "each miss is of one kind");
        struct htmt_resource_report bank;
        cr_assert_eq(htmt_resource_at(w.e, r.resource, &bank), 0);
        cr_expect(sum > 0 && sum == bank.busy, "the stack is not the service");
        end(&w);
    }
}

Test(operations, a_tape_has_blocks_and_model_addresses_in_the_order_of_the_kernel)
{
    struct world w = play(hooked, 1);
    size_t n = 0;
    const uint64_t *chunk = htmt__tape_chunk(w.tape, 0, &n);
    cr_assert_eq(n, 2 + 2 * NUMBERS);
    for (unsigned i = 0; i < NUMBERS; i++) {
        cr_assert_eq(chunk[1 + 2 * i], entries[1]);
        cr_assert_eq(chunk[2 + 2 * i],
                     htmt__tape_entry(HTMT__TAPE_LOAD, 8, (UINT64_C(1) << 42) + 8 * i));
    }
    cr_expect_eq(htmt__tape_kind(chunk[n - 1]), HTMT__TAPE_END);
    end(&w);
}

static int keep_four(void *user, const uint64_t *chunk, size_t n)
{
    memcpy(user, chunk, n * sizeof *chunk);
    return n == 4 ? 0 : HTMT_EINVAL;
}

/* Fifteen sines, but the second one a remainder: the ranges of the last two come first. */
Test(operations, ranges_of_the_arguments_of_calls_stand_before_their_block)
{
    static struct htmt__tape_hooks hooks;
    uint64_t found[HTMT__TAPE_CHUNK], first = 0;
    const uint64_t block = htmt__tape_entry(HTMT__TAPE_BLOCK, 0, 7),
                   access = htmt__tape_entry(HTMT__TAPE_LOAD, 8, 64);
    cr_assert_eq(htmt__tape_open(&hooks.writer, keep_four, found), 0);
    htmt__rec_current = &hooks;
    uint64_t *room = htmt__rec_calls(&block, 1, 2);
    room[0] = access;
    for (unsigned i = 0; i < 15; i++) {
        const double x = i == 14 ? -1.3 : i == 13 ? 5 : 0.1 * i;
        htmt__rec_argument(room, i, x, 0.5, i == 1 ? HTMT_REM : HTMT_SIN);
        if (i < 13)
            first |= (uint64_t)htmt__library_range(i == 1 ? 0.2 : x) << 4 * i;
    }
    htmt__rec_current = NULL;
    cr_expect_eq(htmt__tape_close(&hooks.writer), 0);
    cr_expect_eq(found[0],
                 htmt__tape_entry(HTMT__TAPE_RANGES, 0, (HTMT__TAPE_ADDRESS ^ 0xff) | 0x6a));
    cr_expect_eq(found[1], htmt__tape_entry(HTMT__TAPE_RANGES, 0, first));
    cr_expect_eq(found[2], block);
    cr_expect_eq(found[3], access);
}

static void expect_refused(htmt_kernel_fn *kernel, const char *words)
{
    struct world w = play(kernel, 2);
    const char *text = htmt_emulator_fault(w.e)->text;
    cr_expect_eq(w.rc, HTMT_EINVAL);
    cr_expect(strstr(text, words), "'%s' has no '%s'", text, words);
    end(&w);
}

Test(operations, a_kernel_that_other_compilers_made_may_not_be_recorded_in_part)
{
    expect_refused(wrapper, "would be recorded in part");
}

Test(operations, an_access_outside_the_closure_is_refused_with_its_place_unless_it_is_a_constant)
{
    elsewhere = calloc(1, sizeof *elsewhere);
    expect_refused(strays, "unit.c:");
    struct world w = play(declares, 1);
    cr_expect_eq(w.rc, 0, "%s", htmt_emulator_fault(w.e)->text);
    end(&w);
    free(elsewhere);
}
