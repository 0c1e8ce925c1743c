/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/traffic/adjust.h"

#include <stdio.h>

struct change {
    const struct htmt__traffic_table *from;
    const struct htmt__traffic_changes *what;
    struct htmt__traffic_table *to;
    uint32_t sources; /* so far */
};

static bool is_source(const struct htmt__traffic_table *t, uint32_t node)
{
    return t->node[node].sends && !htmt__traffic_waits(t, node);
}

/* ---- operations ------------------------------------------------------------------------------ */

static int copy_ports(const struct change *c, const struct htmt__traffic_message *m,
                      struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < m->ports && !rc; i++)
        rc = htmt__traffic_port_add(c->to, c->from->port[m->route + i], fault);
    return rc;
}

static int copy_op(const struct change *c, const struct htmt__traffic_op *op,
                   struct htmt_fault *fault)
{
    if (op->kind != HTMT__TRAFFIC_SEND && op->kind != HTMT__TRAFFIC_ASEND)
        return htmt__traffic_op_add(c->to, op, fault);
    struct htmt__traffic_message m = c->from->message[op->message];
    int rc = copy_ports(c, &m, fault);
    m.named = false;
    m.line = op->line;
    return rc ? rc : htmt__traffic_send_add(c->to, op->kind, &m, fault);
}

static int add_work(const struct change *c, uint32_t node, struct htmt_fault *fault)
{
    htmt_wide more = (htmt_wide)(c->what->most - c->what->least) * node;
    struct htmt__traffic_op op = {
        .kind = HTMT__TRAFFIC_COMPUTE, .message = HTMT__TRAFFIC_NONE, .time = c->what->least};
    if (c->from->nodes > 1)
        op.time += (htmt_time)(more / (c->from->nodes - 1));
    return op.time ? htmt__traffic_op_add(c->to, &op, fault) : 0;
}

/* Which of its operations stands at place i: messages of a source go round by `turn`. */
static uint32_t turned(const struct htmt__traffic_node *n, uint32_t i, uint32_t turn)
{
    uint32_t others = n->count - n->sends;
    return i < others || !n->sends ? n->first + i
                                   : n->first + others + (i - others + turn) % n->sends;
}

/* Before its first message it computes; a source may send in another order. */
static int copy_ops(const struct change *c, uint32_t node, uint32_t turn, struct htmt_fault *fault)
{
    const struct htmt__traffic_node *n = &c->from->node[node];
    bool worked = false;
    int rc = 0;
    for (uint32_t i = 0; i < n->count && !rc; i++) {
        const struct htmt__traffic_op *op = &c->from->op[turn ? turned(n, i, turn) : n->first + i];
        if (!worked && op->kind != HTMT__TRAFFIC_ALL) {
            worked = true;
            rc = add_work(c, node, fault);
        }
        if (!rc)
            rc = copy_op(c, op, fault);
    }
    return rc || worked ? rc : add_work(c, node, fault);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Of a source whose messages come last. */
static bool may_turn(const struct htmt__traffic_table *t, uint32_t node)
{
    const struct htmt__traffic_node *n = &t->node[node];
    for (uint32_t i = 0; i < n->sends; i++)
        if (t->op[n->first + n->count - 1 - i].kind != HTMT__TRAFFIC_ASEND)
            return false;
    return is_source(t, node);
}

static int copy_node(struct change *c, uint32_t node, struct htmt_fault *fault)
{
    const struct htmt__traffic_node *n = &c->from->node[node];
    bool source = is_source(c->from, node);
    int rc = htmt__traffic_node_add(c->to, n->name, fault);
    if (rc)
        return rc;
    struct htmt__traffic_node *copy = &c->to->node[node];
    copy->line = n->line;
    copy->period = source && c->what->has_period ? c->what->period : n->period;
    uint32_t turn = c->what->rotates && may_turn(c->from, node) ? c->sources % n->sends : 0;
    c->sources += source;
    return copy_ops(c, node, turn, fault);
}

int htmt__traffic_adjust(const struct htmt__traffic_table *t,
                         const struct htmt__traffic_changes *changes,
                         struct htmt__traffic_table *changed, struct htmt_fault *fault)
{
    struct htmt__traffic_table copy = {.file = t->file};
    struct change c = {t, changes, &copy, 0};
    int rc = 0;
    snprintf(copy.name, sizeof copy.name, "%s", t->name);
    snprintf(copy.about, sizeof copy.about, "%s", t->about);
    for (uint32_t i = 0; i < t->nodes && !rc; i++)
        rc = copy_node(&c, i, fault);
    if (!rc)
        rc = htmt__traffic_complete(&copy, fault);
    if (rc)
        htmt__traffic_clear(&copy);
    else
        *changed = copy;
    return rc;
}
