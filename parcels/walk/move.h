/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a parcel moves from layer to layer of its slice.
 */
#ifndef HTMT_PARCELS_WALK_MOVE_H
#define HTMT_PARCELS_WALK_MOVE_H

#include "parcels/walk/entity.h"

/* p, at a move of words, occupies a channel at the source; it gets an event. */
void htmt__move_out(struct htmt_emulator *e, struct htmt__entity *p);
/* That event was the head's arrival (p->head): p queues at the target and gets another event. */
void htmt__move_in(struct htmt_emulator *e, struct htmt__entity *p);

#endif
