/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A link: k equal channels, first come first served. The service of a message is known when it
 * asks, so a channel is the instant at which it will be free and no event is needed at its end.
 *
 * Starts never decrease, so those who wait are a ring of future starts; it is walked as virtual
 * time passes, to know the length of the queue and its integral.
 */
#ifndef HTMT_RUNTIME_LINK_H
#define HTMT_RUNTIME_LINK_H

#include "runtime/ratio.h"

#include <stddef.h>

struct htmt__link {
    htmt_time *free; /* by channel; in the emulator's one array */
    uint32_t channels;
    uint32_t head, length, room; /* ring of starts still to come */
    htmt_time *start;
    uint64_t served, words, longest;
    htmt_time changed;
    htmt_wide busy_time, waited, integral;
};

void htmt__link_fini(struct htmt__link *l);

/* A message that occupies a channel for `service` comes at `now`; returns when its service starts,
 * or -1: out of memory. Overflow of the end is the caller's to check. */
htmt_time htmt__link_enter(struct htmt__link *l, htmt_time now, htmt_time service);

/* Walk the queue's accounts to `now` (the end of a run). */
void htmt__link_settle(struct htmt__link *l, htmt_time now);

#endif
