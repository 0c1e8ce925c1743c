/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/random/machine.h"

#include "tests/random/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const layer_names[] = {"hram", "dram", "sram", "cram"};

struct sketch {
    const struct machine_wish *wish;
    struct tally *tally;
    uint64_t *seed;
    FILE *file;
};

static unsigned rate(const struct sketch *s)
{
    static const unsigned some[] = {250, 333, 500, 1000, 3000, 777};
    return s->wish->even ? 1000 : some[draw(s->seed) % 6];
}

static unsigned number(const struct sketch *s, unsigned low, unsigned high)
{
    return (unsigned)between(s->seed, low, high);
}

static void write_processor(const struct sketch *s, const char *name)
{
    unsigned count = s->wish->even ? number(s, 1, 2) : number(s, 1, 4);
    s->tally->n[MACHINE_SERVERS] += count > 1;
    fprintf(s->file,
            "  %s:\n    processor:\n      name: P%s\n      count: {value: %u, source: t}\n"
            "      clock: {value: %u MHz, source: t}\n      flop: {value: 1 cycle, source: t}\n"
            "      iop: {value: 1 cycle, source: t}\n      load: {value: %u cycles, source: t}\n"
            "      store: {value: 2 cycles, source: t}\n      lambda: {value: %s, source: t}\n",
            name, name, count, rate(s), number(s, 1, 5), once_in(s->seed, 2) ? "0.37" : "0");
}

/* Two queues, or none. */
static void write_queues(const struct sketch *s, uint64_t *seed)
{
    static const char *const names[] = {"first", "second"};
    if (once_in(seed, 4))
        return;
    fprintf(s->file, "      queues:\n");
    for (int i = 0; i < 2; i++)
        fprintf(s->file,
                "        %s: {room: {value: %u, source: t}, own: {value: %u, source: t}}\n",
                names[i], (unsigned)between(seed, 1, once_in(seed, 3) ? 1000 : 6),
                (unsigned)between(seed, 0, 90));
    s->tally->n[MACHINE_QUEUES]++;
    if (once_in(seed, 2))
        fprintf(s->file, "        stage: {value: %u ns, source: t}\n",
                (unsigned)between(seed, 1, 30));
    fprintf(s->file, "        overlap: %s\n",
            once_in(seed, 2) && !s->wish->routers ? "true" : "false");
}

/* How posts leave together, or nothing. */
static void write_aggregate(const struct sketch *s, uint64_t *seed)
{
    if (once_in(seed, 3))
        return;
    fprintf(s->file,
            "      aggregate: {bytes: {value: %u B, source: t}, wait: {value: %u ns, source: t}}\n",
            (unsigned)between(seed, 1, once_in(seed, 3) ? 1000 : 100),
            (unsigned)between(seed, 0, once_in(seed, 3) ? 2000 : 50));
    s->tally->n[MACHINE_AGGREGATE]++;
}

static void write_memory(const struct sketch *s, const char *name, uint64_t words)
{
    fprintf(s->file,
            "    memory:\n      name: M%s\n      capacity: {value: %" PRIu64 " words, source: t}\n"
            "      reserve: {value: 5 words, source: t}\n"
            "      access-words: {value: %u, source: t}\n",
            name, words + 5, 1u << number(s, 0, 3));
    if (!s->wish->even && once_in(s->seed, 3))
        fprintf(s->file,
                "      access: {value: %u ps/access, source: t}\n"
                "      ports: {value: %u, source: t}\n",
                number(s, 100, 9000), number(s, 1, 3));
    else
        fprintf(s->file, "      access: {value: not-modelled, source: t}\n"
                         "      ports: {value: not-modelled, source: t}\n");
}

static void write_inside(const struct sketch *s, const char *model, enum tally_of class)
{
    s->tally->n[class]++;
    fprintf(s->file, "    inside:\n      model: %s\n      rate: {value: %u Mword/s, source: t}\n",
            model, rate(s));
}

/* ---- ports inside ---------------------------------------------------------------------------- */

/* In MB/s, ns, bytes; 0: not modelled. */
struct ports {
    unsigned topology, switching, rate, wire, turn, control, packet, buffer, lanes, planes, header;
    unsigned setup, route, copy; /* copy in ps/B */
    bool scaled, from_source;
    const char *router;
};

enum { CROSSBAR, MESH, TORUS, TREE, BUTTERFLY };

static unsigned one_of(const struct sketch *s, const unsigned *some, unsigned count)
{
    return some[draw(s->seed) % count];
}

/* A stream alone does not stall for want of room. */
static unsigned buffer_of(const struct sketch *s, const struct ports *p)
{
    unsigned ahead = p->rate * (p->wire + p->turn + p->control + 5100) / 1000 * 3;
    return p->switching == 2 ? ahead + 600 + number(s, 0, 900) : (p->packet + 8) * number(s, 1, 3);
}

static struct ports draw_ports(const struct sketch *s)
{
    static const unsigned rates[] = {0, 100, 1000, 1500, 4000}, wires[] = {0, 1, 20, 300},
                          turns[] = {0, 5}, controls[] = {0, 10, 45}, packets[] = {0, 96, 128, 500};
    struct ports p = {.topology = number(s, CROSSBAR, BUTTERFLY),
                      .switching = number(s, 0, 2),
                      .rate = one_of(s, rates, 5),
                      .wire = one_of(s, wires, 4),
                      .turn = one_of(s, turns, 2),
                      .control = one_of(s, controls, 3),
                      .packet = one_of(s, packets, 4),
                      .planes = once_in(s->seed, 4) ? 3 : 1,
                      .scaled = once_in(s->seed, 2)};
    if (s->wish->free)
        p.topology = CROSSBAR, p.rate = 0, p.switching = 1;
    p.buffer = p.rate && p.packet && once_in(s->seed, 2) ? buffer_of(s, &p) : 0;
    p.lanes = (p.topology == TORUS ? 2u : 1u) + (p.rate && once_in(s->seed, 5));
    return p;
}

#define HOPS_MOST 24u

/* The shortest packet, a word, is sent in no less time than its way's wires and control take. */
static void block_sources(struct ports *p)
{
    unsigned ns = 5100 + HOPS_MOST * (p->wire + p->turn + p->control);
    p->from_source = true;
    p->rate = p->rate ? p->rate : 1000;
    p->header = p->rate * ns / 1000 * (p->scaled ? p->planes : 1);
    p->packet += p->packet ? p->header : 0;
    p->route = p->buffer = 0;
}

/* What is drawn here changes nothing that was drawn before. */
static void draw_routers(const struct sketch *s, struct ports *p)
{
    uint32_t layer = number(s, 0, s->wish->layers - 1);
    if (once_in(s->seed, 3)) {
        block_sources(p);
        return;
    }
    p->router = layer_names[RANDOM_LAYERS_MAX - s->wish->layers + layer];
    p->route = number(s, 0, 2) ? number(s, 1, 400) : 0;
    p->copy = once_in(s->seed, 2) ? number(s, 1, 900) : 0;
}

static void write_figure(const struct sketch *s, const char *key, unsigned value, const char *unit)
{
    if (value)
        fprintf(s->file, "      %s: {value: %u %s, source: t}\n", key, value, unit);
    else
        fprintf(s->file, "      %s: {value: not-modelled, source: t}\n", key);
}

static void write_ports(const struct sketch *s, uint64_t *seed)
{
    static const char *const topologies[] = {"crossbar", "mesh", "torus", "tree", "butterfly"},
                             *const routings[] = {"shortest", "xy", "torus", "up-down", "shortest"},
                             *const switchings[] = {"store-and-forward", "cut-through", "wormhole"};
    const struct sketch own = {s->wish, s->tally, seed, s->file};
    struct ports p = draw_ports(&own);
    p.header = number(&own, 0, 8);
    p.setup = !s->wish->free && once_in(seed, 6) ? 3 : 0;
    p.route = !s->wish->free && once_in(seed, 6) ? 4 : 0;
    p.router = "none";
    if (s->wish->routers && !s->wish->free)
        draw_routers(&own, &p);
    fprintf(s->file, "    inside:\n      topology: %s\n", topologies[p.topology]);
    if (p.topology != CROSSBAR)
        fprintf(s->file, "      shape: {value: %s, source: t}\n",
                p.topology >= TREE ? "2" : "square");
    fprintf(s->file, "      switching: %s\n      routing: %s\n      place: rows\n",
            switchings[p.switching], routings[p.topology]);
    write_figure(s, "packet", p.packet, "B");
    fprintf(s->file, "      header: {fixed: %u B, hop: 0 B, source: t}\n", p.header);
    write_figure(s, "rate", p.rate, "MB/s");
    write_figure(s, "wire", p.wire, "ns");
    write_figure(s, "switch", p.turn, "ns");
    write_figure(s, "buffer", p.buffer, "B");
    write_figure(s, "lanes", p.lanes, "");
    fprintf(s->file, "      planes: {value: %u, as: %s, source: t}\n", p.planes,
            p.scaled ? "scaled" : "dealt");
    write_figure(s, "setup", p.setup, "ns");
    write_figure(s, "route", p.route, "ns");
    write_figure(s, "copy", p.copy, "ps/B");
    fprintf(s->file, "      router: %s\n      blocked: %s\n", p.router,
            p.from_source ? "source" : "link");
    write_figure(s, "control", p.control, "ns");
}

static void write_layer(const struct sketch *s, uint32_t layer)
{
    const char *name = layer_names[RANDOM_LAYERS_MAX - s->wish->layers + layer];
    uint64_t queues = mix(s->wish->queues, layer) | 1;
    write_processor(s, name);
    if (s->wish->queues)
        write_queues(s, &queues);
    uint64_t gathers = mix(s->wish->gathers, layer) | 1;
    if (s->wish->gathers)
        write_aggregate(s, &gathers);
    write_memory(s, name, s->wish->words[layer]);
    if (once_in(s->seed, 12))
        write_inside(s, "stream", MACHINE_STREAM);
}

static void write_port(const struct sketch *s, uint32_t layer, bool in)
{
    unsigned out = number(s, 1, 3);
    s->tally->n[MACHINE_CHANNELS] += out > 1;
    fprintf(s->file,
            "      %s:\n        out: {value: %u, source: t}\n"
            "        out-rate: {value: %u Mword/s, source: t}\n",
            layer_names[RANDOM_LAYERS_MAX - s->wish->layers + layer], out, rate(s));
    if (in)
        fprintf(s->file,
                "        in: {value: %u, source: t}\n"
                "        in-rate: {value: %u Mword/s, source: t}\n",
                number(s, 1, 3), rate(s));
    else
        fprintf(s->file, "        in: {value: not-modelled, source: t}\n"
                         "        in-rate: {value: not-modelled, source: t}\n");
}

static void write_times(const struct sketch *s)
{
    static const unsigned latency[] = {0, 2, 33, 85, 5000};
    unsigned which = number(s, 0, 4), startup = once_in(s->seed, 3) ? number(s, 1, 12) : 0;
    s->tally->n[which == 0 ? MACHINE_AT_ONCE : which == 4 ? MACHINE_FAR : MACHINE_NEAR]++;
    s->tally->n[MACHINE_STARTUP] += startup > 0;
    fprintf(s->file,
            "    startup: {value: %u ns, source: t}\n    latency: {value: %u ns, source: t}\n",
            startup, latency[which]);
}

/* Of the layers first ... last. */
static void write_network(const struct sketch *s, const char *name, bool wide, uint32_t first,
                          uint32_t last)
{
    bool inputs = once_in(s->seed, 2) || s->wish->queues; /* which full queues hold */
    fprintf(s->file, "  %s:\n    scope: %s\n", name, wide ? "machine" : "slice");
    if (wide)
        s->tally->n[inputs ? MACHINE_INPUT : MACHINE_NO_INPUT]++;
    write_times(s);
    fprintf(s->file, "    ports:\n");
    for (uint32_t l = first; l <= last; l++)
        write_port(s, l, inputs && (!once_in(s->seed, 5) || s->wish->queues));
    bool hub = wide && s->wish->hub && once_in(s->seed, 2);
    uint64_t ports = *s->seed; /* what is drawn of ports moves nothing else */
    if (wide && s->wish->inside)
        write_ports(s, &ports);
    else if (hub)
        write_inside(s, "hub", MACHINE_HUB);
}

/* One network for each pair of neighbours; now and then one that has all layers. Where no network
 * joins the slices, one of a single layer does. */
static void write_networks(const struct sketch *s)
{
    uint32_t layers = s->wish->layers, wide = 0;
    fprintf(s->file, "networks:\n");
    if (once_in(s->seed, 6)) {
        wide += s->wish->joined;
        write_network(s, "all", s->wish->joined, 0, layers - 1);
    }
    for (uint32_t l = 0; l + 1 < layers; l++) {
        char name[8] = {'n', (char)('0' + l)};
        bool machine_wide = s->wish->joined && once_in(s->seed, 2);
        wide += machine_wide;
        write_network(s, name, machine_wide, l, l + 1);
    }
    if (s->wish->joined && (!wide || once_in(s->seed, 3))) {
        uint32_t l = number(s, 0, layers - 1);
        write_network(s, "mesh", true, l, l);
    }
}

static void count_sizes(const struct machine_wish *w, struct tally *tally)
{
    tally->n[w->layers == 2 ? MACHINE_2 : w->layers == 3 ? MACHINE_3 : MACHINE_4]++;
    tally->n[w->slices == 1 ? MACHINE_ALONE : w->slices <= 8 ? MACHINE_FEW : MACHINE_MANY]++;
    tally->n[MACHINE_EVEN] += w->even;
    tally->n[SUM_SLICES] += w->slices;
}

struct htmt_machine *machine_draw(const struct machine_wish *wish, uint64_t *seed,
                                  struct tally *tally)
{
    char *text = NULL;
    size_t size;
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    struct sketch s = {wish, tally, seed, open_memstream(&text, &size)};
    fprintf(s.file, "htmt-machine: 1\nabout: random\nslices: {value: %u, source: t}\nlayers:\n",
            wish->slices);
    for (uint32_t l = 0; l < wish->layers; l++)
        write_layer(&s, l);
    write_networks(&s);
    fclose(s.file);
    if (htmt_machine_parse("random", text, &m, &fault)) {
        fprintf(stderr, "%s\n%s", fault.text, text);
        exit(4);
    }
    count_sizes(wish, tally);
    free(text);
    return m;
}
