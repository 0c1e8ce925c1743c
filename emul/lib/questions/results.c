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

#include <stdio.h>
#include <stdlib.h>

const char *const htmt__op_names[HTMT_OP_CLASSES] = {[HTMT_CYCLE] = "cycles",
                                                     [HTMT_FLOP] = "flop",
                                                     [HTMT_IOP] = "iop",
                                                     [HTMT_LOAD] = "loads",
                                                     [HTMT_STORE] = "stores"};
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

static void take_resource(struct htmt__results *r, const struct htmt_machine *m,
                          const struct htmt_resource_report *from, uint32_t places)
{
    static const char *const kinds[] = {
        [HTMT_BANK] = "bank", [HTMT_LINK_OUT] = "link out", [HTMT_LINK_IN] = "link in"};
    const struct htmt_layer *layer = &m->layer[from->layer];
    struct htmt__resource *to = &r->resource[r->resource_count++];
    snprintf(to->name, sizeof to->name, "%s", from->name);
    to->kind = kinds[from->kind];
    to->layer = from->layer;
    snprintf(to->layer_name, sizeof to->layer_name, "%s", layer->name);
    to->count = (uint64_t)from->count * places;
    to->served = from->served;
    to->words = (double)from->words;
    to->busy_s = seconds(from->busy);
    to->utilization = share(r, from->busy, to->count);
    to->mean_wait_s = over(seconds(from->waited), (double)from->served);
    to->mean_queue = share(r, from->queue_integral, places);
    to->max_queue = from->max_queue;
    if (from->kind == HTMT_BANK) {
        for (unsigned i = 0; i < HTMT_OP_CLASSES; i++)
            to->peak.of_class[i] = each_second(layer->processor.time[i], to->count);
    } else {
        const struct htmt_port *port = &m->network[from->network].port[from->layer];
        to->peak.words =
            each_second(from->kind == HTMT_LINK_OUT ? port->out_word : port->in_word, to->count);
    }
}

static void take_memory(struct htmt__results *r, const struct htmt_memory_report *from,
                        uint32_t places)
{
    struct htmt__memory *to = &r->memory[r->memory_count++];
    snprintf(to->name, sizeof to->name, "%s", from->name);
    to->count = places;
    to->capacity_words = from->capacity;
    to->peak_words = from->peak;
    to->resident_words = from->resident;
    to->stall_s = seconds(from->stalled);
    to->mean_queue = share(r, from->queue_integral, places);
    to->max_queue = from->max_queue;
}

/* The quantity: words if there are any, else operations of the most frequent class, else parcels.
 */
static void take_phase(struct htmt__results *r, const struct htmt_phase_report *from)
{
    struct htmt__stage *to = &r->phase[r->phase_count++];
    double count = (double)from->count;
    htmt_uwide most = 0;
    snprintf(to->type, sizeof to->type, "%s", from->type);
    to->stage = htmt_stage_name(from->stage);
    if (from->resource < r->resource_count) {
        const struct htmt__resource *used = &r->resource[from->resource];
        snprintf(to->resource, sizeof to->resource, "%s", used->name);
        to->parallelism = used->count;
    }
    to->parcels = from->count;
    to->quantity = from->words ? (double)from->words : count;
    to->unit = from->words ? "words" : "parcels";
    for (unsigned i = 0; i < HTMT_OP_CLASSES && !from->words; i++)
        if (from->ops[i] > most) {
            most = from->ops[i];
            to->quantity = (double)most;
            to->unit = htmt__op_names[i];
        }
    to->mean_s = over(seconds(from->busy), count);
    to->mean_wait_s = over(seconds(from->waited), count);
    to->mean_stall_s = over(seconds(from->stalled), count);
    to->utilization = share(r, from->busy, to->parallelism);
}

/* That before the first one only if time was spent there. */
static void take_section(struct htmt__results *r, const struct htmt_section_report *from)
{
    if (!from->name[0] && !from->time && !from->busy && !from->waited && !from->stalled)
        return;
    struct htmt__section_time *to = &r->section[r->section_count++];
    snprintf(to->name, sizeof to->name, "%s", from->name);
    to->time_s = seconds(from->time);
    to->share = share(r, from->time, r->slices);
    to->busy_s = seconds(from->busy);
    to->wait_s = seconds(from->waited);
    to->stall_s = seconds(from->stalled);
}

/* ---- inside networks ------------------------------------------------------------------------- */

static void take_port(struct htmt__results *r, const char *network,
                      const struct htmt_port_report *from)
{
    if (!from->packets)
        return;
    struct htmt__port_sums *to = &r->port[r->port_count++];
    snprintf(to->network, sizeof to->network, "%s", network);
    snprintf(to->name, sizeof to->name, "%s", from->name);
    to->plane = from->plane;
    to->packets = from->packets;
    to->bytes = from->bytes;
    to->contentions = from->contentions;
    to->busy_s = seconds(from->busy);
    to->blocked_s = seconds(from->blocked);
    to->waiting_s = seconds(from->waiting);
    to->idle_s = seconds(from->idle);
    to->busy_share = share(r, from->busy, 1);
    to->blocked_share = share(r, from->blocked, 1);
    to->waiting_share = share(r, from->waiting, 1);
    to->idle_share = share(r, from->idle, 1);
    to->mean_queue = share(r, (htmt_wide)from->queued, 1);
    to->max_queue = from->max_queue;
}

static int take_insides(const struct htmt_emulator *e, struct htmt__results *r)
{
    const struct htmt_machine *m = htmt_emulator_machine(e);
    struct htmt_inside_report from;
    struct htmt_port_report port;
    size_t ports = 1;
    for (uint32_t n = 0; n < m->network_count; n++)
        ports += htmt_inside_at(e, n, &from) ? 0 : (size_t)from.channels * from.planes;
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
        for (uint32_t i = 0; htmt_port_at(e, n, i, &port) == 0; i++)
            take_port(r, m->network[n].name, &port);
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

static void take_clock(struct htmt__clock_kind *to, const struct htmt_emulator *e)
{
    struct htmt_clock_report from;
    htmt_clock_report(e, &from);
    to->kind = from.in_order ? htmt__clock_sequential : htmt__clock_windows;
    to->reason = from.in_order;
    to->lookahead = from.in_order ? HTMT_TIME_MAX : from.lookahead;
    to->windows = from.windows;
    to->partitions = from.partitions;
    to->threads = from.threads;
    to->ranks = from.ranks;
    to->shared = from.shared;
    to->awaited_s = (double)from.awaited / 1e9;
}

static int take_tables(const struct htmt_emulator *e, struct htmt__results *r)
{
    const struct htmt_machine *m = htmt_emulator_machine(e);
    struct htmt_resource_report resource;
    struct htmt_memory_report memory;
    struct htmt_phase_report phase;
    struct htmt_section_report section;
    r->resource = calloc(htmt_resource_count(e) + 1, sizeof *r->resource);
    r->memory = calloc(m->layer_count + 1, sizeof *r->memory);
    r->phase = calloc(htmt_phase_count(e) + 1, sizeof *r->phase);
    r->section = calloc(htmt_section_count(e) + 1, sizeof *r->section);
    r->limit = calloc(htmt_resource_count(e) + m->layer_count + 1, sizeof *r->limit);
    if (!r->resource || !r->memory || !r->phase || !r->section || !r->limit)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < htmt_resource_count(e); i++)
        if (htmt_resource_at(e, i, &resource) == 0)
            take_resource(r, m, &resource, htmt_resource_places(e, i));
    for (uint32_t i = 0; i < m->layer_count; i++)
        if (htmt_memory_at(e, i, &memory) == 0)
            take_memory(r, &memory, htmt_memory_places(e, i));
    for (uint32_t i = 0; i < htmt_phase_count(e); i++)
        if (htmt_phase_at(e, i, &phase) == 0 && phase.count)
            take_phase(r, &phase);
    for (uint32_t i = 0; i < htmt_section_count(e); i++)
        if (htmt_section_at(e, i, &section) == 0)
            take_section(r, &section);
    return 0;
}

int htmt__results_collect(const struct htmt_emulator *e, struct htmt__results *results)
{
    struct htmt__results r = {.slices = htmt_emulator_slices(e),
                              .predicted = htmt_predicted(e),
                              .parcels = htmt_parcel_count(e),
                              .events = htmt_event_count(e),
                              .history_hash = htmt_history_hash(e),
                              .network_history = htmt_network_history(e)};
    htmt_host_report(e, &r.host);
    take_clock(&r.clock, e);
    int rc = take_tables(e, &r);
    rc = rc ? rc : take_insides(e, &r);
    rc = rc ? rc : take_routers(e, &r);
    rc = rc ? rc : take_operations(e, &r);
    if (rc) {
        htmt__results_clear(&r);
        return rc;
    }
    htmt__results_rank(&r);
    *results = r;
    return 0;
}

void htmt__results_clear(struct htmt__results *results)
{
    free(results->phase);
    free(results->resource);
    free(results->memory);
    free(results->section);
    free(results->inside);
    free(results->port);
    free(results->routing);
    free(results->operations);
    free(results->miss);
    free(results->limit);
    *results = (struct htmt__results){0};
}
