/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/fabric/packet.h"
#include "layers/fabric/stream.h"
#include "layers/fabric/way.h"

/* ---- Into an outlet -----------------------------------------------------------------------------
 */

static bool bounded(const struct htmt__fabric_turn *k, uint32_t channel)
{
    return channel != HTMT__NOWHERE && k->f->lead[channel].bounded;
}

/* The inlet that the packet leaves at `end`. */
static void leave(struct htmt__fabric_turn *k, const struct htmt__waits *w, uint32_t outlet,
                  htmt_time end)
{
    if (w->packet.channel == HTMT__NOWHERE || (k->f->unbounded && !k->f->flows))
        return;
    struct htmt__inlet *in = htmt__inlet_of(k, &w->packet);
    if (w->tail > k->now)
        in->outlet = outlet;
    in->left = end;
    htmt__post_first(k, in);
    if (!k->f->worm && bounded(k, w->packet.channel))
        htmt__post_credit(k, &w->packet, w->packet.channel, w->packet.lane, w->packet.bytes, end);
}

/* What was told of it before it begins. */
static htmt_time latest_tail(const struct htmt__fabric_turn *k, const struct htmt__waits *w)
{
    struct htmt__inlet *in = htmt__inlet_of(k, &w->packet);
    if (!in || !in->news)
        return w->tail;
    const struct htmt__inlet_news *n = htmt__news_of(k, in);
    if (n->key != w->packet.key || n->whose != w->packet.whose || n->number != w->packet.number)
        return w->tail;
    in->news = false;
    return n->tail;
}

static htmt_time service(struct htmt__fabric_turn *k, uint32_t outlet, struct htmt__waits *w,
                         const struct htmt__packet *p)
{
    const htmt_time work = htmt__work_of(k->f, w->channel, p->bytes);
    htmt_time end;
    if (work < 0 || __builtin_add_overflow(k->now + k->f->t->inside.setup, work, &end) ||
        end > HTMT_TIME_MAX / 2) {
        k->sink->fail(k->sink->user, HTMT_EOVERFLOW, "the time of a packet");
        return k->now;
    }
    if (!k->f->flows)
        return end;
    w->tail = latest_tail(k, w);
    return htmt__stream_begin(k, outlet, w, p, work);
}

static void begin(struct htmt__fabric_turn *k, uint32_t outlet, struct htmt__waits *w)
{
    struct htmt__outlet *o = &k->place->outlet[outlet];
    const struct htmt__packet p = htmt__way_entered(k, w);
    const htmt_time end = service(k, outlet, w, &p);
    htmt__port_take(&o->port, htmt__queue_of(k, o), k->now, end, p.bytes);
    if (!k->f->worm)
        o->port.room -= bounded(k, w->channel) ? p.bytes : 0;
    k->sink->hop(k->sink->user, &p, w->channel, k->now);
    htmt__way_watch(k, &p, false);
    leave(k, w, outlet, end);
    htmt__post_onward(k, &p, k->now + k->f->t->inside.setup, end);
    if (k->f->flows)
        htmt__stream_begun(k, outlet);
    else if (p.hops == 1)
        htmt__post_packet(k, HTMT__LEFT, end, &p);
}

/* ---- Requests -----------------------------------------------------------------------------------
 */

static uint64_t bytes_on(const struct htmt__fabric_turn *k, const struct htmt__packet *p)
{
    return p->bytes - (p->channel == HTMT__NOWHERE ? 0 : k->f->t->inside.header_hop);
}

static bool has_room(const struct htmt__fabric_turn *k, uint32_t outlet,
                     const struct htmt__waits *w)
{
    if (!k->f->lead[w->channel].bounded)
        return true;
    if (k->f->worm)
        return htmt__stream_room(k, outlet);
    return k->place->outlet[outlet].port.room >= bytes_on(k, &w->packet);
}

static void queue(struct htmt__fabric_turn *k, uint32_t outlet, const struct htmt__waits *w)
{
    struct htmt__outlet *o = &k->place->outlet[outlet];
    struct htmt__waits *own = htmt__place_waits(k, w);
    if (!own)
        return;
    htmt__port_join(&o->port, htmt__queue_of(k, o), &own->request, k->now);
    if (o->port.end <= k->now && o->port.hold == HTMT__PORT_RUNS)
        htmt__port_set(&o->port, htmt__queue_of(k, o), HTMT__PORT_HELD, k->now);
    if (o->port.queue.first == &own->request)
        htmt__post_wake(k, o);
    if (__builtin_expect(k->sink->watch != NULL, 0)) {
        const struct htmt__packet wanted = htmt__way_entered(k, w);
        htmt__way_watch(k, &wanted, true);
    }
}

static void request(struct htmt__fabric_turn *k, struct htmt__waits *w)
{
    const uint32_t outlet = htmt__outlet_number(k->f, w->channel, w->packet.plane, w->lane);
    if (htmt__port_free(&k->place->outlet[outlet].port, k->now) && has_room(k, outlet, w))
        begin(k, outlet, w);
    else
        queue(k, outlet, w);
}

/* It stays idle for want of room. */
static void hold(struct htmt__fabric_turn *k, struct htmt__outlet *o, const struct htmt__waits *w)
{
    if (o->port.hold != HTMT__PORT_RUNS)
        return;
    htmt__port_set(&o->port, htmt__queue_of(k, o), HTMT__PORT_HELD, k->now);
    if (__builtin_expect(k->sink->watch != NULL, 0)) {
        const struct htmt__packet wanted = htmt__way_entered(k, w);
        htmt__way_watch(k, &wanted, true);
    }
}

void htmt__packet_wakes(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    const uint32_t outlet =
        htmt__outlet_number(k->f, e->channel, e->packet.plane, (uint32_t)e->amount);
    struct htmt__outlet *o = &k->place->outlet[outlet];
    if (o->port.end > k->now || !htmt__is(o->port.queue.first, &e->packet))
        return;
    struct htmt__waits *w = htmt__waits_of(o->port.queue.first);
    if (!has_room(k, outlet, w)) {
        hold(k, o, w);
        return;
    }
    htmt__port_leave(&o->port, htmt__queue_of(k, o), k->now);
    begin(k, outlet, w);
    htmt__place_forget(k, w);
    htmt__post_wake(k, o);
}

void htmt__packet_credit(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    struct htmt__outlet *o = htmt__outlet_of(k, e->channel, e->packet.plane, e->packet.lane);
    o->port.room += e->amount;
    if (o->port.end <= k->now)
        htmt__post_wake(k, o);
}

/* ---- In an inlet --------------------------------------------------------------------------------
 */

/* When an outlet that is faster than what comes will not run dry. */
static htmt_time ready(const struct htmt__fabric_turn *k, const struct htmt__waits *w)
{
    if (w->tail == HTMT_TIME_MAX || (w->packet.channel != HTMT__NOWHERE && !k->f->defers))
        return k->now;
    const htmt_time work = htmt__work_of(k->f, w->channel, bytes_on(k, &w->packet));
    return w->tail - work - k->f->t->inside.setup;
}

/* A packet that acts, and the channel and lane that it wants, are in an event and back. */
static void post(struct htmt__fabric_turn *k, enum htmt__fabric_kind kind, htmt_time at,
                 const struct htmt__waits *w)
{
    k->sink->post(k->sink->user,
                  &(struct htmt__fabric_event){
                      .at = at,
                      .packet = w->packet,
                      .slice = k->place->slice,
                      .channel = w->packet.channel,
                      .kind = (uint8_t)kind,
                      .time = {w->tail, w->channel},
                      .amount = htmt__wish(k->f, w->channel, w->packet.plane, w->lane)});
}

static struct htmt__waits acting(const struct htmt__fabric_event *e)
{
    return (struct htmt__waits){.packet = e->packet,
                                .tail = e->time[0],
                                .channel = (uint32_t)e->time[1],
                                .lane = (uint32_t)(e->amount & UINT8_MAX)};
}

/* The first in its inlet. */
static void go_on(struct htmt__fabric_turn *k, struct htmt__waits *w)
{
    struct htmt__inlet *in = k->f->unbounded ? NULL : htmt__inlet_of(k, &w->packet);
    if (in)
        in->left = HTMT_TIME_MAX;
    const htmt_time at = ready(k, w);
    if (at <= k->now) {
        request(k, w);
        return;
    }
    post(k, HTMT__READY, at, w);
}

void htmt__packet_ready(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    struct htmt__waits w = acting(e);
    request(k, &w);
}

/* Nothing has a limit: no port is occupied, and packets pass each other. */
static void pass(struct htmt__fabric_turn *k, struct htmt__waits *w)
{
    const struct htmt__packet p = htmt__way_entered(k, w);
    const htmt_time end = w->tail > k->now ? w->tail : k->now;
    struct htmt__outlet *o =
        &k->place->outlet[htmt__outlet_number(k->f, w->channel, p.plane, w->lane)];
    htmt__port_take(&o->port, htmt__queue_of(k, o), k->now, k->now, p.bytes);
    k->sink->hop(k->sink->user, &p, w->channel, k->now);
    htmt__post_onward(k, &p, k->now, end);
    if (p.hops == 1)
        htmt__post_packet(k, HTMT__LEFT, end, &p);
}

static void ask(struct htmt__fabric_turn *k, struct htmt__waits *w)
{
    if (k->f->free) {
        pass(k, w);
        return;
    }
    struct htmt__inlet *in = htmt__inlet_of(k, &w->packet);
    if (!in || k->f->unbounded || (in->left <= k->now && !in->behind.first)) {
        go_on(k, w);
        return;
    }
    struct htmt__waits *own = htmt__place_waits(k, w);
    if (!own)
        return;
    const bool alone = !in->behind.first;
    htmt__requests_append(&in->behind, &own->request);
    if (alone)
        htmt__post_first(k, in);
}

static bool take_void(struct htmt__fabric_turn *k, struct htmt__request **at,
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

/* An event that was brought forward or put off: as many as were told. */
static bool is_void(struct htmt__fabric_turn *k, const struct htmt__packet *p)
{
    const struct htmt__inlet *in = htmt__inlet_of(k, p);
    if (!k->f->stored || !k->f->flows || !in)
        return false;
    return take_void(k, &htmt__news_of(k, in)->voids, p);
}

void htmt__packet_asks(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    struct htmt__waits w = acting(e);
    if (!is_void(k, &w.packet))
        ask(k, &w);
}

void htmt__packet_first(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    struct htmt__inlet *in = htmt__inlet_of(k, &e->packet);
    if (in->left > k->now || !htmt__is(in->behind.first, &e->packet))
        return;
    struct htmt__waits *w = htmt__waits_of(htmt__requests_pop(&in->behind));
    go_on(k, w);
    htmt__place_forget(k, w);
}

/* ---- At a router --------------------------------------------------------------------------------
 */

/* Routers between copy it, too, without their port numbers. */
static struct htmt__router_turn routing_of(const struct htmt__fabric_turn *k,
                                           const struct htmt__packet *p)
{
    const struct htmt__fabric *f = k->f;
    const bool sends = p->channel == HTMT__NOWHERE;
    return (struct htmt__router_turn){
        .slice = k->place->slice,
        .element = sends ? f->t->end_of[p->source] : f->lead[p->channel].element,
        .plane = p->plane,
        .route = f->t->inside.route,
        .copy = sends ? 0 : htmt_charge_time(f->copy, bytes_on(k, p))};
}

/* When it has had its turn there. */
static htmt_time routed(struct htmt__fabric_turn *k, const struct htmt__packet *p)
{
    struct htmt__router_turn r = routing_of(k, p);
    htmt_time *free = &k->place->router[k->f->router[r.element] * k->f->planes + r.plane];
    r.queues = *free > k->now;
    *free = (r.queues ? *free : k->now) + r.route + r.copy;
    if (k->sink->routes)
        k->sink->routes(k->sink->user, &r);
    return *free;
}

static void route(struct htmt__fabric_turn *k, struct htmt__waits *w)
{
    const htmt_time at = k->f->routes ? routed(k, &w->packet) : k->now;
    if (at <= k->now)
        ask(k, w);
    else
        post(k, HTMT__ASKS, at, w);
}

void htmt__packet_inject(struct htmt__fabric_turn *k, const struct htmt__packet *p, htmt_time tail)
{
    struct htmt__waits w = {.packet = *p, .tail = tail};
    htmt__way_find(k->f, p, &w.channel, &w.lane);
    route(k, &w);
}

void htmt__packet_arrives(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    struct htmt__waits w = acting(e);
    if (!is_void(k, &w.packet))
        route(k, &w);
}

/* ---- At its ends --------------------------------------------------------------------------------
 */

void htmt__packet_left(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    if (!k->f->flows || htmt__stream_left(k, e))
        k->sink->left(k->sink->user, &e->packet, k->now);
}

/* Its last word comes at `tail`, unless another time is told before. */
static void expect(struct htmt__fabric_turn *k, struct htmt__waits *w, htmt_time tail)
{
    w->tail = tail;
    if (tail != HTMT_TIME_MAX)
        htmt__post_packet(k, HTMT__LAST, tail, &w->packet);
}

void htmt__packet_head(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    struct htmt__waits w = {.packet = e->packet, .tail = e->time[0]};
    const bool sure = k->f->lanes == 1;
    const htmt_time tail = sure ? w.tail : latest_tail(k, &w);
    k->sink->head(k->sink->user, &e->packet, k->now, tail, sure);
    if (sure)
        return;
    struct htmt__waits *own = htmt__place_waits(k, &w);
    if (!own)
        return;
    htmt__requests_append(&htmt__inlet_of(k, &e->packet)->behind, &own->request);
    expect(k, own, tail);
}

static struct htmt__request **expected(struct htmt__inlet *in, uint64_t key, uint32_t number)
{
    struct htmt__request **at = &in->behind.first;
    while (*at && ((*at)->key != key || (*at)->number != number))
        at = &(*at)->next;
    return at;
}

void htmt__packet_last(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    struct htmt__inlet *in = htmt__inlet_of(k, &e->packet);
    struct htmt__request **at = expected(in, e->packet.key, e->packet.number);
    if (!*at || htmt__waits_of(*at)->tail != k->now)
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
static bool take_tail(struct htmt__fabric_turn *k, struct htmt__inlet *in,
                      const struct htmt__fabric_event *e)
{
    if (!k->f->lead[e->channel].ejects)
        return htmt__stream_tail(k, in->outlet, e);
    struct htmt__request *r = *expected(in, e->amount, (uint32_t)e->time[1]);
    if (r)
        expect(k, htmt__waits_of(r), e->time[0]);
    return r;
}

void htmt__packet_tail(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    struct htmt__inlet *in = htmt__inlet_of(k, &e->packet);
    if (take_tail(k, in, e))
        return;
    struct htmt__inlet_news *n = htmt__news_of(k, in);
    in->news = true;
    n->tail = e->time[0];
    n->key = e->amount;
    n->whose = e->packet.whose;
    n->number = (uint32_t)e->time[1];
}

void htmt__packet_void(struct htmt__fabric_turn *k, const struct htmt__fabric_event *e)
{
    struct htmt__inlet_news *n = htmt__news_of(k, htmt__inlet_of(k, &e->packet));
    struct htmt__waits *own = htmt__place_waits(k, &(struct htmt__waits){.packet = e->packet});
    if (!own)
        return;
    own->request = (struct htmt__request){n->voids, k->now, e->amount, (uint32_t)e->time[1]};
    n->voids = &own->request;
}
