/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network with an inside: switches, routes and packets (docs/networks.md). What happens there is
 * layers/network; here are the keys, and the time of a message that meets nobody. `inside` of the
 * network holds a pointer to the topology.
 */
#include "layers/network/network_model.h"

#include "layers/network/routing.h"

#include <stdio.h>
#include <string.h>

#define NAME       "fabric"
#define TIME_MOST  (HTMT_TIME_MAX / 4)
#define BYTES_MOST (UINT64_C(1) << 60)
#define LANES_MOST 64

#define AT(member)                                                                                 \
    .offset = offsetof(struct htmt__inside, member),                                               \
    .size = sizeof(((struct htmt__inside *)NULL)->member)

static const char *const topologies[] = {"crossbar",
                                         "mesh",
                                         "torus",
                                         "tree",
                                         "butterfly",
                                         "fat-tree",
                                         "dragonfly",
                                         "flattened-butterfly",
                                         "concentrated-mesh",
                                         "hypercube",
                                         "graph",
                                         "data-vortex",
                                         NULL};
static const char *const switchings[] = {"store-and-forward", "cut-through", "wormhole", NULL};
static const char *const routings[] = {"xy",        "torus",       "geometric",        "up-down",
                                       "shortest",  "source",      "deflection",       "d-mod-k",
                                       "up-random", "up-adaptive", "minimal",          "valiant",
                                       "ugal",      "o1turn",      "minimal-adaptive", NULL};
static const char *const ties[] = {"forward", "balanced", "hash", NULL};
static const char *const orders[] = {"free", "keep", NULL};
static const char *const allocations[] = {"pairs", "dynamic", NULL};
static const char *const lane_classes[] = {"within", "auto", NULL};
static const char *const pipelines[] = {"per-packet", "per-flit", NULL};
static const char *const arbiters[] = {"round-robin", "oldest", NULL};
static const char *const detours[] = {"group", "switch", NULL};
static const char *const group_links[] = {"round", "number", NULL};
static const char *const datelines[] = {"change", "keep", NULL};
static const char *const deadlocks[] = {"refused", "allowed", NULL};
static const char *const plane_uses[] = {"dealt", "scaled", NULL};
static const char *const blocks[] = {"link", "source", NULL};

const struct htmt_schema_row htmt__fabric_figures[] = {
    {"topology", HTMT_SCHEMA_CHOICE, AT(topology), .words = topologies},
    {.key = "graph", .kind = HTMT_SCHEMA_TEXT, .optional = true},
    {.key = "shape", .kind = HTMT_SCHEMA_FIGURE, .optional = true},
    {"switching", HTMT_SCHEMA_CHOICE, AT(switching), .words = switchings},
    {"routing", HTMT_SCHEMA_CHOICE, AT(routing), .words = routings},
    {"ties", HTMT_SCHEMA_CHOICE, AT(ties), .words = ties, .optional = true},
    {"order", HTMT_SCHEMA_CHOICE, AT(order), .words = orders, .optional = true},
    {.key = "place", .kind = HTMT_SCHEMA_TEXT},
    {"packet", HTMT_UNIT_BYTES, AT(packet), .above_least = true, .most = BYTES_MOST,
     .optional = true},
    {"header.fixed", HTMT_UNIT_BYTES, AT(header), .most = BYTES_MOST, .optional = true},
    {"header.hop", HTMT_UNIT_BYTES, AT(header_hop), .most = 65536, .optional = true},
    {"rate", HTMT_UNIT_BYTE_RATE, AT(byte), .above_least = true, .optional = true},
    {"wire", HTMT_UNIT_TIME, AT(wire), .most = TIME_MOST, .optional = true},
    {"switch", HTMT_UNIT_TIME, AT(turn), .most = TIME_MOST, .optional = true},
    {"buffer", HTMT_UNIT_BUFFER, AT(buffer), .above_least = true, .most = BYTES_MOST,
     .optional = true},
    {"lanes", HTMT_UNIT_COUNT, AT(lanes), .above_least = true, .most = LANES_MOST, .optional = true,
     .absent = 1},
    {"classes", HTMT_SCHEMA_CHOICE, AT(auto_classes), .words = lane_classes, .optional = true},
    {"allocate", HTMT_SCHEMA_CHOICE, AT(dynamic), .words = allocations, .optional = true},
    {"planes.count", HTMT_UNIT_COUNT, AT(planes), .above_least = true, .most = LANES_MOST,
     .optional = true, .absent = 1},
    {"planes.as", HTMT_SCHEMA_CHOICE, AT(scaled), .words = plane_uses},
    {"setup", HTMT_UNIT_TIME, AT(setup), .most = TIME_MOST, .optional = true},
    {"route", HTMT_UNIT_TIME, AT(route), .most = TIME_MOST, .optional = true},
    {"copy", HTMT_UNIT_BYTE_TIME, AT(copy), .optional = true},
    {.key = "router", .kind = HTMT_SCHEMA_TEXT},
    {"blocked", HTMT_SCHEMA_CHOICE, AT(from_source), .words = blocks},
    {"control", HTMT_UNIT_TIME, AT(control), .most = TIME_MOST, .optional = true},
    {"slot", HTMT_UNIT_TIME, AT(slot), .above_least = true, .most = TIME_MOST, .optional = true},
    {"signal", HTMT_UNIT_TIME, AT(signal), .above_least = true, .most = TIME_MOST,
     .optional = true},
    {.key = NULL}};

const struct htmt_schema_row htmt__fabric_beside[] = {
    {"startup-next", HTMT_UNIT_TIME, AT(startup_next), .most = TIME_MOST, .optional = true},
    {"receive", HTMT_UNIT_TIME, AT(receive), .most = TIME_MOST, .optional = true},
    {"local-rate", HTMT_UNIT_BYTE_RATE, AT(local_byte), .above_least = true, .optional = true},
    {.key = NULL}};

const struct htmt_schema_row htmt__fabric_more[] = {
    {"local-wire", HTMT_UNIT_TIME, AT(local_wire), .most = TIME_MOST, .optional = true},
    {"global-wire", HTMT_UNIT_TIME, AT(global_wire), .most = TIME_MOST, .optional = true},
    {"bias", HTMT_UNIT_BYTES, AT(bias), .most = BYTES_MOST, .optional = true},
    {"seed", HTMT_UNIT_COUNT, AT(seed), .most = UINT32_MAX, .optional = true},
    {"links", HTMT_SCHEMA_CHOICE, AT(by_number), .words = group_links, .optional = true},
    {"datelines", HTMT_SCHEMA_CHOICE, AT(keep_class), .words = datelines, .optional = true},
    {"deadlock", HTMT_SCHEMA_CHOICE, AT(may_deadlock), .words = deadlocks, .optional = true},
    {"detours", HTMT_SCHEMA_CHOICE, AT(by_switch), .words = detours, .optional = true},
    {"pipeline", HTMT_SCHEMA_CHOICE, AT(per_flit), .words = pipelines, .optional = true},
    {"flit", HTMT_UNIT_BYTES, AT(flit), .above_least = true, .most = BYTES_MOST, .optional = true},
    {"input-speedup", HTMT_UNIT_COUNT, AT(input_speedup), .above_least = true, .most = LANES_MOST,
     .optional = true},
    {"arbiter", HTMT_SCHEMA_CHOICE, AT(oldest), .words = arbiters, .optional = true},
    {"priority", HTMT_UNIT_BYTES, AT(urgent), .most = BYTES_MOST, .optional = true},
    {.key = NULL}};

/* ---- reading --------------------------------------------------------------------------------- */

static int read_plain(struct htmt__figures *figures, const struct htmt_yaml *at, const char *key,
                      const char *name, const char *word, struct htmt_fault *fault)
{
    char under[sizeof((struct htmt_figure){0}.key)], text[HTMT_NAME_MAX];
    struct htmt_yaml node = {
        .kind = HTMT_YAML_SCALAR, .line = at->line, .file = at->file, .text = text};
    snprintf(text, sizeof text, "%s", word);
    int rc = htmt__figures_key(at, key, name, under, fault);
    if (rc || htmt__figures_find(figures, under))
        return rc;
    return htmt__figures_read_plain(figures, &node, under, fault);
}

static const struct htmt_schema_row header_rows[] = {
    {.key = "fixed", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = "hop", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = "source", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = NULL}};

static int read_header(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                       const struct htmt_schema_row *rows, struct htmt_fault *fault)
{
    const struct htmt_yaml *part[3];
    bool whole = node->kind == HTMT_YAML_SCALAR || htmt_yaml_get(node, "value");
    int rc = whole ? 0 : htmt_schema_nodes(node, key, rows, part, fault);
    for (unsigned i = 0; i < 2 && !rc; i++)
        if (whole)
            rc = htmt__figures_read_under(figures, node, key, rows[i].key, fault);
        else if (part[i])
            rc = htmt__figures_read_shared(figures, part[i], part[2], key, rows[i].key, fault);
    return rc;
}

static const struct htmt_schema_row plane_rows[] = {
    {.key = "value", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = "count", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = "as", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = "source", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = NULL}};

/* {value: 4, as: dealt, source: ...}, or as the dump has it, count: {...} and as: dealt. */
static int read_planes(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                       const struct htmt_schema_row *rows, struct htmt_fault *fault)
{
    const struct htmt_yaml *part[4];
    char as[sizeof((struct htmt_figure){0}.key)];
    if (node->kind == HTMT_YAML_SCALAR)
        return htmt__figures_read_under(figures, node, key, "count", fault);
    int rc = htmt_schema_nodes(node, key, rows, part, fault);
    const struct htmt_yaml *count = rc ? NULL : part[0] ? part[0] : part[1];
    if (count)
        rc = htmt__figures_read_shared(figures, count, part[3], key, "count", fault);
    if (!rc)
        rc = htmt__figures_key(node, key, "as", as, fault);
    return rc || !part[2] ? rc : htmt__figures_read_plain(figures, part[2], as, fault);
}

static const struct htmt_schema_row rows[] = {
    HTMT__MODEL_NAME,
    {.key = "topology", .kind = HTMT_SCHEMA_TEXT},
    {.key = "graph", .kind = HTMT_SCHEMA_TEXT},
    {.key = "shape", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "switching", .kind = HTMT_SCHEMA_TEXT},
    {.key = "routing", .kind = HTMT_SCHEMA_TEXT},
    {.key = "ties", .kind = HTMT_SCHEMA_TEXT},
    {.key = "order", .kind = HTMT_SCHEMA_TEXT},
    {.key = "place", .kind = HTMT_SCHEMA_TEXT},
    {.key = "packet", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "header", .kind = HTMT_SCHEMA_GROUP, .rows = header_rows, .read = read_header},
    {.key = "rate", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "wire", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "local-wire", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "global-wire", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "bias", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "seed", .kind = HTMT_SCHEMA_TEXT},
    {.key = "switch", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "buffer", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "lanes", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "classes", .kind = HTMT_SCHEMA_TEXT},
    {.key = "allocate", .kind = HTMT_SCHEMA_TEXT},
    {.key = "deadlock", .kind = HTMT_SCHEMA_TEXT},
    {.key = "links", .kind = HTMT_SCHEMA_TEXT},
    {.key = "datelines", .kind = HTMT_SCHEMA_TEXT},
    {.key = "detours", .kind = HTMT_SCHEMA_TEXT},
    {.key = "pipeline", .kind = HTMT_SCHEMA_TEXT},
    {.key = "flit", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "input-speedup", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "arbiter", .kind = HTMT_SCHEMA_TEXT},
    {.key = "priority", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "planes", .kind = HTMT_SCHEMA_GROUP, .rows = plane_rows, .read = read_planes},
    {.key = "setup", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "route", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "copy", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "router", .kind = HTMT_SCHEMA_TEXT},
    {.key = "blocked", .kind = HTMT_SCHEMA_TEXT},
    {.key = "control", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "slot", .kind = HTMT_SCHEMA_FIGURE},
    {.key = "signal", .kind = HTMT_SCHEMA_FIGURE},
    {.key = NULL}};

bool htmt__fabric_is(const struct htmt_yaml *inside)
{
    return inside->kind == HTMT_YAML_MAPPING &&
           (htmt_yaml_get(inside, "topology") || htmt_yaml_get(inside, "graph"));
}

/* A graph takes the place of a base's topology. Words that the file may leave out have defaults. */
int htmt__fabric_complete(struct htmt__figures *figures, const struct htmt_yaml *node,
                          const char *key, struct htmt_fault *fault)
{
    static const char *const words[][2] = {{"model", NAME},
                                           {"place", "rows"},
                                           {"router", HTMT__NO_ROUTER},
                                           {"blocked", "link"},
                                           {"planes.as", "dealt"}};
    char topology[sizeof((struct htmt_figure){0}.key) + 16];
    int rc = 0;
    snprintf(topology, sizeof topology, "%s.topology", key);
    if (htmt_yaml_get(node, "graph") && !htmt_yaml_get(node, "topology"))
        htmt__figures_drop(figures, topology);
    if (htmt_yaml_get(node, "graph"))
        rc = read_plain(figures, node, key, "topology", "graph", fault);
    for (unsigned i = 0; i < sizeof words / sizeof *words && !rc; i++)
        rc = read_plain(figures, node, key, words[i][0], words[i][1], fault);
    const struct htmt_yaml *kind = htmt_yaml_get(node, "topology");
    if (!rc && kind && kind->text && strcmp(kind->text, "data-vortex") == 0)
        rc = read_plain(figures, node, key, "routing", "deflection", fault);
    return rc;
}

void htmt__fabric_forget(struct htmt__figures *figures, const char *key)
{
    char prefix[sizeof((struct htmt_figure){0}.key) + 16];
    const char *dot = strrchr(key, '.');
    for (const struct htmt_schema_row *r = htmt__fabric_beside; dot && r->key; r++) {
        snprintf(prefix, sizeof prefix, "%.*s.%s", (int)(dot - key), key, r->key);
        htmt__figures_drop(figures, prefix);
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

const struct htmt__topology *htmt__topology(const struct htmt_network *n)
{
    struct htmt__topology *t = NULL;
    if (n->model == &htmt__model_fabric)
        memcpy(&t, n->inside, sizeof t);
    return t;
}

/* Between two ends that are as far apart as ends are in the mean. The latency is part of the wire
 * that leaves an end. */
static htmt_time alone(const void *inside, htmt_time latency, uint64_t words)
{
    const struct htmt__topology *t;
    uint64_t bytes;
    (void)latency;
    memcpy(&t, inside, sizeof t);
    if (__builtin_mul_overflow(words, HTMT_WORD, &bytes))
        return -1;
    return htmt__route_alone(t, t->usual[0], t->usual[1], bytes);
}

const struct htmt__network_model htmt__model_fabric = {.name = NAME, .rows = rows, .alone = alone};
