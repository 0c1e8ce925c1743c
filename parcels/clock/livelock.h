/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: a slice in which event follows event and no time passes. Such a run would
 * never end. How many events of a slice one instant may have depends on the entities that are alive
 * there, since all of a full machine's parcels may begin at one instant.
 */
#ifndef HTMT_PARCELS_CLOCK_LIVELOCK_H
#define HTMT_PARCELS_CLOCK_LIVELOCK_H

#include "parcels/walk/entity.h"

/* A slice's events that were scheduled at the very instant of its last one. */
struct htmt__instant {
    htmt_time time;
    uint64_t events, live; /* live: the most entities that the slice had meanwhile */
};

/* p gets an event at the present instant. Errors (latched): HTMT_ELIVELOCK. */
int htmt__livelock_check(struct htmt_emulator *e, const struct htmt__entity *p);

#endif
