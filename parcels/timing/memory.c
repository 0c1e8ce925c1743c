/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/memory.h"
#include "parcels/timing/event.h"
#include "parcels/timing/probe.h"

bool htmt__memory_take(struct htmt_emulator *e, struct htmt__entity *p, uint32_t layer,
                       uint64_t words)
{
    p->waiter.amount = words;
    p->held |= (uint8_t)(1u << layer);
    if (htmt__store_take(htmt__store_at(e, p->slice, layer), &e->stock[layer], &p->waiter, e->now))
        return true;
    p->state = HTMT__FOR_SPACE;
    return false;
}

void htmt__memory_give(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t words)
{
    struct htmt__store *s = htmt__store_at(e, slice, layer);
    struct htmt__stock *k = &e->stock[layer];
    htmt__store_give(s, k, words);
    struct htmt__waiter *w;
    while ((w = htmt__store_next(s, k, e->now))) {
        struct htmt__entity *p = (struct htmt__entity *)w;
        /* the step after the space is the one that needed it, except an image's service */
        if (p->step[1].stats)
            p->step[1].stats->stalled += e->now - w->since;
        p->step++;
        htmt__ready(e, p);
        if (htmt__explained(e))
            e->explain->woken(e, p, HTMT__SPACE, layer);
    }
}
