/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bus and DRAM: what the processors of a slice may share. Requests come in the order of their
 * times. The bus carries requests and lines apart: while a bank works on one line, another one may
 * pass.
 */
#ifndef HTMT_LAYERS_NODE_MEMORY_H
#define HTMT_LAYERS_NODE_MEMORY_H

#include "layers/node/figures.h"

/* The way of one miss, store or line outside the first cache: when it is where, and what each leg
 * took. Times here are ticks of a node (layers/node/ticks.h). */

/* In the order in which a miss meets them. */
enum htmt__node_leg {
    HTMT__LEG_REQUEST, /* arbitration, and the wait for it */
    HTMT__LEG_L2,
    HTMT__LEG_REFRESH,
    HTMT__LEG_PAGES,
    HTMT__LEG_DATA, /* the line on the bus, and the wait for the bus */
    HTMT__LEGS
};

struct htmt__node_trip {
    htmt_time now;
    htmt_time leg[HTMT__LEGS];
};

/* The trip is at `until`, all since now on this leg. */
static inline void htmt__trip_to(struct htmt__node_trip *trip, enum htmt__node_leg leg,
                                 htmt_time until)
{
    trip->leg[leg] += until - trip->now;
    trip->now = until;
}

struct htmt__node_bank {
    htmt_time free;
    uint64_t page; /* open; UINT64_MAX: none */
};

struct htmt__node_memory {
    const struct htmt__node_figures *figures;
    htmt_time cycle, arbitration, hit, miss, latency, refresh, busy; /* ticks */
    htmt_time request_free, data_free, back_free;
    htmt_time refresh_from, refresh_end, refresh_next; /* the last one, and when the next begins */
    uint32_t width_shift, inside_shift, banks_shift, page_shift, bank_mask;
    uint64_t width_rest;
    bool closed, duplex;
    uint64_t refreshes; /* since a service that ended has taken them */
    struct htmt__node_bank bank[HTMT__NODE_BANKS_MOST];
};

/* Errors: HTMT_ENOMEM. The figures stay the caller's. */
int htmt__memory_new(struct htmt__node_memory **memory, const struct htmt__node_figures *figures,
                     uint64_t scale);
void htmt__memory_free(struct htmt__node_memory *memory);
/* All pages closed, nothing under way, refresh at its phase 0. */
void htmt__memory_start(struct htmt__node_memory *memory);

/* What starts during a refresh waits for its end; what has started goes on. */
void htmt__memory_refresh(struct htmt__node_memory *memory, struct htmt__node_trip *trip);

static inline void htmt__memory_request(struct htmt__node_memory *m, struct htmt__node_trip *trip)
{
    htmt_time start = m->request_free > trip->now ? m->request_free : trip->now;
    m->request_free = start + m->arbitration;
    htmt__trip_to(trip, HTMT__LEG_REQUEST, m->request_free);
}

/* `back`: away from the processor. */
static inline void htmt__memory_transfer(struct htmt__node_memory *m, uint64_t bytes, bool back,
                                         struct htmt__node_trip *trip)
{
    htmt_time *free = back && m->duplex ? &m->back_free : &m->data_free;
    uint64_t cycles = (bytes + m->width_rest) >> m->width_shift;
    htmt_time start = *free > trip->now ? *free : trip->now;
    *free = start + (htmt_time)cycles * m->cycle;
    htmt__trip_to(trip, HTMT__LEG_DATA, *free);
}

/* The address without the bits that name the bank. */
static inline uint64_t htmt__memory_within(const struct htmt__node_memory *m, uint64_t address)
{
    uint64_t low = address & ((UINT64_C(1) << m->inside_shift) - 1);
    return address >> (m->inside_shift + m->banks_shift) << m->inside_shift | low;
}

/* Returns whether the page was open. */
static inline bool htmt__memory_dram(struct htmt__node_memory *m, uint64_t address,
                                     struct htmt__node_trip *trip)
{
    uint64_t page = htmt__memory_within(m, address) >> m->page_shift;
    struct htmt__node_bank *bank = &m->bank[address >> m->inside_shift & m->bank_mask];
    if (bank->free > trip->now)
        htmt__trip_to(trip, HTMT__LEG_PAGES, bank->free);
    if (trip->now >= m->refresh_next || trip->now < m->refresh_end)
        htmt__memory_refresh(m, trip);
    bool hit = bank->page == page;
    bank->page = m->closed ? UINT64_MAX : page;
    bank->free = trip->now + (hit ? m->hit : m->miss);
    htmt__trip_to(trip, HTMT__LEG_PAGES, bank->free + m->latency);
    return hit;
}

#endif
