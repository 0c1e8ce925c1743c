/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/fabric/way.h"

/* A switch strips its port number. */
struct htmt__packet htmt__way_entered(const struct htmt__turn *k, const struct htmt__waits *w)
{
    struct htmt__packet p = w->packet;
    if (p.channel != HTMT__NOWHERE)
        p.bytes -= k->f->t->inside.header_hop;
    p.channel = w->channel;
    p.lane = (uint8_t)w->lane;
    p.hops++;
    return p;
}

void htmt__way_find(struct htmt__turn *k, struct htmt__waits *w)
{
    const struct htmt__fabric *f = k->f;
    const struct htmt__packet *p = &w->packet;
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
    w->channel = next.channel;
    w->lane = next.lane;
}

void htmt__way_watch(const struct htmt__turn *k, const struct htmt__packet *p,
                     enum htmt__port_state state, const struct htmt__packet *holder)
{
    if (!k->sink->watch)
        return;
    const struct htmt__outlet *o = htmt__outlet_of(k, p->channel, p->plane, p->lane);
    k->sink->watch(k->sink->user, p->channel, p->plane, state, o->port.length, p, holder, k->now);
}
