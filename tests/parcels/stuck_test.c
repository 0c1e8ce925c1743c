/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs in which nothing can move any more end with a report, never with a hang or as if all were
 * well.
 */
#include "tests/parcels/world.h"

/* The run ends in a deadlock whose report holds each of the texts. */
static void is_stuck(struct world *w, const char *const *texts)
{
    cr_assert_eq(htmt_emulator_run(w->e), HTMT_EDEADLOCK, "%s", htmt_emulator_fault(w->e)->text);
    char *report = world_deadlock(w->e);
    for (; *texts; texts++)
        cr_assert_not_null(strstr(report, *texts), "no '%s' in\n%s", *texts, report);
    free(report);
}

/* ---- circular wait --------------------------------------------------------------------------- */

struct hold {
    const struct htmt_type *child;
    struct htmt_region region;
};

static void spawn(struct htmt_context *c)
{
    const struct hold *h = htmt_args(c);
    htmt_slot_set(c, 1, 1, 0);
    ASSEMBLE(c, NULL, .type = h->child, .slice = htmt_slice(c), .regions = &h->region,
             .region_count = 1, .on_done = htmt_slot(c, 1));
}

CONTROL(finish, htmt_retire(c, htmt_self(c)))

static struct htmt_type *holder(struct world *w, const char *home)
{
    static const struct htmt_stage fiber = {.control = finish};
    return TYPE(w, .name = "holder", .home = home, .exec = "cram", .execute = {.control = spawn},
                .fibers = &fiber, .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE),
                .args_bytes = sizeof(struct hold));
}

/* CRAM of 1000 words: the activation holds `held`, its child wants `wanted`. */
static int hold_and_wait(uint64_t held, uint64_t wanted, const char *const *texts)
{
    struct world_spec s = world_plain(1);
    s.capacity[CRAM] = 1000;
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct hold h = {TYPE(&w, .name = "child", .home = "sram", .exec = "cram"),
                     {.bytes = 8 * wanted}};
    struct htmt_region r = {.bytes = 8 * held};
    START(&w, .type = holder(&w, "sram"), .args = &h, .regions = &r, .region_count = 1);
    int rc = 0;
    if (texts)
        is_stuck(&w, texts);
    else
        rc = htmt_emulator_run(w.e);
    world_close(&w);
    return rc;
}

Test(stuck, an_activation_that_holds_what_its_child_waits_for_is_a_named_cycle)
{
    const char *const texts[] = {
        "holder #1 (slice 0) waits for htmt_retire()",
        "its fiber 1 waits for 1 more signal; to come from child #2 (slice 0)",
        "child #2 (slice 0) waits before inject for 401 words of Mcram",
        "400 of 1000 words are free; objects hold 0",
        "held by holder #1 (slice 0): 600 words",
        "cycle: holder #1 (slice 0) -> child #2 (slice 0) -> holder #1 (slice 0)",
        NULL};
    hold_and_wait(600, 401, texts);
    cr_assert_eq(hold_and_wait(600, 400, NULL), 0);
}

/* ---- lost signals, closed gates -------------------------------------------------------------- */

CONTROL(set_two, htmt_slot_set(c, 1, 2, 0); htmt_signal(c, htmt_slot(c, 1)))

Test(stuck, a_lost_signal_names_the_fiber_that_waits)
{
    static const struct htmt_stage fiber = {.control = finish};
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_type *t =
        TYPE(&w, .name = "deaf", .home = "cram", .exec = "cram", .execute = {.control = set_two},
             .fibers = &fiber, .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE));
    START(&w, .type = t);
    const char *const texts[] = {
        "deaf #1 (slice 0) waits for htmt_retire()",
        "its fiber 1 waits for 1 more signal; nobody is under way who would signal it", "no cycle",
        NULL};
    is_stuck(&w, texts);
    world_close(&w);
}

Test(stuck, a_gate_that_nobody_opens_is_named)
{
    const enum htmt_stage_id gates[] = {HTMT_DISPATCH, HTMT_EXECUTE, HTMT_RETIRE, HTMT_SCATTER};
    for (unsigned i = 0; i < 4; i++) {
        struct world_spec s = world_plain(1);
        struct world w = OPEN(&s, .mode = HTMT_MODEL);
        struct htmt_type_desc d = world_eight();
        struct world_work work = {1, 1, 1, 1, 1};
        char want[64];
        d.gates = HTMT_GATE(gates[i]);
        START(&w, .type = world_type(&w, d), .args = &work);
        snprintf(want, sizeof want, "eight #1 (slice 0) waits for htmt_%s()",
                 htmt_stage_name(gates[i]));
        const char *const texts[] = {want, NULL};
        is_stuck(&w, texts);
        world_close(&w);
    }
}

/* ---- what waits without a parcel ------------------------------------------------------------- */

struct post {
    struct htmt_mailbox *box;
    struct htmt_object *src;
    uint64_t records, times;
};

static void post(struct htmt_context *c)
{
    const struct post *p = htmt_args(c);
    for (uint64_t i = 0; i < p->times; i++)
        htmt_send(c, p->box, htmt_in(p->src, 0), p->records, (struct htmt_slot){0},
                  (struct htmt_slot){0});
}

/* The sending parcel has long ended; what it sent can never arrive. */
Test(stuck, records_that_find_no_room_are_not_lost_quietly)
{
    for (unsigned times = 2; times <= 3; times++) {
        struct world_spec s = world_plain(2);
        struct world w = OPEN(&s, .threads = 1);
        struct post p = {.src = world_object(&w, 1, CRAM, 64, "src"), .records = 2, .times = times};
        cr_assert_eq(htmt_mailbox_create(w.e, 0, CRAM, 8, 4, "box", &p.box), 0);
        struct htmt_type *t = TYPE(&w, .name = "poster", .home = "cram", .exec = "cram",
                                   .execute = {.control = post}, .args_bytes = sizeof p);
        START(&w, .type = t, .slice = 1, .args = &p);
        const char *const texts[] = {
            "a send #4 (slice 1) waits for room for 2 records in mailbox box", NULL};
        if (times == 2)
            world_run(&w);
        else
            is_stuck(&w, texts);
        world_close(&w);
    }
}

/* ---- activations that end too early ---------------------------------------------------------- */

CONTROL(linger, htmt_slot_set(c, 1, 1, 0); htmt_signal(c, htmt_slot(c, 1)))
COST(slow, ops->n[HTMT_CYCLE] = 100)

/* Fibers keep the activation, whatever its type says of gates, until it says that it is done. */
Test(stuck, an_activation_does_not_end_under_its_fibers)
{
    static const struct htmt_stage fiber = {.cost = slow};
    for (int model = 0; model < 2; model++) {
        struct world_spec s = world_plain(1);
        struct world w = OPEN(&s, .mode = model ? HTMT_MODEL : HTMT_RUN);
        struct htmt_type *t =
            TYPE(&w, .name = "mute", .home = "cram", .exec = "cram", .execute = {.control = linger},
                 .fibers = &fiber, .fiber_count = 1, .args_bytes = 64);
        START(&w, .type = t);
        is_stuck(&w, (const char *const[]){"mute #1 (slice 0) waits for htmt_retire()", NULL});
        cr_assert_eq(htmt_predicted(w.e), 100 * NS);
        world_close(&w);
    }
}

static void enable_and_discard(struct htmt_context *c)
{
    struct htmt_ref waits;
    memcpy(&waits, htmt_args(c), sizeof waits);
    htmt_signal(c, htmt_slot_of(waits, 1));
    htmt_discard(c, waits);
}

/* It waits before execute, its fiber is enabled, it is discarded: a line, not a fiber of nobody. */
Test(stuck, an_activation_is_not_discarded_under_an_enabled_fiber)
{
    static const struct htmt_stage fiber = {.cost = slow, .count = 1};
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .threads = 1);
    struct htmt_parcel_desc d = {.type = TYPE(&w, .name = "early", .home = "cram", .exec = "cram",
                                              .execute = {.cost = slow}, .fibers = &fiber,
                                              .fiber_count = 1, .gates = HTMT_GATE(HTMT_EXECUTE))};
    struct htmt_ref early;
    cr_assert_eq(htmt_assemble(htmt_root(w.e), &d, &early), 0);
    struct htmt_type *t =
        TYPE(&w, .name = "judge", .home = "cram", .exec = "cram",
             .execute = {.control = enable_and_discard}, .args_bytes = sizeof early);
    START(&w, .type = t, .args = &early);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EINVAL);
    cr_assert_not_null(strstr(htmt_emulator_fault(w.e)->text, "early"));
    world_close(&w);
}

/* ---- the user's patience --------------------------------------------------------------------- */

CONTROL(again, htmt_slot_set(c, 1, 1, 1); htmt_signal(c, htmt_slot(c, 1)))
CONTROL(once_more, htmt_signal(c, htmt_slot(c, 1)))

static bool enough(void *user)
{
    return ++*(unsigned *)user == 3;
}

/* A fiber that enables itself for ever, at one instant of virtual time. */
Test(stuck, an_endless_run_can_be_cancelled, .timeout = 30)
{
    static const struct htmt_stage fiber = {.control = once_more};
    struct world_spec s = world_plain(1);
    unsigned asked = 0;
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .cancelled = enough, .user = &asked);
    struct htmt_type *t =
        TYPE(&w, .name = "endless", .home = "cram", .exec = "cram", .execute = {.control = again},
             .fibers = &fiber, .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE));
    START(&w, .type = t);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ECANCELLED);
    cr_assert_eq(asked, 3);
    cr_assert_gt(htmt_event_count(w.e), 0);
    world_close(&w);
}

Test(stuck, an_emulator_runs_once)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    cr_assert_eq(htmt_emulator_run(w.e), 0);
    cr_assert_eq(htmt_predicted(w.e), 0);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EINVAL);
    world_close(&w);
}
