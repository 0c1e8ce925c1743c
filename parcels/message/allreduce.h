/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: all-reduces, and what else goes the same way.
 */
#ifndef HTMT_PARCELS_MESSAGE_ALLREDUCE_H
#define HTMT_PARCELS_MESSAGE_ALLREDUCE_H

#include "parcels/message/collective.h"

/* htmt_allreduce_create() of what was checked; `kind` is its name in lines. */
int htmt__allreduce_create(struct htmt_emulator *e, const struct htmt_tree_desc *desc,
                           const char *kind, struct htmt_allreduce **allreduce);
/* htmt_allreduce() under the name of the call. */
int htmt__allreduce_call(struct htmt_context *c, struct htmt_allreduce *a, struct htmt_slot arrived,
                         const char *call);

#endif
