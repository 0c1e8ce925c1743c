/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of a run that was asked to explain itself: the nodes that live_path.c kept,
 * as path_sums.c wants them.
 */
#include "parcels/path.h"
#include "layers/model.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/packet_network.h"
#include "parcels/observe/live_path.h"
#include "parcels/observe/path_sums.h"

#include <stdio.h>
#include <stdlib.h>

const char *htmt_path_cause_name(enum htmt_path_cause cause)
{
    static const char *const names[HTMT_PATH_CAUSES] = {"work",     "fill",  "queue",  "stall",
                                                        "overhead", "drain", "blocked"};
    return cause < HTMT_PATH_CAUSES ? names[cause] : "?";
}

struct live {
    const struct htmt_emulator *e;
    const struct htmt__stage_stats **stats; /* by number: the rows */
};

static uint32_t resource_of(const struct htmt__stage_stats *stats, enum htmt_path_place place)
{
    return place == HTMT_PATH_FLYING     ? UINT32_MAX
           : place == HTMT_PATH_PAUSED   ? UINT32_MAX
           : place == HTMT_PATH_RECEIVED ? stats->in_resource
                                         : stats->resource;
}

static struct htmt__path_interval interval_at(const void *user, uint64_t index)
{
    static const uint8_t why[] = {[HTMT__CAME] = HTMT__PATH_CAME,
                                  [HTMT__CALLED] = HTMT__PATH_CALLED,
                                  [HTMT__LINE] = HTMT__PATH_LINE,
                                  [HTMT__SPACE] = HTMT__PATH_SPACE,
                                  [HTMT__BLOCKED] = HTMT__PATH_BLOCKED};
    const struct live *l = user;
    const struct htmt__path_node *node = l->e->live_path->node, *n = &node[index];
    bool first = n->from == HTMT__NO_NODE;
    return (struct htmt__path_interval){
        .time = n->time - (first ? 0 : node[n->from].time),
        .before = first ? HTMT__PATH_BEGIN : n->from,
        .row = n->stats,
        .resource = resource_of(l->stats[n->stats], (enum htmt_path_place)n->place),
        .of = n->why == HTMT__BLOCKED ? htmt__path_port(l->e, n->of) : n->of,
        .place = n->place,
        .why = why[n->why]};
}

static void name_row(const void *user, uint32_t row, struct htmt_path_part *part)
{
    const struct live *l = user;
    const struct htmt__stage_stats *stats = l->stats[row];
    snprintf(part->type, sizeof part->type, "%s", stats->type);
    part->stage = stats->stage;
    part->resource = resource_of(stats, part->place);
    /* What a message meets on its way between two ports. */
    uint32_t links = htmt__out_resource(l->e, 0, 0);
    if (part->place == HTMT_PATH_FLYING && stats->resource < links && l->e->cell_net)
        part->inside = "cells";
    if (part->place == HTMT_PATH_FLYING && stats->resource >= links) {
        uint32_t network = (stats->resource - links) / l->e->layers;
        const struct htmt__network_model *model = l->e->machine->network[network].model;
        part->inside =
            model && model->explain ? model->explain : l->e->machine->network[network].name;
    }
}

/* `of` counts the channels of all networks, one network behind another. */
static void name_port(const void *user, struct htmt_path_part *part)
{
    const struct htmt_emulator *e = ((const struct live *)user)->e;
    const struct htmt__port_wait *longest = &e->live_path->port[part->of];
    uint32_t n = 0, channel = part->of;
    for (;; n++) {
        uint32_t channels = e->net[n].fabric ? e->net[n].fabric->topology->channels : 0;
        if (channel < channels)
            break;
        channel -= channels;
    }
    char port[64];
    htmt__topology_port_name(e->net[n].fabric->topology, channel, port, sizeof port);
    snprintf(part->port, sizeof part->port, "%s %s", e->machine->network[n].name, port);
    part->source = longest->source;
    part->target = longest->target;
}

int htmt_path_find(const struct htmt_emulator *e, struct htmt_path *path)
{
    if (!path)
        return HTMT_EINVAL;
    *path = (struct htmt_path){.principal = UINT32_MAX};
    if (!e || !e->live_path || atomic_load(&e->state) != HTMT__ENDED)
        return HTMT_EINVAL;
    struct live live = {e, calloc((size_t)htmt_phase_count(e) + 1, sizeof *live.stats)};
    if (!live.stats)
        return HTMT_ENOMEM;
    for (const struct htmt__stage_stats *p = e->stats; p; p = p->next)
        live.stats[p->number] = p;
    uint32_t last = e->live_path->last;
    const struct htmt__path_chain chain = {
        .user = &live,
        .at = interval_at,
        .name = name_row,
        .name_port = name_port,
        .last = last == HTMT__NO_NODE ? HTMT__PATH_BEGIN : last,
        .rows = htmt_phase_count(e),
        .resources = htmt_resource_count(e),
        .layers = e->layers,
        .ports = htmt__path_port(e, e->networks << HTMT__BLOCKED_NETWORK)};
    int rc = htmt__path_sum(&chain, path);
    free(live.stats);
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
