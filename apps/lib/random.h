/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers of applications: what they need beside the generator of runtime/base/random.h.
 *
 * Its htmt__random_of() serves without a counter to carry: chained over a seed and the indices of
 * an element, of(of(of(seed) ^ i) ^ j), it gives the element's number without those before it, so
 * that each slice makes its own part, in any order, on any number of threads. Each step is a
 * bijection: two elements that differ in the last index alone never have the same number.
 */
#ifndef HTMT_APPS_LIB_RANDOM_H
#define HTMT_APPS_LIB_RANDOM_H

#include "runtime/base/random.h"

#include <stdint.h>

/* The number of a seed and three indices. */
static inline uint64_t htmt__random_at(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = htmt__random_of(seed);
    x = htmt__random_of(x ^ a);
    x = htmt__random_of(x ^ b);
    return htmt__random_of(x ^ c);
}

/* In (0, 1]: a logarithm of it is finite. */
static inline double htmt__random_share(uint64_t random)
{
    return (double)((random >> 11) + 1) * 0x1p-53;
}

#endif
