/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run says of itself, out of the sums that it kept. Those that wait at the end are added as
 * if their wait ended now. In a folded run each slice stands for many: sums are multiplied,
 * greatest values are not.
 */
#include "parcels/clock/engine.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/entity.h"
#include "runtime/sim/history.h"

#include <stdio.h>
#include <string.h>

/* ---- the whole ------------------------------------------------------------------------------- */

htmt_time htmt_predicted(const struct htmt_emulator *e)
{
    return e ? e->now : 0;
}

uint64_t htmt_parcel_count(const struct htmt_emulator *e)
{
    return e ? (e->parcels - e->controller_parcels) * htmt__stands_for(e) + e->controller_parcels
             : 0;
}

uint64_t htmt_history_hash(const struct htmt_emulator *e)
{
    if (!e)
        return 0;
    return htmt__history_hash(e->history, e->played);
}

void htmt_host_report(const struct htmt_emulator *e, struct htmt_host_report *r)
{
    if (!r)
        return;
    memset(r, 0, sizeof *r);
    if (e && e->data)
        htmt__planes_report(e, r);
}

/* ---- resources ------------------------------------------------------------------------------- */

uint32_t htmt_resource_count(const struct htmt_emulator *e)
{
    return e ? htmt__resource_count(e) : 0;
}

/* Banks of all layers, then links out of all networks and layers, then links in. */
int htmt_resource_at(const struct htmt_emulator *e, uint32_t index, struct htmt_resource_report *r)
{
    if (!r || index >= htmt_resource_count(e))
        return HTMT_EINVAL;
    const uint32_t ports = e->layers * e->networks, n = htmt__stands_for_resource(e, index);
    const struct htmt__tally *t = &e->tally[index];
    memset(r, 0, sizeof *r);
    r->served = t->served;
    r->words = t->words;
    r->busy = t->busy;
    r->waited = t->waited;
    r->queue_integral = t->integral;
    r->max_queue = t->longest;
    if (index < e->layers) {
        const struct htmt_processor *p = &e->machine->layer[index].processor;
        const bool threads = e->banked && index == e->banked->machine->scratch;
        r->kind = HTMT_BANK;
        r->layer = index;
        r->count = threads ? p->count /* its port */ : htmt__bank_at(e, 0, index)->servers;
        snprintf(r->name, sizeof r->name, "%s", p->name);
        for (uint32_t i = 0; i < e->played; i++)
            htmt__line_rest(&htmt__bank_at(e, i, index)->line, e->now, &r->waited,
                            &r->queue_integral);
    } else {
        const bool in = index >= e->layers + ports;
        const uint32_t at = index - e->layers - (in ? ports : 0);
        const struct htmt_network *net = &e->machine->network[at / e->layers];
        r->kind = in ? HTMT_LINK_IN : HTMT_LINK_OUT;
        r->layer = at % e->layers;
        r->network = at / e->layers;
        r->count = in ? net->port[r->layer].in : net->port[r->layer].out;
        snprintf(r->name, sizeof r->name, "%s %s %s", net->name, e->machine->layer[r->layer].name,
                 in ? "in" : "out");
    }
    r->served *= n;
    r->words *= n;
    r->busy *= n;
    r->waited *= n;
    r->queue_integral *= n;
    return 0;
}

htmt_wide htmt__paused_sum(const struct htmt_emulator *e, uint32_t resource)
{
    return e->tally[resource].paused * htmt__stands_for_resource(e, resource);
}

uint32_t htmt_resource_places(const struct htmt_emulator *e, uint32_t index)
{
    if (index >= htmt_resource_count(e))
        return 0;
    return htmt__is_once(e, index) ? 1 : e->slices;
}

/* ---- what sets the pace of a link ------------------------------------------------------------ */

/*
 * A channel is occupied for start-up + max(words at its rate, accesses of the source's memory,
 * accesses of the target's), and over a network with ports inside for as long as these hold the
 * message up besides. A report that says "in use for 99 %" of a channel leaves open which of these
 * to mend: with DRAM at 0.97 ns a word and channels at 0.1 ns, a faster channel gains nothing.
 *
 * Each term is linear in words, so the sums of a phase tell which one binds there, and the time of
 * the phase goes to that term. Time beyond the terms is that of ports inside or, without any, of
 * accesses that strided pieces need more. By hand: 10 messages of 100 words at 0.1 ns, of a DRAM at
 * 0.97 ns, start-up 2 ns: 20 ns of start-up, 970 ns of DRAM access against 100 ns of the rate. The
 * term with the most time over all phases of the link sets its pace.
 */
struct pace {
    const struct htmt_emulator *e;
    double rate, startup, inside, access[HTMT_LAYERS_MAX];
};

static double accesses(const struct pace *p, uint32_t layer, double words, double count)
{
    const struct htmt_memory *m = &p->e->machine->layer[layer].memory;
    const double each = words / count / (double)m->access_words;
    const double whole = (double)(uint64_t)each;
    return htmt_ratio_value(m->access) * count * (whole < each ? whole + 1 : whole);
}

static void add_phase(struct pace *p, const struct htmt_resource_report *link,
                      const struct htmt__stage_stats *phase)
{
    const struct htmt_network *n = &p->e->machine->network[link->network];
    const struct htmt__stage_stats sum = htmt__stage_stats_sum(phase);
    const bool in = link->kind == HTMT_LINK_IN;
    const double words = (double)sum.words, count = (double)sum.count;
    const double busy = (double)(in ? sum.in_busy : sum.busy),
                 startup = in ? 0 : count * (double)n->startup;
    const struct htmt_ratio word = in ? n->port[phase->to].in_word : n->port[phase->from].out_word;
    const double rate = words * htmt_ratio_value(word);
    if (!sum.count || !(busy > 0))
        return;
    const double target = word.num ? accesses(p, phase->to, words, count) : 0,
                 source = word.num && !in ? accesses(p, phase->from, words, count) : 0;
    const double most = source < target ? target : source;
    double *access = &p->access[source < target ? phase->to : phase->from];
    const double beyond = busy - startup - (most > rate ? most : rate);
    const bool ports = p->e->net[link->network].fabric != NULL;
    p->startup += startup;
    p->inside += ports && beyond > 0 ? beyond : 0;
    /* Below a part in a million it is rounding, since times are rounded for each message. */
    if (most > rate || (!ports && most > 0 && beyond > 1e-6 * busy))
        *access += ports ? most : busy - startup;
    else
        p->rate += rate;
}

void htmt__link_term(const struct htmt_emulator *e, uint32_t resource, char *text, size_t room)
{
    struct htmt_resource_report link;
    struct pace p = {.e = e};
    *text = '\0';
    if (htmt_resource_at(e, resource, &link) || link.kind == HTMT_BANK ||
        e->net[link.network].bus || e->net[link.network].engine)
        return;
    for (const struct htmt__stage_stats *s = e->stats; s; s = s->next)
        if ((link.kind == HTMT_LINK_IN ? s->in_resource : s->resource) == resource)
            add_phase(&p, &link, s);
    double most = p.rate;
    if (most > 0)
        snprintf(text, room, "rate");
    for (uint32_t l = 0; l < e->layers; l++)
        if (p.access[l] > most) {
            most = p.access[l];
            snprintf(text, room, "%s access", e->machine->layer[l].memory.name);
        }
    if (p.startup > most)
        snprintf(text, room, "start-up");
    if (p.inside > most && p.inside > p.startup)
        snprintf(text, room, "inside of the network");
}

/* Without an inside, each is in flight for the latency. */
htmt_wide htmt__flight_sum(const struct htmt_emulator *e, uint32_t network)
{
    const struct htmt__net *n = &e->net[network];
    htmt_wide sum = 0;
    for (const struct htmt__stage_stats *s = e->stats; s && !e->fault.code; s = s->next) {
        const bool link = s->resource >= e->layers;
        if (!link || s->resource / e->layers - 1 != network || n->bus || n->engine)
            continue;
        const struct htmt__stage_stats all = htmt__stage_stats_sum(s);
        const bool inside = n->fabric || n->modelled;
        sum += (inside ? all.flight : (htmt_wide)all.count * e->machine->network[network].latency) *
               htmt__stands_for_resource(e, s->resource);
    }
    return sum;
}

/* ---- memories, phases ------------------------------------------------------------------------ */

int htmt_memory_at(const struct htmt_emulator *e, uint32_t layer, struct htmt_memory_report *r)
{
    if (!e || !r || layer >= e->layers)
        return HTMT_EINVAL;
    memset(r, 0, sizeof *r);
    snprintf(r->name, sizeof r->name, "%s", e->machine->layer[layer].memory.name);
    r->layer = layer;
    const struct htmt__store_class *k = &e->store_class[layer];
    r->capacity = k->capacity;
    r->peak = k->peak;
    r->max_queue = k->tally.longest;
    r->taken = k->taken;
    r->given = k->given;
    r->stalled = k->tally.waited;
    r->queue_integral = k->tally.integral;
    for (uint32_t i = 0; i < e->played; i++) {
        const struct htmt__store *s = htmt__store_at(e, i, layer);
        htmt__line_rest(&s->line, e->now, &r->stalled, &r->queue_integral);
        if (s->resident > r->resident)
            r->resident = s->resident;
    }
    const uint32_t n = htmt__stands_for_layer(e, layer);
    r->taken *= n;
    r->given *= n;
    r->stalled *= n;
    r->queue_integral *= n;
    return 0;
}

uint32_t htmt_memory_places(const struct htmt_emulator *e, uint32_t layer)
{
    if (!e || layer >= e->layers)
        return 0;
    return htmt__is_once(e, layer) ? 1 : e->slices;
}

/* ---- services that took what their own operations took ------------------------------------- */

static const struct htmt__stage_stats *next_played(const struct htmt__stage_stats *p)
{
    while (p && !p->played)
        p = p->next;
    return p;
}

uint32_t htmt_operations_count(const struct htmt_emulator *e)
{
    uint32_t n = 0;
    for (const struct htmt__stage_stats *p = next_played(e ? e->stats : NULL); p;
         p = next_played(p->next))
        n++;
    return n;
}

_Static_assert((int)HTMT__NODE_PARTS == (int)HTMT_OPERATIONS_PARTS &&
                   (int)HTMT__NODE_BRANCHES == (int)HTMT_OPERATIONS_BRANCHES,
               "parts of a node's time");

int htmt_operations_at(const struct htmt_emulator *e, uint32_t index,
                       struct htmt_operations_report *r)
{
    const struct htmt__stage_stats *p = next_played(e ? e->stats : NULL);
    while (p && index--)
        p = next_played(p->next);
    if (!p || !r)
        return HTMT_EINVAL;
    memset(r, 0, sizeof *r);
    snprintf(r->type, sizeof r->type, "%s", p->type);
    r->stage = p->stage;
    r->resource = p->resource;
    r->services = p->played->services;
    r->counted = p->played->others;
    if (r->counted)
        snprintf(r->why, sizeof r->why, "%s", p->played->why);
    for (int i = 0; i < HTMT_OPERATIONS_PARTS; i++)
        r->part[i] = p->played->part[i];
    const struct htmt__node_account *a = &p->played->account;
    r->instructions = a->instructions;
    r->loads = a->loads;
    r->stores = a->stores;
    r->l1_misses = a->l1_misses;
    r->l1_code_misses = a->l1_code_misses;
    r->l2_misses = a->l2_misses;
    r->write_backs = a->write_backs;
    r->page_hits = a->page_hits;
    r->page_misses = a->page_misses;
    r->branches_missed = a->branches_missed;
    memcpy(r->misses, p->played->misses, sizeof r->misses);
    return 0;
}

uint32_t htmt_phase_count(const struct htmt_emulator *e)
{
    uint32_t n = 0;
    for (const struct htmt__stage_stats *p = e ? e->stats : NULL; p; p = p->next)
        n++;
    return n;
}

int htmt_phase_at(const struct htmt_emulator *e, uint32_t index, struct htmt_phase_report *r)
{
    const struct htmt__stage_stats *p = e ? e->stats : NULL;
    while (p && index--)
        p = p->next;
    if (!p || !r)
        return HTMT_EINVAL;
    const struct htmt__stage_stats sum = htmt__stage_stats_sum(p);
    memset(r, 0, sizeof *r);
    snprintf(r->type, sizeof r->type, "%s", p->type);
    r->stage = p->stage;
    r->resource = p->resource;
    uint32_t n = htmt__stands_for_resource(e, p->resource);
    r->count = sum.count * n;
    r->words = sum.words * n;
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        r->ops[i] = sum.ops[i] * n;
    r->busy = sum.busy * n;
    r->waited = (p->waited + p->in_waited) * n;
    r->stalled = p->stalled * n;
    r->longest = p->longest;
    r->first = p->ended ? p->first : 0;
    r->last = p->last;
    return 0;
}

htmt_wide htmt__phase_paused(const struct htmt_emulator *e, uint32_t index)
{
    const struct htmt__stage_stats *p = e->stats;
    while (p && index--)
        p = p->next;
    return p ? p->paused * htmt__stands_for_resource(e, p->resource) : 0;
}

/* A kernel of a hundred ns takes a quarter longer with the reading in it. */
static double kernels_seconds(const struct htmt_emulator *e, const struct htmt__stage_stats *p)
{
    const double ns = (double)p->took.ns - (double)p->took.kernels * e->clock_reading;
    return ns > 0 ? 1e-9 * ns : 0;
}

double htmt__phase_kernels_seconds(const struct htmt_emulator *e, uint32_t index)
{
    const struct htmt__stage_stats *p = e->stats;
    while (p && index--)
        p = p->next;
    return p ? kernels_seconds(e, p) : 0;
}

double htmt__kernels_seconds(const struct htmt_emulator *e)
{
    double sum = 0;
    for (const struct htmt__stage_stats *p = e->stats; p; p = p->next)
        sum += kernels_seconds(e, p);
    return sum;
}
