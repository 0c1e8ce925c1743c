/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Barriers: nobody passes before all have joined, and what they cost.
 */
#include "tests/parcels/world.h"

enum { MOST = 16, ROUNDS = 3 };

struct gate {
    uint32_t slices;
    uint64_t delay[MOST];
    uint32_t latency, joined[MOST], passed[MOST];
    bool together; /* look at the other slices' counts: not where each is guarded */
    struct htmt_barrier *barrier;
};
struct gate_args {
    struct gate *gate;
    uint32_t round;
};

static void join(struct htmt_context *c)
{
    const struct gate_args *a = htmt_args(c);
    uint32_t me = htmt_slice(c);
    htmt_charge(c, HTMT_CYCLE, a->round ? 0 : a->gate->delay[me]);
    htmt_barrier(c, a->gate->barrier, htmt_slot(c, 1));
}
static void joined(struct htmt_context *c)
{
    struct gate_args *a = htmt_args(c);
    a->gate->joined[htmt_slice(c)]++;
    join(c);
}
static void pass(struct htmt_context *c)
{
    struct gate_args *a = htmt_args(c);
    for (uint32_t i = 0; i < a->gate->slices && a->gate->together; i++)
        cr_assert_gt(a->gate->joined[i], a->round, "slice %u passes before %u joins", htmt_slice(c),
                     i);
    a->gate->passed[htmt_slice(c)]++;
    if (++a->round < ROUNDS)
        joined(c);
    else
        htmt_retire(c, htmt_self(c));
}

static htmt_time play(struct gate *g, struct htmt_options o)
{
    static const struct htmt_stage fiber = {.control = pass, .count = 1, .reset = 1};
    struct world_spec s = world_plain(g->slices);
    s.network[CNET].latency_ns = g->latency;
    struct world w = world_open(&s, o);
    cr_assert_eq(htmt_barrier_create(w.e, CRAM, "gate", &g->barrier), 0);
    struct htmt_type *t =
        TYPE(&w, .name = "waits", .home = "cram", .exec = "cram", .execute = {.control = joined},
             .fibers = &fiber, .fiber_count = 1, .args_bytes = sizeof(struct gate_args));
    memset(g->joined, 0, sizeof g->joined);
    memset(g->passed, 0, sizeof g->passed);
    for (uint32_t i = 0; i < g->slices; i++)
        START(&w, .type = t, .slice = i, .args = &(struct gate_args){.gate = g});
    htmt_time time = world_run(&w);
    for (uint32_t i = 0; i < htmt_emulator_played(w.e); i++)
        cr_assert_eq(g->passed[i], ROUNDS);
    world_close(&w);
    return time;
}

Test(barrier, nobody_passes_before_all_have_joined)
{
    for (uint64_t seed = 3, n = 0; n < 40; n++) {
        struct gate g = {.slices = (uint32_t)world_between(&seed, 1, MOST),
                         .latency = (uint32_t)world_between(&seed, 0, 20),
                         .together = true};
        uint64_t last = 0;
        for (uint32_t i = 0; i < g.slices; i++) {
            g.delay[i] = world_between(&seed, 0, 200);
            last = g.delay[i] > last ? g.delay[i] : last;
        }
        htmt_time time = play(&g, (struct htmt_options){.mode = HTMT_MODEL});
        cr_assert_geq(time, (htmt_time)last * NS);
        cr_assert_eq(play(&g, (struct htmt_options){.threads = 1}), time);
        cr_assert_eq(play(&g, (struct htmt_options){.threads = 3}), time);
        g.together = false;
        cr_assert_eq(play(&g, (struct htmt_options){.threads = 1, .checked = true}), time);
    }
}

/* A word and its latency for each round. */
Test(barrier, among_powers_of_two_it_costs_a_word_for_each_round)
{
    for (uint32_t rounds = 0; rounds <= 4; rounds++)
        for (uint32_t latency = 0; latency <= 10; latency += 10) {
            struct gate g = {.slices = 1u << rounds, .latency = latency, .together = true};
            htmt_time time = ROUNDS * rounds * (1 + (htmt_time)latency) * NS;
            cr_assert_eq(play(&g, (struct htmt_options){.mode = HTMT_MODEL}), time, "%u", rounds);
            cr_assert_eq(play(&g, (struct htmt_options){.threads = 2}), time, "%u", rounds);
            g.together = false;
            cr_assert_eq(
                play(&g, (struct htmt_options){.mode = HTMT_MODEL, .symmetry = HTMT_FOLDED}), time,
                "%u folded", rounds);
        }
}

Test(barrier, folded_over_six_slices_it_is_refused_by_its_name)
{
    struct world_spec s = world_plain(6);
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .symmetry = HTMT_FOLDED);
    struct htmt_barrier *b;
    cr_assert_eq(htmt_barrier_create(w.e, CRAM, "gate", &b), HTMT_ESYMMETRY);
    cr_assert_not_null(strstr(htmt_emulator_fault(w.e)->text, "barrier gate: found 6 slices"));
    world_close(&w);
}
