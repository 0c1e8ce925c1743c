/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: words of a memory are taken and given back, by parcels and by objects.
 */
#ifndef HTMT_PARCELS_TIMING_MEMORY_H
#define HTMT_PARCELS_TIMING_MEMORY_H

#include "parcels/timing/entity.h"

/* p, at a step that takes words of a layer, has them (true), or waits for them. */
bool htmt__memory_take(struct htmt_emulator *e, struct htmt__entity *p, uint32_t layer,
                       uint64_t words);
/* Whoever waited for these words goes on. */
void htmt__memory_give(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t words);

#endif
