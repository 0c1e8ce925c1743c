/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A recording of a run by windows has the bytes of one by the sequential clock, however the slices
 * are dealt to partitions and these to threads.
 */
#include "tests/parcels/recording.h"
#include "tests/parcels/risk.h"
#include "tests/runtime/share.h"

#include <stdatomic.h>

static atomic_int allocations, refused_at; /* refused_at 0: none is refused */

bool htmt__fault_hook(void)
{
    return atomic_fetch_add(&allocations, 1) + 1 == atomic_load(&refused_at);
}

#define SLICES_MOST 8u

static struct htmt_options sequential(void)
{
    return (struct htmt_options){.mode = HTMT_MODEL, .clock = HTMT_CLOCK_SEQUENTIAL};
}

/* Slices dealt to partitions at random, windows of any width, one to three threads. */
static struct htmt_options any_windows(uint64_t *draw, uint32_t of[SLICES_MOST])
{
    static const unsigned bits[] = {8, 16, 20, 24, 40};
    for (uint32_t i = 0; i < SLICES_MOST; i++)
        of[i] = (uint32_t)(world_random(draw) % 100);
    return (struct htmt_options){.mode = HTMT_MODEL,
                                 .clock = HTMT_CLOCK_SHARED,
                                 .clock_threads = (uint32_t)(1 + world_random(draw) % 3),
                                 .clock_partitions = (uint32_t)(2 + world_random(draw) % 4),
                                 .partition_of = of,
                                 .window_most = INT64_C(1) << bits[world_random(draw) % 5]};
}

/* What a run left behind. */
struct take {
    char *bytes; /* of the file; NULL: there is none */
    size_t size;
    int code;
    bool windows;
    struct trace trace;
};

static void read_bytes(struct take *t, const char *path)
{
    FILE *f = fopen(path, "rb");
    t->bytes = f ? malloc(1 << 24) : NULL;
    t->size = t->bytes ? fread(t->bytes, 1, 1 << 24, f) : 0;
    if (f)
        fclose(f);
}

/* The emulator has run and goes. */
static struct take take(struct world *w, int code, const char *path)
{
    struct take t = {.code = code};
    struct htmt_clock_report r;
    htmt_clock_report(w->e, &r);
    t.windows = !r.in_order;
    read_bytes(&t, path);
    if (t.bytes)
        t.trace = trace_read(path);
    return t;
}

static void drop(struct take *t)
{
    if (t->bytes)
        trace_close(&t->trace);
    free(t->bytes);
}

static bool same_bytes(const struct take *a, const struct take *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* ---- random programs ------------------------------------------------------------------------- */

static struct take run_program(uint64_t seed, struct htmt_options o, struct htmt_recording r)
{
    static struct program p;
    char path[64];
    uint64_t draw = seed, more = seed;
    struct world_spec s = program_spec(&draw);
    if (seed % 3 == 0)
        s.hub_mwords[VORTEX] = (unsigned)world_between(&more, 300, 2000);
    if (seed % 5 == 0)
        s.hub_mwords[CNET] = (unsigned)world_between(&more, 300, 2000);
    trace_path(path);
    r.path = path;
    o.recording = &r;
    program_open_on(&p, &s, draw, true, 60, o);
    p.sections = seed % 2 ? 3 : 0;
    struct take t = take(&p.w, htmt_emulator_run(p.w.e), path);
    program_close(&p);
    return t;
}

/* Returns how many were played by windows. */
static unsigned compare_programs(uint64_t first, uint64_t last, struct htmt_recording r)
{
    unsigned by = 0;
    for (uint64_t seed = first; seed <= last; seed++) {
        uint64_t draw = seed;
        uint32_t of[SLICES_MOST];
        struct take a = run_program(seed, sequential(), r);
        struct take b = run_program(seed, any_windows(&draw, of), r);
        cr_assert(a.bytes && same_bytes(&a, &b), "seed %u", (unsigned)seed);
        by += b.windows;
        drop(&a);
        drop(&b);
    }
    return by;
}

Test(recording_windows, of_random_programs_has_the_same_bytes, .timeout = 120)
{
    unsigned by = compare_programs(1, share_of(200), (struct htmt_recording){0});
    cr_assert_gt(by, share_of(80), "%u by windows", by);
}

Test(recording_windows, of_a_part_has_the_same_bytes, .timeout = 120)
{
    static const struct htmt_slice_range range = {0, 0};
    static const char *const type[] = {"random 0", "random 1"}, *const put = "(put)";
    const unsigned some = share_of(20);
    compare_programs(201, 200 + some, (struct htmt_recording){.slices = &range, .slice_ranges = 1});
    compare_programs(221, 220 + some, (struct htmt_recording){.layers = 1u << SRAM});
    compare_programs(241, 240 + some, (struct htmt_recording){.types = type, .type_count = 2});
    compare_programs(261, 260 + some, (struct htmt_recording){.types = &put, .type_count = 1});
    compare_programs(281, 280 + some, (struct htmt_recording){.from = 200 * NS, .to = 900 * NS});
}

static struct take run_checked(uint64_t seed, struct htmt_options o)
{
    o.checked = true;
    return run_program(seed, o, (struct htmt_recording){0});
}

/* With several partitions, each slice's pages locked while another one plays. */
Test(recording_windows, of_checked_programs_have_as_many_intervals, .timeout = 120)
{
    for (uint64_t seed = 301; seed <= 300 + share_of(30); seed++) {
        uint64_t draw = seed;
        uint32_t of[SLICES_MOST];
        struct take a = run_checked(seed, sequential());
        struct take b = run_checked(seed, any_windows(&draw, of));
        cr_assert_eq(a.code, b.code);
        for (uint32_t s = 0; s < TRACE_SLICES; s++)
            cr_assert_eq(a.trace.count[s], b.trace.count[s], "seed %u, slice %u", (unsigned)seed,
                         s);
        drop(&a);
        drop(&b);
    }
}

/* ---- runs that fail -------------------------------------------------------------------------- */

static struct take run_risk(uint64_t seed, struct htmt_options o)
{
    char path[64];
    trace_path(path);
    struct htmt_recording r = {.path = path};
    o.recording = &r;
    struct world w = risk_run(seed, HTMT_NO_SYMMETRY, o);
    struct take t = take(&w, htmt_emulator_fault(w.e)->code, path);
    world_close(&w);
    return t;
}

/* The footer has counters and the history, too, which slices have taken on behind the failure. */
static bool same_blocks(const struct take *a, const struct take *b)
{
    uint64_t x, y;
    memcpy(&x, a->bytes + a->size - 32, sizeof x);
    memcpy(&y, b->bytes + b->size - 32, sizeof y);
    return x == y && memcmp(a->bytes, b->bytes, x) == 0;
}

static bool same_step(const struct trace *a, const struct trace *b, uint32_t x, uint32_t y)
{
    const struct htmt_trace_step *u = &a->info->step[x], *v = &b->info->step[y];
    return u->stage == v->stage && u->place == v->place && strcmp(u->type, v->type) == 0;
}

static bool same_interval(const struct trace *a, const struct trace *b, uint32_t slice, uint64_t i)
{
    const struct htmt_trace_interval *x = &a->of[slice][i], *y = &b->of[slice][i];
    return x->end == y->end && x->service == y->service && x->wait == y->wait &&
           x->serial == y->serial && x->cause == y->cause && x->line == y->line &&
           same_step(a, b, x->step, y->step);
}

static uint64_t closed(const struct trace *t, uint32_t slice)
{
    uint64_t n = t->count[slice];
    while (n && t->of[slice][n - 1].open)
        n--;
    return n;
}

/* What was over before the failure. */
static void same_past(const struct trace *a, const struct trace *b, uint64_t seed)
{
    for (uint32_t s = 0; s < TRACE_SLICES; s++) {
        cr_assert_eq(closed(a, s), closed(b, s), "seed %u, slice %u", (unsigned)seed, s);
        for (uint64_t i = 0; i < closed(a, s); i++)
            cr_assert(same_interval(a, b, s, i), "seed %u, slice %u, interval %u", (unsigned)seed,
                      s, (unsigned)i);
    }
}

/* Of the footer. */
static void sums_agree(const struct trace *t, uint64_t seed)
{
    struct trace_sums sums = {0};
    for (uint32_t s = 0; s < TRACE_SLICES; s++)
        for (uint64_t k = 0; k < t->count[s]; k++)
            trace_add(t, &t->of[s][k], &sums);
    for (uint32_t i = 0; i < t->info->resources; i++)
        cr_assert(sums.busy[i] == t->info->resource[i].busy &&
                      sums.waited[i] == t->info->resource[i].waited,
                  "seed %u, %s", (unsigned)seed, t->info->resource[i].name);
}

Test(recording_windows, of_a_run_that_fails_ends_with_the_failure, .timeout = 120)
{
    unsigned failed = 0;
    for (uint64_t seed = 1; seed <= share_of(600); seed++) {
        uint64_t draw = seed;
        uint32_t of[SLICES_MOST], other[SLICES_MOST];
        struct take a = run_risk(seed, sequential());
        struct take b = run_risk(seed, any_windows(&draw, of));
        struct htmt_options o = any_windows(&draw, other);
        o.window_most = 0;
        struct take c = run_risk(seed, o);
        o.clock_threads = o.clock_threads % 3 + 1;
        o.clock_partitions++;
        struct take d = run_risk(seed, o);
        same_past(&a.trace, &b.trace, seed);
        sums_agree(&b.trace, seed);
        cr_assert(a.code || same_bytes(&a, &b), "seed %u", (unsigned)seed);
        cr_assert(same_blocks(&c, &d), "seed %u", (unsigned)seed);
        failed += a.code != 0;
        drop(&a);
        drop(&b);
        drop(&c);
        drop(&d);
    }
    cr_assert_gt(failed, share_of(200), "%u failed", failed);
}

static bool at_once(void *user)
{
    (void)user;
    return true;
}

COST(busy_cost, ops->n[HTMT_CYCLE] = 60)

/* Many in each slice, of which one is served after the other. */
static void start_many(struct world *w, uint32_t slices)
{
    struct htmt_type *t =
        TYPE(w, .name = "cell", .home = "cram", .exec = "cram", .execute = {.cost = busy_cost});
    for (uint32_t i = 0; i < 70000; i++)
        START(w, .type = t, .slice = i % slices);
}

/* It ends between two windows: all sums are those of its intervals. */
Test(recording_windows, of_a_cancelled_run_ends_with_a_window)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        char path[64];
        struct world_spec s = world_plain(4);
        for (int n = 0; n < NETWORKS; n++)
            s.network[n].latency_ns = 25;
        trace_path(path);
        struct htmt_recording r = {.path = path};
        struct world w = OPEN(&s, .mode = HTMT_MODEL, .clock = HTMT_CLOCK_SHARED,
                              .clock_threads = threads, .cancelled = at_once, .recording = &r);
        start_many(&w, 4);
        cr_assert_eq(htmt_emulator_run(w.e), HTMT_ECANCELLED);
        struct take t = take(&w, HTMT_ECANCELLED, path);
        cr_assert(t.bytes && !t.trace.info->complete);
        cr_assert_eq(t.trace.info->end, htmt_predicted(w.e));
        cr_assert_lt(closed(&t.trace, 3), t.trace.count[3]);
        trace_sums_equal(&t.trace, w.e);
        drop(&t);
        world_close(&w);
    }
}

/* ---- without memory -------------------------------------------------------------------------- */

static bool run_refused(int at)
{
    uint64_t draw = 5;
    uint32_t of[SLICES_MOST];
    struct htmt_options o = any_windows(&draw, of);
    static struct program p;
    char path[64];
    uint64_t more = 31;
    struct world_spec s = program_spec(&more);
    trace_path(path);
    struct htmt_recording r = {.path = path};
    o.recording = &r;
    program_open_on(&p, &s, more, true, 60, o);
    p.sections = 3;
    atomic_store(&allocations, 0);
    atomic_store(&refused_at, at);
    int rc = htmt_emulator_run(p.w.e);
    atomic_store(&refused_at, 0);
    bool reached = atomic_load(&allocations) >= at;
    cr_assert(rc == 0 || rc == HTMT_ENOMEM || rc == HTMT_ESYSTEM, "%s",
              htmt_emulator_fault(p.w.e)->text);
    unlink(path);
    program_close(&p);
    return reached;
}

Test(recording_windows, without_memory_ends_with_a_line, .timeout = 120)
{
    int at = 1;
    while (run_refused(at))
        at++;
    cr_assert_gt(at, 8, "%d allocations", at);
}
