/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moves over one network: channels at its ports, cut-through. A put over CNET is charged here.
 */
#include "parcels/timing/channel.h"
#include "parcels/timing/charge.h"
#include "parcels/timing/event.h"
#include "parcels/timing/probe.h"

/* The channels at the target: from the arrival of the head, in the order of heads. */
static void queue_in(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                     htmt_time head)
{
    struct htmt__link *in = htmt__port_at(e, htmt__played(e, g->target), true, g->network, g->to);
    uint32_t *channel = htmt__explained(e) ? e->explain->channel(e, in) : NULL;
    htmt_time start =
        htmt__link_enter(in, &e->tally[g->stats->in_resource], head, g->in_time, g->words);
    if (start < 0) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a queue");
        return;
    }
    g->stats->in_busy += g->in_time;
    g->stats->in_waited += start - head;
    htmt_time end = htmt__later(start, g->in_time);
    end = end >= 0 && end < p->tail ? p->tail : end;
    if (htmt__explained(e) && end >= 0)
        e->explain->in(e, p, g, channel, head, start, end);
    htmt__schedule(e, p, end);
}

void htmt__channel_in(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    p->head = false;
    queue_in(e, p, g, e->now);
}

/* The head of the message is at the target's queue after the latency: an event of its own, unless
 * that queue has one source only, whose order is known beforehand. */
static void send_head(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                      htmt_time start)
{
    const struct htmt_network *n = &e->machine->network[g->network];
    htmt_time head = start + n->startup + n->latency;
    if (g->stats->in_resource == UINT32_MAX) {
        htmt__schedule(e, p, p->tail);
    } else if (e->one_source[g->network]) {
        queue_in(e, p, g, head);
    } else {
        p->head = true;
        htmt__schedule(e, p, head);
    }
}

void htmt__channel_out(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    const struct htmt_network *n = &e->machine->network[g->network];
    struct htmt__link *out =
        htmt__port_at(e, htmt__played(e, g->source), false, g->network, g->from);
    uint32_t *channel = htmt__explained(e) ? e->explain->channel(e, out) : NULL;
    htmt_time service = g->out_time; /* its start-up included */
    htmt_time start =
        htmt__link_enter(out, &e->tally[g->stats->resource], e->now, service, g->words);
    if (start < 0 || __builtin_add_overflow(start, service, &p->tail) ||
        __builtin_add_overflow(p->tail, n->latency, &p->tail)) {
        htmt__fail(e, start < 0 ? HTMT_ENOMEM : HTMT_EOVERFLOW,
                   start < 0 ? "no host memory for a queue" : "virtual time passes 2.56 hours");
        return;
    }
    g->stats->count++;
    g->stats->words += g->words;
    g->stats->busy += service;
    if (service > g->stats->longest)
        g->stats->longest = service;
    g->stats->waited += start - e->now;
    p->service = service;
    if (htmt__explained(e))
        e->explain->out(e, p, g, channel, start,
                        g->stats->in_resource == UINT32_MAX ? -1 : start + n->startup + n->latency);
    send_head(e, p, g, start);
}
