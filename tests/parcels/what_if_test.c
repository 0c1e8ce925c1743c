/* SPDX-License-Identifier: BSD-3-Clause
 *
 * htmt_options.what_if: what departs from percolation is moved, and takes exactly the time that the
 * machine says.
 */
#include "tests/parcels/accounts.h"
#include "tests/parcels/world.h"

enum { SLICES = 4, WORDS = 100, ROUNDS = 5, WORK = 7, GO = 1 };
enum { RESIDENT = HTMT_DEPARTS_RESIDENT, OPEN = HTMT_DEPARTS_OPEN };
enum { EXCHANGE = HTMT_DEPARTS_EXCHANGE, ALL = RESIDENT | OPEN | EXCHANGE };

/* A word takes 1 ns over cnet, 2 ns over the vortex, 1 ns down and 4 ns up the RTI. */
static struct world_spec slow_ways(unsigned slices)
{
    struct world_spec s = world_plain(slices);
    s.network[VORTEX] = (struct world_network){0, 30, 500, 500, 0, 0, 1000};
    s.network[RTI] = (struct world_network){0, 5, 250, 1000, 0, 0, 1000};
    s.network[CNET] = (struct world_network){0, 3, 1000, 1000, 0, 0, 1000};
    return s;
}

/* ---- a ring of SPELLs ------------------------------------------------------------------------ */

struct ring {
    struct htmt_frame *data[2];
    struct htmt_ref post[SLICES];
    bool uses;
};

struct post { /* six words with `round`: the frame that a later fiber needs */
    struct ring *ring;
    uint64_t round, rest[4];
};

static void go(struct htmt_context *c)
{
    struct post *p = htmt_args(c);
    uint32_t at = htmt_slice(c), right = (at + 1) % SLICES;
    uint64_t n = p->round++;
    if (p->ring->uses)
        htmt_use(c, htmt_at(p->ring->data[n % 2], at, 0), 8 * WORDS, HTMT_UPDATE);
    htmt_work(c);
    if (p->round == ROUNDS) {
        htmt_retire(c, htmt_self(c));
        return;
    }
    PUT(c, .src = htmt_at(p->ring->data[n % 2], at, 0),
        .dst = htmt_at(p->ring->data[(n + 1) % 2], right, 0), .bytes = 8 * WORDS,
        .on_sent = htmt_slot(c, GO), .on_arrived = htmt_slot_of(p->ring->post[right], GO));
}

COST(go_cost, ops->n[HTMT_CYCLE] = WORK)

static void start_ring(struct world *w, struct ring *r)
{
    struct htmt_stage fiber = {.control = go, .cost = go_cost, .count = 2, .reset = 2};
    struct htmt_type *type = TYPE(
        w, .name = "post", .home = "cram", .exec = "cram",
        .execute = {.control = go, .cost = go_cost}, .footprint = HTMT_RESIDENT, .fibers = &fiber,
        .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof(struct post));
    struct post p = {.ring = r};
    for (int i = 0; i < 2; i++)
        cr_assert_eq(htmt_frame_create(w->e, CRAM, 8 * WORDS, "data", &r->data[i]), 0);
    for (uint32_t i = 0; i < SLICES; i++)
        cr_assert_eq(ASSEMBLE(htmt_root(w->e), &r->post[i], .type = type, .slice = i, .args = &p),
                     0);
}

static struct world ring_world(const struct world_spec *s, bool uses, unsigned kinds,
                               enum htmt_symmetry symmetry)
{
    struct ring r = {.uses = uses};
    struct world w = OPEN(s, .mode = HTMT_MODEL, .what_if = kinds, .symmetry = symmetry);
    start_ring(&w, &r);
    world_run(&w);
    return w;
}

static htmt_time ring(const struct world_spec *s, bool uses, unsigned kinds)
{
    struct world w = ring_world(s, uses, kinds, HTMT_NO_SYMMETRY);
    htmt_time t = htmt_predicted(w.e);
    world_close(&w);
    return t;
}

Test(what_if, an_exchange_goes_down_across_and_up)
{
    struct world_spec s = slow_ways(SLICES);
    enum { DIRECT = WORDS + 3, ROUND = (WORDS + 5) + (2 * WORDS + 30) + (4 * WORDS + 5) };
    cr_assert_eq(ring(&s, false, 0), (ROUNDS * WORK + (ROUNDS - 1) * DIRECT) * NS);
    cr_assert_eq(ring(&s, false, EXCHANGE), (ROUNDS * WORK + (ROUNDS - 1) * ROUND) * NS);
}

/* The in channel of the target's SRAM is slower than the fiber out of the source's. */
Test(what_if, each_leg_takes_its_turn_at_both_ends)
{
    struct world_spec s = slow_ways(SLICES);
    s.network[VORTEX].inner_in = s.network[VORTEX].outer_in = 1;
    s.network[VORTEX].in_mwords = 100;
    enum { ROUND = (WORDS + 5) + (10 * WORDS + 30) + (4 * WORDS + 5) };
    cr_assert_eq(ring(&s, false, EXCHANGE), (ROUNDS * WORK + (ROUNDS - 1) * ROUND) * NS);
}

Test(what_if, a_later_fibers_frame_goes_down_and_comes_up)
{
    struct world_spec s = slow_ways(SLICES);
    enum { FRAME = (6 + 5) + (4 * 6 + 5) };
    cr_assert_eq(sizeof(struct post), 8 * 6);
    cr_assert_eq(ring(&s, false, OPEN) - ring(&s, false, 0), (ROUNDS - 1) * FRAME * NS);
}

/* Each buffer was filled by an exchange before it is used, but for the first. */
Test(what_if, what_was_brought_for_a_use_does_not_come_again)
{
    struct world_spec s = slow_ways(SLICES);
    cr_assert_eq(ring(&s, true, RESIDENT) - ring(&s, true, 0), (4 * WORDS + 5) * NS);
}

Test(what_if, slice_0_stands_for_all_with_any_what_if_moves)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t draw = seed;
        struct world_spec s = world_plain(SLICES);
        for (int n = 0; n < NETWORKS; n++)
            s.network[n] = (struct world_network){(unsigned)world_between(&draw, 0, 3),
                                                  (unsigned)world_between(&draw, 0, 90),
                                                  (unsigned)world_between(&draw, 100, 1000),
                                                  (unsigned)world_between(&draw, 100, 1000),
                                                  (unsigned)world_between(&draw, 0, 2),
                                                  (unsigned)world_between(&draw, 0, 2),
                                                  (unsigned)world_between(&draw, 200, 900)};
        for (unsigned kinds = 0; kinds <= ALL; kinds++) {
            struct world all = ring_world(&s, true, kinds, HTMT_NO_SYMMETRY);
            struct world one = ring_world(&s, true, kinds, HTMT_FOLDED);
            same_accounts(all.e, one.e);
            world_close(&all);
            world_close(&one);
        }
    }
}

/* Copies of the two buffers: nothing else of an exchange waits for words. */
Test(what_if, exchanges_need_the_room_of_their_ends_once)
{
    struct world_spec s = slow_ways(SLICES);
    htmt_time roomy = ring(&s, false, EXCHANGE);
    s.capacity[SRAM] = 2 * WORDS;
    cr_assert_eq(ring(&s, false, EXCHANGE), roomy);
    s.capacity[SRAM]--;
    struct ring r = {.uses = false};
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .what_if = EXCHANGE);
    start_ring(&w, &r);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ECAPACITY);
    world_close(&w);
}

/* ---- sums that stay -------------------------------------------------------------------------- */

struct sum {
    struct htmt_object *total;
    uint64_t step;
    enum htmt_use use;
};

static void add_up(struct htmt_context *c)
{
    struct sum *s = htmt_args(c);
    bool first = !s->step++;
    htmt_use(c, htmt_in(s->total, 0), 8 * WORDS, first ? HTMT_WRITE : s->use);
    htmt_work(c);
    if (s->step == ROUNDS)
        htmt_retire(c, htmt_self(c));
    else
        htmt_signal(c, htmt_slot(c, GO));
}

static htmt_time sums(enum htmt_use use, unsigned kinds, uint64_t sram, int code)
{
    struct world_spec s = slow_ways(1);
    s.capacity[SRAM] = sram;
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .what_if = kinds);
    struct htmt_stage fiber = {.control = add_up, .cost = go_cost, .count = 1, .reset = 1};
    struct htmt_type *type =
        TYPE(&w, .name = "sum", .home = "cram", .exec = "cram",
             .execute = {.control = add_up, .cost = go_cost}, .footprint = HTMT_RESIDENT,
             .fibers = &fiber, .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE),
             .args_bytes = sizeof(struct sum));
    struct sum a = {.total = world_object(&w, 0, CRAM, 8 * WORDS, "total"), .use = use};
    START(&w, .type = type, .args = &a);
    cr_assert_eq(htmt_emulator_run(w.e), code, "%s", htmt_emulator_fault(w.e)->text);
    if (code)
        cr_assert_str_eq(
            htmt_emulator_fault(w.e)->text,
            "total takes 100 words of Msram in slice 0, which has 99 - 0 = 99 free (type sum, "
            "fiber, slice 0, at 7e-09 s)");
    htmt_time t = htmt_predicted(w.e);
    world_close(&w);
    return t;
}

Test(what_if, a_sum_goes_down_and_up_between_its_steps)
{
    enum { UP = 4 * WORDS + 5, DOWN = WORDS + 5 };
    htmt_time kept = sums(HTMT_UPDATE, 0, WORDS, 0);
    cr_assert_eq(kept, ROUNDS * WORK * NS);
    cr_assert_eq(sums(HTMT_UPDATE, RESIDENT, WORDS, 0) - kept, (ROUNDS - 1) * (DOWN + UP) * NS);
}

Test(what_if, what_is_only_read_goes_down_once)
{
    enum { UP = 4 * WORDS + 5, DOWN = WORDS + 5 };
    htmt_time kept = sums(HTMT_READ, 0, WORDS, 0);
    cr_assert_eq(sums(HTMT_READ, RESIDENT, WORDS, 0) - kept, (DOWN + (ROUNDS - 1) * UP) * NS);
}

Test(what_if, a_copy_on_its_way_needs_room)
{
    sums(HTMT_UPDATE, RESIDENT, WORDS - 1, HTMT_ECAPACITY);
}

/* ---- refusals -------------------------------------------------------------------------------- */

Test(what_if, only_model_runs_without_explain_take_what_if)
{
    struct world_spec s = world_plain(1);
    struct htmt_machine *m = world_machine(&s);
    struct htmt_emulator *e = NULL;
    struct htmt_options o = {.machine = m, .what_if = RESIDENT};
    cr_assert_eq(htmt_emulator_create(&e, &o, NULL), HTMT_EINVAL);
    o.mode = HTMT_MODEL;
    o.explain = true;
    cr_assert_eq(htmt_emulator_create(&e, &o, NULL), HTMT_EINVAL);
    htmt_machine_destroy(&m);
}
