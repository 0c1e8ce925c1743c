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
 * sends at its share of the wire, or at the pace at which room comes, or stands; so S and D are
 * straight lines. An outlet therefore tells the one upstream, `control` later, the line of its
 * inlet: drained up to a position, at which pace, until which position (DRAIN). The outlet upstream
 * knows its room from this: `limit` at `told`, growing to `last` at `pace`. It reckons from both
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
 * Lanes. The lanes of a wire that transmit at one time share it. A switch that serves them flit by
 * flit, in turn, skips a lane that has no flit or no room for it; so a lane never gets more than it
 * can use, and the others have the rest in equal parts (max-min fairness). What a lane can use is
 * the full rate, unless it is *bound*: it has used up its room, which grows at the pace of what
 * drains it; or it has sent all that has come, which grows at the pace of the outlet upstream. For
 * the second, an outlet whose pace changes tells downstream, a wire later, how much of its packet
 * is still to come, and at which pace (TAIL). An outlet looks again where its line meets either of
 * the two (LOOK); share_wire() then deals anew: of lanes in the order of what they can use, each
 * gets that, or an equal part of what is left, if that is less.
 *
 * By hand: lanes A, B and C of a wire; A is bound at a fifth of the rate by what comes, B at a half
 * by its room. An equal part is 1 / 3: A gets 1 / 5, and 2 / 5 each are left for B and C. That is
 * less than B can use, so B is not bound any more, and its room grows. Had A all its words, each
 * would have 1 / 3.
 *
 * Does it come to rest? A change travels up and down the paths of all packets concerned, each time
 * after control or a wire, and max-min dealing converges. But lines that touch would let lanes be
 * bound and free in turns, femtoseconds apart, and each turn is told to others. Three tolerances,
 * which cost less than a byte or 1 / 256 of a pace, keep such waves from starting: a pace that is
 * near() the one told last is not told; a lane is bound as soon as all but a quarter of a byte is
 * used up (`slack`); and one without words counts as dry only after that long. Where control takes
 * no time, a circle of channels could deal for ever in one instant: DEALS_MOST puts it off.
 *
 * Paces are whole numbers of 2^-20, so a share such as 5 / 7 is off by 1e-6 at most; where nothing
 * is shared all is exact.
 *
 * Cost: one event for each change at each outlet on the path, whatever the packet's length. With
 * one lane and one rate it agrees to the femtosecond with a simulator of flits (tests/fabric); with
 * several lanes a flit may come before or behind its line, and ends differ by some flits.
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

/* ---- lines ----------------------------------------------------------------------------------- */

#define FULL HTMT__FULL_PACE

/* The work of so long at a pace, rounded down; the time of so much work, rounded up. */
static htmt_time work_in(htmt_time time, uint32_t pace)
{
    if (__builtin_expect(pace == FULL, 1))
        return time;
    return (htmt_time)(((htmt_wide)time << HTMT__PACE_BITS) / pace);
}

static htmt_time time_of(htmt_time work, uint32_t pace)
{
    if (__builtin_expect(pace == FULL, 1))
        return work;
    const htmt_wide time = ((htmt_wide)work * pace + FULL - 1) >> HTMT__PACE_BITS;
    return time < HTMT_TIME_MAX ? (htmt_time)time : HTMT_TIME_MAX;
}

/* Work of one channel, or a pace there, as it is on another one. */
static uint64_t on_channel(const struct htmt__fabric *f, uint64_t work, uint32_t from, uint32_t to)
{
    const struct htmt_ratio a = f->view[from].byte, b = f->view[to].byte;
    if (f->uniform || !a.num)
        return work;
    const htmt_uwide scaled =
        (htmt_uwide)work * b.num / a.num * a.den / b.den; /* of one byte: b / a times as long */
    return scaled < HTMT_TIME_MAX ? (uint64_t)scaled : (uint64_t)HTMT_TIME_MAX;
}

/* ---- where a stream is ----------------------------------------------------------------------- */

static htmt_time limit(const struct htmt__stream *s, htmt_time now)
{
    return s->pace ? least(s->last, s->limit + work_in(now - s->told, s->pace)) : s->limit;
}

/* What has come from upstream. */
static htmt_time fed(const struct htmt__stream *s, htmt_time now)
{
    if (s->fed_all || now >= s->tail)
        return s->stop;
    return s->feed ? least(s->stop, s->fed + work_in(now - s->heard, s->feed)) : s->fed;
}

static inline __attribute__((always_inline)) htmt_time done_at(const struct htmt__stream *s,
                                                               htmt_time now)
{
    if (s->stands || now <= s->begin)
        return s->at;
    const htmt_time own = least(s->at + work_in(now - s->begin, s->share), s->stop);
    return least(s->fed_all ? own : least(own, fed(s, now)), limit(s, now));
}

htmt_time htmt__stream_done(const struct htmt__stream *s, htmt_time now)
{
    return done_at(s, now);
}

htmt_time htmt__stream_sent(const struct htmt__fabric_step *k, uint32_t channel, uint32_t outlet)
{
    const struct htmt__stream *s = &k->place->stream[outlet];
    const htmt_time room = htmt__work_of(k->f, channel, k->f->t->inside.buffer);
    const htmt_time drained = s->limit == HTMT_TIME_MAX ? s->stop : limit(s, k->now) - room;
    return s->stop > drained ? s->stop - drained : 0;
}

/* Room for what comes next: some, or just made. */
static bool goes(const struct htmt__stream *s, htmt_time now)
{
    const htmt_time room = limit(s, now), at = done_at(s, now);
    return room > at || (s->pace && room < s->last);
}

/* The pace that it could go at if the wire were its own: that of its room or of what comes, once
 * it has used that up, but for a byte, lest it be bound and free in turns; 0: it stands, or waits
 * for words. */
static uint32_t bound(const struct htmt__stream *s, htmt_time now)
{
    uint32_t pace = FULL;
    if (s->stands)
        return 0;
    const htmt_time at = done_at(s, now);
    if (at >= s->stop)
        return FULL;
    if (s->pace > FULL && at + s->slack >= limit(s, now))
        pace = s->pace;
    if (s->fed_all || now >= s->tail)
        return pace;
    if (!s->feed)
        return s->dry <= now - s->slack ? 0 : pace;
    return s->feed > pace && at + s->slack >= fed(s, now) ? s->feed : pace;
}

/* Its pace. Room that grows slower than its share of the wire holds it back once it is used up. */
static inline uint32_t pace(const struct htmt__stream *s, htmt_time now)
{
    if (s->pace <= FULL && s->fed_all)
        return s->stands ? 0 : s->share;
    const uint32_t most = bound(s, now);
    return most > s->share || !most ? most : s->share;
}

/* When it comes to a position, which its room allows at last. */
static htmt_time reach(const struct htmt__stream *s, htmt_time position)
{
    const htmt_time own = sum(s->begin, time_of(position - s->at, s->share));
    if (position <= s->limit || !s->pace)
        return own;
    return most(own, sum(s->told, time_of(position - s->limit, s->pace)));
}

/* If room comes in time. */
static htmt_time own_end(const struct htmt__stream *s)
{
    if (s->stands)
        return HTMT_TIME_MAX;
    if (!s->pace || s->last < s->stop)
        return sum(s->begin, time_of(s->stop - s->at, s->share));
    return reach(s, s->stop);
}

/* Where it is now is where it goes on from. What it has of the next unit of work stays, or it would
 * not come on where it is told of much within little time. */
static void anchor(const struct htmt__fabric_step *k, struct htmt__stream *s)
{
    const htmt_time at = done_at(s, k->now), before = s->at, begin = s->begin;
    s->at = at;
    s->begin = most(begin, k->now);
    if (k->f->lanes == 1)
        return;
    if (s->share != FULL && !s->stands && begin < k->now &&
        at == before + work_in(k->now - begin, s->share))
        s->begin = least(k->now, begin + time_of(at - before, s->share));
    const bool dry = !s->fed_all && !s->feed && k->now < s->tail && at >= s->fed;
    s->dry = !dry ? HTMT_TIME_MAX : s->dry == HTMT_TIME_MAX ? k->now : s->dry;
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
    const htmt_time now = most(k->now, s->begin), done = done_at(s, k->now) - s->base;
    k->sink->post(k->sink->user, &(struct htmt__fabric_event){
                                     .at = now + k->f->view[s->from].control,
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

/* When its own line meets the slower one that binds it, of that pace through (told, line). A pace
 * is a time for each unit of work, and m > n. The lines
 *
 *     own = at + (t - begin) / n      and      other = line + (t - told) / m
 *
 * meet at t = (n m (line - at) + m begin - n told) / (m - n), rounded up: a femtosecond early it
 * would find that it is not bound yet, and look again at once.
 *
 * By hand: it has half of the wire (n = 2) from 0 on, and room for 30 that grows at a quarter of
 * the rate (m = 4). Thus t = 2 * 4 * 30 / (4 - 2) = 120. By then it has sent 60, and the room has
 * grown from 30 to 60. If the other line does not grow (pace 0), it is reached at 60.
 *
 * Products of two paces and a position have up to 127 bits, hence the wide numbers. */
static htmt_time meets(const struct htmt__stream *s, htmt_time line, htmt_time told, uint32_t pace)
{
    const htmt_wide n = s->share, m = pace;
    if (!pace)
        return sum(s->begin, time_of(line - s->at, s->share));
    const htmt_wide t =
        ((n * m * (line - s->at) + FULL - 1) >> HTMT__PACE_BITS) + m * s->begin - n * told;
    const htmt_wide at = (t + m - n - 1) / (m - n);
    return at < HTMT_TIME_MAX ? (htmt_time)at : HTMT_TIME_MAX;
}

/* It looks again when it uses up room, or words, that grow slower than it goes, and when it comes
 * to the end of the room that was announced. */
static void look_ahead(const struct htmt__fabric_step *k, const struct htmt__stream *s)
{
    if (s->stands || s->at >= s->stop)
        return;
    if (k->f->lanes == 1) { /* it never goes faster than its room, while that grows */
        if (s->last < s->stop)
            post_look(k, s, reach(s, s->last));
        return;
    }
    const htmt_time over = sum(s->begin, time_of(s->stop - s->at, s->share));
    if (s->pace > s->share && s->at < limit(s, k->now)) {
        const htmt_time at = meets(s, s->limit, s->told, s->pace);
        if (at < over)
            post_look(k, s, at);
    }
    if (s->dry != HTMT_TIME_MAX && s->dry > k->now - s->slack)
        post_look(k, s, s->dry + s->slack);
    if (!s->fed_all && (s->feed > s->share || !s->feed) && s->at < fed(s, k->now)) {
        const htmt_time at = meets(s, s->fed, s->heard, s->feed);
        if (at < over)
            post_look(k, s, at);
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
    if (s->share > FULL)
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
        htmt__post_tail(k, &s->packet, old, end, s->version, s->stop - done_at(s, k->now),
                        pace(s, k->now));
}

/* The last word leaves when the stream has come to it, and not before it has come from upstream. */
static void settle_end(struct htmt__fabric_step *k, uint32_t outlet)
{
    const struct htmt__stream *s = &k->place->stream[outlet];
    const htmt_time end = most(most(own_end(s), s->tail), k->now);
    if (end != k->place->outlet[outlet].port.end)
        move_end(k, outlet, end);
}

/* ---- shares of a wire ------------------------------------------------------------------------ */

/* The pace that a lane could use now; 0: it does not transmit. */
static uint32_t usable(const struct htmt__fabric_step *k, uint32_t outlet)
{
    const struct htmt__stream *s = &k->place->stream[outlet];
    if (!htmt__stream_runs(k, outlet) || done_at(s, k->now) >= s->stop)
        return 0;
    return bound(s, k->now);
}

/* Rates are counted so that the wire's is 2^40. The pace of one of `n` lanes that share what is
 * left of it. */
#define WHOLE (UINT64_C(1) << 2 * HTMT__PACE_BITS)

static uint32_t equal_part(uint32_t n, uint64_t left)
{
    if (left == WHOLE)
        return n << HTMT__PACE_BITS;
    const htmt_uwide pace = (((htmt_uwide)n << 3 * HTMT__PACE_BITS) + left / 2) / left;
    return pace < UINT32_MAX ? (uint32_t)pace : UINT32_MAX;
}

/* Paces that differ by less than 1 / 256 are one: else a change would travel on for ever, ever
 * smaller. */
static bool near(uint32_t a, uint32_t b)
{
    const uint32_t more = a > b ? a : b, less = a > b ? b : a;
    return more - less <= less >> 8;
}

/* It goes at another pace, or its packet ends at another time: all that depends on it hears so. */
static void tell_pace(struct htmt__fabric_step *k, uint32_t outlet)
{
    struct htmt__stream *s = &k->place->stream[outlet];
    const htmt_time end = most(most(own_end(s), s->tail), k->now);
    if (!k->f->stored || end != k->place->outlet[outlet].port.end)
        move_end(k, outlet, end);
    tell_drain(k, s);
    look_ahead(k, s);
}

/* Where news takes no time (`control` is 0), round a circle of channels, dealing may not come to
 * rest in an instant, as the flits do: a wire that was dealt so often is dealt again a byte later.
 */
#define DEALS_MOST 4u
#define DEAL_AGAIN UINT64_MAX /* instead of a version */

static void deal(struct htmt__fabric_step *k, uint32_t outlet, uint32_t share)
{
    struct htmt__stream *s = &k->place->stream[outlet];
    const uint32_t old = s->share;
    if (near(share, old) && near(pace(s, k->now), s->said))
        return;
    anchor(k, s);
    s->share = share;
    tell_pace(k, outlet);
}

/* A lane of the wire began, ended, is bound, or is not any more: shares are dealt anew, first to
 * those that can use less than an equal part of what is left. Such a one has a share that is faster
 * by the least there is, so that its own line stays above the one that binds it. */
static void share_wire(struct htmt__fabric_step *k, uint32_t outlet)
{
    const uint32_t lanes = k->f->lanes, wire = outlet - outlet % lanes;
    uint32_t use[HTMT__LANES_MOST], n = 0;
    uint64_t left = WHOLE;
    struct htmt__stream *first = &k->place->stream[wire];
    first->deals = first->dealt == k->now ? first->deals + 1 : 0;
    first->dealt = k->now;
    if (first->deals > DEALS_MOST * lanes) {
        struct htmt__stream *s = &k->place->stream[outlet];
        if (first->deals == DEALS_MOST * lanes + 1)
            post(k, s, HTMT__END, k->now + most(htmt__work_of(k->f, s->packet.channel, 1), 1),
                 DEAL_AGAIN);
        return;
    }
    for (uint32_t i = 0; i < lanes; i++)
        n += (use[i] = usable(k, wire + i)) != 0;
    uint32_t part = equal_part(n ? n : 1, left);
    for (uint32_t i = 0; i < lanes; i++) {
        if (use[i] <= part)
            continue;
        const uint64_t used = (UINT64_C(1) << 3 * HTMT__PACE_BITS) / use[i];
        left -= used < left ? used : left - 1;
        deal(k, wire + i, use[i] - 1);
        use[i] = 0;
        part = equal_part(--n ? n : 1, left);
        i = UINT32_MAX; /* from the first one again: the part has grown */
    }
    for (uint32_t i = 0; i < lanes; i++)
        if (use[i])
            deal(k, wire + i, part);
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
    }
    if (k->f->lanes > 1) {
        share_wire(k, outlet);
        if (!near(pace(s, k->now), s->said)) {
            tell_pace(k, outlet);
            return;
        }
    } else if (s->said != (stands ? 0 : FULL)) {
        tell_drain(k, s);
    }
    settle_end(k, outlet);
    look_ahead(k, s);
}

/* The line of what comes from upstream: so much of that channel's work is still to come, at that
 * pace there. */
static void feed(const struct htmt__fabric_step *k, struct htmt__stream *s, htmt_time rest,
                 uint32_t pace)
{
    const uint32_t own = s->packet.channel;
    const uint64_t mine = on_channel(k->f, pace, own, s->from);
    s->fed = most(s->stop - (htmt_time)on_channel(k->f, (uint64_t)rest, s->from, own), s->at);
    s->heard = k->now;
    s->feed = !pace ? 0 : mine > UINT32_MAX ? UINT32_MAX : mine ? (uint32_t)mine : 1;
    s->fed_all = s->fed >= s->stop;
}

void htmt__stream_begin_lane(const struct htmt__fabric_step *k, struct htmt__stream *s, bool told)
{
    s->fed_all = true;
    s->dry = HTMT_TIME_MAX;
    s->said = FULL;
    s->slack = htmt__work_of(k->f, s->packet.channel, 1) / 4;
    if (!k->f->flows_in || s->tail <= k->now ||
        (!told && s->from != HTMT__NOWHERE && k->f->uniform))
        return;
    if (s->from == HTMT__NOWHERE) { /* at its pace: all have come at its tail */
        const htmt_wide pace =
            s->stop > s->base
                ? ((htmt_wide)(s->tail - k->now) << HTMT__PACE_BITS) / (s->stop - s->base)
                : 0;
        s->fed = s->base;
        s->heard = k->now;
        s->feed = pace < UINT32_MAX ? (uint32_t)pace : UINT32_MAX;
        s->fed_all = pace <= FULL;
        return;
    }
    const struct htmt__packet at = {
        .channel = s->from, .plane = s->packet.plane, .lane = s->from_lane};
    const struct htmt__inlet_update *n = htmt__update_of(k, htmt__inlet_of(k, &at));
    if (!told) { /* at the full rate, until its tail */
        feed(k, s, s->tail - k->now, FULL);
        return;
    }
    const htmt_time since = n->feed ? work_in(k->now - n->heard, n->feed) : 0;
    feed(k, s, n->rest > since ? n->rest - since : 0, n->feed);
}

htmt_time htmt__stream_end_of(const struct htmt__fabric_step *k, struct htmt__stream *s,
                              uint32_t wire)
{
    uint32_t n = 1;
    if (k->f->lanes > 1) {
        for (uint32_t i = wire; i < wire + k->f->lanes; i++)
            n += usable(k, i) != 0;
        s->share = equal_part(n, WHOLE);
    }
    return most(own_end(s), s->tail);
}

/* The inlet drains from here on; the stream may run out of room further on, and slows down the
 * other lanes. The next packet of the inlet will drain it behind the end of this one. */
void htmt__stream_tell_begun(struct htmt__fabric_step *k, uint32_t outlet)
{
    struct htmt__stream *s = &k->place->stream[outlet];
    if (s->share > FULL || s->from == HTMT__NOWHERE)
        post_end(k, s, k->place->outlet[outlet].port.end);
    if (k->f->worm) {
        const struct htmt__inlet *in = inlet(k, s);
        if (in) {
            struct htmt__inlet_update *n = htmt__update_of(k, in);
            s->drained = n->drained + htmt__work_of(k->f, s->from, k->f->t->inside.header_hop);
            n->drained = s->drained + s->stop - s->base;
        }
    }
    const uint32_t tells = s->tells;
    if (k->f->lanes > 1)
        share_wire(k, outlet);
    if (k->f->worm && s->tells == tells)
        tell_drain(k, s);
    if (k->f->worm || !s->fed_all)
        look_ahead(k, s);
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
    if (!k->f->flows_in) {
        settle_end(k, outlet);
        return true;
    }
    anchor(k, s);
    feed(k, s, (htmt_time)e->packet.bytes, e->packet.route);
    review(k, outlet);
    return true;
}

void htmt__stream_look(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = outlet_of(k, e);
    struct htmt__stream *s = &k->place->stream[outlet];
    k->is_void = k->f->lanes > 1;
    if (!htmt__stream_runs(k, outlet) || !is_of(s, e->amount, (uint32_t)e->time[0]) || s->stands)
        return;
    anchor(k, s);
    if (goes(s, k->now) && pace(s, k->now) == s->said && s->dry != k->now)
        return;
    k->is_void = false;
    review(k, outlet);
}

void htmt__stream_end(struct htmt__fabric_step *k, struct htmt__fabric_event *e)
{
    const uint32_t outlet = outlet_of(k, e);
    const struct htmt__stream *s = &k->place->stream[outlet];
    if (e->amount == DEAL_AGAIN || e->amount == s->version || e->amount == s->closed_version)
        share_wire(k, outlet);
    else
        k->is_void = true;
}

bool htmt__stream_left(const struct htmt__fabric_step *k, const struct htmt__fabric_event *e)
{
    const struct htmt__stream *s = &k->place->stream[outlet_of(k, e)];
    return e->amount == s->version || e->amount == s->closed_version;
}
