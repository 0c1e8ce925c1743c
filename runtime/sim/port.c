/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/sim/port.h"

/* The time of each hold is counted when the hold changes, the time of services when they begin, up
 * to their known end. A service whose end moves takes back what was counted beyond now. */
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

/* The length of the queue changes now: what it was until now goes into the integral. */
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

/* Only requests of one instant come out of order: slices play an instant in an order that does not
 * matter, and the keys put their requests into one that is always the same. */
void htmt__port_join(struct htmt__transmit_port *p, struct htmt__port_queue *q,
                     struct htmt__request *r, htmt_time now)
{
    struct htmt__request **at = &p->queue.first;
    change(q, now);
    r->since = now;
    if (!*at || !before(r, p->queue.last))
        htmt__requests_append(&p->queue, r);
    else {
        while (!before(r, *at))
            at = &(*at)->next;
        r->next = *at;
        *at = r;
    }
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
