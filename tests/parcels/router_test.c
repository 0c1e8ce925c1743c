/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Layers whose processors route packets: what passes puts off what they compute, exactly.
 */
#include "parcels/path.h"
#include "tests/parcels/world.h"

#define US INT64_C(1000000000)

/* ---- a row of nodes ---------------------------------------------------------------------------
 *
 * A router takes 2 us for a packet, and 10 ns for each byte where it passes, a link 100 ns for a
 * byte. So 100 bytes from slice 0 to slice 2 are at the routers of these slices at:
 *   slice 0: 0 to 2 (its end), 12 to 15;  slice 1: 25 to 28;  slice 2: 38 to 41;  there at 51. */

#define THERE (51 * US)

struct row {
    unsigned processors;
    const char *router, *wire, *inside; /* keys */
};

static const struct row plain = {1, "node", "0 s", "blocked: link"};

static char *text_of(const struct row *r)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            "htmt-machine: 1\nabout: made up for a test\nslices: {value: 3, source: t}\nlayers:\n"
            "  node:\n    processor:\n      name: CPU\n      count: {value: %u, source: t}\n"
            "      clock: {value: 1 GHz, source: t}\n      flop: {value: 1 cycle, source: t}\n"
            "      iop: {value: 1 cycle, source: t}\n      load: {value: 1 cycle, source: t}\n"
            "      store: {value: 1 cycle, source: t}\n      lambda: {value: 0, source: t}\n"
            "    memory:\n      name: RAM\n      capacity: {value: 1000000 words, source: t}\n"
            "      reserve: {value: 0 words, source: t}\n"
            "      access-words: {value: 1, source: t}\n"
            "      access: {value: not-modelled, source: t}\n"
            "      ports: {value: not-modelled, source: t}\n",
            r->processors);
    fprintf(f,
            "networks:\n  net:\n    scope: machine\n    startup: {value: 0 s, source: t}\n"
            "    latency: {value: 0 s, source: t}\n    ports:\n      node:\n"
            "        out: {value: 4, source: t}\n"
            "        out-rate: {value: not-modelled, source: t}\n"
            "        in: {value: not-modelled, source: t}\n"
            "        in-rate: {value: not-modelled, source: t}\n"
            "    inside:\n      topology: mesh\n      shape: {value: 3 x 1, source: t}\n"
            "      switching: store-and-forward\n      routing: xy\n      place: rows\n"
            "      packet: {value: not-modelled, source: t}\n"
            "      header: {value: not-modelled, source: t}\n"
            "      rate: {value: 10 MB/s, source: t}\n      wire: {value: %s, source: t}\n"
            "      switch: {value: not-modelled, source: t}\n"
            "      buffer: {value: not-modelled, source: t}\n",
            r->wire);
    fprintf(f,
            "      lanes: {value: 1, source: t}\n      planes: {value: 1, as: dealt, source: t}\n"
            "      setup: {value: not-modelled, source: t}\n"
            "      route: {value: 2 us, source: t}\n      copy: {value: 0.01 us/B, source: t}\n"
            "      router: %s\n      control: {value: not-modelled, source: t}\n      %s\n",
            r->router, r->inside);
    fclose(f);
    return text;
}

static struct htmt_machine *machine_of(const struct row *r)
{
    struct htmt_machine *machine = NULL;
    struct htmt_fault fault = {0};
    char *text = text_of(r);
    cr_assert_eq(htmt_machine_parse("made", text, &machine, &fault), 0, "%s\n%s", fault.text, text);
    free(text);
    return machine;
}

/* ---- programs: services that compute, and put something on the way ------------------------------
 */

#define BYTES 4096u

struct order {
    struct htmt_frame *frame;
    uint64_t before, after, pause; /* us */
    uint32_t puts, to;
};

static void compute(struct htmt_context *c)
{
    struct order o;
    memcpy(&o, htmt_args(c), sizeof o);
    htmt_delay(c, (htmt_time)o.before * US);
    for (uint32_t i = 0; i < o.puts; i++) {
        struct htmt_put put = htmt_put_init();
        put.src = htmt_at(o.frame, htmt_slice(c), 0);
        put.dst = htmt_at(o.frame, o.to, BYTES);
        put.bytes = 100;
        htmt_put(c, &put);
    }
    htmt_delay(c, (htmt_time)o.after * US);
    htmt_pause(c, (htmt_time)o.pause * US);
}

struct net {
    struct world w;
    struct htmt_type *kernel, *sender;
    struct htmt_frame *frame;
};

static const struct htmt_options model = {.mode = HTMT_MODEL};

static struct net net_open(const struct row *r, struct htmt_options o)
{
    struct net n = {.w.m = machine_of(r)};
    struct htmt_fault fault = {0};
    o.machine = n.w.m;
    cr_assert_eq(htmt_emulator_create(&n.w.e, &o, &fault), 0, "%s", fault.text);
    struct htmt_type_desc d = {.home = "node",
                               .exec = "node",
                               .execute = {.control = compute},
                               .args_bytes = sizeof(struct order)};
    d.name = "kernel";
    n.kernel = world_type(&n.w, d);
    d.name = "sender";
    n.sender = world_type(&n.w, d);
    cr_assert_eq(htmt_frame_create(n.w.e, 0, 2 * BYTES, "data", &n.frame), 0);
    return n;
}

static void start(struct net *n, struct htmt_type *type, uint32_t slice, struct order o)
{
    o.frame = n->frame;
    START(&n->w, .type = type, .slice = slice, .args = &o);
}

/* Packets from slice 0 to slice 2. */
static void pass(struct net *n, uint32_t packets)
{
    start(n, n->sender, 0, (struct order){.puts = packets, .to = 2});
}

static void kernel(struct net *n, uint32_t slice, uint64_t us)
{
    start(n, n->kernel, slice, (struct order){.before = us});
}

static struct htmt_phase_report kernels(const struct net *n)
{
    struct htmt_phase_report r = {.last = 0};
    for (uint32_t i = 0; htmt_phase_at(n->w.e, i, &r) == 0; i++)
        if (strcmp(r.type, "kernel") == 0 && r.stage == HTMT_EXECUTE)
            return r;
    cr_assert(false, "no kernel");
    return r;
}

static struct htmt_routing_report routing(const struct net *n)
{
    struct htmt_routing_report r;
    cr_assert_eq(htmt_routing_at(n->w.e, 0, &r), 0);
    return r;
}

/* When the last kernel of slice 1 or 2 ends that meets so many packets. */
static htmt_time last_kernel(const struct row *r, uint32_t slice, uint32_t count, uint64_t us,
                             uint32_t packets)
{
    struct net n = net_open(r, model);
    for (uint32_t i = 0; i < count; i++)
        kernel(&n, slice, us);
    pass(&n, packets);
    world_run(&n.w);
    htmt_time last = kernels(&n).last;
    world_close(&n.w);
    return last;
}

/* ---- one processor --------------------------------------------------------------------------- */

Test(router, a_packet_that_passes_puts_off_the_end_of_a_kernel_by_what_its_router_takes)
{
    cr_assert_eq(last_kernel(&plain, 1, 1, 100, 1), 103 * US);
    cr_assert_eq(last_kernel(&plain, 2, 1, 100, 1), 103 * US);
}

Test(router, each_of_several_packets_puts_it_off)
{
    cr_assert_eq(last_kernel(&plain, 1, 1, 100, 4), 112 * US);
}

/* They come at 25, 35, 45, 55. */
Test(router, what_is_routed_after_its_end_does_not)
{
    cr_assert_eq(last_kernel(&plain, 1, 1, 47, 4), 59 * US);
    cr_assert_eq(last_kernel(&plain, 1, 1, 46, 4), 55 * US);
    cr_assert_eq(last_kernel(&plain, 1, 1, 45, 4), 54 * US);
    cr_assert_eq(last_kernel(&plain, 1, 1, 24, 4), 24 * US);
    cr_assert_eq(last_kernel(&plain, 1, 1, 26, 1), 29 * US);
}

Test(router, a_kernel_that_ends_when_routing_begins_is_on_time_and_the_next_begins_behind_routing)
{
    cr_assert_eq(last_kernel(&plain, 1, 1, 25, 1), 25 * US);
    cr_assert_eq(last_kernel(&plain, 1, 2, 25, 1), 53 * US);
}

Test(router, the_sender_routes_first_and_then_computes)
{
    struct net n = net_open(&plain, model);
    pass(&n, 1);
    kernel(&n, 0, 100);
    world_run(&n.w);
    cr_assert_eq(kernels(&n).last, (2 + 100 + 3) * US);
    world_close(&n.w);
}

Test(router, packets_do_not_wait_for_kernels)
{
    struct net n = net_open(&plain, model);
    pass(&n, 1);
    for (uint32_t i = 0; i < 3; i++)
        kernel(&n, i, 30);
    cr_assert_eq(world_run(&n.w), THERE);
    world_close(&n.w);
}

Test(router, without_a_layer_nothing_is_put_off)
{
    struct row r = plain;
    r.router = "none";
    struct net n = net_open(&r, model);
    kernel(&n, 1, 100);
    pass(&n, 4);
    world_run(&n.w);
    cr_assert_eq(kernels(&n).last, 100 * US);
    cr_assert_eq(htmt_routing_at(n.w.e, 0, &(struct htmt_routing_report){.layer = 0}), HTMT_EINVAL);
    world_close(&n.w);
}

/* ---- what a service does on its way -----------------------------------------------------------
 */

/* At 30 + 3 a packet goes to slice 2. Slice 1 routes it twice: for 2 as its sender, and for 3. */
Test(router, what_a_kernel_does_on_its_way_is_put_off_too)
{
    struct net n = net_open(&plain, model);
    start(&n, n.kernel, 1, (struct order){.before = 30, .after = 70, .puts = 1, .to = 2});
    pass(&n, 1);
    htmt_time end = world_run(&n.w);
    cr_assert_eq(kernels(&n).last, (100 + 3 + 2 + 3) * US);
    cr_assert_eq(end, kernels(&n).last);
    world_close(&n.w);
}

/* What comes last is the packet that the kernel sends at its end. */
Test(router, what_a_kernel_does_at_its_end_comes_when_that_does)
{
    struct net n = net_open(&plain, model);
    start(&n, n.kernel, 1, (struct order){.before = 100, .puts = 1, .to = 2});
    pass(&n, 1);
    cr_assert_eq(world_run(&n.w), (103 + 2 + 10 + 3 + 10 + 3 + 10) * US);
    world_close(&n.w);
}

/* ---- several processors -----------------------------------------------------------------------
 */

Test(router, routing_takes_the_first_idle_processor)
{
    struct row r = plain;
    r.processors = 2;
    cr_assert_eq(last_kernel(&r, 1, 1, 100, 4), 100 * US);
}

Test(router, where_none_is_idle_routing_takes_the_first_processor)
{
    struct row r = plain;
    r.processors = 2;
    struct net n = net_open(&r, model);
    kernel(&n, 1, 100);
    kernel(&n, 1, 100);
    kernel(&n, 1, 10); /* behind the second one, which ends first */
    pass(&n, 1);
    world_run(&n.w);
    cr_assert_eq(kernels(&n).last, 110 * US);
    cr_assert_eq(kernels(&n).busy, (103 + 100 + 10) * US);
    cr_assert_eq(kernels(&n).longest, 103 * US);
    world_close(&n.w);
}

/* ---- reports ----------------------------------------------------------------------------------
 */

Test(router, the_time_of_routing_is_reported_and_the_processors_balance)
{
    struct net n = net_open(&plain, model);
    kernel(&n, 1, 100);
    kernel(&n, 2, 10);
    pass(&n, 1);
    world_run(&n.w);
    const struct htmt_routing_report r = routing(&n);
    cr_assert_str_eq(r.name, "CPU");
    cr_assert_eq(r.packets, 4);
    cr_assert_eq(r.route, 8 * US);
    cr_assert_eq(r.copy, 3 * US);
    cr_assert_eq(r.put_off, 3 * US);
    cr_assert_eq(r.busy, (100 + 10 + 8 + 3) * US);
    struct htmt_resource_report bank;
    cr_assert_eq(htmt_resource_at(n.w.e, 0, &bank), 0);
    cr_assert_eq(bank.busy, (103 + 10) * US);
    world_close(&n.w);
}

/* Routing puts off the end of a pause, and stays time in use: world_run() compares the sums. */
Test(router, what_is_routed_in_a_pause_is_time_in_use)
{
    struct htmt_options o = model;
    struct htmt_path path;
    htmt_time paused = 0;
    o.explain = true;
    struct net n = net_open(&plain, o);
    start(&n, n.kernel, 1, (struct order){.before = 40, .pause = 60});
    pass(&n, 1);
    const htmt_time time = world_run(&n.w), off = time - 100 * US;
    const struct htmt_routing_report r = routing(&n);
    struct htmt_resource_report bank;
    cr_assert_eq(htmt_resource_at(n.w.e, 0, &bank), 0);
    cr_assert(off > 0 && r.put_off == off && bank.busy == 40 * US + off);
    cr_assert_eq(htmt_path_find(n.w.e, &path), 0);
    for (uint32_t i = 0; i < path.count; i++)
        paused += path.part[i].place == HTMT_PATH_PAUSED ? path.part[i].time : 0;
    cr_assert(path.total == time && path.length == 2 && paused == 60 * US);
    htmt_path_clear(&path);
    world_close(&n.w);
}

Test(router, the_critical_path_has_a_kernel_with_what_put_it_off)
{
    struct htmt_options o = model;
    struct htmt_path path;
    o.explain = true;
    struct net n = net_open(&plain, o);
    start(&n, n.kernel, 1, (struct order){.before = 30, .after = 70, .puts = 1, .to = 2});
    pass(&n, 1);
    htmt_time time = world_run(&n.w);
    cr_assert_eq(htmt_path_find(n.w.e, &path), 0);
    cr_assert_eq(path.total, time);
    cr_assert_eq(path.length, 1);
    cr_assert_eq(htmt_path_sum(&path, HTMT_PATH_WORK), 108 * US);
    htmt_path_clear(&path);
    world_close(&n.w);
}

/* ---- however the clock is cut ------------------------------------------------------------------
 */

struct found {
    uint64_t history, network;
    htmt_time end, last;
    struct htmt_routing_report routing;
};

static struct found play(enum htmt_clock clock, uint32_t threads)
{
    struct row r = plain;
    r.wire = "1 us";
    struct net n = net_open(
        &r, (struct htmt_options){.mode = HTMT_MODEL, .clock = clock, .clock_threads = threads});
    for (uint32_t i = 0; i < 12; i++)
        start(
            &n, n.kernel, i % 3,
            (struct order){.before = 7 * i % 11, .after = 5 + i, .puts = i % 4, .to = (i + 1) % 3});
    pass(&n, 5);
    struct found f = {.end = world_run(&n.w)};
    f.history = htmt_history_hash(n.w.e);
    f.network = htmt_network_history(n.w.e);
    f.last = kernels(&n).last;
    f.routing = routing(&n);
    world_close(&n.w);
    return f;
}

Test(router, the_same_however_the_clock_is_cut)
{
    const struct found one = play(HTMT_CLOCK_SEQUENTIAL, 1);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        const struct found f = play(HTMT_CLOCK_SHARED, threads);
        cr_assert_eq(f.history, one.history);
        cr_assert_eq(f.network, one.network);
        cr_assert_eq(f.end, one.end);
        cr_assert_eq(f.last, one.last);
        cr_assert_eq(f.routing.put_off, one.routing.put_off);
        cr_assert_eq(f.routing.busy, one.routing.busy);
    }
    cr_assert_gt(one.routing.put_off, 0);
}

/* ---- refused ----------------------------------------------------------------------------------
 */

static void refused(const struct row *r, const char *why)
{
    struct htmt_machine *machine = NULL;
    struct htmt_fault fault = {0};
    char *text = text_of(r);
    cr_assert_eq(htmt_machine_parse("made", text, &machine, &fault), HTMT_EFORMAT);
    cr_assert_not_null(strstr(fault.text, why), "%s", fault.text);
    free(text);
}

Test(router, a_layer_that_the_machine_does_not_have_is_refused)
{
    struct row r = plain;
    r.router = "nodes";
    refused(&r, "net.inside.router: found 'nodes', expected 'none' or a layer with processors");
}

Test(router, packets_that_start_again_at_their_senders_have_no_routers)
{
    struct row r = plain;
    r.inside = "blocked: source";
    refused(&r, "net.inside.router: ");
    r.router = "none";
    refused(&r, "net.inside.route: ");
}

Test(router, one_slice_does_not_stand_for_all_whose_processors_route)
{
    struct htmt_fault fault = {0};
    struct htmt_options o = {.mode = HTMT_MODEL, .symmetry = HTMT_FOLDED};
    struct htmt_emulator *e = NULL;
    struct htmt_machine *m = machine_of(&plain);
    o.machine = m;
    cr_assert_eq(htmt_emulator_create(&e, &o, &fault), HTMT_ESYMMETRY);
    htmt_machine_destroy(&m);
}
