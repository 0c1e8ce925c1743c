/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a move over one network, its leg and the channels that it occupies: by a
 * parcel from layer to layer, by a message from slice to slice.
 */
#ifndef HTMT_PARCELS_MESSAGE_CHANNEL_H
#define HTMT_PARCELS_MESSAGE_CHANNEL_H

#include "parcels/clock/window.h"
#include "parcels/walk/entity.h"
#include "parcels/walk/type.h"

struct htmt__leg {
    uint32_t network, from; /* layer */
    uint64_t words;
    uint32_t to, source;         /* layer, slice */
    htmt_time out_time, in_time; /* that its channels are occupied */
    struct htmt__stage_stats *stats;
    uint32_t target; /* slice */
    uint32_t line;   /* of its end in a lane; its head has the next one */
};

/* Between which layers of which slices; its network and times are to be found. */
static inline void htmt__leg_set(struct htmt__leg *g, uint32_t from, uint32_t to, uint32_t source,
                                 uint32_t target, uint64_t words)
{
    g->from = from;
    g->to = to;
    g->source = source;
    g->target = target;
    g->words = words;
}
/* From one partition to another one. */
static inline bool htmt__leg_parted(const struct htmt_emulator *e, const struct htmt__leg *leg)
{
    const uint32_t *of = e->partition ? e->windows->partition_of : NULL;
    return of && of[leg->source] != of[leg->target];
}
/* Of a parcel whose step is a move. */
static inline struct htmt__leg htmt__leg_of_move(const struct htmt__entity *p)
{
    const struct htmt__step *s = p->step;
    const struct htmt__passage *w = &p->cost->passage[s->passage];
    return (struct htmt__leg){
        .network = (uint32_t)s->network,
        .from = s->layer,
        .to = s->to,
        .source = p->slice,
        .target = p->slice,
        .words = w->words,
        .out_time = w->out_time,
        .in_time = w->in_time,
        .stats = s->stats,
        .line = s->line,
    };
}

/* Occupy the channels of one move. Schedules p's next event: the arrival of the head (p->head; then
 * call htmt__channel_in()), or the end. p->tail is when the last word arrives at the earliest. */
void htmt__channel_out(struct htmt_emulator *e, struct htmt__entity *p,
                       const struct htmt__leg *leg);
void htmt__channel_in(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *leg);
/* The move of a message, of which all is timed, ends at `end`: its next event. */
void htmt__channel_end(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *leg,
                       htmt_time end);
/* A move that begins at `start` gets no channel (start < 0), or ends later than there is time. */
void htmt__channel_refuse(struct htmt_emulator *e, htmt_time start);

#endif
