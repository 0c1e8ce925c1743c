/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/network/lane_stream.h"

static void add(struct htmt__port_account *a, const struct htmt__transmit_port *p,
                const struct htmt__port_queue *q, htmt_time now)
{
    a->packets += p->served;
    a->bytes += p->units;
    a->returned += p->returned;
    a->contentions += q->contentions;
    a->blocked += htmt__port_held(p, q, HTMT__PORT_HELD, now);
    a->waiting += htmt__port_held(p, q, HTMT__PORT_CALLS, now);
    a->queued += htmt__port_queued(q, now);
    a->longest = q->longest > a->longest ? q->longest : a->longest;
}

/* Lanes share the wire: it is busy for their work. */
static htmt_time busy(const struct htmt__fabric *f, const struct htmt__fabric_place *place,
                      uint32_t outlet, htmt_time now)
{
    return f->lanes > 1 ? htmt__stream_done(&place->stream[outlet], now)
                        : htmt__port_busy(&place->outlet[outlet].port, now);
}

bool htmt__fabric_account(const struct htmt__fabric *f, const struct htmt__fabric_place *place,
                          uint32_t channel, uint32_t plane, htmt_time now,
                          struct htmt__port_account *account)
{
    *account = (struct htmt__port_account){0};
    if (f->view[channel].from != place->slice)
        return false;
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        const uint32_t outlet = htmt__outlet_number(f, channel, plane, lane);
        add(account, &place->outlet[outlet].port, &place->queue[outlet], now);
        account->busy += busy(f, place, outlet, now);
    }
    return true;
}
