/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: puts between bank and scratch memory of a slice, which its DMA engine makes
 * (channel.c books it). In a checked run the engine owns the scratch end of a put from the call on
 * until it is over: meanwhile nothing may use what it fills, or write what it reads.
 */
#ifndef HTMT_PARCELS_WALK_DMA_H
#define HTMT_PARCELS_WALK_DMA_H

#include "parcels/walk/context.h"

/* 0: the put of that message, which the service asks for, does not go by an engine, or the engine
 * makes it. Errors (latched):
 * HTMT_EINVAL: too large, not aligned, in pieces, of bytes that the engine owns. */
int htmt__dma_check(struct htmt_emulator *e, struct htmt__entity *message,
                    struct htmt__entity *service);
/* It is over. */
void htmt__dma_release(struct htmt_emulator *e, const struct htmt__entity *message);
/* A kernel of the slice will use the bytes. Errors: as above. */
int htmt__dma_use(struct htmt_context *c, struct htmt_addr at, uint64_t bytes, bool writes);

#endif
