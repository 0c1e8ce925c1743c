/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the walk of an entity along the steps of its type until it has to wait, and
 * its moves from layer to layer.
 */
#ifndef HTMT_PARCELS_TIMING_WALK_H
#define HTMT_PARCELS_TIMING_WALK_H

#include "parcels/parcel.h"

struct htmt__leg;

void htmt__advance(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__move_event(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__store_release(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t words);
void htmt__parcel_end(struct htmt_emulator *e, struct htmt_parcel *p);
/* A parcel at a gate gives back what it holds and ends. */
void htmt__parcel_discard(struct htmt_emulator *e, struct htmt_parcel *p);
/* Occupy the channels of one move; schedules p's next event: the head's arrival (then call
 * htmt__channel_in()), or the end. */
void htmt__channel(struct htmt_emulator *e, struct htmt_parcel *p, const struct htmt__leg *leg);
void htmt__channel_in(struct htmt_emulator *e, struct htmt_parcel *p, const struct htmt__leg *leg);

#endif
