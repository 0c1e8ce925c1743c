/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slots of what serves one thing every `every` ticks: a unit, the port of a cache. Earlier steps of
 * the program may have taken slots that lie far ahead, so a ring keeps which of them are taken; who
 * comes takes the first free one from its own on. By hand, every 2, ready at 9, 0 and 1: slots 4, 0
 * and 1, so they start at 9, 0 and 2.
 *
 * Several units of one kind are one ring whose slots are as much shorter. They begin operations
 * side by side, not one behind the other: of u units, the operation in slot k may have begun u - 1
 * slots earlier, `early`. By hand, three units that begin an operation a cycle each: slots of 1/3.
 * Three that are ready at 7 start at 7, and a fourth at 7 1/3, so that no more than three begin a
 * cycle in the long run. One behind the other, the last of three would start 2/3 late, and a chain
 * with two others beside each of its steps would be that much longer at each.
 *
 * Units are asked by each step, and only for slots between its dispatch, which never goes back, and
 * `reach` behind it. So a bit a slot is enough: 64 slots are looked at in one go, and a ring lies
 * in few lines of the host's cache. The ring has twice as many slots as lie in `reach`. Words of it
 * come into use as somebody asks for one of their slots, the oldest ones go. By hand, slots 0 to 69
 * taken, ready in slot 3: the first word has no free bit from the third on, the sixth of the second
 * is the slot: two looks, and 67 where a slot is a number.
 *
 * Ports are asked by misses alone, of which some are sent a thousand slots before others that the
 * program has before them. Their ring has the number of the slot that was taken last in each place.
 * The jump over slots that were found taken (from, to) keeps that one look a miss where the port is
 * what binds.
 */
#ifndef HTMT_LAYERS_NODE_SLOTS_H
#define HTMT_LAYERS_NODE_SLOTS_H

#include "runtime/base/ratio.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HTMT__SLOTS      1024u /* in a ring of a port; in `reach` of a unit; a power of two */
#define HTMT__SLOT_WORDS (2 * HTMT__SLOTS / 64)

struct htmt__slots {
    htmt_time every, early, reach;
    uint64_t inverse; /* 2^64 / every */
    htmt_time owed;   /* parts of slots that were taken, too */
    int64_t last;     /* the last word in use */
    uint64_t taken[HTMT__SLOT_WORDS];
};

/* every > 0. Units take an operation a `cycle` each; 0: there is one. */
static inline void htmt__slots_set(struct htmt__slots *s, htmt_time every, htmt_time cycle)
{
    const htmt_time units = (cycle + every / 10) / every;
    s->every = every;
    s->early = units > 1 ? (units - 1) * every : 0;
    s->reach = every * (htmt_time)(HTMT__SLOTS - 1);
    s->inverse = UINT64_MAX / (uint64_t)every;
}

static inline void htmt__slots_empty(struct htmt__slots *s)
{
    s->owed = s->last = 0;
    memset(s->taken, 0, sizeof s->taken);
}

/* when / every. The product is at most one below it: 2^64 / every is less than one too small. */
static inline int64_t htmt__slots_of(uint64_t inverse, htmt_time every, htmt_time when)
{
    const int64_t below = (int64_t)((htmt_wide)inverse * when >> 64);
    return below + (when - below * every >= every);
}

/* So does this word of slots, which nobody has taken. */
static inline void htmt__slots_open(struct htmt__slots *s, int64_t word)
{
    const int64_t all = HTMT__SLOT_WORDS;
    for (int64_t i = word - s->last < all ? s->last + 1 : word - all + 1; i <= word; i++)
        s->taken[(uint64_t)i % HTMT__SLOT_WORDS] = 0;
    s->last = word;
}

/* When it starts that is ready at `ready`. */
static inline htmt_time htmt__slots_take(struct htmt__slots *s, htmt_time ready)
{
    const int64_t own = htmt__slots_of(s->inverse, s->every, ready);
    int64_t word = own / 64;
    uint64_t from = UINT64_MAX << own % 64, free;
    for (;; word++, from = UINT64_MAX) {
        if (__builtin_expect(word > s->last, 0))
            htmt__slots_open(s, word);
        free = ~s->taken[(uint64_t)word % HTMT__SLOT_WORDS] & from;
        if (__builtin_expect(free != 0, 1))
            break;
    }
    s->taken[(uint64_t)word % HTMT__SLOT_WORDS] |= free & -free;
    const htmt_time at = (64 * word + __builtin_ctzll(free)) * s->every - s->early;
    return at > ready ? at : ready;
}

/* ---- ports ----------------------------------------------------------------------------------- */

struct htmt__port {
    htmt_time every;
    uint64_t inverse;
    int64_t from, to; /* these slots are taken */
    htmt_time owed;
    int64_t slot[HTMT__SLOTS];
};

static inline void htmt__port_set(struct htmt__port *p, htmt_time every)
{
    p->every = every;
    p->inverse = UINT64_MAX / (uint64_t)every;
}

static inline void htmt__port_empty(struct htmt__port *p)
{
    p->from = p->to = p->owed = 0;
    memset(p->slot, 0xff, sizeof p->slot);
}

static inline htmt_time htmt__port_take(struct htmt__port *p, htmt_time ready)
{
    const int64_t own = htmt__slots_of(p->inverse, p->every, ready);
    const bool inside = own >= p->from && own < p->to;
    int64_t k = inside ? p->to : own;
    while (p->slot[(uint64_t)k % HTMT__SLOTS] == k)
        k++;
    p->slot[(uint64_t)k % HTMT__SLOTS] = k;
    if (k != p->to)
        p->from = inside ? p->from : own;
    p->to = k + 1;
    const htmt_time at = k * p->every;
    return at > ready ? at : ready;
}

#endif
