/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a parcel's or fiber's turn on a server of a bank, from its request on until
 * its end is known.
 */
#ifndef HTMT_PARCELS_WALK_SERVICE_H
#define HTMT_PARCELS_WALK_SERVICE_H

#include "parcels/walk/entity.h"

/* Ask for a server of the bank of p's step. */
void htmt__request(struct htmt_emulator *e, struct htmt__entity *p);
/* p, a post, has a server, and its control has run: its length is what that charged. */
void htmt__service_begun(struct htmt_emulator *e, struct htmt__entity *p);
/* w, of the line of a bank that is resource `resource`, has a server from now on. */
void htmt__serve_next(struct htmt_emulator *e, struct htmt__waiter *w, uint32_t resource);
/* A service whose kernel or control was put off to the end of this instant (e->kernels): its end
 * is known from now on. */
void htmt__kernel_resolve(struct htmt_emulator *e, struct htmt__entity *p, uint64_t reply);

#endif
