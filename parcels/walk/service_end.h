/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the length of a service is known, and so its end.
 */
#ifndef HTMT_PARCELS_WALK_SERVICE_END_H
#define HTMT_PARCELS_WALK_SERVICE_END_H

#include "parcels/walk/entity.h"

/* p's service, which began at `began`, takes `work` beside what its control charged. */
void htmt__length_set(struct htmt_emulator *e, struct htmt__entity *p, htmt_time began,
                      htmt_time work);
/* The same of a service of these counts whose own operations were played. */
void htmt__length_played(struct htmt_emulator *e, struct htmt__entity *p,
                         const struct htmt_ops *ops, htmt_time began, htmt_time work);

#endif
