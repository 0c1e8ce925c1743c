/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers drawn from a state (xorshift), so that a seed always gives the same ones. The state is
 * not 0.
 */
#ifndef HTMT_TESTS_RANDOM_DRAW_H
#define HTMT_TESTS_RANDOM_DRAW_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(2685821657736338717) >> 11;
}

static inline uint64_t between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + draw(state) % (high - low + 1);
}

/* True once in `odds` draws. */
static inline bool once_in(uint64_t *state, uint64_t odds)
{
    return draw(state) % odds == 0;
}

static inline uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

#endif
