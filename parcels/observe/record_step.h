/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the steps of a recording get numbers in the order in which they are met
 * first.
 *
 * Partitions meet them side by side. So each has a table of its own. When a window is over, the new
 * ones of all partitions are met again in the order of turns, and get numbers of the whole.
 */
#ifndef HTMT_PARCELS_OBSERVE_RECORD_STEP_H
#define HTMT_PARCELS_OBSERVE_RECORD_STEP_H

#include "parcels/observe/recorder.h"

/* It is met for the first time: twice its index and 2; 1: it is left out. Errors (latched):
 * HTMT_ENOMEM. */
uint32_t htmt__record_step_new(struct htmt_emulator *e, const struct htmt__stage_stats *stats,
                               enum htmt__record_place place);
/* Those that partitions have met get numbers of the whole. Errors (latched): HTMT_ENOMEM. */
void htmt__record_steps_number(struct htmt_emulator *whole);

#endif
