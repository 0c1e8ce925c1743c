/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/network/stop_and_go.h"
#include "layers/network/element_events.h"
#include "layers/network/next_channel.h"

#include <stdio.h>
#include <stdlib.h>

/* The packet that an outlet sends, or is held by. */
static struct htmt__stream *holder(const struct htmt__fabric_step *k, uint32_t outlet)
{
    return &k->place->stream[outlet];
}

static bool is_held_by(const struct htmt__fabric_step *k, uint32_t outlet,
                       const struct htmt__packet *p)
{
    const struct htmt__stream *s = holder(k, outlet);
    return k->place->outlet[outlet].port.end > k->now && s->packet.key == p->key &&
           s->packet.number == p->number;
}

/* To the outlet of the channel, `control` away; events of control have key 0. */
static void tell(struct htmt__fabric_step *k, enum htmt__fabric_kind kind, uint32_t channel,
                 const struct htmt__packet *p)
{
    if (channel == HTMT__NOWHERE)
        return;
    struct htmt__fabric_event e = {.at = k->now + k->f->t->inside.control,
                                   .packet = *p,
                                   .slice = k->f->view[channel].from,
                                   .channel = channel,
                                   .kind = (uint8_t)kind,
                                   .amount = p->key};
    e.packet.key = 0;
    k->sink->post(k->sink->user, &e);
}

/* Its last word leaves its sender then, unless Stop comes first. */
static void post_left(struct htmt__fabric_step *k, const struct htmt__stream *s, htmt_time end)
{
    k->sink->post(k->sink->user, &(struct htmt__fabric_event){.at = end,
                                                              .packet = s->packet,
                                                              .slice = k->place->slice,
                                                              .channel = s->packet.channel,
                                                              .kind = HTMT__LEFT,
                                                              .amount = s->version});
}

/* The next packet may have the outlet at the instant when the one before it ends, and before it is
 * told that it has left. */
static void take_turn(const struct htmt__fabric_step *k, uint32_t outlet)
{
    struct htmt__stream *s = holder(k, outlet);
    if (k->place->outlet[outlet].port.end != HTMT_TIME_MAX)
        s->closed_version = s->version;
    s->version++;
}

/* ---- Data ---------------------------------------------------------------------------------------
 */

static void send(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__wanted_outlet(e);
    struct htmt__outlet *o = &k->place->outlet[outlet];
    struct htmt__stream *s = holder(k, outlet);
    take_turn(k, outlet);
    s->from = e->packet.channel;
    htmt__packet_enter(k, &e->packet, htmt__wanted(e), 0);
    s->packet = e->packet;
    const htmt_time begin = k->now + k->f->t->inside.setup;
    const htmt_time end = begin + htmt__work_of(k->f, s->packet.channel, s->packet.bytes);
    htmt__port_take(&o->port, htmt__queue_of(k, o), k->now, end, s->packet.bytes);
    k->sink->hop(k->sink->user, &s->packet, s->packet.channel, k->now);
    htmt__port_watch(k, &s->packet, false);
    htmt__post_wake(k, o);
    if (s->from == HTMT__NOWHERE)
        post_left(k, s, end);
    htmt__post_onward(k, e, begin, end);
}

static void queue(struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    struct htmt__outlet *o = &k->place->outlet[htmt__wanted_outlet(e)];
    struct htmt__waits *own = htmt__place_waits(k, e);
    if (!own)
        return;
    htmt__port_join(&o->port, htmt__queue_of(k, o), &own->request, k->now);
    if (o->port.queue.first == &own->request)
        htmt__post_wake(k, o);
    const struct htmt__packet wanted = htmt__packet_entered(k, e);
    htmt__port_watch(k, &wanted, true);
    tell(k, HTMT__STOP, e->packet.channel, &e->packet);
}

void htmt__from_source_asks(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    htmt__next_channel_find(k->f, e);
    htmt__want(k->f, e, htmt__wanted(e), 0);
    const uint32_t outlet = htmt__wanted_outlet(e);
    const struct htmt__transmit_port *port = &k->place->outlet[outlet].port;
    if (htmt__port_free(port, k->now) ||
        (port->end == HTMT_TIME_MAX && is_held_by(k, outlet, &e->packet)))
        send(k, e);
    else
        queue(k, e);
}

/* ---- Too short ----------------------------------------------------------------------------------
 */

#define NEAR 64u /* channels of a way */

/* A port that sends for `sends`, while Stop comes back in `back`. */
struct stretch {
    htmt_time sends, back;
};

/* Returns how many channels it has. */
static uint32_t way_of(const struct htmt__fabric_step *k, const struct htmt__packet *p,
                       uint32_t *way, uint32_t room)
{
    const struct htmt__topology *t = k->f->t;
    const uint16_t *route = p->route ? k->f->options.ports(k->f->options.user, p->route) : NULL;
    return htmt__route_path(t, t->end_of[p->source], t->end_of[p->target], route, way, room) + 1;
}

/* Each port must still send when Stop comes back from any further on. The last channel blocks
 * nobody, but counts; where it takes no time, Stop must come before the end. Of those that send too
 * short the first one is told. */
static bool find_short(const struct htmt__fabric_step *k, const struct htmt__packet *p,
                       const uint32_t *way, uint32_t n, struct stretch *s)
{
    const struct htmt__inside *in = &k->f->t->inside;
    htmt_time last = 0, back = 0;
    bool found = false;
    for (uint32_t i = n; i-- > 0;) {
        const htmt_time sends = htmt__work_of(k->f, way[i], p->bytes - i * in->header_hop);
        back += k->f->view[way[i]].wire + in->turn + in->control + (i + 1 < n ? in->setup : 0);
        last = i + 1 == n ? back : last;
        if (sends >= back && (back == last || sends != back - last))
            continue;
        *s = (struct stretch){sends, back};
        found = true;
    }
    return found;
}

static bool is_short(const struct htmt__fabric_step *k, const struct htmt__packet *p,
                     struct stretch *s)
{
    uint32_t near[NEAR], *way = near, n = way_of(k, p, near, NEAR);
    if (n > NEAR) {
        way = malloc(n * sizeof *way);
        if (!way) {
            k->sink->fail(k->sink->user, HTMT_ENOMEM, "the way of a packet");
            return false;
        }
        way_of(k, p, way, n);
    }
    bool found = find_short(k, p, way, n, s);
    if (way != near)
        free(way);
    return found;
}

static void refuse(const struct htmt__fabric_step *k, const struct htmt__packet *p,
                   const struct stretch *s)
{
    char what[240];
    snprintf(what, sizeof what,
             "a packet of %llu bytes from slice %u to slice %u is sent in %.9g s, but the wires, "
             "switches and control of its way take %.9g s: 'blocked: source' needs longer packets",
             (unsigned long long)p->bytes, p->source, p->target, (double)s->sends * 1e-15,
             (double)s->back * 1e-15);
    k->sink->fail(k->sink->user, HTMT_ERANGE, what);
}

void htmt__from_source_inject(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct stretch s;
    if (is_short(k, &e->packet, &s))
        refuse(k, &e->packet, &s);
    htmt__from_source_asks(k, e);
}

/* ---- At its sender ------------------------------------------------------------------------------
 */

void htmt__from_source_left(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__outlet_number(k->f, e->channel, e->packet.plane, 0);
    const struct htmt__stream *s = holder(k, outlet);
    if (e->amount == s->version || e->amount == s->closed_version)
        k->sink->left(k->sink->user, &e->packet, k->now);
}

/* ---- Stop and Go
 * ---------------------------------------------------------------------------------- */

/* The port is free, and waits for the first in its queue. */
static void call(struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__wanted_outlet(e);
    struct htmt__outlet *o = &k->place->outlet[outlet];
    struct htmt__stream *s = holder(k, outlet);
    s->from = e->packet.channel;
    s->packet = htmt__packet_entered(k, e);
    o->port.end = HTMT_TIME_MAX;
    htmt__port_set(&o->port, htmt__queue_of(k, o), HTMT__PORT_CALLS, k->now);
    htmt__port_watch(k, &s->packet, false);
    tell(k, HTMT__GO, s->from, &s->packet);
}

void htmt__from_source_wakes(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
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
static uint32_t held(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__outlet_number(k->f, e->channel, e->packet.plane, 0);
    struct htmt__packet p = e->packet;
    p.key = e->amount;
    return is_held_by(k, outlet, &p) ? outlet : HTMT__NOWHERE;
}

void htmt__from_source_stop(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = held(k, e);
    if (outlet == HTMT__NOWHERE)
        return;
    struct htmt__stream *s = holder(k, outlet);
    struct htmt__transmit_port *port = &k->place->outlet[outlet].port;
    s->version++;
    htmt__port_retime(port, &k->place->queue[outlet], k->now, HTMT_TIME_MAX);
    htmt__port_give_back(port, s->packet.bytes);
    htmt__port_watch(k, &s->packet, false);
    tell(k, HTMT__STOP, s->from, &s->packet);
}

void htmt__from_source_go(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = held(k, e);
    if (outlet == HTMT__NOWHERE)
        return;
    const struct htmt__stream *s = holder(k, outlet);
    htmt__port_set(&k->place->outlet[outlet].port, &k->place->queue[outlet], HTMT__PORT_CALLS,
                   k->now);
    htmt__port_watch(k, &s->packet, false);
    if (s->from == HTMT__NOWHERE)
        htmt__post_packet(k, HTMT__AGAIN, k->now, &s->packet);
    else
        tell(k, HTMT__GO, s->from, &s->packet);
}

void htmt__from_source_again(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    htmt__want(k->f, e, e->channel, 0);
    e->packet.channel = HTMT__NOWHERE;
    e->packet.hops = 0;
    send(k, e);
}
