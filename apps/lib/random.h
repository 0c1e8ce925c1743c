/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers of applications: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014) with the constants of variant 13 of D. Stafford's
 * mixer.
 *
 * Its generator adds an odd constant to a counter and returns htmt__random_finish() of it. The same
 * function serves without a counter to carry: chained over a seed and the indices of an element,
 * mix(mix(mix(seed) ^ i) ^ j), it gives the element's number without those before it, so that each
 * slice makes its own part, in any order, on any number of threads. Each step is a bijection: two
 * elements that differ in the last index alone never have the same number.
 */
#ifndef HTMT_APPS_LIB_RANDOM_H
#define HTMT_APPS_LIB_RANDOM_H

#include <stdint.h>

/* 2^64 divided by the golden ratio, made odd. */
#define HTMT__RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* Each bit of x changes about half of the bits. */
static inline uint64_t htmt__random_finish(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint64_t htmt__random_mix(uint64_t x)
{
    return htmt__random_finish(x + HTMT__RANDOM_STEP);
}

/* The generator: the next number of a sequence. */
static inline uint64_t htmt__random_next(uint64_t *state)
{
    return htmt__random_finish(*state += HTMT__RANDOM_STEP);
}

/* The number of a seed and three indices. */
static inline uint64_t htmt__random_at(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = htmt__random_mix(seed);
    x = htmt__random_mix(x ^ a);
    x = htmt__random_mix(x ^ b);
    return htmt__random_mix(x ^ c);
}

/* Below `bound`, each as likely as the others but for 2^-64 * bound. */
static inline uint64_t htmt__random_below(uint64_t random, uint64_t bound)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)random * bound >> 64);
}

/* In (0, 1]: a logarithm of it is finite. */
static inline double htmt__random_share(uint64_t random)
{
    return (double)((random >> 11) + 1) * 0x1p-53;
}

#endif
