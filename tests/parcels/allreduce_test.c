/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * The all-reduce: what every slice holds afterwards, how long it takes, who may run ahead, and that
 * slice 0 can stand for all.
 */
#include "parcels/path.h"
#include "tests/parcels/accounts.h"
#include "tests/parcels/world.h"

#define COUNT 5u /* doubles of a frame */
#define MOST  64u

struct plan {
    uint32_t slices;
    unsigned calls;
    uint64_t fold_cycles;
    uint64_t delay[MOST][4]; /* cycles before each call */
    unsigned latency_ns;
    bool whole; /* values are small whole numbers: exact in any order */
    struct htmt_allreduce *sum;
    struct htmt_frame *frame;
    unsigned ended[MOST];
};

struct arg {
    struct plan *plan;
    unsigned call;
};

static void add(void *into, const void *from, uint64_t bytes)
{
    double *a = into;
    const double *b = from;
    for (uint64_t i = 0; i < bytes / sizeof *a; i++)
        a[i] += b[i];
}

static double value(const struct plan *plan, uint32_t slice, unsigned i)
{
    if (plan->whole)
        return slice * COUNT + i + 1;
    return 1.0 / (1.0 + slice) + (slice % 3 ? 1e8 : -1e-8) * (i + 1) / 7.0;
}

static void call(struct htmt_context *c)
{
    const struct arg *a = htmt_args(c);
    htmt_slot_set(c, 1, 1, 0);
    htmt_charge(c, HTMT_CYCLE, a->plan->delay[htmt_slice(c)][a->call]);
    htmt_allreduce(c, a->plan->sum, htmt_slot(c, 1));
}

static void ended(struct htmt_context *c)
{
    struct arg *a = htmt_args(c);
    a->plan->ended[htmt_slice(c)]++;
    if (++a->call < a->plan->calls)
        call(c);
    else
        htmt_retire(c, htmt_self(c));
}

static struct world open_plan(struct plan *plan, struct htmt_options o)
{
    static const struct htmt_stage fiber = {.control = ended};
    struct world_spec s = world_plain(plan->slices);
    s.network[CNET].latency_ns = plan->latency_ns;
    struct world w = world_open(&s, o);
    struct arg arg = {plan, 0};
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8 * COUNT, "sum", &plan->frame), 0);
    struct htmt_allreduce_desc d = {.frame = plan->frame,
                                    .bytes = 8 * COUNT,
                                    .combine = add,
                                    .ops = {{plan->fold_cycles}},
                                    .name = "sum"};
    cr_assert_eq(htmt_allreduce_create(w.e, &d, &plan->sum), 0);
    struct htmt_type *t = TYPE(&w, .name = "caller", .home = "cram", .exec = "cram",
                               .execute = {.control = call}, .fibers = &fiber, .fiber_count = 1,
                               .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof arg);
    for (uint32_t i = 0; i < plan->slices; i++) {
        double *v = o.mode == HTMT_RUN ? htmt_object_bytes(htmt_at(plan->frame, i, 0).object) : 0;
        for (unsigned k = 0; v && k < COUNT; k++)
            v[k] = value(plan, i, k);
        START(&w, .type = t, .slice = i, .args = &arg);
    }
    return w;
}

static struct world play(struct plan *plan, struct htmt_options o)
{
    struct world w = open_plan(plan, o);
    world_run(&w);
    return w;
}

static const double *result(const struct plan *plan, uint32_t slice)
{
    return htmt_object_bytes(htmt_at(plan->frame, slice, 0).object);
}

static void draw_delays(struct plan *plan, uint64_t seed)
{
    for (uint32_t i = 0; i < plan->slices; i++)
        for (unsigned k = 0; k < plan->calls; k++) /* most slices are fast, a few very slow */
            plan->delay[i][k] = world_between(&seed, 0, world_between(&seed, 0, 4) ? 20 : 2000);
}

/* ---- what comes out -------------------------------------------------------------------------- */

/* n calls: each adds up what the one before left everywhere, so sum, slices sum, slices^2 sum... */
static double plain_sum(const struct plan *plan, unsigned k)
{
    double sum = 0;
    for (uint32_t i = 0; i < plan->slices; i++)
        sum += value(plan, i, k);
    for (unsigned n = 1; n < plan->calls; n++)
        sum *= plan->slices;
    return sum;
}

Test(allreduce, every_slice_holds_the_plain_sum_call_after_call_whoever_runs_ahead)
{
    for (uint32_t slices = 1; slices <= 17; slices++)
        for (uint64_t shuffle = 0; shuffle < 4; shuffle++) {
            struct plan plan = {.slices = slices,
                                .calls = 4,
                                .fold_cycles = shuffle ? 7 * shuffle : 0,
                                .latency_ns = shuffle % 2 ? 0 : 10,
                                .whole = true};
            if (shuffle)
                draw_delays(&plan, 31 * slices + shuffle);
            struct world w = play(&plan, (struct htmt_options){.threads = 2});
            for (uint32_t i = 0; i < slices; i++) {
                cr_assert_eq(plan.ended[i], 4);
                for (unsigned k = 0; k < COUNT; k++)
                    cr_assert_eq(result(&plan, i)[k], plain_sum(&plan, k), "slice %u of %u", i,
                                 slices);
            }
            world_close(&w);
        }
}

Test(allreduce, all_slices_get_the_same_bits_in_the_documented_order)
{
    for (uint32_t rounds = 0; rounds <= 4; rounds++) {
        struct plan plan = {.slices = 1u << rounds, .calls = 1, .fold_cycles = 3};
        double want[1u << 4];
        draw_delays(&plan, rounds + 1);
        struct world w = play(&plan, (struct htmt_options){.threads = 2});
        for (uint32_t i = 0; i < plan.slices; i++)
            want[i] = value(&plan, i, 0);
        for (uint32_t bit = 1; bit < plan.slices; bit *= 2)
            for (uint32_t i = 0; i < plan.slices; i++)
                if (!(i & bit))
                    want[i] = want[i + bit] = want[i] + want[i + bit];
        for (uint32_t i = 0; i < plan.slices; i++)
            cr_assert_eq(memcmp(result(&plan, i), want, sizeof want[0]), 0);
        world_close(&w);
    }
}

/* ---- how long it takes ----------------------------------------------------------------------- */

/* A message of 5 words takes m, combining f. From when its slices have joined, when each ends:
 * it combines when both are there, itself and what its partner sent when that was there. */
static void tell_times(uint32_t slices, htmt_time m, htmt_time f, htmt_time *at)
{
    htmt_time next[MOST];
    uint32_t core = 1;
    while (2 * core <= slices)
        core *= 2;
    for (uint32_t i = core; i < slices; i++)
        at[i - core] = (at[i] + m > at[i - core] ? at[i] + m : at[i - core]) + f;
    for (uint32_t bit = 1; bit < core; bit *= 2) {
        for (uint32_t i = 0; i < core; i++)
            next[i] = (at[i ^ bit] + m > at[i] ? at[i ^ bit] + m : at[i]) + f;
        memcpy(at, next, core * sizeof *at);
    }
    for (uint32_t i = core; i < slices; i++)
        at[i] = at[i - core] + m;
}

Test(allreduce, on_an_idle_machine_it_takes_its_rounds_to_the_femtosecond)
{
    for (uint32_t slices = 1; slices <= 17; slices++)
        for (int mode = HTMT_RUN; mode <= HTMT_MODEL; mode++) {
            struct plan plan = {.slices = slices, .calls = 3, .fold_cycles = 40, .latency_ns = 10};
            htmt_time at[MOST] = {0}, last = 0;
            draw_delays(&plan, slices);
            for (unsigned n = 0; n < plan.calls; n++) {
                for (uint32_t i = 0; i < slices; i++)
                    at[i] += (htmt_time)plan.delay[i][n];
                tell_times(slices, 15, 40, at);
            }
            for (uint32_t i = 0; i < slices; i++)
                last = at[i] > last ? at[i] : last;
            struct world w = play(&plan, (struct htmt_options){.mode = (enum htmt_mode)mode});
            cr_assert_eq(htmt_predicted(w.e), last * NS, "%u slices", slices);
            world_close(&w);
        }
}

Test(allreduce, it_is_as_deep_as_the_logarithm_of_its_slices)
{
    for (htmt_time rounds = 0; rounds <= 6; rounds++) {
        struct plan plan = {
            .slices = 1u << rounds, .calls = 1, .fold_cycles = 40, .latency_ns = 10};
        struct world w = play(&plan, (struct htmt_options){.mode = HTMT_MODEL});
        cr_assert_eq(htmt_predicted(w.e), rounds * (15 + 40) * NS);
        world_close(&w);
    }
}

Test(allreduce, the_critical_path_of_one_adds_up)
{
    for (uint32_t slices = 1; slices <= 17; slices++) {
        struct plan plan = {.slices = slices, .calls = 3, .fold_cycles = 11, .latency_ns = 10};
        struct htmt_path path;
        draw_delays(&plan, slices);
        struct world w = play(&plan, (struct htmt_options){.mode = HTMT_MODEL, .explain = true});
        cr_assert_eq(htmt_path_find(w.e, &path), 0);
        htmt_time sum = 0;
        for (uint32_t i = 0; i < path.count; i++)
            sum += path.part[i].time;
        cr_assert_eq(sum, htmt_predicted(w.e));
        htmt_path_clear(&path);
        world_close(&w);
    }
}

/* In the innermost memory its sums are resident state, and its messages an exchange; what they
 * brought is not. */
Test(allreduce, its_departures_are_declared_and_counted)
{
    struct plan plan = {.slices = 8, .calls = 1};
    struct world w = play(&plan, (struct htmt_options){.mode = HTMT_MODEL, .lint = true});
    unsigned found = 0;
    for (uint32_t i = 0; i < htmt_departure_count(w.e); i++) {
        struct htmt_departure_report r;
        htmt_departure_at(w.e, i, &r);
        if (strcmp(r.type, "sum") != 0 || r.kind == HTMT_DEPARTS_OPEN)
            continue;
        found++;
        cr_assert(r.declared);
        cr_assert_eq(r.count, 8 * 3);
    }
    cr_assert_eq(found, 2);
    world_close(&w);
}

/* ---- one slice for all ----------------------------------------------------------------------- */

Test(allreduce, slice_0_stands_for_all_of_a_power_of_two)
{
    for (uint32_t slices = 1; slices <= MOST; slices *= 2)
        for (unsigned latency = 0; latency <= 10; latency += 10) {
            struct plan plan = {
                .slices = slices, .calls = 4, .fold_cycles = 13, .latency_ns = latency};
            struct htmt_options o = {.mode = HTMT_MODEL};
            struct world all = play(&plan, o);
            o.symmetry = HTMT_FOLDED;
            struct world one = play(&plan, o);
            same_accounts(all.e, one.e);
            cr_assert_eq(htmt_event_count(all.e), slices * htmt_event_count(one.e));
            world_close(&all);
            world_close(&one);
        }
}

Test(allreduce, folded_over_another_number_of_slices_it_is_refused)
{
    struct world_spec s = world_plain(12);
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .symmetry = HTMT_FOLDED);
    struct htmt_allreduce_desc d = {.bytes = 8, .combine = add, .name = "sum"};
    struct htmt_allreduce *a;
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8, "sum", &d.frame), 0);
    cr_assert_eq(htmt_allreduce_create(w.e, &d, &a), HTMT_ESYMMETRY);
    cr_assert_str_eq(htmt_emulator_fault(w.e)->text,
                     "all-reduce sum: found 12 slices, expected a power of two, of which slice 0 "
                     "can stand for all");
    world_close(&w);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static void call_twice(struct htmt_context *c)
{
    const struct arg *a = htmt_args(c);
    htmt_allreduce(c, a->plan->sum, (struct htmt_slot){0});
    htmt_allreduce(c, a->plan->sum, (struct htmt_slot){0});
}

Test(allreduce, joining_before_the_last_has_ended_is_refused)
{
    struct plan plan = {.slices = 2, .calls = 1};
    struct world w = open_plan(&plan, (struct htmt_options){.mode = HTMT_MODEL});
    struct arg arg = {&plan, 0};
    struct htmt_type *t = TYPE(&w, .name = "mistaken", .home = "cram", .exec = "cram",
                               .execute = {.control = call_twice}, .args_bytes = sizeof arg);
    START(&w, .type = t, .args = &arg);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EINVAL);
    cr_assert_not_null(strstr(htmt_emulator_fault(w.e)->text, "htmt_allreduce() again before"));
    world_close(&w);
}

Test(allreduce, without_a_frame_or_a_way_to_combine_it_is_refused)
{
    struct world_spec s = world_plain(2);
    struct htmt_allreduce *a;
    struct htmt_frame *frame;
    for (int i = 0; i < 3; i++) {
        struct world w = OPEN(&s, .mode = HTMT_MODEL);
        cr_assert_eq(htmt_frame_create(w.e, CRAM, 8, "f", &frame), 0);
        struct htmt_allreduce_desc d = {.frame = i == 0 ? NULL : frame,
                                        .bytes = i == 1 ? 16 : 8,
                                        .combine = i == 2 ? NULL : add};
        cr_assert_eq(htmt_allreduce_create(w.e, &d, &a), HTMT_EINVAL);
        world_close(&w);
    }
}
