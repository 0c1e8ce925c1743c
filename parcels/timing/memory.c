/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/memory.h"
#include "parcels/timing/event.h"
#include "parcels/timing/probe.h"

void htmt__memory_wake(struct htmt_emulator *e, struct htmt__store *s, uint32_t layer)
{
    struct htmt__waiter *w;
    while ((w = htmt__store_next(s, &e->stock[layer], e->now))) {
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
