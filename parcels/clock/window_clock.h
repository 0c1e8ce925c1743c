/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: the clock that goes from window to window, in which partitions are played one
 * by one or side by side (window.h).
 */
#ifndef HTMT_PARCELS_CLOCK_WINDOW_CLOCK_H
#define HTMT_PARCELS_CLOCK_WINDOW_CLOCK_H

#include "parcels/clock/engine.h"

/* To the end of the run, or its first failure: e->now is its instant. */
void htmt__window_clock(struct htmt_emulator *e);

/* All jobs are done: the failure of all, of the clock or of a kernel, that came first. */
void htmt__window_kernels(struct htmt_emulator *e);

#endif
