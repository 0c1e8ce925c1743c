/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/questions/old_history.h"

#include "runtime/base/array.h"
#include "runtime/sim/history.h"

#include <stdlib.h>
#include <string.h>

void htmt__old_history_add(struct htmt__old_history *h, const struct htmt_event *event)
{
    const size_t before = h->room;
    if (!htmt__array_fits(&h->state, &h->room, (size_t)event->slice + 1, sizeof *h->state)) {
        h->failed = true;
        return;
    }
    if (h->room > before)
        memset(h->state + before, 0, (h->room - before) * sizeof *h->state);
    const uint64_t place = (uint64_t)event->slice << 32 | event->resource;
    const uint64_t m =
        htmt__history_fold((uint64_t)event->time ^ HTMT__HISTORY_K0, place ^ HTMT__HISTORY_K1) +
        htmt__history_fold(event->serial ^ HTMT__HISTORY_K2, event->stage ^ HTMT__HISTORY_K3) +
        event->words * HTMT__HISTORY_K4;
    h->state[event->slice] = htmt__history_step(h->state[event->slice], m);
}

uint64_t htmt__old_history_hash(const struct htmt__old_history *h, uint32_t slices)
{
    uint64_t hash = slices;
    for (uint32_t i = 0; i < slices; i++)
        hash = htmt__history_step(hash, (i < h->room ? h->state[i] : 0) + HTMT__HISTORY_G);
    return hash;
}

void htmt__old_history_clear(struct htmt__old_history *h)
{
    free(h->state);
    *h = (struct htmt__old_history){0};
}
