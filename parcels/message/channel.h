/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the channels of a move over one network.
 */
#ifndef HTMT_PARCELS_MESSAGE_CHANNEL_H
#define HTMT_PARCELS_MESSAGE_CHANNEL_H

#include "parcels/message/leg.h"

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
