/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The path of a packet through inlets and outlets.
 *
 * An outlet serves one packet at a time; `end` of its port says until when. A packet that is the
 * first in its inlet asks for the outlet that it wants (ASKS). If that is free and has room, the
 * packet enters: its words leave until now + setup + bytes * byte time. Its head is at the next
 * element a wire later and asks there when it has passed the switch. So a hop where nobody is in
 * the way costs one event, which becomes the packet's next one in place.
 *
 * Else the packet queues at the outlet, and an event of the first in the queue stands at the end of
 * the service that is under way (WAKES). Those behind it in its inlet wait as well, whatever they
 * want, until it has left (FIRST).
 *
 * Credits. An outlet knows the room in the inlet at its channel's other end: `buffer` at first,
 * less by a packet's bytes when that enters, more when a CREDIT comes back, which is `control`
 * after the packet has left the inlet. So no inlet overflows, and nobody must ask for its state.
 * Only wormholes reserve less than a packet (lane_stream.c).
 *
 * Lanes. Each lane of a channel has an outlet and an inlet of its own, thus its own queue and room;
 * the lanes share the wire. A packet that is blocked on one lane holds up no other lane. Planes are
 * copies of all channels: a sender deals its packets to them in turn, and packets of two planes
 * never meet.
 *
 * Example: a byte takes 1 ns, wire 10 ns, switch 5 ns, control 10 ns, buffer 100 bytes; packets A
 * and B of 100 bytes leave one sender at 0, cut through. A enters the first channel at 0; its words
 * leave until 100. Its head is at the switch at 10, asks at 15 and enters the next channel, until
 * 115. The credit is at the sender at 125. Its outlet ends with A at 100, but the room is used up:
 * it is blocked until 125, when B begins. With 200 bytes of buffer B begins at 100.
 */
#include "layers/network/lane_stream.h"

/* What nearly every event passes through is one function. */
#define INLINE inline __attribute__((always_inline))

/* ---- into an outlet -------------------------------------------------------------------------- */

static __attribute__((noinline)) htmt_time told_tail(const struct htmt__fabric_step *k,
                                                     struct htmt__inlet *in,
                                                     const struct htmt__fabric_event *e)
{
    const struct htmt__inlet_update *n = htmt__update_of(k, in);
    const struct htmt__packet *p = &e->packet;
    if (n->key != p->key || n->whose != p->whose || n->number != p->number)
        return e->time[0];
    in->updated = false;
    return n->tail;
}

/* When the last word of a packet comes: the inlet may have been told before the packet began. */
static inline htmt_time latest_tail(const struct htmt__fabric_step *k, struct htmt__inlet *in,
                                    const struct htmt__fabric_event *e)
{
    return in && in->updated ? told_tail(k, in, e) : e->time[0];
}

/* The packet that acts enters the outlet that it wants, and leaves its inlet. A time that overflows
 * is told, and the service ends at once. */
static INLINE void enter(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const struct htmt__fabric *f = k->f;
    const uint32_t outlet = htmt__wanted_outlet(e);
    struct htmt__outlet *o = &k->place->outlet[outlet];
    struct htmt__packet *p = &e->packet;
    struct htmt__inlet *in = !f->unbounded || f->flows ? htmt__inlet_of(k, p) : NULL;
    const uint32_t from = p->channel;
    const uint8_t from_lane = p->lane;
    const uint64_t from_bytes = p->bytes;
    htmt_time end;
    if (f->flows) /* before it changes: a copy of what was just written would wait for it */
        k->place->stream[outlet].packet = *p;
    htmt__packet_enter(k, p, htmt__wanted(e), htmt__wanted_lane(e));
    htmt_time work = htmt__work_of(f, p->channel, p->bytes);
    if (work < 0 || __builtin_add_overflow(k->now + f->t->inside.setup, work, &end) ||
        end > HTMT_TIME_MAX / 2) {
        k->sink->fail(k->sink->user, HTMT_EOVERFLOW, "the time of a packet");
        end = k->now;
        work = -1;
    }
    if (f->flows) {
        const bool told = in && in->updated;
        e->time[0] = latest_tail(k, in, e);
        if (work >= 0)
            end = htmt__stream_begin(k, outlet, e, from, from_lane, work, told && !in->updated);
    }
    htmt__port_take(&o->port, htmt__queue_of(k, o), k->now, end, p->bytes);
    if (!f->worm)
        o->port.taken += f->view[p->channel].bounded ? p->bytes : 0;
    k->sink->hop(k->sink->user, p, p->channel, k->now);
    htmt__port_watch(k, p, false);
    if (in) {
        if (e->time[0] > k->now)
            in->outlet = outlet;
        in->left = end;
        if (in->behind.first)
            htmt__post_first(k, in);
        if (!f->worm && f->view[from].bounded)
            htmt__post_credit(k, p, from, from_lane, from_bytes, end);
    }
    if (f->flows)
        htmt__stream_begun(k, outlet);
    else if (p->hops == 1)
        htmt__post_packet(k, HTMT__LEFT, end, p);
    htmt__post_onward(k, e, k->now + f->t->inside.setup, end);
}

/* As it will be on the channel that it wants: a switch strips its port number. */
static uint64_t bytes_on(const struct htmt__fabric_step *k, const struct htmt__packet *p)
{
    return p->bytes - (p->channel == HTMT__NOWHERE ? 0 : k->f->t->inside.header_hop);
}

static bool has_room(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    if (k->f->unbounded || !k->f->view[htmt__wanted(e)].bounded)
        return true;
    if (k->f->worm)
        return htmt__stream_room(k, htmt__wanted_outlet(e));
    const uint64_t taken = k->place->outlet[htmt__wanted_outlet(e)].port.taken;
    return k->f->t->inside.buffer - taken >= bytes_on(k, &e->packet);
}

static void watch_queue(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    if (__builtin_expect(k->sink->watch != NULL, 0)) {
        const struct htmt__packet wanted = htmt__packet_entered(k, e);
        htmt__port_watch(k, &wanted, true);
    }
}

/* Behind others at the outlet, or alone, for want of room: then the port is held, but idle. */
static __attribute__((noinline)) void queue(struct htmt__fabric_step *k,
                                            const struct htmt__fabric_event *e)
{
    struct htmt__outlet *o = &k->place->outlet[htmt__wanted_outlet(e)];
    struct htmt__waits *own = htmt__place_waits(k, e);
    if (!own)
        return;
    htmt__port_join(&o->port, htmt__queue_of(k, o), &own->request, k->now);
    if (k->f->chooses)
        htmt__queue_of(k, o)->waiting += bytes_on(k, &e->packet);
    if (o->port.end <= k->now && o->port.hold == HTMT__PORT_RUNS)
        htmt__port_set(&o->port, htmt__queue_of(k, o), HTMT__PORT_HELD, k->now);
    if (o->port.queue.first == &own->request)
        htmt__post_wake(k, o);
    watch_queue(k, e);
}

static INLINE void request(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const struct htmt__outlet *o = &k->place->outlet[htmt__wanted_outlet(e)];
    if (k->f->flows && __builtin_expect(!k->place->stream[htmt__wanted_outlet(e)].open, 0))
        htmt__place_open(k, htmt__wanted(e));
    if (htmt__port_free(&o->port, k->now) && has_room(k, e))
        enter(k, e);
    else
        queue(k, e);
}

/* The first in the queue tries again. The queue may have changed since the event was posted: then
 * it is not its packet's any more, and another event of the first one stands. */
void htmt__packet_wakes(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct htmt__outlet *o = &k->place->outlet[htmt__wanted_outlet(e)];
    if (o->port.end > k->now || !htmt__is(o->port.queue.first, &e->packet)) {
        k->is_void = k->f->lanes > 1;
        return;
    }
    struct htmt__waits *w = htmt__waits_of(o->port.queue.first);
    if (!has_room(k, &w->event)) {
        if (o->port.hold != HTMT__PORT_RUNS)
            return;
        htmt__port_set(&o->port, htmt__queue_of(k, o), HTMT__PORT_HELD, k->now);
        watch_queue(k, &w->event);
        return;
    }
    htmt__port_leave(&o->port, htmt__queue_of(k, o), k->now);
    *e = w->event;
    if (k->f->chooses)
        htmt__queue_of(k, o)->waiting -= bytes_on(k, &e->packet);
    htmt__place_forget(k, w);
    enter(k, e);
    htmt__post_wake(k, o);
}

void htmt__packet_credit(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct htmt__outlet *o = htmt__outlet_of(k, e->channel, e->packet.plane, e->packet.lane);
    o->port.taken -= e->amount;
    if (o->port.end <= k->now)
        htmt__post_wake(k, o);
}

/* ---- a choice --------------------------------------------------------------------------------
 *
 * A packet that may take several channels, or several lanes of one, chooses when it is the first in
 * its inlet: the channel where the least is to be sent, of its lanes one that it can enter at once,
 * else the one where the least waits. What is to be sent: packets that wait here for the channel,
 * and the words that were sent and are still in the inlet at its end as far as is known here (of
 * which a credit is not back). Where ways of different length compete (UGAL), that counts as often
 * as the way has hops. Then the packet keeps to its choice, also while it waits.
 *
 * All of this is the state of one element. The words under way are known by credits, `control`
 * after they have left, as a real switch knows them. */

static bool may_enter(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    return htmt__port_free(&k->place->outlet[htmt__wanted_outlet(e)].port, k->now) &&
           has_room(k, e);
}

/* In fs on the wire, of one lane. */
static htmt_time load_of(const struct htmt__fabric_step *k, uint32_t channel, uint32_t outlet)
{
    const struct htmt__transmit_port *port = &k->place->outlet[outlet].port;
    const htmt_time waits = htmt__work_of(k->f, channel, k->place->queue[outlet].waiting);
    htmt_time sent = port->end > k->now && port->end != HTMT_TIME_MAX ? port->end - k->now : 0;
    if (k->f->view[channel].bounded)
        sent = k->f->worm ? htmt__stream_sent(k, channel, outlet)
                          : htmt__work_of(k->f, channel, port->taken);
    return waits + sent;
}

struct choice {
    htmt_uwide cost;
    bool waits;
    htmt_time load;
    uint32_t channel, lane;
};

/* Nothing is better: what comes later is not even asked. */
static bool is_best(const struct choice *c)
{
    return !c->cost && !c->waits && !c->load;
}

static bool is_better(const struct choice *a, const struct choice *b)
{
    if (a->cost != b->cost)
        return a->cost < b->cost;
    return a->waits != b->waits ? b->waits : a->load < b->load;
}

/* The lanes of a channel that the packet may take: its own, or all of its class. */
static void weigh(struct htmt__fabric_step *k, struct htmt__fabric_event *e,
                  const struct htmt__allowed *way, struct choice *best)
{
    const struct htmt__fabric *f = k->f;
    const uint32_t channel = way->next.channel;
    const uint32_t step = f->t->inside.dynamic ? f->classes : f->lanes;
    htmt__channel_know(f, channel);
    const uint32_t first = htmt__outlet_number(f, channel, e->packet.plane, 0);
    htmt_uwide cost = way->bias ? (htmt_uwide)htmt__work_of(f, channel, way->bias) : 0;
    htmt_time load[HTMT__LANES_MOST];
    if (f->flows && !k->place->stream[first].open)
        htmt__place_open(k, channel);
    for (uint32_t i = 0; i < f->lanes; i++) {
        load[i] = load_of(k, channel, first + i);
        cost += way->hops == 1 ? (uint64_t)load[i] : (htmt_uwide)load[i] * way->hops;
    }
    uint32_t lane = f->t->inside.dynamic ? way->next.lane % f->classes : way->next.lane;
    for (; lane < f->lanes && !is_best(best); lane += step) {
        htmt__want(f, e, channel, lane);
        const struct choice c = {cost, !may_enter(k, e), load[lane], channel, lane};
        if ((!c.waits || way->waits) && is_better(&c, best))
            *best = c;
    }
}

static __attribute__((noinline)) void choose(struct htmt__fabric_step *k,
                                             struct htmt__fabric_event *e)
{
    const struct htmt__fabric *f = k->f;
    struct htmt__allowed way[HTMT__WAYS_MOST];
    const struct htmt__bound bound = htmt__bound_of(f, &e->packet);
    const uint32_t n = htmt__route_ways(f->t, htmt__element_of(f, &e->packet, &bound), &bound, way);
    if (n == 1 && (!f->t->inside.dynamic || f->lanes == 1)) {
        htmt__want(f, e, way->next.channel, way->next.lane);
        return;
    }
    struct choice best = {.cost = ~(htmt_uwide)0, .waits = true, .load = HTMT_TIME_MAX};
    uint32_t at = f->t->inside.ties == HTMT__TIES_HASH
                      ? (uint32_t)((bound.draw >> 32) * UINT64_C(0x9e3779b9) + bound.hops) % n
                      : 0;
    for (uint32_t i = 0; i < n && !is_best(&best); i++, at = at + 1 < n ? at + 1 : 0)
        weigh(k, e, &way[at], &best);
    htmt__want(f, e, best.channel, best.lane);
}

/* ---- in an inlet ----------------------------------------------------------------------------- */

/* The packet acts later on. */
static __attribute__((noinline)) void put_off(struct htmt__fabric_step *k,
                                              struct htmt__fabric_event *e,
                                              enum htmt__fabric_kind kind, htmt_time at)
{
    e->at = at;
    e->slice = k->place->slice;
    e->channel = e->packet.channel;
    e->kind = (uint8_t)kind;
    k->continues = true;
}

/* The first in its inlet asks for its outlet, if that is faster than what comes only so late that
 * it does not run dry: its last word may not leave before it has come. */
static INLINE void go_on(struct htmt__fabric_step *k, struct htmt__fabric_event *e, bool chooses)
{
    struct htmt__inlet *in = k->f->unbounded ? NULL : htmt__inlet_of(k, &e->packet);
    if (in)
        in->left = HTMT_TIME_MAX;
    if (chooses)
        choose(k, e);
    htmt_time at = k->now;
    if ((e->packet.channel == HTMT__NOWHERE ? !k->f->flows_in : k->f->defers) &&
        e->time[0] != HTMT_TIME_MAX)
        at = e->time[0] - htmt__work_of(k->f, htmt__wanted(e), bytes_on(k, &e->packet)) -
             k->f->t->inside.setup;
    if (at <= k->now)
        request(k, e);
    else
        put_off(k, e, HTMT__READY, at);
}

void htmt__packet_ready(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    request(k, e);
}

/* Nothing has a limit: no port is occupied, and packets pass each other. */
static __attribute__((noinline)) void pass(struct htmt__fabric_step *k,
                                           struct htmt__fabric_event *e)
{
    const htmt_time end = e->time[0] > k->now ? e->time[0] : k->now;
    struct htmt__outlet *o = &k->place->outlet[htmt__wanted_outlet(e)];
    struct htmt__packet *p = &e->packet;
    htmt__packet_enter(k, p, htmt__wanted(e), htmt__wanted_lane(e));
    htmt__port_take(&o->port, htmt__queue_of(k, o), k->now, k->now, p->bytes);
    k->sink->hop(k->sink->user, p, p->channel, k->now);
    if (p->hops == 1)
        htmt__post_packet(k, HTMT__LEFT, end, p);
    htmt__post_onward(k, e, k->now, end);
}

/* Behind others in its inlet. */
static __attribute__((noinline)) void wait(struct htmt__fabric_step *k, struct htmt__inlet *in,
                                           const struct htmt__fabric_event *e)
{
    struct htmt__waits *own = htmt__place_waits(k, e);
    if (!own)
        return;
    const bool alone = !in->behind.first;
    htmt__requests_append(&in->behind, &own->request);
    if (alone)
        htmt__post_first(k, in);
}

static INLINE void ask(struct htmt__fabric_step *k, struct htmt__fabric_event *e, bool chooses)
{
    if (k->f->free) {
        if (chooses)
            choose(k, e);
        pass(k, e);
        return;
    }
    struct htmt__inlet *in = k->f->unbounded ? NULL : htmt__inlet_of(k, &e->packet);
    if (!in || (in->left <= k->now && !in->behind.first))
        go_on(k, e, chooses);
    else
        wait(k, in, e);
}

/* An event that was brought forward or put off: as many are void as the inlet was told. */
static bool is_void(struct htmt__fabric_step *k, const struct htmt__packet *p)
{
    if (!k->f->stored || !k->f->flows)
        return false;
    const struct htmt__inlet *in = htmt__inlet_of(k, p);
    if (!in)
        return false;
    struct htmt__request **at = &htmt__update_of(k, in)->voids;
    while (*at && ((*at)->since != k->now || !htmt__is(*at, p)))
        at = &(*at)->next;
    struct htmt__request *r = *at;
    if (!r)
        return false;
    *at = r->next;
    htmt__place_forget(k, htmt__waits_of(r));
    return true;
}

void htmt__packet_void(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct htmt__inlet_update *n = htmt__update_of(k, htmt__inlet_of(k, &e->packet));
    struct htmt__waits *own = htmt__place_waits(k, e);
    if (!own)
        return;
    own->request = (struct htmt__request){n->voids, k->now, e->amount, (uint32_t)e->time[1]};
    n->voids = &own->request;
}

void htmt__packet_asks(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    if (!is_void(k, &e->packet))
        ask(k, e, false);
}

void htmt__choosing_asks(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    if (!is_void(k, &e->packet))
        ask(k, e, true);
}

static INLINE void first(struct htmt__fabric_step *k, struct htmt__fabric_event *e, bool chooses)
{
    struct htmt__inlet *in = htmt__inlet_of(k, &e->packet);
    if (in->left > k->now || !htmt__is(in->behind.first, &e->packet)) {
        k->is_void = k->f->lanes > 1;
        return;
    }
    struct htmt__waits *w = htmt__waits_of(htmt__requests_pop(&in->behind));
    *e = w->event;
    htmt__place_forget(k, w);
    go_on(k, e, chooses);
}

void htmt__packet_first(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    first(k, e, false);
}

void htmt__choosing_first(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    first(k, e, true);
}

/* ---- at a router ----------------------------------------------------------------------------- */

/* A router takes packets in the order in which they come, and routes each; one between source and
 * target copies it, too, without its port number. Then the packet asks. */
static INLINE void route(struct htmt__fabric_step *k, struct htmt__fabric_event *e, bool chooses)
{
    const struct htmt__fabric *f = k->f;
    const struct htmt__packet *p = &e->packet;
    const bool sends = p->channel == HTMT__NOWHERE;
    if (!f->routes) {
        ask(k, e, chooses);
        return;
    }
    struct htmt__router_service r = {.slice = k->place->slice,
                                     .element = sends ? f->t->end_of[p->source]
                                                      : f->view[p->channel].element,
                                     .plane = p->plane,
                                     .route = f->t->inside.route,
                                     .copy = sends ? 0 : htmt_charge_time(f->copy, bytes_on(k, p))};
    htmt_time *free = &k->place->router[f->router[r.element] * f->planes + r.plane];
    r.queues = *free > k->now;
    *free = (r.queues ? *free : k->now) + r.route + r.copy;
    const htmt_time at = *free;
    if (k->sink->routes)
        k->sink->routes(k->sink->user, &r);
    if (at <= k->now)
        ask(k, e, chooses);
    else
        put_off(k, e, HTMT__ASKS, at);
}

void htmt__packet_inject(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    if (k->f->chooses) {
        route(k, e, true);
        return;
    }
    htmt__next_channel_find(k->f, e);
    route(k, e, false);
}

void htmt__packet_arrives(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    if (!is_void(k, &e->packet))
        route(k, e, false);
}

void htmt__choosing_arrives(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    if (!is_void(k, &e->packet))
        route(k, e, true);
}

/* ---- at its ends ----------------------------------------------------------------------------- */

void htmt__packet_left(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    if (!k->f->flows || htmt__stream_left(k, e))
        k->sink->left(k->sink->user, &e->packet, k->now);
    else
        k->is_void = k->f->lanes > 1;
}

/* Its last word comes at `tail`, unless another time is told before. */
static void expect(struct htmt__fabric_step *k, struct htmt__waits *w, htmt_time tail)
{
    w->event.time[0] = tail;
    if (tail != HTMT_TIME_MAX)
        htmt__post_packet(k, HTMT__LAST, tail, &w->event.packet);
}

/* With one lane nobody shares the wires of a packet whose head is there, so its tail is sure; else
 * it stands in the inlet until its last word has come. */
void htmt__packet_head(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const bool sure = k->f->lanes == 1;
    struct htmt__inlet *in = sure ? NULL : htmt__inlet_of(k, &e->packet);
    const htmt_time tail = latest_tail(k, in, e);
    k->sink->head(k->sink->user, &e->packet, k->now, tail, sure);
    if (sure)
        return;
    struct htmt__waits *own = htmt__place_waits(k, e);
    if (!own)
        return;
    htmt__requests_append(&in->behind, &own->request);
    expect(k, own, tail);
}

static struct htmt__request **expected(struct htmt__inlet *in, uint64_t key, uint32_t number)
{
    struct htmt__request **at = &in->behind.first;
    while (*at && ((*at)->key != key || (*at)->number != number))
        at = &(*at)->next;
    return at;
}

void htmt__packet_last(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct htmt__inlet *in = htmt__inlet_of(k, &e->packet);
    struct htmt__request **at = expected(in, e->packet.key, e->packet.number);
    k->is_void = !*at || htmt__waits_of(*at)->event.time[0] != k->now;
    if (k->is_void)
        return;
    struct htmt__waits *w = htmt__waits_of(*at);
    if (in->behind.last == *at)
        in->behind.last =
            at == &in->behind.first
                ? NULL
                : (struct htmt__request *)((char *)at - offsetof(struct htmt__request, next));
    *at = (*at)->next;
    htmt__place_forget(k, w);
    k->sink->arrived(k->sink->user, &e->packet, k->now);
}

/* The last word of a packet comes at another time. The packet transmits already, or stands at its
 * target, or has not begun: then the inlet keeps what it was told. */
void htmt__packet_tail(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct htmt__inlet *in = htmt__inlet_of(k, &e->packet);
    if (k->f->view[e->channel].ejects) {
        struct htmt__request *r = *expected(in, e->amount, (uint32_t)e->time[1]);
        if (r) {
            expect(k, htmt__waits_of(r), e->time[0]);
            return;
        }
    } else if (htmt__stream_tail(k, in->outlet, e)) {
        return;
    }
    struct htmt__inlet_update *n = htmt__update_of(k, in);
    in->updated = true;
    n->tail = e->time[0];
    n->rest = (htmt_time)e->packet.bytes;
    n->feed = e->packet.route;
    n->heard = k->now;
    n->key = e->amount;
    n->whose = e->packet.whose;
    n->number = (uint32_t)e->time[1];
}
