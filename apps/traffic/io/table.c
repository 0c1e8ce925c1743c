/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of traffic: how they are filled, completed and asked.
 *
 * A file, a pattern or a profile adds nodes, operations and messages in order. Completion then
 * finds what a program needs and what the writer of a table leaves open, in three steps.
 *
 * 1. Receives meet messages. "rcv 3" at node 5 takes the next message from node 3 that no receive
 *    has taken. Messages and receives are each sorted by (target, source, place in the table); then
 *    the j-th receive of a pair takes the j-th message of that pair, and one pass over both lists
 *    finds all of them. For example, with messages 3->5 (a), 3->5 (b) and 4->5 (c), and receives
 *    "rcv 3", "rcv 4", "rcv 3" at node 5, the sorted lists are
 *
 *        messages   (5,3) a   (5,3) b   (5,4) c
 *        receives   (5,3) 1st (5,3) 3rd (5,4) 2nd
 *
 *    A receive that comes first in the merge has no message. A message that comes first is an error
 *    if its target has any receives, because a program that names what it takes must name all;
 *    otherwise the target takes it unnamed. Cost: n log n for n messages and receives.
 * 2. Indices. Each message has an index at its target. Those that the table gives are checked and
 *    taken first, then the others get the free ones in the order of the table.
 * 3. Places. The bytes of a node's messages follow each other in whole words, in the order of the
 *    table where they are sent, and in the order of their indices where they are heard.
 */
#include "apps/traffic/io/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPS_MOST (UINT32_C(1) << 26)

/* ---- filling --------------------------------------------------------------------------------- */

/* Make room for one element more at the end of *array. */
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
    struct htmt__traffic_message *added = &t->message[t->messages++];
    *added = *m;
    added->source = t->nodes - 1;
    added->place = t->node[t->nodes - 1].sends++;
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

/* ---- completion: receives -------------------------------------------------------------------- */

/* A line that begins with the place in the file or, without a file, with the node. */
__attribute__((format(printf, 5, 6))) static int refuse(const struct htmt__traffic_table *t,
                                                        int line, uint32_t node,
                                                        struct htmt_fault *fault,
                                                        const char *format, ...)
{
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (t->file && line)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s", t->file, line, what);
    return htmt_fault_set(fault, HTMT_EFORMAT, "node %" PRIu32 ": %s", node, what);
}

/* A message or a receive, with its number in the table. */
struct ordered {
    uint32_t source, target, number;
};

static int compare_pairs(const struct ordered *x, const struct ordered *y)
{
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return x->source < y->source ? -1 : x->source > y->source;
}

static int by_pair_and_number(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    int order = compare_pairs(x, y);
    return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

/* Both lists sorted, then their merge (step 1 above). */
static int match_receives(struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    struct ordered *send = malloc((t->messages + (size_t)t->ops + 1) * sizeof *send);
    if (!send)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a table of traffic");
    struct ordered *receive = send + t->messages;
    uint32_t receives = 0, r = 0;
    int rc = 0;
    for (uint32_t i = 0; i < t->messages; i++)
        send[i] = (struct ordered){t->message[i].source, t->message[i].target, i};
    for (uint32_t n = 0; n < t->nodes; n++)
        for (uint32_t i = t->node[n].first; i < t->node[n].first + t->node[n].count; i++)
            if (t->op[i].kind == HTMT__TRAFFIC_RCV || t->op[i].kind == HTMT__TRAFFIC_ARECV) {
                t->node[n].receives = true;
                receive[receives++] = (struct ordered){t->op[i].peer, n, i};
            }
    if (receives) {
        qsort(send, t->messages, sizeof *send, by_pair_and_number);
        qsort(receive, receives, sizeof *receive, by_pair_and_number);
    }
    for (uint32_t s = 0; s < t->messages && receives && !rc; s++) {
        int order = r < receives ? compare_pairs(&receive[r], &send[s]) : 1;
        if (order < 0)
            break;
        if (order > 0 && t->node[send[s].target].receives)
            rc = refuse(t, t->message[send[s].number].line, send[s].source, fault,
                        "found a send to node %" PRIu32 " without a receive: node %" PRIu32
                        " does not list it",
                        send[s].target, send[s].target);
        if (order > 0)
            continue;
        t->op[receive[r++].number].message = send[s].number;
        t->message[send[s].number].named = true;
    }
    if (!rc && r < receives)
        rc = refuse(t, t->op[receive[r].number].line, receive[r].target, fault,
                    "found a receive from node %" PRIu32
                    " without a send: expected a message more of it to node %" PRIu32,
                    receive[r].source, receive[r].target);
    free(send);
    return rc;
}

/* ---- completion: indices and places ---------------------------------------------------------- */

static int check_message(const struct htmt__traffic_table *t, const struct htmt__traffic_message *m,
                         struct htmt_fault *fault)
{
    if (m->target >= t->nodes)
        return refuse(t, m->line, m->source, fault,
                      "found target %" PRIu32 ", expected a node from 0 to %" PRIu32, m->target,
                      t->nodes - 1);
    if (m->target == m->source)
        return refuse(t, m->line, m->source, fault,
                      "found target %" PRIu32 ", which is the node itself", m->target);
    if (m->bytes && m->bytes <= HTMT__TRAFFIC_BYTES_MOST)
        return 0;
    return refuse(t, m->line, m->source, fault, "found %" PRIu64 " bytes, expected 1 to %" PRIu64,
                  m->bytes, HTMT__TRAFFIC_BYTES_MOST);
}

/* The indices that the table gives, then the free ones (step 2). A node that lists its blocks has
 * as many indices as blocks, any other one as many as messages. */
static int set_indices(struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    uint32_t *next = calloc(t->nodes ? t->nodes : 1, sizeof *next);
    int rc = 0;
    t->in = malloc((t->messages ? t->messages : 1) * sizeof *t->in);
    if (!t->in || !next) {
        free(next);
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a table of traffic");
    }
    for (uint32_t i = 0; i < t->messages; i++)
        t->in[i] = HTMT__TRAFFIC_NONE;
    for (uint32_t i = 0; i < t->messages && !rc; i++) {
        const struct htmt__traffic_message *m = &t->message[i];
        const struct htmt__traffic_node *n = &t->node[m->target];
        uint32_t *in = &t->in[n->first_in];
        if (m->index == HTMT__TRAFFIC_NONE)
            continue;
        if (n->listed && m->index >= n->listed)
            rc = refuse(t, m->line, m->source, fault,
                        "found a send without a receive: node %" PRIu32 " lists %" PRIu32
                        " blocks, none of index %" PRIu32,
                        m->target, n->listed, m->index);
        else if (!n->listed && m->index >= n->hears)
            rc = refuse(t, m->line, m->source, fault,
                        "found index %" PRIu32 " at node %" PRIu32 ", which hears %" PRIu32
                        " blocks: expected 0 to %" PRIu32,
                        m->index, m->target, n->hears, n->hears - 1);
        else if (m->index < n->hears && in[m->index] != HTMT__TRAFFIC_NONE)
            rc = refuse(t, m->line, m->source, fault,
                        "found index %" PRIu32 " of node %" PRIu32 " a second time", m->index,
                        m->target);
        else if (m->index < n->hears)
            in[m->index] = i;
    }
    for (uint32_t i = 0; i < t->messages && !rc; i++) {
        struct htmt__traffic_message *m = &t->message[i];
        uint32_t *in = &t->in[t->node[m->target].first_in], *at = &next[m->target];
        if (m->index != HTMT__TRAFFIC_NONE)
            continue;
        while (in[*at] != HTMT__TRAFFIC_NONE)
            ++*at;
        m->index = *at;
        in[*at] = i;
    }
    free(next);
    return rc;
}

/* A node that lists its blocks hears these and no others. */
static int check_listed(const struct htmt__traffic_table *t, uint32_t node,
                        struct htmt_fault *fault)
{
    const struct htmt__traffic_node *n = &t->node[node];
    if (n->listed && n->hears > n->listed)
        return refuse(t, n->line, node, fault,
                      "found a send without a receive: node %" PRIu32 " hears %" PRIu32
                      " blocks and lists %" PRIu32,
                      node, n->hears, n->listed);
    if (n->listed > n->hears)
        return refuse(t, n->line, node, fault,
                      "found a receive without a send: node %" PRIu32 " lists %" PRIu32
                      " blocks and hears %" PRIu32,
                      node, n->listed, n->hears);
    for (uint32_t i = 0; i < n->listed; i++) {
        const struct htmt__traffic_message *m = &t->message[t->in[n->first_in + i]];
        if (m->bytes != t->listed[n->first_listed + i])
            return refuse(t, m->line, m->source, fault,
                          "found %" PRIu64 " bytes for index %" PRIu32 " of node %" PRIu32
                          ", which expects %" PRIu64,
                          m->bytes, i, node, t->listed[n->first_listed + i]);
    }
    return 0;
}

int htmt__traffic_complete(struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    uint32_t first = 0;
    int rc = 0;
    for (uint32_t i = 0; i < t->messages && !rc; i++)
        rc = check_message(t, &t->message[i], fault);
    if (!rc)
        rc = match_receives(t, fault);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < t->messages; i++)
        t->node[t->message[i].target].hears++;
    for (uint32_t n = 0; n < t->nodes; n++) {
        t->node[n].first_in = first;
        first += t->node[n].hears;
    }
    rc = set_indices(t, fault);
    for (uint32_t n = 0; n < t->nodes && !rc; n++)
        rc = check_listed(t, n, fault);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < t->messages; i++) {
        struct htmt__traffic_message *m = &t->message[i];
        m->from = t->node[m->source].out_bytes;
        t->node[m->source].out_bytes += (m->bytes + 7) / 8 * 8;
    }
    for (uint32_t n = 0; n < t->nodes; n++)
        for (uint32_t i = 0; i < t->node[n].hears; i++) {
            struct htmt__traffic_message *m = &t->message[t->in[t->node[n].first_in + i]];
            m->to = t->node[n].in_bytes;
            t->node[n].in_bytes += (m->bytes + 7) / 8 * 8;
        }
    return 0;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* A node that hears nothing has nothing to wait for at ALL. */
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
