/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: puts and gets when they arrive.
 */
#ifndef HTMT_PARCELS_MESSAGE_PUT_H
#define HTMT_PARCELS_MESSAGE_PUT_H

#include "parcels/walk/entity.h"

/* Bytes are where they go, or records; signals both ends that have no signal yet. */
void htmt__put_arrives(struct htmt_emulator *e, struct htmt__entity *p);
/* The word that asks for a get is there: the bytes go the other way. */
void htmt__request_arrives(struct htmt_emulator *e, struct htmt__entity *p);
/* The caller's put as the library knows it. Errors: HTMT_EINVAL, latched under the call's name. */
int htmt__put_whole(struct htmt_emulator *e, const struct htmt_put *put, struct htmt_put *whole,
                    const char *call);

#endif
