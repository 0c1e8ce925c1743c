/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is summed up for the reports.
 *
 * Services and moves of one step are mostly like the one before: same operations, same words. So a
 * step counts those that are alike (struct htmt__alike) and multiplies when another one comes, or
 * when somebody asks (htmt__stage_stats_sum).
 *
 * Statistics of types are made with the types. Those of messages are made with the first message
 * between two layers over a network, and reports list them in the order of these first uses. Where
 * slices are not played in one order that is not the order in which they were made; so each notes
 * the instant and the turn of its first use, and they are sorted at the end.
 */
#include "parcels/clock/statistics.h"
#include "parcels/walk/controller.h"
#include "runtime/sim/history.h"

#include <stdlib.h>
#include <string.h>

uint32_t htmt__bank_resource(const struct htmt_emulator *e, uint32_t layer)
{
    return e->processors_of[layer];
}

uint32_t htmt__out_resource(const struct htmt_emulator *e, uint32_t network, uint32_t layer)
{
    return e->layers + network * e->layers + layer;
}

uint32_t htmt__in_resource(const struct htmt_emulator *e, uint32_t network, uint32_t layer)
{
    if (!e->machine->network[network].port[layer].in)
        return UINT32_MAX;
    return e->layers * (1 + e->networks) + network * e->layers + layer;
}

struct htmt__stage_stats *htmt__stage_stats_create(struct htmt_emulator *e, const char *type,
                                                   enum htmt_stage_id stage, uint32_t resource,
                                                   uint32_t in_resource)
{
    struct htmt__stage_stats *stats = calloc(1, sizeof *stats);
    if (!stats) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the statistics of a stage");
        return NULL;
    }
    snprintf(stats->type, sizeof stats->type, "%s", type);
    stats->stage = stage;
    stats->resource = resource;
    stats->kind = htmt__history_kind(resource, stage);
    stats->in_resource = in_resource;
    stats->tally = &e->tally[resource];
    stats->in_tally = in_resource == UINT32_MAX ? NULL : &e->tally[in_resource];
    stats->alike.time = -1;
    stats->first = HTMT_TIME_MAX;
    for (const struct htmt__stage_stats *p = e->stats; p; p = p->next)
        stats->number = p->number + 1;
    *e->stats_tail = stats;
    e->stats_tail = &stats->next;
    return stats;
}

struct htmt__alike *htmt__stage_stats_step(struct htmt__stage_stats *stats)
{
    struct htmt__alike *alike = calloc(1, sizeof *alike);
    if (!alike)
        return NULL;
    alike->time = -1;
    alike->next = stats->alike.next;
    stats->alike.next = alike;
    return alike;
}

static void add(struct htmt__stage_stats *stats, const struct htmt__alike *alike)
{
    stats->count += alike->count;
    stats->words += (htmt_uwide)alike->count * alike->words;
    stats->busy += (htmt_wide)alike->count * alike->time;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        stats->ops[i] += (htmt_uwide)alike->count * alike->ops.n[i];
}

void htmt__stage_stats_add(struct htmt__stage_stats *stats, struct htmt__alike *alike)
{
    add(stats, alike);
    alike->count = 0;
    alike->time = -1;
}

static void add_played(struct htmt__played *sum, const htmt_wide *part,
                       const struct htmt__node_account *account, const uint64_t *misses)
{
    uint64_t *to = &sum->account.entries;
    const uint64_t *from = &account->entries;
    for (size_t i = 0; i < (sizeof *account - sizeof account->part) / sizeof *to; i++)
        to[i] += from[i];
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        sum->part[i] += part[i];
    for (int i = 0; i < HTMT_MISS_KINDS; i++)
        sum->misses[i] += misses[i];
}

static struct htmt__played *played_of(struct htmt__stage_stats *stats)
{
    if (!stats->played)
        stats->played = calloc(1, sizeof *stats->played);
    return stats->played;
}

bool htmt__stage_stats_played(struct htmt__stage_stats *stats, const struct htmt__timed *timed)
{
    struct htmt__played *p = played_of(stats);
    if (!p)
        return false;
    if (timed->length < 0) {
        p->others++;
        if (timed->why && !*p->why)
            snprintf(p->why, sizeof p->why, "%s", timed->why);
        return true;
    }
    htmt_wide part[HTMT__NODE_PARTS];
    for (int i = 0; i < HTMT__NODE_PARTS; i++)
        part[i] = timed->account.part[i];
    p->services++;
    add_played(p, part, &timed->account, timed->misses);
    return true;
}

void htmt__stage_stats_merge(struct htmt__stage_stats *stats,
                             const struct htmt__stage_stats *others)
{
    const struct htmt__stage_stats sum = htmt__stage_stats_sum(others);
    stats->count += sum.count;
    struct htmt__played *p = others->played ? played_of(stats) : NULL;
    if (p) {
        p->services += others->played->services;
        p->others += others->played->others;
        if (!*p->why)
            memcpy(p->why, others->played->why, sizeof p->why);
        add_played(p, others->played->part, &others->played->account, others->played->misses);
    }
    stats->words += sum.words;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        stats->ops[i] += sum.ops[i];
    stats->busy += sum.busy;
    stats->paused += sum.paused;
    stats->flight += sum.flight;
    stats->in_busy += sum.in_busy;
    stats->waited += sum.waited;
    stats->in_waited += sum.in_waited;
    stats->stalled += sum.stalled;
    stats->shaped += sum.shaped;
    stats->scaled += sum.scaled;
    stats->ended += sum.ended;
    stats->longest = sum.longest > stats->longest ? sum.longest : stats->longest;
    stats->first = sum.first < stats->first ? sum.first : stats->first;
    stats->last = sum.last > stats->last ? sum.last : stats->last;
}

struct htmt__stage_stats htmt__stage_stats_sum(const struct htmt__stage_stats *stats)
{
    struct htmt__stage_stats sum = *stats;
    for (const struct htmt__alike *alike = &stats->alike; alike; alike = alike->next)
        add(&sum, alike);
    return sum;
}

/* Of messages: there was no first use yet. */
static const struct htmt__first_use unused = {HTMT_TIME_MAX, UINT64_MAX, UINT64_MAX};

static struct htmt__stage_stats **place(const struct htmt_emulator *e, uint32_t network,
                                        uint32_t from, uint32_t to, enum htmt__message_group group)
{
    size_t at = ((size_t)(group * e->networks + network) * e->layers + from) * e->layers + to;
    return &e->message_stats[at];
}

/* Over a controller's bus: the calls of the controller that they belong to; of an engine: what it
 * does to the bank. */
static const char *name_of(const struct htmt_emulator *e, uint32_t network, uint32_t from,
                           enum htmt__message_group group)
{
    if (e->net[network].engine && group == HTMT__GROUP_PUTS)
        return from == e->banked->machine->scratch ? "(write)" : "(read)";
    if (!e->banked || network != e->banked->machine->bus)
        return group == HTMT__GROUP_SIGNALS ? "(signal)" : "(put)";
    bool by_controller = from == e->banked->machine->controller;
    if (group == HTMT__GROUP_LAUNCHES)
        return by_controller ? "(launch)" : "(ended)";
    return by_controller && group == HTMT__GROUP_PUTS ? "(push)" : "(pull)";
}

struct htmt__stage_stats *htmt__message_stats_here(struct htmt_emulator *e, uint32_t network,
                                                   uint32_t from, uint32_t to,
                                                   enum htmt__message_group group)
{
    struct htmt__stage_stats **stats = place(e, network, from, to, group);
    if (*stats)
        return *stats;
    /* An engine is that of the scratch memory, whatever the direction. */
    uint32_t sender = e->net[network].engine ? e->banked->machine->scratch : from;
    *stats = htmt__stage_stats_create(e, name_of(e, network, from, group), HTMT_PUT,
                                      htmt__out_resource(e, network, sender),
                                      htmt__in_resource(e, network, to));
    if (!*stats)
        return NULL;
    (*stats)->use = unused;
    (*stats)->from = from;
    (*stats)->to = to;
    return *stats;
}

struct htmt__stage_stats *htmt__message_stats(struct htmt_emulator *e, uint32_t network,
                                              uint32_t from, uint32_t to,
                                              enum htmt__message_group group)
{
    bool first = !*place(e, network, from, to, group);
    struct htmt__stage_stats *stats = htmt__message_stats_here(e, network, from, to, group);
    if (stats && first)
        htmt__message_stats_use(e, stats);
    return stats;
}

static bool before(const struct htmt__first_use *a, const struct htmt__first_use *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    return a->turn != b->turn ? a->turn < b->turn : a->number < b->number;
}

void htmt__message_stats_use(struct htmt_emulator *e, struct htmt__stage_stats *stats)
{
    bool in_time = e->options.symmetry != HTMT_INDEPENDENT;
    struct htmt__first_use use = {in_time ? e->now : e->present, in_time ? htmt__order(e) : 0,
                                  ++e->uses};
    if (before(&use, &stats->use))
        stats->use = use;
}

int htmt__message_stats_add(struct htmt_emulator *whole, size_t at,
                            const struct htmt__stage_stats *part)
{
    struct htmt__stage_stats **stats = &whole->message_stats[at];
    if (!*stats) {
        *stats = htmt__stage_stats_create(whole, part->type, part->stage, part->resource,
                                          part->in_resource);
        if (!*stats)
            return HTMT_ENOMEM;
        (*stats)->use = unused;
        (*stats)->from = part->from;
        (*stats)->to = part->to;
    }
    htmt__stage_stats_merge(*stats, part);
    if (before(&part->use, &(*stats)->use))
        (*stats)->use = part->use;
    return 0;
}

int htmt__message_stats_merge(struct htmt_emulator *whole, const struct htmt_emulator *part)
{
    int rc = 0;
    for (size_t i = 0; i < htmt__message_stats_places(whole) && !rc; i++)
        if (part->message_stats[i])
            rc = htmt__message_stats_add(whole, i, part->message_stats[i]);
    return rc;
}

/* They are behind those of all types. */
void htmt__message_stats_sort(struct htmt_emulator *e)
{
    struct htmt__stage_stats **first = &e->stats, *next;
    uint32_t number = 0;
    for (; *first && !(*first)->use.number; first = &(*first)->next)
        number++;
    struct htmt__stage_stats *rest = *first;
    for (*first = NULL; rest; rest = next) {
        struct htmt__stage_stats **at = first;
        next = rest->next;
        while (*at && before(&(*at)->use, &rest->use))
            at = &(*at)->next;
        rest->next = *at;
        *at = rest;
    }
    for (rest = *first; rest; rest = rest->next)
        rest->number = number++;
}

void htmt__statistics_destroy(struct htmt_emulator *e)
{
    while (e->stats) {
        struct htmt__stage_stats *next = e->stats->next;
        for (struct htmt__alike *a = e->stats->alike.next, *more; a; a = more) {
            more = a->next;
            free(a);
        }
        free(e->stats->played);
        free(e->stats);
        e->stats = next;
    }
}

uint64_t htmt_event_count(const struct htmt_emulator *e)
{
    uint64_t events = 0;
    for (const struct htmt__stage_stats *p = e ? e->stats : NULL; p; p = p->next)
        events += p->ended;
    return events;
}

/* ---- slices ---------------------------------------------------------------------------------- */

/*
 * Sums over slices hide the one that all others wait for: where slice 0 of 4096 sends all the time,
 * its port is busy for 100 % and the mean for 0.02 %. So banks, links and lines keep two sums of
 * their own slice beside the tally of all: the time in use and the time that others waited.
 *
 * The time in use is added once for each service, the hottest line of the emulator, so it has 64
 * bits and may pass them. It has not where the tally of all slices, which has 128, is below 2^64;
 * nor where servers times the run's time are, since a server is in use once at a time.
 *
 * A network with ports inside holds its channels itself (parcels/message/outlet.c) and writes its
 * sums to the link that the slice has anyway. A controller and its bus are one place, which is
 * played as slice 0: their tally is that place's.
 */
static bool slice_sums(const struct htmt_emulator *e, uint32_t resource, uint32_t slice,
                       uint64_t **in_use, htmt__slice_sum **waited, uint32_t *servers)
{
    const uint32_t ports = e->layers * e->networks;
    if (resource >= htmt__resource_count(e) || slice >= e->played)
        return false;
    if (resource < e->layers) {
        struct htmt__bank *bank = htmt__bank_at(e, slice, resource);
        *in_use = &bank->in_use;
        *waited = &bank->line.waited;
        *servers = bank->servers;
        return true;
    }
    const bool in = resource >= e->layers + ports;
    const uint32_t at = resource - e->layers - (in ? ports : 0), layer = at % e->layers;
    const struct htmt_port *port = &e->machine->network[at / e->layers].port[layer];
    *servers = in ? port->in : port->out;
    if (!*servers)
        return false;
    struct htmt__link *link = htmt__port_at(e, slice, in, at / e->layers, layer);
    *in_use = &link->in_use;
    *waited = &link->waited;
    return true;
}

bool htmt__slice_use_of(const struct htmt_emulator *e, uint32_t resource, uint32_t slice,
                        struct htmt__slice_use *use)
{
    const htmt_wide most = (htmt_wide)UINT64_MAX;
    htmt__slice_sum *waited;
    uint64_t *in_use;
    uint32_t servers;
    htmt_wide integral = 0;
    if (!slice_sums(e, resource, slice, &in_use, &waited, &servers))
        return false;
    const struct htmt__tally *t = &e->tally[resource];
    if (htmt__is_once(e, resource)) {
        *use = (struct htmt__slice_use){slice ? 0 : t->busy, slice ? 0 : t->waited};
        return slice == 0;
    }
    *use = (struct htmt__slice_use){(htmt_wide)*in_use, *waited};
    if (resource < e->layers)
        htmt__line_rest(&htmt__bank_at(e, slice, resource)->line, e->now, &use->waited, &integral);
    return t->busy <= most || (htmt_wide)servers * e->now <= most;
}

void htmt__slice_use_set(struct htmt_emulator *e, uint32_t resource, uint32_t slice,
                         const struct htmt__slice_use *use)
{
    htmt__slice_sum *waited;
    uint64_t *in_use;
    uint32_t servers;
    if (!slice_sums(e, resource, slice, &in_use, &waited, &servers))
        return;
    *in_use = (uint64_t)use->busy;
    *waited = use->waited;
}

htmt_wide htmt__slice_stall_of(const struct htmt_emulator *e, uint32_t layer, uint32_t slice)
{
    const struct htmt__line *line = &htmt__store_at(e, slice, layer)->line;
    htmt_wide waited = line->waited, integral = 0;
    htmt__line_rest(line, e->now, &waited, &integral);
    return waited;
}

bool htmt__is_steered(const struct htmt_emulator *e)
{
    return e->steered;
}
