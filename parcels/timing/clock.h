/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: an entity gets an event; an event enters the history. Each happens once a
 * stage.
 */
#ifndef HTMT_PARCELS_TIMING_CLOCK_H
#define HTMT_PARCELS_TIMING_CLOCK_H

#include "parcels/observe/trace.h"
#include "parcels/timing/entity.h"
#include "runtime/sim/history.h"

void htmt__ready(struct htmt_emulator *e, struct htmt_parcel *p);
/* What is before now; returns the code. */
int htmt__schedule_refuse(struct htmt_emulator *e, htmt_time at);
void htmt__observe(const struct htmt_emulator *e, uint32_t slice, const struct htmt__phase *phase,
                   uint64_t serial, uint32_t stage, uint64_t words);

/* at < 0: later than there is time. Errors (latched): HTMT_EOVERFLOW, HTMT_EPAST, HTMT_ENOMEM. */
static inline int htmt__schedule(struct htmt_emulator *e, struct htmt_parcel *p, htmt_time at)
{
    if (at < e->now)
        return htmt__schedule_refuse(e, at);
    p->state = HTMT__PENDING;
    if (htmt__traced(e))
        htmt__trace_event(e, p, at);
    if (htmt__pending_push(&e->pending, (struct htmt__event){at, p->key}))
        return htmt__fail(e, HTMT_ENOMEM, "no host memory for another event");
    return 0;
}

/* Slices that are played one after another bring the times of a phase out of order. */
static inline void htmt__phase_ended(struct htmt__phase *phase, htmt_time now)
{
    if (!phase->ended || now < phase->first)
        phase->first = now;
    if (now > phase->last)
        phase->last = now;
    phase->ended++;
}

static inline void htmt__record(struct htmt_emulator *e, uint32_t slice, struct htmt__phase *phase,
                                uint64_t serial, uint32_t stage, uint64_t words)
{
    struct htmt__history_event event = {e->now, phase->resource, slice, serial, stage, words};
    htmt__history_absorb(&e->history[slice], event);
    htmt__phase_ended(phase, e->now);
    if (__builtin_expect(e->options.observe != NULL, 0))
        htmt__observe(e, slice, phase, serial, stage, words);
}

#endif
