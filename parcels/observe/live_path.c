/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of a run while it is played.
 *
 * The path is known only at the end: it is the chain of causes behind the last event. So every
 * interval of virtual time that ends in an event becomes a node, which points to the node at which
 * the interval began. That pointer is the whole of causality: if a parcel came, it is the parcel's
 * own previous node; if it waited in a line, the node at which the one before it left the server;
 * if it waited for words, the node at which they were given back. The chain from the last event to
 * time 0 is the critical path.
 *
 * Why it is right: an event is played at the instant of its cause, never later, so the interval of
 * a node begins exactly where that of `from` ends. An interval of no length gets no node: the
 * entity then stands at `from` itself, and takes over the reason for which that was reached.
 *
 * What it costs: all nodes together would be as long as the run. But a node counts as long as
 * something refers to it: an entity that will go on from there, a channel whose next message will
 * have waited for it, a later node. When the last reference goes, the node goes, and so do those
 * before it that only it kept. What remains is the tree of the pasts of all that is alive, whose
 * branches join early. A node has 32 bytes.
 *
 * Example. Two parcels A and B execute on one processor, 10 each, then A is moved for 5:
 *
 *     node 0: time 10, from nothing   A executed   users: A and the processor's line
 *     node 1: time 20, from node 0    B executed   why: LINE, since A left the processor
 *     node 2: time 15, from node 0    A moved
 *
 * When A is over at 15, node 2 has no user and goes; node 0 stays since node 1 came from it. The
 * run ends with node 1: its path is 1, 0, that is 10 of service of B after 10 of A.
 */
#include "parcels/observe/live_path.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/observe/channel_number.h"
#include "parcels/observe/probes.h"
#include "parcels/walk/context.h"
#include "runtime/base/array.h"

#include <stdlib.h>

/* ---- nodes ----------------------------------------------------------------------------------- */

static void hold(struct htmt__live_path *l, uint32_t node)
{
    if (node != HTMT__NO_NODE)
        l->node[node].users++;
}

/* Without users it goes, and so do those before it that only it came from. */
static void drop(struct htmt__live_path *l, uint32_t node)
{
    while (node != HTMT__NO_NODE && --l->node[node].users == 0) {
        uint32_t from = l->node[node].from;
        l->node[node].from = l->free;
        l->free = node;
        node = from;
    }
}

/* *place refers to `node` from now on. */
static void put(struct htmt__live_path *l, uint32_t *place, uint32_t node)
{
    uint32_t old = *place;
    hold(l, node);
    *place = node;
    drop(l, old);
}

static htmt_time when(const struct htmt__live_path *l, uint32_t node)
{
    return node == HTMT__NO_NODE ? 0 : l->node[node].time;
}

/* A node for the interval from there to `time`; of no length: `from` itself. It has no user yet. */
static uint32_t reach(struct htmt_emulator *e, uint32_t from, htmt_time time,
                      const struct htmt__stage_stats *stats, enum htmt_path_place place,
                      struct htmt__reason reason)
{
    struct htmt__live_path *l = e->live_path;
    uint32_t node = l->free;
    if (time <= when(l, from))
        return from;
    if (node != HTMT__NO_NODE) {
        l->free = l->node[node].from;
    } else {
        if (l->count == HTMT__NO_NODE - 1 ||
            !htmt__array_fits(&l->node, &l->room, l->count + 1, sizeof *l->node)) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory to explain the run");
            return from;
        }
        node = l->count++;
    }
    l->node[node] = (struct htmt__path_node){.time = time,
                                             .from = from,
                                             .stats = stats->number,
                                             .of = reason.of,
                                             .place = (uint8_t)place,
                                             .why = (uint8_t)reason.why};
    hold(l, from);
    return node;
}

/* ---- origins: the node from which each entity goes on -----------------------------------------
 */

static const struct htmt__reason came = {HTMT__CAME, UINT32_MAX};

static struct htmt__origin *origin(struct htmt_emulator *e, const struct htmt__entity *p)
{
    bool between = e->guard && (p->index & HTMT__BETWEEN);
    uint32_t index = between ? p->index - HTMT__BETWEEN : p->index;
    struct htmt__origins *o = &e->live_path->origins[p->slice + (between ? e->played : 0)];
    size_t had = o->room;
    if (!htmt__array_fits(&o->of, &o->room, (size_t)index + 1, sizeof *o->of)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory to explain the run");
        return &e->live_path->nobody;
    }
    for (; had < o->room; had++)
        o->of[had] = (struct htmt__origin){.node = HTMT__NO_NODE, .sent = HTMT__NO_NODE};
    return &o->of[index];
}

/* Its last word has left, and its channel is free. */
static void let_go(struct htmt__live_path *l, struct htmt__origin *o)
{
    put(l, o->holds, o->node);
    put(l, &o->sent, o->node);
    o->holds = NULL;
}

static void turn(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__origin *o = origin(e, p);
    put(e->live_path, &e->live_path->now, o->node);
    e->live_path->reason = o->reason;
    if (o->holds && o->planned && when(e->live_path, o->node) == e->now)
        let_go(e->live_path, o);
}

static void keep(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__origin *o = origin(e, p);
    put(e->live_path, &o->node, e->live_path->now);
    o->reason = e->live_path->reason;
}

static void called(struct htmt_emulator *e, const struct htmt__entity *p)
{
    keep(e, p);
    if (e->live_path->reason.why == HTMT__CAME)
        origin(e, p)->reason.why = HTMT__CALLED;
}

static void woken(struct htmt_emulator *e, const struct htmt__entity *p, enum htmt__why why,
                  uint32_t of)
{
    origin(e, p)->reason = (struct htmt__reason){why, of};
}

static void why_now(struct htmt_emulator *e, enum htmt__why why, uint32_t of)
{
    e->live_path->reason = (struct htmt__reason){why, of};
}

static void room(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t layer)
{
    (void)p;
    why_now(e, HTMT__SPACE, layer);
}

static void served(struct htmt_emulator *e, const struct htmt__entity *p, uint32_t resource)
{
    (void)p;
    why_now(e, HTMT__LINE, resource);
}

static void within(struct htmt_emulator *e, const struct htmt__entity *moment,
                   const struct htmt__stage_stats *stats)
{
    (void)moment;
    e->live_path->stats = stats;
}

/* The service goes on: one interval, as if its length had been known from the beginning. The node
 * of the end that was planned is dropped, with that of a pause behind it, and the next event begins
 * where that interval began. */
static void put_off(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time start,
                    const struct htmt__stage_stats *stats)
{
    struct htmt__live_path *l = e->live_path;
    const struct htmt__origin *o = origin(e, p);
    uint32_t node = o->node;
    struct htmt__reason reason = o->reason;
    while (when(l, node) > start) { /* a pause, then its service */
        const struct htmt__path_node *n = &l->node[node];
        reason = (struct htmt__reason){(enum htmt__why)n->why, n->of};
        node = n->from;
    }
    put(l, &l->now, node);
    l->reason = reason;
    l->stats = stats;
}

static void over(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__origin *o = origin(e, p);
    put(e->live_path, &o->node, HTMT__NO_NODE);
    put(e->live_path, &o->sent, HTMT__NO_NODE);
}

static void event(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at)
{
    struct htmt__live_path *l = e->live_path;
    struct htmt__origin *o = origin(e, p);
    uint32_t from = l->has_via ? l->via : l->now;
    struct htmt__reason reason = l->has_via ? l->via_reason : l->reason;
    const struct htmt__stage_stats *stats = l->stats ? l->stats : p->step ? p->step->stats : NULL;
    const enum htmt_path_place place = !l->has_via ? HTMT_PATH_SERVED
                                       : o->holds  ? HTMT_PATH_SENT
                                                   : HTMT_PATH_FLYING;
    const htmt_time paused = p->kind <= HTMT__FIBER ? htmt__paused(p) : 0;
    bool idle = at == when(l, from);
    o->planned = l->has_via;
    hold(l, from);
    if (paused) { /* the last part of the service */
        const uint32_t served = reach(e, from, at - paused, stats, place, reason);
        put(l, &o->node,
            reach(e, served, at, stats, HTMT_PATH_PAUSED, served == from ? reason : came));
    } else {
        put(l, &o->node, idle ? from : reach(e, from, at, stats, place, reason));
    }
    drop(l, from);
    o->reason = idle ? reason : came;
    l->has_via = false;
    l->stats = NULL;
}

/* ---- channels -------------------------------------------------------------------------------- */

static void channel(struct htmt_emulator *e, struct htmt__link *l, uint32_t number)
{
    e->live_path->used = &e->live_path->channel[htmt__channel_of(e, l, number)];
}

static void go_via(struct htmt__live_path *l, uint32_t node, struct htmt__reason reason,
                   const struct htmt__stage_stats *stats)
{
    l->has_via = true;
    l->via = node;
    l->via_reason = reason;
    l->stats = stats;
}

/* Parts of a command of a bank machine's controller follow one another: they are one interval, from
 * its beginning, so nothing waits for the channel of a bus. */
static void out(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                htmt_time start, htmt_time head)
{
    struct htmt__live_path *l = e->live_path;
    bool waited = start > e->now && !e->net[g->network].bus;
    struct htmt__reason reason =
        waited ? (struct htmt__reason){HTMT__LINE, g->stats->resource} : l->reason;
    if (p->kind == HTMT__MESSAGE && reason.why == HTMT__CAME)
        reason.why = HTMT__CALLED;
    uint32_t from = waited ? *l->used : l->now;
    hold(l, from);
    uint32_t sent = reach(e, from, start + g->out_time, g->stats, HTMT_PATH_SENT, reason);
    put(l, l->used, sent);
    put(l, &origin(e, p)->sent, sent);
    uint32_t via = head < 0 ? sent : reach(e, from, head, g->stats, HTMT_PATH_FLYING, reason);
    go_via(l, via, via == from ? reason : came, g->stats);
    drop(l, from);
}

static void in(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
               htmt_time head, htmt_time start, htmt_time end)
{
    struct htmt__live_path *l = e->live_path;
    bool waited = start > head;
    uint32_t here = l->has_via ? l->via : l->now, from = waited ? *l->used : here;
    struct htmt__reason reason = waited ? (struct htmt__reason){HTMT__LINE, g->stats->in_resource}
                                 : l->has_via ? l->via_reason
                                              : l->reason;
    hold(l, here);
    uint32_t received = reach(e, from, start + g->in_time, g->stats, HTMT_PATH_RECEIVED, reason);
    put(l, l->used, received);
    drop(l, here);
    if (end < 0) {
        l->has_via = false;
        put(l, &origin(e, p)->node, received);
        origin(e, p)->reason = received == from ? reason : came;
        return;
    }
    bool whole = end == start + g->in_time;
    go_via(l, whole ? received : origin(e, p)->sent, whole && received == from ? reason : came,
           g->stats);
}

static void sent_off(struct htmt_emulator *e, const struct htmt__entity *p,
                     const struct htmt__entity *moment)
{
    (void)moment;
    go_via(e->live_path, origin(e, p)->sent, came, NULL);
}

static void flying(struct htmt_emulator *e, const struct htmt__leg *g)
{
    struct htmt__live_path *l = e->live_path;
    if (!l->has_via)
        go_via(l, l->now, l->reason, g->stats);
}

/* ---- ports inside networks -------------------------------------------------------------------
 *
 * A message holds its channel from its start until its last word has left. That time is the
 * channel's, and what follows is flight; where the head queues for a port, before or after, it is
 * blocked. So there is one chain of nodes for each message, which grows with its head. Its end may
 * be planned before the last word has left: then the node of the end counts as the channel's, and
 * is cut when that is free. By hand: start 0, head there at 6, end planned for 14, last word left
 * at 10: nodes 0 to 6 and 6 to 14 become 0 to 6, 6 to 10 (sent), 10 to 14 (flight).
 */

uint32_t htmt__path_port(const struct htmt_emulator *e, uint32_t of)
{
    uint32_t first = 0;
    for (uint32_t n = 0; n < of >> HTMT__BLOCKED_NETWORK; n++)
        first += e->net[n].fabric ? e->net[n].fabric->topology->channels : 0;
    return first + (of & ((1u << HTMT__BLOCKED_NETWORK) - 1));
}

static void asked(struct htmt_emulator *e, const struct htmt__entity *p)
{
    keep(e, p);
    if (p->kind == HTMT__MESSAGE && e->live_path->reason.why == HTMT__CAME)
        origin(e, p)->reason.why = HTMT__CALLED;
}

static void begun(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                  htmt_time since)
{
    struct htmt__live_path *l = e->live_path;
    struct htmt__origin *o = origin(e, p);
    if (e->now > since) {
        put(l, &o->node, *l->used);
        o->reason = (struct htmt__reason){HTMT__LINE, g->stats->resource};
    }
    put(l, &o->sent, o->node);
    o->holds = l->used;
    o->start = e->now;
    o->planned = false;
}

static void queued(struct htmt_emulator *e, const struct htmt__entity *p,
                   const struct htmt__packet *holder, uint32_t channel)
{
    struct htmt__origin *o = origin(e, p);
    if (o->queues)
        return;
    o->queues = true;
    o->since = e->now;
    o->source = holder->source;
    o->target = holder->target;
    o->port = channel;
}

/* The message's head was under way until `to`. */
static void fly(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                htmt_time to, struct htmt__reason reason)
{
    struct htmt__origin *o = origin(e, p);
    const bool sends = o->holds != NULL && reason.why != HTMT__BLOCKED;
    uint32_t node =
        reach(e, o->node, to, g->stats, sends ? HTMT_PATH_SENT : HTMT_PATH_FLYING, reason);
    if (node != o->node)
        o->reason = came;
    put(e->live_path, &o->node, node);
}

/* The head has queued until now. */
static void block(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g)
{
    const struct htmt__origin *o = origin(e, p);
    const uint32_t of = g->network << HTMT__BLOCKED_NETWORK | o->port;
    fly(e, p, g, o->since, o->reason);
    fly(e, p, g, e->now, (struct htmt__reason){HTMT__BLOCKED, of});
}

/* A packet that begins again at its sender has waited for the port where it queued. */
static void granted(struct htmt_emulator *e, const struct htmt__entity *p,
                    const struct htmt__leg *g)
{
    struct htmt__origin *o = origin(e, p);
    if (!o->queues)
        return;
    const uint32_t of = g->network << HTMT__BLOCKED_NETWORK | o->port;
    struct htmt__port_wait *longest = &e->live_path->port[htmt__path_port(e, of)];
    o->queues = false;
    block(e, p, g);
    if (e->now - o->since > longest->wait)
        *longest = (struct htmt__port_wait){e->now - o->since, o->source, o->target};
}

/* The last word has left: what was planned behind now is flight. A message may be there at the very
 * instant, and over; then turn() has let its channel go. */
static void held(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                 htmt_time since, htmt_time start)
{
    struct htmt__live_path *l = e->live_path;
    struct htmt__origin *o = origin(e, p);
    const uint32_t planned = o->node;
    const htmt_time end = when(l, planned);
    (void)since;
    if (!o->holds || o->start != start)
        return;
    hold(l, planned);
    if (end > e->now) {
        const struct htmt__path_node n = l->node[planned];
        put(l, &o->node, n.from);
        o->reason = (struct htmt__reason){(enum htmt__why)n.why, n.of};
    } else if (o->queues) {
        block(e, p, g);
    }
    fly(e, p, g, e->now, o->reason);
    let_go(l, o);
    if (end > e->now)
        fly(e, p, g, end, o->reason);
    drop(l, planned);
}

/* The channel is the one that held() was told of. */
static void freed(struct htmt_emulator *e, const struct htmt__leg *g)
{
    struct htmt__live_path *l = e->live_path;
    put(l, &l->now, *l->used);
    why_now(e, HTMT__LINE, g->stats->resource);
}

static void landed(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g)
{
    fly(e, p, g, e->now, origin(e, p)->reason);
    turn(e, p);
}

/* ---- cells ------------------------------------------------------------------------------------
 *
 * Between the service whose control posted it and its own one a post is on its way: it waits to be
 * staged, goes from cell to cell and waits in a queue. That is one interval of its type. A run ends
 * with the cycle in which the last cell was active; so the first cycle of a service is a node of
 * its own, at which the path may end. */

static void follows(struct htmt_emulator *e, uint32_t *place, const uint32_t *of)
{
    put(e->live_path, place, of ? *of : e->live_path->now);
}

static void cell(struct htmt_emulator *e, uint32_t *place, const struct htmt__stage_stats *stats,
                 htmt_time cycle, htmt_time all)
{
    static const struct htmt__reason posted = {HTMT__CALLED, UINT32_MAX};
    struct htmt__live_path *l = e->live_path;
    const uint32_t there = reach(e, *place, e->now, stats, HTMT_PATH_FLYING, posted);
    put(l, &l->now, reach(e, there, e->now + cycle, stats, HTMT_PATH_SERVED, came));
    put(l, place, reach(e, l->now, e->now + all, stats, HTMT_PATH_SERVED, came));
    l->reason = came;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void begin(struct htmt_emulator *e)
{
    put(e->live_path, &e->live_path->now, HTMT__NO_NODE);
    e->live_path->reason = came;
}

/* Of slices that were played one after another: the last to end, of equal ones the first. */
static void end(struct htmt_emulator *e)
{
    struct htmt__live_path *l = e->live_path;
    if (e->now <= l->latest)
        return;
    l->latest = e->now;
    put(l, &l->last, l->now);
}

/* Nobody uses the channels of that slice any more. */
static void rest(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__live_path *l = e->live_path;
    size_t each = htmt__channel_count(e) / e->played;
    for (size_t i = slice * each; i < (slice + 1) * each; i++)
        put(l, &l->channel[i], HTMT__NO_NODE);
}

static const struct htmt__explain_probe probe = {
    .begin = begin,
    .end = end,
    .rest = rest,
    .turn = turn,
    .keep = keep,
    .called = called,
    .woken = woken,
    .room = room,
    .served = served,
    .why = why_now,
    .within = within,
    .put_off = put_off,
    .event = event,
    .over = over,
    .channel = channel,
    .out = out,
    .in = in,
    .flying = flying,
    .asked = asked,
    .begun = begun,
    .held = held,
    .freed = freed,
    .queued = queued,
    .granted = granted,
    .landed = landed,
    .sent = sent_off,
    .cell = cell,
    .follows = follows,
};

int htmt__live_path_create(struct htmt_emulator *e)
{
    struct htmt__live_path *l = calloc(1, sizeof *l);
    if (!l)
        return HTMT_ENOMEM;
    const size_t channels = htmt__channel_count(e);
    const uint32_t ports = htmt__path_port(e, e->networks << HTMT__BLOCKED_NETWORK);
    e->live_path = l;
    l->free = l->now = l->last = l->nobody.node = l->nobody.sent = HTMT__NO_NODE;
    l->latest = -1;
    l->reason = came;
    l->origins = calloc(2 * (size_t)e->played, sizeof *l->origins);
    l->channel = calloc(channels + 1, sizeof *l->channel);
    l->port = ports ? calloc(ports, sizeof *l->port) : NULL;
    if (!l->origins || !l->channel || (ports && !l->port))
        return HTMT_ENOMEM;
    for (size_t i = 0; i < channels; i++)
        l->channel[i] = HTMT__NO_NODE;
    return htmt__probes_add(e, &probe);
}

void htmt__live_path_destroy(struct htmt_emulator *e)
{
    struct htmt__live_path *l = e->live_path;
    if (!l)
        return;
    for (uint32_t i = 0; l->origins && i < 2 * e->played; i++)
        free(l->origins[i].of);
    free(l->origins);
    free(l->channel);
    free(l->port);
    free(l->node);
    free(l);
    e->live_path = NULL;
}
