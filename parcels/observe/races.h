/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: in a checked run, accesses to the same bytes that nothing orders.
 */
#ifndef HTMT_PARCELS_OBSERVE_RACES_H
#define HTMT_PARCELS_OBSERVE_RACES_H

#include "parcels/clock/probe.h"

/* From now on each access is compared with those before it. The first two that nothing orders are
 * noted, and the run, which goes on to its end, ends with HTMT_EORDER. Errors: HTMT_ENOMEM. */
int htmt__races_create(struct htmt_emulator *e);
void htmt__races_destroy(struct htmt_emulator *e);

#endif
