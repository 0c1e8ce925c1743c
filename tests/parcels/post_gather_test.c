/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Posts that leave together: when, with how many words, in which order, by hand; in the way of full
 * queues and of answers; and the same whoever plays it.
 */
#include "tests/parcels/crowd.h"
#include "tests/runtime/share.h"

#define NOTES 400u

/* The same with two channels each way. */
static const char doubled[] = "    startup: {value: 10 ns, source: t}\n"
                              "    latency: {value: 100 ns, source: t}\n    ports:\n      cram:\n"
                              "        out: {value: 2, source: t}\n"
                              "        out-rate: {value: 1 Gword/s, source: t}\n"
                              "        in: {value: 2, source: t}\n"
                              "        in-rate: {value: 1 Gword/s, source: t}\n";

#define NO_QUEUES ""
#define TWO_QUEUES                                                                                 \
    "      queues:\n        first: {room: {value: not-modelled, source: t}}\n"                     \
    "        q: {room: {value: 1, source: t}}\n"

/* Of the layer: aggregate, and queues. */
static int parse(struct htmt_machine **m, const char *aggregate, const char *queues,
                 const char *network, struct htmt_fault *fault)
{
    static const char format[] =
        "htmt-machine: 1\nabout: made up for a test\nslices: {value: 4, source: t}\nlayers:\n"
        "  cram:\n    processor:\n      name: CPU\n      count: {value: 1, source: t}\n"
        "      clock: {value: 1 GHz, source: t}\n      flop: {value: 1 cycle, source: t}\n"
        "      iop: {value: 1 cycle, source: t}\n      load: {value: 1 cycle, source: t}\n"
        "      store: {value: 1 cycle, source: t}\n      lambda: {value: 0, source: t}\n"
        "%s%s    memory:\n      name: RAM\n"
        "      capacity: {value: 1000 words, source: t}\n"
        "      reserve: {value: 0 words, source: t}\n      access-words: {value: 1, source: t}\n"
        "      access: {value: not-modelled, source: t}\n"
        "      ports: {value: not-modelled, source: t}\n"
        "networks:\n  net:\n    scope: machine\n%s";
    char text[sizeof format + sizeof ring + 600];
    snprintf(text, sizeof text, format, queues, aggregate, network);
    return htmt_machine_parse("gather", text, m, fault);
}

#define AGGREGATE(bytes, wait)                                                                     \
    "      aggregate: {bytes: {value: " bytes ", source: t}, wait: {value: " wait ", source: "     \
    "t}}\n"

/* ---- a program that notes what it served -------------------------------------------------------
 */

struct pair {
    uint64_t what;
    char more[8];
};

struct program {
    struct world w;
    struct htmt_type *one, *other, *empty, *fan, *starter;
    uint64_t cycles;                 /* of each control that notes */
    struct htmt_aggregate aggregate; /* of `one` */
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
    struct program *p = (struct program *)htmt_user(c);
    struct notes *n = &p->notes[htmt_slice(c)];
    cr_assert_lt(n->count, NOTES);
    n->at[n->count++] = (struct note){htmt_began(c), what};
}

CONTROL(serve, note(c, ((struct pair *)htmt_args(c))->what);
        htmt_charge(c, HTMT_CYCLE, ((struct program *)htmt_user(c))->cycles))
CONTROL(serve_empty, note(c, 77))

/* After a while so many posts of 16 bytes to a slice, at once or one by one; `others`: so many of
 * them, the last ones, are of the other type; `empties`: so many more without arguments. */
struct order {
    uint32_t to, count, after, others, empties;
    uint64_t what;
};

static void post_next(struct htmt_context *c, const struct order *o, uint64_t i)
{
    const struct program *p = htmt_user(c);
    htmt_post(c, i >= o->count - o->others ? p->other : p->one, o->to,
              &(struct pair){.what = o->what + i});
}

static void order_next(struct htmt_context *c, uint64_t i)
{
    post_next(c, htmt_args(c), i);
}

CONTROL(fan, htmt_each(c, ((struct order *)htmt_args(c))->count, order_next))

static void start(struct htmt_context *c)
{
    const struct order *o = htmt_args(c);
    htmt_charge(c, HTMT_CYCLE, o->after);
    for (uint32_t i = 0; i < o->count; i++)
        post_next(c, o, i);
    for (uint32_t i = 0; i < o->empties; i++)
        htmt_post(c, ((const struct program *)htmt_user(c))->empty, o->to, NULL);
}

static struct htmt_type *type(struct program *p, const char *name, htmt_control_fn *control,
                              uint64_t bytes, const char *queue, struct htmt_aggregate aggregate)
{
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = name;
    d.home = d.exec = "cram";
    d.execute.control = control;
    d.args_bytes = bytes;
    d.user = p;
    d.queue = queue;
    d.aggregate = aggregate;
    return world_type(&p->w, d);
}

static void open_as(struct program *p, const char *aggregate, const char *queues,
                    const char *network, struct htmt_options o)
{
    const struct htmt_aggregate none = {0};
    struct htmt_fault fault = {0};
    cr_assert_eq(parse(&p->w.m, aggregate, queues, network, &fault), 0, "%s", fault.text);
    o.machine = p->w.m;
    cr_assert_eq(htmt_emulator_create(&p->w.e, &o, &fault), 0, "%s", fault.text);
    p->one = type(p, "one", serve, sizeof(struct pair), "q", p->aggregate);
    p->other = type(p, "other", serve, sizeof(struct pair), "first", none);
    p->empty = type(p, "empty", serve_empty, 0, "q", none);
    p->fan = type(p, "fan", fan, sizeof(struct order), "q", none);
    p->starter = type(p, "starter", start, sizeof(struct order), NULL, none);
}

static void open(struct program *p, const char *aggregate)
{
    open_as(p, aggregate, NO_QUEUES, plain, (struct htmt_options){.mode = HTMT_MODEL});
}

static void order(struct program *p, uint32_t from, struct order o)
{
    START(&p->w, .type = p->starter, .slice = from, .args = &o);
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

/* The words that have left, over all slices. */
static uint64_t words_sent(const struct program *p)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < htmt_phase_count(p->w.e); i++) {
        struct htmt_phase_report r;
        htmt_phase_at(p->w.e, i, &r);
        words += r.stage == HTMT_PUT ? (uint64_t)r.words : 0;
    }
    return words;
}

/* ---- when, and how many words ------------------------------------------------------------------
 */

/* Ten posts of 16 bytes at 0, for one slice. Each by itself is a word of 8 bytes and two of
 * arguments: 30 words are 240 bytes. Together they are 1 + 20 words, 168 bytes. They leave at
 * 1,000: 10 ns of start-up, 100 of latency, and 21 words into the slice: there at 1,131. */
Test(post_gather, ten_posts_of_16_bytes_leave_as_168_bytes_in_place_of_240)
{
    for (int together = 0; together < 2; together++) {
        struct program p = {.cycles = 5};
        open(&p, together ? AGGREGATE("256 B", "1 us") : "");
        order(&p, 0, (struct order){.to = 1, .count = 10});
        world_run(&p.w);
        cr_assert_eq(p.notes[1].count, 10);
        for (uint32_t i = 0; i < 10; i++)
            expect(&p, 1, i, together ? 1131 + 5 * i : 113 + 13 * i, i);
        cr_assert_eq(8 * words_sent(&p), together ? 168 : 240);
        struct htmt_posts posts = htmt_posts_init();
        cr_assert_eq(htmt_posts_of(p.one, &posts), 0);
        cr_assert_eq(posts.posted, 10);
        cr_assert_eq(posts.served, 10);
        world_close(&p.w);
    }
}

/* Four of 16 bytes are 64: they leave at once. 9 words each: the first four hold the port from 0 to
 * 19, the next from 19 to 38; heads come at 110 and 129, last words at 119 and 138. The other two
 * leave at 1,000, 5 words: 1,115. Controls take 5 ns. */
Test(post_gather, what_is_full_leaves_at_once_and_the_rest_when_the_oldest_has_waited)
{
    struct program p = {.cycles = 5};
    open(&p, AGGREGATE("64 B", "1 us"));
    order(&p, 0, (struct order){.to = 1, .count = 10});
    world_run(&p.w);
    for (uint32_t i = 0; i < 10; i++)
        expect(&p, 1, i, i < 4 ? 119 + 5 * i : i < 8 ? 139 + 5 * (i - 4) : 1115 + 5 * (i - 8), i);
    cr_assert_eq(words_sent(&p), 9 + 9 + 5);
    cr_assert_eq(htmt_predicted(p.w.e), 1125 * NS);
    world_close(&p.w);
}

/* One at 0, one at 500: both leave at 1,000, since the oldest counts: 5 words. One at 1,100 leaves
 * at 2,100. Had the third come at 900, it would have gone at 1,000, too. */
Test(post_gather, the_oldest_counts)
{
    struct program p = {.cycles = 5};
    open(&p, AGGREGATE("256 B", "1 us"));
    order(&p, 0, (struct order){.to = 1, .count = 1, .what = 1});
    order(&p, 0, (struct order){.to = 1, .count = 1, .what = 2, .after = 500});
    order(&p, 0, (struct order){.to = 1, .count = 1, .what = 3, .after = 600});
    world_run(&p.w);
    expect(&p, 1, 0, 1115, 1);
    expect(&p, 1, 1, 1120, 2);
    expect(&p, 1, 2, 2213, 3);
    world_close(&p.w);
}

/* Two of 16 bytes are full at 0: 5 words, there at 115, served until 125. That they might have
 * waited for a second is no event: the run ends at 125. */
Test(post_gather, what_left_sooner_makes_no_run_longer)
{
    struct program p = {.cycles = 5};
    open(&p, AGGREGATE("32 B", "1 s"));
    order(&p, 0, (struct order){.to = 1, .count = 2});
    world_run(&p.w);
    cr_assert_eq(htmt_predicted(p.w.e), 125 * NS);
    world_close(&p.w);
}

/* Those of one instant leave at that instant. One of 16 bytes is more than 8, and goes alone. */
Test(post_gather, without_a_wait_those_of_one_instant_go_and_what_is_too_large_goes_alone)
{
    struct program p = {.cycles = 0};
    open(&p, AGGREGATE("1 KiB", "0 s"));
    order(&p, 0, (struct order){.to = 1, .count = 3});
    world_run(&p.w);
    for (uint32_t i = 0; i < 3; i++)
        expect(&p, 1, i, 117, i);
    world_close(&p.w);
    p = (struct program){.cycles = 0};
    open(&p, AGGREGATE("8 B", "1 us"));
    order(&p, 0, (struct order){.to = 1, .count = 2});
    world_run(&p.w);
    expect(&p, 1, 0, 113, 0);
    expect(&p, 1, 1, 126, 1);
    world_close(&p.w);
}

/* Each target has a message of its own; so have the own slice's posts none, and wait for nothing.
 * Posts without arguments are in the header alone: three of them are a word. */
Test(post_gather, each_target_by_itself_and_the_own_slice_at_once)
{
    struct program p = {.cycles = 0};
    open(&p, AGGREGATE("256 B", "1 us"));
    order(&p, 0, (struct order){.to = 1, .count = 1, .what = 1});
    order(&p, 0, (struct order){.to = 2, .empties = 3});
    order(&p, 0, (struct order){.to = 0, .count = 1, .what = 5});
    world_run(&p.w);
    expect(&p, 0, 0, 0, 5);
    expect(&p, 1, 0, 1113, 1); /* 1,000 + 10 + 100 + 3 */
    for (uint32_t i = 0; i < 3; i++)
        expect(&p, 2, i, 1124, 77); /* leaves at 1,013 */
    cr_assert_eq(words_sent(&p), 3 + 1);
    world_close(&p.w);
}

/* Only `one` is gathered, by its type. Two of it wait when one of `other` comes, at 0, too. They
 * leave before it: 5 words until 15, 3 until 28. */
Test(post_gather, a_post_that_is_not_gathered_takes_along_what_waits_for_its_target)
{
    struct program p = {.cycles = 0, .aggregate = {.bytes = 256, .wait = 1000 * NS}};
    open(&p, "");
    order(&p, 0, (struct order){.to = 1, .count = 3, .others = 1});
    order(&p, 0, (struct order){.to = 1, .count = 1, .what = 9});
    world_run(&p.w);
    expect(&p, 1, 0, 115, 0);
    expect(&p, 1, 1, 115, 1);
    expect(&p, 1, 2, 128, 2);
    expect(&p, 1, 3, 1113, 9);
    world_close(&p.w);
}

/* Four posts of 16 bytes are full at 0, 9 words; the fifth leaves at 0, too, since nothing waits: 3
 * words. Over one channel the second message begins behind the first, at 19, and is there at 132.
 * Over two it begins at 0: its post is there at 113, before the four at 119. Likewise a post
 * without arguments, 1 word, is there at 111, before one of 3 words at 113 that was posted first.
 */
Test(post_gather, over_two_channels_what_is_shorter_passes_what_is_longer)
{
    for (int two = 0; two < 2; two++) {
        struct program p = {.cycles = 0};
        open_as(&p, AGGREGATE("64 B", "0 s"), NO_QUEUES, two ? doubled : plain,
                (struct htmt_options){.mode = HTMT_MODEL});
        order(&p, 0, (struct order){.to = 1, .count = 5});
        world_run(&p.w);
        expect(&p, 1, two ? 0 : 4, two ? 113 : 132, 4);
        for (uint32_t i = 0; i < 4; i++)
            expect(&p, 1, i + (uint32_t)two, 119, i);
        world_close(&p.w);

        p = (struct program){.cycles = 0};
        open_as(&p, "", NO_QUEUES, two ? doubled : plain,
                (struct htmt_options){.mode = HTMT_MODEL});
        order(&p, 0, (struct order){.to = 1, .count = 1, .empties = 1, .what = 5});
        world_run(&p.w);
        expect(&p, 1, two ? 1 : 0, 113, 5);
        expect(&p, 1, two ? 0 : 1, two ? 111 : 124, 77);
        world_close(&p.w);
    }
}

/* A type has figures of its own: 32 bytes in place of the layer's 256. */
Test(post_gather, a_type_says_more_than_its_layer)
{
    struct program p = {.cycles = 0, .aggregate = {.bytes = 32, .wait = 500 * NS}};
    open(&p, AGGREGATE("256 B", "1 us"));
    order(&p, 0, (struct order){.to = 1, .count = 3});
    order(&p, 0, (struct order){.to = 2, .count = 1, .others = 1, .what = 9});
    world_run(&p.w);
    expect(&p, 1, 0, 115, 0);
    expect(&p, 1, 1, 115, 1);
    expect(&p, 1, 2, 613, 2);
    expect(&p, 2, 0, 1113, 9);
    world_close(&p.w);
}

/* A generator's four messages take no time while they are held back: the port stays free. */
Test(post_gather, messages_of_generators_are_gathered)
{
    struct program p = {.cycles = 0, .aggregate = {.bytes = 64, .wait = 1000 * NS}};
    open(&p, "");
    cr_assert_eq(htmt_post(htmt_root(p.w.e), p.fan, 0, &(struct order){.to = 1, .count = 5}), 0);
    world_run(&p.w);
    for (uint32_t i = 0; i < 4; i++)
        expect(&p, 1, i, 119, i);
    expect(&p, 1, 4, 1132, 4); /* made at 19, when the port is free again; leaves at 1,019 */
    world_close(&p.w);
}

/* ---- full queues, answers ----------------------------------------------------------------------
 */

/* Four of `one` come together at 119, to a queue with room for one; controls of 50 ns. The first is
 * served until 169, the second waits, the third keeps the message in its channel. At 169 it has
 * room, and the fourth keeps it until 219. Post 9 of slice 2, for the queue without limit that is
 * served first, is there at 140, stands behind it, and is in at 222. It is next at 269. */
Test(post_gather, a_message_holds_its_channel_until_all_its_posts_have_room)
{
    struct program p = {.cycles = 50, .aggregate = {.bytes = 64, .wait = 1000 * NS}};
    open_as(&p, "", TWO_QUEUES, plain, (struct htmt_options){.mode = HTMT_MODEL});
    order(&p, 0, (struct order){.to = 1, .count = 4});
    order(&p, 2, (struct order){.to = 1, .count = 1, .others = 1, .after = 30, .what = 9});
    world_run(&p.w);
    const uint64_t order[] = {0, 1, 2, 9, 3};
    for (uint32_t i = 0; i < 5; i++)
        expect(&p, 1, i, 119 + 50 * i, order[i]);
    world_close(&p.w);
}

static htmt_time quiet_at[SLICES];
CONTROL(note_quiet, quiet_at[htmt_slice(c)] = htmt_began(c))

/* Two posts of a generator leave at 50, together: there at 50 + 10 + 100 + 5 = 165, served until
 * 265. For free, all is quiet then: not before, though nothing was under way between 0 and 50. By
 * answers slice 1 is the child of slice 0, and answers both at once: 265 + 10 + 1 + 100. */
Test(post_gather, nothing_is_quiet_while_a_post_is_held_back)
{
    for (unsigned char by = HTMT_QUIET_FREE; by <= HTMT_QUIET_ACKS; by++) {
        struct program p = {.cycles = 50};
        open_as(&p, AGGREGATE("256 B", "50 ns"), NO_QUEUES, plain,
                (struct htmt_options){.mode = HTMT_MODEL, .quiet_by = by});
        cr_assert_eq(htmt_quiet(p.w.e, note_quiet, NULL), 0);
        cr_assert_eq(htmt_post(htmt_root(p.w.e), p.fan, 0, &(struct order){.to = 1, .count = 2}),
                     0);
        world_run(&p.w);
        for (uint32_t i = 0; i < SLICES; i++)
            cr_assert_eq(quiet_at[i], (by ? 376 : 265) * NS, "%g ns", (double)quiet_at[i] / NS);
        cr_assert_eq(words_sent(&p), by ? 5 + 1 : 5);
        world_close(&p.w);
    }
}

/* ---- bad figures -------------------------------------------------------------------------------
 */

Test(post_gather, figures_that_cannot_be_are_refused)
{
    static const struct {
        const char *aggregate, *says;
    } bad[] = {
        {AGGREGATE("0 B", "1 us"), "aggregate.bytes"},
        {AGGREGATE("2 MiB", "1 us"), "aggregate.bytes"},
        {AGGREGATE("256 B", "-1 us"), "aggregate.wait"},
        {AGGREGATE("256 ns", "1 us"), "aggregate.bytes"},
        {"      aggregate: {bytes: {value: 256 B, source: t}}\n", "aggregate.wait"},
        {"      aggregate: {wait: {value: 1 us, source: t}}\n", "aggregate.bytes"},
        {"      aggregate: {byte: {value: 256 B, source: t}}\n", "byte"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct htmt_machine *m = NULL;
        struct htmt_fault fault = {0};
        cr_assert_neq(parse(&m, bad[i].aggregate, NO_QUEUES, plain, &fault), 0, "row %zu", i);
        cr_assert(strstr(fault.text, bad[i].says), "row %zu: %s", i, fault.text);
    }
    static const struct htmt_aggregate wrong[] = {
        {.wait = 5}, {.bytes = 8, .wait = -1}, {.bytes = (1u << 20) + 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct program p = {.cycles = 0};
        open(&p, "");
        struct htmt_type_desc d = htmt_type_desc_init();
        struct htmt_type *t = NULL;
        d.name = "wrong";
        d.home = d.exec = "cram";
        d.execute.control = serve_empty;
        d.aggregate = wrong[i];
        cr_assert_eq(htmt_type_create(p.w.e, &d, &t), HTMT_EINVAL);
        cr_assert(strstr(htmt_emulator_fault(p.w.e)->text, "type wrong: aggregate of"), "%s",
                  htmt_emulator_fault(p.w.e)->text);
        world_close(&p.w);
    }
    struct program p = {.cycles = 0};
    open_as(&p, AGGREGATE("8 B", "1 us"), NO_QUEUES, plain,
            (struct htmt_options){.mode = HTMT_MODEL, .slopes = true});
    cr_assert_eq(htmt_emulator_run(p.w.e), HTMT_EINVAL);
    cr_assert(strstr(htmt_emulator_fault(p.w.e)->text, "expected a run without slopes"));
    world_close(&p.w);
}

/* ---- the same, whoever plays it ---------------------------------------------------------------
 */

/* Each post makes up to four others, at random, one by one or at once, until it has come far. */
#define LIMITED                                                                                    \
    "      queues:\n        q: {room: {value: 2, source: t}}\n"                                    \
    "        stage: {value: 3 ns, source: t}\n        overlap: true\n"

static bool by_acks, limited;

static void open_crowd(struct crowd *f, bool inside, struct htmt_options o)
{
    struct htmt_fault fault = {0};
    o.quiet_by = by_acks ? HTMT_QUIET_ACKS : HTMT_QUIET_FREE;
    *f = (struct crowd){.cycles = inside ? 4000 : 60};
    cr_assert_eq(parse(&f->w.m, inside ? AGGREGATE("32 B", "2 us") : AGGREGATE("24 B", "40 ns"),
                       limited ? LIMITED : NO_QUEUES, inside ? ring : plain, &fault),
                 0, "%s", fault.text);
    o.machine = f->w.m;
    crowd_begin(f, &o);
}

Test(post_gather, run_and_model_threads_and_windows_play_the_same)
{
    for (int inside = 0; inside < 8; inside += only_memory() ? 3 : 1) {
        struct crowd one;
        by_acks = inside & 2;
        limited = inside & 4;
        open_crowd(&one, inside % 2, (struct htmt_options){.mode = HTMT_MODEL});
        world_run(&one.w);
        cr_assert_eq(one.quiet, by_acks ? SLICES : 0);
        struct htmt_posts posts = htmt_posts_init();
        cr_assert_eq(htmt_posts_of(one.step, &posts), 0);
        cr_assert_gt(posts.served, 100);
        cr_assert(limited ? posts.most == 2 : posts.most > 2);
        cr_assert_eq(posts.served + posts.unwanted, posts.posted);
        crowd_plays_the_same(&one, open_crowd, inside % 2);
        world_close(&one.w);
    }
}

Test(post_gather, ranks_play_the_same)
{
    for (int inside = 0; inside < 8; inside += only_memory() ? 3 : 1) {
        struct crowd one;
        by_acks = inside & 2;
        limited = inside & 4;
        open_crowd(&one, inside % 2, (struct htmt_options){.mode = HTMT_MODEL});
        world_run(&one.w);
        crowd_plays_the_same_in_ranks(&one, open_crowd, inside % 2);
        world_close(&one.w);
    }
}
