/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Collectives: what every slice holds afterwards, in which order sums are made, how long it takes.
 */
#include "tests/parcels/world.h"

#define COUNT 5u /* doubles of a frame */

struct plan {
    struct htmt_tree *up, *down;
    struct htmt_frame *frame;
    const struct htmt_ref *ref; /* of every slice's activation */
    uint64_t delay[32];
    unsigned rounds, ended[32];
    struct htmt_slot slots[32];
};

struct arg {
    struct plan *plan;
    unsigned round;
};

static void add(void *into, const void *from, uint64_t bytes)
{
    double *a = into;
    const double *b = from;
    for (uint64_t i = 0; i < bytes / sizeof *a; i++)
        a[i] += b[i];
}

/* Sums of these depend on their order in the last bits. */
static double value(uint32_t slice, unsigned i)
{
    return 1.0 / (1.0 + slice) + (slice % 3 ? 1e8 : -1e-8) * (i + 1) / 7.0;
}

/* ---- reduction ------------------------------------------------------------------------------- */

static void join(struct htmt_context *c)
{
    const struct arg *a = htmt_args(c);
    htmt_slot_set(c, 1, 1, 0);
    htmt_charge(c, HTMT_CYCLE, a->plan->delay[htmt_slice(c)]);
    htmt_reduce(c, a->plan->up, htmt_slot(c, 1));
}

static void ended(struct htmt_context *c)
{
    struct arg *a = htmt_args(c);
    a->plan->ended[htmt_slice(c)]++;
    if (++a->round < a->plan->rounds)
        join(c);
    else
        htmt_retire(c, htmt_self(c));
}

static htmt_time reduce(struct plan *plan, uint32_t slices, bool model, uint64_t fold_cycles,
                        double *result)
{
    static const struct htmt_stage fiber = {.control = ended};
    struct world_spec s = world_plain(slices);
    s.network[CNET].latency_ns = 10;
    struct world w = OPEN(&s, .mode = model ? HTMT_MODEL : HTMT_RUN, .threads = 2);
    struct arg arg = {plan, 0};
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8 * COUNT, "sum", &plan->frame), 0);
    struct htmt_tree_desc d = {.frame = plan->frame,
                               .bytes = 8 * COUNT,
                               .combine = add,
                               .ops = {{fold_cycles}},
                               .name = "sum"};
    cr_assert_eq(htmt_tree_create(w.e, &d, &plan->up), 0);
    struct htmt_type *t = TYPE(&w, .name = "joiner", .home = "cram", .exec = "cram",
                               .execute = {.control = join}, .fibers = &fiber, .fiber_count = 1,
                               .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof arg);
    for (uint32_t i = 0; i < slices; i++) {
        double *v = htmt_object_bytes(htmt_at(plan->frame, i, 0).object);
        for (unsigned k = 0; v && k < COUNT; k++)
            v[k] = value(i, k);
        START(&w, .type = t, .slice = i, .args = &arg);
    }
    htmt_time end = world_run(&w);
    if (result && !model)
        memcpy(result, htmt_object_bytes(htmt_at(plan->frame, 0, 0).object), 8 * COUNT);
    world_close(&w);
    return end;
}

/* The documented order: slice i folds i + 1, i + 2, i + 4, ... each with its own subtree folded. */
static double fold_by_hand(uint32_t slice, uint32_t slices, unsigned k)
{
    double sum = value(slice, k);
    for (uint32_t bit = 1; !(slice & bit) && slice + bit < slices; bit <<= 1)
        sum += fold_by_hand(slice + bit, slices, k);
    return sum;
}

Test(tree, a_sum_has_the_bits_of_the_trees_order_whoever_comes_first)
{
    for (uint32_t slices = 1; slices <= 17; slices++)
        for (uint64_t shuffle = 0; shuffle < 3; shuffle++) {
            struct plan plan = {.rounds = 1};
            double got[COUNT];
            uint64_t seed = 17 * slices + shuffle + 1;
            for (uint32_t i = 0; i < slices; i++)
                plan.delay[i] = shuffle ? world_between(&seed, 0, 500) : 0;
            reduce(&plan, slices, false, 3, got);
            for (unsigned k = 0; k < COUNT; k++) {
                double want = fold_by_hand(0, slices, k);
                cr_assert_eq(memcmp(&got[k], &want, sizeof want), 0, "%u slices: %a, not %a",
                             slices, got[k], want);
            }
            for (uint32_t i = 0; i < slices; i++)
                cr_assert_eq(plan.ended[i], 1);
        }
}

/* Slices, all at 0: a message of 5 words takes 15 ns, a fold f. Round r of slice 0 ends r (15 + f)
 * after the start, as all subtrees work at once. */
Test(tree, a_reduction_takes_its_rounds)
{
    for (unsigned rounds = 0; rounds <= 4; rounds++)
        for (int model = 0; model < 2; model++) {
            struct plan plan = {.rounds = 1};
            htmt_time end = reduce(&plan, 1u << rounds, model, 40, NULL);
            cr_assert_eq(end, (htmt_time)rounds * (15 + 40) * NS, "%u rounds: %lld", rounds,
                         (long long)end);
        }
}

/* Every slice adds its frame again and again: sums of small integers, so exact in any order. */
Test(tree, rounds_follow_each_other_without_mixing)
{
    struct plan plan = {.rounds = 4};
    double got[COUNT];
    uint64_t seed = 5;
    for (unsigned i = 0; i < 7; i++)
        plan.delay[i] = world_between(&seed, 0, 100);
    reduce(&plan, 7, false, 1, got);
    for (unsigned i = 0; i < 7; i++)
        cr_assert_eq(plan.ended[i], 4);
}

/* ---- broadcast ------------------------------------------------------------------------------- */

static void listen(struct htmt_context *c)
{
    const struct arg *a = htmt_args(c);
    htmt_slot_set(c, 1, 1, 0);
    if (htmt_slice(c) == 0)
        htmt_broadcast(c, a->plan->down, a->plan->slots);
}

static htmt_time broadcast(uint32_t slices)
{
    static const struct htmt_stage fiber = {.control = ended};
    struct world_spec s = world_plain(slices);
    struct plan plan = {.rounds = 1};
    struct arg arg = {&plan, 0};
    s.network[CNET].latency_ns = 10;
    struct world w = OPEN(&s, .threads = 2);
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8 * COUNT, "view", &plan.frame), 0);
    struct htmt_tree_desc d = {.frame = plan.frame, .bytes = 8 * (COUNT - 1), .name = "view"};
    cr_assert_eq(htmt_tree_create(w.e, &d, &plan.down), 0);
    struct htmt_type *t = TYPE(&w, .name = "listener", .home = "cram", .exec = "cram",
                               .execute = {.control = listen}, .fibers = &fiber, .fiber_count = 1,
                               .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof arg);
    for (uint32_t i = 0; i < slices; i++) {
        struct htmt_parcel_desc p = {.type = t, .slice = i, .args = &arg};
        struct htmt_ref ref;
        cr_assert_eq(htmt_assemble(htmt_root(w.e), &p, &ref), 0);
        plan.slots[i] = htmt_slot_of(ref, 1);
        memset(htmt_object_bytes(htmt_at(plan.frame, i, 0).object), (int)i + 1, 8 * COUNT);
    }
    htmt_time end = world_run(&w);
    for (uint32_t i = 0; i < slices; i++) {
        const unsigned char *b = htmt_object_bytes(htmt_at(plan.frame, i, 0).object);
        for (unsigned k = 0; k < 8 * COUNT; k++)
            cr_assert_eq(b[k], k < 8 * (COUNT - 1) ? 1 : i + 1);
        cr_assert_eq(plan.ended[i], 1);
    }
    world_close(&w);
    return end;
}

/* One channel out of a slice: a message of four words leaves each 4 ns and needs 10 more. The last
 * to hear, from the recursion: the r-th child in the order sent hears at (r + 1) 4 + 10. */
static htmt_time last_to_hear(uint32_t slice, uint32_t slices)
{
    htmt_time sent = 0, last = 0;
    uint32_t top = 1;
    while (!(slice & top) && slice + top < slices)
        top <<= 1;
    for (uint32_t bit = top >> 1; bit; bit >>= 1) {
        sent += 4;
        htmt_time at = sent + 10 + last_to_hear(slice + bit, slices);
        last = at > last ? at : last;
    }
    return last;
}

Test(tree, a_broadcast_reaches_every_slice_with_the_roots_first_bytes)
{
    for (uint32_t slices = 1; slices <= 17; slices++) {
        htmt_time end = broadcast(slices), want = last_to_hear(0, slices) * NS;
        cr_assert_eq(end, want, "%u slices: %lld, not %lld", slices, (long long)end,
                     (long long)want);
    }
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static void join_twice(struct htmt_context *c)
{
    const struct arg *a = htmt_args(c);
    htmt_reduce(c, a->plan->up, (struct htmt_slot){0});
    htmt_reduce(c, a->plan->up, (struct htmt_slot){0});
}

CONTROL(broadcast_up, htmt_broadcast(c, ((const struct arg *)htmt_args(c))->plan->up, NULL))

/* Over the way of the first a second would take its slots away, and somebody would wait for good.
 */
static void broadcast_twice(struct htmt_context *c)
{
    const struct arg *a = htmt_args(c);
    const struct htmt_slot slots[2] = {htmt_slot_of(htmt_self(c), 1)};
    htmt_broadcast(c, a->plan->down, slots);
    htmt_broadcast(c, a->plan->down, slots);
}

static int mistake(htmt_control_fn *control, const char *says)
{
    struct world_spec s = world_plain(2);
    struct plan plan = {.rounds = 1};
    struct arg arg = {&plan, 0};
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8, "f", &plan.frame), 0);
    struct htmt_tree_desc d = {.frame = plan.frame, .bytes = 8, .combine = add, .name = "up"};
    cr_assert_eq(htmt_tree_create(w.e, &d, &plan.up), 0);
    d.combine = NULL;
    cr_assert_eq(htmt_tree_create(w.e, &d, &plan.down), 0);
    struct htmt_type *t = TYPE(&w, .name = "mistaken", .home = "cram", .exec = "cram",
                               .execute = {.control = control}, .args_bytes = sizeof arg);
    START(&w, .type = t, .args = &arg);
    int rc = htmt_emulator_run(w.e);
    cr_assert_not_null(strstr(htmt_emulator_fault(w.e)->text, says), "%s",
                       htmt_emulator_fault(w.e)->text);
    world_close(&w);
    return rc;
}

Test(tree, joining_twice_broadcasting_twice_and_on_a_sum_are_refused)
{
    cr_assert_eq(mistake(join_twice, "htmt_reduce() again before"), HTMT_EINVAL);
    cr_assert_eq(mistake(broadcast_up, "a tree with a fold"), HTMT_EINVAL);
    cr_assert_eq(mistake(broadcast_twice, "htmt_broadcast() again before"), HTMT_EINVAL);
}
