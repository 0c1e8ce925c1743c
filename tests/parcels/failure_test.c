/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Kernels that fail: of all that end a run, the earliest in virtual order is reported, whatever the
 * host does.
 */
#include "tests/parcels/program.h"

#include <time.h>

#define LINE 500

/* ---- random programs ------------------------------------------------------------------------- */

static int drawn(uint64_t seed, bool known, struct htmt_options o, char line[LINE])
{
    struct program p;
    program_open(&p, seed, known, 40, o);
    p.failing = 7 + (uint32_t)seed % 40;
    int rc = htmt_emulator_run(p.w.e);
    snprintf(line, LINE, "%s", htmt_emulator_fault(p.w.e)->text);
    program_close(&p);
    return rc;
}

static unsigned draw(bool known)
{
    static const struct htmt_options ways[] = {{.threads = 2, .delay_seed = 1},
                                               {.threads = 3, .delay_seed = 2},
                                               {.threads = 8, .delay_seed = 3},
                                               {.threads = 8},
                                               {.layer_threads = {1, 0, 2}, .delay_seed = 4},
                                               {.threads = 2, .run_ahead_bytes = 4096}};
    unsigned failed = 0;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        char one[LINE], line[LINE];
        int rc = drawn(seed, known, (struct htmt_options){.threads = 1}, one);
        failed += rc == HTMT_ERANGE;
        for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
            cr_assert_eq(drawn(seed, known, ways[i], line), rc, "seed %u", (unsigned)seed);
            cr_assert_str_eq(line, one, "seed %u, way %u", (unsigned)seed, i);
        }
    }
    return failed;
}

Test(failure, threads_and_delays_change_no_letter_of_the_line, .timeout = 120)
{
    unsigned failed = draw(false);
    cr_assert_gt(failed, 15, "%u runs failed", failed);
}

/* Costs are known, nobody waits for kernels, and many are one job with their moves. */
Test(failure, nor_where_nobody_waits_for_kernels, .timeout = 120)
{
    unsigned failed = draw(true);
    cr_assert_gt(failed, 15, "%u runs failed", failed);
}

/* Checked jobs run one at a time, and none is one with its moves. At time 0 a checked run meets the
 * slices one by one. */
Test(failure, nor_in_a_checked_run, .timeout = 60)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct htmt_options o = {.threads = 1, .checked = true};
        char one[LINE], line[LINE];
        int rc = drawn(seed, true, o, one);
        o.threads = 3;
        cr_assert_eq(drawn(seed, true, o, line), rc);
        cr_assert_str_eq(line, one, "seed %u: %s, %s", (unsigned)seed, line, one);
    }
}

/* ---- made by hand ---------------------------------------------------------------------------- */

struct who {
    const char *name; /* fails if there is one */
    uint64_t cycles, host_ms;
    struct htmt_ref open; /* its control opens that one's gate EXECUTE */
    const char *gives_up; /* its control fails */
    bool discards;
};

static void wait_ms(uint64_t ms)
{
    struct timespec pause = {0, (long)ms * 1000000};
    nanosleep(&pause, NULL);
}

static void fail_by_name(struct htmt_kernel *k)
{
    const struct who *w = htmt_kernel_args(k);
    wait_ms(w->host_ms);
    if (w->name)
        htmt_kernel_fail(k, HTMT_ERANGE, "%s", w->name);
}

COST(who_cost, ops->n[HTMT_CYCLE] = ((const struct who *)args)->cycles)

static void who_control(struct htmt_context *c)
{
    const struct who *w = htmt_args(c);
    if (!htmt_ref_none(w->open) && w->discards)
        htmt_discard(c, w->open);
    else if (!htmt_ref_none(w->open))
        htmt_execute(c, w->open);
    if (w->gives_up)
        htmt_fail(c, HTMT_EOVERFLOW, "%s", w->gives_up);
}

struct cast {
    struct world w;
    struct htmt_object *data;
    struct htmt_type *plain, *gated, *kept; /* kept: waits before it scatters */
    uint32_t parcels;
};

static struct htmt_type *type_of(struct cast *c, const char *name, uint32_t gates)
{
    bool fused = gates != HTMT_GATE(HTMT_EXECUTE); /* a control is no obstacle */
    return TYPE(&c->w, .name = name, .home = "dram", .exec = "cram",
                .execute = {.kernel = fail_by_name,
                            .cost = who_cost,
                            .control = fused ? who_control : NULL},
                .gates = gates, .args_bytes = sizeof(struct who));
}

static struct cast open_cast(uint32_t threads)
{
    struct world_spec s = world_plain(1);
    struct cast c = {.w = OPEN(&s, .threads = threads)};
    c.data = world_object(&c.w, 0, DRAM, 1024, "data");
    c.plain = type_of(&c, "plain", 0);
    c.gated = type_of(&c, "gated", HTMT_GATE(HTMT_EXECUTE));
    c.kept = type_of(&c, "kept", HTMT_GATE(HTMT_SCATTER));
    return c;
}

/* Each works on 64 bytes of its own, up and down again. */
static struct htmt_ref start(struct cast *c, const struct htmt_type *type, struct who who)
{
    struct htmt_ref ref = {0};
    struct htmt_region r = {.from = htmt_in(c->data, 64 * c->parcels++), .bytes = 64};
    r.to = r.from;
    cr_assert_eq(ASSEMBLE(htmt_root(c->w.e), &ref, .type = type, .regions = &r, .region_count = 1,
                          .args = &who),
                 0);
    return ref;
}

static void ends(struct cast *c, int code, const char *words)
{
    int rc = htmt_emulator_run(c->w.e);
    const char *line = htmt_emulator_fault(c->w.e)->text;
    cr_assert_eq(rc, code, "%s: %s", htmt_err_name(rc), line);
    cr_assert(!words || strstr(line, words), "%s", line);
    world_close(&c->w);
}

static const uint32_t workers[] = {1, 2, 3, 8};
#define FOR_ALL(threads)                                                                           \
    for (const uint32_t *threads = workers; threads < workers + sizeof workers / sizeof *workers;  \
         threads++)

/* The late one's closure is complete first, and its kernel is done at once. */
Test(failure, the_order_is_that_of_virtual_starts)
{
    FOR_ALL(threads)
    {
        struct cast c = open_cast(*threads);
        struct htmt_ref late = start(&c, c.gated, (struct who){.name = "late", .cycles = 5});
        start(&c, c.plain,
              (struct who){.name = "early", .cycles = 900, .host_ms = 20, .open = late});
        ends(&c, HTMT_ERANGE, "type plain, slice 0, execute: early (parcel 2)");
    }
}

Test(failure, a_kernel_whose_turn_never_comes_fails_nobody)
{
    FOR_ALL(threads)
    {
        struct cast c = open_cast(*threads);
        start(&c, c.gated, (struct who){.name = "never"});
        ends(&c, HTMT_EDEADLOCK, "nothing can move");
        c = open_cast(*threads);
        start(&c, c.gated, (struct who){.name = "never"});
        start(&c, c.plain, (struct who){.gives_up = "control"});
        ends(&c, HTMT_EOVERFLOW, "control");
        c = open_cast(*threads);
        struct htmt_ref never = start(&c, c.gated, (struct who){.name = "never"});
        start(&c, c.plain, (struct who){.open = never, .discards = true});
        ends(&c, 0, NULL);
    }
}

/* Both queue for the SPELL; its control says so when the second one begins. */
Test(failure, a_kernel_fails_before_a_control_that_runs_later)
{
    FOR_ALL(threads)
    {
        struct cast c = open_cast(*threads);
        start(&c, c.plain, (struct who){.name = "kernel", .cycles = 9, .host_ms = 20});
        start(&c, c.plain, (struct who){.gives_up = "control"});
        ends(&c, HTMT_ERANGE, "kernel");
        c = open_cast(*threads);
        start(&c, c.plain, (struct who){.gives_up = "control"});
        start(&c, c.plain, (struct who){.name = "kernel"});
        ends(&c, HTMT_EOVERFLOW, "control");
    }
}

/* Its kernel would run when it scatters, which it never does. */
Test(failure, a_kernel_that_is_one_job_with_its_moves_fails_at_its_start)
{
    FOR_ALL(threads)
    {
        struct cast c = open_cast(*threads);
        start(&c, c.kept, (struct who){.name = "kept"});
        ends(&c, HTMT_ERANGE, "type kept, slice 0, execute: kept");
        c = open_cast(*threads);
        start(&c, c.kept, (struct who){.name = "kept"});
        start(&c, c.plain, (struct who){.gives_up = "control"});
        ends(&c, HTMT_ERANGE, "kept");
    }
}

/* ---- one kernel ------------------------------------------------------------------------------ */

static void fail_in_parts(struct htmt_kernel *k)
{
    uint32_t part = htmt_kernel_part(k);
    wait_ms(part == 3 ? 10 : 0);
    if (part < 3)
        return;
    htmt_kernel_fail(k, HTMT_ERANGE, "part %u", part);
    htmt_kernel_fail(k, HTMT_EBOUNDS, "again");
    htmt_count(k, HTMT_CYCLE, 7); /* its cost function says something else */
}

COST(three_cycles, ops->n[HTMT_CYCLE] = 3)
CONTROL(never_called, cr_assert(false, "the control of a kernel that failed, in %u", htmt_slice(c)))

static void play_parts(struct htmt_options o, struct htmt_stage stage)
{
    struct world_spec s = world_plain(1);
    struct world w = world_open(&s, o);
    stage.kernel = fail_in_parts;
    stage.parts = 8;
    struct htmt_type *t = TYPE(&w, .name = "parts", .home = "cram", .exec = "cram",
                               .execute = stage, .result_bytes = 8);
    START(&w, .type = t);
    cr_assert_eq(htmt_emulator_run(w.e), HTMT_ERANGE);
    cr_assert_str_eq(htmt_emulator_fault(w.e)->text,
                     "type parts, slice 0, execute: part 3 (parcel 1)");
    world_close(&w);
}

Test(failure, of_one_kernel_the_first_call_of_the_lowest_part_stays)
{
    FOR_ALL(threads)
    {
        struct htmt_options o = {.threads = *threads, .delay_seed = *threads};
        play_parts(o, (struct htmt_stage){0});
        play_parts(o, (struct htmt_stage){.cost = three_cycles});
        play_parts(o, (struct htmt_stage){.control = never_called, .steered = true});
    }
}

/* ---- without end ----------------------------------------------------------------------------- */

static void fail_late(struct htmt_kernel *k)
{
    uint64_t *left = htmt_kernel_result(k);
    if (++*left == 1000)
        htmt_kernel_fail(k, HTMT_ERANGE, "call %llu", (unsigned long long)*left);
    htmt_count(k, HTMT_CYCLE, 1);
}

COST(one_cycle, ops->n[HTMT_CYCLE] = 1)
CONTROL(go_round, htmt_slot_set(c, 1, 1, 0); htmt_signal(c, htmt_slot(c, 1)))

/* Its control would signal for ever. */
Test(failure, a_program_that_would_not_end_does, .timeout = 60)
{
    static const struct htmt_stage fibers[] = {
        {.kernel = fail_late, .control = go_round},
        {.kernel = fail_late, .cost = one_cycle, .control = go_round}};
    FOR_ALL(threads)
    {
        struct world_spec s = world_plain(1);
        struct world w = OPEN(&s, .threads = *threads);
        struct htmt_type *t = TYPE(
            &w, .name = "round", .home = "cram", .exec = "cram", .execute = {.control = go_round},
            .fibers = &fibers[*threads % 2], .fiber_count = 1, .result_bytes = 8);
        START(&w, .type = t);
        ends(&(struct cast){.w = w}, HTMT_ERANGE, "type round, slice 0, fiber 1: call 1000");
    }
}

/* ---- beside a collective --------------------------------------------------------------------- */

static void add(void *into, const void *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes / 8; i++)
        ((double *)into)[i] += ((const double *)from)[i];
}

static void join(struct htmt_context *c)
{
    struct htmt_allreduce *const *sum = htmt_args(c);
    htmt_allreduce(c, *sum, htmt_slot(c, 1));
}

CONTROL(joined, htmt_retire(c, htmt_self(c)))

static void fail_in_slice(struct htmt_kernel *k)
{
    uint32_t slice = htmt_kernel_slice(k);
    wait_ms(slice == 2 ? 20 : 0);
    if (slice >= 2)
        htmt_kernel_fail(k, HTMT_EWRONG, NULL);
}

/* Slice 3 is found first, slice 2 began first. The all-reduce is over long after both. */
Test(failure, an_all_reduce_goes_on_around_it)
{
    static const struct htmt_stage fiber = {
        .kernel = fail_in_slice, .cost = three_cycles, .control = joined, .count = 1};
    FOR_ALL(threads)
    {
        struct world_spec s = world_plain(4);
        struct world w = OPEN(&s, .threads = *threads);
        struct htmt_frame *frame;
        struct htmt_allreduce *sum;
        cr_assert_eq(htmt_frame_create(w.e, CRAM, 64, "sum", &frame), 0);
        cr_assert_eq(
            htmt_allreduce_create(w.e,
                                  &(struct htmt_allreduce_desc){
                                      .frame = frame, .bytes = 64, .combine = add, .name = "sum"},
                                  &sum),
            0);
        struct htmt_type *t =
            TYPE(&w, .name = "joiner", .home = "cram", .exec = "cram", .execute = {.control = join},
                 .fibers = &fiber, .fiber_count = 1, .args_bytes = sizeof(void *));
        for (uint32_t i = 0; i < 4; i++)
            START(&w, .type = t, .slice = i, .args = &sum);
        cr_assert_eq(htmt_emulator_run(w.e), HTMT_EWRONG);
        cr_assert_str_eq(htmt_emulator_fault(w.e)->text,
                         "type joiner, slice 2, fiber 1: the result is wrong (parcel 6)");
        world_close(&w);
    }
}
