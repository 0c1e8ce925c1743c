/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: events one after another, each to its end, with all that becomes ready by it.
 * The clocks alone call this: clock.c, window_clock.c.
 */
#ifndef HTMT_PARCELS_CLOCK_PLAY_H
#define HTMT_PARCELS_CLOCK_PLAY_H

#include "parcels/clock/engine.h"

/* The events up to `last`, HTMT_TIME_MAX - 1 for all, or to the first failure, or until the host
 * wishes otherwise. Returns how many since it was last asked. */
uint32_t htmt__play(struct htmt_emulator *e, htmt_time last);
/* Messages that are over go back to the slices that made them. */
void htmt__turn_over(struct htmt_emulator *e);

/* At the begin of a run: the roots get numbers, from 1, in the order of all slices. */
void htmt__roots_number(struct htmt_emulator *e);
/* The roots of each slice, in order, out of the one list of all; freed by the caller. NULL: out of
 * memory (latched). */
struct htmt__list *htmt__roots_sort(struct htmt_emulator *e);
/* At time 0. */
void htmt__roots_run(struct htmt_emulator *e);

/* No event is left anywhere, and `latest` is the last instant that was played: the control of
 * htmt_quiet() runs in each of the clock's slices. `round`: from 1. */
void htmt__quiet_round(struct htmt_emulator *e, htmt_time latest, uint64_t round);

/* Slices that do not hear of each other are played one after another: then what a slice has stays
 * in the cache. */

/* At time 0, with these roots and nothing pending, to the end of what is there: its roots, then
 * events up to `last`. */
void htmt__alone_once(struct htmt_emulator *e, struct htmt__list roots, htmt_time last);
/* So many slices, NULL: the first ones; e->now is the last instant of all. `roots`: of each slice.
 * A failure is that of the first slice, where slices were said to be independent, or the first in
 * time. */
void htmt__alone_run(struct htmt_emulator *e, const uint32_t *slices, uint32_t count,
                     const struct htmt__list *roots);

/* Tell the host how far the run is; whether it shall end: latched in the whole. */
bool htmt__look_around(struct htmt_emulator *e);

#endif
