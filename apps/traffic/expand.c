/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pattern as a table.
 */
#include "apps/traffic/pattern.h"

static int add_op(struct htmt__traffic_table *t, enum htmt__traffic_kind kind, uint32_t peer,
                  htmt_time time, struct htmt_fault *fault)
{
    struct htmt__traffic_op op = {
        .kind = kind, .peer = peer, .message = HTMT__TRAFFIC_NONE, .time = time};
    return htmt__traffic_op_add(t, &op, fault);
}

static int add_message(const struct htmt__traffic_pattern *p, uint32_t target,
                       struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    struct htmt__traffic_message m = {
        .target = target, .bytes = p->bytes, .index = HTMT__TRAFFIC_NONE};
    return htmt__traffic_send_add(t, p->synchronous ? HTMT__TRAFFIC_SEND : HTMT__TRAFFIC_ASEND, &m,
                                  fault);
}

static int add_work(const struct htmt__traffic_pattern *p, uint32_t node,
                    struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    htmt_time work = htmt__traffic_pattern_work(p, node);
    return work ? add_op(t, HTMT__TRAFFIC_COMPUTE, 0, work, fault) : 0;
}

/* The first node sends and waits for the answer, the other one answers. */
static int add_ping_pong(const struct htmt__traffic_pattern *p, uint32_t node,
                         struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    if (node && node != p->partner)
        return 0;
    int rc = add_work(p, node, t, fault);
    if (!rc && node)
        rc = add_op(t, HTMT__TRAFFIC_RCV, 0, 0, fault);
    if (!rc)
        rc = add_message(p, node ? 0 : p->partner, t, fault);
    if (!rc && !node)
        rc = add_op(t, HTMT__TRAFFIC_RCV, p->partner, 0, fault);
    return rc;
}

static int add_slot(const struct htmt__traffic_pattern *p, uint32_t node,
                    struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    uint32_t sends = htmt__traffic_pattern_sends(p, node);
    int rc = add_work(p, node, t, fault);
    for (uint32_t k = 0; k < sends && !rc; k++)
        rc = add_message(p, htmt__traffic_pattern_target(p, node, 0, k), t, fault);
    return rc ? rc : add_op(t, HTMT__TRAFFIC_ALL, 0, 0, fault);
}

/* Slots that differ: the messages of a slot are as many as in one that repeats. */
static int add_slots(const struct htmt__traffic_pattern *p, uint32_t node,
                     struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    uint64_t sends = htmt__traffic_pattern_sends(p, node);
    int rc = add_work(p, node, t, fault);
    for (uint64_t n = 0; n < sends * p->slots && !rc; n++) {
        uint64_t slot = n / sends;
        if (p->rate > 0)
            rc = add_op(t, HTMT__TRAFFIC_COMPUTE, 0, htmt__traffic_pattern_gap(p, node, n), fault);
        if (!rc)
            rc = add_message(p, htmt__traffic_pattern_target(p, node, slot, (uint32_t)(n % sends)),
                             t, fault);
    }
    return rc ? rc : add_op(t, HTMT__TRAFFIC_ALL, 0, 0, fault);
}

int htmt__traffic_pattern_expand(const struct htmt__traffic_pattern *p,
                                 struct htmt__traffic_table *t, struct htmt_fault *fault)
{
    int rc = 0;
    for (uint32_t i = 0; i < p->nodes && !rc; i++) {
        rc = htmt__traffic_node_add(t, NULL, fault);
        if (!rc && p->kind == HTMT__PING_PONG)
            rc = add_ping_pong(p, i, t, fault);
        else if (!rc && htmt__traffic_pattern_repeats(p))
            rc = add_slot(p, i, t, fault);
        else if (!rc)
            rc = add_slots(p, i, t, fault);
    }
    return rc;
}
