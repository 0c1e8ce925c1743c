/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From integers of the emulator (femtoseconds, counts, integrals over time) to figures. All rest on
 * two quotients. A share is a sum of times over n equal units, divided by n times the predicted
 * time: 4 SPELLs that were busy 30 ns together in a run of 10 ns have 30 / (4 x 10) = 75 %. A mean
 * queue is the same quotient of an integral: the emulator adds up (items waiting) x (time), so a
 * queue of 2 items for half of the run gives 2 x 5 ns / 10 ns = 1. A mean wait is the sum of waits
 * divided by the number of services.
 */
#include "emul/lib/questions/results.h"

#include "layers/bank/controller.h"
#include "layers/network/routing.h"
#include "layers/network/vortex.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/packet_network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const htmt__op_names[HTMT_OP_CLASSES] = {[HTMT_CYCLE] = "cycles",
                                                     [HTMT_FLOP] = "flop",
                                                     [HTMT_IOP] = "iop",
                                                     [HTMT_LOAD] = "loads",
                                                     [HTMT_STORE] = "stores"};
const char *const htmt__op_figures[HTMT_OP_CLASSES] = {[HTMT_CYCLE] = "clock",
                                                       [HTMT_FLOP] = "flop",
                                                       [HTMT_IOP] = "iop",
                                                       [HTMT_LOAD] = "load",
                                                       [HTMT_STORE] = "store"};
const char htmt__clock_windows[] = "windows", htmt__clock_sequential[] = "sequential";

static double seconds(htmt_wide fs)
{
    return (double)fs / (double)HTMT_SECOND;
}

static double over(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* The mean of a sum over `units` equal units, as a share of the predicted time. */
static double share(const struct htmt__results *r, htmt_wide fs, uint64_t units)
{
    return over((double)fs, (double)r->predicted * (double)units);
}

/* Of `count` servers that take this time for each; 0: it costs no time. */
static double each_second(struct htmt_ratio time, uint64_t count)
{
    double fs = htmt_ratio_value(time);
    return fs > 0 ? (double)count * (double)HTMT_SECOND / fs : 0;
}

double htmt__events_per_window(const struct htmt__results *r)
{
    return over((double)r->events, (double)r->clock.windows);
}

/* ---- resources, memories, phases, sections --------------------------------------------------- */

/* A report of the emulator is of one slice's servers, and `places` says how many slices have them:
 * a resource of a layer above the slices has fewer. Peaks follow from the machine: servers that
 * need 4 ns for an operation do count / 4 ns of them a second. */
static int take_resources(const struct htmt_emulator *e, struct htmt__results *r)
{
    static const char *const kinds[] = {
        [HTMT_BANK] = "bank", [HTMT_LINK_OUT] = "link out", [HTMT_LINK_IN] = "link in"};
    const struct htmt_machine *m = htmt_emulator_machine(e);
    struct htmt_resource_report from;
    const uint32_t n = htmt_resource_count(e);
    r->resource = calloc(n + 1, sizeof *r->resource);
    for (uint32_t i = 0; r->resource && i < n; i++) {
        if (htmt_resource_at(e, i, &from))
            continue;
        const uint32_t places = htmt_resource_places(e, i);
        const struct htmt_layer *layer = &m->layer[from.layer];
        struct htmt__resource *to = &r->resource[r->resource_count++];
        snprintf(to->name, sizeof to->name, "%s", from.name);
        to->kind = kinds[from.kind];
        to->layer = from.layer;
        snprintf(to->layer_name, sizeof to->layer_name, "%s", layer->name);
        to->count = (uint64_t)from.count * places;
        to->served = from.served;
        to->words = (double)from.words;
        to->busy_s = seconds(from.busy);
        to->utilization = share(r, from.busy, to->count);
        to->paused_s = seconds(htmt__paused_sum(e, i));
        htmt__link_term(e, i, to->term, sizeof to->term);
        to->mean_wait_s = over(seconds(from.waited), (double)from.served);
        to->mean_queue = share(r, from.queue_integral, places);
        to->max_queue = from.max_queue;
        for (unsigned c = 0; c < HTMT_OP_CLASSES && from.kind == HTMT_BANK; c++)
            to->peak.of_class[c] = each_second(layer->processor.time[c], to->count);
        if (from.kind != HTMT_BANK) {
            const struct htmt_port *port = &m->network[from.network].port[from.layer];
            to->peak.words =
                each_second(from.kind == HTMT_LINK_OUT ? port->out_word : port->in_word, to->count);
        }
    }
    return r->resource ? 0 : HTMT_ENOMEM;
}

double htmt__results_paused(const struct htmt__results *r, const struct htmt__resource *of)
{
    return over(of->paused_s, seconds(r->predicted) * (double)of->count);
}

bool htmt__results_pause(const struct htmt__results *r)
{
    bool any = false;
    for (unsigned i = 0; i < r->resource_count; i++)
        any = any || r->resource[i].paused_s > 0;
    return any;
}

static int take_memories(const struct htmt_emulator *e, struct htmt__results *r)
{
    const uint32_t layers = htmt_emulator_machine(e)->layer_count;
    struct htmt_memory_report from;
    r->memory = calloc(layers + 1, sizeof *r->memory);
    for (uint32_t i = 0; r->memory && i < layers; i++) {
        if (htmt_memory_at(e, i, &from))
            continue;
        const uint32_t places = htmt_memory_places(e, i);
        struct htmt__memory *to = &r->memory[r->memory_count++];
        snprintf(to->name, sizeof to->name, "%s", from.name);
        to->count = places;
        to->capacity_words = from.capacity;
        to->peak_words = from.peak;
        to->resident_words = from.resident;
        to->stall_s = seconds(from.stalled);
        to->mean_queue = share(r, from.queue_integral, places);
        to->max_queue = from.max_queue;
    }
    return r->memory ? 0 : HTMT_ENOMEM;
}

/* Stages that nothing passed are left out. The quantity: words if there are any, else operations of
 * the most frequent class, else parcels. Resources are there already: a phase takes the name and
 * the number of servers of the one that it used. */
static int take_phases(const struct htmt_emulator *e, struct htmt__results *r)
{
    struct htmt_phase_report from;
    const uint32_t n = htmt_phase_count(e);
    r->phase = calloc(n + 1, sizeof *r->phase);
    for (uint32_t i = 0; r->phase && i < n; i++) {
        if (htmt_phase_at(e, i, &from) || !from.count)
            continue;
        struct htmt__stage *to = &r->phase[r->phase_count++];
        double count = (double)from.count;
        htmt_uwide most = 0;
        snprintf(to->type, sizeof to->type, "%s", from.type);
        to->stage = htmt_stage_name(from.stage);
        if (from.resource < r->resource_count) {
            const struct htmt__resource *used = &r->resource[from.resource];
            snprintf(to->resource, sizeof to->resource, "%s", used->name);
            to->parallelism = used->count;
        }
        to->parcels = from.count;
        to->quantity = from.words ? (double)from.words : count;
        to->unit = from.words ? "words" : "parcels";
        for (unsigned c = 0; c < HTMT_OP_CLASSES && !from.words; c++)
            if (from.ops[c] > most) {
                most = from.ops[c];
                to->quantity = (double)most;
                to->unit = htmt__op_names[c];
            }
        for (unsigned c = 0; c < HTMT_OP_CLASSES; c++)
            to->classes.of[c] = (double)from.ops[c];
        to->mean_s = over(seconds(from.busy), count);
        to->mean_wait_s = over(seconds(from.waited), count);
        to->mean_stall_s = over(seconds(from.stalled), count);
        to->mean_pause_s = over(seconds(htmt__phase_paused(e, i)), count);
        to->kernels_s = htmt__phase_kernels_seconds(e, i);
        to->utilization = share(r, from.busy, to->parallelism);
    }
    return r->phase ? 0 : HTMT_ENOMEM;
}

/*
 * A processor whose machine gives no rate for a class of operations does them in no time. That is
 * right where nobody counts such operations, and an error in waiting where somebody does: the
 * prediction leaves them out, and nothing else would say so. Not where the time of services is not
 * made from classes: of threads that issue instructions, or of services timed by their operations.
 */
static int take_unpriced(const struct htmt_emulator *e, struct htmt__results *r)
{
    const struct htmt_machine *m = htmt_emulator_machine(e);
    const struct htmt__bank_machine *bank = htmt__bank_machine_of(m);
    r->unpriced = calloc((size_t)m->layer_count * HTMT_OP_CLASSES + 1, sizeof *r->unpriced);
    for (unsigned k = 0; r->unpriced && k < r->resource_count; k++) {
        const struct htmt__resource *of = &r->resource[k];
        bool made_of_classes =
            strcmp(of->kind, "bank") == 0 && !(bank && bank->scratch == of->layer);
        for (unsigned i = 0; i < r->operations_count; i++)
            made_of_classes &= strcmp(r->operations[i].resource, of->name) != 0;
        for (unsigned c = 0; c < HTMT_OP_CLASSES && made_of_classes; c++) {
            double sum = 0;
            for (unsigned i = 0; i < r->phase_count; i++)
                if (strcmp(r->phase[i].resource, of->name) == 0)
                    sum += r->phase[i].classes.of[c];
            if (sum > 0 && !(of->peak.of_class[c] > 0))
                snprintf(r->unpriced[r->unpriced_count++].text, sizeof r->unpriced->text,
                         "%.0f %s of %s take no time: machine %s has no rate for them "
                         "(layers.%s.processor.%s)",
                         sum, htmt__op_names[c], of->name, m->name, of->layer_name,
                         htmt__op_figures[c]);
        }
    }
    return r->unpriced ? 0 : HTMT_ENOMEM;
}

/* What came before the first named section is one only if time was spent there. */
static int take_sections(const struct htmt_emulator *e, struct htmt__results *r)
{
    struct htmt_section_report from;
    const uint32_t n = htmt_section_count(e);
    r->section = calloc(n + 1, sizeof *r->section);
    for (uint32_t i = 0; r->section && i < n; i++) {
        if (htmt_section_at(e, i, &from) ||
            (!from.name[0] && !from.time && !from.busy && !from.waited && !from.stalled))
            continue;
        struct htmt__section_time *to = &r->section[r->section_count++];
        snprintf(to->name, sizeof to->name, "%s", from.name);
        to->time_s = seconds(from.time);
        to->share = share(r, from.time, r->slices);
        to->busy_s = seconds(from.busy);
        to->wait_s = seconds(from.waited);
        to->stall_s = seconds(from.stalled);
    }
    return r->section ? 0 : HTMT_ENOMEM;
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* Slices that were folded are alike. */
static int take_spreads(const struct htmt_emulator *e, struct htmt__results *r)
{
    const uint32_t n = r->slices;
    double *share = calloc(n + 1u, sizeof *share), *queue = calloc(n + 1u, sizeof *queue);
    r->spread = calloc((size_t)r->resource_count + r->memory_count + 1, sizeof *r->spread);
    int rc = share && queue && r->spread ? 0 : HTMT_ENOMEM;
    for (uint32_t k = 0; k < r->resource_count && n > 1 && htmt__stands_for(e) == 1 && !rc; k++) {
        const uint64_t servers = r->resource[k].count / n;
        struct htmt__slice_use use;
        bool known = r->resource[k].served && htmt_resource_places(e, k) == n;
        for (uint32_t i = 0; i < n && known; i++) {
            known = htmt__slice_use_of(e, k, i, &use);
            share[i] = known ? over((double)use.busy, (double)r->predicted * (double)servers) : 0;
            queue[i] = known ? over((double)use.waited, (double)r->predicted) : 0;
        }
        if (!known)
            continue;
        htmt__results_spread(r, r->resource[k].name, n, share, queue);
        r->spread[r->spread_count - 1].mean_share =
            r->resource[k].utilization; /* to the last bit */
        r->spread[r->spread_count - 1].mean_queue = r->resource[k].mean_queue;
    }
    for (uint32_t l = 0; l < r->memory_count && n > 1 && htmt__stands_for(e) == 1 && !rc; l++) {
        char name[sizeof r->spread->name];
        if (!(r->memory[l].mean_queue > 0) || htmt_memory_places(e, l) != n)
            continue;
        for (uint32_t i = 0; i < n; i++)
            queue[i] = over((double)htmt__slice_stall_of(e, l, i), (double)r->predicted);
        snprintf(name, sizeof name, "%.*s space", HTMT_NAME_MAX - 1, r->memory[l].name);
        htmt__results_spread(r, name, n, NULL, queue);
        r->spread[r->spread_count - 1].mean_queue = r->memory[l].mean_queue;
    }
    free(share);
    free(queue);
    return rc;
}

static int take_flights(const struct htmt_emulator *e, struct htmt__results *r)
{
    const struct htmt_machine *m = htmt_emulator_machine(e);
    struct htmt_resource_report link;
    r->flight = calloc(m->network_count + 1, sizeof *r->flight);
    for (uint32_t n = 0; r->flight && n < m->network_count; n++) {
        const double mean = share(r, htmt__flight_sum(e, n), r->slices);
        struct htmt__in_flight *to = &r->flight[r->flight_count];
        if (!(mean > 0))
            continue;
        r->flight_count++;
        to->mean = to->most = mean;
        for (uint32_t k = 0; htmt_resource_at(e, k, &link) == 0; k++) {
            const struct htmt__spread *s = htmt__results_spread_of(r, link.name);
            if (link.kind == HTMT_LINK_OUT && link.network == n && s && s->mean_share > 0)
                to->most = fmax(to->most, mean * s->busiest_share / s->mean_share);
        }
        snprintf(to->name, sizeof to->name, "%s latency", m->network[n].name);
    }
    return r->flight ? 0 : HTMT_ENOMEM;
}

/* ---- inside networks ------------------------------------------------------------------------- */

#define NODES_MOST 10000 /* ports of a Data Vortex, which has 130 for each of 4096 slices */

/* The first port from that one on that a packet passed; false: there is none. Of a large Data
 * Vortex those of ends alone, whose numbers come first: its cylinders tell what its nodes did. */
static bool next_port(const struct htmt_emulator *e, uint32_t network, uint32_t *i)
{
    const struct htmt__fabric_net *n = e->net[network].fabric;
    if (!n || !n->account)
        return false;
    while ((*i = htmt__port_used(n, *i)) < htmt__fabric_ports(n) && !n->account[*i].packets)
        ++*i;
    const struct htmt__topology *t = n->topology;
    const bool large = t->inside.topology == HTMT__DATA_VORTEX && t->channels > NODES_MOST;
    return *i < (large ? t->first[t->ends] : htmt__fabric_ports(n));
}

/* A network whose machine describes its inside has a row of sums, and each of its ports that a
 * packet passed has one of its own. The time of a port is busy, blocked, waiting or idle, so its
 * four shares add up to 1. */
static int take_insides(const struct htmt_emulator *e, struct htmt__results *r)
{
    const struct htmt_machine *m = htmt_emulator_machine(e);
    struct htmt_inside_report from;
    struct htmt_port_report port;
    size_t ports = 1;
    for (uint32_t n = 0; n < m->network_count; n++)
        for (uint32_t i = 0; next_port(e, n, &i); i++)
            ports++;
    r->inside = calloc(m->network_count + 1, sizeof *r->inside);
    r->port = calloc(ports, sizeof *r->port);
    if (!r->inside || !r->port)
        return HTMT_ENOMEM;
    for (uint32_t n = 0; n < m->network_count; n++) {
        if (htmt_inside_at(e, n, &from))
            continue;
        struct htmt__inside_sums *to = &r->inside[r->inside_count++];
        snprintf(to->name, sizeof to->name, "%s", m->network[n].name);
        to->ports = (uint64_t)from.channels * from.planes;
        to->packets = from.packets;
        to->hops = from.hops;
        to->bytes = (double)from.bytes;
        to->contentions = from.contentions;
        to->busy_s = seconds(from.busy);
        to->blocked_s = seconds(from.blocked);
        to->waiting_s = seconds(from.waiting);
        to->mean_queue = share(r, (htmt_wide)from.queued, to->ports);
        const struct htmt__inside *in = &e->net[n].fabric->topology->inside;
        to->adds_lanes = in->auto_classes;
        if (in->auto_classes) {
            to->lane_classes = htmt__route_classes(in);
            to->lanes = in->lanes;
            to->lanes_added = to->lanes - to->lanes / to->lane_classes;
        }
        for (uint32_t i = 0; next_port(e, n, &i); i++) {
            htmt_port_at(e, n, i, &port);
            struct htmt__port_sums *p = &r->port[r->port_count++];
            snprintf(p->network, sizeof p->network, "%s", m->network[n].name);
            snprintf(p->name, sizeof p->name, "%s", port.name);
            p->plane = port.plane;
            p->packets = port.packets;
            p->bytes = port.bytes;
            p->contentions = port.contentions;
            p->busy_s = seconds(port.busy);
            p->blocked_s = seconds(port.blocked);
            p->waiting_s = seconds(port.waiting);
            p->idle_s = seconds(port.idle);
            p->busy_share = share(r, port.busy, 1);
            p->blocked_share = share(r, port.blocked, 1);
            p->waiting_share = share(r, port.waiting, 1);
            p->idle_share = share(r, port.idle, 1);
            p->mean_queue = share(r, (htmt_wide)port.queued, 1);
            p->max_queue = port.max_queue;
        }
    }
    return 0;
}

static int take_routers(const struct htmt_emulator *e, struct htmt__results *r)
{
    const struct htmt_machine *m = htmt_emulator_machine(e);
    struct htmt_routing_report from;
    r->routing = calloc(m->layer_count + 1, sizeof *r->routing);
    for (uint32_t l = 0; r->routing && l < m->layer_count; l++) {
        if (htmt_routing_at(e, l, &from))
            continue;
        struct htmt__routing_sums *to = &r->routing[r->routing_count++];
        snprintf(to->name, sizeof to->name, "%s", from.name);
        snprintf(to->layer, sizeof to->layer, "%s", m->layer[l].name);
        to->count = (uint64_t)from.count * r->slices;
        to->packets = from.packets;
        to->route_s = seconds(from.route);
        to->copy_s = seconds(from.copy);
        to->put_off_s = seconds(from.put_off);
        to->busy_s = seconds(from.busy);
        to->utilization = share(r, from.busy, to->count);
    }
    return r->routing ? 0 : HTMT_ENOMEM;
}

/* Each packet in a node makes one move a slot, so its moves are the node's slots in use. */
static void take_cylinders(const struct htmt__fabric_net *n, struct htmt__results *r,
                           struct htmt__vortex_sums *sum)
{
    const struct htmt__inside *in = &n->topology->inside;
    struct htmt__cylinder_sums *to = &r->cylinder[r->cylinder_count];
    const uint32_t cylinders = htmt__vortex_cylinders(in);
    htmt_uwide wait = 0;
    for (uint32_t i = 0; i < n->topology->channels; i++) {
        const struct htmt__vortex_channel at = htmt__vortex_channel(in, i);
        const struct htmt__port_account *a = &n->account[i];
        if (at.cylinder == UINT32_MAX) {
            sum->packets += a->packets;
            sum->waited += a->contentions;
            wait += a->queued;
            continue;
        }
        to[at.cylinder].packets += a->packets;
        to[at.cylinder].deflections += a->contentions;
        sum->deflections += a->contentions;
    }
    for (uint32_t c = 0; c < cylinders; c++) {
        memcpy(to[c].network, sum->network, sizeof to[c].network);
        to[c].cylinder = c;
        to[c].nodes = (uint64_t)htmt__vortex_heights(in) * htmt__vortex_angles(in);
        to[c].load = share(r, (htmt_wide)to[c].packets * in->slot, to[c].nodes);
    }
    r->cylinder_count += cylinders;
    sum->wait_s = seconds((htmt_wide)wait);
    sum->mean_wait_s = over(sum->wait_s, (double)sum->packets);
}

static int take_vortices(const struct htmt_emulator *e, struct htmt__results *r)
{
    const struct htmt_machine *m = htmt_emulator_machine(e);
    r->vortex = calloc(m->network_count + 1, sizeof *r->vortex);
    r->cylinder = calloc(32 * (size_t)m->network_count + 1, sizeof *r->cylinder);
    if (!r->vortex || !r->cylinder)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < m->network_count; i++) {
        const struct htmt__fabric_net *n = e->net[i].fabric;
        if (!n || !n->account || n->topology->inside.topology != HTMT__DATA_VORTEX)
            continue;
        struct htmt__vortex_sums *sum = &r->vortex[r->vortex_count++];
        snprintf(sum->network, sizeof sum->network, "%s", m->network[i].name);
        take_cylinders(n, r, sum);
    }
    return 0;
}

/* ---- services timed by their operations ------------------------------------------------------ */

/* What the accesses that missed went to: "region 0", "use 3", "stack". */
static void take_misses(struct htmt__results *r, const struct htmt_operations_report *from)
{
    static const char *const names[] = {
        [HTMT_MISS_ARGUMENTS] = "arguments", [HTMT_MISS_RESULT] = "result",
        [HTMT_MISS_STACK] = "stack",         [HTMT_MISS_IMAGE] = "image",
        [HTMT_MISS_CONSTANTS] = "constants", [HTMT_MISS_OTHER] = "other"};
    for (int i = 0; i < HTMT_MISS_KINDS; i++) {
        if (!from->misses[i])
            continue;
        struct htmt__miss_sums *to = &r->miss[r->miss_count++];
        snprintf(to->type, sizeof to->type, "%s", from->type);
        to->stage = htmt_stage_name(from->stage);
        if (i >= HTMT_MISS_ARGUMENTS)
            snprintf(to->place, sizeof to->place, "%s", names[i]);
        else
            snprintf(to->place, sizeof to->place, "%s %d", i < HTMT_MISS_USE ? "region" : "use",
                     i % HTMT_MISS_USE);
        to->misses = from->misses[i];
    }
}

/* Once the resources are there. */
static int take_operations(const struct htmt_emulator *e, struct htmt__results *r)
{
    struct htmt_operations_report from;
    const uint32_t n = htmt_operations_count(e);
    r->operations = calloc(n + 1, sizeof *r->operations);
    r->miss = calloc((size_t)n * HTMT_MISS_KINDS + 1, sizeof *r->miss);
    if (!r->operations || !r->miss)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; htmt_operations_at(e, i, &from) == 0; i++) {
        struct htmt__operations_sums *to = &r->operations[r->operations_count++];
        snprintf(to->type, sizeof to->type, "%s", from.type);
        to->stage = htmt_stage_name(from.stage);
        if (from.resource < r->resource_count)
            snprintf(to->resource, sizeof to->resource, "%s", r->resource[from.resource].name);
        to->services = from.services;
        to->counted = from.counted;
        snprintf(to->why, sizeof to->why, "%s", from.why);
        for (int part = 0; part < HTMT_OPERATIONS_PARTS; part++)
            to->time_s += to->part_s[part] = seconds(from.part[part]);
        to->instructions = from.instructions;
        to->loads = from.loads;
        to->stores = from.stores;
        to->l1_misses = from.l1_misses;
        to->l1_code_misses = from.l1_code_misses;
        to->l2_misses = from.l2_misses;
        to->write_backs = from.write_backs;
        to->page_hits = from.page_hits;
        to->page_misses = from.page_misses;
        to->branches_missed = from.branches_missed;
        take_misses(r, &from);
    }
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

int htmt__results_collect(const struct htmt_emulator *e, struct htmt__results *results)
{
    struct htmt__results r = {.slices = htmt_emulator_slices(e),
                              .predicted = htmt_predicted(e),
                              .parcels = htmt_parcel_count(e),
                              .events = htmt_event_count(e),
                              .history_hash = htmt_history_hash(e),
                              .network_history = htmt_network_history(e)};
    struct htmt_clock_report clock;
    r.steered = htmt__is_steered(e);
    htmt_host_report(e, &r.host);
    htmt_clock_report(e, &clock);
    r.clock = (struct htmt__clock_kind){
        .kind = clock.in_order ? htmt__clock_sequential : htmt__clock_windows,
        .reason = clock.in_order,
        .lookahead = clock.in_order ? HTMT_TIME_MAX : clock.lookahead,
        .windows = clock.windows,
        .partitions = clock.partitions,
        .threads = clock.threads,
        .ranks = clock.ranks,
        .shared = clock.shared,
        .awaited_s = (double)clock.awaited / 1e9,
    };
    int rc = take_resources(e, &r); /* first: phases and operations name them */
    rc = rc ? rc : take_memories(e, &r);
    rc = rc ? rc : take_phases(e, &r);
    rc = rc ? rc : take_sections(e, &r);
    rc = rc ? rc : take_spreads(e, &r);
    rc = rc ? rc : take_flights(e, &r);
    rc = rc ? rc : take_insides(e, &r);
    rc = rc ? rc : take_routers(e, &r);
    rc = rc ? rc : take_vortices(e, &r);
    rc = rc ? rc : take_operations(e, &r);
    rc = rc ? rc : take_unpriced(e, &r);
    r.limit = calloc(2 * (size_t)r.resource_count + r.memory_count + 1, sizeof *r.limit);
    if (!r.limit)
        rc = HTMT_ENOMEM;
    if (rc) {
        htmt__results_clear(&r);
        return rc;
    }
    htmt__results_rank(&r, NULL);
    *results = r;
    return 0;
}

void htmt__results_clear(struct htmt__results *results)
{
    free(results->phase);
    free(results->resource);
    free(results->memory);
    free(results->section);
    free(results->spread);
    free(results->unpriced);
    free(results->flight);
    free(results->inside);
    free(results->port);
    free(results->routing);
    free(results->vortex);
    free(results->cylinder);
    free(results->operations);
    free(results->miss);
    free(results->limit);
    *results = (struct htmt__results){0};
}
