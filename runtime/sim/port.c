/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/sim/port.h"

void htmt__port_set(struct htmt__transmit_port *p, struct htmt__port_queue *q,
                    enum htmt__port_hold hold, htmt_time now)
{
    q->held[p->hold] += now - q->since;
    p->hold = hold;
    q->since = now;
}

void htmt__port_retime(struct htmt__transmit_port *p, struct htmt__port_queue *q, htmt_time now,
                       htmt_time end)
{
    if (p->end != HTMT_TIME_MAX)
        p->busy -= p->end - now;
    if (end != HTMT_TIME_MAX)
        p->busy += end - now;
    htmt__port_set(p, q, end == HTMT_TIME_MAX ? HTMT__PORT_HELD : HTMT__PORT_RUNS, now);
    p->end = end;
}

static void change(struct htmt__port_queue *q, htmt_time now)
{
    q->queued = htmt__port_queued(q, now);
    q->changed = now;
}

static bool before(const struct htmt__request *a, const struct htmt__request *b)
{
    if (a->since != b->since)
        return a->since < b->since;
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

/* Only requests of one instant come out of order. */
static void insert(struct htmt__requests *q, struct htmt__request *r)
{
    struct htmt__request **at = &q->first;
    if (!*at || !before(r, q->last)) {
        htmt__requests_append(q, r);
        return;
    }
    while (!before(r, *at))
        at = &(*at)->next;
    r->next = *at;
    *at = r;
}

void htmt__port_join(struct htmt__transmit_port *p, struct htmt__port_queue *q,
                     struct htmt__request *r, htmt_time now)
{
    change(q, now);
    r->since = now;
    insert(&p->queue, r);
    q->contentions++;
    if (++q->length > q->longest)
        q->longest = q->length;
}

struct htmt__request *htmt__port_leave(struct htmt__transmit_port *p, struct htmt__port_queue *q,
                                       htmt_time now)
{
    change(q, now);
    q->length--;
    return htmt__requests_pop(&p->queue);
}

htmt_time htmt__port_busy(const struct htmt__transmit_port *p, htmt_time now)
{
    return p->end == HTMT_TIME_MAX || p->end <= now ? p->busy : p->busy - (p->end - now);
}

htmt_time htmt__port_held(const struct htmt__transmit_port *p, const struct htmt__port_queue *q,
                          enum htmt__port_hold hold, htmt_time now)
{
    return q->held[hold] + (p->hold == hold ? now - q->since : 0);
}

htmt_uwide htmt__port_queued(const struct htmt__port_queue *q, htmt_time now)
{
    return q->queued + (htmt_uwide)q->length * (htmt_uwide)(now - q->changed);
}
