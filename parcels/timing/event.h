/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: an entity gets an event; an event enters the history; an entity goes on at
 * this very instant. Each happens about once a stage.
 */
#ifndef HTMT_PARCELS_TIMING_EVENT_H
#define HTMT_PARCELS_TIMING_EVENT_H

#include "parcels/timing/entity.h"
#include "parcels/timing/probe.h"
#include "parcels/timing/statistics.h"
#include "runtime/sim/history.h"

/* p goes on when all that became ready before it has gone on. */
void htmt__ready(struct htmt_emulator *e, struct htmt__entity *p);
/* `at` is not after now: the past is refused, and an instant without end. Returns the code. */
int htmt__schedule_check(struct htmt_emulator *e, const struct htmt__entity *p, htmt_time at);
/* htmt__record() for an observer. */
__attribute__((cold)) void htmt__record_observed(struct htmt_emulator *e, uint32_t slice,
                                                 struct htmt__stage_stats *stats, uint64_t serial,
                                                 uint32_t stage, uint64_t words);

/* at < 0: later than there is time. Errors (latched): HTMT_EOVERFLOW, HTMT_EPAST, HTMT_ELIVELOCK,
 * HTMT_ENOMEM. */
static inline int htmt__schedule(struct htmt_emulator *e, struct htmt__entity *p, htmt_time at)
{
    if (at <= e->now && htmt__schedule_check(e, p, at))
        return e->fault.code;
    p->state = HTMT__PENDING;
    if (htmt__explained(e))
        e->explain->event(e, p, at);
    if (htmt__pending_push(&e->pending, (struct htmt__event){at, p->key}))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
    return 0;
}

static inline void htmt__record_quietly(struct htmt_emulator *e, uint32_t slice,
                                        struct htmt__stage_stats *stats, uint64_t serial,
                                        uint32_t stage, uint64_t words)
{
    struct htmt__history_event event = {e->now, stats->resource, slice, serial, stage, words};
    htmt__history_absorb(&htmt__slice_at(e, slice)->history, event);
    htmt__stage_stats_ended(stats, e->now);
}

static inline void htmt__record(struct htmt_emulator *e, uint32_t slice,
                                struct htmt__stage_stats *stats, uint64_t serial, uint32_t stage,
                                uint64_t words)
{
    if (__builtin_expect(e->options.observe != NULL, 0))
        htmt__record_observed(e, slice, stats, serial, stage, words);
    else
        htmt__record_quietly(e, slice, stats, serial, stage, words);
}

#endif
