/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: slices that do not hear of each other, which are played one after another:
 * then what a slice has stays in the cache.
 */
#ifndef HTMT_PARCELS_CLOCK_INDEPENDENT_SLICES_H
#define HTMT_PARCELS_CLOCK_INDEPENDENT_SLICES_H

#include "parcels/clock/engine.h"

/* At time 0, with these roots and nothing pending, to the end of what is there: its roots, then
 * events up to `last`. */
void htmt__alone_once(struct htmt_emulator *e, struct htmt__list roots, htmt_time last);
/* So many slices, NULL: the first ones; e->now is the last instant of all. `roots`: of each slice.
 * A failure is that of the first slice, where slices were said to be independent, or the first in
 * time. */
void htmt__alone_run(struct htmt_emulator *e, const uint32_t *slices, uint32_t count,
                     const struct htmt__list *roots);

#endif
