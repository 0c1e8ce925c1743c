/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the walk of a parcel along the steps of its type until it has to wait.
 */
#ifndef HTMT_PARCELS_WALK_WALK_H
#define HTMT_PARCELS_WALK_WALK_H

#include "parcels/walk/entity.h"

/* p goes on from its present step. */
void htmt__walk(struct htmt_emulator *e, struct htmt__entity *p);
/* The event of a parcel or fiber in service has come: it goes on, and the next in line begins. */
void htmt__walk_served(struct htmt_emulator *e, struct htmt__entity *p);
/* A service ended at an issue port, and its end has entered the history: p goes on. */
void htmt__walk_issued(struct htmt_emulator *e, struct htmt__entity *p);
/* The event of a parcel that moves from layer to layer has come. */
void htmt__walk_moved(struct htmt_emulator *e, struct htmt__entity *p);

#endif
