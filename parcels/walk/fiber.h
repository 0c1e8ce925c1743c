/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: sync slots and gates: what lets a fiber or a parcel go on.
 */
#ifndef HTMT_PARCELS_WALK_FIBER_H
#define HTMT_PARCELS_WALK_FIBER_H

#include "parcels/walk/entity.h"

/* A signal is where the slot is. Errors (latched): HTMT_EINVAL (its parcel is gone, the slot is not
 * set), HTMT_ENOMEM. */
void htmt__count_down(struct htmt_emulator *e, const struct htmt_slot *slot);
/* Fiber 0 has ended: fibers that were enabled before go on, in order. */
void htmt__fibers_begin(struct htmt_emulator *e, struct htmt__body *b);
/* A fiber has ended; its activation may retire. */
void htmt__fiber_end(struct htmt_emulator *e, struct htmt__entity *fiber);
/* A parcel ends: its type remembers slots that were counted down in part. */
void htmt__slots_end(const struct htmt_emulator *e, const struct htmt__entity *owner);
/* The call of a stage, or HTMT__DISCARD. Errors (latched): HTMT_EINVAL (gone). */
/* "htmt_dispatch()"; of a stage with a gate, or HTMT__DISCARD. */
const char *htmt__gate_call(uint32_t stage);
/* The call of a stage, or HTMT__DISCARD. Errors (latched): HTMT_EINVAL (gone, or called before). */
void htmt__gate_open(struct htmt_emulator *e, struct htmt_ref parcel, uint32_t stage);

#endif
