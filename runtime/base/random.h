/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pseudo-random numbers by splitmix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014) with the constants of variant 13 of D. Stafford's
 * mixer. The state is a counter that goes on by a constant, and the number is a mix of it: any seed
 * is as good as any other one, number n of a sequence needs no other numbers, and all hosts agree.
 */
#ifndef HTMT_RUNTIME_BASE_RANDOM_H
#define HTMT_RUNTIME_BASE_RANDOM_H

#include "runtime/base/ratio.h"

#include <stdint.h>

#define HTMT__RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd */

/* Each bit of x changes about half of the bits; different x have different mixes. */
static inline uint64_t htmt__random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The first number of a seed, for numbers that follow from counters in any order. */
static inline uint64_t htmt__random_of(uint64_t seed)
{
    return htmt__random_mix(seed + HTMT__RANDOM_STEP);
}

/* The next number of the sequence. */
static inline uint64_t htmt__random_next(uint64_t *state)
{
    return htmt__random_mix(*state += HTMT__RANDOM_STEP);
}

/* A random number brought below n > 0. Some results are more frequent by n / 2^64. */
static inline uint64_t htmt__random_below(uint64_t random, uint64_t n)
{
    return (uint64_t)((htmt_uwide)random * n >> 64);
}

#endif
