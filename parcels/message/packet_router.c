/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processors that route.
 *
 * A service knows its length when it begins, and its end is pending. Then packets come, and routing
 * takes time from its processor. Two ways to deal with that: to reschedule the service with each
 * packet, or to leave its event where it is and look when it comes. The second is done: a processor
 * notes by how much its service is put off (`off`), and when the event comes too early it is
 * scheduled again at its new end (htmt__router_ends). So a packet costs an addition, and a service
 * one more event for each time that it is caught by routing. Moments of the service's log do the
 * same (htmt__router_comes).
 *
 * At one instant the order of events must not matter: a packet that is routed at the very instant
 * at which a service ends does not put it off, be it played before or after. So `before` keeps what
 * `off` was when the instant began.
 *
 * By hand: a service begins at 100 and takes 50. Packets at 120 and 140 take 10 each: off is 20.
 * The event of 150 is too early: it comes again at 170. A packet at 165: off is 30, the event of
 * 170 comes again at 180. A packet at 180 changes nothing: the service ends at 180, and took 80.
 */
#include "parcels/message/packet_router.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/clock/rank.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/context.h"
#include "parcels/walk/type.h"

#include <stdlib.h>

/* ---- processors ------------------------------------------------------------------------------ */

static struct htmt__router_layer *layer_at(const struct htmt_emulator *e, uint32_t layer)
{
    return &e->routers->layer[layer];
}

static struct htmt__processor *processors_of(const struct htmt_emulator *e, uint32_t layer,
                                             uint32_t slice)
{
    const struct htmt__router_layer *l = layer_at(e, layer);
    return l->at ? &l->at[(size_t)slice * l->processors] : NULL;
}

static htmt_time later_of(htmt_time a, htmt_time b)
{
    return a > b ? a : b;
}

/* Whether it has been idle up to now. */
static bool is_idle(const struct htmt__processor *s, htmt_time now)
{
    return !s->p && s->routed <= now;
}

static void count_idle(const struct htmt__processor *s, struct htmt__router_count *c, htmt_time now)
{
    if (is_idle(s, now))
        c->idle += now - later_of(s->routed, s->ended);
}

/* How long routing keeps it from now on. */
static htmt_time busy_for(const struct htmt__processor *s, htmt_time now)
{
    return later_of(s->routed - now, 0);
}

/* ---- which one ------------------------------------------------------------------------------- */

/* The first that is done with routing first, of those without a service if there are any. */
static uint32_t find(const struct htmt__processor *at, uint32_t processors, htmt_time now,
                     bool free_only)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < processors; i++) {
        const struct htmt__processor *s = &at[i];
        if (free_only && s->p)
            continue;
        if (best == UINT32_MAX || busy_for(s, now) < busy_for(&at[best], now) ||
            (is_idle(s, now) && !is_idle(&at[best], now)))
            best = i;
    }
    return best;
}

static struct htmt__processor *processor_of(const struct htmt_emulator *e,
                                            const struct htmt__entity *p)
{
    struct htmt__processor *at = processors_of(e, p->step->layer, p->slice);
    uint32_t n = layer_at(e, p->step->layer)->processors;
    for (uint32_t i = 0; at && i < n; i++)
        if (at[i].p == p)
            return &at[i];
    return NULL;
}

/* ---- packets --------------------------------------------------------------------------------- */

/* The router keeps its processor as long as packets queue. */
const struct htmt__entity *htmt__router_route(struct htmt_emulator *e, uint32_t network,
                                              const struct htmt__router_service *r)
{
    const struct htmt__fabric_net *n = e->net[network].fabric;
    const int layer = n->topology->inside.router;
    if (layer < 0 || r->slice >= e->played || !layer_at(e, (uint32_t)layer)->at)
        return NULL;
    struct htmt__router_layer *l = layer_at(e, (uint32_t)layer);
    struct htmt__processor *at = processors_of(e, (uint32_t)layer, r->slice);
    uint32_t *last =
        &e->routers->processor[network][r->element * htmt__fabric_planes(n) + r->plane];
    if (!r->queues)
        *last = find(at, l->processors, e->now, false);
    struct htmt__processor *s = &at[*last];
    struct htmt__router_count *c = &l->count[r->slice];
    htmt_time time = htmt__later(r->route, r->copy);
    htmt_time end = time < 0 ? -1 : htmt__later(later_of(s->routed, e->now), time);
    if (end < 0) {
        htmt__fail(e, HTMT_EOVERFLOW, "the time of routers overflows");
        return NULL;
    }
    count_idle(s, c, e->now);
    c->packets++;
    c->route += r->route;
    c->copy += r->copy;
    if (s->p && s->changed != e->now) {
        s->before = s->off;
        s->changed = e->now;
    }
    if (s->p)
        s->off += time;
    s->routed = end;
    return s->p;
}

/* ---- services -------------------------------------------------------------------------------- */

void htmt__router_begin(struct htmt_emulator *e, const struct htmt__entity *p)
{
    struct htmt__router_layer *l = layer_at(e, p->step->layer);
    struct htmt__processor *at = processors_of(e, p->step->layer, p->slice);
    if (!at)
        return;
    struct htmt__processor *s = &at[find(at, l->processors, e->now, true)];
    count_idle(s, &l->count[p->slice], e->now);
    s->p = p;
    s->turn++;
    s->start = e->now;
    s->off = s->before = busy_for(s, e->now);
    s->changed = -1;
}

htmt_time htmt__router_late(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__processor *s = processor_of(e, p);
    return s ? s->off : 0;
}

static htmt_time off_by(const struct htmt__processor *s, htmt_time now)
{
    return s->changed == now ? s->before : s->off;
}

htmt_time htmt__router_before(const struct htmt_emulator *e, const struct htmt__entity *p)
{
    const struct htmt__processor *s = processor_of(e, p);
    return s ? off_by(s, e->now) : 0;
}

/* The interval that was to end now goes on. */
static void tell(struct htmt_emulator *e, const struct htmt__entity *p,
                 const struct htmt__processor *s)
{
    if (htmt__explained(e))
        e->explain->put_off(e, p, s->start, s->p->step->stats);
}

bool htmt__router_ends(struct htmt_emulator *e, struct htmt__entity *p)
{
    struct htmt__processor *s = processor_of(e, p);
    if (!s)
        return true;
    const htmt_time off = off_by(s, e->now);
    htmt_time at = htmt__later(htmt__later(s->start, p->service), off);
    if (at != e->now) {
        tell(e, p, s);
        htmt__schedule_line(e, p, p->step->line, at);
        return false;
    }
    struct htmt__stage_stats *stats = p->step->stats;
    p->service += off;
    stats->busy += off;
    stats->longest = later_of(stats->longest, p->service - htmt__paused(p));
    layer_at(e, p->step->layer)->count[p->slice].off += off;
    s->p = NULL;
    s->ended = e->now;
    return true;
}

/* ---- moments --------------------------------------------------------------------------------- */

/* A moment has the turn of its service in `before`, its processor from 1 and the layer in `after`.
 */
void htmt__router_mark(const struct htmt_emulator *e, struct htmt__entity *moment,
                       const struct htmt__entity *p, htmt_time at)
{
    const struct htmt__processor *s = processor_of(e, p);
    if (!s || at < 0)
        return;
    htmt_time number = s - processors_of(e, p->step->layer, p->slice);
    moment->service = at;
    moment->before = s->turn;
    moment->after = (htmt_time)p->step->layer << 32 | (number + 1);
}

bool htmt__router_comes(struct htmt_emulator *e, struct htmt__entity *moment)
{
    uint32_t number = (uint32_t)moment->after, layer = (uint32_t)(moment->after >> 32);
    if (!number)
        return true;
    const struct htmt__processor *s = &processors_of(e, layer, moment->slice)[number - 1];
    if (!s->p || s->turn != moment->before) /* its service is over */
        return true;
    htmt_time at = htmt__later(moment->service, off_by(s, e->now));
    if (at == e->now)
        return true;
    tell(e, moment, s);
    htmt__schedule_line(e, moment, htmt__moment_line(e), at);
    return false;
}

/* ---- sums ------------------------------------------------------------------------------------ */

void htmt__routers_settle(struct htmt_emulator *e)
{
    for (uint32_t l = 0; e->routers && l < e->layers; l++) {
        const struct htmt__router_layer *layer = layer_at(e, l);
        const size_t all = (size_t)e->played * layer->processors;
        for (size_t i = 0; layer->at && i < all; i++) {
            const uint32_t slice = (uint32_t)(i / layer->processors);
            struct htmt__router_count *c = &layer->count[slice];
            if (!htmt__rank_plays(e, slice))
                continue;
            count_idle(&layer->at[i], c, e->now);
            c->left += busy_for(&layer->at[i], e->now);
        }
    }
}

void htmt__router_count_add(struct htmt__router_count *c, const struct htmt__router_count *others)
{
    c->packets += others->packets;
    c->route += others->route;
    c->copy += others->copy;
    c->off += others->off;
    c->idle += others->idle;
    c->left += others->left;
}

const struct htmt__router_count *htmt__router_sum(const struct htmt_emulator *e, uint32_t layer,
                                                  struct htmt__router_count *sum)
{
    *sum = (struct htmt__router_count){0};
    if (!e->routers || !layer_at(e, layer)->at)
        return NULL;
    for (uint32_t i = 0; i < e->played; i++)
        htmt__router_count_add(sum, &layer_at(e, layer)->count[i]);
    return sum;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* The layer routes packets of that network. */
static bool make(struct htmt_emulator *e, uint32_t network)
{
    const struct htmt__fabric_net *n = e->net[network].fabric;
    const struct htmt__topology *t = n->topology;
    const uint32_t layer = (uint32_t)t->inside.router;
    if (!e->routers && !(e->routers = calloc(1, sizeof *e->routers)))
        return false;
    const size_t routers = (size_t)(t->ends + t->switches) * htmt__fabric_planes(n);
    uint32_t *processor = calloc(routers + 1, sizeof *processor);
    e->routers->processor[network] = processor;
    if (!processor)
        return false;
    struct htmt__router_layer *l = layer_at(e, layer);
    if (l->at)
        return true;
    l->processors = htmt_machine_servers(e->machine, layer);
    l->at = calloc((size_t)e->played * l->processors + 1, sizeof *l->at);
    l->count = calloc(e->played, sizeof *l->count);
    return l->at && l->count;
}

int htmt__routers_create(struct htmt_emulator *e)
{
    bool enough = true;
    for (uint32_t n = 0; n < e->networks && enough; n++) {
        const struct htmt__fabric_net *net = e->net[n].fabric;
        const struct htmt__inside *in = net ? &net->topology->inside : NULL;
        if (in && in->router >= 0 && (in->route || in->copy.num) && !in->from_source)
            enough = make(e, n);
    }
    return enough ? 0 : htmt__fail(e, HTMT_ENOMEM, "no host memory for routers");
}

void htmt__routers_destroy(struct htmt_emulator *e)
{
    for (uint32_t l = 0; e->routers && l < HTMT_LAYERS_MAX; l++) {
        free(layer_at(e, l)->at);
        free(layer_at(e, l)->count);
    }
    for (uint32_t n = 0; e->routers && n < HTMT_NETWORKS_MAX; n++)
        free(e->routers->processor[n]);
    free(e->routers);
    e->routers = NULL;
}
