/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/node/memory.h"

#include "layers/node/ticks.h"
#include "runtime/base/error.h"

#include <stdlib.h>

/* 0 where nothing is given. */
static uint32_t shift_of(uint64_t power)
{
    return power ? (uint32_t)__builtin_ctzll(power) : 0;
}

int htmt__memory_new(struct htmt__node_memory **memory, const struct htmt__node_figures *f,
                     uint64_t scale)
{
    struct htmt__node_memory *m = calloc(1, sizeof *m);
    if (!m)
        return HTMT_ENOMEM;
    m->figures = f;
    m->cycle = htmt__ticks(f->bus.cycle, 1, scale);
    m->arbitration = htmt__ticks(f->bus.arbitration, 1, scale);
    m->hit = htmt__ticks(f->dram.hit, 1, scale);
    m->miss = htmt__ticks(f->dram.miss, 1, scale);
    m->latency = htmt__ticks(f->dram.latency, 1, scale);
    m->refresh = htmt__ticks(f->dram.refresh, 1, scale);
    m->busy = htmt__ticks(f->dram.busy, 1, scale);
    m->width_shift = shift_of(f->bus.width);
    m->page_shift = shift_of(f->dram.page);
    m->inside_shift = f->dram.interleave ? shift_of(f->dram.interleave) : m->page_shift;
    m->banks_shift = shift_of(f->dram.banks);
    m->bank_mask = f->dram.banks ? f->dram.banks - 1 : 0;
    m->closed = f->dram.closed;
    m->duplex = f->bus.duplex;
    m->width_rest = f->bus.width ? f->bus.width - 1 : 0;
    htmt__memory_start(m);
    *memory = m;
    return 0;
}

void htmt__memory_free(struct htmt__node_memory *m)
{
    free(m);
}

static void close_pages(struct htmt__node_memory *m)
{
    for (uint32_t i = 0; i < m->figures->dram.banks; i++)
        m->bank[i].page = UINT64_MAX;
}

void htmt__memory_start(struct htmt__node_memory *m)
{
    close_pages(m);
    for (uint32_t i = 0; i < m->figures->dram.banks; i++)
        m->bank[i].free = 0;
    m->request_free = m->data_free = m->back_free = 0;
    m->refresh_from = m->refresh_end = -1;
    m->refresh_next = m->refresh ? m->refresh : HTMT_TIME_MAX;
    m->refreshes = 0;
}

/* Refreshes have no events: the first access behind one finds that it has begun. Of several that
 * passed since the last access only the latest can make it wait; all of them are counted, and
 * closed all pages. */
void htmt__memory_refresh(struct htmt__node_memory *m, struct htmt__miss_path *path)
{
    if (path->now >= m->refresh_next) {
        htmt_time more = (path->now - m->refresh_next) / m->refresh;
        m->refreshes += (uint64_t)more + 1;
        m->refresh_from = m->refresh_next + more * m->refresh;
        m->refresh_end = m->refresh_from + m->busy;
        m->refresh_next = m->refresh_from + m->refresh;
        close_pages(m);
    }
    if (path->now >= m->refresh_from && path->now < m->refresh_end)
        htmt__miss_path_to(path, HTMT__MISS_REFRESH, m->refresh_end);
}
