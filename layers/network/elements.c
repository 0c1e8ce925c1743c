/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of the elements of a slice.
 */
#include "layers/network/lane_stream.h"

#include <stdlib.h>
#include <string.h>

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

/* Zeroed, at the begin of a line of the cache. */
static void *lines(size_t count, size_t size)
{
    const size_t bytes = (count * size / 64 + 1) * 64;
    void *p = aligned_alloc(64, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

/* Only networks where ends of services change have streams. Each outlet begins with the room of the
 * inlet behind it. */
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
    p->outlet = lines(p->outlets, sizeof *p->outlet);
    p->queue = calloc(p->outlets + 1, sizeof *p->queue);
    p->inlet = lines(p->inlets, sizeof *p->inlet);
    p->router = calloc(p->routers + 1, sizeof *p->router);
    p->stream = streams ? lines(p->outlets, sizeof *p->stream) : NULL;
    p->update = streams ? calloc(p->inlets + 1, sizeof *p->update) : NULL;
    if (!p->outlet || !p->queue || !p->inlet || !p->router ||
        (streams && (!p->stream || !p->update))) {
        htmt__fabric_place_destroy(&p);
        return NULL;
    }
    for (uint32_t own = f->first[slice]; own < f->first[slice + 1]; own++) {
        const uint32_t channel = f->own[own];
        const struct htmt__channel_view *view = &f->view[channel];
        const htmt_time limit = f->worm && view->bounded
                                    ? htmt__work_of(f, channel, f->t->inside.buffer)
                                    : HTMT_TIME_MAX;
        for (uint32_t i = view->outlet; i < view->outlet + f->per_channel; i++) {
            p->outlet[i].port.room = view->bounded ? f->t->inside.buffer : UINT64_MAX / 2;
            if (p->stream)
                p->stream[i] = (struct htmt__stream){.share = HTMT__FULL_PACE,
                                                     .fed_all = true,
                                                     .dry = HTMT_TIME_MAX,
                                                     .limit = limit,
                                                     .last = limit};
        }
    }
    return p;
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
    free(p->outlet);
    free(p->queue);
    free(p->update);
    free(p->stream);
    free(p->inlet);
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
        a.busy +=
            f->lanes > 1 ? htmt__stream_done(&place->stream[outlet], now) : htmt__port_busy(p, now);
    }
    *account = a;
    return known;
}
