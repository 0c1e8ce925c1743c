/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a move over one network: by a parcel from layer to layer, by a message from
 * slice to slice.
 */
#ifndef HTMT_PARCELS_TIMING_CHANNEL_H
#define HTMT_PARCELS_TIMING_CHANNEL_H

#include "parcels/timing/entity.h"

struct htmt__leg {
    uint32_t network, from, to; /* layers */
    uint32_t source, target;    /* slices */
    uint64_t words;
    htmt_time out_time, in_time; /* that its channels are occupied */
    struct htmt__stage_stats *stats;
};

/* From one slice that is played to another one. */
static inline bool htmt__leg_apart(const struct htmt_emulator *e, const struct htmt__leg *leg)
{
    return leg->source != leg->target && e->played > 1;
}

/* Occupy the channels of one move. Schedules p's next event: the arrival of the head (p->head; then
 * call htmt__channel_in()), or the end. p->tail is when the last word arrives at the earliest. */
void htmt__channel_out(struct htmt_emulator *e, struct htmt__entity *p,
                       const struct htmt__leg *leg);
void htmt__channel_in(struct htmt_emulator *e, struct htmt__entity *p, const struct htmt__leg *leg);

#endif
