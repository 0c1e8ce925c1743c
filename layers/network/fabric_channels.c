/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network's constants, and those of its channels.
 *
 * All elements of a slice have their outlets, inlets and routers in arrays of the slice's place; a
 * channel's view holds the numbers of its first outlet and inlet there, one for each plane and
 * lane.
 *
 * What a network has and nothing passes costs no time and no memory. An element's numbers follow
 * from how many channels leave the elements before it. The channels' own constants are laid by
 * blocks, when a packet first wants one of a block; the states of outlets and inlets are memory
 * that nobody has written. So two slices in the corner of a mesh of 1024 x 1024 places, which own
 * half of its 6 million channels each, lay those on their packets' ways.
 */
#include "layers/network/fabric_parts.h"

#include <stdlib.h>
#include <string.h>

static uint32_t slices(const struct htmt__topology *t)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < t->ends + t->switches; e++)
        n = t->owner[e] >= n ? t->owner[e] + 1 : n;
    return n;
}

static struct htmt__channel_view view_of(const struct htmt__fabric *f, const struct htmt__wire *w,
                                         uint32_t outlet, uint32_t inlet)
{
    const struct htmt__topology *t = f->t;
    const bool ejects = w->to < t->ends;
    return (struct htmt__channel_view){.byte = w->byte,
                                       .wire = w->wire,
                                       .control = htmt__wire_control(t, w),
                                       .from = t->owner[w->from],
                                       .to = t->owner[w->to],
                                       .element = w->to,
                                       .outlet = outlet,
                                       .inlet = inlet,
                                       .ejects = ejects,
                                       .bounded =
                                           !ejects && t->inside.buffer && !t->inside.from_source};
}

/* Of a graph, or a shape made by hand: the views of channels in their order. Their inlets have
 * numbers in that order, too. */
static void number_channels(struct htmt__fabric *f)
{
    const struct htmt__topology *t = f->t;
    const struct htmt_ratio byte = htmt__wire(t, 0)->byte;
    f->lookahead = HTMT_TIME_MAX;
    memset(f->known, 1, (t->channels >> HTMT__BLOCK_BITS) + 1);
    for (uint32_t c = 0; c < t->channels; c++) {
        const struct htmt__wire *w = htmt__wire(t, c);
        const uint32_t from = t->owner[w->from], to = t->owner[w->to];
        f->view[c] = view_of(f, w, f->outlets[from], f->inlets[to]);
        f->outlets[from] += f->per_channel;
        f->inlets[to] += f->per_channel;
        f->uniform &= w->byte.num == byte.num && w->byte.den == byte.den;
        if (from != to && w->wire < f->lookahead)
            f->lookahead = w->wire;
    }
}

/* Of a generated shape nothing is laid: each element has its first outlet, and as many inlets. With
 * two slices or more some channel leads from the elements of one to those of another, for all
 * elements are joined; and not from ends alone, whose wires are longer: where links lead both ways
 * the one back is not, and behind the first stage of a butterfly all are joined without those. */
static void number_generated(struct htmt__fabric *f, uint32_t slices)
{
    const struct htmt__topology *t = f->t;
    for (uint32_t e = 0; e < t->ends + t->switches; e++) {
        f->outlet[e] = f->outlets[t->owner[e]];
        f->outlets[t->owner[e]] += (t->first[e + 1] - t->first[e]) * f->per_channel;
    }
    memcpy(f->inlets, f->outlets, slices * sizeof *f->inlets);
    f->lookahead = slices > 1 ? t->inside.wire : HTMT_TIME_MAX;
    if (slices > 1 && t->inside.topology == HTMT__DRAGONFLY) {
        const htmt_time local = t->inside.local_wire, global = t->inside.global_wire;
        const htmt_time least = local < global ? local : global;
        f->lookahead = least < f->lookahead ? least : f->lookahead;
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
    for (uint32_t c = 0; c < f->t->channels && f->free; c = htmt__wire_other(f->t, c))
        f->free = !htmt__wire(f->t, c)->byte.num;
    f->chooses = htmt__route_chooses(f->t) && !i->from_source;
    f->finds = !f->chooses && !i->from_source;
    f->plays = i->per_flit ? HTMT__OTHERS_PLAY : i->from_source ? 1 : f->chooses ? 2 : 0;
    f->draws = htmt__route_has_many(i);
    f->keeps = i->order == HTMT__ORDER_KEEP;
    f->classes = htmt__route_classes(i);
    if ((i->buffer || i->from_source) && i->control < f->lookahead)
        f->lookahead = i->control;
}

static uint32_t outlet_of(const struct htmt__fabric *f, uint32_t channel)
{
    const struct htmt__topology *t = f->t;
    const uint32_t from = htmt__wire(t, channel)->from;
    return t->laid ? f->outlet[from] + (channel - t->first[from]) * f->per_channel
                   : f->view[channel].outlet;
}

/* Grids: what follows a channel if its packet goes straight on. */
static void find_straight(const struct htmt__fabric *f, uint32_t c)
{
    struct htmt__straight s;
    f->straight[c] = (struct htmt__next_channel){.channel = HTMT__NOWHERE};
    if (htmt__route_straight(f->t, c, &s))
        f->straight[c] = (struct htmt__next_channel){.channel = s.channel,
                                                     .outlet = outlet_of(f, s.channel),
                                                     .at = s.at,
                                                     .dimension = (uint8_t)s.dimension,
                                                     .lanes = (uint8_t)s.lanes};
}

/* Grids: each target's coordinates, and where packets leave for it. */
static int find_targets(struct htmt__fabric *f)
{
    const struct htmt__topology *t = f->t;
    if (t->inside.topology != HTMT__MESH && t->inside.topology != HTMT__TORUS)
        return 0;
    f->dimensions = t->inside.dimensions;
    f->straight = calloc((size_t)t->channels + 1, sizeof *f->straight);
    f->ring = t->inside.routing == HTMT__ROUTE_TORUS;
    f->at = calloc((size_t)t->slices * f->dimensions + 1, sizeof *f->at);
    f->eject = calloc((size_t)t->slices + 1, sizeof *f->eject);
    if (!f->straight || !f->at || !f->eject)
        return HTMT_ENOMEM;
    for (uint32_t c = 0; c < t->channels && !t->laid; c++)
        find_straight(f, c);
    for (uint32_t s = 0; s < t->slices; s++) {
        const uint32_t end = t->end_of[s], channel = t->into[end];
        f->eject[s] = (struct htmt__next_channel){.channel = channel};
        if (t->laid) /* it leaves the switch of the same place */
            f->eject[s].outlet =
                f->outlet[t->ends + end] + (channel - t->first[t->ends + end]) * f->per_channel;
        else
            f->eject[s].outlet = f->view[channel].outlet;
        for (uint32_t d = 0; d < f->dimensions; d++)
            f->at[(size_t)s * f->dimensions + d] = htmt__route_coordinate(t, end, d);
    }
    return 0;
}

/* An inlet's number in its element is that of the channel back in its order, or of its port. */
void htmt__channels_learn(const struct htmt__fabric *f, uint32_t block)
{
    struct htmt__fabric *own = (struct htmt__fabric *)f; /* what was asked for stays the same */
    const struct htmt__topology *t = f->t;
    const uint32_t begin = block << HTMT__BLOCK_BITS, size = UINT32_C(1) << HTMT__BLOCK_BITS;
    const uint32_t end = t->channels - begin < size ? t->channels : begin + size;
    pthread_mutex_lock(&own->knowing);
    for (uint32_t c = begin; c < end && !f->known[block] && !f->vortex; c++) {
        const struct htmt__wire *w = htmt__wire(t, c);
        const uint32_t rank = w->back == HTMT__NOWHERE ? w->to_port : w->back - t->first[w->to];
        own->view[c] = view_of(f, w, outlet_of(f, c), f->outlet[w->to] + rank * f->per_channel);
        if (f->straight)
            find_straight(f, c);
    }
    __atomic_store_n(&own->known[block], 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&own->knowing);
}

uint32_t htmt__fabric_known(const struct htmt__fabric *f, uint32_t channel)
{
    const uint32_t size = UINT32_C(1) << HTMT__BLOCK_BITS;
    while (channel < f->t->channels && !f->known[channel >> HTMT__BLOCK_BITS])
        channel = (channel / size + 1) * size;
    return channel < f->t->channels ? channel : f->t->channels;
}

void htmt__fabric_know(const struct htmt__fabric *f, uint32_t channel)
{
    if (channel < f->t->channels)
        htmt__channel_know(f, channel);
}

void htmt__fabric_hear(const struct htmt__fabric *f, const struct htmt__fabric_event *event)
{
    const bool asks = event->kind == HTMT__ASKS || event->kind == HTMT__ROUTES;
    if (f->vortex)
        return;
    htmt__fabric_know(f, event->channel);
    htmt__fabric_know(f, event->packet.channel);
    if (asks && f->finds)
        htmt__fabric_know(f, htmt__wanted(event));
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
    f->view = calloc((size_t)t->channels + 1, sizeof *f->view);
    f->outlets = calloc(n + 1, sizeof *f->outlets);
    f->inlets = calloc(n + 1, sizeof *f->inlets);
    f->routers = calloc(n + 1, sizeof *f->routers);
    f->router = calloc(elements + 1, sizeof *f->router);
    f->outlet = t->laid ? calloc(elements + 1, sizeof *f->outlet) : NULL;
    f->known = calloc((t->channels >> HTMT__BLOCK_BITS) + 1, 1);
    pthread_mutex_init(&f->knowing, NULL);
    if (!f->view || !f->outlets || !f->inlets || !f->routers || !f->router || !f->known ||
        (t->laid && !f->outlet))
        goto no_memory;
    f->uniform = true;
    if (t->inside.topology == HTMT__DATA_VORTEX) {
        if (htmt__vortex_create(t, &f->vortex))
            goto no_memory;
        f->lookahead = htmt__vortex_lookahead(f->vortex);
        f->plays = HTMT__OTHERS_PLAY;
        memset(f->known, 1, (t->channels >> HTMT__BLOCK_BITS) + 1);
        *fabric = f;
        return 0;
    }
    if (t->laid)
        number_generated(f, (uint32_t)n);
    else
        number_channels(f);
    for (uint32_t e = 0; e < elements; e++) {
        f->router[e] = f->routers[t->owner[e]] / f->planes;
        f->routers[t->owner[e]] += f->planes;
    }
    decide(f);
    for (uint32_t c = 0; t->inside.per_flit && c < t->channels; c++)
        htmt__channel_know(f, c);
    if (find_targets(f) || (t->inside.per_flit && htmt__flits_create(f, &f->flits)))
        goto no_memory;
    f->free &= !f->flits;
    f->finds &= !f->flits;
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
    htmt__vortex_destroy(&f->vortex);
    htmt__flits_destroy(&f->flits);
    free(f->view);
    free(f->straight);
    free(f->at);
    free(f->eject);
    free(f->known);
    free(f->outlet);
    pthread_mutex_destroy(&f->knowing);
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
    return f->free && !f->draws;
}
