/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bars of a Gantt chart, of two sources. What ports did, interval by interval: a port that
 * sends while others queue at it is cut where the queue begins and ends, so that a port that sends
 * from 0 to 10 with a queue from 4 to 7 has bars 0-4 (transfer), 4-7 (blocks), 7-10 (transfer); the
 * receiver has the same bar, later by the time on the wire. And what slices did, out of the blocks
 * of the trace: start-ups, service, and transfers of networks without an inside.
 */
#include "emul/view/picture/gantt_parts.h"

#include "emul/lib/trace/file.h"
#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

#define BARS_MOST ((size_t)500000)

enum { SOURCES, OUT, PORTS, IN, NODES };

/* ---- kept ------------------------------------------------------------------------------------ */

static bool has_slice(const struct htmt__gantt_request *r, uint32_t slice)
{
    bool found = !r->slice_ranges;
    for (uint32_t i = 0; i < r->slice_ranges; i++)
        found |= slice >= r->slices[i].first && slice <= r->slices[i].last;
    return found;
}

/* Keeps what lies in the window and in a row that was asked for. Errors: HTMT_ENOMEM, HTMT_ERANGE.
 */
static int keep(struct htmt__gantt_bars *b, struct htmt__gantt_bar bar)
{
    static const unsigned row[] = {[SOURCES] = HTMT__GANTT_SOURCE,
                                   [OUT] = HTMT__GANTT_OUT,
                                   [IN] = HTMT__GANTT_IN,
                                   [NODES] = HTMT__GANTT_NODES};
    const struct htmt__gantt_request *r = b->request;
    const struct htmt__gantt_place *p = &bar.place;
    const unsigned of = p->group != PORTS ? row[p->group]
                        : p->at % 2       ? HTMT__GANTT_QUEUES
                                          : HTMT__GANTT_PORTS;
    if (bar.to <= r->from || bar.from >= r->to || bar.from >= bar.to || !(r->rows & of))
        return 0;
    bar.from = bar.from < r->from ? r->from : bar.from;
    bar.to = bar.to > r->to ? r->to : bar.to;
    if (b->count == BARS_MOST)
        return HTMT_ERANGE;
    if (!htmt__array_fits(&b->at, &b->room, b->count + 1, sizeof *b->at))
        return HTMT_ENOMEM;
    b->at[b->count++] = bar;
    return 0;
}

/* ---- what ports did -------------------------------------------------------------------------- */

/* Of one port and lane in the order of their begin; queues behind. */
static int by_port(const void *a, const void *b)
{
    const struct htmt__trace_port_interval *x = a, *y = b;
    const bool waits[] = {x->state == HTMT__TRACE_PORT_QUEUED, y->state == HTMT__TRACE_PORT_QUEUED};
    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    if (waits[0] != waits[1])
        return waits[0] - waits[1];
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* A port that sends while others queue at it blocks them; `wait`: the queue's intervals, in the
 * order of their begin. */
static int keep_sending(struct htmt__gantt_bars *b, struct htmt__gantt_bar bar,
                        const struct htmt__trace_port_interval *wait, size_t waits)
{
    const htmt_time end = bar.to;
    int rc = 0;
    for (size_t i = 0; i < waits && !rc && wait[i].begin < end; i++) {
        if (wait[i].end <= bar.from)
            continue;
        bar.state = HTMT__TRANSFER;
        bar.to = wait[i].begin;
        rc = keep(b, bar);
        bar.from = wait[i].begin > bar.from ? wait[i].begin : bar.from;
        bar.to = wait[i].end < end ? wait[i].end : end;
        bar.state = HTMT__BLOCKS;
        rc = rc ? rc : keep(b, bar);
        bar.from = bar.to;
    }
    bar.state = HTMT__TRANSFER;
    bar.to = end;
    return rc ? rc : keep(b, bar);
}

/* What a port did with a packet is drawn in the row of the port or of its queue. A port that is the
 * channel out of a slice stands in the row of that slice; what comes to a slice is drawn once more
 * there, later by the time on the wire. */
static int keep_interval(const struct htmt_trace *t, struct htmt__gantt_bars *b,
                         const struct htmt__trace_port_interval *i,
                         const struct htmt__trace_port_interval *wait, size_t waits)
{
    const struct htmt__trace_inside *in = htmt__trace_inside_of(t, i->port);
    const uint32_t channel = htmt__trace_port_channel(in, i->port);
    const uint32_t sender = htmt__gantt_sender(in, channel);
    const uint32_t receiver = htmt__gantt_receiver(in, channel);
    const bool queued = i->state == HTMT__TRACE_PORT_QUEUED;
    const bool sends = i->state == HTMT__TRACE_PORT_SENDS;
    const uint8_t inside = (uint8_t)(in - htmt__trace_ports(t)->inside);
    struct htmt__gantt_bar bar = {
        .place = {.group = PORTS,
                  .inside = inside,
                  .plane = (uint16_t)htmt__trace_port_plane(in, i->port),
                  .at = 2 * channel + queued},
        .from = i->begin,
        .to = i->end,
        .state = queued ? HTMT__BLOCKS : HTMT__BLOCKED,
        .packet = htmt__gantt_packet(&b->packets, i->serial, i->number, i->source, i->target)};
    if (!has_slice(b->request, i->source) && !has_slice(b->request, i->target))
        return 0;
    if (sender != UINT32_MAX && !queued)
        bar.place = (struct htmt__gantt_place){.group = OUT, .inside = inside, .at = sender};
    int rc = sends ? keep_sending(b, bar, wait, waits) : keep(b, bar);
    if (rc || receiver == UINT32_MAX || queued)
        return rc;
    bar.place = (struct htmt__gantt_place){.group = IN, .inside = inside, .at = receiver};
    bar.state = sends ? HTMT__TRANSFER : HTMT__BLOCKED;
    bar.from += in->channel[channel].wire;
    bar.to += in->channel[channel].wire;
    return keep(b, bar);
}

static int keep_ports(const struct htmt_trace *t, struct htmt__gantt_bars *b,
                      const struct htmt__trace_port_interval *all)
{
    const size_t count = (size_t)htmt__trace_ports(t)->intervals;
    int rc = 0;
    for (size_t first = 0, end, wait; first < count && !rc; first = end) {
        for (end = first; end < count && all[end].port == all[first].port;)
            end++;
        for (wait = first; wait < end && all[wait].state != HTMT__TRACE_PORT_QUEUED;)
            wait++;
        for (size_t i = first; i < end && !rc; i++)
            rc = keep_interval(t, b, &all[i], &all[wait], end - wait);
    }
    return rc;
}

/* ---- what slices did ------------------------------------------------------------------------- */

static const struct htmt__trace_inside *inside_at(const struct htmt_trace *t, uint32_t network)
{
    const struct htmt__trace_ports *p = htmt__trace_ports(t);
    for (uint32_t i = 0; i < p->insides; i++)
        if (p->inside[i].network == network)
            return &p->inside[i];
    return NULL;
}

/* Its start-up; where the network has no inside, also what comes then. */
static int keep_sent(const struct htmt_trace *t, struct htmt__gantt_bars *b, uint32_t slice,
                     const struct htmt_trace_interval *i)
{
    const struct htmt_trace_resource *r = &b->info->resource[b->info->step[i->step].resource];
    const struct htmt__trace_inside *in = inside_at(t, r->network);
    const struct htmt__gantt_packet *p =
        in ? htmt__gantt_packet(&b->packets, i->serial, 0, slice, UINT32_MAX) : NULL;
    const htmt_time begin = i->end - i->service;
    const htmt_time own = r->startup < i->service ? begin + r->startup : i->end;
    const htmt_time head = p && p->sent >= begin && p->sent <= i->end ? p->sent : own;
    struct htmt__gantt_bar bar = {
        .place = {.group = OUT,
                  .inside = in ? (uint8_t)(in - htmt__trace_ports(t)->inside)
                               : (uint8_t)(htmt__trace_ports(t)->insides + r->network),
                  .at = slice},
        .from = begin,
        .to = head,
        .state = HTMT__STARTUP,
        .packet = p};
    int rc = keep(b, bar);
    bar.state = HTMT__TRANSFER;
    bar.from = head;
    bar.to = i->end;
    return rc || in ? rc : keep(b, bar);
}

/* Start-ups and transfers out, transfers in of networks without an inside (the ports of the others
 * tell what came), and services: of a slice that only sends, those of a source. */
static int keep_blocks(struct htmt_trace *t, struct htmt__gantt_bars *b, const bool *receives,
                       struct htmt_fault *fault)
{
    struct htmt_trace_block block = {0};
    int rc = 0;
    for (uint64_t k = 0; k < b->info->blocks && !rc; k++) {
        rc = htmt_trace_block_at(t, k, &block);
        const uint32_t slice = block.slice;
        if (rc || block.to <= b->request->from || block.from >= b->request->to)
            continue;
        rc = htmt_trace_block_read(t, k, &block, fault);
        for (uint32_t n = 0; n < block.count && !rc && has_slice(b->request, slice); n++) {
            const struct htmt_trace_interval *i = &block.interval[n];
            const struct htmt_trace_step *step = &b->info->step[i->step];
            struct htmt__gantt_bar bar = {.from = i->end - i->service, .to = i->end};
            if (step->place == HTMT_TRACE_SENT) {
                rc = keep_sent(t, b, slice, i);
            } else if (step->place == HTMT_TRACE_RECEIVED) {
                const uint32_t network = b->info->resource[step->resource].network;
                if (inside_at(t, network))
                    continue;
                bar.place = (struct htmt__gantt_place){
                    .group = IN,
                    .inside = (uint8_t)(htmt__trace_ports(t)->insides + network),
                    .at = slice};
                bar.state = HTMT__TRANSFER;
                rc = keep(b, bar);
            } else if (step->place == HTMT_TRACE_SERVED) {
                bar.place = (struct htmt__gantt_place){.group = receives[slice] ? NODES : SOURCES,
                                                       .at = slice};
                bar.state = HTMT__COMPUTE;
                rc = keep(b, bar);
            }
        }
    }
    htmt_trace_block_clear(&block);
    return rc;
}

/* ---- order ----------------------------------------------------------------------------------- */

int htmt__gantt_place_compare(const struct htmt__gantt_place *a, const struct htmt__gantt_place *b)
{
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->inside != b->inside)
        return a->inside < b->inside ? -1 : 1;
    if (a->plane != b->plane)
        return a->plane < b->plane ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int by_place(const void *a, const void *b)
{
    const struct htmt__gantt_bar *x = a, *y = b;
    int order = htmt__gantt_place_compare(&x->place, &y->place);
    if (order)
        return order;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->packet > y->packet) - (x->packet < y->packet);
}

/* Bars sorted by row and time, each in a lane of its row. Who only sends is a source: its services
 * stand in rows of their own on top, as in Pauer's charts. That follows from the packets, of which
 * networks without an inside have none; then every slice is a node. */
static int make(struct htmt_trace *t, struct htmt__gantt_bars *b,
                struct htmt__trace_port_interval *all, bool *receives, struct htmt_fault *fault)
{
    int rc = htmt__gantt_packets_make(t, all, &b->packets);
    if (rc)
        return rc;
    qsort(all, (size_t)htmt__trace_ports(t)->intervals, sizeof *all, by_port);
    /* Who only sends is a source; without ports nobody knows. */
    const struct htmt__gantt_packets *p = &b->packets;
    for (uint32_t i = 0; i < b->info->places; i++)
        receives[i] = true;
    for (size_t i = 0; i < p->count; i++)
        receives[p->at[i].source] = false;
    for (size_t i = 0; i < p->count; i++)
        receives[p->at[i].target] = true;
    rc = keep_ports(t, b, all);
    rc = rc ? rc : keep_blocks(t, b, receives, fault);
    if (rc)
        return rc;
    if (b->count)
        qsort(b->at, b->count, sizeof *b->at, by_place);
    /* Each takes the lowest lane that is free; those that find none share the last one. */
    htmt_time end[HTMT__GANTT_LANES] = {0};
    for (size_t i = 0; i < b->count; i++) {
        struct htmt__gantt_bar *bar = &b->at[i];
        if (!i || htmt__gantt_place_compare(&b->at[i - 1].place, &bar->place))
            memset(end, 0, sizeof end);
        while (bar->lane + 1 < HTMT__GANTT_LANES && end[bar->lane] > bar->from)
            bar->lane++;
        end[bar->lane] = bar->to;
    }
    return 0;
}

int htmt__gantt_bars_make(struct htmt_trace *t, const struct htmt__gantt_request *request,
                          struct htmt__gantt_bars *bars, struct htmt_fault *fault)
{
    struct htmt__trace_port_interval *all = NULL;
    *bars = (struct htmt__gantt_bars){.request = request, .info = htmt_trace_info(t)};
    bool *receives = calloc((size_t)bars->info->places + 1, sizeof *receives);
    int rc = receives ? htmt__trace_ports_read(t, &all, fault) : HTMT_ENOMEM;
    rc = rc ? rc : make(t, bars, all, receives, fault);
    free(receives);
    free(all);
    if (rc == HTMT_ERANGE)
        htmt_fault_set(fault, rc,
                       "the chart would have more than %zu bars: --window, --slices and --rows "
                       "choose fewer",
                       BARS_MOST);
    return rc;
}

void htmt__gantt_bars_clear(struct htmt__gantt_bars *bars)
{
    htmt__gantt_packets_clear(&bars->packets);
    free(bars->at);
    bars->at = NULL;
}
