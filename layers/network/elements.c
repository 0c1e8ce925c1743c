/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of the elements of a slice.
 */
#include "layers/network/lane_stream.h"

#include <stdlib.h>

/* Packets that wait have places in chunks, which stay. */
#define CHUNK 64

struct htmt__chunk {
    struct htmt__chunk *next;
    struct htmt__waits waits[CHUNK];
};

static bool grow(struct htmt__fabric_step *k)
{
    struct htmt__chunk *c = malloc(sizeof *c);
    if (!c) {
        k->sink->fail(k->sink->user, HTMT_ENOMEM, "packets that wait");
        return false;
    }
    c->next = k->place->chunk;
    k->place->chunk = c;
    for (size_t i = 0; i < CHUNK; i++)
        htmt__place_forget(k, &c->waits[i]);
    return true;
}

struct htmt__waits *htmt__place_waits(struct htmt__fabric_step *k,
                                      const struct htmt__fabric_event *e)
{
    if (!k->place->unused && !grow(k))
        return NULL;
    struct htmt__waits *own = k->place->unused;
    k->place->unused = (struct htmt__waits *)own->request.next;
    own->event = *e;
    own->request = (struct htmt__request){.key = e->packet.key, .number = e->packet.number};
    return own;
}

/* Zeroed, from the begin of a line of the cache on. calloc() zeroes nothing of what is large: those
 * of a million elements that nothing passes cost no memory. */
static void *lines(void **whole, size_t count, size_t size)
{
    *whole = calloc(count * size + 64, 1);
    return *whole ? (char *)*whole + (64 - (uintptr_t)*whole % 64) % 64 : NULL;
}

/* Only networks where ends of services change have streams. All is zero until a packet comes. */
struct htmt__fabric_place *htmt__fabric_place_create(const struct htmt__fabric *f, uint32_t slice)
{
    const bool streams = f->flows || f->from_source;
    struct htmt__fabric_place *p = aligned_alloc(64, sizeof *p);
    if (!p)
        return NULL;
    *p = (struct htmt__fabric_place){.slice = slice,
                                     .outlets = f->outlets[slice],
                                     .inlets = f->inlets[slice],
                                     .routers = f->routers[slice]};
    if (f->vortex && !(p->vortex = htmt__vortex_place_create(f->vortex, slice))) {
        htmt__fabric_place_destroy(&p);
        return NULL;
    }
    if (f->flits && !(p->flits = htmt__flits_place_create(f->flits, slice))) {
        htmt__fabric_place_destroy(&p);
        return NULL;
    }
    p->outlet = lines(&p->whole[0], p->outlets, sizeof *p->outlet);
    p->queue = calloc(p->outlets + 1, sizeof *p->queue);
    p->inlet = lines(&p->whole[1], p->inlets, sizeof *p->inlet);
    p->router = calloc(p->routers + 1, sizeof *p->router);
    p->stream = streams ? lines(&p->whole[2], p->outlets, sizeof *p->stream) : NULL;
    p->update = streams ? calloc(p->inlets + 1, sizeof *p->update) : NULL;
    if (!p->outlet || !p->queue || !p->inlet || !p->router ||
        (streams && (!p->stream || !p->update))) {
        htmt__fabric_place_destroy(&p);
        return NULL;
    }
    return p;
}

/* Each stream begins with the room of the inlet behind it. */
void htmt__place_open(const struct htmt__fabric_step *k, uint32_t channel)
{
    const struct htmt__fabric *f = k->f;
    const struct htmt__channel_view *view = &f->view[channel];
    const htmt_time limit =
        f->worm && view->bounded ? htmt__work_of(f, channel, f->t->inside.buffer) : HTMT_TIME_MAX;
    for (uint32_t i = view->outlet; i < view->outlet + f->per_channel; i++)
        k->place->stream[i] = (struct htmt__stream){.share = HTMT__FULL_PACE,
                                                    .fed_all = true,
                                                    .open = true,
                                                    .dry = HTMT_TIME_MAX,
                                                    .limit = limit,
                                                    .last = limit};
}

void htmt__fabric_place_destroy(struct htmt__fabric_place **place)
{
    struct htmt__fabric_place *p = *place;
    if (!p)
        return;
    for (struct htmt__chunk *c = p->chunk, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    for (unsigned i = 0; i < sizeof p->whole / sizeof *p->whole; i++)
        free(p->whole[i]);
    htmt__vortex_place_destroy(&p->vortex);
    htmt__flits_place_destroy(&p->flits);
    free(p->queue);
    free(p->update);
    free(p->router);
    free(p);
    *place = NULL;
}

/* The sum over a channel's lanes. Lanes share the wire: with several of them it is busy for their
 * work. */
bool htmt__fabric_account(const struct htmt__fabric *f, const struct htmt__fabric_place *place,
                          uint32_t channel, uint32_t plane, htmt_time now,
                          struct htmt__port_account *account)
{
    struct htmt__port_account a = {0};
    if (f->vortex)
        return htmt__vortex_account(f->vortex, place->vortex, channel, now, account);
    if (f->flits)
        return htmt__flits_account(f->flits, place->flits, channel, now, account);
    htmt__channel_know(f, channel);
    const bool known = f->view[channel].from == place->slice;
    for (uint32_t lane = 0; known && lane < f->lanes; lane++) {
        const uint32_t outlet = htmt__outlet_number(f, channel, plane, lane);
        const struct htmt__transmit_port *p = &place->outlet[outlet].port;
        const struct htmt__port_queue *q = &place->queue[outlet];
        a.packets += p->served;
        a.bytes += p->units;
        a.returned += p->returned;
        a.contentions += q->contentions;
        a.blocked += htmt__port_held(p, q, HTMT__PORT_HELD, now);
        a.waiting += htmt__port_held(p, q, HTMT__PORT_CALLS, now);
        a.queued += htmt__port_queued(q, now);
        a.longest = q->longest > a.longest ? q->longest : a.longest;
        if (f->lanes == 1)
            a.busy += htmt__port_busy(p, now);
        else if (place->stream[outlet].open)
            a.busy += htmt__stream_done(&place->stream[outlet], now);
    }
    *account = a;
    return known;
}
