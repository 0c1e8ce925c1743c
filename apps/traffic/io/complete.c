/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The completion of a table: which receive takes which message, indices, offsets.
 */
#include "apps/traffic/io/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- messages -------------------------------------------------------------------------------- */

/* Where in the file; without a file, which node. */
static int refuse(const struct htmt__traffic_table *t, int line, uint32_t node, const char *what,
                  struct htmt_fault *fault)
{
    if (t->file && line)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: %s", t->file, line, what);
    return htmt_fault_set(fault, HTMT_EFORMAT, "node %" PRIu32 ": %s", node, what);
}

__attribute__((format(printf, 5, 6))) static int refuse_because(const struct htmt__traffic_table *t,
                                                                int line, uint32_t node,
                                                                struct htmt_fault *fault,
                                                                const char *format, ...)
{
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return refuse(t, line, node, what, fault);
}

static int check_message(const struct htmt__traffic_table *t, const struct htmt__traffic_message *m,
                         struct htmt_fault *fault)
{
    if (m->target >= t->nodes)
        return refuse_because(t, m->line, m->source, fault,
                              "found target %" PRIu32 ", expected a node from 0 to %" PRIu32,
                              m->target, t->nodes - 1);
    if (m->target == m->source)
        return refuse_because(t, m->line, m->source, fault,
                              "found target %" PRIu32 ", which is the node itself", m->target);
    if (m->bytes && m->bytes <= HTMT__TRAFFIC_BYTES_MOST)
        return 0;
    return refuse_because(t, m->line, m->source, fault,
                          "found %" PRIu64 " bytes, expected 1 to %" PRIu64, m->bytes,
                          HTMT__TRAFFIC_BYTES_MOST);
}

static int check_messages(const struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < t->messages && !rc; i++)
        rc = check_message(t, &t->message[i], fault);
    return rc;
}

/* ---- indices --------------------------------------------------------------------------------- */

static void count_heard(struct htmt__traffic_table *t)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < t->messages; i++)
        t->node[t->message[i].target].hears++;
    for (uint32_t n = 0; n < t->nodes; n++) {
        t->node[n].first_in = first;
        first += t->node[n].hears;
    }
}

static int take_index(struct htmt__traffic_table *t, uint32_t number, struct htmt_fault *fault)
{
    const struct htmt__traffic_message *m = &t->message[number];
    const struct htmt__traffic_node *n = &t->node[m->target];
    uint32_t *in = &t->in[n->first_in];
    if (m->index == HTMT__TRAFFIC_NONE)
        return 0;
    if (n->listed && m->index >= n->listed)
        return refuse_because(t, m->line, m->source, fault,
                              "found a send without a receive: node %" PRIu32 " lists %" PRIu32
                              " blocks, none of index %" PRIu32,
                              m->target, n->listed, m->index);
    if (!n->listed && m->index >= n->hears)
        return refuse_because(t, m->line, m->source, fault,
                              "found index %" PRIu32 " at node %" PRIu32 ", which hears %" PRIu32
                              " blocks: expected 0 to %" PRIu32,
                              m->index, m->target, n->hears, n->hears - 1);
    if (m->index < n->hears && in[m->index] != HTMT__TRAFFIC_NONE)
        return refuse_because(t, m->line, m->source, fault,
                              "found index %" PRIu32 " of node %" PRIu32 " a second time", m->index,
                              m->target);
    if (m->index < n->hears)
        in[m->index] = number;
    return 0;
}

/* A node that lists its blocks hears these. */
static int check_listed(const struct htmt__traffic_table *t, uint32_t node,
                        struct htmt_fault *fault)
{
    const struct htmt__traffic_node *n = &t->node[node];
    if (n->listed && n->hears > n->listed)
        return refuse_because(t, n->line, node, fault,
                              "found a send without a receive: node %" PRIu32 " hears %" PRIu32
                              " blocks and lists %" PRIu32,
                              node, n->hears, n->listed);
    if (n->listed > n->hears)
        return refuse_because(t, n->line, node, fault,
                              "found a receive without a send: node %" PRIu32 " lists %" PRIu32
                              " blocks and hears %" PRIu32,
                              node, n->listed, n->hears);
    for (uint32_t i = 0; i < n->listed; i++) {
        const struct htmt__traffic_message *m = &t->message[t->in[n->first_in + i]];
        if (m->bytes != t->listed[n->first_listed + i])
            return refuse_because(t, m->line, m->source, fault,
                                  "found %" PRIu64 " bytes for index %" PRIu32 " of node %" PRIu32
                                  ", which expects %" PRIu64,
                                  m->bytes, i, node, t->listed[n->first_listed + i]);
    }
    return 0;
}

/* The next free index of each message without one, in the order of the table. */
static int give_indices(struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    uint32_t *next = calloc(t->nodes ? t->nodes : 1, sizeof *next);
    if (!next)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a table of traffic");
    for (uint32_t i = 0; i < t->messages; i++) {
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
    return 0;
}

static int set_indices(struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    int rc = 0;
    t->in = malloc((t->messages ? t->messages : 1) * sizeof *t->in);
    if (!t->in)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a table of traffic");
    for (uint32_t i = 0; i < t->messages; i++)
        t->in[i] = HTMT__TRAFFIC_NONE;
    for (uint32_t i = 0; i < t->messages && !rc; i++)
        rc = take_index(t, i, fault);
    return rc ? rc : give_indices(t, fault);
}

static void set_offsets(struct htmt__traffic_table *t)
{
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
}

/* ---- receives -------------------------------------------------------------------------------- */

/* Messages of one pair, or receives of one pair, in order. */
struct ordered {
    uint32_t source, target, number;
};

static int by_pair(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_pair(const struct ordered *x, const struct ordered *y)
{
    struct ordered a = *x, b = *y;
    a.number = b.number = 0;
    return by_pair(&a, &b);
}

static bool is_receive(const struct htmt__traffic_op *op)
{
    return op->kind == HTMT__TRAFFIC_RCV || op->kind == HTMT__TRAFFIC_ARECV;
}

static uint32_t list_receives(struct htmt__traffic_table *t, struct ordered *list)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < t->nodes; n++)
        for (uint32_t i = t->node[n].first; i < t->node[n].first + t->node[n].count; i++)
            if (is_receive(&t->op[i])) {
                t->node[n].receives = true;
                list[count++] = (struct ordered){t->op[i].peer, n, i};
            }
    return count;
}

static int refuse_receive(const struct htmt__traffic_table *t, const struct ordered *r,
                          struct htmt_fault *fault)
{
    return refuse_because(t, t->op[r->number].line, r->target, fault,
                          "found a receive from node %" PRIu32
                          " without a send: expected a message more of it to node %" PRIu32,
                          r->source, r->target);
}

static int refuse_send(const struct htmt__traffic_table *t, const struct ordered *s,
                       struct htmt_fault *fault)
{
    return refuse_because(t, t->message[s->number].line, s->source, fault,
                          "found a send to node %" PRIu32 " without a receive: node %" PRIu32
                          " does not list it",
                          s->target, s->target);
}

/* Both lists in order: the j-th receive of a pair takes the j-th message. */
static int match(struct htmt__traffic_table *t, const struct ordered *send,
                 const struct ordered *receive, uint32_t receives, struct htmt_fault *fault)
{
    uint32_t r = 0;
    for (uint32_t s = 0; s < t->messages; s++) {
        int order = r < receives ? compare_pair(&receive[r], &send[s]) : 1;
        if (order < 0)
            return refuse_receive(t, &receive[r], fault);
        if (order > 0 && t->node[send[s].target].receives)
            return refuse_send(t, &send[s], fault);
        if (order > 0)
            continue;
        t->op[receive[r++].number].message = send[s].number;
        t->message[send[s].number].named = true;
    }
    return r < receives ? refuse_receive(t, &receive[r], fault) : 0;
}

static int match_receives(struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    struct ordered *send = malloc((t->messages + (size_t)t->ops + 1) * sizeof *send);
    if (!send)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a table of traffic");
    struct ordered *receive = send + t->messages;
    for (uint32_t i = 0; i < t->messages; i++)
        send[i] = (struct ordered){t->message[i].source, t->message[i].target, i};
    uint32_t receives = list_receives(t, receive);
    int rc = 0;
    if (receives) {
        qsort(send, t->messages, sizeof *send, by_pair);
        qsort(receive, receives, sizeof *receive, by_pair);
        rc = match(t, send, receive, receives, fault);
    }
    free(send);
    return rc;
}

int htmt__traffic_complete(struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    int rc = check_messages(t, fault);
    if (!rc)
        rc = match_receives(t, fault);
    if (rc)
        return rc;
    count_heard(t);
    rc = set_indices(t, fault);
    for (uint32_t n = 0; n < t->nodes && !rc; n++)
        rc = check_listed(t, n, fault);
    if (rc)
        return rc;
    set_offsets(t);
    t->is_complete = true;
    return 0;
}
