/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the accounts of a run balance. Each sum is kept twice, by different code at different
 * moments, and the two are compared:
 *
 * - A resource: its own tally of services, words and time, and the sums of the stages that used it;
 * the time that others waited, and the integral of its queue (Little's law, exactly); and both
 * times, and those of the slices.
 *
 * - A memory: words taken, and words given back or resident at the end.
 *
 * - Sections: the time of all slices, and of all resources, whoever spent it.
 *
 * - A network: packets and bytes into each element, and out of it; those of all ports, and the
 * hops.
 *
 * - A processor: services, routing and idle time, and the time of the run.
 *
 * A difference is a mistake in the emulator, never in a program.
 */
#include "parcels/clock/engine.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/packet_router.h"
#include "parcels/observe/section.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/entity.h"

#include <stdlib.h>

/* What a resource served is what its phases did, and no more than there was time for. */
static int audit_resource(const struct htmt_emulator *e, uint32_t index, struct htmt_fault *fault)
{
    struct htmt_resource_report r;
    htmt_resource_at(e, index, &r);
    const uint32_t n = htmt__stands_for_resource(e, index);
    uint64_t count = 0;
    htmt_uwide words = 0;
    htmt_wide busy = 0;
    for (const struct htmt__stage_stats *p = e->stats; p; p = p->next) {
        const struct htmt__stage_stats sum = htmt__stage_stats_sum(p);
        const uint32_t uses = (p->resource == index ? 1u : 0) + (p->in_resource == index ? 1u : 0);
        count += uses * sum.count * n;
        words += uses * sum.words * n;
        busy += (p->resource == index ? sum.busy : 0) * n;
        busy += (p->in_resource == index ? sum.in_busy : 0) * n;
    }
    htmt_wide most = (htmt_wide)e->now * r.count * htmt_resource_places(e, index);
    if (busy != r.busy || count != r.served)
        return htmt_fault_set(fault, HTMT_EAUDIT, "%s: time or services of its phases differ",
                              r.name);
    if (r.kind != HTMT_BANK && words != r.words)
        return htmt_fault_set(fault, HTMT_EAUDIT, "%s: words of its phases differ", r.name);
    if (r.waited != r.queue_integral)
        return htmt_fault_set(fault, HTMT_EAUDIT,
                              "%s: the integral of the queue is not the sum of the waits", r.name);
    htmt_wide used = 0, waited = 0;
    bool known = !htmt__is_once(e, index);
    for (uint32_t i = 0; i < e->played && known; i++) {
        struct htmt__slice_use use = {0};
        known = htmt__slice_use_of(e, index, i, &use);
        used += use.busy;
        waited += use.waited;
    }
    if (known && (used * n != r.busy || waited * n != r.waited))
        return htmt_fault_set(fault, HTMT_EAUDIT, "%s: time or waits of its slices differ", r.name);
    if (r.busy + htmt__paused_sum(e, index) > most)
        return htmt_fault_set(fault, HTMT_EAUDIT, "%s: busier than the run is long", r.name);
    return 0;
}

static int audit_memory(const struct htmt_emulator *e, uint32_t layer, struct htmt_fault *fault)
{
    struct htmt_memory_report r;
    htmt_uwide held = 0; /* by objects */
    htmt_wide stalled = 0;
    htmt_memory_at(e, layer, &r);
    for (uint32_t i = 0; i < e->played; i++)
        held += htmt__store_at(e, i, layer)->resident;
    for (uint32_t i = 0; i < e->played; i++)
        stalled += htmt__slice_stall_of(e, layer, i);
    if (stalled * htmt__stands_for_layer(e, layer) != r.stalled)
        return htmt_fault_set(fault, HTMT_EAUDIT, "%s: stalls of its slices differ", r.name);
    if (r.taken != r.given + held * htmt__stands_for_layer(e, layer))
        return htmt_fault_set(fault, HTMT_EAUDIT, "%s: words taken are neither given nor resident",
                              r.name);
    if (r.stalled != r.queue_integral || r.peak > r.capacity)
        return htmt_fault_set(fault, HTMT_EAUDIT, "%s: stalls or peak do not balance", r.name);
    return 0;
}

static int audit_sections(const struct htmt_emulator *e, struct htmt_fault *fault)
{
    struct htmt_resource_report r;
    struct htmt_memory_report m;
    bool balanced = htmt__sections_time(e) == (htmt_wide)e->now * e->slices;
    for (uint32_t i = 0; htmt_resource_at(e, i, &r) == 0; i++)
        balanced &= htmt__sections_busy(e, i) == r.busy && htmt__sections_waited(e, i) == r.waited;
    for (uint32_t l = 0; htmt_memory_at(e, l, &m) == 0; l++)
        balanced &= htmt__sections_stalled(e, l) == m.stalled;
    return balanced ? 0 : htmt_fault_set(fault, HTMT_EAUDIT, "the sections do not sum up");
}

/* ---- processors that route packets ---------------------------------------------------------- */

static int audit_routing(const struct htmt_emulator *e, uint32_t layer, struct htmt_fault *fault)
{
    struct htmt_routing_report r;
    struct htmt__router_count sum;
    if (e->fault.code || htmt_routing_at(e, layer, &r))
        return 0;
    const htmt_wide all = (htmt_wide)e->now * r.count * e->slices;
    const htmt_wide held = r.busy + htmt__paused_sum(e, htmt__bank_resource(e, layer));
    if (held + htmt__router_sum(e, layer, &sum)->idle != all)
        return htmt_fault_set(fault, HTMT_EAUDIT,
                              "%s: services, routing and idle time are not the time of the run",
                              r.name);
    if (r.put_off > r.route + r.copy)
        return htmt_fault_set(fault, HTMT_EAUDIT, "%s: services were put off by more than routing",
                              r.name);
    return 0;
}

/* ---- networks with ports inside -------------------------------------------------------------- */

/* Through one element. */
struct flow {
    uint64_t in, out, in_bytes, out_bytes;
};

/* A switch strips its port number; an end sends and receives what its slice does. */
static bool balances(const struct htmt__fabric_net *n, uint32_t element, const struct flow *f)
{
    const struct htmt__topology *t = n->topology;
    if (element >= t->ends)
        return f->in == f->out && f->in_bytes == f->out_bytes + f->in * t->inside.header_hop;
    const uint32_t slice = t->slice_of[element];
    if (slice >= n->places)
        return !f->in && !f->out;
    const struct htmt__packet_count *c = &n->count[slice];
    return f->out == c->sent && f->out_bytes == c->sent_bytes && f->in == c->came &&
           f->in_bytes == c->came_bytes;
}

static int audit_element(const struct htmt__fabric_net *n, const char *network, uint32_t element,
                         const struct flow *flow, struct htmt_fault *fault)
{
    char name[64];
    if (balances(n, element, &flow[element]))
        return 0;
    htmt__topology_name(n->topology, element, name, sizeof name);
    return htmt_fault_set(fault, HTMT_EAUDIT, "%s: what came into %s has not left it", network,
                          name);
}

/* Of a complete run: nothing is under way. A packet that its sender starts again enters ports more
 * than once, and counts where it passed them. Elements that nothing passed balance, but for ends of
 * slices. */
static int audit_inside(const struct htmt_emulator *e, uint32_t network, struct htmt_fault *fault)
{
    const struct htmt__fabric_net *n = e->net[network].fabric;
    const char *name = e->machine->network[network].name;
    uint64_t packets = 0, hops = 0;
    int rc = 0;
    if (!n || !n->account || e->fault.code)
        return 0;
    const struct htmt__topology *t = n->topology;
    const uint32_t ports = htmt__fabric_ports(n);
    struct flow *flow = calloc((size_t)t->ends + t->switches, sizeof *flow);
    if (!flow)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory to audit a network");
    for (uint32_t i = 0; (i = htmt__port_used(n, i)) < ports; i++) {
        const struct htmt__port_account *a = &n->account[i];
        const struct htmt__wire *wire = htmt__wire(t, i % t->channels);
        packets += a->packets + a->returned;
        flow[wire->from].out += a->packets;
        flow[wire->from].out_bytes += a->bytes;
        flow[wire->to].in += a->packets;
        flow[wire->to].in_bytes += a->bytes;
    }
    for (uint32_t i = 0; i < n->places; i++)
        hops += n->count[i].hops;
    if (packets != hops)
        rc = htmt_fault_set(fault, HTMT_EAUDIT, "%s: packets of its ports are not the hops", name);
    for (uint32_t s = 0; s < t->slices && !rc; s++)
        rc = audit_element(n, name, t->end_of[s], flow, fault);
    for (uint32_t i = 0; !rc && (i = htmt__port_used(n, i)) < ports; i++) {
        const struct htmt__wire *wire = htmt__wire(t, i % t->channels);
        rc = audit_element(n, name, wire->from, flow, fault);
        rc = rc ? rc : audit_element(n, name, wire->to, flow, fault);
    }
    free(flow);
    return rc;
}

int htmt_audit(const struct htmt_emulator *e, struct htmt_fault *fault)
{
    if (!e)
        return htmt_fault_set(fault, HTMT_EINVAL, "htmt_audit(): no emulator (NULL)");
    int rc = 0;
    for (uint32_t i = 0; i < htmt_resource_count(e) && !rc; i++)
        rc = audit_resource(e, i, fault);
    for (uint32_t l = 0; l < e->layers && !rc; l++)
        rc = audit_memory(e, l, fault);
    for (uint32_t n = 0; n < e->networks && !rc; n++)
        rc = audit_inside(e, n, fault);
    for (uint32_t l = 0; l < e->layers && !rc; l++)
        rc = audit_routing(e, l, fault);
    if (!rc && htmt_section_count(e))
        rc = audit_sections(e, fault);
    return rc;
}
