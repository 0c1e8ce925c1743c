/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Posts: when they arrive and are served, by hand on three networks; what is kept; and the same of
 * a program that floods a graph, whoever plays it.
 */
#include "parcels/message/post.h"
#include "parcels/path.h"
#include "tests/parcels/accounts.h"
#include "tests/parcels/world.h"
#include "tests/ranks/threads.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a program that posts what it is told, and notes what it served ----------------------------
 */

#define SLICES 4u
#define NOTES  64u

struct note {
    htmt_time began;
    uint32_t sender;
    uint64_t what;
};

struct order {
    uint32_t to, count; /* posts of `bytes`, to that slice */
    uint64_t what;
};

struct program {
    struct world w;
    struct htmt_type *empty, *one, *wide, *seven, *starter;
    uint64_t cycles; /* of the control of each */
    struct notes {
        uint32_t count;
        struct note at[NOTES];
    } notes[SLICES];
};

static void note(struct htmt_context *c, uint64_t what)
{
    struct program *p = (struct program *)htmt_user(c);
    struct notes *n = &p->notes[htmt_slice(c)];
    cr_assert_lt(n->count, NOTES);
    n->at[n->count++] = (struct note){htmt_began(c), htmt_sender(c), what};
    htmt_charge(c, HTMT_CYCLE, p->cycles);
}

CONTROL(serve_empty, note(c, 0))
CONTROL(serve_one, note(c, *(uint64_t *)htmt_args(c)))
CONTROL(serve_seven, note(c, ((uint64_t *)htmt_args(c))[6]))

/* Posts of one word, told by the order; without an order, of all three sizes to slice 1. */
static void start(struct htmt_context *c)
{
    struct program *p = (struct program *)htmt_user(c);
    const struct order *o = htmt_args(c);
    const uint64_t seven[7] = {0, 0, 0, 0, 0, 0, 77};
    for (uint32_t i = 0; i < o->count; i++) {
        const uint64_t what = o->what + i;
        htmt_post(c, p->one, o->to, &what);
    }
    if (o->count)
        return;
    htmt_post(c, p->empty, 1, NULL);
    htmt_post(c, p->one, 1, &(uint64_t){7});
    htmt_post(c, p->seven, 1, seven);
}

static void make_types(struct program *p)
{
    const struct htmt_type_desc d = {.home = "cram", .exec = "cram", .user = p};
    struct htmt_type_desc empty = d, one = d, seven = d, starter = d;
    empty.name = "empty";
    empty.execute.control = serve_empty;
    one.name = "one";
    one.execute.control = serve_one;
    one.args_bytes = 8;
    seven.name = "seven";
    seven.execute.control = serve_seven;
    seven.args_bytes = 56;
    starter.name = "starter";
    starter.execute.control = start;
    starter.args_bytes = sizeof(struct order);
    p->empty = world_type(&p->w, empty);
    p->one = world_type(&p->w, one);
    p->seven = world_type(&p->w, seven);
    p->starter = world_type(&p->w, starter);
}

static void open_program_of(struct program *p, const struct world_spec *s, struct htmt_options o)
{
    *p = (struct program){.w = world_open(s, o)};
    make_types(p);
}

static void open_program(struct program *p, const struct world_spec *s)
{
    open_program_of(p, s, (struct htmt_options){.mode = HTMT_MODEL});
}

static void order(struct program *p, uint32_t from, struct order o)
{
    START(&p->w, .type = p->starter, .slice = from, .args = &o);
}

/* Served in that order: the slice's notes are these. */
static void expect(const struct program *p, uint32_t slice, uint32_t i, double ns, uint32_t sender,
                   uint64_t what)
{
    const struct notes *n = &p->notes[slice];
    cr_assert_lt(i, n->count, "slice %u served %u posts, expected more", slice, n->count);
    cr_assert_eq(n->at[i].began, (htmt_time)(ns * NS), "post %u of slice %u began at %g ns", i,
                 slice, (double)n->at[i].began / NS);
    cr_assert_eq(n->at[i].sender, sender);
    cr_assert_eq(n->at[i].what, what);
}

/* Start-up 10 ns, latency 100 ns, a word 1 ns at either end, one in channel. */
static struct world_spec ports(void)
{
    struct world_spec s = world_plain(SLICES);
    s.network[CNET] = (struct world_network){10, 100, 1000, 1000, 1, 1, 1000};
    return s;
}

/* ---- times by hand --------------------------------------------------------------------------- */

/* One word and those of the arguments: 1, 2 and 8. The out channel is held for 10 ns and the words:
 * 0 to 11, 11 to 23, 23 to 41. Heads come 110, 121 and 133 ns after 0, the in channel takes the
 * words: the last words are there at 111, 123 and 141. */
Test(post, arguments_of_0_8_and_56_bytes_take_1_2_and_8_words_over_ports)
{
    struct world_spec s = ports();
    struct program p;
    open_program(&p, &s);
    order(&p, 0, (struct order){0});
    world_run(&p.w);
    expect(&p, 1, 0, 111, 0, 0);
    expect(&p, 1, 1, 123, 0, 7);
    expect(&p, 1, 2, 141, 0, 77);
    cr_assert_eq(htmt_predicted(p.w.e), 141 * NS);
    world_close(&p.w);
}

/* Three posts of two words, 12 ns apart, are there at 112, 124 and 136 ns. Each control takes 50
 * cycles of 1 ns: the second waits until 162, the third until 212, as payloads. */
Test(post, what_comes_while_the_processor_serves_waits_and_is_served_first_come_first_served)
{
    struct world_spec s = ports();
    struct program p;
    open_program(&p, &s);
    p.cycles = 50;
    order(&p, 0, (struct order){.to = 1, .count = 3, .what = 5});
    world_run(&p.w);
    expect(&p, 1, 0, 112, 0, 5);
    expect(&p, 1, 1, 162, 0, 6);
    expect(&p, 1, 2, 212, 0, 7);
    cr_assert_eq(htmt_predicted(p.w.e), 262 * NS);
    struct htmt_posts posts = htmt_posts_init();
    cr_assert_eq(htmt_posts_of(p.one, &posts), 0);
    cr_assert_eq(posts.posted, 3);
    cr_assert_eq(posts.served, 3);
    cr_assert_eq(posts.most, 2);
    cr_assert_eq(posts.own, 0);
    world_close(&p.w);
}

/* Without in channels two posts that leave at one instant arrive at one instant, 10 + 2 + 100 ns
 * later. Slices 1 and 2 have made their starters first: births alike, so the lower slice is first.
 * Slice 3 is made later in the program, but in its slice it is the first one, too. */
Test(post, two_that_arrive_at_one_instant_are_served_by_birth_then_by_slice)
{
    struct world_spec s = ports();
    s.network[CNET].inner_in = s.network[CNET].outer_in = 0;
    struct program p;
    open_program(&p, &s);
    order(&p, 3, (struct order){.to = 0, .count = 1, .what = 3});
    order(&p, 2, (struct order){.to = 0, .count = 1, .what = 2});
    order(&p, 1, (struct order){.to = 0, .count = 1, .what = 1});
    world_run(&p.w);
    for (uint32_t i = 0; i < 3; i++)
        expect(&p, 0, i, 112, i + 1, i + 1);
    world_close(&p.w);
    open_program(&p, &s); /* slice 1 has another starter before: its post is born later */
    order(&p, 1, (struct order){.to = 1, .count = 1, .what = 9});
    order(&p, 1, (struct order){.to = 0, .count = 1, .what = 1});
    order(&p, 2, (struct order){.to = 0, .count = 1, .what = 2});
    world_run(&p.w);
    expect(&p, 0, 0, 112, 2, 2);
    expect(&p, 0, 1, 112, 1, 1);
    world_close(&p.w);
}

/* No network and no time: it is served when the starter, which took none, has ended. */
Test(post, to_the_own_slice_takes_no_time_and_no_network)
{
    struct world_spec s = ports();
    struct program p;
    open_program(&p, &s);
    p.cycles = 3;
    order(&p, 2, (struct order){.to = 2, .count = 2, .what = 4});
    world_run(&p.w);
    expect(&p, 2, 0, 0, 2, 4);
    expect(&p, 2, 1, 3, 2, 5);
    cr_assert_eq(htmt_predicted(p.w.e), 6 * NS);
    world_close(&p.w);
}

/* A hub of one word a ns that all share, 100 ns from each slice: the heads of two posts of two
 * words leave at 10 and are at the hub at 110. One after the other takes 2 ns there: they have
 * passed at 112 and 114, and the last words, 2 ns behind the heads, are there 102 ns later. */
Test(post, over_a_hub_one_waits_for_the_other)
{
    struct world_spec s = ports();
    s.network[CNET].inner_in = s.network[CNET].outer_in = 0;
    s.hub_mwords[CNET] = 1000;
    struct program p;
    open_program(&p, &s);
    order(&p, 1, (struct order){.to = 0, .count = 1, .what = 1});
    order(&p, 2, (struct order){.to = 0, .count = 1, .what = 2});
    world_run(&p.w);
    expect(&p, 0, 0, 214, 1, 1);
    expect(&p, 0, 1, 216, 2, 2);
    world_close(&p.w);
}

/* A ring of four with ports inside: a word takes 800 ns, a wire 1,000. One hop is three wires, from
 * the slice and to it included: 3,000 + 1,600 for two words; two hops are one wire more. Slices 1
 * and 3 are one hop from slice 0: their heads come to the last port together at 2,000, so the
 * second one waits for 1,600 there. */
static const char ring[] =
    "htmt-machine: 1\nabout: made up for a test\nslices: {value: 4, source: t}\nlayers:\n  cram:\n"
    "    processor:\n      name: CPU\n      count: {value: 1, source: t}\n"
    "      clock: {value: 1 GHz, source: t}\n      flop: {value: 1 cycle, source: t}\n"
    "      iop: {value: 1 cycle, source: t}\n      load: {value: 1 cycle, source: t}\n"
    "      store: {value: 1 cycle, source: t}\n      lambda: {value: 0, source: t}\n"
    "    memory:\n      name: RAM\n      capacity: {value: 1000 words, source: t}\n"
    "      reserve: {value: 0 words, source: t}\n      access-words: {value: 1, source: t}\n"
    "      access: {value: not-modelled, source: t}\n"
    "      ports: {value: not-modelled, source: t}\n"
    "networks:\n  net:\n    scope: machine\n    startup: {value: 0 s, source: t}\n"
    "    latency: {value: 0 s, source: t}\n    ports:\n      cram:\n"
    "        out: {value: 1, source: t}\n        out-rate: {value: not-modelled, source: t}\n"
    "        in: {value: not-modelled, source: t}\n"
    "        in-rate: {value: not-modelled, source: t}\n"
    "    inside:\n      topology: torus\n      place: rows\n"
    "      shape: {value: 4 x 1, source: t}\n      switching: cut-through\n      routing: torus\n"
    "      packet: {value: 100 B, source: t}\n      header: {value: not-modelled, source: t}\n"
    "      rate: {value: 10 MB/s, source: t}\n      wire: {value: 1 us, source: t}\n"
    "      switch: {value: not-modelled, source: t}\n      buffer: {value: 1 packet, source: t}\n"
    "      lanes: {value: 2, source: t}\n      planes: {value: 1, as: dealt, source: t}\n"
    "      setup: {value: not-modelled, source: t}\n      route: {value: not-modelled, source: t}\n"
    "      copy: {value: not-modelled, source: t}\n      router: none\n"
    "      control: {value: 1 us, source: t}\n";

/* `queues`: lines of the processor, or nothing. */
static void open_ring_of(struct program *p, const char *queues)
{
    static const char before[] = "    memory:\n";
    struct htmt_fault fault = {0};
    const char *behind = strstr(ring, before);
    char text[sizeof ring + 400];
    snprintf(text, sizeof text, "%.*s%s%s", (int)(behind - ring), ring, queues, behind);
    *p = (struct program){0};
    cr_assert_eq(htmt_machine_parse("ring", text, &p->w.m, &fault), 0, "%s", fault.text);
    const struct htmt_options o = {.machine = p->w.m, .mode = HTMT_MODEL};
    cr_assert_eq(htmt_emulator_create(&p->w.e, &o, &fault), 0, "%s", fault.text);
}

static void open_ring(struct program *p)
{
    open_ring_of(p, "");
    make_types(p);
}

Test(post, over_a_torus_words_are_bytes_of_packets)
{
    struct program p;
    open_ring(&p);
    order(&p, 0, (struct order){.to = 2, .count = 1, .what = 2});
    order(&p, 1, (struct order){.to = 0, .count = 1, .what = 1});
    order(&p, 3, (struct order){.to = 0, .count = 1, .what = 3});
    world_run(&p.w);
    expect(&p, 0, 0, 4600, 1, 1);
    expect(&p, 0, 1, 6200, 3, 3);
    expect(&p, 2, 0, 5600, 0, 2);
    world_close(&p.w);
}

/* Before the run: at time 0, in any slice. */
Test(post, of_the_host_lies_in_the_queue_at_time_0)
{
    struct world_spec s = ports();
    struct program p;
    open_program(&p, &s);
    p.cycles = 8;
    cr_assert_eq(htmt_post(htmt_root(p.w.e), p.one, 3, &(uint64_t){1}), 0);
    cr_assert_eq(htmt_post(htmt_root(p.w.e), p.one, 3, &(uint64_t){2}), 0);
    cr_assert_eq(htmt_post(htmt_root(p.w.e), p.empty, 0, NULL), 0);
    world_run(&p.w);
    expect(&p, 3, 0, 0, 3, 1);
    expect(&p, 3, 1, 8, 3, 2);
    expect(&p, 0, 0, 0, 0, 0);
    world_close(&p.w);
}

/* ---- generators ------------------------------------------------------------------------------ */

struct fan {
    uint32_t to, count, cycles; /* messages; cycles: that making each one takes */
    uint32_t before;            /* cycles of the control */
};

/* The slice of the generator notes when each is made. */
static void fan_next(struct htmt_context *c, uint64_t i)
{
    struct program *p = (struct program *)htmt_user(c);
    const struct fan *f = htmt_args(c);
    note(c, 100 + i);
    htmt_charge(c, HTMT_CYCLE, f->cycles);
    htmt_post(c, p->one, f->to, &i);
}

static void fan(struct htmt_context *c)
{
    const struct fan *f = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, f->before);
    htmt_each(c, f->count, fan_next);
}

static struct htmt_type *fan_type(struct program *p)
{
    return TYPE(&p->w, .name = "fan", .home = "cram", .exec = "cram", .execute.control = fan,
                .args_bytes = sizeof(struct fan), .user = p);
}

static void post_fan(struct program *p, const struct fan *f)
{
    cr_assert_eq(htmt_post(htmt_root(p->w.e), fan_type(p), 0, f), 0);
}

/* The control takes 7 ns. Two words hold the out port for 12 ns: messages are made at 7, 19 and 31,
 * and are there 112 ns later. The post behind it is served when the last one has left. */
Test(post, a_generator_makes_each_message_when_the_port_is_free)
{
    struct world_spec s = ports();
    struct program p;
    open_program(&p, &s);
    post_fan(&p, &(struct fan){.to = 1, .count = 3, .before = 7});
    cr_assert_eq(htmt_post(htmt_root(p.w.e), p.empty, 0, NULL), 0);
    world_run(&p.w);
    for (uint32_t i = 0; i < 3; i++) {
        expect(&p, 0, i, 7 + 12 * i, 0, 100 + i);
        expect(&p, 1, i, 7 + 12 * i + 112, 0, i);
    }
    expect(&p, 0, 3, 31, 0, 0);
    world_close(&p.w);
}

/* Making one takes 20 ns, then it holds the port for 12 ns: made at 0, 32 and 64, each leaves 20 ns
 * later; the service takes 84. */
Test(post, what_a_generator_charges_puts_off_its_messages)
{
    struct world_spec s = ports();
    struct program p;
    open_program(&p, &s);
    post_fan(&p, &(struct fan){.to = 1, .count = 3, .cycles = 20});
    cr_assert_eq(htmt_post(htmt_root(p.w.e), p.empty, 0, NULL), 0);
    world_run(&p.w);
    for (uint32_t i = 0; i < 3; i++) {
        expect(&p, 0, i, 32 * i, 0, 100 + i);
        expect(&p, 1, i, 32 * i + 20 + 112, 0, i);
    }
    expect(&p, 0, 3, 84, 0, 0);
    world_close(&p.w);
}

/* On the ring a channel is held until the last word has left the slice: 1,600 ns for two words.
 * Each is there 4,600 ns after it was made. */
Test(post, a_generator_is_told_when_a_port_of_a_torus_is_free)
{
    struct program p;
    open_ring(&p);
    post_fan(&p, &(struct fan){.to = 1, .count = 3});
    cr_assert_eq(htmt_post(htmt_root(p.w.e), p.empty, 0, NULL), 0);
    world_run(&p.w);
    for (uint32_t i = 0; i < 3; i++) {
        expect(&p, 0, i, 1600 * i, 0, 100 + i);
        expect(&p, 1, i, 1600 * i + 4600, 0, i);
    }
    expect(&p, 0, 3, 3200, 0, 0);
    world_close(&p.w);
}

/* Nothing is in its way, and each waits in the queue until the service is over, at once. */
Test(post, a_generator_may_post_to_its_own_slice)
{
    struct world_spec s = ports();
    struct program p;
    open_program(&p, &s);
    p.cycles = 0;
    post_fan(&p, &(struct fan){.to = 0, .count = 4, .before = 5});
    world_run(&p.w);
    for (uint32_t i = 0; i < 4; i++) {
        expect(&p, 0, i, 5, 0, 100 + i);
        expect(&p, 0, 4 + i, 5, 0, i);
    }
    cr_assert_eq(htmt_predicted(p.w.e), 5 * NS);
    world_close(&p.w);
}

/* ---- queues ---------------------------------------------------------------------------------- */

#define TWO_QUEUES                                                                                 \
    "      queues:\n        high: {room: {value: not-modelled, source: t}}\n"                      \
    "        low: {room: {value: not-modelled, source: t}}\n"                                      \
    "        stage: {value: 5 ns, source: t}\n"

static struct htmt_type *queued_type(struct program *p, const char *name, const char *queue)
{
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = name;
    d.home = d.exec = "cram";
    d.execute.control = serve_one;
    d.args_bytes = 8;
    d.user = p;
    d.queue = queue;
    return world_type(&p->w, d);
}

/* Controls of 10 ns. The first one is served at once; of those that wait, the queue that the
 * machine names first is served first, each in its order. */
Test(post, the_queue_that_is_named_first_is_served_first)
{
    struct program p;
    open_ring_of(&p, TWO_QUEUES);
    p.cycles = 10;
    struct htmt_type *high = queued_type(&p, "high", "high"), *low = queued_type(&p, "low", "low");
    struct htmt_context *root = htmt_root(p.w.e);
    for (uint64_t i = 0; i < 6; i++)
        cr_assert_eq(htmt_post(root, i % 3 ? high : low, 2, &i), 0);
    world_run(&p.w);
    const uint64_t order[] = {0, 1, 2, 4, 5, 3};
    for (uint32_t i = 0; i < 6; i++)
        expect(&p, 2, i, 10 * i, 2, order[i]);
    world_close(&p.w);
}

/* 5 ns from message to message, and behind the last one. */
Test(post, a_generator_waits_for_the_stage_of_its_layer)
{
    struct program p;
    open_ring_of(&p, TWO_QUEUES);
    make_types(&p);
    post_fan(&p, &(struct fan){.to = 0, .count = 3, .before = 2});
    world_run(&p.w);
    for (uint32_t i = 0; i < 3; i++) {
        expect(&p, 0, i, 2 + 5 * i, 0, 100 + i);
        expect(&p, 0, 3 + i, 17, 0, i);
    }
    world_close(&p.w);
}

Test(post, a_queue_with_a_limit_on_inputs_without_one_is_refused)
{
    struct program p;
    open_ring_of(&p, "      queues:\n        q: {room: {value: 1, source: t}}\n");
    make_types(&p);
    cr_assert_eq(htmt_emulator_run(p.w.e), HTMT_EINVAL);
    cr_assert(
        strstr(htmt_emulator_fault(p.w.e)->text, "queue q of layer cram has room for 1 posts"),
        "%s", htmt_emulator_fault(p.w.e)->text);
    world_close(&p.w);
}

Test(post, a_queue_that_the_layer_lacks_is_refused)
{
    struct program p;
    open_ring_of(&p, TWO_QUEUES);
    struct htmt_type *t;
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "t";
    d.home = d.exec = "cram";
    d.execute.control = serve_one;
    d.queue = "middle";
    cr_assert_eq(htmt_type_create(p.w.e, &d, &t), HTMT_EINVAL);
    cr_assert(strstr(htmt_emulator_fault(p.w.e)->text, "has no queue 'middle'"), "%s",
              htmt_emulator_fault(p.w.e)->text);
    world_close(&p.w);
}

static bool is_odd(struct htmt_context *c)
{
    htmt_charge(c, HTMT_CYCLE, 4);
    return *(const uint64_t *)htmt_args(c) % 2;
}

Test(post, wanted_is_asked_before_the_control)
{
    struct world_spec s = ports();
    struct program p;
    open_program(&p, &s);
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "odd";
    d.home = d.exec = "cram";
    d.execute.control = serve_one;
    d.wanted = is_odd;
    d.args_bytes = 8;
    d.user = &p;
    struct htmt_type *odd = world_type(&p.w, d);
    for (uint64_t i = 0; i < 5; i++)
        cr_assert_eq(htmt_post(htmt_root(p.w.e), odd, 1, &i), 0);
    world_run(&p.w);
    expect(&p, 1, 0, 4, 1, 1); /* asking takes 4 ns, of those that are dropped, too */
    expect(&p, 1, 1, 12, 1, 3);
    cr_assert_eq(htmt_predicted(p.w.e), 20 * NS);
    struct htmt_posts posts = htmt_posts_init();
    cr_assert_eq(htmt_posts_of(odd, &posts), 0);
    cr_assert_eq(posts.served, 2);
    cr_assert_eq(posts.unwanted, 3);
    world_close(&p.w);
}

/* ---- heavy work ------------------------------------------------------------------------------ */

struct square {
    uint64_t n;
};

KERNEL(square, const uint64_t n = ((const struct square *)htmt_kernel_args(k))->n;
       *(uint64_t *)htmt_kernel_result(k) = n * n; htmt_count(k, HTMT_CYCLE, n))
COST(square_cost, ops->n[HTMT_CYCLE] = ((const struct square *)args)->n)
CONTROL(squared, struct program *p = (struct program *)htmt_user(c);
        const uint64_t *found = htmt_result(c);
        htmt_post(c, p->one, 0, &(uint64_t){found ? *found : 144}))

/* 12 cycles of the kernel in slice 1, three times; each result goes to slice 0, 112 ns behind. */
Test(post, a_kernel_computes_from_the_arguments_and_its_steered_control_posts_the_result)
{
    for (int mode = 0; mode < 2; mode++) {
        struct world_spec s = ports();
        struct program p;
        open_program_of(&p, &s,
                        (struct htmt_options){.mode = mode ? HTMT_MODEL : HTMT_RUN, .threads = 2});
        struct htmt_type *t = TYPE(
            &p.w, .name = "square", .home = "cram", .exec = "cram",
            .execute = {.kernel = square, .cost = square_cost, .control = squared, .steered = true},
            .args_bytes = sizeof(struct square), .result_bytes = 8, .user = &p);
        for (uint32_t i = 0; i < 3; i++)
            cr_assert_eq(htmt_post(htmt_root(p.w.e), t, 1, &(struct square){12}), 0);
        world_run(&p.w);
        for (uint32_t i = 0; i < 3; i++)
            expect(&p, 0, i, 12 * (i + 1) + 112, 1, 144);
        world_close(&p.w);
    }
}

CONTROL(noted, note(c, ((struct square *)htmt_args(c))->n))

/* Both begin at 0. The clock awaits the kernel when nothing else happens at that instant, so the
 * control of the second post notes before that of the first; in a model run, too. */
Test(post, a_control_that_waits_for_its_kernel_comes_behind_others_of_its_instant_in_models_too)
{
    for (int mode = 0; mode < 2; mode++) {
        struct world_spec s = ports();
        struct program p;
        s.servers[CRAM] = 2;
        open_program_of(&p, &s,
                        (struct htmt_options){.mode = mode ? HTMT_MODEL : HTMT_RUN, .threads = 2});
        struct htmt_type *t = TYPE(
            &p.w, .name = "square", .home = "cram", .exec = "cram",
            .execute = {.kernel = square, .cost = square_cost, .control = noted, .steered = true},
            .args_bytes = sizeof(struct square), .result_bytes = 8, .user = &p);
        cr_assert_eq(htmt_post(htmt_root(p.w.e), t, 1, &(struct square){12}), 0);
        cr_assert_eq(htmt_post(htmt_root(p.w.e), p.one, 1, &(uint64_t){5}), 0);
        world_run(&p.w);
        expect(&p, 1, 0, 0, 1, 5);
        expect(&p, 1, 1, 0, 1, 12);
        cr_assert_eq(htmt_predicted(p.w.e), 12 * NS);
        world_close(&p.w);
    }
}

/* ---- a flood --------------------------------------------------------------------------------- */

#define FLOOD_SLICES 6u
#define VERTICES     300u
#define DEGREE       5u

/* Each vertex is visited by whoever has found a shorter way to it. */
struct flood {
    struct world w;
    struct htmt_type *visit;
    struct htmt_object *vertices[FLOOD_SLICES]; /* levels */
    uint32_t rounds;                            /* of quiet, of slice 0 */
};

struct visit {
    uint32_t vertex, level;
};

static uint32_t neighbour(uint32_t vertex, uint32_t i)
{
    uint64_t state = vertex * 977 + i * 31 + 1;
    world_random(&state);
    return (uint32_t)world_between(&state, 0, VERTICES - 1);
}

static void visit_next(struct htmt_context *c, uint64_t i)
{
    const struct flood *f = htmt_user(c);
    const struct visit *v = htmt_args(c);
    const struct visit next = {neighbour(v->vertex, (uint32_t)i), v->level + 1};
    htmt_charge(c, HTMT_CYCLE, i);
    htmt_post(c, f->visit, next.vertex % FLOOD_SLICES, &next);
}

/* Odd vertices send all at once, even ones message by message. */
static void visit(struct htmt_context *c)
{
    const struct flood *f = htmt_user(c);
    const struct visit *v = htmt_args(c);
    uint32_t *level = htmt_kept(c, f->vertices[htmt_slice(c)]);
    uint32_t *mine = &level[v->vertex / FLOOD_SLICES];
    htmt_charge(c, HTMT_CYCLE, 3);
    if (*mine && *mine <= v->level)
        return;
    *mine = v->level;
    if (v->vertex % 2 == 0)
        htmt_each(c, DEGREE, visit_next);
    for (uint32_t i = 0; v->vertex % 2 && i < DEGREE; i++) {
        const struct visit next = {neighbour(v->vertex, i), v->level + 1};
        htmt_charge(c, HTMT_CYCLE, 2);
        htmt_post(c, f->visit, next.vertex % FLOOD_SLICES, &next);
    }
}

/* Twice it sends slice 0 another wave, that of a vertex nobody has found yet. */
static void again(struct htmt_context *c)
{
    struct flood *f = (struct flood *)htmt_user(c);
    if (htmt_slice(c))
        return;
    if (++f->rounds <= 2)
        htmt_post(c, f->visit, 0, &(struct visit){6 * f->rounds, 1});
}

static void open_flood(struct flood *f, struct htmt_options o)
{
    struct world_spec s = world_plain(FLOOD_SLICES);
    s.network[CNET] = (struct world_network){3, 40, 1000, 1000, 1, 1, 1000};
    for (int n = 0; n < NETWORKS; n++)
        s.network[n].latency_ns = 40;
    *f = (struct flood){.w = world_open(&s, o)};
    f->visit = TYPE(&f->w, .name = "visit", .home = "cram", .exec = "cram",
                    .execute.control = visit, .args_bytes = sizeof(struct visit), .user = f);
    for (uint32_t i = 0; i < FLOOD_SLICES; i++)
        cr_assert_eq(htmt_object_create_kept(f->w.e, i, CRAM, (VERTICES / FLOOD_SLICES + 1) * 4,
                                             "levels", &f->vertices[i]),
                     0);
    cr_assert_eq(htmt_quiet(f->w.e, again, f), 0);
    cr_assert_eq(htmt_post(htmt_root(f->w.e), f->visit, 1, &(struct visit){1, 1}), 0);
}

/* The same by a queue of this host: the least level of each vertex, from 1 and the two others. */
static void expect_levels(struct flood *f)
{
    uint32_t level[VERTICES] = {0}, queue[VERTICES], head = 0, tail = 0;
    const uint32_t root[] = {1, 6, 12};
    for (uint32_t r = 0; r < 3; r++)
        if (!level[root[r]] || level[root[r]] > 1) {
            level[root[r]] = 1;
            queue[tail++] = root[r];
        }
    while (head < tail) {
        const uint32_t v = queue[head++];
        for (uint32_t i = 0; i < DEGREE; i++) {
            const uint32_t n = neighbour(v, i);
            if (!level[n]) {
                level[n] = level[v] + 1;
                queue[tail++] = n;
            }
        }
    }
    for (uint32_t i = 0; i < FLOOD_SLICES; i++) {
        const void *bytes = NULL;
        cr_assert_eq(htmt_object_fetch(f->vertices[i], &bytes), 0);
        cr_assert_not_null(bytes);
        for (uint32_t v = i; v < VERTICES; v += FLOOD_SLICES)
            cr_assert_eq(((const uint32_t *)bytes)[v / FLOOD_SLICES], level[v], "vertex %u", v);
    }
}

Test(post, a_flood_finds_the_levels_and_quiet_comes_once_for_each_wave)
{
    struct flood f;
    open_flood(&f, (struct htmt_options){.mode = HTMT_MODEL});
    world_run(&f.w);
    expect_levels(&f);
    cr_assert_eq(f.rounds, 3);
    world_close(&f.w);
}

static void same_flood(struct flood *one, struct htmt_options o)
{
    struct flood f;
    open_flood(&f, o);
    world_run(&f.w);
    expect_levels(&f);
    cr_assert_eq(htmt_predicted(f.w.e), htmt_predicted(one->w.e));
    cr_assert_eq(htmt_history_hash(f.w.e), htmt_history_hash(one->w.e));
    cr_assert_eq(f.rounds, 3);
    same_accounts(one->w.e, f.w.e);
    struct htmt_posts a = htmt_posts_init(), b = htmt_posts_init();
    cr_assert_eq(htmt_posts_of(one->visit, &a), 0);
    cr_assert_eq(htmt_posts_of(f.visit, &b), 0);
    cr_assert_eq(memcmp(&a, &b, sizeof a), 0);
    world_close(&f.w);
}

Test(post, run_and_model_threads_and_windows_play_the_same)
{
    struct flood one;
    open_flood(&one, (struct htmt_options){.mode = HTMT_MODEL});
    world_run(&one.w);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        same_flood(&one, (struct htmt_options){.mode = HTMT_RUN, .threads = threads});
        same_flood(&one, (struct htmt_options){.mode = HTMT_MODEL,
                                               .clock = HTMT_CLOCK_SHARED,
                                               .clock_threads = threads,
                                               .clock_partitions = 2 * threads});
        same_flood(&one, (struct htmt_options){.mode = HTMT_RUN,
                                               .threads = threads,
                                               .clock = HTMT_CLOCK_SHARED,
                                               .clock_threads = threads,
                                               .window_most = 7 * NS});
    }
    same_flood(&one, (struct htmt_options){.mode = HTMT_MODEL, .explain = true});
    same_flood(&one, (struct htmt_options){.mode = HTMT_MODEL, .checked = true});
    same_flood(&one, (struct htmt_options){.mode = HTMT_RUN, .checked = true});
    same_flood(&one, (struct htmt_options){.mode = HTMT_MODEL, .lint = true});
    world_close(&one.w);
}

struct party {
    struct flood *one;
    enum htmt_mode mode;
};

static int play_rank(const struct htmt_ranks *rank, void *user)
{
    const struct party *p = user;
    struct flood f;
    open_flood(&f, (struct htmt_options){.mode = p->mode, .ranks = rank});
    int rc = htmt_emulator_run(f.w.e);
    if (!rc && htmt_history_hash(f.w.e) != htmt_history_hash(p->one->w.e))
        rc = HTMT_EPAST;
    struct htmt_posts a = htmt_posts_init(), b = htmt_posts_init();
    if (!rc && (htmt_posts_of(p->one->visit, &a) || htmt_posts_of(f.visit, &b) ||
                memcmp(&a, &b, sizeof a) != 0))
        rc = HTMT_ELEFT;
    for (uint32_t i = 0; i < FLOOD_SLICES && !rc; i++) {
        const void *bytes = NULL, *same = NULL;
        rc = htmt_object_fetch(f.vertices[i], &bytes);
        if (!rc && !rank->rank &&
            (htmt_object_fetch(p->one->vertices[i], &same) ||
             memcmp(bytes, same, htmt_object_size(f.vertices[i])) != 0))
            rc = HTMT_EBOUNDS;
    }
    world_close(&f.w);
    return rc;
}

Test(post, ranks_play_the_same_and_gather_what_is_kept)
{
    struct flood one;
    open_flood(&one, (struct htmt_options){.mode = HTMT_MODEL});
    world_run(&one.w);
    for (uint32_t count = 1; count <= 3; count++)
        for (int mode = 0; mode < 2; mode++) {
            struct party p = {&one, mode ? HTMT_MODEL : HTMT_RUN};
            int rc[3] = {0};
            cr_assert_eq(ranks_threads_play(count, play_rank, &p, rc), 0);
            for (uint32_t i = 0; i < count; i++)
                cr_assert_eq(rc[i], 0, "rank %u of %u: %s", i, count, htmt_err_name(rc[i]));
        }
    world_close(&one.w);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void expect_refused(struct program *p, int rc, int code, const char *part)
{
    cr_assert_eq(rc, code, "%s", htmt_err_name(rc));
    cr_assert(strstr(htmt_emulator_fault(p->w.e)->text, part), "%s, expected: %s",
              htmt_emulator_fault(p->w.e)->text, part);
}

Test(post, bad_calls_are_refused_with_a_line)
{
    struct world_spec s = ports();
    struct program p, q;
    open_program(&p, &s);
    open_program(&q, &s);
    struct htmt_context *root = htmt_root(p.w.e);
    const uint64_t word = 1;
    struct htmt_type *t;
    struct htmt_type_desc d = {.name = "t", .home = "cram", .exec = "cram", .queue = NULL};
    expect_refused(&p, htmt_post(root, q.one, 0, &word), HTMT_EINVAL, "another emulator");
    expect_refused(&p, htmt_post(root, p.one, SLICES, &word), HTMT_EINVAL,
                   "expected one of 0 to 3");
    expect_refused(&p, htmt_post(root, p.empty, 0, &word), HTMT_EINVAL, "set args_bytes");
    expect_refused(&p, htmt_post(root, NULL, 0, &word), HTMT_EINVAL, "found no type");
    d.execute.control = serve_one;
    d.args_bytes = 57;
    cr_assert_eq(htmt_type_create(p.w.e, &d, &t), 0);
    expect_refused(&p, htmt_post(root, t, 0, NULL), HTMT_EINVAL, "more than 56 bytes");
    d.name = "u";
    d.payload_words = 3;
    d.size = sizeof d;
    expect_refused(&p, htmt_type_create(p.w.e, &d, &t), HTMT_EINVAL, "more than 56 bytes");
    d = (struct htmt_type_desc){.name = "v", .home = "sram", .exec = "cram"};
    d.execute.control = serve_one;
    cr_assert_eq(htmt_type_create(p.w.e, &d, &t), 0);
    expect_refused(&p, htmt_post(root, t, 0, NULL), HTMT_EINVAL, "elsewhere than at home");
    world_close(&p.w);
    world_close(&q.w);
}

static struct htmt_object *kept_of_0;
CONTROL(touch, htmt_kept(c, kept_of_0))

Test(post, kept_objects_are_for_controls_of_their_slice_alone)
{
    struct world_spec s = ports();
    struct program p;
    open_program(&p, &s);
    struct htmt_type *t =
        TYPE(&p.w, .name = "touch", .home = "cram", .exec = "cram", .execute.control = touch);
    cr_assert_eq(htmt_object_create_kept(p.w.e, 0, CRAM, 80, "kept", &kept_of_0), 0);
    cr_assert_eq(htmt_object_size(kept_of_0), 80);
    char *bytes = htmt_object_bytes(kept_of_0);
    for (int i = 0; i < 80; i++)
        cr_assert_eq(bytes[i], 0);
    cr_assert_eq(htmt_post(htmt_root(p.w.e), t, 0, NULL), 0);
    cr_assert_eq(htmt_post(htmt_root(p.w.e), t, 1, NULL), 0);
    cr_assert_eq(htmt_emulator_run(p.w.e), HTMT_EROUTE);
    cr_assert(strstr(htmt_emulator_fault(p.w.e)->text, "kept of slice 0, in slice 1"), "%s",
              htmt_emulator_fault(p.w.e)->text);
    world_close(&p.w);
}

/* Slice 0 leaves where its object is; slice 1 writes there by that address, at 112 ns: a post of
 * slice 0, two words, has told it to. */
static struct trespass {
    struct htmt_type *type;
    uint64_t *there;
    bool writes; /* or it reads */
} trespass;

static void enter_there(struct htmt_context *c)
{
    if (htmt_slice(c) == 0) {
        trespass.there = htmt_kept(c, kept_of_0);
        *trespass.there = 5;
        htmt_post(c, trespass.type, 1, NULL);
    } else if (trespass.writes) {
        *(volatile uint64_t *)trespass.there = 6;
    } else {
        cr_assert_eq(*(volatile uint64_t *)trespass.there, 5);
    }
}

/* What a child that does so says first on standard error; returns its status. */
static int status_of_trespass(struct htmt_options o, char said[512])
{
    int ends[2], status;
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (!child) {
        struct world_spec s = ports();
        struct program p;
        dup2(ends[1], STDERR_FILENO);
        signal(SIGSEGV, SIG_DFL);
        open_program_of(&p, &s, o);
        trespass.type = TYPE(&p.w, .name = "trespasser", .home = "cram", .exec = "cram",
                             .execute.control = enter_there, .args_bytes = 8);
        const bool made = !htmt_object_create_kept(p.w.e, 0, CRAM, 80, "kept", &kept_of_0) &&
                          !htmt_post(htmt_root(p.w.e), trespass.type, 0, NULL);
        _exit(!made || htmt_emulator_run(p.w.e));
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    if (!fgets(said, 512, from))
        said[0] = '\0';
    while (fgetc(from) != EOF)
        ;
    fclose(from);
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

Test(post, a_checked_run_names_a_control_that_touches_another_slices_kept_object)
{
    static const char line[] = "htmt: type trespasser, slice 1, execute, at 112000000 fs: the "
                               "control raised SIGSEGV at address ";
    char said[512];
    for (int writes = 0; writes < 2; writes++)
        for (int mode = 0; mode < 2; mode++) {
            struct htmt_options o = {.mode = mode ? HTMT_MODEL : HTMT_RUN, .diagnose = true};
            trespass.writes = writes;
            cr_assert_eq(status_of_trespass(o, said), 0, "%s", said);
            cr_assert_str_empty(said);
            o.checked = true;
            const int status = status_of_trespass(o, said);
            cr_assert(WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : WEXITSTATUS(status));
            cr_assert_eq(strncmp(said, line, strlen(line)), 0, "%s", said);
        }
}

Test(post, folded_and_independent_slices_are_refused)
{
    for (int folded = 0; folded < 2; folded++) {
        struct world_spec s = ports();
        struct program p;
        open_program_of(&p, &s,
                        (struct htmt_options){.mode = HTMT_MODEL,
                                              .symmetry = folded ? HTMT_FOLDED : HTMT_INDEPENDENT});
        expect_refused(&p, htmt_post(htmt_root(p.w.e), p.empty, 0, NULL), HTMT_ESYMMETRY,
                       folded ? "folded" : "independent");
        expect_refused(&p, htmt_quiet(p.w.e, serve_empty, NULL), HTMT_ESYMMETRY,
                       folded ? "folded" : "independent");
        world_close(&p.w);
    }
}

/* ---- what waits ------------------------------------------------------------------------------ */

static struct htmt__post payload(uint64_t i)
{
    struct htmt__post post = {.sender = (uint32_t)i, .type = 3, .bytes = (uint16_t)(8 * (i % 8))};
    for (uint32_t at = 0; at < post.bytes; at += 8)
        memcpy(post.args + at, &i, 8);
    return post;
}

static void expect_first(const struct htmt__post_line *line, uint64_t i)
{
    const struct htmt__post post = payload(i), *first = htmt__post_line_first(line);
    cr_assert_eq(memcmp(first, &post, HTMT__POST_HEAD + post.bytes), 0, "payload %llu",
                 (unsigned long long)i);
}

/* A million payloads of 8 to 64 bytes pass a queue, of which 100 wait at once: 3,600 bytes, in at
 * most five chunks of 1 kB. These are the clock's when the queue is empty, and no more. */
Test(post, a_million_posts_leave_no_memory_but_that_of_those_that_waited_at_once)
{
    struct htmt_emulator *e = calloc(1, sizeof *e);
    struct htmt__post_line line = {0};
    uint64_t popped = 0;
    for (uint64_t i = 0; i < 1000000; i++) {
        const struct htmt__post post = payload(i);
        cr_assert(htmt__post_line_push(e, &line, &post));
        if (line.count <= 100)
            continue;
        expect_first(&line, popped++);
        htmt__post_line_pop(e, &line);
    }
    for (; line.count; popped++) {
        expect_first(&line, popped);
        htmt__post_line_pop(e, &line);
    }
    cr_assert_eq(popped, 1000000);
    cr_assert_null(line.head);
    cr_assert_null(line.tail);
    struct htmt__post_line again = {0};
    uint32_t chunks = 0;
    for (; e->post_chunks && chunks < 10; chunks++) /* 15 payloads of 64 bytes fill one */
        for (uint32_t i = 0; i < 15; i++) {
            const struct htmt__post post = payload(7);
            cr_assert(htmt__post_line_push(e, &again, &post));
        }
    cr_assert_leq(chunks, 5);
    htmt__post_line_free(e, &again);
    htmt__post_chunks_free(e);
    free(e);
}
