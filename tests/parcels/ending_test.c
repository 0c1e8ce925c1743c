/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of a run: rounds of collectives that not all have joined, mail and signals that are left
 * over, an instant without end, and a deadlock of many parcels.
 */
#include "tests/parcels/world.h"
#include "tests/runtime/share.h"

static void fault_has(const struct world *w, const char *text)
{
    cr_assert_not_null(strstr(htmt_emulator_fault(w->e)->text, text), "no '%s' in: %s", text,
                       htmt_emulator_fault(w->e)->text);
}

static void report_has(const struct world *w, const char *text)
{
    char *report = world_deadlock(w->e);
    cr_assert_not_null(strstr(report, text), "no '%s' in\n%s", text, report);
    free(report);
}

/* ---- collectives ----------------------------------------------------------------------------- */

#define SLICES_MOST 32u

struct rounds {
    struct htmt_tree *up;
    struct htmt_allreduce *all;
    unsigned calls[SLICES_MOST]; /* of each slice */
    bool waits;                  /* for the signal of each call, and so for the others */
};

struct caller {
    struct rounds *rounds;
    unsigned called;
};

static void add(void *into, const void *from, uint64_t bytes)
{
    (void)bytes;
    *(double *)into += *(const double *)from;
}

static void call(struct htmt_context *c)
{
    struct caller *a = htmt_args(c);
    struct htmt_slot slot = {0};
    if (a->called++ >= a->rounds->calls[htmt_slice(c)]) {
        htmt_retire(c, htmt_self(c));
        return;
    }
    htmt_slot_set(c, 1, 1, 0);
    if (a->rounds->waits)
        slot = htmt_slot(c, 1);
    else
        htmt_signal(c, htmt_slot(c, 1));
    if (a->rounds->all)
        htmt_allreduce(c, a->rounds->all, slot);
    else
        htmt_reduce(c, a->rounds->up, slot);
}

static struct world call_all(struct rounds *rounds, unsigned slices, bool allreduce)
{
    static const struct htmt_stage fiber = {.control = call};
    struct world_spec s = world_plain(slices);
    struct world w = OPEN(&s, .threads = 1);
    struct htmt_frame *frame;
    struct caller a = {rounds, 0};
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8, "sum", &frame), 0);
    struct htmt_tree_desc up = {frame, 8, add, {{1}}, "total"};
    struct htmt_allreduce_desc all = {frame, 8, add, {{1}}, "norm"};
    cr_assert_eq(allreduce ? htmt_allreduce_create(w.e, &all, &rounds->all)
                           : htmt_tree_create(w.e, &up, &rounds->up),
                 0);
    struct htmt_type *t = TYPE(&w, .name = "caller", .home = "cram", .exec = "cram",
                               .execute = {.control = call}, .fibers = &fiber, .fiber_count = 1,
                               .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof a);
    for (uint32_t i = 0; i < slices; i++)
        START(&w, .type = t, .slice = i, .args = &a);
    return w;
}

Test(ending, an_all_reduce_that_a_slice_does_not_join_is_named_with_that_slice)
{
    struct rounds r = {.calls = {2, 2, 1, 2}, .waits = true};
    struct world w = call_all(&r, 4, true);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EDEADLOCK);
    fault_has(&w, "nothing can move and 3 parcels and messages are not done; "
                  "all-reduce norm waits in round 2 for slice 2");
    report_has(&w, "its fiber 1 waits for 1 more signal; to come from all-reduce norm\n");
    report_has(&w, "  all-reduce norm waits in round 2 for slice 2\n");
    world_close(&w);
}

Test(ending, a_reduction_that_a_slice_does_not_join_is_named_when_all_parcels_are_done)
{
    struct rounds r = {.calls = {1, 0, 1, 0, 1}};
    struct world w = call_all(&r, 5, false);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EDEADLOCK);
    fault_has(&w, "the run is over, but reduction total waits in round 1 for slices 1, 3");
    report_has(&w, "  reduction total waits in round 1 for slices 1, 3\n");
    world_close(&w);
}

Test(ending, a_slice_that_waits_for_its_part_of_a_reduction_is_told_of_it)
{
    struct rounds r = {.calls = {1, 1, 0, 1}, .waits = true};
    struct world w = call_all(&r, 4, false);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EDEADLOCK);
    report_has(&w, "caller #1 (slice 0) waits for htmt_retire()\n"
                   "    its fiber 1 waits for 1 more signal; to come from reduction total\n");
    world_close(&w);
}

Test(ending, of_many_slices_that_are_absent_the_first_are_named)
{
    struct rounds r = {.calls = {1}};
    struct world w = call_all(&r, 20, true);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EDEADLOCK);
    fault_has(&w, "norm waits in round 1 for slices 1, 2, 3, 4, 5, 6, 7, 8 and 11 others");
    world_close(&w);
}

Test(ending, rounds_that_all_slices_have_joined_are_complete)
{
    for (unsigned slices = 1; slices < 8; slices++)
        for (unsigned kind = 0; kind < 4; kind++) {
            struct rounds r = {.calls = {1, 1, 1, 1, 1, 1, 1}, .waits = kind & 1};
            struct world w = call_all(&r, slices, kind & 2);
            world_run(&w);
            cr_assert_eq(htmt_note_count(w.e), 0);
            world_close(&w);
        }
}

/* ---- mail ------------------------------------------------------------------------------------ */

struct post {
    struct htmt_mailbox *box[3];
    struct htmt_object *src;
    bool takes;
};

static void post(struct htmt_context *c)
{
    const struct post *p = htmt_args(c);
    htmt_slot_set(c, 1, 3, 0);
    for (unsigned i = 0; i < 3; i++)
        htmt_send(c, p->box[i], htmt_in(p->src, 0), i, (struct htmt_slot){0}, htmt_slot(c, 1));
}

static void fetch(struct htmt_context *c)
{
    const struct post *p = htmt_args(c);
    for (unsigned i = 0; p->takes && i < 3; i++)
        htmt_take(c, p->box[i]);
    htmt_retire(c, htmt_self(c));
}

static struct world send_mail(bool takes, bool checked)
{
    static const struct htmt_stage fiber = {.control = fetch};
    static const char *const name[] = {"bills", "letters", "parcels"};
    struct world_spec s = world_plain(2);
    struct world w = OPEN(&s, .checked = checked);
    struct post p = {.src = world_object(&w, 1, CRAM, 64, "src"), .takes = takes};
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(htmt_mailbox_create(w.e, 1, CRAM, 8, 4, name[i], &p.box[i]), 0);
    struct htmt_type *t =
        TYPE(&w, .name = "poster", .home = "cram", .exec = "cram", .execute = {.control = post},
             .fibers = &fiber, .fiber_count = 1, .args_bytes = sizeof p);
    START(&w, .type = t, .slice = 1, .args = &p);
    return w;
}

static const char mail_left[] = "mailbox letters of slice 1 holds 1 record that nobody took, "
                                "another one 2";

Test(ending, mail_that_nobody_took_is_noted)
{
    struct world w = send_mail(false, false);
    world_run(&w);
    cr_assert_eq(htmt_note_count(w.e), 1);
    cr_assert_not_null(strstr(htmt_note_at(w.e, 0), mail_left), "%s", htmt_note_at(w.e, 0));
    cr_assert_null(htmt_note_at(w.e, 1));
    world_close(&w);
}

Test(ending, mail_that_nobody_took_ends_a_checked_run)
{
    struct world w = send_mail(false, true);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ELEFT);
    fault_has(&w, mail_left);
    world_close(&w);
}

Test(ending, mail_that_was_taken_is_not_noted)
{
    for (unsigned checked = 0; checked < 2; checked++) {
        struct world w = send_mail(true, checked);
        world_run(&w);
        cr_assert_eq(htmt_note_count(w.e), 0);
        world_close(&w);
    }
}

/* ---- signals --------------------------------------------------------------------------------- */

struct count {
    uint32_t count, reset, signals;
    bool again; /* set the slot anew when all signals were sent */
};

static void signal_some(struct htmt_context *c)
{
    const struct count *a = htmt_args(c);
    htmt_slot_set(c, 1, a->count, a->reset);
    for (uint32_t i = 0; i < a->signals; i++)
        htmt_signal(c, htmt_slot(c, 1));
    htmt_charge(c, HTMT_CYCLE, 7);
    htmt_slot_set(c, 2, 1, 0);
    htmt_signal(c, htmt_slot(c, 2));
}

static void nothing(struct htmt_context *c)
{
    (void)c;
}

static void leave(struct htmt_context *c)
{
    const struct count *a = htmt_args(c);
    if (a->again)
        htmt_slot_set(c, 1, 2, 0);
    htmt_retire(c, htmt_self(c));
}

static struct world signal_slot(struct count a, bool checked)
{
    static const struct htmt_stage fiber[] = {{.control = nothing}, {.control = leave}};
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .checked = checked);
    struct htmt_type *t = TYPE(&w, .name = "counter", .home = "cram", .exec = "cram",
                               .execute = {.control = signal_some}, .fibers = fiber,
                               .fiber_count = 2, .args_bytes = sizeof a);
    START(&w, .type = t, .args = &a);
    return w;
}

Test(ending, a_slot_that_was_counted_down_in_part_is_noted)
{
    struct world w = signal_slot((struct count){.count = 3, .signals = 2}, false);
    world_run(&w);
    cr_assert_eq(htmt_note_count(w.e), 1);
    cr_assert_not_null(strstr(htmt_note_at(w.e, 0), "type counter, slice 0: fiber 1 had got 2 of 3 "
                                                    "signals when its parcel ended at 7e-09 s"),
                       "%s", htmt_note_at(w.e, 0));
    world_close(&w);
}

Test(ending, so_is_one_that_was_reset)
{
    struct world w = signal_slot((struct count){.count = 1, .reset = 5, .signals = 2}, false);
    world_run(&w);
    cr_assert_not_null(strstr(htmt_note_at(w.e, 0), "fiber 1 had got 1 of 5 signals"));
    world_close(&w);
}

Test(ending, a_slot_that_was_counted_down_in_part_ends_a_checked_run)
{
    struct world w = signal_slot((struct count){.count = 3, .signals = 2}, true);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ELEFT);
    fault_has(&w, "type counter, slice 0: fiber 1 had got 2 of 3 signals");
    world_close(&w);
}

/* Counted down, not counted at all, reset, set anew. */
Test(ending, a_slot_that_waits_for_all_its_signals_or_for_none_is_not_noted)
{
    static const struct count whole[] = {{.count = 3, .signals = 3},
                                         {.count = 3},
                                         {.count = 2, .reset = 2, .signals = 4},
                                         {.count = 1, .reset = 5, .signals = 1},
                                         {.count = 3, .signals = 2, .again = true}};
    for (unsigned i = 0; i < sizeof whole / sizeof *whole; i++) {
        struct world w = signal_slot(whole[i], true);
        world_run(&w);
        cr_assert_eq(htmt_note_count(w.e), 0, "%u", i);
        world_close(&w);
    }
}

static void discard(struct htmt_context *c)
{
    struct htmt_ref other;
    memcpy(&other, htmt_args(c), sizeof other);
    htmt_signal(c, htmt_slot_of(other, 1));
    htmt_discard(c, other);
}

Test(ending, a_parcel_that_is_discarded_may_leave_signals)
{
    static const struct htmt_stage fiber = {.control = nothing, .count = 2};
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .checked = true);
    struct htmt_parcel_desc d = {.type = TYPE(&w, .name = "unwanted", .home = "cram",
                                              .exec = "cram", .fibers = &fiber, .fiber_count = 1,
                                              .gates = HTMT_GATE(HTMT_EXECUTE),
                                              .execute = {.control = nothing})};
    struct htmt_ref other;
    cr_assert_eq(htmt_assemble(htmt_root(w.e), &d, &other), 0);
    struct htmt_type *t = TYPE(&w, .name = "judge", .home = "cram", .exec = "cram",
                               .execute = {.control = discard}, .args_bytes = sizeof other);
    START(&w, .type = t, .args = &other);
    world_run(&w);
    world_close(&w);
}

/* ---- an instant without end ------------------------------------------------------------------ */

struct chain {
    struct htmt_type *const *type; /* two that assemble each other */
    uint64_t left, cycles;
};

static void assemble_next(struct htmt_context *c)
{
    struct chain next = *(struct chain *)htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, next.cycles);
    if (next.left-- == 0)
        return;
    ASSEMBLE(c, NULL, .type = next.type[next.left & 1], .slice = htmt_slice(c), .args = &next);
}

static void compute(struct htmt_kernel *k)
{
    (void)k;
}

/* `twins` chains of `length` parcels in each of two slices. */
static struct world chains(struct htmt_type *type[2], unsigned twins, uint64_t length,
                           uint64_t cycles, enum htmt_mode mode)
{
    static const char *const name[] = {"ping", "pong"};
    struct world_spec s = world_plain(2);
    struct world w = OPEN(&s, .mode = mode, .threads = 1);
    struct chain a = {type, length, cycles};
    for (unsigned i = 0; i < 2; i++)
        type[i] =
            TYPE(&w, .name = name[i], .home = "cram", .exec = "cram",
                 .execute = {.kernel = compute, .control = assemble_next}, .args_bytes = sizeof a);
    for (unsigned i = 0; i < 2 * twins; i++)
        START(&w, .type = type[0], .slice = i % 2, .args = &a);
    return w;
}

Test(ending, controls_that_assemble_again_and_again_at_one_instant_are_a_livelock, .timeout = 60)
{
    for (enum htmt_mode mode = only_memory() ? HTMT_MODEL : HTMT_RUN; mode <= HTMT_MODEL; mode++) {
        struct htmt_type *type[2];
        struct world w = chains(type, 1, UINT64_MAX, 0, mode);
        cr_assert_eq(htmt_emulator_run(w.e), HTMT_ELIVELOCK);
        cr_assert_eq(htmt_exit_status(HTMT_ELIVELOCK), 3);
        fault_has(&w, "livelock: slice 0 had 1004");
        fault_has(&w, "events at 0 s and time does not go on; in turn come parcels of type pong, "
                      "ping;");
        world_close(&w);
    }
}

Test(ending, time_that_goes_on_is_no_livelock, .timeout = 60)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    struct htmt_type *type[2];
    struct world w = chains(type, 1, 1500000, 1, HTMT_MODEL);
    cr_assert_eq(world_run(&w), 1500001 * NS);
    world_close(&w);
}

/* Two million events at one instant, of forty thousand parcels. */
Test(ending, many_twins_may_do_much_at_one_instant, .timeout = 60)
{
    if (only_memory())
        cr_skip_test("numbers alone");
    struct htmt_type *type[2];
    struct world w = chains(type, 40000, 49, 0, HTMT_MODEL);
    cr_assert_eq(world_run(&w), 0);
    cr_assert_eq(htmt_event_count(w.e), 4000000);
    world_close(&w);
}

/* ---- a deadlock of many ---------------------------------------------------------------------- */

#define MANY 100000u

static void hold(struct htmt_context *c)
{
    (void)c;
}

/* Half of them hold SRAM and wait for CRAM, which one parcel that nobody retires holds; half wait
 * for the SRAM. */
Test(ending, a_deadlock_of_a_hundred_thousand_parcels_is_reported_at_once, .timeout = 30)
{
    struct world_spec s = world_plain(1);
    struct htmt_region all = {.bytes = 8 * 1000};
    s.capacity[SRAM] = MANY / 2;
    s.capacity[CRAM] = 1001;
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    START(&w,
          .type = TYPE(&w, .name = "holder", .home = "cram", .exec = "cram",
                       .execute = {.control = hold}, .gates = HTMT_GATE(HTMT_RETIRE)),
          .regions = &all, .region_count = 1);
    struct htmt_type *t =
        TYPE(&w, .name = "waiter", .home = "dram", .exec = "cram", .header_words = 1);
    struct htmt_region two = {.bytes = 8};
    for (unsigned i = 1; i < MANY; i++)
        START(&w, .type = t, .regions = &two, .region_count = 1);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EDEADLOCK);
    report_has(&w, "100000 wait\n");
    report_has(&w, "most of what others wait for is held by holder #1 (slice 0): 1000 words of "
                   "Mcram, for which 50000 wait");
    report_has(&w, "  and 99980 others:\n    49981 waiter for words of Mcram\n");
    report_has(&w, "no cycle among those who hold");
    world_close(&w);
}
