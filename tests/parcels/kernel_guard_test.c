/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * In a checked run a kernel writes what it declared and nothing next to it, and a cost function
 * depends on its arguments alone.
 */
#include "tests/parcels/world.h"

/* ---- kernels --------------------------------------------------------------------------------- */

enum { INPUT, OUTPUT, INSIDE, ONLY_READ, REGIONS }; /* regions of the parcel */

struct crime {
    void (*commit)(struct htmt_kernel *k);
    const char *says; /* NULL: nothing is wrong */
};

static void poke(void *at, int64_t offset)
{
    ((volatile unsigned char *)at)[offset] ^= 0x55;
}

static void write_all(struct htmt_kernel *k)
{
    for (uint32_t r = 0; r < ONLY_READ; r++)
        memset(htmt_bytes(k, r), 0xaa, htmt_size(k, r));
    memset(htmt_kernel_result(k), 0xaa, 16);
}

static void write_nothing(struct htmt_kernel *k)
{
    (void)k;
}

KERNEL(behind_input, poke(htmt_bytes(k, INPUT), (int64_t)htmt_size(k, INPUT)))

/* Fresh memory is zero, too. */
KERNEL(zero_behind_input, memset(htmt_bytes(k, INPUT), 0, htmt_size(k, INPUT) + 8))
KERNEL(zero_in_front_of_output, memset((char *)htmt_bytes(k, OUTPUT) - 8, 0, 8))
KERNEL(zero_behind_result, memset(htmt_kernel_result(k), 0, 24))
KERNEL(zero_behind_arguments, memset((char *)(uintptr_t)htmt_kernel_args(k) + 24, 0, 8))
KERNEL(far_behind_output, poke(htmt_bytes(k, OUTPUT), (int64_t)htmt_size(k, OUTPUT) + 255))
KERNEL(in_front_of_output, poke(htmt_bytes(k, OUTPUT), -1))
KERNEL(behind_resident, poke(htmt_bytes(k, INSIDE), (int64_t)htmt_size(k, INSIDE)))
KERNEL(in_front_of_resident, poke(htmt_bytes(k, INSIDE), -200))
KERNEL(read_only_neighbour, poke(htmt_bytes(k, ONLY_READ), 0))
KERNEL(behind_result, poke(htmt_kernel_result(k), 16))
KERNEL(own_arguments, poke((void *)(uintptr_t)htmt_kernel_args(k), 0))
KERNEL(behind_arguments, poke((void *)(uintptr_t)htmt_kernel_args(k), 24))

static const struct crime crimes[] = {
    {write_all, NULL},
    {write_nothing, NULL},
    {behind_input, "wrote behind region 0, which has 40 bytes"},
    {zero_behind_input, "wrote behind region 0, which has 40 bytes"},
    {zero_in_front_of_output, "wrote in front of region 1, which has 64 bytes"},
    {zero_behind_result, "wrote behind its result, which has 16 bytes"},
    {zero_behind_arguments, "wrote behind its arguments, which has 24 bytes"},
    {far_behind_output, "wrote behind region 1, which has 64 bytes"},
    {in_front_of_output, "wrote in front of region 1, which has 64 bytes"},
    {behind_resident, "wrote behind region 2, which has 96 bytes"},
    {in_front_of_resident, "wrote in front of region 2, which has 96 bytes"},
    {read_only_neighbour, "wrote region 3, which is read_only"},
    {behind_result, "wrote behind its result, which has 16 bytes (result_bytes of the type)"},
    {own_arguments, "wrote its arguments, which only a control may change"},
    {behind_arguments, "wrote behind its arguments, which has 24 bytes"},
};

static struct htmt_type *type_of(struct world *w, htmt_kernel_fn *kernel)
{
    return TYPE(w, .name = "culprit", .home = "dram", .exec = "cram", .execute = {.kernel = kernel},
                .args_bytes = 24, .result_bytes = 16);
}

static void check(const struct world *w, int rc, const char *where, const char *says)
{
    const char *text = htmt_emulator_fault(w->e)->text;
    cr_assert_eq(rc, says ? HTMT_EINVAL : 0, "%s: %s", says ? says : "nothing", text);
    if (says)
        cr_assert(strstr(text, where) && strstr(text, says), "'%s' is not in: %s", says, text);
}

/* The resident object has room on both sides of region 2; region 3 lies behind it in the object. */
static void commit(const struct crime *crime, unsigned threads)
{
    struct world_spec spec = world_plain(2);
    struct world w = OPEN(&spec, .threads = threads, .checked = true);
    struct htmt_object *data = world_object(&w, 1, DRAM, 128, "data");
    struct htmt_object *resident = world_object(&w, 1, CRAM, 1024, "resident");
    struct htmt_region r[REGIONS] = {
        [INPUT] = {.from = htmt_in(data, 0), .bytes = 40},
        [OUTPUT] = {.to = htmt_in(data, 64), .bytes = 64},
        [INSIDE] = {.into = htmt_in(resident, 256), .bytes = 96},
        [ONLY_READ] = {.into = htmt_in(resident, 512), .bytes = 512, .read_only = true}};
    START(&w, .type = type_of(&w, crime->commit), .slice = 1, .regions = r,
          .region_count = REGIONS);
    check(&w, htmt_emulator_run(w.e), "type culprit, slice 1, execute: the kernel ", crime->says);
    world_close(&w);
}

Test(kernel_guard, a_kernel_that_writes_next_to_its_regions_result_or_arguments_is_named)
{
    for (size_t i = 0; i < sizeof crimes / sizeof *crimes; i++)
        for (unsigned threads = 1; threads <= 3; threads += 2)
            commit(&crimes[i], threads);
}

/* ---- uses ------------------------------------------------------------------------------------ */

CONTROL(enable, htmt_slot_set(c, 1, 1, 0); htmt_signal(c, htmt_slot(c, 1)))

static void use_two(struct htmt_context *c)
{
    struct htmt_object *o;
    memcpy(&o, htmt_args(c), sizeof o);
    htmt_use(c, htmt_in(o, 300), 64, HTMT_UPDATE);
    htmt_use(c, htmt_in(o, 364), 64, HTMT_READ);
    htmt_retire(c, htmt_self(c));
}

KERNEL(update, memset(htmt_used(k, 0), 0xaa, htmt_used_size(k, 0)))

static void write_read_use(struct htmt_kernel *k)
{
    poke(htmt_used(k, 0), 64); /* use 1 begins there */
}

KERNEL(in_front_of_use, poke(htmt_used(k, 0), -256))
KERNEL(behind_use, poke(htmt_used(k, 1), 64))

static const struct crime uses[] = {
    {update, NULL},
    {write_read_use, "wrote use 1, which was given to be read (HTMT_READ)"},
    {in_front_of_use, "wrote in front of use 0, which has 64 bytes (see htmt_used_size())"},
    {behind_use, "wrote behind use 1, which has 64 bytes"},
};

static void use(const struct crime *crime)
{
    struct world_spec spec = world_plain(1);
    struct world w = OPEN(&spec, .threads = 2, .checked = true);
    struct htmt_object *o = world_object(&w, 0, CRAM, 428, "state");
    struct htmt_type *t =
        TYPE(&w, .name = "culprit", .home = "cram", .exec = "cram", .footprint = HTMT_RESIDENT,
             .fibers = &(struct htmt_stage){.kernel = crime->commit, .control = use_two},
             .fiber_count = 1, .execute = {.control = enable}, .args_bytes = sizeof o);
    START(&w, .type = t, .args = &o);
    check(&w, htmt_emulator_run(w.e), "type culprit, slice 0, fiber 1: the kernel ", crime->says);
    world_close(&w);
}

Test(kernel_guard, a_kernel_that_writes_next_to_its_uses_or_what_it_was_to_read_is_named)
{
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        use(&uses[i]);
}

/* ---- cost functions -------------------------------------------------------------------------- */

COST(always_ten, ops->n[HTMT_CYCLE] = 10)
COST(one_more, uint64_t *calls = (uint64_t *)(uintptr_t)user; ops->n[HTMT_CYCLE] = 10 + ++*calls)
COST(takes_a_note, always_ten(args, user, ops); ++*(uint64_t *)(uintptr_t)args)

/* Two parcels, one after the other, of which only the second has the cost function. */
static void charge(htmt_cost_fn *cost, enum htmt_mode mode, bool checked, const char *says)
{
    struct world_spec spec = world_plain(1);
    struct world w = OPEN(&spec, .mode = mode, .checked = checked);
    uint64_t calls = 0;
    struct htmt_type_desc d = {.name = "first",
                               .home = "cram",
                               .exec = "cram",
                               .execute = {.kernel = write_nothing, .cost = always_ten},
                               .args_bytes = 8,
                               .user = &calls};
    START(&w, .type = world_type(&w, d));
    d.name = "moody";
    d.execute.cost = cost;
    START(&w, .type = world_type(&w, d));
    const char *text = htmt_emulator_fault(w.e)->text;
    int rc = htmt_emulator_run(w.e);
    cr_assert_eq(rc, says ? HTMT_ECOST : 0, "%s", text);
    if (says)
        cr_assert(
            strstr(text, "type moody, slice 0, execute, at 10000000 fs: the cost function ") &&
                strstr(text, says),
            "'%s' is not in: %s", says, text);
    world_close(&w);
}

Test(kernel_guard, a_cost_function_that_gives_another_answer_or_writes_its_arguments_is_named)
{
    for (enum htmt_mode mode = HTMT_RUN; mode <= HTMT_MODEL; mode++) {
        charge(always_ten, mode, true, NULL);
        charge(one_more, mode, false, NULL);
        charge(one_more, mode, true, "says something else when it is asked again");
        charge(takes_a_note, mode, true, "changed its arguments, which it may only read");
    }
}

/* Three parcels of one type, each asked for what its argument says. */
static void says_argument(const void *args, const void *user, struct htmt_ops *ops)
{
    uint64_t *calls = *(uint64_t *const *)user;
    memcpy(&ops->n[HTMT_CYCLE], args, sizeof ops->n[HTMT_CYCLE]);
    ++*calls;
}

static uint64_t ask_constant(struct htmt_options o, const uint64_t cycles[3], const char *says)
{
    struct world_spec spec = world_plain(1);
    struct world w = world_open(&spec, o);
    uint64_t calls = 0, *user = &calls;
    struct htmt_type_desc d = {
        .name = "steady",
        .home = "cram",
        .exec = "cram",
        .execute = {.kernel = write_nothing, .cost = says_argument, .constant = true},
        .args_bytes = 8,
        .user = &user};
    struct htmt_type *t = world_type(&w, d);
    for (int i = 0; i < 3; i++)
        START(&w, .type = t, .args = &cycles[i]);
    const char *text = htmt_emulator_fault(w.e)->text;
    cr_assert_eq(htmt_emulator_run(w.e), says ? HTMT_ECOST : 0, "%s", text);
    cr_assert(!says || strstr(text, says), "'%s' is not in: %s", says, text);
    world_close(&w);
    return calls;
}

Test(kernel_guard, a_constant_cost_is_asked_once_and_by_a_checked_run_of_every_parcel)
{
    static const uint64_t same[] = {10, 10, 10}, other[] = {10, 10, 11};
    for (enum htmt_mode mode = HTMT_RUN; mode <= HTMT_MODEL; mode++) {
        struct htmt_options o = {.mode = mode};
        cr_assert_eq(ask_constant(o, same, NULL), 1);
        o.checked = true;
        cr_assert_geq(ask_constant(o, same, NULL), 6);
        ask_constant(o, other, "says something else than of the parcel before");
    }
}

Test(kernel_guard, a_constant_cost_without_a_cost_function_is_refused)
{
    struct world_spec spec = world_plain(1);
    struct world w = OPEN(&spec, .mode = HTMT_MODEL);
    struct htmt_type_desc d = {
        .name = "empty", .home = "cram", .exec = "cram", .execute = {.constant = true}};
    struct htmt_type *t = NULL;
    cr_assert_eq(htmt_type_create(w.e, &d, &t), HTMT_EINVAL);
    cr_assert_str_eq(htmt_emulator_fault(w.e)->text,
                     "type empty: a constant cost without a cost function");
    world_close(&w);
}

/* ---- threads --------------------------------------------------------------------------------- */

Test(kernel_guard, more_threads_than_the_library_starts_are_refused)
{
    struct world_spec spec = world_plain(1);
    struct htmt_machine *m = world_machine(&spec);
    struct htmt_options o = {.machine = m, .threads = 1026};
    struct htmt_emulator *e = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_emulator_create(&e, &o, &fault), HTMT_EINVAL);
    cr_assert_str_eq(fault.text, "htmt_emulator_create(): more than 1024 host threads beside the "
                                 "clock's");
    htmt_machine_destroy(&m);
}
