/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routers that send flits: what they are made of, and what they did.
 */
#include "layers/network/flit_parts.h"

#include <stdlib.h>

int htmt__flits_create(const struct htmt__fabric *f, struct htmt__flits **flits)
{
    const struct htmt__topology *t = f->t;
    const struct htmt__inside *in = &t->inside;
    const uint32_t elements = t->ends + t->switches;
    struct htmt__flits *c = calloc(1, sizeof *c);
    if (!c)
        return HTMT_ENOMEM;
    c->f = f;
    c->bytes = in->flit;
    c->room = (uint32_t)(in->buffer / in->flit);
    c->urgent = in->urgent ? in->urgent + in->header : 0;
    c->parts = in->input_speedup && in->input_speedup < f->lanes ? in->input_speedup : f->lanes;
    c->oldest = in->oldest;
    c->decides = in->routing == HTMT__ROUTE_UGAL;
    c->rank = calloc((size_t)t->channels + 1, sizeof *c->rank);
    c->arrive = calloc((size_t)t->channels + 1, sizeof *c->arrive);
    c->arrive_first = calloc((size_t)elements + 2, sizeof *c->arrive_first);
    if (!c->rank || !c->arrive || !c->arrive_first) {
        htmt__flits_destroy(&c);
        return HTMT_ENOMEM;
    }
    for (uint32_t i = 0; i < t->channels; i++) {
        c->rank[i] = c->arrive_first[htmt__wire(t, i)->to + 1]++;
    }
    for (uint32_t e = 0; e < elements; e++)
        c->arrive_first[e + 1] += c->arrive_first[e];
    for (uint32_t i = 0; i < t->channels; i++)
        c->arrive[c->arrive_first[htmt__wire(t, i)->to] + c->rank[i]] = i;
    c->cycle = htmt__work_of(f, 0, c->bytes);
    *flits = c;
    return 0;
}

void htmt__flits_destroy(struct htmt__flits **flits)
{
    if (*flits) {
        free((*flits)->rank);
        free((*flits)->arrive);
        free((*flits)->arrive_first);
    }
    free(*flits);
    *flits = NULL;
}

struct htmt__flits_place *htmt__flits_place_create(const struct htmt__flits *c, uint32_t slice)
{
    struct htmt__flits_place *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->slice = slice;
    p->routers = c->f->routers[slice];
    p->router = calloc((size_t)p->routers + 1, sizeof *p->router);
    if (!p->router)
        htmt__flits_place_destroy(&p);
    return p;
}

static void free_worms(struct worm *w)
{
    for (struct worm *next; w; w = next) {
        next = w->next;
        free(w);
    }
}

void htmt__flits_place_destroy(struct htmt__flits_place **place)
{
    struct htmt__flits_place *p = *place;
    if (!p)
        return;
    for (uint32_t i = 0; p->router && i < p->routers; i++) {
        struct router *r = p->router[i];
        for (uint32_t l = 0; r && l < r->inputs * r->lanes; l++)
            free_worms(r->in[l].first);
        free(r);
    }
    free_worms(p->spare);
    free(p->router);
    free(p->lanes.at);
    free(p->wires.at);
    free(p->grant);
    free(p->accept);
    free(p);
    *place = NULL;
}

bool htmt__flits_account(const struct htmt__flits *c, const struct htmt__flits_place *place,
                         uint32_t channel, htmt_time now, struct htmt__port_account *account)
{
    const struct htmt__topology *t = c->f->t;
    const uint32_t from = htmt__wire(t, channel)->from;
    *account = (struct htmt__port_account){0};
    if (t->owner[from] != place->slice)
        return false;
    const struct router *r = place->router[c->f->router[from]];
    if (!r)
        return true;
    const uint32_t wire = channel - t->first[from];
    for (uint32_t i = 0; i < c->f->lanes; i++) {
        const struct outlet *o = &r->out[wire * c->f->lanes + i];
        account->packets += o->packets;
        account->bytes += o->bytes;
        account->busy += (htmt_time)o->flits * c->cycle;
    }
    account->busy = account->busy < now ? account->busy : now;
    account->contentions = r->wire[wire].contentions;
    account->queued = r->wire[wire].queued;
    account->longest = r->wire[wire].longest;
    return true;
}
