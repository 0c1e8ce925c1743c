/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fabric against a simulator that moves flit by flit, on random graphs, ways and buffers.
 */
#include "tests/fabric/flits.h"
#include "tests/fabric/player.h"
#include "tests/runtime/share.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP INT64_C(1000)

struct trial {
    uint64_t seed;
    bool queues;             /* with several lanes: packets share them, too */
    uint32_t lanes, longest; /* lanes: 0: one, which must agree exactly */
    struct htmt__inside inside;
    struct graph *g;
    struct flits flits;
    struct sent sent[FLITS_PACKETS];
    uint16_t ports[FLITS_PACKETS][FLITS_HOPS];
};

static uint32_t below(struct trial *t, uint32_t n)
{
    t->seed = t->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((t->seed >> 33) % n);
}

static const uint16_t *ports(void *user, uint32_t route)
{
    const struct trial *t = user;
    return t->ports[route - 1];
}

/* ---- A random network ---------------------------------------------------------------------------
 */

static void draw_inside(struct trial *t, enum htmt__switching switching)
{
    t->inside = (struct htmt__inside){.switching = switching,
                                      .byte = {STEP, 1},
                                      .lanes = t->lanes ? t->lanes : 1,
                                      .planes = 1,
                                      .wire = below(t, 4) * STEP,
                                      .turn = below(t, 3) * STEP,
                                      .control = below(t, 4) * STEP,
                                      .header_hop = below(t, 2)};
    const uint64_t away = (uint64_t)((t->inside.wire + t->inside.control) / STEP);
    const uint64_t strip = t->inside.header_hop;
    const uint64_t least =
        switching == HTMT__WORMHOLE ? away * (1 + strip) + 2 * strip : t->longest - 1;
    t->inside.buffer = below(t, 5) ? (least ? least : 1) + below(t, 8) : 0;
}

static void draw_graph(struct trial *t)
{
    const uint32_t ends = 2 + below(t, 5), switches = 1 + below(t, 7);
    struct graph *g = t->g = graph_create(ends, switches, &t->inside);
    for (uint32_t e = 0; e < ends; e++)
        graph_join(g, e, ends + below(t, switches));
    for (uint32_t s = 1; s < switches; s++)
        graph_join(g, ends + s, ends + below(t, s));
    for (uint32_t extra = below(t, switches + 1); extra > 0; extra--) {
        const uint32_t a = below(t, switches), b = below(t, switches);
        if (a != b)
            graph_lead(g, ends + a, ends + b);
    }
    graph_done(g);
    g->deals = t->lanes != 0;
    if (t->inside.switching != HTMT__WORMHOLE && below(t, 3) == 0)
        for (uint32_t c = 0; c < g->t.channels; c++)
            g->t.wire[c].byte.num = (1 + below(t, 3)) * (uint64_t)STEP;
}

/* At a switch: the way to the target, or anywhere. */
static uint32_t draw_channel(struct trial *t, uint32_t element, uint32_t target, bool wanders)
{
    const struct htmt__topology *topology = &t->g->t;
    const uint32_t first = topology->first[element];
    const uint32_t c = first + below(t, topology->first[element + 1] - first);
    const bool useful = topology->wire[c].to >= topology->ends || topology->wire[c].to == target;
    return wanders && useful ? c : t->g->table[element * topology->ends + target];
}

static bool passes(const uint32_t *element, int n, uint32_t again)
{
    for (int i = 0; i < n; i++)
        if (element[i] == again)
            return true;
    return false;
}

/* Without circles; 0: there was one. */
static int draw_way(struct trial *t, uint32_t source, uint32_t target, int *channel)
{
    uint32_t element[FLITS_HOPS + 1] = {source};
    int n = 0;
    while (element[n] != target && n < FLITS_HOPS) {
        const uint32_t at = element[n];
        const uint32_t c =
            n ? draw_channel(t, at, target, below(t, 3) == 0) : t->g->t.first[source];
        const uint32_t to = t->g->t.wire[c].to;
        if (passes(element, n + 1, to))
            return 0;
        channel[n++] = (int)c;
        element[n] = to;
    }
    return element[n] == target ? n : 0;
}

static void draw_packet(struct trial *t, int i)
{
    struct flits_packet *p = &t->flits.packet[i];
    const uint32_t ends = t->g->t.ends, source = below(t, ends);
    const uint32_t target = (source + 1 + below(t, ends - 1)) % ends;
    do
        p->hops = draw_way(t, source, target, p->channel);
    while (!p->hops);
    const int strip = (int)t->inside.header_hop, bytes = 1 + strip * (p->hops - 1);
    p->at = (int)below(t, 1 + below(t, 60));
    p->length[0] = bytes + (int)below(t, t->longest - (uint32_t)bytes);
    p->lane = t->lanes ? (int)((source + target) % t->lanes) : 0;
    for (int h = 1; h < p->hops; h++) {
        p->length[h] = p->length[h - 1] - strip;
        t->ports[i][h - 1] = (uint16_t)t->g->t.wire[p->channel[h]].port;
    }
    t->sent[i] = (struct sent){.source = source,
                               .target = target,
                               .bytes = (uint64_t)p->length[0],
                               .at = p->at * STEP,
                               .route = (uint32_t)i + 1};
}

static void draw(struct trial *t, enum htmt__switching switching)
{
    static const enum flits_mode mode[] = {FLITS_STORED, FLITS_CUT, FLITS_WORM};
    draw_inside(t, switching);
    draw_graph(t);
    t->flits = (struct flits){.mode = mode[switching],
                              .wire = (int)(t->inside.wire / STEP),
                              .turn = (int)(t->inside.turn / STEP),
                              .control = (int)(t->inside.control / STEP),
                              .buffer = (int)t->inside.buffer,
                              .lanes = (int)t->lanes,
                              .channels = (int)t->g->t.channels,
                              .count = 2 + (int)below(t, FLITS_PACKETS - 2)};
    for (uint32_t c = 0; c < t->g->t.channels; c++)
        t->flits.rate[c] = (int)((htmt_time)t->g->t.wire[c].byte.num / STEP);
    for (int i = 0; i < t->flits.count; i++)
        draw_packet(t, i);
    if (!t->lanes || t->queues)
        return;
    /* Each packet has a lane of its own: who queues before whom is no matter of some flits. */
    int own = 0;
    for (int i = 0; i < t->flits.count; i++) {
        bool taken = false;
        for (int k = 0; k < own; k++)
            taken = taken || t->flits.packet[k].lane == t->flits.packet[i].lane;
        if (taken)
            continue;
        t->flits.packet[own] = t->flits.packet[i];
        t->sent[own] = t->sent[i];
        t->sent[own].route = (uint32_t)own + 1;
        memcpy(t->ports[own], t->ports[i], sizeof t->ports[i]);
        own++;
    }
    t->flits.count = own;
}

/* ---- Both
 * ----------------------------------------------------------------------------------------- */

static htmt_time steps(int n)
{
    return n < 0 ? -1 : n * STEP;
}

/* Packets of which the two say the same. */
static int agree(const struct trial *t, uint64_t seed)
{
    int n = 0;
    for (int i = 0; i < t->flits.count; i++) {
        const int left = flits_left(&t->flits, i, 0),
                  last = flits_left(&t->flits, i, t->flits.packet[i].hops - 1);
        const htmt_time tail = last < 0 ? -1 : steps(last + t->flits.wire);
        const bool same = t->sent[i].left == steps(left) && t->sent[i].tail == tail;
        cr_expect(same, "seed %lu, packet %d: left %ld for %ld, came %ld for %ld", seed, i,
                  t->sent[i].left / STEP, steps(left) / STEP, t->sent[i].tail / STEP, tail / STEP);
        n += same;
    }
    return n;
}

/* Both play the trial, whose lanes and longest packet are set. */
static void play(struct trial *t, uint64_t seed, enum htmt__switching switching, int *stuck)
{
    struct player p;
    const struct htmt__fabric_options options = {.user = t, .ports = ports};
    t->seed = seed * 3 + switching;
    draw(t, switching);
    *stuck += flits_run(&t->flits, 40000) > 0;
    player_create(&p, t->g, t->sent, (uint32_t)t->flits.count);
    player_options(&p, &options);
    player_run(&p);
    player_destroy(&p);
    graph_destroy(t->g);
}

static bool try(uint64_t seed, enum htmt__switching switching, int *stuck)
{
    static struct trial t;
    memset(&t, 0, sizeof t);
    t.longest = FLITS_LENGTH;
    play(&t, seed, switching, stuck);
    return agree(&t, seed) == t.flits.count;
}

static void try_all(enum htmt__switching switching)
{
    const char *only = getenv("FLITS_SEED"), *count = getenv("FLITS_COUNT");
    int stuck = 0;
    const uint64_t first = only ? strtoull(only, NULL, 10) : 1;
    const uint64_t trials = count ? strtoull(count, NULL, 10) : share_of(1000);
    for (uint64_t seed = first; seed < first + trials; seed++)
        if (!try(seed, switching, &stuck))
            break;
    fprintf(stderr, "switching %d: %d of %lu end in a deadlock\n", switching, stuck, trials);
}

Test(flits, agree_with_store_and_forward)
{
    try_all(HTMT__STORE_AND_FORWARD);
}

Test(flits, agree_with_cut_through)
{
    try_all(HTMT__CUT_THROUGH);
}

Test(flits, agree_with_wormhole)
{
    try_all(HTMT__WORMHOLE);
}

/* ---- several lanes
 * --------------------------------------------------------------------------------
 *
 * The fabric's lanes are lines; flits take turns, so a packet of either may be some flits ahead.
 * Its whole time differs by less than the packet takes on its slowest channel, and the sum of all
 * times by a hundredth.
 */

static void try_lanes(enum htmt__switching switching, bool queues)
{
    const char *only = getenv("FLITS_SEED"), *count = getenv("FLITS_COUNT");
    const uint64_t first = only ? strtoull(only, NULL, 10) : 1;
    const uint64_t trials = count ? strtoull(count, NULL, 10) : share_of(60);
    double found = 0, wanted = 0, worst = 0;
    static struct trial t;
    int stuck = 0;
    for (uint64_t seed = first; seed < first + trials; seed++) {
        memset(&t, 0, sizeof t);
        t.lanes = 2 + (uint32_t)(seed % 7);
        t.longest = FLITS_MOST;
        t.queues = queues;
        const int before = stuck;
        play(&t, seed, switching, &stuck);
        for (int i = 0; i < t.flits.count && stuck == before; i++) {
            const struct flits_packet *p = &t.flits.packet[i];
            const int last = flits_left(&t.flits, i, p->hops - 1) + t.flits.wire;
            int slowest = 1;
            for (int h = 0; h < p->hops; h++)
                if (t.flits.rate[p->channel[h]] > slowest)
                    slowest = t.flits.rate[p->channel[h]];
            const double time = (double)t.sent[i].tail / STEP - p->at, own = last - p->at;
            const int least = p->length[0] > (int)t.lanes ? p->length[0] : (int)t.lanes;
            const double off = (time - own) / (least * slowest);
            cr_expect(t.queues || (t.sent[i].tail >= 0 && off < 1 && off > -1),
                      "seed %lu, packet %d of %d flits: %.0f steps for %.0f", seed, i, p->length[0],
                      time, own);
            worst = off > worst ? off : -off > worst ? -off : worst;
            found += time;
            wanted += own;
        }
    }
    fprintf(stderr, "switching %d, lanes: %d stuck, mean %+.2f %%, single up to %.2f packets\n",
            switching, stuck, 100 * (found / wanted - 1), worst);
    cr_expect(found / wanted > 0.99 && found / wanted < 1.01, "%f", found / wanted);
}

Test(flits, several_lanes_of_wormholes_take_the_times_of_flits_in_turn)
{
    try_lanes(HTMT__WORMHOLE, false);
}

Test(flits, several_lanes_of_unequal_rates_take_the_times_of_flits_in_turn)
{
    try_lanes(HTMT__CUT_THROUGH, false);
}

Test(flits, several_lanes_with_queues_take_the_times_of_flits_in_the_mean)
{
    try_lanes(HTMT__CUT_THROUGH, true);
    try_lanes(HTMT__WORMHOLE, true);
}
