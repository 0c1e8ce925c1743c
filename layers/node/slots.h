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
    uint64_t inverse; /* 2^(63 + shift) / every */
    htmt_time owed;   /* parts of slots that were taken, too */
    uint64_t last;    /* the last word in use */
    uint32_t shift;   /* of 2^shift, the first power of two that is no less than `every` */
    uint64_t taken[HTMT__SLOT_WORDS];
};

/* every > 0. Units take an operation a `cycle` each; 0: there is one. */
static inline void htmt__slots_set(struct htmt__slots *s, htmt_time every, htmt_time cycle)
{
    const htmt_time units = (cycle + every / 10) / every;
    s->every = every;
    s->early = units > 1 ? (units - 1) * every : 0;
    s->reach = every * (htmt_time)(HTMT__SLOTS - 1);
    for (s->shift = 0; UINT64_C(1) << s->shift < (uint64_t)every;)
        s->shift++;
    s->inverse = (uint64_t)(((htmt_uwide)1 << (63 + s->shift)) / (htmt_uwide)every) + 1;
}

static inline void htmt__slots_empty(struct htmt__slots *s)
{
    s->owed = 0;
    s->last = 0;
    memset(s->taken, 0, sizeof s->taken);
}

/* This word of slots comes into use, of which nobody has taken any. */
static inline void htmt__slots_open(struct htmt__slots *s, uint64_t word)
{
    const uint64_t all = HTMT__SLOT_WORDS;
    for (uint64_t i = word - s->last < all ? s->last + 1 : word - all + 1; i <= word; i++)
        s->taken[i % HTMT__SLOT_WORDS] = 0;
    s->last = word;
}

/* ready / every. `inverse` is more than 2^(63 + shift) / every by at most one, so the product is
 * too large by at most ready / 2^(63 + shift), which is less than 1 / every below 2^62 ticks. */
static inline uint64_t htmt__slots_of(const struct htmt__slots *s, htmt_time ready)
{
    return (uint64_t)((htmt_uwide)s->inverse * (2 * (uint64_t)ready) >> 64) >> s->shift;
}

/* When it starts that is ready at `ready`. */
static inline htmt_time htmt__slots_take(struct htmt__slots *s, htmt_time ready)
{
    const uint64_t own = htmt__slots_of(s, ready);
    uint64_t word = own / 64, *taken, free;
    if (__builtin_expect(word > s->last, 0))
        htmt__slots_open(s, word);
    taken = &s->taken[word % HTMT__SLOT_WORDS];
    free = ~*taken & UINT64_MAX << own % 64;
    while (__builtin_expect(!free, 0)) {
        if (++word > s->last)
            htmt__slots_open(s, word);
        taken = &s->taken[word % HTMT__SLOT_WORDS];
        free = ~*taken;
    }
    *taken |= free & -free;
    const htmt_time at =
        (htmt_time)(64 * word + (uint64_t)__builtin_ctzll(free)) * s->every - s->early;
    return at > ready ? at : ready;
}

/* ---- ports ----------------------------------------------------------------------------------- */

struct htmt__port {
    htmt_time every;
    uint64_t inverse; /* 2^64 / every */
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
    /* The product is at most one below ready / every: 2^64 / every is less than one too small. */
    const int64_t below = (int64_t)((htmt_wide)p->inverse * ready >> 64),
                  own = below + (ready - below * p->every >= p->every);
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
