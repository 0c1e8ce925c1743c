/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside profiles: what measuring and reading share.
 */
#ifndef HTMT_LAYERS_NODE_PROFILE_PARTS_H
#define HTMT_LAYERS_NODE_PROFILE_PARTS_H

#include "layers/node/distance.h"
#include "layers/node/profile.h"

/* Errors: HTMT_ENOMEM. */
int htmt__profile_copy_program(struct htmt__profile *profile,
                               const struct htmt__tape_program *program);
/* Class 0 is cold, 1 is distance 0, class n holds 2^(n-2) to 2^(n-1) - 1. */
unsigned htmt__profile_class(uint64_t distance);

#endif
