/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/memory.h"
#include "parcels/clock/event.h"
#include "parcels/clock/probe.h"
#include "parcels/walk/move_cost.h"

void htmt__memory_await(struct htmt_emulator *e, struct htmt__entity *p)
{
    const struct htmt__step *step = p->step;
    struct htmt__store *s = htmt__resource_at(e, p->slice, step->at);
    p->waiter.amount = p->cost->space[step->layer];
    p->state = HTMT__FOR_SPACE;
    htmt__line_join(&s->line, &e->stock[step->layer].tally, &p->waiter, e->now);
}

/* Of the step that needed the space: the next one that has a place in time. */
static struct htmt__stage_stats *stats_behind(const struct htmt__step *space)
{
    const struct htmt__step *s = space + 1;
    while (s->op == HTMT__FETCH || s->op == HTMT__LAND || s->op == HTMT__CLOSED)
        s++;
    return s->stats;
}

void htmt__memory_wake(struct htmt_emulator *e, struct htmt__store *s, uint32_t layer)
{
    struct htmt__waiter *w;
    while ((w = htmt__store_next(s, &e->stock[layer], e->now))) {
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
