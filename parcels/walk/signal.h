/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: sync slots, gates, and signals on their way to slots: what lets a fiber or a
 * parcel go on.
 */
#ifndef HTMT_PARCELS_WALK_SIGNAL_H
#define HTMT_PARCELS_WALK_SIGNAL_H

#include "parcels/walk/entity.h"

/* ---- where the slot is (fiber.c) ------------------------------------------------------------- */

/* A signal is where the slot is. Errors (latched): HTMT_EINVAL (its parcel is gone, the slot is not
 * set), HTMT_ENOMEM. */
void htmt__count_down(struct htmt_emulator *e, const struct htmt_slot *slot);
/* 0, or HTMT_EINVAL (latched): a slot of a slice and layer that are not there. */
int htmt__slot_refuse(struct htmt_emulator *e, struct htmt_slot slot);
static inline int htmt__slot_check(struct htmt_emulator *e, struct htmt_slot slot)
{
    bool there = htmt_ref_slice(slot.owner) < e->slices && slot.owner.layer < e->layers;
    return __builtin_expect(there, 1) ? 0 : htmt__slot_refuse(e, slot);
}
/* Fiber 0 has ended: fibers that were enabled before go on, in order. */
void htmt__fibers_begin(struct htmt_emulator *e, struct htmt__body *b);
/* A fiber has ended; its activation may retire. */
void htmt__fiber_end(struct htmt_emulator *e, struct htmt__entity *fiber);
/* A parcel ends: its type remembers slots that were counted down in part. */
void htmt__slots_end(const struct htmt_emulator *e, const struct htmt__entity *owner);
/* "htmt_dispatch()"; of a stage with a gate, or HTMT__DISCARD. */
const char *htmt__gate_call(uint32_t stage);
/* The call of a stage, or HTMT__DISCARD. Errors (latched): HTMT_EINVAL (gone, or called before). */
void htmt__gate_open(struct htmt_emulator *e, struct htmt_ref parcel, uint32_t stage);

/* ---- on the way (signal.c) ------------------------------------------------------------------- */

/* From a layer of a slice to a slot elsewhere. A signal may need several hops (from a DPIM to
 * a SPELL, say): it takes the shortest chain of networks, one word each. Nothing of another slice
 * is read: a parcel that is gone is found out where the signal arrives. */
void htmt__signal_send(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                       const struct htmt_slot *slot);
/* No slot: nothing happens. */
static inline void htmt__signal_from(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                                     const struct htmt_slot *slot)
{
    if (htmt_ref_none(slot->owner))
        return;
    if (htmt_ref_slice(slot->owner) == slice && slot->owner.layer == layer)
        htmt__count_down(e, slot);
    else
        htmt__signal_send(e, slice, layer, slot);
}
/* One hop is over. */
void htmt__signal_arrives(struct htmt_emulator *e, struct htmt__entity *p);

#endif
