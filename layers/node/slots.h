/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slots of what serves one thing every `every` ticks: a unit, the port of a cache. Earlier steps of
 * the program may have taken slots that lie far ahead, so a ring keeps which of them are taken; who
 * comes takes the first free one from its own on. The jump over slots that were found taken (from,
 * to) keeps that one look a step where this is what binds. By hand, every 2, ready at 9, 0 and 1:
 * slots 4, 0 and 1, so they start at 9, 0 and 2.
 */
#ifndef HTMT_LAYERS_NODE_SLOTS_H
#define HTMT_LAYERS_NODE_SLOTS_H

#include "runtime/base/ratio.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HTMT__SLOTS 1024u /* in a ring; a power of two */

struct htmt__slots {
    htmt_time every;
    uint64_t inverse; /* 2^64 / every */
    int64_t from, to; /* these slots are taken */
    int64_t slot[HTMT__SLOTS];
};

/* every > 0. */
static inline void htmt__slots_set(struct htmt__slots *s, htmt_time every)
{
    s->every = every;
    s->inverse = UINT64_MAX / (uint64_t)every;
}

static inline void htmt__slots_empty(struct htmt__slots *s)
{
    s->from = s->to = 0;
    memset(s->slot, 0xff, sizeof s->slot);
}

/* when / every. The product is at most one below it: 2^64 / every is less than one too small. */
static inline int64_t htmt__slots_of(const struct htmt__slots *s, htmt_time when)
{
    const int64_t below = (int64_t)((htmt_wide)s->inverse * when >> 64);
    return below + (when - below * s->every >= s->every);
}

/* When it starts that is ready at `ready`. */
static inline htmt_time htmt__slots_take(struct htmt__slots *s, htmt_time ready)
{
    const int64_t own = htmt__slots_of(s, ready);
    const bool inside = own >= s->from && own < s->to;
    int64_t k = inside ? s->to : own;
    while (s->slot[(uint64_t)k % HTMT__SLOTS] == k)
        k++;
    s->slot[(uint64_t)k % HTMT__SLOTS] = k;
    if (k != s->to)
        s->from = inside ? s->from : own;
    s->to = k + 1;
    return k > own ? k * s->every : ready;
}

#endif
