/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the source's half of an arrival in another slice, when slices are played one
 * by one.
 *
 * The leg of a message enters the history of its source at the instant of its arrival, between the
 * events of that slice. That instant is known when the message leaves, or, where it queues at the
 * target, when its head has arrived there. Then the source may have been played beyond it, though
 * not beyond the window. So while such a message is on its way, what its source does is not hashed
 * but kept; it is merged with what was booked when the next window of the slice begins.
 */
#ifndef HTMT_PARCELS_TIMING_BOOKING_H
#define HTMT_PARCELS_TIMING_BOOKING_H

#include "parcels/timing/channel.h"
#include "parcels/timing/window.h"
#include "runtime/sim/history.h"

/* The message has left for another slice; when it arrives is not known yet. */
void htmt__booking_open(struct htmt_emulator *e, uint32_t source);
/* It arrives at `at`. `opened`: it was open. Errors (latched): HTMT_ENOMEM. */
void htmt__booking_add(struct htmt_emulator *e, const struct htmt__entity *p,
                       const struct htmt__leg *leg, htmt_time at, bool opened);
/* An event of a slice that has bookings. Errors (latched): HTMT_ENOMEM. */
void htmt__booking_own(struct htmt_emulator *e, uint32_t slice,
                       const struct htmt__history_event *event);
/* All slices have been played up to `before`: what came before it enters the slice's history. */
void htmt__booking_settle(struct htmt_emulator *e, uint32_t slice, htmt_time before);
void htmt__bookings_fini(struct htmt__lane *l);

#endif
