/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/message/packet.h"
#include "parcels/clock/event.h"
#include "parcels/clock/lane.h"
#include "parcels/clock/page_guard.h"
#include "parcels/clock/partition.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/remote_arrivals.h"
#include "parcels/message/capture.h"
#include "parcels/message/message.h"
#include "parcels/message/message_order.h"
#include "parcels/message/outlet.h"
#include "parcels/message/packet_router.h"
#include "parcels/walk/node_services.h"
#include "parcels/walk/type.h"

#include <stdlib.h>

/* ---- at the source --------------------------------------------------------------------------- */

/* Its bytes are captured, and whoever waits for that hears of it. */
static void leave(struct htmt_emulator *e, const struct htmt__sending *s)
{
    if (s->captured)
        htmt__message_capture(e, htmt__entity_at(e, s->key));
    if (s->capture)
        htmt__capture_make(e, s->capture);
    if (s->moment && htmt__explained(e))
        e->explain->sent(e, htmt__entity_at(e, s->key), s->moment);
    if (s->moment)
        htmt__schedule_line(e, s->moment, htmt__moment_line(e), e->now);
}

static void left(void *user, const struct htmt__packet *packet, htmt_time now)
{
    struct htmt_emulator *e = user;
    struct htmt__sending over;
    (void)now;
    if (htmt__outlet_left(e, packet, &over))
        leave(e, &over);
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

/* When the whole of it is there; what came before it from the same slice is there first. */
static void is_whole(struct htmt_emulator *e, struct htmt__entity *p, htmt_time end)
{
    const struct htmt__leg g = leg_of(p);
    p->state = HTMT__PENDING;
    if (htmt__explained(e))
        tell(e, p, &g);
    if (htmt__leg_parted(e, &g) && end >= 0)
        htmt__booking_add(e, p, &g, end, true);
    htmt__schedule(e, p, end);
}

static bool make_room(struct htmt__packet_clock *c)
{
    uint32_t room = c->landing_room ? 2 * c->landing_room : 16;
    struct htmt__landing *more = realloc(c->landing, room * sizeof *more);
    if (!more)
        return false;
    c->landing = more;
    c->landing_room = room;
    return true;
}

/* The list of those whose rest is awaited. Others in it may not be touched: guard.h. */
static void land(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__packet_clock *c = e->packets;
    if (!c->landing_spare && c->landings == c->landing_room && !make_room(c)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for messages under way");
        return;
    }
    p->flight.landing = c->landing_spare ? c->landing_spare : ++c->landings;
    struct htmt__landing *place = &c->landing[p->flight.landing - 1];
    if (c->landing_spare)
        c->landing_spare = place->spare;
    *place = (struct htmt__landing){p, 0};
}

static void landed(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__packet_clock *c = e->packets;
    c->landing[p->flight.landing - 1] = (struct htmt__landing){NULL, c->landing_spare};
    c->landing_spare = p->flight.landing;
    p->flight.landing = 0;
}

/* The last word of all is known, and when its channel at the target ends. */
static void come_whole(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    struct htmt__fabric_net *n = e->net[g->network].fabric;
    if (p->flight.landing)
        landed(e, p);
    htmt_time end = htmt__later(p->tail, n->topology->inside.receive);
    if (p->flight.order)
        htmt__order_take(e, p, g, end, is_whole);
    else
        is_whole(e, p, end);
}

/* In which of the partition's accounts it is from now on. */
static bool adopt(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__leg *g = p->kind == HTMT__MESSAGE ? &p->message->leg : NULL;
    if (g && htmt__leg_parted(e, g))
        g->stats = htmt__message_stats_here(e, g->network, g->from, g->to,
                                            htmt__message_group_of(p->message));
    return !g || g->stats;
}

/* Its head: a channel at the target. */
static void come_head(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *g)
{
    p->start = e->now;
    if (htmt__explained(e))
        e->explain->landed(e, p, g);
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
        e->explain->channel(e, in);
        e->explain->in(e, p, g, e->now, p->start, -1);
    }
}

static void come_last(struct htmt__entity *p, htmt_time at)
{
    p->tail = at > p->tail ? at : p->tail;
    p->flight.known++;
}

static void head(void *user, const struct htmt__packet *packet, htmt_time now, htmt_time tail,
                 bool sure)
{
    struct htmt_emulator *e = user;
    struct htmt__entity *p = htmt__entity_at(e, packet->key);
    struct htmt__packet_count *count = &e->net[e->packets->network].fabric->count[packet->target];
    (void)now;
    count->came++;
    count->came_bytes += packet->bytes;
    if (!packet->number && !adopt(e, p))
        return;
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

static void hop(void *user, const struct htmt__packet *packet, uint32_t channel, htmt_time now)
{
    struct htmt_emulator *e = user;
    struct htmt__fabric_net *n = e->net[e->packets->network].fabric;
    const struct htmt__topology *t = n->topology;
    const uint32_t slice = t->owner[t->wire[channel].from];
    struct htmt__packet_count *count = &n->count[slice];
    count->hops++;
    htmt__history_absorb(
        &count->history,
        (struct htmt__history_event){.fs = now,
                                     .resource = channel,
                                     .slice = slice,
                                     .parcel = packet->key >> HTMT__INDEX_BITS, /* not its place */
                                     .stage = packet->plane,
                                     .words = packet->number});
}

static void routes(void *user, const struct htmt__router_turn *routing)
{
    struct htmt_emulator *e = user;
    const struct htmt__entity *p = htmt__router_route(e, e->packets->network, routing);
    if (p && htmt__goes_aside(e, HTMT__BY_NODES))
        htmt__nodes_put_off(e, p, routing->route + routing->copy);
}

/* Who keeps a port is who had it last. The heads of messages alone are asked about. */
static void explain(struct htmt_emulator *e, struct htmt__fabric_net *n,
                    const struct htmt__entity *p, const struct htmt__port_change *c)
{
    struct htmt__packet *holder = &n->holder[c->plane * n->topology->channels + c->channel];
    if (!c->queues)
        *holder = *c->packet;
    if (c->packet->number)
        return;
    const struct htmt__leg g = leg_of(p);
    if (c->queues)
        e->explain->queued(e, p, holder, c->channel);
    else if (c->state == HTMT__PORT_SENDS)
        e->explain->granted(e, p, &g);
}

static void tell_watcher(struct htmt_emulator *e, const struct htmt__port_change *c)
{
    const struct htmt__entity *p = htmt__entity_at(e, c->packet->key);
    e->explain->port(e, e->packets->network, p, c);
    if (e->live_path)
        explain(e, e->net[e->packets->network].fabric, p, c);
}

/* Those who watch see all slices: the message is at its source, wherever its packet is. */
static void watch(void *user, const struct htmt__port_change *c, htmt_time now)
{
    struct htmt_emulator *e = user;
    const struct htmt__topology *t = e->net[e->packets->network].fabric->topology;
    (void)now;
    if (e->guard)
        htmt__guard_open(e->guard);
    tell_watcher(e, c);
    if (e->guard)
        htmt__guard_enter(e->guard, htmt__fabric_slice(e, t->owner[t->wire[c->channel].from]));
}

static void watch_parts(struct htmt_emulator *e)
{
    const struct htmt__windows *w = e->windows;
    e->packets->sink.watch = watch;
    for (uint32_t i = w ? w->first : 0; w && i < w->end; i++)
        w->partition[i].e->packets->sink.watch = watch;
}

void htmt__packet_watch(struct htmt_emulator *e)
{
    if (!e->packets || !(e->live_path || e->recorder))
        return;
    watch_parts(e);
    for (uint32_t i = 0; i < e->networks && e->live_path; i++) {
        struct htmt__fabric_net *n = e->net[i].fabric;
        if (n && !(n->holder = calloc(htmt__fabric_ports(n) + 1, sizeof *n->holder)))
            htmt__fail(e, HTMT_ENOMEM, "no host memory to watch ports");
    }
}

static void fail(void *user, int code, const char *what)
{
    htmt__fail(user, code, "%s", what);
}

int htmt__packet_clock_create(struct htmt_emulator *e)
{
    if (!e->has_fabric)
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

static void fetch(const void *emulator, const struct htmt__packet_event *p)
{
    const struct htmt_emulator *e = emulator;
    const struct htmt__fabric_net *n = e->net[p->network].fabric;
    if (n->place[p->event.slice])
        htmt__fabric_fetch(n->fabric, n->place[p->event.slice], &p->event);
}

/* true: the event is another one. */
static bool play(struct htmt_emulator *e, struct htmt__packet_event *p)
{
    struct htmt__fabric_place *place;
    if (p->event.kind == HTMT__PACKET_INJECT) {
        htmt__outlet_inject(e, &p->event);
        return false;
    }
    place = htmt__fabric_place_of(e, p->network, p->event.slice);
    return place && htmt__fabric_play(e->net[p->network].fabric->fabric, place, &p->event,
                                      &e->packets->sink);
}

void htmt__packet_turn(struct htmt_emulator *e)
{
    struct htmt__packet_clock *c = e->packets;
    uint32_t place;
    if (htmt__packet_queue_take(&c->queue, &place)) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
        return;
    }
    struct htmt__packet_event *p = htmt__packet_queue_at(&c->queue, place);
    htmt__packet_queue_ahead(&c->queue, fetch, e);
    e->now = p->event.at;
    e->turn = p->event.packet.key;
    c->network = p->network;
    if (__builtin_expect(e->guard != NULL, 0))
        htmt__guard_enter(e->guard, htmt__fabric_slice(e, p->event.slice));
    if (play(e, p))
        htmt__fabric_post_again(e, place);
    else
        htmt__packet_queue_forget(&c->queue, place);
}
