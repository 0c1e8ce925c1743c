/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events that elements cause in each other.
 */
#ifndef HTMT_LAYERS_NETWORK_ELEMENT_EVENTS_H
#define HTMT_LAYERS_NETWORK_ELEMENT_EVENTS_H

#include "layers/network/next_channel.h"

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
/* Its last word leaves at another time than `old`; `turn` counts what is told so. */
void htmt__post_tail(struct htmt__fabric_step *k, const struct htmt__packet *p, htmt_time old,
                     htmt_time end, uint32_t turn);

/* ---- Onward ---- */

/* When a head that arrives may ask: behind the switch, and not before its port number is gone. */
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

/* At a switch: what it wants there is known before, so the place can be fetched. */
static inline void htmt__enter_switch(const struct htmt__fabric_step *k,
                                      struct htmt__fabric_event *e)
{
    e->kind = k->f->routes ? HTMT__ROUTES : HTMT__ASKS;
    e->at = htmt__passed(k, &e->packet, e->at);
    if (!k->f->from_source)
        htmt__next_channel_find(k->f, e);
}

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
    if (!view->ejects)
        htmt__enter_switch(k, e);
}

/* The packet, whose event it is, goes on over the channel that it entered: its head begins, its
 * last word leaves. The event is its next one. */
static inline void htmt__post_onward(struct htmt__fabric_step *k, struct htmt__fabric_event *e,
                                     htmt_time begin, htmt_time end)
{
    htmt__event_onward(k, e, begin, end);
    k->continues = true;
}

#endif
