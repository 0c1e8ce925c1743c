/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slots of what serves one thing every `every` ticks: a unit, the port of a cache. Earlier steps of
 * the program may have taken slots that lie far ahead, so a ring keeps which of them are taken; who
 * comes takes the first free one from its own on. The jump over slots that were found taken (from,
 * to) keeps that one look a step where this is what binds. By hand, every 2, ready at 9, 0 and 1:
 * slots 4, 0 and 1, so they start at 9, 0 and 2.
 *
 * Several units of one kind are one ring whose slots are as much shorter. They begin operations
 * side by side, not one behind the other: of u units, the operation in slot k may have begun u - 1
 * slots earlier, `early`. By hand, three units that begin an operation a cycle each: slots of 1/3.
 * Three that are ready at 7 start at 7, and a fourth at 7 1/3, so that no more than three begin a
 * cycle in the long run. One behind the other, the last of three would start 2/3 late, and a chain
 * with two others beside each of its steps would be that much longer at each.
 */
#ifndef HTMT_LAYERS_NODE_SLOTS_H
#define HTMT_LAYERS_NODE_SLOTS_H

#include "runtime/base/ratio.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HTMT__SLOTS 1024u /* in a ring; a power of two */

struct htmt__slots {
    htmt_time every, early;
    uint64_t inverse; /* 2^64 / every */
    int64_t from, to; /* these slots are taken */
    htmt_time owed;   /* parts of slots that were taken, too */
    int64_t slot[HTMT__SLOTS];
};

/* every > 0. Units take an operation a `cycle` each; 0: there is one. */
static inline void htmt__slots_set(struct htmt__slots *s, htmt_time every, htmt_time cycle)
{
    const htmt_time units = (cycle + every / 10) / every;
    s->every = every;
    s->early = units > 1 ? (units - 1) * every : 0;
    s->inverse = UINT64_MAX / (uint64_t)every;
}

static inline void htmt__slots_empty(struct htmt__slots *s)
{
    s->from = s->to = s->owed = 0;
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
    const htmt_time at = k * s->every - s->early;
    return at > ready ? at : ready;
}

#endif
