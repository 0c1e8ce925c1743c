/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/network/element_events.h"

struct htmt__packet htmt__packet_entered(const struct htmt__fabric_step *k,
                                         const struct htmt__fabric_event *e)
{
    struct htmt__packet p = e->packet;
    htmt__packet_enter(k, &p, htmt__wanted(e), htmt__wanted_lane(e));
    return p;
}

void htmt__next_channel_ask(const struct htmt__fabric *f, struct htmt__fabric_event *e)
{
    const struct htmt__bound bound = htmt__bound_of(f, &e->packet);
    const struct htmt__next next =
        htmt__route_next(f->t, htmt__element_of(f, &e->packet, &bound), &bound);
    htmt__want(f, e, next.channel, next.lane);
}

void htmt__port_tell(const struct htmt__fabric_step *k, const struct htmt__packet *p, bool queues)
{
    const struct htmt__outlet *o = htmt__outlet_of(k, p->channel, p->plane, p->lane);
    const struct htmt__transmit_port *port = &o->port;
    enum htmt__port_state state = port->hold == HTMT__PORT_HELD    ? HTMT__PORT_BLOCKED
                                  : port->hold == HTMT__PORT_CALLS ? HTMT__PORT_WAITS
                                                                   : HTMT__PORT_FREE;
    if (port->end > k->now && port->end < HTMT_TIME_MAX)
        state = HTMT__PORT_SENDS;
    const struct htmt__port_change change = {.channel = p->channel,
                                             .plane = p->plane,
                                             .state = state,
                                             .queues = queues,
                                             .queue = htmt__queue_of(k, o)->length,
                                             .until = port->end,
                                             .packet = p};
    k->sink->watch(k->sink->user, &change, k->now);
}

static void post(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    k->sink->post(k->sink->user, e);
}

void htmt__post_packet(struct htmt__fabric_step *k, enum htmt__fabric_kind kind, htmt_time at,
                       const struct htmt__packet *p)
{
    post(k, &(struct htmt__fabric_event){.at = at,
                                         .packet = *p,
                                         .slice = k->place->slice,
                                         .channel = p->channel,
                                         .kind = (uint8_t)kind});
}

void htmt__post_wake(struct htmt__fabric_step *k, const struct htmt__outlet *o)
{
    const htmt_time end = o->port.end;
    if (!o->port.queue.first || end == HTMT_TIME_MAX)
        return;
    const struct htmt__fabric_event *first = &htmt__waits_of(o->port.queue.first)->event;
    post(k, &(struct htmt__fabric_event){.at = end > k->now ? end : k->now,
                                         .packet = first->packet,
                                         .slice = k->place->slice,
                                         .channel = htmt__wanted(first),
                                         .kind = HTMT__WAKES,
                                         .amount = first->amount});
}

void htmt__post_first(struct htmt__fabric_step *k, const struct htmt__inlet *in)
{
    if (in->behind.first && in->left != HTMT_TIME_MAX)
        htmt__post_packet(k, HTMT__FIRST, in->left > k->now ? in->left : k->now,
                          &htmt__waits_of(in->behind.first)->event.packet);
}

void htmt__post_credit(struct htmt__fabric_step *k, const struct htmt__packet *p, uint32_t from,
                       uint32_t lane, uint64_t bytes, htmt_time at)
{
    post(k, &(struct htmt__fabric_event){.at = at + k->f->view[from].control,
                                         .packet = {.lane = (uint8_t)lane, .plane = p->plane},
                                         .slice = k->f->view[from].from,
                                         .channel = from,
                                         .kind = HTMT__CREDIT,
                                         .amount = bytes});
}

/* Told to the inlet at the channel's end, before what packets do there at that instant; `count`
 * puts in order what one outlet tells it. A packet that is stored acts when its last word is there,
 * so its event at the old end is void, and another one stands at the new end. */
void htmt__post_tail(struct htmt__fabric_step *k, const struct htmt__packet *p, htmt_time old,
                     htmt_time end, uint32_t count, htmt_time rest, uint32_t pace)
{
    const struct htmt__channel_view *view = &k->f->view[p->channel];
    const bool moves = k->f->stored && !view->ejects;
    struct htmt__fabric_event onward = {.packet = *p};
    struct htmt__fabric_event e = {.at = k->now + view->wire,
                                   .packet = *p,
                                   .slice = view->to,
                                   .channel = p->channel,
                                   .kind = HTMT__TAIL,
                                   .time = {htmt__tail_behind(end, view->wire), p->number},
                                   .amount = p->key};
    e.packet.key = 0;
    e.packet.number = count;
    e.packet.bytes = (uint64_t)rest;
    e.packet.route = pace;
    if (moves) {
        htmt__event_onward(k, &onward, k->now, old);
        e.at = onward.at;
        e.kind = HTMT__VOID;
        e.time[0] = 0;
    }
    post(k, &e);
    if (moves) {
        htmt__event_onward(k, &onward, k->now, end);
        post(k, &onward);
    }
}
