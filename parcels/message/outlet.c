/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/message/outlet.h"
#include "parcels/clock/outbox.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/rank.h"
#include "parcels/clock/remote_arrivals.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/type.h"

#include <stdlib.h>

#define ROOM_LEAST 4u

/* ---- what a slice keeps ---------------------------------------------------------------------- */

static struct htmt__sendings *end_create(const struct htmt_network *n)
{
    struct htmt__sendings *end = calloc(1, sizeof *end);
    for (uint32_t l = 0; end && l < HTMT_LAYERS_MAX; l++) {
        end->outlet[l].bank.servers = n->port[l].out;
        end->outlet[l].ended = -1;
    }
    return end;
}

void htmt__sendings_destroy(struct htmt__sendings *end)
{
    if (!end)
        return;
    free(end->sending);
    free(end->pair);
    free(end);
}

static struct htmt__sendings *end_of(struct htmt_emulator *e, uint32_t network, uint32_t slice)
{
    struct htmt__sendings **end = &e->net[network].fabric->end[htmt__played(e, slice)];
    if (__builtin_expect(!*end, 0) && !(*end = end_create(&e->machine->network[network])))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the messages of a slice");
    return *end;
}

static bool make_room(struct htmt__sendings *end)
{
    uint32_t room = end->room ? 2 * end->room : ROOM_LEAST;
    struct htmt__sending *more = realloc(end->sending, room * sizeof *more);
    if (!more)
        return false;
    end->sending = more;
    end->room = room;
    return true;
}

/* UINT32_MAX: out of memory (latched). */
static uint32_t sending_create(struct htmt_emulator *e, struct htmt__sendings *end)
{
    if (end->spare) {
        uint32_t i = end->spare - 1;
        end->spare = end->sending[i].spare;
        return i;
    }
    if (end->fresh == end->room && !make_room(end)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the messages of a slice");
        return UINT32_MAX;
    }
    return end->fresh++;
}

/* ---- order ----------------------------------------------------------------------------------- */

static struct htmt__sent_to *pair_at(const struct htmt__sendings *end, uint64_t pair)
{
    for (uint64_t i = (pair >> 32) + pair;; i++) {
        struct htmt__sent_to *p = &end->pair[i & (end->pair_room - 1)];
        if (!p->count || p->pair == pair)
            return p;
    }
}

static bool make_pairs(struct htmt__sendings *end)
{
    struct htmt__sendings more = {.pair_room = end->pair_room ? 2 * end->pair_room : ROOM_LEAST};
    if (2 * (end->pairs + 1) <= end->pair_room)
        return true;
    more.pair = calloc(more.pair_room, sizeof *more.pair);
    if (!more.pair)
        return false;
    for (uint32_t i = 0; i < end->pair_room; i++)
        if (end->pair[i].count)
            *pair_at(&more, end->pair[i].pair) = end->pair[i];
    free(end->pair);
    end->pair = more.pair;
    end->pair_room = more.pair_room;
    return true;
}

/* From 1, among those that go from that slice to that one. */
static uint32_t order_of(struct htmt_emulator *e, struct htmt__sendings *end,
                         const struct htmt__leg *g)
{
    const uint64_t pair = (uint64_t)g->source << 32 | g->target;
    if (!make_pairs(end)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the order of messages");
        return 0;
    }
    struct htmt__sent_to *p = pair_at(end, pair);
    end->pairs += !p->count;
    p->pair = pair;
    return ++p->count;
}

/* ---- the line of a layer's channels -----------------------------------------------------------
 */

/* The line changes now: it had its length for some time. Who joins and leaves it at one instant was
 * not in it. */
static void measure(const struct htmt__held_port *o, struct htmt__tally *t, htmt_time now)
{
    const struct htmt__line *l = &o->bank.line;
    if (l->length > t->longest && now > l->changed)
        t->longest = l->length;
}

static void join(struct htmt__held_port *o, struct htmt__tally *t, struct htmt__waiter *w,
                 htmt_time now)
{
    measure(o, t, now);
    const uint64_t longest = t->longest;
    htmt__line_join(&o->bank.line, t, w, now);
    t->longest = longest;
}

/* ---- a channel is taken ---------------------------------------------------------------------- */

/* What of a packet is its message's. */
static struct htmt__packet packet_of(const struct htmt__sending *s)
{
    return (struct htmt__packet){.key = s->key,
                                 .whose = s->whose,
                                 .source = s->leg.source,
                                 .target = s->leg.target,
                                 .count = s->packets,
                                 .route = s->route,
                                 .channel = UINT32_MAX};
}

static void inject_at(struct htmt_emulator *e, const struct htmt__sending *s, uint32_t number,
                      htmt_time at)
{
    struct htmt__fabric_event event = {.at = at,
                                       .packet = packet_of(s),
                                       .slice = s->leg.source,
                                       .channel = UINT32_MAX,
                                       .kind = HTMT__PACKET_INJECT};
    event.packet.number = number;
    htmt__fabric_post(e, s->leg.network, &event);
}

/* A message that follows another one of the same port at once may begin sooner. */
static htmt_time startup_of(const struct htmt_emulator *e, const struct htmt__held_port *o,
                            const struct htmt__leg *g)
{
    return o->ended == e->now ? e->net[g->network].fabric->topology->inside.startup_next
                              : e->net[g->network].startup;
}

/* What watchers know its channels by. */
static struct htmt__link *link_of(struct htmt_emulator *e, const struct htmt__leg *g)
{
    return htmt__port_at(e, htmt__played(e, g->source), false, g->network, g->from);
}

static void start(struct htmt_emulator *e, struct htmt__sendings *end, struct htmt__entity *p)
{
    uint32_t index = (uint32_t)p->flight.sending;
    struct htmt__sending *s = &end->sending[index];
    const struct htmt__leg *g = &s->leg;
    s->start = e->now;
    s->startup = startup_of(e, &end->outlet[g->from], g);
    g->stats->waited += e->now - s->asked;
    if (htmt__explained(e)) {
        e->explain->channel(e, link_of(e, g));
        e->explain->begun(e, p, g, s->asked);
    }
    s->order = e->net[g->network].fabric->reorders ? order_of(e, end, g) : 0;
    p->state = HTMT__AS_PACKETS;
    p->flight = (struct htmt__flight){.packets = s->packets, .order = s->order, .sending = index};
    p->service = g->out_time;
    p->tail = p->start = -1;
    p->head = p->inside = false;
    if (htmt__leg_parted(e, g))
        htmt__booking_open(e, g->source);
    inject_at(e, s, 0, htmt__later(e->now, s->startup));
}

void htmt__outlet_send(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                       uint64_t bytes, uint32_t route)
{
    struct htmt__sendings *end = end_of(e, g->network, g->source);
    uint32_t index = end ? sending_create(e, end) : UINT32_MAX;
    if (index == UINT32_MAX)
        return;
    end->sending[index] = (struct htmt__sending){
        .key = p->key,
        .whose = (uint64_t)++end->sent << 32 | index,
        .leg = *g,
        .bytes = bytes,
        .packets = htmt__fabric_packets(e->net[g->network].fabric->fabric, bytes),
        .route = route,
        .asked = e->now,
        .start = -1,
    };
    struct htmt__held_port *o = &end->outlet[g->from];
    p->state = HTMT__FOR_CHANNEL;
    p->flight.sending = index; /* a line leaves it */
    if (htmt__explained(e))
        e->explain->asked(e, p);
    if (htmt__bank_enter(&o->bank))
        start(e, end, p);
    else
        join(o, &e->tally[g->stats->resource], &p->waiter, e->now);
}

struct htmt__sending *htmt__outlet_sending(struct htmt_emulator *e, const struct htmt__entity *p,
                                           const struct htmt__leg *g)
{
    return &end_of(e, g->network, g->source)->sending[p->flight.sending];
}

/* ---- packets --------------------------------------------------------------------------------- */

/* When the first `bytes` bytes have come from the layer's channel. */
static htmt_time paced(const struct htmt_emulator *e, const struct htmt__sending *s, uint64_t bytes)
{
    htmt_time rest = s->leg.out_time - e->net[s->leg.network].startup;
    htmt_uwide share = bytes < s->bytes ? (htmt_uwide)rest * bytes / s->bytes : (htmt_uwide)rest;
    return htmt__later(s->start, s->startup + (htmt_time)share);
}

/* Bytes of the first so many packets. */
static uint64_t bytes_of(const struct htmt_emulator *e, const struct htmt__sending *s,
                         uint32_t packets)
{
    uint64_t each = e->net[s->leg.network].fabric->topology->inside.packet;
    return packets < s->packets ? packets * each : s->bytes;
}

static void inject(struct htmt_emulator *e, const struct htmt__sending *s, uint32_t number)
{
    struct htmt__fabric_net *n = e->net[s->leg.network].fabric;
    struct htmt__fabric_place *place = htmt__fabric_place_of(e, s->leg.network, s->leg.source);
    struct htmt__packet p = packet_of(s);
    struct htmt__packet_count *count = &n->count[s->leg.source];
    if (!place)
        return;
    htmt__fabric_cut(n->fabric, s->bytes, number, &p);
    count->sent++;
    count->sent_bytes += p.bytes;
    htmt__fabric_inject(n->fabric, place, &p, e->now, paced(e, s, bytes_of(e, s, number + 1)),
                        &e->packets->sink);
}

/* Its record goes ahead to the process that plays its target. */
static void send_record(struct htmt_emulator *e, const struct htmt__sending *s)
{
    struct htmt__entity *p = htmt__entity_at(e, s->key);
    if (!htmt__leg_parted(e, &s->leg) || htmt__rank_plays(e, s->leg.target))
        return;
    p->state = HTMT__AWAY;
    if (htmt__outbox_put(e->partition, e->windows, p, HTMT_TIME_MAX))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for what goes to other slices");
}

void htmt__outlet_inject(struct htmt_emulator *e, const struct htmt__fabric_event *event)
{
    const uint32_t network = e->packets->network, index = (uint32_t)event->packet.whose;
    uint32_t number = event->packet.number;
    struct htmt__sendings *end = end_of(e, network, event->slice);
    const struct htmt__sending s = end->sending[index]; /* it may end meanwhile */
    if (!number)
        send_record(e, &s);
    for (htmt_time at = e->now; number < s.packets && at == e->now && !e->fault.code;) {
        inject(e, &s, number++);
        at = paced(e, &s, bytes_of(e, &s, number));
        if (number < s.packets && at != e->now)
            inject_at(e, &s, number, at);
    }
}

/* ---- a channel is free ----------------------------------------------------------------------- */

static void count(struct htmt_emulator *e, const struct htmt__sending *s, htmt_time service)
{
    struct htmt__stage_stats *stats = s->leg.stats;
    stats->count++;
    stats->words += s->leg.words;
    stats->busy += service;
    if (service > stats->longest)
        stats->longest = service;
    e->tally[stats->resource].words += s->leg.words;
}

bool htmt__outlet_left(struct htmt_emulator *e, const struct htmt__packet *packet,
                       struct htmt__sending *over)
{
    const uint32_t index = (uint32_t)packet->whose;
    struct htmt__sendings *end = end_of(e, e->packets->network, packet->source);
    struct htmt__sending *s = &end->sending[index];
    if (++s->left < s->packets)
        return false;
    *over = *s;
    s->packets = 0;
    s->spare = end->spare;
    end->spare = index + 1;
    struct htmt__held_port *o = &end->outlet[over->leg.from];
    const htmt_time service = e->now - over->start;
    count(e, over, service);
    o->ended = e->now;
    if (htmt__explained(e)) {
        e->explain->channel(e, link_of(e, &over->leg));
        e->explain->held(e, htmt__entity_at(e, over->key), &over->leg, over->asked, over->start);
    }
    measure(o, &e->tally[over->leg.stats->resource], e->now);
    struct htmt__waiter *next =
        htmt__bank_leave(&o->bank, &e->tally[over->leg.stats->resource], service, e->now);
    if (next)
        start(e, end, (struct htmt__entity *)(void *)next);
    return true;
}

void htmt__outlet_each(struct htmt_emulator *e, uint32_t network, uint32_t slice,
                       void (*tell)(struct htmt_emulator *e, const struct htmt__sending *s))
{
    const struct htmt__fabric_net *n = e->net[network].fabric;
    const struct htmt__sendings *end = n ? n->end[slice] : NULL;
    for (uint32_t i = 0; end && i < end->fresh; i++)
        if (end->sending[i].packets)
            tell(e, &end->sending[i]);
}

void htmt__outlets_settle(struct htmt_emulator *e, uint32_t network)
{
    for (uint32_t i = 0; i < e->played; i++) {
        const struct htmt__sendings *end = e->net[network].fabric->end[i];
        for (uint32_t l = 0; end && l < e->layers; l++)
            if (end->outlet[l].bank.servers)
                measure(&end->outlet[l], &e->tally[htmt__out_resource(e, network, l)],
                        HTMT_TIME_MAX);
    }
}
