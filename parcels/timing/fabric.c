/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/fabric.h"
#include "parcels/timing/outbox.h"

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

static void post_here(struct htmt_emulator *e, const struct htmt__packet_event *p)
{
    if (p->event.at == e->now) { /* what it follows may have a greater key */
        e->followed = htmt__order(e);
        e->followed_at = e->now;
    }
    if (htmt__packet_queue_push(&e->packets->queue, p))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
}

void htmt__fabric_post(struct htmt_emulator *e, uint32_t network,
                       const struct htmt__fabric_event *event)
{
    const struct htmt__packet_event p = {*event, network};
    if (__builtin_expect(event->at < e->now || event->at == HTMT_TIME_MAX, 0))
        htmt__fail(e, event->at < 0 || event->at == HTMT_TIME_MAX ? HTMT_EOVERFLOW : HTMT_EPAST,
                   event->at < 0 || event->at == HTMT_TIME_MAX ? "virtual time passes 2.56 hours"
                                                               : "dispatch into the past");
    else if (e->partition && htmt__elsewhere(e, htmt__fabric_slice(e, event->slice)))
        htmt__outbox_packet(e, &p);
    else
        post_here(e, &p);
}
