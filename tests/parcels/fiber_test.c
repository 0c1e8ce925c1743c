/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sync slots: how often and when a fiber runs.
 */
#include "tests/parcels/world.h"

struct tale {
    uint32_t count, reset, signals;
    unsigned ran;
    uint32_t order[16];
};

static struct tale *tale_of(struct htmt_context *c)
{
    struct tale *t;
    memcpy(&t, htmt_args(c), sizeof t);
    return t;
}

static void signal_all(struct htmt_context *c)
{
    const struct tale *t = tale_of(c);
    htmt_slot_set(c, 1, t->count, t->reset);
    for (uint32_t i = 0; i < t->signals; i++)
        htmt_signal(c, htmt_slot(c, 1));
}

static void tell(struct htmt_context *c)
{
    struct tale *t = tale_of(c);
    if (t->ran < 16)
        t->order[t->ran] = htmt_fiber(c);
    if (!t->ran++)
        htmt_retire(c, htmt_self(c));
}

COST(ten, ops->n[HTMT_CYCLE] = 10)

static htmt_time run(struct tale *t, htmt_control_fn *first, const struct htmt_stage *fibers,
                     uint32_t fiber_count)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_type *type = TYPE(&w, .name = "tale", .home = "cram", .exec = "cram",
                                  .execute = {.cost = ten, .control = first}, .fibers = fibers,
                                  .fiber_count = fiber_count, .args_bytes = sizeof t);
    START(&w, .type = type, .args = &t);
    htmt_time end = world_run(&w);
    world_close(&w);
    return end;
}

/* Enablings queue: (signals - count) / reset + 1 of them, 10 ns each, behind fiber 0's 10 ns. The
 * activation has said that it is done at the first and stays until the last. */
Test(fiber, no_enabling_is_lost)
{
    static const struct htmt_stage fiber = {.cost = ten, .control = tell};
    const struct tale cases[] = {{1, 1, 5, 0, {0}},
                                 {3, 2, 7, 0, {0}},
                                 {4, 1, 4, 0, {0}},
                                 {2, 5, 6, 0, {0}},
                                 {1, 3, 10, 0, {0}}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tale t = cases[i];
        unsigned want = (t.signals - t.count) / t.reset + 1;
        cr_assert_eq(run(&t, signal_all, &fiber, 1), (10 + 10 * want) * NS, "case %u", i);
        cr_assert_eq(t.ran, want, "case %u ran %u times", i, t.ran);
    }
}

/* Slots are armed from assembly on. The signals of the log's start come while fiber 0 is served,
 * so both fibers wait for its end, in the order in which they were enabled. */
static void early(struct htmt_context *c)
{
    htmt_signal(c, htmt_slot(c, 2));
    htmt_signal(c, htmt_slot(c, 1));
    htmt_work(c);
}

Test(fiber, a_fiber_enabled_early_runs_after_fiber_0_first_enabled_first_served)
{
    const struct htmt_stage fibers[] = {{.cost = ten, .control = tell, .count = 1},
                                        {.cost = ten, .control = tell, .count = 1}};
    struct tale t = {.count = 0};
    cr_assert_eq(run(&t, early, fibers, 2), 30 * NS);
    cr_assert_eq(t.ran, 2);
    cr_assert_eq(t.order[0], 2);
    cr_assert_eq(t.order[1], 1);
}
