/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How packets are a message again: the target's side of a network with ports inside, and the turns
 * of events inside networks.
 *
 * The fabric (layers/network/) plays packets by plain events, and knows nothing of messages. It
 * tells here, through a table of functions (struct htmt__fabric_sink), when a packet's last word
 * has left its source (left), its head is at the target (head), and its last word is there
 * (arrived). A packet carries the key of its message's entity, so each call finds the message.
 * `sure` with a head says that the instant of the last word is known already; then there is no call
 * of arrived.
 *
 * When is a message whole? It counts the packets whose last word's instant is known (flight.known).
 * With the head of packet 0 it takes an in channel of the target's port, if the machine has any.
 * When all packets are known it is whole at the latest of: the last words, the end of its time on
 * the in channel, and `receive` after both. Then the message has its event there like any other one
 * (is_whole). Packets may overtake each other; for the message only the last of all counts.
 *
 * Where ways may differ (planes, routes that the program chose), a later message may be whole
 * before an earlier one of the same pair of slices. Programs rely on their order: a signal must not
 * pass the put before it. So messages have numbers, and one that is whole too early waits in its
 * pair's list (`early`); when its number comes, it is there at its own instant or at that of the
 * one before it, whichever is later.
 *
 * By hand: message 1 is whole at 900, 2 at 700 and 3 at 800, and they become known as 2, 3 and 1.
 * So 2 and 3 wait; when 1 is known, it is there at 900, and 2 and 3 at 900 behind it, by their
 * keys.
 *
 * Turns. Events of all packets of a clock are in a queue of their own (packet_queue.h), beside lane
 * and calendar. The loop (play.c) takes the least (time, key) of all. An event touches the elements
 * of one slice, and of messages what is named above, so the cut into partitions holds as for other
 * events.
 */
#include "parcels/clock/event.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/probe.h"
#include "parcels/message/capture.h"
#include "parcels/message/cell_clock.h"
#include "parcels/message/inlet.h"
#include "parcels/message/message.h"
#include "parcels/message/packet_network.h"
#include "parcels/message/packet_router.h"
#include "parcels/walk/node_services.h"
#include "parcels/walk/type.h"
#include "runtime/base/array.h"

#include <stdlib.h>

/* ---- at the source --------------------------------------------------------------------------- */

/* All of a message has left: its bytes are captured, and whoever waits for that hears of it. */
static void left(void *user, const struct htmt__packet *packet, htmt_time now)
{
    struct htmt_emulator *e = user;
    struct htmt__sending over;
    (void)now;
    if (!htmt__outlet_left(e, packet, &over))
        return;
    if (__builtin_expect(e->posts != NULL, 0)) {
        if (htmt__explained(e))
            e->explain->freed(e, &over.leg);
        htmt__post_port_free(e, over.leg.source, over.leg.from);
    }
    if (over.captured)
        htmt__message_capture(e, htmt__entity_at(e, over.key));
    if (over.capture)
        htmt__capture_make(e, over.capture);
    if (over.moment && htmt__explained(e))
        e->explain->sent(e, htmt__entity_at(e, over.key), over.moment);
    if (over.moment)
        htmt__schedule_line(e, over.moment, htmt__moment_line(e), e->now);
}

/* ---- at the target --------------------------------------------------------------------------- */

static struct htmt__leg leg_of(const struct htmt__entity *p)
{
    return p->kind == HTMT__MESSAGE ? p->message->leg : htmt__leg_of_move(p);
}

/* Who watches. What else its last word was late for was on its way. */
static __attribute__((cold, noinline)) void
tell(struct htmt_emulator *e, const struct htmt__entity *p, const struct htmt__leg *g)
{
    e->explain->turn(e, p);
    e->explain->flying(e, g);
}

/* When it is there, in its order: its event. */
static void is_whole(struct htmt_emulator *e, struct htmt__entity *p, htmt_time end)
{
    const struct htmt__leg g = leg_of(p);
    p->state = HTMT__PENDING;
    if (htmt__explained(e))
        tell(e, p, &g);
    htmt__schedule(e, p, end);
}

/* Its own instant is `end`. It goes, and those that waited for it, or it waits for others. */
static void in_order(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g,
                     htmt_time end)
{
    struct htmt__fabric_net *n = e->net[g->network].fabric;
    struct htmt__pair *from =
        htmt__pair_of(&n->senders[htmt__played(e, g->target)], g->source, g->target);
    if (!from) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for the order of messages");
        return;
    }
    p->tail = end;
    p->flight.early = from->early;
    from->early = p;
    for (;;) {
        struct htmt__entity **at = &from->early;
        while ((p = *at) && p->flight.order != from->number + 1)
            at = &p->flight.early;
        if (!p)
            return;
        *at = p->flight.early;
        from->number++;
        from->end = p->tail < 0 || p->tail > from->end ? p->tail : from->end;
        is_whole(e, p, from->end);
    }
}

/* The clock's list of those whose head has come and whose rest is awaited. It is an array, since
 * other messages may not be touched now (page_guard.h). */
static void land(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__packet_clock *c = e->packets;
    if (!c->landing_spare && !htmt__array_fits(&c->landing, &c->landing_room,
                                               (size_t)c->landings + 1, sizeof *c->landing)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for messages under way");
        return;
    }
    p->flight.landing = c->landing_spare ? c->landing_spare : ++c->landings;
    struct htmt__landing *place = &c->landing[p->flight.landing - 1];
    if (c->landing_spare)
        c->landing_spare = place->spare;
    *place = (struct htmt__landing){p, 0};
}

/* The last words of all packets are known, and when its channel at the target ends. */
static void come_whole(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    struct htmt__packet_clock *c = e->packets;
    if (p->flight.landing) {
        c->landing[p->flight.landing - 1] = (struct htmt__landing){NULL, c->landing_spare};
        c->landing_spare = p->flight.landing;
        p->flight.landing = 0;
    }
    htmt_time end = htmt__later(p->tail, e->net[g->network].fabric->topology->inside.receive);
    g->stats->flight += end;
    if (p->flight.order)
        in_order(e, p, g, end);
    else
        is_whole(e, p, end);
}

/* It has a channel from now on of a port that full queues hold. */
static void have_inlet(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    const htmt_time end = htmt__later(e->now, g->in_time);
    p->start = e->now;
    p->tail = end < 0 ? HTMT_TIME_MAX : end > p->tail ? end : p->tail;
    if (htmt__explained(e))
        e->explain->in(e, p, g, e->now, e->now, -1);
}

void htmt__packets_begin(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    have_inlet(e, p, g);
    if (p->flight.known == p->flight.packets)
        come_whole(e, p, g);
}

/* The head of packet 0: a channel at the target. */
static void come_head(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    if (htmt__explained(e))
        e->explain->landed(e, p, g);
    if (htmt__inlet_holds(e, g)) {
        if (htmt__inlet_takes(e, p, g)) {
            if (htmt__inlet_enter(e, p, g))
                have_inlet(e, p, g);
            return;
        }
        htmt__inlet_pass(e, g);
        p->start = e->now;
        return;
    }
    p->start = e->now;
    if (g->stats->in_resource == UINT32_MAX)
        return;
    struct htmt__link *in = htmt__port_at(e, htmt__played(e, g->target), true, g->network, g->to);
    p->start = htmt__link_enter(in, &e->tally[g->stats->in_resource], e->now, g->in_time, g->words);
    if (p->start < 0) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a queue");
        return;
    }
    htmt_time end = htmt__later(p->start, g->in_time);
    g->stats->in_waited += p->start - e->now;
    g->stats->in_busy += g->in_time;
    p->tail = end < 0 ? HTMT_TIME_MAX : end > p->tail ? end : p->tail;
    if (htmt__explained(e)) {
        e->explain->channel(e, in, HTMT__FIRST_FREE);
        e->explain->in(e, p, g, e->now, p->start, -1);
    }
}

static void come_last(struct htmt__entity *p, htmt_time at)
{
    p->tail = at > p->tail ? at : p->tail;
    p->flight.known++;
}

/* From the first head on a message of another partition counts in the accounts of this one. */
static void head(void *user, const struct htmt__packet *packet, htmt_time now, htmt_time tail,
                 bool sure)
{
    struct htmt_emulator *e = user;
    struct htmt__entity *p = htmt__entity_at(e, packet->key);
    struct htmt__packet_count *count = &e->net[e->packets->network].fabric->count[packet->target];
    (void)now;
    count->came++;
    count->came_bytes += packet->bytes;
    if (!packet->number && p->kind == HTMT__MESSAGE && htmt__leg_parted(e, &p->message->leg)) {
        struct htmt__leg *own = &p->message->leg;
        own->stats = htmt__message_stats_here(e, own->network, own->from, own->to,
                                              htmt__message_group_of(p->message));
        if (!own->stats)
            return;
    }
    const struct htmt__leg g = leg_of(p);
    if (!packet->number)
        come_head(e, p, &g);
    if (sure)
        come_last(p, tail);
    if (p->flight.known == p->flight.packets && p->start >= 0)
        come_whole(e, p, &g);
    else if (!packet->number)
        land(e, p);
}

static void arrived(void *user, const struct htmt__packet *packet, htmt_time now)
{
    struct htmt_emulator *e = user;
    struct htmt__entity *p = htmt__entity_at(e, packet->key);
    come_last(p, now);
    if (p->flight.known < p->flight.packets || p->start < 0)
        return;
    const struct htmt__leg g = leg_of(p);
    come_whole(e, p, &g);
}

/* ---- inside ---------------------------------------------------------------------------------- */

static void post(void *user, const struct htmt__fabric_event *event)
{
    struct htmt_emulator *e = user;
    htmt__fabric_post(e, e->packets->network, event);
}

/* Hops have a history of their own, by slices. A packet's place may change, so its birth names it.
 */
static void hop(void *user, const struct htmt__packet *packet, uint32_t channel, htmt_time now)
{
    struct htmt_emulator *e = user;
    struct htmt__fabric_net *n = e->net[e->packets->network].fabric;
    const struct htmt__topology *t = n->topology;
    const uint32_t slice = t->owner[htmt__wire(t, channel)->from];
    struct htmt__packet_count *count = &n->count[slice];
    count->hops++;
    htmt__history_add(&count->history, (struct htmt__history_event){
                                           .fs = now,
                                           .place = htmt__history_place(
                                               htmt__history_kind(channel, packet->plane), slice),
                                           .parcel = packet->key >> HTMT__INDEX_BITS,
                                           .turn = htmt__history_turn(&count->turn),
                                           .words = packet->number});
}

static void routes(void *user, const struct htmt__router_service *routing)
{
    struct htmt_emulator *e = user;
    const struct htmt__entity *p = htmt__router_route(e, e->packets->network, routing);
    if (p && htmt__goes_aside(e, HTMT__BY_NODES))
        htmt__nodes_put_off(e, p, routing->route + routing->copy);
}

static void fail(void *user, int code, const char *what)
{
    htmt__fail(user, code, "%s", what);
}

/* ---- who watches ports ----------------------------------------------------------------------- */

/* Those who watch see all slices: the message is at its source, wherever its packet is. One to its
 * own slice may pass ports of others, and lies in its slice's pages. Who keeps a port is who had it
 * last. The critical path asks about the heads of messages alone.
 *
 * A lane that shares its wire does not tell of a pace that changes by less than 1/256
 * (lane_stream.c). So ports on the way may have other ends than the one at the target, and change
 * when the message is over and its entity another's. */
static void watch(void *user, const struct htmt__port_change *c, htmt_time now)
{
    struct htmt_emulator *e = user;
    struct htmt__fabric_net *n = e->net[e->packets->network].fabric;
    const struct htmt__topology *t = n->topology;
    (void)now;
    if (e->guard)
        htmt__guard_open(e->guard);
    const struct htmt__entity *p = htmt__entity_at(e, c->packet->key);
    e->explain->port(e, e->packets->network, p, c);
    if (e->live_path) {
        struct htmt__packet *holder = &n->holder[c->plane * t->channels + c->channel];
        if (!c->queues)
            *holder = *c->packet;
        if (!c->packet->number && c->queues) {
            e->explain->queued(e, p, holder, c->channel);
        } else if (!c->packet->number && c->state == HTMT__PORT_SENDS && p->key == c->packet->key &&
                   p->state == HTMT__AS_PACKETS) {
            const struct htmt__leg g = leg_of(p);
            e->explain->granted(e, p, &g);
        }
    }
    if (e->guard)
        htmt__guard_enter(e->guard,
                          htmt__fabric_slice(e, t->owner[htmt__wire(t, c->channel)->from]));
}

void htmt__packet_watch(struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    if (!e->packets || !(e->live_path || e->recorder))
        return;
    e->packets->sink.watch = watch;
    for (uint32_t i = w ? w->first : 0; w && i < w->end; i++)
        w->partition[i].e->packets->sink.watch = watch;
    for (uint32_t i = 0; i < e->networks && e->live_path; i++) {
        struct htmt__fabric_net *n = e->net[i].fabric;
        if (n && !(n->holder = calloc(htmt__fabric_ports(n) + 1, sizeof *n->holder)))
            htmt__fail(e, HTMT_ENOMEM, "no host memory to watch ports");
    }
}

/* ---- turns ----------------------------------------------------------------------------------- */

int htmt__packet_clock_create(struct htmt_emulator *e)
{
    if (!e->has_fabric && !e->cell_net)
        return 0;
    e->packets = calloc(1, sizeof *e->packets);
    if (!e->packets)
        return HTMT_ENOMEM;
    htmt__packet_queue_init(&e->packets->queue);
    e->packets->sink = (struct htmt__fabric_sink){.user = e,
                                                  .post = post,
                                                  .left = left,
                                                  .head = head,
                                                  .arrived = arrived,
                                                  .hop = hop,
                                                  .routes = e->routers ? routes : NULL,
                                                  .fail = fail};
    return 0;
}

void htmt__packet_clock_destroy(struct htmt_emulator *e)
{
    if (!e->packets)
        return;
    htmt__packet_queue_fini(&e->packets->queue);
    free(e->packets->landing);
    free(e->packets);
    e->packets = NULL;
}

/* What an event that comes soon will touch. */
static void fetch(const void *emulator, const struct htmt__packet_event *p)
{
    const struct htmt_emulator *e = emulator;
    const struct htmt__fabric_net *n = e->net[p->network].fabric;
    if (n && n->place[p->event.slice])
        htmt__fabric_fetch(n->fabric, n->place[p->event.slice], &p->event);
}

/* An event often causes one more of the same packet: it is written over the one that was played,
 * and is pending again without a copy. */
void htmt__packet_turn(struct htmt_emulator *e)
{
    struct htmt__packet_clock *c = e->packets;
    uint32_t at;
    if (htmt__packet_queue_take(&c->queue, &at)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
        return;
    }
    struct htmt__packet_event *p = htmt__packet_queue_at(&c->queue, at);
    htmt__packet_queue_ahead(&c->queue, fetch, e);
    const htmt_time before = e->now;
    e->now = p->event.at;
    e->turn = p->event.packet.key;
    c->network = p->network;
    if (__builtin_expect(e->guard != NULL, 0))
        htmt__guard_enter(e->guard, htmt__fabric_slice(e, p->event.slice));
    bool again = false;
    if (__builtin_expect(p->event.kind == HTMT__CELL_CYCLE, 0)) {
        if (!htmt__cell_clock_turn(e, &p->event))
            p->event.kind = HTMT__FABRIC_VOID;
    } else if (p->event.kind == HTMT__PACKET_INJECT) {
        htmt__outlet_inject(e, &p->event);
    } else {
        struct htmt__fabric_place *place = htmt__fabric_place_of(e, p->network, p->event.slice);
        again = place &&
                htmt__fabric_play(e->net[p->network].fabric->fabric, place, &p->event, &c->sink);
    }
    if (again) {
        htmt__fabric_post_again(e, at);
        return;
    }
    if (__builtin_expect(p->event.kind == HTMT__FABRIC_VOID, 0))
        e->now = before; /* the run may be over since then */
    htmt__packet_queue_forget(&c->queue, at);
}
