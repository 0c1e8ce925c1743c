/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stop and Go: networks where a packet that finds its port taken starts again at its sender
 * (Pauer's model of Myrinet, Figures 4 and 7; `blocked: source`).
 *
 * There are no buffers. A head that finds its outlet taken queues there; its path stays held, and
 * Stop goes back over it, `control` for each element. Each outlet on the path had predicted when
 * its packet ends; Stop makes that unknown and takes back what was counted of the packet, since all
 * of it will be sent again. When the outlet becomes free it is kept for the first in its queue, and
 * Go travels back. At the sender the packet starts again (AGAIN), and every outlet that is held for
 * it lets it pass, for it knows its packet.
 *
 * A prediction must not come true before Stop can make it void. So a packet is refused if an outlet
 * on its path sends it in less time than a head takes to any blocked outlet further on, and Stop
 * back (find_short).
 *
 * Example: a wire takes 0, a switch 1 us, control 1 us, a packet 50 us. Packet B begins at 0 at its
 * sender and asks at 1 for an outlet that A has until 20: it queues. Stop is at B's sender at 2;
 * the end predicted for 50 is void, the sender is held. At 20 the outlet calls B: Go is at the
 * sender at 21, B starts again, is at the outlet at 22 and passes, and its last word leaves its
 * sender at 71.
 */
#include "layers/network/element_events.h"

#include <stdio.h>
#include <stdlib.h>

#define NEAR 64u /* channels of a path that need no memory */

/* The packet that an outlet sends, or is held by, and where that comes from. */
static struct htmt__stream *holder(const struct htmt__fabric_step *k, uint32_t outlet)
{
    return &k->place->stream[outlet];
}

static bool is_held_by(const struct htmt__fabric_step *k, uint32_t outlet, uint64_t key,
                       uint32_t number)
{
    const struct htmt__stream *s = holder(k, outlet);
    return k->place->outlet[outlet].port.end > k->now && s->packet.key == key &&
           s->packet.number == number;
}

/* To the outlet of the channel, `control` away. Events of control have key 0. */
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

/* The packet enters the outlet that it wants. The version counts packets and stops. The next packet
 * may have the outlet at the instant when the one before ends, before that is told that it has
 * left: the version which that one had is kept. */
static void send(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__wanted_outlet(e);
    struct htmt__outlet *o = &k->place->outlet[outlet];
    struct htmt__stream *s = holder(k, outlet);
    if (o->port.end != HTMT_TIME_MAX)
        s->closed_version = s->version;
    s->version++;
    s->from = e->packet.channel;
    htmt__packet_enter(k, &e->packet, htmt__wanted(e), 0);
    s->packet = e->packet;
    const htmt_time begin = k->now + k->f->t->inside.setup;
    const htmt_time end = begin + htmt__work_of(k->f, s->packet.channel, s->packet.bytes);
    htmt__port_take(&o->port, htmt__queue_of(k, o), k->now, end, s->packet.bytes);
    k->sink->hop(k->sink->user, &s->packet, s->packet.channel, k->now);
    htmt__port_watch(k, &s->packet, false);
    htmt__post_wake(k, o);
    if (s->from == HTMT__NOWHERE) /* at its sender: it has left then, unless Stop comes first */
        k->sink->post(k->sink->user, &(struct htmt__fabric_event){.at = end,
                                                                  .packet = s->packet,
                                                                  .slice = k->place->slice,
                                                                  .channel = s->packet.channel,
                                                                  .kind = HTMT__LEFT,
                                                                  .amount = s->version});
    htmt__post_onward(k, e, begin, end);
}

/* It passes a port that is free, or that waits for it; else it queues, and says so. */
void htmt__from_source_asks(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    htmt__next_channel_find(k->f, e);
    htmt__want(k->f, e, htmt__wanted(e), 0);
    const uint32_t outlet = htmt__wanted_outlet(e);
    struct htmt__outlet *o = &k->place->outlet[outlet];
    if (__builtin_expect(!holder(k, outlet)->open, 0))
        htmt__place_open(k, htmt__wanted(e));
    if (htmt__port_free(&o->port, k->now) ||
        (o->port.end == HTMT_TIME_MAX && is_held_by(k, outlet, e->packet.key, e->packet.number))) {
        send(k, e);
        return;
    }
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

/* ---- packets that are too short -------------------------------------------------------------- */

/* Each port must still send when Stop comes back from any further on. The last channel blocks
 * nobody, but counts; where it takes no time, Stop must come before the end. Of the ports that send
 * too short the first one is told: how long it sends, and what Stop takes. */
static bool find_short(const struct htmt__fabric_step *k, const struct htmt__packet *p,
                       const uint32_t *path, uint32_t n, htmt_time *sent, htmt_time *stop)
{
    const struct htmt__inside *in = &k->f->t->inside;
    htmt_time last = 0, back = 0;
    bool found = false;
    for (uint32_t i = n; i-- > 0;) {
        htmt__channel_know(k->f, path[i]);
        const htmt_time sends = htmt__work_of(k->f, path[i], p->bytes - i * in->header_hop);
        back += k->f->view[path[i]].wire + in->turn + in->control + (i + 1 < n ? in->setup : 0);
        last = i + 1 == n ? back : last;
        if (sends >= back && (back == last || sends != back - last))
            continue;
        *sent = sends;
        *stop = back;
        found = true;
    }
    return found;
}

/* The channels of the packet's path; returns how many. */
static uint32_t path_of(const struct htmt__fabric_step *k, const struct htmt__packet *p,
                        uint32_t *path, uint32_t room)
{
    const struct htmt__topology *t = k->f->t;
    const uint16_t *route = p->route ? k->f->options.ports(k->f->options.user, p->route) : NULL;
    return htmt__route_path(t, t->end_of[p->source], t->end_of[p->target], route, path, room) + 1;
}

void htmt__from_source_inject(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const struct htmt__packet *p = &e->packet;
    uint32_t near[NEAR], *path = near, n = path_of(k, p, near, NEAR);
    htmt_time sends, back;
    char what[240];
    if (n > NEAR) {
        path = malloc(n * sizeof *path);
        if (path)
            path_of(k, p, path, n);
        else
            k->sink->fail(k->sink->user, HTMT_ENOMEM, "the way of a packet");
    }
    if (path && find_short(k, p, path, n, &sends, &back)) {
        snprintf(what, sizeof what,
                 "a packet of %llu bytes from slice %u to slice %u is sent in %.9g s, but the "
                 "wires, switches and control of its way take %.9g s: 'blocked: source' needs "
                 "longer packets",
                 (unsigned long long)p->bytes, p->source, p->target, (double)sends * 1e-15,
                 (double)back * 1e-15);
        k->sink->fail(k->sink->user, HTMT_ERANGE, what);
    }
    if (path != near)
        free(path);
    htmt__from_source_asks(k, e);
}

/* ---- Stop and Go ----------------------------------------------------------------------------- */

void htmt__from_source_left(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__outlet_number(k->f, e->channel, e->packet.plane, 0);
    const struct htmt__stream *s = holder(k, outlet);
    if (e->amount == s->version || e->amount == s->closed_version)
        k->sink->left(k->sink->user, &e->packet, k->now);
}

/* The port is free for the first in its queue: a packet at its sender begins at once, another one
 * is called, and the port kept for it. */
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
    if (e->packet.channel == HTMT__NOWHERE) {
        send(k, e);
        return;
    }
    struct htmt__stream *s = holder(k, outlet);
    s->from = e->packet.channel;
    s->packet = htmt__packet_entered(k, e);
    o->port.end = HTMT_TIME_MAX;
    htmt__port_set(&o->port, htmt__queue_of(k, o), HTMT__PORT_CALLS, k->now);
    htmt__port_watch(k, &s->packet, false);
    tell(k, HTMT__GO, s->from, &s->packet);
}

/* The outlet of a message of control; HTMT__NOWHERE: its packet does not hold it any more. */
static uint32_t held(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__outlet_number(k->f, e->channel, e->packet.plane, 0);
    return is_held_by(k, outlet, e->amount, e->packet.number) ? outlet : HTMT__NOWHERE;
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
