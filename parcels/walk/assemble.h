/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a parcel is made by the emulator itself.
 */
#ifndef HTMT_PARCELS_WALK_ASSEMBLE_H
#define HTMT_PARCELS_WALK_ASSEMBLE_H

#include "parcels/walk/context.h"

/* htmt_assemble() in a context that need not be open: with the root's, a parcel of a collective
 * begins at this instant. */
int htmt__assemble(struct htmt_context *c, const struct htmt_parcel_desc *desc,
                   struct htmt_ref *ref);

#endif
