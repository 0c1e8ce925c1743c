/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock to the femtosecond: each makespan against a formula of queueing worked out by hand, or
 * against a few lines of queue in the test.
 */
#include "tests/parcels/world.h"

/* ---- banks ----------------------------------------------------------------------------------- */

struct ends {
    htmt_time at[64];
    unsigned count;
};

static void note_end(void *user, const struct htmt_event *event)
{
    struct ends *ends = user;
    if (event->stage == HTMT_EXECUTE && ends->count < 64)
        ends->at[ends->count++] = event->time;
}

static htmt_time least(const htmt_time *free, unsigned k, unsigned *which)
{
    *which = 0;
    for (unsigned i = 1; i < k; i++)
        if (free[i] < free[*which])
            *which = i;
    return free[*which];
}

static int by_time(const void *a, const void *b)
{
    htmt_time x = *(const htmt_time *)a, y = *(const htmt_time *)b;
    return (x > y) - (x < y);
}

/* First come first served on k servers: the next in line goes to the server free first. */
Test(exact, a_bank_of_k_servers_is_list_scheduling)
{
    for (unsigned k = 1; k <= 5; k++) {
        struct world_spec s = world_plain(1);
        struct ends ends = {.count = 0};
        htmt_time free[5] = {0}, want[40];
        uint64_t seed = 7 + k;
        s.servers[CRAM] = k;
        struct world w = OPEN(&s, .mode = HTMT_MODEL, .observe = note_end, .user = &ends);
        struct htmt_type *t =
            TYPE(&w, .name = "job", .home = "cram", .exec = "cram",
                 .execute = {.cost = world_execute}, .args_bytes = sizeof(struct world_work));
        for (unsigned i = 0; i < 40; i++) {
            struct world_work work = {.execute = world_between(&seed, 1, 1000)};
            unsigned at;
            want[i] = least(free, k, &at) + (htmt_time)work.execute * NS;
            free[at] = want[i];
            START(&w, .type = t, .args = &work);
        }
        world_run(&w);
        qsort(want, 40, sizeof *want, by_time);
        cr_assert_eq(ends.count, 40);
        for (unsigned i = 0; i < 40; i++)
            cr_assert_eq(ends.at[i], want[i], "k %u, job %u: %lld", k, i, (long long)ends.at[i]);
        world_close(&w);
    }
}

COST(fixed_ops, *ops = *(const struct htmt_ops *)user)

static htmt_time one_job(const struct world_spec *s, struct htmt_ops ops, unsigned jobs)
{
    struct world w = OPEN(s, .mode = HTMT_MODEL);
    struct htmt_type *t = TYPE(&w, .name = "job", .home = "cram", .exec = "cram",
                               .execute = {.cost = fixed_ops}, .user = &ops);
    for (unsigned i = 0; i < jobs; i++)
        START(&w, .type = t);
    htmt_time end = world_run(&w);
    world_close(&w);
    return end;
}

/* 3 GHz: n cycles are round(n 10^6 / 3) fs; 16 GHz: 62,500 fs; each service rounds once. */
Test(exact, a_service_is_rounded_once_half_up)
{
    struct world_spec s = world_plain(1);
    s.mhz[CRAM] = 3000;
    cr_assert_eq(one_job(&s, (struct htmt_ops){{1}}, 1), 333333);
    cr_assert_eq(one_job(&s, (struct htmt_ops){{2}}, 1), 666667);
    cr_assert_eq(one_job(&s, (struct htmt_ops){{3}}, 1), 1000000);
    cr_assert_eq(one_job(&s, (struct htmt_ops){{2}}, 10), 6666670);
    s.mhz[CRAM] = 64000; /* 15,625 fs; with lambda 1/2 below a half femtosecond is left */
    s.lambda = "0.5";
    /* flop 15,625, iop 15,625: 15,625 + 7,812.5 = 23,437.5, half up */
    cr_assert_eq(one_job(&s, (struct htmt_ops){{0, 1, 1}}, 1), 23438);
    cr_assert_eq(one_job(&s, (struct htmt_ops){{0, 1, 1}}, 2), 2 * 23438);
}

/* f = max + (1 - lambda)(sum - max); a load is 3 cycles, a store 2 (world.h). */
Test(exact, work_composes_by_lambda)
{
    struct htmt_ops ops = {{0, 100, 10, 20, 5}}; /* 100 + 10 + 60 + 10 = 180 ns, longest 100 */
    struct world_spec s = world_plain(1);
    s.lambda = "0";
    cr_assert_eq(one_job(&s, ops, 1), 180 * NS);
    s.lambda = "1";
    cr_assert_eq(one_job(&s, ops, 1), 100 * NS);
    s.lambda = "0.25";
    cr_assert_eq(one_job(&s, ops, 1), 160 * NS);
}

/* ---- eight stages ---------------------------------------------------------------------------- */

struct eight {
    struct world_work work;
    uint64_t in, out;
};

static htmt_time run_eight(const struct world_spec *s, struct eight q, unsigned n)
{
    struct world w = OPEN(s, .mode = HTMT_MODEL);
    struct htmt_type *t = world_type(&w, world_eight());
    struct htmt_object *a = world_object(&w, 0, DRAM, 8 * q.in, "a");
    struct htmt_object *b = world_object(&w, 0, DRAM, 8 * q.out, "b");
    struct htmt_region r[] = {{.from = htmt_in(a, 0), .bytes = 8 * q.in},
                              {.to = htmt_in(b, 0), .bytes = 8 * q.out}};
    for (unsigned i = 0; i < n; i++)
        START(&w, .type = t, .args = &q.work, .regions = r, .region_count = 2);
    htmt_time end = world_run(&w);
    world_close(&w);
    return end;
}

/* Services of the PIMs never queue here, so the single servers are five: two ways of the vortex,
 * two of the RTI, the SPELL. Makespan = sum of all stages + (n - 1) times the longest of them. */
static htmt_time theory(const struct world_spec *s, struct eight q, unsigned n)
{
    const struct world_network *v = &s->network[VORTEX], *r = &s->network[RTI];
    htmt_time words = 1000 * NS;
    htmt_time move[] = {v->startup_ns * NS + (htmt_time)q.in * words / v->outer_mwords,
                        r->startup_ns * NS + (htmt_time)q.in * words / r->outer_mwords,
                        (htmt_time)q.work.execute * NS,
                        r->startup_ns * NS + (htmt_time)q.out * words / r->inner_mwords,
                        v->startup_ns * NS + (htmt_time)q.out * words / v->inner_mwords};
    const struct world_work *k = &q.work;
    htmt_time sum = (htmt_time)(k->assemble + k->dispatch + k->retire + k->place) * NS, most = 0;
    for (int i = 0; i < 5; i++) {
        sum += move[i];
        most = move[i] > most ? move[i] : most;
    }
    return sum + 2 * (v->latency_ns + r->latency_ns) * NS + (n - 1) * most;
}

Test(exact, one_type_through_eight_stages_is_fill_and_bottleneck_and_drain)
{
    struct eight q[] = {{{50, 30, 10, 20, 40}, 1000, 10},    /* gather */
                        {{50, 30, 5000, 20, 40}, 70, 10},    /* execute */
                        {{50, 30, 10, 20, 40}, 10, 1000},    /* scatter */
                        {{5000, 7000, 10, 3000, 40}, 9, 8}}; /* none of the services */
    struct world_spec s = world_plain(1);
    s.servers[DRAM] = s.servers[SRAM] = 64;
    s.network[VORTEX].latency_ns = 85;
    s.network[RTI].latency_ns = 20;
    s.network[RTI].inner_mwords = 500;
    for (unsigned i = 0; i < sizeof q / sizeof *q; i++)
        for (unsigned n = 1; n <= 20; n += 19) {
            htmt_time got = run_eight(&s, q[i], n), want = theory(&s, q[i], n);
            cr_assert_eq(got, want, "case %u, %u parcels: %lld, not %lld", i, n, (long long)got,
                         (long long)want);
        }
}

Test(exact, every_message_pays_its_startup_once)
{
    struct eight q = {{1, 1, 1, 1, 1}, 100, 50};
    struct world_spec s = world_plain(1);
    s.servers[DRAM] = s.servers[SRAM] = 64;
    s.network[VORTEX].startup_ns = 300;
    s.network[VORTEX].latency_ns = 85;
    s.network[RTI].startup_ns = 11;
    cr_assert_eq(run_eight(&s, q, 1), theory(&s, q, 1), "%lld", (long long)run_eight(&s, q, 1));
    cr_assert_eq(run_eight(&s, q, 9), theory(&s, q, 9));
}

/* ---- links ----------------------------------------------------------------------------------- */

struct shot {
    struct htmt_object *dst, *src;
    uint64_t bytes;
    unsigned times;
};

static void fire(struct htmt_context *c)
{
    const struct shot *shot = htmt_args(c);
    for (unsigned i = 0; i < shot->times; i++)
        PUT(c, .dst = htmt_in(shot->dst, 0), .src = htmt_in(shot->src, 0), .bytes = shot->bytes);
}

static struct htmt_type *shooter(struct world *w, const char *layer)
{
    return TYPE(w, .name = layer, .home = layer, .exec = layer, .execute = {.control = fire},
                .args_bytes = sizeof(struct shot));
}

/* `sources` slices put `words` words each into slice 0 at one instant, `times` times. */
static htmt_time incast(const struct world_spec *s, unsigned sources, uint64_t words,
                        unsigned times)
{
    struct world w = OPEN(s, .mode = HTMT_MODEL);
    struct htmt_type *t = shooter(&w, "dram");
    for (unsigned i = 1; i <= sources; i++) {
        struct shot shot = {world_object(&w, 0, SRAM, 8 * words, "dst"),
                            world_object(&w, i, DRAM, 8 * words, "src"), 8 * words, times};
        START(&w, .type = t, .slice = i, .args = &shot);
    }
    htmt_time end = world_run(&w);
    world_close(&w);
    return end;
}

Test(exact, the_vortex_cuts_through_and_its_four_fibers_take_a_burst)
{
    struct world_spec s = world_plain(9);
    s.network[VORTEX].latency_ns = 85;
    s.network[VORTEX].inner_in = 4;
    cr_assert_eq(incast(&s, 1, 1000, 1), (85 + 1000) * NS); /* 1:1 */
    cr_assert_eq(incast(&s, 4, 1000, 1), (85 + 1000) * NS); /* 4:1 burst: a fiber each */
    cr_assert_eq(incast(&s, 5, 1000, 1), (85 + 2000) * NS);
    cr_assert_eq(incast(&s, 8, 1000, 1), (85 + 2000) * NS); /* 8:1 incast */
    cr_assert_eq(incast(&s, 8, 1000, 10), (85 + 20 * 1000) * NS);
    s.network[VORTEX].inner_in = 1;
    cr_assert_eq(incast(&s, 8, 1000, 1), (85 + 8000) * NS);
}

Test(exact, a_slow_receiver_bounds_a_message_after_the_latency)
{
    struct world_spec s = world_plain(2);
    s.network[VORTEX] = (struct world_network){7, 85, 1000, 1000, 0, 1, 250};
    cr_assert_eq(incast(&s, 1, 1000, 1), (7 + 85 + 4000) * NS);
    cr_assert_eq(incast(&s, 1, 1000, 3), (7 + 85 + 3 * 4000) * NS);
    s.network[VORTEX].in_mwords = 4000; /* a fast one ends with the last word sent */
    cr_assert_eq(incast(&s, 1, 1000, 1), (7 + 85 + 1000) * NS);
    cr_assert_eq(incast(&s, 1, 1000, 3), (3 * 1007 + 85) * NS);
}

/* Both ways of a link at once take as long as one. */
Test(exact, links_are_full_duplex)
{
    struct world_spec s = world_plain(1);
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_object *in_sram = world_object(&w, 0, SRAM, 8000, "s");
    struct htmt_object *in_cram = world_object(&w, 0, CRAM, 8000, "c");
    struct shot inward = {in_cram, in_sram, 8000, 5}, outward = {in_sram, in_cram, 8000, 5};
    START(&w, .type = shooter(&w, "sram"), .args = &inward);
    START(&w, .type = shooter(&w, "cram"), .args = &outward);
    cr_assert_eq(world_run(&w), 5000 * NS);
    world_close(&w);
}
