/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: signals to sync slots, here or elsewhere.
 */
#ifndef HTMT_PARCELS_TIMING_SIGNAL_H
#define HTMT_PARCELS_TIMING_SIGNAL_H

#include "parcels/timing/entity.h"

/* From a layer of a slice; no slot: nothing happens. A signal may need several hops (from a DPIM to
 * a SPELL, say): it takes the shortest chain of networks, one word each. Nothing of another slice
 * is read: a parcel that is gone is found out where the signal arrives. */
void htmt__signal_from(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                       struct htmt_slot slot);
/* One hop is over. */
void htmt__signal_arrives(struct htmt_emulator *e, struct htmt__entity *p);

#endif
