/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Routes: the shortest chains of networks between memories, of one slice and of two.
 */
#ifndef HTMT_PARCELS_MESSAGE_ROUTE_H
#define HTMT_PARCELS_MESSAGE_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

struct htmt_emulator;

/* Fill the emulator's tables: networks from memory to memory; next hops, for signals and for the
 * way round. */
void htmt__routes_init(struct htmt_emulator *e);
/* The next leg of the way round from (*slice, *layer) to `target`, and where it ends; false: there
 * is none. */
bool htmt__detour_next(const struct htmt_emulator *e, uint32_t target, uint32_t *slice,
                       uint32_t *layer);

#endif
