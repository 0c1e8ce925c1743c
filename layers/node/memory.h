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
enum htmt__miss_leg {
    HTMT__MISS_REQUEST, /* arbitration, and the wait for it */
    HTMT__MISS_L2,
    HTMT__MISS_REFRESH,
    HTMT__MISS_PAGES,
    HTMT__MISS_DATA, /* the line on the bus, and the wait for the bus */
    HTMT__MISS_LEGS
};

struct htmt__miss_path {
    htmt_time now;
    htmt_time leg[HTMT__MISS_LEGS];
};

/* It comes to `until`, and all the time since now was spent on this leg. */
static inline void htmt__miss_path_to(struct htmt__miss_path *path, enum htmt__miss_leg leg,
                                      htmt_time until)
{
    path->leg[leg] += until - path->now;
    path->now = until;
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
void htmt__memory_refresh(struct htmt__node_memory *memory, struct htmt__miss_path *path);

static inline void htmt__memory_request(struct htmt__node_memory *m, struct htmt__miss_path *path)
{
    htmt_time start = m->request_free > path->now ? m->request_free : path->now;
    m->request_free = start + m->arbitration;
    htmt__miss_path_to(path, HTMT__MISS_REQUEST, m->request_free);
}

/* `back`: away from the processor. */
static inline void htmt__memory_transfer(struct htmt__node_memory *m, uint64_t bytes, bool back,
                                         struct htmt__miss_path *path)
{
    htmt_time *free = back && m->duplex ? &m->back_free : &m->data_free;
    uint64_t cycles = (bytes + m->width_rest) >> m->width_shift;
    htmt_time start = *free > path->now ? *free : path->now;
    *free = start + (htmt_time)cycles * m->cycle;
    htmt__miss_path_to(path, HTMT__MISS_DATA, *free);
}

/* The address without the bits that name the bank. */
static inline uint64_t htmt__memory_within(const struct htmt__node_memory *m, uint64_t address)
{
    uint64_t low = address & ((UINT64_C(1) << m->inside_shift) - 1);
    return address >> (m->inside_shift + m->banks_shift) << m->inside_shift | low;
}

/* Returns whether the page was open. */
static inline bool htmt__memory_dram(struct htmt__node_memory *m, uint64_t address,
                                     struct htmt__miss_path *path)
{
    uint64_t page = htmt__memory_within(m, address) >> m->page_shift;
    struct htmt__node_bank *bank = &m->bank[address >> m->inside_shift & m->bank_mask];
    if (bank->free > path->now)
        htmt__miss_path_to(path, HTMT__MISS_PAGES, bank->free);
    if (path->now >= m->refresh_next || path->now < m->refresh_end)
        htmt__memory_refresh(m, path);
    bool hit = bank->page == page;
    bank->page = m->closed ? UINT64_MAX : page;
    bank->free = path->now + (hit ? m->hit : m->miss);
    htmt__miss_path_to(path, HTMT__MISS_PAGES, bank->free + m->latency);
    return hit;
}

#endif
