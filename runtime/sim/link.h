/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A link: k equal channels, first come first served. The service of a message is known when it
 * asks, so a channel is the instant at which it will be free and no event is needed at its end.
 *
 * Starts never decrease, so those who wait are a ring of future starts; it is walked as virtual
 * time passes, to know the length of the queue and its integral.
 */
#ifndef HTMT_RUNTIME_SIM_LINK_H
#define HTMT_RUNTIME_SIM_LINK_H

#include "runtime/sim/waiter.h"

struct htmt__link {
    htmt_time free;  /* channel 0 */
    htmt_time *more; /* channels 1 to channels - 1, in an array of the owner's */
    uint32_t channels;
    uint32_t head, length, room; /* ring of starts still to come */
    htmt_time *start;
    htmt_time changed;
};

void htmt__link_fini(struct htmt__link *l);

/* The first channel to be free. */
static inline htmt_time *htmt__link_channel(struct htmt__link *l)
{
    htmt_time *first = &l->free;
    for (uint32_t i = 0; i + 1 < l->channels; i++)
        if (l->more[i] < *first)
            first = &l->more[i];
    return first;
}
/* The slow part: a message comes at `now` and waits until `start`; -1: out of memory. */
int htmt__link_wait(struct htmt__link *l, struct htmt__tally *t, htmt_time now, htmt_time start);
/* Walk the queue's accounts to `now` (the end of a run). */
void htmt__link_settle(struct htmt__link *l, struct htmt__tally *t, htmt_time now);

/* A channel that is free at `start` is occupied for `service`. Overflow of the end is the caller's
 * to check. */
static inline void htmt__link_take(htmt_time *channel, struct htmt__tally *t, htmt_time start,
                                   htmt_time service, uint64_t words)
{
    if (__builtin_add_overflow(start, service, channel))
        *channel = HTMT_TIME_MAX;
    t->served++;
    t->words += words;
    t->busy += service;
}

/* A message that occupies a channel for `service` comes at `now`; returns when its service starts,
 * or -1: out of memory. */
static inline htmt_time htmt__link_enter(struct htmt__link *l, struct htmt__tally *t, htmt_time now,
                                         htmt_time service, uint64_t words)
{
    htmt_time *channel = htmt__link_channel(l);
    htmt_time start = *channel > now ? *channel : now;
    if (start > now && htmt__link_wait(l, t, now, start))
        return -1;
    htmt__link_take(channel, t, start, service, words);
    return start;
}

#endif
