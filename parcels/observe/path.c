/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/path.h"
#include "layers/model.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/packet_network.h"
#include "parcels/observe/live_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES (HTMT_PATH_RECEIVED + 1)

static const char *const names[HTMT_PATH_CAUSES] = {"work",     "fill",  "queue",  "stall",
                                                    "overhead", "drain", "blocked"};

const char *htmt_path_cause_name(enum htmt_path_cause cause)
{
    return cause < HTMT_PATH_CAUSES ? names[cause] : "?";
}

/* Sums by cause (of each resource and layer), stage statistics and place. */
struct sums {
    const struct htmt_emulator *e;
    const struct htmt__stage_stats **stats;
    uint32_t stages, resources, causes, principal;
    struct sum {
        uint64_t count;
        htmt_time time;
    } * sum;
};

static uint32_t resource_of(const struct sums *s, const struct htmt__trace_node *n)
{
    const struct htmt__stage_stats *p = s->stats[n->stats];
    return n->place == HTMT_PATH_FLYING     ? UINT32_MAX
           : n->place == HTMT_PATH_RECEIVED ? p->in_resource
                                            : p->resource;
}

/* Causes in a row: work, fill, queues, stalls, overhead, drain, ports. */
static uint32_t cause_at(const struct sums *s, enum htmt_path_cause cause, uint32_t of)
{
    uint32_t stalls = HTMT_PATH_QUEUE + s->resources, rest = stalls + s->e->layers;
    return cause < HTMT_PATH_QUEUE      ? (uint32_t)cause
           : cause == HTMT_PATH_QUEUE   ? HTMT_PATH_QUEUE + of
           : cause == HTMT_PATH_STALL   ? stalls + of
           : cause == HTMT_PATH_BLOCKED ? rest + 2 + of
                                        : rest + (uint32_t)cause - HTMT_PATH_OVERHEAD;
}

/* By its place among the channels of all networks. */
static void name_port(const struct sums *s, uint32_t place, struct htmt_path_part *part)
{
    const struct htmt__block *b = &s->e->trace->block[place];
    uint32_t n = 0, channels = 0;
    char port[64];
    for (;; n++) {
        const struct htmt__fabric_net *net = s->e->net[n].fabric;
        channels = net ? net->topology->channels : 0;
        if (place < channels)
            break;
        place -= channels;
    }
    htmt__topology_port_name(s->e->net[n].fabric->topology, place, port, sizeof port);
    snprintf(part->port, sizeof part->port, "%s %s", s->e->machine->network[n].name, port);
    part->cause = HTMT_PATH_BLOCKED;
    part->of = place;
    part->source = b->source;
    part->target = b->target;
}

static void name_cause(const struct sums *s, uint32_t at, struct htmt_path_part *part)
{
    uint32_t stalls = HTMT_PATH_QUEUE + s->resources, rest = stalls + s->e->layers;
    if (at >= rest + 2) {
        name_port(s, at - rest - 2, part);
        return;
    }
    part->of = at >= rest              ? UINT32_MAX
               : at >= stalls          ? at - stalls
               : at >= HTMT_PATH_QUEUE ? at - HTMT_PATH_QUEUE
                                       : UINT32_MAX;
    part->cause = at >= rest              ? HTMT_PATH_OVERHEAD + (at - rest)
                  : at >= stalls          ? HTMT_PATH_STALL
                  : at >= HTMT_PATH_QUEUE ? HTMT_PATH_QUEUE
                                          : (enum htmt_path_cause)at;
}

static const struct htmt__trace_node *node_at(const struct sums *s, uint32_t at)
{
    return &s->e->trace->node[at];
}

static htmt_time length(const struct sums *s, const struct htmt__trace_node *n)
{
    return n->time - (n->from == HTMT__NO_NODE ? 0 : node_at(s, n->from)->time);
}

/* ---- the principal resource ------------------------------------------------------------------ */

/* Of equals the first. */
static uint32_t find_principal(const struct sums *s, htmt_time *on)
{
    uint32_t most = UINT32_MAX;
    for (uint32_t at = s->e->trace->last; at != HTMT__NO_NODE; at = node_at(s, at)->from) {
        uint32_t resource = resource_of(s, node_at(s, at));
        if (resource != UINT32_MAX)
            on[resource] += length(s, node_at(s, at));
    }
    for (uint32_t r = 0; r < s->resources; r++)
        if (on[r] && (most == UINT32_MAX || on[r] > on[most]))
            most = r;
    return most;
}

/* ---- from the end to the beginning ----------------------------------------------------------- */

static void add(struct sums *s, uint32_t cause, const struct htmt__trace_node *n)
{
    if (n->why == HTMT__BLOCKED)
        cause = cause_at(s, HTMT_PATH_BLOCKED, htmt__trace_block(s->e, n->of));
    struct sum *sum = &s->sum[((size_t)cause * s->stages + n->stats) * PLACES + n->place];
    sum->count++;
    sum->time += length(s, n);
}

static bool is_work(const struct sums *s, const struct htmt__trace_node *n)
{
    return s->principal != UINT32_MAX && resource_of(s, n) == s->principal;
}

/* All nodes from `at` back to (not including) `to` are due to that. */
static uint64_t add_all(struct sums *s, uint32_t at, uint32_t to, uint32_t cause)
{
    uint64_t count = 0;
    for (; at != to; at = node_at(s, at)->from, count++)
        add(s, cause, node_at(s, at));
    return count;
}

/* The work before `at`, or HTMT__NO_NODE. */
static uint32_t last_work(const struct sums *s, uint32_t at)
{
    while (at != HTMT__NO_NODE && !is_work(s, node_at(s, at)))
        at = node_at(s, at)->from;
    return at;
}

/* From `at` back those services of the resource that another one waited for. */
static uint32_t line_end(const struct sums *s, uint32_t at, uint32_t to, uint32_t resource)
{
    bool on = true;
    for (; at != to && on; at = node_at(s, at)->from) {
        const struct htmt__trace_node *n = node_at(s, at);
        on = n->why == HTMT__LINE && n->of == resource;
    }
    return at;
}

/* Its parcel came, or went on inside a network. */
static bool is_on_way(const struct htmt__trace_node *n)
{
    return n->why == HTMT__CAME || n->why == HTMT__BLOCKED;
}

/* Between two works, back from `at` to `to`. Each parcel's way to the later work, or to what it
 * signalled to another one, is due to what began it: when that was space that had become free, so
 * are those whose end made it free. The line at a resource is due to that resource alone. */
static uint64_t explain_gap(struct sums *s, uint32_t at, uint32_t to,
                            const struct htmt__trace_node *work)
{
    uint32_t cause = work->why == HTMT__SPACE ? cause_at(s, HTMT_PATH_STALL, work->of)
                                              : cause_at(s, HTMT_PATH_OVERHEAD, 0);
    uint64_t count = 0;
    while (at != to) {
        uint32_t begin = at; /* of the way: walked back to its first node */
        while (is_on_way(node_at(s, begin)) && node_at(s, begin)->from != to)
            begin = node_at(s, begin)->from;
        const struct htmt__trace_node *first = node_at(s, begin);
        if (first->why == HTMT__SPACE)
            cause = cause_at(s, HTMT_PATH_STALL, first->of);
        count += add_all(s, at, first->from, cause);
        at = first->from;
        if (first->why == HTMT__LINE && at != to) {
            uint32_t end = line_end(s, at, to, first->of);
            count += add_all(s, at, end, cause_at(s, HTMT_PATH_QUEUE, first->of));
            at = end;
        }
    }
    return count;
}

static uint64_t walk(struct sums *s)
{
    const struct htmt__trace_node *work = NULL;
    uint64_t count = 0;
    for (uint32_t at = s->e->trace->last; at != HTMT__NO_NODE;) {
        if (is_work(s, node_at(s, at))) {
            work = node_at(s, at);
            count += add_all(s, at, work->from, HTMT_PATH_WORK);
            at = work->from;
            continue;
        }
        uint32_t to = last_work(s, at);
        if (s->principal == UINT32_MAX)
            count += add_all(s, at, to, cause_at(s, HTMT_PATH_OVERHEAD, 0));
        else if (!work || to == HTMT__NO_NODE)
            count += add_all(s, at, to, work ? HTMT_PATH_FILL : cause_at(s, HTMT_PATH_DRAIN, 0));
        else
            count += explain_gap(s, at, to, work);
        at = to;
    }
    return count;
}

/* ---- what comes of it ------------------------------------------------------------------------ */

/* What a message meets on its way between two ports; NULL: nothing. */
static const char *inside_of(const struct sums *s, const struct htmt_path_part *part,
                             const struct htmt__stage_stats *stats)
{
    uint32_t first = htmt__out_resource(s->e, 0, 0);
    if (part->place != HTMT_PATH_FLYING || stats->resource < first)
        return NULL;
    uint32_t network = (stats->resource - first) / s->e->layers;
    const struct htmt__network_model *model = s->e->machine->network[network].model;
    return model ? model->explain : NULL;
}

static void make_part(const struct sums *s, size_t at, struct htmt_path_part *part)
{
    const struct htmt__stage_stats *stats = s->stats[at / PLACES % s->stages];
    struct htmt__trace_node node = {.stats = stats->number, .place = (uint8_t)(at % PLACES)};
    memset(part, 0, sizeof *part);
    name_cause(s, (uint32_t)(at / PLACES / s->stages), part);
    snprintf(part->type, sizeof part->type, "%s", stats->type);
    part->stage = stats->stage;
    part->place = (enum htmt_path_place)(at % PLACES);
    part->resource = resource_of(s, &node);
    part->inside = inside_of(s, part, stats);
    part->count = s->sum[at].count;
    part->time = s->sum[at].time;
}

/* Stable, by time within a cause: there are a few dozen. */
static void insert(struct htmt_path *path, const struct htmt_path_part *part)
{
    uint32_t i = path->count++;
    bool port = part->cause == HTMT_PATH_BLOCKED;
    for (; i && path->part[i - 1].cause == part->cause &&
           (port || path->part[i - 1].of == part->of) && path->part[i - 1].time < part->time;
         i--)
        path->part[i] = path->part[i - 1];
    path->part[i] = *part;
}

static int collect(const struct sums *s, struct htmt_path *path)
{
    size_t cells = (size_t)s->causes * s->stages * PLACES, used = 0;
    for (size_t i = 0; i < cells; i++)
        used += s->sum[i].count != 0;
    path->part = calloc(used + 1, sizeof *path->part);
    if (!path->part)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < cells; i++) {
        struct htmt_path_part part;
        if (!s->sum[i].count)
            continue;
        make_part(s, i, &part);
        path->total += part.time;
        insert(path, &part);
    }
    return 0;
}

static void list_phases(struct sums *s)
{
    for (const struct htmt__stage_stats *p = s->e->stats; p && s->stats; p = p->next)
        s->stats[p->number] = p;
}

int htmt_path_find(const struct htmt_emulator *e, struct htmt_path *path)
{
    struct sums s = {.e = e, .stages = htmt_phase_count(e), .resources = htmt_resource_count(e)};
    int rc = HTMT_ENOMEM;
    if (!path)
        return HTMT_EINVAL;
    *path = (struct htmt_path){.principal = UINT32_MAX};
    if (!e || !e->trace || atomic_load(&e->state) != HTMT__ENDED)
        return HTMT_EINVAL;
    s.causes = cause_at(&s, HTMT_PATH_BLOCKED, 0) +
               htmt__trace_block(e, e->networks << HTMT__BLOCKED_NETWORK);
    s.stats = calloc(s.stages + 1, sizeof *s.stats);
    s.sum = calloc((size_t)s.causes * s.stages * PLACES + 1, sizeof *s.sum);
    htmt_time *on = calloc(s.resources, sizeof *on);
    if (s.stats && s.sum && on) {
        list_phases(&s);
        path->principal = s.principal = find_principal(&s, on);
        path->length = walk(&s);
        rc = collect(&s, path);
    }
    free(on);
    free(s.sum);
    free(s.stats);
    return rc;
}

void htmt_path_clear(struct htmt_path *path)
{
    if (!path)
        return;
    free(path->part);
    *path = (struct htmt_path){.principal = UINT32_MAX};
}

htmt_time htmt_path_sum(const struct htmt_path *path, enum htmt_path_cause cause)
{
    htmt_time sum = 0;
    for (uint32_t i = 0; path && i < path->count; i++)
        if (path->part[i].cause == cause)
            sum += path->part[i].time;
    return sum;
}
