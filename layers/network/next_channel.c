/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/network/next_channel.h"

struct htmt__packet htmt__packet_entered(const struct htmt__fabric_step *k,
                                         const struct htmt__fabric_event *e)
{
    struct htmt__packet p = e->packet;
    htmt__packet_enter(k, &p, htmt__wanted(e), htmt__wanted_lane(e));
    return p;
}

void htmt__next_channel_ask(const struct htmt__fabric *f, struct htmt__fabric_event *e)
{
    const struct htmt__packet *p = &e->packet;
    const struct htmt__bound bound = {
        .source = f->t->end_of[p->source],
        .target = f->t->end_of[p->target],
        .route = p->route ? f->options.ports(f->options.user, p->route) : NULL,
        .hops = p->hops,
        .channel = p->channel,
        .lane = p->lane};
    const uint32_t element =
        p->channel == HTMT__NOWHERE ? bound.source : f->view[p->channel].element;
    const struct htmt__next next = htmt__route_next(f->t, element, &bound);
    htmt__want(f, e, next.channel, next.lane);
}

static enum htmt__port_state state_of(const struct htmt__transmit_port *p, htmt_time now)
{
    if (p->end > now && p->end < HTMT_TIME_MAX)
        return HTMT__PORT_SENDS;
    return p->hold == HTMT__PORT_HELD    ? HTMT__PORT_BLOCKED
           : p->hold == HTMT__PORT_CALLS ? HTMT__PORT_WAITS
                                         : HTMT__PORT_FREE;
}

void htmt__port_tell(const struct htmt__fabric_step *k, const struct htmt__packet *p, bool queues)
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
