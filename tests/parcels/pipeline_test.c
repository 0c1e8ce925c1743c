/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock against theory, through the public API: one parcel type through all stages.
 */
#include "parcels/htmt.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct numbers {
    uint64_t assemble, words, dispatch, execute, out_words;
};

static void assemble_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    ops->n[HTMT_CYCLE] = ((const struct numbers *)user)->assemble;
}

static void dispatch_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    ops->n[HTMT_CYCLE] = ((const struct numbers *)user)->dispatch;
}

static void execute_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    ops->n[HTMT_CYCLE] = ((const struct numbers *)user)->execute;
}

struct result {
    int rc;
    htmt_time makespan;
    htmt_wide spell_busy;
    struct htmt_phase_report executed;
    char fault[500];
};

/* n parcels of plasma PIC (Hereld et al., Table 6) on one slice of the machine. */
static struct result run_pic(const char *machine, const char *set, unsigned n, bool eject)
{
    struct numbers pic = {140500, 101000, 37900, 0, 0};
    struct result r = {0};
    struct htmt_fault fault = {0};
    struct htmt_emulator *e = NULL;
    struct htmt_type *t = NULL;
    struct htmt_object *field = NULL;
    const char *sets[] = {set};
    /* 200 flop a particle at 88 %, 16 particles a cell, 10^3 cells */
    pic.execute = (uint64_t)(200 / 0.88 * 16 * 1000 + 0.5);
    struct htmt_machine *m = machine_load_sets(machine, sets, set != NULL);
    struct htmt_options o = {.machine = m, .slices = 1, .mode = HTMT_MODEL};
    cr_assert_eq(htmt_emulator_create(&e, &o, NULL), 0);
    struct htmt_type_desc d = {.name = "push",
                               .home = "dram",
                               .exec = "cram",
                               .assemble = {.cost = assemble_cost},
                               .dispatch = {.cost = dispatch_cost},
                               .execute = {.cost = execute_cost},
                               .in_place = true,
                               .user = &pic};
    cr_assert_eq(htmt_type_create(e, &d, &t), 0, "%s", htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_object_create(e, 0, (uint32_t)htmt_emulator_layer(e, "dram"), 8 * 101000,
                                    "field", &field),
                 0);
    struct htmt_region region = {.from = htmt_in(field, 0), .bytes = 8 * 101000};
    if (eject)
        region.to = region.from;
    struct htmt_parcel_desc p = {.type = t, .regions = &region, .region_count = 1};
    for (unsigned i = 0; i < n; i++)
        cr_assert_eq(htmt_assemble(htmt_root(e), &p, NULL), 0);
    r.rc = htmt_emulator_run(e);
    snprintf(r.fault, sizeof r.fault, "%s", htmt_emulator_fault(e)->text);
    r.makespan = htmt_predicted(e);
    struct htmt_resource_report spell;
    htmt_resource_at(e, (uint32_t)htmt_emulator_layer(e, "cram"), &spell);
    r.spell_busy = spell.busy;
    for (uint32_t i = 0; htmt_phase_at(e, i, &r.executed) == 0; i++)
        if (r.executed.stage == HTMT_EXECUTE)
            break;
    fault = (struct htmt_fault){0};
    cr_assert_eq(htmt_audit(e, &fault), 0, "%s", fault.text);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
    return r;
}

static double us(htmt_time t)
{
    return (double)t * 1e-9;
}

/* golden: H.T6.single.makespan.100, room for one parcel: fill + n (inject + execute). */
Test(pipeline, one_parcel_fills_cram_and_shows_the_single_buffer_period)
{
    struct result r = run_pic("hereld-tables", NULL, 100, false);
    cr_assert_eq(r.rc, 0, "%s", r.fault);
    cr_assert_float_eq(us(r.makespan), 1907.021, 1907.021e-6, "%.4f us", us(r.makespan));
    struct result a = run_pic("hereld-tables", NULL, 101, false);
    cr_assert_float_eq(us(a.makespan - r.makespan), 15.78021, 1e-4);
}

/* golden: H.F4.spell.end, H.T6.single.makespan.100, H.T6.spell.time, H.T6.single.period. */
Test(pipeline, a_stage_tells_when_it_first_and_last_ended_and_its_longest_service)
{
    struct result r = run_pic("hereld-tables", NULL, 100, false);
    cr_assert_eq(r.rc, 0, "%s", r.fault);
    cr_expect_eq(r.executed.count, 100);
    cr_expect_float_eq(us(r.executed.first), 344.7802, 1e-4, "%.4f", us(r.executed.first));
    cr_expect_float_eq(us(r.executed.last), 1907.021, 1e-3, "%.4f", us(r.executed.last));
    cr_expect_float_eq(us(r.executed.longest), 14.20455, 1e-5, "%.6f", us(r.executed.longest));
    cr_expect_float_eq(us(r.executed.last - r.executed.first) / 99, 15.78021, 1e-5);
}

/* golden: H.T6.double.makespan.100, room for two: fill + inject + n execute. */
Test(pipeline, room_for_two_hides_the_inject)
{
    struct result r = run_pic("hereld-tables", "layers.cram.memory.capacity=2 MiB", 100, false);
    cr_assert_eq(r.rc, 0, "%s", r.fault);
    cr_assert_float_eq(us(r.makespan), 1751.03, 1751.03e-6, "%.4f us", us(r.makespan));
}

/* golden: H.T6.single.eject.period.oct98: one RTI latency each way joins the loop. */
Test(pipeline, latencies_join_the_loop_when_results_return)
{
    struct result a = run_pic("htmt-oct98", NULL, 100, true);
    struct result b = run_pic("htmt-oct98", NULL, 101, true);
    cr_assert_eq(a.rc, 0, "%s", a.fault);
    cr_assert_float_eq(us(b.makespan - a.makespan), 17.39587, 1e-4, "%.5f",
                       us(b.makespan - a.makespan));
}
