/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The next channel of a packet.
 */
#ifndef HTMT_LAYERS_NETWORK_NEXT_CHANNEL_H
#define HTMT_LAYERS_NETWORK_NEXT_CHANNEL_H

#include "layers/network/fabric_parts.h"

/* The same, by the routing: by tables, or by reckoning with places. */
void htmt__next_channel_ask(const struct htmt__fabric *f, struct htmt__fabric_event *e);
/* false: its way is not straight on, or out of the last dimension. */
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
    e->time[1] = on->channel;
    e->amount = (uint64_t)(on->outlet + p->plane * f->lanes + lane) << 8 | lane;
    return true;
}
/* Which channel and lane it wants where it is. */
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

#endif
