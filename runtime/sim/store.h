/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A bounded store: a capacity in words, FIFO waiters. Nobody overtakes: a small request behind a
 * large one waits with it.
 */
#ifndef HTMT_RUNTIME_SIM_STORE_H
#define HTMT_RUNTIME_SIM_STORE_H

#include "runtime/sim/waiter.h"

#include <stdbool.h>

/* The class of equal stores of all slices: what they have in common, and their sums. */
struct htmt__store_class {
    struct htmt__tally tally;
    uint64_t capacity;
    uint64_t peak;           /* of the fullest */
    uint64_t resident_peak;  /* of the one whose objects ever held most */
    htmt_uwide taken, given; /* words */
};

struct htmt__store {
    uint64_t used;
    uint64_t resident; /* of used: objects */
    struct htmt__line line;
};

/* What others counted of equal stores. */
static inline void htmt__store_class_merge(struct htmt__store_class *k,
                                           const struct htmt__store_class *others)
{
    htmt__tally_merge(&k->tally, &others->tally);
    k->peak = others->peak > k->peak ? others->peak : k->peak;
    k->taken += others->taken;
    k->given += others->given;
}

static inline bool htmt__store_fits(const struct htmt__store *s, const struct htmt__store_class *k,
                                    uint64_t words)
{
    return words <= k->capacity - s->used;
}

static inline void htmt__store_grant(struct htmt__store *s, struct htmt__store_class *k,
                                     uint64_t words)
{
    s->used += words;
    htmt__wide_add(&k->taken, words);
    if (s->used > k->peak)
        k->peak = s->used;
}

/* true: w has its words (w->amount) now; false: it waits in line. */
static inline bool htmt__store_take(struct htmt__store *s, struct htmt__store_class *k,
                                    struct htmt__waiter *w, htmt_time now)
{
    if (!s->line.head && htmt__store_fits(s, k, w->amount)) {
        htmt__store_grant(s, k, w->amount);
        return true;
    }
    htmt__line_join(&s->line, &k->tally, w, now);
    return false;
}

/* Give words back. Then call htmt__store_next() until it returns NULL. */
static inline void htmt__store_give(struct htmt__store *s, struct htmt__store_class *k,
                                    uint64_t words)
{
    s->used -= words;
    htmt__wide_add(&k->given, words);
}

/* The first in line, with its words granted, when they fit now; else NULL. */
static inline struct htmt__waiter *htmt__store_next(struct htmt__store *s,
                                                    struct htmt__store_class *k, htmt_time now)
{
    if (!s->line.head || !htmt__store_fits(s, k, s->line.head->amount))
        return NULL;
    struct htmt__waiter *w = htmt__line_leave(&s->line, &k->tally, now);
    htmt__store_grant(s, k, w->amount);
    return w;
}

#endif
