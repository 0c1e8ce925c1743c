/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fixed sequence of numbers for tests (Knuth's MMIX): the same in every run.
 */
#ifndef HTMT_TESTS_RUNTIME_DRAW_H
#define HTMT_TESTS_RUNTIME_DRAW_H

#include <stdint.h>

/* Below 2^31. */
static inline uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static inline uint32_t draw_below(uint64_t *state, uint64_t most)
{
    return (uint32_t)(draw(state) % most);
}

#endif
