/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What must hold on any machine, on random ones from seeds: equality with the closed form where
 * nothing waits, bounds, monotonicity, scaling. With HTMT_LONG on twenty times as many.
 */
#include "tests/parcels/world.h"
#include "tests/runtime/share.h"

static uint64_t machines(void)
{
    return getenv("HTMT_LONG") ? 20000 : share_of(1000);
}

/* n equal parcels of one type that go all the way up and back on a machine. */
struct pipe {
    struct world_spec spec;
    struct world_work work;
    uint64_t words, back;
    unsigned parcels;
};

static unsigned rate(uint64_t *seed)
{
    return (unsigned)world_between(seed, 3, 3001);
}

static struct pipe random_pipe(uint64_t seed)
{
    seed = seed * 2654435761u + 77;
    struct pipe p = {.spec = world_plain(1)};
    for (int l = 0; l < LAYERS; l++) {
        p.spec.servers[l] = (unsigned)world_between(&seed, 1, 4);
        p.spec.mhz[l] = rate(&seed);
    }
    for (int n = 0; n < NETWORKS; n++)
        p.spec.network[n] = (struct world_network){(unsigned)world_between(&seed, 0, 1) * 6,
                                                   (unsigned)world_between(&seed, 0, 3) * 20,
                                                   rate(&seed),
                                                   rate(&seed),
                                                   (unsigned)world_between(&seed, 0, 2),
                                                   (unsigned)world_between(&seed, 0, 3),
                                                   rate(&seed)};
    p.work = (struct world_work){.assemble = world_between(&seed, 0, 300),
                                 .dispatch = world_between(&seed, 0, 300),
                                 .execute = world_between(&seed, 1, 3000)};
    p.words = world_between(&seed, 1, 400);
    p.back = world_between(&seed, 0, 1) * world_between(&seed, 1, p.words);
    p.parcels = (unsigned)world_between(&seed, 1, 12);
    p.spec.capacity[CRAM] = p.words * world_between(&seed, 1, 4);
    p.spec.capacity[SRAM] = p.words * world_between(&seed, 1, 8);
    return p;
}

struct seen {
    htmt_time time, busiest; /* of a resource, over its servers */
    uint64_t charges;
};

static struct seen play(const struct pipe *p)
{
    struct world w = OPEN(&p->spec, .mode = HTMT_MODEL, .explain = true);
    struct htmt_type_desc d = world_eight();
    d.in_place = true;
    struct htmt_type *type = world_type(&w, d);
    struct htmt_object *o = world_object(&w, 0, DRAM, 8 * 400, "data");
    struct htmt_region r = {.from = htmt_in(o, 0), .bytes = 8 * p->words};
    if (p->back) {
        r.to = r.from;
        for (int l = 0; l < LAYERS; l++)
            r.out_words[l] = p->back;
    }
    for (unsigned i = 0; i < p->parcels; i++)
        START(&w, .type = type, .args = &p->work, .regions = &r, .region_count = 1);
    struct seen s = {.time = world_run(&w)};
    struct htmt_path path;
    cr_assert_eq(htmt_path_find(w.e, &path), 0);
    s.charges = path.length;
    htmt_path_clear(&path);
    struct htmt_resource_report b;
    for (uint32_t i = 0; htmt_resource_at(w.e, i, &b) == 0; i++) {
        htmt_time each = b.count ? (htmt_time)((b.busy + b.count - 1) / b.count) : 0;
        s.busiest = each > s.busiest ? each : s.busiest;
    }
    world_close(&w);
    return s;
}

/* ---- the closed form of one parcel ----------------------------------------------------------- */

static htmt_time served(const struct htmt_machine *m, uint32_t layer, uint64_t cycles)
{
    struct htmt_ops ops = {{[HTMT_CYCLE] = cycles}};
    return htmt_machine_work(m, layer, &ops);
}

/* The head leaves after the start-up; the in channel takes its time from the head's arrival on, the
 * end is there when both are through. */
static htmt_time moved(const struct htmt_machine *m, uint32_t network, uint32_t from, uint32_t to,
                       uint64_t words)
{
    const struct htmt_network *n = &m->network[network];
    htmt_time out = htmt_machine_out_time(m, network, from, to, words, 1, 1) + n->latency;
    htmt_time in = n->startup + n->latency + htmt_machine_in_time(m, network, to, words, 1);
    return n->port[to].in && in > out ? in : out;
}

/* Everything that one parcel does, one thing after another. */
static htmt_time alone(const struct pipe *p)
{
    struct htmt_machine *m = world_machine(&p->spec);
    htmt_time t = served(m, DRAM, p->work.assemble) + moved(m, VORTEX, DRAM, SRAM, p->words) +
                  served(m, SRAM, p->work.dispatch) + moved(m, RTI, SRAM, CRAM, p->words) +
                  served(m, CRAM, p->work.execute);
    if (p->back)
        t += moved(m, RTI, CRAM, SRAM, p->back) + moved(m, VORTEX, SRAM, DRAM, p->back);
    htmt_machine_destroy(&m);
    return t;
}

Test(property, a_parcel_alone_takes_what_the_closed_form_says)
{
    for (uint64_t seed = 1; seed <= machines(); seed++) {
        struct pipe p = random_pipe(seed);
        p.parcels = 1;
        cr_assert_eq(play(&p).time, alone(&p), "seed %llu", (unsigned long long)seed);
    }
}

Test(property, the_time_lies_between_the_largest_part_and_the_sum)
{
    for (uint64_t seed = 1; seed <= machines(); seed++) {
        struct pipe p = random_pipe(seed);
        struct seen s = play(&p);
        htmt_time one = alone(&p);
        cr_assert_geq(s.time, one, "seed %llu", (unsigned long long)seed);
        cr_assert_leq(s.time, one * p.parcels, "seed %llu", (unsigned long long)seed);
        cr_assert_geq(s.time, s.busiest, "seed %llu", (unsigned long long)seed);
    }
}

/* ---- faster is not slower -------------------------------------------------------------------- */

static void speed_up(struct pipe *p, uint64_t *seed)
{
    unsigned factor = (unsigned)world_between(seed, 2, 5);
    uint64_t n = world_random(seed) % NETWORKS;
    switch (world_random(seed) % 4) {
    case 0:
        p->spec.mhz[world_random(seed) % LAYERS] *= factor;
        break;
    case 1:
        p->spec.network[n].outer_mwords *= factor;
        break;
    case 2:
        p->spec.network[n].inner_mwords *= factor;
        break;
    default:
        p->spec.network[n].in_mwords *= factor;
    }
}

/* SPIMs dispatch and retire. With room for all in SRAM nobody waits for the end of a retire. */
Test(property, a_pipeline_of_one_type_is_not_slower_with_a_faster_part)
{
    for (uint64_t seed = 1; seed <= machines(); seed++) {
        struct pipe p = random_pipe(seed);
        p.spec.capacity[SRAM] = p.words * p.parcels;
        htmt_time before = play(&p).time;
        uint64_t choice = seed * 7919;
        speed_up(&p, &choice);
        htmt_time after = play(&p).time;
        cr_assert_leq(after, before, "seed %llu: %lld, then %lld fs", (unsigned long long)seed,
                      (long long)before, (long long)after);
    }
}

static void twice_as_fast(struct world_spec *s)
{
    for (int l = 0; l < LAYERS; l++)
        s->mhz[l] *= 2;
    for (int n = 0; n < NETWORKS; n++) {
        struct world_network *w = &s->network[n];
        w->startup_ns /= 2;
        w->latency_ns /= 2;
        w->outer_mwords *= 2;
        w->inner_mwords *= 2;
        w->in_mwords *= 2;
    }
}

/* A charge is rounded to the femtosecond once: the sum of those on a path is off by one each. */
Test(property, all_rates_twice_as_fast_halve_the_time_to_a_femtosecond_a_charge)
{
    for (uint64_t seed = 1; seed <= machines(); seed++) {
        struct pipe p = random_pipe(seed);
        struct seen slow = play(&p);
        twice_as_fast(&p.spec);
        struct seen fast = play(&p);
        uint64_t charges = slow.charges > fast.charges ? slow.charges : fast.charges;
        uint64_t off = (uint64_t)llabs(slow.time - 2 * fast.time);
        cr_assert_leq(off, 2 * charges, "seed %llu: off by %llu fs with %llu charges",
                      (unsigned long long)seed, (unsigned long long)off,
                      (unsigned long long)charges);
    }
}

/* ---- and yet --------------------------------------------------------------------------------- */

static htmt_time two_parcels(unsigned spell_mhz)
{
    static const struct world_work first = {.execute = 16, .retire = 16, .place = 2},
                                   second = {
                                       .assemble = 7, .dispatch = 2, .retire = 4, .place = 16};
    struct world_spec s = world_plain(1);
    s.servers[DRAM] = s.servers[CRAM] = 2;
    s.mhz[CRAM] = spell_mhz;
    struct world w = OPEN(&s, .mode = HTMT_MODEL);
    struct htmt_type_desc d = world_eight();
    d.in_place = true;
    struct htmt_type *type = world_type(&w, d);
    START(&w, .type = type, .args = &first);
    START(&w, .type = type, .args = &second);
    htmt_time t = world_run(&w);
    world_close(&w);
    return t;
}

/* Graham's anomaly. At 1 GHz the first parcel's long retire comes to the SPIM when the second one's
 * short one is done; at 2 GHz it comes before, and the second one's long place begins later. */
Test(property, where_a_bank_serves_two_stages_a_faster_processor_may_cost_time)
{
    cr_assert_eq(two_parcels(1000), 34 * NS);
    cr_assert_eq(two_parcels(2000), 45 * NS);
}

/* Nine equal parcels, room for six in SRAM, four SPIMs: a place there is free when its parcel has
 * been retired, behind dispatches of others. */
static htmt_time nine_parcels(unsigned dram_mwords)
{
    struct pipe p = {.spec = world_plain(1),
                     .work = {.assemble = 30, .dispatch = 1250, .execute = 170},
                     .words = 200,
                     .parcels = 9};
    p.spec.servers[DRAM] = 3;
    p.spec.servers[SRAM] = 4;
    p.spec.capacity[CRAM] = 4 * p.words;
    p.spec.capacity[SRAM] = 6 * p.words;
    p.spec.network[VORTEX].outer_mwords = dram_mwords;
    return play(&p).time;
}

Test(property, nor_is_a_faster_network_always_better_where_sram_is_short)
{
    cr_assert_eq(nine_parcels(1000) / NS, 4350);
    cr_assert_eq(nine_parcels(1100) / NS, 4513);
}
