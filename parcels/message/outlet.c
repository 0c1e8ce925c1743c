/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a message becomes packets: the source's side of a network with ports inside.
 *
 * The steps. (1) The message asks for a channel of its layer's out port, and waits in line if all
 * are held. (2) When it has one, start-up passes, or the shorter `startup-next` if the channel's
 * last message ended at this very instant. (3) Then packet after packet is *injected*: it is put
 * into the queue of the slice's injection port, from where the fabric takes it through the network
 * (layers/network/). Packet i is injected when the bytes before it have come from the channel at
 * the channel's pace. (4) The fabric tells when the last word of a packet has left the slice. When
 * that is so of all packets, the channel is free, and the next message in line has it.
 *
 * So a channel is held for as long as the network lets the message leave, unlike without ports,
 * where that time is known at the begin (message.c). What holds a packet up inside (credits, Stop
 * and Go, blocked ports) is the fabric's, and comes back here as a later "left".
 *
 * Whose is the message? From its first packet on, the entity belongs to the target's side, perhaps
 * in another partition or process. So what the source still needs of it (leg, moment, captures)
 * stands in `struct htmt__sending`, and packets name it by `whose`.
 *
 * By hand: 300 bytes, packets of 128; the leg takes 350, of which 50 are start-up; begun at 1,000.
 * Packets have 128, 128 and 44 bytes. Packet 0 is injected at 1,050, packet 1 at 1,050 + 300 * 128
 * / 300 = 1,178, packet 2 at 1,306. Each has come from the channel when the next begins, the last
 * at 1,350. If nothing inside is in the way, the channel is free then.
 *
 * Cost. An event for each packet that does not leave at the instant of the one before it.
 */
#include "parcels/clock/outbox.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/rank.h"
#include "parcels/clock/statistics.h"
#include "parcels/message/packet_network.h"
#include "parcels/walk/type.h"
#include "runtime/base/array.h"

#include <stdlib.h>

/* ---- events inside networks ------------------------------------------------------------------ */

struct htmt__fabric_place *htmt__fabric_place_of(struct htmt_emulator *e, uint32_t network,
                                                 uint32_t slice)
{
    struct htmt__fabric_net *n = e->net[network].fabric;
    if (__builtin_expect(!n->place[slice], 0) &&
        !(n->place[slice] = htmt__fabric_place_create(n->fabric, slice)))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the ports of a slice");
    return n->place[slice];
}

static bool is_past(struct htmt_emulator *e, htmt_time at)
{
    if (__builtin_expect(at >= e->now && at < HTMT_TIME_MAX, 1))
        return false;
    const bool passes = at < 0 || at == HTMT_TIME_MAX;
    htmt__fail(e, passes ? HTMT_EOVERFLOW : HTMT_EPAST,
               passes ? "virtual time passes 2.56 hours" : "dispatch into the past");
    return true;
}

static bool goes_elsewhere(const struct htmt_emulator *e, const struct htmt__fabric_event *event)
{
    return e->partition && htmt__elsewhere(e, htmt__fabric_slice(e, event->slice));
}

/* It is pending here. An event of now follows one that may have a greater key. */
static void follow(struct htmt_emulator *e, htmt_time at, int rc)
{
    if (at == e->now) {
        e->followed = htmt__order(e);
        e->followed_at = e->now;
    }
    if (rc)
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
}

void htmt__fabric_post(struct htmt_emulator *e, uint32_t network,
                       const struct htmt__fabric_event *event)
{
    if (is_past(e, event->at))
        return;
    if (goes_elsewhere(e, event)) {
        const struct htmt__packet_event p = {.event = *event, .network = network};
        htmt__outbox_packet(e, &p);
        return;
    }
    follow(e, event->at, htmt__packet_queue_push(&e->packets->queue, event, network));
}

void htmt__fabric_post_again(struct htmt_emulator *e, uint32_t place)
{
    struct htmt__packet_queue *q = &e->packets->queue;
    const struct htmt__packet_event *p = htmt__packet_queue_at(q, place);
    if (is_past(e, p->event.at))
        return;
    if (goes_elsewhere(e, &p->event)) {
        htmt__outbox_packet(e, p);
        htmt__packet_queue_forget(q, place);
        return;
    }
    follow(e, p->event.at, htmt__packet_queue_put(q, place));
}

uint64_t htmt__fabric_next_key(struct htmt_emulator *e)
{
    uint64_t key;
    if (htmt__packet_queue_first(&e->packets->queue, &key))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
    return key;
}

/* ---- pairs of slices ------------------------------------------------------------------------- */

#define PAIRS_LEAST 4u

/* Its place, or the free one where it would be: half of the places are free. */
static struct htmt__pair *place_of(const struct htmt__pairs *all, uint64_t pair)
{
    for (uint64_t i = (pair >> 32) + pair;; i++) {
        struct htmt__pair *p = &all->at[i & (all->room - 1)];
        if (!p->used || p->pair == pair)
            return p;
    }
}

struct htmt__pair *htmt__pair_of(struct htmt__pairs *all, uint32_t source, uint32_t target)
{
    const uint64_t pair = (uint64_t)source << 32 | target;
    if (2 * (all->count + 1) > all->room) {
        struct htmt__pairs more = {.count = all->count,
                                   .room = all->room ? 2 * all->room : PAIRS_LEAST};
        more.at = calloc(more.room, sizeof *more.at);
        if (!more.at)
            return NULL;
        for (uint32_t i = 0; i < all->room; i++)
            if (all->at[i].used)
                *place_of(&more, all->at[i].pair) = all->at[i];
        free(all->at);
        *all = more;
    }
    struct htmt__pair *p = place_of(all, pair);
    all->count += !p->used;
    p->pair = pair;
    p->used = true;
    return p;
}

/* ---- what a slice keeps ---------------------------------------------------------------------- */

void htmt__sendings_destroy(struct htmt__sendings *end)
{
    if (!end)
        return;
    for (uint32_t i = 0; i < end->fresh; i++)
        free(end->sending[i].capture); /* planned, not made: it holds no bytes */
    free(end->sending);
    free(end->receivers.at);
    free(end);
}

/* It is made when the slice sends first. NULL: out of memory (latched). */
static struct htmt__sendings *end_of(struct htmt_emulator *e, uint32_t network, uint32_t slice)
{
    struct htmt__sendings **end = &e->net[network].fabric->end[htmt__played(e, slice)];
    if (__builtin_expect(*end != NULL, 1))
        return *end;
    *end = calloc(1, sizeof **end);
    if (!*end)
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the messages of a slice");
    for (uint32_t l = 0; *end && l < HTMT_LAYERS_MAX; l++) {
        (*end)->outlet[l].bank.servers = e->machine->network[network].port[l].out;
        (*end)->outlet[l].ended = -1;
    }
    return *end;
}

/* A place in end->sending. UINT32_MAX: out of memory (latched). */
static uint32_t sending_create(struct htmt_emulator *e, struct htmt__sendings *end)
{
    if (end->spare) {
        uint32_t i = end->spare - 1;
        end->spare = end->sending[i].spare;
        return i;
    }
    if (!htmt__array_fits(&end->sending, &end->room, (size_t)end->fresh + 1,
                          sizeof *end->sending)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the messages of a slice");
        return UINT32_MAX;
    }
    return end->fresh++;
}

/* The line for the channels changes now: it had its length for some time. Who joins and leaves it
 * at one instant was not in it. */
static void measure(const struct htmt__held_port *o, struct htmt__tally *t, htmt_time now)
{
    const struct htmt__line *l = &o->bank.line;
    if (l->length > t->longest && now > l->changed)
        t->longest = l->length;
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
                                 .channel = UINT32_MAX,
                                 .from = (uint8_t)s->leg.from,
                                 .to = (uint8_t)s->leg.to};
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

/* What watchers know a leg's channels by. */
static struct htmt__link *link_of(struct htmt_emulator *e, const struct htmt__leg *g)
{
    return htmt__port_at(e, htmt__played(e, g->source), false, g->network, g->from);
}

/* The message has that channel: a free one, or the one that the message before it has left.
 * Watchers keep who was last on each channel, and find there what this one waited for, now and when
 * it leaves. Messages are numbered, pair by pair, as they get channels, where ways may differ. */
static void start(struct htmt_emulator *e, struct htmt__sendings *end, struct htmt__entity *p,
                  uint32_t channel)
{
    uint32_t index = (uint32_t)p->flight.sending;
    struct htmt__sending *s = &end->sending[index];
    const struct htmt__leg *g = &s->leg;
    const struct htmt__fabric_net *n = e->net[g->network].fabric;
    s->channel = (uint8_t)channel;
    end->outlet[g->from].taken |= UINT32_C(1) << channel;
    s->start = e->now;
    s->startup = end->outlet[g->from].ended == e->now ? n->topology->inside.startup_next
                                                      : e->net[g->network].startup;
    g->stats->waited += e->now - s->asked;
    if (htmt__explained(e)) {
        e->explain->channel(e, link_of(e, g), channel);
        e->explain->begun(e, p, g, s->asked);
    }
    if (n->reorders) {
        struct htmt__pair *to = htmt__pair_of(&end->receivers, g->source, g->target);
        if (!to)
            htmt__fail(e, HTMT_ENOMEM, "no host memory for the order of messages");
        s->order = to ? ++to->number : 0;
    }
    p->state = HTMT__AS_PACKETS;
    p->flight = (struct htmt__flight){.packets = s->packets, .order = s->order, .sending = index};
    p->service = g->out_time;
    p->tail = p->start = -1;
    p->head = p->inside = false;
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
    if (htmt__bank_enter(&o->bank)) {
        start(e, end, p, (uint32_t)__builtin_ctz(~o->taken));
        return;
    }
    struct htmt__tally *t = &e->tally[g->stats->resource];
    measure(o, t, e->now);
    const uint64_t longest = t->longest;
    htmt__line_join(&o->bank.line, t, &p->waiter, e->now);
    t->longest = longest;
}

struct htmt__sending *htmt__outlet_sending(struct htmt_emulator *e, const struct htmt__entity *p,
                                           const struct htmt__leg *g)
{
    return &end_of(e, g->network, g->source)->sending[p->flight.sending];
}

/* ---- packets --------------------------------------------------------------------------------- */

/* When all bytes of the first so many packets have come from the layer's channel. */
static htmt_time paced(const struct htmt_emulator *e, const struct htmt__sending *s,
                       uint32_t packets)
{
    uint64_t each = e->net[s->leg.network].fabric->topology->inside.packet;
    uint64_t bytes = packets < s->packets ? packets * each : s->bytes;
    htmt_time rest = s->leg.out_time - e->net[s->leg.network].startup;
    htmt_uwide share = bytes < s->bytes ? (htmt_uwide)rest * bytes / s->bytes : (htmt_uwide)rest;
    return htmt__later(s->start, s->startup + (htmt_time)share);
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
    htmt__fabric_inject(n->fabric, place, &p, e->now, paced(e, s, number + 1), &e->packets->sink);
}

/* With the first packet the message's record goes ahead to the process that plays its target. The
 * message may be over as soon as its last packet is injected, so the loop has a copy. */
void htmt__outlet_inject(struct htmt_emulator *e, const struct htmt__fabric_event *event)
{
    const uint32_t network = e->packets->network, index = (uint32_t)event->packet.whose;
    uint32_t number = event->packet.number;
    struct htmt__sendings *end = end_of(e, network, event->slice);
    const struct htmt__sending s = end->sending[index];
    if (!number && htmt__leg_parted(e, &s.leg) && !htmt__rank_plays(e, s.leg.target)) {
        struct htmt__entity *p = htmt__entity_at(e, s.key);
        p->state = HTMT__AWAY;
        if (htmt__outbox_put(e->partition, e->windows, p, HTMT_TIME_MAX))
            htmt__fail(e, HTMT_ENOMEM, "no host memory for what goes to other slices");
    }
    for (htmt_time at = e->now; number < s.packets && at == e->now && !e->fault.code;) {
        inject(e, &s, number++);
        at = paced(e, &s, number);
        if (number < s.packets && at != e->now)
            inject_at(e, &s, number, at);
    }
}

/* ---- a channel is free ----------------------------------------------------------------------- */

bool htmt__outlet_left(struct htmt_emulator *e, const struct htmt__packet *packet,
                       struct htmt__sending *over)
{
    const uint32_t index = (uint32_t)packet->whose;
    struct htmt__sendings *end = end_of(e, e->packets->network, packet->source);
    struct htmt__sending *s = &end->sending[index];
    if (++s->left < s->packets)
        return false;
    *over = *s;
    s->capture = NULL;
    s->packets = 0;
    s->spare = end->spare;
    end->spare = index + 1;
    struct htmt__held_port *o = &end->outlet[over->leg.from];
    struct htmt__stage_stats *stats = over->leg.stats;
    struct htmt__tally *tally = &e->tally[stats->resource];
    const htmt_time service = e->now - over->start;
    stats->count++;
    stats->words += over->leg.words;
    stats->busy += service;
    stats->flight -= e->now;
    if (service > stats->longest)
        stats->longest = service;
    tally->words += over->leg.words;
    o->ended = e->now;
    if (htmt__explained(e)) {
        e->explain->channel(e, link_of(e, &over->leg), over->channel);
        e->explain->held(e, htmt__entity_at(e, over->key), &over->leg, over->asked, over->start);
    }
    measure(o, tally, e->now);
    struct htmt__waiter *next = htmt__bank_leave(&o->bank, tally, service, e->now);
    o->taken &= ~(UINT32_C(1) << over->channel);
    struct htmt__link *sums = htmt__port_at(e, htmt__played(e, over->leg.source), false,
                                            over->leg.network, over->leg.from);
    sums->in_use = o->bank.in_use;
    sums->waited = o->bank.line.waited;
    if (next)
        start(e, end, (struct htmt__entity *)(void *)next, over->channel);
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
