/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Services whose operations meet those of others: caches that stay, a bus that is shared. The
 * machine is the one that docs/nodes.md works by hand, a cycle of 10 ns: a hit 1; a miss asks for
 * the bus (1), then DRAM (10, an open page 4; a bank is address bit 16), and its line crosses the
 * bus in 4.
 */
#include "layers/machine/nodes.h"
#include "layers/node/profile.h"
#include "layers/node/replay.h"
#include "parcels/htmt.h"
#include "parcels/operation.h"
#include "parcels/path.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define CYCLE  INT64_C(10000000)
#define REGION UINT64_C(0x20000) /* bytes that a service touches */
#define MOST   64u
#define PACKET 100u /* bytes */

/* What a service does. */
struct work {
    uint32_t number, loads, wait; /* wait: cycles that its control charges first */
    uint64_t first, step, seed;   /* seed: places by lot; 0: from `first` on */
    uint32_t next;                /* the service that begins when this one has ended; 0: none */
};

struct plan {
    uint32_t packets; /* that slice 1 sends to slice 0; 0: there is no network */
    const char *caches, *sharing;
    unsigned processors, banks, slices;
    struct work work[MOST];
    uint32_t works, roots; /* of each slice */
    uint32_t threads, clock_threads;
    bool checked, folded, explained;
    bool counted;                         /* the type's cost is its loads */
    const struct htmt_profiles *profiles; /* a model run; NULL: a run */
    struct htmt__tape *tape;              /* of the first service; NULL: nobody wants it */
};

struct result {
    htmt_time began[MOST], ended[MOST]; /* of slice 0, cycles */
    uint64_t history;
    struct htmt_operations_report sum;
    bool fails;
    char text[500];
    uint64_t serial[MOST];
};

struct run {
    const struct plan *plan;
    struct result *result;
    struct htmt_type *type, *sender;
    struct htmt_frame *frame;
};

/* ---- programs -------------------------------------------------------------------------------- */

static void loads(struct htmt_kernel *k)
{
    const struct work *w = htmt_kernel_args(k);
    uint64_t at = w->first, seed = w->seed;
    for (uint32_t i = 0; i < w->loads; i++, at += w->step) {
        at = seed ? draw(&seed) % (REGION / 8) * 8 : at;
        htmt_annotate_touch(k, seed && at & 64 ? HTMT_STORE : HTMT_LOAD, HTMT_F64, 0, at);
    }
}

static void count(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    ops->n[HTMT_LOAD] = ((const struct work *)args)->loads;
}

static void assemble(struct htmt_context *c, const struct run *run, uint32_t number);

static void begin(struct htmt_context *c)
{
    const struct work *w = htmt_args(c);
    const struct run *run = htmt_user(c);
    htmt_charge(c, HTMT_CYCLE, w->wait);
    if (htmt_slice(c) == 0) {
        run->result->began[w->number] = htmt_began(c) / CYCLE;
        run->result->serial[w->number] = htmt_self(c).serial;
    }
    htmt_work(c);
    if (w->next)
        assemble(c, run, w->next);
}

static void assemble(struct htmt_context *c, const struct run *run, uint32_t number)
{
    struct htmt_region r = htmt_region_init();
    r.bytes = REGION;
    struct htmt_parcel_desc p = {.type = run->type,
                                 .slice = htmt_slice(c),
                                 .regions = &r,
                                 .region_count = 1,
                                 .args = &run->plan->work[number]};
    htmt_assemble(c, &p, NULL);
}

static void observe(void *user, const struct htmt_event *event)
{
    struct result *r = user;
    for (uint32_t i = 0; i < MOST; i++)
        if (event->slice == 0 && event->serial == r->serial[i] && event->stage == HTMT_EXECUTE)
            r->ended[i] = event->time / CYCLE;
}

static void send(struct htmt_context *c)
{
    const struct run *run = htmt_user(c);
    for (uint32_t i = 0; i < run->plan->packets; i++) {
        struct htmt_put put = htmt_put_init();
        put.src = htmt_at(run->frame, 1, 0);
        put.dst = htmt_at(run->frame, 0, PACKET);
        put.bytes = PACKET;
        htmt_put(c, &put);
    }
}

static void add_sender(struct htmt_emulator *e, struct run *run)
{
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "Sender";
    d.home = d.exec = "device";
    d.execute.control = send;
    d.user = run;
    cr_assert_eq(htmt_type_create(e, &d, &run->sender), 0);
    const uint32_t device = (uint32_t)htmt_emulator_layer(e, "device");
    cr_assert_eq(htmt_frame_create(e, device, (uint64_t)2 * PACKET, "data", &run->frame), 0);
    const struct htmt_parcel_desc p = {.type = run->sender, .slice = 1};
    cr_assert_eq(htmt_assemble(htmt_root(e), &p, NULL), 0);
}

static void add_roots(struct htmt_emulator *e, const struct run *run)
{
    struct htmt_region r = htmt_region_init();
    r.bytes = REGION;
    struct htmt_parcel_desc p = {.type = run->type, .regions = &r, .region_count = 1};
    for (uint32_t slice = 0; slice < run->plan->slices; slice++)
        for (uint32_t i = 0; i < run->plan->roots; i++) {
            p.slice = slice;
            p.args = &run->plan->work[i];
            cr_assert_eq(htmt_assemble(htmt_root(e), &p, NULL), 0);
        }
}

/* Two slices. A router takes 2 cycles for a packet, and a cycle to copy one of PACKET bytes, which
 * is 10 cycles on a link. So a packet of slice 1 is at its routers from 0 to 2 and from 12 to 15,
 * and at that of slice 0 from 25 to 28. */
static const char routers[] =
    "networks:\n  net:\n    scope: machine\n    startup: {value: 0 s, source: t}\n"
    "    latency: {value: 0 s, source: t}\n    ports:\n      device:\n"
    "        out: {value: 1, source: t}\n        out-rate: {value: not-modelled, source: t}\n"
    "        in: {value: not-modelled, source: t}\n"
    "        in-rate: {value: not-modelled, source: t}\n"
    "    inside:\n      topology: mesh\n      shape: {value: 2 x 1, source: t}\n"
    "      switching: store-and-forward\n      routing: xy\n      place: rows\n"
    "      packet: {value: not-modelled, source: t}\n"
    "      header: {value: not-modelled, source: t}\n"
    "      rate: {value: 1 GB/s, source: t}\n      wire: {value: 0 s, source: t}\n"
    "      switch: {value: not-modelled, source: t}\n"
    "      buffer: {value: not-modelled, source: t}\n      lanes: {value: 1, source: t}\n"
    "      planes: {value: 1, as: dealt, source: t}\n"
    "      setup: {value: not-modelled, source: t}\n      route: {value: 20 ns, source: t}\n"
    "      copy: {value: 0.1 ns/B, source: t}\n      router: device\n"
    "      control: {value: not-modelled, source: t}\n      blocked: link\n";

static struct htmt_machine *machine_of(const struct plan *plan)
{
    struct htmt_machine *m;
    struct htmt_fault fault = {0};
    char text[2500];
    snprintf(text, sizeof text,
             "htmt-machine: 1\nbase: examples/machines/node.yaml\n"
             "slices: {value: %u, source: t}\nlayers:\n  device:\n"
             "    processor: {count: {value: %u, source: t}}\n"
             "    memory: {capacity: {value: 64 MiB, source: t}}\n"
             "    inside:\n      caches: %s\n      sharing: %s\n"
             "      dram: {banks: %u, page: 1 KiB, interleave: 64 KiB, policy: open, "
             "hit: 4 cycles, miss: 10 cycles, source: t}\n",
             plan->slices, plan->processors, plan->caches, plan->sharing, plan->banks);
    if (plan->packets)
        strcat(text, routers);
    cr_assert_eq(htmt_machine_parse("./nodes.yaml", text, &m, &fault), 0, "%s", fault.text);
    return m;
}

static void expect_path(const struct htmt_emulator *e)
{
    struct htmt_path path;
    cr_assert_eq(htmt_path_find(e, &path), 0);
    cr_expect_eq(path.total, htmt_predicted(e));
    htmt_path_clear(&path);
}

static struct result play(const struct plan *plan)
{
    struct result r = {.history = 0};
    struct run run = {.plan = plan, .result = &r};
    struct htmt_operations operations = {.type = "Loads", .tape = plan->tape};
    struct htmt_machine *m = machine_of(plan);
    struct htmt_emulator *e;
    struct htmt_fault fault = {0};
    struct htmt_options o = htmt_options_init();
    o.machine = m;
    o.slices = plan->slices;
    o.mode = plan->profiles ? HTMT_MODEL : HTMT_RUN;
    o.threads = plan->threads;
    o.clock = plan->clock_threads > 1 ? HTMT_CLOCK_SHARED : HTMT_CLOCK_AUTO;
    o.clock_threads = plan->clock_threads;
    o.checked = plan->checked;
    o.explain = plan->explained;
    o.symmetry = plan->folded ? HTMT_FOLDED : HTMT_NO_SYMMETRY;
    o.operations = plan->profiles ? NULL : &operations;
    o.profiles = plan->profiles;
    o.observe = observe;
    o.user = &r;
    cr_assert_eq(htmt_emulator_create(&e, &o, &fault), 0, "%s", fault.text);
    struct htmt_type_desc d = htmt_type_desc_init();
    d.name = "Loads";
    d.home = d.exec = "device";
    d.execute.kernel = loads;
    d.execute.control = begin;
    d.execute.cost = plan->counted ? count : NULL;
    d.args_bytes = sizeof(struct work);
    d.user = &run;
    cr_assert_eq(htmt_type_create(e, &d, &run.type), 0);
    if (plan->packets)
        add_sender(e, &run);
    add_roots(e, &run);
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_audit(e, &fault), 0, "%s", fault.text);
    if (plan->explained)
        expect_path(e);
    r.history = htmt_history_hash(e);
    if (!plan->profiles) {
        uint64_t misses = 0;
        cr_assert_eq(htmt_operations_at(e, 0, &r.sum), 0);
        for (int i = 0; i < HTMT_MISS_KINDS; i++)
            misses += r.sum.misses[i];
        cr_assert_eq(misses, r.sum.l1_misses + r.sum.l1_code_misses, "each is of one kind");
    }
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
    return r;
}

static void expect(const struct result *r, uint32_t number, htmt_time began, htmt_time ended)
{
    cr_expect_eq(r->began[number], began, "%u begins at %lld", number, (long long)r->began[number]);
    cr_expect_eq(r->ended[number], ended, "%u ends at %lld", number, (long long)r->ended[number]);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Three lines each, of two banks:
 *
 *   request at   bus      DRAM       line
 *   p0  1        1 to 2   2 to 12    12 to 16
 *   p1  1        2 to 3   3 to 13    16 to 20: behind p0's line
 *   p0  17       to 18    18 to 22   22 to 26
 *   p1  21       to 22    22 to 26   26 to 30
 *   p0  27       to 28    28 to 32   32 to 36
 *   p1  31       to 32    32 to 36   36 to 40
 *
 * Alone: 1 + 15, then 1 + 9 twice: 36. */
Test(nodes, two_services_take_turns_on_one_bus)
{
    struct plan plan = {
        .caches = "cold",
        .sharing = "bus",
        .processors = 2,
        .banks = 2,
        .slices = 1,
        .threads = 2,
        .roots = 2,
        .work = {{0, .loads = 3, .step = 32}, {1, .loads = 3, .first = 0x10000, .step = 32}}};
    struct result r = play(&plan);
    expect(&r, 0, 0, 36);
    expect(&r, 1, 0, 40);
    cr_expect_eq(r.sum.page_hits, 4);
    cr_expect_eq(r.sum.services, 2);
    plan.sharing = "alone";
    r = play(&plan);
    expect(&r, 0, 0, 36);
    expect(&r, 1, 0, 36);
}

/* The same, but the control of the second service charges 12 cycles before its kernel:
 *
 *   request at   bus      DRAM       line
 *   p0  1        1 to 2   2 to 12    12 to 16
 *   p1  13       to 14    14 to 24   24 to 28
 *   p0  17       to 18    18 to 22   28 to 32: behind p1's line, which was asked for before
 *   p1  29       to 30    30 to 34   34 to 38
 *   p0  33       to 34    34 to 38   38 to 42
 *   p1  39       to 40    40 to 44   44 to 48 */
Test(nodes, a_service_joins_another_one_on_the_bus)
{
    const struct plan plan = {.caches = "cold",
                              .sharing = "bus",
                              .processors = 2,
                              .banks = 2,
                              .slices = 1,
                              .threads = 2,
                              .roots = 2,
                              .work = {{0, .loads = 3, .step = 32},
                                       {1, .loads = 3, .first = 0x10000, .step = 32, .wait = 12}}};
    struct result r = play(&plan);
    expect(&r, 0, 0, 42);
    expect(&r, 1, 0, 48);
}

/* Both from the start, and a packet that the first one's processor routes from 25 to 28. What p0
 * asked for at 17 comes meanwhile; all that it does later, it does 3 cycles later:
 *
 *   request at   bus      DRAM       line
 *   p0  1        1 to 2   2 to 12    12 to 16
 *   p1  1        2 to 3   3 to 13    16 to 20
 *   p0  17       to 18    18 to 22   22 to 26
 *   p1  21       to 22    22 to 26   26 to 30
 *   p0  27 + 3   to 31    31 to 35   35 to 39
 *   p1  31       to 32    32 to 36   39 to 43: behind p0's line, which came before at 36 */
Test(nodes, a_service_whose_processor_routes_asks_for_the_bus_later)
{
    struct plan plan = {
        .caches = "cold",
        .sharing = "bus",
        .processors = 2,
        .banks = 2,
        .slices = 2,
        .threads = 2,
        .roots = 2,
        .packets = 1,
        .work = {{0, .loads = 3, .step = 32}, {1, .loads = 3, .first = 0x10000, .step = 32}}};
    struct result r = play(&plan);
    expect(&r, 0, 0, 39);
    expect(&r, 1, 0, 43);
    plan.sharing = "alone";
    r = play(&plan);
    expect(&r, 0, 0, 39);
    expect(&r, 1, 0, 36);
}

/* Eight lines of x: 1 + 15, then seven times 1 + 9: 86. The same processor, of the lowest number,
 * again: eight hits. Eight lines of y: 86. Then x, which lies beside y in the second way: 8. */
Test(nodes, a_service_finds_the_lines_that_its_processor_has_kept)
{
    const struct plan plan = {.caches = "warm",
                              .sharing = "alone",
                              .processors = 2,
                              .banks = 2,
                              .slices = 1,
                              .threads = 2,
                              .roots = 1,
                              .work = {{0, .loads = 8, .step = 32, .next = 1},
                                       {1, .loads = 8, .step = 32, .next = 2},
                                       {2, .loads = 8, .first = 0x10000, .step = 32, .next = 3},
                                       {3, .loads = 8, .step = 32}}};
    struct result r = play(&plan);
    expect(&r, 0, 0, 86);
    expect(&r, 1, 86, 94);
    expect(&r, 2, 94, 180);
    expect(&r, 3, 180, 188);
}

/* ---- what is computed another way ------------------------------------------------------------ */

/* Some services by lot, in chains of three; of slices, each the same. */
static struct plan by_lot(uint64_t seed)
{
    struct plan plan = {.caches = seed & 1 ? "warm" : "cold",
                        .sharing = "bus",
                        .processors = 2 + (unsigned)(seed % 3),
                        .banks = 2,
                        .slices = 3,
                        .threads = 1,
                        .works = 24,
                        .roots = 8};
    for (uint32_t i = 0; i < plan.works; i++)
        plan.work[i] = (struct work){.number = i,
                                     .loads = (uint32_t)draw(&seed) % 60,
                                     .wait = (uint32_t)draw(&seed) % 2 * (uint32_t)draw(&seed) % 90,
                                     .seed = draw(&seed) | 1,
                                     .next = i < 16 ? i + 8 : 0};
    return plan;
}

/* Of a bus alone, then with packets that put services off. */
Test(nodes, services_take_the_same_whatever_threads_play_them)
{
    for (uint64_t seed = 1; seed < 17; seed++) {
        struct plan plan = by_lot(seed);
        if (seed > 8) {
            plan.slices = 2;
            plan.packets = 20 * (uint32_t)seed;
        }
        const struct result first = play(&plan);
        const uint32_t threads[][2] = {{2, 0}, {3, 1}, {8, 2}, {1, 3}};
        for (unsigned i = 0; i < 4; i++) {
            plan.threads = threads[i][0];
            plan.clock_threads = threads[i][1];
            cr_expect_eq(play(&plan).history, first.history, "seed %d, %u threads, %u of the clock",
                         (int)seed, threads[i][0], threads[i][1]);
        }
        plan.checked = plan.explained = true;
        cr_expect_eq(play(&plan).history, first.history, "seed %d, checked", (int)seed);
    }
}

/* Services one after another, on one processor that routes where there are packets. */
static struct plan one_by_one(uint64_t seed, uint32_t packets)
{
    struct plan plan = by_lot(seed);
    plan.roots = 1;
    plan.packets = packets;
    if (packets) {
        plan.slices = 2;
        plan.processors = 1;
    }
    for (uint32_t i = 0; i < plan.works; i++)
        plan.work[i].next = i + 1 < plan.works ? i + 1 : 0;
    return plan;
}

/* Nobody shares anything then. Events of the bus take numbers of the slice, so that histories
 * differ. */
Test(nodes, a_bus_that_nobody_else_asks_for_is_like_none_that_is_shared)
{
    for (uint64_t seed = 1; seed < 9; seed++) {
        struct plan plan = one_by_one(seed, seed < 5 ? 0 : 100);
        const struct result shared = play(&plan);
        plan.sharing = "alone";
        const struct result alone = play(&plan);
        for (uint32_t i = 0; i < plan.works; i++)
            expect(&shared, i, alone.began[i], alone.ended[i]);
    }
}

/* A hundred packets, which come every 10 cycles from 25 on, each in 3. */
Test(nodes, each_packet_puts_the_services_off)
{
    const struct plan plan = one_by_one(5, 100), quiet = one_by_one(5, 0);
    const struct result put_off = play(&plan), others = play(&quiet);
    const uint32_t last = plan.works - 1;
    cr_expect_eq(put_off.ended[last], others.ended[last] + 300);
}

/* Two services of one tape, as htmt ops time --processors 2 plays them. */
Test(nodes, two_services_take_what_their_tapes_take_in_a_replay)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct plan plan = by_lot(seed);
        struct htmt__replay replay;
        plan.processors = plan.banks = 2;
        plan.slices = 1;
        plan.roots = 2;
        plan.work[0].wait = plan.work[0].next = 0;
        plan.work[0].loads += 20;
        plan.work[1] = plan.work[0];
        plan.work[1].number = 1;
        cr_assert_eq(htmt__tape_new(&plan.tape, NULL), 0);
        const struct result r = play(&plan);
        struct htmt_machine *m = machine_of(&plan);
        const struct htmt__replay_options two = {.processors = 2};
        const uint32_t device = (uint32_t)htmt_machine_layer(m, "device");
        cr_assert_eq(htmt__replay(htmt__machine_node(m, device), plan.tape, &two, &replay), 0);
        cr_expect_eq(replay.longest / CYCLE, r.ended[r.ended[1] > r.ended[0]]);
        cr_expect_eq(replay.sum / CYCLE, r.ended[0] + r.ended[1]);
        cr_expect_eq(replay.account.page_hits, r.sum.page_hits);
        cr_expect_eq(replay.account.write_backs, r.sum.write_backs);
        htmt__replay_fini(&replay);
        htmt_machine_destroy(&m);
        htmt__tape_free(plan.tape);
    }
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* Strides are all of such a tape: its profile makes the same operations. */
Test(nodes, services_of_a_profile_meet_each_other_as_those_of_its_tape_do)
{
    struct htmt_fault fault = {0};
    struct htmt__profile *profile;
    struct plan plan = {.caches = "warm",
                        .sharing = "bus",
                        .processors = 2,
                        .banks = 2,
                        .slices = 2,
                        .threads = 1,
                        .works = 6,
                        .roots = 3};
    for (uint32_t i = 0; i < plan.works; i++)
        plan.work[i] = (struct work){i, .loads = 40, .step = 64, .next = i < 3 ? i + 3 : 0};
    cr_assert_eq(htmt__tape_new(&plan.tape, NULL), 0);
    const struct result run = play(&plan);
    cr_assert_eq(htmt__profile_measure(&profile, plan.tape, "Loads", &fault), 0, "%s", fault.text);
    const struct htmt_profiles profiles = {(const struct htmt__profile *const *)&profile, 1};
    plan.profiles = &profiles;
    plan.threads = 2;
    const struct result model = play(&plan);
    for (uint32_t i = 0; i < plan.works; i++)
        expect(&model, i, run.began[i], run.ended[i]);
    plan.clock_threads = 2;
    cr_expect_eq(play(&plan).history, model.history);
    plan.clock_threads = 0;
    plan.folded = true;
    const struct result folded = play(&plan);
    for (uint32_t i = 0; i < plan.works; i++)
        expect(&folded, i, run.began[i], run.ended[i]);
    htmt__profile_free(profile);
    htmt__tape_free(plan.tape);
}

/* Several threads would write it at once, each in its turn by luck. */
Test(nodes, a_tape_of_services_is_refused_on_several_threads)
{
    struct plan plan = by_lot(1);
    struct htmt_machine *m = machine_of(&plan);
    struct htmt_operations operations = {.type = "Loads"};
    const uint32_t threads[][2] = {{2, 0}, {1, 2}, {1, 1}};
    cr_assert_eq(htmt__tape_new(&operations.tape, NULL), 0);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct htmt_emulator *e = NULL;
        struct htmt_fault fault = {0};
        struct htmt_options o = htmt_options_init();
        o.machine = m;
        o.threads = threads[i][0];
        o.clock_threads = threads[i][1];
        o.operations = &operations;
        cr_expect_eq(htmt_emulator_create(&e, &o, &fault), i < 2 ? HTMT_EINVAL : 0);
        cr_expect_eq(strstr(fault.text, "needs one thread") != NULL, i < 2, "%s", fault.text);
        htmt_emulator_destroy(&e);
    }
    htmt__tape_free(operations.tape);
    htmt_machine_destroy(&m);
}

/* Of a service of so many loads, from its tape; its length from cold caches. */
static struct htmt__profile *shape_of(uint32_t loads, htmt_time *length)
{
    struct htmt_fault fault = {0};
    struct htmt__profile *profile;
    struct plan plan = {.caches = "cold",
                        .sharing = "alone",
                        .processors = 1,
                        .banks = 2,
                        .slices = 1,
                        .threads = 1,
                        .counted = true,
                        .works = 1,
                        .roots = 1,
                        .work = {{0, .loads = loads, .step = 64}}};
    cr_assert_eq(htmt__tape_new(&plan.tape, NULL), 0);
    *length = play(&plan).ended[0];
    cr_assert_eq(htmt__profile_measure(&profile, plan.tape, "Loads", &fault), 0, "%s", fault.text);
    cr_assert_eq(profile->counts, loads);
    htmt__tape_free(plan.tape);
    return profile;
}

/* The run plays each service's own operations. */
Test(nodes, services_of_two_shapes_take_what_their_own_operations_take)
{
    htmt_time length;
    struct htmt__profile *shape[] = {shape_of(40, &length), shape_of(25, &length)};
    const struct htmt_profiles profiles = {(const struct htmt__profile *const *)shape, 2};
    for (unsigned alone = 0; alone < 2; alone++) {
        struct plan plan = {.caches = alone ? "cold" : "warm",
                            .sharing = alone ? "alone" : "bus",
                            .processors = 2,
                            .banks = 2,
                            .slices = 2,
                            .threads = 2,
                            .counted = true,
                            .works = 9,
                            .roots = 3};
        for (uint32_t i = 0; i < plan.works; i++)
            plan.work[i] =
                (struct work){i, .loads = i % 2 ? 25 : 40, .step = 64, .next = i < 6 ? i + 3 : 0};
        const struct result run = play(&plan);
        plan.profiles = &profiles;
        const struct result model = play(&plan);
        for (uint32_t i = 0; i < plan.works; i++)
            expect(&model, i, run.began[i], run.ended[i]);
        for (plan.clock_threads = 1; plan.clock_threads < 9; plan.clock_threads++)
            cr_expect_eq(play(&plan).history, model.history, "%u threads of the clock",
                         plan.clock_threads);
        plan.clock_threads = 0;
        plan.folded = true;
        const struct result folded = play(&plan);
        for (uint32_t i = 0; i < plan.works; i++)
            expect(&folded, i, run.began[i], run.ended[i]);
    }
    htmt__profile_free(shape[0]);
    htmt__profile_free(shape[1]);
}

/* 20 is twice 10 and half of 40: the smaller one. */
Test(nodes, a_service_of_another_shape_takes_its_share_of_the_nearest_one)
{
    htmt_time length[2];
    struct htmt__profile *shape[] = {shape_of(40, &length[1]), shape_of(10, &length[0])};
    const struct htmt_profiles profiles = {(const struct htmt__profile *const *)shape, 2};
    const uint32_t counts[] = {10, 40}, loads[] = {10, 40, 5, 19, 20, 21, 39, 50, 80, 0};
    const unsigned nearest[] = {0, 1, 0, 0, 0, 1, 1, 1, 1, 0};
    struct plan plan = {.caches = "cold",
                        .sharing = "alone",
                        .processors = 10,
                        .banks = 2,
                        .slices = 1,
                        .threads = 1,
                        .counted = true,
                        .profiles = &profiles,
                        .works = 10,
                        .roots = 10};
    cr_assert_neq(4 * length[0], length[1]);
    for (uint32_t i = 0; i < plan.works; i++)
        plan.work[i] = (struct work){i, .loads = loads[i], .step = 64};
    const struct result r = play(&plan);
    for (uint32_t i = 0; i < plan.works; i++)
        expect(&r, i, 0, length[nearest[i]] * loads[i] / counts[nearest[i]]);
    htmt__profile_free(shape[0]);
    htmt__profile_free(shape[1]);
}
