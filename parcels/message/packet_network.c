/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/message/packet_network.h"
#include "parcels/clock/outbox.h"

#include <stdio.h>
#include <stdlib.h>

struct htmt__fabric_place *htmt__fabric_place_of(struct htmt_emulator *e, uint32_t network,
                                                 uint32_t slice)
{
    struct htmt__fabric_net *n = e->net[network].fabric;
    if (__builtin_expect(!n->place[slice], 0) &&
        !(n->place[slice] = htmt__fabric_place_create(n->fabric, slice)))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the ports of a slice");
    return n->place[slice];
}

/* ---- events ---------------------------------------------------------------------------------- */

/* An event of now follows one that may have a greater key. */
static void follow(struct htmt_emulator *e, htmt_time at)
{
    if (at != e->now)
        return;
    e->followed = htmt__order(e);
    e->followed_at = e->now;
}

static bool is_past(struct htmt_emulator *e, htmt_time at)
{
    if (__builtin_expect(at >= e->now && at < HTMT_TIME_MAX, 1))
        return false;
    const bool passes = at < 0 || at == HTMT_TIME_MAX;
    htmt__fail(e, passes ? HTMT_EOVERFLOW : HTMT_EPAST,
               passes ? "virtual time passes 2.56 hours" : "dispatch into the past");
    return true;
}

static bool goes_elsewhere(const struct htmt_emulator *e, const struct htmt__fabric_event *event)
{
    return e->partition && htmt__elsewhere(e, htmt__fabric_slice(e, event->slice));
}

void htmt__fabric_post(struct htmt_emulator *e, uint32_t network,
                       const struct htmt__fabric_event *event)
{
    if (is_past(e, event->at))
        return;
    if (goes_elsewhere(e, event)) {
        const struct htmt__packet_event p = {.event = *event, .network = network};
        htmt__outbox_packet(e, &p);
        return;
    }
    follow(e, event->at);
    if (htmt__packet_queue_push(&e->packets->queue, event, network))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
}

void htmt__fabric_post_again(struct htmt_emulator *e, uint32_t place)
{
    struct htmt__packet_queue *q = &e->packets->queue;
    const struct htmt__packet_event *p = htmt__packet_queue_at(q, place);
    if (is_past(e, p->event.at))
        return;
    if (goes_elsewhere(e, &p->event)) {
        htmt__outbox_packet(e, p);
        htmt__packet_queue_forget(q, place);
        return;
    }
    follow(e, p->event.at);
    if (htmt__packet_queue_put(q, place))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
}

uint64_t htmt__fabric_next_key(struct htmt_emulator *e)
{
    uint64_t key;
    if (htmt__packet_queue_first(&e->packets->queue, &key))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
    return key;
}
