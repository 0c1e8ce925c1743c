/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader of traffic tables. A node is written in one of two forms. As a stage it has blocks
 * that it receives, cycles of work and blocks that it sends:
 *
 *     - name: filter
 *       clock: 100 MHz
 *       cycles: 1000
 *       receive: [4000, 4000]
 *       send: [{to: 2, bytes: 2000}]
 *
 * It becomes ALL, COMPUTE of 10 us and an ASEND for each block; a stage with a period is a source
 * and has no ALL. As a program it has operations, one after another:
 *
 *     - program: [{compute: 2 us}, {send: 1, bytes: 800}, {rcv: 1}]
 *
 * Messages are only added here; what fits what is found by htmt__traffic_complete().
 */
#include "apps/traffic/io/table_file.h"

#include "layers/file/schema.h"
#include "layers/file/search.h"
#include "runtime/base/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORTS_MOST 64 /* switches on the way of a message */

_Static_assert(HTMT__TRAFFIC_PATH == HTMT_PATH_MAX, "a path fits");

static const struct htmt_search shipped = {"table of traffic", "tables", "HTMT_TRAFFIC_PATH"};

enum { TABLE_VERSION, TABLE_ABOUT, TABLE_NODES };
static const struct htmt_schema_row table_rows[] = {
    [TABLE_VERSION] = {.key = "htmt-traffic", .kind = HTMT_SCHEMA_NODE},
    [TABLE_ABOUT] = {.key = "about", .kind = HTMT_SCHEMA_TEXT, .optional = true},
    [TABLE_NODES] = {.key = "nodes", .kind = HTMT_SCHEMA_NODE},
    {.key = NULL}};

enum {
    NODE_NAME,
    NODE_PERIOD,
    NODE_CLOCK,
    NODE_CYCLES,
    NODE_RECEIVE,
    NODE_SEND,
    NODE_PROGRAM,
    NODE_KEYS
};
static const struct htmt_schema_row node_rows[] = {
    [NODE_NAME] = {.key = "name", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [NODE_PERIOD] = {.key = "period", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [NODE_CLOCK] = {.key = "clock", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [NODE_CYCLES] = {.key = "cycles", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [NODE_RECEIVE] = {.key = "receive", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [NODE_SEND] = {.key = "send", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [NODE_PROGRAM] = {.key = "program", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = NULL}};

enum { BLOCK_TO, BLOCK_BYTES, BLOCK_INDEX, BLOCK_ROUTE, BLOCK_KEYS };
static const struct htmt_schema_row block_rows[] = {
    [BLOCK_TO] = {.key = "to", .kind = HTMT_SCHEMA_NODE},
    [BLOCK_BYTES] = {.key = "bytes", .kind = HTMT_SCHEMA_NODE},
    [BLOCK_INDEX] = {.key = "index", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [BLOCK_ROUTE] = {.key = "route", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = NULL}};

enum { OP_COMPUTE, OP_SEND, OP_ASEND, OP_RCV, OP_ARECV, OP_BYTES, OP_INDEX, OP_ROUTE, OP_KEYS };
static const struct htmt_schema_row op_rows[] = {
    [OP_COMPUTE] = {.key = "compute", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [OP_SEND] = {.key = "send", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [OP_ASEND] = {.key = "asend", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [OP_RCV] = {.key = "rcv", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [OP_ARECV] = {.key = "arecv", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [OP_BYTES] = {.key = "bytes", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [OP_INDEX] = {.key = "index", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [OP_ROUTE] = {.key = "route", .kind = HTMT_SCHEMA_NODE, .optional = true},
    {.key = NULL}};

/* ---- values ---------------------------------------------------------------------------------- */

static int refuse(const struct htmt_yaml *node, int code, const char *what,
                  struct htmt_fault *fault)
{
    return htmt_fault_set(fault, code, "%s:%d: %s", node->file, node->line, what);
}

static int quantity(const struct htmt_yaml *node, const char *what, enum htmt_dimension dimension,
                    struct htmt_quantity *q, struct htmt_fault *fault)
{
    char why[200];
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, fault);
    if (rc)
        return rc;
    rc = htmt_quantity_read(node->text, dimension, NULL, q, why, sizeof why);
    return rc ? htmt_fault_set(fault, rc, "%s:%d: %s for %s", node->file, node->line, why, what)
              : 0;
}

/* A whole number up to `most`. */
static int whole(const struct htmt_yaml *node, const char *what, uint64_t most, uint64_t *value,
                 struct htmt_fault *fault)
{
    struct htmt_quantity q;
    int rc = quantity(node, what, HTMT_UNIT_COUNT, &q, fault);
    if (rc)
        return rc;
    if (q.value.den != 1 || q.value.num > most)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "%s:%d: found '%s' for %s, expected a whole number up to %" PRIu64,
                              node->file, node->line, node->text, what, most);
    *value = q.value.num;
    return 0;
}

static int whole32(const struct htmt_yaml *node, const char *what, uint32_t most, uint32_t *value,
                   struct htmt_fault *fault)
{
    uint64_t found = 0;
    int rc = whole(node, what, most, &found, fault);
    if (!rc)
        *value = (uint32_t)found;
    return rc;
}

static int duration(const struct htmt_yaml *node, const char *what, htmt_time *time,
                    struct htmt_fault *fault)
{
    struct htmt_quantity q;
    int rc = quantity(node, what, HTMT_UNIT_TIME, &q, fault);
    if (rc)
        return rc;
    if (q.value.den != 1 || q.value.num > (uint64_t)HTMT_TIME_MAX / 4)
        return refuse(node, HTMT_ERANGE, "the duration is too long", fault);
    *time = (htmt_time)q.value.num;
    return 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

static int read_ports(const struct htmt_yaml *node, struct htmt__traffic_table *t,
                      struct htmt__traffic_message *m, struct htmt_fault *fault)
{
    int rc = node ? htmt_yaml_expect(node, HTMT_YAML_SEQUENCE, "route", fault) : 0;
    for (const struct htmt_yaml *c = node ? node->first : NULL; c && !rc; c = c->next) {
        uint32_t port = 0;
        rc = whole32(c, "a port of a route", UINT16_MAX, &port, fault);
        if (!rc && ++m->ports > PORTS_MOST)
            rc = refuse(c, HTMT_EFORMAT, "the route has more than 64 ports", fault);
        if (!rc)
            rc = htmt__traffic_port_add(t, (uint16_t)port, fault);
    }
    if (!rc && node && !m->ports)
        rc = refuse(node, HTMT_EFORMAT, "found a route without ports", fault);
    return rc;
}

/* What a block and a send have in common. */
static int read_message(const struct htmt_yaml *to, const char *what, const struct htmt_yaml *bytes,
                        const struct htmt_yaml *index, const struct htmt_yaml *route,
                        enum htmt__traffic_kind kind, struct htmt__traffic_table *t,
                        struct htmt_fault *fault)
{
    struct htmt__traffic_message m = {.index = HTMT__TRAFFIC_NONE, .line = to->line};
    int rc = whole32(to, what, UINT32_MAX - 1, &m.target, fault);
    if (!rc && !bytes)
        rc = refuse(to, HTMT_EFORMAT, "the message lacks 'bytes'", fault);
    if (!rc)
        rc = whole(bytes, "bytes", UINT64_MAX, &m.bytes, fault);
    if (!rc && index)
        rc = whole32(index, "index", UINT32_MAX - 1, &m.index, fault);
    if (!rc)
        rc = read_ports(route, t, &m, fault);
    return rc ? rc : htmt__traffic_send_add(t, kind, &m, fault);
}

/* ---- programs -------------------------------------------------------------------------------- */

static int read_op(const struct htmt_yaml *node, struct htmt__traffic_table *t,
                   struct htmt_fault *fault)
{
    const struct htmt_yaml *v[OP_KEYS];
    int rc = htmt_schema_nodes(node, "an operation", op_rows, v, fault);
    if (rc)
        return rc;
    unsigned which = OP_BYTES, given = 0; /* the key that says what the operation is */
    for (unsigned i = OP_COMPUTE; i < OP_BYTES; i++) {
        given += v[i] != NULL;
        which = v[i] ? i : which;
    }
    if (given != 1)
        return refuse(node, HTMT_EFORMAT,
                      "expected one of compute, send, asend, rcv and arecv in an operation", fault);
    if (which == OP_SEND || which == OP_ASEND)
        return read_message(v[which], op_rows[which].key, v[OP_BYTES], v[OP_INDEX], v[OP_ROUTE],
                            which == OP_SEND ? HTMT__TRAFFIC_SEND : HTMT__TRAFFIC_ASEND, t, fault);
    if (v[OP_BYTES] || v[OP_INDEX] || v[OP_ROUTE])
        return refuse(node, HTMT_EFORMAT, "found bytes, index or route beside no send", fault);
    struct htmt__traffic_op op = {.kind = which == OP_COMPUTE ? HTMT__TRAFFIC_COMPUTE
                                          : which == OP_RCV   ? HTMT__TRAFFIC_RCV
                                                              : HTMT__TRAFFIC_ARECV,
                                  .message = HTMT__TRAFFIC_NONE,
                                  .line = v[which]->line};
    rc = which == OP_COMPUTE
             ? duration(v[which], "compute", &op.time, fault)
             : whole32(v[which], op_rows[which].key, UINT32_MAX - 1, &op.peer, fault);
    return rc ? rc : htmt__traffic_op_add(t, &op, fault);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static int read_sizes(const struct htmt_yaml *node, struct htmt__traffic_table *t,
                      struct htmt_fault *fault)
{
    int rc = node ? htmt_yaml_expect(node, HTMT_YAML_SEQUENCE, "receive", fault) : 0;
    for (const struct htmt_yaml *c = node ? node->first : NULL; c && !rc; c = c->next) {
        uint64_t bytes = 0;
        rc = whole(c, "a block of receive", UINT64_MAX, &bytes, fault);
        if (!rc)
            rc = htmt__traffic_listed_add(t, bytes, fault);
    }
    return rc;
}

static int add_simple(struct htmt__traffic_table *t, enum htmt__traffic_kind kind, htmt_time time,
                      struct htmt_fault *fault)
{
    struct htmt__traffic_op op = {.kind = kind, .message = HTMT__TRAFFIC_NONE, .time = time};
    return htmt__traffic_op_add(t, &op, fault);
}

/* A node of blocks: it starts when all its blocks are in, works for so many cycles of its clock (as
 * a duration, rounded once), and then sends its table. A node that hears nothing does not wait. */
static int read_stages(const struct htmt_yaml *const v[], const struct htmt_yaml *node,
                       struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    const struct htmt_yaml *clock = v[NODE_CLOCK], *cycles = v[NODE_CYCLES], *send = v[NODE_SEND];
    struct htmt_quantity hertz;
    struct htmt_ratio cycle;
    uint64_t count = 0;
    htmt_time work = 0;
    int rc = 0;
    if (!clock != !cycles)
        return refuse(node, HTMT_EFORMAT, "found one of clock and cycles, expected both", fault);
    if (clock) {
        rc = quantity(clock, "clock", HTMT_UNIT_FREQUENCY, &hertz, fault);
        if (!rc)
            rc = whole(cycles, "cycles", UINT64_MAX, &count, fault);
        if (rc)
            return rc;
        work = htmt_ratio_div((struct htmt_ratio){HTMT_SECOND, 1}, hertz.value, &cycle)
                   ? -1
                   : htmt_charge_time(cycle, count);
        if (work < 0 || work > HTMT_TIME_MAX / 4)
            return refuse(cycles, HTMT_ERANGE, "the work of the node takes too long", fault);
    }
    if (!v[NODE_PERIOD])
        rc = add_simple(t, HTMT__TRAFFIC_ALL, 0, fault);
    if (!rc && work)
        rc = add_simple(t, HTMT__TRAFFIC_COMPUTE, work, fault);
    if (!rc && send)
        rc = htmt_yaml_expect(send, HTMT_YAML_SEQUENCE, "send", fault);
    for (const struct htmt_yaml *c = send ? send->first : NULL; c && !rc; c = c->next) {
        const struct htmt_yaml *b[BLOCK_KEYS];
        rc = htmt_schema_nodes(c, "a block", block_rows, b, fault);
        if (!rc)
            rc = read_message(b[BLOCK_TO], "to", b[BLOCK_BYTES], b[BLOCK_INDEX], b[BLOCK_ROUTE],
                              HTMT__TRAFFIC_ASEND, t, fault);
    }
    return rc;
}

/* A period and inputs exclude each other; so do a program and blocks. */
static int read_node(const struct htmt_yaml *node, struct htmt__traffic_table *t,
                     struct htmt_fault *fault)
{
    const struct htmt_yaml *v[NODE_KEYS];
    int rc = htmt_schema_nodes(node, "a node", node_rows, v, fault);
    if (!rc && v[NODE_PROGRAM] &&
        (v[NODE_CLOCK] || v[NODE_CYCLES] || v[NODE_RECEIVE] || v[NODE_SEND]))
        rc = refuse(v[NODE_PROGRAM], HTMT_EFORMAT,
                    "found a program beside clock, cycles, receive or send", fault);
    if (!rc && v[NODE_PERIOD] && v[NODE_RECEIVE])
        rc = refuse(node, HTMT_EFORMAT, "found a period beside receive: a source hears nothing",
                    fault);
    if (!rc && v[NODE_NAME])
        rc = htmt_yaml_expect(v[NODE_NAME], HTMT_YAML_SCALAR, "name", fault);
    if (!rc)
        rc = htmt__traffic_node_add(t, v[NODE_NAME] ? v[NODE_NAME]->text : NULL, fault);
    if (rc)
        return rc;
    struct htmt__traffic_node *n = &t->node[t->nodes - 1];
    n->line = node->line;
    rc = v[NODE_PERIOD] ? duration(v[NODE_PERIOD], "period", &n->period, fault) : 0;
    if (!rc)
        rc = read_sizes(v[NODE_RECEIVE], t, fault);
    if (!rc && !v[NODE_PROGRAM])
        return read_stages(v, node, t, fault);
    if (!rc)
        rc = htmt_yaml_expect(v[NODE_PROGRAM], HTMT_YAML_SEQUENCE, "program", fault);
    for (const struct htmt_yaml *c = rc ? NULL : v[NODE_PROGRAM]->first; c && !rc; c = c->next)
        rc = read_op(c, t, fault);
    return rc;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int read_root(const struct htmt_yaml *root, struct htmt__traffic_table *t,
                     struct htmt_fault *fault)
{
    const struct htmt_yaml *v[TABLE_NODES + 1];
    uint64_t version = 0;
    int rc = htmt_schema_nodes(root, "a table of traffic", table_rows, v, fault);
    if (!rc)
        rc = whole(v[TABLE_VERSION], "htmt-traffic", UINT64_MAX, &version, fault);
    if (!rc && version != 1)
        rc = refuse(v[TABLE_VERSION], HTMT_EFORMAT, "found another version of htmt-traffic than 1",
                    fault);
    if (!rc && v[TABLE_ABOUT])
        rc = htmt_yaml_expect(v[TABLE_ABOUT], HTMT_YAML_SCALAR, "about", fault);
    if (!rc && v[TABLE_ABOUT])
        snprintf(t->about, sizeof t->about, "%s", v[TABLE_ABOUT]->text);
    if (!rc)
        rc = htmt_yaml_expect(v[TABLE_NODES], HTMT_YAML_SEQUENCE, "nodes", fault);
    for (const struct htmt_yaml *c = rc ? NULL : v[TABLE_NODES]->first; c && !rc; c = c->next)
        rc = read_node(c, t, fault);
    if (!rc && !t->nodes)
        rc = refuse(v[TABLE_NODES], HTMT_EFORMAT, "found a table without nodes", fault);
    return rc;
}

/* A name that ends in ".table" is a file of this folder, as one with a slash is. */
int htmt__traffic_table_path(const char *name, char path[HTMT__TRAFFIC_PATH],
                             struct htmt_fault *fault)
{
    static const char end[] = ".table";
    size_t length = strlen(name), tail = sizeof end - 1;
    char below[HTMT__TRAFFIC_PATH];
    if (strchr(name, '/') || length <= tail || strcmp(name + length - tail, end) != 0 ||
        snprintf(below, sizeof below, "./%s", name) >= (int)sizeof below)
        return htmt_search_path(&shipped, name, NULL, path, fault);
    return htmt_search_path(&shipped, below, NULL, path, fault);
}

int htmt__traffic_table_read(const char *path, struct htmt__traffic_table *t,
                             struct htmt_fault *fault)
{
    struct htmt_yaml *root = NULL;
    struct htmt__traffic_table read = {.file = path};
    char *text = NULL;
    size_t length;
    htmt_search_name(path, read.name, sizeof read.name);
    int rc = htmt_input_read(path, HTMT_INPUT_LIST, &text, &length, fault); /* it may be long */
    if (!rc)
        rc = htmt_yaml_parse(path, text, length, &root, fault);
    free(text);
    if (!rc)
        rc = read_root(root, &read, fault);
    htmt_yaml_destroy(&root);
    if (rc)
        htmt__traffic_clear(&read);
    else
        *t = read;
    return rc;
}

uint32_t htmt__traffic_table_nodes(const char *name)
{
    char path[HTMT__TRAFFIC_PATH];
    struct htmt__traffic_table t = {.nodes = 0};
    if (htmt__traffic_table_path(name, path, NULL) || htmt__traffic_table_read(path, &t, NULL))
        return 0;
    uint32_t nodes = t.nodes;
    htmt__traffic_clear(&t);
    return nodes;
}
