/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock on volume rendering (Hereld et al., Table 8; golden rows H.T8.*): 80,500 words in,
 * 15,000 words of CRAM out, 75 words scattered, all services by their cycles.
 */
#include "parcels/htmt.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>

struct ends {
    htmt_time last_place, last_execute;
};

static void note(void *user, const struct htmt_event *event)
{
    struct ends *ends = user;
    if (event->stage == HTMT_SCATTER)
        ends->last_place = event->time;
    if (event->stage == HTMT_EXECUTE)
        ends->last_execute = event->time;
}

#define CYCLES(name, cycles)                                                                       \
    static void name(const void *args, const void *user, struct htmt_ops *ops)                     \
    {                                                                                              \
        (void)args;                                                                                \
        (void)user;                                                                                \
        ops->n[HTMT_CYCLE] = (cycles);                                                             \
    }
CYCLES(assemble, 95500)
CYCLES(dispatch, 25000)
CYCLES(render, 2200000)
CYCLES(retire, 25000)

static struct ends run(const char *machine, const char *set, unsigned n)
{
    struct htmt_fault fault = {0};
    struct htmt_emulator *e = NULL;
    struct htmt_type *t = NULL;
    struct htmt_object *o = NULL;
    struct ends ends = {0};
    struct htmt_machine *m = machine_load(machine, set);
    struct htmt_options options = {
        .machine = m, .slices = 1, .mode = HTMT_MODEL, .observe = note, .user = &ends};
    cr_assert_eq(htmt_emulator_create(&e, &options, NULL), 0);
    uint32_t dram = (uint32_t)htmt_emulator_layer(e, "dram");
    uint32_t sram = (uint32_t)htmt_emulator_layer(e, "sram");
    uint32_t cram = (uint32_t)htmt_emulator_layer(e, "cram");
    struct htmt_type_desc d = {.name = "subcube",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = {.cost = assemble},
                               .dispatch = {.cost = dispatch},
                               .execute = {.cost = render},
                               .retire = {.cost = retire},
                               .in_place = true};
    cr_assert_eq(htmt_type_create(e, &d, &t), 0);
    cr_assert_eq(htmt_object_create(e, 0, dram, 8 * 80500, "volume", &o), 0);
    struct htmt_region r = {.from = htmt_in(o, 0), .to = htmt_in(o, 0), .bytes = 8 * 80500};
    r.out_words[cram] = 15000;
    r.out_words[sram] = 75;
    for (unsigned i = 0; i < n; i++)
        cr_assert_eq(
            htmt_assemble(htmt_root(e),
                          &(struct htmt_parcel_desc){.type = t, .regions = &r, .region_count = 1},
                          NULL),
            0);
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_audit(e, &fault), 0, "%s", fault.text);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
    return ends;
}

static double us(htmt_time t)
{
    return (double)t * 1e-9;
}

static double period(const char *machine, const char *set, unsigned n)
{
    return us(run(machine, set, n).last_execute - run(machine, set, 1).last_execute) / (n - 1);
}

/* golden: H.T8.single.makespan.1000, H.T8.single.period and its .oct98. */
Test(volume, one_subcube_fills_cram)
{
    cr_assert_float_eq(us(run("hereld-tables", NULL, 1000).last_place), 10332.67, 10332.67e-6);
    cr_assert_float_eq(period("hereld-tables", NULL, 1000), 10.08361, 10.08e-3);
    cr_assert_float_eq(period("htmt-oct98", NULL, 1000), 10.12361, 10.12e-3);
}

/* golden: H.T8.double.makespan.1000 and H.T8.double.period. */
Test(volume, room_for_two_keeps_the_spell_busy)
{
    const char *two = "layers.cram.memory.capacity=2 MiB";
    cr_assert_float_eq(us(run("hereld-tables", two, 1000).last_place), 8844.297, 8844.297e-6);
    cr_assert_float_eq(period("hereld-tables", two, 1000), 8.59375, 8.59e-3);
}
