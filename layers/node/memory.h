/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bus and DRAM: what the processors of a slice may share. Requests come in the order of their
 * times. The bus carries requests and lines apart: while a bank works on one line, another one may
 * pass.
 */
#ifndef HTMT_LAYERS_NODE_MEMORY_H
#define HTMT_LAYERS_NODE_MEMORY_H

#include "layers/node/figures.h"
#include "layers/node/trip.h"

struct htmt__node_bank {
    htmt_time free;
    uint64_t page; /* open; UINT64_MAX: none */
};

struct htmt__node_memory {
    const struct htmt__node_figures *figures;
    htmt_time cycle, arbitration, hit, miss, latency, refresh, busy; /* ticks */
    htmt_time request_free, data_free, back_free;
    htmt_time refresh_from, refresh_next; /* the last one began, the next one begins */
    uint32_t width_shift, inside_shift, banks_shift, page_shift;
    uint64_t page_hits, page_misses, refreshes; /* since it was asked last */
    struct htmt__node_bank bank[HTMT__NODE_BANKS_MOST];
};

/* Errors: HTMT_ENOMEM. The figures stay the caller's. */
int htmt__memory_new(struct htmt__node_memory **memory, const struct htmt__node_figures *figures,
                     uint64_t scale);
void htmt__memory_free(struct htmt__node_memory *memory);
/* All pages closed, nothing under way, refresh at its phase 0. */
void htmt__memory_start(struct htmt__node_memory *memory);

void htmt__memory_request(struct htmt__node_memory *memory, struct htmt__node_trip *trip);
void htmt__memory_dram(struct htmt__node_memory *memory, uint64_t address,
                       struct htmt__node_trip *trip);
/* `back`: away from the processor. */
void htmt__memory_transfer(struct htmt__node_memory *memory, uint64_t bytes, bool back,
                           struct htmt__node_trip *trip);

#endif
