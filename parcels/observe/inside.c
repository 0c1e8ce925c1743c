/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the ports inside networks did. The time of the run is divided exactly for each port: busy (a
 * packet's bytes pass), blocked (a packet has it, but cannot go on), waiting (for a packet that may
 * start again), and idle, which is the rest. `queued` is the time of all packets in its queue, so
 * it may be longer than the run.
 */
#include "parcels/message/packet_router.h"
#include "runtime/sim/history.h"

#include <string.h>

/* NULL: it has none, or their accounts are not made yet. */
static const struct htmt__fabric_net *inside_of(const struct htmt_emulator *e, uint32_t network)
{
    const struct htmt__fabric_net *n = e && network < e->networks ? e->net[network].fabric : NULL;
    return n && n->account ? n : NULL;
}

int htmt_inside_at(const struct htmt_emulator *e, uint32_t network, struct htmt_inside_report *r)
{
    const struct htmt__fabric_net *n = inside_of(e, network);
    if (!n || !r)
        return HTMT_EINVAL;
    *r = (struct htmt_inside_report){
        .network = network, .channels = n->topology->channels, .planes = htmt__fabric_planes(n)};
    for (uint32_t i = 0; i < n->places; i++) {
        r->packets += n->count[i].sent;
        r->hops += n->count[i].hops;
        r->bytes += n->count[i].sent_bytes;
    }
    for (uint32_t i = 0; (i = htmt__port_used(n, i)) < htmt__fabric_ports(n); i++) {
        const struct htmt__port_account *a = &n->account[i];
        r->contentions += a->contentions;
        r->busy += a->busy;
        r->blocked += a->blocked;
        r->waiting += a->waiting;
        r->queued += a->queued;
    }
    return 0;
}

int htmt_port_at(const struct htmt_emulator *e, uint32_t network, uint32_t index,
                 struct htmt_port_report *r)
{
    const struct htmt__fabric_net *n = inside_of(e, network);
    if (!n || !r || index >= htmt__fabric_ports(n))
        return HTMT_EINVAL;
    const struct htmt__port_account *a = &n->account[index];
    *r = (struct htmt_port_report){.network = network,
                                   .channel = index % n->topology->channels,
                                   .plane = index / n->topology->channels,
                                   .packets = a->packets,
                                   .bytes = a->bytes,
                                   .contentions = a->contentions,
                                   .busy = a->busy,
                                   .blocked = a->blocked,
                                   .waiting = a->waiting,
                                   .idle = e->now - a->busy - a->blocked - a->waiting,
                                   .queued = a->queued,
                                   .max_queue = a->longest};
    htmt__topology_port_name(n->topology, r->channel, r->name, sizeof r->name);
    return 0;
}

int htmt_routing_at(const struct htmt_emulator *e, uint32_t layer, struct htmt_routing_report *r)
{
    struct htmt__router_count sum;
    struct htmt_resource_report bank;
    if (!e || !r || layer >= e->layers || !htmt__router_sum(e, layer, &sum))
        return HTMT_EINVAL;
    htmt_resource_at(e, layer, &bank);
    *r =
        (struct htmt_routing_report){.layer = layer,
                                     .count = bank.count,
                                     .packets = sum.packets,
                                     .route = sum.route,
                                     .copy = sum.copy,
                                     .put_off = sum.off,
                                     .busy = bank.busy - sum.off + sum.route + sum.copy - sum.left};
    memcpy(r->name, bank.name, sizeof r->name);
    return 0;
}

uint64_t htmt_network_history(const struct htmt_emulator *e)
{
    uint64_t all = 0;
    for (uint32_t i = 0; e && i < e->networks; i++) {
        const struct htmt__fabric_net *n = e->net[i].fabric;
        htmt_uwide sum = 0;
        for (uint32_t k = 0; n && k < n->places; k++)
            sum += n->count[k].history;
        if (n)
            all = htmt__history_step(all, htmt__history_hash(sum, n->places));
    }
    return all;
}
