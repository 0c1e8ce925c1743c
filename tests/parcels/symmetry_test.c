/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * What an application promises of its slices changes how they are played, not what comes out; and a
 * promise that does not hold ends the run.
 */
#include "tests/parcels/accounts.h"
#include "tests/parcels/world.h"

#define SLICES 6u

static struct world_spec random_spec(uint64_t *seed)
{
    struct world_spec s = world_plain(SLICES);
    for (int l = 0; l < LAYERS; l++) {
        s.servers[l] = (unsigned)world_between(seed, 1, 3);
        s.mhz[l] = (unsigned)world_between(seed, 100, 1000);
        s.capacity[l] = world_between(seed, 40, 200);
    }
    s.capacity[DRAM] = 1 << 16;
    for (int n = 0; n < NETWORKS; n++)
        s.network[n] = (struct world_network){
            (unsigned)world_between(seed, 0, 3),      (unsigned)world_between(seed, 0, 90),
            (unsigned)world_between(seed, 100, 1000), (unsigned)world_between(seed, 100, 1000),
            (unsigned)world_between(seed, 0, 2),      (unsigned)world_between(seed, 0, 2),
            (unsigned)world_between(seed, 200, 900)};
    return s;
}

/* ---- slices that send each other nothing ---------------------------------------------------- */

static void double_it(struct htmt_kernel *k)
{
    double *x = htmt_bytes(k, 0);
    for (uint64_t i = 0; i < htmt_size(k, 0) / sizeof *x; i++)
        x[i] *= 2;
}

/* Parcels of all eight stages, of their own sizes and costs: those of a slice, or all the same. */
static void start_streams(struct world *w, struct htmt_frame **data, bool alike, uint64_t seed)
{
    struct htmt_type_desc d = world_eight();
    d.execute.kernel = double_it;
    struct htmt_type *type = world_type(w, d);
    cr_assert_eq(htmt_frame_create(w->e, DRAM, 64 * 32 * 8, "data", data), 0);
    for (uint32_t i = 0; i < SLICES; i++) {
        uint64_t draw = alike ? seed : seed + i + 1;
        for (uint64_t n = 0; n < (alike ? 12 : 8 + i); n++) {
            struct world_work work = {world_random(&draw) % 50, world_random(&draw) % 50,
                                      world_random(&draw) % 90, world_random(&draw) % 50,
                                      world_random(&draw) % 50};
            struct htmt_addr at = htmt_at(*data, i, n * 32 * 8);
            struct htmt_region r = {.from = at, .to = at, .bytes = 8 * world_between(&draw, 1, 32)};
            START(w, .type = type, .slice = i, .regions = &r, .region_count = 1, .args = &work);
        }
    }
}

static struct world streams(const struct world_spec *s, uint64_t seed, bool alike,
                            struct htmt_options o)
{
    struct htmt_frame *data;
    struct world w = world_open(s, o);
    start_streams(&w, &data, alike, seed);
    world_run(&w);
    return w;
}

Test(symmetry, independent_slices_played_one_after_another_have_the_same_history)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint64_t draw = seed;
        struct world_spec s = random_spec(&draw);
        struct htmt_options model = {.mode = HTMT_MODEL}, run = {.threads = 2};
        struct world together = streams(&s, seed, false, model);
        model.symmetry = run.symmetry = HTMT_INDEPENDENT;
        struct world apart = streams(&s, seed, false, model);
        struct world for_real = streams(&s, seed, false, run);
        same_accounts(together.e, apart.e);
        same_accounts(together.e, for_real.e);
        cr_assert_eq(htmt_history_hash(together.e), htmt_history_hash(apart.e));
        cr_assert_eq(htmt_history_hash(together.e), htmt_history_hash(for_real.e));
        world_close(&together);
        world_close(&apart);
        world_close(&for_real);
    }
}

Test(symmetry, slice_0_stands_for_all_that_stream_alike)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint64_t draw = seed;
        struct world_spec s = random_spec(&draw);
        struct htmt_options o = {.mode = HTMT_MODEL};
        struct world all = streams(&s, seed, true, o);
        o.symmetry = HTMT_FOLDED;
        struct world one = streams(&s, seed, true, o);
        same_accounts(all.e, one.e);
        cr_assert_eq(htmt_event_count(all.e), SLICES * htmt_event_count(one.e));
        world_close(&all);
        world_close(&one);
    }
}

/* ---- a ring --------------------------------------------------------------------------------- */

enum { GO = 1, CREDIT };

struct ring {
    struct htmt_frame *here[2], *memory;
    struct htmt_ref post[SLICES];
    uint32_t turns;
};

struct post {
    struct ring *ring;
    uint32_t turn;
};

COST(turn_cost, ops->n[HTMT_CYCLE] = 20 + 3 * ((const struct post *)args)->turn)

/* Data go to the right, a word of thanks to the left; now and then a get from the far side. */
static void turn(struct htmt_context *c)
{
    struct post *p = htmt_args(c);
    uint32_t at = htmt_slice(c), right = (at + 1) % SLICES, left = (at + SLICES - 1) % SLICES;
    uint32_t n = p->turn++;
    if (p->turn == p->ring->turns) {
        htmt_retire(c, htmt_self(c));
        return;
    }
    PUT(c, .src = htmt_at(p->ring->here[n % 2], at, 0),
        .dst = htmt_at(p->ring->here[(n + 1) % 2], right, 0), .bytes = 8 * (5 + n),
        .on_sent = htmt_slot(c, GO), .on_arrived = htmt_slot_of(p->ring->post[right], GO));
    htmt_work(c);
    htmt_signal(c, htmt_slot_of(p->ring->post[left], GO));
    PUT(c, .src = htmt_at(p->ring->here[0], (at + SLICES / 2) % SLICES, 8 * 64),
        .dst = htmt_at(p->ring->here[1], at, 8 * 64), .bytes = 8 * 3,
        .on_arrived = htmt_slot(c, GO));
}

static void start_ring(struct world *w, struct ring *r)
{
    const struct htmt_stage fibers[] = {
        {.control = turn, .cost = turn_cost, .count = 1, .reset = 4}};
    struct htmt_type *type =
        TYPE(w, .name = "post", .home = "cram", .exec = "cram", .fibers = fibers, .fiber_count = 1,
             .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof(struct post));
    struct htmt_type *herald = world_type(w, world_eight());
    for (int i = 0; i < 2; i++)
        cr_assert_eq(htmt_frame_create(w->e, CRAM, 8 * 128, "here", &r->here[i]), 0);
    cr_assert_eq(htmt_frame_create(w->e, DRAM, 8 * 128, "memory", &r->memory), 0);
    struct post p = {.ring = r};
    struct world_work work = {3, 4, 5, 6, 7};
    for (uint32_t i = 0; i < SLICES; i++)
        cr_assert_eq(ASSEMBLE(htmt_root(w->e), &r->post[i], .type = type, .slice = i, .args = &p),
                     0);
    for (uint32_t i = 0; i < SLICES; i++) { /* its end begins the first turn */
        struct htmt_addr at = htmt_at(r->memory, i, 0);
        struct htmt_region region = {.from = at, .to = at, .bytes = 8 * 9};
        START(w, .type = herald, .slice = i, .regions = &region, .region_count = 1, .args = &work,
              .on_done = htmt_slot_of(r->post[i], GO));
    }
}

static struct world ring(const struct world_spec *s, struct ring *r, struct htmt_options o)
{
    struct world w = world_open(s, o);
    start_ring(&w, r);
    world_run(&w);
    return w;
}

Test(symmetry, slice_0_stands_for_all_of_a_ring_that_puts_gets_and_signals)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint64_t draw = seed;
        struct world_spec s = random_spec(&draw);
        s.capacity[CRAM] = s.capacity[SRAM] = 1000;
        struct htmt_options o = {.mode = HTMT_MODEL};
        struct ring r = {.turns = 9}, folded = {.turns = 9};
        struct world all = ring(&s, &r, o);
        o.symmetry = HTMT_FOLDED;
        struct world one = ring(&s, &folded, o);
        same_accounts(all.e, one.e);
        world_close(&all);
        world_close(&one);
    }
}

/* ---- mailboxes ------------------------------------------------------------------------------- */

enum { SEND = 1, KEEP };

#define WAYS 3u /* every slice writes to three others, and three write to every slice */

struct office {
    struct htmt_frame *letters;
    struct htmt_mailbox *box[SLICES];
    struct htmt_ref clerk[SLICES];
    uint32_t turns;
    uint64_t records[WAYS], room;
};

struct clerk {
    struct office *office;
    uint32_t turn;
    uint64_t taken;
};

COST(keep_cost, ops->n[HTMT_CYCLE] = 5 + 7 * ((const struct clerk *)args)->turn)

/* The next turn follows when all has gone; a box is emptied whenever somebody's letters came. */
static void send_letters(struct htmt_context *c)
{
    static const uint32_t far[WAYS] = {1, 2, SLICES - 1};
    struct clerk *k = htmt_args(c);
    struct office *o = k->office;
    if (k->turn++ == o->turns)
        return;
    for (uint32_t i = 0; i < WAYS; i++) {
        uint32_t to = (htmt_slice(c) + far[i]) % SLICES;
        htmt_send(c, o->box[to], htmt_at(o->letters, htmt_slice(c), 0), o->records[i],
                  htmt_slot(c, SEND), htmt_slot_of(o->clerk[to], KEEP));
    }
}

static void keep_letters(struct htmt_context *c)
{
    struct clerk *k = htmt_args(c);
    k->taken += htmt_take(c, k->office->box[htmt_slice(c)]);
    uint64_t all = k->office->records[0] + k->office->records[1] + k->office->records[2];
    if (k->taken == k->office->turns * all) {
        k->taken = 0;
        htmt_retire(c, htmt_self(c));
    }
}

static struct world office(const struct world_spec *s, struct office *o,
                           struct htmt_options options)
{
    const struct htmt_stage fibers[] = {
        {.control = send_letters, .count = WAYS, .reset = WAYS},
        {.control = keep_letters, .cost = keep_cost, .count = 1, .reset = 1}};
    struct world w = world_open(s, options);
    struct htmt_type *type =
        TYPE(&w, .name = "clerk", .home = "cram", .exec = "cram",
             .execute = {.control = send_letters}, .fibers = fibers, .fiber_count = 2,
             .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof(struct clerk));
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 16 * 8, "letters", &o->letters), 0);
    for (uint32_t i = 0; i < SLICES; i++)
        cr_assert_eq(htmt_mailbox_create(w.e, i, CRAM, 16, o->room, "box", &o->box[i]), 0);
    for (uint32_t i = 0; i < SLICES; i++)
        cr_assert_eq(ASSEMBLE(htmt_root(w.e), &o->clerk[i], .type = type, .slice = i,
                              .args = &(struct clerk){o, 0, 0}),
                     0);
    world_run(&w);
    return w;
}

/* Little room, so that messages wait at their senders; of different sizes, so that it matters
 * who of two that come at the same femtosecond is first. */
Test(symmetry, slice_0_stands_for_all_that_write_to_each_others_mailboxes)
{
    unsigned waited = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t draw = seed;
        struct world_spec s = random_spec(&draw);
        struct htmt_options options = {.mode = HTMT_MODEL, .explain = seed % 2};
        struct office o = {.turns = 7};
        for (uint32_t i = 0; i < WAYS; i++)
            o.records[i] = world_between(&draw, 1, seed % 3 ? 8 : 1);
        o.room = world_between(&draw, 8, 24);
        struct office folded = o, ample = o;
        ample.room = 500;
        s.capacity[CRAM] = 2000;
        struct world all = office(&s, &o, options), roomy = office(&s, &ample, options);
        options.symmetry = HTMT_FOLDED;
        struct world one = office(&s, &folded, options);
        same_accounts(all.e, one.e);
        cr_assert_eq(htmt_event_count(all.e), SLICES * htmt_event_count(one.e));
        waited += htmt_predicted(roomy.e) < htmt_predicted(all.e);
        world_close(&roomy);
        world_close(&all);
        world_close(&one);
    }
    cr_assert_gt(waited, 60, "%u", waited);
}

/* ---- promises that do not hold -------------------------------------------------------------- */

Test(symmetry, independent_slices_that_send_are_refused)
{
    struct world_spec s = world_plain(SLICES);
    struct world w = OPEN(&s, .mode = HTMT_MODEL, .symmetry = HTMT_INDEPENDENT);
    struct ring r = {.turns = 3};
    start_ring(&w, &r);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ESYMMETRY);
    cr_assert_str_eq(
        htmt_emulator_fault(w.e)->text,
        "slice 0 sends to slice 1, though slices were said to be independent (type post, "
        "fiber, slice 0, at 6.3e-08 s)");
    world_close(&w);
}

static struct world folded(void)
{
    struct world_spec s = world_plain(SLICES);
    return OPEN(&s, .mode = HTMT_MODEL, .symmetry = HTMT_FOLDED);
}

static int start_one(struct world *w, uint32_t slice, uint64_t words)
{
    struct htmt_object *o = world_object(w, slice, DRAM, 8 * words, "one");
    struct htmt_type_desc d = world_eight();
    char name[16];
    snprintf(name, sizeof name, "eight %u", slice);
    d.name = name;
    struct htmt_type *t = world_type(w, d);
    struct htmt_region r = {.from = htmt_in(o, 0), .bytes = 8 * words};
    return ASSEMBLE(htmt_root(w->e), NULL, .type = t, .slice = slice, .regions = &r,
                    .region_count = 1);
}

Test(symmetry, other_roots_than_those_of_slice_0_are_refused)
{
    struct world w = folded();
    cr_assert_eq(start_one(&w, 0, 7), 0);
    cr_assert_eq(start_one(&w, 1, 8), HTMT_ESYMMETRY); /* a type of its own, too */
    cr_assert_str_eq(htmt_emulator_fault(w.e)->text,
                     "root parcel 1 of slice 1, a eight 1, is another than that of slice 0");
    world_close(&w);
    w = folded();
    cr_assert_eq(start_one(&w, 3, 7), HTMT_ESYMMETRY);
    world_close(&w);
    w = folded();
    cr_assert_eq(start_one(&w, 0, 7), 0);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ESYMMETRY);
    cr_assert_str_eq(htmt_emulator_fault(w.e)->text, "slice 1 has 0 root parcels, slice 0 has 1");
    world_close(&w);
}

static void add(void *into, const void *from, uint64_t bytes)
{
    (void)into;
    (void)from;
    (void)bytes;
}

Test(symmetry, other_mailboxes_than_those_of_slice_0_are_refused)
{
    struct htmt_mailbox *box;
    struct world w = folded();
    cr_assert_eq(htmt_mailbox_create(w.e, 1, DRAM, 8, 4, "box", &box), HTMT_ESYMMETRY);
    cr_assert_str_eq(htmt_emulator_fault(w.e)->text,
                     "mailbox box of slice 1 is none that slice 0 has");
    world_close(&w);
    w = folded();
    cr_assert_eq(htmt_mailbox_create(w.e, 0, DRAM, 8, 4, "box", &box), 0);
    cr_assert_eq(htmt_mailbox_create(w.e, 1, DRAM, 8, 5, "box", &box), HTMT_ESYMMETRY);
    cr_assert_str_eq(htmt_emulator_fault(w.e)->text,
                     "mailbox box of slice 1 holds 5 records of 8 bytes in dram, its twin of slice "
                     "0 4 of 8 in dram");
    world_close(&w);
    w = folded();
    cr_assert_eq(htmt_mailbox_create(w.e, 0, DRAM, 8, 4, "box", &box), 0);
    cr_assert_eq(htmt_mailbox_create(w.e, 1, DRAM, 8, 4, "box", &box), 0);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ESYMMETRY);
    cr_assert_str_eq(htmt_emulator_fault(w.e)->text, "slice 2 has fewer mailboxes than slice 0");
    world_close(&w);
}

Test(symmetry, what_gathers_slices_in_one_place_is_refused)
{
    struct world w = folded();
    struct htmt_frame *frame;
    struct htmt_tree *tree;
    cr_assert_eq(htmt_frame_create(w.e, DRAM, 8, "sum", &frame), 0);
    cr_assert_eq(
        htmt_tree_create(w.e, &(struct htmt_tree_desc){frame, 8, add, {{0}}, "sum"}, &tree),
        HTMT_ESYMMETRY);
    world_close(&w);
}

Test(symmetry, a_run_with_data_cannot_be_folded)
{
    struct world_spec s = world_plain(2);
    struct htmt_machine *m = world_machine(&s);
    struct htmt_emulator *e = NULL;
    struct htmt_options o = {.machine = m, .symmetry = HTMT_FOLDED};
    cr_assert_eq(htmt_emulator_create(&e, &o, NULL), HTMT_EINVAL);
    htmt_machine_destroy(&m);
}
