/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Time that a control spends and time that it is told: htmt_delay(), htmt_began(), htmt_enabled().
 */
#include "tests/layers/machines.h"
#include "tests/parcels/world.h"

#define NS INT64_C(1000000)

enum { WORK = 1, TOLD, FIBERS = TOLD };

/* What controls of slice 0 note. */
struct notes {
    htmt_time began[4], enabled[4];
    unsigned count;
    htmt_time delay;
};

static struct notes *notes_of(struct htmt_context *c)
{
    return *(struct notes *const *)htmt_args(c);
}

static void note(struct htmt_context *c)
{
    struct notes *n = notes_of(c);
    n->began[n->count] = htmt_began(c);
    n->enabled[n->count++] = htmt_enabled(c);
}

/* A slot counts down before a delay, and another one behind it. */
static void begin(struct htmt_context *c)
{
    note(c);
    htmt_work(c);
    htmt_signal(c, htmt_slot(c, WORK));
    htmt_delay(c, 7 * NS + 1);
    htmt_signal(c, htmt_slot(c, TOLD));
}

CONTROL(work, note(c); htmt_delay(c, notes_of(c)->delay))
CONTROL(told, note(c); htmt_retire(c, htmt_self(c)))

static void play(struct notes *n, enum htmt_mode mode, const char *set, htmt_time *end)
{
    static const struct htmt_stage fibers[FIBERS] = {{.control = work, .count = 1},
                                                     {.control = told, .count = 1}};
    const struct htmt_type_desc d = {.name = "told",
                                     .home = "dram",
                                     .exec = "dram",
                                     .execute = {.control = begin},
                                     .fibers = fibers,
                                     .fiber_count = FIBERS,
                                     .gates = HTMT_GATE(HTMT_RETIRE),
                                     .args_bytes = sizeof n};
    struct htmt_emulator *e = NULL;
    struct htmt_type *type;
    struct htmt_options options = {.mode = mode, .threads = 1};
    struct htmt_machine *m = machine_load("small-htmt", set);
    options.machine = m;
    cr_assert_eq(htmt_emulator_create(&e, &options, NULL), 0);
    cr_assert_eq(htmt_type_create(e, &d, &type), 0);
    cr_assert_eq(ASSEMBLE(htmt_root(e), NULL, .type = type, .args = &n), 0);
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    *end = htmt_predicted(e);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
}

Test(delay, takes_its_femtoseconds_and_no_more)
{
    for (enum htmt_mode mode = HTMT_RUN; mode <= HTMT_MODEL; mode++) {
        struct notes n = {.delay = 5 * NS};
        htmt_time end;
        play(&n, mode, "layers.dram.processor.count=4", &end);
        cr_assert_eq(n.count, 3);
        cr_assert_eq(n.began[0], 0);
        cr_assert_eq(n.began[1], 7 * NS + 1); /* a fiber waits until the first one has ended */
        cr_assert_eq(n.began[2], 7 * NS + 1);
        cr_assert_eq(end, 12 * NS + 1);
    }
}

Test(delay, a_fiber_that_waits_for_a_processor_knows_when_it_was_asked_for)
{
    struct notes n = {.delay = 5 * NS};
    htmt_time end;
    play(&n, HTMT_MODEL, "layers.dram.processor.count=1", &end);
    cr_assert_eq(n.count, 3);
    cr_assert_eq(n.began[2], 12 * NS + 1);
    cr_assert_eq(n.enabled[2], 7 * NS + 1);
    cr_assert_eq(n.enabled[0], 0);
}

CONTROL(below_zero, htmt_delay(c, -1))

Test(delay, refuses_a_time_below_zero)
{
    const struct htmt_type_desc d = {
        .name = "back", .home = "dram", .exec = "dram", .execute = {.control = below_zero}};
    struct htmt_emulator *e = NULL;
    struct htmt_type *type;
    struct htmt_machine *m = machine_load("small-htmt", NULL);
    cr_assert_eq(htmt_emulator_create(&e, &(struct htmt_options){.machine = m}, NULL), 0);
    cr_assert_eq(htmt_type_create(e, &d, &type), 0);
    cr_assert_eq(ASSEMBLE(htmt_root(e), NULL, .type = type), 0);
    cr_assert_eq(htmt_emulator_run(e), HTMT_EINVAL);
    cr_assert_not_null(strstr(htmt_emulator_fault(e)->text, "htmt_delay() of -1 fs"));
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
}
