/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Paths of messages inside a machine's networks, for closed forms. A machine of which fewer slices
 * are played has topologies for those; one whose network was made for other slices answers nothing.
 */
#include "layers/machine/way.h"

#include "layers/network/routing.h"

static const struct htmt__topology *inside(const struct htmt_machine *m, uint32_t network)
{
    const struct htmt__topology *t =
        m && network < m->network_count ? htmt__topology(&m->network[network]) : NULL;
    return t && t->slices == m->slices ? t : NULL;
}

/* The same where messages have a way that is known. */
static const struct htmt__topology *routed(const struct htmt_machine *m, uint32_t network)
{
    const struct htmt__topology *t = inside(m, network);
    return t && t->inside.topology != HTMT__DATA_VORTEX ? t : NULL;
}

uint32_t htmt_machine_channels(const struct htmt_machine *m, uint32_t network)
{
    const struct htmt__topology *t = routed(m, network);
    return t ? t->channels : 0;
}

uint32_t htmt_machine_planes(const struct htmt_machine *m, uint32_t network)
{
    const struct htmt__topology *t = inside(m, network);
    return t && t->inside.planes ? t->inside.planes : 1;
}

/* Packets follow each other at the pace of a link. A sender's processor routes each of them at its
 * end, and routes and copies it at its switch; it keeps up if both take no longer than any link. */
static bool keep_up(const struct htmt__topology *t)
{
    const struct htmt__inside *in = &t->inside;
    const uint64_t bytes = in->packet + in->header;
    htmt_wide routes = 2 * (htmt_wide)in->route;
    routes += in->copy.num ? htmt_charge_time(in->copy, bytes) : 0;
    for (uint32_t c = 0; c < t->channels; c = htmt__wire_other(t, c)) {
        const struct htmt_ratio byte = htmt__wire(t, c)->byte;
        if (routes > in->setup + (byte.num ? htmt_charge_time(byte, bytes) : 0))
            return false;
    }
    return true;
}

bool htmt_machine_routes_in_time(const struct htmt_machine *m, uint32_t network)
{
    const struct htmt__topology *t = routed(m, network);
    if (!t || t->inside.router < 0 || !(t->inside.route || t->inside.copy.num))
        return true;
    const bool one = t->inside.planes <= 1 || t->inside.scaled;
    return !t->inside.packet || (one && keep_up(t));
}

uint32_t htmt_machine_way(const struct htmt_machine *m, uint32_t network, uint32_t source,
                          uint32_t target, const uint16_t *ports, uint32_t *channel, uint32_t room)
{
    const struct htmt__topology *t = routed(m, network);
    if (!t || source >= t->slices || target >= t->slices || source == target)
        return 0;
    return 1 + htmt__route_path(t, t->end_of[source], t->end_of[target], ports, channel, room);
}

int htmt_machine_route_check(const struct htmt_machine *m, uint32_t network, uint32_t source,
                             uint32_t target, const uint16_t *ports, uint32_t count,
                             struct htmt_fault *fault)
{
    const struct htmt__topology *t = routed(m, network);
    if (!t || source >= t->slices || target >= t->slices)
        return htmt_fault_set(fault, HTMT_EINVAL, "the network takes no routes between slices");
    return htmt__route_check(t, t->end_of[source], t->end_of[target], ports, count, fault);
}

htmt_time htmt_machine_channel_time(const struct htmt_machine *m, uint32_t network,
                                    uint32_t channel, uint64_t bytes)
{
    const struct htmt__topology *t = routed(m, network);
    if (!t || channel >= t->channels)
        return -1;
    struct htmt_ratio byte = htmt__wire(t, channel)->byte;
    return byte.num ? htmt_charge_time(byte, bytes) : 0;
}

htmt_time htmt_machine_alone(const struct htmt_machine *m, uint32_t network, uint32_t source,
                             uint32_t target, uint64_t bytes)
{
    const struct htmt__topology *t = inside(m, network);
    if (m && network < m->network_count && !htmt__topology(&m->network[network]))
        return htmt_machine_crossing(m, network, bytes / HTMT_WORD + (bytes % HTMT_WORD != 0));
    if (!t || source >= t->slices || target >= t->slices)
        return -1;
    return htmt__route_alone(t, t->end_of[source], t->end_of[target], bytes);
}
