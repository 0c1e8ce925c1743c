/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Queues of posts with a limit: who waits where and until when, by hand, over a plain network and
 * one with ports inside; generators that are kept out; circles; and the same whoever plays it.
 */
#include "tests/parcels/crowd.h"
#include "tests/runtime/share.h"

#define NOTES 400u

#define ONE   "        q: {room: {value: 1, source: t}}\n"
#define LATER "        overlap: true\n"

/* The text with the first `find` as `put`. */
static void with(char *text, size_t room, const char *from, const char *find, const char *put)
{
    const char *at = strstr(from, find);
    snprintf(text, room, "%.*s%s%s", (int)(at - from), from, put, at + strlen(find));
}

static struct htmt_machine *machine(const char *queues, const char *network)
{
    static const char format[] =
        "htmt-machine: 1\nabout: made up for a test\nslices: {value: 4, source: t}\nlayers:\n"
        "  cram:\n    processor:\n      name: CPU\n      count: {value: 1, source: t}\n"
        "      clock: {value: 1 GHz, source: t}\n      flop: {value: 1 cycle, source: t}\n"
        "      iop: {value: 1 cycle, source: t}\n      load: {value: 1 cycle, source: t}\n"
        "      store: {value: 1 cycle, source: t}\n      lambda: {value: 0, source: t}\n"
        "      queues:\n%s    memory:\n      name: RAM\n"
        "      capacity: {value: 1000 words, source: t}\n"
        "      reserve: {value: 0 words, source: t}\n      access-words: {value: 1, source: t}\n"
        "      access: {value: not-modelled, source: t}\n"
        "      ports: {value: not-modelled, source: t}\n"
        "networks:\n  net:\n    scope: machine\n%s";
    char text[sizeof format + sizeof ring + 400];
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    snprintf(text, sizeof text, format, queues, network);
    cr_assert_eq(htmt_machine_parse("queues", text, &m, &fault), 0, "%s", fault.text);
    return m;
}

/* ---- a program that notes what it served -------------------------------------------------------
 */

struct program {
    struct world w;
    struct htmt_type *one, *other, *fan, *starter;
    uint64_t cycles; /* of each control of `one` and `other` */
    uint64_t least;  /* that is wanted; each service of `one` says `next_least` */
    uint64_t next_least;
    struct notes {
        uint32_t count;
        struct note {
            htmt_time began;
            uint64_t what;
        } at[NOTES];
    } notes[SLICES];
};

static void note(struct htmt_context *c, uint64_t what)
{
    struct notes *n = &((struct program *)htmt_user(c))->notes[htmt_slice(c)];
    cr_assert_lt(n->count, NOTES);
    n->at[n->count++] = (struct note){htmt_began(c), what};
}

CONTROL(serve, struct program *p = (struct program *)htmt_user(c);
        note(c, *(uint64_t *)htmt_args(c)); p->least = p->next_least;
        htmt_charge(c, HTMT_CYCLE, p->cycles))

static bool wanted(struct htmt_context *c)
{
    const struct program *p = htmt_user(c);
    if (!p->next_least)
        return true;
    htmt_charge(c, HTMT_CYCLE, 4);
    return *(const uint64_t *)htmt_args(c) >= p->least;
}

/* After a while so many posts to a slice: at once, or one by one. */
struct order {
    uint32_t to, count, after;
    bool other; /* of the other type */
    uint64_t what;
};

static void order_next(struct htmt_context *c, uint64_t i)
{
    const struct program *p = htmt_user(c);
    const struct order *o = htmt_args(c);
    note(c, 1000 + o->what + i);
    htmt_post(c, p->one, o->to, &(uint64_t){o->what + i});
}

CONTROL(fan, htmt_each(c, ((struct order *)htmt_args(c))->count, order_next))

static void start(struct htmt_context *c)
{
    const struct program *p = htmt_user(c);
    const struct order *o = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, o->after);
    for (uint32_t i = 0; i < o->count; i++)
        htmt_post(c, o->other ? p->other : p->one, o->to, &(uint64_t){o->what + i});
}

static struct htmt_type *type(struct program *p, const char *name, htmt_control_fn *control,
                              uint64_t bytes, const char *queue)
{
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = name;
    d.home = d.exec = "cram";
    d.execute.control = control;
    d.args_bytes = bytes;
    d.user = p;
    d.queue = queue;
    d.wanted = control == serve && p->next_least ? wanted : NULL;
    return world_type(&p->w, d);
}

static void open_as(struct program *p, const char *queues, const char *network,
                    struct htmt_options o, const char *first, const char *second)
{
    struct htmt_fault fault = {0};
    o.machine = p->w.m = machine(queues, network);
    cr_assert_eq(htmt_emulator_create(&p->w.e, &o, &fault), 0, "%s", fault.text);
    p->one = type(p, "one", serve, 8, first);
    p->other = type(p, "other", serve, 8, second);
    p->fan = type(p, "fan", fan, sizeof(struct order), first);
    p->starter = type(p, "starter", start, sizeof(struct order), NULL);
}

static void open(struct program *p, const char *queues, const char *network)
{
    open_as(p, queues, network, (struct htmt_options){.mode = HTMT_MODEL}, "q", "q");
}

static void order(struct program *p, uint32_t from, struct order o)
{
    START(&p->w, .type = p->starter, .slice = from, .args = &o);
}

static void post_fan(struct program *p, uint32_t from, struct order o)
{
    cr_assert_eq(htmt_post(htmt_root(p->w.e), p->fan, from, &o), 0, "%s",
                 htmt_emulator_fault(p->w.e)->text);
}

static void expect(const struct program *p, uint32_t slice, uint32_t i, double ns, uint64_t what)
{
    const struct notes *n = &p->notes[slice];
    cr_assert_lt(i, n->count, "slice %u noted %u, expected more", slice, n->count);
    cr_assert_eq(n->at[i].began, (htmt_time)(ns * NS), "note %u of slice %u at %g ns, of %llu", i,
                 slice, (double)n->at[i].began / NS, (unsigned long long)n->at[i].what);
    cr_assert_eq(n->at[i].what, what, "note %u of slice %u is of %llu", i, slice,
                 (unsigned long long)n->at[i].what);
}

static void expect_text(const struct program *p, const char *text)
{
    const char *found = htmt_emulator_fault(p->w.e)->text;
    cr_assert(strstr(found, text), "%s, expected: %s", found, text);
}

/* ---- room ------------------------------------------------------------------------------------ */

/* Controls of 50 ns. Posts 0, 1, 2 of slice 0 come at 112, 124 and 136: 0 is served until 162, 1
 * waits, 2 holds the channel. Post 9 of slice 2, for a queue without limit that is served first,
 * leaves at 30; its head is there at 140 and would be in at 142, before 162. It stands behind 2
 * until 162, and is in at 164. So 1 is served at 162, 9 at 212, and 2 at 262. */
Test(post_queue, a_full_queue_holds_the_channel_and_what_follows_waits_behind)
{
    struct program p = {.cycles = 50};
    open_as(&p, "        first: {room: {value: not-modelled, source: t}}\n" ONE, plain,
            (struct htmt_options){.mode = HTMT_MODEL}, "q", "first");
    order(&p, 0, (struct order){.to = 1, .count = 3});
    order(&p, 2, (struct order){.to = 1, .count = 1, .after = 30, .other = true, .what = 9});
    world_run(&p.w);
    const uint64_t order[] = {0, 1, 9, 2};
    for (uint32_t i = 0; i < 4; i++)
        expect(&p, 1, i, 112 + 50 * i, order[i]);
    world_close(&p.w);
}

/* The same without limit: 9 passes 1. */
Test(post_queue, without_a_limit_nothing_waits_behind)
{
    struct program p = {.cycles = 50};
    open_as(&p,
            "        first: {room: {value: not-modelled, source: t}}\n"
            "        q: {room: {value: not-modelled, source: t}}\n",
            plain, (struct htmt_options){.mode = HTMT_MODEL}, "q", "first");
    order(&p, 0, (struct order){.to = 1, .count = 3});
    order(&p, 2, (struct order){.to = 1, .count = 1, .after = 30, .other = true, .what = 9});
    world_run(&p.w);
    const uint64_t order[] = {0, 9, 1, 2};
    for (uint32_t i = 0; i < 4; i++)
        expect(&p, 1, i, 112 + 50 * i, order[i]);
    world_close(&p.w);
}

/* A limit that is never met changes no instant. */
Test(post_queue, a_limit_that_is_not_met_changes_nothing)
{
    htmt_time ends[2];
    for (int limited = 0; limited < 2; limited++)
        for (int inside = 0; inside < 2; inside++) {
            struct program p = {.cycles = 30};
            open(&p,
                 limited ? "        q: {room: {value: 50, source: t}}\n"
                         : "        q: {room: {value: not-modelled, source: t}}\n",
                 inside ? ring : plain);
            for (uint32_t i = 0; i < SLICES; i++)
                for (uint32_t k = 1; k < SLICES; k++)
                    order(&p, i, (struct order){.to = (i + k) % SLICES, .count = 4, .what = 4 * i});
            const htmt_time end = world_run(&p.w);
            cr_assert(!limited || end == ends[inside]);
            ends[inside] = end;
            world_close(&p.w);
        }
}

/* `wanted` takes 4 ns, controls 50. Post 10 is served at 112: until 166; from then on at least 5 is
 * wanted. Post 3 comes at 124 and waits: there was room. Post 7 comes at 136 and asks for room: it
 * is wanted, 3 is not, and goes. Asking took 8 ns, which the next service has before its own
 * question: 7 is served from 166 to 166 + 8 + 4 + 50. */
Test(post_queue, when_room_is_short_those_that_wait_are_asked)
{
    struct program p = {.cycles = 50, .next_least = 5};
    open(&p, ONE, plain);
    order(&p, 0, (struct order){.to = 1, .count = 1, .what = 10});
    order(&p, 0, (struct order){.to = 1, .count = 1, .what = 3});
    order(&p, 0, (struct order){.to = 1, .count = 1, .what = 7});
    world_run(&p.w);
    expect(&p, 1, 0, 112, 10);
    expect(&p, 1, 1, 166, 7);
    cr_assert_eq(htmt_predicted(p.w.e), 228 * NS);
    struct htmt_posts posts = htmt_posts_init();
    cr_assert_eq(htmt_posts_of(p.one, &posts), 0);
    cr_assert_eq(posts.served, 2);
    cr_assert_eq(posts.unwanted, 1);
    cr_assert_eq(posts.most, 1);
    world_close(&p.w);
}

/* What follows a held post is not posts alone. Slice 1 serves a post of 1,000 ns from the begin,
 * and another one waits; one of slice 0 comes at 112 and holds the channel. A signal of slice 2,
 * for a fiber of slice 1, would be in at 116, and the fiber be the next one at 1,000. It stands
 * behind, and is in at 1,001: the fiber is served after the post that waited, at 2,000. */
static htmt_time signalled;
static struct htmt_slot told;
CONTROL(await_signal, htmt_slot_set(c, 1, 1, 0))
CONTROL(note_signal, signalled = htmt_began(c); htmt_retire(c, htmt_self(c)))
CONTROL(send_signal, htmt_charge(c, HTMT_CYCLE, 5); htmt_signal(c, told))

Test(post_queue, signals_wait_behind_a_held_post)
{
    struct program p = {.cycles = 1000};
    const struct htmt_stage fiber = {.control = note_signal};
    open(&p, ONE, plain);
    struct htmt_type *waiter = TYPE(&p.w, .name = "waiter", .home = "cram", .exec = "cram",
                                    .execute.control = await_signal, .fibers = &fiber,
                                    .fiber_count = 1, .gates = HTMT_GATE(HTMT_RETIRE));
    struct htmt_type *sender = TYPE(&p.w, .name = "sender", .home = "cram", .exec = "cram",
                                    .execute.control = send_signal);
    struct htmt_ref ref;
    const struct htmt_parcel_desc d = {.type = waiter, .slice = 1};
    cr_assert_eq(htmt_assemble(htmt_root(p.w.e), &d, &ref), 0);
    told = htmt_slot_of(ref, 1);
    START(&p.w, .type = sender, .slice = 2);
    for (uint64_t i = 0; i < 2; i++)
        cr_assert_eq(htmt_post(htmt_root(p.w.e), p.one, 1, &i), 0);
    order(&p, 0, (struct order){.to = 1, .count = 1, .what = 2});
    world_run(&p.w);
    cr_assert_eq(signalled, 2000 * NS, "%g ns", (double)signalled / NS);
    expect(&p, 1, 0, 0, 0);
    expect(&p, 1, 1, 1000, 1);
    expect(&p, 1, 2, 2000, 2);
    world_close(&p.w);
}

/* ---- generators ------------------------------------------------------------------------------ */

/* Slice 0 serves a post of 10,000 ns from the begin. Slice 1 makes messages at 0, 1,600, and so on,
 * each there 4,600 ns later. The first waits, the second holds the channel from 6,200 on, which
 * slice 1 knows at 7,200; it has made five. At 10,000 there is room: slice 1 knows at 11,000, and
 * makes the sixth. At that instant the third has come to hold the channel: that news is there at
 * 11,000, too, behind. */
Test(post_queue, a_full_queue_keeps_a_generator_from_making_more)
{
    struct program p = {.cycles = 10000};
    open(&p, ONE, ring);
    cr_assert_eq(htmt_post(htmt_root(p.w.e), p.one, 0, &(uint64_t){99}), 0);
    post_fan(&p, 1, (struct order){.to = 0, .count = 6});
    world_run(&p.w);
    const double made[] = {0, 1600, 3200, 4800, 6400, 11000};
    for (uint32_t i = 0; i < 6; i++) {
        expect(&p, 1, i, made[i], 1000 + i);
        expect(&p, 0, i + 1, 10000 * (i + 1), i);
    }
    world_close(&p.w);
}

/* Room for one and one more of the own slice. Messages 0 and 1 are in the queue, 2 is made and
 * waits; the generator has the only processor. */
Test(post_queue, a_generator_that_fills_its_own_queue_is_a_circle)
{
    struct program p = {.cycles = 50};
    open(&p, "        q: {room: {value: 1, source: t}, own: {value: 1, source: t}}\n", plain);
    post_fan(&p, 2, (struct order){.to = 2, .count = 4});
    cr_assert_eq(htmt_emulator_run(p.w.e), HTMT_EDEADLOCK);
    expect_text(&p, "full queues of posts wait for each other in a circle: layer cram, slice 2 -> "
                    "2 (at 0 s)");
    char *text = world_deadlock(p.w.e);
    cr_assert(strstr(text, "waits for room in a queue of posts"), "%s", text);
    free(text);
    world_close(&p.w);
}

/* With `overlap` the generator gives its processor up when 2 finds no room, at 0. As 0 comes it
 * leaves room, so 2 leaves, too, and 3 is made and finds none. Then 0 is served until 50. When 1
 * leaves the queue, 3 has room, and the generator is over. */
Test(post_queue, overlap_lets_others_run_while_a_generator_waits)
{
    struct program p = {.cycles = 50};
    open(&p, "        q: {room: {value: 1, source: t}, own: {value: 1, source: t}}\n" LATER, plain);
    post_fan(&p, 2, (struct order){.to = 2, .count = 4});
    world_run(&p.w);
    for (uint32_t i = 0; i < 4; i++) {
        expect(&p, 2, i, 0, 1000 + i);
        expect(&p, 2, 4 + i, 50 * i, i);
    }
    cr_assert_eq(htmt_predicted(p.w.e), 200 * NS);
    world_close(&p.w);
}

static void cross_by(struct program *p, const char *queues, const char *network, uint32_t slices,
                     struct htmt_options o)
{
    *p = (struct program){.cycles = 5};
    open_as(p, queues, network, o, "q", "q");
    for (uint32_t i = 0; i < slices; i++)
        post_fan(p, i, (struct order){.to = (i + 1) % slices, .count = 60});
}

static void cross(struct program *p, const char *queues, const char *network, uint32_t slices)
{
    cross_by(p, queues, network, slices, (struct htmt_options){.mode = HTMT_MODEL});
}

/* Each slice sends to the next one, and has its processor until all has left. The second message
 * holds a channel, whose sender hears of that and waits. Nobody serves. */
Test(post_queue, a_circle_of_full_queues_is_named)
{
    for (int inside = 0; inside < 2; inside++)
        for (uint32_t slices = 2; slices <= 4; slices++) {
            struct program p;
            cross(&p, ONE, inside ? ring : plain, slices);
            cr_assert_eq(htmt_emulator_run(p.w.e), HTMT_EDEADLOCK);
            char expected[100] = "in a circle: layer cram, slice 0";
            for (uint32_t i = 1; i <= slices; i++)
                sprintf(expected + strlen(expected), " -> %u", i % slices);
            strcat(expected, " (at");
            expect_text(&p, expected);
            world_close(&p.w);
        }
}

static int cross_rank(const struct htmt_ranks *rank, void *network)
{
    struct program p;
    cross_by(&p, ONE, network, SLICES, (struct htmt_options){.mode = HTMT_MODEL, .ranks = rank});
    int rc = htmt_emulator_run(p.w.e);
    if (rc == HTMT_EDEADLOCK &&
        strstr(htmt_emulator_fault(p.w.e)->text, "layer cram, slice 0 -> 1 -> 2 -> 3 -> 0 (at"))
        rc = 0;
    world_close(&p.w);
    return rc;
}

/* Each rank knows its own slices, and names the same circle. */
Test(post_queue, a_circle_through_several_ranks_is_named)
{
    for (int inside = 0; inside < 2; inside++)
        for (uint32_t count = 2; count <= 4; count++) {
            int rc[4] = {0};
            cr_assert_eq(ranks_threads_play(count, cross_rank, (void *)(inside ? ring : plain), rc),
                         0);
            for (uint32_t i = 0; i < count; i++)
                cr_assert_eq(rc[i], 0, "rank %u of %u: %s", i, count, htmt_err_name(rc[i]));
        }
}

/* The same where others run meanwhile: all is served, in the order of the pair. */
Test(post_queue, with_overlap_the_circle_does_not_close)
{
    for (int inside = 0; inside < 2; inside++)
        for (uint32_t slices = 2; slices <= 4; slices++) {
            struct program p;
            cross(&p, ONE LATER, inside ? ring : plain, slices);
            world_run(&p.w);
            for (uint32_t s = 0; s < slices; s++) {
                uint64_t next = 0, made = 1000;
                for (uint32_t i = 0; i < p.notes[s].count; i++) {
                    const uint64_t what = p.notes[s].at[i].what;
                    cr_assert_eq(what, what < 1000 ? next : made);
                    next += what < 1000;
                    made += what >= 1000;
                }
                cr_assert_eq(next, 60);
                cr_assert_eq(made, 1060);
            }
            struct htmt_posts posts = htmt_posts_init();
            cr_assert_eq(htmt_posts_of(p.one, &posts), 0);
            cr_assert_leq(posts.most, 1);
            world_close(&p.w);
        }
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* One is served, one waits. */
Test(post_queue, the_host_posts_no_more_than_the_queue_holds)
{
    struct program p = {.cycles = 5};
    open(&p, ONE, plain);
    for (uint64_t i = 0; i < 2; i++)
        cr_assert_eq(htmt_post(htmt_root(p.w.e), p.one, 1, &i), 0);
    cr_assert_eq(htmt_post(htmt_root(p.w.e), p.one, 1, &(uint64_t){2}), HTMT_ECAPACITY);
    expect_text(&p, "slice 1: queue q of layer cram is full of 1 posts, and one more of type one "
                    "comes from the host");
    world_close(&p.w);
}

Test(post_queue, a_control_that_fills_its_own_queue_ends_the_run)
{
    struct program p = {.cycles = 5};
    open(&p, ONE, plain);
    order(&p, 3, (struct order){.to = 3, .count = 3});
    cr_assert_eq(htmt_emulator_run(p.w.e), HTMT_ECAPACITY);
    expect_text(&p, "which cannot wait: htmt_each() does");
    world_close(&p.w);
}

Test(post_queue, inputs_without_limit_are_refused)
{
    char text[sizeof plain + 100];
    struct program p = {.cycles = 5};
    strcpy(text, plain);
    *strstr(text, "        in: ") = '\0';
    strcat(text, "        in: {value: not-modelled, source: t}\n"
                 "        in-rate: {value: not-modelled, source: t}\n");
    open(&p, ONE, text);
    cr_assert_eq(htmt_emulator_run(p.w.e), HTMT_EINVAL);
    expect_text(&p, "queue q of layer cram has room for 1 posts, and network net, whose in "
                    "channels have no limit, brings them: nothing keeps them out");
    world_close(&p.w);
    /* With partitions and bytes that never begin. */
    open_as(&p, ONE, text,
            (struct htmt_options){.mode = HTMT_RUN, .threads = 1, .clock = HTMT_CLOCK_WINDOWS}, "q",
            "q");
    cr_assert_eq(htmt_emulator_run(p.w.e), HTMT_EINVAL);
    world_close(&p.w);
}

/* A service on such a processor is put off by packets; one that left it could not be. */
Test(post_queue, overlap_where_processors_route_is_refused)
{
    char text[sizeof ring];
    struct program p = {.cycles = 5};
    with(text, sizeof text, ring, "router: none", "router: cram");
    open(&p, ONE LATER, text);
    cr_assert_eq(htmt_emulator_run(p.w.e), HTMT_EINVAL);
    expect_text(&p, "layer cram: found overlap in its queues, expected none where its processors "
                    "route packets");
    world_close(&p.w);
}

/* ---- quiet by answers ------------------------------------------------------------------------ */

static htmt_time quiet_at[SLICES];
CONTROL(note_quiet, quiet_at[htmt_slice(c)] = htmt_began(c))

static void open_acked(struct program *p, enum htmt_quiet_by by, const char *queues)
{
    *p = (struct program){.cycles = 50};
    open_as(p, queues, plain, (struct htmt_options){.mode = HTMT_MODEL, .quiet_by = by}, "q", "q");
    cr_assert_eq(htmt_quiet(p->w.e, note_quiet, NULL), 0);
}

static void expect_quiet(struct program *p, double ns)
{
    world_run(&p->w);
    for (uint32_t i = 0; i < SLICES; i++)
        cr_assert_eq(quiet_at[i], (htmt_time)(ns * NS), "%g ns", (double)quiet_at[i] / NS);
    world_close(&p->w);
}

/* A generator of slice 0 makes one message at 0: it is in slice 1 at 112, and its control takes 50.
 * For free, all is quiet at 162. Else slice 1 answers then: 162 + 10 + 1 + 100. Of two messages,
 * the second leaves at 12, and comes to a slice that has a parent: it is answered at 124, and that
 * is there at 235. Both are served at 212; the answer of the first is there at 323. */
Test(post_queue, an_answer_comes_at_once_or_when_all_is_over)
{
    static const double ends[2][2] = {{162, 212}, {273, 323}};
    for (int by = HTMT_QUIET_FREE; by <= HTMT_QUIET_ACKS; by++)
        for (uint32_t count = 1; count <= 2; count++) {
            struct program p;
            open_acked(&p, by, "        q: {room: {value: not-modelled, source: t}}\n");
            post_fan(&p, 0, (struct order){.to = 1, .count = count});
            expect_quiet(&p, ends[by][count - 1]);
        }
}

/* The answers are charged where no control of htmt_quiet() waits for them, too. */
Test(post_queue, a_run_by_answers_ends_with_the_last_one)
{
    struct program p = {.cycles = 50};
    open_as(&p, "        q: {room: {value: not-modelled, source: t}}\n", plain,
            (struct htmt_options){.mode = HTMT_MODEL, .quiet_by = HTMT_QUIET_ACKS}, "q", "q");
    post_fan(&p, 0, (struct order){.to = 1, .count = 1});
    world_run(&p.w);
    cr_assert_eq(htmt_predicted(p.w.e), 273 * NS);
    world_close(&p.w);
}

/* Slice 1 passes on what comes from slice 0, at 112, to slice 2, which has it at 224, serves it
 * until 274, and answers its parent, slice 1: 385. Then slice 1 has nothing left: 496. */
CONTROL(pass_on, htmt_post(c, ((struct program *)htmt_user(c))->one, 2, htmt_args(c)))
CONTROL(begin_pass, htmt_post(c, ((struct program *)htmt_user(c))->other, 1, &(uint64_t){3}))

Test(post_queue, a_parent_is_answered_when_the_child_of_the_child_is_over)
{
    struct program p;
    open_acked(&p, HTMT_QUIET_ACKS, "        q: {room: {value: not-modelled, source: t}}\n");
    p.other = type(&p, "pass", pass_on, 8, "q");
    struct htmt_type *begin = type(&p, "begin", begin_pass, 0, "q");
    cr_assert_eq(htmt_post(htmt_root(p.w.e), begin, 0, NULL), 0);
    expect_quiet(&p, 496);
}

/* Room for one. Slice 0 makes messages at 0, 12 and 24; the third holds the channel of slice 1 from
 * 136 to 162. Slice 1 itself has sent one to slice 2 at 0, whose answer is there at
 * 112 + 50 + 10 + 1 + 100 = 273, not held up; the three are over at 262, and slice 1 was a root, so
 * it answered each as it came: 112, 124, 162. The last of all answers is that of 162, at 273, too.
 */
Test(post_queue, answers_do_not_wait_behind_a_held_post)
{
    struct program p;
    open_acked(&p, HTMT_QUIET_ACKS, ONE);
    post_fan(&p, 0, (struct order){.to = 1, .count = 3});
    post_fan(&p, 1, (struct order){.to = 2, .count = 1});
    expect_quiet(&p, 273);
}

/* ---- the same, whoever plays it ---------------------------------------------------------------
 */

/* Each post makes up to four others, at random, one by one or at once, until it has come far. */
static bool by_acks,
    quick; /* quick: news is sooner there than any packet, and rooms inside have no limit */

static void open_crowd(struct crowd *f, bool inside, struct htmt_options o)
{
    o.quiet_by = by_acks ? HTMT_QUIET_ACKS : HTMT_QUIET_FREE;
    char without[sizeof ring + 8], text[sizeof ring + 8];
    with(without, sizeof without, ring, "buffer: {value: 1 packet", "buffer: {value: not-modelled");
    with(text, sizeof text, without, "control: {value: 1 us", "control: {value: 9 ns");
    *f = (struct crowd){.cycles = inside ? 4000 : 60};
    o.machine = f->w.m = machine("        q: {room: {value: 2, source: t}}\n"
                                 "        stage: {value: 3 ns, source: t}\n" LATER,
                                 !inside ? plain
                                 : quick ? text
                                         : ring);
    crowd_begin(f, &o);
}

Test(post_queue, run_and_model_threads_and_windows_play_the_same)
{
    for (int inside = 0; inside < 6; inside += only_memory() ? 3 : 1) {
        struct crowd one;
        struct htmt_fault fault = {0};
        by_acks = inside / 2 == 1;
        quick = inside > 3;
        open_crowd(&one, inside % 2, (struct htmt_options){.mode = HTMT_MODEL});
        world_run(&one.w);
        cr_assert_eq(htmt_audit(one.w.e, &fault), 0, "%s", fault.text);
        cr_assert_eq(htmt_section_count(one.w.e), 3);
        cr_assert_eq(one.quiet, by_acks ? SLICES : 0);
        struct htmt_posts posts = htmt_posts_init();
        cr_assert_eq(htmt_posts_of(one.step, &posts), 0);
        cr_assert_gt(posts.served, 100);
        cr_assert_eq(posts.most, 2);
        cr_assert_eq(posts.served + posts.unwanted, posts.posted);
        crowd_plays_the_same(&one, open_crowd, inside % 2);
        world_close(&one.w);
    }
}

Test(post_queue, ranks_play_the_same)
{
    for (int inside = 0; inside < 4; inside += only_memory() ? 3 : 1) {
        struct crowd one;
        by_acks = inside > 1;
        open_crowd(&one, inside % 2, (struct htmt_options){.mode = HTMT_MODEL});
        world_run(&one.w);
        crowd_plays_the_same_in_ranks(&one, open_crowd, inside % 2);
        world_close(&one.w);
    }
}
