/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/network/fabric_parts.h"

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

/* The room of each outlet of a channel, before anything was sent. */
static void fill(const struct htmt__fabric *f, struct htmt__fabric_place *p, uint32_t channel)
{
    const struct htmt__channel_view *view = &f->view[channel];
    const htmt_time limit =
        f->worm && view->bounded ? htmt__work_of(f, channel, f->t->inside.buffer) : HTMT_TIME_MAX;
    for (uint32_t i = view->outlet; i < view->outlet + f->per_channel; i++) {
        p->outlet[i].port.room = view->bounded ? f->t->inside.buffer : UINT64_MAX / 2;
        if (p->stream)
            p->stream[i] = (struct htmt__stream){.share = 1, .limit = limit, .last = limit};
    }
}

/* Zeroed, at the begin of a line of the cache. */
static void *lines(size_t count, size_t size)
{
    const size_t bytes = (count * size / 64 + 1) * 64;
    void *p = aligned_alloc(64, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

static bool allocate(const struct htmt__fabric *f, struct htmt__fabric_place *p)
{
    p->outlet = lines(p->outlets, sizeof *p->outlet);
    p->queue = calloc(p->outlets + 1, sizeof *p->queue);
    p->inlet = lines(p->inlets, sizeof *p->inlet);
    p->router = calloc(p->routers + 1, sizeof *p->router);
    if (f->flows || f->from_source) {
        p->stream = lines(p->outlets, sizeof *p->stream);
        p->update = calloc(p->inlets + 1, sizeof *p->update);
    }
    return p->outlet && p->queue && p->inlet && p->router &&
           ((p->stream && p->update) || !(f->flows || f->from_source));
}

struct htmt__fabric_place *htmt__fabric_place_create(const struct htmt__fabric *f, uint32_t slice)
{
    struct htmt__fabric_place *p = aligned_alloc(64, sizeof *p);
    if (!p)
        return NULL;
    *p = (struct htmt__fabric_place){.slice = slice,
                                     .outlets = f->outlets[slice],
                                     .inlets = f->inlets[slice],
                                     .routers = f->routers[slice]};
    if (!allocate(f, p))
        htmt__fabric_place_destroy(&p);
    for (uint32_t i = f->first[slice]; p && i < f->first[slice + 1]; i++)
        fill(f, p, f->own[i]);
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
