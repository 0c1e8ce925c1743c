/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the library: words of a memory are taken and given back, by parcels and by objects.
 */
#ifndef HTMT_PARCELS_WALK_MEMORY_H
#define HTMT_PARCELS_WALK_MEMORY_H

#include "parcels/walk/entity.h"

/* Those who waited for words of the slice's store, and have them now, go on. */
void htmt__memory_wake(struct htmt_emulator *e, struct htmt__store *s, uint32_t layer);

/* p, at that step, which takes words of a layer, waits for them. */
void htmt__memory_await(struct htmt_emulator *e, struct htmt__entity *p);

/* p, at that step, has its words (true), or waits for them. */
static inline bool htmt__memory_take(struct htmt_emulator *e, struct htmt__entity *p,
                                     const struct htmt__step *step, uint64_t words)
{
    struct htmt__store *s = htmt__resource_at(e, p->slice, step->at);
    struct htmt__stock *k = &e->stock[step->layer];
    p->held |= step->bit;
    if (!s->line.head && htmt__store_fits(s, k, words)) {
        htmt__store_grant(s, k, words);
        return true;
    }
    htmt__memory_await(e, p);
    return false;
}
/* Whoever waited for these words goes on. */
static inline void htmt__memory_give(struct htmt_emulator *e, struct htmt__store *s, uint32_t layer,
                                     uint64_t words)
{
    htmt__store_give(s, &e->stock[layer], words);
    if (s->line.head)
        htmt__memory_wake(e, s, layer);
}

#endif
