/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/fabric/parts.h"

#include <stdlib.h>

/* Packets that wait have places in chunks, which stay. */
#define CHUNK 64

struct htmt__chunk {
    struct htmt__chunk *next;
    struct htmt__waits waits[CHUNK];
};

static bool grow(struct htmt__turn *k)
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

struct htmt__waits *htmt__place_waits(struct htmt__turn *k, const struct htmt__waits *w)
{
    if (!k->place->unused && !grow(k))
        return NULL;
    struct htmt__waits *own = k->place->unused;
    k->place->unused = (struct htmt__waits *)own->request.next;
    *own = *w;
    own->request.key = w->packet.key;
    own->request.number = w->packet.number;
    return own;
}

/* The room of each outlet of a channel, before anything was sent. */
static void fill(const struct htmt__fabric *f, struct htmt__fabric_place *p, uint32_t channel)
{
    const struct htmt__lead *lead = &f->lead[channel];
    const htmt_time limit =
        f->worm && lead->bounded ? htmt__work_of(f, channel, f->t->inside.buffer) : HTMT_TIME_MAX;
    for (uint32_t i = lead->outlet; i < lead->outlet + f->per_channel; i++) {
        p->outlet[i].port.room = lead->bounded ? f->t->inside.buffer : UINT64_MAX / 2;
        if (p->stream)
            p->stream[i] = (struct htmt__stream){.share = 1, .limit = limit, .last = limit};
    }
}

static bool allocate(const struct htmt__fabric *f, struct htmt__fabric_place *p)
{
    p->outlet = calloc(p->outlets + 1, sizeof *p->outlet);
    p->inlet = calloc(p->inlets + 1, sizeof *p->inlet);
    p->router = calloc(p->routers + 1, sizeof *p->router);
    if (f->flows || f->from_source)
        p->stream = calloc(p->outlets + 1, sizeof *p->stream);
    return p->outlet && p->inlet && p->router && (p->stream || !(f->flows || f->from_source));
}

struct htmt__fabric_place *htmt__fabric_place_create(const struct htmt__fabric *f, uint32_t slice)
{
    struct htmt__fabric_place *p = calloc(1, sizeof *p);
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
    free(p->stream);
    free(p->inlet);
    free(p->router);
    free(p);
    *place = NULL;
}
