/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Types that say that they send nowhere: where all do, slices are played one after another, and
 * times, histories, reports and failures are those of one order of events. What a wrong word says.
 */
#include "tests/parcels/world.h"
#include "tests/ranks/threads.h"
#include "tests/runtime/share.h"

#define SLICES 9u
#define LIVES  7u
#define TURNS  12u

/* ---- a load without messages ----------------------------------------------------------------- */

struct life {
    struct world_work work;
    uint32_t left, fails_at; /* generations to come; 0: it does not fail */
};

static void again(struct htmt_context *c)
{
    struct life life = *(struct life *)htmt_args(c);
    if (life.fails_at == life.left) {
        htmt_fail(c, HTMT_ESYSTEM, "slice %u gives up", htmt_slice(c));
        return;
    }
    if (!life.left--)
        return;
    life.work.execute = (life.work.execute * 7 + 13) % 50;
    life.work.retire = (life.work.retire * 5 + 3) % 30;
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){.type = *(struct htmt_type *const *)htmt_user(c),
                                             .slice = htmt_slice(c),
                                             .args = &life},
                  NULL);
}

/* How it is played, and what came of it. */
struct way {
    enum htmt_clock clock;
    unsigned threads;
    enum htmt_sends sends;
    enum htmt_mode mode;
    bool observed, checked;
    uint32_t lives;                 /* parcels of a slice; 0: LIVES */
    const struct htmt_ranks *ranks; /* NULL: one process */
};

struct outcome {
    int code;
    htmt_time time;
    uint64_t history, events, heard;
    char line[500];
    struct htmt_clock_report report;
};

static void hear(void *user, const struct htmt_event *event)
{
    uint64_t *heard = user;
    *heard = (*heard ^ (uint64_t)event->time ^ event->serial) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The last slice has no parcel. Slice 2 fails in its generation `late`, slice 5 in `early`. */
static struct outcome play(struct way way, uint32_t early, uint32_t late)
{
    struct world_spec s = world_plain(SLICES);
    struct outcome o = {.heard = 1};
    struct htmt_type *type = NULL;
    s.network[VORTEX].latency_ns = s.network[CNET].latency_ns = 20;
    struct world w = OPEN(&s, .clock = way.clock, .clock_threads = way.threads, .mode = way.mode,
                          .observe = way.observed ? hear : NULL, .user = &o.heard,
                          .checked = way.checked, .ranks = way.ranks);
    struct htmt_type_desc d = world_eight();
    d.size = sizeof d;
    d.retire.control = again;
    d.args_bytes = sizeof(struct life);
    d.user = &type;
    d.sends = way.sends;
    type = world_type(&w, d);
    for (uint32_t i = 0; i + 1 < SLICES; i++)
        for (uint32_t n = 0; n < (way.lives ? way.lives : LIVES); n++) {
            struct life life = {{n % 3, i, 5 + n, 7, 1 + n % 2}, TURNS, TURNS + 1};
            if (n == 0 && i == 2 && late)
                life.fails_at = TURNS - late;
            if (n == 0 && i == 5 && early)
                life.fails_at = TURNS - early;
            START(&w, .type = type, .slice = i, .args = &life);
        }
    o.code = htmt_emulator_run(w.e);
    o.time = htmt_predicted(w.e);
    o.history = htmt_history_hash(w.e);
    o.events = htmt_event_count(w.e);
    snprintf(o.line, sizeof o.line, "%s", htmt_emulator_fault(w.e)->text);
    htmt_clock_report(w.e, &o.report);
    o.report.in_order = o.report.in_order ? "in order" : NULL;
    world_close(&w);
    return o;
}

static void expect_same(const struct outcome *a, const struct outcome *b)
{
    cr_expect_eq(a->code, b->code);
    cr_expect_eq(a->time, b->time);
    cr_expect_str_eq(a->line, b->line);
    if (a->code)
        return;
    cr_expect_eq(a->history, b->history);
    cr_expect_eq(a->events, b->events);
}

static const struct way ways[] = {
    {HTMT_CLOCK_AUTO, 1, HTMT_SENDS_NOWHERE, HTMT_MODEL, false, false, 0, NULL},
    {HTMT_CLOCK_WINDOWS, 1, HTMT_SENDS_NOWHERE, HTMT_MODEL, false, false, 0, NULL},
    {HTMT_CLOCK_SHARED, 2, HTMT_SENDS_NOWHERE, HTMT_MODEL, false, false, 0, NULL},
    {HTMT_CLOCK_SHARED, 3, HTMT_SENDS_NOWHERE, HTMT_MODEL, false, false, 0, NULL},
    {HTMT_CLOCK_SHARED, 3, HTMT_SENDS_NOWHERE, HTMT_RUN, false, false, 0, NULL},
    {HTMT_CLOCK_AUTO, 1, HTMT_SENDS_NOWHERE, HTMT_MODEL, false, true, 0, NULL},
};
#define WAYS (sizeof ways / sizeof *ways)

static const struct way in_order = {.clock = HTMT_CLOCK_SEQUENTIAL, .mode = HTMT_MODEL};

Test(sends, slices_that_send_nowhere_are_played_one_by_one_with_the_same_history)
{
    const struct outcome expected = play(in_order, 0, 0);
    cr_expect_eq(expected.code, 0);
    cr_expect_not_null(expected.report.in_order);
    for (size_t i = 0; i < WAYS; i++) {
        const struct outcome o = play(ways[i], 0, 0);
        expect_same(&o, &expected);
        cr_expect_eq(o.report.lookahead, HTMT_TIME_MAX, "way %zu", i);
        cr_expect_eq(o.report.windows, 1, "way %zu: %llu", i, (unsigned long long)o.report.windows);
    }
}

/* Up to some thousands of events that go on in line fit the cache: in order they are quicker. */
Test(sends, one_thread_plays_in_order_what_is_quicker_so)
{
    static const struct {
        uint32_t lives;
        bool in_order;
    } loads[] = {{LIVES, false}, {20, true}, {2047, true}, {2048, false}};
    const size_t count = only_memory() ? 2 : sizeof loads / sizeof *loads;
    for (size_t i = 0; i < count; i++) {
        struct way way = in_order, one = ways[0], two = ways[2];
        way.lives = one.lives = two.lives = loads[i].lives;
        const struct outcome expected = play(way, 0, 0), o = play(one, 0, 0), p = play(two, 0, 0);
        expect_same(&o, &expected);
        expect_same(&p, &expected);
        cr_expect_eq(o.report.in_order != NULL, loads[i].in_order, "%u", loads[i].lives);
        cr_expect_null(p.report.in_order, "%u", loads[i].lives);
    }
}

/* Who hears of each event hears of it in the order of time, whatever types say. */
Test(sends, an_observer_hears_of_events_in_the_order_of_time)
{
    struct way way = {.clock = HTMT_CLOCK_SEQUENTIAL, .mode = HTMT_MODEL, .observed = true};
    const struct outcome expected = play(way, 0, 0);
    way.sends = HTMT_SENDS_NOWHERE;
    for (unsigned threads = 1; threads < 4; threads++) {
        way.clock = threads > 1 ? HTMT_CLOCK_SHARED : HTMT_CLOCK_AUTO;
        way.threads = threads;
        const struct outcome o = play(way, 0, 0);
        expect_same(&o, &expected);
        cr_expect_eq(o.heard, expected.heard);
        cr_expect_neq(o.report.lookahead, HTMT_TIME_MAX);
    }
}

/* Slice 2 is played before slice 5, and fails after it. */
Test(sends, of_two_failures_the_first_in_time_is_told)
{
    const struct outcome expected = play(in_order, 3, 9);
    cr_expect_eq(expected.code, HTMT_ESYSTEM);
    cr_expect_not_null(strstr(expected.line, "slice 5 gives up"), "%s", expected.line);
    for (size_t i = 0; i < WAYS; i++) {
        const struct outcome o = play(ways[i], 3, 9);
        expect_same(&o, &expected);
    }
}

#define RANKS 4u

struct ranked {
    uint32_t early, late;
    struct outcome of[RANKS];
};

static int play_rank(const struct htmt_ranks *rank, void *user)
{
    struct ranked *r = user;
    const struct way way = {.clock = HTMT_CLOCK_SHARED,
                            .threads = 2,
                            .sends = HTMT_SENDS_NOWHERE,
                            .mode = HTMT_MODEL,
                            .ranks = rank};
    r->of[rank->rank] = play(way, r->early, r->late);
    return 0;
}

Test(sends, ranks_tell_the_same_end_and_the_same_first_failure)
{
    for (uint32_t late = 0; late < 10; late += 9) {
        const struct outcome expected = play(in_order, late / 3, late);
        for (uint32_t ranks = 1; ranks <= RANKS; ranks++) {
            struct ranked r = {late / 3, late, {{0}}};
            int rc[RANKS];
            cr_assert_eq(ranks_threads_play(ranks, play_rank, &r, rc), 0);
            for (uint32_t i = 0; i < ranks; i++) {
                expect_same(&r.of[i], &expected);
                cr_expect_eq(r.of[i].report.lookahead, HTMT_TIME_MAX);
            }
        }
    }
}

/* ---- wrong words ----------------------------------------------------------------------------- */

/* What a wrong control reaches, in slice 1. */
struct far {
    struct htmt_object *here, *there;
    struct htmt_mailbox *box, *own_box;
    struct htmt_allreduce *sum;
    struct htmt_type *any, *post;
    struct htmt_slot slot;
};

static const struct htmt_slot none;

static const struct far *far_of(struct htmt_context *c)
{
    return htmt_user(c);
}

CONTROL(puts_there,
        PUT(c, .src = htmt_in(far_of(c)->here, 0), .dst = htmt_in(far_of(c)->there, 0), .bytes = 8))
CONTROL(gets_from_there,
        PUT(c, .src = htmt_in(far_of(c)->there, 0), .dst = htmt_in(far_of(c)->here, 0), .bytes = 8))
CONTROL(tells, PUT(c, .src = htmt_in(far_of(c)->here, 0), .dst = htmt_in(far_of(c)->here, 8),
                   .bytes = 8, .on_arrived = far_of(c)->slot))
CONTROL(signals, htmt_signal(c, far_of(c)->slot))
CONTROL(mails, htmt_send(c, far_of(c)->box, htmt_in(far_of(c)->here, 0), 1, none, none))
CONTROL(mails_here,
        htmt_send(c, far_of(c)->own_box, htmt_in(far_of(c)->here, 0), 1, far_of(c)->slot, none))
CONTROL(takes, htmt_take(c, far_of(c)->own_box))
CONTROL(joins, htmt_allreduce(c, far_of(c)->sum, none))
CONTROL(posts, htmt_post(c, far_of(c)->post, 1, NULL))
CONTROL(makes, ASSEMBLE(c, NULL, .type = far_of(c)->any, .slice = htmt_slice(c)))
CONTROL(nothing, (void)0)

static void add(void *into, const void *value, uint64_t bytes)
{
    (void)bytes;
    *(double *)into += *(const double *)value;
}

static const struct wrong {
    void (*control)(struct htmt_context *c);
    bool on_ready, on_done;
    const char *says;
} wrongs[] = {
    {puts_there, false, false, "its htmt_put() goes from slice 0 to slice 1"},
    {gets_from_there, false, false, "its htmt_put() goes from slice 0 to slice 1"},
    {tells, false, false, "its htmt_put() goes from slice 0 to slice 1"},
    {signals, false, false, "its htmt_signal() goes from slice 0 to slice 1"},
    {mails, false, false, "its htmt_send() goes from slice 0 to slice 1"},
    {mails_here, false, false, "its htmt_send() goes from slice 0 to slice 1"},
    {takes, false, false, "calls htmt_take(), which sends words to other slices"},
    {joins, false, false, "calls htmt_allreduce(), which sends words to other slices"},
    {posts, false, false, "its htmt_post() goes from slice 0 to slice 1"},
    {makes, false, false, "makes a parcel of type any, which may"},
    {nothing, true, false, "its parcel of slice 0 signals slice 1"},
    {nothing, false, true, "its parcel of slice 0 signals slice 1"},
};

/* The type "quiet" of slice 0 does what it says that it does not. */
static void say_wrong(const struct wrong *wrong, unsigned threads)
{
    struct world_spec s = world_plain(2);
    struct far far;
    struct htmt_frame *frame = NULL;
    struct htmt_ref ref;
    static const struct htmt_stage fiber = {.control = nothing, .count = 1, .reset = 1};
    s.network[CNET].latency_ns = s.network[VORTEX].latency_ns = 20;
    struct world w = OPEN(&s, .clock_threads = threads,
                          .clock = threads > 1 ? HTMT_CLOCK_SHARED : HTMT_CLOCK_AUTO);
    far.here = world_object(&w, 0, CRAM, 16, "here");
    far.there = world_object(&w, 1, CRAM, 16, "there");
    cr_assert_eq(htmt_mailbox_create(w.e, 1, CRAM, 8, 4, "box", &far.box), 0);
    cr_assert_eq(htmt_mailbox_create(w.e, 0, CRAM, 8, 4, "own box", &far.own_box), 0);
    cr_assert_eq(htmt_frame_create(w.e, CRAM, 8, "sum", &frame), 0);
    cr_assert_eq(htmt_allreduce_create(
                     w.e, &(struct htmt_allreduce_desc){.frame = frame, .bytes = 8, .combine = add},
                     &far.sum),
                 0);
    far.post =
        TYPE(&w, .name = "post", .home = "cram", .exec = "cram", .execute = {.control = nothing});
    far.any =
        TYPE(&w, .name = "any", .home = "cram", .exec = "cram", .fibers = &fiber, .fiber_count = 1);
    struct htmt_type *quiet =
        TYPE(&w, .size = sizeof(struct htmt_type_desc), .name = "quiet", .home = "cram",
             .exec = "cram", .execute = {.control = wrong->control}, .footprint = HTMT_RESIDENT,
             .user = &far, .sends = HTMT_SENDS_NOWHERE);
    cr_assert_eq(htmt_assemble(htmt_root(w.e),
                               &(struct htmt_parcel_desc){.type = far.any, .slice = 1}, &ref),
                 0);
    far.slot = htmt_slot_of(ref, 1);
    int rc = htmt_assemble(htmt_root(w.e),
                           &(struct htmt_parcel_desc){.type = quiet,
                                                      .on_ready = wrong->on_ready ? far.slot : none,
                                                      .on_done = wrong->on_done ? far.slot : none},
                           NULL);
    rc = rc ? rc : htmt_emulator_run(w.e);
    const char *line = htmt_emulator_fault(w.e)->text;
    cr_expect_eq(rc, HTMT_EINVAL, "%s: %s", wrong->says, htmt_err_name(rc));
    cr_expect_not_null(strstr(line, "type quiet says that it sends nowhere, and "), "%s", line);
    cr_expect_not_null(strstr(line, wrong->says), "%s: %s", wrong->says, line);
    world_close(&w);
}

Test(sends, a_type_that_says_that_it_sends_nowhere_and_sends_is_refused)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
        for (unsigned threads = 1; threads < 3; threads++)
            say_wrong(&wrongs[i], threads);
}

Test(sends, a_word_that_is_none_is_refused)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_type *t = NULL;
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "odd";
    d.home = d.exec = "cram";
    d.sends = (enum htmt_sends)2;
    cr_expect_eq(htmt_type_create(w.e, &d, &t), HTMT_EINVAL);
    cr_expect_str_eq(htmt_emulator_fault(w.e)->text,
                     "type odd: sends 2, expected one of enum htmt_sends");
    world_close(&w);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Parcels of all slices wait at a gate that nobody opens. */
static void block(enum htmt_clock clock, unsigned threads, char line[500])
{
    struct world_spec s = world_plain(SLICES);
    s.network[VORTEX].latency_ns = 20;
    struct world w = OPEN(&s, .clock = clock, .clock_threads = threads);
    struct htmt_type *t =
        TYPE(&w, .size = sizeof(struct htmt_type_desc), .name = "waits", .home = "dram",
             .exec = "cram", .gates = HTMT_GATE(HTMT_EXECUTE), .sends = HTMT_SENDS_NOWHERE);
    for (uint32_t i = 0; i < SLICES; i++)
        START(&w, .type = t, .slice = i);
    cr_expect_eq(htmt_emulator_run(w.e), HTMT_EDEADLOCK);
    snprintf(line, 500, "%s", htmt_emulator_fault(w.e)->text);
    world_close(&w);
}

Test(sends, all_slices_blocked_is_the_same_deadlock)
{
    char expected[500], line[500];
    block(HTMT_CLOCK_SEQUENTIAL, 1, expected);
    for (unsigned threads = 1; threads < 4; threads++) {
        block(threads > 1 ? HTMT_CLOCK_SHARED : HTMT_CLOCK_AUTO, threads, line);
        cr_expect_str_eq(line, expected);
    }
}

static bool at_once(void *user)
{
    return ++*(unsigned *)user > 1;
}

/* The host is asked each 65,536 events. */
Test(sends, a_run_is_cancelled_in_the_midst_of_a_slice)
{
    for (unsigned threads = 1; threads < 4; threads++) {
        struct world_spec s = world_plain(2);
        struct htmt_type *type = NULL;
        unsigned asked = 0;
        s.network[VORTEX].latency_ns = 20;
        struct world w =
            OPEN(&s, .mode = HTMT_MODEL, .clock = threads > 1 ? HTMT_CLOCK_SHARED : HTMT_CLOCK_AUTO,
                 .clock_threads = threads, .cancelled = at_once, .user = &asked);
        struct htmt_type_desc d = world_eight();
        d.size = sizeof d;
        d.retire.control = again;
        d.args_bytes = sizeof(struct life);
        d.user = &type;
        d.sends = HTMT_SENDS_NOWHERE;
        type = world_type(&w, d);
        for (uint32_t i = 0; i < 2; i++)
            START(&w, .type = type, .slice = i,
                  .args = &(struct life){{1, 1, 1, 1, 1}, UINT32_MAX, 0});
        cr_expect_eq(htmt_emulator_run(w.e), HTMT_ECANCELLED);
        cr_expect_not_null(strstr(htmt_emulator_fault(w.e)->text, "interrupted by the user"));
        cr_expect_gt(htmt_event_count(w.e), 60000);
        world_close(&w);
    }
}
