/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables made from a table.
 *
 * A changed table is a copy, operation by operation. Rotation concerns sources, nodes that send and
 * wait for nothing, if their messages are the last operations of their list: the messages of source
 * number i go round by i. Of three sources with the targets a, b, c, all would send to a first;
 * rotated they send a b c, b c a and c a b.
 *
 * A profile is drawn: message n of a node takes its size from one of the node's messages, its
 * target from another, and so on, each chosen by a number that is a function of (seed, property,
 * node, n). So the distribution of each property stays, and what goes together in the table does
 * not.
 */
#include "apps/traffic/derived.h"

#include "apps/lib/random.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_send(const struct htmt__traffic_op *op)
{
    return op->kind == HTMT__TRAFFIC_SEND || op->kind == HTMT__TRAFFIC_ASEND;
}

static bool is_source(const struct htmt__traffic_table *t, uint32_t node)
{
    return t->node[node].sends && !htmt__traffic_waits(t, node);
}

/* ---- other orders, periods and work ---------------------------------------------------------- */

struct change {
    const struct htmt__traffic_table *from;
    const struct htmt__traffic_changes *what;
    struct htmt__traffic_table *to;
    uint32_t sources; /* so far */
};

/* What a node computes more, in proportion to its number. */
static int add_work(const struct change *c, uint32_t node, struct htmt_fault *fault)
{
    htmt_wide more = (htmt_wide)(c->what->most - c->what->least) * node;
    struct htmt__traffic_op op = {
        .kind = HTMT__TRAFFIC_COMPUTE, .message = HTMT__TRAFFIC_NONE, .time = c->what->least};
    if (c->from->nodes > 1)
        op.time += (htmt_time)(more / (c->from->nodes - 1));
    return op.time ? htmt__traffic_op_add(c->to, &op, fault) : 0;
}

/* Before its first operation but ALL the node computes; its messages go round by `rotation`. */
static int copy_ops(const struct change *c, uint32_t node, uint32_t rotation,
                    struct htmt_fault *fault)
{
    const struct htmt__traffic_node *n = &c->from->node[node];
    const uint32_t others = n->count - n->sends;
    bool worked = false;
    int rc = 0;
    for (uint32_t i = 0; i < n->count && !rc; i++) {
        uint32_t at = rotation && i >= others ? others + (i - others + rotation) % n->sends : i;
        const struct htmt__traffic_op *op = &c->from->op[n->first + at];
        if (!worked && op->kind != HTMT__TRAFFIC_ALL) {
            worked = true;
            rc = add_work(c, node, fault);
        }
        if (rc || !is_send(op)) {
            rc = rc ? rc : htmt__traffic_op_add(c->to, op, fault);
            continue;
        }
        struct htmt__traffic_message m = c->from->message[op->message];
        for (uint32_t k = 0; k < m.ports && !rc; k++)
            rc = htmt__traffic_port_add(c->to, c->from->port[m.route + k], fault);
        m.named = false;
        m.line = op->line;
        rc = rc ? rc : htmt__traffic_send_add(c->to, op->kind, &m, fault);
    }
    return rc || worked ? rc : add_work(c, node, fault);
}

/* A source whose messages come last. */
static bool may_rotate(const struct htmt__traffic_table *t, uint32_t node)
{
    const struct htmt__traffic_node *n = &t->node[node];
    for (uint32_t i = 0; i < n->sends; i++)
        if (t->op[n->first + n->count - 1 - i].kind != HTMT__TRAFFIC_ASEND)
            return false;
    return is_source(t, node);
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
    for (uint32_t i = 0; i < t->nodes && !rc; i++) {
        const struct htmt__traffic_node *n = &t->node[i];
        bool source = is_source(t, i);
        if ((rc = htmt__traffic_node_add(&copy, n->name, fault)))
            break;
        copy.node[i].line = n->line;
        copy.node[i].period = source && changes->has_period ? changes->period : n->period;
        uint32_t rotation = changes->rotates && may_rotate(t, i) ? c.sources % n->sends : 0;
        c.sources += source;
        rc = copy_ops(&c, i, rotation, fault);
    }
    if (!rc)
        rc = htmt__traffic_complete(&copy, fault);
    if (rc)
        htmt__traffic_clear(&copy);
    else
        *changed = copy;
    return rc;
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* What a random number is for. */
enum { SIZE, PARTNER, SYNCHRONOUS, BETWEEN };

/* The messages of one node in order, with what it computes before each. */
struct sample {
    uint32_t first, count; /* messages of the table */
    htmt_time *between;
};

/* The messages of a node stand together in the table. */
static void take_sample(const struct htmt__traffic_table *t, uint32_t node, struct sample *s)
{
    const struct htmt__traffic_node *n = &t->node[node];
    htmt_time since = 0;
    s->count = 0;
    for (uint32_t i = n->first; i < n->first + n->count; i++) {
        const struct htmt__traffic_op *op = &t->op[i];
        if (op->kind == HTMT__TRAFFIC_COMPUTE || op->kind == HTMT__TRAFFIC_PAUSE)
            since += op->time;
        if (!is_send(op))
            continue;
        if (!s->count)
            s->first = op->message;
        s->between[s->count++] = since;
        since = 0;
    }
}

/* The number of one of the node's messages. */
static uint32_t draw(const struct sample *s, uint64_t seed, uint64_t what, uint32_t node,
                     uint32_t n)
{
    return (uint32_t)htmt__random_below(htmt__random_at(seed, what, node, n), s->count);
}

int htmt__traffic_profile_make(const struct htmt__traffic_table *t, uint64_t seed,
                               struct htmt__traffic_table *made, struct htmt_fault *fault)
{
    struct sample s = {.between = malloc((t->messages + 1) * sizeof *s.between)};
    int rc = s.between ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a profile");
    for (uint32_t node = 0; node < t->nodes && !rc; node++) {
        rc = htmt__traffic_node_add(made, t->node[node].name, fault);
        take_sample(t, node, &s);
        for (uint32_t n = 0; n < s.count && !rc; n++) {
            const struct htmt__traffic_message *from = &t->message[s.first];
            struct htmt__traffic_op work = {.kind = HTMT__TRAFFIC_COMPUTE,
                                            .message = HTMT__TRAFFIC_NONE,
                                            .time = s.between[draw(&s, seed, BETWEEN, node, n)]};
            struct htmt__traffic_message m = {.index = HTMT__TRAFFIC_NONE,
                                              .target =
                                                  from[draw(&s, seed, PARTNER, node, n)].target,
                                              .bytes = from[draw(&s, seed, SIZE, node, n)].bytes};
            bool synchronous = from[draw(&s, seed, SYNCHRONOUS, node, n)].synchronous;
            rc = work.time ? htmt__traffic_op_add(made, &work, fault) : 0;
            if (!rc)
                rc = htmt__traffic_send_add(
                    made, synchronous ? HTMT__TRAFFIC_SEND : HTMT__TRAFFIC_ASEND, &m, fault);
        }
    }
    free(s.between);
    return rc;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

struct htmt__traffic_profile htmt__traffic_profile_of(const struct htmt__traffic_table *t)
{
    struct htmt__traffic_profile p = {0};
    struct sample s = {.between = malloc((t->messages + 1) * sizeof *s.between)};
    uint32_t *target = malloc((t->messages + 1) * sizeof *target), senders = 0;
    for (uint32_t n = 0; n < t->nodes && s.between && target; n++) {
        uint32_t partners = 0; /* different targets of the node */
        take_sample(t, n, &s);
        for (uint32_t i = 0; i < s.count; i++) {
            const struct htmt__traffic_message *m = &t->message[s.first + i];
            target[i] = m->target;
            p.mean_gap += (double)s.between[i];
            p.mean_bytes += (double)m->bytes;
            p.synchronous += m->synchronous;
        }
        qsort(target, s.count, sizeof *target, by_number);
        for (uint32_t i = 0; i < s.count; i++)
            partners += !i || target[i] != target[i - 1];
        p.mean_partners += partners;
        senders += s.count > 0;
    }
    double messages = t->messages ? t->messages : 1;
    p.mean_bytes /= messages;
    p.synchronous /= messages;
    p.mean_gap /= messages;
    p.mean_partners /= senders ? senders : 1;
    free(s.between);
    free(target);
    return p;
}
