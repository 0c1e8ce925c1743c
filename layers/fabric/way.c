/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/fabric/way.h"

/* A switch strips its port number. */
struct htmt__packet htmt__way_entered(const struct htmt__fabric_turn *k,
                                      const struct htmt__waits *w)
{
    struct htmt__packet p = w->packet;
    if (p.channel != HTMT__NOWHERE)
        p.bytes -= k->f->t->inside.header_hop;
    p.channel = w->channel;
    p.lane = (uint8_t)w->lane;
    p.hops++;
    return p;
}

void htmt__way_find(const struct htmt__fabric *f, const struct htmt__packet *p, uint32_t *channel,
                    uint32_t *lane)
{
    const struct htmt__bound bound = {
        .source = f->t->end_of[p->source],
        .target = f->t->end_of[p->target],
        .route = p->route ? f->options.ports(f->options.user, p->route) : NULL,
        .hops = p->hops,
        .channel = p->channel,
        .lane = p->lane};
    const uint32_t element =
        p->channel == HTMT__NOWHERE ? bound.source : f->lead[p->channel].element;
    const struct htmt__next next = htmt__route_next(f->t, element, &bound);
    *channel = next.channel;
    *lane = next.lane;
}

static enum htmt__port_state state_of(const struct htmt__transmit_port *p, htmt_time now)
{
    if (p->end > now && p->end < HTMT_TIME_MAX)
        return HTMT__PORT_SENDS;
    return p->hold == HTMT__PORT_HELD    ? HTMT__PORT_BLOCKED
           : p->hold == HTMT__PORT_CALLS ? HTMT__PORT_WAITS
                                         : HTMT__PORT_FREE;
}

void htmt__way_tell(const struct htmt__fabric_turn *k, const struct htmt__packet *p, bool queues)
{
    const struct htmt__outlet *o = htmt__outlet_of(k, p->channel, p->plane, p->lane);
    const struct htmt__transmit_port *port = &o->port;
    const struct htmt__port_change change = {.channel = p->channel,
                                             .plane = p->plane,
                                             .state = state_of(port, k->now),
                                             .queues = queues,
                                             .queue = htmt__queue_of(k, o)->length,
                                             .until = port->end,
                                             .packet = p};
    k->sink->watch(k->sink->user, &change, k->now);
}
