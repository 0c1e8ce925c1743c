/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Models inside networks and processors, to the femtosecond: the hub of layers/network/hub_model.c
 * and the stream of layers/node/stream_model.c against formulas worked out by hand.
 */
#include "layers/model.h"
#include "parcels/path.h"
#include "tests/parcels/program.h"

/* ---- a hub ----------------------------------------------------------------------------------- */

#define SENDERS 6u

/* Slices 1 to SENDERS put words from DRAM to SRAM of slice 0, each after its delay; all in ns. */
struct burst {
    struct world_spec spec;
    htmt_time delay[SENDERS + 1];
    uint64_t words[SENDERS + 1];
    struct htmt_options options;
    struct htmt_object *dst[SENDERS + 1], *src[SENDERS + 1];
    htmt_time arrived[SENDERS + 1], sent[SENDERS + 1]; /* found */
    const struct htmt__network_model *on; /* the Data Vortex has it; NULL: as in spec */
};

struct order {
    const struct burst *burst;
};

static void note(void *user, const struct htmt_event *event)
{
    struct burst *b = user;
    if (event->stage == HTMT_PUT)
        b->arrived[event->slice] = event->time;
    if (event->stage == HTMT_FIBER)
        b->sent[event->slice] = event->time;
}

static void shoot(struct htmt_context *c)
{
    const struct burst *b = ((const struct order *)htmt_args(c))->burst;
    uint32_t i = htmt_slice(c);
    htmt_slot_set(c, 1, 1, 0);
    htmt_charge(c, HTMT_CYCLE, (uint64_t)b->delay[i]);
    PUT(c, .dst = htmt_in(b->dst[i], 0), .src = htmt_in(b->src[i], 0), .bytes = 8 * b->words[i],
        .on_sent = htmt_slot(c, 1));
}

CONTROL(shot, htmt_retire(c, htmt_self(c)))

/* Start-up 7 ns, latency 20 ns, a word in 1 ns at the ports and in 2 ns at the hub. */
static struct burst plain_burst(void)
{
    struct burst b = {.spec = world_plain(SENDERS + 1), .options = {.mode = HTMT_MODEL}};
    b.spec.network[VORTEX].startup_ns = 7;
    b.spec.network[VORTEX].latency_ns = 20;
    b.spec.hub_mwords[VORTEX] = 500;
    for (uint32_t i = 1; i <= SENDERS; i++) {
        b.delay[i] = 5 * i;
        b.words[i] = 10 + 30 * (i % 3);
    }
    return b;
}

static uint64_t play(struct burst *b)
{
    static const struct htmt_stage after = {.control = shot};
    b->options.observe = note;
    b->options.user = b;
    struct world w = {world_machine(&b->spec), NULL};
    w.m->network[VORTEX].model = b->on ? b->on : w.m->network[VORTEX].model;
    b->options.machine = w.m;
    cr_assert_eq(htmt_emulator_create(&w.e, &b->options, NULL), 0);
    struct htmt_type *t = TYPE(&w, .name = "sender", .home = "dram", .exec = "dram",
                               .execute = {.control = shoot}, .fibers = &after, .fiber_count = 1,
                               .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof(struct order));
    for (uint32_t i = 1; i <= SENDERS; i++) {
        if (!b->words[i])
            continue;
        b->dst[i] = world_object(&w, 0, SRAM, 8 * b->words[i], "dst");
        b->src[i] = world_object(&w, i, DRAM, 8 * b->words[i], "src");
        START(&w, .type = t, .slice = i, .args = &(struct order){b});
    }
    world_run(&w);
    uint64_t hash = htmt_history_hash(w.e);
    world_close(&w);
    return hash;
}

/* The slices in the order in which their messages come to the hub: of equals the lower slice. */
static void in_order(const struct burst *b, uint32_t *slice)
{
    for (uint32_t i = 1; i <= SENDERS; i++) {
        uint32_t at = i - 1;
        for (; at > 0 && b->delay[slice[at - 1]] > b->delay[i]; at--)
            slice[at] = slice[at - 1];
        slice[at] = i;
    }
}

/* A head is at the hub after start-up and latency, waits for those before, passes at 2 ns a word,
 * and is at the target a latency later; the last word follows as far behind it as the
 * words take at the port. One channel at the target takes one message after another. */
static void expect_hub(struct burst *b, bool in_port)
{
    const struct world_network *n = &b->spec.network[VORTEX];
    htmt_time start = n->startup_ns, flight = n->latency_ns, free = 0, in = 0;
    uint32_t slice[SENDERS];
    in_order(b, slice);
    for (uint32_t k = 0; k < SENDERS; k++) {
        uint32_t i = slice[k];
        htmt_time w = (htmt_time)b->words[i], at = b->delay[i] + start + flight;
        free = (at > free ? at : free) + 2 * w;
        htmt_time head = free + flight, end = head + w;
        if (in_port) {
            in = (head > in ? head : in) + 4 * w; /* in-rate 250 Mword/s */
            end = in;
        }
        cr_assert_eq(b->arrived[i], end * NS, "slice %u: %lld, not %lld ns", i,
                     (long long)(b->arrived[i] / NS), (long long)end);
        cr_assert_eq(b->sent[i], (b->delay[i] + start + w) * NS, "slice %u", i);
    }
}

Test(hub, messages_of_several_slices_queue_at_its_middle_in_order)
{
    struct burst b = plain_burst();
    play(&b);
    expect_hub(&b, false);
}

Test(hub, then_they_queue_at_the_ports_of_the_target)
{
    struct burst b = plain_burst();
    b.spec.network[VORTEX].inner_in = 1;
    b.spec.network[VORTEX].in_mwords = 250;
    play(&b);
    expect_hub(&b, true);
}

Test(hub, messages_of_one_instant_pass_by_slice)
{
    struct burst b = plain_burst();
    for (uint32_t i = 1; i <= SENDERS; i++)
        b.delay[i] = 40;
    play(&b);
    expect_hub(&b, false);
}

/* Sent is when the last word has left: the hub does not matter. */
Test(hub, a_source_is_free_again_when_it_would_be_without_a_hub)
{
    struct burst with = plain_burst(), without = plain_burst();
    without.spec.hub_mwords[VORTEX] = 0;
    play(&with);
    play(&without);
    cr_assert_eq(memcmp(with.sent, without.sent, sizeof with.sent), 0);
    cr_assert_neq(memcmp(with.arrived, without.arrived, sizeof with.arrived), 0);
}

Test(hub, runs_models_and_threads_agree)
{
    struct burst b = plain_burst();
    uint64_t hash = play(&b);
    b.options.mode = HTMT_RUN;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        b.options.threads = threads;
        cr_assert_eq(play(&b), hash, "%u threads", threads);
    }
}

/* One message: start-up, what the model says of a message alone, and the words at the slower end.
 */
static htmt_time one_message(struct burst b, uint64_t words, bool in_port)
{
    b.spec.network[VORTEX].inner_in = in_port;
    b.spec.network[VORTEX].in_mwords = 250;
    for (uint32_t i = 1; i <= SENDERS; i++)
        b.words[i] = i == 1 ? words : 0;
    play(&b);
    return b.arrived[1] - b.delay[1] * NS;
}

Test(hub, a_message_that_meets_nobody_takes_the_models_time_alone)
{
    struct burst b = plain_burst();
    struct htmt_machine *m = world_machine(&b.spec);
    for (uint64_t words = 1; words < 200; words = words * 3 + 1) {
        htmt_time alone = htmt_machine_crossing(m, VORTEX, words), w = (htmt_time)words * NS;
        cr_assert_eq(alone,
                     m->network[VORTEX].model->alone(m->network[VORTEX].inside, 20 * NS, words));
        cr_assert_eq(alone, 40 * NS + 2 * w);
        cr_assert_eq(one_message(b, words, false), 7 * NS + alone + w);
        cr_assert_eq(one_message(b, words, true), 7 * NS + alone + 4 * w);
    }
    htmt_machine_destroy(&m);
}

/* ---- a ring: several places, state given back, accounts -------------------------------------- */

struct ring_place {
    uint64_t passed, delivered; /* messages */
    htmt_time settled;
};

static struct ring_place ring_seen[2 * SENDERS];

static struct htmt__place ring_next(const struct htmt__crossing *c)
{
    uint32_t next = (c->slice + 1) % c->slices;
    return (struct htmt__place){
        .at = c->now + c->latency, .slice = next, .there = next == c->target};
}

static struct htmt__place ring_arrive(const struct htmt__crossing *c)
{
    ((struct ring_place *)c->state)->passed++;
    return ring_next(c);
}

static void ring_release(const struct htmt__crossing *c)
{
    struct ring_place *p = c->state;
    p->delivered++;
    ring_seen[c->slice] = *p;
}

static void ring_settle(void *state, htmt_time now)
{
    struct ring_place *p = state;
    p->settled = now;
    ring_seen[SENDERS + 1].settled = now;
}

static htmt_time ring_alone(const void *inside, htmt_time latency, uint64_t words)
{
    (void)inside;
    (void)words;
    return latency;
}

static const struct htmt__network_model ring = {.name = "ring",
                                                .state_bytes = sizeof(struct ring_place),
                                                .symmetric = true,
                                                .send = ring_next,
                                                .arrive = ring_arrive,
                                                .release = ring_release,
                                                .settle = ring_settle,
                                                .explain = "ring",
                                                .alone = ring_alone};

/* From slice i to slice 0 of 7 a message is at 6 - i places on its way: 7 - i latencies. */
Test(ring, a_message_goes_from_place_to_place)
{
    struct burst b = plain_burst();
    b.spec.hub_mwords[VORTEX] = 0;
    b.on = &ring;
    play(&b);
    for (uint32_t i = 1; i <= SENDERS; i++) {
        htmt_time hops = SENDERS + 1 - i, w = (htmt_time)b.words[i];
        cr_assert_eq(b.arrived[i], (b.delay[i] + 7 + 20 * hops + w) * NS, "slice %u", i);
    }
    cr_assert_eq(ring_seen[0].delivered, SENDERS);
    cr_assert_eq(ring_seen[0].passed, 0, "it is nobody's way");
    cr_assert_gt(ring_seen[SENDERS + 1].settled, 0);
}

struct ring_order {
    struct htmt_frame *frame;
    uint32_t step;
};

static void pass_on(struct htmt_context *c)
{
    const struct ring_order *o = htmt_args(c);
    uint32_t here = htmt_slice(c), there = (here + o->step) % 4;
    PUT(c, .dst = htmt_at(o->frame, there, 0), .src = htmt_at(o->frame, here, 0), .bytes = 80);
}

/* What slice 0 sends to its neighbour stands for all: the same events and times. */
static htmt_time around(enum htmt_symmetry symmetry, uint64_t *events)
{
    struct world_spec s = world_plain(4);
    s.network[CNET].latency_ns = 5;
    struct world w = {world_machine(&s), NULL};
    w.m->network[CNET].model = &ring;
    struct htmt_options o = {.machine = w.m, .mode = HTMT_MODEL, .symmetry = symmetry};
    cr_assert_eq(htmt_emulator_create(&w.e, &o, NULL), 0);
    struct ring_order order = {.step = 3};
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 80, "frame", &order.frame), 0);
    struct htmt_type *t = TYPE(&w, .name = "sender", .home = "cram", .exec = "cram",
                               .execute = {.control = pass_on}, .args_bytes = sizeof order);
    for (uint32_t i = 0; i < 4; i++)
        START(&w, .type = t, .slice = i, .args = &order);
    htmt_time end = world_run(&w);
    *events = htmt_event_count(w.e) * (symmetry == HTMT_FOLDED ? 4 : 1);
    world_close(&w);
    return end;
}

Test(ring, a_model_that_is_the_same_for_all_slices_is_folded)
{
    uint64_t all, one;
    cr_assert_eq(around(HTMT_NO_SYMMETRY, &all), (3 * 5 + 10) * NS);
    cr_assert_eq(around(HTMT_FOLDED, &one), (3 * 5 + 10) * NS);
    cr_assert_eq(all, one);
}

/* ---- signals and mailboxes through a hub ----------------------------------------------------- */

struct meeting {
    struct htmt_ref there;
    struct htmt_mailbox *box;
    struct htmt_frame *frame;
    uint64_t records;
};

static void call_there(struct htmt_context *c)
{
    const struct meeting *m = *(struct meeting *const *)htmt_args(c);
    if (htmt_slice(c) == 0)
        return;
    if (m->records)
        htmt_send(c, m->box, htmt_at(m->frame, htmt_slice(c), 0), m->records, (struct htmt_slot){0},
                  htmt_slot_of(m->there, 1));
    else
        htmt_signal(c, htmt_slot_of(m->there, 1));
    htmt_retire(c, htmt_self(c));
}

static void met(struct htmt_context *c)
{
    const struct meeting *m = *(struct meeting *const *)htmt_args(c);
    if (m->records)
        cr_assert_eq(htmt_take(c, m->box), m->records);
    htmt_retire(c, htmt_self(c));
}

/* Slice 1 calls slice 0, CRAM to CRAM: start-up 3 ns, latency 10 ns, hub 4 ns a word. */
static htmt_time meet(uint64_t records, struct htmt_options o)
{
    static const struct htmt_stage fiber = {.control = met, .count = 1};
    struct world_spec s = world_plain(2);
    struct meeting m = {.records = records}, *at = &m;
    s.network[CNET] = (struct world_network){3, 10, 1000, 1000, 0, 1, 1000};
    s.hub_mwords[CNET] = 250;
    struct world w = world_open(&s, o);
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 160, "frame", &m.frame), 0);
    cr_assert_eq(htmt_mailbox_create(w.e, 0, CRAM, 16, 10, "box", &m.box), 0);
    struct htmt_type *t =
        TYPE(&w, .name = "caller", .home = "cram", .exec = "cram",
             .execute = {.control = call_there}, .fibers = &fiber, .fiber_count = 1,
             .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof at);
    for (uint32_t i = 0; i < 2; i++)
        cr_assert_eq(
            ASSEMBLE(htmt_root(w.e), i ? NULL : &m.there, .type = t, .slice = i, .args = &at), 0);
    htmt_time end = world_run(&w);
    world_close(&w);
    return end;
}

/* A signal is one word, a record of 16 bytes two. A send asks for room with one word, and one word
 * grants it. */
Test(hub, signals_and_mailboxes_pass_it)
{
    for (int mode = HTMT_RUN; mode <= HTMT_MODEL; mode++) {
        struct htmt_options o = {.mode = (enum htmt_mode)mode};
        htmt_time word = 3 + 10 + 4 + 10 + 1;
        cr_assert_eq(meet(0, o), word * NS);
        for (uint64_t records = 1; records <= 10; records += 3) {
            htmt_time w = 2 * (htmt_time)records;
            cr_assert_eq(meet(records, o), (2 * word + 3 + 10 + 4 * w + 10 + w) * NS, "%lld",
                         (long long)meet(records, o));
        }
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

Test(hub, slices_that_differ_inside_do_not_stand_for_each_other)
{
    static const enum htmt_symmetry promise[] = {HTMT_FOLDED, HTMT_INDEPENDENT};
    for (unsigned i = 0; i < 2; i++) {
        struct burst b = plain_burst();
        struct htmt_machine *m = world_machine(&b.spec);
        struct htmt_emulator *e = NULL;
        struct htmt_fault fault = {0};
        struct htmt_options o = {.machine = m, .mode = HTMT_MODEL, .symmetry = promise[i]};
        cr_assert_eq(htmt_emulator_create(&e, &o, &fault), HTMT_ESYMMETRY);
        cr_assert_str_eq(fault.text, "a network's inside is not the same for all slices");
        cr_assert_null(e);
        htmt_machine_destroy(&m);
    }
}

/* ---- a stream -------------------------------------------------------------------------------- */

struct counted {
    struct htmt_ops ops;
};

COST(count_cost, *ops = ((const struct counted *)args)->ops)

static void count_kernel(struct htmt_kernel *k)
{
    const struct counted *c = htmt_kernel_args(k);
    for (int op = 0; op < HTMT_OP_CLASSES; op++)
        htmt_count(k, (enum htmt_op)op, c->ops.n[op]);
}

/* `jobs` services one after another on a SPELL that streams 3 Gword/s. */
static htmt_time streamed(struct htmt_ops ops, unsigned jobs, enum htmt_mode mode, bool cost)
{
    struct world_spec s = world_plain(1);
    s.stream_mwords[CRAM] = 3000;
    struct world w = OPEN(&s, .mode = mode);
    struct counted c = {ops};
    struct htmt_type *t =
        TYPE(&w, .name = "job", .home = "cram", .exec = "cram",
             .execute = {.kernel = count_kernel, .cost = cost ? count_cost : NULL},
             .args_bytes = sizeof c);
    for (unsigned i = 0; i < jobs; i++)
        START(&w, .type = t, .args = &c);
    htmt_time end = world_run(&w);
    world_close(&w);
    return end;
}

static void expect_stream(struct htmt_ops ops, htmt_time each)
{
    for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
        cr_assert_eq(streamed(ops, jobs, HTMT_RUN, false), jobs * each, "%lld",
                     (long long)streamed(ops, jobs, HTMT_RUN, false));
        cr_assert_eq(streamed(ops, jobs, HTMT_RUN, true), jobs * each);
        cr_assert_eq(streamed(ops, jobs, HTMT_MODEL, true), jobs * each);
    }
}

/* 1/3 ns a word, rounded half up once a service: in a run by what the kernel counts, in a model run
 * by the cost function. */
Test(stream, a_service_takes_its_loads_and_stores_at_the_rate)
{
    expect_stream((struct htmt_ops){{0, 0, 0, 2, 1}}, NS);
    expect_stream((struct htmt_ops){{0, 0, 0, 1, 0}}, 333333);
    expect_stream((struct htmt_ops){{0, 0, 0, 1, 1}}, 666667);
    expect_stream((struct htmt_ops){{0, 0, 0, 600, 300}}, 300 * NS);
}

Test(stream, what_it_computes_changes_nothing)
{
    expect_stream((struct htmt_ops){{0, 5, 0, 2, 1}}, NS);
    expect_stream((struct htmt_ops){{70, 1000000, 33, 2, 1}}, NS);
    expect_stream((struct htmt_ops){{70, 1000000, 33, 0, 0}}, 0);
}

/* ---- random programs ------------------------------------------------------------------------- */

static struct program_outcome random_run(uint64_t seed, bool known, struct htmt_options o)
{
    struct program p;
    struct htmt_path path;
    uint64_t draw = seed;
    struct world_spec s = program_spec(&draw);
    s.hub_mwords[VORTEX] = (unsigned)world_between(&seed, 300, 2000);
    s.hub_mwords[CNET] = seed % 2 ? (unsigned)world_between(&seed, 300, 2000) : 0;
    s.stream_mwords[seed % LAYERS] = 700;
    program_open_on(&p, &s, draw, known, 30, o);
    htmt_time sum = world_run(&p.w);
    if (o.explain)
        cr_assert_eq(htmt_path_find(p.w.e, &path), 0);
    for (uint32_t i = 0; o.explain && i < path.count; i++)
        sum -= path.part[i].time;
    cr_assert_eq(sum, o.explain ? 0 : htmt_predicted(p.w.e), "seed %u", (unsigned)seed);
    if (o.explain)
        htmt_path_clear(&path);
    return program_close(&p);
}

Test(model, random_programs_agree_whatever_the_threads_and_explain_all_of_their_time,
     .timeout = 120)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        bool known = seed % 2;
        struct program_outcome a = random_run(seed, known, (struct htmt_options){.threads = 1});
        struct program_outcome b =
            random_run(seed, known, (struct htmt_options){.threads = 2, .explain = true});
        struct program_outcome c =
            random_run(seed, known,
                       (struct htmt_options){.mode = known ? HTMT_MODEL : HTMT_RUN,
                                             .clock = HTMT_CLOCK_WINDOWS});
        cr_assert(a.hash == b.hash && a.bytes == b.bytes, "seed %u", (unsigned)seed);
        cr_assert(a.hash == c.hash && a.predicted == c.predicted, "seed %u", (unsigned)seed);
    }
}

/* The way to the hub, the wait there and the way on are one part of the path: "in flight, hub". */
Test(model, the_path_names_what_is_inside)
{
    struct htmt_path path;
    struct program p;
    uint64_t draw = 3;
    struct world_spec s = program_spec(&draw);
    s.hub_mwords[VORTEX] = 1;
    program_open_on(&p, &s, draw, true, 30,
                    (struct htmt_options){.mode = HTMT_MODEL, .explain = true});
    world_run(&p.w);
    cr_assert_eq(htmt_path_find(p.w.e, &path), 0);
    bool named = false;
    for (uint32_t i = 0; i < path.count; i++) {
        cr_assert(!path.part[i].inside || path.part[i].place == HTMT_PATH_FLYING);
        named = named || (path.part[i].inside && !strcmp(path.part[i].inside, "hub"));
    }
    cr_assert(named);
    htmt_path_clear(&path);
    program_close(&p);
}
