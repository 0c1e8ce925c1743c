/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/network/packet.h"
#include "layers/network/lane_stream.h"
#include "layers/network/next_channel.h"

/* What nearly every event passes through is one function. */
#define INLINE inline __attribute__((always_inline))

/* ---- Into an outlet -----------------------------------------------------------------------------
 */

static bool bounded(const struct htmt__fabric_step *k, uint32_t channel)
{
    return channel != HTMT__NOWHERE && k->f->view[channel].bounded;
}

/* Where it comes from. */
struct origin {
    struct htmt__inlet *in; /* NULL: its sender, or nothing is known of inlets */
    uint32_t channel;
    uint8_t lane;
    uint64_t bytes; /* there */
};

static struct origin origin_of(const struct htmt__fabric_step *k, const struct htmt__packet *p)
{
    const bool counts = !k->f->unbounded || k->f->flows;
    return (struct origin){counts ? htmt__inlet_of(k, p) : NULL, p->channel, p->lane, p->bytes};
}

/* The inlet that the packet leaves at `end`. */
static void leave(struct htmt__fabric_step *k, const struct htmt__fabric_event *e,
                  const struct origin *from, uint32_t outlet, htmt_time end)
{
    struct htmt__inlet *in = from->in;
    if (!in)
        return;
    if (e->time[0] > k->now)
        in->outlet = outlet;
    in->left = end;
    if (in->behind.first)
        htmt__post_first(k, in);
    if (!k->f->worm && bounded(k, from->channel))
        htmt__post_credit(k, &e->packet, from->channel, from->lane, from->bytes, end);
}

/* What was told of it before it begins. */
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

static inline htmt_time latest_tail(const struct htmt__fabric_step *k, struct htmt__inlet *in,
                                    const struct htmt__fabric_event *e)
{
    return in && in->updated ? told_tail(k, in, e) : e->time[0];
}

/* Its time at the full rate, and its end then; the end is the present if time overflows. */
static INLINE htmt_time service(struct htmt__fabric_step *k, const struct htmt__packet *p,
                                htmt_time *end)
{
    const htmt_time work = htmt__work_of(k->f, p->channel, p->bytes);
    if (work < 0 || __builtin_add_overflow(k->now + k->f->t->inside.setup, work, end) ||
        *end > HTMT_TIME_MAX / 2) {
        k->sink->fail(k->sink->user, HTMT_EOVERFLOW, "the time of a packet");
        *end = k->now;
        return -1;
    }
    return work;
}

/* The packet that acts enters the outlet that it wants. */
static INLINE void enter(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = htmt__wanted_outlet(e);
    struct htmt__outlet *o = &k->place->outlet[outlet];
    struct htmt__packet *p = &e->packet;
    const struct origin from = origin_of(k, p);
    htmt_time end;
    if (k->f->flows)
        k->place->stream[outlet].packet =
            *p; /* a copy of what was just written would wait for it */
    htmt__packet_enter(k, p, htmt__wanted(e), htmt__wanted_lane(e));
    const htmt_time work = service(k, p, &end);
    if (k->f->flows) {
        e->time[0] = latest_tail(k, from.in, e);
        if (work >= 0)
            end = htmt__stream_begin(k, outlet, e, from.channel, from.lane, work);
    }
    htmt__port_take(&o->port, htmt__queue_of(k, o), k->now, end, p->bytes);
    if (!k->f->worm)
        o->port.room -= bounded(k, p->channel) ? p->bytes : 0;
    k->sink->hop(k->sink->user, p, p->channel, k->now);
    htmt__port_watch(k, p, false);
    leave(k, e, &from, outlet, end);
    if (k->f->flows)
        htmt__stream_begun(k, outlet);
    else if (p->hops == 1)
        htmt__post_packet(k, HTMT__LEFT, end, p);
    htmt__post_onward(k, e, k->now + k->f->t->inside.setup, end);
}

static __attribute__((noinline)) void begin(struct htmt__fabric_step *k,
                                            struct htmt__fabric_event *e)
{
    enter(k, e);
}

/* ---- Requests -----------------------------------------------------------------------------------
 */

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
    return k->place->outlet[htmt__wanted_outlet(e)].port.room >= bytes_on(k, &e->packet);
}

static __attribute__((noinline)) void queue(struct htmt__fabric_step *k,
                                            const struct htmt__fabric_event *e)
{
    struct htmt__outlet *o = &k->place->outlet[htmt__wanted_outlet(e)];
    struct htmt__waits *own = htmt__place_waits(k, e);
    if (!own)
        return;
    htmt__port_join(&o->port, htmt__queue_of(k, o), &own->request, k->now);
    if (o->port.end <= k->now && o->port.hold == HTMT__PORT_RUNS)
        htmt__port_set(&o->port, htmt__queue_of(k, o), HTMT__PORT_HELD, k->now);
    if (o->port.queue.first == &own->request)
        htmt__post_wake(k, o);
    if (__builtin_expect(k->sink->watch != NULL, 0)) {
        const struct htmt__packet wanted = htmt__packet_entered(k, e);
        htmt__port_watch(k, &wanted, true);
    }
}

static INLINE void request(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const struct htmt__outlet *o = &k->place->outlet[htmt__wanted_outlet(e)];
    if (htmt__port_free(&o->port, k->now) && has_room(k, e))
        enter(k, e);
    else
        queue(k, e);
}

/* It stays idle for want of room. */
static void hold(struct htmt__fabric_step *k, struct htmt__outlet *o,
                 const struct htmt__fabric_event *e)
{
    if (o->port.hold != HTMT__PORT_RUNS)
        return;
    htmt__port_set(&o->port, htmt__queue_of(k, o), HTMT__PORT_HELD, k->now);
    if (__builtin_expect(k->sink->watch != NULL, 0)) {
        const struct htmt__packet wanted = htmt__packet_entered(k, e);
        htmt__port_watch(k, &wanted, true);
    }
}

void htmt__packet_wakes(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct htmt__outlet *o = &k->place->outlet[htmt__wanted_outlet(e)];
    if (o->port.end > k->now || !htmt__is(o->port.queue.first, &e->packet))
        return;
    struct htmt__waits *w = htmt__waits_of(o->port.queue.first);
    if (!has_room(k, &w->event)) {
        hold(k, o, &w->event);
        return;
    }
    htmt__port_leave(&o->port, htmt__queue_of(k, o), k->now);
    *e = w->event;
    htmt__place_forget(k, w);
    begin(k, e);
    htmt__post_wake(k, o);
}

void htmt__packet_credit(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct htmt__outlet *o = htmt__outlet_of(k, e->channel, e->packet.plane, e->packet.lane);
    o->port.room += e->amount;
    if (o->port.end <= k->now)
        htmt__post_wake(k, o);
}

/* ---- In an inlet --------------------------------------------------------------------------------
 */

/* When an outlet that is faster than what comes will not run dry. */
static htmt_time ready(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    if ((e->packet.channel != HTMT__NOWHERE && !k->f->defers) || e->time[0] == HTMT_TIME_MAX)
        return k->now;
    const htmt_time work = htmt__work_of(k->f, htmt__wanted(e), bytes_on(k, &e->packet));
    return e->time[0] - work - k->f->t->inside.setup;
}

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

/* The first in its inlet. */
static INLINE void go_on(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct htmt__inlet *in = k->f->unbounded ? NULL : htmt__inlet_of(k, &e->packet);
    if (in)
        in->left = HTMT_TIME_MAX;
    const htmt_time at = ready(k, e);
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

static bool take_void(struct htmt__fabric_step *k, struct htmt__request **at,
                      const struct htmt__packet *p)
{
    while (*at && ((*at)->since != k->now || !htmt__is(*at, p)))
        at = &(*at)->next;
    struct htmt__request *r = *at;
    if (!r)
        return false;
    *at = r->next;
    htmt__place_forget(k, htmt__waits_of(r));
    return true;
}

static INLINE void ask(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    if (k->f->free) {
        pass(k, e);
        return;
    }
    struct htmt__inlet *in = k->f->unbounded ? NULL : htmt__inlet_of(k, &e->packet);
    if (!in || (in->left <= k->now && !in->behind.first))
        go_on(k, e);
    else
        wait(k, in, e);
}

/* An event that was brought forward or put off: as many as were told. */
static bool is_void(struct htmt__fabric_step *k, const struct htmt__packet *p)
{
    if (!k->f->stored || !k->f->flows)
        return false;
    const struct htmt__inlet *in = htmt__inlet_of(k, p);
    if (!in)
        return false;
    return take_void(k, &htmt__update_of(k, in)->voids, p);
}

void htmt__packet_asks(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    if (!is_void(k, &e->packet))
        ask(k, e);
}

void htmt__packet_first(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct htmt__inlet *in = htmt__inlet_of(k, &e->packet);
    if (in->left > k->now || !htmt__is(in->behind.first, &e->packet))
        return;
    struct htmt__waits *w = htmt__waits_of(htmt__requests_pop(&in->behind));
    *e = w->event;
    htmt__place_forget(k, w);
    go_on(k, e);
}

/* ---- At a router --------------------------------------------------------------------------------
 */

/* Routers between copy it, too, without their port numbers. */
static struct htmt__router_service routing_of(const struct htmt__fabric_step *k,
                                              const struct htmt__packet *p)
{
    const struct htmt__fabric *f = k->f;
    const bool sends = p->channel == HTMT__NOWHERE;
    return (struct htmt__router_service){
        .slice = k->place->slice,
        .element = sends ? f->t->end_of[p->source] : f->view[p->channel].element,
        .plane = p->plane,
        .route = f->t->inside.route,
        .copy = sends ? 0 : htmt_charge_time(f->copy, bytes_on(k, p))};
}

/* When it has had its turn there. */
static htmt_time routed(struct htmt__fabric_step *k, const struct htmt__packet *p)
{
    struct htmt__router_service r = routing_of(k, p);
    htmt_time *free = &k->place->router[k->f->router[r.element] * k->f->planes + r.plane];
    r.queues = *free > k->now;
    *free = (r.queues ? *free : k->now) + r.route + r.copy;
    if (k->sink->routes)
        k->sink->routes(k->sink->user, &r);
    return *free;
}

static void route(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const htmt_time at = k->f->routes ? routed(k, &e->packet) : k->now;
    if (at <= k->now)
        ask(k, e);
    else
        put_off(k, e, HTMT__ASKS, at);
}

void htmt__packet_inject(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    htmt__next_channel_find(k->f, e);
    route(k, e);
}

void htmt__packet_arrives(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    if (!is_void(k, &e->packet))
        route(k, e);
}

/* ---- At its ends --------------------------------------------------------------------------------
 */

void htmt__packet_left(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    if (!k->f->flows || htmt__stream_left(k, e))
        k->sink->left(k->sink->user, &e->packet, k->now);
}

/* Its last word comes at `tail`, unless another time is told before. */
static void expect(struct htmt__fabric_step *k, struct htmt__waits *w, htmt_time tail)
{
    w->event.time[0] = tail;
    if (tail != HTMT_TIME_MAX)
        htmt__post_packet(k, HTMT__LAST, tail, &w->event.packet);
}

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
    if (!*at || htmt__waits_of(*at)->event.time[0] != k->now)
        return;
    struct htmt__waits *w = htmt__waits_of(*at);
    struct htmt__request *before =
        at == &in->behind.first
            ? NULL
            : (struct htmt__request *)((char *)at - offsetof(struct htmt__request, next));
    if (in->behind.last == *at)
        in->behind.last = before;
    *at = (*at)->next;
    htmt__place_forget(k, w);
    k->sink->arrived(k->sink->user, &e->packet, k->now);
}

/* ---- Its last word comes at another time
 * ---------------------------------------------------------- */

/* false: the packet is not there, or has not begun. */
static bool take_tail(struct htmt__fabric_step *k, struct htmt__inlet *in,
                      const struct htmt__fabric_event *e)
{
    if (!k->f->view[e->channel].ejects)
        return htmt__stream_tail(k, in->outlet, e);
    struct htmt__request *r = *expected(in, e->amount, (uint32_t)e->time[1]);
    if (r)
        expect(k, htmt__waits_of(r), e->time[0]);
    return r;
}

void htmt__packet_tail(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    struct htmt__inlet *in = htmt__inlet_of(k, &e->packet);
    if (take_tail(k, in, e))
        return;
    struct htmt__inlet_update *n = htmt__update_of(k, in);
    in->updated = true;
    n->tail = e->time[0];
    n->key = e->amount;
    n->whose = e->packet.whose;
    n->number = (uint32_t)e->time[1];
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
