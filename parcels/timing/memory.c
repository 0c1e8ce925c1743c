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

/* Of the step that needed the space: the next one that has a place in time. */
static struct htmt__stage_stats *stats_behind(const struct htmt__step *space)
{
    const struct htmt__step *s = space + 1;
    while (s->op == HTMT__FETCH || s->op == HTMT__LAND || s->op == HTMT__CLOSED)
        s++;
    return s->stats;
}

void htmt__memory_give(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t words)
{
    struct htmt__store *s = htmt__store_at(e, slice, layer);
    struct htmt__stock *k = &e->stock[layer];
    htmt__store_give(s, k, words);
    struct htmt__waiter *w;
    while ((w = htmt__store_next(s, k, e->now))) {
        struct htmt__entity *p = (struct htmt__entity *)w;
        struct htmt__stage_stats *stats = stats_behind(p->step);
        if (stats)
            stats->stalled += e->now - w->since;
        p->step++;
        htmt__ready(e, p);
        if (htmt__explained(e))
            e->explain->woken(e, p, HTMT__SPACE, layer);
    }
}
