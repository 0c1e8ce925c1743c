/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical paths of a run, with their ties and charges, while it is played.
 *
 * live_path.c keeps for each interval the one that it came from: one path, and how long its parts
 * were. To say how the predicted time changes, two more things are needed. What each interval is
 * made of, as counts: a service of 10 flop and 3 loads. And all that it waited for at the very
 * instant at which it began: had its parcel come a moment later, or its server become free a moment
 * later, it would have begun later in both cases. So this module follows the clock and computes
 * each instant again as an expression (slope_graph.c): where the clock adds a charge, or takes the
 * later of two instants, so does a function here. The expression of the last instant is the result.
 *
 * Where ties come from. A service begins when its parcel is there and a server is free; a move when
 * its head is there and a channel is free; it ends when its words have come and have been taken
 * from the channel. A parcel that waits for words goes on when enough have come back; one behind it
 * in line not before it. A fiber waits for all its signals, a gate for its call and for the
 * activation's fibers, a fold of a collective for the message and for the slice. The run ends when
 * all is over. In each of these the clock looks at events one by one and only knows the last of
 * those of one instant; so the others are kept at a *spot* (a bank, a store, a slot) as long as the
 * instant lasts.
 *
 * What takes nothing from a tie: a server that became free at the instant of a request, while
 * another one had been free before. Of several servers that become free at one instant, the first
 * in line gets the first, whichever that is a moment later: they are a group (slope_graph.c). The
 * same holds for channels of one link. For words it does not: of equal instants, words are given to
 * those in line in the order in which they came back. Nor does this module know that a line may
 * have another order a moment later: if two parcels come to it at one instant, they stay in that
 * order. Where both matter, the slope is that of the run's order.
 *
 * How it is known that no cause was missed: each event is compared with its expression, which must
 * give its instant. Later ones come of what is not followed here: the insides of networks and
 * processors, services whose operations are played. They become a charge of which nothing is known
 * (HTMT__CHARGE_UNKNOWN), and are refused if the path has one. What is compared at the end is
 * charges: the counts that are kept must give the time that they took.
 *
 * The walk of a parcel passes steps without an event, and without a call to a probe, for these are
 * the commonest in all runs. What it did there, its steps say: walk_on() goes after it, at each
 * call.
 *
 * By hand. One server, A and B come at 0, services of 10 and 5; C's message of 15 comes at 15, too,
 * and then C has a service of 1:
 *
 *     1: 10 = start + work A         2: 15 = 1 + work B (LATER(start, 1) is 1)
 *     3: 15 = start + message C      4: 15 = LATER(3, 2): a tie      5: 16 = 4 + work C
 *
 * A longer A, B or message makes the end later; none of them alone makes it sooner.
 */
#include "parcels/observe/live_slope.h"
#include "layers/model.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/message.h"
#include "parcels/observe/channel_number.h"
#include "parcels/observe/probes.h"
#include "parcels/walk/context.h"
#include "runtime/base/array.h"

#include <math.h>
#include <stdlib.h>

typedef struct htmt__live_slope live;

static htmt_time when(const live *l, uint32_t node)
{
    return htmt__slope_time(&l->graph, node);
}

static void set(live *l, uint32_t *place, uint32_t node)
{
    htmt__slope_set(&l->graph, place, node);
}

/* *place is not before `node`. */
static void behind(live *l, uint32_t *place, uint32_t node)
{
    set(l, place, htmt__slope_later(&l->graph, *place, node));
}

static void fail_room(struct htmt_emulator *e)
{
    e->slope->graph.failed = true;
    htmt__fail(e, HTMT_ENOMEM, "no host memory to keep the slopes of the run");
}

static struct htmt__slope_origin *origin(struct htmt_emulator *e, const struct htmt__entity *p)
{
    bool between = e->guard && (p->index & HTMT__BETWEEN);
    uint32_t index = between ? p->index - HTMT__BETWEEN : p->index;
    struct htmt__slope_origins *o = &e->slope->origins[p->slice + (between ? e->played : 0)];
    size_t had = o->room;
    if (!htmt__array_fits(&o->of, &o->room, (size_t)index + 1, sizeof *o->of)) {
        fail_room(e);
        return &e->slope->nobody;
    }
    for (; had < o->room; had++)
        o->of[had] = (struct htmt__slope_origin){
            .node = HTMT__TIME_0, .sent = HTMT__TIME_0, .call = HTMT__TIME_0};
    return &o->of[index];
}

/* ---- charges --------------------------------------------------------------------------------- */

/* Nothing is known of it but whose it was. */
static uint32_t unknown(live *l, const struct htmt__stage_stats *stats)
{
    const struct htmt__charge c = {.kind = HTMT__CHARGE_UNKNOWN,
                                   .of = stats ? stats->number : UINT32_MAX};
    return htmt__slope_charge(&l->graph, &c);
}

static const struct htmt__stage_stats *stats_of(const struct htmt__entity *p)
{
    if (p->kind <= HTMT__FIBER)
        return p->step->stats;
    const struct htmt__message *m = p->kind == HTMT__MESSAGE ? p->message : NULL;
    return m && m->leg.network != HTMT__NO_NETWORK ? m->leg.stats : NULL;
}

/* From a node to an instant that nobody said anything of, or that is its own. */
static uint32_t until(live *l, uint32_t node, const struct htmt__entity *p, htmt_time at)
{
    return when(l, node) < at ? htmt__slope_plus(&l->graph, node, unknown(l, stats_of(p)), at)
                              : htmt__slope_hold(&l->graph, node);
}

/* Of a network, or none; numbers of charges are kept, since each is asked for often. */
static uint32_t simple(live *l, enum htmt__charge_kind kind, uint32_t of)
{
    const struct htmt__charge c = {.kind = kind, .of = of};
    uint32_t *number = &l->simple[kind][of];
    if (!*number)
        *number = 1 + htmt__slope_charge(&l->graph, &c);
    return *number - 1;
}

static uint32_t work(struct htmt_emulator *e, const struct htmt__step *step,
                     const struct htmt_ops *ops)
{
    const struct htmt__processor_model *model = e->machine->layer[step->layer].model;
    struct htmt__charge c = {.kind = HTMT__CHARGE_WORK, .of = e->processors_of[step->layer]};
    if (step->profiled || step->issues || (model && model->work))
        return unknown(e->slope, step->stats);
    uint32_t *last = &e->slope->work[(uintptr_t)step / sizeof *step % HTMT__SLOPE_WORKS];
    memcpy(c.n, ops->n, sizeof c.n);
    if (*last >= e->slope->graph.charges || memcmp(&e->slope->graph.charge[*last], &c, sizeof c))
        *last = htmt__slope_charge(&e->slope->graph, &c);
    return *last;
}

static void charged(struct htmt_emulator *e, const struct htmt__entity *p, unsigned op, uint64_t n,
                    htmt_time time)
{
    struct htmt__slope_origin *o = origin(e, p);
    struct htmt_ops ops = {{0}};
    if (!htmt__array_fits(&o->charges, &o->said_room, o->said + 1u, sizeof *o->charges)) {
        fail_room(e);
        return;
    }
    if (op < HTMT_OP_CLASSES)
        ops.n[op] = n;
    o->charges[o->said++] = (struct htmt__slope_said){
        .charge =
            op < HTMT_OP_CLASSES ? work(e, p->step, &ops) : simple(e->slope, HTMT__CHARGE_FIXED, 0),
        .after = p->worked,
        .time = time};
}

/* Legs of messages have their times, but not their pieces. Two of equal words and times that differ
 * in pieces have the same arm; the one with more accesses is kept, for its arms may tie. */
static struct htmt__slope_way *way_of(const live *l, const struct htmt__leg *g)
{
    uint64_t h = (g->words ^ (uint64_t)g->out_time << 7) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ (uint64_t)g->in_time << 9 ^ g->network << 8 ^ g->from << 4 ^ g->to) *
        UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = (h >> 32) & (l->ways - 1);; i = (i + 1) & (l->ways - 1)) {
        struct htmt__slope_way *w = &l->way[i];
        if (w->out == UINT32_MAX ||
            (w->words == g->words && w->out_time == g->out_time && w->in_time == g->in_time &&
             w->network == g->network && w->from == g->from && w->to == g->to))
            return w;
    }
}

static bool more_ways(live *l)
{
    struct htmt__slope_way *old = l->way;
    const size_t had = l->ways;
    l->way = malloc((had ? 2 * had : 64) * sizeof *l->way);
    if (!l->way) {
        l->way = old;
        return false;
    }
    l->ways = had ? 2 * had : 64;
    for (size_t i = 0; i < l->ways; i++)
        l->way[i].out = UINT32_MAX;
    for (size_t i = 0; i < had; i++)
        if (old[i].out != UINT32_MAX)
            *way_of(l, &(struct htmt__leg){.network = old[i].network,
                                           .from = old[i].from,
                                           .to = old[i].to,
                                           .words = old[i].words,
                                           .out_time = old[i].out_time,
                                           .in_time = old[i].in_time}) = old[i];
    free(old);
    return true;
}

static void timed(struct htmt_emulator *e, const struct htmt__leg *g, uint64_t from_pieces,
                  uint64_t to_pieces)
{
    live *l = e->slope;
    if (2 * l->way_count >= l->ways && !more_ways(l)) {
        fail_room(e);
        return;
    }
    struct htmt__charge out =
        htmt__charge_out(e->machine, g->network, g->from, g->to, g->words, from_pieces, to_pieces);
    struct htmt__charge in = htmt__charge_in(e->machine, g->network, g->to, g->words, to_pieces);
    struct htmt__slope_way *w = way_of(l, g);
    const bool new = w->out == UINT32_MAX;
    if (new)
        *w = (struct htmt__slope_way){.words = g->words,
                                      .out_time = g->out_time,
                                      .in_time = g->in_time,
                                      .network = g->network,
                                      .from = g->from,
                                      .to = g->to};
    l->way_count += new;
    if (!new && w->from_accesses >= out.n[1] && w->to_accesses >= out.n[2])
        return;
    w->from_accesses = out.n[1] = out.n[1] > w->from_accesses ? out.n[1] : w->from_accesses;
    w->to_accesses = out.n[2] = in.n[2] = out.n[2] > w->to_accesses ? out.n[2] : w->to_accesses;
    w->out = htmt__slope_charge(&l->graph, &out);
    w->in = htmt__slope_charge(&l->graph, &in);
}

/* Of a leg at the source, or at the target. */
static uint32_t leg_charge(struct htmt_emulator *e, const struct htmt__entity *p,
                           const struct htmt__leg *g, bool in)
{
    live *l = e->slope;
    if (!e->net[g->network].plain || e->net[g->network].bus)
        return unknown(l, g->stats);
    if (p->kind == HTMT__MESSAGE) {
        const struct htmt__slope_way *w = l->ways ? way_of(l, g) : NULL;
        return !w || w->out == UINT32_MAX ? unknown(l, g->stats) : in ? w->in : w->out;
    }
    const struct htmt__size *inward = &p->cost->size[g->to], *outward = &p->cost->size[g->from];
    const uint64_t from = p->step->inward ? inward->in_pieces : 1,
                   to = p->step->inward ? 1 : outward->out_pieces;
    const uint64_t pieces = in ? to : from > to ? from : to;
    struct htmt__slope_passage *last = &l->passage[in][p->step->passage];
    if (last->cost == p->cost && last->words == g->words && last->pieces == pieces &&
        last->time == (in ? g->in_time : g->out_time) && last->network == g->network &&
        l->graph.charge[last->charge].from == (in ? g->to : g->from) &&
        l->graph.charge[last->charge].to == g->to)
        return last->charge;
    struct htmt__charge c =
        in ? htmt__charge_in(e->machine, g->network, g->to, g->words, to)
           : htmt__charge_out(e->machine, g->network, g->from, g->to, g->words, from, to);
    *last = (struct htmt__slope_passage){p->cost,    g->words,
                                         pieces,     in ? g->in_time : g->out_time,
                                         g->network, htmt__slope_charge(&l->graph, &c)};
    return last->charge;
}

/* ---- spots: what has come at this instant ---------------------------------------------------- */

static size_t spot_place(const live *l, const void *key)
{
    uint64_t h = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (h >> 32) & (l->spots - 1);
    while (l->spot[i].key && l->spot[i].key != key)
        i = (i + 1) & (l->spots - 1);
    return i;
}

static bool more_spots(live *l)
{
    struct htmt__slope_spot *old = l->spot;
    const size_t had = l->spots;
    l->spot = calloc(had ? 2 * had : 256, sizeof *l->spot);
    if (!l->spot) {
        l->spot = old;
        return false;
    }
    l->spots = had ? 2 * had : 256;
    for (size_t i = 0; i < had; i++)
        if (old[i].key)
            l->spot[spot_place(l, old[i].key)] = old[i];
    free(old);
    return true;
}

/* Nothing is known of another instant. */
static void spot_clear(live *l, struct htmt__slope_spot *s, htmt_time now)
{
    for (uint32_t i = 0; i < s->count; i++)
        htmt__slope_drop(&l->graph, s->share[i].node);
    if (s->group != UINT32_MAX)
        htmt__slope_group_drop(&l->graph, s->group);
    set(l, &s->node, HTMT__TIME_0);
    s->at = now;
    s->count = s->taken = 0;
    s->group = UINT32_MAX;
    s->old = 0;
}

/* NULL: nobody came there. */
static struct htmt__slope_spot *spot_find(const live *l, const void *key)
{
    struct htmt__slope_spot *s = l->spots ? &l->spot[spot_place(l, key)] : NULL;
    return s && s->key ? s : NULL;
}

/* NULL: no memory. */
static struct htmt__slope_spot *spot_at(struct htmt_emulator *e, const void *key)
{
    live *l = e->slope;
    if (2 * l->spot_count >= l->spots && !more_spots(l)) {
        fail_room(e);
        return NULL;
    }
    struct htmt__slope_spot *s = &l->spot[spot_place(l, key)];
    if (!s->key) {
        *s = (struct htmt__slope_spot){
            .key = key, .at = -1, .node = HTMT__TIME_0, .group = UINT32_MAX};
        l->spot_count++;
    }
    return s;
}

static void share_add(struct htmt_emulator *e, struct htmt__slope_spot *s, uint32_t node,
                      uint64_t words)
{
    live *l = e->slope;
    if (!htmt__array_fits(&s->share, &s->room, s->count + 1u, sizeof *s->share)) {
        fail_room(e);
        return;
    }
    s->share[s->count++] =
        (struct htmt__slope_share){.node = htmt__slope_hold(&l->graph, node), .words = words};
    if (s->group != UINT32_MAX)
        htmt__slope_group_add(&l->graph, s->group, node);
}

/* ---- banks: servers that become free at this instant ----------------------------------------- */

/* A service of no length is none of those that came to an end together. */
static void bank_left(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__slope_spot *s = spot_at(e, htmt__resource_at(e, p->slice, p->step->at));
    if (!s)
        return;
    if (s->at != e->now || !p->service)
        spot_clear(e->slope, s, e->now);
    share_add(e, s, e->slope->now, 0);
}

#define ENDS_MOST 64u /* of a bank, that are looked through */

/* p's service ends at that node. Processors that do the same end at one node; those are no group,
 * which would be large. */
static void bank_plan(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at,
                      uint32_t node)
{
    live *l = e->slope;
    const struct htmt__bank *bank = htmt__resource_at(e, p->slice, p->step->at);
    struct htmt__slope_spot *s = bank->servers > 1 ? spot_at(e, bank) : NULL;
    struct htmt__slope_end *same = NULL;
    if (!s)
        return;
    for (uint32_t i = 0; i < s->ends;)
        if (s->end[i].at >= e->now) {
            same = s->end[i].at == at ? &s->end[i] : same;
            i++;
        } else {
            htmt__slope_drop(&l->graph, s->end[i].node);
            s->end[i] = s->end[--s->ends];
        }
    if (same)
        same->mixed |= same->node != node;
    else if (s->ends < ENDS_MOST &&
             htmt__array_fits(&s->end, &s->end_room, s->ends + 1u, sizeof *s->end))
        s->end[s->ends++] = (struct htmt__slope_end){at, htmt__slope_hold(&l->graph, node), false};
}

static bool bank_ends_alike(const struct htmt__slope_spot *s, htmt_time now)
{
    for (uint32_t i = 0; i < s->ends; i++)
        if (s->end[i].at == now)
            return !s->end[i].mixed;
    return false;
}

/* The next one of them goes to who begins now. */
static void bank_take(struct htmt_emulator *e, struct htmt__slope_spot *s, uint32_t servers)
{
    live *l = e->slope;
    if (servers == 1 || l->graph.failed || (s->group == UINT32_MAX && bank_ends_alike(s, e->now))) {
        behind(l, &l->now, s->share[s->taken++].node);
        return;
    }
    if (s->group == UINT32_MAX) {
        s->group = htmt__slope_group_create(&l->graph);
        for (uint32_t i = 0; i < s->count && !l->graph.failed; i++)
            htmt__slope_group_add(&l->graph, s->group, s->share[i].node);
    }
    if (l->graph.failed)
        return;
    uint32_t node = htmt__slope_of_group(&l->graph, s->group, s->taken++);
    behind(l, &l->now, node);
    htmt__slope_drop(&l->graph, node);
}

/* p found a free server: one that became free now, unless another one was free before. */
static void bank_entered(struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__bank *bank = htmt__resource_at(e, p->slice, p->step->at);
    struct htmt__slope_spot *s = spot_find(e->slope, bank);
    origin(e, p)->said = 0;
    if (!s || s->at != e->now || s->taken >= s->count)
        return;
    if (bank->servers - bank->busy + 1 <= s->count - s->taken)
        bank_take(e, s, bank->servers);
}

/* ---- stores: words that come back at this instant -------------------------------------------- */

static void store_given(struct htmt_emulator *e, const struct htmt__store *store, uint64_t capacity,
                        uint64_t words)
{
    struct htmt__slope_spot *s = spot_at(e, store);
    if (!s)
        return;
    if (s->at != e->now)
        spot_clear(e->slope, s, e->now);
    if (!s->count) {
        const uint64_t free = capacity - store->used;
        s->old = free > words ? free - words : 0;
    }
    share_add(e, s, e->slope->now, words);
}

/* Words that were free before are taken first. *place is not before those that came back. */
static void store_taken(struct htmt_emulator *e, const struct htmt__store *store, uint64_t words,
                        uint32_t *place, bool in_line)
{
    live *l = e->slope;
    struct htmt__slope_spot *s = spot_find(l, store);
    if (!s || s->at != e->now)
        return;
    const uint64_t old = words < s->old ? words : s->old;
    s->old -= old;
    words -= old;
    if (in_line || words)
        behind(l, place, s->node);
    for (; words && s->taken<s->count; s->taken += words> 0) {
        struct htmt__slope_share *share = &s->share[s->taken];
        const uint64_t part = words < share->words ? words : share->words;
        behind(l, place, share->node);
        share->words -= part;
        words -= part;
    }
    if (in_line)
        set(l, &s->node, htmt__slope_hold(&l->graph, *place));
}

/* ---- walks ----------------------------------------------------------------------------------- */

static void walk_step(struct htmt_emulator *e, const struct htmt__entity *p,
                      const struct htmt__step *s)
{
    live *l = e->slope;
    if (s->op == HTMT__TAKE && p->cost->space[s->layer]) {
        store_taken(e, htmt__resource_at(e, p->slice, s->at), p->cost->space[s->layer], &l->now,
                    false);
    } else if (s->op == HTMT__GIVE && p->cost->space[s->layer]) {
        store_given(e, htmt__resource_at(e, p->slice, s->at), e->store_class[s->layer].capacity,
                    p->cost->space[s->layer]);
    } else if (s->op == HTMT__GATE) {
        struct htmt__slope_origin *o = origin(e, p);
        behind(l, &l->now, o->call);
        set(l, &o->call, HTMT__TIME_0);
    }
}

/* What the walk has done since: the steps that it has passed, and its present one as far as it is
 * done. Then p's own origin is where it is now. */
static void walk_on(struct htmt_emulator *e, bool gives)
{
    live *l = e->slope;
    const struct htmt__entity *p = l->walker;
    if (!p || p->step < l->walked)
        return;
    for (; l->walked < p->step; l->walked++)
        walk_step(e, p, l->walked);
    const struct htmt__step *s = l->walked;
    if (s->op == HTMT__SERVE && p->state != HTMT__IN_LINE) {
        bank_entered(e, p);
        l->walked++;
    } else if (s->op == HTMT__GIVE && gives) {
        walk_step(e, p, s);
        l->walked++;
    }
    uint32_t *node = &origin(e, p)->node;
    if (*node != l->now)
        set(l, node, htmt__slope_hold(&l->graph, l->now));
}

static void wakes(struct htmt_emulator *e)
{
    walk_on(e, true);
}

/* ---- what happens, and who goes on later ----------------------------------------------------- */

/* The last instant of the run is that of all that happens then. */
static void front_add(struct htmt_emulator *e)
{
    live *l = e->slope;
    if (e->now != l->front.at) {
        for (uint32_t i = 0; i < l->front.count; i++)
            htmt__slope_drop(&l->graph, l->front.node[i]);
        l->front.count = 0;
        l->front.at = e->now;
    }
    if (l->front.count && l->front.node[l->front.count - 1] == l->now)
        return;
    if (!htmt__array_fits(&l->front.node, &l->front.room, l->front.count + 1u,
                          sizeof *l->front.node))
        fail_room(e);
    else
        l->front.node[l->front.count++] = htmt__slope_hold(&l->graph, l->now);
}

/* An entity that is not where it was thought to be has waited for what is not known. */
static void turn(struct htmt_emulator *e, const struct htmt__entity *p)
{
    live *l = e->slope;
    const bool parcel = p->kind <= HTMT__FIBER, event = p->state == HTMT__PENDING;
    walk_on(e, false);
    const uint32_t node = origin(e, p)->node;
    l->wrong |= when(l, node) > e->now;
    set(l, &l->now, until(l, node, p, e->now));
    l->walker = parcel ? p : NULL;
    l->walked = parcel && p->state != HTMT__READY ? p->step + 1 : p->step;
    if (parcel && event && p->step->op == HTMT__SERVE)
        bank_left(e, p);
    if (p->state != HTMT__READY)
        front_add(e);
}

static void keep(struct htmt_emulator *e, const struct htmt__entity *p)
{
    walk_on(e, false);
    set(e->slope, &origin(e, p)->node, htmt__slope_hold(&e->slope->graph, e->slope->now));
}

/* p may have come itself at this very instant, and one of others who had to call it before. */
static void called(struct htmt_emulator *e, const struct htmt__entity *p)
{
    live *l = e->slope;
    struct htmt__slope_origin *o;
    walk_on(e, false);
    o = origin(e, p);
    behind(l, &o->node, l->now);
    behind(l, &o->node, o->call);
    set(l, &o->call, HTMT__TIME_0);
}

/* It was in line for words, and has them. */
static void woken(struct htmt_emulator *e, const struct htmt__entity *p, enum htmt__why why,
                  uint32_t layer)
{
    if (why == HTMT__SPACE)
        store_taken(e, htmt__store_at(e, p->slice, layer), p->waiter.amount, &origin(e, p)->node,
                    true);
}

/* It was in the line of a bank, and has the server of whose event this is. */
static void served(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t resource)
{
    live *l = e->slope;
    const struct htmt__bank *bank = htmt__resource_at(e, p->slice, p->step->at);
    (void)resource;
    walk_on(e, false);
    struct htmt__slope_spot *s = spot_find(l, bank);
    struct htmt__slope_origin *o = origin(e, p);
    o->said = 0;
    set(l, &l->now, htmt__slope_hold(&l->graph, o->node));
    if (s && s->at == e->now && s->taken < s->count)
        bank_take(e, s, bank->servers);
    l->walker = p;
    l->walked = p->step + 1;
    set(l, &o->node, htmt__slope_hold(&l->graph, l->now));
}

static void over(struct htmt_emulator *e, const struct htmt__entity *p)
{
    live *l = e->slope;
    struct htmt__slope_origin *o;
    walk_on(e, false);
    if (l->walker == p)
        l->walker = NULL;
    if (p->kind == HTMT__FIBER && p->owner) {
        o = origin(e, p->owner);
        behind(l, &o->call, l->now);
    }
    o = origin(e, p);
    set(l, &o->node, HTMT__TIME_0);
    set(l, &o->sent, HTMT__TIME_0);
    set(l, &o->call, HTMT__TIME_0);
    o->said = 0;
}

/* ---- meetings -------------------------------------------------------------------------------- */

static void opened(struct htmt_emulator *e, const struct htmt__entity *p)
{
    walk_on(e, false);
    behind(e->slope, &origin(e, p)->call, e->slope->now);
}

static void waits(struct htmt_emulator *e, const void *key)
{
    walk_on(e, false);
    struct htmt__slope_spot *s = spot_at(e, key);
    if (s)
        behind(e->slope, &s->node, e->slope->now);
}

static void meets(struct htmt_emulator *e, const void *key)
{
    live *l = e->slope;
    walk_on(e, false);
    if (!l->meeting)
        set(l, &l->kept, htmt__slope_hold(&l->graph, l->now));
    l->meeting = key != NULL;
    if (!key) {
        set(l, &l->now, htmt__slope_hold(&l->graph, l->kept));
        return;
    }
    struct htmt__slope_spot *s = spot_find(l, key);
    if (!s)
        return;
    behind(l, &l->now, s->node);
    set(l, &s->node, HTMT__TIME_0);
}

/* Records of a mailbox are as words of a store. */
static void gave(struct htmt_emulator *e, const struct htmt__store *store, uint64_t capacity,
                 uint64_t records)
{
    walk_on(e, false);
    e->slope->room = store;
    store_given(e, store, capacity, records);
}

static void took(struct htmt_emulator *e, const struct htmt__store *store, uint64_t records)
{
    walk_on(e, false);
    store_taken(e, store, records, &e->slope->now, false);
}

/* The mailbox has room for the message p; `why` is told when all have it that can. */
static void room(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t layer)
{
    live *l = e->slope;
    (void)layer;
    walk_on(e, false);
    if (!l->meeting)
        set(l, &l->kept, htmt__slope_hold(&l->graph, l->now));
    l->meeting = true;
    set(l, &l->now, htmt__slope_later(&l->graph, l->kept, origin(e, p)->node));
    store_taken(e, l->room, p->message->records, &l->now, true);
}

static void why_now(struct htmt_emulator *e, enum htmt__why why, uint32_t of)
{
    (void)of;
    if (why == HTMT__CAME && e->slope->meeting)
        meets(e, NULL);
}

static const void *slot_key(const struct htmt__entity *owner, uint32_t fiber)
{
    return &owner->body->slot[fiber - 1];
}

static void signalled(struct htmt_emulator *e, const struct htmt__entity *owner, uint32_t fiber)
{
    waits(e, slot_key(owner, fiber));
}

static void enabled(struct htmt_emulator *e, const struct htmt__entity *f,
                    const struct htmt__entity *owner, uint32_t fiber)
{
    live *l = e->slope;
    struct htmt__slope_spot *s = spot_find(l, slot_key(owner, fiber));
    if (!s)
        return;
    set(l, &origin(e, f)->node, htmt__slope_hold(&l->graph, s->node));
    set(l, &s->node, HTMT__TIME_0);
}

/* ---- services -------------------------------------------------------------------------------- */

static void service_add(struct htmt_emulator *e, uint32_t node)
{
    live *l = e->slope;
    if (htmt__array_fits(&l->service.node, &l->service.room, l->service.count + 1u,
                         sizeof *l->service.node)) {
        l->service.node[l->service.count++] = node;
    } else {
        htmt__slope_drop(&l->graph, node);
        fail_room(e);
    }
}

/* A charge later. */
static void service_plus(struct htmt_emulator *e, uint32_t charge, htmt_time time)
{
    live *l = e->slope;
    if (!l->service.count || time <= 0)
        return;
    const uint32_t from = l->service.node[l->service.count - 1];
    service_add(e, htmt__slope_plus(&l->graph, from, charge, when(l, from) + time));
}

/* What p's control charged, around what its kernel takes, each with an instant at its end. */
static void service_follow(struct htmt_emulator *e, const struct htmt__entity *p)
{
    live *l = e->slope;
    const struct htmt__slope_origin *o = origin(e, p);
    const struct htmt__alike *work_of = p->step->alike;
    for (uint32_t i = 0; i < l->service.count; i++)
        htmt__slope_drop(&l->graph, l->service.node[i]);
    l->service.count = 0;
    l->service.p = p;
    service_add(e, htmt__slope_hold(&l->graph, l->now));
    for (uint32_t i = 0; i < o->said; i++)
        if (!o->charges[i].after)
            service_plus(e, o->charges[i].charge, o->charges[i].time);
    if (work_of && work_of->time > 0)
        service_plus(e, work(e, p->step, &work_of->ops), work_of->time);
    for (uint32_t i = 0; i < o->said; i++)
        if (o->charges[i].after)
            service_plus(e, o->charges[i].charge, o->charges[i].time);
}

/* A control without htmt_work() comes behind its kernel. */
static void controls(struct htmt_emulator *e, const struct htmt__entity *self, bool is_over)
{
    const struct htmt__entity *p = e->control->p;
    (void)self;
    walk_on(e, false);
    struct htmt__slope_origin *o = origin(e, p);
    if (!is_over)
        o->said = 0;
    for (uint32_t i = 0; is_over && !p->worked && i < o->said; i++)
        o->charges[i].after = true;
}

static void unrolls(struct htmt_emulator *e, const struct htmt__entity *p)
{
    walk_on(e, false);
    service_follow(e, p);
}

static void within(struct htmt_emulator *e, const struct htmt__entity *moment,
                   const struct htmt__stage_stats *stats)
{
    (void)moment;
    (void)stats;
    e->slope->within = true;
}

/* The instant in the present service; START: it has none there. */
static uint32_t service_instant(const live *l, htmt_time at)
{
    for (uint32_t i = 0; l->service.p && i < l->service.count; i++)
        if (when(l, l->service.node[i]) == at)
            return l->service.node[i];
    return HTMT__TIME_0;
}

static void event(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at)
{
    live *l = e->slope;
    const bool serves = p->kind <= HTMT__FIBER && p->step->op == HTMT__SERVE && !l->has_via;
    walk_on(e, false);
    uint32_t node = l->has_via ? l->via : l->now;
    if (serves && l->service.p != p)
        service_follow(e, p);
    if (serves || l->within)
        node = service_instant(l, at);
    if (when(l, node) > at || (node == HTMT__TIME_0 && at > 0))
        node = l->now;
    l->wrong |= when(l, node) > at;
    struct htmt__slope_origin *o = origin(e, p);
    set(l, &o->node, until(l, node, p, at));
    l->has_via = l->within = false;
    set(l, &l->via, HTMT__TIME_0);
    if (serves) {
        l->service.p = NULL;
        bank_plan(e, p, at, o->node);
    }
    if (l->walker == p)
        l->walker = NULL;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void channel(struct htmt_emulator *e, struct htmt__link *link, uint32_t number)
{
    live *l = e->slope;
    l->used = &l->channel[htmt__channel_of(e, link, number)];
    l->link = link;
}

/* The channels of a link: one, then the others, which lie together. */
struct channels {
    uint32_t *first, *others, count;
};

static uint32_t *channel_place(const struct channels *c, uint32_t i)
{
    return i ? &c->others[i - 1] : c->first;
}

/* Whether those that become free with the one to be used are in order already: one node, or what a
 * group gave. */
static bool channels_sorted(const live *l, const struct channels *c, htmt_time at)
{
    const struct htmt__slope_node *node = l->graph.node, *last = NULL;
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t *place = channel_place(c, i);
        if (when(l, *place) != at)
            continue;
        const struct htmt__slope_node *n = &node[*place];
        if (last && n != last &&
            (n->charge != HTMT__SLOPE_ORDER || last->charge != n->charge || last->a != n->a ||
             last->b >= n->b))
            return false;
        last = n;
    }
    return true;
}

/* Of several channels that become free at one instant, the message gets the first, and the others
 * stay in their order. That matters if it does not come later. */
static void channels_sort(struct htmt_emulator *e, htmt_time comes)
{
    live *l = e->slope;
    const htmt_time at = when(l, *l->used);
    struct channels c = {.count = l->link->channels};
    uint32_t number = 0;
    if (c.count < 2 || at < comes || at == 0)
        return;
    c.first = &l->channel[htmt__channel_of(e, l->link, 0)];
    c.others = &l->channel[htmt__channel_of(e, l->link, 1)];
    if (channels_sorted(l, &c, at))
        return;
    const uint32_t group = htmt__slope_group_create(&l->graph);
    for (uint32_t i = 0; i < c.count && !l->graph.failed; i++)
        if (when(l, *channel_place(&c, i)) == at)
            htmt__slope_group_add(&l->graph, group, *channel_place(&c, i));
    for (uint32_t i = 0; i < c.count && !l->graph.failed; i++)
        if (when(l, *channel_place(&c, i)) == at)
            set(l, channel_place(&c, i), htmt__slope_of_group(&l->graph, group, number++));
    if (group != UINT32_MAX)
        htmt__slope_group_drop(&l->graph, group);
}

static void go_via(live *l, uint32_t node)
{
    l->has_via = true;
    set(l, &l->via, node);
}

static void out(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                htmt_time start, htmt_time head)
{
    live *l = e->slope;
    walk_on(e, false);
    const bool modelled = e->net[g->network].modelled;
    channels_sort(e, e->now);
    uint32_t begin = htmt__slope_later(&l->graph, l->now, *l->used);
    l->wrong |= when(l, begin) != start && e->net[g->network].plain;
    set(l, l->used,
        htmt__slope_plus(&l->graph, begin, leg_charge(e, p, g, false), start + g->out_time));
    set(l, &origin(e, p)->sent, htmt__slope_hold(&l->graph, *l->used));
    if (head < 0)
        go_via(l, htmt__slope_plus(&l->graph, *l->used, simple(l, HTMT__CHARGE_LATENCY, g->network),
                                   p->tail));
    else
        go_via(l, htmt__slope_plus(
                      &l->graph, begin,
                      simple(l, modelled ? HTMT__CHARGE_STARTUP : HTMT__CHARGE_LEAD, g->network),
                      head));
    htmt__slope_drop(&l->graph, begin);
}

static void in(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
               htmt_time head, htmt_time start, htmt_time end)
{
    live *l = e->slope;
    walk_on(e, false);
    channels_sort(e, head);
    uint32_t begin = htmt__slope_later(&l->graph, l->has_via ? l->via : l->now, *l->used);
    l->wrong |= when(l, begin) > start;
    set(l, l->used,
        htmt__slope_plus(&l->graph, begin, leg_charge(e, p, g, true), start + g->in_time));
    htmt__slope_drop(&l->graph, begin);
    if (end < 0) {
        l->has_via = false;
        set(l, &origin(e, p)->node, htmt__slope_hold(&l->graph, *l->used));
        return;
    }
    if (p->tail < start + g->in_time) {
        go_via(l, htmt__slope_hold(&l->graph, *l->used));
        return;
    }
    const uint32_t latency = e->net[g->network].modelled
                                 ? unknown(l, g->stats)
                                 : simple(l, HTMT__CHARGE_LATENCY, g->network);
    uint32_t tail = htmt__slope_plus(&l->graph, origin(e, p)->sent, latency, p->tail);
    go_via(l, htmt__slope_later(&l->graph, *l->used, tail));
    htmt__slope_drop(&l->graph, tail);
}

static void sent_off(struct htmt_emulator *e, const struct htmt__entity *p,
                     const struct htmt__entity *moment)
{
    (void)moment;
    go_via(e->slope, htmt__slope_hold(&e->slope->graph, origin(e, p)->sent));
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void begin(struct htmt_emulator *e)
{
    e->slope->walker = NULL;
    set(e->slope, &e->slope->now, HTMT__TIME_0);
}

/* Slices that are played one after another end together if they do at one instant. */
static void end(struct htmt_emulator *e)
{
    live *l = e->slope;
    if (e->now < l->latest || l->front.at != e->now)
        return;
    if (e->now > l->latest)
        set(l, &l->last, HTMT__TIME_0);
    l->latest = e->now;
    for (uint32_t i = 0; i < l->front.count; i++)
        behind(l, &l->last, l->front.node[i]);
}

static void spots_clear(live *l)
{
    for (size_t i = 0; i < l->spots; i++) {
        struct htmt__slope_spot *s = &l->spot[i];
        if (!s->key)
            continue;
        spot_clear(l, s, -1);
        for (uint32_t k = 0; k < s->ends; k++)
            htmt__slope_drop(&l->graph, s->end[k].node);
        free(s->share);
        free(s->end);
        *s = (struct htmt__slope_spot){.key = NULL};
    }
    l->spot_count = 0;
}

static void origins_free(struct htmt__slope_origins *o)
{
    for (size_t k = 0; k < o->room; k++)
        free(o->of[k].charges);
    free(o->of);
    *o = (struct htmt__slope_origins){.of = NULL};
}

/* Slices are played one after another, and nobody comes back to that one: all its entities are
 * over, and its places are free. */
static void rest(struct htmt_emulator *e, uint32_t slice)
{
    live *l = e->slope;
    size_t each = htmt__channel_count(e) / e->played;
    for (size_t i = slice * each; i < (slice + 1) * each; i++)
        set(l, &l->channel[i], HTMT__TIME_0);
    l->walker = NULL;
    spots_clear(l);
    origins_free(&l->origins[slice]);
}

/* Each charge of the path is known, and took what its counts say, but for rounding: the first that
 * is not; UINT32_MAX: there is none. */
static uint32_t find_unfit(const struct htmt_emulator *e)
{
    const struct htmt__slope_graph *g = &e->slope->graph;
    for (uint32_t i = 0; i < g->nodes; i++) {
        const struct htmt__slope_node *n = &g->node[i];
        if (n->charge >= HTMT__SLOPE_SUM)
            continue;
        const struct htmt__charge *c = &g->charge[n->charge];
        const double took = (double)(n->time - htmt__slope_time(g, n->a)),
                     value = htmt__charge_value(e->machine, c);
        const bool differs = fabs(took - value) > 1 + 1e-12 * value;
        if (c->kind == HTMT__CHARGE_UNKNOWN || (c->kind != HTMT__CHARGE_FIXED && differs))
            return n->charge;
    }
    return UINT32_MAX;
}

static void finish(struct htmt_emulator *e)
{
    live *l = e->slope;
    if (l->wrong || e->fault.code || !htmt__slope_graph_settle(&l->graph, &l->last))
        return;
    l->unfit = find_unfit(e);
    l->settled = htmt__slope_graph_shorten(&l->graph);
}

static const struct htmt__explain_probe probe = {
    .begin = begin,
    .end = end,
    .finish = finish,
    .rest = rest,
    .turn = turn,
    .keep = keep,
    .called = called,
    .woken = woken,
    .room = room,
    .served = served,
    .why = why_now,
    .within = within,
    .event = event,
    .over = over,
    .channel = channel,
    .out = out,
    .in = in,
    .sent = sent_off,
    .signalled = signalled,
    .controls = controls,
    .opened = opened,
    .charged = charged,
    .timed = timed,
    .unrolls = unrolls,
    .enabled = enabled,
    .wakes = wakes,
    .gave = gave,
    .took = took,
    .waits = waits,
    .meets = meets,
};

int htmt__live_slope_create(struct htmt_emulator *e)
{
    live *l = calloc(1, sizeof *l);
    if (!l)
        return HTMT_ENOMEM;
    const size_t channels = htmt__channel_count(e);
    e->slope = l;
    htmt__slope_graph_init(&l->graph);
    l->now = l->kept = l->via = l->last = HTMT__TIME_0;
    l->nobody = (struct htmt__slope_origin){
        .node = HTMT__TIME_0, .sent = HTMT__TIME_0, .call = HTMT__TIME_0};
    l->latest = l->front.at = -1;
    l->origins = calloc(2 * (size_t)e->played, sizeof *l->origins);
    l->channel = calloc(channels + 1, sizeof *l->channel);
    if (!l->origins || !l->channel)
        return HTMT_ENOMEM;
    for (size_t i = 0; i < channels; i++)
        l->channel[i] = HTMT__TIME_0;
    return htmt__probes_add(e, &probe);
}

void htmt__live_slope_destroy(struct htmt_emulator *e)
{
    live *l = e->slope;
    if (!l)
        return;
    for (uint32_t i = 0; l->origins && i < 2 * e->played; i++)
        origins_free(&l->origins[i]);
    for (size_t i = 0; i < l->spots; i++) {
        free(l->spot[i].share);
        free(l->spot[i].end);
    }
    htmt__slope_graph_fini(&l->graph);
    free(l->nobody.charges);
    free(l->origins);
    free(l->channel);
    free(l->service.node);
    free(l->front.node);
    free(l->spot);
    free(l->way);
    free(l);
    e->slope = NULL;
}
