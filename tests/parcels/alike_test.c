/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services, moves and descriptions like the last one of their type take a short way inside the
 * emulator: the sums are those of the long one, and what is wrong with one of them is still found.
 */
#include "tests/parcels/world.h"

static struct htmt_phase_report phase(const struct world *w, const char *type,
                                      enum htmt_stage_id stage)
{
    struct htmt_phase_report r;
    for (uint32_t i = 0; i < htmt_phase_count(w->e); i++)
        if (!htmt_phase_at(w->e, i, &r) && r.stage == stage && !strcmp(r.type, type))
            return r;
    cr_assert_fail("no phase of %s", type);
    return r;
    return r;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Cycles of the parcels in turn: some like the last, some not, one that comes back. */
static const uint64_t cycles[] = {5, 5, 5, 7, 5, 0, 0, 7, 7, 5};
#define COUNT (sizeof cycles / sizeof cycles[0])

Test(alike, services_that_come_back_are_summed_up_as_others)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_type *t = world_type(&w, world_eight());
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        struct world_work work = {.execute = cycles[i]};
        START(&w, .type = t, .args = &work);
        sum += cycles[i];
    }
    world_run(&w);
    struct htmt_phase_report r = phase(&w, "eight", HTMT_EXECUTE);
    cr_expect_eq(r.count, COUNT);
    cr_expect_eq((uint64_t)r.ops[HTMT_CYCLE], sum);
    cr_expect_eq((int64_t)r.busy, (int64_t)sum * NS);
    cr_expect_eq(r.longest, 7 * NS);
    world_close(&w);
}

CONTROL(charge, htmt_charge(c, HTMT_CYCLE, 3))

Test(alike, what_a_control_charges_is_added_to_services_that_are_alike)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_type_desc d = world_eight();
    d.retire.control = charge;
    struct htmt_type *t = world_type(&w, d);
    struct world_work work = {.retire = 4};
    for (int i = 0; i < 6; i++)
        START(&w, .type = t, .args = &work);
    world_run(&w);
    struct htmt_phase_report r = phase(&w, "eight", HTMT_RETIRE);
    cr_expect_eq((uint64_t)r.ops[HTMT_CYCLE], 6 * (4 + 3));
    cr_expect_eq((int64_t)r.busy, 6 * (4 + 3) * NS);
    cr_expect_eq(r.longest, (4 + 3) * NS);
    world_close(&w);
}

COST(two, ops->n[HTMT_CYCLE] = 2)
COST(nine, ops->n[HTMT_CYCLE] = 9)
CONTROL(signal_both, htmt_signal(c, htmt_slot(c, 1)); htmt_signal(c, htmt_slot(c, 2)))
CONTROL(retire_after_nine, htmt_retire(c, htmt_self(c)))

/* The stage has one report, each fiber its own last service. */
Test(alike, fibers_of_a_type_are_summed_up_together)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    const struct htmt_stage fibers[] = {{.cost = two, .count = 1, .reset = 1},
                                        {.cost = nine, .control = retire_after_nine, .count = 1}};
    struct htmt_type *t =
        TYPE(&w, .name = "fibers", .home = "cram", .exec = "cram",
             .execute = {.cost = two, .control = signal_both}, .fibers = fibers, .fiber_count = 2);
    for (int i = 0; i < 4; i++)
        START(&w, .type = t);
    world_run(&w);
    struct htmt_phase_report r = phase(&w, "fibers", HTMT_FIBER);
    cr_expect_eq(r.count, 8);
    cr_expect_eq((uint64_t)r.ops[HTMT_CYCLE], 4 * (2 + 9));
    cr_expect_eq((int64_t)r.busy, 4 * (2 + 9) * NS);
    cr_expect_eq(r.longest, 9 * NS);
    world_close(&w);
}

/* Moves of parcels of two sizes in turn. */
Test(alike, moves_that_come_back_are_summed_up_as_others)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_type *t = world_type(&w, world_eight());
    struct htmt_object *o = world_object(&w, 0, DRAM, 800, "data");
    struct world_work work = {0};
    for (int i = 0; i < 9; i++) {
        struct htmt_region r = {.from = htmt_in(o, 0), .bytes = i % 3 ? 80 : 800};
        START(&w, .type = t, .args = &work, .regions = &r, .region_count = 1);
    }
    world_run(&w);
    struct htmt_phase_report r = phase(&w, "eight", HTMT_INJECT);
    cr_expect_eq(r.count, 9);
    cr_expect_eq((uint64_t)r.words, 3 * 100 + 6 * 10);
    cr_expect_eq((int64_t)r.busy, (3 * 100 + 6 * 10) * NS);
    cr_expect_eq(r.longest, 100 * NS);
    world_close(&w);
}

/* ---- what is wrong with a description like the last one -------------------------------------- */

static int start_like(struct world *w, struct htmt_type *t, uint32_t slice, struct htmt_addr from)
{
    struct world_work work = {0};
    struct htmt_region r = {.from = from, .bytes = 64};
    struct htmt_parcel_desc d = {
        .type = t, .slice = slice, .args = &work, .regions = &r, .region_count = 1};
    return htmt_assemble(htmt_root(w->e), &d, NULL);
}

static struct world two_slices(struct htmt_type **t, struct htmt_object *o[2])
{
    struct world_spec s = world_plain(2);
    s.capacity[CRAM] = 100;
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .slices = 2);
    *t = world_type(&w, world_eight());
    for (uint32_t i = 0; i < 2; i++) {
        o[i] = world_object(&w, i, DRAM, 128, "data");
        cr_assert_eq(start_like(&w, *t, i, htmt_in(o[i], 0)), 0);
    }
    return w;
}

Test(alike, a_region_past_the_end_is_refused)
{
    struct htmt_type *t;
    struct htmt_object *o[2];
    struct world w = two_slices(&t, o);
    cr_assert_eq(start_like(&w, t, 0, htmt_in(o[0], 64)), 0);
    cr_assert_eq(start_like(&w, t, 0, htmt_in(o[0], 65)), HTMT_EBOUNDS);
    world_close(&w);
}

Test(alike, a_region_of_another_slice_is_refused)
{
    struct htmt_type *t;
    struct htmt_object *o[2];
    struct world w = two_slices(&t, o);
    cr_assert_eq(start_like(&w, t, 0, htmt_in(o[1], 0)), HTMT_EROUTE);
    world_close(&w);
}

Test(alike, a_region_of_an_object_that_is_gone_is_refused)
{
    struct htmt_type *t;
    struct htmt_object *o[2];
    struct world w = two_slices(&t, o);
    struct htmt_object *spare = world_object(&w, 0, DRAM, 64, "spare"), *gone = spare;
    htmt_object_destroy(&spare);
    cr_assert_neq(start_like(&w, t, 0, htmt_in(gone, 0)), 0);
    world_close(&w);
}

Test(alike, a_parcel_that_no_longer_fits_beside_objects_is_refused)
{
    struct htmt_type *t;
    struct htmt_object *o[2];
    struct world w = two_slices(&t, o);
    world_object(&w, 1, CRAM, 8 * 93, "large");
    cr_assert_eq(start_like(&w, t, 0, htmt_in(o[0], 0)), 0, "the other slice has room");
    cr_assert_eq(start_like(&w, t, 1, htmt_in(o[1], 0)), HTMT_ECAPACITY);
    world_close(&w);
}
