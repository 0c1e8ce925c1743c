/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: with htmt_options.carry, what a service finds in the innermost memory is
 * brought to it.
 */
#ifndef HTMT_PARCELS_TIMING_WHAT_IF_H
#define HTMT_PARCELS_TIMING_WHAT_IF_H

#include "parcels/parcel.h"

/* true: p has no closure to begin with; it asks for its server when that has come. */
bool htmt__state_fetch(struct htmt_emulator *e, struct htmt_parcel *p);
void htmt__state_arrives(struct htmt_emulator *e, struct htmt_parcel *p);

#endif
