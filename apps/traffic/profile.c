/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/traffic/profile.h"

#include "apps/traffic/random.h"

#include <stdlib.h>

/* What a random number is for. */
enum { SIZE, PARTNER, SYNCHRONOUS, BETWEEN };

/* The messages of one node in order, with what it computes before each. */
struct sample {
    uint32_t first, count; /* messages of the table */
    htmt_time *between;
};

static bool is_send(const struct htmt__traffic_op *op)
{
    return op->kind == HTMT__TRAFFIC_SEND || op->kind == HTMT__TRAFFIC_ASEND;
}

/* The messages of a node stand together. */
static void take_sample(const struct htmt__traffic_table *t, uint32_t node, struct sample *s)
{
    const struct htmt__traffic_node *n = &t->node[node];
    htmt_time since = 0;
    s->count = 0;
    for (uint32_t i = n->first; i < n->first + n->count; i++) {
        const struct htmt__traffic_op *op = &t->op[i];
        if (op->kind == HTMT__TRAFFIC_COMPUTE)
            since += op->time;
        if (!is_send(op))
            continue;
        if (!s->count)
            s->first = op->message;
        s->between[s->count++] = since;
        since = 0;
    }
}

/* One of the node's messages. */
static uint32_t draw(const struct sample *s, uint64_t seed, uint64_t what, uint32_t node,
                     uint32_t n)
{
    return (uint32_t)htmt__traffic_below(htmt__traffic_random(seed, what, node, n), s->count);
}

static int make_message(const struct htmt__traffic_table *t, const struct sample *s, uint64_t seed,
                        uint32_t node, uint32_t n, struct htmt__traffic_table *made,
                        struct htmt_fault *fault)
{
    const struct htmt__traffic_message *from = &t->message[s->first];
    struct htmt__traffic_op work = {.kind = HTMT__TRAFFIC_COMPUTE,
                                    .message = HTMT__TRAFFIC_NONE,
                                    .time = s->between[draw(s, seed, BETWEEN, node, n)]};
    struct htmt__traffic_message m = {.index = HTMT__TRAFFIC_NONE,
                                      .target = from[draw(s, seed, PARTNER, node, n)].target,
                                      .bytes = from[draw(s, seed, SIZE, node, n)].bytes};
    bool synchronous = from[draw(s, seed, SYNCHRONOUS, node, n)].synchronous;
    int rc = work.time ? htmt__traffic_op_add(made, &work, fault) : 0;
    if (!rc)
        rc = htmt__traffic_send_add(made, synchronous ? HTMT__TRAFFIC_SEND : HTMT__TRAFFIC_ASEND,
                                    &m, fault);
    return rc;
}

static int make_node(const struct htmt__traffic_table *t, uint32_t node, struct sample *s,
                     uint64_t seed, struct htmt__traffic_table *made, struct htmt_fault *fault)
{
    int rc = htmt__traffic_node_add(made, t->node[node].name, fault);
    take_sample(t, node, s);
    for (uint32_t n = 0; n < s->count && !rc; n++)
        rc = make_message(t, s, seed, node, n, made, fault);
    return rc;
}

int htmt__traffic_profile_make(const struct htmt__traffic_table *t, uint64_t seed,
                               struct htmt__traffic_table *made, struct htmt_fault *fault)
{
    struct sample s = {.between = malloc((t->messages + 1) * sizeof *s.between)};
    int rc = s.between ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a profile");
    for (uint32_t i = 0; i < t->nodes && !rc; i++)
        rc = make_node(t, i, &s, seed, made, fault);
    free(s.between);
    return rc;
}

/* ---- figures --------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Different targets of a node. */
static uint32_t count_partners(const struct htmt__traffic_table *t, const struct sample *s,
                               uint32_t *target)
{
    uint32_t partners = 0;
    for (uint32_t i = 0; i < s->count; i++)
        target[i] = t->message[s->first + i].target;
    qsort(target, s->count, sizeof *target, by_number);
    for (uint32_t i = 0; i < s->count; i++)
        partners += !i || target[i] != target[i - 1];
    return partners;
}

struct htmt__traffic_profile htmt__traffic_profile_of(const struct htmt__traffic_table *t)
{
    struct htmt__traffic_profile p = {0};
    struct sample s = {.between = malloc((t->messages + 1) * sizeof *s.between)};
    uint32_t *target = malloc((t->messages + 1) * sizeof *target), senders = 0;
    for (uint32_t n = 0; n < t->nodes && s.between && target; n++) {
        take_sample(t, n, &s);
        senders += s.count > 0;
        p.mean_partners += count_partners(t, &s, target);
        for (uint32_t i = 0; i < s.count; i++) {
            p.mean_gap += (double)s.between[i];
            p.mean_bytes += (double)t->message[s.first + i].bytes;
            p.synchronous += t->message[s.first + i].synchronous;
        }
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
