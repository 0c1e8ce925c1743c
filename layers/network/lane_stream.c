/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wormholes and lanes as piecewise lines.
 *
 * A wormhole's head goes on as soon as there is room for some of it. If it is blocked further on,
 * its words fill the inlets behind it, and each outlet on its path stands when it has no room left.
 * A model that plays words, or flits, would need an event for each. This one needs an event for
 * each change of speed.
 *
 * Positions are times of work at the channel's full rate, counted from the run's start. Let S(t) be
 * how far an outlet has sent, D(t) how much has left the inlet behind it, B the work that its
 * buffer holds. The rule of credits is S(t) <= D(t - control) + B. While nothing changes, an outlet
 * sends at 1 / share of the full rate, or at the pace at which room comes, or stands; so S and D
 * are straight lines. An outlet therefore tells the one upstream, `control` later, the line of its
 * inlet: drained up to a position, at which pace, until which position (DRAIN). The outlet upstream
 * knows its room from this: `limit` at `told`, growing to `last` at 1 / pace. It reckons from both
 * lines when its packet ends, and when it will run out of room: there it looks again (LOOK). News
 * goes upstream only when the speed of an outlet changes.
 *
 * The end of a service is thus a prediction. move_end() corrects it wherever it was used: the port,
 * the inlet that the packet leaves, the first in each queue, and downstream the time of the last
 * word (TAIL). Events of an older prediction carry its version and are void. HTMT_TIME_MAX stands
 * for an end that nobody knows while the packet stands.
 *
 * Example: bytes take 1 ns, the buffer holds 40, control is 10 ns, the wire and the switch take no
 * time. A packet of 100 bytes leaves its sender at 0, at full rate; its head finds the next outlet
 * taken until 70. The sender's limit is 40: LOOK at 40, where it stands, its end unknown. At 70 the
 * head enters the next outlet and tells (drained 0, pace 1, up to 100). At 80 the sender hears: its
 * room is 40 + (t - 80), up to 140, so it goes on from 40 at full rate and ends at 80 + 60 = 140.
 * The outlet behind it has sent 40 bytes at 110, and gets byte 41 at 80 + 1: no gap, since the
 * buffer covers the way of the news and of the words.
 *
 * Lanes of a wire that transmit at one time each get 1 / n of it. A start, an end or a stop of one
 * changes the shares of all, which is again a change of lines (share_wire).
 *
 * Cost: one event for each change at each outlet on the path, whatever the packet's length. With
 * one lane and one rate it agrees to the femtosecond with a simulator of flits (tests/fabric).
 */
#include "layers/network/lane_stream.h"

static htmt_time least(htmt_time a, htmt_time b)
{
    return a < b ? a : b;
}

static htmt_time most(htmt_time a, htmt_time b)
{
    return a > b ? a : b;
}

static htmt_time sum(htmt_time a, htmt_time b)
{
    htmt_time s;
    return __builtin_add_overflow(a, b, &s) ? HTMT_TIME_MAX : s;
}

/* ---- where a stream is ----------------------------------------------------------------------- */

static htmt_time limit(const struct htmt__stream *s, htmt_time now)
{
    return s->pace ? least(s->last, s->limit + (now - s->told) / s->pace) : s->limit;
}

htmt_time htmt__stream_done(const struct htmt__stream *s, htmt_time now)
{
    if (s->stands || now <= s->begin)
        return s->at;
    const htmt_time own = s->at + (now - s->begin) / s->share;
    return least(least(own, s->stop), limit(s, now));
}

/* Room for what comes next: some, or just made. */
static bool goes(const struct htmt__stream *s, htmt_time now)
{
    const htmt_time room = limit(s, now), at = htmt__stream_done(s, now);
    return room > at || (s->pace && room < s->last);
}

/* It goes at 1 / this of the full rate; 0: it stands. Room that grows slower than its share of the
 * wire holds it back once it is used up. */
static uint32_t pace(const struct htmt__stream *s, htmt_time now)
{
    if (s->stands)
        return 0;
    return s->pace > s->share && htmt__stream_done(s, now) >= limit(s, now) ? s->pace : s->share;
}

/* When it comes to a position, which its room allows at last. */
static htmt_time reach(const struct htmt__stream *s, htmt_time position)
{
    const htmt_time own = sum(s->begin, (position - s->at) * s->share);
    if (position <= s->limit || !s->pace)
        return own;
    return most(own, sum(s->told, (position - s->limit) * s->pace));
}

/* If room comes in time. */
static htmt_time own_end(const struct htmt__stream *s)
{
    if (s->stands)
        return HTMT_TIME_MAX;
    if (!s->pace || s->last < s->stop)
        return sum(s->begin, (s->stop - s->at) * s->share);
    return reach(s, s->stop);
}

/* Where it is now is where it goes on from. */
static void anchor(const struct htmt__fabric_step *k, struct htmt__stream *s)
{
    s->at = htmt__stream_done(s, k->now);
    s->begin = most(s->begin, k->now);
}

/* ---- what others are told -------------------------------------------------------------------- */

static void post(const struct htmt__fabric_step *k, const struct htmt__stream *s,
                 enum htmt__fabric_kind kind, htmt_time at, uint64_t amount)
{
    k->sink->post(k->sink->user, &(struct htmt__fabric_event){.at = at,
                                                              .packet = s->packet,
                                                              .slice = k->place->slice,
                                                              .channel = s->packet.channel,
                                                              .kind = (uint8_t)kind,
                                                              .amount = amount});
}

/* To the outlet upstream: how the inlet drains. */
static void tell_drain(const struct htmt__fabric_step *k, struct htmt__stream *s)
{
    s->said = pace(s, k->now);
    if (!k->f->worm || s->from == HTMT__NOWHERE)
        return;
    const htmt_time now = most(k->now, s->begin), done = htmt__stream_done(s, k->now) - s->base;
    k->sink->post(k->sink->user, &(struct htmt__fabric_event){
                                     .at = now + k->f->t->inside.control,
                                     .packet = {.number = ++s->tells,
                                                .lane = (uint8_t)s->from_lane,
                                                .plane = s->packet.plane},
                                     .slice = k->f->view[s->from].from,
                                     .channel = s->from,
                                     .kind = HTMT__DRAIN,
                                     .time = {s->drained + done, s->drained + s->stop - s->base},
                                     .amount = s->said});
}

/* After what is told of room at that instant, before packets act: as control it has key 0, and the
 * greatest number. */
static void post_look(const struct htmt__fabric_step *k, const struct htmt__stream *s, htmt_time at)
{
    struct htmt__fabric_event e = {.at = most(k->now, at),
                                   .packet = s->packet,
                                   .slice = k->place->slice,
                                   .channel = s->packet.channel,
                                   .kind = HTMT__LOOK,
                                   .time = {s->packet.number},
                                   .amount = s->packet.key};
    e.packet.key = 0;
    e.packet.number = UINT32_MAX;
    k->sink->post(k->sink->user, &e);
}

/* It looks again when it uses up room that grows slower than it goes, and when it comes to the end
 * of the room that was announced.
 *
 * The first is where two lines meet: at + (t - begin) / n = limit + (t - told) / m, with n = share
 * and m = pace, m > n. Thus t = (n m (limit - at) + m begin - n told) / (m - n), rounded up. */
static void look_ahead(const struct htmt__fabric_step *k, const struct htmt__stream *s)
{
    if (s->stands || s->at >= s->stop)
        return;
    if (s->pace > s->share && s->at < limit(s, k->now)) {
        const htmt_wide n = s->share, m = s->pace;
        const htmt_wide t = n * m * (s->limit - s->at) + m * s->begin - n * s->told;
        const htmt_wide at = (t + m - n - 1) / (m - n);
        post_look(k, s, at < HTMT_TIME_MAX ? (htmt_time)at : HTMT_TIME_MAX);
    }
    if (s->last < s->stop)
        post_look(k, s, reach(s, s->last));
}

static struct htmt__inlet *inlet(const struct htmt__fabric_step *k, const struct htmt__stream *s)
{
    struct htmt__packet p = s->packet;
    p.channel = s->from;
    p.lane = s->from_lane;
    return htmt__inlet_of(k, &p);
}

static void post_end(const struct htmt__fabric_step *k, const struct htmt__stream *s, htmt_time end)
{
    if (end == HTMT_TIME_MAX)
        return;
    if (s->share > 1)
        post(k, s, HTMT__END, end, s->version);
    if (s->from == HTMT__NOWHERE)
        post(k, s, HTMT__LEFT, end, s->version);
}

/* All that knew the old end of a service learns the new one. A credit of a whole packet that stands
 * at the old end is taken back by its negative (modulo 2^64), and given again at the new one. */
static void move_end(struct htmt__fabric_step *k, uint32_t outlet, htmt_time end)
{
    struct htmt__outlet *o = &k->place->outlet[outlet];
    struct htmt__stream *s = &k->place->stream[outlet];
    const htmt_time old = o->port.end;
    htmt__port_retime(&o->port, htmt__queue_of(k, o), k->now, end);
    s->version++;
    struct htmt__inlet *in = inlet(k, s);
    if (in) {
        in->left = end;
        htmt__post_first(k, in);
    }
    htmt__post_wake(k, o);
    post_end(k, s, end);
    htmt__port_watch(k, &s->packet, false);
    if (!k->f->worm && in && k->f->view[s->from].bounded) {
        const uint64_t bytes = s->packet.bytes + k->f->t->inside.header_hop;
        if (old != HTMT_TIME_MAX)
            htmt__post_credit(k, &s->packet, s->from, s->from_lane, -bytes, old);
        if (end != HTMT_TIME_MAX)
            htmt__post_credit(k, &s->packet, s->from, s->from_lane, bytes, end);
    }
    if (k->f->lanes > 1)
        htmt__post_tail(k, &s->packet, old, end, s->version);
}

/* The last word leaves when the stream has come to it, and not before it has come from upstream. */
static void settle_end(struct htmt__fabric_step *k, uint32_t outlet)
{
    const struct htmt__stream *s = &k->place->stream[outlet];
    const htmt_time end = most(own_end(s), s->tail);
    if (end != k->place->outlet[outlet].port.end)
        move_end(k, outlet, end);
}

/* ---- shares of a wire ------------------------------------------------------------------------ */

static bool transmits(const struct htmt__fabric_step *k, uint32_t outlet)
{
    return htmt__stream_runs(k, outlet) && !k->place->stream[outlet].stands;
}

/* The lanes that transmit; `wire` is the outlet of lane 0. */
static uint32_t count(const struct htmt__fabric_step *k, uint32_t wire)
{
    uint32_t n = 0;
    for (uint32_t i = wire; i < wire + k->f->lanes; i++)
        n += transmits(k, i);
    return n;
}

/* A lane of the wire began, ended, stands or goes: the others get other shares. */
static void share_wire(struct htmt__fabric_step *k, uint32_t outlet)
{
    if (k->f->lanes == 1)
        return;
    const uint32_t wire = outlet - outlet % k->f->lanes, n = count(k, wire);
    for (uint32_t i = wire; i < wire + k->f->lanes; i++) {
        struct htmt__stream *s = &k->place->stream[i];
        if (s->share == n || !transmits(k, i))
            continue;
        anchor(k, s);
        s->share = n;
        const htmt_time end = k->place->outlet[i].port.end;
        settle_end(k, i);
        if (n > 1 && end == k->place->outlet[i].port.end && end != HTMT_TIME_MAX)
            post(k, s, HTMT__END, end, s->version);
        tell_drain(k, s);
        look_ahead(k, s);
    }
}

/* ---- room ------------------------------------------------------------------------------------ */

bool htmt__stream_room(const struct htmt__fabric_step *k, uint32_t outlet)
{
    return goes(&k->place->stream[outlet], k->now);
}

/* What the stream knows of its room has changed, or its room is used up: it stands or goes, at
 * another pace, and ends at another time. */
static void review(struct htmt__fabric_step *k, uint32_t outlet)
{
    struct htmt__stream *s = &k->place->stream[outlet];
    const bool stands = !goes(s, k->now) && s->at < s->stop;
    if (stands != s->stands) {
        s->stands = stands;
        s->begin = most(s->begin, k->now);
        tell_drain(k, s);
        share_wire(k, outlet);
    }
    if (pace(s, k->now) != s->said)
        tell_drain(k, s);
    settle_end(k, outlet);
    look_ahead(k, s);
}

htmt_time htmt__stream_end_of(const struct htmt__fabric_step *k, struct htmt__stream *s,
                              uint32_t wire)
{
    if (k->f->lanes > 1)
        s->share = count(k, wire) + 1;
    return most(own_end(s), s->tail);
}

/* The inlet drains from here on; the stream may run out of room further on, and slows down the
 * other lanes. The next packet of the inlet will drain it behind the end of this one. */
void htmt__stream_tell_begun(struct htmt__fabric_step *k, uint32_t outlet)
{
    struct htmt__stream *s = &k->place->stream[outlet];
    if (s->share > 1 || s->from == HTMT__NOWHERE)
        post_end(k, s, k->place->outlet[outlet].port.end);
    if (k->f->worm) {
        const struct htmt__inlet *in = inlet(k, s);
        if (in) {
            struct htmt__inlet_update *n = htmt__update_of(k, in);
            s->drained = n->drained + htmt__work_of(k->f, s->from, k->f->t->inside.header_hop);
            n->drained = s->drained + s->stop - s->base;
        }
        tell_drain(k, s);
        look_ahead(k, s);
    }
    if (s->share > 1)
        share_wire(k, outlet);
}

/* ---- events ---------------------------------------------------------------------------------- */

static uint32_t outlet_of(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    return htmt__outlet_number(k->f, e->channel, e->packet.plane, e->packet.lane);
}

static bool is_of(const struct htmt__stream *s, uint64_t key, uint32_t number)
{
    return s->packet.key == key && s->packet.number == number;
}

void htmt__stream_drain(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = outlet_of(k, e);
    struct htmt__stream *s = &k->place->stream[outlet];
    const htmt_time buffer = htmt__work_of(k->f, e->channel, k->f->t->inside.buffer);
    anchor(k, s);
    s->told = k->now;
    s->limit = buffer + e->time[0];
    s->pace = (uint32_t)e->amount;
    s->last = s->pace ? buffer + e->time[1] : s->limit;
    if (htmt__stream_runs(k, outlet))
        review(k, outlet);
    else
        htmt__post_wake(k, &k->place->outlet[outlet]);
}

bool htmt__stream_tail(struct htmt__fabric_step *k, uint32_t outlet,
                       const struct htmt__fabric_event *e)
{
    struct htmt__stream *s = &k->place->stream[outlet];
    if (!htmt__stream_runs(k, outlet) || s->from != e->channel || s->from_lane != e->packet.lane ||
        !is_of(s, e->amount, (uint32_t)e->time[1]))
        return false;
    s->tail = e->time[0];
    settle_end(k, outlet);
    return true;
}

void htmt__stream_look(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = outlet_of(k, e);
    struct htmt__stream *s = &k->place->stream[outlet];
    if (!htmt__stream_runs(k, outlet) || !is_of(s, e->amount, (uint32_t)e->time[0]) || s->stands)
        return;
    anchor(k, s);
    if (!goes(s, k->now) || pace(s, k->now) != s->said)
        review(k, outlet);
}

void htmt__stream_end(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    share_wire(k, outlet_of(k, e));
}

bool htmt__stream_left(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    const struct htmt__stream *s = &k->place->stream[outlet_of(k, e)];
    return e->amount == s->version || e->amount == s->closed_version;
}
