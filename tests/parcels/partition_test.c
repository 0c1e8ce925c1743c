/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Partitions: any number of them, on any number of threads, play what one clock plays; without host
 * memory for them a run fails and leaves nothing behind.
 */
#include "tests/parcels/accounts.h"
#include "tests/parcels/ring.h"

#include <jemalloc/jemalloc.h>
#include <stdatomic.h>

#pragma weak mallctl /* a sanitizer has a heap of its own */

static atomic_int allocations, refused_at; /* refused_at 0: none is refused */

bool htmt__fault_hook(void)
{
    return atomic_fetch_add(&allocations, 1) + 1 == atomic_load(&refused_at);
}

static struct htmt_options options(uint32_t partitions, uint32_t threads)
{
    return (struct htmt_options){.mode = HTMT_MODEL,
                                 .clock = HTMT_CLOCK_SHARED,
                                 .clock_partitions = partitions,
                                 .clock_threads = threads};
}

static struct world open_ring(struct ring *r, struct htmt_options o)
{
    struct world_spec s = ring_spec();
    *r = (struct ring){.turns = 9};
    struct world w = world_open(&s, o);
    ring_start(&w, r);
    return w;
}

static struct world run_ring(struct htmt_options o)
{
    struct ring r;
    struct world w = open_ring(&r, o);
    world_run(&w);
    return w;
}

Test(partition, any_number_on_any_threads_plays_what_one_clock_plays)
{
    struct world one = run_ring((struct htmt_options){.mode = HTMT_MODEL});
    for (uint32_t partitions = 1; partitions <= RING_SLICES + 2; partitions++)
        for (uint32_t threads = 1; threads <= 4; threads++) {
            struct world w = run_ring(options(partitions, threads));
            same_accounts(one.e, w.e);
            cr_assert_eq(htmt_history_hash(one.e), htmt_history_hash(w.e));
            world_close(&w);
        }
    world_close(&one);
}

/* ---- many messages at once --------------------------------------------------------------------
 */

#define TURNS 5u

struct flood {
    struct htmt_ref post[RING_SLICES];
};

struct flood_post {
    const struct flood *flood;
    uint32_t turn;
};

static uint32_t signals_of(uint32_t turn)
{
    return 400u << turn;
}

/* Every slice sends more and more signals to the one at its right, each of its own kind of time:
 * what a slice has for them grows while others take them in. */
static void pour(struct htmt_context *c)
{
    struct flood_post *p = htmt_args(c);
    if (++p->turn == TURNS) {
        htmt_retire(c, htmt_self(c));
        return;
    }
    htmt_slot_set(c, RING_GO, signals_of(p->turn), 0);
    for (uint32_t i = 0; i < signals_of(p->turn); i++) {
        uint32_t to = (htmt_slice(c) + (i % 2 ? 1 : RING_SLICES - 1)) % RING_SLICES;
        htmt_signal(c, htmt_slot_of(p->flood->post[to], RING_GO));
    }
}

static struct world run_flood(struct flood *f, unsigned ports, struct htmt_options o)
{
    const struct htmt_stage fibers[] = {{.control = pour, .count = 1}};
    struct world_spec s = ring_spec();
    s.network[CNET].inner_in = ports;
    for (int n = 0; n < NETWORKS; n++)
        s.network[n].latency_ns *= 1 + 999 * ports;
    struct world w = world_open(&s, o);
    struct htmt_type *post =
        TYPE(&w, .name = "post", .home = "cram", .exec = "cram", .fibers = fibers, .fiber_count = 1,
             .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof(struct flood_post));
    struct htmt_type *herald = world_type(&w, world_eight());
    for (uint32_t i = 0; i < RING_SLICES; i++) {
        struct htmt_parcel_desc d = {
            .type = post, .slice = i, .args = &(struct flood_post){.flood = f}};
        cr_assert_eq(htmt_assemble(htmt_root(w.e), &d, &f->post[i]), 0);
        START(&w, .type = herald, .slice = i, .args = &(struct world_work){1, 2, 3 + i, 4, 5},
              .on_done = htmt_slot_of(f->post[i], RING_GO));
    }
    world_run(&w);
    return w;
}

Test(partition, slices_grow_while_others_have_their_messages)
{
    struct flood f;
    struct world one = run_flood(&f, 0, (struct htmt_options){.mode = HTMT_MODEL});
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct world w = run_flood(&f, 0, options(RING_SLICES, threads));
        same_accounts(one.e, w.e);
        cr_assert_eq(htmt_history_hash(one.e), htmt_history_hash(w.e));
        world_close(&w);
    }
    world_close(&one);
}

/* At ports of targets that are far away many wait in one window, so messages of several partitions
 * arrive in an order that is not that of their sending. */
Test(partition, arrivals_from_many_partitions_enter_in_their_turn)
{
    struct flood f;
    struct world one = run_flood(&f, 1, (struct htmt_options){.mode = HTMT_MODEL});
    for (uint32_t partitions = 2; partitions <= RING_SLICES; partitions++) {
        struct world w = run_flood(&f, 1, options(partitions, 1));
        cr_assert_eq(htmt_history_hash(one.e), htmt_history_hash(w.e));
        world_close(&w);
    }
    world_close(&one);
}

/* ---- a failure and the host's wish to end ------------------------------------------------------
 */

CONTROL(fail, htmt_slot_set(c, 99, 1, 1))
CONTROL(begin_turning, htmt_slot_set(c, 1, 1, 1); htmt_signal(c, htmt_slot(c, 1)))
CONTROL(turn_again, htmt_charge(c, HTMT_CYCLE, 4); htmt_signal(c, htmt_slot(c, 1)))

static bool at_once(void *user)
{
    (void)user;
    return true;
}

/* Slice 0 fails after so many cycles; slice 5, of another partition, goes on for ever, so that the
 * host is asked in its midst. */
static int fail_and_cancel(uint64_t cycles, enum htmt_symmetry symmetry)
{
    static const struct htmt_stage fails = {.control = fail, .count = 1},
                                   turns = {.control = turn_again};
    struct world_spec s = ring_spec();
    struct htmt_options o = options(2, 1);
    for (int n = 0; n < NETWORKS; n++)
        s.network[n].latency_ns = 1000000;
    o.symmetry = symmetry;
    o.cancelled = at_once;
    struct world w = world_open(&s, o);
    struct htmt_type_desc d = {
        .home = "cram", .exec = "cram", .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE)};
    struct htmt_ref post;
    d.name = "fails", d.fibers = &fails;
    struct htmt_type *type = world_type(&w, d);
    cr_assert_eq(ASSEMBLE(htmt_root(w.e), &post, .type = type), 0);
    struct htmt_type *delay =
        TYPE(&w, .name = "delay", .home = "cram", .exec = "cram",
             .execute = {.cost = world_execute}, .args_bytes = sizeof(struct world_work));
    START(&w, .type = delay, .args = &(struct world_work){.execute = cycles},
          .on_done = htmt_slot_of(post, 1));
    d.name = "turns", d.fibers = &turns, d.execute.control = begin_turning;
    START(&w, .type = world_type(&w, d), .slice = 5);
    int rc = htmt_emulator_run(w.e);
    bool at_it = rc == HTMT_EINVAL && symmetry == HTMT_NO_SYMMETRY;
    cr_assert(!at_it || htmt_predicted(w.e) == (htmt_time)cycles * NS);
    world_close(&w);
    return rc;
}

/* The host ends slice 5 after 65,536 turns of 4 ns. */
Test(partition, a_wish_to_end_hides_no_failure_that_came_before)
{
    cr_assert_eq(fail_and_cancel(10, HTMT_NO_SYMMETRY), HTMT_EINVAL);
    cr_assert_eq(fail_and_cancel(200000, HTMT_NO_SYMMETRY), HTMT_EINVAL);
    cr_assert_eq(fail_and_cancel(700000, HTMT_NO_SYMMETRY), HTMT_ECANCELLED);
    cr_assert_eq(fail_and_cancel(10, HTMT_INDEPENDENT), HTMT_EINVAL);
}

/* ---- time 0 -----------------------------------------------------------------------------------
 */

struct chain {
    struct htmt_type *type;
    uint32_t left;
};

/* Each parcel makes the next one at the same instant, and the last one fails. */
static void make_next(struct htmt_context *c)
{
    struct chain next = *(const struct chain *)htmt_args(c);
    if (!next.left--)
        htmt_slot_set(c, 99, 1, 1);
    else
        ASSEMBLE(c, NULL, .type = next.type, .slice = htmt_slice(c), .args = &next);
    htmt_work(c);
}

/* Slice 0 fails in an event of time 0, slice 5 in so many generations behind its root. */
static void fail_at_once(uint32_t generations, struct htmt_options o, char text[500])
{
    static const struct htmt_stage fails = {.control = fail};
    struct world_spec s = ring_spec();
    s.servers[CRAM] = 2 * generations;
    struct world w = world_open(&s, o);
    struct htmt_type *link =
        TYPE(&w, .name = "link", .home = "cram", .exec = "cram", .execute = {.control = make_next},
             .args_bytes = sizeof(struct chain));
    struct htmt_type *self = TYPE(&w, .name = "self", .home = "cram", .exec = "cram",
                                  .execute = {.control = begin_turning}, .fibers = &fails,
                                  .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE));
    START(&w, .type = self);
    START(&w, .type = link, .slice = 5, .args = &(struct chain){link, generations});
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_EINVAL);
    cr_assert_eq(htmt_predicted(w.e), 0);
    strcpy(text, htmt_emulator_fault(w.e)->text);
    world_close(&w);
}

/* All that roots make ready comes before the first event. */
Test(partition, any_number_of_generations_comes_before_the_events_of_time_0)
{
    for (uint32_t generations = 10; generations <= 10000; generations *= 10) {
        char one[500], two[500];
        fail_at_once(generations, (struct htmt_options){.mode = HTMT_MODEL}, one);
        cr_assert(strstr(one, "link"), "%s", one);
        fail_at_once(generations, options(2, 1), two);
        cr_assert_str_eq(one, two);
    }
}

/* ---- memory -----------------------------------------------------------------------------------
 */

static size_t bytes_in_use(void)
{
    size_t bytes = 0, size = sizeof bytes;
    uint64_t epoch = 1;
    if (&mallctl && mallctl("epoch", NULL, NULL, &epoch, sizeof epoch) == 0)
        mallctl("stats.allocated", &bytes, &size, NULL, 0);
    return bytes;
}

/* What partitions of one slice each have, when the run is over. */
static size_t bytes_of(uint32_t slices)
{
    struct world_spec s = ring_spec();
    s.slices = slices;
    struct world w = world_open(&s, options(slices, 1));
    struct htmt_type *type = world_type(&w, world_eight());
    for (uint32_t i = 0; i < slices; i++)
        START(&w, .type = type, .slice = i, .args = &(struct world_work){1, 2, 3, 4, 5});
    size_t before = bytes_in_use();
    world_run(&w);
    size_t after = bytes_in_use();
    world_close(&w);
    return after > before ? after - before : 0;
}

Test(partition, memory_grows_with_their_number_and_not_with_its_square)
{
    size_t few = bytes_of(256), many = bytes_of(1024);
    cr_assert_leq(many, 9 * (few / 2), "%zu bytes of 256 partitions, %zu of 1024", few, many);
}

#define HEAVY 512u  /* bytes of arguments */
#define MANY  1000u /* parcels of a slice */

/* A partition that is done makes no further parcels: the blocks of those it had are given back
 * while the others play. */
Test(partition, what_slices_that_are_done_leave_is_given_back)
{
    struct world_spec s = ring_spec();
    struct htmt_options o = options(RING_SLICES, 1);
    static const char args[HEAVY];
    o.symmetry = HTMT_INDEPENDENT;
    struct world w = world_open(&s, o);
    struct htmt_type *type =
        TYPE(&w, .name = "heavy", .home = "dram", .exec = "dram", .args_bytes = sizeof args);
    for (uint32_t i = 0; i < RING_SLICES * MANY; i++)
        START(&w, .type = type, .slice = i / MANY, .args = args);
    size_t before = bytes_in_use();
    world_run(&w);
    size_t after = bytes_in_use();
    if (before)
        cr_assert_lt(after, before - RING_SLICES * MANY * HEAVY, "%zu bytes before, %zu after",
                     before, after);
    world_close(&w);
}

/* ---- without memory ---------------------------------------------------------------------------
 */

static bool run_refused(int at, uint32_t threads)
{
    struct ring r;
    struct world w = open_ring(&r, options(3, threads));
    atomic_store(&allocations, 0);
    atomic_store(&refused_at, at);
    int rc = htmt_emulator_run(w.e);
    atomic_store(&refused_at, 0);
    bool reached = atomic_load(&allocations) >= at;
    cr_assert(rc == 0 || rc == HTMT_ENOMEM || rc == HTMT_ESYSTEM, "%s",
              htmt_emulator_fault(w.e)->text);
    cr_assert(rc == 0 || htmt_emulator_fault(w.e)->text[0]);
    world_close(&w);
    return reached;
}

/* Each allocation of a run in turn. */
Test(partition, a_run_without_memory_ends_with_a_line, .timeout = 120)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        int at = 1;
        while (run_refused(at, threads))
            at++;
        cr_assert_gt(at, 8, "%d allocations", at);
    }
}
