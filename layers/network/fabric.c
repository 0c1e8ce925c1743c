/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network's constants, the packets of a message, and who plays which event.
 */
#include "layers/network/lane_stream.h"
#include "runtime/base/wide.h"

#include <stdlib.h>

/* ---- what is known before a run --------------------------------------------------------------
 *
 * All elements of a slice have their outlets, inlets and routers in arrays of the slice's place; a
 * channel's view holds the numbers of its first outlet and inlet there, one for each plane and
 * lane.
 */

static uint32_t slices(const struct htmt__topology *t)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < t->ends + t->switches; e++)
        n = t->owner[e] >= n ? t->owner[e] + 1 : n;
    return n;
}

/* The views of channels, in their order; then the channels that leave each slice, one slice after
 * another; then the routers. */
static void number_elements(struct htmt__fabric *f)
{
    const struct htmt__topology *t = f->t;
    const uint32_t n = slices(t);
    f->uniform = true;
    f->lookahead = HTMT_TIME_MAX;
    for (uint32_t c = 0; c < t->channels; c++) {
        const struct htmt__wire *w = &t->wire[c];
        const uint32_t from = t->owner[w->from], to = t->owner[w->to];
        const bool ejects = w->to < t->ends;
        f->view[c] = (struct htmt__channel_view){.byte = w->byte,
                                                 .wire = w->wire,
                                                 .from = from,
                                                 .to = to,
                                                 .element = w->to,
                                                 .outlet = f->outlets[from],
                                                 .inlet = f->inlets[to],
                                                 .ejects = ejects,
                                                 .bounded = !ejects && t->inside.buffer &&
                                                            !t->inside.from_source};
        f->outlets[from] += f->per_channel;
        f->inlets[to] += f->per_channel;
        f->uniform &= w->byte.num == t->wire[0].byte.num && w->byte.den == t->wire[0].byte.den;
        if (from != to && w->wire < f->lookahead)
            f->lookahead = w->wire;
    }
    for (uint32_t s = 0; s < n; s++)
        f->first[s + 1] = f->first[s] + f->outlets[s] / f->per_channel;
    for (uint32_t c = 0; c < t->channels; c++)
        f->own[f->first[f->view[c].from] + f->view[c].outlet / f->per_channel] = c;
    for (uint32_t e = 0; e < t->ends + t->switches; e++) {
        f->router[e] = f->routers[t->owner[e]] / f->planes;
        f->routers[t->owner[e]] += f->planes;
    }
}

/* Which of the model's parts this network needs. Where nothing takes time but wires and switches,
 * it needs none. */
static void decide(struct htmt__fabric *f)
{
    const struct htmt__inside *i = &f->t->inside;
    f->from_source = i->from_source;
    f->stored = i->switching == HTMT__STORE_AND_FORWARD && !i->from_source;
    f->routes = (i->route || i->copy.num) && !i->from_source;
    f->unbounded = !i->buffer;
    f->worm = i->switching == HTMT__WORMHOLE && i->buffer && f->uniform && !i->from_source;
    f->flows = f->worm || f->lanes > 1;
    f->flows_in = f->lanes > 1 && !f->stored;
    f->defers = !f->stored && !f->flows_in && (!f->uniform || (f->routes && i->header_hop));
    f->free = !i->buffer && !i->from_source && !i->setup && !f->routes;
    for (uint32_t c = 0; c < f->t->channels && f->free; c++)
        f->free = !f->view[c].byte.num;
    if ((i->buffer || i->from_source) && i->control < f->lookahead)
        f->lookahead = i->control;
}

/* Grids: what follows each channel if its packet goes straight on, and each target's coordinates.
 */
static int find_straight(struct htmt__fabric *f)
{
    const struct htmt__topology *t = f->t;
    if (t->inside.topology != HTMT__MESH && t->inside.topology != HTMT__TORUS)
        return 0;
    f->dimensions = t->inside.dimensions;
    f->straight = calloc(t->channels + 1, sizeof *f->straight);
    f->ring = t->inside.routing == HTMT__ROUTE_TORUS;
    f->at = calloc((size_t)t->ends * f->dimensions + 1, sizeof *f->at);
    f->eject = calloc(t->ends + 1, sizeof *f->eject);
    if (!f->straight || !f->at || !f->eject)
        return HTMT_ENOMEM;
    for (uint32_t c = 0; c < t->channels; c++) {
        struct htmt__straight s;
        f->straight[c] = (struct htmt__next_channel){.channel = HTMT__NOWHERE};
        if (htmt__route_straight(t, c, &s))
            f->straight[c] = (struct htmt__next_channel){.channel = s.channel,
                                                         .outlet = f->view[s.channel].outlet,
                                                         .at = s.at,
                                                         .dimension = (uint8_t)s.dimension,
                                                         .lanes = (uint8_t)s.lanes};
    }
    for (uint32_t s = 0; s < t->slices; s++) {
        const uint32_t end = t->end_of[s], channel = t->into[end];
        f->eject[s] =
            (struct htmt__next_channel){.channel = channel, .outlet = f->view[channel].outlet};
        for (uint32_t d = 0; d < f->dimensions; d++)
            f->at[(size_t)s * f->dimensions + d] = htmt__route_coordinate(t, end, d);
    }
    return 0;
}

int htmt__fabric_create(const struct htmt__topology *t, const struct htmt__fabric_options *options,
                        struct htmt__fabric **fabric)
{
    const size_t n = slices(t), elements = t->ends + t->switches;
    struct htmt__fabric *f = calloc(1, sizeof *f);
    if (!f)
        return HTMT_ENOMEM;
    f->t = t;
    f->options = options ? *options : (struct htmt__fabric_options){0};
    f->planes = t->inside.planes && !t->inside.scaled ? t->inside.planes : 1;
    f->lanes = t->inside.lanes && !t->inside.from_source ? t->inside.lanes : 1;
    f->per_channel = f->planes * f->lanes;
    f->copy = t->inside.copy.den ? t->inside.copy : (struct htmt_ratio){0, 1};
    f->view = calloc(t->channels + 1, sizeof *f->view);
    f->outlets = calloc(n + 1, sizeof *f->outlets);
    f->inlets = calloc(n + 1, sizeof *f->inlets);
    f->routers = calloc(n + 1, sizeof *f->routers);
    f->router = calloc(elements + 1, sizeof *f->router);
    f->first = calloc(n + 1, sizeof *f->first);
    f->own = calloc(t->channels + 1, sizeof *f->own);
    if (!f->view || !f->outlets || !f->inlets || !f->routers || !f->router || !f->first || !f->own)
        goto no_memory;
    number_elements(f);
    decide(f);
    if (find_straight(f))
        goto no_memory;
    *fabric = f;
    return 0;
no_memory:
    htmt__fabric_destroy(&f);
    return HTMT_ENOMEM;
}

void htmt__fabric_destroy(struct htmt__fabric **fabric)
{
    struct htmt__fabric *f = *fabric;
    if (!f)
        return;
    free(f->view);
    free(f->straight);
    free(f->at);
    free(f->eject);
    free(f->first);
    free(f->own);
    free(f->outlets);
    free(f->inlets);
    free(f->routers);
    free(f->router);
    free(f);
    *fabric = NULL;
}

htmt_time htmt__fabric_lookahead(const struct htmt__fabric *f)
{
    return f->lookahead;
}

bool htmt__fabric_never_blocks(const struct htmt__fabric *f)
{
    return f->free;
}

/* ---- packets of a message -------------------------------------------------------------------- */

uint32_t htmt__fabric_packets(const struct htmt__fabric *f, uint64_t bytes)
{
    const uint64_t payload = f->t->inside.packet;
    if (!payload || !bytes)
        return 1;
    const uint64_t n = htmt_ceil_div(bytes, payload);
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* The head's size depends on the switches on the packet's path if each of them strips a part. */
void htmt__fabric_cut(const struct htmt__fabric *f, uint64_t bytes, uint32_t number,
                      struct htmt__packet *p)
{
    const struct htmt__topology *t = f->t;
    const uint64_t payload = t->inside.packet;
    const uint64_t before = payload * number;
    uint64_t header = t->inside.header;
    if (t->inside.header_hop) {
        const uint16_t *route = p->route ? f->options.ports(f->options.user, p->route) : NULL;
        header += t->inside.header_hop *
                  htmt__route_path(t, t->end_of[p->source], t->end_of[p->target], route, NULL, 0);
    }
    p->number = number;
    p->count = htmt__fabric_packets(f, bytes);
    p->bytes = (payload ? htmt_least(payload, bytes - before) : bytes) + header;
    p->channel = HTMT__NOWHERE;
    p->hops = 0;
    p->lane = 0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void htmt__fabric_inject(const struct htmt__fabric *f, struct htmt__fabric_place *place,
                         const struct htmt__packet *packet, htmt_time now, htmt_time tail,
                         const struct htmt__fabric_sink *sink)
{
    struct htmt__fabric_step k = {.f = f, .place = place, .sink = sink, .now = now};
    struct htmt__fabric_event e = {.at = now, .packet = *packet, .time = {tail}};
    e.packet.plane = (uint8_t)place->plane;
    if (++place->plane == f->planes)
        place->plane = 0;
    if (f->from_source)
        htmt__from_source_inject(&k, &e);
    else
        htmt__packet_inject(&k, &e);
    if (k.continues)
        sink->post(sink->user, &e);
}

typedef void play(struct htmt__fabric_step *k, struct htmt__fabric_event *e);

/* By kind, then `blocked`: link, source. */
static play *const plays[][2] = {
    [HTMT__CREDIT] = {htmt__packet_credit},
    [HTMT__DRAIN] = {htmt__stream_drain},
    [HTMT__TAIL] = {htmt__packet_tail},
    [HTMT__VOID] = {htmt__packet_void},
    [HTMT__STOP] = {NULL, htmt__from_source_stop},
    [HTMT__GO] = {NULL, htmt__from_source_go},
    [HTMT__AGAIN] = {NULL, htmt__from_source_again},
    [HTMT__END] = {htmt__stream_end},
    [HTMT__LEFT] = {htmt__packet_left, htmt__from_source_left},
    [HTMT__ROUTES] = {htmt__packet_arrives},
    [HTMT__ASKS] = {htmt__packet_asks, htmt__from_source_asks},
    [HTMT__FIRST] = {htmt__packet_first},
    [HTMT__READY] = {htmt__packet_ready},
    [HTMT__WAKES] = {htmt__packet_wakes, htmt__from_source_wakes},
    [HTMT__LOOK] = {htmt__stream_look},
    [HTMT__HEAD] = {htmt__packet_head, htmt__packet_head},
    [HTMT__LAST] = {htmt__packet_last},
};

bool htmt__fabric_play(const struct htmt__fabric *f, struct htmt__fabric_place *place,
                       struct htmt__fabric_event *event, const struct htmt__fabric_sink *sink)
{
    struct htmt__fabric_step k = {.f = f, .place = place, .sink = sink, .now = event->at};
    plays[event->kind][f->from_source](&k, event);
    if (__builtin_expect(k.is_void, 0))
        event->kind = HTMT__FABRIC_VOID;
    return k.continues;
}

void htmt__fabric_fetch(const struct htmt__fabric *f, const struct htmt__fabric_place *place,
                        const struct htmt__fabric_event *event)
{
    if (event->kind != HTMT__ASKS || f->from_source)
        return;
    const uint32_t outlet = htmt__wanted_outlet(event);
    __builtin_prefetch(&place->outlet[outlet], 1);
    __builtin_prefetch(&f->view[htmt__wanted(event)]);
    if (f->straight)
        __builtin_prefetch(&f->straight[htmt__wanted(event)]);
    if (!f->flows)
        return;
    const struct htmt__packet *p = &event->packet;
    if (p->channel != HTMT__NOWHERE)
        __builtin_prefetch(&place->inlet[f->view[p->channel].inlet + p->plane * f->lanes + p->lane],
                           1);
    __builtin_prefetch(&place->outlet[outlet ^ 1]);
    __builtin_prefetch(&place->stream[outlet], 1);
    __builtin_prefetch(&place->stream[outlet].begin, 1);
}
