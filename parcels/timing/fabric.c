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

/* ---- accounts -------------------------------------------------------------------------------- */

static int settle(struct htmt_emulator *e, struct htmt__fabric_net *n)
{
    const struct htmt__topology *t = n->topology;
    const uint32_t planes = htmt__fabric_planes(n);
    n->account = calloc(htmt__fabric_ports(n) + 1, sizeof *n->account);
    if (!n->account)
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for the accounts of ports");
    for (uint32_t i = 0; i < t->channels; i++) {
        const struct htmt__fabric_place *place = n->place[t->owner[t->wire[i].from]];
        for (uint32_t plane = 0; place && plane < planes; plane++)
            htmt__fabric_account(n->fabric, place, i, plane, e->now,
                                 &n->account[(size_t)plane * t->channels + i]);
    }
    return 0;
}

void htmt__fabrics_settle(struct htmt_emulator *e)
{
    for (uint32_t n = 0; n < e->networks; n++)
        if (e->net[n].fabric && settle(e, e->net[n].fabric))
            return;
}
