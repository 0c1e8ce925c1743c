/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the predicted time changes with figures: programs whose time is a formula, of which the
 * derivative is known, on both sides where it has a corner.
 */
#include "tests/files/place.h"
#include "tests/parcels/world.h"

#include <math.h>

#define SAME 1e-12

/* ---- figures --------------------------------------------------------------------------------- */

static void times(struct htmt_ratio *r, uint64_t num, uint64_t den)
{
    cr_assert_eq(htmt_ratio_mul(*r, (struct htmt_ratio){num, den}, r), 0);
}

/* Of a machine that has one figure, or several, twice. */
static void expect(const struct htmt_emulator *e, const struct htmt_machine *toward, double larger,
                   double smaller)
{
    double above = NAN, below = NAN;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_slope_find(e, toward, 2, &above, &below, &fault), 0, "%s", fault.text);
    cr_expect_float_eq(above, larger, SAME, "larger: %.12f instead of %.12f", above, larger);
    cr_expect_float_eq(below, smaller, SAME, "smaller: %.12f instead of %.12f", below, smaller);
}

static struct htmt_machine with_clock(const struct htmt_machine *m, uint32_t layer)
{
    struct htmt_machine twice = *m;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        times(&twice.layer[layer].processor.time[i], 1, 2);
    return twice;
}

static struct htmt_machine with_operation(const struct htmt_machine *m, uint32_t layer, int op)
{
    struct htmt_machine twice = *m;
    times(&twice.layer[layer].processor.time[op], 2, 1);
    return twice;
}

static struct htmt_machine with_rate(const struct htmt_machine *m, uint32_t network, uint32_t layer)
{
    struct htmt_machine twice = *m;
    times(&twice.network[network].port[layer].out_word, 1, 2);
    return twice;
}

static struct htmt_machine with_latency(const struct htmt_machine *m, uint32_t network)
{
    struct htmt_machine twice = *m;
    twice.network[network].latency *= 2;
    return twice;
}

static struct htmt_machine with_access(const struct htmt_machine *m, uint32_t layer)
{
    struct htmt_machine twice = *m;
    times(&twice.layer[layer].memory.access, 2, 1);
    return twice;
}

/* ---- the machine of docs/machines.md --------------------------------------------------------- */

/* The first block of YAML of the page. `access_ns`: 0, or instead of its 4 ns. */
static struct htmt_machine *documented(unsigned access_ns)
{
    char *text = file_content("docs/machines.md", NULL), *begin, *end;
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    begin = strstr(text, "```yaml\n") + strlen("```yaml\n");
    end = strstr(begin, "```");
    *end = '\0';
    cr_assert_eq(htmt_machine_parse("example", begin, &m, &fault), 0, "%s", fault.text);
    if (access_ns)
        m->layer[0].memory.access = (struct htmt_ratio){access_ns * (uint64_t)NS, 1};
    free(text);
    return m;
}

static void work_control(struct htmt_context *c)
{
    htmt_charge(c, HTMT_FLOP, 10);
    htmt_charge(c, HTMT_LOAD, 3);
}

static void work_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args;
    (void)user;
    ops->n[HTMT_FLOP] += 10;
    ops->n[HTMT_LOAD] += 3;
}

static struct htmt_emulator *emulate(const struct htmt_machine *m, const struct htmt_type_desc *d,
                                     uint64_t bytes)
{
    struct htmt_options o = htmt_options_init();
    struct htmt_emulator *e;
    struct htmt_type *type;
    struct htmt_object *object;
    o.machine = m;
    o.mode = HTMT_MODEL;
    o.slopes = true;
    cr_assert_eq(htmt_emulator_create(&e, &o, NULL), 0);
    cr_assert_eq(htmt_type_create(e, d, &type), 0, "%s", htmt_emulator_fault(e)->text);
    struct htmt_parcel_desc p = {.type = type};
    struct htmt_region r;
    if (bytes) {
        cr_assert_eq(htmt_object_create(e, 0, 0, bytes, "data", &object), 0);
        r = (struct htmt_region){.from = htmt_in(object, 0), .bytes = bytes};
        p.regions = &r;
        p.region_count = 1;
    }
    cr_assert_eq(htmt_assemble(htmt_root(e), &p, NULL), 0);
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    return e;
}

/* lambda is 1/2 there: a service of counts hides the loads behind half of the flop. */
Test(slope, charges_of_a_control_add_up)
{
    struct htmt_machine *m = documented(0);
    struct htmt_type_desc d = {
        .name = "ten", .home = "device", .exec = "device", .execute = {.control = work_control}};
    struct htmt_emulator *e = emulate(m, &d, 0);
    const double flop = 10 * htmt_ratio_value(m->layer[1].processor.time[HTMT_FLOP]),
                 load = 3 * htmt_ratio_value(m->layer[1].processor.time[HTMT_LOAD]),
                 all = flop + load;
    cr_assert_eq(htmt_predicted(e), (htmt_time)all);
    struct htmt_machine f = with_operation(m, 1, HTMT_FLOP), l = with_operation(m, 1, HTMT_LOAD),
                        c = with_clock(m, 1);
    expect(e, &f, flop / all, flop / all);
    expect(e, &l, load / all, load / all);
    expect(e, &c, -1, -1);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
}

static void around_control(struct htmt_context *c)
{
    htmt_charge(c, HTMT_IOP, 7);
    htmt_charge(c, HTMT_CYCLE, 2);
    htmt_work(c);
    htmt_charge(c, HTMT_STORE, 5);
}

/* 7 + 2 before, 10 flop and 3 loads of 3 ns each, 5 stores of 2 ns after. */
Test(slope, charges_before_and_behind_the_work_keep_their_parts)
{
    struct world_spec spec = world_plain(1);
    struct htmt_machine *m = world_machine(&spec);
    struct htmt_type_desc d = {.name = "around",
                               .home = "cram",
                               .exec = "cram",
                               .execute = {.cost = work_cost, .control = around_control}};
    struct htmt_emulator *e = emulate(m, &d, 0);
    cr_assert_eq(htmt_predicted(e), 38 * NS);
    static const struct {
        enum htmt_op op;
        double part;
    } rows[] = {{HTMT_IOP, 7}, {HTMT_FLOP, 10}, {HTMT_LOAD, 9}, {HTMT_STORE, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct htmt_machine twice = with_operation(m, CRAM, rows[i].op);
        expect(e, &twice, rows[i].part / 38, rows[i].part / 38);
    }
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
}

Test(slope, ten_flop_and_three_loads_are_10_and_3_of_13)
{
    struct htmt_machine *m = documented(0);
    struct htmt_type_desc d = {
        .name = "ten", .home = "device", .exec = "device", .execute = {.cost = work_cost}};
    struct htmt_emulator *e = emulate(m, &d, 0);
    cr_assert_eq(htmt_predicted(e), 13 * NS);
    struct htmt_machine f = with_operation(m, 1, HTMT_FLOP), l = with_operation(m, 1, HTMT_LOAD),
                        c = with_clock(m, 1);
    expect(e, &f, 10.0 / 13, 10.0 / 13);
    expect(e, &l, 3.0 / 13, 3.0 / 13);
    expect(e, &c, -1, -1);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
}

/* 100 + 64 ns, 50 ns in flight: less what the header and the code of the parcel take. */
static void expect_move(unsigned access_ns, double larger, double smaller)
{
    struct htmt_machine *m = documented(access_ns);
    struct htmt_type_desc d = {
        .name = "move", .home = "host", .exec = "device", .args_bytes = 0, .in_place = true};
    struct htmt_emulator *e = emulate(m, &d, 64 * 8);
    cr_assert_eq(htmt_predicted(e), 214 * NS, "%lld", (long long)htmt_predicted(e));
    struct htmt_machine r = with_rate(m, 0, 0), l = with_latency(m, 0), a = with_access(m, 0),
                        s = *m;
    s.network[0].startup *= 2;
    expect(e, &s, 100.0 / 214, 100.0 / 214);
    expect(e, &l, 50.0 / 214, 50.0 / 214);
    expect(e, &a, larger, smaller);
    if (larger == smaller)
        expect(e, &r, -64.0 / 214, -64.0 / 214);
    else
        expect(e, &r, 0, -64.0 / 214);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
}

Test(slope, of_64_words_start_up_rate_and_latency_are_100_64_and_50_of_214)
{
    expect_move(0, 0, 0);
}

Test(slope, an_access_that_takes_as_long_as_its_words_counts_when_it_grows)
{
    expect_move(8, 64.0 / 214, 0);
}

/* ---- ties ------------------------------------------------------------------------------------ */

struct counts {
    uint64_t n[HTMT_OP_CLASSES];
};

COST(count, memcpy(ops->n, ((const struct counts *)args)->n, sizeof ops->n))

static struct htmt_type *counted(struct world *w, const char *name, const char *layer)
{
    return TYPE(w, .name = name, .home = layer, .exec = layer, .execute = {.cost = count},
                .args_bytes = sizeof(struct counts));
}

/* A service of a nanosecond for each operation: an operation of class `op` takes `cycles`. */
static void start(struct world *w, const struct htmt_type *type, int op, uint64_t n)
{
    struct counts counts = {{0}};
    counts.n[op] = n;
    START(w, .type = type, .args = &counts);
}

static struct world open_plain(const struct world_spec *spec, enum htmt_symmetry symmetry)
{
    return OPEN(spec, .mode = HTMT_MODEL, .slopes = true, .symmetry = symmetry);
}

Test(slope, of_two_that_end_together_either_makes_the_run_longer_and_neither_shorter)
{
    struct world_spec spec = world_plain(1);
    struct world w = open_plain(&spec, HTMT_NO_SYMMETRY);
    start(&w, counted(&w, "a", "sram"), HTMT_CYCLE, 100);
    start(&w, counted(&w, "b", "cram"), HTMT_CYCLE, 100);
    cr_assert_eq(world_run(&w), 100 * NS);
    struct htmt_machine sram = with_clock(w.m, SRAM), both = with_clock(&sram, CRAM);
    expect(w.e, &sram, 0, -1);
    expect(w.e, &both, -1, -1);
    world_close(&w);
}

/* Two servers, which become free at 10 by 10 flop and by 10 iop: the third service of 5 cycles
 * gets the one that is sooner; behind it a fourth one the other. */
Test(slope, the_first_in_line_gets_the_first_of_two_servers)
{
    struct world_spec spec = world_plain(1);
    spec.servers[CRAM] = 2;
    for (int line = 1; line <= 2; line++) {
        struct world w = open_plain(&spec, HTMT_NO_SYMMETRY);
        struct htmt_type *type = counted(&w, "t", "cram");
        start(&w, type, HTMT_FLOP, 10);
        start(&w, type, HTMT_IOP, 10);
        for (int i = 0; i < line; i++)
            start(&w, type, HTMT_CYCLE, 5);
        cr_assert_eq(world_run(&w), 15 * NS);
        struct htmt_machine flop = with_operation(w.m, CRAM, HTMT_FLOP),
                            both = with_operation(&flop, CRAM, HTMT_IOP);
        expect(w.e, &flop, line == 1 ? 0 : 10.0 / 15, line == 1 ? 10.0 / 15 : 0);
        expect(w.e, &both, 10.0 / 15, 10.0 / 15);
        world_close(&w);
    }
}

/* Two closures of 20 words come at 20 and 40, are served for 30 flop and 10 iop on servers of their
 * own, and give their words back at 50; one of all 60 words waits for both: 60 for its way, and 5.
 */
Test(slope, words_that_come_back_at_one_instant_are_waited_for_both)
{
    struct world_spec spec = world_plain(1);
    spec.capacity[SRAM] = 60;
    spec.servers[SRAM] = 2;
    struct world w = open_plain(&spec, HTMT_NO_SYMMETRY);
    struct htmt_object *data = world_object(&w, 0, DRAM, 8 * 1000, "data");
    struct htmt_region r = {.from = htmt_in(data, 0), .bytes = 8 * 20};
    struct htmt_type *type =
        TYPE(&w, .name = "t", .home = "dram", .exec = "sram", .execute = {.cost = count},
             .args_bytes = sizeof(struct counts), .in_place = true);
    struct counts flop = {{[HTMT_FLOP] = 30}}, iop = {{[HTMT_IOP] = 10}}, last = {{5}};
    START(&w, .type = type, .args = &flop, .regions = &r, .region_count = 1);
    START(&w, .type = type, .args = &iop, .regions = &r, .region_count = 1);
    r.bytes = 8 * 60;
    START(&w, .type = type, .args = &last, .regions = &r, .region_count = 1);
    cr_assert_eq(world_run(&w), 115 * NS);
    struct htmt_machine first = with_operation(w.m, SRAM, HTMT_FLOP),
                        second = with_operation(w.m, SRAM, HTMT_IOP),
                        rate = with_rate(w.m, VORTEX, DRAM);
    expect(w.e, &first, 30.0 / 115, 0);
    expect(w.e, &second, 10.0 / 115, 0);
    expect(w.e, &rate, -80.0 / 115, -100.0 / 115);
    world_close(&w);
}

/* ---- slices, and what is refused ------------------------------------------------------------- */

Test(slope, slices_that_are_played_in_turn_or_folded_have_the_same_slopes)
{
    static const enum htmt_symmetry kinds[] = {HTMT_NO_SYMMETRY, HTMT_INDEPENDENT, HTMT_FOLDED};
    for (int i = 0; i < 3; i++) {
        struct world_spec spec = world_plain(4);
        struct world w = open_plain(&spec, kinds[i]);
        struct htmt_type *type = counted(&w, "t", "cram");
        struct counts counts = {{[HTMT_FLOP] = 10, [HTMT_STORE] = 20}};
        for (uint32_t s = 0; s < 4; s++)
            START(&w, .type = type, .slice = s, .args = &counts);
        cr_assert_eq(world_run(&w), 50 * NS);
        struct htmt_machine flop = with_operation(w.m, CRAM, HTMT_FLOP);
        expect(w.e, &flop, 0.2, 0.2);
        world_close(&w);
    }
}

static void expect_refused(const struct world *w, const struct htmt_machine *toward, int code,
                           const char *text)
{
    double a, b;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_slope_find(w->e, toward, 2, &a, &b, &fault), code, "%s", fault.text);
    cr_expect(strstr(fault.text, text), "'%s' in '%s'", text, fault.text);
}

Test(slope, what_a_model_inside_decides_has_none)
{
    struct world_spec spec = world_plain(1);
    spec.stream_mwords[CRAM] = 100;
    struct world w = open_plain(&spec, HTMT_NO_SYMMETRY);
    start(&w, counted(&w, "streamed", "cram"), HTMT_LOAD, 100);
    start(&w, counted(&w, "beside", "sram"), HTMT_CYCLE, 10);
    world_run(&w);
    struct htmt_machine twice = with_clock(w.m, SRAM);
    expect_refused(&w, &twice, HTMT_ENOENT, "streamed, execute");
    world_close(&w);
    spec.stream_mwords[CRAM] = 0; /* beside the path it does not matter */
    spec.stream_mwords[SRAM] = 100;
    w = open_plain(&spec, HTMT_NO_SYMMETRY);
    start(&w, counted(&w, "a", "cram"), HTMT_CYCLE, 100000);
    start(&w, counted(&w, "streamed", "sram"), HTMT_LOAD, 10);
    world_run(&w);
    twice = with_clock(w.m, CRAM);
    expect(w.e, &twice, -1, -1);
    world_close(&w);
}

Test(slope, a_count_a_capacity_or_a_time_that_begins_has_none)
{
    struct world_spec spec = world_plain(1);
    struct world w = open_plain(&spec, HTMT_NO_SYMMETRY);
    start(&w, counted(&w, "a", "cram"), HTMT_CYCLE, 10);
    world_run(&w);
    struct htmt_machine other = *w.m;
    other.layer[CRAM].processor.count = 2;
    expect_refused(&w, &other, HTMT_ENOENT, "the number of processors of cram is no time");
    other = *w.m;
    other.layer[CRAM].memory.capacity *= 2;
    expect_refused(&w, &other, HTMT_ENOENT, "the capacity of cram is no time");
    other = *w.m;
    other.network[RTI].latency = NS;
    expect_refused(&w, &other, HTMT_ENOENT, "the latency of rti takes no time");
    world_close(&w);
}

Test(slope, without_a_run_that_kept_its_paths_there_is_none)
{
    struct world_spec spec = world_plain(1);
    double a, b;
    struct world w = OPEN(&spec, .mode = HTMT_MODEL);
    start(&w, counted(&w, "a", "cram"), HTMT_CYCLE, 10);
    world_run(&w);
    expect_refused(&w, w.m, HTMT_EINVAL, "`slopes`");
    world_close(&w);
    w = open_plain(&spec, HTMT_NO_SYMMETRY);
    start(&w, counted(&w, "a", "cram"), HTMT_CYCLE, 10);
    expect_refused(&w, w.m, HTMT_EINVAL, "no complete run");
    world_run(&w);
    cr_expect_eq(htmt_slope_find(w.e, w.m, 1, &a, &b, NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_slope_find(w.e, w.m, -2, &a, &b, NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_slope_find(w.e, NULL, 2, &a, &b, NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_slope_find(NULL, w.m, 2, &a, &b, NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_slope_find(w.e, w.m, 2, &a, NULL, NULL), HTMT_EINVAL);
    world_close(&w);
}

/* ---- further ties ------------------------------------------------------------------------------
 *
 * In each of them something waits for 10 flop and for something else of 10 ns, and takes 5 ns then:
 * T = max(10 flop, the other) + 5. Who is made first comes first within the instant, so each is
 * played in both orders. */

static void expect_either(const struct world *w, const struct htmt_machine *flop,
                          const struct htmt_machine *other, double sign)
{
    const double share = 10.0 / 15;
    expect(w->e, flop, share, 0);
    expect(w->e, other, sign < 0 ? 0 : share, sign < 0 ? -share : 0);
}

static void start_moved(struct world *w, const struct htmt_type *type, struct htmt_object *data,
                        uint64_t words)
{
    struct counts five = {{5}};
    struct htmt_region r = {.from = htmt_in(data, 0), .bytes = 8 * words};
    START(w, .type = type, .args = &five, .regions = &r, .region_count = 1);
}

Test(slope, a_parcel_that_comes_when_its_server_becomes_free_waits_for_both)
{
    for (unsigned servers = 1; servers <= 2; servers++)
        for (int order = 0; order < 2; order++) {
            struct world_spec spec = world_plain(1);
            spec.servers[SRAM] = servers;
            struct world w = open_plain(&spec, HTMT_NO_SYMMETRY);
            struct htmt_type *here = counted(&w, "here", "sram"),
                             *moved = TYPE(&w, .name = "moved", .home = "dram", .exec = "sram",
                                           .execute = {.cost = count},
                                           .args_bytes = sizeof(struct counts), .in_place = true);
            struct htmt_object *data = world_object(&w, 0, DRAM, 8 * 100, "data");
            if (order)
                start(&w, here, HTMT_FLOP, 10);
            start_moved(&w, moved, data, 10);
            if (!order)
                start(&w, here, HTMT_FLOP, 10);
            cr_assert_eq(world_run(&w), 15 * NS);
            struct htmt_machine flop = with_operation(w.m, SRAM, HTMT_FLOP),
                                rate = with_rate(w.m, VORTEX, DRAM);
            if (servers == 1) {
                expect_either(&w, &flop, &rate, -1);
            } else { /* another server was free all the time */
                expect(w.e, &flop, 0, 0);
                expect(w.e, &rate, -10.0 / 15, -10.0 / 15);
            }
            world_close(&w);
        }
}

static void retire_self(struct htmt_context *c)
{
    htmt_retire(c, htmt_self(c));
}

COST(five, ops->n[HTMT_CYCLE] = 5)

/* A root parcel of `n` operations, behind whose end the slot is signalled. */
static void start_before(struct world *w, const struct htmt_type *type, int op, uint64_t n,
                         struct htmt_slot slot)
{
    struct counts counts = {{0}};
    counts.n[op] = n;
    START(w, .type = type, .args = &counts, .on_done = slot);
}

static struct htmt_ref assemble(struct world *w, const struct htmt_type *type)
{
    struct htmt_parcel_desc d = {.type = type};
    struct htmt_ref ref;
    cr_assert_eq(htmt_assemble(htmt_root(w->e), &d, &ref), 0);
    return ref;
}

Test(slope, a_fiber_waits_for_all_signals_of_an_instant)
{
    static const struct htmt_stage fiber = {
        .cost = five, .control = retire_self, .count = 2, .reset = 2};
    for (int order = 0; order < 2; order++) {
        struct world_spec spec = world_plain(1);
        spec.servers[CRAM] = 3;
        struct world w = open_plain(&spec, HTMT_NO_SYMMETRY);
        struct htmt_type *waits = TYPE(&w, .name = "waits", .home = "cram", .exec = "cram",
                                       .fibers = &fiber, .fiber_count = 1,
                                       .gates = HTMT_GATE(HTMT_RETIRE)),
                         *type = counted(&w, "signals", "cram");
        const struct htmt_slot slot = htmt_slot_of(assemble(&w, waits), 1);
        start_before(&w, type, order ? HTMT_FLOP : HTMT_IOP, 10, slot);
        start_before(&w, type, order ? HTMT_IOP : HTMT_FLOP, 10, slot);
        cr_assert_eq(world_run(&w), 15 * NS);
        struct htmt_machine flop = with_operation(w.m, CRAM, HTMT_FLOP),
                            iop = with_operation(w.m, CRAM, HTMT_IOP);
        expect_either(&w, &flop, &iop, 1);
        world_close(&w);
    }
}

/* Its own 10 flop before the gate, the caller's 10 iop before the call. */
struct call {
    struct htmt_ref parcel;
};

COST(ten_flop, ops->n[HTMT_FLOP] = 10)
COST(ten_iop, ops->n[HTMT_IOP] = 10)
CONTROL(call_dispatch, htmt_dispatch(c, ((const struct call *)htmt_args(c))->parcel))

Test(slope, a_gate_waits_for_its_parcel_and_for_its_call)
{
    struct world_spec spec = world_plain(1);
    struct world w = open_plain(&spec, HTMT_NO_SYMMETRY);
    struct htmt_type *gated = TYPE(&w, .name = "gated", .home = "dram", .exec = "cram",
                                   .assemble = {.cost = ten_flop}, .dispatch = {.cost = five},
                                   .gates = HTMT_GATE(HTMT_DISPATCH)),
                     *calls = TYPE(&w, .name = "calls", .home = "cram", .exec = "cram",
                                   .execute = {.cost = ten_iop, .control = call_dispatch},
                                   .args_bytes = sizeof(struct call));
    struct call call = {assemble(&w, gated)};
    START(&w, .type = calls, .args = &call);
    cr_assert_eq(world_run(&w), 15 * NS);
    struct htmt_machine flop = with_operation(w.m, DRAM, HTMT_FLOP),
                        iop = with_operation(w.m, CRAM, HTMT_IOP);
    expect_either(&w, &flop, &iop, 1);
    world_close(&w);
}

/* Two closures of 10 words leave the DRAM by two channels at 10, one behind 10 flop and one behind
 * 10 iop; a third one asks at 12, and gets the channel that is free first: 20 + 10. */
Test(slope, the_first_in_line_gets_the_first_of_two_channels)
{
    struct world_spec spec = world_plain(1);
    spec.servers[DRAM] = spec.servers[SRAM] = 3;
    struct world w = {world_machine(&spec), NULL};
    w.m->network[VORTEX].port[DRAM].out = 2;
    struct htmt_options o = {.machine = w.m, .mode = HTMT_MODEL, .slopes = true, .size = sizeof o};
    cr_assert_eq(htmt_emulator_create(&w.e, &o, NULL), 0);
    struct htmt_type *type =
        TYPE(&w, .name = "leaves", .home = "dram", .exec = "sram", .assemble = {.cost = count},
             .args_bytes = sizeof(struct counts), .in_place = true);
    struct htmt_object *data = world_object(&w, 0, DRAM, 8 * 100, "data");
    struct htmt_region r = {.from = htmt_in(data, 0), .bytes = 80};
    struct counts counts[] = {{{[HTMT_FLOP] = 10}}, {{[HTMT_IOP] = 10}}, {{[HTMT_CYCLE] = 12}}};
    for (int i = 0; i < 3; i++)
        START(&w, .type = type, .args = &counts[i], .regions = &r, .region_count = 1);
    cr_assert_eq(world_run(&w), 30 * NS);
    struct htmt_machine flop = with_operation(w.m, DRAM, HTMT_FLOP),
                        both = with_operation(&flop, DRAM, HTMT_IOP);
    expect(w.e, &flop, 0, 10.0 / 30);
    expect(w.e, &both, 10.0 / 30, 10.0 / 30);
    world_close(&w);
}

/* Slice 0 joins a barrier after 10 flop, slice 1 after 9 iop; its word is there at 10. Slice 0 goes
 * on for 20. */
struct joins {
    struct htmt_barrier *barrier;
};

static void join_barrier(struct htmt_context *c)
{
    htmt_charge(c, htmt_slice(c) ? HTMT_IOP : HTMT_FLOP, htmt_slice(c) ? 9 : 10);
    htmt_barrier(c, ((const struct joins *)htmt_args(c))->barrier, htmt_slot(c, 1));
}

static void pass_barrier(struct htmt_context *c)
{
    if (htmt_slice(c) == 0)
        htmt_charge(c, HTMT_CYCLE, 20);
    htmt_retire(c, htmt_self(c));
}

Test(slope, a_collective_waits_for_its_slice_and_for_the_others)
{
    static const struct htmt_stage fiber = {.control = pass_barrier, .count = 1, .reset = 1};
    struct world_spec spec = world_plain(2);
    spec.servers[CRAM] = 2; /* one of which is free for the fold */
    struct world w = open_plain(&spec, HTMT_NO_SYMMETRY);
    struct joins joins;
    cr_assert_eq(htmt_barrier_create(w.e, CRAM, "all", &joins.barrier), 0);
    struct htmt_type *type =
        TYPE(&w, .name = "joins", .home = "cram", .exec = "cram",
             .execute = {.control = join_barrier}, .fibers = &fiber, .fiber_count = 1,
             .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof joins);
    for (uint32_t s = 0; s < 2; s++)
        START(&w, .type = type, .slice = s, .args = &joins);
    cr_assert_eq(world_run(&w), 30 * NS);
    struct htmt_machine flop = with_operation(w.m, CRAM, HTMT_FLOP),
                        iop = with_operation(w.m, CRAM, HTMT_IOP),
                        rate = with_rate(w.m, CNET, CRAM);
    expect(w.e, &flop, 10.0 / 30, 0);
    expect(w.e, &iop, 9.0 / 30, 0);
    expect(w.e, &rate, 0, -1.0 / 30);
    world_close(&w);
}

/* A mailbox of 10 records is full; who takes them gives their room back after 10 flop, and who
 * sends the next ones asks for it after 10 iop; both at one instant, in either order. */
struct mail {
    struct htmt_mailbox *box;
    struct htmt_object *from;
    bool taker_first;
};

enum { TAKES = 1, SENDS, READS };

static void send_ten(struct htmt_context *c, uint32_t fiber)
{
    const struct mail *m = htmt_args(c);
    htmt_send(c, m->box, htmt_in(m->from, 0), 10, (struct htmt_slot){0}, htmt_slot(c, fiber));
}

static void fill_box(struct htmt_context *c)
{
    send_ten(c, TAKES);
    if (!((const struct mail *)htmt_args(c))->taker_first)
        htmt_signal(c, htmt_slot(c, SENDS));
}

static void take_box(struct htmt_context *c)
{
    const struct mail *m = htmt_args(c);
    if (m->taker_first)
        htmt_signal(c, htmt_slot(c, SENDS));
    cr_assert_eq(htmt_take(c, m->box), 10);
    htmt_charge(c, HTMT_FLOP, 10);
}

static void send_again(struct htmt_context *c)
{
    htmt_charge(c, HTMT_IOP, 10);
    send_ten(c, READS);
}

Test(slope, records_wait_for_room_and_for_their_sender)
{
    static const struct htmt_stage fibers[] = {{.control = take_box, .count = 1},
                                               {.control = send_again, .count = 1},
                                               {.cost = five, .control = retire_self, .count = 1}};
    for (int order = 0; order < 2; order++) {
        struct world_spec spec = world_plain(1);
        spec.servers[CRAM] = 4;
        struct world w = open_plain(&spec, HTMT_NO_SYMMETRY);
        struct mail mail = {.taker_first = order == 1};
        mail.from = world_object(&w, 0, CRAM, 80, "from");
        cr_assert_eq(htmt_mailbox_create(w.e, 0, CRAM, 8, 10, "box", &mail.box), 0);
        struct htmt_type *type =
            TYPE(&w, .name = "mail", .home = "cram", .exec = "cram",
                 .execute = {.control = fill_box}, .fibers = fibers, .fiber_count = 3,
                 .gates = HTMT_GATE(HTMT_RETIRE), .args_bytes = sizeof mail);
        START(&w, .type = type, .args = &mail);
        cr_assert_eq(world_run(&w), 15 * NS);
        struct htmt_machine flop = with_operation(w.m, CRAM, HTMT_FLOP),
                            iop = with_operation(w.m, CRAM, HTMT_IOP);
        expect_either(&w, &flop, &iop, 1);
        world_close(&w);
    }
}
