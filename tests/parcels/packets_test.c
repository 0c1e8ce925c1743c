/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Puts over a network with ports inside: they become packets, and are there when the last one is.
 */
#include "parcels/path.h"
#include "tests/parcels/world.h"

#define US INT64_C(1000000000)

/* ---- a machine of one layer ------------------------------------------------------------------ */

struct figures {
    uint32_t slices;
    const char *network;        /* keys of the network beside `inside` */
    const char *topology, *way; /* keys of the inside */
    const char *rate, *wire, *turn, *packet, *buffer, *control, *planes;
    const char *in_rate; /* of the one channel in; NULL: none is modelled */
    unsigned lanes;
};

static const char *or_none(const char *figure)
{
    return figure ? figure : "not-modelled";
}

static void print_inside(FILE *f, const struct figures *m)
{
    if (!m->topology)
        return;
    fprintf(f,
            "    inside:\n      topology: %s\n      place: rows\n      %s\n"
            "      packet: {value: %s, source: t}\n      header: {value: not-modelled, source: t}\n"
            "      rate: {value: %s, source: t}\n      wire: {value: %s, source: t}\n"
            "      switch: {value: %s, source: t}\n      buffer: {value: %s, source: t}\n",
            m->topology, m->way, or_none(m->packet), or_none(m->rate), or_none(m->wire),
            or_none(m->turn), or_none(m->buffer));
    fprintf(f,
            "      lanes: {value: %u, source: t}\n      planes: {value: %s, source: t}\n"
            "      setup: {value: not-modelled, source: t}\n"
            "      route: {value: not-modelled, source: t}\n"
            "      copy: {value: not-modelled, source: t}\n      router: none\n"
            "      control: {value: %s, source: t}\n",
            m->lanes ? m->lanes : 1, m->planes ? m->planes : "1, as: dealt", or_none(m->control));
}

static struct htmt_machine *machine_of(const struct figures *m)
{
    char *text = NULL;
    size_t size;
    struct htmt_machine *machine = NULL;
    struct htmt_fault fault = {0};
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            "htmt-machine: 1\nabout: made up for a test\nslices: {value: %u, source: t}\nlayers:\n"
            "  node:\n    processor:\n      name: CPU\n      count: {value: 1, source: t}\n"
            "      clock: {value: 1 GHz, source: t}\n      flop: {value: 1 cycle, source: t}\n"
            "      iop: {value: 1 cycle, source: t}\n      load: {value: 1 cycle, source: t}\n"
            "      store: {value: 1 cycle, source: t}\n      lambda: {value: 0, source: t}\n"
            "    memory:\n      name: RAM\n      capacity: {value: 1000000 words, source: t}\n"
            "      reserve: {value: 0 words, source: t}\n"
            "      access-words: {value: 1, source: t}\n"
            "      access: {value: not-modelled, source: t}\n"
            "      ports: {value: not-modelled, source: t}\n"
            "networks:\n  net:\n    scope: machine\n%s"
            "    latency: {value: 0 s, source: t}\n    ports:\n      node:\n"
            "        out: {value: 1, source: t}\n"
            "        out-rate: {value: not-modelled, source: t}\n"
            "        in: {value: %s, source: t}\n"
            "        in-rate: {value: %s, source: t}\n",
            m->slices, m->network ? m->network : "    startup: {value: 0 s, source: t}\n",
            m->in_rate ? "1" : "not-modelled", or_none(m->in_rate));
    print_inside(f, m);
    fclose(f);
    cr_assert_eq(htmt_machine_parse("made", text, &machine, &fault), 0, "%s\n%s", fault.text, text);
    free(text);
    return machine;
}

/* ---- a program that puts --------------------------------------------------------------------- */

#define PUTS_MOST 8u
#define BYTES     4096u

struct order {
    uint32_t to, route;
    uint64_t bytes;
};

struct orders {
    struct htmt_frame *frame;
    uint32_t count;
    struct order at[PUTS_MOST];
};

static void put_all(struct htmt_context *c)
{
    struct orders o;
    memcpy(&o, htmt_args(c), sizeof o);
    for (uint32_t i = 0; i < o.count; i++) {
        struct htmt_put put = htmt_put_init();
        put.src = htmt_at(o.frame, htmt_slice(c), 0);
        put.dst = htmt_at(o.frame, o.at[i].to, BYTES);
        put.bytes = o.at[i].bytes;
        put.route = o.at[i].route;
        htmt_put(c, &put);
    }
}

struct net {
    struct world w;
    struct htmt_type *type;
    struct htmt_frame *frame;
};

static struct net net_open(const struct figures *m, struct htmt_options o)
{
    struct net n = {.w.m = machine_of(m)};
    struct htmt_fault fault = {0};
    o.machine = n.w.m;
    cr_assert_eq(htmt_emulator_create(&n.w.e, &o, &fault), 0, "%s", fault.text);
    n.type = TYPE(&n.w, .name = "sender", .home = "node", .exec = "node",
                  .execute = {.control = put_all}, .args_bytes = sizeof(struct orders));
    cr_assert_eq(htmt_frame_create(n.w.e, 0, 2 * BYTES, "data", &n.frame), 0);
    return n;
}

static void net_put(struct net *n, uint32_t slice, uint32_t count, const struct order *at)
{
    struct orders o = {.frame = n->frame, .count = count};
    memcpy(o.at, at, count * sizeof *at);
    START(&n->w, .type = n->type, .slice = slice, .args = &o);
}

static const struct htmt_options model = {.mode = HTMT_MODEL};

/* One put from slice 0 to slice `to`. */
static htmt_time one_put(const struct figures *m, uint32_t to, uint64_t bytes)
{
    struct net n = net_open(m, model);
    net_put(&n, 0, 1, &(struct order){.to = to, .bytes = bytes});
    htmt_time time = world_run(&n.w);
    world_close(&n.w);
    return time;
}

/* ---- alone ----------------------------------------------------------------------------------- */

static const struct figures row = {.slices = 3,
                                   .topology = "mesh",
                                   .way = "shape: {value: 3 x 1, source: t}\n      switching: "
                                          "store-and-forward\n      routing: xy",
                                   .rate = "10 MB/s",
                                   .turn = "1 us"};

Test(packets, a_packet_alone_takes_what_its_switching_says)
{
    struct figures m = row;
    cr_assert_eq(one_put(&m, 2, 100), 43 * US);
    m.way = "shape: {value: 3 x 1, source: t}\n      switching: cut-through\n      routing: xy";
    cr_assert_eq(one_put(&m, 2, 100), 13 * US);
}

Test(packets, a_message_of_four_packets_follows_its_head)
{
    struct figures m = row;
    m.packet = "100 B";
    cr_assert_eq(one_put(&m, 2, 400), 73 * US);
    m.way = "shape: {value: 3 x 1, source: t}\n      switching: cut-through\n      routing: xy";
    cr_assert_eq(one_put(&m, 2, 400), 43 * US);
}

/* The head of 100 bytes is there after 3 us, the last byte after 13. Its 13 words take the channel
 * at the target from the head on, one and a half microseconds or 130. */
Test(packets, a_message_ends_with_its_last_byte_or_the_channel_at_the_target)
{
    struct figures m = row;
    m.way = "shape: {value: 3 x 1, source: t}\n      switching: cut-through\n      routing: xy";
    m.in_rate = "10 Mword/s";
    cr_assert_eq(one_put(&m, 2, 100), 13 * US);
    m.in_rate = "100 kword/s";
    cr_assert_eq(one_put(&m, 2, 100), (3 + 130) * US);
}

/* Of two messages that come from both sides the second one waits for the channel. */
Test(packets, heads_take_the_channel_at_the_target_in_their_order)
{
    struct figures m = row;
    m.in_rate = "100 kword/s";
    struct net n = net_open(&m, model);
    net_put(&n, 0, 1, &(struct order){.to = 1, .bytes = 104});
    net_put(&n, 2, 1, &(struct order){.to = 1, .bytes = 80});
    const htmt_time head = one_put(&m, 1, 80) - 100 * US;
    cr_assert_eq(world_run(&n.w), head + (130 + 100) * US);
    world_close(&n.w);
}

Test(packets, bytes_count_not_words)
{
    struct figures m = row;
    cr_assert_eq(one_put(&m, 2, 101), 43 * US + 4 * US / 10);
}

/* ---- packets that start again at their senders ------------------------------------------------
 */

#define SOURCE                                                                                     \
    "shape: {value: 3 x 1, source: t}\n      switching: cut-through\n      routing: xy\n"          \
    "      blocked: source"

/* Four channels, with wire, switch and control of 1 us each: 12 us, or 120 bytes. */
Test(packets, a_packet_that_could_be_stopped_too_late_is_refused_and_a_longer_one_is_not)
{
    struct figures m = row;
    m.way = SOURCE;
    m.wire = m.control = "1 us";
    cr_assert_eq(one_put(&m, 2, 120), (12 + 4 + 3) * US);
    struct net n = net_open(&m, model);
    net_put(&n, 0, 1, &(struct order){.to = 2, .bytes = 119});
    int rc = htmt_emulator_run(n.w.e);
    const char *text = htmt_emulator_fault(n.w.e)->text;
    cr_assert_eq(rc, HTMT_ERANGE, "%s", text);
    cr_assert_not_null(strstr(text, "a packet of 119 bytes from slice 0 to slice 2 is sent in "
                                    "1.19e-05 s, but the wires, switches and control of its way "
                                    "take 1.2e-05 s"),
                       "%s", text);
    world_close(&n.w);
}

/* Both end at slice 2; the one that queues at its sender goes when the other one's word is out. */
Test(packets, a_packet_that_follows_another_at_the_instant_of_its_end_lets_it_end)
{
    for (uint32_t first = 0; first < 2; first++) {
        struct figures m = row;
        m.way = SOURCE;
        m.wire = m.control = "1 us";
        struct net n = net_open(&m, model);
        for (uint32_t i = 0; i < 6; i++)
            net_put(&n, (i + first) % 2, 1, &(struct order){.to = 2, .bytes = 120});
        world_run(&n.w);
        world_close(&n.w);
    }
}

/* ---- the layer's channel --------------------------------------------------------------------- */

Test(packets, a_channel_is_held_until_the_last_word_has_left_and_startup_next_counts_behind_it)
{
    struct figures m = row;
    m.network = "    startup: {value: 5 us, source: t}\n"
                "    startup-next: {value: 2 us, source: t}\n"
                "    receive: {value: 3 us, source: t}\n";
    struct net n = net_open(&m, model);
    net_put(&n, 0, 2, (const struct order[]){{1, 0, 100}, {1, 0, 100}});
    /* 5 + 10 to leave, then 2, then to a neighbour 3 * 10 + 2, then 3 */
    cr_assert_eq(world_run(&n.w), (5 + 10 + 2 + 32 + 3) * US);
    struct htmt_resource_report r;
    cr_assert_eq(htmt_resource_at(n.w.e, 1, &r), 0);
    cr_assert_eq(r.busy, (5 + 10 + 2 + 10) * US);
    cr_assert_eq(r.waited, 15 * US);
    world_close(&n.w);
}

/* ---- together -------------------------------------------------------------------------------- */

static struct net pair_to_one(struct htmt_options o)
{
    struct figures m = {.slices = 3,
                        .topology = "crossbar",
                        .way = "switching: cut-through\n      routing: shortest",
                        .rate = "10 MB/s",
                        .wire = "1 us"};
    struct net n = net_open(&m, o);
    net_put(&n, 0, 1, &(struct order){.to = 2, .bytes = 100});
    net_put(&n, 1, 1, &(struct order){.to = 2, .bytes = 100});
    return n;
}

Test(packets, two_that_want_one_port_follow_each_other_and_the_port_says_so)
{
    struct net n = pair_to_one(model);
    cr_assert_eq(world_run(&n.w), (1 + 10 + 10 + 1) * US);
    struct htmt_inside_report all;
    struct htmt_port_report port = {.packets = 0};
    cr_assert_eq(htmt_inside_at(n.w.e, 0, &all), 0);
    cr_assert_eq(all.packets, 2);
    cr_assert_eq(all.hops, 4);
    cr_assert_eq(all.contentions, 1);
    cr_assert_eq((htmt_time)all.queued, 10 * US);
    for (uint32_t i = 0; port.packets < 2; i++)
        cr_assert_eq(htmt_port_at(n.w.e, 0, i, &port), 0);
    cr_assert_eq(port.busy, 20 * US);
    cr_assert_eq(port.idle, 2 * US);
    cr_assert_eq(port.bytes, 200);
    world_close(&n.w);
}

Test(packets, the_critical_path_names_the_port_that_blocked_and_who_had_it)
{
    struct htmt_options o = model;
    struct htmt_path path;
    o.explain = true;
    struct net n = pair_to_one(o);
    htmt_time time = world_run(&n.w);
    cr_assert_eq(htmt_path_find(n.w.e, &path), 0);
    cr_assert_eq(path.total, time);
    cr_assert_eq(htmt_path_sum(&path, HTMT_PATH_BLOCKED), 10 * US);
    const struct htmt_path_part *part = path.part;
    while (part->cause != HTMT_PATH_BLOCKED)
        part++;
    cr_assert_eq(strncmp(part->port, "net ", 4), 0);
    cr_assert_eq(part->source, 0);
    cr_assert_eq(part->target, 2);
    htmt_path_clear(&path);
    world_close(&n.w);
}

/* What comes after in another plane, and would be there before, waits. */
Test(packets, a_message_never_passes_one_that_went_before_it_to_the_same_slice)
{
    struct figures m = row;
    m.planes = "2, as: dealt";
    struct net n = net_open(&m, model);
    net_put(&n, 0, 2, (const struct order[]){{1, 0, 1000}, {1, 0, 8}});
    cr_assert_eq(world_run(&n.w), (100 * 3 + 2) * US);
    world_close(&n.w);
}

/* ---- a circle -------------------------------------------------------------------------------- */

static struct figures ring(unsigned lanes, const char *routing)
{
    return (struct figures){.slices = 4,
                            .topology = "torus",
                            .way = routing,
                            .rate = "10 MB/s",
                            .wire = "1 us",
                            .control = "1 us",
                            .packet = "100 B",
                            .buffer = "1 packet",
                            .lanes = lanes};
}

static struct net round_the_ring(const struct figures *m)
{
    struct net n = net_open(m, model);
    for (uint32_t i = 0; i < 4; i++)
        net_put(&n, i, 1, &(struct order){.to = (i + 2) % 4, .bytes = 100});
    return n;
}

Test(packets, packets_in_a_circle_are_a_deadlock_that_names_each_with_its_ports)
{
    const struct figures m =
        ring(1, "shape: {value: 4 x 1, source: t}\n      switching: "
                "cut-through\n      routing: shortest\n      deadlock: allowed");
    struct net n = round_the_ring(&m);
    const char *text = htmt_emulator_fault(n.w.e)->text;
    cr_assert_eq(htmt_emulator_run(n.w.e), HTMT_EDEADLOCK);
    cr_assert_not_null(strstr(text, "packets wait for each other in a circle"), "%s", text);
    unsigned wants = 0;
    for (const char *at = text; (at = strstr(at, " wants ")) != NULL; at++)
        wants++;
    cr_assert_eq(wants, 4, "%s", text);
    world_close(&n.w);
}

Test(packets, two_lanes_end_what_one_does_not)
{
    const struct figures m = ring(2, "shape: {value: 4 x 1, source: t}\n      switching: "
                                     "cut-through\n      routing: torus");
    struct net n = round_the_ring(&m);
    world_run(&n.w);
    world_close(&n.w);
}

/* ---- routes and refusals --------------------------------------------------------------------- */

static void refused(uint32_t slice, const struct order *order, const char *why)
{
    struct net n = net_open(&row, model);
    net_put(&n, slice, 1, order);
    cr_assert_eq(htmt_emulator_run(n.w.e), HTMT_EROUTE);
    cr_assert_not_null(strstr(htmt_emulator_fault(n.w.e)->text, why), "%s",
                       htmt_emulator_fault(n.w.e)->text);
    world_close(&n.w);
}

Test(packets, a_route_that_nobody_made_is_refused)
{
    refused(0, &(struct order){.to = 1, .route = 1, .bytes = 8}, "there is no such route");
}

/* Every sequence of ports of two switches: one leads to slice 1, the others say where not. Each run
 * has all these routes, and there is none behind the last one. */
Test(packets, a_route_leads_to_its_end_or_is_refused)
{
    unsigned led = 0;
    for (uint16_t i = 0; i <= 36; i++) {
        struct net n = net_open(&row, model);
        uint32_t route[37];
        for (uint16_t k = 0; k < 36; k++)
            cr_assert_eq(
                htmt_route_create(n.w.e, 0, (const uint16_t[]){k / 6, k % 6}, 2, &route[k]), 0);
        route[36] = route[35] + 1;
        net_put(&n, 0, 1, &(struct order){.to = 1, .route = route[i], .bytes = 100});
        int rc = htmt_emulator_run(n.w.e);
        led += rc == 0;
        cr_assert(rc == 0 || rc == HTMT_EROUTE, "%s", htmt_emulator_fault(n.w.e)->text);
        cr_assert_eq(strstr(htmt_emulator_fault(n.w.e)->text, "no such route") != NULL, i == 36);
        if (!rc)
            cr_assert_eq(htmt_predicted(n.w.e), 32 * US);
        world_close(&n.w);
    }
    cr_assert_eq(led, 1);
}

Test(packets, a_route_needs_a_network_with_ports)
{
    struct figures m = {.slices = 2};
    struct net n = net_open(&m, model);
    const uint16_t ports[] = {0};
    uint32_t route;
    cr_assert_eq(htmt_route_create(n.w.e, 0, ports, 1, &route), HTMT_EINVAL);
    cr_assert_eq(htmt_route_create(n.w.e, 7, ports, 1, &route), HTMT_EINVAL);
    cr_assert_eq(htmt_inside_at(n.w.e, 0, &(struct htmt_inside_report){.network = 0}), HTMT_EINVAL);
    world_close(&n.w);
}

Test(packets, one_slice_does_not_stand_for_all_where_packets_may_block)
{
    struct htmt_fault fault = {0};
    struct htmt_options o = {.mode = HTMT_MODEL, .symmetry = HTMT_FOLDED};
    struct htmt_emulator *e = NULL;
    struct htmt_machine *m = machine_of(&row);
    o.machine = m;
    cr_assert_eq(htmt_emulator_create(&e, &o, &fault), HTMT_ESYMMETRY);
    cr_assert_not_null(strstr(fault.text, "block each other inside"), "%s", fault.text);
    htmt_machine_destroy(&m);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

Test(packets, bytes_arrive_as_they_were_when_the_last_word_left)
{
    for (int clock = HTMT_CLOCK_SEQUENTIAL; clock <= HTMT_CLOCK_WINDOWS; clock++) {
        struct htmt_options o = {.threads = 2, .clock = (enum htmt_clock)clock};
        struct figures m = row;
        m.wire = "1 us";
        m.packet = "64 B";
        struct net n = net_open(&m, o);
        unsigned char *from = htmt_object_bytes(htmt_at(n.frame, 0, 0).object);
        for (unsigned i = 0; i < BYTES; i++)
            from[i] = (unsigned char)(i * 7 + 1);
        net_put(&n, 0, 1, &(struct order){.to = 2, .bytes = BYTES});
        world_run(&n.w);
        const unsigned char *to = htmt_object_bytes(htmt_at(n.frame, 2, 0).object);
        cr_assert_eq(memcmp(from, to + BYTES, BYTES), 0);
        world_close(&n.w);
    }
}
