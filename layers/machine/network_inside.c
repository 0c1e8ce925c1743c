/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a machine file says of the inside of a network becomes a topology. Rules that no single
 * figure shows are checked here, each at the figure that broke it.
 */
#include "layers/machine/builder.h"
#include "layers/network/network_model.h"
#include "layers/network/placement.h"
#include "runtime/base/fnv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ROOM sizeof((struct htmt_figure){0}.key)

struct inside {
    struct htmt__builder *b;
    const char *of; /* "networks.NAME" */
    const struct htmt_network *network;
    struct htmt__inside in;
    bool in_packets; /* the buffer */
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

static int refuse(const struct inside *s, const char *key, const char *what)
{
    const struct htmt_figure *f = figure(s, key);
    return htmt__figure_refuse(f ? f : figure(s, "topology"), HTMT_EFORMAT, what, s->b->fault);
}

/* A fault of a file of its own has its place already. */
static int refuse_inner(const struct inside *s, const char *key, int code,
                        const struct htmt_fault *inner)
{
    const struct htmt_figure *f = figure(s, key);
    return htmt__figure_refuse(f ? f : figure(s, "topology"), code, inner->text, s->b->fault);
}

/* The file of the figure, for paths beside it; NULL: given by --set. */
static const char *file_of(const struct htmt_figure *f)
{
    return f->line ? f->file : NULL;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Words that their owner reads; blanks do not count. */
static int build_text(struct inside *s, const struct htmt_schema_row *row)
{
    char key[KEY_ROOM], text[sizeof((struct htmt_figure){0}.value)], *to = text;
    snprintf(key, sizeof key, "%s.inside.%s", s->of, row->key);
    const struct htmt_figure *f = htmt__figures_find(s->b->from, key);
    if (!f)
        return row->optional ? 0 : htmt__build_refuse_missing(s->b, key);
    for (const char *c = f->value; *c; c++)
        if (*c != ' ')
            *to++ = *c;
    *to = '\0';
    htmt__build_keep(s->b, f);
    htmt__build_absorb(s->b, text);
    return 0;
}

/* A graph has no shape, and a shape no graph; a crossbar has neither. */
static bool concerns(const struct inside *s, const char *key)
{
    bool graph = s->in.topology == HTMT__GRAPH, crossbar = s->in.topology == HTMT__CROSSBAR;
    if (strcmp(key, "graph") == 0)
        return graph;
    return strcmp(key, "shape") != 0 || (!graph && !crossbar);
}

static int build_figures(struct inside *s)
{
    char prefix[KEY_ROOM];
    int rc = 0;
    snprintf(prefix, sizeof prefix, "%s.inside", s->of);
    for (const struct htmt_schema_row *r = htmt__fabric_figures; r->key && !rc; r++)
        if (r->size)
            rc = htmt__build_row(s->b, r, prefix, &s->in);
        else if (concerns(s, r->key))
            rc = build_text(s, r);
    return rc;
}

/* The keys beside `startup` may be missing: later blocks then start like the first one. */
static int build_beside(struct inside *s)
{
    int rc = 0;
    s->in.startup_next = s->network->startup;
    s->in.local_byte = (struct htmt_ratio){0, 1};
    for (const struct htmt_schema_row *r = htmt__fabric_beside; r->key && !rc; r++) {
        char key[KEY_ROOM];
        snprintf(key, sizeof key, "%s.%s", s->of, r->key);
        if (htmt__figures_find(s->b->from, key))
            rc = htmt__build_row(s->b, r, s->of, &s->in);
    }
    return rc;
}

/* ---- what words mean ------------------------------------------------------------------------- */

static int read_router(struct inside *s)
{
    const char *name = figure(s, "router")->value;
    char what[120];
    s->in.router = -1;
    if (strcmp(name, HTMT__NO_ROUTER) == 0)
        return 0;
    s->in.router = htmt_machine_layer(s->b->machine, name);
    if (s->in.router >= 0 && *s->b->machine->layer[s->in.router].processor.name)
        return 0;
    snprintf(what, sizeof what, "found '%.40s', expected 'none' or a layer with processors", name);
    return refuse(s, "router", what);
}

static int read_graph(struct inside *s)
{
    struct htmt_figure *f = figure(s, "graph");
    struct htmt_fault inner = {0};
    if (!f)
        return refuse(s, "topology", "a graph has no name, expected the key 'graph'");
    int rc = htmt__topology_graph_load(f->value, file_of(f), &s->graph, &inner);
    return rc == HTMT_ENOENT ? refuse_inner(s, "graph", rc, &inner)
           : rc              ? htmt_fault_set(s->b->fault, rc, "%s", inner.text)
                             : 0;
}

static int read_shape(struct inside *s)
{
    const struct htmt_figure *f = figure(s, "shape");
    char why[160];
    if (s->in.topology == HTMT__CROSSBAR)
        return 0;
    if (!f)
        return refuse(s, "topology", "it has no shape, expected the key 'shape'");
    if (!htmt__topology_shape(f->value, s->b->machine->slices, &s->in, why, sizeof why))
        return refuse(s, "shape", why);
    return 0;
}

static uint32_t count_ends(const struct inside *s)
{
    return s->graph                           ? s->graph->ends
           : s->in.topology == HTMT__CROSSBAR ? s->b->machine->slices
                                              : htmt__topology_ends(&s->in);
}

static int check_holds(const struct inside *s)
{
    char what[160];
    const char *key = s->graph ? "graph" : "shape";
    uint32_t ends = count_ends(s), slices = s->b->machine->slices;
    if (ends == 0 || htmt__topology_channels(&s->in, ends) > HTMT__CHANNELS_MOST) {
        snprintf(what, sizeof what, "a network of more than %llu channels is too large",
                 (unsigned long long)HTMT__CHANNELS_MOST);
        return refuse(s, key, what);
    }
    snprintf(what, sizeof what, "%u ends do not hold the %u slices of the machine", ends, slices);
    return ends >= slices ? 0 : refuse(s, key, what);
}

static int read_place(struct inside *s)
{
    const struct htmt_figure *f = figure(s, "place");
    struct htmt_fault inner = {0};
    uint32_t slices = s->b->machine->slices;
    s->place = malloc(slices * sizeof *s->place);
    if (!s->place)
        return htmt_fault_set(s->b->fault, HTMT_ENOMEM, "%s: out of memory", s->b->file);
    int rc = htmt__place(f->value, file_of(f), &s->in, s->graph, count_ends(s), slices, s->place,
                         &inner);
    return rc ? refuse_inner(s, "place", rc, &inner) : 0;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool is_grid(const struct htmt__inside *in)
{
    return in->topology == HTMT__MESH || in->topology == HTMT__TORUS;
}

/* NULL: the topology knows the routing. */
static const char *why_not_routed(const struct htmt__inside *in)
{
    bool graph = in->topology == HTMT__GRAPH;
    switch (in->routing) {
    case HTMT__ROUTE_XY:
    case HTMT__ROUTE_GEOMETRIC:
        return is_grid(in) || graph ? NULL : "needs places, expected a mesh, a torus or a graph";
    case HTMT__ROUTE_TORUS:
        return in->topology == HTMT__TORUS || graph ? NULL : "expected a torus or a graph";
    case HTMT__ROUTE_UP_DOWN:
        return is_grid(in) ? "expected a tree, a butterfly, a crossbar or a graph" : NULL;
    default:
        return NULL;
    }
}

static int check_places(const struct inside *s)
{
    bool needs = s->in.routing == HTMT__ROUTE_XY || s->in.routing == HTMT__ROUTE_TORUS ||
                 s->in.routing == HTMT__ROUTE_GEOMETRIC;
    char what[160];
    for (uint32_t i = 0; s->graph && needs && i < s->graph->switches; i++)
        if (!s->graph->at[i].placed) {
            snprintf(what, sizeof what, "needs places, but switch '%s' has none (at: x,y)",
                     s->graph->at[i].name);
            return refuse(s, "routing", what);
        }
    return 0;
}

static int check_routing(const struct inside *s)
{
    char what[160];
    const char *why = why_not_routed(&s->in);
    snprintf(what, sizeof what, "found '%s', %s", figure(s, "routing")->value, why ? why : "");
    if (why)
        return refuse(s, "routing", what);
    if (s->in.routing == HTMT__ROUTE_TORUS && s->in.lanes < 2)
        return refuse(s, "lanes",
                      "routing 'torus' changes lanes where a ring closes, expected at "
                      "least 2");
    return check_places(s);
}

static uint64_t header_most(const struct inside *s)
{
    return s->in.header + s->in.header_hop * s->t->longest;
}

static int check_packet(const struct inside *s)
{
    char what[160];
    if (!s->in.packet || s->in.packet > header_most(s))
        return 0;
    snprintf(what, sizeof what, "found %llu bytes, expected more than the header of %llu bytes",
             (unsigned long long)s->in.packet, (unsigned long long)header_most(s));
    return refuse(s, "packet", what);
}

/* "2 packet" in bytes, once the longest header is known. */
static int measure_buffer(struct inside *s)
{
    uint64_t most = s->in.packet + header_most(s);
    if (!s->in_packets)
        return 0;
    if (!s->in.packet)
        return refuse(s, "buffer",
                      "counts packets, but messages are not cut (packet is "
                      "not-modelled)");
    if (__builtin_mul_overflow(s->in.buffer, most, &s->in.buffer))
        return refuse(s, "buffer", "is too large");
    return 0;
}

static bool rates_differ(const struct htmt__topology *t)
{
    for (uint32_t c = 1; c < t->channels; c++)
        if (htmt_ratio_cmp(t->wire[c].byte, t->wire[0].byte) != 0)
            return true;
    return false;
}

static int check_room_of_packet(const struct inside *s, const char *whose)
{
    char what[200];
    uint64_t most = s->in.packet + header_most(s);
    if (!s->in.packet)
        snprintf(what, sizeof what,
                 "%s keeps whole packets, but messages are not cut (packet is not-modelled)",
                 whose);
    else
        snprintf(what, sizeof what,
                 "found %llu bytes, but %s keeps whole packets of up to %llu bytes",
                 (unsigned long long)s->in.buffer, whose, (unsigned long long)most);
    return s->in.packet && s->in.buffer >= most ? 0 : refuse(s, "buffer", what);
}

/* Bytes that leave before a credit for the first of them comes back. */
static int check_room_of_stream(const struct inside *s)
{
    char what[200];
    for (uint32_t c = 0; c < s->t->channels; c++) {
        const struct htmt__wire *w = &s->t->wire[c];
        htmt_uwide back = (htmt_uwide)w->wire + (htmt_uwide)s->t->inside.control;
        htmt_uwide goes = back * w->byte.den, takes = (htmt_uwide)s->in.buffer * w->byte.num;
        if (takes >= goes)
            continue;
        snprintf(what, sizeof what,
                 "found %llu bytes, but a credit is back after wire and control, in which %s",
                 (unsigned long long)s->in.buffer,
                 w->byte.num ? "more bytes leave: a stream alone would stand"
                             : "a channel without a rate sends any number (expected not-modelled)");
        return refuse(s, "buffer", what);
    }
    return 0;
}

static int check_buffer(const struct inside *s)
{
    if (!s->in.buffer || s->in.from_source)
        return 0;
    if (s->in.switching != HTMT__WORMHOLE)
        return check_room_of_packet(s, figure(s, "switching")->value);
    if (rates_differ(s->t)) {
        int rc = check_room_of_packet(s, "a network with links of different rates");
        if (rc)
            return rc;
    }
    return check_room_of_stream(s);
}

/* A packet that starts again at its sender passes switches as one stream. */
static int check_routers(const struct inside *s)
{
    const char *what = "packets that start again at their senders (blocked: source) have no "
                       "routers, expected %s";
    char line[160];
    if (!s->in.from_source)
        return 0;
    if (s->in.router >= 0) {
        snprintf(line, sizeof line, what, "'none'");
        return refuse(s, "router", line);
    }
    snprintf(line, sizeof line, what, "no time");
    return s->in.route ? refuse(s, "route", line) : s->in.copy.num ? refuse(s, "copy", line) : 0;
}

/* ---- the topology ---------------------------------------------------------------------------- */

/* What files of its own say of a network belongs to the machine's hash. */
static void absorb_files(const struct inside *s)
{
    struct htmt_figure *graph = figure(s, "graph"), *place = figure(s, "place");
    for (uint32_t c = 0; graph && c < s->t->channels; c++) {
        const struct htmt__wire *w = &s->t->wire[c];
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

static int create(struct inside *s)
{
    struct htmt_fault inner = {0};
    struct htmt__switch_graph *graph = s->graph;
    s->graph = NULL;
    int rc = htmt__topology_create(&s->in, graph, s->b->machine->slices, s->place, &s->t, &inner);
    if (rc)
        return refuse_inner(s, "routing", rc, &inner);
    absorb_files(s);
    rc = check_packet(s);
    if (!rc)
        rc = measure_buffer(s);
    if (!rc)
        rc = check_buffer(s);
    s->t->inside.buffer = s->in.buffer;
    return rc;
}

static int read_words(struct inside *s)
{
    const struct htmt_figure *buffer = figure(s, "buffer");
    s->in_packets = s->in.buffer && strstr(buffer->value, "packet");
    int rc = read_router(s);
    if (!rc)
        rc = s->in.topology == HTMT__GRAPH ? read_graph(s) : read_shape(s);
    if (!rc)
        rc = check_holds(s);
    if (!rc)
        rc = check_routing(s);
    if (!rc)
        rc = check_routers(s);
    return rc ? rc : read_place(s);
}

int htmt__build_fabric(struct htmt__builder *b, const char *of, struct htmt_network *network)
{
    struct inside s = {.b = b, .of = of, .network = network};
    char key[KEY_ROOM];
    snprintf(key, sizeof key, "%s.inside.model", of);
    const struct htmt_figure *model = htmt__figures_find(b->from, key);
    s.in.latency = network->latency;
    int rc = build_beside(&s);
    htmt__build_keep(b, model);
    htmt__build_absorb(b, model->value);
    if (!rc)
        rc = build_figures(&s);
    if (!rc)
        rc = read_words(&s);
    if (!rc && !network->machine_wide)
        rc = refuse(&s, "topology", "joins slices, expected a network of scope 'machine'");
    if (!rc)
        rc = create(&s);
    memcpy(network->inside, &s.t, sizeof s.t);
    htmt__topology_graph_destroy(&s.graph);
    free(s.place);
    return rc;
}
