/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/fabric/from_source.h"
#include "layers/fabric/post.h"
#include "layers/fabric/way.h"

/* The packet that an outlet sends, or is held by. */
static struct htmt__stream *holder(const struct htmt__fabric_turn *k, uint32_t outlet)
{
    return &k->place->stream[outlet];
}

static bool is_held_by(const struct htmt__fabric_turn *k, uint32_t outlet,
                       const struct htmt__packet *p)
{
    const struct htmt__stream *s = holder(k, outlet);
    return k->place->outlet[outlet].port.end > k->now && s->packet.key == p->key &&
           s->packet.number == p->number;
}

/* To the outlet of the channel, `control` away; events of control have key 0. */
static void tell(struct htmt__fabric_turn *k, enum htmt__fabric_kind kind, uint32_t channel,
                 const struct htmt__packet *p)
{
    if (channel == HTMT__NOWHERE)
        return;
    struct htmt__fabric_event e = {.at = k->now + k->f->t->inside.control,
                                   .packet = *p,
                                   .slice = k->f->lead[channel].from,
                                   .channel = channel,
                                   .kind = (uint8_t)kind,
                                   .amount = p->key};
    e.packet.key = 0;
    k->sink->post(k->sink->user, &e);
}

/* ---- Data ---------------------------------------------------------------------------------------
 */

static void send(struct htmt__fabric_turn *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__wanted_outlet(e);
    struct htmt__outlet *o = &k->place->outlet[outlet];
    struct htmt__stream *s = holder(k, outlet);
    s->from = e->packet.channel;
    htmt__way_enter(k, &e->packet, htmt__wanted(e), 0);
    s->packet = e->packet;
    const htmt_time begin = k->now + k->f->t->inside.setup;
    const htmt_time end = begin + htmt__work_of(k->f, s->packet.channel, s->packet.bytes);
    htmt__port_take(&o->port, htmt__queue_of(k, o), k->now, end, s->packet.bytes);
    k->sink->hop(k->sink->user, &s->packet, s->packet.channel, k->now);
    htmt__way_watch(k, &s->packet, false);
    htmt__post_wake(k, o);
    if (s->from == HTMT__NOWHERE)
        htmt__post_packet(k, HTMT__LEFT, end, &s->packet);
    htmt__post_onward(k, e, begin, end);
}

static void queue(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    struct htmt__outlet *o = &k->place->outlet[htmt__wanted_outlet(e)];
    struct htmt__waits *own = htmt__place_waits(k, e);
    if (!own)
        return;
    htmt__port_join(&o->port, htmt__queue_of(k, o), &own->request, k->now);
    if (o->port.queue.first == &own->request)
        htmt__post_wake(k, o);
    const struct htmt__packet wanted = htmt__way_entered(k, e);
    htmt__way_watch(k, &wanted, true);
    tell(k, HTMT__STOP, e->packet.channel, &e->packet);
}

void htmt__from_source_asks(struct htmt__fabric_turn *k, struct htmt__fabric_event *e)
{
    htmt__way_find(k->f, e);
    htmt__want(k->f, e, htmt__wanted(e), 0);
    const uint32_t outlet = htmt__wanted_outlet(e);
    const struct htmt__transmit_port *port = &k->place->outlet[outlet].port;
    if (htmt__port_free(port, k->now) ||
        (port->end == HTMT_TIME_MAX && is_held_by(k, outlet, &e->packet)))
        send(k, e);
    else
        queue(k, e);
}

/* Stop could come too late: each port must still send when it comes. */
static bool too_short(const struct htmt__fabric_turn *k, const struct htmt__packet *p)
{
    const struct htmt__topology *t = k->f->t;
    const uint16_t *route = p->route ? k->f->options.ports(k->f->options.user, p->route) : NULL;
    uint32_t way[64];
    const uint32_t n =
        htmt__route_way(t, t->end_of[p->source], t->end_of[p->target], route, way, 64);
    htmt_time there = 0;
    for (uint32_t i = 0; i < n && i < 64; i++)
        there += k->f->lead[way[i]].wire + t->inside.turn + t->inside.control;
    return htmt__work_of(k->f, way[0], p->bytes) < there;
}

void htmt__from_source_inject(struct htmt__fabric_turn *k, struct htmt__fabric_event *e)
{
    if (too_short(k, &e->packet))
        k->sink->fail(k->sink->user, HTMT_ERANGE,
                      "a packet is sent in less time than its way's wires and control");
    htmt__from_source_asks(k, e);
}

void htmt__from_source_left(struct htmt__fabric_turn *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__outlet_number(k->f, e->channel, e->packet.plane, 0);
    const struct htmt__stream *s = holder(k, outlet);
    if (s->packet.key == e->packet.key && s->packet.number == e->packet.number &&
        k->place->outlet[outlet].port.end == k->now)
        k->sink->left(k->sink->user, &e->packet, k->now);
}

/* ---- Stop and Go
 * ---------------------------------------------------------------------------------- */

/* The port is free, and waits for the first in its queue. */
static void call(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__wanted_outlet(e);
    struct htmt__outlet *o = &k->place->outlet[outlet];
    struct htmt__stream *s = holder(k, outlet);
    s->from = e->packet.channel;
    s->packet = htmt__way_entered(k, e);
    o->port.end = HTMT_TIME_MAX;
    htmt__port_set(&o->port, htmt__queue_of(k, o), HTMT__PORT_CALLS, k->now);
    htmt__way_watch(k, &s->packet, false);
    tell(k, HTMT__GO, s->from, &s->packet);
}

void htmt__from_source_wakes(struct htmt__fabric_turn *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__outlet_number(k->f, e->channel, e->packet.plane, 0);
    struct htmt__outlet *o = &k->place->outlet[outlet];
    if (o->port.end > k->now || !htmt__is(o->port.queue.first, &e->packet))
        return;
    struct htmt__waits *w =
        htmt__waits_of(htmt__port_leave(&o->port, htmt__queue_of(k, o), k->now));
    *e = w->event;
    htmt__place_forget(k, w);
    if (e->packet.channel == HTMT__NOWHERE)
        send(k, e);
    else
        call(k, e);
}

/* Of a message of control: its packet holds the outlet; HTMT__NOWHERE: not any more. */
static uint32_t held(const struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__outlet_number(k->f, e->channel, e->packet.plane, 0);
    struct htmt__packet p = e->packet;
    p.key = e->amount;
    return is_held_by(k, outlet, &p) ? outlet : HTMT__NOWHERE;
}

void htmt__from_source_stop(struct htmt__fabric_turn *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = held(k, e);
    if (outlet == HTMT__NOWHERE)
        return;
    const struct htmt__stream *s = holder(k, outlet);
    struct htmt__transmit_port *port = &k->place->outlet[outlet].port;
    htmt__port_retime(port, &k->place->queue[outlet], k->now, HTMT_TIME_MAX);
    htmt__port_give_back(port, s->packet.bytes);
    htmt__way_watch(k, &s->packet, false);
    tell(k, HTMT__STOP, s->from, &s->packet);
}

void htmt__from_source_go(struct htmt__fabric_turn *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = held(k, e);
    if (outlet == HTMT__NOWHERE)
        return;
    const struct htmt__stream *s = holder(k, outlet);
    htmt__port_set(&k->place->outlet[outlet].port, &k->place->queue[outlet], HTMT__PORT_CALLS,
                   k->now);
    htmt__way_watch(k, &s->packet, false);
    if (s->from == HTMT__NOWHERE)
        htmt__post_packet(k, HTMT__AGAIN, k->now, &s->packet);
    else
        tell(k, HTMT__GO, s->from, &s->packet);
}

void htmt__from_source_again(struct htmt__fabric_turn *k, struct htmt__fabric_event *e)
{
    htmt__want(k->f, e, e->channel, 0);
    e->packet.channel = HTMT__NOWHERE;
    e->packet.hops = 0;
    send(k, e);
}
