/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a machine file says of the inside of a network becomes a topology.
 *
 * The schema has read each figure by itself. What is left are rules between figures: a routing
 * that needs places, a buffer that holds no packet, a packet below its header. Some of them need
 * the topology, because the longest route decides how long a header gets, and the slowest link how
 * much room a stream needs. So the order is: figures, words, topology, and then the rules of
 * packets and buffers. Each rule is refused at the figure that broke it.
 */
#include "layers/machine/builder.h"
#include "layers/network/network_model.h"
#include "layers/network/placement.h"
#include "layers/network/routing.h"
#include "runtime/base/fnv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ROOM sizeof((struct htmt_figure){0}.key)

struct inside {
    struct htmt__builder *b;
    const char *of; /* "networks.NAME" */
    const struct htmt_network *network;
    struct htmt__inside in;
    bool in_packets; /* the buffer counts packets, not bytes */
    struct htmt__switch_graph *graph;
    uint32_t *place;
    struct htmt__topology *t;
};

static struct htmt_figure *figure(const struct inside *s, const char *key)
{
    char full[KEY_ROOM];
    snprintf(full, sizeof full, "%s.inside.%s", s->of, key);
    for (uint32_t i = 0; i < s->b->machine->figure_count; i++)
        if (strcmp(s->b->machine->figure[i].key, full) == 0)
            return &s->b->machine->figure[i];
    return NULL;
}

/* A figure that the file left out has no line: then the topology's is named. */
static int refuse_as(const struct inside *s, const char *key, int code, const char *what)
{
    const struct htmt_figure *f = figure(s, key);
    return htmt__figure_refuse(f ? f : figure(s, "topology"), code, s->b->fault, "%s", what);
}

__attribute__((format(printf, 3, 4))) static int refuse(const struct inside *s, const char *key,
                                                        const char *format, ...)
{
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return refuse_as(s, key, HTMT_EFORMAT, what);
}

/* The file of the figure, for paths beside it; NULL: given by --set. */
static const char *file_of(const struct htmt_figure *f)
{
    return f->line ? f->file : NULL;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* The keys that a Data Vortex has, and needs. */
static bool is_of_vortex(const char *key)
{
    return strcmp(key, "slot") == 0 || strcmp(key, "signal") == 0;
}
static bool vortex_has(const char *key)
{
    static const char *const keys[] = {"topology",  "routing", "packet", "header.fixed",
                                       "planes.as", "blocked", "slot",   "signal"};
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* All figures, in the order of the dump: those beside `startup`, which may be missing (later blocks
 * then start like the first one), the model's name, and those inside. A row of no size is a word or
 * a path that is read later; its blanks do not count. */
static int build_figures(struct inside *s)
{
    struct htmt__builder *b = s->b;
    char prefix[KEY_ROOM], key[2 * KEY_ROOM], text[sizeof((struct htmt_figure){0}.value)];
    int rc = 0;
    s->in.startup_next = s->network->startup;
    s->in.local_byte = (struct htmt_ratio){0, 1};
    for (const struct htmt_schema_row *r = htmt__fabric_beside; r->key && !rc; r++)
        if (htmt__figures_find_under(b->from, s->of, r->key))
            rc = htmt__build_row(b, r, s->of, &s->in);
    snprintf(prefix, sizeof prefix, "%s.inside", s->of);
    const struct htmt_figure *f = htmt__figures_find_under(b->from, prefix, "model");
    htmt__build_keep(b, f);
    htmt__build_absorb(b, f->value);
    for (const struct htmt_schema_row *r = htmt__fabric_figures; r->key && !rc; r++) {
        /* A graph has no shape, and a shape no graph; a crossbar has neither. */
        bool graph = s->in.topology == HTMT__GRAPH, crossbar = s->in.topology == HTMT__CROSSBAR;
        f = htmt__figures_find_under(b->from, prefix, r->key);
        const bool vortex = s->in.topology == HTMT__DATA_VORTEX;
        if (r->size && !f && vortex != is_of_vortex(r->key)) /* what the other ones have */
            continue;
        if (r->size) { /* a choice that the file leaves out is the default, and not in the hash */
            if (f || r->kind != HTMT_SCHEMA_CHOICE || !r->optional)
                rc = htmt__build_row(b, r, prefix, &s->in);
            continue;
        }
        if (strcmp(r->key, "graph") == 0 ? !graph
                                         : strcmp(r->key, "shape") == 0 && (graph || crossbar))
            continue;
        if (!f) {
            snprintf(key, sizeof key, "%s.%s", prefix, r->key);
            rc = r->optional ? 0 : htmt__build_refuse_missing(b, key);
            continue;
        }
        char *to = text;
        for (const char *c = f->value; *c; c++)
            if (*c != ' ')
                *to++ = *c;
        *to = '\0';
        htmt__build_keep(b, f);
        htmt__build_absorb(b, text);
    }
    s->in.local_wire = s->in.global_wire = s->in.wire;
    for (const struct htmt_schema_row *r = htmt__fabric_more; r->key && !rc; r++)
        if (htmt__figures_find_under(b->from, prefix, r->key))
            rc = htmt__build_row(b, r, prefix, &s->in);
    return rc;
}

/* ---- what words mean ------------------------------------------------------------------------- */

/* The graph's file, or the numbers of the shape; then whether there is an end for each slice, of
 * which *ends is told. */
static int read_switches(struct inside *s, uint32_t *ends)
{
    const uint32_t slices = s->b->machine->slices;
    const bool graph = s->in.topology == HTMT__GRAPH, crossbar = s->in.topology == HTMT__CROSSBAR;
    const char *key = graph ? "graph" : "shape";
    const struct htmt_figure *f = figure(s, key);
    if (graph && !f)
        return refuse(s, "topology", "a graph has no name, expected the key 'graph'");
    if (graph) {
        struct htmt_fault inner = {0};
        int rc = htmt__topology_graph_load(f->value, file_of(f), &s->graph, &inner);
        if (rc == HTMT_ENOENT)
            return refuse_as(s, key, rc, inner.text);
        if (rc) /* it names its own place */
            return htmt_fault_set(s->b->fault, rc, "%s", inner.text);
    } else if (!crossbar) {
        char why[160];
        if (!f)
            return refuse(s, "topology", "it has no shape, expected the key 'shape'");
        if (!htmt__topology_shape(f->value, slices, &s->in, why, sizeof why))
            return refuse(s, key, "%s", why);
    }
    *ends = graph ? s->graph->ends : crossbar ? slices : htmt__topology_ends(&s->in);
    if (*ends == 0 || htmt__topology_channels(&s->in, *ends) > HTMT__CHANNELS_MOST)
        return refuse(s, key, "a network of more than %llu channels is too large",
                      (unsigned long long)HTMT__CHANNELS_MOST);
    if (*ends < slices)
        return refuse(s, key, "%u ends do not hold the %u slices of the machine", *ends, slices);
    return 0;
}

static int read_place(struct inside *s, uint32_t ends)
{
    const struct htmt_figure *f = figure(s, "place");
    struct htmt_fault inner = {0};
    uint32_t slices = s->b->machine->slices;
    s->place = malloc(slices * sizeof *s->place);
    if (!s->place)
        return htmt_fault_set(s->b->fault, HTMT_ENOMEM, "%s: out of memory", s->b->file);
    int rc = htmt__place(f->value, file_of(f), &s->in, s->graph, ends, slices, s->place, &inner);
    return rc ? refuse_as(s, "place", rc, inner.text) : 0;
}

/* The routings of a topology, in words; NULL: another rule says. */
static const char *routings_of(enum htmt__topology_kind topology)
{
    switch (topology) {
    case HTMT__FAT_TREE:
        return "'d-mod-k', 'up-random' or 'up-adaptive'";
    case HTMT__DRAGONFLY:
    case HTMT__FLAT_BUTTERFLY:
    case HTMT__HYPERCUBE:
        return "'minimal', 'valiant' or 'ugal'";
    case HTMT__CONCENTRATED_MESH:
        return "'xy', 'o1turn' or 'minimal-adaptive'";
    default:
        return "a routing of this topology";
    }
}

/* Lanes of each class that the routing needs (the proof is in many_ways.c and routing.c). `classes:
 * auto` has the lanes of the file in each of them. */
static int check_classes(struct inside *s)
{
    const uint32_t classes = htmt__route_classes(&s->in);
    if (s->in.auto_classes)
        s->in.lanes *= classes;
    if (s->in.lanes > 64)
        return refuse(s, "lanes", "%u classes of lanes make %u, expected at most 64", classes,
                      s->in.lanes);
    if (s->in.routing == HTMT__ROUTE_TORUS && s->in.lanes < 2)
        return refuse(s, "lanes",
                      "routing 'torus' changes lanes where a ring closes, expected at "
                      "least 2");
    if (s->in.lanes < classes)
        return refuse(s, "lanes",
                      "routing '%s' needs %u classes of lanes, expected at least %u, or classes: "
                      "auto",
                      figure(s, "routing")->value, classes, classes);
    return 0;
}

/* What packets that choose need, and what they spoil. */
static int check_ways(const struct inside *s)
{
    static const char *const group_wires[] = {"local-wire", "global-wire"};
    const bool many = htmt__route_has_many(&s->in);
    const bool detours = s->in.routing == HTMT__ROUTE_VALIANT || s->in.routing == HTMT__ROUTE_UGAL;
    const bool adapts = s->in.routing == HTMT__ROUTE_UP_ADAPTIVE ||
                        s->in.routing == HTMT__ROUTE_UGAL ||
                        s->in.routing == HTMT__ROUTE_MINIMAL_ADAPTIVE || s->in.dynamic;
    for (uint32_t i = 0; s->in.routing == HTMT__ROUTE_UP_ADAPTIVE && i < htmt__fat_levels(&s->in);
         i++)
        if (htmt__fat_level(&s->in, i).up > HTMT__WAYS_MOST)
            return refuse(s, "routing", "found 'up-adaptive' with %u ways up, expected at most %d",
                          htmt__fat_level(&s->in, i).up, HTMT__WAYS_MOST);
    if (many && s->in.from_source)
        return refuse(s, "routing",
                      "packets that start again at their senders (blocked: source) "
                      "have one way");
    if (detours && s->in.header_hop)
        return refuse(s, "header.hop", "ways differ in length, expected no part for each switch");
    if (figure(s, "detours") && (s->in.topology != HTMT__DRAGONFLY || !detours))
        return refuse(s, "detours",
                      "no packet goes by another group, expected a dragonfly and "
                      "'valiant' or 'ugal'");
    for (unsigned i = 0; i < 2 && s->in.topology != HTMT__DRAGONFLY; i++)
        if (figure(s, group_wires[i]))
            return refuse(s, group_wires[i], "no links of groups, expected a dragonfly");
    if (figure(s, "links") && s->in.topology != HTMT__DRAGONFLY)
        return refuse(s, "links", "no links of groups, expected a dragonfly");
    if (figure(s, "seed") && !many)
        return refuse(s, "seed", "nothing is drawn, expected a routing with several ways");
    if (figure(s, "datelines") && s->in.routing != HTMT__ROUTE_TORUS)
        return refuse(s, "datelines", "no ring has datelines, expected the routing 'torus'");
    if (s->in.order == HTMT__ORDER_KEEP && adapts)
        return refuse(s, "order",
                      "found 'keep', but what waits at a switch decides for each "
                      "packet, expected 'free'");
    if (s->in.order == HTMT__ORDER_KEEP && !many)
        return refuse(s, "order", "found 'keep', but a message has one way");
    return 0;
}

/* Routers that send flits: what they cannot do, and what nobody else can. */
static int check_flits(const struct inside *s)
{
    static const char *const theirs[] = {"flit", "input-speedup", "arbiter", "priority"};
    const struct htmt__inside *in = &s->in;
    static const char what[] = "routers that send flits (pipeline: per-flit) %s";
    for (unsigned i = 0; i < 4 && !in->per_flit; i++)
        if (figure(s, theirs[i]))
            return refuse(s, theirs[i],
                          "only routers that send flits have it, expected pipeline: "
                          "per-flit");
    if (!in->per_flit)
        return 0;
    if (!in->flit)
        return refuse(s, "pipeline", what, "need the key 'flit'");
    if (!in->byte.num)
        return refuse(s, "rate", what, "work in cycles: the time of a flit, expected a rate");
    if (!in->buffer)
        return refuse(s, "buffer", what, "give back room, expected a number of bytes");
    if (in->packet && in->urgent > in->packet)
        return refuse(s, "priority",
                      "found %" PRIu64 " bytes, expected at most a packet of %" PRIu64 " bytes: no "
                      "packet of a longer message tells how long that is",
                      in->urgent, in->packet);
    if (in->switching != HTMT__WORMHOLE)
        return refuse(s, "switching", what, "send each one as it comes, expected 'wormhole'");
    if (in->planes > 1 && !in->scaled)
        return refuse(s, "planes.count", what, "are one plane, or scaled ones");
    if (in->header_hop)
        return refuse(s, "header.hop", what, "strip nothing, expected no part for each switch");
    if (in->from_source)
        return refuse(s, "blocked", what, "keep what is blocked, expected 'link'");
    if (in->route || in->copy.num || in->setup)
        return refuse(s,
                      in->route   ? "route"
                      : in->setup ? "setup"
                                  : "copy",
                      what, "take the time 'switch' alone");
    return 0;
}

/* Whether the topology has what the routing goes by: places, rings, an up and a down. And a packet
 * that starts again at its sender passes switches as one stream, so no router may take time. */
static int check_routing(struct inside *s)
{
    const enum htmt__routing routing = s->in.routing;
    const bool graph = s->in.topology == HTMT__GRAPH, torus = s->in.topology == HTMT__TORUS;
    const bool grid = torus || s->in.topology == HTMT__MESH;
    const bool placed = grid || graph || s->in.topology == HTMT__CONCENTRATED_MESH;
    const bool by_place = routing == HTMT__ROUTE_XY || routing == HTMT__ROUTE_GEOMETRIC;
    const char *why = NULL;
    if (by_place && !placed)
        why = "needs places, expected a mesh, a torus or a graph";
    else if (routing == HTMT__ROUTE_TORUS && !torus && !graph)
        why = "expected a torus or a graph";
    else if (routing == HTMT__ROUTE_UP_DOWN && grid)
        why = "expected a tree, a butterfly, a crossbar or a graph";
    if (why)
        return refuse(s, "routing", "found '%s', %s", figure(s, "routing")->value, why);
    if (s->in.topology == HTMT__DATA_VORTEX)
        return 0;
    if (!htmt__route_classes(&s->in))
        return refuse(s, "routing", "found '%s', expected %s", figure(s, "routing")->value,
                      routings_of(s->in.topology));
    int rc = check_classes(s);
    if (!rc)
        rc = check_ways(s);
    if (!rc)
        rc = check_flits(s);
    if (rc)
        return rc;
    if (s->in.ties == HTMT__TIES_BALANCED &&
        (routing == HTMT__ROUTE_XY || !(torus || routing == HTMT__ROUTE_TORUS)))
        return refuse(s, "ties", "found 'balanced', but no packet goes round a ring");
    for (uint32_t i = 0; s->graph && i < s->graph->switches; i++)
        if ((by_place || routing == HTMT__ROUTE_TORUS) && !s->graph->at[i].placed)
            return refuse(s, "routing", "needs places, but switch '%s' has none (at: x,y)",
                          s->graph->at[i].name);
    static const char what[] =
        "packets that start again at their senders (blocked: source) have no "
        "routers, expected %s";
    if (!s->in.from_source)
        return 0;
    if (s->in.router >= 0)
        return refuse(s, "router", what, "'none'");
    return s->in.route      ? refuse(s, "route", what, "no time")
           : s->in.copy.num ? refuse(s, "copy", what, "no time")
                            : 0;
}

/* ---- a Data Vortex ----------------------------------------------------------------------------
 *
 * Layers have angles one after the other, as many as their ports have channels; those of a port
 * that does not model how it receives (in: not-modelled) are one. */

static int deal_angles(struct inside *s)
{
    const uint32_t angles = s->in.shape[1];
    uint32_t in = 0, out = 0;
    for (uint32_t l = 0; l < s->b->machine->layer_count; l++) {
        const struct htmt_port *p = &s->network->port[l];
        const uint32_t enters = p->out, leaves = p->in ? p->in : p->out != 0;
        if (enters > 255 || leaves > 255)
            return refuse(s, "shape", "found a port of more than 255 channels");
        s->in.enters[l] = (struct htmt__vortex_angles){(uint8_t)in, (uint8_t)enters};
        s->in.leaves[l] = (struct htmt__vortex_angles){(uint8_t)out, (uint8_t)leaves};
        in += enters;
        out += leaves;
        if (in > angles || out > angles)
            return refuse(s, "shape",
                          "ports have %u channels out and %u in, expected as many angles", in, out);
    }
    return 0;
}

static int check_vortex(struct inside *s)
{
    const bool vortex = s->in.topology == HTMT__DATA_VORTEX;
    if (vortex != (s->in.routing == HTMT__ROUTE_DEFLECTION))
        return refuse(s, "routing", "found '%s', but the topology is '%s'",
                      figure(s, "routing")->value, figure(s, "topology")->value);
    for (const struct htmt_schema_row *r = htmt__fabric_figures; r->key; r++) {
        const struct htmt_figure *f = r->size ? figure(s, r->key) : NULL;
        if (f && (vortex ? !vortex_has(r->key) : is_of_vortex(r->key)) &&
            strcmp(f->value, HTMT__NOT_MODELLED) != 0)
            return refuse(s, r->key, "topology '%s' has none", figure(s, "topology")->value);
    }
    if (!vortex)
        return 0;
    for (const struct htmt_schema_row *r = htmt__fabric_more; r->key; r++)
        if (figure(s, r->key))
            return refuse(s, r->key, "topology 'data-vortex' has none");
    if (s->in.router >= 0 || s->in.from_source)
        return refuse(s, s->in.from_source ? "blocked" : "router",
                      "no packet stops in a data vortex, expected '%s'",
                      s->in.from_source ? "link" : HTMT__NO_ROUTER);
    if (!s->in.packet || !s->in.slot || !s->in.signal)
        return refuse(s,
                      !s->in.packet ? "packet"
                      : s->in.slot  ? "signal"
                                    : "slot",
                      "a data vortex cannot do without");
    if (s->in.signal >= s->in.slot)
        return refuse(s, "signal", "found %s, expected less than the slot of %s",
                      figure(s, "signal")->value, figure(s, "slot")->value);
    return deal_angles(s);
}

/* ---- rules of packets and buffers ------------------------------------------------------------
 *
 * A header grows by `header_hop` bytes for each hop, so the longest route has the longest header,
 * and a packet must be longer than that. A buffer that keeps whole packets holds at least one with
 * its header.
 *
 * A wormhole's buffer may be smaller, as long as a stream that meets nobody does not stand: until
 * the credit for its first byte is back, which takes the wire and the time of `control`, the link
 * sends (wire + control) / (time of a byte) bytes. With a wire of 20 ns, control of 20 ns and 1
 * byte/ns these are 40 bytes. Where links differ in rate, a stream fills buffers anyhow, and each
 * must hold a packet. */

static int check_whole_packets(const struct inside *s, uint64_t most, const char *whose)
{
    if (!s->in.packet)
        return refuse(s, "buffer",
                      "%s keeps whole packets, but messages are not cut (packet is not-modelled)",
                      whose);
    if (s->in.buffer < most)
        return refuse(s, "buffer",
                      "found %llu bytes, but %s keeps whole packets of up to %llu bytes",
                      (unsigned long long)s->in.buffer, whose, (unsigned long long)most);
    return 0;
}

static int check_buffer(struct inside *s)
{
    const struct htmt__topology *t = s->t;
    const uint64_t header = s->in.header + s->in.header_hop * t->longest;
    const uint64_t most = s->in.packet + header;
    bool rates_differ = false;
    int rc = 0;
    if (s->in.packet && s->in.packet <= header)
        return refuse(s, "packet", "found %llu bytes, expected more than the header of %llu bytes",
                      (unsigned long long)s->in.packet, (unsigned long long)header);
    if (s->in_packets && !s->in.packet)
        return refuse(s, "buffer",
                      "counts packets, but messages are not cut (packet is not-modelled)");
    if (s->in_packets && __builtin_mul_overflow(s->in.buffer, most, &s->in.buffer))
        return refuse(s, "buffer", "is too large");
    if (!s->in.buffer || s->in.from_source)
        return 0;
    if (s->in.switching != HTMT__WORMHOLE)
        return check_whole_packets(s, most, figure(s, "switching")->value);
    for (uint32_t c = 0; c < t->channels && !rates_differ; c = htmt__wire_other(t, c))
        rates_differ = htmt_ratio_cmp(htmt__wire(t, c)->byte, htmt__wire(t, 0)->byte) != 0;
    if (rates_differ)
        rc = check_whole_packets(s, most, "a network with links of different rates");
    for (uint32_t c = 0; c < t->channels && !rc; c = htmt__wire_other(t, c)) {
        const struct htmt__wire *w = htmt__wire(t, c);
        htmt_uwide back = (htmt_uwide)w->wire + (htmt_uwide)htmt__wire_control(t, w);
        if ((htmt_uwide)s->in.buffer * w->byte.num < back * w->byte.den)
            rc = refuse(
                s, "buffer",
                "found %llu bytes, but a credit is back after wire and control, in which %s",
                (unsigned long long)s->in.buffer,
                w->byte.num ? "more bytes leave: a stream alone would stand"
                            : "a channel without a rate sends any number (expected not-modelled)");
    }
    return rc;
}

/* Inputs without a limit hold up nobody, and no packet ever waits for room. */
static int check_circles(const struct inside *s)
{
    enum { SHOWN = 6 };
    char ports[SHOWN * (HTMT__ELEMENT_NAME + 4)] = "", port[HTMT__ELEMENT_NAME];
    uint32_t circle[SHOWN], count = 0;
    size_t used = 0;
    if (s->in.may_deadlock || (!s->in.buffer && !s->in.from_source))
        return 0;
    if (htmt__lane_circle(s->t, circle, SHOWN, &count))
        return htmt_fault_set(s->b->fault, HTMT_ENOMEM, "%s: out of memory", s->b->file);
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        htmt__topology_port_name(s->t, circle[i], port, sizeof port);
        used +=
            (size_t)snprintf(ports + used, sizeof ports - used, "%s%.60s", i ? " > " : "", port);
    }
    if (count)
        return refuse(s, "routing",
                      "packets may wait for each other round %u ports: %s%s; expected another "
                      "routing, or deadlock: allowed",
                      count, ports, count > SHOWN ? " > ..." : "");
    return 0;
}

/* ---- the topology ---------------------------------------------------------------------------- */

/* What files of its own say of a network belongs to the machine's hash. */
static void absorb_files(const struct inside *s)
{
    struct htmt_figure *graph = figure(s, "graph"), *place = figure(s, "place");
    for (uint32_t c = 0; graph && c < s->t->channels; c++) {
        const struct htmt__wire *w = htmt__wire(s->t, c);
        htmt__hash_u64(&graph->hash, (uint64_t)w->from << 32 | w->to);
        htmt__hash_u64(&graph->hash, (uint64_t)w->port << 32 | w->to_port);
        htmt__hash_u64(&graph->hash, w->byte.num);
        htmt__hash_u64(&graph->hash, w->byte.den);
        htmt__hash_u64(&graph->hash, (uint64_t)w->wire);
    }
    for (uint32_t i = 0; graph && i < s->t->switches; i++)
        htmt__hash_bytes(&graph->hash, s->t->graph->at[i].at, sizeof s->t->graph->at[i].at);
    for (uint32_t i = 0; strcmp(place->value, "rows") != 0 && i < s->t->slices; i++)
        htmt__hash_u64(&place->hash, s->t->end_of[i]);
}

int htmt__build_fabric(struct htmt__builder *b, const char *of, struct htmt_network *network)
{
    struct inside s = {.b = b, .of = of, .network = network};
    struct htmt_fault inner = {0};
    uint32_t ends = 0;
    s.in.latency = network->latency;
    int rc = build_figures(&s);
    if (rc)
        goto out;
    s.in_packets = s.in.buffer && strstr(figure(&s, "buffer")->value, "packet");
    const char *router = figure(&s, "router")->value;
    const bool none = strcmp(router, HTMT__NO_ROUTER) == 0;
    s.in.router = none ? -1 : htmt_machine_layer(b->machine, router);
    if (!none && (s.in.router < 0 || !*b->machine->layer[s.in.router].processor.name))
        rc = refuse(&s, "router", "found '%.40s', expected 'none' or a layer with processors",
                    router);
    if (!rc)
        rc = read_switches(&s, &ends);
    if (!rc)
        rc = check_vortex(&s);
    if (!rc)
        rc = check_routing(&s);
    if (!rc)
        rc = read_place(&s, ends);
    if (!rc && !network->machine_wide)
        rc = refuse(&s, "topology", "joins slices, expected a network of scope 'machine'");
    if (rc)
        goto out;
    struct htmt__switch_graph *graph = s.graph;
    s.graph = NULL; /* the topology's from here on, also if it fails */
    rc = htmt__topology_create(&s.in, graph, b->machine->slices, s.place, &s.t, &inner);
    if (rc) {
        rc = refuse_as(&s, "routing", rc, inner.text);
        goto out;
    }
    absorb_files(&s);
    rc = check_buffer(&s);
    if (!rc)
        rc = check_circles(&s);
    s.t->inside.buffer = s.in.buffer;
out:
    memcpy(network->inside, &s.t, sizeof s.t);
    htmt__topology_graph_destroy(&s.graph);
    free(s.place);
    return rc;
}
