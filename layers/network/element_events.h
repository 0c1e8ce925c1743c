/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside layers/network: what a packet wants next, and the events that elements cause in each
 * other.
 */
#ifndef HTMT_LAYERS_NETWORK_ELEMENT_EVENTS_H
#define HTMT_LAYERS_NETWORK_ELEMENT_EVENTS_H

#include "layers/network/fabric_parts.h"

/* ---- the next channel ------------------------------------------------------------------------ */

/* What of a packet its way depends on, and where it is. */
static inline struct htmt__bound htmt__bound_of(const struct htmt__fabric *f,
                                                const struct htmt__packet *p)
{
    return (struct htmt__bound){
        .source = f->t->end_of[p->source],
        .target = f->t->end_of[p->target],
        .route = p->route ? f->options.ports(f->options.user, p->route) : NULL,
        .hops = p->hops,
        .channel = p->channel,
        .lane = p->lane,
        .draw = f->draws ? htmt__route_draw(f->t->inside.seed, p->source, p->whose >> 32,
                                            f->keeps ? 0 : p->number)
                         : 0};
}

static inline uint32_t htmt__element_of(const struct htmt__fabric *f, const struct htmt__packet *p,
                                        const struct htmt__bound *bound)
{
    return p->channel == HTMT__NOWHERE ? bound->source : f->view[p->channel].element;
}
/* By the routing: tables, or coordinates. */
void htmt__next_channel_ask(const struct htmt__fabric *f, struct htmt__fabric_event *e);
/* Straight on, or out of the last dimension: two constants of channel and target say so, which
 * spares most hops in grids the routing. false: neither. */
static inline bool htmt__next_channel_straight(const struct htmt__fabric *f,
                                               struct htmt__fabric_event *e)
{
    const struct htmt__packet *p = &e->packet;
    const struct htmt__next_channel *on = &f->straight[p->channel];
    uint32_t lane = p->lane | on->lanes;
    if (on->channel == HTMT__NOWHERE)
        return false;
    if (f->at[(size_t)p->target * f->dimensions + on->dimension] == on->at) {
        if (on->dimension + 1u < f->dimensions)
            return false;
        on = &f->eject[p->target];
        lane = p->lane & ~f->ring;
    }
    htmt__channel_know(f, on->channel);
    e->time[1] = on->channel;
    e->amount = (uint64_t)(on->outlet + p->plane * f->lanes + lane) << 8 | lane;
    return true;
}
/* Which channel and lane a packet wants where it is. */
static inline void htmt__next_channel_find(const struct htmt__fabric *f,
                                           struct htmt__fabric_event *e)
{
    const struct htmt__packet *p = &e->packet;
    if (!f->straight || p->channel == HTMT__NOWHERE || p->route ||
        !htmt__next_channel_straight(f, e))
        htmt__next_channel_ask(f, e);
}
/* It is on the channel that it wants: a switch strips its port number. */
static inline void htmt__packet_enter(const struct htmt__fabric_step *k, struct htmt__packet *p,
                                      uint32_t channel, uint8_t lane)
{
    if (p->channel != HTMT__NOWHERE)
        p->bytes -= k->f->t->inside.header_hop;
    p->channel = channel;
    p->lane = lane;
    p->hops++;
}
/* The packet as it is on the channel that it wants. */
struct htmt__packet htmt__packet_entered(const struct htmt__fabric_step *k,
                                         const struct htmt__fabric_event *e);
/* Who watches learns the state of the port of the packet's channel, which the packet has, or queues
 * for. */
__attribute__((cold)) void htmt__port_tell(const struct htmt__fabric_step *k,
                                           const struct htmt__packet *p, bool queues);
static inline void htmt__port_watch(const struct htmt__fabric_step *k, const struct htmt__packet *p,
                                    bool queues)
{
    if (__builtin_expect(k->sink->watch != NULL, 0))
        htmt__port_tell(k, p, queues);
}

static inline bool htmt__is(const struct htmt__request *r, const struct htmt__packet *p)
{
    return r && r->key == p->key && r->number == p->number;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Of a packet, in this slice. */
void htmt__post_packet(struct htmt__fabric_step *k, enum htmt__fabric_kind kind, htmt_time at,
                       const struct htmt__packet *p);
/* The first that waits for an outlet tries when its service ends, or now. */
void htmt__post_wake(struct htmt__fabric_step *k, const struct htmt__outlet *o);
/* The first behind the one that leaves an inlet. */
void htmt__post_first(struct htmt__fabric_step *k, const struct htmt__inlet *in);
/* Room of the channel `from`, to the outlet that fills it. */
void htmt__post_credit(struct htmt__fabric_step *k, const struct htmt__packet *p, uint32_t from,
                       uint32_t lane, uint64_t bytes, htmt_time at);
/* Its last word leaves at `end`, which was `old`; now it goes at that pace, and `rest` of its work
 * is left. `count` orders what is told so. */
void htmt__post_tail(struct htmt__fabric_step *k, const struct htmt__packet *p, htmt_time old,
                     htmt_time end, uint32_t count, htmt_time rest, uint32_t pace);

/* ---- onward ---------------------------------------------------------------------------------- */

/* When a head that arrives at a switch may ask for its outlet: behind the switch, and not before
 * its port number is gone. */
static inline htmt_time htmt__passed(const struct htmt__fabric_step *k,
                                     const struct htmt__packet *p, htmt_time now)
{
    const struct htmt__inside *inside = &k->f->t->inside;
    htmt_time turn = inside->turn;
    if (inside->header_hop && k->f->uniform && !k->f->stored && !k->f->routes) {
        const htmt_time number = htmt__work_of(k->f, p->channel, p->bytes) -
                                 htmt__work_of(k->f, p->channel, p->bytes - inside->header_hop) -
                                 inside->setup;
        turn = number > turn ? number : turn;
    }
    return now + turn;
}

/* An end that is not known yet stays so. */
static inline htmt_time htmt__tail_behind(htmt_time end, htmt_time wire)
{
    return end == HTMT_TIME_MAX ? end : end + wire;
}

/* The event of a packet that is on its channel from `begin` to `end` becomes its next one: its head
 * is at its target, or asks at a switch. What it wants there is known before, so that the place can
 * be fetched, unless it chooses there. */
static inline void htmt__event_onward(const struct htmt__fabric_step *k,
                                      struct htmt__fabric_event *e, htmt_time begin, htmt_time end)
{
    const struct htmt__channel_view *view = &k->f->view[e->packet.channel];
    e->at = (k->f->stored && !view->ejects ? end : begin) + view->wire;
    e->slice = view->to;
    e->channel = e->packet.channel;
    e->kind = HTMT__HEAD;
    e->time[0] = htmt__tail_behind(end, view->wire);
    e->time[1] = 0;
    e->amount = 0;
    if (view->ejects)
        return;
    e->kind = k->f->routes ? HTMT__ROUTES : HTMT__ASKS;
    e->at = htmt__passed(k, &e->packet, e->at);
    if (k->f->finds)
        htmt__next_channel_find(k->f, e);
}

/* The same, and the caller of the fabric gets the event back. */
static inline void htmt__post_onward(struct htmt__fabric_step *k, struct htmt__fabric_event *e,
                                     htmt_time begin, htmt_time end)
{
    htmt__event_onward(k, e, begin, end);
    k->continues = true;
}

#endif
