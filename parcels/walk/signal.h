/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: signals to sync slots, here or elsewhere.
 */
#ifndef HTMT_PARCELS_WALK_SIGNAL_H
#define HTMT_PARCELS_WALK_SIGNAL_H

#include "parcels/walk/entity.h"
#include "parcels/walk/fiber.h"

/* From a layer of a slice to a slot elsewhere. A signal may need several hops (from a DPIM to
 * a SPELL, say): it takes the shortest chain of networks, one word each. Nothing of another slice
 * is read: a parcel that is gone is found out where the signal arrives. */
void htmt__signal_send(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                       const struct htmt_slot *slot);
/* 0, or HTMT_EINVAL (latched): a slot of a slice and layer that are not there. */
int htmt__slot_refuse(struct htmt_emulator *e, struct htmt_slot slot);
static inline int htmt__slot_check(struct htmt_emulator *e, struct htmt_slot slot)
{
    bool there = htmt_ref_slice(slot.owner) < e->slices && slot.owner.layer < e->layers;
    return __builtin_expect(there, 1) ? 0 : htmt__slot_refuse(e, slot);
}
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
