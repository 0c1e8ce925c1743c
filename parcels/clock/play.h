/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: events one after another, each to its end, with all that becomes ready by it.
 */
#ifndef HTMT_PARCELS_CLOCK_PLAY_H
#define HTMT_PARCELS_CLOCK_PLAY_H

#include "parcels/clock/engine.h"

/* The events up to `last`, HTMT_TIME_MAX - 1 for all, or to the first failure, or until the host
 * wishes otherwise. Returns how many since it was last asked. */
uint32_t htmt__play(struct htmt_emulator *e, htmt_time last);

#endif
