/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services whose ends change: lanes that share a wire, and wormholes that run out of room.
 */
#ifndef HTMT_LAYERS_NETWORK_LANE_STREAM_H
#define HTMT_LAYERS_NETWORK_LANE_STREAM_H

#include "layers/network/element_events.h"

/* Whether a head has room behind the outlet. */
bool htmt__stream_room(const struct htmt__fabric_step *k, uint32_t outlet);
static inline bool htmt__stream_runs(const struct htmt__fabric_step *k, uint32_t outlet)
{
    return k->place->outlet[outlet].port.end > k->now;
}
/* Whether another lane of two holds the wire. */
static inline bool htmt__stream_alone(const struct htmt__fabric_step *k, uint32_t outlet,
                                      uint32_t lane)
{
    return k->f->lanes == 2 && !htmt__stream_runs(k, lane ? outlet - 1 : outlet + 1);
}

/* With several lanes: how the packet of one that begins comes from upstream; as its inlet was told,
 * or at the full rate. */
void htmt__stream_begin_lane(const struct htmt__fabric_step *k, struct htmt__stream *s, bool told);
/* The end of one that begins, which shares its wire with those that transmit, or has no room for
 * all of its packet yet. */
htmt_time htmt__stream_end_of(const struct htmt__fabric_step *k, struct htmt__stream *s,
                              uint32_t wire);
/* A packet, which the stream has as it was before, enters the outlet from that channel and lane;
 * `work` is its time at the full rate, `told`: its inlet knows how it comes from upstream. Returns
 * the time when its last word leaves, which the port takes before the second call. */
static inline htmt_time htmt__stream_begin(struct htmt__fabric_step *k, uint32_t outlet,
                                           const struct htmt__fabric_event *e, uint32_t from,
                                           uint8_t from_lane, htmt_time work, bool told)
{
    struct htmt__stream *s = &k->place->stream[outlet];
    s->packet.bytes = e->packet.bytes;
    s->packet.channel = e->packet.channel;
    s->packet.lane = e->packet.lane;
    s->packet.hops = e->packet.hops;
    s->from = from;
    s->from_lane = from_lane;
    s->stands = false;
    s->at = s->base = s->stop;
    s->begin = k->now + k->f->t->inside.setup;
    s->stop = s->base + work;
    s->tail = e->time[0];
    s->share = HTMT__FULL_PACE;
    s->closed_version = s->version++;
    if (k->f->lanes > 1)
        htmt__stream_begin_lane(k, s, told);
    if (k->f->worm || !htmt__stream_alone(k, outlet, e->packet.lane))
        return htmt__stream_end_of(k, s, outlet - e->packet.lane);
    return s->begin + work > s->tail ? s->begin + work : s->tail;
}
void htmt__stream_tell_begun(struct htmt__fabric_step *k, uint32_t outlet);
static inline void htmt__stream_begun(struct htmt__fabric_step *k, uint32_t outlet)
{
    const struct htmt__stream *s = &k->place->stream[outlet];
    if (k->f->worm || s->share > HTMT__FULL_PACE || !s->fed_all || s->from == HTMT__NOWHERE)
        htmt__stream_tell_begun(k, outlet);
}

/* The work that the outlet has sent, or will of its packet, and of which it knows no room yet. */
htmt_time htmt__stream_sent(const struct htmt__fabric_step *k, uint32_t channel, uint32_t outlet);
/* The work of all its packets until now. */
htmt_time htmt__stream_done(const struct htmt__stream *s, htmt_time now);

/* Events. */
void htmt__stream_drain(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
bool htmt__stream_tail(struct htmt__fabric_step *k, uint32_t outlet,
                       const struct htmt__fabric_event *e);
void htmt__stream_look(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
void htmt__stream_end(struct htmt__fabric_step *k, struct htmt__fabric_event *e);
/* false: it has not left yet. */
bool htmt__stream_left(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e);

#endif
