/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/live_path.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/observe/channel_number.h"
#include "parcels/observe/probes.h"
#include "parcels/walk/entity.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes ----------------------------------------------------------------------------------- */

static void hold(struct htmt__trace *t, uint32_t node)
{
    if (node != HTMT__NO_NODE)
        t->node[node].users++;
}

/* Nobody came from it any more: it goes, and those before it that only it came from. */
static void sweep(struct htmt__trace *t, uint32_t node)
{
    while (node != HTMT__NO_NODE && !t->node[node].users) {
        uint32_t from = t->node[node].from;
        t->node[node].from = t->free;
        t->free = node;
        node = from;
        if (node != HTMT__NO_NODE)
            t->node[node].users--;
    }
}

static void drop(struct htmt__trace *t, uint32_t node)
{
    if (node == HTMT__NO_NODE)
        return;
    t->node[node].users--;
    sweep(t, node);
}

static void put(struct htmt__trace *t, uint32_t *place, uint32_t node)
{
    uint32_t old = *place;
    hold(t, node);
    *place = node;
    drop(t, old);
}

static uint32_t fresh(struct htmt_emulator *e)
{
    struct htmt__trace *t = e->trace;
    if (t->free != HTMT__NO_NODE) {
        uint32_t node = t->free;
        t->free = t->node[node].from;
        return node;
    }
    if (t->count == t->room) {
        uint32_t room = t->room ? t->room + t->room / 2 : 1024;
        struct htmt__trace_node *more =
            room > t->room && room < HTMT__NO_NODE ? realloc(t->node, room * sizeof *more) : NULL;
        if (!more) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory to explain the run");
            return HTMT__NO_NODE;
        }
        t->node = more;
        t->room = room;
    }
    return t->count++;
}

static htmt_time when(const struct htmt__trace *t, uint32_t node)
{
    return node == HTMT__NO_NODE ? 0 : t->node[node].time;
}

/* The interval from there to `time`; of no length: no new node. */
static uint32_t reach(struct htmt_emulator *e, uint32_t from, htmt_time time,
                      const struct htmt__stage_stats *stats, enum htmt_path_place place,
                      struct htmt__reason reason)
{
    struct htmt__trace *t = e->trace;
    if (time <= when(t, from))
        return from;
    uint32_t node = fresh(e);
    if (node == HTMT__NO_NODE)
        return from;
    t->node[node] = (struct htmt__trace_node){.time = time,
                                              .from = from,
                                              .stats = stats->number,
                                              .of = reason.of,
                                              .place = (uint8_t)place,
                                              .why = (uint8_t)reason.why};
    hold(t, from);
    return node;
}

/* ---- seats: where each entity stands --------------------------------------------------------- */

static struct htmt__seat *seat(struct htmt_emulator *e, const struct htmt__entity *p)
{
    bool between = e->guard && (p->index & HTMT__BETWEEN);
    uint32_t index = between ? p->index - HTMT__BETWEEN : p->index;
    struct htmt__row *row = &e->trace->row[p->slice + (between ? e->played : 0)];
    if (index >= row->seats) {
        uint32_t seats = index + index / 2 + 16;
        struct htmt__seat *more = realloc(row->seat, seats * sizeof *more);
        if (!more) {
            htmt__fail(e, HTMT_ENOMEM, "no host memory to explain the run");
            return &e->trace->nobody;
        }
        for (uint32_t i = row->seats; i < seats; i++)
            more[i] = (struct htmt__seat){.node = HTMT__NO_NODE, .sent = HTMT__NO_NODE};
        row->seat = more;
        row->seats = seats;
    }
    return &row->seat[index];
}

static const struct htmt__reason came = {HTMT__CAME, UINT32_MAX};

static void turn(struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__seat *s = seat(e, p);
    put(e->trace, &e->trace->now, s->node);
    e->trace->reason = s->reason;
}

static void keep(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__seat *s = seat(e, p);
    put(e->trace, &s->node, e->trace->now);
    s->reason = e->trace->reason;
}

static void called(struct htmt_emulator *e, const struct htmt__entity *p)
{
    keep(e, p);
    if (e->trace->reason.why == HTMT__CAME)
        seat(e, p)->reason.why = HTMT__CALLED;
}

static void woken(struct htmt_emulator *e, const struct htmt__entity *p, enum htmt__why why,
                  uint32_t of)
{
    seat(e, p)->reason = (struct htmt__reason){why, of};
}

static void why_now(struct htmt_emulator *e, enum htmt__why why, uint32_t of)
{
    e->trace->reason = (struct htmt__reason){why, of};
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
    e->trace->stats = stats;
}

/* One interval, as if it had been known. */
static void put_off(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time start,
                    const struct htmt__stage_stats *stats)
{
    struct htmt__trace *t = e->trace;
    const struct htmt__seat *s = seat(e, p);
    bool begun = when(t, s->node) > start;
    const struct htmt__trace_node *n = begun ? &t->node[s->node] : NULL;
    struct htmt__reason reason =
        begun ? (struct htmt__reason){(enum htmt__why)n->why, n->of} : s->reason;
    put(t, &t->now, begun ? n->from : s->node);
    t->reason = reason;
    t->stats = stats;
}

static void over(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__seat *s = seat(e, p);
    put(e->trace, &s->node, HTMT__NO_NODE);
    put(e->trace, &s->sent, HTMT__NO_NODE);
}

static void event(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at)
{
    struct htmt__trace *t = e->trace;
    struct htmt__seat *s = seat(e, p);
    uint32_t from = t->has_via ? t->via : t->now;
    struct htmt__reason reason = t->has_via ? t->via_reason : t->reason;
    const struct htmt__stage_stats *stats = t->stats ? t->stats : p->step ? p->step->stats : NULL;
    bool idle = at == when(t, from);
    put(t, &s->node,
        idle ? from
             : reach(e, from, at, stats, t->has_via ? HTMT_PATH_FLYING : HTMT_PATH_SERVED, reason));
    s->reason = idle ? reason : came;
    t->has_via = false;
    t->stats = NULL;
}

/* ---- channels -------------------------------------------------------------------------------- */

static void channel(struct htmt_emulator *e, struct htmt__link *l)
{
    e->trace->used = &e->trace->channel[htmt__channel_of(e, l)];
}

static void go_via(struct htmt__trace *t, uint32_t node, struct htmt__reason reason,
                   const struct htmt__stage_stats *stats)
{
    t->has_via = true;
    t->via = node;
    t->via_reason = reason;
    t->stats = stats;
}

/* Parts of a host's command follow one another: one interval, from its beginning. */
static void out(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                htmt_time start, htmt_time head)
{
    struct htmt__trace *t = e->trace;
    bool waited = start > e->now && !e->net[g->network].bus;
    struct htmt__reason reason =
        waited ? (struct htmt__reason){HTMT__LINE, g->stats->resource} : t->reason;
    if (p->kind == HTMT__MESSAGE && reason.why == HTMT__CAME)
        reason.why = HTMT__CALLED;
    uint32_t from = waited ? *t->used : t->now;
    hold(t, from);
    uint32_t sent = reach(e, from, start + g->out_time, g->stats, HTMT_PATH_SENT, reason);
    put(t, t->used, sent);
    put(t, &seat(e, p)->sent, sent);
    uint32_t via = head < 0 ? sent : reach(e, from, head, g->stats, HTMT_PATH_FLYING, reason);
    go_via(t, via, via == from ? reason : came, g->stats);
    drop(t, from);
}

static void in(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
               htmt_time head, htmt_time start, htmt_time end)
{
    struct htmt__trace *t = e->trace;
    uint32_t here = t->has_via ? t->via : t->now, from = start > head ? *t->used : here;
    struct htmt__reason reason = start > head
                                     ? (struct htmt__reason){HTMT__LINE, g->stats->in_resource}
                                 : t->has_via ? t->via_reason
                                              : t->reason;
    hold(t, here);
    uint32_t received = reach(e, from, start + g->in_time, g->stats, HTMT_PATH_RECEIVED, reason);
    put(t, t->used, received);
    drop(t, here);
    if (end < 0) {
        t->has_via = false;
        put(t, &seat(e, p)->node, received);
        seat(e, p)->reason = received == from ? reason : came;
        return;
    }
    bool whole = end == start + g->in_time;
    go_via(t, whole ? received : seat(e, p)->sent, whole && received == from ? reason : came,
           g->stats);
}

/* ---- ports inside networks ------------------------------------------------------------------- */

static void asked(struct htmt_emulator *e, const struct htmt__entity *p)
{
    keep(e, p);
    if (p->kind == HTMT__MESSAGE && e->trace->reason.why == HTMT__CAME)
        seat(e, p)->reason.why = HTMT__CALLED;
}

static void begun(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                  htmt_time since)
{
    struct htmt__trace *t = e->trace;
    struct htmt__seat *s = seat(e, p);
    if (e->now > since) {
        put(t, &s->node, *t->used);
        s->reason = (struct htmt__reason){HTMT__LINE, g->stats->resource};
    }
    put(t, &s->sent, s->node);
    s->begun = s->reason;
}

static void held(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                 htmt_time since, htmt_time start)
{
    struct htmt__trace *t = e->trace;
    struct htmt__seat *s = seat(e, p);
    (void)since, (void)start;
    uint32_t sent = reach(e, s->sent, e->now, g->stats, HTMT_PATH_SENT, s->begun);
    put(t, t->used, sent);
    put(t, &s->sent, sent);
}

static void fly(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g,
                htmt_time to, struct htmt__reason reason)
{
    struct htmt__seat *s = seat(e, p);
    uint32_t node = reach(e, s->node, to, g->stats, HTMT_PATH_FLYING, reason);
    if (node != s->node)
        s->reason = came;
    put(e->trace, &s->node, node);
}

uint32_t htmt__trace_block(const struct htmt_emulator *e, uint32_t of)
{
    uint32_t first = 0;
    for (uint32_t n = 0; n < of >> HTMT__BLOCKED_NETWORK; n++)
        first += e->net[n].fabric ? e->net[n].fabric->topology->channels : 0;
    return first + (of & ((1u << HTMT__BLOCKED_NETWORK) - 1));
}

static void queued(struct htmt_emulator *e, const struct htmt__entity *p,
                   const struct htmt__packet *holder, uint32_t channel)
{
    struct htmt__seat *s = seat(e, p);
    if (s->queues)
        return;
    s->queues = true;
    s->since = e->now;
    s->source = holder->source;
    s->target = holder->target;
    s->port = channel;
}

/* A packet that begins again at its sender has waited for the port where it queued. */
static void granted(struct htmt_emulator *e, const struct htmt__entity *p,
                    const struct htmt__leg *g)
{
    struct htmt__seat *s = seat(e, p);
    if (!s->queues)
        return;
    const uint32_t of = g->network << HTMT__BLOCKED_NETWORK | s->port;
    struct htmt__block *b = &e->trace->block[htmt__trace_block(e, of)];
    s->queues = false;
    fly(e, p, g, s->since, s->reason);
    fly(e, p, g, e->now, (struct htmt__reason){HTMT__BLOCKED, of});
    if (e->now - s->since > b->wait)
        *b = (struct htmt__block){e->now - s->since, s->source, s->target};
}

static void landed(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g)
{
    fly(e, p, g, e->now, seat(e, p)->reason);
    turn(e, p);
}

static int make_blocks(const struct htmt_emulator *e, struct htmt__trace *t)
{
    uint32_t all = htmt__trace_block(e, e->networks << HTMT__BLOCKED_NETWORK);
    t->block = all ? calloc(all, sizeof *t->block) : NULL;
    return t->block || !all ? 0 : HTMT_ENOMEM;
}

static void sent_off(struct htmt_emulator *e, const struct htmt__entity *p,
                     const struct htmt__entity *moment)
{
    (void)moment;
    go_via(e->trace, seat(e, p)->sent, came, NULL);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void fill(uint32_t *node, size_t n)
{
    for (size_t i = 0; i < n; i++)
        node[i] = HTMT__NO_NODE;
}

static void begin(struct htmt_emulator *e)
{
    put(e->trace, &e->trace->now, HTMT__NO_NODE);
    e->trace->reason = came;
}

/* Of slices that were played one after another: the last to end, of equals the first. */
static void end(struct htmt_emulator *e)
{
    struct htmt__trace *t = e->trace;
    if (e->now <= t->latest)
        return;
    t->latest = e->now;
    put(t, &t->last, t->now);
}

static void forget(struct htmt__trace *t, uint32_t *node, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(t, &node[i], HTMT__NO_NODE);
}

static void rest(struct htmt_emulator *e, uint32_t slice)
{
    struct htmt__trace *t = e->trace;
    size_t each = htmt__channel_count(e) / e->played;
    forget(t, &t->channel[slice * each], each);
}

static void flying(struct htmt_emulator *e, const struct htmt__leg *g)
{
    struct htmt__trace *t = e->trace;
    if (!t->has_via)
        go_via(t, t->now, t->reason, g->stats);
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
    .queued = queued,
    .granted = granted,
    .landed = landed,
    .sent = sent_off,
};

int htmt__trace_create(struct htmt_emulator *e)
{
    struct htmt__trace *t = calloc(1, sizeof *t);
    if (!t)
        return HTMT_ENOMEM;
    e->trace = t;
    t->free = t->now = t->last = t->nobody.node = t->nobody.sent = HTMT__NO_NODE;
    t->latest = -1;
    t->reason = came;
    t->row = calloc(2 * (size_t)e->played, sizeof *t->row);
    t->channel = calloc(htmt__channel_count(e) + 1, sizeof *t->channel);
    if (!t->row || !t->channel)
        return HTMT_ENOMEM;
    fill(t->channel, htmt__channel_count(e));
    if (make_blocks(e, t))
        return HTMT_ENOMEM;
    return htmt__probes_add(e, &probe);
}

void htmt__trace_destroy(struct htmt_emulator *e)
{
    struct htmt__trace *t = e->trace;
    if (!t)
        return;
    for (uint32_t i = 0; t->row && i < 2 * e->played; i++)
        free(t->row[i].seat);
    free(t->row);
    free(t->channel);
    free(t->block);
    free(t->node);
    free(t);
    e->trace = NULL;
}
