/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/timing/event.h"
#include "parcels/timing/livelock.h"

int htmt__schedule_check(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at)
{
    if (at == e->now)
        return htmt__livelock_check(e, p);
    return htmt__fail(e, at < 0 ? HTMT_EOVERFLOW : HTMT_EPAST,
                      at < 0 ? "virtual time passes 2.56 hours" : "dispatch into the past");
}

void htmt__ready(struct htmt_emulator *e, struct htmt__entity *p)
{
    p->state = HTMT__READY;
    p->queue = NULL;
    if (htmt__explained(e))
        e->explain->called(e, p);
    if (e->ready.tail)
        e->ready.tail->queue = p;
    else
        e->ready.head = p;
    e->ready.tail = p;
}

void htmt__record_observed(struct htmt_emulator *e, uint32_t slice, struct htmt__stage_stats *stats,
                           uint64_t serial, uint32_t stage, uint64_t words)
{
    struct htmt_event seen = {e->now, stats->resource, slice, serial, stage, words};
    htmt__record_quietly(e, slice, stats, serial, stage, words);
    e->options.observe(e->options.user, &seen);
}
