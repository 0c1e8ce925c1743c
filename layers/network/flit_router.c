/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routers that send flits one by one.
 *
 * Elsewhere packets are lines (lane_stream.c): of lanes that share a wire each has its part of it,
 * and a head goes on at once. A router of hardware deals its wires and its crossbar anew in each
 * cycle, to one flit each. So a head waits for its turn at each hop even where the wire has room,
 * an input that sends one flit a cycle serves one of its lanes, and a grant that finds nothing to
 * send is lost. Near saturation that costs a tenth. Who wants to know it says `pipeline: per-flit`
 * and pays an event for each flit and hop.
 *
 * The router is the usual one with lanes (virtual channels), after Peh and Dally, as flit
 * simulators have it. The cycle is the time of a flit on a channel; routers work at its multiples.
 *
 * - A flit that comes over a channel may go on `wire` + `switch` later. It stands in the inlet of
 *   its lane, first in, first out.
 * - In a cycle each head that is the first in its inlet, and has no lane yet, asks for all free
 *   lanes that it may take; the requests are matched. A lane is a packet's from then until its tail
 *   is sent.
 * - In the same cycle each first flit that has a lane with room, or whose head asks for one, asks
 *   for the wire; these are matched, too. A head that got the wire but no lane has lost it for this
 *   cycle. Of the lanes of an input (or of a part of it: `input-speedup` parts) one may send, and
 *   one over each wire.
 * - The flit is on its way. Its room here is free again for the router before, `control` later.
 *
 * Matching is one round of iSLIP: each output grants the first input that asks, from its pointer
 * on; each input accepts the first grant, from its own pointer on; pointers go on behind a match.
 * With `arbiter: oldest` both take who has waited longest at this router instead.
 *
 * Two classes of traffic. Packets of messages of at most `priority` bytes are urgent: whoever
 * chooses, an output, an input or a part of one, takes an urgent request before any other, and at
 * its end such a packet passes those that have not begun. What has begun keeps its lane, so an
 * urgent packet waits for a free one, and in an inlet behind who came before; it needs several
 * lanes. The lanes that a packet may take are the same for both classes, and so is the proof that
 * none wait in a circle. A packet knows its class at each router: it is the only one of its
 * message, and short.
 *
 * An end sends as a router with one inlet, its queue, does. What arrives at an end leaves the
 * network.
 *
 * Which way, and which of several: a head of `ugal` decides when it comes to the first router,
 * others that choose in each cycle anew, among ways with a free lane. What counts is the room that
 * is used of a channel's inlets as far as credits say.
 *
 * Events. Flits, credits and cycles are control, with key 0. Flits and credits of an instant
 * commute; the cycles come behind them, each with a number of its element. A router that has
 * nothing to ask for has no cycles. An arrival at an end is an event of the packet's.
 *
 * By hand, a cycle and a wire of 1, switch 2: a packet of 4 flits leaves its end at 0. Its head may
 * go on at 3, and does; its last word, which left at 3 until 4, goes on at 6, and is at the next
 * end at 7 + 1 = 8. Two packets of two inputs meet at one wire, in two lanes: the wire takes their
 * flits in turn, so that both tails are there after 8 cycles; in one lane the second one would
 * follow the first.
 */
#include "layers/network/element_events.h"
#include "layers/network/flit_parts.h"

#include <stdlib.h>

enum kind { FLIT, CREDIT, CYCLE, ENTERS, ARRIVES, LAST, LEFT };

#define NEVER HTMT_TIME_MAX

static bool no_memory(const struct step *k)
{
    k->sink->fail(k->sink->user, HTMT_ENOMEM, "flits");
    return false;
}

/* One allocation: the router, then its arrays, those of the widest members first. */
static struct router *router_create(const struct step *k, uint32_t element)
{
    const struct htmt__topology *t = k->f->t;
    const bool end = element < t->ends;
    const uint32_t inputs = end ? 1 : k->c->arrive_first[element + 1] - k->c->arrive_first[element];
    const uint32_t outputs = t->first[element + 1] - t->first[element];
    const uint32_t lanes = end ? 1 : k->f->lanes, ins = inputs * lanes;
    const uint32_t outs = outputs * k->f->lanes;
    struct router *r = calloc(1, sizeof *r + outputs * sizeof *r->wire + ins * sizeof *r->in +
                                     outs * sizeof *r->out +
                                     (3 * (size_t)ins + outs + outputs) * sizeof(uint32_t));
    if (!r)
        return NULL;
    *r = (struct router){.element = element,
                         .inputs = inputs,
                         .outputs = outputs,
                         .lanes = lanes,
                         .cycled = -1,
                         .planned = NEVER};
    r->wire = (struct wire *)((char *)r + sizeof *r);
    r->in = (struct inlet *)(r->wire + outputs);
    r->out = (struct outlet *)(r->in + ins);
    r->lane_accept = (uint32_t *)(r->out + outs);
    r->wire_accept = r->lane_accept + ins;
    r->turn = r->wire_accept + ins;
    r->lane_grant = r->turn + ins;
    r->wire_grant = r->lane_grant + outs;
    for (uint32_t i = 0; i < outs; i++)
        r->out[i].room = k->c->room;
    return r;
}

/* NULL: out of memory, which was told. */
static struct router *router_of(const struct step *k, uint32_t element)
{
    struct router **r = &k->place->router[k->f->router[element]];
    if (!*r && !(*r = router_create(k, element)))
        no_memory(k);
    return *r;
}

/* At an end, whose queue is the packets' own memory, an urgent one passes those that are not, but
 * for the first if that has begun, or has its lane. */
static void insert(struct inlet *in, struct worm *w, bool passes)
{
    struct worm *before = in->last;
    if (passes && w->urgent) {
        before = in->ahead ? in->ahead : in->outlet ? in->first : NULL;
        in->ahead = w;
    }
    struct worm **at = before ? &before->next : &in->first;
    w->next = *at;
    *at = w;
    if (!w->next)
        in->last = w;
}

static struct worm *append(const struct step *k, struct inlet *in, const struct htmt__packet *p,
                           uint32_t flits, bool at_end)
{
    struct worm *w = k->place->spare;
    if (w)
        k->place->spare = w->next;
    else if (!(w = malloc(sizeof *w))) {
        no_memory(k);
        return NULL;
    }
    *w = (struct worm){.packet = *p,
                       .flits = flits,
                       .since = k->now,
                       .channel = HTMT__NOWHERE,
                       .urgent = p->count == 1 && p->bytes <= k->c->urgent};
    insert(in, w, at_end);
    return w;
}

static void remove_first(const struct step *k, struct inlet *in)
{
    struct worm *w = in->first;
    in->first = w->next;
    in->last = in->first ? in->last : NULL;
    in->ahead = in->ahead == w ? NULL : in->ahead;
    in->outlet = 0;
    w->next = k->place->spare;
    k->place->spare = w;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void post(const struct step *k, const struct htmt__fabric_event *e)
{
    k->sink->post(k->sink->user, e);
}

/* It has a cycle, the first one from that time on that it has not had. */
static void plan(const struct step *k, struct router *r, htmt_time from)
{
    const htmt_time cycle = k->c->cycle;
    htmt_time at = (from + cycle - 1) / cycle * cycle;
    if (r->cycled >= at)
        at = r->cycled + cycle;
    if (r->planned <= at)
        return;
    r->planned = at;
    post(k, &(struct htmt__fabric_event){
                .at = at,
                .packet = {.number = UINT32_MAX - r->element, .channel = HTMT__NOWHERE},
                .slice = k->place->slice,
                .channel = k->f->t->first[r->element],
                .kind = CYCLE,
                .amount = r->element});
}

static uint32_t flits_of(const struct htmt__flits *c, const struct htmt__packet *p)
{
    const uint64_t n = p->bytes / c->bytes + (p->bytes % c->bytes != 0);
    return n ? (uint32_t)n : 1;
}

/* Its words are all there. */
static void enters(const struct step *k, const struct htmt__packet *p)
{
    struct router *r = router_of(k, k->f->t->end_of[p->source]);
    const uint32_t flits = flits_of(k->c, p);
    struct worm *w = r ? append(k, &r->in[0], p, flits, true) : NULL;
    if (!w)
        return;
    w->come = flits;
    plan(k, r, k->now);
}

/* A packet's flits leave one behind the other, so it begins when the last one is there in time. */
void htmt__flits_inject(const struct htmt__flits *c, struct htmt__flits_place *place,
                        const struct htmt__packet *packet, htmt_time now, htmt_time tail,
                        const struct htmt__fabric_sink *sink)
{
    const struct step k = {c, c->f, place, sink, now};
    const htmt_time at = tail - flits_of(c, packet) * c->cycle;
    if (at <= now)
        enters(&k, packet);
    else
        post(&k, &(struct htmt__fabric_event){.at = at,
                                              .packet = *packet,
                                              .slice = place->slice,
                                              .channel = HTMT__NOWHERE,
                                              .kind = ENTERS});
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Flits in the inlets of a channel, as far as credits say. */
static uint64_t load_of(const struct step *k, const struct router *r, uint32_t channel)
{
    const struct outlet *o = &r->out[(channel - k->f->t->first[r->element]) * k->f->lanes];
    uint64_t used = 0;
    for (uint32_t i = 0; i < k->f->lanes; i++)
        used += k->c->room - o[i].room;
    return used;
}

/* The lanes that a packet may take: those of its class, or the one of its pair of ends. Over the
 * channels of ends no circle leads, so there all classes are one. */
struct lanes {
    uint32_t first, step, end;
};

static struct lanes lanes_of(const struct step *k, uint32_t channel, uint32_t lane)
{
    const struct htmt__fabric *f = k->f;
    const bool of_end = f->view[channel].ejects || channel < f->t->first[f->t->ends];
    if (!f->t->inside.dynamic)
        return (struct lanes){lane, 1, lane + 1};
    if (of_end)
        return (struct lanes){0, 1, f->lanes};
    return (struct lanes){lane % f->classes, f->classes, f->lanes};
}

static bool has_free(const struct step *k, const struct router *r, const struct htmt__next *next)
{
    const struct lanes l = lanes_of(k, next->channel, next->lane);
    const struct outlet *o = &r->out[(next->channel - k->f->t->first[r->element]) * k->f->lanes];
    for (uint32_t i = l.first; i < l.end; i += l.step)
        if (!o[i].taken)
            return true;
    return false;
}

/* The way of a first packet. Of several the one with the least load, times its length, and what a
 * longer one must be better by; of ways with a free lane, if any has. */
static struct htmt__next way_of(const struct step *k, const struct router *r, const struct worm *w)
{
    struct htmt__allowed way[HTMT__WAYS_MOST];
    const struct htmt__bound bound = htmt__bound_of(k->f, &w->packet);
    const uint32_t n = htmt__route_ways(k->f->t, r->element, &bound, way);
    const uint32_t first =
        k->f->t->inside.ties == HTMT__TIES_HASH && !k->c->decides
            ? (uint32_t)((bound.draw >> 32) * UINT64_C(0x9e3779b9) + bound.hops) % n
            : 0;
    uint64_t least = UINT64_MAX;
    struct htmt__next best = way[n - 1].next;
    for (uint32_t i = 0; i < n && n > 1; i++) {
        const struct htmt__allowed *a = &way[(first + i) % n];
        const uint64_t cost = load_of(k, r, a->next.channel) * a->hops + a->bias / k->c->bytes;
        if (cost >= least || (!k->c->decides && !has_free(k, r, &a->next)))
            continue;
        least = cost;
        best = a->next;
    }
    return best;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* Of the lanes of a part that want one wire, one asks: one that has a lane there before one that
 * has none, else in turn. */
static void ask_wire(const struct step *k, const struct router *r, uint32_t inlet, uint32_t wire,
                     bool early)
{
    const struct worm *w = r->in[inlet].first;
    const htmt_time since = w->since;
    const uint32_t parts = k->c->parts < r->lanes ? k->c->parts : r->lanes;
    const uint32_t lane = inlet % r->lanes, part = inlet / r->lanes * parts + lane % parts;
    struct asks *a = &k->place->wires;
    for (uint32_t i = 0; i < a->count; i++) {
        struct ask *q = &a->at[i];
        if (q->in != part || q->out != wire)
            continue;
        const uint32_t turn = r->turn[part], other = q->lane % r->lanes;
        const bool sooner =
            k->c->oldest && since != q->since
                ? since < q->since
                : (lane + r->lanes - turn) % r->lanes < (other + r->lanes - turn) % r->lanes;
        if (w->urgent != q->urgent ? w->urgent : early != q->early ? q->early : sooner)
            *q = (struct ask){part, wire, inlet, early, w->urgent, false, since};
        return;
    }
    htmt__flits_ask(k, a, (struct ask){part, wire, inlet, early, w->urgent, false, since});
}

/* The first packet of an inlet has no lane: it asks for those that are free. */
static void ask_lanes(const struct step *k, struct router *r, uint32_t inlet)
{
    struct worm *w = r->in[inlet].first;
    struct htmt__next next = {w->channel, w->lane};
    bool early = false;
    if (next.channel == HTMT__NOWHERE)
        next = way_of(k, r, w);
    const uint32_t wire = next.channel - k->f->t->first[r->element];
    const struct lanes l = lanes_of(k, next.channel, next.lane);
    for (uint32_t i = l.first; i < l.end; i += l.step) {
        const uint32_t out = wire * k->f->lanes + i;
        if (r->out[out].taken)
            continue;
        htmt__flits_ask(k, &k->place->lanes,
                        (struct ask){inlet, out, inlet, true, w->urgent, false, w->since});
        early |= r->out[out].room != 0;
    }
    if (early)
        ask_wire(k, r, inlet, wire, true);
}

/* A head enters a wire: what is counted, and told. */
static void begin(const struct step *k, struct router *r, const struct worm *w, struct outlet *out,
                  uint32_t wire, const struct htmt__packet *p)
{
    out->packets++;
    out->bytes += p->bytes;
    r->wire[wire].queued += (uint64_t)(k->now - w->since);
    k->sink->hop(k->sink->user, p, p->channel, k->now);
    if (__builtin_expect(k->sink->watch != NULL, 0))
        k->sink->watch(k->sink->user,
                       &(struct htmt__port_change){.channel = p->channel,
                                                   .state = HTMT__PORT_SENDS,
                                                   .queue = r->wire[wire].waits,
                                                   .until = k->now + w->flits * k->c->cycle,
                                                   .packet = p},
                       k->now);
}

/* The flit that leaves makes room: the router before, or the sender, hears of it. */
static void give_back(const struct step *k, const struct worm *w, const struct htmt__packet *p)
{
    const uint32_t from = w->packet.channel;
    if (from != HTMT__NOWHERE)
        post(k, &(struct htmt__fabric_event){.at = k->now + k->f->view[from].control,
                                             .packet = {.lane = w->packet.lane},
                                             .slice = k->f->view[from].from,
                                             .channel = from,
                                             .kind = CREDIT});
    else if (w->gone == w->flits)
        post(k, &(struct htmt__fabric_event){.at = k->now + k->c->cycle,
                                             .packet = *p,
                                             .slice = k->place->slice,
                                             .channel = p->channel,
                                             .kind = LEFT});
}

/* The first flit of an inlet leaves, in the lane that its packet has. */
static void send(const struct step *k, struct router *r, uint32_t inlet)
{
    struct inlet *in = &r->in[inlet];
    struct worm *w = in->first;
    struct outlet *out = &r->out[in->outlet - 1];
    const uint32_t wire = (in->outlet - 1) / k->f->lanes;
    const uint32_t channel = k->f->t->first[r->element] + wire;
    const struct htmt__channel_view *view = &k->f->view[channel];
    struct htmt__fabric_event e = {
        .at = k->now + view->wire, .packet = w->packet, .slice = view->to, .channel = channel};
    const bool head = w->gone++ == 0, tail = w->gone == w->flits;
    e.packet.channel = channel;
    e.packet.lane = (uint8_t)((in->outlet - 1) % k->f->lanes);
    e.packet.hops++;
    out->flits++;
    if (head)
        begin(k, r, w, out, wire, &e.packet);
    give_back(k, w, &e.packet);
    if (tail) {
        out->taken = false;
        remove_first(k, in);
    }
    if (!view->ejects) {
        out->room--;
        e.at += k->f->t->inside.turn;
        e.kind = FLIT;
        e.amount = e.packet.key;
        e.time[0] = e.packet.number;
        e.time[1] = head;
        e.packet.key = e.packet.number = 0;
        post(k, &e);
        return;
    }
    e.kind = ARRIVES;
    if (head)
        post(k, &e);
    e.kind = LAST;
    e.at += k->c->cycle;
    if (tail)
        post(k, &e);
}

/* Who has not gone on in its first cycle has found its wire, or all lanes of it, taken. */
static void count_waiting(const struct step *k, struct router *r, const struct asks *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        r->wire[a->at[i].out].waits += !a->at[i].match;
    for (uint32_t i = 0; i < r->inputs * r->lanes; i++) {
        struct worm *w = r->in[i].first;
        if (!w || w->waited || w->gone || !w->come)
            continue;
        w->waited = true;
        const uint32_t channel = w->channel != HTMT__NOWHERE ? w->channel : way_of(k, r, w).channel;
        r->wire[r->in[i].outlet ? (r->in[i].outlet - 1) / k->f->lanes
                                : channel - k->f->t->first[r->element]]
            .contentions++;
    }
    for (uint32_t i = 0; i < r->outputs; i++) {
        struct wire *w = &r->wire[i];
        w->longest = w->waits > w->longest ? w->waits : w->longest;
    }
}

/* All first flits ask, are matched, and go. */
static void play_cycle(const struct step *k, struct router *r)
{
    struct asks *lanes = &k->place->lanes, *wires = &k->place->wires;
    const uint32_t ins = r->inputs * r->lanes, outs = r->outputs * k->f->lanes;
    lanes->count = wires->count = 0;
    for (uint32_t i = 0; i < r->outputs; i++)
        r->wire[i].waits = 0;
    for (uint32_t i = 0; i < ins; i++) {
        const struct inlet *in = &r->in[i];
        if (!in->first || in->first->come == in->first->gone)
            continue;
        if (!in->outlet)
            ask_lanes(k, r, i);
        else if (r->out[in->outlet - 1].room)
            ask_wire(k, r, i, (in->outlet - 1) / k->f->lanes, false);
    }
    htmt__flits_match(k, lanes, ins, outs, r->lane_grant, r->lane_accept);
    for (uint32_t i = 0; i < lanes->count; i++)
        if (lanes->at[i].match) {
            r->in[lanes->at[i].in].outlet = lanes->at[i].out + 1;
            r->out[lanes->at[i].out].taken = true;
        }
    htmt__flits_match(k, wires, ins, r->outputs, r->wire_grant, r->wire_accept);
    for (uint32_t i = 0; i < wires->count; i++) {
        const struct ask *q = &wires->at[i];
        const uint32_t outlet = r->in[q->lane].outlet;
        if (!q->match || !outlet || (outlet - 1) / k->f->lanes != q->out ||
            !r->out[outlet - 1].room)
            continue;
        r->turn[q->in] = (q->lane % r->lanes + k->c->parts) % r->lanes;
        send(k, r, q->lane);
    }
    count_waiting(k, r, wires);
    if (lanes->count + wires->count)
        plan(k, r, k->now + k->c->cycle);
}

/* ---- play ------------------------------------------------------------------------------------ */

static void play_flit(const struct step *k, struct htmt__fabric_event *e)
{
    const struct htmt__channel_view *view = &k->f->view[e->channel];
    struct router *r = router_of(k, view->element);
    if (!r)
        return;
    struct inlet *in = &r->in[k->c->rank[e->channel] * r->lanes + e->packet.lane];
    struct worm *w = in->last;
    if (e->time[1]) {
        e->packet.key = e->amount;
        e->packet.number = (uint32_t)e->time[0];
        w = append(k, in, &e->packet, flits_of(k->c, &e->packet), false);
        if (!w)
            return;
        if (k->c->decides && e->packet.hops == 1 && !e->packet.route) {
            const struct htmt__next next = way_of(k, r, w);
            w->channel = next.channel;
            w->lane = next.lane;
        }
    }
    w->come++;
    plan(k, r, k->now);
}

bool htmt__flits_play(const struct htmt__flits *c, struct htmt__flits_place *place,
                      struct htmt__fabric_event *e, const struct htmt__fabric_sink *sink)
{
    const struct step k = {c, c->f, place, sink, e->at};
    struct router *r;
    switch ((enum kind)e->kind) {
    case FLIT:
        play_flit(&k, e);
        break;
    case CREDIT:
        r = router_of(&k, htmt__wire(c->f->t, e->channel)->from);
        if (!r)
            break;
        r->out[(e->channel - c->f->t->first[r->element]) * c->f->lanes + e->packet.lane].room++;
        plan(&k, r, k.now);
        break;
    case CYCLE:
        r = router_of(&k, (uint32_t)e->amount);
        if (!r || r->planned != k.now) {
            e->kind = HTMT__FABRIC_VOID;
            break;
        }
        r->planned = NEVER;
        r->cycled = k.now;
        play_cycle(&k, r);
        break;
    case ENTERS:
        enters(&k, &e->packet);
        break;
    case ARRIVES:
        sink->head(sink->user, &e->packet, k.now, k.now + flits_of(c, &e->packet) * c->cycle,
                   false);
        break;
    case LAST:
        sink->arrived(sink->user, &e->packet, k.now);
        break;
    case LEFT:
        sink->left(sink->user, &e->packet, k.now);
        break;
    }
    return false;
}

/* ---- what was, and who waits ----------------------------------------------------------------- */

int htmt__flits_edges(const struct htmt__flits *c, const struct htmt__flits_place *place,
                      struct htmt__blocked_edges *edges, htmt__edges_add *add)
{
    const struct step k = {c, c->f, (struct htmt__flits_place *)place, NULL, 0};
    int rc = 0;
    for (uint32_t i = 0; i < place->routers && !rc; i++) {
        const struct router *r = place->router[i];
        for (uint32_t l = 0; r && l < r->inputs * r->lanes && !rc; l++) {
            const struct worm *w = r->in[l].first;
            const uint32_t outlet = r->in[l].outlet, lanes = c->f->lanes;
            if (!w || w->packet.channel == HTMT__NOWHERE)
                continue;
            struct htmt__next next = {w->channel, w->lane};
            if (outlet)
                next = (struct htmt__next){c->f->t->first[r->element] + (outlet - 1) / lanes,
                                           (outlet - 1) % lanes};
            else if (next.channel == HTMT__NOWHERE)
                next = way_of(&k, r, w);
            rc = add(edges,
                     &(struct htmt__blocked_edge){
                         .channel = next.channel,
                         .number = edges->count,
                         .from = w->packet.channel * lanes + w->packet.lane,
                         .to = next.channel * lanes + lanes_of(&k, next.channel, next.lane).first,
                         .waits = true,
                         .packet = w->packet});
        }
    }
    return rc;
}
