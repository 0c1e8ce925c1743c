/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A link: k equal channels, first come first served. The service of a message is known when it
 * asks, so a channel is the instant at which it will be free and no event is needed at its end.
 *
 * Starts never decrease, so those who wait are a ring of future starts; it is walked as virtual
 * time passes, to know the length of the queue and its integral.
 *
 * Why there is no queue of messages: the messages of a link come in virtual order and are served in
 * that order, so one that comes at `now` starts at max(now, the first channel to be free), whatever
 * comes later. Its sender knows the end at once and pushes one event, that of the arrival. By hand,
 * one channel, services of 10 fs, messages at 0, 2 and 15: starts 0, 10 and 20; the ring holds 10,
 * then 10 and 20; at 15 the first of them leaves it.
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
    uint64_t in_use; /* fs of all channels, modulo 2^64 */
    htmt__slice_sum waited;
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
/* Those whose service has begun by `now` leave the queue. The integral of its length is the sum of
 * the instants at which somebody left it less those at which somebody joined it. */
static inline void htmt__link_pass(struct htmt__link *l, struct htmt__tally *t, htmt_time now)
{
    for (; l->length && l->start[l->head] <= now; l->length--) {
        htmt__wide_add((htmt_uwide *)&t->integral, (uint64_t)l->start[l->head]);
        l->head = (l->head + 1) & (l->room - 1);
    }
}
/* There is room for another one. */
static inline void htmt__link_join(struct htmt__link *l, struct htmt__tally *t, htmt_time now,
                                   htmt_time start)
{
    l->start[(l->head + l->length) & (l->room - 1)] = start;
    t->integral -= now;
    htmt__wide_add((htmt_uwide *)&t->waited, (uint64_t)(start - now));
    l->waited += (uint64_t)(start - now);
    if (++l->length > t->longest)
        t->longest = l->length;
}
/* htmt__link_wait() where the ring is full. */
__attribute__((cold)) int htmt__link_wait_more(struct htmt__link *l, struct htmt__tally *t,
                                               htmt_time now, htmt_time start);
/* A message comes at `now` and waits until `start`; -1: out of memory. */
static inline int htmt__link_wait(struct htmt__link *l, struct htmt__tally *t, htmt_time now,
                                  htmt_time start)
{
    htmt__link_pass(l, t, now);
    if (__builtin_expect(l->length == l->room, 0))
        return htmt__link_wait_more(l, t, now, start);
    htmt__link_join(l, t, now, start);
    return 0;
}
/* The end of a run: who is still in the queue has been there until now. */
void htmt__link_settle(struct htmt__link *l, struct htmt__tally *t, htmt_time now);

/* A channel of the link that is free at `start` is occupied for `service`. Overflow of the end is
 * the caller's to check. */
static inline void htmt__link_take(struct htmt__link *l, htmt_time *channel, struct htmt__tally *t,
                                   htmt_time start, htmt_time service, uint64_t words)
{
    if (__builtin_add_overflow(start, service, channel))
        *channel = HTMT_TIME_MAX;
    t->served++;
    t->words += words;
    htmt__wide_add((htmt_uwide *)&t->busy, (uint64_t)service);
    l->in_use += (uint64_t)service;
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
    htmt__link_take(l, channel, t, start, service, words);
    return start;
}

#endif
