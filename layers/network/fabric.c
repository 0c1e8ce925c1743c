/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The packets of a message, and who plays which event.
 */
#include "layers/network/lane_stream.h"
#include "runtime/base/wide.h"

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
    if (f->vortex) {
        htmt__vortex_inject(f->vortex, place->vortex, packet, now, tail, sink);
        return;
    }
    e.packet.plane = (uint8_t)place->plane;
    if (++place->plane == f->planes)
        place->plane = 0;
    if (f->flits)
        htmt__flits_inject(f->flits, place->flits, packet, now, tail, sink);
    else if (f->from_source)
        htmt__from_source_inject(&k, &e);
    else
        htmt__packet_inject(&k, &e);
    if (k.continues)
        sink->post(sink->user, &e);
}

_Static_assert(HTMT__OTHERS_PLAY == 3, "a column behind those of plays[]");
typedef void play(struct htmt__fabric_step *k, struct htmt__fabric_event *e);

/* By kind, then: `blocked` is link, or source; packets choose. */
static play *const plays[][3] = {
    [HTMT__CREDIT] = {htmt__packet_credit, NULL, htmt__packet_credit},
    [HTMT__DRAIN] = {htmt__stream_drain, NULL, htmt__stream_drain},
    [HTMT__TAIL] = {htmt__packet_tail, NULL, htmt__packet_tail},
    [HTMT__VOID] = {htmt__packet_void, NULL, htmt__packet_void},
    [HTMT__STOP] = {NULL, htmt__from_source_stop},
    [HTMT__GO] = {NULL, htmt__from_source_go},
    [HTMT__AGAIN] = {NULL, htmt__from_source_again},
    [HTMT__END] = {htmt__stream_end, NULL, htmt__stream_end},
    [HTMT__LEFT] = {htmt__packet_left, htmt__from_source_left, htmt__packet_left},
    [HTMT__ROUTES] = {htmt__packet_arrives, NULL, htmt__choosing_arrives},
    [HTMT__ASKS] = {htmt__packet_asks, htmt__from_source_asks, htmt__choosing_asks},
    [HTMT__FIRST] = {htmt__packet_first, NULL, htmt__choosing_first},
    [HTMT__READY] = {htmt__packet_ready, NULL, htmt__packet_ready},
    [HTMT__WAKES] = {htmt__packet_wakes, htmt__from_source_wakes, htmt__packet_wakes},
    [HTMT__LOOK] = {htmt__stream_look, NULL, htmt__stream_look},
    [HTMT__HEAD] = {htmt__packet_head, htmt__packet_head, htmt__packet_head},
    [HTMT__LAST] = {htmt__packet_last, NULL, htmt__packet_last},
};

bool htmt__fabric_play(const struct htmt__fabric *f, struct htmt__fabric_place *place,
                       struct htmt__fabric_event *event, const struct htmt__fabric_sink *sink)
{
    struct htmt__fabric_step k = {.f = f, .place = place, .sink = sink, .now = event->at};
    if (__builtin_expect(f->plays == HTMT__OTHERS_PLAY, 0))
        return f->vortex ? htmt__vortex_play(f->vortex, place->vortex, event, sink)
                         : htmt__flits_play(f->flits, place->flits, event, sink);
    plays[event->kind][f->plays](&k, event);
    if (__builtin_expect(k.is_void, 0))
        event->kind = HTMT__FABRIC_VOID;
    return k.continues;
}

void htmt__fabric_fetch(const struct htmt__fabric *f, const struct htmt__fabric_place *place,
                        const struct htmt__fabric_event *event)
{
    if (event->kind != HTMT__ASKS || !f->finds || f->vortex)
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
