/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How wide a window may be, and which slices play together.
 *
 * The lookahead is the least time from the event in which a slice sends something to the first
 * event that this causes in another slice. It is computed once, from the machine alone, network by
 * network, and the least of all networks counts:
 *
 *   no input ports at the target   start-up + one word + latency: the first event there is the end;
 *   input ports at the target      start-up + latency: the first event is that of the head;
 *   a model inside                 the latency, from place to place (message.c refuses less);
 *   ports inside                   the least of the wires between ports of two slices;
 *   cells inside                   a cycle;
 *   in a run (bytes move)          no more than the latency, since captured bytes follow a message
 *                                  one window later.
 *
 * Example: start-up 100, latency 400, 8 a word, input ports; a run. A slice that sends at 1,000
 * causes the head's event at 1,500 at the earliest, so 500; the bytes make it 400. Windows are then
 * [t, t + 400).
 *
 * Where it is 0, or where somebody must hear of all events in their order, one clock plays all
 * slices, and e->in_order has the reason in words for the report. Where no slice hears of another
 * at all, the lookahead has no end (HTMT_TIME_MAX), and slices are played one by one (e->alone).
 */
#include "parcels/clock/window.h"
#include "layers/machine/queues.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/rank.h"
#include "parcels/message/cell_clock.h"
#include "parcels/message/packet_network.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/memory.h"
#include "runtime/base/pages.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- lookahead ------------------------------------------------------------------------------- */

/* No slice hears of another one by that network sooner. */
static void shorten(struct htmt_emulator *e, htmt_time *least, uint32_t network, htmt_time ahead)
{
    const char *name = e->machine->network[network].name;
    if (ahead <= 0 && e->net[network].fabric)
        snprintf(e->in_order, sizeof e->in_order,
                 "ports of network %s hear of each other in no time", name);
    else if (ahead <= 0)
        snprintf(e->in_order, sizeof e->in_order, "network %s joins slices without a latency",
                 name);
    *least = ahead < *least ? ahead : *least;
}

/* A network without ports or a model inside: from the moment at which something leaves a layer for
 * another slice to its first event there. */
static void shorten_plain(struct htmt_emulator *e, htmt_time *least, uint32_t network,
                          uint32_t from, uint32_t to)
{
    const struct htmt_network *n = &e->machine->network[network];
    htmt_time ahead = n->startup + n->latency;
    if (!n->port[to].in) {
        htmt_time word = htmt_machine_out_time(e->machine, network, from, to, 1, 1, 1);
        ahead = word >= 0 && word < HTMT_TIME_MAX - n->latency ? word + n->latency : HTMT_TIME_MAX;
    }
    shorten(e, least, network, ahead);
}

/* A model inside: from place to place. What moves within a slice passes places of others: not where
 * slices play one after another, nor where another slice's parcel may not be touched
 * (page_guard.h), nor in another process. */
static void shorten_modelled(struct htmt_emulator *e, htmt_time *least, uint32_t network)
{
    bool alone = e->options.symmetry == HTMT_INDEPENDENT, moves = false;
    bool ranks = htmt__rank_count(&e->options) > 1;
    for (uint32_t from = 0; from < e->layers; from++)
        for (uint32_t to = 0; to < e->layers; to++)
            moves |= htmt_machine_route(e->machine, from, to, false) == (int)network;
    if (!alone && e->options.mode == HTMT_RUN && ranks) {
        snprintf(e->in_order, sizeof e->in_order,
                 "bytes do not follow messages inside network %s to other processes",
                 e->machine->network[network].name);
        *least = 0;
    } else if (moves && (alone || e->options.checked || ranks)) {
        snprintf(e->in_order, sizeof e->in_order,
                 "what moves within a slice goes by others inside network %s",
                 e->machine->network[network].name);
        *least = 0;
    } else if (!alone) {
        shorten(e, least, network, e->machine->network[network].latency);
    }
}

/* Full queues of posts hold in channels of that network. */
static bool holds(const struct htmt_emulator *e, uint32_t network)
{
    bool some = false;
    for (uint32_t l = 0; l < e->layers; l++) {
        if (!e->machine->network[network].port[l].in)
            continue;
        const struct htmt__layer_queues q = htmt__layer_queues(e->machine, l);
        for (uint32_t i = 0; i < q.count; i++)
            some |= q.at[i].room != UINT32_MAX;
    }
    return some;
}

/* Ports inside: from port to port, by packets and by what ports tell each other. A word that leaves
 * a slice is behind a packet's head, so it arrives no sooner, and its bytes follow.
 *
 * In a run a message's bytes are those of the moment when its last word leaves, the latency before
 * it arrives: another partition may have them from the next window on.
 *
 * News of a full queue takes `control` to the sender of what it holds, however far that is. */
static htmt_time lookahead_of(struct htmt_emulator *e)
{
    htmt_time least = HTMT_TIME_MAX;
    bool alone = e->options.symmetry == HTMT_INDEPENDENT;
    for (uint32_t n = 0; n < e->networks && e->played > 1; n++)
        if (e->net[n].fabric) {
            shorten(e, &least, n, htmt__fabric_lookahead(e->net[n].fabric->fabric));
            if (holds(e, n))
                shorten(e, &least, n, e->net[n].fabric->topology->inside.control);
        } else if (e->cell_net && e->cell_net->network == n)
            shorten(e, &least, n, htmt__cells_ahead(e->cell_net));
        else if (e->machine->network[n].model)
            shorten_modelled(e, &least, n);
    if (e->banked) {
        shorten(e, &least, e->banked->machine->bus, htmt__controller_ahead(e));
        return least;
    }
    for (uint32_t from = 0; from < e->layers && e->played > 1 && !alone; from++)
        for (uint32_t to = 0; to < e->layers; to++) {
            int n = htmt_machine_route(e->machine, from, to, true);
            if (n >= 0 && e->net[n].fabric)
                continue;
            if (n >= 0 && !e->machine->network[n].model)
                shorten_plain(e, &least, (uint32_t)n, from, to);
            if (n >= 0 && e->options.mode == HTMT_RUN)
                shorten(e, &least, (uint32_t)n, e->machine->network[n].latency);
        }
    return least;
}

/* ---- which clock ----------------------------------------------------------------------------- */

/* What needs the events of all slices in order; NULL: nothing does. */
static const char *ordered(const struct htmt_options *o)
{
    return o->clock == HTMT_CLOCK_SEQUENTIAL       ? "it was asked for"
           : o->explain || o->slopes               ? "the critical path is followed"
           : o->lint                               ? "departures are counted"
           : o->what_if                            ? "what-if moves"
           : o->replies                            ? "a captured run is played in one order"
           : o->checked && o->mode == HTMT_RUN     ? "kernels are checked one at a time"
           : o->checked && htmt__rank_count(o) > 1 ? "a checked run is one process"
                                                   : NULL;
}

/* In a checked run pages are locked for the whole process. */
static uint32_t threads_of(const struct htmt_emulator *e)
{
    uint32_t threads = e->options.clock_threads;
    return threads && !e->options.checked ? threads : 1;
}

static void in_order(struct htmt_emulator *e, const char *why)
{
    e->lookahead = 0;
    if (!e->in_order[0])
        snprintf(e->in_order, sizeof e->in_order, "%s", why);
}

/* The host asked for no windows, and one thread of one process plays all: kernels of all slices
 * that begin at one instant are under way together then. */
static const char *preferred(const struct htmt_emulator *e)
{
    bool single = e->options.clock == HTMT_CLOCK_AUTO && threads_of(e) == 1 &&
                  htmt__rank_count(&e->options) == 1;
    bool run = e->options.mode == HTMT_RUN;
    return !single || e->played == 1 ? NULL
           : run                     ? "kernels run"
           : e->alone                ? NULL
                                     : "one thread plays all slices";
}

/* Events are kept for observers and recordings for the time of a window, by one process that plays
 * all. */
static void choose(struct htmt_emulator *e)
{
    const struct htmt_options *o = &e->options;
    const char *why = ordered(o);
    bool independent = o->symmetry == HTMT_INDEPENDENT;
    if (!why)
        e->lookahead = lookahead_of(e);
    if (!why && (e->lookahead == HTMT_TIME_MAX || htmt__rank_count(o) > 1 || o->mode == HTMT_RUN))
        why = o->recording ? "a trace is recorded"
              : o->observe ? "an observer hears every event"
                           : NULL;
    if (!why && (e->has_fabric || e->cell_net) && o->recording)
        why = "a trace of packets is recorded";
    e->alone = e->played > 1 && (e->lookahead == HTMT_TIME_MAX || independent);
    e->ahead = why ? -1 : e->lookahead;
    why = why ? why : preferred(e);
    if (why) {
        in_order(e, why);
        e->alone &= independent;
    }
    if (o->window_most && o->window_most < e->lookahead && !e->alone)
        e->lookahead = o->window_most;
}

/* ---- partitions ------------------------------------------------------------------------------ */

#define EACH       2u /* partitions a thread: one that has played a partition takes another */
#define EACH_ALONE 8u

/* Of the places that are played: the controller's is behind them. */
static uint32_t own_slices(const struct htmt_emulator *e)
{
    return e->played - (e->controller != HTMT__NO_CONTROLLER);
}

static uint32_t partitions_of(const struct htmt_emulator *e, uint32_t threads)
{
    const uint32_t ranks = htmt__rank_count(&e->options);
    uint32_t wanted = threads > 1 ? threads * ranks * (e->alone ? EACH_ALONE : EACH) : ranks;
    if (wanted == 1 && !e->alone && e->options.clock >= HTMT_CLOCK_WINDOWS)
        wanted = EACH;
    if (e->options.clock_partitions)
        wanted = e->options.clock_partitions;
    return wanted < own_slices(e) ? wanted : own_slices(e);
}

/* Neighbours go together, unless the host says otherwise; of independent slices always, since the
 * first slice that fails counts. The host's place goes where slice 0 is. */
static void deal(struct htmt_emulator *e, struct htmt__windows *w)
{
    bool independent = e->options.symmetry == HTMT_INDEPENDENT;
    const uint32_t *of = independent ? NULL : e->options.partition_of;
    const uint32_t own = own_slices(e);
    for (uint32_t i = 0; i < own; i++)
        w->partition_of[i] =
            of ? of[i] % w->partitions : (uint32_t)((uint64_t)i * w->partitions / own);
    if (own < e->played)
        w->partition_of[own] = 0;
    for (uint32_t i = 0; i < e->played; i++)
        w->partition[w->partition_of[i]].slices++;
    uint32_t at = 0;
    for (uint32_t i = 0; i < w->partitions; i++) {
        struct htmt__partition *p = &w->partition[i];
        p->number = i;
        p->slice = w->slice + at;
        at += p->slices;
        p->slices = 0;
    }
    for (uint32_t i = 0; i < e->played; i++) {
        struct htmt__partition *p = &w->partition[w->partition_of[i]];
        p->slice[p->slices++] = i;
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

/* fs; wider windows come when they have few events. */
#define WATCHED_FIRST INT64_C(1000000000)

/* All partitions are this process's, or those of its rank. */
static int create(struct htmt_emulator *e, uint32_t partitions, uint32_t threads)
{
    const uint32_t rank = e->options.ranks ? e->options.ranks->rank : 0;
    struct htmt__windows *w = htmt__record_alloc(sizeof *w);
    if (!w)
        goto no_memory;
    e->windows = w;
    w->width = htmt__watched(e) && e->lookahead > WATCHED_FIRST ? WATCHED_FIRST : e->lookahead;
    w->partitions = partitions;
    w->ranks = htmt__rank_count(&e->options);
    w->partition_of = calloc(e->played, sizeof *w->partition_of);
    w->slice = calloc(e->played, sizeof *w->slice);
    w->partition = htmt__record_alloc(w->partitions * sizeof *w->partition);
    if (!w->partition_of || !w->slice || !w->partition)
        goto no_memory;
    deal(e, w);
    w->first = htmt__rank_first(w, rank);
    w->end = htmt__rank_first(w, rank + 1);
    w->threads = threads < w->end - w->first ? threads : w->end > w->first ? w->end - w->first : 1;
    return 0;
no_memory: /* what there is goes with the emulator */
    return htmt__fail(e, HTMT_ENOMEM, "no host memory for partitions of slices");
}

int htmt__windows_create(struct htmt_emulator *e)
{
    choose(e);
    uint32_t threads = threads_of(e), partitions = partitions_of(e, threads);
    if (partitions < 2 && !e->alone && e->played > 1)
        in_order(e, "one partition has all slices");
    return e->lookahead && partitions > 1 ? create(e, partitions, threads) : 0;
}

/* One clock plays all slices after all. */
static int give_up(struct htmt_emulator *e)
{
    bool lacks_bytes = e->data && e->windows && e->windows->ranks > 1;
    in_order(e, "sections are told apart");
    e->alone &= e->options.symmetry == HTMT_INDEPENDENT;
    htmt__windows_destroy(e);
    return !lacks_bytes ? 0
                        : htmt__fail(e, HTMT_EINVAL,
                                     "sections that begin before the run, in several processes: "
                                     "expected them in controls, or one process");
}

/* Whether that is worth it on one thread. In the order of all slices, entities of one kind go on in
 * line, and up to some thousands of them are in the cache: from EACH_MANY a slice on, that is the
 * quicker way. bench/emulator_stages, ns one by one over those in order: 1.07 with 64 slices of 16
 * pending events, 1.02 with 512, 0.92 with 1024; 0.96 with 1024 of 4, 0.93 with 4096 of 1. */
#define EACH_MANY 8u
#define MANY      16384u

static bool worth_it(const struct htmt_emulator *e)
{
    uint32_t roots = 0;
    for (const struct htmt__entity *p = e->ready.head; p && roots < MANY; p = p->queue)
        roots++;
    return roots == MANY || roots / EACH_MANY < e->played;
}

/* No slice will hear of another: all types say so, no post waits in a queue for its turn among
 * those of others, and what moves within a slice passes no place of another one. Where kernels run
 * and one thread plays all, those of all slices are under way together, which is worth more. */
static bool keeps_apart(const struct htmt_emulator *e)
{
    bool apart = e->types && e->played > 1 && !e->banked && !e->posts && e->ahead >= 0 &&
                 !e->sections && !htmt__watched(e) && !e->options.window_most &&
                 (e->windows || !e->data);
    for (uint32_t n = 0; n < e->networks; n++)
        apart &= !e->net[n].modelled && !e->net[n].fabric;
    for (const struct htmt_type *t = e->types; apart && t; t = t->next)
        apart = t->sends_nowhere;
    return apart && (e->windows || worth_it(e));
}

static void play_alone(struct htmt_emulator *e)
{
    e->alone = true;
    e->lookahead = HTMT_TIME_MAX;
    if (e->windows)
        e->windows->width = HTMT_TIME_MAX;
}

int htmt__windows_begin(struct htmt_emulator *e)
{
    int rc = e->sections && e->lookahead ? give_up(e) : 0;
    struct htmt__windows *w = e->windows;
    if (!rc && keeps_apart(e))
        play_alone(e);
    e->apart = w || e->alone;
    if (!w)
        return rc;
    if (w->ranks > 1)
        rc = htmt__rank_create(e);
    for (uint32_t i = 0; i < w->partitions && !rc; i++)
        rc = htmt__partition_mail(e, &w->partition[i]);
    for (uint32_t i = w->first; i < w->end && !rc; i++)
        rc = htmt__partition_init(e, &w->partition[i]);
    if (!rc && e->data)
        htmt__objects_deal(e);
    return rc;
}

void htmt__windows_destroy(struct htmt_emulator *e)
{
    struct htmt__windows *w = e->windows;
    if (!w)
        return;
    for (uint32_t i = 0; w->partition && i < w->partitions; i++)
        htmt__partition_fini(&w->partition[i]);
    htmt__rank_destroy(w->rank);
    free(w->partition_of);
    free(w->slice);
    free(w->partition);
    free(w);
    e->windows = NULL;
}
