/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/network/element_events.h"
#include "layers/network/next_channel.h"

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
    post(k, &(struct htmt__fabric_event){.at = at + k->f->t->inside.control,
                                         .packet = {.lane = (uint8_t)lane, .plane = p->plane},
                                         .slice = k->f->view[from].from,
                                         .channel = from,
                                         .kind = HTMT__CREDIT,
                                         .amount = bytes});
}

/* To the inlet, before what packets do there at that instant; what it is told comes in order. */
static void tell(struct htmt__fabric_step *k, const struct htmt__packet *p,
                 enum htmt__fabric_kind kind, htmt_time at, htmt_time tail, uint32_t turn)
{
    struct htmt__fabric_event e = {.at = at,
                                   .packet = *p,
                                   .slice = k->f->view[p->channel].to,
                                   .channel = p->channel,
                                   .kind = (uint8_t)kind,
                                   .time = {tail, p->number},
                                   .amount = p->key};
    e.packet.key = 0;
    e.packet.number = turn;
    k->sink->post(k->sink->user, &e);
}

void htmt__post_tail(struct htmt__fabric_step *k, const struct htmt__packet *p, htmt_time old,
                     htmt_time end, uint32_t turn)
{
    const struct htmt__channel_view *view = &k->f->view[p->channel];
    struct htmt__fabric_event e = {.packet = *p};
    if (k->f->stored && !view->ejects) {
        htmt__event_onward(k, &e, k->now, old);
        tell(k, p, HTMT__VOID, e.at, 0, turn);
        htmt__event_onward(k, &e, k->now, end);
        post(k, &e);
        return;
    }
    tell(k, p, HTMT__TAIL, k->now + view->wire, htmt__tail_behind(end, view->wire), turn);
}
