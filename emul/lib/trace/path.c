/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the critical path of a trace.
 *
 * A run that explains itself keeps the nodes of its path (parcels/observe/live_path.c). A trace has
 * only intervals, each with its cause and, if it waited, the interval that it waited for. The path
 * is read out of these, backwards from the last interval; parcels/observe/path_sums.c then gives
 * both kinds of path the same causes.
 *
 * At any moment all virtual time after w->at is explained, and the interval w->here is the reason
 * why it went on from there. Its service, as far as it lies before w->at, becomes a piece. If it
 * waited, what comes before is the interval that it waited for; else its cause. Between the end of
 * that one and the begin of what it let begin there may be a time of its own: a latency, or the
 * part of a service up to the moment in which something was set off.
 *
 * Why it is right: each piece ends where the one after it begins, down to time 0, so the pieces add
 * up to the end of the run exactly, even where a filter has taken causes away; then the rest is one
 * piece on the way. Why a piece began is known only when its predecessor is, so the answer is
 * written into the last piece later (w->unknown).
 *
 * Example. Interval 0 is "A inject", sent 0 to 4; interval 1 "A inject", received 6 to 10, cause 0;
 * interval 2 "A execute", served 10 to 20, cause 1. The path: 10 to 20 of interval 2, since it came
 * (CAME), 6 to 10 of interval 1, and 0 to 6 of interval 0 in flight, for the head of a message
 * flies while its words are sent. If interval 2 had waited until 12 for interval 3 and been served
 * 12 to 22, the path would be 12 to 22 of it, because interval 3 freed the server (LINE), then the
 * pieces of interval 3.
 *
 * Ports inside a network. A message whose head queues for a port is in flight all the while, as far
 * as its intervals tell; what ports did stands beside them. So a flight is cut where its head
 * queued: if that message flew from 0 to 6 and its head queued for a port from 2 to 5, the pieces
 * are 5 to 6, 2 to 5 (BLOCKED by the port) and 0 to 2. They still end where the next ones begin.
 *
 * Cost: one look-up of an interval for each step of the path, in a cache of blocks. Where networks
 * have ports inside, what these did is read once and its queues are sorted by message, n log n;
 * each port that blocked the path is looked for in all of it once more.
 */
#include "emul/lib/trace/path.h"

#include "emul/lib/trace/cache.h"
#include "emul/lib/trace/ports.h"
#include "runtime/base/array.h"

#include <stdio.h>
#include <stdlib.h>

#define NO_PIECE UINT64_MAX

/* A head waited for a port inside a network. */
struct queued {
    uint64_t serial; /* of its message */
    htmt_time begin, end;
    uint32_t port;
};

struct walk {
    struct htmt_trace *trace;
    const struct htmt_trace_info *info;
    struct htmt__trace_cache *cache;
    struct htmt__trace_path *path;
    struct htmt_fault *fault;
    htmt_trace_ref ref; /* of the interval where the path stands, */
    struct htmt_trace_interval here;
    htmt_time at;          /* and when: all after it is explained */
    struct queued *queued; /* heads in queues of ports, by message, then by begin */
    size_t queues;
    struct htmt__trace_port_interval *inside; /* all that ports did */
    uint64_t unknown; /* the piece of which it is not known yet why it began; NO_PIECE: none */
    bool called;      /* it was set off by another entity, as far as is known */
};

static void explain(struct walk *w, enum htmt__path_why why, uint32_t of)
{
    if (w->unknown == NO_PIECE)
        return;
    w->path->piece[w->unknown].why = (uint8_t)why;
    w->path->piece[w->unknown].of = of;
    w->unknown = NO_PIECE;
}

/* The piece from `from` to where the path stands. Of no length: there is none. */
static int add(struct walk *w, htmt_time from, enum htmt__path_spent spent,
               enum htmt_path_place place, uint32_t step)
{
    struct htmt__trace_path *p = w->path;
    if (from >= w->at)
        return 0;
    explain(w, w->called ? HTMT__PATH_CALLED : HTMT__PATH_CAME, UINT32_MAX);
    if (!htmt__array_fits(&p->piece, &p->room, (size_t)p->count + 1, sizeof *p->piece))
        return htmt_fault_set(w->fault, HTMT_ENOMEM, "no host memory for the critical path");
    w->unknown = p->count++;
    w->called = false;
    p->piece[w->unknown] = (struct htmt__path_piece){.interval = w->ref,
                                                     .from = from,
                                                     .to = w->at,
                                                     .step = step,
                                                     .of = UINT32_MAX,
                                                     .spent = (uint8_t)spent,
                                                     .place = (uint8_t)place};
    p->total += w->at - from;
    w->at = from;
    return 0;
}

/* The number of a port among those that heads on the path queued for. UINT32_MAX: out of memory. */
static uint32_t number_of(struct walk *w, const struct queued *q)
{
    struct htmt__trace_path *p = w->path;
    uint32_t i = 0;
    while (i < p->ports && p->port[i].port != q->port)
        i++;
    if (i == p->ports) {
        if (!htmt__array_fits(&p->port, &p->port_room, (size_t)p->ports + 1, sizeof *p->port))
            return UINT32_MAX;
        p->port[p->ports++] = (struct htmt__path_port){.port = q->port};
    }
    if (q->end - q->begin > p->port[i].end - p->port[i].begin) {
        p->port[i].begin = q->begin;
        p->port[i].end = q->end;
    }
    return i;
}

/* The same of a message. Where its head queued for a port inside the network, the piece is cut:
 * that time is due to the port. */
static int add_message(struct walk *w, htmt_time from, enum htmt__path_spent spent,
                       enum htmt_path_place place)
{
    const uint64_t serial = w->here.serial;
    size_t low = 0, high = w->queues;
    int rc = 0;
    while (low < high) { /* behind the last one of the message */
        const size_t middle = low + (high - low) / 2;
        if (w->queued[middle].serial <= serial)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low-- > 0 && w->queued[low].serial == serial && !rc;) {
        const struct queued *q = &w->queued[low];
        const htmt_time begin = q->begin > from ? q->begin : from;
        const htmt_time end = q->end < w->at ? q->end : w->at;
        if (begin >= end)
            continue;
        rc = add(w, end, spent, place, w->here.step);
        if (!rc)
            rc = add(w, begin, HTMT__PATH_ON_WAY, HTMT_PATH_FLYING, w->here.step);
        const uint32_t of = number_of(w, q);
        if (!rc && of == UINT32_MAX)
            rc = htmt_fault_set(w->fault, HTMT_ENOMEM, "no host memory for the critical path");
        if (!rc)
            explain(w, HTMT__PATH_BLOCKED, of);
    }
    return rc ? rc : add(w, from, spent, place, w->here.step);
}

static enum htmt_trace_place place_of(const struct walk *w)
{
    return w->info->step[w->here.step].place;
}

/* What this interval waited for is why the last piece began. */
static void explain_wait(struct walk *w)
{
    const struct htmt_trace_step *step = &w->info->step[w->here.step];
    if (step->place == HTMT_TRACE_STALLED || step->place == HTMT_TRACE_ROOM)
        explain(w, HTMT__PATH_SPACE, step->layer);
    else
        explain(w, HTMT__PATH_LINE, step->resource);
}

/* The service of this interval, up to where the path stands, then its wait if the trace does not
 * say for whom that was. `flying`: the path came from the receiving end of its message. */
static int spend(struct walk *w, bool flying)
{
    enum htmt_trace_place at = place_of(w);
    enum htmt_path_place place = at == HTMT_TRACE_SENT       ? HTMT_PATH_SENT
                                 : at == HTMT_TRACE_RECEIVED ? HTMT_PATH_RECEIVED
                                 : at == HTMT_TRACE_PAUSED   ? HTMT_PATH_PAUSED
                                                             : HTMT_PATH_SERVED;
    htmt_time start = w->here.end - w->here.service;
    int rc =
        at == HTMT_TRACE_SENT
            ? add_message(w, start, HTMT__PATH_IN_SERVICE, flying ? HTMT_PATH_FLYING : place)
            : add(w, start, HTMT__PATH_IN_SERVICE, flying ? HTMT_PATH_FLYING : place, w->here.step);
    if (rc || w->here.wait <= 0)
        return rc;
    explain_wait(w);
    if (w->here.line == HTMT_TRACE_NONE) {
        rc = add(w, start - w->here.wait, HTMT__PATH_WAITING, place, w->here.step);
        explain_wait(w);
    }
    return rc;
}

/* To the interval `to`, which ended before. The time between is a way of that message, or of the
 * interval that the path comes from. The head of a message flies while its words are sent, so from
 * the receiving end the path goes straight to the begin of the sending: *flying. */
static int go_to(struct walk *w, htmt_trace_ref to, bool *flying)
{
    struct htmt_trace_interval after = w->here;
    bool received = place_of(w) == HTMT_TRACE_RECEIVED;
    int rc = htmt__trace_cache_get(w->cache, to, &w->here, w->fault);
    if (rc)
        return rc;
    bool sent = place_of(w) == HTMT_TRACE_SENT;
    bool message = sent || place_of(w) == HTMT_TRACE_RECEIVED;
    *flying = received && to == after.cause && sent;
    if (w->here.end < w->at && !*flying)
        rc = message ? add_message(w, w->here.end, HTMT__PATH_ON_WAY, HTMT_PATH_FLYING)
                     : add(w, w->here.end, HTMT__PATH_ON_WAY, HTMT_PATH_SERVED, after.step);
    w->called |= w->here.serial != after.serial;
    w->ref = to;
    return rc;
}

static int follow(struct walk *w)
{
    bool flying = false;
    int rc = 0;
    for (uint64_t steps = 1; !rc; steps++) {
        rc = spend(w, flying);
        bool waited = w->here.wait > 0 && w->here.line != HTMT_TRACE_NONE;
        htmt_trace_ref next = waited ? w->here.line : w->here.cause;
        if (rc || next == HTMT_TRACE_NONE)
            break;
        if (steps >= w->info->intervals)
            return htmt_fault_set(w->fault, HTMT_EFORMAT,
                                  "the causes in the trace go round in a circle");
        rc = go_to(w, next, &flying);
    }
    return rc ? rc : add(w, 0, HTMT__PATH_ON_WAY, HTMT_PATH_SERVED, w->here.step);
}

/* The interval that ended last. A filter may have left out the one that the trace names. Then the
 * blocks are searched, the later ones first: few of them must be read. Sections take no time, and
 * an interval that is still open at the end is the last only if nothing else is. */
static int find_last(struct walk *w)
{
    struct htmt_trace_block b = {0};
    int rc = 0;
    w->ref = w->info->last;
    if (w->ref != HTMT_TRACE_NONE)
        return htmt__trace_cache_get(w->cache, w->ref, &w->here, w->fault);
    for (uint64_t i = w->info->blocks; i-- && !rc;) {
        rc = htmt_trace_block_at(w->trace, i, &b);
        if (rc || (w->ref != HTMT_TRACE_NONE && b.to < w->here.end))
            continue;
        rc = htmt_trace_block_read(w->trace, i, &b, w->fault);
        for (uint32_t n = 0; n < b.count && !rc; n++) {
            const struct htmt_trace_interval *at = &b.interval[n];
            const htmt_trace_ref ref = htmt_trace_ref_of(b.slice, b.first + n);
            if (at->end > w->info->end || w->info->step[at->step].place == HTMT_TRACE_SECTION)
                continue;
            bool later = w->ref == HTMT_TRACE_NONE  ? true
                         : at->end != w->here.end   ? at->end > w->here.end
                         : at->open != w->here.open ? w->here.open
                                                    : ref > w->ref;
            if (!later)
                continue;
            w->ref = ref;
            w->here = *at;
        }
    }
    htmt_trace_block_clear(&b);
    return rc;
}

/* ---- ports inside networks ------------------------------------------------------------------- */

static int by_message(const void *a, const void *b)
{
    const struct queued *x = a, *y = b;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The heads that queued. */
static int find_queued(struct walk *w)
{
    const uint64_t intervals = htmt__trace_ports(w->trace)->intervals;
    int rc = intervals ? htmt__trace_ports_read(w->trace, &w->inside, w->fault) : 0;
    if (rc || !intervals)
        return rc;
    w->queued = malloc(intervals * sizeof *w->queued);
    if (!w->queued)
        return htmt_fault_set(w->fault, HTMT_ENOMEM, "no host memory for the critical path");
    for (uint64_t i = 0; i < intervals; i++) {
        const struct htmt__trace_port_interval *p = &w->inside[i];
        if (p->state == HTMT__TRACE_PORT_QUEUED && !p->number && p->end > p->begin)
            w->queued[w->queues++] = (struct queued){p->serial, p->begin, p->end, p->port};
    }
    qsort(w->queued, w->queues, sizeof *w->queued, by_message);
    return 0;
}

/* Who had each port for most of the longest wait for it, as far as the trace says. */
static void find_holders(struct walk *w)
{
    const uint64_t intervals = htmt__trace_ports(w->trace)->intervals;
    for (uint32_t n = 0; n < w->path->ports; n++) {
        struct htmt__path_port *port = &w->path->port[n];
        htmt_time longest = 0;
        for (uint64_t i = 0; i < intervals; i++) {
            const struct htmt__trace_port_interval *p = &w->inside[i];
            const htmt_time begin = p->begin > port->begin ? p->begin : port->begin;
            const htmt_time end = p->end < port->end ? p->end : port->end;
            if (p->port != port->port || p->state == HTMT__TRACE_PORT_QUEUED ||
                end - begin <= longest)
                continue;
            longest = end - begin;
            port->source = p->source;
            port->target = p->target;
        }
    }
}

int htmt__trace_path_find(struct htmt_trace *t, struct htmt__trace_path *path,
                          struct htmt_fault *fault)
{
    struct walk w = {
        .trace = t, .info = htmt_trace_info(t), .path = path, .fault = fault, .unknown = NO_PIECE};
    *path = (struct htmt__trace_path){.trace = t};
    int rc = htmt__trace_cache_create(&w.cache, t);
    if (rc)
        return htmt_fault_set(fault, rc, "no host memory for the critical path");
    rc = find_queued(&w);
    if (!rc)
        rc = find_last(&w);
    bool any = w.ref != HTMT_TRACE_NONE;
    w.at = w.info->end;
    if (!rc)
        rc = add(&w, any ? w.here.end : 0, HTMT__PATH_AT_END, HTMT_PATH_SERVED,
                 any ? w.here.step : UINT32_MAX);
    if (!rc && any)
        rc = follow(&w);
    find_holders(&w);
    free(w.queued);
    free(w.inside);
    htmt__trace_cache_destroy(&w.cache);
    return rc;
}

void htmt__trace_path_clear(struct htmt__trace_path *path)
{
    free(path->piece);
    free(path->port);
    *path = (struct htmt__trace_path){0};
}

/* ---- causes ---------------------------------------------------------------------------------- */

struct pieces {
    const struct htmt_trace_info *info;
    const struct htmt__trace_path *path;
};

/* Rows are steps; one more is for pieces without any. */
static struct htmt__path_interval interval_at(const void *user, uint64_t index)
{
    const struct pieces *s = user;
    const struct htmt__path_piece *p = &s->path->piece[index];
    uint8_t place = p->spent == HTMT__PATH_IN_SERVICE ? p->place : HTMT_PATH_FLYING;
    return (struct htmt__path_interval){
        .time = p->to - p->from,
        .before = index + 1 < s->path->count ? index + 1 : HTMT__PATH_BEGIN,
        .row = p->step == UINT32_MAX ? s->info->steps : p->step,
        .resource = place == HTMT_PATH_FLYING || place == HTMT_PATH_PAUSED
                        ? UINT32_MAX
                        : s->info->step[p->step].resource,
        .of = p->of,
        .place = place,
        .why = p->why};
}

static void name_row(const void *user, uint32_t row, struct htmt_path_part *part)
{
    const struct htmt_trace_info *info = ((const struct pieces *)user)->info;
    part->stage = HTMT_STAGES;
    part->resource = UINT32_MAX;
    if (row == info->steps)
        return;
    snprintf(part->type, sizeof part->type, "%s", info->step[row].type);
    part->stage = info->step[row].stage;
    const uint32_t resource = info->step[row].resource;
    const uint32_t network =
        resource < info->resources ? info->resource[resource].network : UINT32_MAX;
    if (part->place != HTMT_PATH_FLYING && part->place != HTMT_PATH_PAUSED)
        part->resource = resource;
    else if (part->place == HTMT_PATH_FLYING && network < info->networks)
        part->inside = info->network[network];
}

void htmt__trace_path_port_name(const struct htmt_trace_info *info,
                                const struct htmt__trace_path *path, uint32_t index, char *name,
                                size_t room)
{
    const uint32_t port = path->port[index].port;
    const struct htmt__trace_inside *i = htmt__trace_inside_of(path->trace, port);
    snprintf(name, room, "%.24s %.40s",
             i->network < info->networks ? info->network[i->network] : "",
             i->channel[htmt__trace_port_channel(i, port)].name);
}

static void name_port(const void *user, struct htmt_path_part *part)
{
    const struct pieces *s = user;
    const struct htmt__path_port *p = &s->path->port[part->of];
    char name[sizeof part->port - sizeof ", slice  to " - 20];
    htmt__trace_path_port_name(s->info, s->path, part->of, name, sizeof name);
    part->source = p->source;
    part->target = p->target;
    snprintf(part->port, sizeof part->port, "%s, slice %u to %u", name, p->source, p->target);
}

int htmt__trace_path_explain(const struct htmt_trace_info *info,
                             const struct htmt__trace_path *path, struct htmt_path *explained)
{
    const struct pieces pieces = {info, path};
    return htmt__path_sum(&(struct htmt__path_chain){.user = &pieces,
                                                     .at = interval_at,
                                                     .name = name_row,
                                                     .name_port = name_port,
                                                     .ports = path->ports,
                                                     .last = path->count ? 0 : HTMT__PATH_BEGIN,
                                                     .rows = info->steps + 1,
                                                     .resources = info->resources,
                                                     .layers = info->layers},
                          explained);
}

const char *htmt__trace_resource_name(const struct htmt_trace_info *info, uint32_t resource)
{
    return resource < info->resources ? info->resource[resource].name : "in flight";
}

const char *htmt__trace_cause_of(const struct htmt_trace_info *info, const struct htmt_path *path,
                                 const struct htmt_path_part *part)
{
    return part->cause == HTMT_PATH_STALL     ? info->layer[part->of].memory
           : part->cause == HTMT_PATH_QUEUE   ? info->resource[part->of].name
           : part->cause == HTMT_PATH_BLOCKED ? part->port
           : part->cause == HTMT_PATH_WORK    ? htmt__trace_resource_name(info, path->principal)
                                              : "";
}
