/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/traffic/io/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPS_MOST (UINT32_C(1) << 26)

/* ---- room ------------------------------------------------------------------------------------ */

/* One element more at the end of *array. */
static int grow(void *array, size_t bytes, uint32_t count, uint32_t *room, struct htmt_fault *fault)
{
    void *old, *more;
    if (count < *room)
        return 0;
    if (count >= OPS_MOST)
        return htmt_fault_set(fault, HTMT_ERANGE, "found more than %u operations of a table",
                              OPS_MOST);
    uint32_t wanted = *room ? 2 * *room : 16;
    memcpy(&old, array, sizeof old);
    more = realloc(old, wanted * bytes);
    if (!more)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a table of traffic");
    memcpy(array, &more, sizeof more);
    *room = wanted;
    return 0;
}

int htmt__traffic_node_add(struct htmt__traffic_table *t, const char *name,
                           struct htmt_fault *fault)
{
    int rc = t->nodes < HTMT__TRAFFIC_NODES_MOST
                 ? grow(&t->node, sizeof *t->node, t->nodes, &t->node_room, fault)
                 : htmt_fault_set(fault, HTMT_ERANGE, "found more than %u nodes",
                                  HTMT__TRAFFIC_NODES_MOST);
    if (rc)
        return rc;
    struct htmt__traffic_node *n = &t->node[t->nodes++];
    *n = (struct htmt__traffic_node){.first = t->ops};
    snprintf(n->name, sizeof n->name, "%s", name ? name : "");
    return 0;
}

int htmt__traffic_op_add(struct htmt__traffic_table *t, const struct htmt__traffic_op *op,
                         struct htmt_fault *fault)
{
    int rc = grow(&t->op, sizeof *t->op, t->ops, &t->op_room, fault);
    if (rc)
        return rc;
    t->op[t->ops++] = *op;
    t->node[t->nodes - 1].count++;
    return 0;
}

int htmt__traffic_send_add(struct htmt__traffic_table *t, enum htmt__traffic_kind kind,
                           const struct htmt__traffic_message *m, struct htmt_fault *fault)
{
    struct htmt__traffic_op op = {
        .kind = kind, .peer = m->target, .message = t->messages, .line = m->line};
    int rc = grow(&t->message, sizeof *t->message, t->messages, &t->message_room, fault);
    if (!rc)
        rc = htmt__traffic_op_add(t, &op, fault);
    if (rc)
        return rc;
    struct htmt__traffic_node *n = &t->node[t->nodes - 1];
    struct htmt__traffic_message *added = &t->message[t->messages++];
    *added = *m;
    added->source = t->nodes - 1;
    added->place = n->sends++;
    added->route = t->ports - m->ports;
    added->synchronous = kind == HTMT__TRAFFIC_SEND;
    return 0;
}

int htmt__traffic_port_add(struct htmt__traffic_table *t, uint16_t port, struct htmt_fault *fault)
{
    int rc = grow(&t->port, sizeof *t->port, t->ports, &t->port_room, fault);
    if (!rc)
        t->port[t->ports++] = port;
    return rc;
}

int htmt__traffic_listed_add(struct htmt__traffic_table *t, uint64_t bytes,
                             struct htmt_fault *fault)
{
    struct htmt__traffic_node *n = &t->node[t->nodes - 1];
    int rc = grow(&t->listed, sizeof *t->listed, t->sizes, &t->listed_room, fault);
    if (rc)
        return rc;
    if (!n->listed++)
        n->first_listed = t->sizes;
    t->listed[t->sizes++] = bytes;
    return 0;
}

void htmt__traffic_clear(struct htmt__traffic_table *t)
{
    free(t->node);
    free(t->op);
    free(t->message);
    free(t->port);
    free(t->listed);
    free(t->in);
    *t = (struct htmt__traffic_table){.nodes = 0};
}

/* ---- questions ------------------------------------------------------------------------------- */

/* A node that hears nothing waits for nothing. */
static bool waits(const struct htmt__traffic_node *n, enum htmt__traffic_kind kind)
{
    return kind == HTMT__TRAFFIC_SEND || kind == HTMT__TRAFFIC_RCV ||
           (kind == HTMT__TRAFFIC_ALL && n->hears);
}

bool htmt__traffic_begins(const struct htmt__traffic_table *t, uint32_t node)
{
    const struct htmt__traffic_node *n = &t->node[node];
    if (!n->count)
        return false;
    enum htmt__traffic_kind kind = t->op[n->first].kind;
    return kind == HTMT__TRAFFIC_SEND || !waits(n, kind);
}

bool htmt__traffic_waits(const struct htmt__traffic_table *t, uint32_t node)
{
    const struct htmt__traffic_node *n = &t->node[node];
    for (uint32_t i = 0; i < n->count; i++)
        if (waits(n, t->op[n->first + i].kind))
            return true;
    return false;
}

bool htmt__traffic_gathers(const struct htmt__traffic_table *t, uint32_t node)
{
    const struct htmt__traffic_node *n = &t->node[node];
    for (uint32_t i = 0; i < n->count && n->hears; i++)
        if (t->op[n->first + i].kind == HTMT__TRAFFIC_ALL)
            return true;
    return false;
}

uint64_t htmt__traffic_bytes(const struct htmt__traffic_table *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->messages; i++)
        sum += t->message[i].bytes;
    return sum;
}

uint32_t htmt__traffic_most_heard(const struct htmt__traffic_table *t)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->nodes; i++)
        most = t->node[i].hears > most ? t->node[i].hears : most;
    return most;
}
